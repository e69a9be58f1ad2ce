"""Which bodies move with which: the components as a tree, walked from the fixed body outward."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np

from .plan import Plan


class BodyWalk:
    """A walk in depth over the bodies of a plan: those that move with a body follow it at once.

    A component hangs on its root; what hangs on a body moves with it, component by component.
    """

    def __init__(self, plan: Plan) -> None:
        attached: dict[int, list[int]] = {}
        for c in plan.components:
            attached.setdefault(c.root, []).extend(c.bodies)
        count, mated = plan.bodies.count, {b for c in plan.components for b in c.bodies}
        self._order: list[int] = []
        self._entered, self._left, self._depth = ([0] * count for _ in range(3))
        stack = [(b, 0) for b in range(count - 1, 0, -1) if b not in mated]
        stack.append((0, 0))
        while stack:
            body, depth = stack.pop()
            if body < 0:  # all that hang on it were met
                self._left[~body] = len(self._order)
                continue
            self._entered[body], self._depth[body] = len(self._order), depth
            self._order.append(body)
            stack.append((~body, depth))
            stack += [(b, depth + 1) for b in reversed(attached.get(body, ()))]
        self._of_depth: list[list[int]] = [[] for _ in range(max(self._depth) + 1)]
        for place, body in enumerate(self._order):
            self._of_depth[self._depth[body]].append(place)
        sizes = np.bincount(plan.bodies.of_part, minlength=count)[self._order]
        self._parts: list[int] = [0, *np.cumsum(sizes).tolist()]
        self._places = [sorted(self._entered[b] for b in c.bodies) for c in plan.components]

    def dependents(self, body: int) -> Iterator[int]:
        """A body and all bodies that move with it, component by component outward."""
        first, end = self._entered[body], self._left[body]
        for places in self._of_depth[self._depth[body] :]:
            own = places[bisect_left(places, first) : bisect_left(places, end)]
            if not own:
                return
            yield from (self._order[place] for place in own)

    def count(self, body: int) -> int:
        """How many bodies these are."""
        return self._left[body] - self._entered[body]

    def total(self, body: int) -> int:
        """How many parts are on them."""
        return self._parts[self._left[body]] - self._parts[self._entered[body]]

    def carrier(self, component: int, body: int) -> int:
        """The body of a component that a body moves with; itself where it moves with none.

        Negative numbers stand for the components of bodies without mates.
        """
        if component < 0:
            return body
        places, place = self._places[component], self._entered[body]
        k = bisect_right(places, place) - 1
        if k < 0:
            return body
        carrier = self._order[places[k]]
        return carrier if place < self._left[carrier] else body

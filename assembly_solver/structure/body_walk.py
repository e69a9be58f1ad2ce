"""Which bodies move with which: the components as a tree, walked from the fixed body outward."""

from __future__ import annotations

from bisect import bisect_right

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
        self._places = [sorted(self._entered[b] for b in c.bodies) for c in plan.components]

    def dependents(self, body: int) -> list[int]:
        """A body and all bodies that move with it, component by component outward."""
        bodies = self._order[self._entered[body] : self._left[body]]
        return sorted(bodies, key=self._depth.__getitem__)

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

"""Reference frames and an order of the bodies that depend on no names and on no order of entry."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

import numpy as np

from ..foundations.numerics.distinct import distinct
from ..foundations.types import Array
from .plan import Plan

Key = tuple[float, ...]
"""What decides an order."""


class BodyFrames:
    """Reference frames of bodies: those of their part with the most mates.

    Points and directions on a body are compared in them, so that neither the order of parts nor a
    motion of the whole assembly matters.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        s = plan.system
        degree = np.bincount(s.ends[: s.mates].ravel(), minlength=len(s.parts))
        arms = np.sum((s.cloud - s.centre[s.cloud_part]) ** 2, axis=1)
        arms = np.bincount(s.cloud_part, weights=arms, minlength=len(s.parts)) / s.length**2
        self._near = s.same_place / s.length
        self._known: list[float] = []
        reach = [self._rounded(float(r)) for r in arms]
        order = sorted(range(len(s.parts)), key=lambda k: (-degree[k], -reach[k]))
        self.frame: dict[int, Array] = {}
        self.weight: dict[int, Key] = {}
        for k in order:
            body = int(plan.bodies.of_part[k])
            if body not in self.frame:
                self.frame[body] = plan.bodies.relative[k]
                self.weight[body] = (-float(degree[k]), -reach[k])

    def location(self, body: int, point: Array) -> Key:
        """A point of a body in its reference frame, rounded, in characteristic lengths."""
        f = self.frame[body]
        local = f[3:].reshape(3, 3) @ (point - f[:3])
        return tuple(self._rounded(float(v)) for v in local / self.plan.system.length)

    def _rounded(self, value: float) -> float:
        """The value met before that this one cannot be told from, else the value itself."""
        at = bisect_left(self._known, value - self._near)
        if at < len(self._known) and self._known[at] <= value + self._near:
            return self._known[at]
        self._known.insert(at, value)
        return value

    def upward(self, body: int, direction: Array) -> Array:
        """A direction on a body or its opposite: positive along z of its frame, else y, else x."""
        local = self.frame[body][3:].reshape(3, 3) @ direction
        for k in (2, 1, 0):
            if abs(local[k]) > self.plan.system.same_direction:
                return direction if local[k] > 0 else -direction
        return direction

    @cached_property
    def rank(self) -> dict[int, int]:
        """Rank of each body: by mates, then reach, then by where it is attached.

        Last by the start relative to the fixed parts.
        """
        start, centre = self.plan.bodies.start, self.plan.bodies.centre
        at = {
            b: self.location(0, start[b, :3] + centre[b] @ start[b, 3:].reshape(3, 3))
            for b in range(len(start))
        }
        where = self._attachments()
        order = sorted(self.frame, key=lambda b: (self.weight[b], where.get(b, ()), at[b]))
        return {b: n for n, b in enumerate(order)}

    def _attachments(self) -> dict[int, tuple[Key, ...]]:
        """Where the shortest chain of mates to each body leaves those before it, from the fixed
        parts on; of several chains the first by these locations."""
        t, pairs = self.plan.table, self.plan.bodies.pairs
        near: dict[int, list[tuple[int, Key]]] = {}
        for p, (a, b) in enumerate(pairs.bodies.tolist()):
            n = t.term_measure[t.first_term[pairs.rows_of(p)]]
            markers = distinct(np.concatenate([t.marker_a[n], t.marker_b[n]]))
            for body, other in ((a, b), (b, a)):
                on_body = markers[t.marker_body[markers] == body]
                if len(on_body):
                    at = self.location(body, t.marker_frame[on_body, :3].mean(axis=0))
                    near.setdefault(body, []).append((other, at))
        out: dict[int, tuple[Key, ...]] = {0: ()}
        front = [0]
        while front:
            reached: dict[int, tuple[Key, ...]] = {}
            for body in front:
                for other, at in near.get(body, ()):
                    if other not in out:
                        chain = (*out[body], at)
                        reached[other] = min(chain, reached.get(other, chain))
            out |= reached
            front = list(reached)
        return out

"""Mobility of a component for dimensions in general: the rank with all joints at random places.

Each joint is moved as a whole, its markers on all bodies by one displacement.  What it measures
stays what it was, so it stays closed and stays the joint that it is; only the dimensions of the
bodies change.  Where a component moves in parallel planes the displacements stay in them, where it
turns about a point they turn about it: other dimensions, the same way of moving.  The rank there is
that of almost all dimensions.  The pebble game of the `ConstraintGraph` counts the same without
numbers, and says which sub-linkage is over-constrained; what it does not see, this rank does.

Source: docs/theory/mobility.md, 8 (the rank at random coordinates is the authority for mates).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from ..equations.table import Table, jacobian
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.linear import rank_of
from ..foundations.types import Array, Ints
from ..model.measures.measure import RADIUS, SEPARATION
from ..structure.incidence import slots
from .constraint_graph import ABOUT_POINT, PLANAR, ConstraintGraph

LOOKS = 2
"""Random dimensions that are tried; the largest rank is that of almost all."""

CUT = 1e-9
"""Singular value, relative to the largest, below which a row counts as dependent there."""

Joint = tuple[str | int, ...]
"""What tells joints apart: a pin, a pair, a mate, or one end of a distance."""


class Generic:
    """The freedoms of a component for dimensions in general."""

    def __init__(self, graph: ConstraintGraph) -> None:
        self.graph, self.d = graph, graph.diagnosis
        self.c, self.plan = graph.c, graph.diagnosis.plan
        self.rows = self.d.rows(self.c)

    @cached_property
    def dof(self) -> int:
        """Freedoms against the root."""
        return self.c.columns + self.graph.heights - self.rank

    @cached_property
    def rank(self) -> int:
        """Independent equations in the component's own unknowns."""
        limit = min(len(self.rows), self.c.columns)
        best = 0
        for seed in range(LOOKS):
            if best < limit:
                best = max(best, self._rank(np.random.default_rng(seed)))
        return best

    def _rank(self, rng: np.random.Generator) -> int:
        table = self._moved(rng)
        out = np.empty((len(self.rows), self.c.columns))
        slot = slots(len(self.d.poses), self.c.bodies, self.c.unknowns)
        p = self.plan
        jacobian(
            table,
            self.d.poses,
            self.rows,
            slot,
            self.d.axes(self.c),
            p.bodies.centre,
            p.system.length,
            out,
        )
        return rank_of(out, CUT).rank

    def _moved(self, rng: np.random.Generator) -> Table:
        """The table with joints at other places; each measure has markers of its own there."""
        t, poses = self.plan.table, self.d.poses
        n = len(t.marker_a)
        old = np.concatenate([t.marker_a, t.marker_b])
        body, frame = t.marker_body[old], t.marker_frame[old].copy()
        for places in self._joints().values():
            world = compose_all(poses[body[places]], frame[places])
            world = self._displaced(world, rng)
            frame[places] = compose_all(invert_all(poses[body[places]]), world)
        first = np.arange(n)
        return t._replace(marker_body=body, marker_frame=frame, marker_a=first, marker_b=first + n)

    def _displaced(self, frames: Array, rng: np.random.Generator) -> Array:
        """Frames in the world, shape (n, 12), moved together at random."""
        centre, shift = frames[:, :3].mean(axis=0), rng.normal(size=3) * self.plan.system.length
        if self.graph.motion == PLANAR:
            normal = self.d.axes(self.c)[2]
            turn = Rotation.from_rotvec(rng.uniform(-np.pi, np.pi) * normal)
            shift = shift - (shift @ normal) * normal
        else:
            turn = Rotation.random(random_state=rng)
            if self.graph.motion == ABOUT_POINT and self.graph.centre is not None:
                centre, shift = self.graph.centre, np.zeros(3)
        out = np.empty_like(frames)
        out[:, :3] = turn.apply(frames[:, :3] - centre) + centre + shift
        for k in (3, 6, 9):
            out[:, k : k + 3] = turn.apply(frames[:, k : k + 3])
        return out

    def _joints(self) -> dict[Joint, Ints]:
        """Places of the markers of each joint: measure, or measures + measure for the second."""
        t = self.plan.table
        pairs = self._pairs()
        bars = (SEPARATION, RADIUS) if self.graph.motion == PLANAR else (SEPARATION,)
        found: dict[Joint, list[int]] = {}
        for e in self.rows.tolist():
            for n in t.term_measure[t.first_term[e] : t.first_term[e + 1]].tolist():
                ends = (int(t.marker_a[n]), int(t.marker_b[n]))
                a, b = (int(t.marker_body[m]) for m in ends)
                bar = int(t.kind[n]) in bars
                for side, marker in enumerate(ends):
                    joint = self._end(marker) if bar else pairs.get((min(a, b), max(a, b)))
                    if joint is None:
                        joint = ("mate", int(self.plan.system.promise_of_equation[e]))
                    found.setdefault(joint, []).append(n + side * len(t.marker_a))
        return {joint: np.unique(places) for joint, places in found.items()}

    def _pairs(self) -> dict[tuple[int, int], Joint]:
        """The joint of each two bodies: their pin, or themselves; none where mates differ."""
        out: dict[tuple[int, int], Joint] = {}
        for place, p in enumerate(self.c.pairs):
            a, b = (int(v) for v in self.plan.bodies.pairs.bodies[p])
            if self.graph.kinds[place] != GENERAL:
                pin = self.graph.pair_pins[place]
                out[min(a, b), max(a, b)] = ("pin", pin) if pin is not None else ("pair", p)
        return out

    def _end(self, marker: int) -> Joint:
        """The pin of one end of a distance, or the end itself."""
        t = self.plan.table
        body, at = int(t.marker_body[marker]), t.marker_frame[marker, :3]
        n = self.graph.pin_at(body, at)
        return ("pin", n) if n is not None else ("end", marker)

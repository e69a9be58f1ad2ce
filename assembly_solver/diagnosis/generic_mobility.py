"""Generic mobility of a component: the rank with all joints at random positions.

Each joint is displaced as a whole, its markers on all bodies by one rigid motion.  Its residual
does not change, so it stays closed and of the same kind; only the dimensions of the bodies change.
In a planar component the displacements stay in the plane, in a spherical one they are rotations
about its centre, so the type of motion stays the same.  The rank there is that of almost all
dimensions.  The pebble game of the `ConstraintGraph` counts the same without numbers and finds the
over-constrained sub-linkage; where its theorem does not apply, this rank is right.

Source: docs/theory/mobility.md, 8.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..equations.table import EquationTable
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.geometry.pose import compose_all, frames, invert_all
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.linear import rank_of
from ..foundations.types import Array, Ints
from ..model.measures.measure import RADIUS, SEPARATION
from ..structure.incidence import jacobian_of
from .constraint_graph import ABOUT_POINT, PLANAR, ConstraintGraph

RANDOM_TRIALS = 2
"""Random dimensions; the largest rank is that of almost all."""

JointKey = tuple[str | int, ...]
"""Identifies a joint: a pin, a pair, a mate, or one end of a distance."""


class GenericMobility:
    """The freedoms of a component for almost all dimensions."""

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
        """Independent equations in the unknowns of the component."""
        limit = min(len(self.rows), self.c.columns)
        best = 0
        for seed in range(RANDOM_TRIALS):
            if best < limit:
                best = max(best, self._rank(np.random.default_rng(seed)))
        return best

    def _rank(self, rng: np.random.Generator) -> int:
        c, basis = self.c, self.d.basis(self.c)
        table = self._moved(rng)
        matrix = jacobian_of(table, self.d.poses, self.rows, c.bodies, c.unknowns, basis)
        return rank_of(matrix, self.d.cut).rank

    def _moved(self, rng: np.random.Generator) -> EquationTable:
        """The table with displaced joints; each measure gets separate markers."""
        t, poses = self.plan.table, self.d.poses
        n = len(t.marker_a)
        old = np.concatenate([t.marker_a, t.marker_b])
        body, frame = t.marker_body[old], t.marker_frame[old].copy()
        for markers in self._joints().values():
            world = self._displaced(compose_all(poses[body[markers]], frame[markers]), rng)
            frame[markers] = compose_all(invert_all(poses[body[markers]]), world)
        first = np.arange(n)
        return t._replace(marker_body=body, marker_frame=frame, marker_a=first, marker_b=first + n)

    def _displaced(self, given: Array, rng: np.random.Generator) -> Array:
        """Frames in the world, (n, 12), mm, displaced together at random."""
        centre, shift = given[:, :3].mean(axis=0), rng.normal(size=3) * self.plan.system.length
        if self.graph.motion == PLANAR:
            normal, half = self.d.axes(self.c)[2], 0.5 * rng.uniform(-np.pi, np.pi)
            turn = np.append(np.cos(half), np.sin(half) * normal)
            shift = shift - (shift @ normal) * normal
        else:
            turn = rng.normal(size=4)
            turn /= np.linalg.norm(turn)
            if self.graph.motion == ABOUT_POINT and self.graph.centre is not None:
                centre, shift = self.graph.centre, np.zeros(3)
        out = given.copy()
        out[:, :3] -= centre
        return compose_all(np.repeat(frames((centre + shift)[None], turn[None]), len(out), 0), out)

    def _joints(self) -> dict[JointKey, Ints]:
        """Markers of each joint: the number of the measure, plus `measures` for the second one."""
        t = self.plan.table
        pairs = self._pairs()
        bars = (SEPARATION, RADIUS) if self.graph.motion == PLANAR else (SEPARATION,)
        found: dict[JointKey, list[int]] = {}
        for e in self.rows.tolist():
            for n in t.term_measure[t.first_term[e] : t.first_term[e + 1]].tolist():
                ends = (int(t.marker_a[n]), int(t.marker_b[n]))
                a, b = (int(t.marker_body[m]) for m in ends)
                bar = int(t.kind[n]) in bars
                for side, marker in enumerate(ends):
                    joint = self._end(marker) if bar else pairs.get((min(a, b), max(a, b)))
                    if joint is None:
                        joint = ("mate", int(self.plan.system.constraint_of_equation[e]))
                    found.setdefault(joint, []).append(n + side * len(t.marker_a))
        return {joint: distinct(np.array(markers)) for joint, markers in found.items()}

    def _pairs(self) -> dict[tuple[int, int], JointKey]:
        """The joint of each two bodies that form a lower pair: their pin, or the pair."""
        out: dict[tuple[int, int], JointKey] = {}
        for place, p in enumerate(self.c.pairs):
            a, b = (int(v) for v in self.plan.bodies.pairs.bodies[p])
            if self.graph.kinds[place] != GENERAL:
                pin = self.graph.pair_pins[place]
                out[min(a, b), max(a, b)] = ("pin", pin) if pin is not None else ("pair", p)
        return out

    def _end(self, marker: int) -> JointKey:
        """The pin of one end of a distance, or the end itself."""
        t = self.plan.table
        n = self.graph.pin_at(int(t.marker_body[marker]), t.marker_frame[marker, :3])
        return ("pin", n) if n is not None else ("end", marker)

"""Joints between two bodies in the plane of a linkage: pins, slides, slots, bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...equations.table import EquationTable
from ...errors import NoLinkage
from ...foundations.geometry.nearest_motion import CYLINDRICAL, FIXED, PLANAR, PRISMATIC, REVOLUTE
from ...foundations.geometry.pose import compose_all
from ...foundations.numerics.distinct import in_both
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from ...model.measures.measure import DISPLACEMENT, RADIUS, SEPARATION
from ...structure.lower_pairs import frame_along
from ...structure.pair_analysis import PairAnalyst
from ...structure.plan import Plan
from ...structure.steps import Component
from .plane import MotionPlane

PIN, SLIDE, SLOT, BAR, RIGID = "pin", "slide", "slot", "bar", "rigid"

CLOSURE = AGREEMENT
"""Residual of a pair where its freedoms are determined, mm, whatever the assembly allows."""

COUPLED = "it ties links in a way that pins, slots and bars cannot tell"


class PlaneJoint(NamedTuple):
    """A joint between two bodies in the plane.

    Attributes:
        kind: PIN, SLIDE, SLOT of the first body with a point of the second, BAR or RIGID.
        bodies: the two; mate: number of the constraint.
        at: mm: the pin, a point on the line of a slide, the point in a slot, the end of a bar on
            the first body; other: its end on the second, or a point on the line of a slot.
        direction: unit, of a slide or a slot.
    """

    kind: str
    bodies: tuple[int, int]
    mate: int
    at: complex = 0.0
    other: complex = 0.0
    direction: complex = 0.0


@dataclass(frozen=True, eq=False)
class PlaneJointReader:
    """Determines the joints of components in the plane.

    Attributes:
        table: equations of the assembly, markers rotated so that rows separate.
        poses: of its bodies, solved, (bodies, 12), mm; plane: of the motion.
    """

    plan: Plan
    table: EquationTable
    poses: Array
    plane: MotionPlane

    def read(self, component: Component) -> Iterator[PlaneJoint]:
        """The joints of a component that moves in the plane.

        Raises:
            NoLinkage: for a mate that pins, slots and bars cannot represent.
        """
        self._check_terms(component)
        for p in component.pairs:
            if component.projection is None:
                yield self._by_kind(p)
            else:
                yield from self._in_plane(p, component)

    def branch_kind(self, p: int) -> str:
        """Kind of a single pair in the plane: PIN, SLIDE, or "" for anything else."""
        pairs = self.plan.bodies.pairs
        direction = self.frame(int(pairs.bodies[p, 0]), pairs.frame_a[p])[9:12]
        kind = int(pairs.kind[p])
        if kind in (REVOLUTE, CYLINDRICAL) and self.plane.along(direction):
            return PIN
        return SLIDE if kind in (PRISMATIC, CYLINDRICAL) and self.plane.contains(direction) else ""

    def frame(self, body: int, own: Array) -> Array:
        """A frame of a body in the world: 12 numbers, mm."""
        out: Array = compose_all(self.poses[body][None], own[None])[0]
        return out

    def _mate_error(self, constraint: int, problem: str) -> NoLinkage:
        system = self.plan.system
        mate = f"mate {system.constraints[constraint]!r} ({system.kinds[constraint]})"
        return NoLinkage(mate, problem)

    # ---------------------------------------------------------------- branches
    def _by_kind(self, p: int) -> PlaneJoint:
        pairs = self.plan.bodies.pairs
        a, b = (int(v) for v in pairs.bodies[p])
        frame = self.frame(a, pairs.frame_a[p])
        mate = int(self.plan.bodies.constraints[p][0])
        at, direction = self.plane.to_plane(frame[:3]), self.plane.to_plane(frame[9:12])
        return PlaneJoint(self.branch_kind(p), (a, b), mate, at, direction=direction)

    # ---------------------------------------------------------------- flat components
    def _check_terms(self, component: Component) -> None:
        system, t = self.plan.system, self.table
        for e in component.rows.tolist():
            if t.first_term[e + 1] - t.first_term[e] > 1:
                raise self._mate_error(int(system.constraint_of_equation[e]), COUPLED)

    def _in_plane(self, p: int, component: Component) -> Iterator[PlaneJoint]:
        """A pair of a planar component by its freedoms in the plane, else row by row."""
        pairs, projection = self.plan.bodies.pairs, component.projection
        assert projection is not None
        rows = pairs.rows[pairs.first_row[p] : pairs.first_row[p + 1]]
        rows = in_both(rows, np.array(projection.plane, np.int64))
        if len(rows) == 0:
            return
        a, b = (int(v) for v in pairs.bodies[p])
        exact = replace(self.plan.system, tolerance=CLOSURE)
        analyst = PairAnalyst(exact, self.plan.bodies, self.table, self.plan.cloud)
        axes = frame_along(self.plane.normal, self.plane.normal)[3:].reshape(3, 3)
        found = analyst.analyse(pairs.bodies[p], rows, self.poses, axes, True)
        kind, frame = int(found.kind[0]), self.frame(a, found.frame_a[0])
        mate = int(self.plan.system.constraint_of_equation[rows[0]])
        at, direction = self.plane.to_plane(frame[:3]), self.plane.to_plane(frame[9:12])
        slots = kind == PRISMATIC and not projection.spins.intersection(rows.tolist())
        if kind in (REVOLUTE, PRISMATIC) and not slots:
            name = PIN if kind == REVOLUTE else SLIDE
            yield PlaneJoint(name, (a, b), mate, at, direction=direction)
        elif kind == FIXED:
            yield PlaneJoint(RIGID, (a, b), mate)
        elif kind != PLANAR:
            yield from (self._by_row(int(e), int(e) in projection.spins) for e in rows)

    def _by_row(self, e: int, spin: bool) -> PlaneJoint:
        """One equation in the plane: a point in a slot, or a distance of two points."""
        t, system = self.table, self.plan.system
        n = int(t.term_measure[t.first_term[e]])
        kind, i = int(t.kind[n]), int(t.axis_i[n])
        constraint = int(system.constraint_of_equation[e])
        ends = (int(t.marker_a[n]), int(t.marker_b[n]))
        a, b = (int(t.marker_body[m]) for m in ends)
        one, two = (self.frame(int(t.marker_body[m]), t.marker_frame[m]) for m in ends)
        at, other = self.plane.to_plane(one[:3]), self.plane.to_plane(two[:3])
        if kind == DISPLACEMENT and not spin:
            across = self.plane.to_plane(one[3 + 3 * i : 6 + 3 * i])
            line = at + across * float(t.target[e] / t.coefficient[t.first_term[e]])
            return PlaneJoint(SLOT, (a, b), constraint, other, line, -1j * across / abs(across))
        if kind in (SEPARATION, RADIUS):
            return PlaneJoint(BAR, (a, b), constraint, at, other)
        problem = "it keeps links at an angle without a joint between them" if spin else COUPLED
        raise self._mate_error(constraint, problem)

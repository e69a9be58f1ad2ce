"""Branches that close on either side: the coordinate whose sign tells both closings apart.

A point held by distances has a mirror image, and an angle without a sign is one either way.  All
other rows between the two bodies are linear there: they hold along a slide, or about an axis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, cos, sin

import numpy as np

from ..equations.table import EquationTable, TwistBasis
from ..foundations.geometry.nearest_motion import CYLINDRICAL, PLANAR, REVOLUTE
from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.linear import pivoted_rank
from ..foundations.numerics.rounding import RANK, ROOT
from ..foundations.types import Array, Ints
from ..model.measures.measure import DISPLACEMENT, INCLINATION, ROTATION, SEPARATION, TILT, TURN
from .body_frames import BodyFrames
from .incidence import jacobian_of
from .lower_pairs import cross
from .one_way import holds_one_way
from .pair_analysis import PairAnalyst
from .plan import Plan
from .steps import Component

LINEAR = (TILT, TURN, DISPLACEMENT, ROTATION)
"""Measures with one root along a slide, and about an axis."""

CURVED = (SEPARATION, INCLINATION)
"""Measures with two."""

AXES = {SEPARATION: (REVOLUTE,), INCLINATION: (REVOLUTE, CYLINDRICAL, PLANAR)}
"""Joints about whose axis one more row of a kind closes either way."""

OnBody = tuple[int, Array]
"""A point or direction in the coordinates of a body."""


@dataclass(frozen=True, eq=False)
class Fold:
    """What changes its sign from one closing of a branch to the other.

    Attributes:
        one, two: arms: the points that each goes to and comes from; along a slide there is one.
        way: the direction of the slide, or of the axis.
        pivot: a point of the axis.
        sure: whether all else between the bodies holds in one way, so that there are two closings.
    """

    one: tuple[OnBody, OnBody]
    two: tuple[OnBody, OnBody] | None
    way: OnBody
    pivot: OnBody | None = None
    sure: bool = False

    def mirror(self, poses: Array, body: int) -> None:
        """Move a body to its other closing."""
        u = self.way[1] @ poses[self.way[0], 3:].reshape(3, 3)
        arm = _world(poses, self.one[0]) - _world(poses, self.one[1])
        if self.two is None or self.pivot is None:
            step = 2.0 * float(arm @ u) * u
            poses[body, :3] += -step if self.one[0][0] == body else step
            return
        other = _world(poses, self.two[0]) - _world(poses, self.two[1])
        across = float(cross(arm, other) @ u)
        angle = 2.0 * atan2(across, float(arm @ other - (arm @ u) * (other @ u)))
        pivot = _world(poses, self.pivot)
        back = angle if self.one[0][0] == body else -angle
        poses[body, :3] = pivot + _turned(poses[body, :3] - pivot, u, back)
        for k in (3, 6, 9):
            poses[body, k : k + 3] = _turned(poses[body, k : k + 3], u, back)


def is_fixed_at(plan: Plan, c: Component, poses: Array) -> bool:
    """Whether the pair of a branch leaves no freedom at some poses: not all are closed before."""
    basis = TwistBasis(np.eye(3), plan.bodies.centre, plan.system.length)
    rows, every = plan.bodies.pairs.rows_of(c.pairs[0]), np.arange(6)
    j = jacobian_of(plan.table, poses, rows, c.bodies, every, basis)
    return pivoted_rank(j, RANK) == len(every)


def fold_of(plan: Plan, c: Component, poses: Array, frames: BodyFrames) -> Fold | None:
    """The fold of a branch without drivers, at poses at which its mates hold; None without one."""
    pairs, p, t = plan.bodies.pairs, c.pairs[0], plan.table
    rows = pairs.rows_of(p)
    if c.loop or len(plan.bodies.drivers[p]):
        return None
    if not may_fold(t, rows):
        return None
    kind, ends = _kinds(t, rows), (c.root, c.bodies[0])
    apart, found = kind == SEPARATION, None
    if apart.any():
        found = _along_slide(c.root, rows[apart], rows[kind == DISPLACEMENT], poses, frames)
    if found is None:
        apart = np.isin(kind, CURVED)
        found = _about_axis(plan, c, rows, poses, frames)
    return found and replace(found, sure=holds_one_way(t, poses, ends, rows[~apart]))


def may_fold(t: EquationTable, rows: Ints) -> bool:
    """Whether some rows between two bodies are of the kinds that close on either side."""
    kind = _kinds(t, rows)
    curved = np.isin(kind, CURVED)
    if not curved.any() or not (curved | np.isin(kind, LINEAR)).all():
        return False
    return bool((np.diff(t.first_term)[rows] == 1).all())


def _kinds(t: EquationTable, rows: Ints) -> Ints:
    """Measure of the first term of some rows."""
    out: Ints = t.kind[t.term_measure[t.first_term[rows]]]
    return out


def _ends(t: EquationTable, row: int) -> tuple[int, int]:
    """The two markers of a row."""
    n = int(t.term_measure[t.first_term[row]])
    return int(t.marker_a[n]), int(t.marker_b[n])


def _along_slide(
    root: int, apart: Ints, planes: Ints, poses: Array, frames: BodyFrames
) -> Fold | None:
    """The fold of a point that distances hold in a plane, along a line or in space.

    Where there is one distance the point is that of the moving body.
    """
    t = frames.plan.table
    ends = [_ends(t, e) for e in apart.tolist()]
    same = frames.plan.system.same_place

    def point(marker: int) -> OnBody:
        return int(t.marker_body[marker]), t.marker_frame[marker, :3]

    for head in sorted(ends[0], key=lambda m: int(t.marker_body[m]) == root):
        body, at = point(head)
        feet = []
        for a, b in ends:
            near, far = (a, b) if int(t.marker_body[a]) == body else (b, a)
            if np.abs(point(near)[1] - at).max() > same:
                break
            feet.append(point(far))
        if len(feet) == len(ends):
            way = _mirrored(t, feet, planes, poses, frames)
            if way is not None:
                return Fold(((body, at), feet[0]), None, way)
    return None


def _mirrored(
    t: EquationTable, feet: list[OnBody], planes: Ints, poses: Array, frames: BodyFrames
) -> OnBody | None:
    """The one direction across all lines between feet and in all planes; None without one."""
    base, turn = feet[0][0], poses[feet[0][0], 3:].reshape(3, 3)
    across = [(foot - feet[0][1]) / frames.plan.system.length for _, foot in feet[1:]]
    normals = []
    for e in planes.tolist():
        n = int(t.term_measure[t.first_term[e]])
        a, i = int(t.marker_a[n]), int(t.axis_i[n])
        way = t.marker_frame[a, 3 + 3 * i : 6 + 3 * i]
        normals.append(turn @ (way @ poses[int(t.marker_body[a]), 3:].reshape(3, 3)))
    held = int(np.linalg.matrix_rank(np.array(normals), tol=ROOT)) if normals else 0
    rows = np.array([*normals, *across]).reshape(-1, 3)
    if len(feet) != 3 - held or not len(rows):
        return None
    _, sizes, right = np.linalg.svd(np.vstack([rows, np.zeros((3, 3))]))
    if sizes[1] <= ROOT or sizes[2] > ROOT:
        return None
    return base, frames.upward(base, right[2])


def _about_axis(
    plan: Plan, c: Component, rows: Ints, poses: Array, frames: BodyFrames
) -> Fold | None:
    """The fold of one distance or one angle about the axis of the joint that the others make."""
    t, child = plan.table, c.bodies[0]
    kind = _kinds(t, rows)
    curved = np.isin(kind, CURVED)
    if curved.sum() != 1 or curved.all():
        return None
    analyst = PairAnalyst(plan.system, plan.bodies, t, plan.cloud, plan.attempts)
    ends = np.array([c.root, child])
    joint = analyst.analyse(ends, rows[~curved], poses, np.eye(3), False)
    if int(joint.kind[0]) not in AXES[int(kind[curved][0])]:
        return None
    frame = joint.frame_a[0]
    world = compose_all(poses[c.root][None], frame[None])[0, :3]
    way = (c.root, frames.upward(c.root, frame[9:12]))
    n = int(t.term_measure[t.first_term[rows[curved][0]]])
    arms = {}
    for marker, axis in ((t.marker_a[n], t.axis_i[n]), (t.marker_b[n], t.axis_j[n])):
        body, f = int(t.marker_body[marker]), t.marker_frame[marker]
        foot = poses[body, 3:].reshape(3, 3) @ (world - poses[body, :3])
        tip = f[:3] if kind[curved][0] == SEPARATION else foot + _axis(f, int(axis))
        arms[body] = (body, tip), (body, foot)
    return Fold(arms[c.root], arms[child], way, (c.root, frame[:3]))


def _axis(frame: Array, k: int) -> Array:
    out: Array = frame[3 + 3 * k : 6 + 3 * k]
    return out


def _world(poses: Array, at: OnBody) -> Array:
    out: Array = poses[at[0], :3] + at[1] @ poses[at[0], 3:].reshape(3, 3)
    return out


def _turned(v: Array, u: Array, angle: float) -> Array:
    """A vector turned about a unit axis."""
    along = float(v @ u) * u
    out: Array = along + cos(angle) * (v - along) + sin(angle) * cross(u, v)
    return out

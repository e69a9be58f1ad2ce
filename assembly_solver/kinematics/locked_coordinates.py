"""Locked coordinates: joint coordinates, or spin angles, that no driver drives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..equations.table import EquationTable, residuals
from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..model.measures.measure import DISPLACEMENT, IS_ANGLE, ROTATION
from ..structure.incidence import bodies_of_each
from ..structure.lower_pairs import frame_along
from ..structure.pairs import Pairs
from ..structure.steps import Component

FREEDOMS: dict[int, tuple[tuple[int, int], ...]] = {
    FIXED: (),
    REVOLUTE: ((ROTATION, 0),),
    PRISMATIC: ((DISPLACEMENT, 2),),
    CYLINDRICAL: ((ROTATION, 0), (DISPLACEMENT, 2)),
    SPHERICAL: (),
    PLANAR: ((DISPLACEMENT, 0), (DISPLACEMENT, 1), (ROTATION, 0)),
}
"""Coordinates of joints, as kind and axis of a measure; none for spherical joints."""

DISPLACEMENTS = tuple((DISPLACEMENT, i) for i in range(3))
"""Coordinates of any other joint."""

LEAST_SHARE = 0.05
"""Least rate of a joint coordinate in a free motion of unit norm for it to be locked."""


class LockedCoordinate(NamedTuple):
    """A joint coordinate that nothing drives and that keeps its value.

    Attributes:
        pair: number of the joint, -1 for the coordinate of a driver; kind, axis: of the measure.
        bodies, frames: of its two markers, frames (12,) in body coordinates, mm.
        driver: name of its released driver, or "".
        value: the value that it keeps, mm or rad; None for that at the poses where it is locked.
        loose: whether no driver can drive it: a spin, or a place in a pair that is no lower pair.
    """

    pair: int
    kind: int
    axis: int
    bodies: tuple[int, int]
    frames: tuple[Array, Array]
    driver: str = ""
    value: float | None = None
    loose: bool = False

    def same(self, other: LockedCoordinate) -> bool:
        """Whether both are one coordinate of one joint or driver, about the same axis."""
        known = (self[:4], self.driver) == (other[:4], other.driver)
        return known and np.array_equal(self.frames, other.frames)


def coordinates(pairs: Pairs, component: Component) -> list[LockedCoordinate]:
    """The joint coordinates of a component that can be locked."""
    out = []
    for p in component.pairs:
        a, b = (int(v) for v in pairs.bodies[p])
        frames = (pairs.frame_a[p], pairs.frame_b[p])
        loose = int(pairs.kind[p]) not in FREEDOMS
        for kind, axis in DISPLACEMENTS if loose else FREEDOMS[int(pairs.kind[p])]:
            out.append(LockedCoordinate(p, kind, axis, (a, b), frames, loose=loose))
    return out


def spin(pairs: Pairs, component: Component, poses: Array, turns: Array) -> LockedCoordinate | None:
    """The angle between the joined bodies with the largest relative rotation in a free motion.

    Args:
        poses: (bodies, 12), relative to the root; turns: (bodies, 3), rotations in the free
            motion, along the axes of the root.

    Returns:
        None where no joined bodies rotate relative to each other.
    """
    ends = pairs.bodies[np.array(component.pairs, np.int64)]
    swing = np.linalg.norm(turns[ends[:, 0]] - turns[ends[:, 1]], axis=1)
    if swing.max(initial=0.0) < AGREEMENT:
        return None
    best = int(np.argmax(np.round(swing / swing.max(), 9)))
    still, spun = sorted(ends[best].tolist(), key=lambda b: float(np.linalg.norm(turns[b])))
    axis = turns[spun] - turns[still]
    return _spin_in(pairs, component, poses, component.pairs[best], spun, axis)


def idle_spins(
    pairs: Pairs, component: Component, t: EquationTable, poses: Array, least: float
) -> list[LockedCoordinate]:
    """The spins of bodies that two balls hold and nothing else, however the others move.

    Args:
        poses: (bodies, 12), relative to the root; least: distance of two balls, mm.
    """
    of_body: dict[int, list[int]] = {}
    for p in component.pairs:
        for body in pairs.bodies[p].tolist():
            of_body.setdefault(body, []).append(p)
    read = Counter(chain.from_iterable(bodies_of_each(t, component.rows.tolist()).values()))
    out = []
    for body in component.bodies:
        own = of_body.get(body, [])
        if [int(pairs.kind[p]) for p in own] != [SPHERICAL, SPHERICAL]:
            continue
        ends = [(pairs.frame_a if pairs.bodies[p, 0] == body else pairs.frame_b)[p] for p in own]
        axis = (ends[1][:3] - ends[0][:3]) @ poses[body, 3:].reshape(3, 3)
        alone = read[body] == sum(len(pairs.rows_of(p)) for p in own)
        if alone and np.linalg.norm(axis) > least:
            out.append(_spin_in(pairs, component, poses, own[0], body, axis))
    return out


def _spin_in(
    pairs: Pairs, component: Component, poses: Array, p: int, spun: int, axis: Array
) -> LockedCoordinate:
    """The angle of a body about an axis, (3,), of the root, against the other one of a pair."""
    still = next(b for b in pairs.bodies[p].tolist() if b != spun)
    axis = axis / np.linalg.norm(axis)
    there, mark = (frame_along(np.zeros(3), axis) for _ in range(2))
    across = _across(pairs, component, poses, still, axis)
    mark[3:6], mark[6:9] = across, np.cross(axis, across)
    own = [
        compose_all(invert_all(poses[b][None]), f[None])[0]
        for b, f in ((spun, there), (still, mark))
    ]
    ends_of, frames = (spun, still), (own[0], own[1])
    return LockedCoordinate(p, ROTATION, 0, ends_of, frames, loose=True)


def _across(pairs: Pairs, component: Component, poses: Array, body: int, axis: Array) -> Array:
    """A direction perpendicular to an axis: from the hinge of the body closest to that."""
    any_way: Array = frame_along(np.zeros(3), axis)[3:6]
    ways = []
    joined = np.array(component.pairs, np.int64)
    for p in joined[np.any(pairs.bodies[joined] == body, axis=1)].tolist():
        for end, frame in ((0, pairs.frame_a[p]), (1, pairs.frame_b[p])):
            if int(pairs.bodies[p, end]) == body and int(pairs.kind[p]) == REVOLUTE:
                way = frame[9:12] @ poses[body, 3:].reshape(3, 3)
                ways.append(way - (way @ axis) * axis)
    if not ways:
        return any_way
    best: Array = max(ways, key=lambda w: round(float(np.linalg.norm(w)), 9))
    size = float(np.linalg.norm(best))
    return best / size if size > LEAST_SHARE else any_way


def with_locked(
    t: EquationTable, holds: Sequence[LockedCoordinate], start: Array, length: float
) -> EquationTable:
    """The table with further equations, which lock coordinates at their values.

    Args:
        start: poses, (bodies, 12), for those without a value; length: characteristic length, mm.
    """
    n, m, q = len(holds), len(t.marker_body), len(t.kind)
    ends = np.array([h.bodies for h in holds], np.int64).reshape(-1, 2)
    frames = np.array([h.frames for h in holds]).reshape(-1, 2, 12)
    kind = np.array([h.kind for h in holds], np.int64)
    out = t._replace(
        marker_body=np.concatenate([t.marker_body, ends[:, 0], ends[:, 1]]),
        marker_frame=np.concatenate([t.marker_frame, frames[:, 0], frames[:, 1]]),
        kind=np.concatenate([t.kind, kind]),
        axis_i=np.concatenate([t.axis_i, np.array([h.axis for h in holds], np.int64)]),
        axis_j=np.concatenate([t.axis_j, np.zeros(n, np.int64)]),
        marker_a=np.concatenate([t.marker_a, m + np.arange(n)]),
        marker_b=np.concatenate([t.marker_b, m + n + np.arange(n)]),
        first_term=np.concatenate([t.first_term, t.first_term[-1] + 1 + np.arange(n)]),
        term_measure=np.concatenate([t.term_measure, q + np.arange(n)]),
        coefficient=np.concatenate([t.coefficient, np.ones(n)]),
        reference=np.concatenate([t.reference, np.zeros(n)]),
        target=np.concatenate([t.target, np.zeros(n)]),
        period=np.concatenate([t.period, np.where(kind == ROTATION, 2 * np.pi, 0.0)]),
        weight=np.concatenate([t.weight, np.where(IS_ANGLE[kind], length, 1.0)]),
    )
    rows = np.arange(len(t.target), len(t.target) + n)
    off = np.empty(n)
    residuals(out, start, rows, off)
    at_start = (off / out.weight[rows]).tolist()
    kept = [x if h.value is None else h.value for h, x in zip(holds, at_start, strict=True)]
    out.target[rows] = kept
    return out

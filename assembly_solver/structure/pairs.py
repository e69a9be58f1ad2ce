"""All mates between two bodies as one pair, with the joint that they amount to.

The pair is closed on its own, one body held, and the null space of its rows there is read as
screws: a hinge is one rotation, a slider one translation, a ball three rotations about a point.
What a null space says holds only at one pose; so the residuals are tried again at finite motions
along the joint, and a pair that fails there is `general`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.nearest import CYLINDRICAL, FIXED, FREE, GENERAL, PLANAR, PRISMATIC, SPHERICAL
from ..jit import compiled
from ..kernel import (
    SOLVED,
    Table,
    copy,
    displace,
    jacobian,
    residuals,
    solve_dense,
    turned,
    world_point,
)
from ..model.measure import compose
from ..numerics.linear import pseudo_inverse
from .lower_pairs import complete, lower_pair, null_basis, turn_basis

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

KIND_NAMES = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "spherical",
    "planar",
    "free",
    "general",
)
"""Names of the kinds in geometry.nearest, by number."""


class Pairs(NamedTuple):
    """Pairs of bodies and what holds between them; one row each.

    `frame_a` and `frame_b` are the joint's frame in the coordinates of a and of b, z its axis;
    `relative` is the pose of b in a where the pair was closed; `gap` the largest residual there.
    """

    bodies: Ints
    first_row: Ints
    """Equations of pair p are rows[first_row[p]] .. rows[first_row[p + 1]]."""
    rows: Ints
    kind: Ints
    rank: Ints
    gap: Array
    frame_a: Array
    frame_b: Array
    relative: Array


@compiled
def invert(pose: Array, out: Array) -> None:
    """The inverse of a rigid motion given by 12 numbers."""
    for r in range(3):
        out[r] = -(
            pose[3 + 3 * r] * pose[0] + pose[4 + 3 * r] * pose[1] + pose[5 + 3 * r] * pose[2]
        )
        for s in range(3):
            out[3 + 3 * s + r] = pose[3 + 3 * r + s]


@compiled
def _is_finite(
    t: Table, poses: Array, b: int, rows: Ints, kind: int, joint: Array, length: float
) -> bool:
    """Whether the rows still hold after finite motions along the joint."""
    if kind in (FIXED, GENERAL, FREE):
        return True
    kept = np.empty(12)
    copy(poses[b], kept)
    f = np.empty(len(rows))
    limit = residuals(t, poses, rows, f) + 1e-8 * length
    axes = np.empty((3, 3))
    for k in range(3):
        for r in range(3):
            axes[k, r] = joint[3 + 3 * k + r]
    origin = np.empty(3)
    back = np.empty(12)
    invert(kept, back)
    world_point(back, joint[:3], origin)
    holds = True
    for trial in range(2):
        s = 1.0 if trial == 0 else -1.7
        step = np.zeros(6)
        if kind != PRISMATIC:
            step[5] = 1.1 * s * length
        if kind in (PRISMATIC, CYLINDRICAL):
            step[2] = 0.4 * s * length
        if kind == SPHERICAL:
            step[3], step[4] = 0.7 * length, -0.9 * s * length
        if kind == PLANAR:
            step[0], step[1] = 0.3 * length, -0.5 * s * length
        displace(poses[b], step, axes, origin, length)
        if residuals(t, poses, rows, f) > limit:
            holds = False
        copy(kept, poses[b])
    return holds


@compiled
def _close(
    t: Table,
    poses: Array,
    b: int,
    rows: Ints,
    slot: Ints,
    axes: Array,
    flat: bool,
    centre: Array,
    length: float,
    tolerance: float,
) -> float:
    """Move body b so that the rows hold; from other orientations where the start does not do.

    Returns the largest residual at the best point found, where the body is left.
    """
    counts = np.zeros(5, np.int64)
    bodies = np.empty(1, np.int64)
    bodies[0] = b
    start, best, old = np.empty(12), np.empty(12), np.empty(12)
    copy(poses[b], start)
    copy(poses[b], best)
    f = np.empty(len(rows))
    least = 1e300
    q = np.empty((3, 3))
    c = np.empty(3)
    world_point(start, centre[b], c)
    for trial in range(11):
        copy(start, poses[b])
        if trial > 0:  # half turns, then quarter turns, about the axes of the body
            k = (trial - 1) % 3
            angle = 3.1 if trial <= 3 else (1.6 if trial <= 6 else -1.6)
            if trial == 10:
                angle = 2.1
            s = 0.02  # a little off, to leave the ridges of symmetry
            if flat:
                angle *= 0.3 * trial
                turned(angle * axes[2, 0], angle * axes[2, 1], angle * axes[2, 2], q)
            else:
                turned(angle * (k == 0) + s, angle * (k == 1) + s, angle * (k == 2) - s, q)
            copy(start, old)
            for n in range(1, 4):
                for r in range(3):
                    poses[b, 3 * n + r] = (
                        q[r, 0] * old[3 * n] + q[r, 1] * old[3 * n + 1] + q[r, 2] * old[3 * n + 2]
                    )
            for r in range(3):
                poses[b, r] = c[r]
                for n in range(3):
                    poses[b, r] -= poses[b, 3 + 3 * n + r] * centre[b, n]
        status = solve_dense(
            t, poses, rows, bodies, slot, axes, centre, length, tolerance, 2.0, 0, counts
        )
        worst = residuals(t, poses, rows, f)
        if worst < least:
            least = worst
            copy(poses[b], best)
        if status == SOLVED:
            break
    copy(best, poses[b])
    return least


@compiled
def analyse_pairs(
    t: Table,
    start: Array,
    p: Pairs,
    which: Ints,
    axes: Array,
    flat: bool,
    centre: Array,
    length: float,
    tolerance: float,
) -> None:
    """Close every pair in `which` on its own and fill its kind, rank, gap and frames.

    With `flat` body b moves in the plane of the first two `axes` only.
    """
    poses = np.empty((len(start), 12))
    slot = np.empty((len(start), 6), np.int64)
    for body in range(len(start)):
        copy(start[body], poses[body])
        for k in range(6):
            slot[body, k] = -1
    extra = 3 if flat else 0
    back = np.empty(12)
    c = np.empty(3)
    for n in which:
        a, b = p.bodies[n, 0], p.bodies[n, 1]
        rows = p.rows[p.first_row[n] : p.first_row[n + 1]]
        for k in range(6):
            slot[b, k] = k
        if flat:
            slot[b, 2], slot[b, 3], slot[b, 4], slot[b, 5] = -1, -1, -1, 2
        p.gap[n] = _close(t, poses, b, rows, slot, axes, flat, centre, length, tolerance)
        j, inverse = np.zeros((len(rows) + extra, 6)), np.empty((6, len(rows) + extra))
        for k in range(6):
            slot[b, k] = k
        jacobian(t, poses, rows, slot, axes, centre, length, j[: len(rows)])
        for k in range(extra):  # the three unknowns that a plane does not have
            for i in range(len(rows)):
                j[i, 2 + k] = 0.0
            j[len(rows) + k, 2 + k] = 1.0
        rank = pseudo_inverse(j, inverse, 1e-9)
        basis = np.empty((6, 6))
        null_basis(j, inverse, rank, basis)
        joint = np.empty(12)
        turn_basis(basis, 6 - rank, axes)
        world_point(poses[b], centre[b], c)
        kind = lower_pair(basis, 6 - rank, c, length, joint)
        complete(joint)
        if not _is_finite(t, poses, b, rows, kind, joint, length):
            kind = GENERAL
        p.kind[n], p.rank[n] = kind, rank - extra
        invert(poses[a], back)
        compose(back, joint, p.frame_a[n])
        compose(back, poses[b], p.relative[n])
        invert(poses[b], back)
        compose(back, joint, p.frame_b[n])
        copy(start[b], poses[b])
        for k in range(6):
            slot[b, k] = -1

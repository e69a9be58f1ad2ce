"""All mates between two bodies as one pair, with the joint that they amount to.

The pair is closed on its own, one body held, and the null space of its rows there is read as
screws: a hinge is one rotation, a slider one translation, a ball three rotations about a point.
What a null space says holds only at one pose; so the residuals are tried again at finite motions
along the joint, and a pair that fails there is `general`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.dense_block import BLOCK_ITERATIONS, solve_dense
from ..equations.table import PLANE, SOLVED, SPACE, Table, displace, jacobian, residuals
from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    FREE,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array, Ints
from .lower_pairs import lower_pair

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


RESTARTS = 10
"""Orientations from which a pair is closed before it is called open."""

PAIR_RANK_CUT = 1e-9
"""Singular value, relative to the largest, below which a row of a pair counts as dependent."""

FINITE = 1e-8
"""Residual, relative to the characteristic length, by which a finite motion may be off."""

TRIALS = {
    REVOLUTE: np.array([0, 0, 0, 0, 0, 1.1]),
    PRISMATIC: np.array([0, 0, 0.4, 0, 0, 0]),
    CYLINDRICAL: np.array([0, 0, 0.4, 0, 0, 1.1]),
    SPHERICAL: np.array([0, 0, 0, 0.7, -0.9, 1.1]),
    PLANAR: np.array([0.3, -0.5, 0, 0, 0, 1.1]),
}
"""Finite motions along the lower pairs, in units of the characteristic length and rad."""


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


def _still_holds(
    t: Table, poses: Array, b: int, rows: Ints, kind: int, joint: Array, length: float
) -> bool:
    """Whether the rows of a pair hold after finite motions along its joint."""
    if kind in (FIXED, GENERAL, FREE):
        return True
    kept, f = poses[b].copy(), np.empty(len(rows))
    limit = residuals(t, poses, rows, f) + FINITE * length
    axes = joint[3:].reshape(3, 3)
    origin = (joint[:3] - kept[:3]) @ kept[3:].reshape(3, 3).T
    worst = 0.0
    for sign in (1.0, -1.7):
        displace(poses[b], sign * length * TRIALS[kind], axes, origin, length)
        worst = max(worst, residuals(t, poses, rows, f))
        poses[b] = kept
    return bool(worst <= limit)


def _polished_twists(
    t: Table,
    poses: Array,
    b: int,
    rows: Ints,
    slot: Ints,
    axes: Array,
    flat: bool,
    centre: Array,
    length: float,
) -> Array:
    """Null vectors of the rows of a closed pair, along the world's axes, as columns.

    The same factors give body b one Newton step to rounding: what a joint's axis is off here
    would grow with every slide along it.
    """
    unknowns = PLANE if flat else SPACE
    f, j = np.empty(len(rows)), np.empty((len(rows), len(unknowns)))
    residuals(t, poses, rows, f)
    jacobian(t, poses, rows, slot, axes, centre, length, j)
    left, sizes, right = np.linalg.svd(j)
    rank = int(np.sum(sizes > PAIR_RANK_CUT * sizes.max(initial=0.0)))
    step = np.zeros(6)
    step[unknowns] = -right[:rank].T @ ((left[:, :rank].T @ f) / sizes[:rank])
    displace(poses[b], step, axes, centre[b], length)
    basis = np.zeros((6, len(unknowns) - rank))
    basis[unknowns] = right[rank:].T
    return np.concatenate([axes.T @ basis[:3], axes.T @ basis[3:]])


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
    counts, f = np.zeros(5, np.int64), np.empty(len(rows))
    bodies = np.array([b])
    start, best, least = poses[b].copy(), poses[b].copy(), np.inf
    for trial in range(RESTARTS):
        if trial > 0:
            poses[b] = start
            step, own = _turn_away(trial, start, axes, flat)
            displace(poses[b], length * step, own, centre[b], length)
        status = solve_dense(
            t,
            poses,
            rows,
            bodies,
            slot,
            axes,
            centre,
            length,
            tolerance,
            2.0,
            0,
            BLOCK_ITERATIONS,
            counts,
        )
        worst = residuals(t, poses, rows, f)
        if worst < least:
            least, best = worst, poses[b].copy()
        if status == SOLVED:
            break
    poses[b] = best
    return float(least)


def _turn_away(trial: int, pose: Array, axes: Array, flat: bool) -> tuple[Array, Array]:
    """Another orientation to start from: about the normal in a plane, else about own axes.

    First half turns, then quarter turns either way; a little off, to leave the ridges of symmetry.
    Returns the step (six unknowns, the turns in rad) and the directions that it is told in.
    """
    if flat:
        return np.array([0, 0, 0, 0, 0, 0.9 * trial]), axes
    step = np.array([0, 0, 0, 0.02, 0.02, 0.02])
    step[3 + (trial - 1) % 3] += (3.1, 1.6, -1.6)[(trial - 1) // 3]
    return step, pose[3:].reshape(3, 3).copy()


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
    poses, slot = start.copy(), np.full((len(start), 6), -1, np.int64)
    unknowns = PLANE if flat else SPACE
    for n in which.tolist():
        a, b = p.bodies[n].tolist()
        rows = p.rows[p.first_row[n] : p.first_row[n + 1]]
        slot[b, unknowns] = np.arange(len(unknowns))
        p.gap[n] = _close(t, poses, b, rows, slot, axes, flat, centre, length, tolerance)
        basis = _polished_twists(t, poses, b, rows, slot, axes, flat, centre, length)
        middle = poses[b, :3] + centre[b] @ poses[b, 3:].reshape(3, 3)
        kind, joint = lower_pair(basis, middle, length)
        if not _still_holds(t, poses, b, rows, kind, joint, length):
            kind = GENERAL
        p.kind[n], p.rank[n] = kind, len(unknowns) - basis.shape[1]
        back = invert_all(poses[[a, b]])
        seen = compose_all(back[[0, 1, 0]], np.stack([joint, joint, poses[b]]))
        p.frame_a[n], p.frame_b[n], p.relative[n] = seen
        poses[b] = start[b]
        slot[b] = -1

"""All mates between two bodies as one pair, with the joint that they amount to.

A pair is closed on its own: one body is fixed and the other moves.  The null space of its rows
there is read as screws: a hinge is one rotation, a slider one translation, a ball three rotations
about a point.  A null space is valid at one pose only, so the residuals are checked again after
finite motions along the joint; a pair that fails there is `general`.

Source: docs/theory/decomposition.md, 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..equations.dense_block import (
    BLOCK_ITERATIONS,
    NEAR_CUT,
    DenseBlock,
    NewtonSettings,
    solve_dense,
)
from ..equations.table import (
    EXHAUSTED,
    PLANE,
    SOLVED,
    EquationTable,
    TwistBasis,
    displace,
    jacobian,
    residuals,
)
from ..foundations.geometry.nearest_motion import FIXED, GENERAL
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.rounding import RANK, ROOT
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from .lower_pairs import TRIAL_MOTIONS, lower_pair

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
"""Names of the kinds in `foundations.geometry.nearest_motion`, by number."""

ATTEMPTS = 10
"""Orientations from which closing a pair is tried before it counts as open."""

FEW = 10
"""Iterations that have to leave less than `SLOW` of the residual for as many more to be tried."""

SLOW = 0.5
"""Share of a residual; at a dead point, where convergence is linear, a step leaves a quarter."""


class Pairs(NamedTuple):
    """Pairs of bodies and the joint between them; one row each.

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

    @classmethod
    def unanalysed(cls, bodies: Ints, first_row: Ints, rows: Ints) -> Pairs:
        """Pairs whose analysis is still to be filled in."""
        n = len(bodies)
        kind, rank = np.zeros(n, np.int64), np.zeros(n, np.int64)
        frames = (np.zeros((n, 12)) for _ in range(3))
        return cls(bodies, first_row, rows, kind, rank, np.zeros(n), *frames)

    def rows_of(self, p: int) -> Ints:
        """Equations of pair p."""
        return self.rows[self.first_row[p] : self.first_row[p + 1]]

    def some(self, which: Ints) -> Pairs:
        """Some of the pairs, not yet analysed."""
        count = np.diff(self.first_row)[which]
        rows = [self.rows_of(p) for p in which.tolist()]
        first = np.cumsum([0, *count.tolist()], dtype=np.int64)
        return Pairs.unanalysed(self.bodies[which], first, np.concatenate(rows))

    def results(self) -> tuple[Ints | Array, ...]:
        """The arrays that an analysis fills."""
        return self.kind, self.rank, self.gap, self.frame_a, self.frame_b, self.relative


class PairSetting(NamedTuple):
    """What the analyses of several pairs share; the tolerance is that of convergence, mm.

    The unknowns are SPACE, or PLANE where bodies move in the plane of the first two axes only; a
    pair holds where its residual is at most `accept`, mm.  It is closed from so many orientations,
    from the first alone where it is hopeless then: no start is known from which it holds.
    """

    table: EquationTable
    unknowns: Ints
    basis: TwistBasis
    tolerance: float
    accept: float
    attempts: int = ATTEMPTS
    hopeless: Callable[[], bool] | None = None


def _still_holds(g: PairSetting, poses: Array, block: DenseBlock, kind: int, joint: Array) -> bool:
    """Whether the rows of a pair hold after finite motions along its joint."""
    if kind not in TRIAL_MOTIONS:
        return True
    b, f = int(block.bodies[0]), np.empty(len(block.rows))
    pose = poses[b].copy()
    limit = NEAR_CUT * residuals(g.table, poses, block.rows, f) + ROOT * g.basis.length
    axes = joint[3:].reshape(3, 3)
    origin = (joint[:3] - pose[:3]) @ pose[3:].reshape(3, 3).T
    worst = 0.0
    for sign in (1.0, -1.7):
        displace(
            poses[b], sign * g.basis.length * TRIAL_MOTIONS[kind], axes, origin, g.basis.length
        )
        worst = max(worst, residuals(g.table, poses, block.rows, f))
        poses[b] = pose
    return bool(worst <= limit)


def _polished_twists(g: PairSetting, poses: Array, block: DenseBlock) -> tuple[Array, bool]:
    """Null vectors of the rows of a closed pair, along the world's axes, as columns.

    Also whether the rank is the same for all features within the tolerance.  The same factors give
    the moving body one Newton step to rounding: an error of the joint's axis would grow with every
    slide along it.
    """
    b, m, n = int(block.bodies[0]), len(block.rows), len(g.unknowns)
    f, j = np.empty(m), np.empty((m, n))
    for _ in range(2):
        off = residuals(g.table, poses, block.rows, f)
        jacobian(g.table, poses, block.rows, block.slot, g.basis, j)
        left, sizes, right = np.linalg.svd(j)
        cut = max(RANK, NEAR_CUT * off / g.basis.length)
        rank = int(np.sum(sizes > cut * sizes.max(initial=0.0)))
        step = np.zeros(6)
        step[g.unknowns] = -right[:rank].T @ ((left[:, :rank].T @ f) / sizes[:rank])
        displace(poses[b], step, g.basis.axes, g.basis.centre[b], g.basis.length)
        if np.abs(step).max() <= RANK * g.basis.length:  # else the axis is off as much
            break
    null = np.zeros((6, n - rank))
    null[g.unknowns] = right[rank:].T
    noise = NEAR_CUT * g.accept / g.basis.length * sizes.max(initial=0.0)
    clear = rank == 0 or bool(sizes[rank - 1] > noise)
    return np.concatenate([g.basis.axes.T @ null[:3], g.basis.axes.T @ null[3:]]), clear


def _close(g: PairSetting, poses: Array, block: DenseBlock) -> float:
    """Move a body so that the rows hold; from other orientations where its start does not do.

    Returns the largest residual at the best point found, where the body is left.
    """
    b = int(block.bodies[0])
    counts, f = np.zeros(5, np.int64), np.empty(len(block.rows))
    start, best, least = poses[b].copy(), poses[b].copy(), np.inf
    settings = NewtonSettings(g.tolerance, 2.0, 0, FEW, g.accept)
    for trial in range(g.attempts):
        if trial == 1 and g.hopeless is not None and g.hopeless():
            break
        if trial > 0:
            poses[b] = start
            step, axes = _other_orientation(g, trial, start)
            displace(poses[b], g.basis.length * step, axes, g.basis.centre[b], g.basis.length)
        before = residuals(g.table, poses, block.rows, f)
        for _ in range(BLOCK_ITERATIONS // FEW):
            status = solve_dense(g.table, poses, block, settings, counts)
            worst = residuals(g.table, poses, block.rows, f)
            if status != EXHAUSTED or worst > SLOW * before:
                break
            before = worst
        if worst < least:
            least, best = worst, poses[b].copy()
        if status == SOLVED:
            break
    poses[b] = best
    return float(least)


def _other_orientation(g: PairSetting, trial: int, pose: Array) -> tuple[Array, Array]:
    """Another orientation to start from: about the normal in a plane, else about the body's axes.

    First half turns, then quarter turns either way; a little off, to leave the ridges of symmetry.
    Returns the step (six unknowns, the turns in rad) and the directions that it refers to.
    """
    if len(g.unknowns) == len(PLANE):
        return np.array([0, 0, 0, 0, 0, 0.9 * trial]), g.basis.axes
    step = np.array([0, 0, 0, 0.02, 0.02, 0.02])
    step[3 + (trial - 1) % 3] += (3.1, 1.6, -1.6)[(trial - 1) // 3]
    return step, pose[3:].reshape(3, 3).copy()


def analyse_pairs(
    g: PairSetting, start: Array, p: Pairs, which: Ints, watch: Watch | None = None
) -> None:
    """Close every pair in `which` on its own, b moving, and fill its kind, rank, gap and frames.

    Raises:
        Stopped: the watch interrupted it.
    """
    watch = watch or Watch()
    poses, slot = start.copy(), np.full((len(start), 6), -1, np.int64)
    joints, closed = np.empty((len(which), 12)), np.empty((len(which), 12))
    for k, n in enumerate(which.tolist()):
        watch.check()
        b = int(p.bodies[n, 1])
        slot[b, g.unknowns] = np.arange(len(g.unknowns))
        block = DenseBlock(p.rows_of(n), np.array([b]), slot, g.basis)
        p.gap[n] = _close(g, poses, block)
        basis, clear = _polished_twists(g, poses, block)
        middle = poses[b, :3] + g.basis.centre[b] @ poses[b, 3:].reshape(3, 3)
        kind, joint = lower_pair(basis, middle, g.basis.length)
        holds = p.gap[n] <= g.accept and _still_holds(g, poses, block, kind, joint)
        if not holds or (kind == FIXED and not clear):  # else noise alone would hold it
            kind = GENERAL
        p.kind[n], p.rank[n] = kind, len(g.unknowns) - basis.shape[1]
        joints[k], closed[k] = joint, poses[b]
        poses[b] = start[b]
        slot[b] = -1
    on_a = invert_all(start[p.bodies[which, 0]])
    p.frame_a[which], p.frame_b[which] = (
        compose_all(x, joints) for x in (on_a, invert_all(closed))
    )
    p.relative[which] = compose_all(on_a, closed)

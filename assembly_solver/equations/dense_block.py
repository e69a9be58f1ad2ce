"""Solution of one dense block: Newton's method with a Broyden-updated pseudo-inverse.

Source: Ding and others, equations (5) to (16) and (22) to (25); docs/theory/updates.md, 5 and 6.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.numerics.broyden import ENOUGH, HALVE, REJECT, UPDATE, judge, update_inverse
from ..foundations.numerics.linear import pseudo_inverse
from ..foundations.numerics.rounding import EPSILON, RANK
from ..foundations.types import Array, Ints
from .table import (
    EXHAUSTED,
    INVERSES,
    ITERATIONS,
    SINGULAR,
    SOLVED,
    STALLED,
    UPDATES,
    EquationTable,
    TwistBasis,
    copy,
    jacobian,
    move,
    norm,
    residuals,
)

RANK_CUT = RANK / 8.0
"""Pivot, relative to the largest, below which a row of a block counts as dependent: less than
`RANK`, for rows are dependent at a solution only."""

NEAR = 100.0
"""Residual, in tolerances, below which an iteration counts as near a solution."""

NEAR_CUT = 4.0
"""Rank cut near a solution, in tolerances over the characteristic length: see `OFF_SHARE`."""

STATIONARY = 64.0 * EPSILON
"""Relative decrease of the squared residual below rounding: the residual is a local minimum."""

BLOCK_ITERATIONS = 60
"""Iterations after which a block counts as unsolved."""

BRIEF = 4
"""Iterations after which a search for poses that meet rows better is given up if it went far."""

SLICE = 20
"""Iterations after which an exact inverse is computed in any case, so that a dense block can be
interrupted there and continued with the same result."""


class DenseBlock(NamedTuple):
    """Equations that are solved together, and their unknowns.

    Attributes:
        rows: the equations; bodies: those that move.
        slot: columns of the unknowns, shape (all bodies, 6), -1 where fixed; basis: their meaning.
    """

    rows: Ints
    bodies: Ints
    slot: Ints
    basis: TwistBasis


class NewtonSettings(NamedTuple):
    """When the iteration of a dense block updates, and when it ends.

    Attributes:
        tolerance: largest residual that counts as zero, mm.
        eta: least reduction for which the inverse is updated; above 1 it never is (classical).
        target_rank: rank below which the block is SINGULAR.
        iterations: after which the block is EXHAUSTED.
        accept: residual with which rows hold where they cannot be met better, mm; 0: none.
    """

    tolerance: float
    eta: float
    target_rank: int
    iterations: int
    accept: float


@borrowing
def columns_of(block: DenseBlock) -> int:
    """Number of unknowns."""
    n = 0
    for body in block.bodies:
        for k in range(6):
            n += block.slot[body, k] >= 0
    return n


@borrowing
def full_step(inverse: Array, f: Array, step: Array) -> None:
    """The Newton step -H f, with H the inverse: Ding and others, equation (8)."""
    for i in range(len(step)):
        total = 0.0
        for r in range(len(f)):
            total -= inverse[i, r] * f[r]
        step[i] = total


@borrowing
def predicted_reduction(j: Array, step: Array) -> float:
    """Decrease of the squared residual that the linear model predicts for an exact full step."""
    total = 0.0
    for r in range(len(j)):
        change = 0.0
        for i in range(len(step)):
            change += j[r, i] * step[i]
        total += change * change
    return total


@compiled
def _shorter_step(
    t: EquationTable,
    poses: Array,
    block: DenseBlock,
    step: Array,
    before: float,
    moved: Array,
    trial: Array,
) -> float:
    """Halve a step of an exact inverse until the residual norm falls; returns the norm there.

    `moved` and `trial` are overwritten: the poses and the residuals at the shorter step.
    """
    factor, after = 0.5, before
    for _ in range(30):
        move(poses, block.bodies, block.slot, step, factor, block.basis, moved)
        residuals(t, moved, block.rows, trial)
        after = norm(trial)
        if after < (1.0 - ENOUGH * factor) * before:
            break
        factor *= 0.5
    return after


@borrowing
def _accept(bodies: Ints, moved: Array, trial: Array, poses: Array, f: Array) -> None:
    """Make a trial point the current one."""
    for body in bodies:
        copy(moved[body], poses[body])
    copy(trial, f)


@apart
@compiled
def solve_dense(
    t: EquationTable, poses: Array, block: DenseBlock, settings: NewtonSettings, counts: Ints
) -> int:
    """Solve one block by Newton's method with a guarded Broyden-updated pseudo-inverse.

    Near a solution rows count as dependent that are so within the tolerance: where features are a
    little off, an iteration that trusts such rows goes far for the sake of a small residual.

    `poses`, (bodies, 12), are overwritten with the best point found; INVERSES, UPDATES and
    ITERATIONS in `counts` are increased.  Returns SOLVED (also where the rows hold within `accept`
    and no point nearby meets them better), STALLED (no step reduces the residual), SINGULAR or
    EXHAUSTED.

    Source: docs/theory/updates.md, 6. The driver; docs/theory/nominal.md.
    """
    accept, cut = settings.accept, NEAR_CUT * settings.accept / block.basis.length
    if cut <= RANK_CUT:
        return _iterate(t, poses, block, settings, RANK_CUT, counts)
    f = np.empty(len(block.rows))
    if residuals(t, poses, block.rows, f) > NEAR * accept:
        approach = NewtonSettings(
            NEAR * accept, settings.eta, settings.target_rank, settings.iterations, accept
        )
        status = _iterate(t, poses, block, approach, RANK_CUT, counts)
        if status != SOLVED:
            return status
    near = NewtonSettings(settings.tolerance, settings.eta, 0, settings.iterations, accept)
    if _iterate(t, poses, block, near, cut, counts) == SOLVED:
        return SOLVED
    trial = poses.copy()
    if residuals(t, poses, block.rows, f) <= accept:
        if not _meets_better(t, poses, trial, block, settings, counts):
            return SOLVED
        status = SOLVED
    else:
        status = _iterate(t, trial, block, settings, RANK_CUT, counts)
    for body in block.bodies:
        copy(trial[body], poses[body])
    return status


@compiled
def _meets_better(
    t: EquationTable,
    poses: Array,
    trial: Array,
    block: DenseBlock,
    settings: NewtonSettings,
    counts: Ints,
) -> bool:
    """Whether all rows, within `accept` at `poses`, are met near them: at `trial`, overwritten.

    Given up as soon as it is far away or slow: it then follows what is off in the features.  At a
    dead point, where convergence is linear, a step leaves a quarter of the residual.
    """
    brief = NewtonSettings(settings.tolerance, settings.eta, 0, BRIEF, settings.accept)
    f = np.empty(len(block.rows))
    before = residuals(t, trial, block.rows, f)
    for _ in range(settings.iterations // BRIEF):
        status = _iterate(t, trial, block, brief, RANK_CUT, counts)
        if not is_near(poses, trial, block, settings.accept):
            return False
        if status != EXHAUSTED:
            return status == SOLVED
        after = residuals(t, trial, block.rows, f)
        if after > 0.5 * before:
            return False
        before = after
    return False


@borrowing
def is_near(poses: Array, others: Array, block: DenseBlock, accept: float) -> bool:
    """Whether bodies moved little: by what a residual of `accept` means at a dead point."""
    length = block.basis.length
    total = 0.0
    for body in block.bodies:
        for k in range(12):
            d = (others[body, k] - poses[body, k]) * (1.0 if k < 3 else length)
            total = max(total, abs(d))
    return total <= sqrt(accept * length)


@apart
@compiled
# Long: one loop; every step of it reads and writes most of the arrays.
def _iterate(
    t: EquationTable,
    poses: Array,
    block: DenseBlock,
    settings: NewtonSettings,
    cut: float,
    counts: Ints,
) -> int:
    """The iteration of `solve_dense` with one rank cut."""
    tolerance = settings.tolerance
    rows, bodies, slot = block.rows, block.bodies, block.slot
    m, n = len(rows), columns_of(block)
    f, trial, change = np.empty(m), np.empty(m), np.empty(m)
    if residuals(t, poses, rows, f) <= tolerance:
        return SOLVED
    j, inverse = np.empty((m, n)), np.empty((n, m))
    step, work, moved = np.empty(n), np.empty((2, max(m, n))), poses.copy()
    before, fresh, exact = norm(f), False, True
    for k in range(settings.iterations):
        counts[ITERATIONS] += 1
        if exact or k % SLICE == 0:
            jacobian(t, poses, rows, slot, block.basis, j)
            counts[INVERSES] += 1
            if pseudo_inverse(j, inverse, cut) < settings.target_rank:
                return SINGULAR
            fresh = True
        full_step(inverse, f, step)
        move(poses, bodies, slot, step, 1.0, block.basis, moved)
        worst = residuals(t, moved, rows, trial)
        after = norm(trial)
        if worst <= tolerance:
            _accept(bodies, moved, trial, poses, f)
            return SOLVED
        verdict = judge(before, after, settings.eta, fresh)
        if verdict == HALVE:
            if predicted_reduction(j, step) <= ENOUGH * before * before:
                return STALLED  # no shorter step can reduce the residual enough
            after = _shorter_step(t, poses, block, step, before, moved, trial)
            if not after < before:
                return STALLED
        exact = True
        if verdict == UPDATE:
            for r in range(m):
                change[r] = trial[r] - f[r]
            if update_inverse(inverse, step, change, work) > 0.0:
                counts[UPDATES] += 1
                fresh = exact = False
        if verdict != REJECT:
            _accept(bodies, moved, trial, poses, f)
            before = after
    return EXHAUSTED

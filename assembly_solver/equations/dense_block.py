"""One dense block: Newton with a Broyden-updated pseudo-inverse."""

from __future__ import annotations

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.numerics.broyden import HALVE, REJECT, UPDATE, judge, update_inverse
from ..foundations.numerics.linear import pseudo_inverse
from ..foundations.types import Array, Ints
from .table import (
    EXHAUSTED,
    INVERSES,
    ITERATIONS,
    SINGULAR,
    SOLVED,
    STALLED,
    UPDATES,
    Table,
    copy,
    jacobian,
    move,
    norm,
    residuals,
)

RANK_CUT = 1e-10
"""Pivot, relative to the largest, below which a row of a block counts as dependent."""


STATIONARY = 1e-14
"""Relative fall of the squared residual that rounding hides: a least residual that is not zero."""


BLOCK_ITERATIONS = 60
"""Iterations after which a block is given up."""


SLICE = 20
"""Iterations after which a dense block takes an exact inverse anyhow: it may be left there and
entered again on the same way."""


@borrowing
def _columns_of(bodies: Ints, slot: Ints) -> int:
    """How many unknowns some bodies have."""
    n = 0
    for body in bodies:
        for k in range(6):
            if slot[body, k] >= 0:
                n += 1
    return n


@borrowing
def _full_step(inverse: Array, f: Array, step: Array) -> None:
    """delta = -H f, equation (8)."""
    for i in range(len(step)):
        total = 0.0
        for r in range(len(f)):
            total -= inverse[i, r] * f[r]
        step[i] = total


@borrowing
def promised(j: Array, step: Array) -> float:
    """By how much the squared residual would fall with an exact full step, were it linear."""
    total = 0.0
    for r in range(len(j)):
        change = 0.0
        for i in range(len(step)):
            change += j[r, i] * step[i]
        total += change * change
    return total


@compiled
def _shorter_step(
    t: Table,
    poses: Array,
    rows: Ints,
    bodies: Ints,
    slot: Ints,
    axes: Array,
    centre: Array,
    length: float,
    step: Array,
    before: float,
    moved: Array,
    trial: Array,
) -> float:
    """Halve a step of an exact inverse until it leads downhill; the residual norm there.

    `moved` and `trial` are written: the poses and the residuals at the shorter step.
    """
    factor = 0.5
    after = before
    for _ in range(30):
        move(poses, bodies, slot, step, factor, axes, centre, length, moved)
        residuals(t, moved, rows, trial)
        after = norm(trial)
        if after < (1.0 - 1e-4 * factor) * before:
            break
        factor *= 0.5
    return after


@borrowing
def _take(bodies: Ints, moved: Array, trial: Array, poses: Array, f: Array) -> None:
    """Go to a trial point."""
    for body in bodies:
        copy(moved[body], poses[body])
    copy(trial, f)


@apart
@compiled
def solve_dense(
    t: Table,
    poses: Array,
    rows: Ints,
    bodies: Ints,
    slot: Ints,
    axes: Array,
    centre: Array,
    length: float,
    tolerance: float,
    eta: float,
    target_rank: int,
    iterations: int,
    counts: Ints,
) -> int:
    """Solve one block: Newton with a Broyden-updated pseudo-inverse under its guard.

    Args:
        poses: (bodies, 12), the start; overwritten with the best point found.
        rows, bodies, slot: equations, the bodies that move, and their columns.
        tolerance: largest residual that counts as zero, mm.
        eta: least reduction for which the inverse is updated; above 1 it never is (classical).
        target_rank: rank below which the point is singular and SINGULAR is returned.
        iterations: after which EXHAUSTED is returned.
        counts: INVERSES, UPDATES and ITERATIONS are increased.

    Returns:
        SOLVED, STALLED (no downhill step), SINGULAR or EXHAUSTED.
    """
    m, n = len(rows), _columns_of(bodies, slot)
    f, trial, change = np.empty(m), np.empty(m), np.empty(m)
    if residuals(t, poses, rows, f) <= tolerance:
        return SOLVED
    j, inverse = np.empty((m, n)), np.empty((n, m))
    step, work, moved = np.empty(n), np.empty((2, max(m, n))), np.empty((len(poses), 12))
    for body in range(len(poses)):
        copy(poses[body], moved[body])
    before, fresh, exact = norm(f), False, True
    for k in range(iterations):
        counts[ITERATIONS] += 1
        if exact or k % SLICE == 0:
            jacobian(t, poses, rows, slot, axes, centre, length, j)
            counts[INVERSES] += 1
            if pseudo_inverse(j, inverse, RANK_CUT) < target_rank:
                return SINGULAR
            fresh = True
        _full_step(inverse, f, step)
        move(poses, bodies, slot, step, 1.0, axes, centre, length, moved)
        worst = residuals(t, moved, rows, trial)
        after = norm(trial)
        if worst <= tolerance:
            _take(bodies, moved, trial, poses, f)
            return SOLVED
        verdict = judge(before, after, eta, fresh)
        if verdict == HALVE:
            if promised(j, step) <= STATIONARY * before * before:
                return STALLED
            after = _shorter_step(
                t, poses, rows, bodies, slot, axes, centre, length, step, before, moved, trial
            )
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
            _take(bodies, moved, trial, poses, f)
            before = after
    return EXHAUSTED

"""Rank-one (Broyden) update of an inverse Jacobian, and the guard that decides when it is used.

Source: the approximate Jacobian update of Ding and others, equations (10), (13), (16), (22) to
(25), docs/theory/updates.md, 2 and 5; the choice of alpha is Powell's (Harwell report AERE-R.5947,
routine NS01A), the measure of reduction is that of MINPACK's `hybrj`.
"""

from __future__ import annotations

from ..jit.decorators import borrowing
from ..jit.lists import on_lists
from ..types import Array

UPDATE = 0
"""Take the step and update the inverse."""
RECOMPUTE = 1
"""Take the step, which reduces the residual too little, and recompute the inverse there."""
REJECT = 2
"""Keep the point and recompute the inverse there: an updated inverse raised the residual."""
HALVE = 3
"""An exact inverse raised the residual: halve the step."""

ENOUGH = 1e-4
"""A setting: least decrease of the residual, relative to that of a halved step's linear model."""

ETA = 0.1
"""Least reduction of the squared residual for which the update is used, `eta` of (25)."""


@on_lists(0)
def update_inverse(inverse: Array, step: Array, change: Array, work: Array) -> float:
    """Update an inverse in place by one observed step, equation (13); returns alpha of (16).

    alpha is 1, or 0.8 where 1 would make the updated matrix nearly singular: so the determinant
    never falls below a tenth.  Where the update is undefined even then (a zero step, or an invalid
    inverse) nothing is changed and 0 is returned.

    Args:
        inverse: H, shape (n, m) or larger, changed in place.
        step, change: delta (n,) and gamma (m,), of the unknowns and of the residuals.
        work: scratch, shape (2, max(m, n)) or larger.
    """
    n, m = len(step), len(change)
    miss, pull = work[0], work[1]  # delta - H gamma, and delta^T H
    for j in range(m):
        pull[j] = 0.0
    along = 0.0  # delta^T H gamma
    square = 0.0  # delta^T delta
    for i in range(n):
        d, row = step[i], inverse[i]
        reached = 0.0
        for j in range(m):
            reached += row[j] * change[j]
            pull[j] += d * row[j]
        miss[i] = d - reached
        along += d * reached
        square += d * d
    alpha = 0.8 if abs(along) < 0.1 * square else 1.0
    sigma = alpha * along + (1.0 - alpha) * square
    if not abs(sigma) > 0.0:  # also where it is NaN
        return 0.0
    for i in range(n):
        factor, row = alpha * miss[i] / sigma, inverse[i]
        for j in range(m):
            row[j] += factor * pull[j]
    return alpha


@borrowing
def actual_reduction(before: float, after: float) -> float:
    """Relative reduction of the squared residual norm, equation (24); -1 where there is none."""
    if not after < before:
        return -1.0
    left = after / before
    return 1.0 - left * left


@borrowing
def judge(before: float, after: float, eta: float, fresh: bool) -> int:
    """Action after a trial step: UPDATE, RECOMPUTE, REJECT or HALVE.

    Args:
        before, after: residual norms, equations (22) and (23); NaN counts as larger.
        eta: least reduction for which the update is used, equation (25).
        fresh: whether the inverse was computed at this point, not updated.
    """
    if actual_reduction(before, after) >= eta:
        return UPDATE
    if after < before:
        return RECOMPUTE
    return HALVE if fresh else REJECT

"""Damped steps toward a solution of a group's equations, compiled; interpreted from many starts.

Source: Marquardt, J. SIAM 11 (1963) 431.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ...foundations.jit.decorators import borrowing, borrowing_in_form
from ...foundations.numerics.cholesky import cholesky, solve_cholesky
from ...foundations.types import Array, Ints
from .gradients import jacobian, residuals
from .groups_at_once import EquationsAtOnce, Points, damped_steps, move_at_once


class Damping(NamedTuple):
    """How steps are damped, as a part of the squares of a matrix whose rows have unit length.

    Attributes:
        first: the damping of the first step; least, most: its bounds, beyond `most` a descent ends.
        rise: its factor after a step that is not taken; after others it falls to a tenth.
        iterations: steps at most.
    """

    first: float
    least: float
    most: float
    rise: float
    iterations: int


class DescentArrays(NamedTuple):
    """Scratch for n equations: two (n, n) matrices and three (n,) vectors."""

    J: Array
    normal: Array
    f: Array
    trial: Array
    step: Array


def descend_at_once(
    equations: EquationsAtOnce, at: Points, values: Array, tolerance: float, d: Damping
) -> Array:
    """`descend` in many states, whose points, (states, members), mm, are overwritten.

    Args:
        values: (states or 1, actuators, 3).

    Returns:
        The largest residual of each, mm.
    """
    with np.errstate(all="ignore"):
        f, J = equations(at, values)
        worst: Array = np.abs(f).max(axis=1)
        damping, going = np.full(len(at), d.first), np.arange(len(at))
        for _ in range(d.iterations):
            going = going[~(worst[going] <= tolerance) & (damping[going] <= d.most)]
            if len(going) == 0:
                break
            step, moved = damped_steps(J[going], f[going], damping[going]), at[going]
            move_at_once(moved, step)
            trial, gradients = equations(moved, values if len(values) == 1 else values[going])
            better = np.sum(trial**2, axis=1) < np.sum(f[going] ** 2, axis=1)
            taken = going[better]
            at[taken], f[taken], J[taken] = moved[better], trial[better], gradients[better]
            worst[taken] = np.abs(trial[better]).max(axis=1)
            damping[taken] = np.maximum(0.1 * damping[taken], d.least)
            damping[going[~better]] *= d.rise
            going = going[np.isfinite(step).all(axis=1)]
    return worst


def _descend_alone(
    equations: Ints,
    given: Array,
    at: Array,
    values: Array,
    tolerance: float,
    d: Damping,
    work: DescentArrays,
) -> float:
    """`descend` where interpreted."""
    points = np.ascontiguousarray(at).view(complex).T.copy()
    alone = EquationsAtOnce(equations, given)
    (worst,) = descend_at_once(alone, points, values[None], tolerance, d).tolist()
    at[:] = points.T.copy().view(float)
    return float(worst)


@partial(borrowing_in_form, interpreted=_descend_alone)
def descend(
    equations: Ints,
    given: Array,
    at: Array,
    values: Array,
    tolerance: float,
    d: Damping,
    work: DescentArrays,
) -> float:
    """Move the unknown points by damped steps until the largest residual is within a tolerance, mm.

    That residual is returned; where it is larger or NaN there is no solution near.

    Args:
        at: (members, 2), mm, unknown points first, overwritten; values: (actuators, 3).
    """
    n, damping = len(equations), d.first
    J, normal, f, trial, step = work
    worst = residuals(equations, given, at, values, f)
    for _ in range(d.iterations):
        if worst <= tolerance or damping > d.most:
            break
        jacobian(equations, given, at, values, J)
        if not damped_step(J, f, damping, normal, step):
            break
        move(at, step, n, -1.0)
        found = residuals(equations, given, at, values, trial)
        if accept_smaller(f, trial, n):
            worst, damping = found, max(0.1 * damping, d.least)
        else:
            damping *= d.rise
            move(at, step, n, 1.0)
    return worst


@borrowing
def damped_step(J: Array, f: Array, damping: float, normal: Array, step: Array) -> bool:
    """Write (J^T J + damping I)^-1 J^T f to `step`; False where the matrix is not regular.

    Args:
        J, f: read as far as `normal`, (n, n), is wide; rows of J are of about unit length.
        normal: overwritten; step: (n,) or longer, mm.

    Source: Marquardt, J. SIAM 11 (1963) 431.
    """
    n = len(normal)
    for i in range(n):
        step[i] = 0.0
        for k in range(n):
            normal[i, k] = damping if i == k else 0.0
            step[i] += J[k, i] * f[k]
            for r in range(n):
                normal[i, k] += J[r, i] * J[r, k]
    if not cholesky(normal):
        return False
    solve_cholesky(normal, step[:n])
    return True


@borrowing
def move(at: Array, step: Array, n: int, factor: float) -> None:
    """Add factor x step to the first n coordinates of points."""
    for k in range(n):
        at[k // 2, k % 2] += factor * step[k]


@borrowing
def accept_smaller(f: Array, trial: Array, n: int) -> bool:
    """Copy the trial residuals to f where the sum of their squares is smaller; whether it is."""
    before, after = 0.0, 0.0
    for k in range(n):
        before, after = before + f[k] * f[k], after + trial[k] * trial[k]
    if not after < before:
        return False
    for k in range(n):
        f[k] = trial[k]
    return True

"""Groups of points that follow only together: Newton's method, state after state, compiled.

A state is predicted from the last ones that held and corrected on unsquared distances.  Where that
does not contract at once or strays, the known points and the inputs go from the last state that
held in smaller steps; where no step leads on, damped steps (Levenberg and Marquardt) try what is
left, for at a dead point Newton's do not contract; then it is begun again from where the linkage is
assembled.  The sign of the determinant of the equations is the branch: a state with the other sign
does not belong to it, for there is a dead point between, and is not taken.

Source: docs/theory/dyads.md, 6; damping: Marquardt, J. SIAM 11 (1963) 431.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.cholesky import cholesky, solve_cholesky
from ...foundations.numerics.lu import factorise, least_pivot, solve_factored
from ...foundations.types import Array
from ..plan.closed_forms import SINE
from ..plan.program import Program, point_row
from .gradients import faces_right, jacobian, residuals
from .group_memory import (
    ASKED,
    ASSEMBLED,
    BRANCH,
    BY_DAMPING,
    FINEST,
    HERE,
    ITERATIONS,
    LATEST,
    MATRIX,
    NORMAL,
    NOW,
    RESIDUAL,
    SHORT,
    STATES,
    STEP,
    STEPS,
    TRAILING,
    TRIAL,
    UNKNOWN,
    Memory,
    Task,
    ask,
    keep,
    read,
    task,
    way_to,
)

CONTRACTS = 0.25
"""A second step of more than this part of the first, or a third of the second, tells that the first
began too far away: it may lead to another solution."""

STRAYS = 0.5
"""A corrected point may be off its prediction by this part of what was predicted to move."""

LEAST_MOVE = 1e-3
"""Moves below this part of its shortest link count as this much: a group has no other solution as
near, but at a dead point."""

SHORTEST = 2.0**-8
"""Smallest part of the way from one state to the next."""

NEAR = 0.1
"""Part of the shortest link that damped steps may go in all from where the others ended."""

DEAD = 1e-6
"""Smallest pivot beside the largest at which a group is at a dead point: it is known there to the
square root of its fine residual."""

NEWTON, DAMPED = 8, 40
"""Most iterations of a step."""


@borrowing
def _newton(t: Task) -> float:
    """Correct the unknown points NOW; the determinant, 0 where it does not contract."""
    n, at, values = len(t.equation), t.points[NOW], t.values[NOW]
    J, f, before, determinant = t.matrices[MATRIX], t.vectors[RESIDUAL], inf, 0.0
    for iteration in range(NEWTON):
        worst = residuals(t.equation, t.given, at, values, f)
        done = worst <= t.size[FINEST] and iteration > 0
        if not done:
            jacobian(t.equation, t.given, at, values, J)
            determinant = factorise(J, n, t.pivots)
            t.counts[ITERATIONS] += 1
            if not (worst < inf and determinant != 0.0):
                return 0.0
        solve_factored(J, n, t.pivots, f)
        step = 0.0
        for k in range(n):
            at[k // 2, k % 2] -= f[k]
            step = max(step, abs(f[k]))
        if done:
            return determinant
        if not step <= CONTRACTS * before:
            return 0.0
        before = step
    return 0.0


@borrowing
def _belongs(t: Task, determinant: float) -> bool:
    """Whether a solution is on the branch of the group, its angles on the right side."""
    if not determinant * t.size[BRANCH] >= 0.0:
        return False
    for e in range(len(t.equation)):
        if not faces_right(t.equation[e], t.given[e], t.points[NOW], t.values[NOW]):
            return False
    return True


@borrowing
def _predict(t: Task) -> float:
    """Unknown points where the last states lead; how far the farthest then moves, mm."""
    trail, count, far = t.trail, t.counts[TRAILING], 0.0
    for k in range(len(t.equation)):
        x = trail[0, k]
        if count == 2:
            x = 2.0 * x - trail[1, k]
        elif count == 3:
            x = 3.0 * (x - trail[1, k]) + trail[2, k]
        elif count >= 4:
            x = 4.0 * (x + trail[2, k]) - 6.0 * trail[1, k] - trail[3, k]
        t.points[NOW, k // 2, k % 2] = t.points[HERE, k // 2, k % 2] = x
        far = max(far, abs(x - trail[0, k]))
    return far


@borrowing
def _from_prediction(t: Task) -> float:
    """The state from where the last ones lead; the determinant, 0 where that is not safe."""
    _go(t, ASKED, 1.0)
    bound = STRAYS * max(_predict(t), LEAST_MOVE * t.size[SHORT])
    determinant = _newton(t)
    if determinant == 0.0 or not _belongs(t, determinant) or _moved(t) > bound:
        return 0.0
    return determinant


@borrowing
def _moved(t: Task) -> float:
    """How far the farthest unknown point is from HERE, along an axis, mm."""
    far = 0.0
    for k in range(t.counts[UNKNOWN]):
        for i in range(2):
            far = max(far, abs(t.points[NOW, k, i] - t.points[HERE, k, i]))
    return far


@borrowing
def _go(t: Task, origin: int, part: float) -> None:
    """Known points and inputs a part of the way from a state to what is asked."""
    points, values = t.points, t.values
    for k in range(t.counts[UNKNOWN], points.shape[1]):
        for i in range(2):
            x, asked = points[origin, k, i], points[ASKED, k, i]
            points[NOW, k, i] = asked if part == 1.0 else x + part * (asked - x)
    for a in range(len(t.inputs)):
        if part == 1.0:
            for i in range(3):
                values[NOW, a, i] = values[ASKED, a, i]
        else:
            now = values[origin, a, 0]
            ask(values[NOW], a, now + part * way_to(t.inputs, a, now, values[ASKED, a, 0]))


@borrowing
def _put(t: Task, source: int, target: int) -> None:
    """Copy the unknown points."""
    for k in range(t.counts[UNKNOWN]):
        for i in range(2):
            t.points[target, k, i] = t.points[source, k, i]


@borrowing
def _by_steps(t: Task, origin: int) -> float:
    """The state from one that held, in steps that contract; the determinant or 0."""
    _put(t, origin, HERE)
    reached, part, determinant = 0.0, 1.0, 0.0
    while reached < 1.0 and part >= SHORTEST:
        _put(t, HERE, NOW)
        _go(t, origin, min(1.0, reached + part))
        t.counts[STEPS] += 1
        determinant = _newton(t)
        if determinant != 0.0 and _belongs(t, determinant):
            reached, part = min(1.0, reached + part), 2.0 * part
            _put(t, NOW, HERE)
        else:
            part *= 0.5
    return determinant if reached == 1.0 else 0.0


@borrowing
def _damped_step(t: Task, damping: float) -> bool:
    """STEP = (J^T J + damping I)^-1 J^T f; rows of J are of about unit length."""
    n, J, f, out = len(t.equation), t.matrices[MATRIX], t.vectors[RESIDUAL], t.vectors[STEP]
    normal = t.matrices[NORMAL, :n, :n]
    for i in range(n):
        out[i] = 0.0
        for k in range(n):
            normal[i, k] = damping if i == k else 0.0
            out[i] += J[k, i] * f[k]
            for r in range(n):
                normal[i, k] += J[r, i] * J[r, k]
    if not cholesky(normal):
        return False
    solve_cholesky(normal, out[:n])
    return True


@borrowing
def _square(f: Array, n: int) -> float:
    """Sum of the squares of the first n numbers."""
    total = 0.0
    for k in range(n):
        total += f[k] * f[k]
    return total


@borrowing
def _damped(t: Task) -> float:
    """The state by damped steps from HERE; the determinant, NaN where it does not hold."""
    n, at, values, damping = len(t.equation), t.points[NOW], t.values[NOW], 1e-3
    f, trial, step = t.vectors[RESIDUAL], t.vectors[TRIAL], t.vectors[STEP]
    _put(t, HERE, NOW)
    _go(t, ASKED, 1.0)
    worst = residuals(t.equation, t.given, at, values, f)
    for _ in range(DAMPED):
        jacobian(t.equation, t.given, at, values, t.matrices[MATRIX])
        if worst <= t.size[FINEST] or not worst < inf or not _damped_step(t, damping):
            break
        for k in range(n):
            at[k // 2, k % 2] -= step[k]
        found = residuals(t.equation, t.given, at, values, trial)
        if _square(trial, n) < _square(f, n):
            worst, damping = found, max(0.1 * damping, 1e-15)
            for k in range(n):
                f[k] = trial[k]
        else:
            damping *= 10.0
            for k in range(n):
                at[k // 2, k % 2] += step[k]
    if not (worst <= t.size[FINEST] and _moved(t) <= NEAR * t.size[SHORT]):
        return nan
    determinant = factorise(t.matrices[MATRIX], n, t.pivots)
    dead = least_pivot(t.matrices[MATRIX], n) <= DEAD
    return determinant if _belongs(t, 0.0 if dead else determinant) else nan


@borrowing
def _solve(t: Task) -> float:
    """Find the state that is asked for; the determinant, NaN where it does not hold."""
    determinant = 0.0
    if t.counts[TRAILING] > 1:
        determinant = _from_prediction(t)
    if determinant == 0.0:
        determinant = _by_steps(t, LATEST)
    if determinant == 0.0:
        determinant = _damped(t)
        t.counts[BY_DAMPING] += 0 if np.isnan(determinant) else 1
    if np.isnan(determinant):
        determinant = _by_steps(t, ASSEMBLED)
        determinant = determinant if determinant != 0.0 else nan
    t.counts[STATES] += 0 if np.isnan(determinant) else 1
    return determinant


@borrowing
def place_group(q: Program, g: int, w: Array, m: Memory, n: int) -> None:
    """The unknown points of a group in every state of a chunk, and their determinant.

    SINE is the determinant beside that of the group as it is assembled.
    """
    t, first = task(q, g, m), q.group[g, 0]
    scale = t.size[BRANCH] if t.size[BRANCH] != 0.0 else 1.0
    for s in range(n):
        determinant = _solve(t) if read(q, g, w, s, t) else nan
        holds = not np.isnan(determinant)
        if holds and least_pivot(t.matrices[MATRIX], len(t.equation)) > DEAD:
            keep(t, q.group[g, 2] - first)
        else:
            t.counts[TRAILING] = 0
        w[SINE, s] = determinant / scale
        for k in range(first, q.group[g, 1]):
            row = point_row(q, q.member[k])
            w[row, s] = t.points[NOW, k - first, 0] if holds else nan
            w[row + 1, s] = t.points[NOW, k - first, 1] if holds else nan

"""Groups of points that are solved together: Newton's method, state after state, compiled.

A state is predicted from the last solved ones and corrected.  Where Newton's method does not
contract or deviates too far, known points and inputs go in smaller steps from the last solved
state; then damped steps are tried, for at a dead point Newton's method does not contract; then the
assembled position is the start, unless the last solved state lies on the way from there.  The sign
of the determinant is the branch: a state with the other sign is rejected, for a dead point lies
between.

Source: docs/theory/dyads.md, 6.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.lu import factorise, least_pivot, solve_factored
from ...foundations.numerics.rounding import EPSILON, ROOT, ROUNDING
from .gradients import jacobian, on_requested_side, residuals
from .group_descent import Damping, DescentArrays, descend
from .group_memory import (
    ASSEMBLED,
    BRANCH,
    BY_DAMPING,
    ITERATIONS,
    LATEST,
    MATRIX,
    NORMAL,
    NOW,
    REQUESTED,
    RESIDUAL,
    SHORTEST_LINK,
    STATES,
    STEP_START,
    STEPS,
    TOLERANCE,
    TRAILING,
    UNKNOWN,
    GroupTask,
    change_to,
    set_value,
)

CONTRACTION = 0.25
"""A step of more than this part of the one before shows that the start was too far away: it may
lead to another solution."""

MAX_DEVIATION = 0.5
"""A corrected point may deviate from its prediction by this part of its predicted displacement."""

LEAST_MOVE = 1e-3
"""A setting: smaller displacements, as a part of the shortest link, count as this much: a group has
no other solution as near, except at a dead point."""

MIN_STEP = 2.0**-8
"""Smallest part of the change from one state to the next."""

DAMPED_REACH = 0.1
"""Part of the shortest link that damped steps may move a point in all."""

DEAD_PIVOT = 64.0 * ROOT
"""Smallest pivot over the largest at which a group is at a dead point: its position is known there
to the square root of its tolerance."""

NEWTON_ITERATIONS = 8
"""Most iterations of a step."""

DAMPING = Damping(1e-3, 4.0 * EPSILON, inf, 10.0, 40)
"""A setting: how the steps are damped that follow where Newton's method does not contract."""


@borrowing
def _newton(t: GroupTask) -> float:
    """Correct the unknown points NOW; return the determinant, 0 where steps do not contract."""
    n, at, values = len(t.equation), t.points[NOW], t.values[NOW]
    J, f, before, determinant = t.matrices[MATRIX], t.vectors[RESIDUAL], inf, 0.0
    for iteration in range(NEWTON_ITERATIONS):
        worst = residuals(t.equation, t.given, at, values, f)
        done = worst <= t.size[TOLERANCE] and iteration > 0
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
        if not step <= CONTRACTION * before:
            return 0.0
        before = step
    return 0.0


@borrowing
def _on_branch(t: GroupTask, determinant: float) -> bool:
    """Whether a solution is on the branch of the group, with its angles on the requested side."""
    if not determinant * t.size[BRANCH] >= 0.0:
        return False
    for e in range(len(t.equation)):
        if not on_requested_side(t.equation[e], t.given[e], t.points[NOW], t.values[NOW]):
            return False
    return True


@borrowing
def _predict(t: GroupTask) -> float:
    """Extrapolate the unknown points from the last states; return the largest displacement, mm."""
    trail, count, far = t.trail, t.counts[TRAILING], 0.0
    for k in range(len(t.equation)):
        x = trail[0, k]
        if count == 2:
            x = 2.0 * x - trail[1, k]
        elif count == 3:
            x = 3.0 * (x - trail[1, k]) + trail[2, k]
        elif count >= 4:
            x = 4.0 * (x + trail[2, k]) - 6.0 * trail[1, k] - trail[3, k]
        t.points[NOW, k // 2, k % 2] = t.points[STEP_START, k // 2, k % 2] = x
        far = max(far, abs(x - trail[0, k]))
    return far


@borrowing
def from_prediction(t: GroupTask) -> float:
    """Solve the requested state from the prediction; its determinant, 0 where that is not safe."""
    _interpolate(t, REQUESTED, 1.0)
    bound = MAX_DEVIATION * max(_predict(t), LEAST_MOVE * t.size[SHORTEST_LINK])
    determinant = _newton(t)
    if determinant == 0.0 or not _on_branch(t, determinant) or _displacement(t) > bound:
        return 0.0
    return determinant


@borrowing
def _displacement(t: GroupTask) -> float:
    """Largest displacement of an unknown point from STEP_START, along an axis, mm."""
    far = 0.0
    for k in range(t.counts[UNKNOWN]):
        for i in range(2):
            far = max(far, abs(t.points[NOW, k, i] - t.points[STEP_START, k, i]))
    return far


@borrowing
def _interpolate(t: GroupTask, origin: int, part: float) -> None:
    """Set known points and inputs to a part of the change from a state to the requested one."""
    points, values = t.points, t.values
    for k in range(t.counts[UNKNOWN], points.shape[1]):
        for i in range(2):
            x, requested = points[origin, k, i], points[REQUESTED, k, i]
            points[NOW, k, i] = requested if part == 1.0 else x + part * (requested - x)
    for a in range(len(t.inputs)):
        if part == 1.0:
            for i in range(3):
                values[NOW, a, i] = values[REQUESTED, a, i]
        else:
            now = values[origin, a, 0]
            change = change_to(t.inputs, a, now, values[REQUESTED, a, 0])
            set_value(values[NOW], a, now + part * change)


@borrowing
def _copy_unknowns(t: GroupTask, source: int, target: int) -> None:
    for k in range(t.counts[UNKNOWN]):
        for i in range(2):
            t.points[target, k, i] = t.points[source, k, i]


@borrowing
def _continue_from(t: GroupTask, origin: int) -> float:
    """Solve the requested state from a solved one, in steps that contract; its determinant or 0."""
    _copy_unknowns(t, origin, STEP_START)
    reached, part, determinant = 0.0, 1.0, 0.0
    while reached < 1.0 and part >= MIN_STEP:
        _copy_unknowns(t, STEP_START, NOW)
        _interpolate(t, origin, min(1.0, reached + part))
        t.counts[STEPS] += 1
        determinant = _newton(t)
        if determinant != 0.0 and _on_branch(t, determinant):
            reached, part = min(1.0, reached + part), 2.0 * part
            _copy_unknowns(t, NOW, STEP_START)
        else:
            part *= 0.5
    return determinant if reached == 1.0 else 0.0


@borrowing
def damped(t: GroupTask) -> float:
    """The requested state by damped steps from STEP_START; its determinant, NaN if not reached."""
    n, at, values, J = len(t.equation), t.points[NOW], t.values[NOW], t.matrices[MATRIX]
    work = DescentArrays(J, t.matrices[NORMAL, :n, :n], t.vectors[0], t.vectors[1], t.vectors[2])
    _copy_unknowns(t, STEP_START, NOW)
    _interpolate(t, REQUESTED, 1.0)
    worst = descend(t.equation, t.given, at, values, t.size[TOLERANCE], DAMPING, work)
    reach = DAMPED_REACH * t.size[SHORTEST_LINK]
    if not (worst <= t.size[TOLERANCE] and _displacement(t) <= reach):
        return nan
    jacobian(t.equation, t.given, at, values, J)
    determinant = factorise(J, n, t.pivots)
    dead = least_pivot(J, n) <= DEAD_PIVOT
    return determinant if _on_branch(t, 0.0 if dead else determinant) else nan


@borrowing
def passed(t: GroupTask) -> bool:
    """Whether the latest state lies on the way from the assembled one to the requested one."""
    part, now = -1.0, t.values
    for a in range(len(t.inputs)):
        whole = change_to(t.inputs, a, now[ASSEMBLED, a, 0], now[REQUESTED, a, 0])
        done = change_to(t.inputs, a, now[ASSEMBLED, a, 0], now[LATEST, a, 0])
        if part < 0.0 and whole != 0.0:
            part = done / whole
        if not abs(done - max(part, 0.0) * whole) <= ROUNDING * abs(whole):
            return False
    return 0.0 <= part <= 1.0


@borrowing
def solve_state(t: GroupTask) -> float:
    """Solve the requested state; its determinant, NaN where that fails."""
    determinant = 0.0
    if t.counts[TRAILING] > 1:
        determinant = from_prediction(t)
    if determinant == 0.0:
        determinant = _continue_from(t, LATEST)
    if determinant == 0.0:
        determinant = damped(t)
        t.counts[BY_DAMPING] += 0 if np.isnan(determinant) else 1
    if np.isnan(determinant) and not passed(t):
        determinant = _continue_from(t, ASSEMBLED)
        determinant = determinant if determinant != 0.0 else nan
    t.counts[STATES] += 0 if np.isnan(determinant) else 1
    return determinant

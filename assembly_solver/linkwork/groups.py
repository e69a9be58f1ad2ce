"""Groups of points that follow only together: Newton's method, state after state, compiled.

A state is predicted from the last ones that held and corrected on unsquared distances.  Where that
does not contract at once or strays, the known points and the inputs go from the last state that
held in smaller steps; where no step leads on, damped steps (Levenberg and Marquardt) are the last
rung.  The sign of the determinant of the equations is the branch: a state with the other sign does
not belong to it, for there is a dead point between, and is not taken.

Source: MATHEMATICS D.2; damping: Marquardt, J. SIAM 11 (1963) 431.
"""

from __future__ import annotations

from math import cos, inf, nan, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import borrowing
from ..numerics.definite import cholesky, solve_cholesky
from ..numerics.triangular import factorise, solve_factored
from .closed_forms import ACTUATORS, SINE
from .equations import KIND, LENGTH
from .gradients import faces_right, jacobian, radius_of, residuals
from .program import Program, point_row

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

FINE = 1e-13
"""Residual, beside the size of the group, after which one more step is the last."""

ROUNDINGS = 32.0 * 2.0**-52
"""The same beside its coordinates: what their rounding leaves."""

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

NOUGHT = -1e-6
"""Determinant of rows of unit length that still counts as one of a dead point: a point is known
there to the square root of rounding."""

NEWTON, DAMPED = 8, 40
"""Most iterations of a step."""

TRAIL = 4
"""States that a prediction reads."""

ITERATIONS, STATES, STEPS, BY_DAMPING = range(4)
"""Places in the counts: factorisations, states that held, sub-steps, states of the last rung."""


LATEST, ASSEMBLED = range(2)
"""States that a group can be continued from."""

EXTENT, FINEST, BRANCH, SHORT = range(4)
"""Sizes of a group: mm across; its fine residual, mm; the sign of its determinant at the start; its
shortest link, mm."""


class Memory(NamedTuple):
    """What the groups of a run work on, and remember from state to state."""

    at: Array
    """(members, 2): points of a group, unknown ones first."""
    target: Array
    here: Array
    values: Array
    """(actuators, 3): value, cosine, sine."""
    asked: Array
    before: Array
    """(groups, 2, members, 2): LATEST, the last regular state that held; ASSEMBLED."""
    held: Array
    """(groups, 2, actuators): the values there."""
    trail: Array
    """(groups, TRAIL, unknowns): the last states that held one after the other."""
    trailing: Ints
    """(groups,): how many they are."""
    size: Array
    """(groups, 4): EXTENT, FINEST, BRANCH, SHORT."""
    J: Array
    f: Array
    pivots: Ints
    normal: Array
    work: Array
    counts: Ints


@borrowing
def load(q: Program, g: int, points: Array, out: Array) -> None:
    """Points of a group from those of the linkage, (points, 2)."""
    for m in range(q.group[g, 0], q.group[g, 2]):
        out[m - q.group[g, 0], 0] = points[q.member[m], 0]
        out[m - q.group[g, 0], 1] = points[q.member[m], 1]


@borrowing
def begin(q: Program, g: int, which: int, points: Array, inputs: Array, m: Memory) -> None:
    """Remember a state that holds: ASSEMBLED, or LATEST where a run goes on.

    Args:
        points: (points, 2) of the linkage there; inputs: values of the actuators there.
    """
    load(q, g, points, m.before[g, which])
    for a in range(len(inputs)):
        m.held[g, which, a] = inputs[a]
    m.trailing[g] = 0


@borrowing
def measure(q: Program, g: int, m: Memory) -> None:
    """Size of a group where it is assembled, what residual is fine there, and its branch."""
    members, n = q.group[g, 2] - q.group[g, 0], 2 * (q.group[g, 1] - q.group[g, 0])
    extent, largest = 0.0, 0.0
    for k in range(members):
        for i in range(2):
            m.at[k, i] = m.before[g, ASSEMBLED, k, i]
            extent = max(extent, abs(m.at[k, i] - m.before[g, ASSEMBLED, 0, i]))
            largest = max(largest, abs(m.at[k, i]))
    for a in range(len(m.values)):
        _ask(m, a, m.held[g, ASSEMBLED, a])
    m.size[g, EXTENT], m.size[g, FINEST] = extent, FINE * extent + ROUNDINGS * largest
    m.size[g, SHORT] = extent
    for e in range(q.group[g, 3], q.group[g, 4]):
        if q.equation[e, KIND] == LENGTH:
            length = radius_of(q.equation[e], q.given[e], m.values)
            m.size[g, SHORT] = min(m.size[g, SHORT], length)
    jacobian(q.equation, q.given, q.group[g, 3], q.group[g, 4], m.at, m.values, m.J)
    m.size[g, BRANCH] = np.sign(factorise(m.J, n, m.pivots))


@borrowing
def way_to(q: Program, a: int, now: float, value: float) -> float:
    """From a value of an actuator to another, rad or mm; half a turn at most where it turns."""
    way = value - now
    if q.inputs[a, 3] != 0.0:
        way -= 2.0 * pi * np.floor(way / (2.0 * pi) + 0.5)
    return way


@borrowing
def _ask(m: Memory, a: int, value: float) -> None:
    """Ask an actuator for a value."""
    value = value if abs(value) < inf else nan
    m.values[a, 0], m.values[a, 1], m.values[a, 2] = value, cos(value), sin(value)


@borrowing
def _newton(q: Program, g: int, m: Memory) -> float:
    """Correct the unknown points of `m.at`; the determinant, 0 where it does not contract."""
    first, last = q.group[g, 3], q.group[g, 4]
    n, before, determinant = last - first, inf, 0.0
    for iteration in range(NEWTON):
        worst = residuals(q.equation, q.given, first, last, m.at, m.values, m.f)
        done = worst <= m.size[g, FINEST] and iteration > 0
        if not done:
            jacobian(q.equation, q.given, first, last, m.at, m.values, m.J)
            determinant = factorise(m.J, n, m.pivots)
            m.counts[ITERATIONS] += 1
            if not (worst < inf and determinant != 0.0):
                return 0.0
        solve_factored(m.J, n, m.pivots, m.f)
        step = 0.0
        for k in range(n):
            m.at[k // 2, k % 2] -= m.f[k]
            step = max(step, abs(m.f[k]))
        if done:
            return determinant
        if not step <= CONTRACTS * before:
            return 0.0
        before = step
    return 0.0


@borrowing
def _belongs(q: Program, g: int, m: Memory, determinant: float) -> bool:
    """Whether a solution is on the branch of the group, its angles on the right side."""
    if not determinant * m.size[g, BRANCH] >= 0.0:
        return False
    for e in range(q.group[g, 3], q.group[g, 4]):
        if not faces_right(q.equation[e], q.given[e], m.at, m.values):
            return False
    return True


@borrowing
def _predict(q: Program, g: int, m: Memory) -> float:
    """Unknown points where the last states lead; how far the farthest then moves, mm."""
    trail, count, far = m.trail[g], m.trailing[g], 0.0
    for k in range(2 * (q.group[g, 1] - q.group[g, 0])):
        x = trail[0, k]
        if count == 2:
            x = 2.0 * x - trail[1, k]
        elif count == 3:
            x = 3.0 * (x - trail[1, k]) + trail[2, k]
        elif count >= 4:
            x = 4.0 * (x + trail[2, k]) - 6.0 * trail[1, k] - trail[3, k]
        m.at[k // 2, k % 2] = m.here[k // 2, k % 2] = x
        far = max(far, abs(x - trail[0, k]))
    return far


@borrowing
def _from_prediction(q: Program, g: int, m: Memory) -> float:
    """The state from where the last ones lead; the determinant, 0 where that is not safe."""
    for k in range(q.group[g, 1] - q.group[g, 0], q.group[g, 2] - q.group[g, 0]):
        m.at[k, 0], m.at[k, 1] = m.target[k, 0], m.target[k, 1]
    for a in range(len(m.values)):
        for i in range(3):
            m.values[a, i] = m.asked[a, i]
    bound = STRAYS * max(_predict(q, g, m), LEAST_MOVE * m.size[g, SHORT])
    determinant = _newton(q, g, m)
    if determinant == 0.0 or not _belongs(q, g, m, determinant):
        return 0.0
    for k in range(q.group[g, 1] - q.group[g, 0]):
        for i in range(2):
            if not abs(m.at[k, i] - m.here[k, i]) <= bound:
                return 0.0
    return determinant


@borrowing
def _go(q: Program, g: int, m: Memory, origin: int, part: float) -> None:
    """Known points and inputs a part of the way to what is asked; unknown points as they stand."""
    unknown = q.group[g, 1] - q.group[g, 0]
    for k in range(unknown):
        m.at[k, 0], m.at[k, 1] = m.here[k, 0], m.here[k, 1]
    for k in range(unknown, q.group[g, 2] - q.group[g, 0]):
        for i in range(2):
            x = m.before[g, origin, k, i]
            m.at[k, i] = m.target[k, i] if part == 1.0 else x + part * (m.target[k, i] - x)
    for a in range(len(m.values)):
        if part == 1.0:
            for i in range(3):
                m.values[a, i] = m.asked[a, i]
        else:
            now = m.held[g, origin, a]
            _ask(m, a, now + part * way_to(q, a, now, m.asked[a, 0]))


@borrowing
def _by_steps(q: Program, g: int, m: Memory, origin: int) -> float:
    """The state from one that held, in steps that contract; the determinant or 0."""
    unknown = q.group[g, 1] - q.group[g, 0]
    for k in range(unknown):
        m.here[k, 0] = m.before[g, origin, k, 0]
        m.here[k, 1] = m.before[g, origin, k, 1]
    reached, part, determinant = 0.0, 1.0, 0.0
    while reached < 1.0 and part >= SHORTEST:
        _go(q, g, m, origin, min(1.0, reached + part))
        m.counts[STEPS] += 1
        determinant = _newton(q, g, m)
        if determinant != 0.0 and _belongs(q, g, m, determinant):
            reached, part = min(1.0, reached + part), 2.0 * part
            for k in range(unknown):
                m.here[k, 0], m.here[k, 1] = m.at[k, 0], m.at[k, 1]
        else:
            part *= 0.5
    return determinant if reached == 1.0 else 0.0


@borrowing
def _damped_step(m: Memory, n: int, damping: float, out: Array) -> bool:
    """out = (J^T J + damping I)^-1 J^T f; rows of J are of about unit length."""
    for i in range(n):
        for k in range(n):
            total = damping if i == k else 0.0
            for r in range(n):
                total += m.J[r, i] * m.J[r, k]
            m.normal[i, k] = total
    for i in range(n):
        total = 0.0
        for r in range(n):
            total += m.J[r, i] * m.f[r]
        out[i] = total
    whole = m.normal[:n, :n]
    if not cholesky(whole):
        return False
    solve_cholesky(whole, out[:n])
    return True


@borrowing
def _square(f: Array, n: int) -> float:
    """Sum of the squares of the first n numbers."""
    total = 0.0
    for k in range(n):
        total += f[k] * f[k]
    return total


@borrowing
def _damped(q: Program, g: int, m: Memory) -> bool:
    """The state by damped steps from where the others ended; whether it holds on this branch."""
    first, last = q.group[g, 3], q.group[g, 4]
    n, damping, trial, step = last - first, 1e-3, m.work[0], m.work[1]
    _go(q, g, m, LATEST, 1.0)
    worst = residuals(q.equation, q.given, first, last, m.at, m.values, m.f)
    for _ in range(DAMPED):
        jacobian(q.equation, q.given, first, last, m.at, m.values, m.J)
        if worst <= m.size[g, FINEST] or not worst < inf or not _damped_step(m, n, damping, step):
            break
        for k in range(n):
            m.at[k // 2, k % 2] -= step[k]
        found = residuals(q.equation, q.given, first, last, m.at, m.values, trial)
        if _square(trial, n) < _square(m.f, n):
            worst, damping = found, max(0.1 * damping, 1e-15)
            for k in range(n):
                m.f[k] = trial[k]
        else:
            damping *= 10.0
            for k in range(n):
                m.at[k // 2, k % 2] += step[k]
    determinant = factorise(m.J, n, m.pivots) * m.size[g, BRANCH]
    near = True
    for k in range(n):
        moved = abs(m.at[k // 2, k % 2] - m.here[k // 2, k % 2])
        near = near and moved <= NEAR * m.size[g, SHORT]
    right = determinant >= NOUGHT and _belongs(q, g, m, 0.0)
    return bool(worst <= m.size[g, FINEST] and near and right)


@borrowing
def _keep(q: Program, g: int, m: Memory) -> None:
    """Remember a state that holds."""
    for k in range(q.group[g, 2] - q.group[g, 0]):
        m.before[g, LATEST, k, 0], m.before[g, LATEST, k, 1] = m.at[k, 0], m.at[k, 1]
    for a in range(len(m.asked)):
        m.held[g, LATEST, a] = m.asked[a, 0]
    for k in range(2 * (q.group[g, 1] - q.group[g, 0])):
        for i in range(TRAIL - 1, 0, -1):
            m.trail[g, i, k] = m.trail[g, i - 1, k]
        m.trail[g, 0, k] = m.at[k // 2, k % 2]
    m.trailing[g] += 1


@borrowing
def _read(q: Program, g: int, w: Array, s: int, m: Memory) -> bool:
    """What is asked in a state, from the rows of a chunk; whether points are numbers."""
    first, known = q.group[g, 0], q.group[g, 1]
    fine = 0.0
    for k in range(known, q.group[g, 2]):
        row = point_row(q, q.member[k])
        m.target[k - first, 0], m.target[k - first, 1] = w[row, s], w[row + 1, s]
        fine += 0.0 * w[row, s] + 0.0 * w[row + 1, s]
    for a in range(len(m.asked)):
        for i in range(1 if q.inputs[a, 3] == 0.0 else 3):
            m.asked[a, i] = w[ACTUATORS + 3 * a + i, s]
    return bool(fine == 0.0)


@borrowing
def _solve(q: Program, g: int, m: Memory) -> tuple[bool, float]:
    """Find the state that is asked for; whether it holds, and the determinant."""
    determinant, holds = 0.0, False
    if m.trailing[g] > 1:
        determinant = _from_prediction(q, g, m)
    if determinant == 0.0:
        determinant = _by_steps(q, g, m, LATEST)
    if determinant == 0.0:
        holds = _damped(q, g, m)
        m.counts[BY_DAMPING] += 1 if holds else 0
    if determinant == 0.0 and not holds:
        determinant = _by_steps(q, g, m, ASSEMBLED)
    m.counts[STATES] += 1 if holds or determinant != 0.0 else 0
    return holds or determinant != 0.0, determinant


@borrowing
def place_group(q: Program, g: int, w: Array, m: Memory, n: int) -> None:
    """The unknown points of a group in every state of a chunk, and their determinant."""
    first = q.group[g, 0]
    for s in range(n):
        holds, determinant = False, 0.0
        if _read(q, g, w, s, m):
            holds, determinant = _solve(q, g, m)
        if abs(determinant) > -NOUGHT:
            _keep(q, g, m)
        else:
            m.trailing[g] = 0
        w[SINE, s] = determinant if holds else nan
        for k in range(first, q.group[g, 1]):
            row = point_row(q, q.member[k])
            w[row, s] = m.at[k - first, 0] if holds else nan
            w[row + 1, s] = m.at[k - first, 1] if holds else nan

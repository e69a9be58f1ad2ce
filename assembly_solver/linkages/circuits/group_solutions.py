"""The solutions of the groups of a linkage at one value of its input, found by sampling.

From places drawn at random, always the same ones, damped steps lead to solutions or nowhere.
There may be more than are found.

Source: damping: Marquardt, J. SIAM 11 (1963) 431.
"""

from __future__ import annotations

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.cholesky import cholesky, solve_cholesky
from ...foundations.types import Array, Ints
from ..plan.program import AT, GROUP, Program
from ..run.gradients import jacobian, residuals
from .driven_linkage import Led

ITERATIONS = 60
"""Most steps from one place."""

SOLVED = 1e-11
"""Residual beside the size that is none."""

SAME = 1e-6
"""Distance of points, beside the size, from which two solutions are one."""

REACH = 1.5
"""Half the width of the square from which places are drawn, in sizes of the linkage."""


def solutions(led: Led, signs: Ints, value: float, tries: int) -> list[Array]:
    """Solutions at a value of the input, each as the places of all points, (points, 2), mm.

    Args:
        signs: of the dyads; tries: places from which every group is solved.
    """
    q = led.planned.program
    random = np.random.default_rng(tries)
    partial = [led.start.copy()]
    for row in q.code[q.code[:, 0] == GROUP].tolist():
        partial = [
            more
            for start in partial
            for more in _solved(led, signs, value, start, row[AT], tries, random)
        ]
    found = []
    for start in partial:
        states = led.states(signs, np.array([value]), start, value)
        if states.valid[0]:
            found.append(states.P[..., 0])
    return found


def _solved(
    led: Led,
    signs: Ints,
    value: float,
    start: Array,
    group: int,
    tries: int,
    random: np.random.Generator,
) -> list[Array]:
    """The same linkage with each solution of one group, those before it being placed."""
    q, size = led.planned.program, led.planned.scheme.size
    first, known, last, *_ = q.group[group].tolist()
    members = q.member[first:last]
    P = led.states(signs, np.array([value]), start, value).P[..., 0]
    at = P[members]
    n = 2 * (known - first)
    if not np.isfinite(at[known - first :]).all():
        return []
    centre = led.start.mean(axis=0)
    starts = centre + REACH * size * random.uniform(-1.0, 1.0, (tries, known - first, 2))
    starts[0] = start[members[: known - first]]
    ended = np.empty((tries, n))
    count = _solve(q, group, at, led.values(value), starts.reshape(tries, n), SOLVED * size, ended)
    apart: list[Array] = []
    for x in ended[:count]:
        if all(np.abs(x - y).max() > SAME * size for y in apart):
            apart.append(x)
    out = []
    for x in apart:
        whole = np.where(np.isfinite(P), P, start)
        whole[members[: known - first]] = x.reshape(-1, 2)
        out.append(whole)
    return out


@compiled
def _solve(
    q: Program, g: int, at: Array, values: Array, starts: Array, fine: float, ended: Array
) -> int:
    """Solve a group from many places; how many led to a solution, written to `ended`."""
    first, last = q.group[g, 3], q.group[g, 4]
    n, count = last - first, 0
    J, normal = np.empty((n, n)), np.empty((n, n))
    f, trial, step = np.empty(n), np.empty(n), np.empty(n)
    for k in range(len(starts)):
        for i in range(n):
            at[i // 2, i % 2] = starts[k, i]
        if _descend(q, first, last, at, values, fine, J, normal, f, trial, step):
            for i in range(n):
                ended[count, i] = at[i // 2, i % 2]
            count += 1
    return count


@borrowing
def _descend(
    q: Program,
    first: int,
    last: int,
    at: Array,
    values: Array,
    fine: float,
    J: Array,
    normal: Array,
    f: Array,
    trial: Array,
    step: Array,
) -> bool:
    """Damped steps from where the unknown points stand; whether they come to a solution."""
    n, damping = last - first, 1e-2
    worst = residuals(q.equation[first:last], q.given[first:last], at, values, f)
    for _ in range(ITERATIONS):
        if worst <= fine:
            return True
        jacobian(q.equation[first:last], q.given[first:last], at, values, J)
        for i in range(n):
            step[i] = 0.0
            for r in range(n):
                step[i] += J[r, i] * f[r]
            for k in range(n):
                normal[i, k] = damping if i == k else 0.0
                for r in range(n):
                    normal[i, k] += J[r, i] * J[r, k]
        if not cholesky(normal):
            return False
        solve_cholesky(normal, step)
        before, after = 0.0, 0.0
        for i in range(n):
            at[i // 2, i % 2] -= step[i]
        found = residuals(q.equation[first:last], q.given[first:last], at, values, trial)
        for i in range(n):
            before, after = before + f[i] * f[i], after + trial[i] * trial[i]
        if after < before:
            worst, damping = found, max(0.1 * damping, 1e-14)
            for i in range(n):
                f[i] = trial[i]
        else:
            damping *= 8.0
            for i in range(n):
                at[i // 2, i % 2] += step[i]
            if damping > 1e6:
                return False
    return bool(worst <= fine)

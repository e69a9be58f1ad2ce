"""The solutions of the groups of a linkage at one value of its input, found by sampling.

Damped steps start from random positions, the same ones in every run.  Solutions may be missed.

Source: damping: Marquardt, J. SIAM 11 (1963) 431.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...foundations.jit.decorators import borrowing_in_form
from ...foundations.numerics.rounding import EPSILON, FAINT
from ...foundations.types import Array, Ints
from ..plan.placement_program import AT, GROUP, PlacementProgram
from ..run.group_descent import Damping, DescentArrays, descend, descend_at_once
from ..run.groups_at_once import EquationsAtOnce
from .driven_linkage import DrivenLinkage

SOLVED = 1e-11
"""A setting: residual, as a share of the size, that counts as 0."""

DAMPING = Damping(1e-2, 64.0 * EPSILON, 1e6, 8.0, 60)
"""A setting: how the steps of a descent are damped."""

SAME = FAINT
"""Distance of points, as a share of the size, below which two solutions are the same: about the
root of `SOLVED`, for solutions may meet."""

REACH = 1.5
"""Half the width of the square in which starts are drawn, in sizes of the linkage."""


def solutions(linkage: DrivenLinkage, signs: Ints, value: float, tries: int) -> list[Array]:
    """Solutions at a value of the input, each the positions of all points, (points, 2), mm.

    Args:
        signs: of the dyads; value: mm or degrees.
        tries: number of random starts for every group, and seed.
    """
    q = linkage.planned.program
    random = np.random.default_rng(tries)
    partial = [linkage.start.copy()]
    for group in q.code[q.code[:, 0] == GROUP, AT].tolist():
        each = (_solved(linkage, signs, value, start, group, tries, random) for start in partial)
        partial = [more for found in each for more in found]
    states = (linkage.states(signs, np.array([value]), start, value) for start in partial)
    return [s.P[..., 0] for s in states if s.valid[0]]


def _solved(
    linkage: DrivenLinkage,
    signs: Ints,
    value: float,
    start: Array,
    group: int,
    tries: int,
    random: np.random.Generator,
) -> list[Array]:
    """The positions with each solution of one group inserted; the groups before it are solved."""
    q, size = linkage.planned.program, linkage.planned.scheme.size
    first, known, last, *_ = q.group[group].tolist()
    members = q.member[first:last]
    P = linkage.states(signs, np.array([value]), start, value).P[..., 0]
    at = P[members]
    n = 2 * (known - first)
    if not np.isfinite(at[known - first :]).all():
        return []
    centre = linkage.start.mean(axis=0)
    starts = centre + REACH * size * random.uniform(-1.0, 1.0, (tries, known - first, 2))
    starts[0] = start[members[: known - first]]
    ended = np.empty((tries, n))
    values, flat = linkage.values(value), starts.reshape(tries, n)
    work = DescentArrays(*np.empty((2, n, n)), *np.empty((3, n)))
    count = _solve(q, group, at, values, flat, SOLVED * size, ended, work)
    distinct: list[Array] = []
    for x in ended[:count]:
        if all(np.abs(x - y).max() > SAME * size for y in distinct):
            distinct.append(x)
    out = []
    for x in distinct:
        whole = np.where(np.isfinite(P), P, start)
        whole[members[: known - first]] = x.reshape(-1, 2)
        out.append(whole)
    return out


def _solve_at_once(
    q: PlacementProgram,
    g: int,
    at: Array,
    values: Array,
    starts: Array,
    tolerance: float,
    ended: Array,
    _: DescentArrays,
) -> int:
    """`_solve` where interpreted: from all starts at once."""
    first, last = q.group[g, 3:5].tolist()
    equations = EquationsAtOnce(q.equation[first:last], q.given[first:last])
    unknown, every = starts.shape[1] // 2, np.repeat(at.view(complex).T, len(starts), axis=0)
    every[:, :unknown] = starts.view(complex)
    holds = descend_at_once(equations, every, values[None], tolerance, DAMPING) <= tolerance
    count = int(np.count_nonzero(holds))
    ended[:count] = every[holds, :unknown].view(float)
    return count


@partial(borrowing_in_form, interpreted=_solve_at_once)
def _solve(
    q: PlacementProgram,
    g: int,
    at: Array,
    values: Array,
    starts: Array,
    tolerance: float,
    ended: Array,
    work: DescentArrays,
) -> int:
    """Solve a group from many starts; the number of solutions, which are written to `ended`.

    Args:
        at: (members, 2), mm, overwritten; values: (actuators, 3).
        starts, ended: (tries, 2 unknown points), mm; tolerance: of residuals, mm.
    """
    first, last = q.group[g, 3], q.group[g, 4]
    equations, given = q.equation[first:last], q.given[first:last]
    n, count = last - first, 0
    for k in range(len(starts)):
        for i in range(n):
            at[i // 2, i % 2] = starts[k, i]
        if descend(equations, given, at, values, tolerance, DAMPING, work) <= tolerance:
            for i in range(n):
                ended[count, i] = at[i // 2, i % 2]
            count += 1
    return count

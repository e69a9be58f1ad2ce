"""Run a program over its states, some hundred at a time: first operation for all, then the next."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ...foundations.jit import decorators
from ...foundations.jit.decorators import apart, compiled
from ...foundations.types import Array, Ints
from ..plan.program import Program, point_row
from .batches import CHUNK, fix, keep, keep_sine, load, place
from .continuation import run_grouped


def run(
    program: Program,
    V: Array,
    P: Array,
    start: Array,
    signs: Ints,
    failed: Ints,
    sine: Array,
    first: int = 0,
    last: int | None = None,
) -> Ints:
    """Place every point in the states first .. last (all, where None).

    Args:
        V: (actuators, states), inputs.
        P: (points, 2, states), written, mm; NaN from the operation on that cannot be built.
        start: (points, 2): the points that no operation places; for groups the others assembled.
        signs: (branches,), +1 or -1.
        failed: (states,), written: 0, or 1 + the number of the operation that cannot be built.
        sine: (branches, states), written: the signed half chord beside its radius (of SLIDES:
            beside the distance of its pins), 0 at a dead point; of a group the determinant of its
            equations beside that of the group as assembled.

    Returns:
        Counts of the groups' work, of states on the way to far ones as well: the first four
        places in `group_memory`.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    states = P.shape[2]
    V, start = np.ascontiguousarray(V, float), np.ascontiguousarray(start, float)
    _check(program, V, P, start, signs, failed, sine)
    if not 0 <= first <= (states if last is None else last) <= states:
        raise ValueError(f"run: states {first} to {last} of {states}")
    arguments = (program, V, P, start, signs, failed, sine, first, states if last is None else last)
    counts = np.zeros(4, np.int64)
    with nullcontext() if decorators.ACTIVE else np.errstate(all="ignore"):
        if len(program.group) > 0:
            run_grouped(*arguments, counts)
        else:
            run_straight(*arguments)
    return counts


def _check(
    q: Program, V: Array, P: Array, start: Array, signs: Ints, failed: Ints, sine: Array
) -> None:
    """Refuse arrays that compiled code would read or write beyond their ends."""
    states = P.shape[2]
    fits = (
        V.shape == (len(q.inputs), states)
        and P.shape[:2] == start.shape == (q.points, 2)
        and signs.shape == (q.branches,)
        and sine.shape == (q.branches, states)
        and failed.shape == (states,)
        and P.flags.c_contiguous
        and sine.flags.c_contiguous
    )
    if not fits:
        raise ValueError(
            "run: the arrays do not have the shapes that the program needs, or not in one piece"
        )


@apart
@compiled
def run_straight(
    q: Program,
    V: Array,
    P: Array,
    start: Array,
    signs: Ints,
    failed: Ints,
    sine: Array,
    first: int,
    last: int,
) -> None:
    """`run` without groups and unchecked, for compiled code."""
    w = np.empty((point_row(q, q.points + q.marks), CHUNK))
    fix(q, start, w, min(CHUNK, last - first))
    for at in range(first, last, CHUNK):
        n = min(CHUNK, last - at)
        load(q, V, w, at, n)
        for o in range(len(q.code)):
            place(q, o, w, signs, n)
            keep_sine(q, o, w, sine, at, n)
        keep(q, w, P, failed, sine, at, n)

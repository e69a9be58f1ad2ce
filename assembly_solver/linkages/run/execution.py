"""Run a program over its states in chunks: one operation in all states, then the next."""

from __future__ import annotations

import numpy as np

from ...foundations.jit.decorators import apart, compiled
from ...foundations.types import Array, Ints
from ..plan.placement_program import PlacementProgram, point_row
from .batches import (
    StateArrays,
    chunk_states,
    load_fixed,
    load_inputs,
    run_operation,
    store_sine,
    store_states,
)
from .group_continuation import run_grouped


def run(
    program: PlacementProgram,
    states: StateArrays,
    start: Array,
    signs: Ints,
    first: int = 0,
    last: int | None = None,
    beyond: bool = True,
    many: bool = False,
) -> Ints:
    """Compute every point in the states first .. last - 1 (to the end, where last is None).

    Args:
        states: inputs, and the arrays that are written.
        start: (points, 2), mm: the points that no operation computes; for groups all, assembled.
        signs: (branches,), +1 or -1.
        beyond: whether states of a chunk after one in which a group is not solved are tried, each
            of which takes long.
        many: whether interpreted code may solve groups in many states at once: the same points to
            rounding, not to the bit, in a quarter of the time.

    Returns:
        Work of the groups, intermediate states included: the first four counts of `group_memory`.

    Raises:
        ValueError: arrays whose shapes do not match the program, or states that do not exist.
    """
    V, start = np.ascontiguousarray(states.V, float), np.ascontiguousarray(start, float)
    states = states._replace(V=V)
    _check(program, states, start, signs)
    count = len(states.failed)
    last = count if last is None else last
    if not 0 <= first <= last <= count:
        raise ValueError(f"run: states {first} to {last} of {count}")
    counts = np.zeros(4, np.int64)
    with np.errstate(all="ignore"):
        if len(program.group) > 0:
            run_grouped(program, states, start, signs, first, last, beyond, many, counts)
        else:
            run_straight(program, states, start, signs, first, last)
    return counts


def _check(q: PlacementProgram, states: StateArrays, start: Array, signs: Ints) -> None:
    """Raise for arrays that compiled code would read or write beyond their ends."""
    count = states.P.shape[2]
    fits = (
        states.V.shape == (len(q.inputs), count)
        and states.P.shape[:2] == start.shape == (q.points, 2)
        and signs.shape == (q.branches,)
        and states.sine.shape == (q.branches, count)
        and states.failed.shape == (count,)
        and states.P.flags.c_contiguous
        and states.sine.flags.c_contiguous
    )
    if not fits:
        raise ValueError(
            "run: the arrays do not have the shapes that the program needs, or not in one piece"
        )


@apart
@compiled
def run_straight(
    q: PlacementProgram, states: StateArrays, start: Array, signs: Ints, first: int, last: int
) -> None:
    """`run` for a program without groups, without checks, for compiled code."""
    most = min(chunk_states(), last - first)
    w = np.empty((point_row(q, q.points + q.marks), most))
    load_fixed(q, start, w, most)
    for at in range(first, last, max(most, 1)):
        n = min(most, last - at)
        load_inputs(q, states.V, w, at, n)
        for o in range(len(q.code)):
            run_operation(q, o, w, signs, n)
            store_sine(q, o, w, states.sine, at, n)
        store_states(q, w, states, at, n)

"""Many linkages of one program in the same states: the operations of one, then the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.jit.decorators import compiled, unlocked
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


class VariantNumbers(NamedTuple):
    """What differs between linkages.

    Attributes:
        numbers: of the operations, (variants, operations, NUMBERS).
        start: points that no operation computes, (variants, points, 2), mm.
        signs: (variants, branches), +1 or -1.
    """

    numbers: Array
    start: Array
    signs: Ints


class VariantStates(NamedTuple):
    """What is kept of their states.

    Attributes:
        P: traced points, (variants, traced, 2, states), mm; NaN where they cannot be built.
        failed: 0, or 1 + number of the operation that cannot be built in the first state in which
            one cannot; built: number of states that are built; both (variants,).
        least: smallest size of `StateArrays.sine` of all branches in these, (variants,).
    """

    P: Array
    failed: Ints
    built: Ints
    least: Array


@unlocked
@compiled
def run_variants(
    q: PlacementProgram, given: VariantNumbers, V: Array, traced: Ints, out: VariantStates
) -> None:
    """Compute the states of every linkage.

    Args:
        q: its numbers are overwritten; V: (actuators, states), degrees; traced: points to keep.
    """
    most = min(chunk_states(), V.shape[1])
    w = np.empty((point_row(q, q.points + q.marks), most))
    one = StateArrays(
        V, np.empty((q.points, 2, most)), np.empty(most, np.int64), np.empty((q.branches, most))
    )
    for v in range(len(given.start)):
        out.failed[v], out.built[v], out.least[v] = 0, 0, 1.0
    for at in range(0, V.shape[1], max(most, 1)):
        n = min(most, V.shape[1] - at)
        load_inputs(q, V, w, at, n)
        for v in range(len(given.start)):
            for o in range(len(q.code)):
                for k in range(q.numbers.shape[1]):
                    q.numbers[o, k] = given.numbers[v, o, k]
            load_fixed(q, given.start[v], w, n)
            for o in range(len(q.code)):
                run_operation(q, o, w, given.signs[v], n)
                store_sine(q, o, w, one.sine, 0, n)
            store_states(q, w, one, 0, n)
            _keep(one, traced, v, at, n, out)


@compiled
def _keep(one: StateArrays, traced: Ints, v: int, at: int, n: int, out: VariantStates) -> None:
    """Keep what is asked of n states of one linkage."""
    for t in range(len(traced)):
        for i in range(2):
            for s in range(n):
                out.P[v, t, i, at + s] = one.P[traced[t], i, s]
    good, first = 0, 0
    for s in range(n):
        if one.failed[s] == 0:
            good += 1
        elif first == 0:
            first = one.failed[s]
    out.built[v] += good
    if out.failed[v] == 0:
        out.failed[v] = first
    for b in range(len(one.sine)):
        for s in range(n):
            if abs(one.sine[b, s]) < out.least[v]:  # false of what is no number
                out.least[v] = abs(one.sine[b, s])

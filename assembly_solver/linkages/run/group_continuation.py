"""Run a program with groups: continued from state to state, with intermediate states where needed.

Source: continuation in the inputs; docs/theory/dyads.md, 6.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS
from ..plan.placement_program import AT, GROUP, PlacementProgram, point_row
from .batches import (
    CHUNK,
    StateArrays,
    load_cosines,
    load_fixed,
    load_inputs,
    run_operation,
    store_sine,
    store_states,
)
from .group_memory import (
    ASSEMBLED,
    EXTENT,
    LATEST,
    MANY,
    GroupMemory,
    allocate_memory,
    change_to,
    group_task,
    initialise,
    set_scales,
)
from .group_states import solve_group

MAX_STEP = 0.1
"""Largest step of an actuator, rad or share of the size of the first group: between states that
are farther apart intermediate states are computed and not stored."""


@compiled
def run_grouped(
    q: PlacementProgram,
    states: StateArrays,
    start: Array,
    signs: Ints,
    first: int,
    last: int,
    beyond: bool,
    many: bool,
    counts: Ints,
) -> None:
    """`run` for a program with groups, without checks; the groups' counts are added to `counts`."""
    w = np.empty((point_row(q, q.points + q.marks), CHUNK))
    load_fixed(q, start, w, CHUNK)
    m = allocate_memory(q)
    for g in range(len(q.group)):
        m.counts[g, MANY] = int(many)
    now = np.empty(len(q.inputs))
    _initialise_groups(q, states, start, first, m, now)
    at = first
    while at < last:
        between = _load_intermediate(q, states.V, at, m, now, w)
        for o in range(len(q.code) if between > 0 else 0):
            _run_any(q, o, w, signs, m, between, True)
        n = _count_near(q, states.V, at, min(CHUNK, last - at), m, now)
        load_inputs(q, states.V, w, at, n)
        for o in range(len(q.code)):
            _run_any(q, o, w, signs, m, n, beyond)
            store_sine(q, o, w, states.sine, at, n)
        store_states(q, w, states, at, n)
        at += n
    for g in range(len(q.group)):
        for k in range(len(counts)):
            counts[k] += m.counts[g, k]


@borrowing
def _run_any(
    q: PlacementProgram, o: int, w: Array, signs: Ints, m: GroupMemory, n: int, beyond: bool
) -> None:
    if q.code[o, 0] == GROUP:
        solve_group(q, q.code[o, AT], w, m, n, beyond)
    else:
        run_operation(q, o, w, signs, n)


@borrowing
def _initialise_groups(
    q: PlacementProgram, states: StateArrays, start: Array, first: int, m: GroupMemory, now: Array
) -> None:
    """Start the groups at the last state before `first` that was built, else as assembled.

    Writes the actuators' values there to `now`, rad or mm.
    """
    for a in range(len(now)):
        now[a] = q.inputs[a, 2]
    for g in range(len(q.group)):
        initialise(q, g, ASSEMBLED, start, now, m)
        initialise(q, g, LATEST, start, now, m)
        set_scales(group_task(q, g, m), q.group[g, 2] - q.group[g, 0])
    built = first - 1
    while built >= 0 and states.failed[built] != 0:
        built -= 1
    if built >= 0:
        for a in range(len(now)):
            now[a] = q.inputs[a, 0] * states.V[a, built] + q.inputs[a, 1]
        for g in range(len(q.group)):
            initialise(q, g, LATEST, states.P[:, :, built], now, m)


@borrowing
def _value(q: PlacementProgram, V: Array, a: int, s: int) -> float:
    """Value of an actuator in a state, rad or mm."""
    return float(q.inputs[a, 0] * V[a, s] + q.inputs[a, 1])


@borrowing
def _steps(q: PlacementProgram, V: Array, s: int, m: GroupMemory, now: Array) -> int:
    """Number of steps from the values `now` to those of a state, CHUNK at most."""
    steps = 1.0
    for a in range(len(now)):
        largest = MAX_STEP if q.inputs[a, 3] != 0.0 else MAX_STEP * m.size[0, EXTENT]
        change = abs(change_to(q.inputs, a, now[a], _value(q, V, a, s)))
        steps = max(steps, np.ceil(change / largest)) if change < inf else steps
    return int(min(steps, CHUNK))


@borrowing
def _load_intermediate(
    q: PlacementProgram, V: Array, s: int, m: GroupMemory, now: Array, w: Array
) -> int:
    """Load the inputs between `now` and a state; return how many intermediate states they are."""
    steps = _steps(q, V, s, m, now)
    for a in range(len(now)):
        row, change = ACTUATORS + 3 * a, change_to(q.inputs, a, now[a], _value(q, V, a, s))
        for k in range(steps - 1):
            w[row, k] = now[a] + change * (k + 1) / steps
        load_cosines(q, a, w, steps - 1)
    return steps - 1


@borrowing
def _count_near(q: PlacementProgram, V: Array, at: int, n: int, m: GroupMemory, now: Array) -> int:
    """How many states from `at` on, n at most, are one step each; `now` advances to the last."""
    for s in range(at, at + n):
        if s > at and _steps(q, V, s, m, now) > 1:
            return s - at
        for a in range(len(now)):
            value = _value(q, V, a, s)
            now[a] = value if abs(value) < inf else now[a]
    return n

"""Run a program with groups: continued from state to state, and to far ones by way of others.

Source: continuation in the inputs, as any path following; docs/theory/dyads.md, 6.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS
from ..plan.program import AT, GROUP, Program, point_row
from .batches import CHUNK, fix, keep, keep_sine, load, place, turn_inputs
from .group_memory import ASSEMBLED, EXTENT, LATEST, Memory, begin, measure, memory, task, way_to
from .group_newton import place_group

FAR = 0.1
"""Way of an actuator, rad or beside the size of the first group, that groups go in one step:
between states that are farther apart others are built and not kept."""


@compiled
def run_grouped(
    q: Program,
    V: Array,
    P: Array,
    start: Array,
    signs: Ints,
    failed: Ints,
    sine: Array,
    first: int,
    last: int,
    counts: Ints,
) -> None:
    """Place every point in the states first .. last, see `execution.run`; `counts` are added to."""
    w = np.empty((point_row(q, q.points + q.marks), CHUNK))
    fix(q, start, w, CHUNK)
    m = memory(q)
    now = np.empty(len(q.inputs))
    _enter(q, V, P, start, failed, first, m, now)
    at = first
    while at < last:
        between = _approach(q, V, at, m, now, w)
        for o in range(len(q.code) if between > 0 else 0):
            _place(q, o, w, signs, m, between)
        n = _near_ones(q, V, at, min(CHUNK, last - at), m, now)
        load(q, V, w, at, n)
        for o in range(len(q.code)):
            _place(q, o, w, signs, m, n)
            keep_sine(q, o, w, sine, at, n)
        keep(q, w, P, failed, sine, at, n)
        at += n
    for g in range(len(q.group)):
        for k in range(len(counts)):
            counts[k] += m.counts[g, k]


@borrowing
def _place(q: Program, o: int, w: Array, signs: Ints, m: Memory, n: int) -> None:
    """One operation or group in every state of a chunk."""
    if q.code[o, 0] == GROUP:
        place_group(q, q.code[o, AT], w, m, n)
    else:
        place(q, o, w, signs, n)


@borrowing
def _enter(
    q: Program, V: Array, P: Array, start: Array, failed: Ints, first: int, m: Memory, now: Array
) -> None:
    """Where groups come from: the last state before `first` that holds, else the start."""
    for a in range(len(now)):
        now[a] = q.inputs[a, 2]
    for g in range(len(q.group)):
        begin(q, g, ASSEMBLED, start, now, m)
        begin(q, g, LATEST, start, now, m)
        measure(task(q, g, m), q.group[g, 2] - q.group[g, 0])
    held = first - 1
    while held >= 0 and failed[held] != 0:
        held -= 1
    if held >= 0:
        for a in range(len(now)):
            now[a] = q.inputs[a, 0] * V[a, held] + q.inputs[a, 1]
        for g in range(len(q.group)):
            begin(q, g, LATEST, P[:, :, held], now, m)


@borrowing
def _value(q: Program, V: Array, a: int, s: int) -> float:
    """Value of an actuator in a state, rad or mm."""
    return float(q.inputs[a, 0] * V[a, s] + q.inputs[a, 1])


@borrowing
def _steps(q: Program, V: Array, s: int, m: Memory, now: Array) -> int:
    """In how many steps to go from values of the actuators to those of a state, CHUNK at most."""
    steps = 1.0
    for a in range(len(now)):
        far = FAR if q.inputs[a, 3] != 0.0 else FAR * m.size[0, EXTENT]
        way = abs(way_to(q.inputs, a, now[a], _value(q, V, a, s)))
        steps = max(steps, np.ceil(way / far)) if way < inf else steps
    return int(min(steps, CHUNK))


@borrowing
def _approach(q: Program, V: Array, s: int, m: Memory, now: Array, w: Array) -> int:
    """Load the inputs between where they are and those of a state; how many steps lie between."""
    steps = _steps(q, V, s, m, now)
    for a in range(len(now)):
        row, way = ACTUATORS + 3 * a, way_to(q.inputs, a, now[a], _value(q, V, a, s))
        for k in range(steps - 1):
            w[row, k] = now[a] + way * (k + 1) / steps
        turn_inputs(q, a, w, steps - 1)
    return steps - 1


@borrowing
def _near_ones(q: Program, V: Array, at: int, n: int, m: Memory, now: Array) -> int:
    """How many states from `at` on, n at most, are each one step from the last; goes there."""
    for s in range(at, at + n):
        if s > at and _steps(q, V, s, m, now) > 1:
            return s - at
        for a in range(len(now)):
            value = _value(q, V, a, s)
            now[a] = value if abs(value) < inf else now[a]
    return n

"""A chunk of states in rows: load inputs, run one operation in all states, store results."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import NamedTuple

import numpy as np

from ...foundations.jit.columns import columns, count, where
from ...foundations.jit.decorators import borrowing, borrowing_in_form
from ...foundations.jit.two_forms import in_two_forms
from ...foundations.numerics.vector_trigonometry import cosines_and_sines
from ...foundations.types import Array, Ints
from ..plan import closed_forms as forms, placement_program as ops
from ..plan.closed_forms import ACTUATORS, BRANCH_SINE, COSINE, OTHER_RADIUS, RADIUS, SINE
from ..plan.placement_program import AT, BRANCH, FIRST, LAST, PlacementProgram, point_row

CHUNK = 256
"""States of a chunk: with the points of a linkage they stay in the first-level cache."""

WIDE = 4096
"""States of a chunk where interpreted: there an operation on few takes as long as on many."""


def _wide() -> int:
    return WIDE


@in_two_forms(_wide)
def chunk_states() -> int:
    """Most states of a chunk."""
    return CHUNK


class StateArrays(NamedTuple):
    """Inputs and results of a run, a column for each state."""

    V: Array
    """(actuators, states), inputs, degrees or mm."""
    P: Array
    """(points, 2, states), written, mm; NaN from the operation on that cannot be built."""
    failed: Ints
    """(states,), written: 0, or 1 + number of the operation that cannot be built."""
    sine: Array
    """(branches, states), written, 0 at a dead point: of CIRCLES the signed sine of the angle
    between the two radii, which changes evenly where their centres come close to each other, too;
    of LINE_CIRCLE the signed half chord over its radius, of SLIDES over the distance of its pins;
    of a group the determinant of its equations over that of the group as assembled."""


@borrowing
def load_fixed(q: PlacementProgram, start: Array, w: Array, n: int) -> None:
    """Load the points that no operation computes, start (points, 2), mm, into n states."""
    for k in q.fixed:
        row = point_row(q, k)
        for s in columns(n):
            w[row, s], w[row + 1, s] = start[k, 0], start[k, 1]


@borrowing
def load_inputs(q: PlacementProgram, V: Array, w: Array, at: int, n: int) -> None:
    """Load the actuators' values in the n states from `at` on."""
    for a in range(len(q.inputs)):
        row, factor, offset = ACTUATORS + 3 * a, q.inputs[a, 0], q.inputs[a, 1]
        value = V[a, at : at + n]
        for s in columns(n):
            w[row, s] = factor * value[s] + offset
        load_cosines(q, a, w, n)


@borrowing
def load_cosines(q: PlacementProgram, a: int, w: Array, n: int) -> None:
    """Cosine and sine of an actuator's values, where an operation reads them."""
    row = ACTUATORS + 3 * a
    if q.inputs[a, 3] != 0.0:
        cosines_and_sines(w, row, row + COSINE, row + SINE, n)


@borrowing
def run_operation(q: PlacementProgram, o: int, w: Array, signs: Ints, n: int) -> None:
    """Operation number o, which is no group, in the first n states of a chunk."""
    code, by = q.code[o], q.numbers[o]
    kind, to = code[0], point_row(q, q.written[code[FIRST]])
    x0, x1 = point_row(q, code[AT]), point_row(q, code[AT + 1])
    x2, x3 = point_row(q, code[AT + 2]), point_row(q, code[AT + 3])
    sign = 1.0 if code[BRANCH] < 0 else float(signs[code[BRANCH]])
    if kind == ops.TURN:
        forms.turn(w, to, x0, x1, _actuator(code[AT + 2]), by, n)
    elif kind == ops.PUSH:
        forms.push(w, to, x0, x1, x2, _actuator(code[AT + 3]), by, n)
    elif kind == ops.ALONG:
        forms.along(w, to, x0, x1, x2, by, n)
    elif kind == ops.SHAPE:
        forms.shape(w, to, x0, x1, _actuator(code[AT + 2]), code[AT + 3], by, n)
    elif kind == ops.CIRCLES:
        forms.fill_radius(w, RADIUS, code[AT + 2], _actuator(code[AT + 3]), by, 0, n)
        forms.fill_radius(w, OTHER_RADIUS, code[AT + 4], _actuator(code[AT + 5]), by, 4, n)
        forms.circles(w, to, x0, x1, sign, n)
    elif kind == ops.LINE_CIRCLE:
        forms.fill_radius(w, RADIUS, code[AT + 3], _actuator(code[AT + 4]), by, 0, n)
        forms.line_circle(w, to, x0, x1, x2, by[4], sign, n)
    elif kind == ops.LINES:
        forms.lines(w, to, x0, x1, by[0], x2, x3, by[1], n)
    elif kind == ops.SLIDES:
        two = code[LAST] - code[FIRST] == 2
        other = point_row(q, q.written[code[FIRST] + 1]) if two else RADIUS  # scratch, not read
        forms.slides(w, to, other, x0, x1, sign, by, n)
    elif kind == ops.WITHIN:
        forms.within(w, to, x0, x1, x2, by[0], by[1], n)


@borrowing
def _actuator(a: int) -> int:
    """Row of the value of an actuator."""
    return ACTUATORS + 3 * a


@borrowing
def store_states(q: PlacementProgram, w: Array, states: StateArrays, at: int, n: int) -> None:
    """Store the points of the n states from `at` on, and which of the states failed."""
    if _store_points(q, w, states, at, n) > 0:
        _mark_failures(q, w, states, at, n)


@borrowing
def store_sine(q: PlacementProgram, o: int, w: Array, sine: Array, at: int, n: int) -> None:
    """Store how far the branch of an operation is from its dead point."""
    branch = q.code[o, BRANCH]
    if branch >= 0:
        to = sine[branch, at : at + n]
        for s in columns(n):
            to[s] = w[BRANCH_SINE, s]


def _store_points_at_once(
    q: PlacementProgram, w: Array, states: StateArrays, begin: int, n: int
) -> int:
    low, rows = point_row(q, 0), 2 * (q.points + q.marks)
    states.failed[begin : begin + n] = 0
    points = w[low : low + 2 * q.points, :n].reshape(q.points, 2, n)
    states.P[:, :, begin : begin + n] = points
    return rows * n - int(np.count_nonzero(np.abs(w[low : low + rows, :n]) < inf))


@partial(borrowing_in_form, interpreted=_store_points_at_once)
def _store_points(q: PlacementProgram, w: Array, states: StateArrays, begin: int, n: int) -> int:
    """Store the points of a chunk; return how many of their numbers are not finite."""
    good = 0
    states.failed[begin : begin + n] = 0
    for k in range(q.points + q.marks):
        for i in range(2):
            row = point_row(q, k) + i
            for s in columns(n):
                good += count(abs(w[row, s]) < inf)
            if k < q.points:
                to = states.P[k, i, begin : begin + n]
                for s in columns(n):
                    to[s] = w[row, s]
    return 2 * (q.points + q.marks) * n - good


@borrowing
def _mark_failures(q: PlacementProgram, w: Array, states: StateArrays, begin: int, n: int) -> None:
    """Store the first operation that cannot be built; NaN for the results from it on."""
    failed = states.failed[begin : begin + n]
    for o in range(len(q.code)):
        code = q.code[o]
        for e in range(code[FIRST], code[LAST]):
            row = point_row(q, q.written[e])
            for s in columns(n):
                finite = (abs(w[row, s]) < inf) & (abs(w[row + 1, s]) < inf)
                failed[s] = where(finite | (failed[s] > 0), failed[s], 1 + o)
        for e in range(code[FIRST], code[LAST]):
            if q.written[e] < q.points:
                x, y = states.P[q.written[e], 0], states.P[q.written[e], 1]
                _spoil(failed, x[begin : begin + n], n)
                _spoil(failed, y[begin : begin + n], n)
        if code[BRANCH] >= 0:
            _spoil(failed, states.sine[code[BRANCH], begin : begin + n], n)


@borrowing
def _spoil(failed: Ints, row: Array, n: int) -> None:
    """NaN for the numbers of the states that failed."""
    for s in columns(n):
        row[s] = where(failed[s] > 0, nan, row[s])

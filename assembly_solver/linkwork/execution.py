"""Run a program over its states, some hundred at a time: first operation for all, then the next.

A chunk of states stays in the fastest memory from the inputs to the last point.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..jit import borrowing, compiled
from ..numerics.sines import cosines_and_sines
from . import closed_forms as forms
from .closed_forms import ACTUATORS, COSINE, OTHER_RADIUS, RADIUS, SINE, SINUS
from .program import (
    ALONG,
    AT,
    BRANCH,
    CIRCLES,
    FIRST,
    LAST,
    LINE_CIRCLE,
    LINES,
    PUSH,
    SHAPE,
    SLIDES,
    TURN,
    WITHIN,
    Program,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CHUNK = 256
"""States of a chunk."""


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
) -> None:
    """Place every point in the states first .. last (all, where None).

    Args:
        V: (actuators, states), inputs.
        P: (points, 2, states), written, mm; NaN from the operation on that cannot be built.
        start: (points, 2): the points that no operation places; for groups the others assembled.
        signs: (branches,), +1 or -1.
        failed: (states,), written: 0, or 1 + the number of the operation that cannot be built.
        sine: (branches, states), written: the signed half chord beside its radius (of SLIDES:
            beside the distance of its pins), 0 at a dead point; of a group the determinant of its
            equations, which are of unit gradient.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    states = P.shape[2]
    fits = (
        V.shape == (len(program.inputs), states)
        and P.shape[:2] == start.shape == (program.points, 2)
        and signs.shape == (program.branches,)
        and sine.shape == (program.branches, states)
        and failed.shape == (states,)
        and 0 <= first <= (states if last is None else last) <= states
    )
    if not fits:
        raise ValueError("run: the arrays do not have the shapes that the program needs")
    arguments = (program, V, P, start, signs, failed, sine, first, states if last is None else last)
    if jit.ACTIVE:
        _run(*arguments)
    else:
        with np.errstate(all="ignore"):
            _run(*arguments)


@compiled
def _run(
    q: Program, V: Array, P: Array, start: Array, signs: Ints, failed: Ints, sine: Array,
    first: int, last: int,
) -> None:  # fmt: skip
    """The same, compiled: chunk by chunk."""
    w = np.empty((point_row(q, q.points + q.marks), CHUNK))
    for k in q.fixed:
        row = point_row(q, k)
        for s in range(CHUNK):
            w[row, s], w[row + 1, s] = start[k, 0], start[k, 1]
    for begin in range(first, last, CHUNK):
        n = min(CHUNK, last - begin)
        load_inputs(q, V, w, begin, n)
        for o in range(len(q.code)):
            _place(q, o, w, signs, n)
            branch = q.code[o, BRANCH]
            if branch >= 0:
                for s in range(n):
                    sine[branch, begin + s] = w[SINE, s]
        bad = _store(q, w, P, failed, begin, n)
        if bad:
            _blank(q, w, P, failed, sine, begin, n)


@borrowing
def point_row(q: Program, k: int) -> int:
    """Row of x of a point; y is the next."""
    return ACTUATORS + 3 * len(q.inputs) + 2 * k


@borrowing
def load_inputs(q: Program, V: Array, w: Array, begin: int, n: int) -> None:
    """Values of the actuators, rad or mm, with cosine and sine of those that turn."""
    for a in range(len(q.inputs)):
        row, factor, offset = ACTUATORS + 3 * a, q.inputs[a, 0], q.inputs[a, 1]
        for s in range(n):
            w[row, s] = factor * V[a, begin + s] + offset
        if q.inputs[a, 3] != 0.0:
            cosines_and_sines(w, row, row + COSINE, row + SINUS, n)


@borrowing
def _place(q: Program, o: int, w: Array, signs: Ints, n: int) -> None:
    """One operation in every state of a chunk."""
    code, by = q.code[o], q.numbers[o]
    kind, to = code[0], point_row(q, q.written[code[FIRST]])
    x0, x1 = point_row(q, code[AT]), point_row(q, code[AT + 1])
    x2, x3 = point_row(q, code[AT + 2]), point_row(q, code[AT + 3])
    sign = 1.0 if code[BRANCH] < 0 else float(signs[code[BRANCH]])
    if kind == TURN:
        forms.turn(w, to, x0, x1, _actuator(code[AT + 2]), by, n)
    elif kind == PUSH:
        forms.push(w, to, x0, x1, x2, _actuator(code[AT + 3]), by, n)
    elif kind == ALONG:
        forms.along(w, to, x0, x1, x2, by, n)
    elif kind == SHAPE:
        forms.shape(w, to, x0, x1, _actuator(code[AT + 2]), code[AT + 3], by, n)
    elif kind == CIRCLES:
        forms.fill_radius(w, RADIUS, code[AT + 2], _actuator(code[AT + 3]), by, 0, n)
        forms.fill_radius(w, OTHER_RADIUS, code[AT + 4], _actuator(code[AT + 5]), by, 4, n)
        forms.circles(w, to, x0, x1, sign, n)
    elif kind == LINE_CIRCLE:
        forms.fill_radius(w, RADIUS, code[AT + 3], _actuator(code[AT + 4]), by, 0, n)
        forms.line_circle(w, to, x0, x1, x2, by[4], sign, n)
    elif kind == LINES:
        forms.lines(w, to, x0, x1, by[0], x2, x3, by[1], n)
    elif kind == SLIDES:
        two = code[LAST] - code[FIRST] == 2
        other = point_row(q, q.written[code[FIRST] + 1]) if two else RADIUS  # nobody reads it there
        forms.slides(w, to, other, x0, x1, sign, by, n)
    elif kind == WITHIN:
        forms.within(w, to, x0, x1, x2, by[0], by[1], n)
    else:
        for e in range(code[FIRST], code[LAST]):
            row = point_row(q, q.written[e])
            for s in range(n):
                w[row, s] = w[row + 1, s] = w[SINE, s] = nan


@borrowing
def _actuator(a: int) -> int:
    """Row of the value of an actuator."""
    return ACTUATORS + 3 * a


@borrowing
def _store(q: Program, w: Array, P: Array, failed: Ints, begin: int, n: int) -> int:
    """Write the points of a chunk; how many of their numbers are not finite."""
    bad = 0
    for s in range(n):
        failed[begin + s] = 0
    for k in range(q.points + q.marks):
        for i in range(2):
            row = point_row(q, k) + i
            for s in range(n):
                bad += 0 if abs(w[row, s]) < inf else 1
            if k < q.points:
                for s in range(n):
                    P[k, i, begin + s] = w[row, s]
    return bad


@borrowing
def _blank(q: Program, w: Array, P: Array, failed: Ints, sine: Array, begin: int, n: int) -> None:
    """Tell the first operation that cannot be built, and take away what comes after it."""
    for o in range(len(q.code)):
        code = q.code[o]
        for e in range(code[FIRST], code[LAST]):
            k = q.written[e]
            row = point_row(q, k)
            for s in range(n):
                if failed[begin + s] == 0 and not (
                    abs(w[row, s]) < inf and abs(w[row + 1, s]) < inf
                ):
                    failed[begin + s] = 1 + o
        for s in range(n):
            if failed[begin + s] > 0:
                for e in range(code[FIRST], code[LAST]):
                    if q.written[e] < q.points:
                        P[q.written[e], 0, begin + s] = P[q.written[e], 1, begin + s] = nan
                if code[BRANCH] >= 0:
                    sine[code[BRANCH], begin + s] = nan

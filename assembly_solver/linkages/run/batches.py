"""A chunk of states in rows: its inputs, one operation in all of them, and what is kept of it."""

from __future__ import annotations

from math import inf, nan

from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.vector_trigonometry import cosines_and_sines
from ...foundations.types import Array, Ints
from ..plan import closed_forms as forms
from ..plan.closed_forms import ACTUATORS, COSINE, OTHER_RADIUS, RADIUS, SINE, SINUS
from ..plan.program import (
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
    point_row,
)

CHUNK = 256
"""States of a chunk: with the points of a linkage they stay in the fastest memory."""


@borrowing
def fix(q: Program, start: Array, w: Array, n: int) -> None:
    """The points that no operation places, in every state of a chunk."""
    for k in q.fixed:
        row = point_row(q, k)
        for s in range(n):
            w[row, s], w[row + 1, s] = start[k, 0], start[k, 1]


@borrowing
def load(q: Program, V: Array, w: Array, at: int, n: int) -> None:
    """Values of the actuators in a chunk of states."""
    for a in range(len(q.inputs)):
        row, factor, offset = ACTUATORS + 3 * a, q.inputs[a, 0], q.inputs[a, 1]
        for s in range(n):
            w[row, s] = factor * V[a, at + s] + offset
        turn_inputs(q, a, w, n)


@borrowing
def turn_inputs(q: Program, a: int, w: Array, n: int) -> None:
    """Cosine and sine of an actuator's values where they are read."""
    row = ACTUATORS + 3 * a
    if q.inputs[a, 3] != 0.0:
        cosines_and_sines(w, row, row + COSINE, row + SINUS, n)


@borrowing
def place(q: Program, o: int, w: Array, signs: Ints, n: int) -> None:
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


@borrowing
def _actuator(a: int) -> int:
    """Row of the value of an actuator."""
    return ACTUATORS + 3 * a


@borrowing
def keep(q: Program, w: Array, P: Array, failed: Ints, sine: Array, at: int, n: int) -> None:
    """Write what a chunk found; states in which an operation cannot be built are told."""
    if _store(q, w, P, failed, at, n) > 0:
        _blank(q, w, P, failed, sine, at, n)


@borrowing
def keep_sine(q: Program, o: int, w: Array, sine: Array, at: int, n: int) -> None:
    """Write how far the branch of an operation is from its dead point."""
    branch = q.code[o, BRANCH]
    if branch >= 0:
        for s in range(n):
            sine[branch, at + s] = w[SINE, s]


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

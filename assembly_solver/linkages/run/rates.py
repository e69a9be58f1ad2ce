"""Exact velocities and accelerations of a program, from its solved positions.

The constraint of every operation is linear in the velocities of its points, and in their
accelerations once velocities are known: two equations n . p' = b for a point, n being their unit
normals.  Nothing is differentiated numerically.

Source: docs/theory/dyads.md, 6; the rates of a radius and of a line: by differentiating them twice.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import inf, nan

import numpy as np

from ...foundations.jit import decorators
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS, COSINE, SINUS
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.program import (
    ALONG,
    AT,
    CIRCLES,
    FIRST,
    GROUP,
    LAST,
    LINE_CIRCLE,
    LINES,
    PUSH,
    SHAPE,
    SLIDES,
    TURN,
    Program,
    point_row,
)
from .batches import CHUNK, load
from .group_rates import Desk, group_rates

DEAD = 1e-8
"""Sine of the angle between two normals below which a point has no velocity: nearer than that to a
dead point positions are set on it."""


def rates(
    program: Program, V: Array, dV: Array, ddV: Array, P: Array, vel: Array, acc: Array
) -> None:
    """Velocities and accelerations of every point in every state.

    Args:
        V, dV, ddV: (actuators, states), inputs with their rates and accelerations, per s and s^2.
        P: (points, 2, states), as `run` wrote it, mm.
        vel, acc: like P, written, mm/s and mm/s^2; NaN where P is, and from a dead point on.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    V, dV, ddV, P = (np.ascontiguousarray(x, float) for x in (V, dV, ddV, P))
    inputs = (len(program.inputs), P.shape[2])
    fits = V.shape == dV.shape == ddV.shape == inputs and P.shape[:2] == (program.points, 2)
    whole = vel.flags.c_contiguous and acc.flags.c_contiguous
    if not (fits and whole and P.shape == vel.shape == acc.shape):
        raise ValueError(
            "rates: the arrays do not have the shapes that the program needs, or not in one piece"
        )
    with nullcontext() if decorators.ACTIVE else np.errstate(all="ignore"):
        _rates(program, V, dV, ddV, P, vel, acc)


@compiled
def _rates(q: Program, V: Array, dV: Array, ddV: Array, P: Array, vel: Array, acc: Array) -> None:
    """The same, compiled: chunk by chunk."""
    w = np.zeros((3, point_row(q, q.points + q.marks), CHUNK))
    members, n = 0, 0
    for g in range(len(q.group)):
        members = max(members, q.group[g, 2] - q.group[g, 0])
        n = max(n, q.group[g, 4] - q.group[g, 3])
    desk = Desk(
        np.empty((3, members, 2)),
        np.empty((len(q.inputs), 5)),
        np.empty((n, n)),
        np.empty(n),
        np.empty(n, np.int64),
    )
    for at in range(0, P.shape[2], CHUNK):
        n = min(CHUNK, P.shape[2] - at)
        _read(q, V, dV, ddV, P, w, at, n)
        for o in range(len(q.code)):
            _rate(q, o, w[0], w[1], w[2], desk, n)
        for k in range(q.points):
            for i in range(2):
                row = point_row(q, k) + i
                for s in range(n):
                    fine = abs(w[1, row, s]) < inf and abs(P[k, i, at + s]) < inf
                    vel[k, i, at + s] = w[1, row, s] if fine else nan
                    acc[k, i, at + s] = w[2, row, s] if fine else nan


@borrowing
def _read(q: Program, V: Array, dV: Array, ddV: Array, P: Array, w: Array, at: int, n: int) -> None:
    """Inputs and positions of a chunk."""
    load(q, V, w[0], at, n)
    for a in range(len(q.inputs)):
        row = ACTUATORS + 3 * a
        for s in range(n):
            w[1, row, s] = q.inputs[a, 0] * dV[a, at + s]
            w[2, row, s] = q.inputs[a, 0] * ddV[a, at + s]
    for k in range(q.points):
        for i in range(2):
            row = point_row(q, k) + i
            for s in range(n):
                w[0, row, s] = P[k, i, at + s]


@borrowing
def _rate(q: Program, o: int, w: Array, v: Array, a: Array, desk: Desk, n: int) -> None:
    """Rates of the points of one operation: rows of positions, velocities and accelerations."""
    code, by = q.code[o], q.numbers[o]
    kind = code[0]
    if kind == GROUP:
        group_rates(q, code[AT], w, v, a, desk, n)
    elif code[LAST] > code[FIRST]:
        to = point_row(q, q.written[code[FIRST]])
        x0, x1 = point_row(q, code[AT]), point_row(q, code[AT + 1])
        x2, x3 = point_row(q, code[AT + 2]), point_row(q, code[AT + 3])
        if kind == SLIDES:
            two = code[LAST] - code[FIRST] == 2
            other = point_row(q, q.written[code[FIRST] + 1]) if two else to
            _slide(w, v, a, to, other, x0, x1, by, n)
        elif kind in (CIRCLES, LINE_CIRCLE, LINES):
            for s in range(n):
                _meet(w, v, a, kind, to, (x0, x1, x2, x3), code, by, s)
        elif kind in (TURN, PUSH, ALONG, SHAPE):
            for s in range(n):
                _carry(w, v, a, kind, to, (x0, x1, x2, x3), code, by, s)


@borrowing
def _z(w: Array, row: int, s: int) -> complex:
    """A point, or its rate."""
    return complex(w[row, s], w[row + 1, s])


@borrowing
def _put(w: Array, row: int, s: int, z: complex) -> None:
    """Write it."""
    w[row, s], w[row + 1, s] = z.real, z.imag


@borrowing
def _inverse(size: float) -> float:
    """1 / size; NaN where that is 0."""
    return 1.0 / (size if size > 0.0 else nan)


@borrowing
def _turning(w: Array, v: Array, a: Array, n: int, s: int) -> tuple[complex, complex, complex]:
    """e^{i value} of actuator n with its rates."""
    row = ACTUATORS + 3 * n
    f = complex(w[row + COSINE, s], w[row + SINUS, s])
    return f, 1j * v[row, s] * f, (1j * a[row, s] - v[row, s] * v[row, s]) * f


@borrowing
def _factor(
    w: Array, v: Array, a: Array, kind: int, code: Ints, by: Array, s: int
) -> tuple[complex, complex, complex]:
    """By what TURN, PUSH, ALONG and SHAPE multiply the way between two points, with its rates."""
    z0, z1 = complex(by[0], by[1]), complex(by[2], by[3])
    if kind == ALONG:
        return z0, 0j, 0j
    if kind == TURN:
        f, df, ddf = _turning(w, v, a, code[AT + 2], s)
        return z0 * f, z0 * df, z0 * ddf
    if kind == PUSH:
        row = ACTUATORS + 3 * code[AT + 3]
        return z0 + z1 * w[row, s], z1 * v[row, s], z1 * a[row, s]
    row = ACTUATORS + 3 * code[AT + 2]
    f, df, ddf = complex(w[row, s], 0.0), complex(v[row, s], 0.0), complex(a[row, s], 0.0)
    if code[AT + 3]:
        f, df, ddf = _turning(w, v, a, code[AT + 2], s)
    start, start_by = complex(by[4], by[5]), complex(by[6], by[7])
    m, dm = z0 - start, z1 - start_by
    b, db = complex(by[8], by[9]) - start, complex(by[10], by[11]) - start_by
    e = b + db * f
    out = e.conjugate() * _inverse(e.real * e.real + e.imag * e.imag)
    g = (m + dm * f) * out
    dg = (dm * df - g * db * df) * out
    return g, dg, (dm * ddf - 2.0 * dg * db * df - g * db * ddf) * out


@borrowing
def _carry(
    w: Array,
    v: Array,
    a: Array,
    kind: int,
    to: int,
    rows: tuple[int, int, int, int],
    code: Ints,
    by: Array,
    s: int,
) -> None:
    """Rates of a point p_j + f (p_r - p_p)."""
    f, df, ddf = _factor(w, v, a, kind, code, by, s)
    j, p, r = rows[0], rows[1], rows[2]
    if kind in (TURN, SHAPE):
        p, r = rows[0], rows[1]
    d, dd, ddd = _z(w, r, s) - _z(w, p, s), _z(v, r, s) - _z(v, p, s), _z(a, r, s) - _z(a, p, s)
    _put(v, to, s, _z(v, j, s) + df * d + f * dd)
    _put(a, to, s, _z(a, j, s) + ddf * d + 2.0 * df * dd + f * ddd)


@borrowing
def _radius(
    w: Array, v: Array, a: Array, kind: int, n: int, by: Array, k: int, s: int
) -> tuple[float, float, float]:
    """A radius by actuator n with its rates, mm; its numbers are by[k : k + 4]."""
    first, second = complex(by[k], by[k + 1]), complex(by[k + 2], by[k + 3])
    if kind == CONSTANT:
        return abs(first), 0.0, 0.0
    row = ACTUATORS + 3 * n
    x, dx, ddx = first + second * w[row, s], second * v[row, s], second * a[row, s]
    if kind != DRIVEN:
        f, df, ddf = _turning(w, v, a, n, s)
        x, dx, ddx = first + second * f, second * df, second * ddf
    r = abs(x)
    out = _inverse(r)
    dr = (x.conjugate() * dx).real * out
    return r, dr, (abs(dx) ** 2 + (x.conjugate() * ddx).real - dr * dr) * out


@borrowing
def _circle(
    w: Array, v: Array, to: int, c: int, r: tuple[float, float, float], s: int
) -> tuple[complex, float]:
    """Unit normal of a circle at its point, and how fast the point goes along it."""
    normal = (_z(w, to, s) - _z(w, c, s)) * _inverse(r[0])
    return normal, (normal.conjugate() * _z(v, c, s)).real + r[1]


@borrowing
def _circle_again(
    v: Array, a: Array, to: int, c: int, normal: complex, r: tuple[float, float, float], s: int
) -> float:
    """Acceleration of the point of a circle along its normal, its velocity known."""
    speed = abs(_z(v, to, s) - _z(v, c, s))
    inward = (speed * speed - r[1] * r[1]) * _inverse(r[0])
    return float((normal.conjugate() * _z(a, c, s)).real + r[2] - inward)


@borrowing
def _line(
    w: Array, v: Array, to: int, p: int, r: int, side: float, s: int
) -> tuple[complex, float]:
    """The same for a line `side` times its length beside p -> r."""
    d, dd = _z(w, r, s) - _z(w, p, s), _z(v, r, s) - _z(v, p, s)
    out = _inverse(abs(d))
    normal = 1j * d * out
    turned = (dd.conjugate() * (_z(w, to, s) - _z(w, p, s))).imag
    stretched = 2.0 * side * (d.conjugate() * dd).real
    return normal, (normal.conjugate() * _z(v, p, s)).real + (stretched - turned) * out


@borrowing
def _line_again(
    w: Array, v: Array, a: Array, to: int, p: int, r: int, side: float, normal: complex, s: int
) -> float:
    """Acceleration of the point of a line along its normal, its velocity known."""
    d, dd, ddd = _z(w, r, s) - _z(w, p, s), _z(v, r, s) - _z(v, p, s), _z(a, r, s) - _z(a, p, s)
    turned = (ddd.conjugate() * (_z(w, to, s) - _z(w, p, s))).imag
    turned += 2.0 * (dd.conjugate() * (_z(v, to, s) - _z(v, p, s))).imag
    stretched = 2.0 * side * (abs(dd) ** 2 + (d.conjugate() * ddd).real)
    by_turning = (stretched - turned) * _inverse(abs(d))
    return float((normal.conjugate() * _z(a, p, s)).real + by_turning)


@borrowing
def _solve(one: complex, two: complex, b1: float, b2: float) -> complex:
    """The vector of which two unit normals have given parts; NaN where they are parallel."""
    sine = (one.conjugate() * two).imag
    return 1j * (b2 * one - b1 * two) * (1.0 / (sine if abs(sine) > DEAD else nan))


@borrowing
def _meet(
    w: Array,
    v: Array,
    a: Array,
    kind: int,
    to: int,
    x: tuple[int, int, int, int],
    code: Ints,
    by: Array,
    s: int,
) -> None:
    """Rates of a point on two circles, a line and a circle, or two lines."""
    if kind == CIRCLES:
        r = _radius(w, v, a, code[AT + 2], code[AT + 3], by, 0, s)
        other = _radius(w, v, a, code[AT + 4], code[AT + 5], by, 4, s)
        (one, b1), (two, b2) = _circle(w, v, to, x[0], r, s), _circle(w, v, to, x[1], other, s)
        _put(v, to, s, _solve(one, two, b1, b2))
        b1 = _circle_again(v, a, to, x[0], one, r, s)
        b2 = _circle_again(v, a, to, x[1], two, other, s)
    elif kind == LINE_CIRCLE:
        r = _radius(w, v, a, code[AT + 3], code[AT + 4], by, 0, s)
        one, b1 = _circle(w, v, to, x[0], r, s)
        two, b2 = _line(w, v, to, x[1], x[2], by[4], s)
        _put(v, to, s, _solve(one, two, b1, b2))
        b1 = _circle_again(v, a, to, x[0], one, r, s)
        b2 = _line_again(w, v, a, to, x[1], x[2], by[4], two, s)
    else:
        one, b1 = _line(w, v, to, x[0], x[1], by[0], s)
        two, b2 = _line(w, v, to, x[2], x[3], by[1], s)
        _put(v, to, s, _solve(one, two, b1, b2))
        b1 = _line_again(w, v, a, to, x[0], x[1], by[0], one, s)
        b2 = _line_again(w, v, a, to, x[2], x[3], by[1], two, s)
    _put(a, to, s, _solve(one, two, b1, b2))


@borrowing
def _slide(
    w: Array, v: Array, a: Array, to: int, other: int, p: int, r: int, by: Array, n: int
) -> None:
    """Rates of the points of SLIDES: its unit vector turns with the pins."""
    side, z1, z2 = by[0], complex(by[1], by[2]), complex(by[3], by[4])
    for s in range(n):
        d, dd, ddd = _z(w, r, s) - _z(w, p, s), _z(v, r, s) - _z(v, p, s), _z(a, r, s) - _z(a, p, s)
        first, second = _z(w, to, s) - _z(w, p, s), _z(w, other, s) - _z(w, r, s)
        arm, z = (first, z1) if abs(z1) >= abs(z2) or to == other else (second, z2)
        u = arm * z.conjugate() * _inverse(z.real * z.real + z.imag * z.imag)
        along, past = (u.conjugate() * d).real, u.conjugate() * dd
        out = 1.0 / (along if abs(along) > DEAD * abs(d) else nan)
        spin = past.imag * out
        twice = u.conjugate() * ddd
        change = (twice.imag - 2.0 * spin * past.real - spin * spin * side) * out
        turn, bend = 1j * spin * u, (1j * change - spin * spin) * u
        _put(v, to, s, _z(v, p, s) + z1 * turn)
        _put(a, to, s, _z(a, p, s) + z1 * bend)
        if other != to:
            _put(v, other, s, _z(v, r, s) + z2 * turn)
            _put(a, other, s, _z(a, r, s) + z2 * bend)

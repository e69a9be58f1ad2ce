"""Exact velocities and accelerations of a program, from its solved positions.

The constraint of every operation is linear in the velocities of its points, and in their
accelerations once velocities are known: two equations n . p' = b for a point, with unit normals n.
Nothing is differentiated numerically.

Source: docs/theory/dyads.md, 6; the rates of a radius and of a line: by differentiating them twice.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.rounding import ROOT
from ...foundations.types import Array, Ints
from ..plan import placement_program as ops
from ..plan.closed_forms import ACTUATORS, COSINE, SINE
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.placement_program import AT, FIRST, LAST, PlacementProgram, point_row
from .batches import CHUNK, load_inputs
from .group_rates import RateRows, RateWorkspace, distance_rates, group_rates, inverse

PARALLEL_NORMALS = ROOT
"""Sine of the angle between two normals below which a point has no velocity: nearer than that to a
dead point positions are set on it."""


def rates(
    program: PlacementProgram, V: Array, dV: Array, ddV: Array, P: Array, vel: Array, acc: Array
) -> None:
    """Velocities and accelerations of every point in every state.

    Args:
        V, dV, ddV: (actuators, states), inputs with their rates and accelerations, per s and s^2.
        P: (points, 2, states), as `run` wrote it, mm.
        vel, acc: like P, written, mm/s and mm/s^2; NaN where P is, and from a dead point on.

    Raises:
        ValueError: arrays whose shapes do not match each other or the program.
    """
    V, dV, ddV, P = (np.ascontiguousarray(x, float) for x in (V, dV, ddV, P))
    inputs = (len(program.inputs), P.shape[2])
    fits = V.shape == dV.shape == ddV.shape == inputs and P.shape[:2] == (program.points, 2)
    whole = vel.flags.c_contiguous and acc.flags.c_contiguous
    if not (fits and whole and P.shape == vel.shape == acc.shape):
        raise ValueError(
            "rates: the arrays do not have the shapes that the program needs, or not in one piece"
        )
    with np.errstate(all="ignore"):
        _rates(program, V, dV, ddV, P, vel, acc)


@compiled
def _rates(
    q: PlacementProgram, V: Array, dV: Array, ddV: Array, P: Array, vel: Array, acc: Array
) -> None:
    rows = point_row(q, q.points + q.marks)
    chunk = RateRows(np.zeros((rows, CHUNK)), np.zeros((rows, CHUNK)), np.zeros((rows, CHUNK)))
    members, n = 0, 0
    for g in range(len(q.group)):
        members = max(members, q.group[g, 2] - q.group[g, 0])
        n = max(n, q.group[g, 4] - q.group[g, 3])
    work = RateWorkspace(
        np.empty((3, members, 2)),
        np.empty((len(q.inputs), 5)),
        np.empty((n, n)),
        np.empty(n),
        np.empty(n, np.int64),
    )
    for at in range(0, P.shape[2], CHUNK):
        n = min(CHUNK, P.shape[2] - at)
        load_inputs(q, V, chunk.w, at, n)
        for a in range(len(q.inputs)):
            row = ACTUATORS + 3 * a
            for s in range(n):
                chunk.v[row, s] = q.inputs[a, 0] * dV[a, at + s]
                chunk.a[row, s] = q.inputs[a, 0] * ddV[a, at + s]
        for k in range(q.points):
            for i in range(2):
                for s in range(n):
                    chunk.w[point_row(q, k) + i, s] = P[k, i, at + s]
        for o in range(len(q.code)):
            _operation_rates(q, o, chunk, work, n)
        for k in range(q.points):
            for i in range(2):
                row = point_row(q, k) + i
                for s in range(n):
                    known = abs(chunk.v[row, s]) < inf and abs(P[k, i, at + s]) < inf
                    vel[k, i, at + s] = chunk.v[row, s] if known else nan
                    acc[k, i, at + s] = chunk.a[row, s] if known else nan


@borrowing
def _operation_rates(
    q: PlacementProgram, o: int, chunk: RateRows, work: RateWorkspace, n: int
) -> None:
    """Rates of the points of operation o in the first n states."""
    code, by = q.code[o], q.numbers[o]
    kind = code[0]
    if kind == ops.GROUP:
        group_rates(q, code[AT], chunk, work, n)
    elif code[LAST] > code[FIRST]:
        to = point_row(q, q.written[code[FIRST]])
        x0, x1 = point_row(q, code[AT]), point_row(q, code[AT + 1])
        x2, x3 = point_row(q, code[AT + 2]), point_row(q, code[AT + 3])
        if kind == ops.SLIDES:
            two = code[LAST] - code[FIRST] == 2
            other = point_row(q, q.written[code[FIRST] + 1]) if two else to
            _slides_rates(chunk, to, other, x0, x1, by, n)
        elif kind in (ops.CIRCLES, ops.LINE_CIRCLE, ops.LINES):
            for s in range(n):
                _intersection_rates(chunk, to, (x0, x1, x2, x3), code, by, s)
        elif kind in (ops.TURN, ops.PUSH, ops.ALONG, ops.SHAPE):
            for s in range(n):
                _ratio_rates(chunk, to, (x0, x1, x2, x3), code, by, s)


@borrowing
def _z(w: Array, row: int, s: int) -> complex:
    """A point, or its rate."""
    return complex(w[row, s], w[row + 1, s])


@borrowing
def _write(w: Array, row: int, s: int, z: complex) -> None:
    """Write a point, or its rate."""
    w[row, s], w[row + 1, s] = z.real, z.imag


@borrowing
def _vector(chunk: RateRows, p: int, r: int, s: int) -> tuple[complex, complex, complex]:
    """p_r - p_p with its rates."""
    w, v, a = chunk
    return _z(w, r, s) - _z(w, p, s), _z(v, r, s) - _z(v, p, s), _z(a, r, s) - _z(a, p, s)


@borrowing
def _driven(chunk: RateRows, n: int, turns: bool, s: int) -> tuple[complex, complex, complex]:
    """e^{i value} of actuator n (turns), or its value, with rates."""
    w, v, a = chunk
    row = ACTUATORS + 3 * n
    if not turns:
        return complex(w[row, s], 0.0), complex(v[row, s], 0.0), complex(a[row, s], 0.0)
    f = complex(w[row + COSINE, s], w[row + SINE, s])
    return f, 1j * v[row, s] * f, (1j * a[row, s] - v[row, s] * v[row, s]) * f


@borrowing
def _factor(chunk: RateRows, code: Ints, by: Array, s: int) -> tuple[complex, complex, complex]:
    """The factor f of TURN, PUSH, ALONG and SHAPE, with its rates; see `_ratio_rates`."""
    kind, z0, z1 = code[0], complex(by[0], by[1]), complex(by[2], by[3])
    if kind == ops.ALONG:
        return z0, 0j, 0j
    if kind == ops.TURN:
        f, df, ddf = _driven(chunk, code[AT + 2], True, s)
        return z0 * f, z0 * df, z0 * ddf
    if kind == ops.PUSH:
        f, df, ddf = _driven(chunk, code[AT + 3], False, s)
        return z0 + z1 * f, z1 * df, z1 * ddf
    f, df, ddf = _driven(chunk, code[AT + 2], code[AT + 3] != 0, s)
    start, start_by = complex(by[4], by[5]), complex(by[6], by[7])
    m, dm = z0 - start, z1 - start_by
    b, db = complex(by[8], by[9]) - start, complex(by[10], by[11]) - start_by
    e = b + db * f
    out = e.conjugate() * inverse(e.real * e.real + e.imag * e.imag)
    g = (m + dm * f) * out
    dg = (dm * df - g * db * df) * out
    return g, dg, (dm * ddf - 2.0 * dg * db * df - g * db * ddf) * out


@borrowing
def _ratio_rates(
    chunk: RateRows, to: int, rows: tuple[int, int, int, int], code: Ints, by: Array, s: int
) -> None:
    """Rates of a point p_j + f (p_r - p_p)."""
    f, df, ddf = _factor(chunk, code, by, s)
    j, p, r = rows[0], rows[1], rows[2]
    if code[0] in (ops.TURN, ops.SHAPE):
        p, r = rows[0], rows[1]
    d, dd, ddd = _vector(chunk, p, r, s)
    _write(chunk.v, to, s, _z(chunk.v, j, s) + df * d + f * dd)
    _write(chunk.a, to, s, _z(chunk.a, j, s) + ddf * d + 2.0 * df * dd + f * ddd)


@borrowing
def _radius(
    chunk: RateRows, kind: int, n: int, by: Array, k: int, s: int
) -> tuple[float, float, float]:
    """A radius by actuator n with its rates, mm; its numbers are by[k : k + 4]."""
    first, second = complex(by[k], by[k + 1]), complex(by[k + 2], by[k + 3])
    if kind == CONSTANT:
        return abs(first), 0.0, 0.0
    f, df, ddf = _driven(chunk, n, kind != DRIVEN, s)
    z = first + second * f
    dr, ddr = distance_rates(z, second * df, second * ddf)
    return abs(z), dr, ddr


@borrowing
def _circle(
    chunk: RateRows, to: int, c: int, r: tuple[float, float, float], s: int
) -> tuple[complex, float]:
    """Unit normal of a circle at its point, and the velocity of the point along it, mm/s."""
    normal = (_z(chunk.w, to, s) - _z(chunk.w, c, s)) * inverse(r[0])
    return normal, (normal.conjugate() * _z(chunk.v, c, s)).real + r[1]


@borrowing
def _circle_acceleration(
    chunk: RateRows, to: int, c: int, normal: complex, r: tuple[float, float, float], s: int
) -> float:
    """Acceleration of the point of a circle along its normal, mm/s^2, its velocity known."""
    speed = abs(_z(chunk.v, to, s) - _z(chunk.v, c, s))
    inward = (speed * speed - r[1] * r[1]) * inverse(r[0])
    return float((normal.conjugate() * _z(chunk.a, c, s)).real + r[2] - inward)


@borrowing
def _line(chunk: RateRows, to: int, p: int, r: int, side: float, s: int) -> tuple[complex, float]:
    """The same of a line, `side` times the length of p -> r to the left of it."""
    d, dd, _ = _vector(chunk, p, r, s)
    out = inverse(abs(d))
    normal = 1j * d * out
    rotated = (dd.conjugate() * (_z(chunk.w, to, s) - _z(chunk.w, p, s))).imag
    stretched = 2.0 * side * (d.conjugate() * dd).real
    return normal, (normal.conjugate() * _z(chunk.v, p, s)).real + (stretched - rotated) * out


@borrowing
def _line_acceleration(
    chunk: RateRows, to: int, p: int, r: int, side: float, normal: complex, s: int
) -> float:
    """The same of the point of a line."""
    d, dd, ddd = _vector(chunk, p, r, s)
    rotated = (ddd.conjugate() * (_z(chunk.w, to, s) - _z(chunk.w, p, s))).imag
    rotated += 2.0 * (dd.conjugate() * (_z(chunk.v, to, s) - _z(chunk.v, p, s))).imag
    stretched = 2.0 * side * (abs(dd) ** 2 + (d.conjugate() * ddd).real)
    by_rotation = (stretched - rotated) * inverse(abs(d))
    return float((normal.conjugate() * _z(chunk.a, p, s)).real + by_rotation)


@borrowing
def _solve(one: complex, two: complex, b1: float, b2: float) -> complex:
    """The vector with components b1, b2 along two unit normals; NaN where they are parallel."""
    sine = (one.conjugate() * two).imag
    return 1j * (b2 * one - b1 * two) * (1.0 / (sine if abs(sine) > PARALLEL_NORMALS else nan))


@borrowing
def _intersection_rates(
    chunk: RateRows, to: int, x: tuple[int, int, int, int], code: Ints, by: Array, s: int
) -> None:
    """Rates of a point on two circles, a line and a circle, or two lines."""
    if code[0] == ops.CIRCLES:
        r = _radius(chunk, code[AT + 2], code[AT + 3], by, 0, s)
        other = _radius(chunk, code[AT + 4], code[AT + 5], by, 4, s)
        (one, b1), (two, b2) = _circle(chunk, to, x[0], r, s), _circle(chunk, to, x[1], other, s)
        _write(chunk.v, to, s, _solve(one, two, b1, b2))
        b1 = _circle_acceleration(chunk, to, x[0], one, r, s)
        b2 = _circle_acceleration(chunk, to, x[1], two, other, s)
    elif code[0] == ops.LINE_CIRCLE:
        r = _radius(chunk, code[AT + 3], code[AT + 4], by, 0, s)
        one, b1 = _circle(chunk, to, x[0], r, s)
        two, b2 = _line(chunk, to, x[1], x[2], by[4], s)
        _write(chunk.v, to, s, _solve(one, two, b1, b2))
        b1 = _circle_acceleration(chunk, to, x[0], one, r, s)
        b2 = _line_acceleration(chunk, to, x[1], x[2], by[4], two, s)
    else:
        one, b1 = _line(chunk, to, x[0], x[1], by[0], s)
        two, b2 = _line(chunk, to, x[2], x[3], by[1], s)
        _write(chunk.v, to, s, _solve(one, two, b1, b2))
        b1 = _line_acceleration(chunk, to, x[0], x[1], by[0], one, s)
        b2 = _line_acceleration(chunk, to, x[2], x[3], by[1], two, s)
    _write(chunk.a, to, s, _solve(one, two, b1, b2))


@borrowing
def _slides_rates(chunk: RateRows, to: int, other: int, p: int, r: int, by: Array, n: int) -> None:
    """Rates of the points of SLIDES in n states: its unit vector u turns with the pins p and r."""
    w, v, a = chunk
    side, z1, z2 = by[0], complex(by[1], by[2]), complex(by[3], by[4])
    for s in range(n):
        d, dd, ddd = _vector(chunk, p, r, s)
        first, second = _z(w, to, s) - _z(w, p, s), _z(w, other, s) - _z(w, r, s)
        arm, z = (first, z1) if abs(z1) >= abs(z2) or to == other else (second, z2)
        u = arm * z.conjugate() * inverse(z.real * z.real + z.imag * z.imag)
        along, past = (u.conjugate() * d).real, u.conjugate() * dd
        out = 1.0 / (along if abs(along) > PARALLEL_NORMALS * abs(d) else nan)
        spin = past.imag * out
        twice = u.conjugate() * ddd
        change = (twice.imag - 2.0 * spin * past.real - spin * spin * side) * out
        du, ddu = 1j * spin * u, (1j * change - spin * spin) * u
        _write(v, to, s, _z(v, p, s) + z1 * du)
        _write(a, to, s, _z(a, p, s) + z1 * ddu)
        if other != to:
            _write(v, other, s, _z(v, r, s) + z2 * du)
            _write(a, other, s, _z(a, r, s) + z2 * ddu)

"""Velocities and accelerations of the points of a group: two linear systems of one matrix."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.lu import factorise, least_pivot, solve_factored
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS
from ..plan.group_equations import (
    ACTUATOR,
    ALONG_LINE,
    ANGLE,
    FIRST,
    KIND,
    LENGTH,
    OFFSET,
    ON_LINE,
    RADIUS,
    SAME_X,
    SECOND,
)
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.program import Program, point_row
from .gradients import jacobian, place
from .group_newton import DEAD

RATE, CHANGE = 3, 4
"""Columns of an actuator after value, cosine and sine: its rate and acceleration."""


class Desk(NamedTuple):
    """What rates of groups are worked out on."""

    at: Array
    """(3, members, 2): points of a group, velocities, accelerations; unknown points first."""
    values: Array
    """(actuators, 5)"""
    J: Array
    f: Array
    pivots: Ints


@borrowing
def group_rates(q: Program, g: int, w: Array, v: Array, a: Array, desk: Desk, n: int) -> None:
    """Rates of the unknown points of a group in every state of a chunk; rows as in `rates`."""
    first, last = q.group[g, 3], q.group[g, 4]
    begin, unknown = q.group[g, 0], q.group[g, 1] - q.group[g, 0]
    for s in range(n):
        _gather(q, g, w, v, a, desk, s)
        jacobian(q.equation[first:last], q.given[first:last], desk.at[0], desk.values, desk.J)
        regular = factorise(desk.J, last - first, desk.pivots) != 0.0
        regular = regular and least_pivot(desk.J, last - first) > DEAD
        for order in range(1, 3):
            for e in range(first, last):
                velocity, acceleration = rate(q.equation[e], q.given[e], desk.at, desk.values)
                desk.f[e - first] = velocity if order == 1 else acceleration
            if regular:
                solve_factored(desk.J, last - first, desk.pivots, desk.f)
            out = v if order == 1 else a
            for k in range(unknown):
                row = point_row(q, q.member[begin + k])
                for i in range(2):
                    desk.at[order, k, i] = -desk.f[2 * k + i] if regular else nan
                    out[row + i, s] = desk.at[order, k, i]


@borrowing
def _gather(q: Program, g: int, w: Array, v: Array, a: Array, desk: Desk, s: int) -> None:
    """Points of a group in a state: rates of the unknown ones still nought."""
    begin, known = q.group[g, 0], q.group[g, 1]
    for k in range(begin, q.group[g, 2]):
        row = point_row(q, q.member[k])
        for i in range(2):
            desk.at[0, k - begin, i] = w[row + i, s]
            desk.at[1, k - begin, i] = v[row + i, s] if k >= known else 0.0
            desk.at[2, k - begin, i] = a[row + i, s] if k >= known else 0.0
    for n in range(len(desk.values)):
        row = ACTUATORS + 3 * n
        for i in range(3):
            desk.values[n, i] = w[row + i, s]
        desk.values[n, RATE], desk.values[n, CHANGE] = v[row, s], a[row, s]


@borrowing
def _place(row: Ints, given: Array, at: Array, k: int) -> complex:
    """Place k of an equation, or its rate, as a complex number."""
    x, y = place(row, given, at, k)
    return complex(x, y)


@borrowing
def _radius(row: Ints, given: Array, values: Array) -> tuple[float, float]:
    """Rate and acceleration of the radius of an equation, mm."""
    kind, a = row[RADIUS], row[ACTUATOR]
    if kind == CONSTANT:
        return 0.0, 0.0
    first = complex(given[FIRST], given[FIRST + 1])
    second = complex(given[SECOND], given[SECOND + 1])
    rate, change = values[a, RATE], values[a, CHANGE]
    x, dx, ddx = first + second * values[a, 0], second * rate, second * change
    if kind != DRIVEN:
        turned = second * complex(values[a, 1], values[a, 2])
        x, dx, ddx = first + turned, 1j * rate * turned, (1j * change - rate * rate) * turned
    return _distance(x, dx, ddx)


@borrowing
def _distance(x: complex, dx: complex, ddx: complex) -> tuple[float, float]:
    """Rate and acceleration of |x|."""
    far = abs(x)
    out = 1.0 / (far if far > 0.0 else nan)
    rate = (x.conjugate() * dx).real * out
    return rate, (abs(dx) ** 2 + (x.conjugate() * ddx).real - rate * rate) * out


@borrowing
def rate(row: Ints, given: Array, at: Array, values: Array) -> tuple[float, float]:
    """First and second derivative of the residual of an equation by time.

    Args:
        at: (3, members, 2), points with velocities and accelerations.
        values: (actuators, 5).
    """
    kind, n = row[KIND], row[ACTUATOR]
    q = _place(row, given, at[0], 1)
    dq, ddq = _place(row, given, at[1], 1), _place(row, given, at[2], 1)
    m, dm = _place(row, given, at[0], 0) - q, _place(row, given, at[1], 0) - dq
    ddm = _place(row, given, at[2], 0) - ddq
    if kind == LENGTH:
        (speed, change), (dr, ddr) = _distance(m, dm, ddm), _radius(row, given, values)
        return speed - dr, change - ddr
    if kind not in (ON_LINE, ALONG_LINE, ANGLE):
        return (dm.real, ddm.real) if kind == SAME_X else (dm.imag, ddm.imag)
    d, dd = _place(row, given, at[0], 2) - q, _place(row, given, at[1], 2) - dq
    ddd = _place(row, given, at[2], 2) - ddq
    if kind == ANGLE:
        f, spin, change = complex(values[n, 1], values[n, 2]), values[n, RATE], values[n, CHANGE]
        ray = m * f
        first = (dm + 1j * spin * m) * f
        second = (ddm + 2j * spin * dm + (1j * change - spin * spin) * m) * f
        once = dd * ray.conjugate() + d * first.conjugate()
        twice = ddd * ray.conjugate() + 2.0 * dd * first.conjugate() + d * second.conjugate()
        return once.imag / given[OFFSET], twice.imag / given[OFFSET]
    far = abs(d)
    out = 1.0 / (far if far > 0.0 else nan)
    longer, again = _distance(d, dd, ddd)
    across = d.conjugate() * m * out
    once = (dd.conjugate() * m + d.conjugate() * dm - across * longer) * out
    twice = ddd.conjugate() * m + 2.0 * dd.conjugate() * dm + d.conjugate() * ddm
    twice = (twice - 2.0 * once * longer - across * again) * out
    if kind == ON_LINE:
        return once.imag, twice.imag
    return once.real - values[n, RATE], twice.real - values[n, CHANGE]

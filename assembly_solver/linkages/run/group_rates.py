"""Velocities and accelerations of the points of a group: two linear systems of one matrix."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.lu import factorise, least_pivot, solve_factored
from ...foundations.types import Array, Ints
from ..plan import group_equations as eq
from ..plan.closed_forms import ACTUATORS
from ..plan.group_equations import ACTUATOR, FIRST, KIND, OFFSET, RADIUS, SECOND
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.placement_program import PlacementProgram, point_row
from .gradients import jacobian, point_position
from .group_newton import DEAD_PIVOT

RATE, CHANGE = 3, 4
"""Columns of an actuator after value, cosine and sine: its rate and acceleration."""


class RateRows(NamedTuple):
    """A chunk of states in rows as in `closed_forms`, with rates, (rows, CHUNK) each.

    Rows are the same in all: where w has the value of an actuator, v and a have its rates.
    """

    w: Array
    """Positions, mm, and values, rad or mm."""
    v: Array
    """Velocities, per s."""
    a: Array
    """Accelerations, per s^2."""


class RateWorkspace(NamedTuple):
    """Scratch arrays for the rates of groups."""

    at: Array
    """(3, members, 2): points of a group, velocities, accelerations; unknown points first."""
    values: Array
    """(actuators, 5)"""
    J: Array
    f: Array
    pivots: Ints


@borrowing
def group_rates(q: PlacementProgram, g: int, chunk: RateRows, work: RateWorkspace, n: int) -> None:
    """Rates of the unknown points of group g in the first n states; NaN at a dead point.

    Source: docs/theory/dyads.md, 6; the equations differentiated twice.
    """
    first, last = q.group[g, 3], q.group[g, 4]
    begin, unknown = q.group[g, 0], q.group[g, 1] - q.group[g, 0]
    for s in range(n):
        _gather(q, g, chunk, work, s)
        jacobian(q.equation[first:last], q.given[first:last], work.at[0], work.values, work.J)
        regular = factorise(work.J, last - first, work.pivots) != 0.0
        regular = regular and least_pivot(work.J, last - first) > DEAD_PIVOT
        for order in range(1, 3):
            for e in range(first, last):
                rates = equation_rates(q.equation[e], q.given[e], work.at, work.values)
                work.f[e - first] = rates[order - 1]
            if regular:
                solve_factored(work.J, last - first, work.pivots, work.f)
            out = chunk.v if order == 1 else chunk.a
            for k in range(unknown):
                row = point_row(q, q.member[begin + k])
                for i in range(2):
                    work.at[order, k, i] = -work.f[2 * k + i] if regular else nan
                    out[row + i, s] = work.at[order, k, i]


@borrowing
def _gather(q: PlacementProgram, g: int, chunk: RateRows, work: RateWorkspace, s: int) -> None:
    """Points of a group in a state; rates of the unknown ones are still 0."""
    begin, known = q.group[g, 0], q.group[g, 1]
    for k in range(begin, q.group[g, 2]):
        row = point_row(q, q.member[k])
        for i in range(2):
            work.at[0, k - begin, i] = chunk.w[row + i, s]
            work.at[1, k - begin, i] = chunk.v[row + i, s] if k >= known else 0.0
            work.at[2, k - begin, i] = chunk.a[row + i, s] if k >= known else 0.0
    for n in range(len(work.values)):
        row = ACTUATORS + 3 * n
        for i in range(3):
            work.values[n, i] = chunk.w[row + i, s]
        work.values[n, RATE], work.values[n, CHANGE] = chunk.v[row, s], chunk.a[row, s]


@borrowing
def _position(row: Ints, given: Array, at: Array, k: int) -> complex:
    """Point k of an equation, or its rate, as a complex number."""
    x, y = point_position(row, given, at, k)
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
        rotated = second * complex(values[a, 1], values[a, 2])
        x, dx = first + rotated, 1j * rate * rotated
        ddx = (1j * change - rate * rate) * rotated
    return distance_rates(x, dx, ddx)


@borrowing
def inverse(size: float) -> float:
    """1 / size; NaN where that is 0."""
    return 1.0 / (size if size > 0.0 else nan)


@borrowing
def distance_rates(x: complex, dx: complex, ddx: complex) -> tuple[float, float]:
    """Rate and acceleration of |x|; NaN where x is 0."""
    out = inverse(abs(x))
    rate = (x.conjugate() * dx).real * out
    return rate, (abs(dx) ** 2 + (x.conjugate() * ddx).real - rate * rate) * out


@borrowing
def equation_rates(row: Ints, given: Array, at: Array, values: Array) -> tuple[float, float]:
    """First and second derivative of the residual of an equation by time, mm/s and mm/s^2.

    NaN where a distance that the equation divides by is 0.

    Args:
        at, values: of `RateWorkspace`.
    """
    kind, n = row[KIND], row[ACTUATOR]
    q = _position(row, given, at[0], 1)
    dq, ddq = _position(row, given, at[1], 1), _position(row, given, at[2], 1)
    m, dm = _position(row, given, at[0], 0) - q, _position(row, given, at[1], 0) - dq
    ddm = _position(row, given, at[2], 0) - ddq
    if kind == eq.LENGTH:
        (speed, change), (dr, ddr) = distance_rates(m, dm, ddm), _radius(row, given, values)
        return speed - dr, change - ddr
    if kind not in (eq.ON_LINE, eq.ALONG_LINE, eq.ANGLE):
        return (dm.real, ddm.real) if kind == eq.SAME_X else (dm.imag, ddm.imag)
    d, dd = _position(row, given, at[0], 2) - q, _position(row, given, at[1], 2) - dq
    ddd = _position(row, given, at[2], 2) - ddq
    if kind == eq.ANGLE:
        f, spin, change = complex(values[n, 1], values[n, 2]), values[n, RATE], values[n, CHANGE]
        ray = m * f
        first = (dm + 1j * spin * m) * f
        second = (ddm + 2j * spin * dm + (1j * change - spin * spin) * m) * f
        once = dd * ray.conjugate() + d * first.conjugate()
        twice = ddd * ray.conjugate() + 2.0 * dd * first.conjugate() + d * second.conjugate()
        return once.imag / given[OFFSET], twice.imag / given[OFFSET]
    out = inverse(abs(d))
    longer, again = distance_rates(d, dd, ddd)
    across = d.conjugate() * m * out
    once = (dd.conjugate() * m + d.conjugate() * dm - across * longer) * out
    twice = ddd.conjugate() * m + 2.0 * dd.conjugate() * dm + d.conjugate() * ddm
    twice = (twice - 2.0 * once * longer - across * again) * out
    if kind == eq.ON_LINE:
        return once.imag, twice.imag
    return once.real - values[n, RATE], twice.real - values[n, CHANGE]

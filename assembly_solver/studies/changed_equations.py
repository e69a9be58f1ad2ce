"""The equations of an assembly that numbers which vary change, and their rates by these.

Between two markers a measure changes as its wrench works on the shifts and turns of these on their
bodies; targets, coefficients and the numbers of shapes change by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, pi
from typing import NamedTuple

import numpy as np

from ..equations.system import System
from ..equations.table import EquationTable
from ..errors import BadValue
from ..foundations.numerics.varied import rates_of
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.mate import Equation
from ..model.measures import measure as m
from ..model.measures.measure import Marker, Measure, compose, opposed, read
from ..model.measures.shapes import profile
from ..model.tolerances.named_measure import WORLD

ON, AFTER = [1, 2, 0], [2, 0, 1]
"""Numbers of the components that each component of a vector product is of."""

STILL_FRAME = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class ChangedEquation(NamedTuple):
    """Equation `number` of a system, with numbers that vary; markers with their senses."""

    number: int
    equation: Equation


def changed_equations(system: System, before: Assembly, after: Assembly) -> list[ChangedEquation]:
    """The equations whose numbers may differ between an assembly and its copy with others.

    Args:
        system: that of the assembly before.

    Raises BadValue: more than numbers differ.
    """
    flipped = {
        id(h.b.marker)
        for h, sense in zip(after.held.values(), system.sense.tolist(), strict=False)
        if sense < 0
    }
    out = []
    for k, equations in _changed_constraints(system, before, after):
        first, last = system.first_equation[k : k + 2].tolist()
        if len(equations) != last - first:
            name = system.constraints[k]
            raise BadValue(name, name, "a constraint of as many equations as before")
        for e, equation in enumerate(equations, first):
            terms = tuple((c, _with_sense(found, flipped)) for c, found in equation.terms)
            out.append(ChangedEquation(e, equation._replace(terms=terms)))
    return out


def _with_sense(found: Measure, flipped: set[int]) -> Measure:
    """A measure with the markers reversed that a mate's sense reverses."""
    a = opposed(found.a) if id(found.a) in flipped else found.a
    b = opposed(found.b) if id(found.b) in flipped else found.b
    return found._replace(a=a, b=b)


def _changed_constraints(
    system: System, before: Assembly, after: Assembly
) -> Iterator[tuple[int, tuple[Equation, ...]]]:
    """Numbers of the constraints that were resolved again, with their equations."""
    mates = zip(before.held.values(), after.held.values(), strict=True)
    for k, (old, new) in enumerate(mates):
        if old.written is not new.written:
            yield k, new.equations
    k = system.mates
    drivers = zip(before.drivers.values(), after.drivers.values(), strict=True)
    for driver, other in drivers:
        if driver.value is not None:
            if driver is not other:
                assert other.value is not None
                yield k, other.at(other.value)
            k += 1
    for n, active in enumerate(system.active_limits):
        one, two = before.limits[active.limit], after.limits[active.limit]
        if one is not two:
            moved = two.bound(active.upper) - one.bound(active.upper)
            yield k + n, two.at(moved + active.value)


# --------------------------------------------------------------------------------------- rates
def equation_rates(
    system: System, frames: Array, changed: Sequence[ChangedEquation], count: int
) -> Array:
    """Derivatives of the residuals, mm, by so many variables, parts at rest, (equations, count).

    Args:
        frames: world frames of the parts, (parts, 12), mm.
    """
    t, index = system.table, {name: k for k, name in enumerate(system.parts)}
    out = np.zeros((len(t.target), count))
    for e, (terms, target) in changed:
        told = 0.0 if target is None else target  # one that varies may be 0
        first, value = int(t.first_term[e]), -float(told)
        for k, (coefficient, found) in enumerate(terms, first):
            own, rate = _term_rate(t, k, coefficient, found, frames, index, count)
            value, out[e] = value + own, out[e] + rate
            if target is None:  # measured at the start
                own, rate = _term_rate(t, k, coefficient, found, system.start, index, count)
                value, out[e] = value - own, out[e] - rate
        if t.period[e] > 0.0:  # whole turns of an angle, which count by its coefficient
            turns = floor(value / t.period[e] + 0.5)
            out[e] -= 2.0 * pi * turns * rates_of(abs(_turning(t, e, terms)), count)
        out[e] = t.weight[e] * (out[e] - rates_of(told, count))
    return out


def _turning(t: EquationTable, e: int, terms: tuple[tuple[float, Measure], ...]) -> float:
    """The coefficient of the angle that has the period of an equation."""
    sizes = [abs(2.0 * pi * abs(float(c)) - t.period[e]) for c, _ in terms]
    return terms[int(np.argmin(sizes))][0]


def _term_rate(
    t: EquationTable,
    k: int,
    coefficient: float,
    found: Measure,
    frames: Array,
    index: dict[str, int],
    count: int,
) -> tuple[float, Array]:
    """The value of term k of an equation, and its derivatives by the variables, (count,)."""
    a, b = frames[index[found.a.part]], frames[index[found.b.part]]
    value = read(found, a, b)
    if found.kind == m.ROTATION:
        value -= 2.0 * pi * np.floor((value - t.reference[k] + pi) / (2.0 * pi))
    rate = rates_of(coefficient, count) * value
    rate = rate + float(coefficient) * measure_rate(found, a, b, count)
    return float(coefficient) * value, np.asarray(rate)


def measure_rate(found: Measure, a: Array, b: Array, count: int) -> Array:
    """Derivatives of a measure by so many variables, parts at rest, mm or rad, (count,).

    Args:
        a, b: world frames of the parts of its markers, (12,), mm.
    """
    wrench = np.empty(6)
    read(found, a, b, wrench)
    rate = _work(found.b, b, wrench, count) - _work(found.a, a, wrench, count)
    if found.data and found.kind in (m.CONE, m.RING):
        slopes = shape_slopes(found, a, b)
        for slope, number in zip(slopes, found.data, strict=False):
            rate += slope * rates_of(number, count)
    return rate


def _work(marker: Marker, body: Array, wrench: Array, count: int) -> Array:
    """Work of a wrench about the world origin on the motion of a marker on its body, (count,)."""
    if not any(hasattr(v, "jet") for v in marker.frame):
        return np.zeros(count)
    every = np.array([rates_of(v, count) for v in marker.frame])
    acting = np.flatnonzero(every.any(axis=0))  # few of the variables move one marker
    rates = every[:, acting].reshape(4, 3, -1)
    axes = np.array(marker.frame, float).reshape(4, 3)[1:]
    spin = 0.5 * (axes[:, ON, None] * rates[1:, AFTER] - axes[:, AFTER, None] * rates[1:, ON]).sum(
        0
    )
    world = np.empty(12)
    compose(body, np.array(marker.frame, float), world)
    to_world = body[3:].reshape(3, 3).T
    moment = wrench[3:] - np.cross(world[:3], wrench[:3])
    out = np.zeros(count)
    out[acting] = (wrench[:3] @ to_world) @ rates[0] + (moment @ to_world) @ spin
    return out


def shape_slopes(found: Measure, a: Array, b: Array) -> tuple[float, ...]:
    """Derivatives of the distance from a cone or a ring by the numbers of the shape."""
    ends = np.empty((2, 12))
    compose(a, np.array(found.a.frame, float), ends[0])
    compose(b, np.array(found.b.frame, float), ends[1])
    _, _, _, rho, h = profile(ends[0], ends[1])
    if found.kind == m.CONE:
        beyond = found.data[2] > 0.0 and rho * found.data[1] + h * found.data[0] < 0.0
        return (0.0, 0.0) if beyond else (rho, -h)
    value = read(found, a, b)
    return ((float(found.data[0]) - rho) / value,) if value > 0.0 else (0.0,)


def frame_of_marker(system: System, frames: Array, marker: Marker) -> Array:
    """The world frame of the part of a marker, that of the world included, (12,), mm."""
    if marker.part == WORLD:
        return np.array(STILL_FRAME)
    return np.asarray(frames[system.parts.index(marker.part)])

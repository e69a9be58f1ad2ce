"""What groups of a run are worked out on, and remember from state to state."""

from __future__ import annotations

from math import cos, inf, nan, pi, sin
from typing import NamedTuple

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.lu import factorise
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS
from ..plan.group_equations import KIND, LENGTH
from ..plan.program import Program, point_row
from .gradients import jacobian, radius_of

FINE = 1e-13
"""Residual, beside the size of the group, after which one more step is the last."""

ROUNDINGS = 32.0 * 2.0**-52
"""The same beside its coordinates: what their rounding leaves."""

NOW, ASKED, LATEST, ASSEMBLED, HERE = range(5)
"""Points and values of a group: where it is tried, in the state that is asked for, in the last
regular state that held, as assembled, and (points only) where a step began."""

TRAIL = 4
"""States that a prediction reads."""

MATRIX, NORMAL = range(2)
RESIDUAL, TRIAL, STEP = range(3)
"""Matrices and vectors of a group."""

EXTENT, FINEST, BRANCH, SHORT = range(4)
"""Sizes of a group: mm across; its fine residual, mm; its determinant as assembled; its shortest
link, mm."""

ITERATIONS, STATES, STEPS, BY_DAMPING, UNKNOWN, TRAILING = range(6)
"""Counts: factorisations, states that held, sub-steps, states found by damping; points that are
unknown; how many of the last states, one after the other, held."""


class Memory(NamedTuple):
    """All groups of a run."""

    points: Array
    """(groups, 5, members, 2), mm; unknown points first."""
    values: Array
    """(groups, 4, actuators, 3): value, cosine, sine."""
    trail: Array
    """(groups, TRAIL, unknowns): the last states that held, one after the other."""
    size: Array
    """(groups, 4)"""
    counts: Ints
    """(groups, 6)"""
    matrices: Array
    vectors: Array
    pivots: Ints


class Task(NamedTuple):
    """One group of it, with its equations."""

    equation: Ints
    given: Array
    inputs: Array
    points: Array
    values: Array
    trail: Array
    size: Array
    counts: Ints
    matrices: Array
    vectors: Array
    pivots: Ints


@compiled
def memory(q: Program) -> Memory:
    """Room for the groups of a program."""
    groups, actuators, members, n = len(q.group), len(q.inputs), 0, 0
    for g in range(groups):
        members = max(members, q.group[g, 2] - q.group[g, 0])
        n = max(n, q.group[g, 4] - q.group[g, 3])
    return Memory(
        np.empty((groups, 5, members, 2)),
        np.empty((groups, 4, actuators, 3)),
        np.empty((groups, TRAIL, n)),
        np.empty((groups, 4)),
        np.zeros((groups, 6), np.int64),
        np.empty((2, n, n)),
        np.empty((3, n)),
        np.empty(n, np.int64),
    )


@borrowing
def task(q: Program, g: int, m: Memory) -> Task:
    """One group."""
    first, last = q.group[g, 3], q.group[g, 4]
    return Task(
        q.equation[first:last],
        q.given[first:last],
        q.inputs,
        m.points[g],
        m.values[g],
        m.trail[g],
        m.size[g],
        m.counts[g],
        m.matrices,
        m.vectors,
        m.pivots,
    )


@borrowing
def begin(q: Program, g: int, which: int, points: Array, inputs: Array, m: Memory) -> None:
    """Remember a state that holds: ASSEMBLED, or LATEST where a run goes on.

    Args:
        points: (points, 2) of the linkage there; inputs: values of the actuators there.
    """
    for k in range(q.group[g, 0], q.group[g, 2]):
        for i in range(2):
            m.points[g, which, k - q.group[g, 0], i] = points[q.member[k], i]
    for a in range(len(inputs)):
        ask(m.values[g, which], a, inputs[a])
    m.counts[g, UNKNOWN] = q.group[g, 1] - q.group[g, 0]
    m.counts[g, TRAILING] = 0


@borrowing
def ask(values: Array, a: int, value: float) -> None:
    """Ask an actuator for a value."""
    value = value if abs(value) < inf else nan
    values[a, 0], values[a, 1], values[a, 2] = value, cos(value), sin(value)


@borrowing
def measure(t: Task, members: int) -> None:
    """Size of a group where it is assembled, what residual is fine there, and its branch."""
    at, values, extent, largest = t.points[ASSEMBLED], t.values[ASSEMBLED], 0.0, 0.0
    for k in range(members):
        for i in range(2):
            extent = max(extent, abs(at[k, i] - at[0, i]))
            largest = max(largest, abs(at[k, i]))
    t.size[EXTENT], t.size[FINEST] = extent, FINE * extent + ROUNDINGS * largest
    t.size[SHORT] = extent
    for e in range(len(t.equation)):
        if t.equation[e, KIND] == LENGTH:
            t.size[SHORT] = min(t.size[SHORT], radius_of(t.equation[e], t.given[e], values))
    jacobian(t.equation, t.given, at, values, t.matrices[MATRIX])
    t.size[BRANCH] = factorise(t.matrices[MATRIX], len(t.equation), t.pivots)


@borrowing
def way_to(inputs: Array, a: int, now: float, value: float) -> float:
    """From a value of an actuator to another, rad or mm; half a turn at most where it turns."""
    way = value - now
    if inputs[a, 3] != 0.0:
        way -= 2.0 * pi * np.floor(way / (2.0 * pi) + 0.5)
    return way


@borrowing
def read(q: Program, g: int, w: Array, s: int, t: Task) -> bool:
    """What is asked in a state, from the rows of a chunk; whether known points are numbers."""
    first, fine, points, values = q.group[g, 0], 0.0, t.points[ASKED], t.values[ASKED]
    for k in range(q.group[g, 1], q.group[g, 2]):
        row = point_row(q, q.member[k])
        points[k - first, 0], points[k - first, 1] = w[row, s], w[row + 1, s]
        fine += 0.0 * w[row, s] + 0.0 * w[row + 1, s]
    for a in range(len(q.inputs)):
        for i in range(1 if q.inputs[a, 3] == 0.0 else 3):
            values[a, i] = w[ACTUATORS + 3 * a + i, s]
    return bool(fine == 0.0)


@borrowing
def keep(t: Task, members: int) -> None:
    """Remember a state that holds: where it is tried is where it is."""
    for k in range(members):
        for i in range(2):
            t.points[LATEST, k, i] = t.points[NOW, k, i]
    for a in range(len(t.inputs)):
        for i in range(3):
            t.values[LATEST, a, i] = t.values[ASKED, a, i]
    for k in range(len(t.equation)):
        for i in range(TRAIL - 1, 0, -1):
            t.trail[i, k] = t.trail[i - 1, k]
        t.trail[0, k] = t.points[NOW, k // 2, k % 2]
    t.counts[TRAILING] += 1

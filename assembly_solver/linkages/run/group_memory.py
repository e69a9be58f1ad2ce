"""Work arrays of the groups of a run, and what is remembered from state to state."""

from __future__ import annotations

from math import cos, inf, nan, pi, sin
from typing import NamedTuple

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.lu import factorise
from ...foundations.numerics.rounding import EPSILON, ROUNDING
from ...foundations.types import Array, Ints
from ..plan.closed_forms import ACTUATORS
from ..plan.group_equations import KIND, LENGTH
from ..plan.placement_program import PlacementProgram, point_row
from .gradients import jacobian, radius_of

RELATIVE_TOLERANCE = ROUNDING / 8.0
"""Residual, as a share of the size of the group, after which one more step is the last."""

ROUNDINGS = 32.0 * EPSILON
"""The same as a share of its coordinates: what their rounding leaves."""

NOW, REQUESTED, LATEST, ASSEMBLED, STEP_START = range(5)
"""Points and values of a group: current iterate, in the requested state, in the last regular state
that was solved, as assembled, and (points only) where a step began."""

TRAIL = 4
"""States that a prediction reads."""

MATRIX, NORMAL = range(2)
RESIDUAL, TRIAL, STEP = range(3)
"""Matrices and vectors of a group."""

EXTENT, TOLERANCE, BRANCH, SHORTEST_LINK = range(4)
"""Scales of a group: extent, mm; tolerance of its residual, mm; its determinant as assembled; its
shortest link, mm."""

ITERATIONS, STATES, STEPS, BY_DAMPING, UNKNOWN, TRAILING, MANY = range(7)
"""Counts: factorisations, solved states, sub-steps, states solved by damping; unknown points;
consecutive last states that were solved; 1 where interpreted code may solve many states at once."""


class GroupMemory(NamedTuple):
    """Arrays of all groups of a run."""

    points: Array
    """(groups, 5, members, 2), mm; unknown points first."""
    values: Array
    """(groups, 4, actuators, 3): value, cosine, sine."""
    trail: Array
    """(groups, TRAIL, unknowns): the last consecutive solved states."""
    size: Array
    """(groups, 4)"""
    counts: Ints
    """(groups, 7)"""
    matrices: Array
    vectors: Array
    pivots: Ints


class GroupTask(NamedTuple):
    """The equations and arrays of one group; views of `GroupMemory`."""

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
def allocate_memory(q: PlacementProgram) -> GroupMemory:
    """Arrays for the groups of a program."""
    groups, actuators, members, n = len(q.group), len(q.inputs), 0, 0
    for g in range(groups):
        members = max(members, q.group[g, 2] - q.group[g, 0])
        n = max(n, q.group[g, 4] - q.group[g, 3])
    return GroupMemory(
        np.empty((groups, 5, members, 2)),
        np.empty((groups, 4, actuators, 3)),
        np.empty((groups, TRAIL, n)),
        np.empty((groups, 4)),
        np.zeros((groups, 7), np.int64),
        np.empty((2, n, n)),
        np.empty((3, n)),
        np.empty(n, np.int64),
    )


@borrowing
def group_task(q: PlacementProgram, g: int, m: GroupMemory) -> GroupTask:
    """The task of group g."""
    first, last = q.group[g, 3], q.group[g, 4]
    return GroupTask(
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
def initialise(
    q: PlacementProgram, g: int, which: int, points: Array, inputs: Array, m: GroupMemory
) -> None:
    """Set a solved state: ASSEMBLED, or LATEST where a run is continued.

    Args:
        points: (points, 2) of the linkage, mm; inputs: values of the actuators, rad or mm.
    """
    for k in range(q.group[g, 0], q.group[g, 2]):
        for i in range(2):
            m.points[g, which, k - q.group[g, 0], i] = points[q.member[k], i]
    for a in range(len(inputs)):
        set_value(m.values[g, which], a, inputs[a])
    m.counts[g, UNKNOWN] = q.group[g, 1] - q.group[g, 0]
    m.counts[g, TRAILING] = 0


@borrowing
def set_value(values: Array, a: int, value: float) -> None:
    """Set value, cosine and sine of an actuator; NaN where the value is not finite."""
    value = value if abs(value) < inf else nan
    values[a, 0], values[a, 1], values[a, 2] = value, cos(value), sin(value)


@borrowing
def set_scales(t: GroupTask, members: int) -> None:
    """Set the scales of a group from its assembled position."""
    at, values, extent, largest = t.points[ASSEMBLED], t.values[ASSEMBLED], 0.0, 0.0
    for k in range(members):
        for i in range(2):
            extent = max(extent, abs(at[k, i] - at[0, i]))
            largest = max(largest, abs(at[k, i]))
    t.size[EXTENT], t.size[TOLERANCE] = extent, RELATIVE_TOLERANCE * extent + ROUNDINGS * largest
    t.size[SHORTEST_LINK] = extent
    for e in range(len(t.equation)):
        if t.equation[e, KIND] == LENGTH:
            link = radius_of(t.equation[e], t.given[e], values)
            t.size[SHORTEST_LINK] = min(t.size[SHORTEST_LINK], link)
    jacobian(t.equation, t.given, at, values, t.matrices[MATRIX])
    t.size[BRANCH] = factorise(t.matrices[MATRIX], len(t.equation), t.pivots)


@borrowing
def change_to(inputs: Array, a: int, now: float, value: float) -> float:
    """Change of an actuator between values, rad or mm; half a turn at most where it turns."""
    change = value - now
    if inputs[a, 3] != 0.0:
        change -= 2.0 * pi * np.floor(change / (2.0 * pi) + 0.5)
    return change


@borrowing
def read_state(q: PlacementProgram, g: int, w: Array, s: int, t: GroupTask) -> bool:
    """Read the requested state from the rows of a chunk; whether the known points are finite."""
    first, fine, points, values = q.group[g, 0], 0.0, t.points[REQUESTED], t.values[REQUESTED]
    for k in range(q.group[g, 1], q.group[g, 2]):
        row = point_row(q, q.member[k])
        points[k - first, 0], points[k - first, 1] = w[row, s], w[row + 1, s]
        fine += 0.0 * w[row, s] + 0.0 * w[row + 1, s]
    for a in range(len(q.inputs)):
        for i in range(1 if q.inputs[a, 3] == 0.0 else 3):
            values[a, i] = w[ACTUATORS + 3 * a + i, s]
    return bool(fine == 0.0)


@borrowing
def remember_state(t: GroupTask, members: int) -> None:
    """Store the current iterate as the last solved state."""
    for k in range(members):
        for i in range(2):
            t.points[LATEST, k, i] = t.points[NOW, k, i]
    for a in range(len(t.inputs)):
        for i in range(3):
            t.values[LATEST, a, i] = t.values[REQUESTED, a, i]
    for k in range(len(t.equation)):
        for i in range(TRAIL - 1, 0, -1):
            t.trail[i, k] = t.trail[i - 1, k]
        t.trail[0, k] = t.points[NOW, k // 2, k % 2]
    t.counts[TRAILING] += 1

"""The compiled runner: executes the steps of a plan until one fails."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.closed_form import (
    Cloud,
    PlanarComponent,
    PositioningJoint,
    align,
    place,
    place_in_plane,
)
from ..equations.dense_block import DenseBlock, NewtonSettings, solve_dense
from ..equations.table import BLOCKS, SOLVED, STALLED, EquationTable, TwistBasis, residuals
from ..foundations.jit.decorators import compiled, spread
from ..foundations.types import Array, Ints
from ..structure.steps import ALIGN, CHECK, DENSE, PLACE, PLACE_PLANAR, VERIFY, CompiledSteps

CALL = 10
"""The step is one that the caller solves: by projection, or a block in sparse form."""


class PlanArrays(NamedTuple):
    """What does not change while a plan runs.

    Attributes:
        start: poses that decide between equally near ones, shape (bodies, 12).
        centre: of each body, in its coordinates, mm, (bodies, 3); length: characteristic, mm.
        tolerance: convergence tolerance, accept: residual at which a loop holds, mm.
        eta: least reduction for which an inverse is updated; above 1 it never is.
    """

    steps: CompiledSteps
    table: EquationTable
    start: Array
    cloud: Cloud
    centre: Array
    length: float
    tolerance: float
    accept: float
    eta: float


@compiled
def _align(g: PlanArrays, poses: Array, component: int, axes: Array) -> None:
    """The ALIGN step of a component."""
    p = g.steps
    low, high = p.first_flat[component], p.first_flat[component + 1]
    bodies, normal = p.flat_bodies[low:high], p.flat_normal[low:high]
    height, group = p.flat_height[low:high], p.flat_group[low:high]
    flat = PlanarComponent(bodies, normal, height, group, p.flat_groups[component])
    align(poses, flat, g.centre, g.cloud, axes)


@compiled
def _place(g: PlanArrays, poses: Array, s: int, axes: Array) -> None:
    """A PLACE or PLACE_PLANAR step."""
    p = g.steps
    pair = PositioningJoint(p.step[s, 2], p.step[s, 3], p.step[s, 4], p.at[s], p.own[s])
    if p.step[s, 0] == PLACE:
        place(poses, g.start, pair, g.cloud, g.length)
    else:
        place_in_plane(poses, g.start, pair, g.cloud, g.length, axes[2])


@compiled
def _solve_columns(
    g: PlanArrays, poses: Array, s: int, axes: Array, slot: Ints, iterations: int, counts: Ints
) -> int:
    """Solve the rows of a step by its columns; `slot` is -1 everywhere before and after."""
    p = g.steps
    rows = p.rows[p.first_row[s] : p.first_row[s + 1]]
    bodies = p.bodies[p.first_body[s] : p.first_body[s + 1]]
    low, high = p.first_column[s], p.first_column[s + 1]
    for c in range(low, high):
        slot[p.column_body[c], p.column_unknown[c]] = c - low
    rank = min(len(rows), high - low) if p.step[s, 0] == DENSE else 0
    block = DenseBlock(rows, bodies, slot, TwistBasis(axes, g.centre, g.length))
    settings = NewtonSettings(g.tolerance, g.eta, rank, iterations, g.accept)
    status = solve_dense(g.table, poses, block, settings, counts)
    for c in range(low, high):
        slot[p.column_body[c], p.column_unknown[c]] = -1
    return status


@spread
@compiled
def run(
    g: PlanArrays, poses: Array, axes: Array, counts: Ints, first: int, last: int, iterations: int
) -> tuple[int, int]:
    """Run steps from `first` on and before `last`.

    Args:
        poses: of the bodies, shape (bodies, 12), overwritten; counts: work done, increased.
        axes: directions of the unknowns, (components, 3, 3), written where a component begins.
        iterations: of one dense block, after which its status is EXHAUSTED.

    Returns:
        The step that failed and its status, or (the step to continue with, SOLVED).
    """
    p, t = g.steps, g.table
    slot, f = np.empty((len(poses), 6), np.int64), np.empty(len(p.rows))
    for body in range(len(poses)):
        for k in range(6):
            slot[body, k] = -1
    s = first
    while s < last:
        action, at, status = p.step[s, 0], p.step[s, 1], SOLVED
        rows = p.rows[p.first_row[s] : p.first_row[s + 1]]
        if action == CHECK:
            for k in range(9):
                axes[at, k // 3, k % 3] = 1.0 if k % 4 == 0 else 0.0
            if residuals(t, poses, rows, f) <= g.tolerance:
                s = p.step[s, 5]
                continue
        elif action == VERIFY:
            if not residuals(t, poses, rows, f) <= g.accept:
                status = STALLED
        elif action in (PLACE, PLACE_PLANAR):
            _place(g, poses, s, axes[at])
            # a long slide multiplies rounding
            if action == PLACE and residuals(t, poses, rows, f) > g.tolerance:
                _solve_columns(g, poses, s, axes[at], slot, iterations, counts)
        elif action == ALIGN:
            _align(g, poses, at, axes[at])
        elif action == DENSE:
            counts[BLOCKS] += 1
            status = _solve_columns(g, poses, s, axes[at], slot, iterations, counts)
        else:
            status = CALL
        if status != SOLVED:
            return s, status
        s += 1
    return s, SOLVED

"""The compiled runner: goes through the steps of a plan until one does not succeed."""

from __future__ import annotations

import numpy as np

from ..equations.closed_form import Cloud, Flat, align, place, place_flat
from ..equations.dense_block import solve_dense
from ..equations.table import BLOCKS, SOLVED, STALLED, Table, residuals
from ..foundations.jit.decorators import compiled
from ..foundations.types import Array, Ints
from ..structure.steps import ALIGN, CHECK, DENSE, PLACE, PLACE_FLAT, VERIFY, Program

CALL = 10
"""The step is one that the caller solves: by projection, or a block in sparse form."""


@compiled
def _align(
    p: Program, poses: Array, component: int, centre: Array, cloud: Cloud, axes: Array
) -> None:
    """The ALIGN step of a component."""
    low, high = p.first_flat[component], p.first_flat[component + 1]
    flat = Flat(
        p.flat_bodies[low:high],
        p.flat_normal[low:high],
        p.flat_height[low:high],
        p.flat_group[low:high],
        p.flat_groups[component],
    )
    align(poses, flat, centre, cloud, axes)


@compiled
def run(
    p: Program,
    t: Table,
    poses: Array,
    start: Array,
    cloud: Cloud,
    centre: Array,
    length: float,
    tolerance: float,
    accept: float,
    eta: float,
    first: int,
    last: int,
    iterations: int,
    axes: Array,
    counts: Ints,
) -> tuple[int, int]:
    """Run steps from `first` on and before `last`; poses are moved.

    Args:
        iterations: of one dense block, after which its status is EXHAUSTED.
        start: poses that decide ties; axes: (components, 3, 3), written for flat components.
        tolerance: residual at which iterations stop, accept: at which a loop holds, mm.

    Returns:
        The step that was not done and its status, or (the step to go on with, SOLVED).
    """
    slot, f = np.empty((len(poses), 6), np.int64), np.empty(len(p.rows))
    for body in range(len(poses)):
        for k in range(6):
            slot[body, k] = -1
    s = first
    while s < last:
        action, at, parent = p.step[s, 0], p.step[s, 1], p.step[s, 2]
        child, kind = p.step[s, 3], p.step[s, 4]
        rows = p.rows[p.first_row[s] : p.first_row[s + 1]]
        low, high = p.first_column[s], p.first_column[s + 1]
        status, rank = SOLVED, -1  # of the dense block that is solved below
        if action == CHECK:
            for k in range(9):
                axes[at, k // 3, k % 3] = 1.0 if k % 4 == 0 else 0.0
            if residuals(t, poses, rows, f) <= tolerance:
                s = p.step[s, 5]
                continue
        elif action == VERIFY:
            if not residuals(t, poses, rows, f) <= accept:
                status = STALLED
        elif action == PLACE:
            place(poses, start, parent, child, kind, p.at[s], p.own[s], cloud, length)
            if residuals(t, poses, rows, f) > tolerance:  # a long slide multiplies rounding
                rank = 0
        elif action == PLACE_FLAT:
            n = axes[at, 2]
            place_flat(poses, start, parent, child, kind, p.at[s], p.own[s], cloud, length, n)
        elif action == ALIGN:
            _align(p, poses, at, centre, cloud, axes[at])
        elif action == DENSE:
            counts[BLOCKS] += 1
            rank = min(len(rows), high - low)
        else:
            status = CALL
        if rank >= 0:
            for c in range(low, high):
                slot[p.column_body[c], p.column_unknown[c]] = c - low
            ended = solve_dense(
                t,
                poses,
                rows,
                p.bodies[p.first_body[s] : p.first_body[s + 1]],
                slot,
                axes[at],
                centre,
                length,
                tolerance,
                eta,
                rank,
                iterations,
                counts,
            )
            for c in range(low, high):
                slot[p.column_body[c], p.column_unknown[c]] = -1
            status = ended if action == DENSE else SOLVED
        if status != SOLVED:
            return s, status
        s += 1
    return s, SOLVED

"""The compiled runner: goes through the steps of a plan until one does not succeed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import compiled
from .kernel import BLOCKS, SOLVED, Table, residuals, solve_dense
from .placing import Cloud, Flat, align, place, place_flat
from .structure.steps import (
    ALIGN,
    CHECK,
    DENSE,
    PLACE,
    PLACE_FLAT,
    Program,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CALL = 10
"""The step is one that the caller solves: by projection, or a block in sparse form."""


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
    eta: float,
    first: int,
    axes: Array,
    counts: Ints,
) -> tuple[int, int]:
    """Run steps from `first` on; poses are moved.

    Args:
        start: poses that decide ties; axes: (components, 3, 3), written for flat components.

    Returns:
        The step that was not done and its status, or (number of steps, SOLVED).
    """
    slot = np.empty((len(poses), 6), np.int64)
    for body in range(len(poses)):
        for k in range(6):
            slot[body, k] = -1
    f = np.empty(len(p.rows))
    s = first
    while s < len(p.step):
        action, component, parent, child = p.step[s, 0], p.step[s, 1], p.step[s, 2], p.step[s, 3]
        rows = p.rows[p.first_row[s] : p.first_row[s + 1]]
        if action == CHECK:
            for k in range(9):
                axes[component, k // 3, k % 3] = 1.0 if k % 4 == 0 else 0.0
            if residuals(t, poses, rows, f) <= tolerance:
                s = p.step[s, 5]
                continue
        elif action == PLACE:
            place(poses, start, parent, child, p.step[s, 4], p.at[s], p.own[s], cloud, length)
        elif action == PLACE_FLAT:
            n = axes[component, 2]
            kind = p.step[s, 4]
            place_flat(
                poses, start, parent, child, kind, p.at[s], p.own[s], cloud, length, n
            )
        elif action == ALIGN:
            low, high = p.first_flat[component], p.first_flat[component + 1]
            flat = Flat(
                p.flat_bodies[low:high],
                p.flat_normal[low:high],
                p.flat_height[low:high],
                p.flat_group[low:high],
                p.flat_groups[component],
            )
            align(poses, flat, centre, cloud, axes[component])
        elif action != DENSE:
            return s, CALL
        else:
            low, high = p.first_column[s], p.first_column[s + 1]
            for c in range(low, high):
                slot[p.column_body[c], p.column_unknown[c]] = c - low
            bodies = p.bodies[p.first_body[s] : p.first_body[s + 1]]
            a = axes[component]
            counts[BLOCKS] += 1
            target = min(len(rows), high - low)
            status = solve_dense(
                t, poses, rows, bodies, slot, a, centre, length, tolerance, eta, target, counts
            )
            for c in range(low, high):
                slot[p.column_body[c], p.column_unknown[c]] = -1
            if status != SOLVED:
                return s, status
        s += 1
    return s, SOLVED



"""The singular pose that a solved pose cannot be told from.

At a singular pose the residual grows with the square of the distance from it: a solve that ends at
a residual of 1e-10 mm may be 1e-4 mm away, where the rank is in doubt.  The pose is moved along the
doubtful direction until its singular value vanishes; if every constraint still holds there to
rounding, the two poses are one to the solver, and what is said is said of the singular one.

Source: docs/theory/perturbation.md, 3.
"""

from __future__ import annotations

import numpy as np

from ..equations.table import move
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from ..solver.modes.choice import ReachedPoses
from ..structure.incidence import slots
from ..structure.poses import part_poses
from ..structure.steps import Component
from .freedoms import Diagnosis
from .singularity import LARGEST, NOISE, rank_is_clear

SECANTS = 4
"""Steps towards the singular pose; the singular value is linear near it."""

HELD = 10.0
"""Residual at the singular pose, in convergence tolerances, up to which the poses are one."""


def singular_pose(reached: ReachedPoses) -> Array | None:
    """Poses of the parts, (parts, 12), at the singular pose that these cannot be told from.

    None where every rank is clear, or no such pose holds as well.
    """
    plan = reached.planned.plan
    d = Diagnosis(plan, reached.frames)
    poses, moved = d.poses, False
    for k, c in enumerate(plan.components):
        if c.columns <= LARGEST and not rank_is_clear(d, k):
            found = _without_doubt(d, c, poses)
            if found is not None:
                poses, moved = found, True
    if not moved:
        return None
    there = reached.moved(part_poses(plan, poses, d.poses))
    least = max(reached.off, HELD * reached.system.convergence_tolerance)
    return there.frames if there.off <= least else None


def _without_doubt(d: Diagnosis, c: Component, poses: Array) -> Array | None:
    """Poses of the bodies at which the doubtful singular value of a component is rounding."""
    left, sizes, right = np.linalg.svd(d.jacobian(c, poses))
    doubtful = np.flatnonzero((sizes > NOISE * sizes[0]) & (sizes < FAINT * sizes[0]))
    if len(doubtful) != 1:
        return None
    u, v = left[:, doubtful[0]], right[doubtful[0]]
    bodies, slot = np.array(c.bodies, np.int64), slots(len(poses), c.bodies, c.unknowns)

    def at(step: float) -> Array:
        out = poses.copy()
        move(poses, bodies, slot, step * v, 1.0, d.basis(c), out)
        return out

    def size(step: float) -> float:
        return float(u @ d.jacobian(c, at(step)) @ v)

    before, now = 0.0, float(sizes[doubtful[0]] / sizes[0]) * d.plan.system.length
    first, second = size(before), size(now)
    for _ in range(SECANTS):
        if abs(second) < NOISE * sizes[0] or second == first:
            break
        before, now, first = now, now - second * (now - before) / (second - first), second
        second = size(now)
    return at(now) if abs(second) < NOISE * sizes[0] else None

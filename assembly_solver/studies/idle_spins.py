"""Parts that spin idly: about an axis of their own, whatever all parts do, nothing changes.

As the rod of a cylinder between two balls.  How far such a part has turned is free, and follows
from the least movement alone; what is measured elsewhere does not depend on it.
"""

from __future__ import annotations

import numpy as np

from ..equations.constraint_residuals import constraint_residuals
from ..equations.table import EquationTable, residuals, rotation_matrix
from ..foundations.numerics.rounding import FAINT, RANK
from ..foundations.types import Array
from ..solver.modes.known_signs import KnownSigns
from .response import PoseResponse

TURNS = (1.0, 2.5)
"""Angles, rad, by which a part is turned to tell that nothing changes."""

TRIALS = 3
"""Random poses of all parts at which it is turned."""


def idle_spins(response: PoseResponse, t: EquationTable, signs: KnownSigns) -> dict[int, int]:
    """By part that spins idly the unknown of its turn about the world axis nearest to its axis.

    Args:
        t: the equations of the system, with those of limits and of what is measured.
    """
    out = {}
    matrix = response.rows.whole.reshape(response.rows.count, -1, 6)
    for n, part in enumerate(response.moving.tolist()):
        axis = _axis(response, matrix[:, n], part)
        if axis is not None and _is_idle(response, t, signs, part, *axis):
            turn = axis[1] @ response.frames[part, 3:].reshape(3, 3)
            out[part] = 3 + int(np.argmax(np.abs(turn)))
    return out


def _axis(response: PoseResponse, columns: Array, part: int) -> tuple[Array, Array] | None:
    """A point and the direction, on the part, of the line about which nothing stops it alone."""
    _, sizes, right = np.linalg.svd(columns, full_matrices=True)
    if int(np.sum(sizes > RANK * sizes.max(initial=0.0))) != 5:
        return None
    shift, turn = right[5, :3], right[5, 3:] / response.system.length
    size2 = float(turn @ turn)
    if not size2 > 0.0 or abs(shift @ turn) > FAINT * np.sqrt(size2):
        return None
    axes = response.frames[part, 3:].reshape(3, 3)
    foot = response.system.centre[part] + axes @ (np.cross(turn, shift) / size2)
    return foot, axes @ (turn / np.sqrt(size2))


def _is_idle(
    response: PoseResponse,
    t: EquationTable,
    signs: KnownSigns,
    part: int,
    point: Array,
    direction: Array,
) -> bool:
    """Whether turns of a part about a line on it change no constraint, number or sign."""
    rng, length = np.random.default_rng(0), response.system.length
    for _ in range(TRIALS):
        poses = _random_poses(rng, len(response.frames) + 1, length)
        before, name = _read(response, t, poses), signs.name(poses[:-1])
        for turn in TURNS:
            spun = poses.copy()
            spun[part] = _spun(poses[part], point, direction * turn)
            off = np.abs(_read(response, t, spun) - before).max(initial=0.0)
            if off > FAINT * length or signs.name(spun[:-1]) != name:
                return False
    return True


def _read(response: PoseResponse, t: EquationTable, poses: Array) -> Array:
    """By how much each constraint is off, then what limits and measures read, mm."""
    system = response.system
    rows = np.arange(len(system.table.target), len(t.target))
    off, read = np.empty((2, len(system.constraints))), np.empty(len(rows))
    constraint_residuals(t, poses, system.first_equation, system.angular, system.length, off)
    residuals(t, poses, rows, read)
    return np.concatenate([off.ravel(), read])


def _random_poses(rng: np.random.Generator, count: int, length: float) -> Array:
    out = np.empty((count, 12))
    for pose in out:
        turn, (x, y, z) = np.empty((3, 3)), rng.normal(size=3).tolist()
        rotation_matrix(x, y, z, turn)
        pose[:3], pose[3:] = rng.normal(size=3) * length, turn.ravel()
    return out


def _spun(pose: Array, point: Array, turn: Array) -> Array:
    """A pose after a turn about a line through a point, both in coordinates of the part."""
    matrix, out, (x, y, z) = np.empty((3, 3)), np.empty(12), turn.tolist()
    rotation_matrix(x, y, z, matrix)
    axes = pose[3:].reshape(3, 3)
    own = matrix.T @ axes  # rows: the axes of the part, turned within it
    out[3:] = own.ravel()
    out[:3] = pose[:3] + (point - matrix @ point) @ axes
    return out

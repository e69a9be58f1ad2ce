"""Start poses of the parts other than those given: shifted, and turned, reproducible.

They are drawn for the parts by their places, along their own axes: the order in which these were
listed and a motion of the whole assembly change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..equations.places import parts_by_place
from ..equations.system import System
from ..foundations.geometry.pose import placed_points
from ..foundations.types import Array, Ints

ANYWHERE = (0.5, 5.0)
"""Random matrices that are added to an orientation before it is made orthonormal: a turn by some 30
degrees, and by any angle."""

NEARBY = (0.1, 0.25)
"""The same for turns by some 6 and 15 degrees."""

SHIFT = 0.2
"""Shift of a start, relative to the length: by a fifth for a turn by 30 degrees or more."""


def disturbed(system: System, k: int, shift: float = SHIFT) -> Array:
    """Start poses, (parts, 12), moved by a share of the length, reproducible for each k."""
    start, free = system.start.copy(), _free(system)
    by = np.random.default_rng(k).normal(size=(len(free), 3)) * shift * system.length
    start[free, :3] = placed_points(start[free], by)
    return start


def turned_starts(system: System, k: int, turns: Sequence[float] = ANYWHERE) -> Array:
    """Start poses, (parts, 12), moved and turned, by one of some turns, reproducible."""
    out: Array = many_turned(system, [k], turns)[0]
    return out


def many_turned(system: System, numbers: Sequence[int], turns: Sequence[float] = ANYWHERE) -> Array:
    """The same for several numbers at once, (numbers, parts, 12)."""
    by = [turns[k % len(turns)] for k in numbers]
    shift = [SHIFT * min(size / ANYWHERE[0], 1.0) for size in by]
    out = np.stack([disturbed(system, *of) for of in zip(numbers, shift, strict=True)])
    free = _free(system)
    draws = [np.random.default_rng([k, 1]).normal(size=(len(free), 3, 3)) for k in numbers]
    q, sizes = np.linalg.qr(np.eye(3) + np.array(by)[:, None, None, None] * np.stack(draws))
    q *= np.sign(np.einsum("snkk->snk", sizes))[:, :, None, :]
    q[..., 2] *= np.linalg.det(q)[..., None]
    axes = out[:, free, 3:].reshape(len(out), -1, 3, 3)  # rows are the axes
    out[:, free, 3:] = (q @ axes).reshape(len(out), -1, 9)
    return out


def _free(system: System) -> Ints:
    """The parts that are not held, by their places."""
    order = parts_by_place(system)
    return order[~system.fixed[order]]

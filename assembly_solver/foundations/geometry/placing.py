"""Many frames and points, each moved by one of some poses, and means of points by their bodies."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..jit.decorators import borrowing_in_form
from ..jit.lists import on_lists
from ..types import Array, Ints
from .pose import compose_all, placed_points


def _frames_at_once(poses: Array, which: Ints, frames: Array, out: Array) -> None:
    out[:] = compose_all(poses[which], frames)


@partial(borrowing_in_form, interpreted=_frames_at_once)
def place_frames(poses: Array, which: Ints, frames: Array, out: Array) -> None:
    for n in range(len(which)):
        own = which[n]
        for v in range(0, 12, 3):
            x, y, z = frames[n, v], frames[n, v + 1], frames[n, v + 2]
            for k in range(3):
                out[n, v + k] = (
                    x * poses[own, 3 + k] + y * poses[own, 6 + k] + z * poses[own, 9 + k]
                )
        for k in range(3):
            out[n, k] += poses[own, k]


def frames_placed(poses: Array, which: Ints, frames: Array) -> Array:
    """Compositions of the pose of each frame, of those in `poses`, with it: shape (frames, 12)."""
    out = np.empty((len(which), 12))
    place_frames(poses, which, frames, out)
    return out


def _points_at_once(poses: Array, which: Ints, points: Array, out: Array) -> None:
    out[:] = placed_points(poses[which], points)


@partial(borrowing_in_form, interpreted=_points_at_once)
def _place_points(poses: Array, which: Ints, points: Array, out: Array) -> None:
    for n in range(len(which)):
        own, x, y, z = which[n], points[n, 0], points[n, 1], points[n, 2]
        for k in range(3):
            moved = x * poses[own, 3 + k] + y * poses[own, 6 + k] + z * poses[own, 9 + k]
            out[n, k] = moved + poses[own, k]


def points_placed(poses: Array, which: Ints, points: Array) -> Array:
    """Points, (points, 3), mm, each moved by the pose of its own, of those in `poses`."""
    out = np.empty((len(which), 3))
    _place_points(poses, which, points, out)
    return out


@on_lists(2, 3)
def means(points: Array, of: Ints, count: Ints, out: Array) -> None:
    """The mean of the points of each body.

    Args:
        points: (points, 3), mm; of: the body of each.
        count, out: 0 at first, (bodies,) and (bodies, 3): overwritten by how many there are, and by
            their mean, which stays 0 where there are none.
    """
    for n in range(len(of)):
        count[of[n]] += 1
        for k in range(3):
            out[of[n]][k] += points[n][k]
    for body in range(len(count)):
        for k in range(3):
            out[body][k] /= max(count[body], 1)

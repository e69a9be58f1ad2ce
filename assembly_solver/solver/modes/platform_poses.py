"""All poses of a body that distances of points hold: six in space, three in a plane."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Array, Bools, Complexes
from .homotopy import QuadricPath, all_ends, in_pairs, scaled
from .platform_forms import forms, pose_of

PLATFORM_STARTS = Path(__file__).with_name("platform_starts.npz")
"""Generic parameters and all their solutions, in space and in a plane."""


class PlatformPoses(NamedTuple):
    """The poses of a body that distances hold.

    Attributes:
        motions: frames (k, 12) of the motions from where the points are given, mm.
        complex: number of solutions that are not real; apart: the least imaginary part of one,
            relative to its size, inf where there is none.
        complete: whether all paths ended at solutions that are isolated, and different, or go to
            where no pose is; and each that is not real has its conjugate among the others.
    """

    motions: Array
    complex: int
    apart: float
    complete: bool


def platform_poses(own: Array, others: Array, lengths: Array) -> PlatformPoses:
    """All motions that bring points of a body to given distances from other points.

    Args:
        own, others: (6, 3) in space, (3, 2) in a plane, mm; lengths: mm, (6,) or (3,).
    """
    here, there = own.mean(axis=0), others.mean(axis=0)
    size = float(max(np.abs(own - here).max(), np.abs(others - there).max(), lengths.max()))
    a, b, square = (own - here) / size, (others - there) / size, (lengths / size) ** 2
    end = np.column_stack([a, b, square]).astype(complex)
    begin, starts = _starts(len(end))
    path = QuadricPath.through(*(forms(p) for p in (begin, 0.5 * (begin + end), end)))
    found = all_ends(path, starts, _far, starts.shape[1])
    points = scaled(found.points[~_far(found.points)])
    imaginary = np.abs(points.imag).max(axis=1)
    real: Bools = imaginary <= FAINT
    complete = found.whole and in_pairs(points[~real], points.shape[1])
    motions = [_motion(*pose_of(p), size, here, there) for p in points[real].real]
    apart = float(imaginary[~real].min(initial=np.inf))
    return PlatformPoses(np.array(motions).reshape(-1, 12), int((~real).sum()), apart, complete)


def _far(points: Complexes) -> Bools:
    """Which points (m, n) are no poses, or ones at an immense distance, (m,)."""
    e = points[:, : points.shape[1] // 2]
    out: Bools = np.abs(np.sum(e * e, axis=1)) <= AGREEMENT * np.sum(np.abs(points) ** 2, axis=1)
    return out


@cache
def _starts(distances: int) -> tuple[Complexes, Complexes]:
    """Generic parameters and all their solutions, by the number of distances."""
    with np.load(PLATFORM_STARTS) as stored:
        return stored[f"parameters_{distances}"], stored[f"solutions_{distances}"]


def _motion(rotation: Array, t: Array, size: float, here: Array, there: Array) -> Array:
    """The frame of the motion of points around `here`, of others around `there`, unscaled."""
    here, there = (np.pad(x, (0, 3 - len(x))) for x in (here, there))
    out: Array = np.concatenate([there + size * t - rotation @ here, rotation.T.ravel()])
    return out

"""All poses of a body that distances of points hold: six in space, three in a plane."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, FAINT, FOURTH
from ...foundations.types import Array, Bools, Complexes
from .homotopy import PREDICTED, QuadricPath, follow, meeting, scaled
from .monodromy import STARTS
from .platform_forms import forms, pose_of

CLOSER = (1.0, 0.01, FOURTH)
"""Closeness of tries to follow paths, relative to `PREDICTED`: those that met are followed anew."""

ALMOST = 8.0 * FOURTH
"""How near to its end a path is that is told from where it is there: far away, or not."""


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
    points, complete = _followed(end)
    points = scaled(points)
    imaginary = np.abs(points.imag).max(axis=1)
    real: Bools = imaginary <= FAINT
    complete &= in_pairs(points[~real])
    motions = [_motion(*pose_of(p), size, here, there) for p in points[real].real]
    apart = float(imaginary[~real].min(initial=np.inf))
    return PlatformPoses(np.array(motions).reshape(-1, 12), int((~real).sum()), apart, complete)


def _followed(end: Complexes) -> tuple[Complexes, bool]:
    """The different solutions of generic paths to some parameters; whether they are all."""
    begin, starts = _starts(len(end))
    path = QuadricPath.through(*(forms(p) for p in (begin, 0.5 * (begin + end), end)))
    points, lost = np.empty_like(starts), np.arange(len(starts))
    gone = np.zeros(len(starts), bool)
    for closer in CLOSER:
        followed = follow(path, starts[lost], closer * PREDICTED)
        points[lost] = np.where(followed.reached[:, None], followed.points, np.nan)
        gone[lost] = _far(followed.points) & (followed.s > 1.0 - ALMOST)
        good = np.isfinite(points).all(axis=1)
        known = np.flatnonzero(good)
        met = meeting(points[known], FAINT)
        apart = known[~met[:, 0]]
        lost = np.setdiff1d(np.flatnonzero(~gone), known[~met.any(axis=1)])
        if not len(lost):
            break
    found = points[apart]
    return found[~_far(found)], not len(lost)


def in_pairs(points: Complexes) -> bool:
    """Whether the conjugate of each homogeneous point is another one: real equations have both."""
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    cosine = np.abs(unit @ unit.T)  # of one and the conjugate of the other
    np.fill_diagonal(cosine, 0.0)
    near = 1.0 - np.minimum(cosine, 1.0) ** 2 <= FAINT**2
    return bool((near.sum(axis=1) == 1).all())


def _far(points: Complexes) -> Bools:
    """Which points (m, n) are no poses, or ones at an immense distance, (m,)."""
    e = points[:, : points.shape[1] // 2]
    out: Bools = np.abs(np.sum(e * e, axis=1)) <= AGREEMENT * np.sum(np.abs(points) ** 2, axis=1)
    return out


@cache
def _starts(distances: int) -> tuple[Complexes, Complexes]:
    """Generic parameters and all their solutions, by the number of distances."""
    with np.load(STARTS) as stored:
        return stored[f"parameters_{distances}"], stored[f"solutions_{distances}"]


def _motion(rotation: Array, t: Array, size: float, here: Array, there: Array) -> Array:
    """The frame of the motion of points around `here`, of others around `there`, unscaled."""
    here, there = (np.pad(x, (0, 3 - len(x))) for x in (here, there))
    out: Array = np.concatenate([there + size * t - rotation @ here, rotation.T.ravel()])
    return out

"""All poses of a body that six points on spheres and planes hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import UNWATCHED, QuadricPath, in_pairs
from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Array, Bools, Complexes, Ints
from ...foundations.watch import Watch
from .path_ends import all_ends
from .platform_forms import as_contacts, forms, pose_of

PLATFORM_STARTS = Path(__file__).with_name("platform_starts.npz")
"""Generic parameters and all their solutions."""


class PlatformPoses(NamedTuple):
    """The poses of a body that distances hold.

    Attributes:
        motions: frames (k, 12) of the motions from where the points are given, mm.
        complex: number of solutions that are not real; apart: the least imaginary part of one,
            relative to its size, inf where there is none.
        closures: how many solutions meet in each real one, (k,): 1 but at a singular pose.
        complete: whether all paths ended at solutions that are isolated, or go to where no pose is;
            and each that is not real has its conjugate among the others.
        regular: whether no two of them meet.
    """

    motions: Array
    closures: Ints
    complex: int
    apart: float
    complete: bool
    regular: bool


def platform_poses(
    own: Array,
    others: Array,
    lengths: Array,
    watch: Watch = UNWATCHED,
    normals: Array | None = None,
    carried: Bools | None = None,
) -> PlatformPoses:
    """All motions that bring points of a body to given distances from other points, or into planes.

    Args:
        own, others: (6, 3), mm; lengths: (6,), mm.
        normals: of the planes, (6, 3), 0 for distances; carried: which planes the body carries.
            The plane is through the point on its side.
    """
    here, there = own.mean(axis=0), others.mean(axis=0)
    size = float(max(np.abs(own - here).max(), np.abs(others - there).max(), lengths.max()))
    a, b, square = (own - here) / size, (others - there) / size, (lengths / size) ** 2
    end = as_contacts(np.column_stack([a, b, square]).astype(complex))
    flat = 0
    if normals is not None and carried is not None:
        end, flat = _with_planes(end, normals, carried)
    given, starts = _starts()
    begin = as_contacts(given)
    ways = [_path(np.roll(begin, n, axis=0), end, flat) for n in range(4)]  # legs reordered
    found = all_ends(ways.__getitem__, starts, _far, watch)
    if len(found.lost):  # a path that passes by a singular one, or goes far away; others may not
        other = all_ends(ways[2:].__getitem__, starts, _far, watch)
        found = other if other.whole else found
    largest = np.argmax(np.abs(found.points), axis=1)[:, None]
    points = found.points / np.take_along_axis(found.points, largest, 1)
    imaginary = np.abs(points.imag).max(axis=1, initial=0.0)
    real: Bools = imaginary <= FAINT
    complete = found.whole and in_pairs(points[~real], points.shape[1])
    motions = [_motion(*pose_of(p), size, here, there) for p in points[real].real]
    apart = float(imaginary[~real].min(initial=np.inf))
    frames, others_are = np.array(motions).reshape(-1, 12), int(found.paths[~real].sum())
    regular = bool((found.paths == 1).all())
    return PlatformPoses(frames, found.paths[real], others_are, apart, complete, regular)


def _with_planes(contacts: Complexes, normals: Array, carried: Bools) -> tuple[Complexes, int]:
    """Contacts (6, 10) with planes in place of points of some, these last; how many they are."""
    out, flat = contacts.copy(), normals.any(axis=1)
    for n in np.flatnonzero(flat):
        plane, point = (out[n, :5], out[n, 5:])[:: 1 if carried[n] else -1]
        plane[:] = [0.0, *normals[n], 2.0 * (normals[n] @ plane[1:4])]
        point[4] = point[1:4] @ point[1:4]
    return out[np.argsort(flat, kind="stable")], int(flat.sum())


def _path(begin: Complexes, end: Complexes, flat: int) -> QuadricPath:
    return QuadricPath.through(*(forms(p, flat) for p in (begin, 0.5 * (begin + end), end)))


def _far(points: Complexes) -> Bools:
    """Which points (m, n) are no poses, or ones at an immense distance, (m,)."""
    e = points[:, : points.shape[1] // 2]
    out: Bools = np.abs(np.sum(e * e, axis=1)) <= AGREEMENT * np.sum(np.abs(points) ** 2, axis=1)
    return out


@cache
def _starts() -> tuple[Complexes, Complexes]:
    """Generic parameters and all their solutions."""
    with np.load(PLATFORM_STARTS) as stored:
        return stored["parameters"], stored["solutions"]


def _motion(rotation: Array, t: Array, size: float, here: Array, there: Array) -> Array:
    """The frame of the motion of points around `here`, of others around `there`, unscaled."""
    out: Array = np.concatenate([there + size * t - rotation @ here, rotation.T.ravel()])
    return out

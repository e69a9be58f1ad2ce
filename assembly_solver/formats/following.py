"""Curves along edges of a modeller's shapes: through points of them, as close as `CLOSE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import AssemblySolverError
from ..geometry.pose import Triple, triple
from ..model.curve import Curve

Array = NDArray[np.float64]

JOINED = 1e-7
"""How near its ends are to each other where a curve is closed, mm."""

CLOSE = 1e-4
"""What a curve through points of an edge may be off it, mm."""

MOST = 400
"""Points of a curve above which edges are not followed any closer."""


class Course(NamedTuple):
    """An edge: whether it is straight, and its points at shares 0 to 1 of its way, mm."""

    straight: bool
    points: Callable[[Array], Sequence[Triple]]


def followed(courses: Sequence[Course]) -> tuple[Curve, ...]:
    """A curve through points of edges, one after the other; nothing where it would not follow.

    Straight edges are followed exactly, from corner to corner; what is bent by a spline through
    so many points that it keeps to `CLOSE`.  A corner between bent edges has no such spline.
    Towards open ends, where its bend is not that of the edge, the points are closer together.
    """
    first, last = _points(courses, np.array([0.0, 1.0]))[[0, -1]]
    closed = bool(np.linalg.norm(last - first) < JOINED)
    count = 1 if all(course.straight for course in courses) else 16
    while count * len(courses) <= MOST:
        points = _points(courses, _shares(count, closed))
        ends = points[:-1] if closed else points
        try:
            made = Curve(tuple(map(triple, ends)), closed=closed, smooth=count > 1)
        except AssemblySolverError:
            return ()
        if count == 1 or _off(made, _points(courses, _shares(2 * count, closed))[1::2]) <= CLOSE:
            return (made,)
        count *= 2
    return ()


def _shares(count: int, closed: bool) -> Array:
    """The ends of so many pieces of a way, 0 to 1: alike, or those of an open one graded."""
    even = np.linspace(0.0, 1.0, count + 1)
    return even if closed or count == 1 else 0.5 - 0.5 * np.cos(np.pi * even)


def _points(courses: Sequence[Course], shares: Array) -> Array:
    """Points of edges one after the other, (points, 3)."""
    rows: list[Triple] = []
    for course in courses:
        found = course.points(shares)
        rows += found[1:] if rows else found
    return np.array(rows)


def _off(curve: Curve, points: Array) -> float:
    """How far points, one beside the middle of each piece of a curve, are off it at most, mm."""
    data = np.array(curve.numbers[2:]).reshape(int(curve.numbers[0]), -1)
    frame = np.array(curve.frame).reshape(4, 3)
    u = np.linspace(0.3, 0.7, 41)
    powers = np.stack([np.ones_like(u), u, u**2, u**3])
    slopes = np.stack([np.zeros_like(u), np.ones_like(u), 2.0 * u, 3.0 * u**2])
    cubic = data[:, :12].reshape(-1, 4, 3)
    along = np.einsum("nkr,ku->nur", cubic, slopes)
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    own = (points - frame[0]) @ frame[1:].T
    gaps = own[:, None] - np.einsum("nkr,ku->nur", cubic, powers)
    aside = gaps - np.einsum("nur,nur->nu", gaps, along)[..., None] * along
    nearest = np.linalg.norm(gaps, axis=2).argmin(axis=1)
    return float(np.linalg.norm(aside[np.arange(len(own)), nearest], axis=1).max())

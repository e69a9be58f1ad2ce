"""Curves along edges of a modeller's shapes: through points on them, within `CLOSE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import AssemblySolverError
from ...foundations.geometry.pose import Triple, triple
from ...foundations.numerics.rounding import CONFUSION
from ...foundations.types import Array
from ...model.curve import Curve

CLOSE = 1e-4
"""A setting: tolerance of a curve through points of an edge, mm."""

MOST = 400
"""Most points of a curve."""

ENDS = np.array([0.0, 1.0])
"""Fractions of the length of an edge at its ends."""

NEAR = 1e-4
"""A setting: fraction of an edge over which its direction at an end is measured."""

CORNER = 1e-2
"""A setting: change of direction from edge to edge above which there is a corner, rad."""


class Course(NamedTuple):
    """An edge: whether it is straight, and its points (mm) at fractions 0 to 1 of its parameter."""

    straight: bool
    points: Callable[[Array], Sequence[Triple]]


def followed(courses: Sequence[Course]) -> tuple[Curve, ...]:
    """A curve along consecutive edges.

    Straight edges give a polyline through their corners.  Otherwise the curve is a spline through
    points, doubled in number until it is within `CLOSE`.  The points are denser towards open ends
    and joints of edges, where the spline's curvature differs from that of the edge.

    Returns:
        One curve; empty where there is a corner at a curved edge, where `MOST` points do not
        reach `CLOSE`, or where no curve can be made of the points.
    """
    corners = _points(courses, [ENDS] * len(courses))
    closed = bool(np.linalg.norm(corners[-1] - corners[0]) < CONFUSION)
    if all(course.straight for course in courses):
        return _through(corners, closed, smooth=False)
    if _cornered(courses, closed):
        return ()
    count = 8
    while count <= MOST:
        shares = _shares(courses, count, closed and len(courses) == 1)
        if sum(map(len, shares)) > MOST:
            return ()
        made = _through(_points(courses, shares), closed, smooth=True)
        between = _points(courses, [_halved(s) for s in shares])[1::2]
        if not made or _off(made[0], between) <= CLOSE:
            return made
        count *= 2
    return ()


def _cornered(courses: Sequence[Course], closed: bool) -> bool:
    """Whether an edge starts in another direction than the edge before ends."""
    samples = [_points([c], [np.array([0.0, NEAR, 1.0 - NEAR, 1.0])]) for c in courses]
    steps = np.diff(np.array(samples), axis=1)[:, [0, 2]]
    starts, ends = np.moveaxis(steps / np.linalg.norm(steps, axis=2, keepdims=True), 1, 0)
    turns = np.linalg.norm(np.roll(starts, -1, axis=0) - ends, axis=1)
    return bool((turns if closed else turns[:-1]).max(initial=0.0) > CORNER)


def _through(points: Array, closed: bool, smooth: bool) -> tuple[Curve, ...]:
    """A curve through points (n, 3); of a closed one the last point repeats the first."""
    ends = points[:-1] if closed else points
    try:
        return (Curve(tuple(map(triple, ends)), closed=closed, smooth=smooth),)
    except AssemblySolverError:
        return ()


def _shares(courses: Sequence[Course], count: int, even: bool) -> list[Array]:
    """Fractions 0 to 1 of each edge that bound the segments of the curve.

    A curved edge has `count` segments, even or graded.  Those of a straight edge double in length
    from its ends, where they are as long as the shortest segment of the curved edges.
    """
    uniform = np.linspace(0.0, 1.0, count + 1)
    curved = uniform if even else 0.5 - 0.5 * np.cos(np.pi * uniform)
    steps = [np.linalg.norm(np.diff(_points([c], [curved]), axis=0), axis=1) for c in courses]
    least = min(float(s.min()) for s, c in zip(steps, courses, strict=True) if not c.straight)
    out = []
    for course, step in zip(courses, steps, strict=True):
        if course.straight:
            doubled = least / float(step.sum()) * (2.0 ** np.arange(1, 50) - 1.0)
            half = doubled[doubled < 0.4]
            out.append(np.concatenate([[0.0], half, 1.0 - half[::-1], [1.0]]))
        else:
            out.append(curved)
    return out


def _halved(shares: Array) -> Array:
    """The fractions with the midpoint of each segment added."""
    return np.sort(np.concatenate([shares, 0.5 * (shares[1:] + shares[:-1])]))


def _points(courses: Sequence[Course], shares: Sequence[Array]) -> Array:
    """Points of consecutive edges at the fractions of each, (points, 3); shared ends once."""
    rows: list[Triple] = []
    for course, fractions in zip(courses, shares, strict=True):
        found = course.points(fractions)
        rows += found[1:] if rows else found
    return np.array(rows)


def _off(curve: Curve, points: Array) -> float:
    """Largest distance of points (n, 3), one near the middle of each segment, from a curve, mm."""
    data = np.array(curve.numbers[2:]).reshape(int(curve.numbers[0]), -1)
    frame = np.array(curve.frame).reshape(4, 3)
    u = np.linspace(0.3, 0.7, 41)
    powers = np.stack([np.ones_like(u), u, u**2, u**3])
    slopes = np.stack([np.zeros_like(u), np.ones_like(u), 2.0 * u, 3.0 * u**2])
    cubic = data[:, :12].reshape(-1, 4, 3)
    along = np.einsum("nkr,ku->nur", cubic, slopes)
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    local = (points - frame[0]) @ frame[1:].T
    gaps = local[:, None] - np.einsum("nkr,ku->nur", cubic, powers)
    normal = gaps - np.einsum("nur,nur->nu", gaps, along)[..., None] * along
    nearest = np.linalg.norm(gaps, axis=2).argmin(axis=1)
    return float(np.linalg.norm(normal[np.arange(len(local)), nearest], axis=1).max())

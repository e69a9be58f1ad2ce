"""Curves along edges of a modeller's shapes: through points of them, as close as `CLOSE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import AssemblySolverError
from ...foundations.geometry.pose import Triple, triple
from ...foundations.types import Array
from ...model.curve import Curve

JOINED = 1e-7
"""How near its ends are to each other where a curve is closed, mm."""

CLOSE = 1e-4
"""What a curve through points of an edge may be off it, mm."""

MOST = 400
"""Points of a curve above which edges are not followed any closer."""


ENDS = np.array([0.0, 1.0])
"""The shares of an edge at its ends."""


NEAR = 1e-4
"""Share of an edge that tells its direction at an end."""

CORNER = 1e-2
"""A turn above this from edge to edge is a corner for certain, rad."""


class Course(NamedTuple):
    """An edge: whether it is straight, and its points at shares 0 to 1 of its way, mm."""

    straight: bool
    points: Callable[[Array], Sequence[Triple]]


def followed(courses: Sequence[Course]) -> tuple[Curve, ...]:
    """A curve through points of edges, one after the other; nothing where it would not follow.

    Straight edges are followed exactly, from corner to corner; what is bent by a spline through
    so many points that it keeps to `CLOSE`.  A corner beside a bent edge has no such spline.
    Towards open ends and from edge to edge, where its bend is not that of the edge, the points are
    closer together.
    """
    corners = _points(courses, [ENDS] * len(courses))
    closed = bool(np.linalg.norm(corners[-1] - corners[0]) < JOINED)
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
    """Whether an edge goes on in another direction than the one before, rad."""
    ways = [_points([c], [np.array([0.0, NEAR, 1.0 - NEAR, 1.0])]) for c in courses]
    steps = np.diff(np.array(ways), axis=1)[:, [0, 2]]
    starts, ends = np.moveaxis(steps / np.linalg.norm(steps, axis=2, keepdims=True), 1, 0)
    turns = np.linalg.norm(np.roll(starts, -1, axis=0) - ends, axis=1)
    return bool((turns if closed else turns[:-1]).max(initial=0.0) > CORNER)


def _through(points: Array, closed: bool, smooth: bool) -> tuple[Curve, ...]:
    """A curve through points, of which the last of a closed one is the first again."""
    ends = points[:-1] if closed else points
    try:
        return (Curve(tuple(map(triple, ends)), closed=closed, smooth=smooth),)
    except AssemblySolverError:
        return ()


def _shares(courses: Sequence[Course], count: int, even: bool) -> list[Array]:
    """Shares of the way of each edge, 0 to 1, between which its pieces lie.

    Of a bent edge so many pieces, even or graded; those of a straight one double from its ends,
    where they are as long as the shortest of the bent ones.
    """
    pieces = np.linspace(0.0, 1.0, count + 1)
    bent = pieces if even else 0.5 - 0.5 * np.cos(np.pi * pieces)
    steps = [np.linalg.norm(np.diff(_points([c], [bent]), axis=0), axis=1) for c in courses]
    least = min(float(s.min()) for s, c in zip(steps, courses, strict=True) if not c.straight)
    out = []
    for course, step in zip(courses, steps, strict=True):
        if course.straight:
            doubled = least / float(step.sum()) * (2.0 ** np.arange(1, 50) - 1.0)
            half = doubled[doubled < 0.4]
            out.append(np.concatenate([[0.0], half, 1.0 - half[::-1], [1.0]]))
        else:
            out.append(bent)
    return out


def _halved(shares: Array) -> Array:
    """The same with the middle of each piece."""
    return np.sort(np.concatenate([shares, 0.5 * (shares[1:] + shares[:-1])]))


def _points(courses: Sequence[Course], shares: Sequence[Array]) -> Array:
    """Points of edges one after the other, (points, 3)."""
    rows: list[Triple] = []
    for course, own in zip(courses, shares, strict=True):
        found = course.points(own)
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

"""Chains that are too short or too long: triangle inequalities of points and of directions.

Between some spots the least and the largest distance are known: by the part that has both, or by a
constraint.  The largest one of any two is that of the shortest chain; where the least one is more,
no poses hold them all.  The same of directions with their angles, each with its opposite, and of
points seen along a direction that parts have in common.

Source: any text on distance geometry: the bounds of T. F. Havel, I. D. Kuntz and G. M. Crippen,
Bulletin of Mathematical Biology 45, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ...foundations.numerics.rounding import ROOT
from ...foundations.types import Array
from .rigid_places import Places
from .stated_facts import Coordinates, Facts, OwnVector


@dataclass(frozen=True)
class ReachProof:
    """Spots that are asked to be farther apart than a chain reaches.

    Attributes:
        reach: of the chain at most; asked: at least; both mm, or rad of directions.
        directions: whether these are angles.
    """

    reach: float
    asked: float
    directions: bool


class _Bounds:
    """Least and largest distances of spots."""

    def __init__(self, size: int) -> None:
        self.most = np.full((size, size), np.inf)
        np.fill_diagonal(self.most, 0.0)
        self.least = np.zeros((size, size))

    def known(self, i: int, j: int, value: float) -> None:
        """A distance that is one value only."""
        self.at_most(i, j, value)
        self.at_least(i, j, value)

    def at_most(self, i: int, j: int, value: float) -> None:
        """What a distance may be."""
        self.most[i, j] = self.most[j, i] = min(self.most[i, j], value)

    def at_least(self, i: int, j: int, value: float) -> None:
        """The same for the least."""
        self.least[i, j] = self.least[j, i] = max(self.least[i, j], value)

    def contradiction(self, directions: bool, margin: float) -> ReachProof | None:
        """Two spots whose least distance is more than the shortest chain, by more than a margin."""
        far = self.most.copy()
        for k in range(len(far)):
            far = np.minimum(far, far[:, k, None] + far[None, k, :])
        room = far - self.least
        i, j = np.unravel_index(int(np.argmin(room)), room.shape) if room.size else (0, 0)
        if not room.size or room[i, j] > -(margin + ROOT * (self.least[i, j] + 1.0)):
            return None
        return ReachProof(float(far[i, j]), float(self.least[i, j]), directions)


def too_short(facts: Facts, places: Places, margin: float, angular: float) -> ReachProof | None:
    """A chain that is too short, of directions or of points, in space or along a direction.

    Args:
        margin: by how much it has to be, mm; angular: the same of directions, rad.
    """
    found = _of_directions(facts, places, angular)
    found = found or _of_points(facts, places, margin, None)
    if found is not None:
        return found
    for way in _ways(facts, places):
        found = _of_points(facts, places, margin, way)
        if found is not None:
            return found
    return None


# ------------------------------------------------------------------------------------ directions
def _of_directions(facts: Facts, places: Places, margin: float) -> ReachProof | None:
    ends = [*facts.angles, *facts.same]
    spots = list(dict.fromkeys(s for e in ends for s in (e.a, e.b)))
    n = len(spots)
    bounds = _Bounds(2 * n)  # spot k and, at n + k, the opposite direction
    for i in range(n):
        bounds.known(i, n + i, pi)
        for j in range(i):
            if places.group[spots[i].part] == places.group[spots[j].part]:
                angle = _angle(places.turned(spots[i]), places.turned(spots[j]))
                _both(bounds, i, j, n, angle)
    for e in ends:
        _both(bounds, spots.index(e.a), spots.index(e.b), n, e.value)
    return bounds.contradiction(True, margin)


def _both(bounds: _Bounds, i: int, j: int, n: int, angle: float) -> None:
    """The angle of two directions, and those with their opposites."""
    for p, q in ((i, j), (n + i, n + j)):
        bounds.known(p, q, angle)
    for p, q in ((i, n + j), (n + i, j)):
        bounds.known(p, q, pi - angle)


def _angle(u: Array, v: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


# ------------------------------------------------------------------------------------ points
def _ways(facts: Facts, places: Places) -> list[dict[int, Array]]:
    """Directions along which points are looked at: those that parts have in common, and of axes
    that points have a distance from."""
    ways = places.classes([(s.a, s.b) for s in facts.same])
    for axis in (r.axis for r in facts.from_axis):
        if not any(_Seen(places, way).is_along(axis) for way in ways):
            ways.append({places.group[axis.part]: places.turned(axis)})
    return ways


def _of_points(
    facts: Facts, places: Places, margin: float, way: dict[int, Array] | None
) -> ReachProof | None:
    """The same of points: in space, or, with a common direction, as they are seen along it."""
    seen = _Seen(places, way)
    spots = list(dict.fromkeys(facts.spots))
    bounds = _Bounds(len(spots))
    for i, a in enumerate(spots):
        for j, b in enumerate(spots[:i]):
            if places.body[a.part] != places.body[b.part]:
                continue
            if seen.knows(a):
                bounds.known(i, j, float(np.linalg.norm(seen.at(a) - seen.at(b))))
            else:  # it is turned anyhow: seen along the direction they may be nearer
                bounds.at_most(i, j, float(np.linalg.norm(places.at(a) - places.at(b))))
    at = {s: n for n, s in enumerate(spots)}
    for d in facts.distances:
        bounds.at_most(at[d.a], at[d.b], d.value)
        if way is None:
            bounds.at_least(at[d.a], at[d.b], d.value)
        for least, most in (told.apart(d.a, d.b) for told in places.told if way is None):
            bounds.at_least(at[d.a], at[d.b], least)
            bounds.at_most(at[d.a], at[d.b], most)
    for c in facts.coordinates:
        if seen.knows(c.a):
            _of_coordinates(bounds, c, seen, spots, at)
    for r in facts.from_axis:
        if seen.knows(r.a) and seen.is_along(r.axis):
            _of_axis(bounds, r.value, (r.a, r.axis, r.b), seen, spots, at)
    return bounds.contradiction(False, margin)


class _Seen:
    """Points in space, or seen along a common direction, in the axes of their bodies."""

    def __init__(self, places: Places, way: dict[int, Array] | None) -> None:
        self.places, self.way = places, way

    def knows(self, spot: OwnVector) -> bool:
        """Whether the part of a point has the direction."""
        return self.way is None or self.places.group[spot.part] in self.way

    def at(self, spot: OwnVector) -> Array:
        """A point in its body, across the direction."""
        return self.across(spot.part, self.places.at(spot))

    def across(self, part: int, v: Array) -> Array:
        """A vector in the axes of the group, across the direction."""
        if self.way is None:
            return v
        n = self.way[self.places.group[part]]
        left: Array = v - (v @ n) * n
        return left

    def is_along(self, axis: OwnVector) -> bool:
        """Whether an axis appears as a point; in space it need not."""
        if self.way is None:
            return True
        if not self.knows(axis):
            return False
        n = self.way[self.places.group[axis.part]]
        return bool(np.linalg.norm(np.cross(n, self.places.turned(axis))) < ROOT)


def _of_coordinates(
    bounds: _Bounds,
    c: Coordinates,
    seen: _Seen,
    spots: Sequence[OwnVector],
    at: dict[OwnVector, int],
) -> None:
    """What coordinates of a point in a frame say of its distances from points of that part.

    Seen along a direction only the axes across it count.
    """
    rotation = seen.places.rotation[c.a.part]
    axes = np.array([rotation @ axis for axis in c.axes])
    if seen.way is not None:
        n = seen.way[seen.places.group[c.a.part]]
        if len(axes) == 3:  # all of the vector is known
            vector = seen.across(c.a.part, axes.T @ c.values)
            axes, values = _two_across(n), None
            values = axes @ vector
        else:
            level = np.abs(axes @ n) < ROOT
            axes, values = axes[level], c.values[level]
    else:
        values = c.values
    if not len(axes):
        return
    j = at[c.b]
    for spot in spots:
        if seen.places.body[spot.part] == seen.places.body[c.a.part]:
            away = axes @ (seen.at(spot) - seen.at(c.a)) - values
            far = float(np.linalg.norm(away))
            bounds.at_least(at[spot], j, far)
            if len(axes) == (3 if seen.way is None else 2):
                bounds.at_most(at[spot], j, far)


def _two_across(n: Array) -> Array:
    """Two unit vectors across a unit vector, (2, 3)."""
    x = np.eye(3)[int(np.argmin(np.abs(n)))]
    u = np.cross(n, x)
    u /= np.linalg.norm(u)
    return np.array([u, np.cross(n, u)])


def _of_axis(
    bounds: _Bounds,
    radius: float,
    spots: tuple[OwnVector, OwnVector, OwnVector],
    seen: _Seen,
    every: Sequence[OwnVector],
    at: dict[OwnVector, int],
) -> None:
    """What the distance of a point from an axis says of its distances from points of that part."""
    origin, axis, point = spots
    z = seen.places.turned(axis)
    for spot in every:
        if seen.places.body[spot.part] == seen.places.body[origin.part]:
            away = seen.at(spot) - seen.at(origin)
            off = float(np.linalg.norm(away - (away @ z) * z))
            bounds.at_least(at[spot], at[point], abs(off - radius))
            if seen.way is not None:
                bounds.at_most(at[spot], at[point], off + radius)

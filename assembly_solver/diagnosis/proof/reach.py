"""Chains that are too short or too long: triangle inequalities of points and of directions.

Between some spots the least and the largest distance are known: by the part that has both, or by a
constraint.  The largest one of any two is that of the shortest chain; where the least one is more,
no poses hold them all.  The same of directions with their angles, each with its opposite, and of
points seen along a direction that parts have in common.

Source: any text on distance geometry: the bounds of T. F. Havel, I. D. Kuntz and G. M. Crippen,
Bulletin of Mathematical Biology 45, 1983.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
        constraints: of the chain and of what asks; directions: whether these are angles.
    """

    reach: float
    asked: float
    constraints: tuple[int, ...]
    directions: bool


class _Bounds:
    """Least and largest distances of spots, with the constraints that they come from."""

    def __init__(self, size: int) -> None:
        self.most = np.full((size, size), np.inf)
        np.fill_diagonal(self.most, 0.0)
        self.least = np.zeros((size, size))
        self.by: dict[tuple[int, int], int] = {}
        self.asked: dict[tuple[int, int], int] = {}

    def known(self, i: int, j: int, value: float) -> None:
        """A distance on one part."""
        for pair in ((i, j), (j, i)):
            self.most[pair] = min(self.most[pair], value)
            self.least[pair] = max(self.least[pair], value)

    def at_most(self, i: int, j: int, value: float, constraint: int) -> None:
        """What a constraint lets a distance be."""
        for pair in ((i, j), (j, i)):
            if value < self.most[pair]:
                self.most[pair] = value
                self.by[pair] = constraint

    def at_least(self, i: int, j: int, value: float, constraint: int) -> None:
        """The same for the least."""
        for pair in ((i, j), (j, i)):
            if value > self.least[pair]:
                self.least[pair] = value
                self.asked[pair] = constraint

    def contradiction(self, directions: bool, margin: float) -> ReachProof | None:
        """Two spots whose least distance is more than the shortest chain, by more than a margin."""
        far, step = self.most.copy(), np.tile(np.arange(len(self.most)), (len(self.most), 1))
        for k in range(len(far)):
            by_k = far[:, k, None] + far[None, k, :]
            shorter = by_k < far
            far = np.where(shorter, by_k, far)
            step = np.where(shorter, step[:, k, None], step)
        room = far - self.least
        i, j = np.unravel_index(int(np.argmin(room)), room.shape) if room.size else (0, 0)
        if not room.size or room[i, j] > -(margin + ROOT * (self.least[i, j] + 1.0)):
            return None
        used = [self.asked.get((int(i), int(j)), -1)]
        at = int(i)
        while at != j:
            onward = int(step[at, j])
            used.append(self.by.get((at, onward), -1))
            at = onward
        names = tuple(sorted({k for k in used if k >= 0}))
        return ReachProof(float(far[i, j]), float(self.least[i, j]), names, directions)


def too_short(facts: Facts, places: Places, margin: float, angular: float) -> ReachProof | None:
    """A chain that is too short, of directions or of points, in space or along a direction.

    Args:
        margin: by how much it has to be, mm; angular: the same of directions, rad.
    """
    found = _of_directions(facts, places, angular)
    found = found or _of_points(facts, places, margin, None)
    if found is not None:
        return found
    for way in places.classes([(s.a, s.b) for s in facts.same]):
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
                _both(bounds.known, i, j, n, angle)
    for e in ends:
        i, j = spots.index(e.a), spots.index(e.b)
        for add in (bounds.at_most, bounds.at_least):
            k = e.constraint
            _both(lambda p, q, v, add=add, k=k: add(p, q, v, k), i, j, n, e.value)  # type: ignore[misc]
    return bounds.contradiction(True, margin)


def _both(add: Callable[[int, int, float], None], i: int, j: int, n: int, angle: float) -> None:
    """The angle of two directions, and those with their opposites."""
    for p, q, value in ((i, j, angle), (n + i, n + j, angle)):
        add(p, q, value)
    for p, q in ((i, n + j), (n + i, j)):
        add(p, q, pi - angle)


def _angle(u: Array, v: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


# ------------------------------------------------------------------------------------ points
def _of_points(
    facts: Facts, places: Places, margin: float, way: dict[int, Array] | None
) -> ReachProof | None:
    """The same of points: in space, or, with a common direction, as they are seen along it."""
    seen = _Seen(places, way)
    spots = list(dict.fromkeys(s for s in facts.spots if seen.knows(s)))
    bounds = _Bounds(len(spots))
    for i, a in enumerate(spots):
        for j, b in enumerate(spots[:i]):
            if places.body[a.part] == places.body[b.part]:
                bounds.known(i, j, float(np.linalg.norm(seen.at(a) - seen.at(b))))
    at = {s: n for n, s in enumerate(spots)}
    for d in facts.distances:
        if d.a in at and d.b in at:
            bounds.at_most(at[d.a], at[d.b], d.value, d.constraint)
            if way is None:
                bounds.at_least(at[d.a], at[d.b], d.value, d.constraint)
    for c in facts.coordinates:
        if c.a in at and c.b in at:
            _of_coordinates(bounds, c, seen, spots, at)
    for r in facts.from_axis:
        if r.a in at and r.b in at and seen.is_along(r.axis):
            _of_axis(bounds, r.value, r.constraint, (r.a, r.axis, r.b), seen, spots, at)
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
            bounds.at_least(at[spot], j, far, c.constraint)
            if len(axes) == (3 if seen.way is None else 2):
                bounds.at_most(at[spot], j, far, c.constraint)


def _two_across(n: Array) -> Array:
    """Two unit vectors across a unit vector, (2, 3)."""
    x = np.eye(3)[int(np.argmin(np.abs(n)))]
    u = np.cross(n, x)
    u /= np.linalg.norm(u)
    return np.array([u, np.cross(n, u)])


def _of_axis(
    bounds: _Bounds,
    radius: float,
    constraint: int,
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
            bounds.at_least(at[spot], at[point], abs(off - radius), constraint)
            if seen.way is not None:
                bounds.at_most(at[spot], at[point], off + radius, constraint)

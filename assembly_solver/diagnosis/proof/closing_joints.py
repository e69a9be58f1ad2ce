"""Joint coordinates of parts, and what is left to close: equations over boxes of these.

Parts are reached one from the other along a tree.  A group of parts that has a direction in common
with one that is reached turns about it by one unknown, one that encloses an angle with it by two,
any other by three.  Of a point in the frame of a part that is reached, the coordinates that are
not stated are unknowns as well, each between bounds that follow from limits and from chains.  All
that is stated beside the tree, and the limits, are what has to close: measures between bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from math import cos, inf, pi, sin

import numpy as np

from ...foundations.numerics.rounding import ROOT
from ...foundations.types import Array
from .rigid_places import Places
from .stated_facts import ACROSS, ALONG, COSINES, SQUARE, Between, Coordinates, OwnVector
from .wide_vectors import ROUNDED, Wide, WideVector, exact

UPRIGHT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns y to the place of z: a turn about that y is one about z between this and its inverse."""

ASIDE = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
"""What a row is multiplied by for its change by a turn about z: z x row."""

FARTHEST = 2.0**20
"""Longest way of a slide over the characteristic length: farther away nothing is looked for."""


Turns = tuple[tuple[Array, int | None], ...]
"""What turns a vector of a group into the axes of the first one: a fixed rotation, (3, 3), then one
about z by an unknown, and so on."""


@dataclass(frozen=True)
class Slid:
    """Two points of which b is at a + R_a (known + sum of unknowns times ways), mm.

    Attributes:
        forward: whether the body of b is reached from that of a, not the other way about.
    """

    a: OwnVector
    b: OwnVector
    known: Array
    ways: Array
    unknowns: tuple[int, ...]
    forward: bool


class ClosingJoints:
    """Unknowns between bounds, and what has to close over boxes of them.

    Attributes:
        low, high: of the unknowns, rad and mm; rows: what has to close; scales: how large each of
            these is, 1, mm or its square.

    Args:
        places: what is stated, settled; limits: what limits allow, of measures between bounds.
        margin: by how much lengths may be off, mm; angular: the same of directions, rad.
    """

    def __init__(
        self, places: Places, limits: Sequence[Between], margin: float, angular: float
    ) -> None:
        self.places, self.margin, self.angular = places, margin, angular
        self.low, self.high = list[float](), list[float]()
        self._classes = places.classes(places.same)
        self.limits = [x for x in limits if self._applies(x)]
        self.turns = self._turned_groups()
        self._turning = len(self.low)
        self.slides, self._used = list[Slid](), set[int]()
        self.reached = set(sorted(places.body.values())[:1])
        self._slide_bodies()
        self._close(self._rows())

    def _close(self, rows: Sequence[Between]) -> None:
        """What has to close, and how large it is."""
        degree = {COSINES: 0, ALONG: 1, SQUARE: 2, ACROSS: 2}
        self.rows = rows
        self.scales = np.array([self.places.length ** degree[x.what] for x in rows])

    def of_directions(self) -> ClosingJoints:
        """The same of directions alone, whose unknowns are turns: places have long ranges."""
        out, n = copy(self), self._turning
        out.low, out.high, out.slides = self.low[:n], self.high[:n], []
        out._close([x for x in self.rows if x.what == COSINES])
        return out

    def _applies(self, x: Between) -> bool:
        parts = self.places.group
        known = all(spot.part in parts for spot in (x.a, x.b, x.e, x.d))
        return known and (x.what != COSINES or self.places.are_parallel(self._classes, x.a, x.b))

    def _unknown(self, low: float, high: float) -> int:
        self.low.append(low)
        self.high.append(high)
        return len(self.low) - 1

    # ------------------------------------------------------------------ the tree of rotations
    def _turned_groups(self) -> dict[int, Turns]:
        """How the groups turn, in the order in which they are reached; the first one stays."""
        groups = sorted(set(self.places.group.values()))
        out: dict[int, Turns] = {g: () for g in groups[:1]}
        while len(out) < len(groups):
            base, new, frames, lowest = self._next_group(out, groups)
            unknowns = [self._unknown(low, pi) for low in lowest]
            steps = zip(reversed(frames), [*reversed(unknowns), None], strict=True)
            out[new] = (*steps, *out[base])
        return out

    def _next_group(
        self, reached: Mapping[int, Turns], groups: Sequence[int]
    ) -> tuple[int, int, tuple[Array, ...], tuple[float, ...]]:
        """A reached group, one that is reached from it, and how: by turns between fixed frames.

        The last are the least angles of the turns; the largest are half a turn.
        """
        for g in reached:  # the nearest to the first one
            for way in self._classes:
                for new in (n for n in way if g in way and n not in reached):
                    return g, new, (upright(way[g]), upright(way[new]).T), (-pi,)
        for x in self.places.facts.angles:
            for a, b in ((x.a, x.b), (x.b, x.a)):
                g, new = self.places.group[a.part], self.places.group[b.part]
                if g in reached and new not in reached:
                    ends = upright(self.places.turned(a)), upright(self.places.turned(b)).T
                    return g, new, (ends[0], tilted(x.value), ends[1]), (-pi, -pi)
        new = next(n for n in groups if n not in reached)
        return groups[0], new, (np.eye(3), UPRIGHT, UPRIGHT.T, np.eye(3)), (-pi, 0.0, -pi)

    # ------------------------------------------------------------------ the tree of places
    def _slide_bodies(self) -> None:
        """Reach the bodies one from the other by points of which most coordinates are stated."""
        facts, body = self.places.facts, self.places.body
        none = np.empty((0, 3)), np.empty(0)
        every = [*facts.coordinates]
        every += [Coordinates(d.a, *none, d.b, d.constraint) for d in facts.distances]
        far = self._farthest()
        while True:
            near = [
                (k, c)
                for k, c in enumerate(every)
                if (body[c.a.part] in self.reached) != (body[c.b.part] in self.reached)
            ]
            if not near:
                return
            k, c = max(near, key=lambda each: len(each[1].axes))
            forward, apart = body[c.a.part] in self.reached, far[body[c.a.part], body[c.b.part]]
            self.slides.append(self._slid(c, forward, float(apart)))
            self._used.add(k)
            self.reached |= {body[c.a.part], body[c.b.part]}

    def _slid(self, c: Coordinates, forward: bool, far: float) -> Slid:
        rotation = self.places.rotation[c.a.part]
        ways = np.linalg.svd(c.axes, full_matrices=True)[2][len(c.axes) :]
        known = np.linalg.pinv(c.axes) @ c.values if len(c.axes) else np.zeros(3)
        reach = far + sum(float(np.linalg.norm(self.places.at(s))) for s in (c.a, c.b))
        unknowns = tuple(self._unknown(*self._slide_bounds(c, way, reach)) for way in ways)
        return Slid(c.a, c.b, rotation @ known, ways @ rotation.T, unknowns, forward)

    def _slide_bounds(self, c: Coordinates, way: Array, reach: float) -> tuple[float, float]:
        """The bounds of a coordinate that is not stated, from chains and from its limits."""
        far = min(reach, FARTHEST * self.places.length)
        low, high = -far, far
        for x in self.limits:
            sense = _sense(x.e.vector, way) if self._is_beside(x, c) else 0.0
            if sense:
                between = [(x.a, c.a), (x.b, c.b)]  # the limit may be of another pin in a slot
                arms = [np.linalg.norm(self.places.at(p) - self.places.at(q)) for p, q in between]
                ends, more = sorted((sense * x.low, sense * x.high)), self.margin + float(sum(arms))
                low, high = max(low, ends[0] - more), min(high, ends[1] + more)
        return low, max(low, high)

    def _is_beside(self, x: Between, c: Coordinates) -> bool:
        """Whether a limit is of a length between the bodies of coordinates, in their axes."""
        same = self.places.body[x.b.part] == self.places.body[c.b.part]
        return x.what == ALONG and x.a.part == c.a.part and same

    def _farthest(self) -> Array:
        """Bounds of the distances of the origins of bodies, by chains, mm."""
        n = 1 + max(self.places.body.values(), default=0)
        far = np.full((n, n), inf)
        np.fill_diagonal(far, 0.0)
        coordinates = [c for c in self.places.facts.coordinates if len(c.axes) == 3]
        links = [(c.a, c.b, float(np.linalg.norm(c.values))) for c in coordinates]
        links += [(d.a, d.b, d.value) for d in self.places.facts.distances]
        links += [(x.a, x.b, float(np.sqrt(x.high))) for x in self.limits if x.what == SQUARE]
        for a, b, value in links:
            i, j = self.places.body[a.part], self.places.body[b.part]
            ends = sum(float(np.linalg.norm(self.places.at(s))) for s in (a, b))
            far[i, j] = far[j, i] = min(far[i, j], value + ends + self.margin)
        for k in range(n):
            far = np.minimum(far, far[:, k, None] + far[None, k, :])
        return far

    # ------------------------------------------------------------------ what has to close
    def _rows(self) -> list[Between]:
        rows, facts, m = list[Between](), self.places.facts, self.margin
        for k, c in enumerate(facts.coordinates):
            if k not in self._used:
                for axis, v in zip(c.axes, c.values.tolist(), strict=True):
                    e = OwnVector(c.a.part, tuple(axis.tolist()))
                    rows.append(Between(ALONG, c.a, c.b, e, e, v - m, v + m))
        spheres = [(SQUARE, d.a, d.b, d.a, d.value) for d in facts.distances]
        round_axes = [(ACROSS, d.a, d.b, d.axis, d.value) for d in facts.from_axis]
        for what, a, b, e, v in spheres + round_axes:
            rows.append(Between(what, a, b, e, e, max(v - m, 0.0) ** 2, (v + m) ** 2))
        for x in facts.angles:
            ends = min(x.value + self.angular, pi), max(x.value - self.angular, 0.0)
            rows.append(Between(COSINES, x.a, x.a, x.a, x.b, cos(ends[0]), cos(ends[1])))
        for a, b in self.places.same:
            rows += self._parallel(a, b)
        for one, two in combinations(facts.coordinates, 2):
            rows += self._between_points(one, two)
        rows += [self._widened(x) for x in self.limits]
        return [row for row in rows if self._is_open(row)]

    def _between_points(self, one: Coordinates, two: Coordinates) -> list[Between]:
        """Two points of a body along one direction of another, as pins in a slot: what they tell of
        the direction between them.  Over a box the difference of their rows tells less: how far
        both are along the slot does not cancel there.
        """
        body, places, out = self.places.body, self.places, list[Between]()
        if any(body[p.part] != body[q.part] for p, q in ((one.a, two.a), (one.b, two.b))):
            return out
        apart, away = (places.at(q) - places.at(p) for p, q in ((one.a, two.a), (one.b, two.b)))
        size = float(np.linalg.norm(away))
        for axis, value in zip(one.axes, one.values.tolist(), strict=True):
            for other, more in zip(two.axes, two.values.tolist(), strict=True):
                e = OwnVector(one.a.part, tuple(axis.tolist()))
                along = places.turned(e)
                sense = _sense(along, places.rotation[two.a.part] @ other)
                if size > 0.0 and sense:
                    own = places.rotation[one.b.part].T @ away / size
                    d, found = OwnVector(one.b.part, tuple(own.tolist())), float(along @ apart)
                    found += sense * more - value
                    ends = [(found + s * self.margin) / size for s in (-2, 2)]
                    out.append(Between(COSINES, e, e, e, d, *ends))
        return out

    def _parallel(self, a: OwnVector, b: OwnVector) -> list[Between]:
        """Two directions are one: the second has no share across the first."""
        frame, m = upright(a.vector), self.angular
        across = [OwnVector(a.part, tuple(frame[:, k].tolist())) for k in (0, 1)]
        return [Between(COSINES, a, a, e, b, -m, m) for e in across] + [
            Between(COSINES, a, a, a, b, cos(min(m, pi)), 1.0)
        ]

    def _widened(self, x: Between) -> Between:
        """What a limit allows, with the margin."""
        if x.what == COSINES:
            return x._replace(low=x.low - self.angular, high=x.high + self.angular)
        if x.what == ALONG:
            return x._replace(low=x.low - self.margin, high=x.high + self.margin)
        low, high = (float(np.sqrt(v)) for v in (x.low, x.high))
        low, high = max(low - self.margin, 0.0), high + self.margin
        return x._replace(low=low**2, high=high**2)

    def _is_open(self, x: Between) -> bool:
        """Whether a row is of bodies or groups whose place against each other is not known."""
        if x.what == COSINES:
            return self.places.group[x.e.part] != self.places.group[x.d.part]
        bodies = {self.places.body[spot.part] for spot in (x.a, x.b)}
        return len(bodies) > 1 and bodies <= self.reached

    # ------------------------------------------------------------------ over boxes
    def measured(self, box: Wide) -> tuple[Wide, Wide]:
        """The measures of the rows, (boxes, rows), and their slopes, (boxes, rows, unknowns).

        Args:
            box: of the unknowns, (boxes, unknowns).
        """
        over = _Over(self, box)
        found = [over.row(x) for x in self.rows]
        values, slopes = zip(*found, strict=True)
        n = len(box.mid)
        return tuple(
            Wide(*(np.stack([np.broadcast_to(w[k], (n, *w[k].shape[1:])) for w in each], axis=1)
                   for k in (0, 1)))
            for each in (values, slopes)
        )  # type: ignore[return-value]  # fmt: skip


def _sense(u: Array, v: Array) -> float:
    """1 or -1 where two unit vectors are one direction or opposed, 0 where they are neither.

    By the sine: the cosine of a tilt that counts over the length of a slide is 1 to rounding.
    """
    return float(np.sign(u @ v)) if np.linalg.norm(np.cross(u, v)) < ROOT else 0.0


class _Over:
    """Directions and points over boxes of the unknowns."""

    def __init__(self, tree: ClosingJoints, box: Wide) -> None:
        self.tree, self.box, self.places = tree, box, tree.places
        every = {k for steps in tree.turns.values() for _, k in steps if k is not None}
        self.about_z = {k: turn_about_z(box.at(k)) for k in every}
        self.directions: dict[OwnVector, WideVector] = {}
        self.origin: dict[int, WideVector] = {}
        self._place()

    def _place(self) -> None:
        body, n = self.places.body, len(self.tree.low)
        still = WideVector(exact(np.zeros(3)), exact(np.zeros((n, 3))))
        self.origin = {min(body.values()): still}
        for s in self.tree.slides:
            way = self.turned(s.a.part, s.known)
            for k, unknown in enumerate(s.unknowns):
                slid = self.turned(s.a.part, s.ways[k]).scaled(self.box.at(unknown), unknown)
                way = way.plus(slid)
            here, there = (self.turned(x.part, self.places.at(x)) for x in (s.a, s.b))
            a, b = body[s.a.part], body[s.b.part]
            if s.forward:
                self.origin[b] = self.origin[a].plus(here).plus(way).minus(there)
            else:
                self.origin[a] = self.origin[b].plus(there).minus(way).minus(here)

    def turned(self, part: int, own: Array) -> WideVector:
        """A vector in the axes of the group of a part, and its derivative.

        It is turned step by step, and with it what each turn before changes: what lies along an
        axis is not made wider by the turns about that.
        """
        rows, unknowns = exact(own[None]), list[int]()
        for frame, k in self.tree.turns[self.places.group[part]]:
            rows = rows.times(exact(frame.T))
            if k is not None:
                rows = rows.times(self.about_z[k])
                aside = rows.at(slice(1)).times(exact(ASIDE))
                rows = Wide(*(np.concatenate(x, axis=1) for x in zip(rows, aside, strict=True)))
                unknowns.append(k)
        n, boxes = len(self.tree.low), len(rows.mid)
        slope = Wide(np.zeros((boxes, n, 3)), np.zeros((boxes, n, 3)))
        for of, to in zip(rows, slope, strict=True):
            to[:, unknowns] = of[:, 1:]
        return WideVector(rows.at(0), slope)

    def direction(self, spot: OwnVector) -> WideVector:
        """A direction of a part."""
        if spot not in self.directions:
            self.directions[spot] = self.turned(spot.part, self.places.turned(spot))
        return self.directions[spot]

    def point(self, spot: OwnVector) -> WideVector:
        """A point of a part."""
        arm = self.turned(spot.part, self.places.at(spot))
        return self.origin[self.places.body[spot.part]].plus(arm)

    def row(self, x: Between) -> tuple[Wide, Wide]:
        """A measure, (boxes,), and its slope, (boxes, unknowns)."""
        if x.what == COSINES:
            return self.direction(x.e).dot(self.direction(x.d))
        away = self.point(x.b).minus(self.point(x.a))
        if x.what == ALONG:
            return self.direction(x.e).dot(away)
        value, slope = away.dot(away)
        if x.what == ACROSS:
            height, change = self.direction(x.e).dot(away)
            value = value.minus(height.by(height))
            twice = Wide(2 * height.mid, 2 * height.rad).at(None)
            slope = slope.minus(change.by(twice))
        return value, slope


def turn_about_z(angle: Wide) -> Wide:
    """What rows are multiplied by to turn them about z by angles, (boxes, 3, 3)."""
    c, s, r = np.cos(angle.mid), np.sin(angle.mid), angle.rad
    mid, rad = np.tile(np.eye(3), (len(c), 1, 1)), np.zeros((len(c), 3, 3))
    for i, j, value, rate in ((0, 0, c, s), (1, 1, c, s), (0, 1, s, c), (1, 0, -s, c)):
        mid[:, i, j] = value
        # by Taylor's theorem; what has wound round the circle is off by 2 at most
        rad[:, i, j] = np.minimum(np.abs(rate) * r + r * r / 2, 2.0) + ROUNDED
    return Wide(mid, rad)


def tilted(angle: float) -> Array:
    """A rotation about x, (3, 3)."""
    c, s = cos(angle), sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def upright(z: Array) -> Array:
    """A right-handed frame with a given direction as its z axis, (3, 3), in columns."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T

"""Which parts have a known rotation or place against each other, and where lengths do not add up.

Directions that are one on several parts are a *class*; parts that share two classes have a known
rotation against each other, as those that a hinge joins whose angle is driven.  Along known
directions the equations of points are linear in the places of the parts: where a combination of
them leaves nothing of the places and something of the lengths, they hold at no poses.  Where they
determine a place, two parts are one body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, ROOT, ROUNDING
from ...foundations.types import Array
from .linear_places import LinearPlaces
from .stated_facts import Coordinates, Facts, OwnVector

ONE = ROOT
"""Sine up to which two directions are one: what a product of rotations leaves of that."""


BASELINE = 0.25
"""Distance of two points, over the characteristic length, from which they tell a direction."""


@dataclass
class LinearProof:
    """Lengths or values that do not add up.

    Attributes:
        off: by how much, mm; constraints: by which.
        angle: the same where all are angles, rad.
    """

    off: float
    constraints: tuple[int, ...]
    angle: float | None = None


class Places:
    """Rotations of parts in their groups, and places of parts in their bodies.

    Attributes:
        group, body: number of those of each part; rotation: of a part in its group, (3, 3);
            place: of a part in its body, (3,), mm, in the axes of the group.
        same: pairs of directions that are one; told: what coordinates tell, group by group.
        sharpness: of each group, how well its rotations are known: what mates may tilt, over what
            these may be off.  Of two directions it is the sine between them, of two points their
            distance over the longest arm.

    Args:
        margin: by how much lengths have to be off to be a proof, mm, where rotations are off by no
            more than mates may tilt; length: characteristic, mm.
    """

    def __init__(self, facts: Facts, parts: Sequence[int], margin: float, length: float) -> None:
        self.facts, self.length, self._margin = facts, length, margin
        self.sharpness = {n: 1.0 for n in range(len(parts))}
        self.group = {p: n for n, p in enumerate(parts)}
        self.body = dict(self.group)
        self.rotation = {p: np.eye(3) for p in parts}
        self.place = {p: np.zeros(3) for p in parts}
        self.same = [(s.a, s.b) for s in facts.same]
        self.told = list[LinearPlaces]()
        self._baseline = dict[tuple[OwnVector, OwnVector], float]()

    # ------------------------------------------------------------------ rotations
    def turned(self, spot: OwnVector) -> Array:
        """A direction in the axes of its group."""
        found: Array = self.rotation[spot.part] @ spot.vector
        return found

    def at(self, spot: OwnVector) -> Array:
        """A point in the axes of its body, mm."""
        return self.turned(spot) + self.place[spot.part]

    @property
    def least_sharpness(self) -> float:
        """That of the group whose rotations are known least."""
        return min(self.sharpness.values(), default=1.0)

    @property
    def margin(self) -> float:
        """By how much lengths have to be off, with what rotations are off by, mm."""
        return self._margin / self.least_sharpness

    @property
    def extent(self) -> float:
        """The longest chain of what is stated: all arms and distances one after the other, mm.

        The arms of a body begin at the middle of its points: where its origin is does not matter.
        """
        points: dict[int, list[Array]] = {}
        for spot in self.facts.spots:
            points.setdefault(self.body[spot.part], []).append(self.at(spot))
        arms = sum(
            float(np.linalg.norm(p - np.mean(p, axis=0), axis=1).sum())
            for p in map(np.array, points.values())
        )
        apart = sum(float(np.linalg.norm(c.values)) for c in self.facts.coordinates)
        return arms + apart + sum(abs(d.value) for d in self.facts.distances)

    def settle(self) -> LinearProof | None:
        """Join groups and bodies as far as they are known; a proof where lengths do not add up."""
        while True:
            found = self._joined(self.same)
            more = self._with_turns(self.same) + self._with_points(self.same)
            if not found and not more:
                break
            self.same += more
        proof = self._linear()
        return proof or self._along_classes(self.same)

    def _joined(self, same: list[tuple[OwnVector, OwnVector]]) -> bool:
        """Join the groups of which two directions are one; whether any were."""
        done = False
        for a, b in combinations(sorted(set(self.group.values())), 2):
            ends = [(p, q) for p, q in same if {self.group[p.part], self.group[q.part]} == {a, b}]
            base = [self._baseline.get(pair, 1.0) for pair in ends]
            ends = [(p, q) if self.group[p.part] == a else (q, p) for p, q in ends]
            here = [self.turned(p) for p, _ in ends]
            there = [self.turned(q) for _, q in ends]
            pairs = combinations(range(len(ends)), 2)
            sines = [(_sine(here, there, *pair), *pair) for pair in pairs]
            sharp, i, j = max(
                ((sine * min(base[i], base[j]), i, j) for sine, i, j in sines if sine > 0.1),
                default=(0.0, 0, 0),
            )
            if sharp > 0.0:
                rotation = _triad(here[i], here[j]) @ _triad(there[i], there[j]).T
                for p in [p for p, g in self.group.items() if g == b]:
                    self.rotation[p] = rotation @ self.rotation[p]
                    self.group[p] = a
                self.sharpness[a] = sharp * min(self.sharpness[a], self.sharpness.pop(b))
                done = True
        return done

    def _with_turns(
        self, same: list[tuple[OwnVector, OwnVector]]
    ) -> list[tuple[OwnVector, OwnVector]]:
        """Directions that are one because an angle about a common direction is stated.

        It is measured about the first part's: the other's may be opposed.
        """
        classes, known = self.classes(same), {*same}
        out = []
        for z, far, turned, x in self.facts.turns:
            if (turned, x) not in known and self.are_parallel(classes, z, far):
                out.append((turned, x))
        return out

    def _with_points(
        self, same: list[tuple[OwnVector, OwnVector]]
    ) -> list[tuple[OwnVector, OwnVector]]:
        """Directions that are one because two points or lines of a part are where two others are.

        They are to be as far apart as the tolerance does not turn them much.
        """
        known, ways = {*same}, self.classes(same)
        out = []
        for one, two in combinations(self.facts.coordinates, 2):
            if {one.a.part, one.b.part} != {two.a.part, two.b.part} or one.a.part == one.b.part:
                continue
            for way in (None, *ways):
                found = self._between(one, two, way)
                if found is not None:
                    ends, size = found
                    if ends not in known:
                        out.append(ends)
                        known.add(ends)
                        self._baseline[ends] = min(size / self._longest, 1.0)
                    break
        return out

    def _between(
        self, one: Coordinates, two: Coordinates, way: dict[int, Array] | None
    ) -> tuple[tuple[OwnVector, OwnVector], float] | None:
        """The direction between two points on either part, across a common direction if given, and
        their distance, mm."""
        here, there = one.a.part, one.b.part
        if way is not None and not (self.group[here] in way and self.group[there] in way):
            return None
        away = {here: np.zeros(3), there: np.zeros(3)}
        for c, sign in ((one, -1.0), (two, 1.0)):
            if len(c.axes) < (3 if way is None else 2):
                return None
            if way is not None and len(c.axes) == 2:
                n = self.rotation[c.a.part].T @ way[self.group[c.a.part]]
                if np.abs(c.axes @ n).max() > ONE:
                    return None
            away[c.a.part] += sign * (c.a.vector + c.axes.T @ c.values)
            away[c.b.part] += sign * c.b.vector
        out, sizes = [], []
        for part, v in away.items():
            if way is not None:
                n = self.rotation[part].T @ way[self.group[part]]
                v = v - (v @ n) * n
            size = float(np.linalg.norm(v))
            if size < BASELINE * self.length:
                return None
            x, y, z = (v / size).tolist()
            sizes.append(size)
            out.append(OwnVector(part, (x, y, z)))
        return (out[0], out[1]), min(sizes)

    @property
    def _longest(self) -> float:
        """The longest distance of two points of a part, at most, mm."""
        points: dict[int, list[Array]] = {}
        for spot in self.facts.spots:
            points.setdefault(spot.part, []).append(spot.vector)
        return max(float(np.linalg.norm(np.ptp(p, axis=0))) for p in points.values())

    # ------------------------------------------------------------------ classes of directions
    def classes(self, same: Iterable[tuple[OwnVector, OwnVector]]) -> list[dict[int, Array]]:
        """Directions that are one: of each class that in the axes of each group."""
        out: list[dict[int, Array]] = []
        for ends in same:
            joined: dict[int, Array] = {}
            for spot in ends:
                joined.setdefault(self.group[spot.part], self.turned(spot))
            for other in [c for c in out if _share(c, joined)]:
                sign = _share(other, joined)
                joined = {g: sign * v for g, v in other.items()} | joined
                out = [c for c in out if c is not other]
            out.append(joined)
        return out

    def are_parallel(self, classes: list[dict[int, Array]], a: OwnVector, b: OwnVector) -> bool:
        """Whether two directions of parts are one, in the same sense or opposed."""
        (g, u), (h, v) = ((self.group[spot.part], self.turned(spot)) for spot in (a, b))
        if g == h:
            return bool(np.linalg.norm(np.cross(u, v)) < ONE)
        return any(
            g in c and h in c
            and max(np.linalg.norm(np.cross(c[g], u)), np.linalg.norm(np.cross(c[h], v))) < ONE
            for c in classes
        )  # fmt: skip

    # ------------------------------------------------------------------ lengths
    def _linear(self) -> LinearProof | None:
        """The places of the parts of each group, and of points of others that are told in its axes;
        bodies are formed of those that are known."""
        stated = [
            (((1.0, c._replace(axes=c.axes[[n]])),), float(c.values[n]), c.constraint)
            for c in self.facts.coordinates
            for n in range(len(c.axes))
        ]
        for g in sorted(set(self.group.values())):
            parts = [p for p, n in self.group.items() if n == g]
            rows = [x for x in [*stated, *self.facts.sums] if self._is_told_in(g, x[0])]
            if not rows:
                continue
            places = LinearPlaces(self.rotation, parts, self.margin)
            for terms, value, _ in rows:
                places.add(terms, value)
            matrix, right = places.matrix, np.array(places.right)
            proof = inconsistent(matrix, right, [owner for *_, owner in rows], self.margin)
            if proof is not None:
                return proof
            places.solve()
            self._form_bodies(places, parts)
            self.told.append(places)
        return None

    def _is_told_in(self, g: int, terms: Sequence[tuple[float, Coordinates]]) -> bool:
        """Whether all axes of an equation are those of a group."""
        return all(self.group[c.a.part] == g for _, c in terms)

    def _form_bodies(self, places: LinearPlaces, parts: list[int]) -> None:
        at, free = places.at, places.free
        for n, p in enumerate(parts):
            for m in range(n):
                tied = np.abs(free[:, n] - free[:, m]).max(initial=0.0) < ROOT
                if tied and places.loose(m, n) <= len(places.right):  # no sharp angle enlarges it
                    self.body[p] = self.body[parts[m]]
                    self.place[p] = at[n] - at[m] + self.place[parts[m]]
                    break

    def _along_classes(self, same: list[tuple[OwnVector, OwnVector]]) -> LinearProof | None:
        """Lengths along one direction that parts have in common, whatever they are turned by."""
        for way in self.classes(same):
            parts = [p for p in self.group if self.group[p] in way]
            rows = [
                (c, share)
                for c in self.facts.coordinates
                if c.a.part in parts and c.b.part in parts
                for share in [self._share_along(c, way)]
                if share is not None
            ]
            if not rows:
                continue
            matrix, right = np.zeros((len(rows), len(parts))), np.zeros(len(rows))
            for r, (c, share) in enumerate(rows):
                for spot, sign in ((c.b, 1.0), (c.a, -1.0)):
                    matrix[r, parts.index(spot.part)] += sign
                    right[r] -= sign * float(way[self.group[spot.part]] @ self.turned(spot))
                right[r] += float(share @ c.values)
            proof = inconsistent(matrix, right, [c.constraint for c, _ in rows], self.margin)
            if proof is not None:
                return proof
        return None

    def _share_along(self, c: Coordinates, way: dict[int, Array]) -> Array | None:
        """The combination of the axes of coordinates that is a direction, if there is one."""
        n = self.rotation[c.a.part].T @ way[self.group[c.a.part]]
        share = np.linalg.lstsq(c.axes.T, n, rcond=None)[0].astype(float)
        return share if np.linalg.norm(c.axes.T @ share - n) < ONE else None


def inconsistent(
    matrix: Array, right: Array, owner: Sequence[int], margin: float
) -> LinearProof | None:
    """Whether a combination of equations asks 0 to be more than a margin.

    With y across all columns, y . right is 0 where all hold.

    Args:
        matrix, right: equations, mm; owner: the constraint of each.
        margin: by how much the equation that counts most has to be off, mm.
    """
    if not matrix.size:
        return None
    left, sizes, _ = np.linalg.svd(matrix)
    rank = int(np.sum(sizes > ROUNDING * max(float(sizes.max(initial=0.0)), 1.0)))
    across = left[:, rank:]
    y: Array = across @ (across.T @ right)
    size = float(np.linalg.norm(y))
    if size <= AGREEMENT:
        return None
    y = y / size
    off = size / float(np.abs(y).max())
    if off <= margin + ROOT * float(np.abs(right).max()):
        return None
    used = {owner[k] for k in np.flatnonzero(np.abs(y) > ROOT).tolist()}
    return LinearProof(off, tuple(sorted(used)))


def _sine(here: Sequence[Array], there: Sequence[Array], i: int, j: int) -> float:
    """Of the angle between two of some directions, the smaller one on either side."""
    return min(float(np.linalg.norm(np.cross(of[i], of[j]))) for of in (here, there))


def _triad(u: Array, v: Array) -> Array:
    """A right-handed frame of two directions as columns."""
    w = np.cross(u, v)
    w = w / np.linalg.norm(w)
    return np.array([u, np.cross(w, u), w]).T


def _share(one: dict[int, Array], other: dict[int, Array]) -> float:
    """Whether two classes have a direction in common: 1, -1 where it is opposed, else 0."""
    for g in one.keys() & other.keys():
        for sign in (1.0, -1.0):
            if np.linalg.norm(one[g] - sign * other[g]) < ONE:
                return sign
    return 0.0

"""The numbers of a plan with features elsewhere on their parts, in one compiled pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..equations.mate_features import characteristic_length
from ..equations.reaches import PartPoints
from ..equations.table import copy
from ..foundations.jit.decorators import borrowing, spread
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array, Ints
from .inexact import COMPOSED
from .same_places import same_places


class MovedPlaces(NamedTuple):
    """Where features that move are, and what else of a plan follows from them.

    Attributes:
        points: their numbers in `Reaches.points`, each with that of its new origin, (n, 2).
        markers: those of the table, alike; cloud: those of `System.cloud`, then those of
            `Plan.cloud`, alike, (n, 3).
        moving: the markers alone, (n,); sided: those of the pairs of their mates, each with its
            side, (n, 2): 2 k and 2 k + 1 are the first and the second body of the k-th pair.
        first: a marker of each side; normal: that of the plane in which a side moves, in
            coordinates of its body, else 0, (sides, 3).
        steps: those in closed form by these joints, each with the sides of its two frames, (n, 3).
        centred: the bodies that they are on.
    """

    points: Ints
    markers: Ints
    cloud: Ints
    moving: Ints
    sided: Ints
    first: Ints
    normal: Array
    steps: Ints
    centred: Ints


class StandingNumbers(NamedTuple):
    """What stays: parts of points, of the cloud and of markers; bodies of markers; frames of these
    on them before; of `Bodies`, `System` and `Cloud` what has the name."""

    part_of_point: Ints
    part_of_cloud: Ints
    part_of_marker: Ints
    body_of_marker: Ints
    frames: Array
    relative: Array
    start: Array
    angular: Ints
    first: Ints


class MovedNumbers(NamedTuple):
    """What changes beside what each plan keeps: at first a copy of what was, then overwritten.

    Attributes:
        at: of `Reaches.points`; cloud, centre, number: of the system, with the centre of each part
            and how many it has.
        by: how far each marker moves, in body coordinates, mm, (markers, 3), 0 where it does not.
        of_side: the same of each side, (sides, 3).
    """

    at: Array
    cloud: Array
    centre: Array
    number: Ints
    by: Array
    of_side: Array


class JoinedNumbers(NamedTuple):
    """The arrays of all three, those of a kind one after another.

    To hand over one array takes as long as to move a marker, and a small plan has few of these.

    Attributes:
        begin: where each begins, and the last ends, in that of its kind, (kinds, 11).
        single, triple: integers, (n,) and (n, 3), two columns with 0 as the third; point, frame:
            numbers, (n, 3) and (n, 12).
    """

    begin: Ints
    single: Ints
    triple: Ints
    point: Array
    frame: Array

    @classmethod
    def of(cls, p: MovedPlaces, s: StandingNumbers, out: MovedNumbers) -> JoinedNumbers:
        """Copies of them."""
        ones: tuple[Any, ...] = (p.moving, p.first, p.centred, s.part_of_point, s.part_of_cloud)
        ones += s.part_of_marker, s.body_of_marker, s.angular, s.first, out.number
        threes = [
            np.column_stack([each, np.zeros((len(each), 3 - each.shape[1]), np.int64)])
            for each in (p.points, p.markers, p.cloud, p.sided, p.steps)
        ]
        points = p.normal, out.at, out.cloud, out.centre, out.by, out.of_side
        kinds = (ones, threes, points, (s.frames, s.relative, s.start))
        begin = np.zeros((len(kinds), len(ones) + 1), np.int64)
        for row, kind in zip(begin, kinds, strict=True):
            row[1 : len(kind) + 1] = np.cumsum([*map(len, kind)])
        single, *others = map(np.concatenate, kinds)
        return cls(begin, single.astype(np.int64), *others)

    def copy(self) -> JoinedNumbers:
        """The same, of which those that change are its own."""
        return self._replace(single=self.single.copy(), point=self.point.copy())

    def numbers(self) -> MovedNumbers:
        """Those that change."""
        return _taken_apart(self)[2]


def _taken_apart(j: JoinedNumbers) -> tuple[MovedPlaces, StandingNumbers, MovedNumbers]:
    """What was joined, as views."""
    one, three, point, frame = j.single, j.triple, j.point, j.frame
    a, b, c, d = j.begin[0], j.begin[1], j.begin[2], j.begin[3]
    moved = MovedPlaces(
        points=three[b[0] : b[1]],
        markers=three[b[1] : b[2]],
        cloud=three[b[2] : b[3]],
        moving=one[a[0] : a[1]],
        sided=three[b[3] : b[4]],
        first=one[a[1] : a[2]],
        normal=point[c[0] : c[1]],
        steps=three[b[4] : b[5]],
        centred=one[a[2] : a[3]],
    )
    standing = StandingNumbers(
        part_of_point=one[a[3] : a[4]],
        part_of_cloud=one[a[4] : a[5]],
        part_of_marker=one[a[5] : a[6]],
        body_of_marker=one[a[6] : a[7]],
        frames=frame[d[0] : d[1]],
        relative=frame[d[1] : d[2]],
        start=frame[d[2] : d[3]],
        angular=one[a[7] : a[8]],
        first=one[a[8] : a[9]],
    )
    out = MovedNumbers(
        at=point[c[1] : c[2]],
        cloud=point[c[2] : c[3]],
        centre=point[c[3] : c[4]],
        number=one[a[9] : a[10]],
        by=point[c[4] : c[5]],
        of_side=point[c[5] : c[6]],
    )
    return moved, standing, out


_parts = borrowing(_taken_apart)
"""The same for compiled code; to Python it would return whole arrays."""


@spread
@on_lists(0, 1, 2, 3)
def move_features(
    joined: JoinedNumbers,
    frames: Array,
    points: Array,
    weight: Array,
    to: Array,
    length: float,
    tolerance: float,
) -> tuple[bool, float, float]:
    """Move features to other coordinates on their parts, mm.

    Args:
        frames: marker frames of the system, those of the plan, then `at` and `own` of
            `CompiledSteps`, (2 markers + 2 steps, 12).
        points: of `Plan.cloud` in body coordinates and at the start, then the centres of the
            bodies, (2 points + bodies, 3).
        weight: of the equations.  They are copies of what was, and moved like what of the joined
            numbers changes.
        to: the coordinates, (3 n,).
        length: the characteristic one before, mm.

    Returns:
        Whether the plan is the same with them, the characteristic length, and the largest of the
        new coordinates, mm.
    """
    p, s, out = _parts(joined)
    farthest = 0.0
    for n in range(len(to)):
        farthest = max(farthest, abs(to[n]))
    for n in range(len(p.points)):
        for k in range(3):
            out.at[p.points[n][0]][k] = to[3 * p.points[n][1] + k]
    for n in range(len(p.cloud)):
        for k in range(3):
            out.cloud[p.cloud[n][0]][k] = to[3 * p.cloud[n][2] + k]
    for part in range(len(out.number)):
        out.number[part] = 0
        for k in range(3):
            out.centre[part][k] = 0.0
    every = PartPoints(s.part_of_point, out.at)
    size = characteristic_length(out.cloud, s.part_of_cloud, s.start, every, out.centre, out.number)
    for e in range(len(weight)):
        weight[e] = size if s.angular[e] else 1.0
    _move_markers(p, s, to, frames, out.by)
    same = same_places(p.moving, out.by, s.body_of_marker, s.frames, size, tolerance)
    same = same and _move_joints(p, frames, out, 2 * len(s.frames), COMPOSED * length)
    _move_cloud(p, s, out.cloud, points)
    return same, size, farthest


@borrowing
def _place(point: Array, pose: Array, out: Array, whole: bool) -> None:
    """A point moved by a pose, or a displacement rotated by it."""
    x, y, z = point[0], point[1], point[2]
    for k in range(3):
        out[k] = x * pose[3 + k] + y * pose[6 + k] + z * pose[9 + k]
        if whole:
            out[k] += pose[k]


@borrowing
def _move_markers(p: MovedPlaces, s: StandingNumbers, to: Array, frames: Array, out: Array) -> None:
    """Move the markers, of the system and of the plan; by how much is written."""
    for n in range(len(p.markers)):
        m, origin = p.markers[n][0], 3 * p.markers[n][1]
        own, turned, by = frames[m], frames[len(s.frames) + m], out[m]
        for k in range(3):
            by[k] = to[origin + k] - own[k]
            own[k] += by[k]
        _place(by, s.relative[s.part_of_marker[m]], by, False)
        for k in range(3):
            turned[k] += by[k]


@borrowing
def _move_joints(p: MovedPlaces, frames: Array, out: MovedNumbers, first: int, rise: float) -> bool:
    """Move the joints of the steps; whether those of each body move as one, and in its plane.

    Args:
        first: row of the first step in `frames`.
    """
    second = first + (len(frames) - first) // 2
    for side in range(len(p.first)):
        copy(out.by[p.first[side]], out.of_side[side])
        by, normal = out.of_side[side], p.normal[side]
        if abs(by[0] * normal[0] + by[1] * normal[1] + by[2] * normal[2]) > rise:
            return False
    for n in range(len(p.sided)):
        one, two = out.by[p.sided[n][0]], out.of_side[p.sided[n][1]]
        if one[0] != two[0] or one[1] != two[1] or one[2] != two[2]:
            return False
    for n in range(len(p.steps)):
        step, at, own = p.steps[n][0], p.steps[n][1], p.steps[n][2]
        for k in range(3):
            frames[first + step][k] += out.of_side[at][k]
            frames[second + step][k] += out.of_side[own][k]
    return True


@borrowing
def _move_cloud(p: MovedPlaces, s: StandingNumbers, cloud: Array, points: Array) -> None:
    """Move the features of the bodies, and the centres of these."""
    count = len(cloud)
    for n in range(len(p.cloud)):
        row, place = p.cloud[n][0], p.cloud[n][1]
        part = s.part_of_cloud[row]
        _place(cloud[row], s.relative[part], points[place], True)
        _place(cloud[row], s.start[part], points[count + place], True)
    for body in p.centred:
        low, high = s.first[body], s.first[body + 1]
        for k in range(3):
            total = 0.0
            for n in range(low, high):
                total += points[n][k]
            points[2 * count + body][k] = total / (high - low)

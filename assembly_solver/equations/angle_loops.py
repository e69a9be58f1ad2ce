"""Loops of angles about parallel axes, whose signed sum is constant for any number of turns.

Parts that mates keep from rotating relative to each other count as one frame: those with two
directions in common, through whatever parts between them, too.  Where each frame of
a loop rotates relative to the next about axes that mates keep parallel, the signed angles of the
joints add up to a constant.  So the whole turns of one follow from those of the others: those of a
screw from the bearing of the spindle and the guide of the nut.  A joint that cannot rotate at all
is no such loop: it may have any number of turns.  A signed angle of two directions about an axis
of one of them closes a loop with joints that keep this axis parallel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from math import atan2, ceil, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.numerics.rounding import AGREEMENT, FOURTH
from ..foundations.types import Array
from ..model.measures.measure import DISPLACEMENT, ROTATION, TILT, TURN
from .table import EquationTable

Coordinate = tuple[int, int, int, int, int]
"""A measure as a key: kind, axes, markers."""

Node = tuple[int, int]
"""A direction in a frame: the frame, and the number of the direction there."""

Markers = tuple[int, int]
Rows = dict[Markers, set[tuple[int, int]]]
"""Equations of one measure, (kind, axis), by their two markers."""

ALONG = {(TILT, 0), (TILT, 1)}
COAXIAL = ALONG | {(DISPLACEMENT, 0), (DISPLACEMENT, 1)}
UNTURNED = {(TURN, 0), (TURN, 1), (TURN, 2)}


class Winding(NamedTuple):
    """A loop: the sum of the angles, each times its sign, is `total` (rad)."""

    signs: dict[Coordinate, float]
    total: float


class _Step(NamedTuple):
    """An edge of the graph: a rotation from marker a to marker b (+1) or back (-1), to a node."""

    coordinate: Coordinate
    sign: float
    node: Node


class _Shared(NamedTuple):
    """A direction that two bodies have in common: unit vectors, each in coordinates of its body."""

    one: int
    u: Array
    two: int
    v: Array


def windings(
    table: EquationTable,
    start: Array,
    grounded: NDArray[np.bool_],
    coordinates: Collection[Coordinate],
    through_joints: bool = False,
) -> list[Winding]:
    """The independent loops of some angles about axes that stay parallel.

    Of the start (poses of the parts, (parts, 12)) only those of grounded parts matter: values that
    add up at one pose do so at all.

    Args:
        through_joints: loops may also go through joints of which no angle is given.
    """
    frames = _Frames(table, start, grounded)
    tree: dict[Node, list[_Step]] = {}
    found = []
    angles = [k for k in coordinates if k[0] == ROTATION]
    if through_joints:
        joints = [(ROTATION, 0, 0, *pair) for pair in sorted(frames.along)]
        angles = [*dict.fromkeys([*angles, *joints])]
    for k in (k for k in angles if (k[3], k[4]) in frames.along):
        a, b = frames.node(k[3]), frames.node(k[4])
        path = _path(tree, b, a)
        if path is None:
            tree.setdefault(a, []).append(_Step(k, 1.0, b))
            tree.setdefault(b, []).append(_Step(k, -1.0, a))
            continue
        closed = frames.winding([_Step(k, 1.0, b), *path]) if path else None  # else it is held
        if closed is not None:
            found.append(closed)
    near = frames.as_near(tree)
    for k in (k for k in angles if (k[3], k[4]) not in frames.along):
        loop = _loop_about(near, frames, k)
        closed = frames.winding(loop) if loop else None
        if closed is not None:
            found.append(closed)
    return found


def _loop_about(
    tree: Mapping[Node, list[_Step]], frames: _Frames, k: Coordinate
) -> list[_Step] | None:
    """The loop of an angle about an axis of its first marker, which no mate of its own keeps
    parallel to one of the second; None where joints keep none so."""
    a = frames.node(k[3], FOURTH)  # the axis of a feature may be off that of the joint
    for b in frames.nodes(k[4]):
        path = _path(tree, b, a)
        if path:
            return [_Step(k, 1.0, b), *path]
    return None


def _path(tree: Mapping[Node, list[_Step]], begin: Node, end: Node) -> list[_Step] | None:
    """The path through a forest from one node to another; None where there is none."""
    paths: dict[Node, list[_Step]] = {begin: []}
    ahead = [begin]
    while ahead and end not in paths:
        n = ahead.pop()
        for step in tree.get(n, ()):
            if step.node not in paths:
                paths[step.node] = [*paths[n], step]
                ahead.append(step.node)
    return paths.get(end)


class _Frames:
    """Frames of bodies that do not rotate relative to each other, and axes in these.

    Attributes:
        along: pairs of markers whose z axes a mate keeps parallel; found: axes by frames.
    """

    def __init__(self, table: EquationTable, start: Array, grounded: NDArray[np.bool_]) -> None:
        self.points = table.marker_frame[:, :3]
        self.axes = table.marker_frame[:, 3:].reshape(-1, 3, 3)  # rows x, y, z
        self.body = table.marker_body
        self.root = np.arange(len(start))
        self.into = np.tile(np.eye(3), (len(start), 1, 1))  # vectors of a body to its frame
        self.found: dict[int, list[Array]] = {}
        ground = np.flatnonzero(grounded).tolist()
        for k in ground[1:]:
            one, two = (start[n, 3:].reshape(3, 3) for n in (ground[0], k))
            self._join(ground[0], k, one @ two.T)
        rows = _rows(table)
        self.along = {pair for pair, kinds in rows.items() if kinds >= ALONG}
        for (a, b), kinds in rows.items():
            if kinds >= UNTURNED:
                self._join(self.body[a], self.body[b], self.axes[a].T @ self.axes[b])
        shared = self._shared(rows)
        while self._join_shared(shared):
            pass

    def _join(self, a: int, b: int, rotation: Array) -> None:
        """Merge the frames of two bodies; `rotation` takes vectors of b to a."""
        if self.root[a] != self.root[b]:
            members = self.root == self.root[b]
            self.into[members] = self.into[a] @ rotation @ self.into[b].T @ self.into[members]
            self.root[members] = self.root[a]

    def _shared(self, rows: Rows) -> list[_Shared]:
        """Directions that mates keep parallel: of axes, and from one of two coaxial pairs to the
        other."""
        out, coaxial = list[_Shared](), dict[tuple[int, int], tuple[int, int]]()
        for a, b in sorted(self.along):
            one, two = int(self.body[a]), int(self.body[b])
            out.append(_Shared(one, self.axes[a, 2], two, self.axes[b, 2]))
            if not rows[a, b] >= COAXIAL:
                continue
            first, second = (a, b) if one < two else (b, a)
            c, d = coaxial.setdefault((min(one, two), max(one, two)), (first, second))
            if (c, d) == (first, second):
                continue
            u = _square(self.points[first] - self.points[c], self.axes[c, 2])
            v = _square(self.points[second] - self.points[d], self.axes[d, 2])
            if u is not None and v is not None:
                out.append(_Shared(min(one, two), u, max(one, two), v))
        return out

    def _join_shared(self, shared: list[_Shared]) -> bool:
        """Merge frames that have two directions in common, also through other frames: they cannot
        rotate relative to each other.  Whether any were merged.
        """
        if self._with_two(shared) < 2:
            return False
        common: dict[tuple[int, int], tuple[int, Array]] = {}
        before = len(np.unique(self.root))
        for root, found in self._directions(shared).items():
            for i, j in combinations(sorted(found), 2):
                across = _square(found[j], found[i])
                if across is None:
                    continue
                here = _triad(found[i], across)
                other, there = common.setdefault((i, j), (root, here))
                self._join(other, root, there.T @ here)
        return len(np.unique(self.root)) < before

    def _with_two(self, shared: list[_Shared]) -> int:
        """How many frames have more than one of the directions."""
        if not shared:
            return 0
        bodies = np.array([(s.one, s.two) for s in shared]).ravel()
        own = np.array([(s.u, s.v) for s in shared]).reshape(-1, 3)
        z = np.einsum("nij,nj->ni", self.into[bodies], own)
        _, first, at = np.unique(self.root[bodies], return_index=True, return_inverse=True)
        other = np.linalg.norm(np.cross(z, z[first][at]), axis=1) > FOURTH
        return len(np.unique(at[other]))

    def _directions(self, shared: list[_Shared]) -> dict[int, dict[int, Array]]:
        """The shared directions of each frame, by the number of all that are one direction."""
        axes: dict[int, list[Array]] = {}
        beside: dict[Node, list[tuple[Node, float]]] = {}
        for one, u, two, v in shared:
            (a, sign), (b, other) = (self._axis(axes, *x) for x in ((one, u), (two, v)))
            beside.setdefault(a, []).append((b, sign * other))
            beside.setdefault(b, []).append((a, sign * other))
        out: dict[int, dict[int, Array]] = {}
        signs: dict[Node, float] = {}
        for number, first in enumerate(beside):
            ahead = [] if first in signs else [first]
            signs.setdefault(first, 1.0)
            while ahead:
                node = ahead.pop()
                frame, n = node
                out.setdefault(frame, {}).setdefault(number, signs[node] * axes[frame][n])
                for near, sign in beside[node]:
                    if near not in signs:
                        signs[near] = signs[node] * sign
                        ahead.append(near)
        return out

    def _axis(
        self, axes: dict[int, list[Array]], body: int, z: Array, same: float = AGREEMENT
    ) -> tuple[Node, float]:
        """The node of a direction of a body among those of its frame, new there if it is none of
        them; and 1, or -1 where it points the other way."""
        frame, z = int(self.root[body]), self.into[body] @ z
        known = axes.setdefault(frame, [])
        for n, axis in enumerate(known):
            if np.linalg.norm(np.cross(z, axis)) < same:
                return (frame, n), float(np.sign(z @ axis))
        known.append(z)
        return (frame, len(known) - 1), 1.0

    def node(self, marker: int, same: float = AGREEMENT) -> Node:
        """The node of the axis of a marker in its frame, of either direction."""
        return self._axis(self.found, int(self.body[marker]), self.axes[marker, 2], same)[0]

    def as_near(self, tree: Mapping[Node, list[_Step]]) -> dict[Node, list[_Step]]:
        """The same graph with one node for the axes of a frame that features may be off: turns are
        counted along axes that are nearly parallel, too."""
        out: dict[Node, list[_Step]] = {}
        for n, steps in tree.items():
            out.setdefault(self._first(n), []).extend(
                step._replace(node=self._first(step.node)) for step in steps
            )
        return out

    def _first(self, n: Node) -> Node:
        """The first axis of its frame that is near one of these."""
        known = self.found[n[0]]
        across = np.linalg.norm(np.cross(known, known[n[1]]), axis=1)
        return n[0], int(np.argmax(across < FOURTH))

    def nodes(self, marker: int) -> list[Node]:
        """The nodes of all known axes in the frame of a marker."""
        frame = int(self.root[self.body[marker]])
        return [(frame, n) for n in range(len(self.found.get(frame, ())))]

    def winding(self, loop: list[_Step]) -> Winding | None:
        """The constant sum of the angles of a loop, from the rotation left when all are zero."""
        first, end = (self._marker(n) for n in loop[0].coordinate[3:])
        axis, same = first[2], AGREEMENT if loop[0].coordinate[3:] in self.along else FOURTH
        for last in self._about(end, loop[0]):
            signs, passed = {loop[0].coordinate: 1.0}, first.T @ last
            for step in loop[1:]:
                a, b = (self._marker(n) for n in step.coordinate[3:])
                if step.sign < 0:
                    a, b = b, a
                signs[step.coordinate] = step.sign * float(np.sign(axis @ passed @ a[2]))
                passed = passed @ a.T @ b
            if np.linalg.norm(passed @ axis - axis) <= same:
                break
        else:
            return None  # the axes reverse around the loop: it cannot close
        turned = passed @ first[0]
        total = -atan2(float(turned @ first[1]), float(turned @ first[0]))
        # above -pi to pi; half a turn is positive though features are off
        return Winding(signs, total - 2 * pi * ceil((total - pi - FOURTH) / (2 * pi)))

    def _about(self, end: Array, step: _Step) -> list[Array]:
        """The axes at the end of the first step: with z along the axis of its node, either way
        where it is an angle of two directions, whose own z is none."""
        if step.coordinate[3:] in self.along:
            return [end]
        frame, n = step.node
        axis = self.found[frame][n]
        x = _square(end[0], axis)
        return [] if x is None else [_triad(way * axis, x) for way in (1.0, -1.0)]

    def _marker(self, n: int) -> Array:
        """The axes of a marker in its frame, as rows."""
        out: Array = self.axes[n] @ self.into[self.body[n]].T
        return out


def _rows(table: EquationTable) -> Rows:
    """Equations that keep one tilt, rotation or displacement at zero, by their markers."""
    out: Rows = {}
    for e in np.flatnonzero(np.diff(table.first_term) == 1).tolist():
        n = int(table.term_measure[table.first_term[e]])
        kind = int(table.kind[n])
        if kind in (TILT, TURN, DISPLACEMENT) and table.target[e] == 0.0:
            pair = (int(table.marker_a[n]), int(table.marker_b[n]))
            out.setdefault(pair, set()).add((kind, int(table.axis_i[n])))
    return out


def _square(v: Array, z: Array) -> Array | None:
    """Unit vector of the component of v normal to z; None where it is so small that it may be what
    features are off: then they have one direction in common, not two."""
    across = v - (v @ z) * z
    size = float(np.linalg.norm(across))
    return across / size if size > FOURTH * max(1.0, float(np.linalg.norm(v))) else None


def _triad(z: Array, x: Array) -> Array:
    """Rows x, z cross x, z."""
    return np.array([x, np.cross(z, x), z])

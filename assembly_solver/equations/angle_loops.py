"""Loops of angles about parallel axes, whose signed sum is constant for any number of turns.

Parts that mates keep from rotating relative to each other count as one frame.  Where each frame of
a loop rotates relative to the next about axes that mates keep parallel, the signed angles of the
joints add up to a constant.  So the whole turns of one follow from those of the others: those of a
screw from the bearing of the spindle and the guide of the nut.  A joint that cannot rotate at all
is no such loop: it may have any number of turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..model.measures.measure import DISPLACEMENT, ROTATION, TILT, TURN
from .table import EquationTable

Coordinate = tuple[int, int, int, int, int]
"""A measure as a key: kind, axes, markers."""

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
    node: int


def windings(
    table: EquationTable,
    start: Array,
    grounded: NDArray[np.bool_],
    values: Mapping[Coordinate, float],
) -> list[Winding]:
    """The independent loops of some angles about axes that stay parallel.

    `values` are the angles at the start (poses of the parts, (parts, 12)), rad, with their turns.
    """
    frames = _Frames(table, start, grounded)
    tree: list[list[_Step]] = []
    found = []
    for k in values:
        if k[0] != ROTATION or (k[3], k[4]) not in frames.along:
            continue
        a, b = frames.node(k[3]), frames.node(k[4])
        tree += [[] for _ in range(len(frames.nodes) - len(tree))]
        path = _path(tree, b, a)
        if path is None:
            tree[a].append(_Step(k, 1.0, b))
            tree[b].append(_Step(k, -1.0, a))
            continue
        if not path:  # it cannot rotate
            continue
        closed = frames.winding([_Step(k, 1.0, b), *path], values)
        if closed is not None:
            found.append(closed)
    return found


def _path(tree: list[list[_Step]], begin: int, end: int) -> list[_Step] | None:
    """The path through a forest from one node to another; None where there is none."""
    paths: dict[int, list[_Step]] = {begin: []}
    ahead = [begin]
    while ahead and end not in paths:
        n = ahead.pop()
        for step in tree[n]:
            if step.node not in paths:
                paths[step.node] = [*paths[n], step]
                ahead.append(step.node)
    return paths.get(end)


class _Frames:
    """Frames of bodies that do not rotate relative to each other, and axes in these.

    Attributes:
        along: pairs of markers whose z axes a mate keeps parallel; nodes: (frame, axis in it).
    """

    def __init__(self, table: EquationTable, start: Array, grounded: NDArray[np.bool_]) -> None:
        self.points = table.marker_frame[:, :3]
        self.axes = table.marker_frame[:, 3:].reshape(-1, 3, 3)  # rows x, y, z
        self.body = table.marker_body
        self.root = np.arange(len(start))
        self.into = np.tile(np.eye(3), (len(start), 1, 1))  # vectors of a body to its frame
        self.nodes: list[tuple[int, Array]] = []
        ground = np.flatnonzero(grounded).tolist()
        for k in ground[1:]:
            one, two = (start[n, 3:].reshape(3, 3) for n in (ground[0], k))
            self._join(ground[0], k, one @ two.T)
        rows = _rows(table)
        self.along = {pair for pair, kinds in rows.items() if kinds >= ALONG}
        for (a, b), kinds in rows.items():
            if kinds >= UNTURNED:
                self._join(self.body[a], self.body[b], self.axes[a].T @ self.axes[b])
        for pairs in self._by_bodies(rows).values():
            self._join_parallel(pairs, rows)

    def _join(self, a: int, b: int, rotation: Array) -> None:
        """Merge the frames of two bodies; `rotation` takes vectors of b to a."""
        if self.root[a] != self.root[b]:
            members = self.root == self.root[b]
            self.into[members] = self.into[a] @ rotation @ self.into[b].T @ self.into[members]
            self.root[members] = self.root[a]

    def _by_bodies(self, rows: Rows) -> dict[Markers, list[Markers]]:
        """Pairs of markers that are kept parallel, by their two bodies."""
        out: dict[Markers, list[Markers]] = {}
        for a, b in self.along:
            one, two = int(self.body[a]), int(self.body[b])
            out.setdefault((min(one, two), max(one, two)), []).append((a, b))
        return {bodies: sorted(pairs) for bodies, pairs in out.items() if len(pairs) > 1}

    def _join_parallel(self, pairs: list[Markers], rows: Rows) -> None:
        """Merge two bodies with two common directions: two axes, or an axis and one across."""
        a, b = pairs[0]
        for c, d in pairs[1:]:
            e, f = (c, d) if self.body[c] == self.body[a] else (d, c)
            one, two = (self.axes[n, 2] for n in (a, b))
            across = (_square(self.axes[e, 2], one), _square(self.axes[f, 2], two))
            if across[0] is None and rows[a, b] >= COAXIAL and rows[c, d] >= COAXIAL:
                away = self.points[e] - self.points[a], self.points[f] - self.points[b]
                across = (_square(away[0], one), _square(away[1], two))
            if across[0] is not None and across[1] is not None:
                u, v = _triad(one, across[0]), _triad(two, across[1])
                self._join(self.body[a], self.body[b], u.T @ v)
                return

    def node(self, marker: int) -> int:
        """The node of the axis of a marker in its frame, of either direction."""
        body = self.body[marker]
        z = self.into[body] @ self.axes[marker, 2]
        for n, (root, axis) in enumerate(self.nodes):
            if root == self.root[body] and np.linalg.norm(np.cross(z, axis)) < AGREEMENT:
                return n
        self.nodes.append((int(self.root[body]), z))
        return len(self.nodes) - 1

    def winding(self, loop: list[_Step], values: Mapping[Coordinate, float]) -> Winding | None:
        """The constant sum of the angles of a loop, from the rotation left when all are zero."""
        first = self._marker(loop[0].coordinate[3])
        axis, passed = first[2], np.eye(3)
        signs: dict[Coordinate, float] = {}
        for step in loop:
            a, b = (self._marker(n) for n in step.coordinate[3:])
            if step.sign < 0:
                a, b = b, a
            signs[step.coordinate] = step.sign * float(np.sign(axis @ passed @ a[2]))
            passed = passed @ a.T @ b
        if np.linalg.norm(passed @ axis - axis) > AGREEMENT:
            return None  # the axes reverse around the loop: it cannot close
        turned = passed @ first[0]
        total = -atan2(float(turned @ first[1]), float(turned @ first[0]))
        here = sum(sign * values[k] for k, sign in signs.items())
        return Winding(signs, total + 2 * pi * round((here - total) / (2 * pi)))

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
    """Unit vector of the component of v normal to z; None where it vanishes."""
    across = v - (v @ z) * z
    size = float(np.linalg.norm(across))
    return across / size if size > AGREEMENT * max(1.0, float(np.linalg.norm(v))) else None


def _triad(z: Array, x: Array) -> Array:
    """Rows x, z cross x, z."""
    return np.array([x, np.cross(z, x), z])

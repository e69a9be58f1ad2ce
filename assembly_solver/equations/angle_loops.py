"""Loops of angles about parallel axes: their sum stays what it is however often the joints turn.

Parts that mates keep from turning relative to each other count as one frame here.  Where each of a
loop of frames turns relative to the next about axes that mates keep parallel, the angles of the
joints, each with its sign, add up to a constant; so the turns of one follow from those of the
others: those of a thread from the spindle's bearing and the guide of the nut.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array
from ..model.measures.measure import DISPLACEMENT, ROTATION, TILT, TURN
from .table import Table

Coordinate = tuple[int, int, int, int, int]
"""A measure as a key: kind, axes, markers."""

Markers = tuple[int, int]
Rows = dict[Markers, set[tuple[int, int]]]
"""Equations of one measure, (kind, axis), by the two markers that they are between."""

PARALLEL = 1e-9
"""Sine of the angle up to which two directions are one."""

ALONG = {(TILT, 0), (TILT, 1)}
COAXIAL = ALONG | {(DISPLACEMENT, 0), (DISPLACEMENT, 1)}
UNTURNED = {(TURN, 0), (TURN, 1), (TURN, 2)}


class Winding(NamedTuple):
    """The sum of angles, each times its sign, is `total` (rad)."""

    signs: dict[Coordinate, float]
    total: float


class _Step(NamedTuple):
    """An angle passed from marker a to marker b (+1) or back (-1), to a node."""

    coordinate: Coordinate
    sign: float
    node: int


def windings(
    table: Table, start: Array, grounded: NDArray[np.bool_], values: Mapping[Coordinate, float]
) -> list[Winding]:
    """The independent loops of some angles about axes that stay parallel.

    Args:
        start: poses of the parts, (parts, 12); grounded: which of them stand still.
        values: the angles at the start, each in the turn that it is counted from, rad.
    """
    frames = _Frames(table, start, grounded)
    tree: list[list[_Step]] = []
    found = []
    for k in values:
        if k[0] != ROTATION or (k[3], k[4]) not in frames.along:
            continue
        a, b = frames.node(k[3]), frames.node(k[4])
        tree += [[] for _ in range(len(frames.nodes) - len(tree))]
        way = _path(tree, b, a)
        if way is None:
            tree[a].append(_Step(k, 1.0, b))
            tree[b].append(_Step(k, -1.0, a))
            continue
        closed = frames.winding([_Step(k, 1.0, b), *way], values)
        if closed is not None:
            found.append(closed)
    return found


def _path(tree: list[list[_Step]], begin: int, end: int) -> list[_Step] | None:
    """The steps through a forest from one node to another; None where no way leads there."""
    ways: dict[int, list[_Step]] = {begin: []}
    ahead = [begin]
    while ahead and end not in ways:
        n = ahead.pop()
        for step in tree[n]:
            if step.node not in ways:
                ways[step.node] = [*ways[n], step]
                ahead.append(step.node)
    return ways.get(end)


class _Frames:
    """Bodies in frames that do not turn relative to each other, and axes in these.

    Attributes:
        along: pairs of markers whose z axes a mate keeps parallel; nodes: (frame, axis in it).
    """

    def __init__(self, table: Table, start: Array, grounded: NDArray[np.bool_]) -> None:
        self.points = table.marker_frame[:, :3]
        self.axes = table.marker_frame[:, 3:].reshape(-1, 3, 3)  # rows x, y, z
        self.body = table.marker_body
        self.root = np.arange(len(start))
        self.into = np.tile(np.eye(3), (len(start), 1, 1))  # vectors of a body to its frame's
        self.nodes: list[tuple[int, Array]] = []
        held = np.flatnonzero(grounded).tolist()
        for k in held[1:]:
            one, two = (start[n, 3:].reshape(3, 3) for n in (held[0], k))
            self._join(held[0], k, one @ two.T)
        rows = _rows(table)
        self.along = {pair for pair, kinds in rows.items() if kinds >= ALONG}
        for (a, b), kinds in rows.items():
            if kinds >= UNTURNED:
                self._join(self.body[a], self.body[b], self.axes[a].T @ self.axes[b])
        for pairs in self._by_bodies(rows).values():
            self._join_held(pairs, rows)

    def _join(self, a: int, b: int, carried: Array) -> None:
        """One frame of the frames of two bodies; `carried` takes vectors of b to a."""
        if self.root[a] != self.root[b]:
            members = self.root == self.root[b]
            self.into[members] = self.into[a] @ carried @ self.into[b].T @ self.into[members]
            self.root[members] = self.root[a]

    def _by_bodies(self, rows: Rows) -> dict[Markers, list[Markers]]:
        """Pairs of markers that are kept parallel, by their two bodies."""
        out: dict[Markers, list[Markers]] = {}
        for a, b in self.along:
            one, two = int(self.body[a]), int(self.body[b])
            out.setdefault((min(one, two), max(one, two)), []).append((a, b))
        return {bodies: sorted(pairs) for bodies, pairs in out.items() if len(pairs) > 1}

    def _join_held(self, pairs: list[Markers], rows: Rows) -> None:
        """Join two bodies that keep two directions: of two axes, or from an axis to another."""
        a, b = pairs[0]
        for c, d in pairs[1:]:
            e, f = (c, d) if self.body[c] == self.body[a] else (d, c)
            one, two = (self.axes[n, 2] for n in (a, b))
            across = (_square(self.axes[e, 2], one), _square(self.axes[f, 2], two))
            if across[0] is None and rows[a, b] >= COAXIAL and rows[c, d] >= COAXIAL:
                away = self.points[e] - self.points[a], self.points[f] - self.points[b]
                across = (_square(away[0], one), _square(away[1], two))
            if across[0] is not None and across[1] is not None:
                u, v = (
                    _triad(z, x) for z, x in zip((one, two), across, strict=True) if x is not None
                )
                self._join(self.body[a], self.body[b], u.T @ v)
                return

    def node(self, marker: int) -> int:
        """The axis of a marker in its frame, whichever way it points."""
        body = self.body[marker]
        z = self.into[body] @ self.axes[marker, 2]
        for n, (root, axis) in enumerate(self.nodes):
            if root == self.root[body] and np.linalg.norm(np.cross(z, axis)) < PARALLEL:
                return n
        self.nodes.append((int(self.root[body]), z))
        return len(self.nodes) - 1

    def winding(self, loop: list[_Step], values: Mapping[Coordinate, float]) -> Winding | None:
        """The sum of the angles of a loop: what is left to turn when all of them are zero."""
        first = self._marker(loop[0].coordinate[3])
        axis, passed = first[2], np.eye(3)
        signs: dict[Coordinate, float] = {}
        for step in loop:
            a, b = (self._marker(n) for n in step.coordinate[3:])
            if step.sign < 0:
                a, b = b, a
            signs[step.coordinate] = step.sign * float(np.sign(axis @ passed @ a[2]))
            passed = passed @ a.T @ b
        if np.linalg.norm(passed @ axis - axis) > PARALLEL:
            return None  # the axes turn over on the way round: no such loop closes
        turned = passed @ first[0]
        total = -atan2(float(turned @ first[1]), float(turned @ first[0]))
        here = sum(sign * values[k] for k, sign in signs.items())
        return Winding(signs, total + 2 * pi * round((here - total) / (2 * pi)))

    def _marker(self, n: int) -> Array:
        """The axes of a marker in its frame, as rows."""
        out: Array = self.axes[n] @ self.into[self.body[n]].T
        return out


def _rows(table: Table) -> Rows:
    """What equations of one measure hold at zero, or at no bend or turn, by their markers."""
    out: Rows = {}
    for e in np.flatnonzero(np.diff(table.first_term) == 1).tolist():
        n = int(table.term_measure[table.first_term[e]])
        kind = int(table.kind[n])
        if kind in (TILT, TURN, DISPLACEMENT) and table.target[e] == 0.0:
            pair = (int(table.marker_a[n]), int(table.marker_b[n]))
            out.setdefault(pair, set()).add((kind, int(table.axis_i[n])))
    return out


def _square(v: Array, z: Array) -> Array | None:
    """The direction of v square to z; None where there is none."""
    across = v - (v @ z) * z
    size = float(np.linalg.norm(across))
    return across / size if size > PARALLEL * max(1.0, float(np.linalg.norm(v))) else None


def _triad(z: Array, x: Array) -> Array:
    """Rows x, z cross x, z."""
    return np.array([x, np.cross(z, x), z])

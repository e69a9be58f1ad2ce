"""Triangle meshes with edge lines, which make unlit faces readable; those of symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ...foundations.numerics.rounding import TINY
from ...foundations.types import Array, Ints

SHARP = 0.5
"""Angle between two triangles from which their common side is drawn as an edge, rad."""

SIDES = 20
"""Sides of the prism that is drawn for a cylinder."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles and edge lines.

    Attributes:
        corners: (n, 3), mm; a corner that two faces share occurs twice, so that edges stay sharp.
        triangles: (m, 3), numbers of corners.
        edges: (k, 2), numbers of the corners at the ends of each line.
    """

    corners: Array
    triangles: Ints
    edges: Ints

    def moved(self, frame: Array) -> TriangleMesh:
        """The mesh transformed by a frame, 12 numbers: origin (mm) and axes."""
        moved_corners = frame[:3] + self.corners @ frame[3:].reshape(3, 3)
        return TriangleMesh(moved_corners, self.triangles, self.edges)

    def __add__(self, other: TriangleMesh) -> TriangleMesh:
        n = len(self.corners)
        return TriangleMesh(
            np.vstack([self.corners, other.corners]),
            np.vstack([self.triangles, other.triangles + n]),
            np.vstack([self.edges, other.edges + n]),
        )


EMPTY = TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64), np.zeros((0, 2), np.int64))


def faceted(corners: Array, triangles: Ints) -> TriangleMesh:
    """A mesh from bare triangles, with edges where neighbours differ by `SHARP` or are missing."""
    _, same = np.unique(np.round(corners, 6), axis=0, return_inverse=True)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY)
    sides = np.sort(_sides(same.reshape(-1)[triangles]), axis=1)
    _, side, count = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(count), 3))
    np.add.at(sums, side.reshape(-1), np.repeat(normals, 3, axis=0))
    # two unit normals that differ by an angle add up to twice the cosine of its half
    sharp = np.linalg.norm(sums, axis=1) < 2.0 * np.cos(0.5 * SHARP)
    number = np.arange(3 * len(triangles)).reshape(-1, 3)
    edges = _sides(number)[(sharp | (count != 2))[side.reshape(-1)]]
    return TriangleMesh(corners[triangles].reshape(-1, 3), number, edges)


def _sides(triangles: Ints) -> Ints:
    """The three sides of each triangle, (3 m, 2) numbers of corners."""
    return triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)


def border(triangles: Ints) -> Ints:
    """The sides that belong to one triangle only, (k, 2) numbers of corners."""
    sides = np.sort(_sides(triangles), axis=1)
    found, counts = np.unique(sides, axis=0, return_counts=True)
    alone: Ints = found[counts == 1]
    return alone


def pin(begin: Array, end: Array, radius: float) -> TriangleMesh:
    """A closed cylinder between two points, (3,) mm; empty where they coincide."""
    z = end - begin
    length = float(np.linalg.norm(z))
    if length == 0.0:
        return EMPTY
    z = z / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)[:, None]
    ring = radius * (np.cos(turn) * x + np.sin(turn) * y)
    low, high = begin + ring, end + ring
    covers = np.vstack([fan(SIDES)[:, ::-1], fan(SIDES) + SIDES])
    return wall(low, high) + TriangleMesh(np.vstack([low, high]), covers, EMPTY.edges)


def wall(low: Array, high: Array) -> TriangleMesh:
    """The side faces between two loops, (n, 3) mm, with edges along both."""
    n = len(low)
    k = np.arange(n)
    after = (k + 1) % n
    triangles = np.vstack([np.stack([k, after, k + n], 1), np.stack([after, after + n, k + n], 1)])
    loop = np.stack([k, after], 1)
    return TriangleMesh(np.vstack([low, high]), triangles, np.vstack([loop, loop + n]))


def fan(count: int) -> Ints:
    """The triangles of a convex loop of `count` corners."""
    k = np.arange(1, count - 1)
    return np.stack([np.zeros_like(k), k, k + 1], axis=1)


def plate(frame: Array, size: float) -> TriangleMesh:
    """A thin square of side `size`, mm, in the xy plane of a frame, (12,)."""
    x, y, z = frame[3:].reshape(3, 3)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    square = frame[:3] + 0.5 * size * (signs @ np.stack([x, y]))
    half = 0.02 * size * z
    corners = np.vstack([square - half, square + half])
    sides = [(k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4)]
    faces = [(3, 2, 1, 0), (4, 5, 6, 7), *sides]
    return reduce(TriangleMesh.__add__, (_quad(corners[list(face)]) for face in faces))


def _quad(corners: Array) -> TriangleMesh:
    triangles = np.array([(0, 1, 2), (0, 2, 3)])
    return TriangleMesh(corners, triangles, border(triangles))


def ball(centre: Array, radius: float) -> TriangleMesh:
    """A sphere; centre (3,), mm."""
    rows, turns = SIDES // 2, SIDES
    down = np.linspace(0.0, np.pi, rows + 1)[:, None]
    around = np.linspace(0.0, 2.0 * np.pi, turns + 1)[None, :]
    x, y = np.sin(down) * np.cos(around), np.sin(down) * np.sin(around)
    unit = np.stack([x, y, np.cos(down) + 0 * around], -1)
    corners = centre + radius * unit.reshape(-1, 3)
    k = (np.arange(rows)[:, None] * (turns + 1) + np.arange(turns)).ravel()
    below = k + turns + 1
    triangles = np.vstack([np.stack([k, below, k + 1], 1), np.stack([below, below + 1, k + 1], 1)])
    return TriangleMesh(corners, triangles, EMPTY.edges)


def placed_corners(shapes: Iterable[TriangleMesh], frames: Array) -> Array:
    """All corners in the world, (n, 3) mm, of one mesh for each of the frames, (p, 12)."""
    return np.vstack([s.moved(f).corners for s, f in zip(shapes, frames, strict=True)])

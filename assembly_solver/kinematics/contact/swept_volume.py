"""The volume that a part sweeps over, as a closed surface that encloses it.

Distances from the part are known on a grid of its own; those from the swept volume, on a grid of
the world, are the smallest over all poses.  The surface is where they are as large as they may be
wrong, so that all that is swept is within.  With steps h of the world's grid, h / 2 of the part's:

- linear interpolation between nodes of a cube of step s is off by at most sqrt(3) s / 2: a distance
  changes by no more than the way to a node, and that is so far in the mean square at most;
- nodes of the part's grid are off by h / 2 at most: triangles are divided until edges are h / 4,
  and inner nodes nearer to the surface than h / 2 count as outer ones;
- between two poses no point is farther from one of them than half of its way.

Source: the bounds are derived here; sampling of swept volumes by distances: X. Zhang, Y. J. Kim and
D. Manocha, Reliable sweeps, ACM SPM 2009 (their method is another one).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.ndimage import label, map_coordinates
from scipy.spatial import cKDTree

from ...formats.shapes.meshes import Mesh
from ...foundations.geometry.level_surface import level_surface
from ...foundations.geometry.pose import placed_points
from ...foundations.types import Array
from .geometry import winding

CELLS = 4.0
"""Steps of the world's grid in a deviation.  They leave 0.9 steps for what moves between poses."""

INTERPOLATED = sqrt(3.0) / 2.0
"""Error of a distance that is interpolated between nodes, in steps of the grid."""

WRONG = INTERPOLATED * 1.5 + 0.5
"""Largest error of a distance at a pose, in steps of the world's grid."""

TRAVEL = 2.0 * (CELLS - WRONG - INTERPOLATED * 1.5)
"""Largest way of a point between two poses, in steps of the world's grid."""

FINE = 64
"""Parts of a step of the grid in which points on the part count as one."""

FAR = WRONG + 0.5 * TRAVEL + 2.0
"""Largest distance that is looked for, in steps of the world's grid: beyond that of the surface."""

NODES = 4_000_000
"""Most nodes of a grid."""


class DistanceField(NamedTuple):
    """Distances from a part on a grid; 0 in it.

    Attributes:
        first: the first node, (3,), part coordinates, mm; step: mm; values: (nx, ny, nz), mm.
        far: what they are at most, mm; those beyond the grid are no smaller.
    """

    first: Array
    step: float
    values: Array
    far: float

    def at(self, points: Array) -> Array:
        """The distance at points (n, 3) in part coordinates, (n,), mm."""
        places = ((points - self.first) / self.step).T
        out: Array = map_coordinates(self.values, places, order=1, mode="constant", cval=self.far)
        return out


def least_deviation(box: tuple[Array, Array], mesh: Mesh) -> float:
    """The smallest deviation, mm, for which no grid of `swept_surface` has more than `NODES` nodes.

    It is one of a series of which each is larger by a twentieth.
    """
    sizes = np.array([box[1] - box[0], 2.0 * np.ptp(mesh.corners, axis=0)])  # in steps of the world
    out = float(sizes.max()) / sqrt(NODES)
    while bool(np.any(np.prod(sizes * CELLS / out + 4.0 * FAR + 8.0, axis=1) > NODES)):
        out *= 1.05
    return out


def distance_field(mesh: Mesh, step: float, far: float) -> DistanceField:
    """The distances from a part with closed bodies up to `far`, mm, on a grid of a step, mm."""
    low, high = mesh.corners.min(axis=0) - far - step, mesh.corners.max(axis=0) + far + step
    counts = np.ceil((high - low) / step).astype(int) + 1
    nodes = low + step * np.moveaxis(np.indices(counts), 0, -1)
    points = _divided(mesh, (0.5 - 1.0 / FINE) * step)
    cells = np.rint((points - low) / step * FINE).astype(np.int64)  # equal points make trees slow
    _, once = np.unique(
        np.ravel_multi_index(tuple(cells.T), tuple(FINE * counts)), return_index=True
    )
    points = points[once]
    found, _ = cKDTree(points).query(nodes.reshape(-1, 3), distance_upper_bound=far)
    values = np.minimum(found, far).reshape(counts)
    # two such neighbours are on one side: the surface is nearer to one of them where it is between
    regions, count = label(values > step)
    for n in range(1, count + 1):
        first = np.unravel_index(int(np.argmax(regions == n)), counts)
        if winding(mesh, nodes[first]) > 0.5:
            values[regions == n] = 0.0
    return DistanceField(low, step, values, far)


def _divided(mesh: Mesh, size: float) -> Array:
    """Points on a mesh, (n, 3), mm: corners of its triangles, halved until no edge is longer."""
    left, out = mesh.corners[mesh.triangles], []
    while len(left):
        lengths = np.linalg.norm(left - np.roll(left, -1, axis=1), axis=2)
        longest = lengths.argmax(axis=1)
        done = lengths.max(axis=1) <= size
        out.append(left[done].reshape(-1, 3))
        rest = left[~done]
        turned = (np.arange(3) + longest[~done, None]) % 3  # the longest edge first
        a, b, c = np.moveaxis(np.take_along_axis(rest, turned[..., None], axis=1), 1, 0)
        middle = 0.5 * (a + b)
        left = np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    return np.concatenate(out)


def swept_surface(
    mesh: Mesh,
    frames: Iterable[Array],
    box: tuple[Array, Array],
    deviation: float,
    tell: Callable[[], None],
) -> Mesh:
    """The surface of the volume that a part sweeps over, from outside, mm, world.

    Args:
        mesh: of the part, closed; frames: its poses, (12,), world, between two of which no point
            moves farther than `TRAVEL * deviation / CELLS`.
        box: lowest and highest coordinates, (3,), that it gets to; tell: called after each pose.

    Returns:
        A surface that encloses the volume and is nowhere farther from it than the deviation, mm.
    """  # fmt: skip
    step = deviation / CELLS
    level, far = step * (WRONG + 0.5 * TRAVEL), step * FAR
    field = distance_field(mesh, 0.5 * step, far)
    low = box[0] - far - step
    counts = np.ceil((box[1] + far + step - low) / step).astype(int) + 1
    values = np.full(counts, far)
    size = 0.5 * field.step * (np.array(field.values.shape) - 1)
    for frame in frames:
        _lower(values, low, step, field, size, frame)
        tell()
    corners, triangles = level_surface(values, level)
    return Mesh(low + step * corners, triangles)


def _lower(
    values: Array, low: Array, step: float, field: DistanceField, size: Array, frame: Array
) -> None:
    """Lower the values of the world's grid, (nx, ny, nz), to the distances from a part there."""
    axes = frame[3:].reshape(3, 3)
    middle = placed_points(frame[None], (field.first + size)[None])[0]
    reach = np.abs(axes).T @ size
    begin = np.maximum(np.floor((middle - reach - low) / step).astype(int), 0)
    end = np.minimum(np.ceil((middle + reach - low) / step).astype(int) + 1, values.shape)
    part = tuple(slice(a, b) for a, b in zip(begin.tolist(), end.tolist(), strict=True))
    nodes = low + step * (np.moveaxis(np.indices(end - begin), 0, -1) + begin)
    found = field.at((nodes.reshape(-1, 3) - frame[:3]) @ axes.T)
    values[part] = np.minimum(values[part], found.reshape(values[part].shape))

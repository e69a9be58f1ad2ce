"""The volume that a part sweeps over, as a closed surface that encloses it.

Distances from the part are known on a grid of its own; those from the swept volume, on a grid of
the world, are the smallest over all poses.  The surface is where they are as large as they may be
wrong, so that all that is swept is within.  With steps h of the world's grid, h / 2 of the part's:

- linear interpolation between nodes of a cube of step s is off by at most sqrt(3) s / 2: a distance
  changes by no more than the way to a node, and that is so far in the mean square at most;
- nodes of the part's grid know their distance from the nearest node that points of the surface are
  rounded to: sqrt(3) / 2 of its steps from these, which are `DIVIDED` / sqrt(3) steps from others;
  and inner nodes that may be as near as half a step to the surface count as outer ones;
- between two poses no point is farther from one of them than half of its way.

Source: the bounds are derived here; sampling of swept volumes by distances: X. Zhang, Y. J. Kim and
D. Manocha, Reliable sweeps, ACM SPM 2009 (their method is another one).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.ndimage import distance_transform_edt, label, map_coordinates

from ...formats.shapes.meshes import Mesh
from ...foundations.geometry.level_surface import level_surface
from ...foundations.geometry.pose import placed_points
from ...foundations.types import Array, Bools, Ints
from .geometry import winding

CELLS = 4.0
"""Steps of the world's grid in a deviation.  They leave 0.7 steps for what moves between poses."""

INTERPOLATED = sqrt(3.0) / 2.0
"""Error of a distance that is interpolated between nodes, in steps of the grid."""

DIVIDED = 0.5
"""Longest edge of a triangle whose corners stand for it, in steps of the part's grid."""

ROUNDED = INTERPOLATED + DIVIDED / sqrt(3.0)
"""Error of a distance from the surface at a node, in steps of the part's grid."""

INNER = ROUNDED + 0.5
"""Such distance above which two neighbours are on one side of the surface."""

LESS = 0.5 * (INNER - ROUNDED)
"""What is taken off all distances, so that inner and outer nodes are off by the same at most."""

WRONG = INTERPOLATED * 1.5 + 0.5 * (ROUNDED + LESS)
"""Largest error of a distance at a pose, in steps of the world's grid."""

TRAVEL = 2.0 * (CELLS - WRONG - INTERPOLATED * 1.5)
"""Largest way of a point between two poses, in steps of the world's grid."""

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
    found = step * distance_transform_edt(~_marked(mesh, low, step, counts))
    values = np.clip(found - LESS * step, 0.0, far)
    regions, count = label(found > INNER * step)
    for n in range(1, count + 1):
        first = np.unravel_index(int(np.argmax(regions == n)), counts)
        if winding(mesh, low + step * np.array(first)) > 0.5:
            values[regions == n] = 0.0
    return DistanceField(low, step, values, far)


def _marked(mesh: Mesh, low: Array, step: float, counts: Ints) -> Bools:
    """The nodes of a grid that points of a mesh are nearest to, `counts` of them.

    Triangles are halved until their corners have one node, which all of their points have then.
    """
    out, left = np.zeros(counts, bool), mesh.corners[mesh.triangles]
    while len(left):
        cells = np.rint((left - low) / step).astype(np.int64)
        out[tuple(cells.reshape(-1, 3).T)] = True
        lengths = np.linalg.norm(left - np.roll(left, -1, axis=1), axis=2)
        longest = lengths.argmax(axis=1)
        done = (cells == cells[:, :1]).all(axis=(1, 2))
        done |= lengths.max(axis=1) <= DIVIDED * step
        rest = left[~done]
        turned = (np.arange(3) + longest[~done, None]) % 3  # the longest edge first
        a, b, c = np.moveaxis(np.take_along_axis(rest, turned[..., None], axis=1), 1, 0)
        middle = 0.5 * (a + b)
        left = np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    return out


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

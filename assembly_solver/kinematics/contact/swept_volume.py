"""The volume that a part sweeps over, as a closed surface that encloses it.

Points of the part's surface, none of which is far from another one, are rounded to the nodes of a
grid at pose after pose: these are marked.  Regions that the surface never comes near to are in the
part at all poses or at none, and marked if they are.  The surface found is where the distances D
from marked nodes are L, by those of every other node.  In steps of the grid, with R = sqrt(3) / 2,
S the largest distance of a point of the part's surface from the nearest one that stands for it, and
W the longest way of a point between two poses:

- what the surface sweeps over is no farther than A = W / 2 + S + R from a marked node, for between
  two poses no point is farther from one of them than half of its way; and so one of two neighbours
  that the surface comes between is no farther than A + 1/2: others make up the regions;
- D^2 - |x|^2 is the smallest of linear functions, so concave: D^2, interpolated linearly between
  every other node, is at most D^2 + 4 R^2: what the surface sweeps over is inside for L = A + 1.1;
- a point in the part at all poses has D <= A + s, if s is its distance from the surface on its way
  to a node that is not: with s <= 2 R - 1.1 it is inside, for (A + s)^2 + 4 R^2 <= L^2 (A is larger
  than it has to be for that); and else, for the outer nodes have D <= A + r - s at a distance r of
  2 R in the mean square, the inner ones D <= L;
- the mean of D over the nodes is at most L on the surface, which is 2 R from them in the mean
  square: no farther than L + 2 R from a marked node, nor that than R from what is swept.

Source: the bounds are derived here; sampling of swept volumes by distances: X. Zhang, Y. J. Kim and
D. Manocha, Reliable sweeps, ACM SPM 2009 (their method is another one).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt

import numpy as np
from scipy.ndimage import distance_transform_edt, label

from ...formats.shapes.meshes import Mesh
from ...foundations.geometry.level_surface import level_surface
from ...foundations.types import Array
from .geometry import winding

TRAVEL = 2.0
"""Largest way of a point between two poses, in steps of the grid."""

EDGE = sqrt(3.0) / 2.0
"""Longest edge of a triangle whose corners stand for it, in steps: none of its points is farther
from all of them than that over sqrt(3)."""

CELL = 0.25
"""Size of cells in each of which one point of the part is kept, in steps."""

ROUNDED = sqrt(3.0) / 2.0
"""Largest distance of a point from the node that it is rounded to, in steps: R above."""

OFF = 0.5 * TRAVEL + (EDGE / sqrt(3.0) + CELL * sqrt(3.0)) + ROUNDED
"""Largest distance of what the surface sweeps over from a marked node, in steps: A above."""

LEVEL = OFF + 1.1
"""Distance from marked nodes of the surface, in steps: L above."""

CELLS = LEVEL + 3.0 * ROUNDED
"""Steps of the grid in a deviation."""

NODES = 12_000_000
"""Most nodes of a grid."""


def least_deviation(box: tuple[Array, Array]) -> float:
    """The smallest deviation, mm, for which the grid of `swept_surface` has at most `NODES` nodes.

    It is one of a series of which each is larger by a twentieth.
    """
    size = box[1] - box[0]
    out = float(size.max()) / NODES
    while np.prod(size * CELLS / out + 2.0 * CELLS + 5.0) > NODES:
        out *= 1.05
    return out


def swept_surface(
    mesh: Mesh,
    frames: Iterable[Array],
    starts: Iterable[Array],
    box: tuple[Array, Array],
    deviation: float,
    tell: Callable[[], None],
) -> Mesh:
    """The surface of the volume that a part sweeps over, from outside, mm, world.

    Args:
        mesh: of the part, closed; frames: its poses, (12,), world, between two of which no point
            moves farther than `TRAVEL * deviation / CELLS`, if it moves from one to the other.
        starts: the poses from which it does not.
        box: lowest and highest coordinates, (3,), that it gets to; tell: called after each pose.

    Returns:
        A surface that encloses the volume and is nowhere farther from it than the deviation, mm.
    """  # fmt: skip
    step = deviation / CELLS
    low = box[0] - deviation - step
    counts = 2 * np.ceil((box[1] + deviation - low) / (2.0 * step)).astype(int) + 3
    marked = np.zeros(counts, bool)
    points = standing_for(mesh, step).T / step
    for frame in frames:
        nodes = frame[3:].reshape(3, 3).T @ points + ((frame[:3] - low) / step + 0.5)[:, None]
        marked[tuple(nodes.astype(np.int64))] = True
        tell()
    away = distance_transform_edt(~marked)
    regions, count = label(away > OFF + 0.5)
    for n in range(1, count + 1):
        node = low + step * np.array(np.unravel_index(int(np.argmax(regions == n)), counts))
        if any(winding(mesh, (node - x[:3]) @ x[3:].reshape(3, 3).T) > 0.5 for x in starts):
            away[regions == n] = 0.0
    corners, triangles = level_surface(away[::2, ::2, ::2] ** 2, LEVEL**2)
    return Mesh(low + 2.0 * step * corners, triangles)


def standing_for(mesh: Mesh, step: float) -> Array:
    """Points of a mesh, (n, 3), mm, that stand for all of it on a grid of a step, mm.

    Triangles are halved across their longest edge until it is short enough.
    """
    left = mesh.corners[mesh.triangles]
    out = [left.reshape(-1, 3)]
    while len(left):
        lengths = np.linalg.norm(left - np.roll(left, -1, axis=1), axis=2)
        rest = lengths.max(axis=1) > EDGE * step
        left, longest = left[rest], lengths[rest].argmax(axis=1)
        turned = (np.arange(3) + longest[:, None]) % 3  # the longest edge first
        a, b, c = np.moveaxis(np.take_along_axis(left, turned[..., None], axis=1), 1, 0)
        middle = 0.5 * (a + b)
        out.append(middle)
        left = np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    points = np.concatenate(out)
    cells = np.floor((points - points.min(axis=0)) / (CELL * step)).astype(np.int64)
    numbers = np.ravel_multi_index(tuple(cells.T), tuple((cells.max(axis=0) + 1).tolist()))
    kept: Array = points[np.unique(numbers, return_index=True)[1]]
    return kept

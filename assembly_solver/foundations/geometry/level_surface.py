"""The surface on which a function on a grid has a value, as triangles.

Each cube of the grid is cut into six tetrahedra that share one diagonal (Kuhn's division), alike in
all cubes, so that the triangles of neighbours fit; the function is linear in each.  The surface is
closed where no node on the boundary of the grid is below the level.

Source: A. Doi and A. Koide, An efficient method of triangulating equi-valued surfaces by using
tetrahedral cells, IEICE Transactions E74 (1991) 214.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ..types import Array, Bools, Ints

PATHS = [np.cumsum([(0, 0, 0), *np.eye(3, dtype=int)[list(p)]], axis=0) for p in
         permutations(range(3))]  # fmt: skip
"""Corners of the six tetrahedra of a unit cube, each from (0, 0, 0) to (1, 1, 1)."""


def level_surface(values: Array, level: float) -> tuple[Array, Ints]:
    """The surface around the nodes of a grid whose value is at most `level`.

    Args:
        values: finite, (nx, ny, nz), each count at least 2.

    Returns:
        Corners, (n, 3), in steps of the grid from its first node; and triangles, (m, 3), whose
        normals point to larger values.  Both are empty where all nodes are on one side.
    """
    below = values <= level
    mixed = np.argwhere(_some_in_cubes(below) & _some_in_cubes(~below))
    if not len(mixed):
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    shape = np.array(values.shape)
    found = []
    for path in PATHS:
        odd = np.linalg.det(np.diff(path, axis=0)) < 0.0
        nodes = np.ravel_multi_index(np.moveaxis(mixed[:, None] + path, -1, 0), tuple(shape))
        found.append(_of_tetrahedra(nodes[:, [1, 0, 2, 3]] if odd else nodes, below.ravel()))
    edges = np.sort(np.concatenate(found), axis=2)
    numbers = edges[..., 0] * values.size + edges[..., 1]
    _, first, triangles = np.unique(numbers, return_index=True, return_inverse=True)
    a, b = edges.reshape(-1, 2)[first].T
    flat = values.ravel()
    share = (level - flat[a]) / (flat[b] - flat[a])
    ends = [np.stack(np.unravel_index(x, values.shape), axis=1) for x in (a, b)]
    corners: Array = ends[0] + share[:, None] * (ends[1] - ends[0])
    return corners, triangles.reshape(-1, 3)


def _some_in_cubes(marked: Bools) -> Bools:
    """Whether any corner of each cube is marked, (nx - 1, ny - 1, nz - 1)."""
    out = marked
    for axis in range(3):
        low = [slice(None)] * 3
        high = [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        out = out[tuple(low)] | out[tuple(high)]
    return out


def _of_tetrahedra(nodes: Ints, below: Bools) -> Ints:
    """Triangles of right-handed tetrahedra (n, 4), each corner an edge of nodes, (m, 3, 2)."""
    inside = below[nodes]
    out = [np.zeros((0, 3, 2), np.int64)]
    for case in range(1, 15):
        which = [k for k in range(4) if case >> k & 1]
        others = [k for k in range(4) if not case >> k & 1]
        own = nodes[(inside == [bool(case >> k & 1) for k in range(4)]).all(axis=1)]
        even = np.linalg.det(np.eye(4)[which + others]) > 0.0
        if len(which) == 2:
            (a, b), (c, d) = which, others
            corners = [(a, c), (b, c), (b, d), (a, d)]
            faces = [[corners[k] for k in face] for face in ((2, 1, 0), (3, 2, 0))]
        else:
            faces = [[(i, k) for i in which for k in others]]
        for face in faces:
            out.append(own[:, np.array(face if even else face[::-1])])
    return np.concatenate(out)

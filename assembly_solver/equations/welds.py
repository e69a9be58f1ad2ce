"""Parts that are rigid with each other by one mate, and poses along rigid links.

Such are the grounded parts, and parts that a mate which removes all freedoms joins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..foundations.geometry.pose import IDENTITY, compose_all, invert_all
from ..foundations.graphs.connected import connected
from ..foundations.types import Array, Ints
from .mate_features import MateNumbers

ALL_FREEDOMS = 6


def placed_along(n: int, links: Ints, poses: Array) -> tuple[Ints, Array]:
    """Nodes that rigid links join, and the pose of each in the first of those that are joined.

    Args:
        n: number of nodes; links: (k, 2); poses: of the second node in the first, (k, 12).

    Returns:
        The number of its group for each node, (n,), by their first nodes; poses, (n, 12): the first
        link that reaches a node tells, from the group's first node outward.
    """
    beside: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for k, (a, b) in enumerate(links.tolist()):
        beside[a].append((b, k))
        beside[b].append((a, k + len(links)))
    both = np.concatenate([poses, invert_all(poses)])
    label = connected(n, *links.T)[1]
    placed_in, placed = np.tile(IDENTITY, (n, 1)), np.zeros(n, bool)
    queue = np.unique(label, return_index=True)[1].tolist()
    placed[queue] = True
    for parent in queue:
        for child, k in beside[parent]:
            if not placed[child]:
                placed_in[child] = compose_all(placed_in[parent][None], both[k][None])[0]
                placed[child] = True
                queue.append(child)
    return label, placed_in


def welded(known: MateNumbers, start: Array, grounded: NDArray[np.bool_]) -> tuple[Ints, Array]:
    """The rigid body of each part, (parts,), and its pose there, (parts, 12).

    The grounded parts, at `start`, and what is welded to them are body 0, which has the frame of
    the world; every other body has that of its first part.
    """
    rigid = [k for k, mate in enumerate(known.mates) if mate.removes == ALL_FREEDOMS]
    if not rigid:
        alone = np.where(grounded, 0, np.cumsum(~grounded))
        return alone, np.where(grounded[:, None], start, IDENTITY)
    both = [(m.a.marker.frame, m.b.marker.frame) for m in map(known.resolved.__getitem__, rigid)]
    frames = np.array(both).reshape(-1, 2, 12)
    held = grounded.nonzero()[0]
    to_world = np.stack([np.zeros(len(held), np.int64), held + 1], axis=1)
    links = np.concatenate([to_world, known.parts[rigid] + 1])
    poses = compose_all(frames[:, 0], invert_all(frames[:, 1]))
    label, placed = placed_along(len(start) + 1, links, np.concatenate([start[held], poses]))
    return label[1:], placed[1:]

"""Connected components of an undirected graph, for graphs that are small and many."""

from __future__ import annotations

import numpy as np

from ..types import Ints


def connected(n: int, a: Ints, b: Ints) -> tuple[int, Ints]:
    """How many components the nodes 0 .. n - 1 with links a - b have, and that of each node, (n,).

    Components are numbered by their first nodes.  Each round hooks every root to the least root
    that it is linked to, and then every node to its root.
    """
    root = np.arange(n)
    while True:
        x, y = root[a], root[b]
        apart = x != y
        if not apart.any():
            break
        np.minimum.at(root, np.maximum(x, y)[apart], np.minimum(x, y)[apart])
        while np.any((above := root[root]) != root):
            root = above
    first = root == np.arange(n)
    label: Ints = (np.cumsum(first) - 1)[root]
    return int(first.sum()), label

"""Connected components of an undirected graph, for graphs that are small and many."""

from __future__ import annotations

import numpy as np

from ..types import Ints


def connected(n: int, a: Ints, b: Ints) -> tuple[int, Ints]:
    """How many components the nodes 0 .. n - 1 with links a - b have, and that of each node, (n,).

    Components are numbered by their first nodes.  Each link hooks the greater of two roots to the
    lesser one; the paths to the roots are halved on the way.
    """
    above = list(range(n))
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        while (next_ := above[x]) != x:
            above[x] = x = above[next_]
        while (next_ := above[y]) != y:
            above[y] = y = above[next_]
        if x < y:
            above[y] = x
        else:
            above[x] = y
    label, count = above, 0
    for node, root in enumerate(above):
        if root == node:
            label[node] = count
            count += 1
        else:
            label[node] = label[root]  # that comes before, and has its number
    return count, np.array(label, np.int64)

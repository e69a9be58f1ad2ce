"""Connected components of an undirected graph, small and many or large."""

from __future__ import annotations

import numpy as np

from ..types import Ints

MANY = 1000
"""Nodes from which operations on whole arrays take less time than one link after the other."""


def connected(n: int, a: Ints, b: Ints) -> tuple[int, Ints]:
    """How many components the nodes 0 .. n - 1 with links a - b have, and that of each node, (n,).

    Components are numbered by their first nodes.  Each link hooks the greater of two roots to the
    lesser one; the paths to the roots are halved on the way.
    """
    if n >= MANY:
        return _of_many(n, a, b)
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


def _of_many(n: int, a: Ints, b: Ints) -> tuple[int, Ints]:
    """The same by hooking all roots at once, then shortening all paths.

    Source: Shiloach and Vishkin 1982.
    """
    above = np.arange(n)
    while True:
        x, y = above[a], above[b]
        apart = x != y
        if not apart.any():
            break
        a, b, x, y = a[apart], b[apart], x[apart], y[apart]
        np.minimum.at(above, np.maximum(x, y), np.minimum(x, y))
        while np.any((next_ := above[above]) != above):
            above = next_
    roots = above == np.arange(n)
    return int(roots.sum()), (roots.cumsum() - 1)[above]

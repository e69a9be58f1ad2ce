"""Biconnected components of a graph, ordered from a root outward.

Two edges are in one component when a cycle runs through both; an edge on no cycle (a bridge) is a
component of its own.

Source: Tarjan 1972 (lowpoints), without recursion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class BiconnectedComponent(NamedTuple):
    """A biconnected component.

    Attributes:
        edges: indices into the list of edges, in no particular order.
        root: the node nearest to the root of the search, which is a node of an earlier component;
            in a piece of the graph without that root, its smallest node takes the place of it.
    """

    edges: list[int]
    root: int


_Star = list[list[tuple[int, int]]]
"""The edges of each node, and the other node of each."""


def biconnected(n_nodes: int, edges: ArrayLike, root: int = 0) -> list[BiconnectedComponent]:
    """Biconnected components, each after the one that contains its root node.

    Args:
        edges: pairs of nodes, shape (k, 2).  Parallel edges form a cycle; an edge from a node to
            itself is a component of its own.
        root: the node where the search begins; its connected subgraph comes first.
    """
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    ends = pairs.tolist()
    star: _Star = [[] for _ in range(n_nodes)]
    for near, far in ((0, 1), (1, 0)):
        for e, both in enumerate(ends):
            star[both[near]].append((e, both[far]))
    depth = [-1] * n_nodes
    used = [False] * len(pairs)
    found: list[BiconnectedComponent] = []
    for node in (root, *range(n_nodes)) if n_nodes else ():
        if depth[node] < 0:
            found += _from(node, star, depth, used)
    return found


def _from(root: int, star: _Star, depth: list[int], used: list[bool]) -> list[BiconnectedComponent]:
    """Components of the connected subgraph around `root`; marks its nodes in `depth`.

    A component is complete when the search returns over its first edge (above, node), where the
    lowpoint of node is not above `above`: before the component that contains its root node, so the
    list is reversed at the end.
    """
    found: list[BiconnectedComponent] = []
    stack: list[int] = []  # edges of components that are not complete yet
    depth[root] = 0
    # per node on the path: the node, its next entry, its lowpoint, the start of its component
    path, entry, low, start = [root], [0], [0], [0]
    while path:
        node = path[-1]
        if entry[-1] < len(star[node]):
            e, other = star[node][entry[-1]]
            entry[-1] += 1
            if used[e]:
                continue
            used[e] = True
            if other == node:
                found.append(BiconnectedComponent([e], node))
                continue
            stack.append(e)
            if depth[other] < 0:
                depth[other] = depth[node] + 1
                path.append(other)
                entry.append(0)
                low.append(depth[other])
                start.append(len(stack) - 1)
            else:
                low[-1] = min(low[-1], depth[other])
            continue
        path.pop(), entry.pop()
        lowest, begin = low.pop(), start.pop()
        if path and lowest >= depth[path[-1]]:
            found.append(BiconnectedComponent(stack[begin:], path[-1]))
            del stack[begin:]
        elif path:
            low[-1] = min(low[-1], lowest)
    return found[::-1]

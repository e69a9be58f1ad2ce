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


def biconnected(n_nodes: int, edges: ArrayLike, root: int = 0) -> list[BiconnectedComponent]:
    """Biconnected components, each after the one that contains its root node.

    Args:
        edges: pairs of nodes, shape (k, 2).  Parallel edges form a cycle; an edge from a node to
            itself is a component of its own.
        root: the node where the search begins; its connected subgraph comes first.
    """
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    star: list[list[int]] = [[] for _ in range(n_nodes)]
    for end in pairs.T.tolist():
        for e, node in enumerate(end):
            star[node].append(e)
    both: list[int] = (pairs[:, 0] ^ pairs[:, 1]).tolist()
    depth = [-1] * n_nodes
    used = [False] * len(pairs)
    found: list[BiconnectedComponent] = []
    for node in (root, *range(n_nodes)) if n_nodes else ():
        if depth[node] < 0:
            found += _from(node, star, both, depth, used)
    return found


def _from(
    root: int, star: list[list[int]], both: list[int], depth: list[int], used: list[bool]
) -> list[BiconnectedComponent]:
    """Components of the connected subgraph around `root`; marks its nodes in `depth`.

    A component is complete when the search returns over its first edge (above, node), where the
    lowpoint of node is not above `above`: before the component that contains its root node, so the
    list is reversed at the end.

    Args:
        star: the edges of each node; both: the exclusive or of the ends of each edge, which leads
            from one to the other.
    """
    found: list[BiconnectedComponent] = []
    stack: list[int] = []  # edges of components that are not complete yet
    depth[root] = 0
    # per node on the path, at its depth: its next edges, its lowpoint, the start of its component
    path, ahead, low, start = [root], [iter(star[root])], [0], [0]
    while path:
        node = path[-1]
        for e in ahead[-1]:
            if used[e]:
                continue
            used[e] = True
            other = both[e] ^ node
            if other == node:
                found.append(BiconnectedComponent([e], node))
                continue
            stack.append(e)
            reached = depth[other]
            if reached < 0:
                depth[other] = len(path)
                low.append(len(path))
                path.append(other)
                ahead.append(iter(star[other]))
                start.append(len(stack) - 1)
                break
            if reached < low[-1]:
                low[-1] = reached
        else:
            path.pop(), ahead.pop()
            lowest, begin = low.pop(), start.pop()
            if path and lowest >= len(path) - 1:
                found.append(BiconnectedComponent(stack[begin:], path[-1]))
                del stack[begin:]
            elif path and lowest < low[-1]:
                low[-1] = lowest
    return found[::-1]

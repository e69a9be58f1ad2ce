"""Biconnected components of a graph, from a root outward: bridges and bundles of loops.

Two edges are in one component when a cycle runs through both; an edge on no cycle (a bridge) is a
component of its own.  Source: Tarjan 1972 (lowpoints), written without recursion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Component(NamedTuple):
    """One biconnected component."""

    edges: list[int]
    """Indices into the list of edges, in no particular order."""
    root: int
    """The node by which it hangs: the root itself, or a node of an earlier component.  Where the
    root does not reach, the smallest node of a connected piece takes its place."""


def biconnected(n_nodes: int, edges: ArrayLike, root: int = 0) -> list[Component]:
    """Biconnected components, each after the one it hangs on, the root's piece of the graph first.

    Args:
        n_nodes: nodes are 0 .. n_nodes - 1.
        edges: pairs of nodes, shape (k, 2).  Parallel edges form a cycle; an edge from a node to
            itself is a component of its own.
        root: the node from which the order runs outward.
    """
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    ends = pairs.T.ravel()  # first ends of all edges, then second ends
    by_node = np.argsort(ends, kind="stable")
    counts = np.bincount(ends, minlength=n_nodes)
    star = _Star(
        neighbour=pairs[:, ::-1].T.ravel()[by_node].tolist(),
        edge=(by_node % max(1, len(pairs))).tolist(),
        first=[0, *np.cumsum(counts).tolist()],
    )
    depth = [-1] * n_nodes
    used = [False] * len(pairs)
    found: list[Component] = []
    for node in (root, *range(n_nodes)) if n_nodes else ():
        if depth[node] < 0:
            found += _from(node, star, depth, used)
    return found


class _Star(NamedTuple):
    """Places first[v] .. first[v + 1] hold the edges of node v and the nodes at their other ends.

    Flat lists of numbers: the garbage collector has nothing to look through.
    """

    neighbour: list[int]
    edge: list[int]
    first: list[int]


def _from(root: int, star: _Star, depth: list[int], used: list[bool]) -> list[Component]:
    """Components of the connected piece around `root`; marks its nodes in `depth`.

    A component is complete when the search steps back over its first edge (above, node), from
    which nothing reaches beyond `above`.  So it is found before the one that it hangs on, and the
    list is turned round at the end.
    """
    neighbour, edge, first = star
    found: list[Component] = []
    stack: list[int] = []  # edges of components that are not complete yet
    depth[root] = 0
    # per node on the path: the node, its next place, its lowpoint, where its component starts
    path, place, low, start = [root], [first[root]], [0], [0]
    while path:
        node = path[-1]
        if place[-1] < first[node + 1]:
            e, other = edge[place[-1]], neighbour[place[-1]]
            place[-1] += 1
            if used[e]:
                continue
            used[e] = True
            if other == node:
                found.append(Component([e], node))
                continue
            stack.append(e)
            if depth[other] < 0:
                depth[other] = depth[node] + 1
                path.append(other)
                place.append(first[other])
                low.append(depth[other])
                start.append(len(stack) - 1)
            else:
                low[-1] = min(low[-1], depth[other])
            continue
        path.pop(), place.pop()
        lowest, begin = low.pop(), start.pop()
        if path and lowest >= depth[path[-1]]:
            found.append(Component(stack[begin:], path[-1]))
            del stack[begin:]
        elif path:
            low[-1] = min(low[-1], lowest)
    return found[::-1]

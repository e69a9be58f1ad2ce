"""Strong components of a directed graph, ordered."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..types import Ints


def graph_of(n: int, tail: Ints, head: Ints) -> csr_array:
    """The graph of n nodes with arrows tail -> head."""
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], np.arange(n + 1)).astype(np.int32)
    ones = np.ones(len(tail), dtype=np.int8)
    return csr_array((ones, head[order].astype(np.int32), first), shape=(n, n))


def strong_components(n: int, tail: Ints, head: Ints) -> list[Ints]:
    """Strong components, each after those that its arrows lead to, its nodes ascending.

    Of several possible next components the one with the smallest node is next.
    """
    count, label = connected_components(graph_of(n, tail, head), directed=True, connection="strong")
    sizes = np.bincount(label, minlength=count)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(sizes)[:-1])
    user, supplier = label[tail], label[head]
    across = user != supplier
    pairs = np.unique(user[across].astype(np.int64) * count + supplier[across])
    waits = np.bincount(pairs // count, minlength=count).tolist()
    users: list[list[int]] = [[] for _ in range(count)]
    for pair in pairs.tolist():
        users[pair % count].append(pair // count)
    ready = [(int(nodes[0]), c) for c, nodes in enumerate(members) if waits[c] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, component = heapq.heappop(ready)
        order.append(members[component])
        for other in users[component]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (int(members[other][0]), other))
    return order

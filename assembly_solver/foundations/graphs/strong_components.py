"""Strong components of a directed graph, ordered.

Source: Tarjan 1972.
"""

from __future__ import annotations

import heapq

import numpy as np

from ..numerics.distinct import distinct
from ..types import Bools, Ints


def successors(n: int, tail: Ints, head: Ints) -> tuple[list[int], list[int]]:
    """Nodes to which the arrows tail -> head of n nodes lead.

    Returns:
        Those of node k are `heads[first[k]:first[k + 1]]`: first, heads.
    """
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], np.arange(n + 1))
    return first.tolist(), head[order].tolist()


def reached(n: int, tail: Ints, head: Ints, start: Bools) -> Bools:
    """Nodes that can be reached from `start` along the arrows tail -> head, start included."""
    mark = start.tolist()
    queue = np.flatnonzero(start).tolist()
    first, heads = successors(n, tail, head) if queue else ([], [])
    for node in queue:
        for other in heads[first[node] : first[node + 1]]:
            if not mark[other]:
                mark[other] = True
                queue.append(other)
    return np.array(mark, bool)


def strong_components(n: int, tail: Ints, head: Ints) -> list[Ints]:
    """Strong components, each after those that its arrows lead to, its nodes ascending.

    Of several possible next components the one with the smallest node is next.
    """
    count, label = _labelled(n, *successors(n, tail, head))
    sizes = np.bincount(label, minlength=count)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(sizes)[:-1])
    user, supplier = label[tail], label[head]
    across = user != supplier
    pairs = distinct(user[across].astype(np.int64) * count + supplier[across])
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


def _labelled(n: int, first: list[int], heads: list[int]) -> tuple[int, Ints]:
    """The number of strong components, and the component of each node."""
    label, low, seen = [-1] * n, [0] * n, [0] * n
    at = first[:n]
    count, visits = 0, 0
    for root in range(n):
        path, open_ = ([], []) if seen[root] else ([root], [root])
        while path:
            node = path[-1]
            if not seen[node]:
                visits += 1
                seen[node] = low[node] = visits
            while at[node] < first[node + 1] and seen[heads[at[node]]]:
                if label[heads[at[node]]] < 0:
                    low[node] = min(low[node], low[heads[at[node]]])
                at[node] += 1
            if at[node] < first[node + 1]:
                path.append(heads[at[node]])
                open_.append(heads[at[node]])
                continue
            path.pop()
            if low[node] == seen[node]:
                while label[node] < 0:
                    label[open_.pop()] = count
                count += 1
    return count, np.array(label, np.int64)

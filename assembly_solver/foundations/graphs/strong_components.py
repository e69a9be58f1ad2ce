"""Strong components of a directed graph, ordered.

Source: Tarjan 1972.
"""

from __future__ import annotations

import heapq

Successors = list[list[int]]
"""The nodes that the arrows of each node of a graph lead to."""


def reached(heads: Successors, start: list[int]) -> list[bool]:
    """Of each node whether it can be reached from `start` along the arrows, start included."""
    mark, queue = [False] * len(heads), [*start]
    for node in start:
        mark[node] = True
    for node in queue:
        for other in heads[node]:
            if not mark[other]:
                mark[other] = True
                queue.append(other)
    return mark


def strong_components(heads: Successors) -> list[list[int]]:
    """Strong components, each after those that its arrows lead to, its nodes ascending.

    Of several possible next components the one with the smallest node is next.
    """
    count, label = _labelled(heads)
    members: list[list[int]] = [[] for _ in range(count)]
    users: list[set[int]] = [set() for _ in range(count)]
    for node, own in enumerate(label):
        members[own].append(node)
        for other in heads[node]:
            if label[other] != own:
                users[label[other]].add(own)
    waits = [0] * count
    for found in users:
        for user in found:
            waits[user] += 1
    ready = [(nodes[0], c) for c, nodes in enumerate(members) if waits[c] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, component = heapq.heappop(ready)
        order.append(members[component])
        for other in users[component]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (members[other][0], other))
    return order


def _labelled(heads: Successors) -> tuple[int, list[int]]:
    """The number of strong components, and the component of each node."""
    n = len(heads)
    label, low, seen, at = [-1] * n, [0] * n, [0] * n, [0] * n
    count, visits = 0, 0
    for root in range(n):
        path, open_ = ([], []) if seen[root] else ([root], [root])
        while path:
            node = path[-1]
            if not seen[node]:
                visits += 1
                seen[node] = low[node] = visits
            own, k = heads[node], at[node]
            while k < len(own) and seen[own[k]]:
                if label[own[k]] < 0:
                    low[node] = min(low[node], low[own[k]])
                k += 1
            at[node] = k
            if k < len(own):
                path.append(own[k])
                open_.append(own[k])
                continue
            path.pop()
            if low[node] == seen[node]:
                while label[node] < 0:
                    label[open_.pop()] = count
                count += 1
    return count, label

"""Strong components of a directed graph, ordered.

Source: Tarjan 1972.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from ..jit.decorators import borrowing
from ..jit.lists import on_lists
from ..types import Ints

Successors = list[list[int]]
"""The nodes that the arrows of each node of a graph lead to."""

OPEN = -1
"""Label of a node before its component is known."""


class Graph(NamedTuple):
    """The arrows from node n lead to heads[first[n]:first[n + 1]]; negative ones lead nowhere."""

    first: Ints
    heads: Ints


def strong_components(heads: Successors) -> list[list[int]]:
    """Strong components, each after those that its arrows lead to, its nodes ascending.

    Of several possible next components the one with the smallest node is next.
    """
    n = len(heads)
    first = np.array([0, *accumulate(map(len, heads))], np.int64)
    graph = Graph(first, np.array([*chain.from_iterable(heads)], np.int64))
    back = Graph(np.empty_like(first), np.empty_like(graph.heads))
    label, scratch = np.full(n, OPEN), np.empty((6, n), np.int64)
    out: list[list[int]] = [[] for _ in range(_components(graph, back, label, scratch))]
    for node, own in enumerate(label.tolist()):
        out[own].append(node)
    return out


@on_lists(2)
def _components(graph: Graph, back: Graph, label: Ints, scratch: Ints) -> int:
    turn_round(graph, back)
    return number_components(graph, back, label, scratch)


@borrowing
def turn_round(graph: Graph, out: Graph) -> None:
    """Overwrite a graph by another one with its arrows turned round."""
    n = len(graph.first) - 1
    for node in range(n + 1):
        out.first[node] = 0
    for head in graph.heads:
        if head >= 0 and head + 2 <= n:
            out.first[head + 2] += 1
    for node in range(1, n):
        out.first[node + 1] += out.first[node]
    for tail in range(n):  # first[head + 1] is where the next arrow from head is entered
        for k in range(graph.first[tail], graph.first[tail + 1]):
            head = graph.heads[k]
            if head >= 0:
                out.heads[out.first[head + 1]] = tail
                out.first[head + 1] += 1


@borrowing
def reach(graph: Graph, mark: Ints, queue: Ints, count: int) -> None:
    """Mark, by 1, the nodes that can be reached from the marked ones, `count` of them in `queue`.

    Args:
        mark, queue: (nodes,).
    """
    done = 0
    while done < count:
        node = queue[done]
        done += 1
        for k in range(graph.first[node], graph.first[node + 1]):
            other = graph.heads[k]
            if other >= 0 and mark[other] == 0:
                mark[other], queue[count] = 1, other
                count += 1


@borrowing
def number_components(graph: Graph, back: Graph, label: Ints, scratch: Ints) -> int:
    """Label the nodes that are `OPEN` by their strong components in order; how many there are.

    Each comes after those that its arrows lead to, of several the one with the smallest node next.

    Args:
        back: the graph with its arrows turned round.
        label: (nodes,); other nodes are as if they were not there; scratch: (6, nodes).
    """
    count = _label(graph, label, scratch)
    _order(graph, back, label, count, scratch)
    for node in range(len(label)):
        if label[node] >= 0:
            label[node] = scratch[0][label[node]]
    return count


@borrowing
def _label(graph: Graph, label: Ints, scratch: Ints) -> int:
    """Label the open nodes by their strong components, in any order; how many there are."""
    low, seen, at, path, open_ = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    count, visits, waiting = 0, 0, 0
    for node in range(len(label)):
        seen[node], at[node] = 0, graph.first[node]
    for root in range(len(label)):
        if label[root] != OPEN:
            continue
        path[0], deep, visits = root, 1, visits + 1
        open_[waiting], waiting = root, waiting + 1
        seen[root] = low[root] = visits
        while deep > 0:
            node = path[deep - 1]
            next_ = _next(graph, node, label, low, seen, at)
            if next_ >= 0:
                path[deep], deep, visits = next_, deep + 1, visits + 1
                open_[waiting], waiting = next_, waiting + 1
                seen[next_] = low[next_] = visits
                continue
            deep -= 1
            if low[node] == seen[node]:
                while label[node] == OPEN:
                    waiting -= 1
                    label[open_[waiting]] = count
                count += 1
    return count


@borrowing
def _next(graph: Graph, node: int, label: Ints, low: Ints, seen: Ints, at: Ints) -> int:
    """The next node that an arrow leads to and that was not seen, -1 if none; lowers `low`."""
    k, last, least = at[node], graph.first[node + 1], low[node]
    found = -1
    while k < last and found < 0:
        other = graph.heads[k]
        if other >= 0 and label[other] == OPEN:
            if seen[other] == 0:
                found = other
                break
            least = min(least, low[other])
        k += 1
    at[node], low[node] = k, least
    return found


@borrowing
def _order(graph: Graph, back: Graph, label: Ints, count: int, scratch: Ints) -> None:
    """Write the places of the labelled components in their order into the first row of scratch."""
    order, waits, head, after, heap = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    for c in range(count):
        waits[c], head[c] = 0, -1
    for back_to in range(len(label)):
        node = len(label) - 1 - back_to
        own = label[node]
        if own < 0:
            continue
        after[node], head[own] = head[own], node  # the nodes of each, ascending
        for k in range(graph.first[node], graph.first[node + 1]):
            other = graph.heads[k]
            if other >= 0 and label[other] >= 0 and label[other] != own:
                waits[own] += 1
    size, done = 0, 0
    for c in range(count):
        if waits[c] == 0:
            size = _push(heap, size, head[c])
    while size > 0:
        node, size = heap[0], _pop(heap, size)
        own = label[node]
        order[own], done = done, done + 1
        while node >= 0:
            for k in range(back.first[node], back.first[node + 1]):
                user = label[back.heads[k]]
                if user >= 0 and user != own:
                    waits[user] -= 1
                    if waits[user] == 0:
                        size = _push(heap, size, head[user])
            node = after[node]


@borrowing
def _push(heap: Ints, size: int, value: int) -> int:
    """Add a number to a heap whose least one is first; the new size."""
    at = size
    while at > 0 and heap[(at - 1) // 2] > value:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = value
    return size + 1


@borrowing
def _pop(heap: Ints, size: int) -> int:
    """Take the least number from a heap; the new size."""
    size -= 1
    at, value = 0, heap[size]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at], at = heap[below], below
    heap[at] = value
    return size

"""Searching from both ends finds the path that breadth-first search finds."""

from __future__ import annotations

import random

import pytest

from assembly_solver.foundations.graphs.first_paths import GrowingGraph

pytestmark = pytest.mark.quick

Edges = list[tuple[int, frozenset[int]]]


def breadth_first(edges: Edges, start: int, goal: int) -> list[int] | None:
    before = {start: (start, -1)}
    queue = [start]
    for node in queue:
        for k, nodes in edges:
            for other in sorted(nodes - before.keys()) if node in nodes else ():
                before[other] = (node, k)
                queue.append(other)
    if goal not in before:
        return None
    out, node = [], goal
    while node != start:
        node, k = before[node]
        out.append(k)
    return out[::-1]


@pytest.mark.parametrize("seed", range(40))
def test_the_path_is_that_of_breadth_first_search_while_edges_are_added(seed: int) -> None:
    draw = random.Random(seed)
    nodes = range(-1, draw.randint(3, 14))
    graph, edges = GrowingGraph(), Edges()
    for k in range(22):
        joined = frozenset(draw.sample(nodes, draw.choice([2, 2, 2, 3])))
        edges.append((k, joined))
        graph.add(k, joined)
        start, goal = draw.sample(nodes, 2)
        assert graph.first_path(start, goal) == breadth_first(edges, start, goal)


def test_a_node_is_reached_from_itself_without_an_edge_and_another_one_not_at_all() -> None:
    graph = GrowingGraph()
    graph.add(0, {1, 2})
    assert graph.first_path(1, 1) == []
    assert graph.first_path(1, 2) == [0]
    assert graph.first_path(1, 3) is None

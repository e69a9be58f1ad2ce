import networkx as nx
import numpy as np
from hypothesis import given, settings, strategies as st

from assembly_solver.foundations.graphs.biconnected import biconnected


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 9))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=14)), draw(node)


def expected_components(n, edges):
    simple = nx.Graph()
    simple.add_nodes_from(range(n))
    simple.add_edges_from((a, b) for a, b in edges if a != b)
    groups = [
        {frozenset(pair) for pair in component}
        for component in nx.biconnected_component_edges(simple)
    ]
    found = {frozenset(e for e, pair in enumerate(edges) if set(pair) in g) for g in groups}
    return found | {frozenset([e]) for e, (a, b) in enumerate(edges) if a == b}


@settings(deadline=None, max_examples=400)
@given(graphs())
def test_components_are_those_of_networkx(case):
    n, edges, root = case
    found = [frozenset(c.edges) for c in biconnected(n, edges, root)]
    assert set(found) == expected_components(n, edges)
    assert len(found) == len(set(found))


@settings(deadline=None, max_examples=400)
@given(graphs())
def test_each_component_hangs_on_the_root_or_on_an_earlier_one(case):
    n, edges, root = case
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    part = {v: min(nodes) for nodes in nx.connected_components(graph) for v in nodes}
    touched, order = {root}, []
    for component in biconnected(n, edges, root):
        nodes = {v for e in component.edges for v in edges[e]}
        assert component.root in nodes
        assert component.root in touched or component.root == part[component.root]
        assert len(component.edges) > 1 or nodes & touched <= {component.root}
        touched |= nodes
        order.append(part[component.root])
    assert order == sorted(order, key=lambda p: (p != part[root], p))  # the root's part first


def test_two_parallel_edges_form_a_cycle():
    assert [sorted(c.edges) for c in biconnected(3, [(0, 1), (1, 0), (1, 2)])] == [[0, 1], [2]]


def test_two_loops_in_one_node_are_two_components_seen_from_the_root():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]
    near, far = biconnected(5, edges, root=0)
    assert (sorted(near.edges), near.root) == ([0, 1, 2], 0)
    assert (sorted(far.edges), far.root) == ([3, 4, 5], 2)
    first, second = biconnected(5, edges, root=4)
    assert (sorted(first.edges), first.root) == ([3, 4, 5], 4)
    assert (sorted(second.edges), second.root) == ([0, 1, 2], 2)


def test_a_chain_of_bridges_is_walked_outward():
    found = biconnected(4, [(2, 3), (0, 1), (1, 2)])
    assert found == [([1], 0), ([2], 1), ([0], 2)]


def test_a_graph_without_edges_has_no_components():
    assert biconnected(3, []) == []
    assert biconnected(0, np.zeros((0, 2), int)) == []


def test_ten_thousand_edges_meet_no_recursion_limit():
    n = 5001
    edges = [(i, i + 1) for i in range(n - 1)] + [(i, i + 2) for i in range(n - 2)]
    found = biconnected(n, np.array(edges))
    assert [len(c.edges) for c in found] == [9999]

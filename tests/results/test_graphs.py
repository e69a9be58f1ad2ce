"""Graphs of parts with joints and of equations with unknowns, held to what networkx finds."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

import assembly_solver as asm

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("four_bar", "excavator", "stewart_platform", "bad_lid", "peaucellier")


def analysis(name: str) -> asm.Analysis:
    return asm.analyse(asm.read(SAMPLES / f"{name}.assembly.json"))


@pytest.mark.parametrize(
    ("name", "loops", "freedoms"),
    [("four_bar", 1, [1] * 4), ("stewart_platform", 5, [2] * 6 + [3] * 12), ("bad_lid", 0, [None])],
)
def test_parts_are_nodes_and_joints_are_edges(
    name: str, loops: int, freedoms: list[int | None]
) -> None:
    found = analysis(name)
    graph = found.graph()
    assert list(graph) == list(found.solution.assembly.parts)
    held = [part for part, grounded in graph.nodes(data="grounded") if grounded]
    assert held == found.solution.grounded
    assert sorted(f for *_, f in graph.edges(data="freedoms")) == freedoms
    assert graph.number_of_edges() - len(graph) + 1 == loops
    assert nx.is_connected(graph)


def test_a_joint_says_its_kind_and_its_mates_and_a_body_its_parts() -> None:
    graph = analysis("excavator").graph()
    assert graph.edges["boom", "base"] == {
        "label": "J1",
        "kind": "revolute",
        "mates": ["boom foot", "boom centred"],
        "freedoms": 1,
    }
    assert graph.nodes["boom"] == {"grounded": False, "body": ["boom"]}


def test_mates_of_more_than_two_parts_are_listed_beside_the_graph() -> None:
    a = asm.Assembly("gears")
    a.add(
        "base",
        grounded=True,
        features={"l": asm.Axis((0, 0, 0), "z"), "r": asm.Axis((9, 0, 0), "z")},
    )
    for wheel, pin in (("left", "l"), ("right", "r")):
        a.add(wheel, features={"pin": asm.Axis((0, 0, 0), "z")})
        a.mate("revolute", f"base.{pin}", f"{wheel}.pin", name=pin)
    a.mate("gear", joints=("l", "r"), ratio=-2.0, name="mesh")
    graph = asm.analyse(a).graph()
    (mesh,) = graph.graph["couplings"]
    assert (mesh["kind"], mesh["mates"]) == ("gear", ["mesh"])
    assert set(mesh["parts"]) == {"base", "left", "right"}
    assert set(graph.edges) == {("base", "left"), ("base", "right")}


@pytest.mark.parametrize("name", NAMES)
def test_the_matching_is_a_largest_one_and_the_sets_are_those_of_it(name: str) -> None:
    """The largest matching by networkx, and the coarse sets by alternating paths from their
    definition: over what an unmatched equation reaches, under what an unmatched unknown reaches."""
    found = analysis(name)
    graph = found.equation_graph()
    equations = {n for n, side in graph.nodes(data="bipartite") if side == 0}
    mine = {n: m for n, m in graph.nodes(data="match") if m is not None}
    assert all(mine[m] == n and graph.edges[n, m]["matched"] for n, m in mine.items())
    largest = nx.bipartite.maximum_matching(graph, top_nodes=equations)
    assert len(mine) == len(largest)
    sets = dict.fromkeys(graph, "well")
    for side, kind in ((equations, "over"), (set(graph) - equations, "under")):
        for free in side - set(mine):
            reached, todo = {free}, [free]
            while todo:
                for across in graph[todo.pop()]:
                    if mine[across] not in reached:
                        reached |= {across, mine[across]}
                        todo.append(mine[across])
            sets |= dict.fromkeys(reached, kind)
    assert dict(graph.nodes(data="set")) == sets


@pytest.mark.parametrize("name", NAMES)
def test_an_equation_reads_unknowns_of_its_own_and_of_earlier_blocks_alone(name: str) -> None:
    graph = analysis(name).equation_graph()
    block = dict(graph.nodes(data="block"))
    for equation in (n for n, side in graph.nodes(data="bipartite") if side == 0):
        assert max(block[unknown] for unknown in graph[equation]) <= block[equation]


def test_blocks_are_those_that_the_analysis_counts() -> None:
    found = analysis("excavator")
    graph = found.equation_graph()
    sizes = Counter(b for n, b in graph.nodes(data="block") if graph.nodes[n]["bipartite"] == 0)
    (driven,) = found.driven_components
    assert [sizes[b] for b in sorted(sizes)] == driven["dulmage_mendelsohn"]["blocks"]
    assert [sizes[b] for b in sorted(sizes)] == [9, 6, 9, 12]
    free = found.equation_graph(drivers=False)
    assert Counter(s for _, s in free.nodes(data="set")) == {"under": 34 + 36}


def test_a_driver_with_the_name_of_a_mate_is_a_node_of_its_own() -> None:
    graph = analysis("stewart_platform").equation_graph()
    assert ("mate", "leg 1", 1) in graph and ("driver", "leg 1", 1) in graph
    assert Counter(side for _, side in graph.nodes(data="bipartite")) == {0: 66, 1: 78}


def test_networkx_loads_when_a_graph_is_asked_for() -> None:
    ask = (
        "import sys, assembly_solver as asm; found = asm.analyse(asm.read(sys.argv[1]));"
        "found.to_dict(); print('networkx' in sys.modules);"
        "found.graph(); print('networkx' in sys.modules)"
    )
    call = [sys.executable, "-c", ask, str(SAMPLES / "hinge.assembly.json")]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "True"]

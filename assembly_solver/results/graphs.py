"""The structure of an assembly as graphs: parts with joints, equations with unknowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..foundations.graphs.dulmage_mendelsohn import OVER, UNDER, WELL
from ..structure.component_equations import ComponentEquations, component_equations
from ..structure.plan import Plan
from ..structure.steps import Component
from .wording.phrases import parts_of

if TYPE_CHECKING:
    from networkx import Graph

SETS = {OVER: "over", WELL: "well", UNDER: "under"}

IN_SPACE = ("x", "y", "z", "turn x", "turn y", "turn z")
IN_PLANE = {0: "u", 1: "v", 5: "turn"}
"""Names of the unknowns of a body in space, and of those in its plane by their index."""


class NamedEquations(NamedTuple):
    """The equations of a component with names.

    Attributes:
        component: its number; parts: those that it moves.
        rows: "mate" or "driver", its name, and number of the equation in it from 1.
        columns: first part of the body, and name of the unknown; bodies: all parts of each body.
        system: the equations by these.
    """

    component: int
    parts: list[str]
    rows: list[tuple[str, str, int]]
    columns: list[tuple[str, str]]
    bodies: list[list[str]]
    system: ComponentEquations


def named_equations(plan: Plan, number: int, component: Component) -> NamedEquations:
    """The equations of a component, by its number, with names."""
    s, found = plan.system, component_equations(plan, component)
    of = s.constraint_of_equation
    rows = []
    for e in found.rows:
        constraint = int(of[e])
        kind = "mate" if constraint < s.mates else "driver"
        rows.append((kind, s.constraints[constraint], e - int(s.rows([constraint])[0]) + 1))
    flat = component.projection is not None
    parts = {b: parts_of(plan, [b]) for b in component.bodies}
    names = [(parts[b][0], IN_PLANE[k] if flat else IN_SPACE[k]) for b, k in found.columns]
    bodies = [parts[b] for b, _ in found.columns]
    every = [p for b in parts.values() for p in b]
    return NamedEquations(number, every, rows, names, bodies, found)


def body_graph(parts: Mapping[str, Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]]) -> Graph:
    """The graph of parts (nodes with the given attributes) and joints (edges)."""
    import networkx

    graph = networkx.Graph(couplings=[])
    graph.add_nodes_from((name, dict(known)) for name, known in parts.items())
    for pair in pairs:
        told = {key: pair[key] for key in ("label", "kind", "mates", "freedoms")}
        if len(pair["parts"]) == 2:
            graph.add_edge(*pair["parts"], **told)
        else:
            graph.graph["couplings"].append({**told, "parts": pair["parts"]})
    return graph


def equation_graph(systems: Sequence[NamedEquations]) -> Graph:
    """The bipartite graph of equations and unknowns, with matching and blocks as attributes."""
    import networkx

    graph = networkx.Graph()
    block = 0
    for named in systems:
        for kind, rows, columns in named.system.blocks():
            place = {"component": named.component, "set": SETS[kind], "block": block, "match": None}
            block += 1
            for r in rows:
                told = dict(zip(("kind", "name"), named.rows[r], strict=False))
                graph.add_node(named.rows[r], bipartite=0, **told, **place)
            for c in columns:
                graph.add_node(named.columns[c], bipartite=1, parts=named.bodies[c], **place)
        of = named.system.decomposition.column_of_row.tolist()
        for r, entries in enumerate(named.system.entries):
            for c in entries:
                graph.add_edge(named.rows[r], named.columns[c], matched=c == of[r])
            if of[r] >= 0:
                equation, unknown = named.rows[r], named.columns[of[r]]
                graph.nodes[equation]["match"], graph.nodes[unknown]["match"] = unknown, equation
    return graph

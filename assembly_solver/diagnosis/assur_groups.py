"""Assur groups: which bodies have to be positioned together when drivers move a component.

Each driver is one more edge of the constraint graph.  Where no freedom is left with them, the
strong components of the directed graph are the groups, each after those that it depends on.

Source: docs/theory/mobility.md, 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.assembly import Assembly
from .constraint_graph import SPATIAL
from .freedoms import Diagnosis
from .mobility_counts import MobilityCounts


@dataclass(frozen=True)
class AssurGroups:
    """The groups of all components in order.

    Attributes:
        groups: bodies that have to be positioned together.
        loose: bodies with freedoms left; in space all bodies of a component with freedoms left,
            as the graph does not show whose they are (a rod between two balls may spin).
        across: drivers between bodies of different components.
        special: bodies of components whose freedoms differ from those of their graph.
    """

    groups: tuple[tuple[int, ...], ...]
    loose: tuple[int, ...]
    across: tuple[str, ...]
    special: tuple[int, ...]


def assur_groups(d: Diagnosis, assembly: Assembly, counts: Sequence[MobilityCounts]) -> AssurGroups:
    """The groups for all drivers of an assembly, with values or without."""
    ends = {name: _ends(d, assembly, name) for name in assembly.drivers}
    groups: list[tuple[int, ...]] = []
    loose: list[int] = []
    special: list[int] = []
    placed: set[str] = set()
    for c in counts:
        bodies = c.graph.bodies
        edges = {n: tuple(bodies.index(b) for b in e) for n, e in ends.items() if e <= {*bodies}}
        edges = {n: e for n, e in edges.items() if len(e) == 2}
        placed |= edges.keys()
        if c.here != c.generic or not c.seen:
            special += bodies[1:]
            continue
        game = c.graph.play([(e[0], e[1]) for e in edges.values()])
        if c.graph.motion == SPATIAL and game.loose():
            loose += bodies[1:]
            continue
        found = [tuple(bodies[v] for v in g if v < len(bodies)) for g in game.groups()]
        groups += [g for g in found if g]
        loose += [bodies[v] for v in game.loose() if v < len(bodies)]
    across = tuple(n for n, e in ends.items() if n not in placed and len(e) == 2)
    return AssurGroups(tuple(groups), tuple(loose), across, tuple(special))


def _ends(d: Diagnosis, assembly: Assembly, name: str) -> frozenset[int]:
    """The two bodies between which a driver acts; one where its parts belong to one body."""
    found = assembly.drivers[name].measure
    return frozenset(int(d.plan.bodies.of_part[d.index[m.part]]) for m in (found.a, found.b))

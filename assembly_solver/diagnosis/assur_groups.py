"""Assur groups: which bodies have to be placed together when drivers move a component.

Each driver is one more edge of the constraint graph.  Where with them no body stays loose, the
strong components of the arrows are the groups, each after those that it leans on.

Source: docs/theory/mobility.md, 6; Shai, Sljoka and Whiteley, directed graphs and decompositions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.assembly import Assembly
from .constraint_graph import SPATIAL
from .freedoms import Diagnosis
from .mobility_counts import Counts


@dataclass(frozen=True)
class Groups:
    """The groups of all components in order.

    Attributes:
        groups: bodies that have to be placed together.
        loose: bodies that drivers leave freedoms; in space all of a component that has one: there
            arrows do not tell who has it (a rod between two balls may spin).
        across: drivers between bodies that no single component holds.
        special: bodies of components whose freedoms are not those of their graph.
    """

    groups: tuple[tuple[int, ...], ...]
    loose: tuple[int, ...]
    across: tuple[str, ...]
    special: tuple[int, ...]


def assur_groups(d: Diagnosis, assembly: Assembly, counts: Sequence[Counts]) -> Groups:
    """The groups of what the drivers of an assembly move, with values or without."""
    ends = {name: _ends(d, assembly, name) for name in assembly.drivers}
    groups: list[tuple[int, ...]] = []
    loose: list[int] = []
    special: list[int] = []
    placed: set[str] = set()
    for c in counts:
        bodies = c.graph.bodies
        own = {n: tuple(bodies.index(b) for b in e) for n, e in ends.items() if e <= {*bodies}}
        own = {n: e for n, e in own.items() if len(e) == 2}
        placed |= own.keys()
        if c.here != c.generic or not c.seen:
            special += bodies[1:]
            continue
        game = c.graph.play([(e[0], e[1]) for e in own.values()])
        if c.graph.motion == SPATIAL and game.loose():
            loose += bodies[1:]
            continue
        found = [tuple(bodies[v] for v in g if v < len(bodies)) for g in game.groups()]
        groups += [g for g in found if g]
        loose += [bodies[v] for v in game.loose() if v < len(bodies)]
    across = tuple(n for n, e in ends.items() if n not in placed and len(e) == 2)
    return Groups(tuple(groups), tuple(loose), across, tuple(special))


def _ends(d: Diagnosis, assembly: Assembly, name: str) -> frozenset[int]:
    """The bodies that a driver moves against each other."""
    found = assembly.drivers[name].measure
    return frozenset(int(d.plan.bodies.of_part[d.index[m.part]]) for m in (found.a, found.b))

"""How many freedoms each component has by five counts, and what makes them differ.

Kutzbach's count; the same for bodies that move in parallel planes or about a point; that of almost
all dimensions; the rank at the pose; what a finite movement keeps.  Each is at least the one before
it, and each difference is a number of redundant equations with a cause of its own.  Only the last
may be less than the one before: at a singular pose.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array
from ..structure.joints import Pin, joints_of
from .constraint_graph import PLANAR, ConstraintGraph
from .freedoms import Diagnosis
from .generic_mobility import Generic
from .singularity import in_doubt, looked_at

ALIKE = 1e-6
"""Share of the characteristic length by which cranks of a parallelogram may differ."""


class OverBraced(NamedTuple):
    """Bodies of which some mates say more than can be said, whatever the dimensions."""

    bodies: tuple[int, ...]
    promises: tuple[int, ...]
    equations: int


class Cranks(NamedTuple):
    """Bodies that join the same two others by pins, as far apart and in the same direction."""

    cranks: tuple[int, ...]
    between: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Counts:
    """Freedoms of one component against its root.

    Attributes:
        graph: its bodies and joints; kutzbach: six for each body less what each joint takes.
        counted: the same for the way in which it moves; pebbles: by the pebble game.
        generic: for almost all dimensions; here: at the pose; gap: how clear that rank is.
        finite: of which a finite movement is left, None where it is too large to try.
        sure: whether that is beyond doubt.
    """

    graph: ConstraintGraph
    kutzbach: int
    counted: int
    pebbles: int
    generic: int
    here: int
    gap: float
    finite: int | None
    sure: bool

    @property
    def common(self) -> int:
        """Equations that are redundant because all move in parallel planes or about a point."""
        return self.counted - self.kutzbach

    @property
    def excess(self) -> int:
        """Equations that are redundant whatever the dimensions."""
        return self.generic - self.counted

    @property
    def special(self) -> int:
        """Equations that are redundant by special dimensions, through the whole movement."""
        stays = self.here if self.finite is None else self.finite
        return max(0, stays - self.generic)

    @property
    def momentary(self) -> int:
        """Equations that are redundant at this pose only."""
        return self.here - self.generic - self.special

    @property
    def seen(self) -> bool:
        """Whether the pebble game counts what the rank for random dimensions is."""
        return self.pebbles == self.generic

    @cached_property
    def over_braced(self) -> tuple[OverBraced, ...]:
        """Sub-linkages with too many equations, as the pebble game finds them."""
        g = self.graph
        found: dict[tuple[int, ...], OverBraced] = {}
        for edge, circuit in g.game.circuits.items():
            bodies = tuple(g.bodies[v] for v in circuit.vertices if v < len(g.bodies))
            promises = {k for e in (*circuit.edges, edge) for k in g.owners[e]}
            old = found.get(bodies, OverBraced(bodies, (), 0))
            together = tuple(sorted({*promises, *old.promises}))
            found[bodies] = OverBraced(bodies, together, old.equations + 1)
        return tuple(f._replace(promises=self._inner(f)) for f in found.values())

    def _inner(self, found: OverBraced) -> tuple[int, ...]:
        """The mates without those of a shared pin that lead to but one body outside."""
        plan = self.graph.diagnosis.plan
        outside = {
            k: {int(plan.bodies.of_part[p]) for p in plan.system.parts_of(k)} - {*found.bodies}
            for k in found.promises
        }
        uses = Counter(b for others in outside.values() for b in others)
        return tuple(k for k, others in outside.items() if all(uses[b] > 1 for b in others))

    @cached_property
    def parallelograms(self) -> tuple[Cranks, ...]:
        """Three cranks or more of the same length and direction between the same two bodies."""
        if self.graph.motion != PLANAR:
            return ()
        length = self.graph.diagnosis.plan.system.length
        found: list[tuple[tuple[int, int], Array, list[int]]] = []
        for crank, ends, way in _cranks(self.graph):
            for other, known, members in found:
                if other == ends and np.abs(known - way).max() < ALIKE * length:
                    members.append(crank)
                    break
            else:
                found.append((ends, way, [crank]))
        return tuple(Cranks(tuple(m), ends) for ends, _, m in found if len(m) > 2)


def counts(d: Diagnosis) -> list[Counts]:
    """The counts of every component, in the order of the plan."""
    every = {id(j.component): j for j in joints_of(d.plan, every_length=True)}
    tried = {n.component: n for n in looked_at(d)}
    doubtful = set(in_doubt(d))
    out = []
    for k, c in enumerate(d.plan.components):
        graph = ConstraintGraph(d, k, every.get(id(c)))
        near = tried.get(k)
        here = d.nullity(k)
        finite: int | None = None if k in doubtful else here
        out.append(
            Counts(
                graph=graph,
                kutzbach=graph.kutzbach,
                counted=graph.counted,
                pebbles=graph.game.dof + graph.heights,
                generic=Generic(graph).dof,
                here=here,
                gap=d.ranks[k].gap,
                finite=near.finite if near is not None else finite,
                sure=near.sure if near is not None else True,
            )
        )
    return out


def _cranks(g: ConstraintGraph) -> list[tuple[int, tuple[int, int], Array]]:
    """Bodies with two pins: the two others that they join, and the way from one to the other."""
    out = []
    for body in g.bodies:
        own = [p for p in g.pins if body in p.at]
        if len(own) != 2:
            continue
        places = [_world(g, pin, body) for pin in own]
        for one in own[0].at.keys() - {body}:
            for two in own[1].at.keys() - {body}:
                if one != two:
                    sign = 1.0 if one < two else -1.0
                    out.append((body, (min(one, two), max(one, two)), sign * np.subtract(*places)))
    return out


def _world(g: ConstraintGraph, pin: Pin, body: int) -> Array:
    """The point of a pin on a body in the world, in the plane of the motion."""
    frame = np.concatenate([pin.at[body], np.eye(3).ravel()])
    point: Array = compose_all(g.diagnosis.poses[[body]], frame[None])[0, :3]
    normal = g.diagnosis.axes(g.c)[2]
    level: Array = point - (point @ normal) * normal
    return level

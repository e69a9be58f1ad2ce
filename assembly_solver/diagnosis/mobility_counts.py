"""Five counts of the freedoms of each component, and the causes of their differences.

Kutzbach's count; the same for planar and spherical motion; the generic mobility; the rank at the
pose; the freedoms that a finite motion keeps.  Each is at least the one before it, except the last
at a singular pose.  Each difference is a number of redundant equations with a separate cause.

Source: docs/theory/mobility.md, 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..foundations.types import Array
from ..structure.joints import Pin, joints_of
from .constraint_graph import PLANAR, ConstraintGraph
from .freedoms import Diagnosis
from .generic_mobility import GenericMobility
from .motion_branches import MotionBranch
from .singularity import INDEPENDENT, doubtful_components, probed_components


class OverBracedBodies(NamedTuple):
    """Bodies with `equations` more than they have freedoms, whatever the dimensions; by number.

    `in_all`: whether those of smaller sets among them are counted again.
    """

    bodies: tuple[int, ...]
    constraints: tuple[int, ...]
    equations: int
    in_all: bool


@dataclass(frozen=True, eq=False)
class MobilityCounts:
    """Freedoms of one component against its root.

    Attributes:
        graph: its bodies and joints; kutzbach: six a body less the equations of each joint.
        counted: the same for its type of motion; pebbles: by the pebble game.
        generic: for almost all dimensions; here: at the pose; gap: of the rank at the pose.
        finite: those that a finite motion keeps, None where the component is too large to probe.
        sure: whether all ranks of the probe were clear.
        order: of freedoms that nothing finite follows, branches, shown_by: as of `NearbyMobility`.
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
    order: int | None
    branches: tuple[MotionBranch, ...] | None
    shown_by: str | None

    @property
    def common(self) -> int:
        """Redundant equations because all bodies move in parallel planes or about a point."""
        return self.counted - self.kutzbach

    @property
    def excess(self) -> int:
        """Redundant equations whatever the dimensions."""
        return self.generic - self.counted

    @property
    def special(self) -> int:
        """Redundant equations due to special dimensions, throughout the motion."""
        permanent = self.here if self.finite is None else min(self.here, self.finite)
        return max(0, permanent - self.generic)

    @property
    def momentary(self) -> int:
        """Redundant equations at this pose only."""
        return self.here - self.generic - self.special

    @property
    def seen(self) -> bool:
        """Whether the pebble game agrees with the generic rank."""
        return self.pebbles == self.generic

    @cached_property
    def over_braced(self) -> tuple[OverBracedBodies, ...]:
        """Sub-linkages with too many equations: the smallest, then all that these are tied to."""
        game, out = self.graph.game, []
        for tied in game.tied():
            smallest = game.smallest_tied(tied)
            out += [self._braced(edges, False) for edges in smallest]
            if smallest != [tied]:
                out.append(self._braced(tied, True))
        return tuple(out)

    def _braced(self, edges: tuple[int, ...], in_all: bool) -> OverBracedBodies:
        """What some edges of the game tie."""
        g = self.graph
        ends = {v for e in edges for v in g.game.edges[e]}
        bodies = tuple(g.bodies[v] for v in sorted(ends) if v < len(g.bodies))
        mates = tuple(sorted({k for e in edges for k in g.owners[e]}))
        found = OverBracedBodies(bodies, mates, g.game.too_many(edges), in_all)
        return found._replace(constraints=self._inner(found))

    def _inner(self, found: OverBracedBodies) -> tuple[int, ...]:
        """The mates without those of a shared pin that join a single body outside."""
        plan = self.graph.diagnosis.plan
        outside = {
            k: {int(plan.bodies.of_part[p]) for p in plan.system.parts_of(k)} - {*found.bodies}
            for k in found.constraints
        }
        uses = Counter(b for others in outside.values() for b in others)
        return tuple(k for k, others in outside.items() if all(uses[b] > 1 for b in others))

    @cached_property
    def parallelograms(self) -> list[list[int]]:
        """Sets of three or more cranks of equal length and direction, by pins on the same two
        bodies.
        """
        if self.graph.motion != PLANAR:
            return []
        near = self.graph.diagnosis.plan.system.same_place
        found: list[tuple[tuple[int, int], Array, list[int]]] = []
        for crank, ends, direction in _cranks(self.graph):
            for other, known, members in found:
                if other == ends and np.abs(known - direction).max() <= near:
                    members.append(crank)
                    break
            else:
                found.append((ends, direction, [crank]))
        return [members for *_, members in found if len(members) > 2]


def counts(d: Diagnosis) -> list[MobilityCounts]:
    """The counts of every component, in the order of the plan."""
    every = {id(j.component): j for j in joints_of(d.plan, every_length=True)}
    probed = {n.component: n for n in probed_components(d)}
    doubtful = set(doubtful_components(d))
    out = []
    for k, c in enumerate(d.plan.components):
        graph = ConstraintGraph(d, k, every.get(id(c)))
        near = probed.get(k)
        here = d.nullity(k)
        finite: int | None = None if k in doubtful else here
        out.append(
            MobilityCounts(
                graph=graph,
                kutzbach=graph.kutzbach,
                counted=graph.counted,
                pebbles=graph.game.dof + graph.heights,
                generic=GenericMobility(graph).dof,
                here=here,
                gap=d.ranks[k].gap,
                finite=near.finite if near is not None else finite,
                sure=near.sure if near is not None else True,
                order=near.order if near is not None else None,
                branches=near.branches if near is not None else None,
                shown_by=near.shown_by if near else None if k in doubtful else INDEPENDENT,
            )
        )
    return out


def _cranks(g: ConstraintGraph) -> list[tuple[int, tuple[int, int], Array]]:
    """Bodies with two pins: the two bodies that they join, and the vector between the pins, mm."""
    out = []
    for body in g.bodies:
        pins = [p for p in g.pins if body in p.at]
        if len(pins) != 2:
            continue
        points = [_world(g, pin, body) for pin in pins]
        for one in pins[0].at.keys() - {body}:
            for two in pins[1].at.keys() - {body}:
                if one != two:
                    sign = 1.0 if one < two else -1.0
                    out.append((body, (min(one, two), max(one, two)), sign * np.subtract(*points)))
    return out


def _world(g: ConstraintGraph, pin: Pin, body: int) -> Array:
    """The point of a pin of a body in the world, projected on the plane of the motion, mm."""
    pose, normal = g.diagnosis.poses[body], g.diagnosis.axes(g.c)[2]
    point = pose[:3] + pin.at[body] @ pose[3:].reshape(3, 3)
    level: Array = point - (point @ normal) * normal
    return level

"""The plan of a planar linkage: an order of steps that determines its points without a guess.

From the ground outward: actuated joints, dyads in closed form, and otherwise the smallest group
that the pebble game finds.  Links that cannot move against each other are merged first.  Redundant
links and slots are excluded from the plan, and checked in every state.

Source: MotionGen, section 6; docs/theory/dyads.md, 7, and mobility.md, 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import NotDriven, Overdriven
from ...foundations.types import Array, Ints
from ..scheme.scheme import LINEAR, ROTARY, Actuator, Scheme, SchemeLink, SchemeSlot
from .dyad_rules import ConstructionFinder, PointConstruction
from .group_equations import PointGroup
from .grouping import GroupBuilder
from .loci import KnownPoints, value_at_start
from .pebble_counting import ACTUATOR, MixedGraph
from .placement_program import Input, Operation, PlacementProgram, assemble, group, stays_within
from .redundant_links import independent
from .rigid_links import merged

MAX_ANGLE_STEP, MAX_LENGTH_STEP = 0.09, 0.02
"""Angle, rad, and share of the size: the largest change of an actuator from one state to the next
without intermediate states."""

GROUP, SLOT_WITH_ENDS = "group", "slot with ends"


@dataclass(frozen=True)
class PlacementStep:
    """One step of a plan, in names.

    Attributes:
        kind: for instance "RRR dyad"; links: that it determines; points: the inner joint first.
        joint: that joint, whose two solutions a sign tells apart; branch: number of that sign, -1
            where there is only one solution; sign: that of the start, +1 or -1, or 0.
        ops: numbers of its operations.
    """

    kind: str
    links: tuple[str, ...]
    points: tuple[str, ...]
    joint: str
    branch: int
    sign: int
    ops: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class LinkagePlan:
    """The plan of a scheme.

    Attributes:
        scheme: merged, with locked coordinates as actuators of factor 0; program: what runs.
        steps: in order; signs: int64 of the branches at the start.
        locked: names of joints that nothing drives.
        checked: redundant links and slots, as they were.
    """

    scheme: Scheme
    program: PlacementProgram
    steps: tuple[PlacementStep, ...]
    signs: Ints
    locked: tuple[str, ...]
    checked: tuple[SchemeLink | SchemeSlot, ...]

    @cached_property
    def dyads(self) -> Ints:
        """The branches of dyads; groups remain on their branch by continuation."""
        return np.array([s.branch for s in self.steps if s.sign != 0], np.int64)

    @cached_property
    def wide(self) -> Array:
        """The largest step of each input without intermediate states, (actuators,), degrees or
        mm."""
        s = self.scheme
        each = [
            (MAX_ANGLE_STEP if a.kind == ROTARY else MAX_LENGTH_STEP * s.size) for a in s.actuators
        ]
        factors = np.array([abs(a.factor) for a in s.actuators])
        out: Array = np.full(len(each), np.inf)
        np.divide(each, factors, out=out, where=factors > 0.0)
        return out


def plan_linkage(scheme: Scheme) -> LinkagePlan:
    """Plan a linkage.

    Raises:
        Overdriven: an actuator drives what other inputs and the links determine already.
        NotDriven: points that cannot be locked, as those of a link that is joined to no other.
    """
    plain, checked = independent(scheme)
    reduced = merged(plain)
    locked, names = _lock_undriven(reduced)
    return _PlanBuilder(locked, names, checked).plan()


def _lock_undriven(scheme: Scheme) -> tuple[Scheme, tuple[str, ...]]:
    """The scheme with a locked joint for every freedom that no actuator drives, and their names."""
    names: list[str] = []
    graph = MixedGraph(scheme)
    if graph.play().dof == 0:
        return scheme, ()
    for name, candidate in _lockable(scheme):
        tried = replace(scheme, actuators=(*scheme.actuators, candidate))
        game = MixedGraph(tried).play()
        if not game.accepted[-1]:
            continue
        scheme = tried
        names.append(name)
        if game.dof == 0:
            return scheme, tuple(names)
    graph = MixedGraph(scheme)
    free = {*graph.play().loose()}
    points = [scheme.points[p] for p, v in graph.points.items() if v in free]
    links = [scheme.links[n].name for n, v in graph.bodies.items() if v in free]
    raise NotDriven(points or links, [a.name for a in scheme.actuators])


def _lockable(scheme: Scheme) -> Iterator[tuple[str, Actuator]]:
    """Coordinates that can be locked: the angle of two links at a point, the position in a slot."""
    for j, links in enumerate(scheme.links_at):
        for a in links[:1]:
            for b in links[1:]:
                i, k = _farthest_point(scheme, a, j), _farthest_point(scheme, b, j)
                if i is not None and k is not None:
                    locked = Actuator(scheme.points[j], ROTARY, (i, j, k), 0.0)
                    offset = value_at_start(scheme, locked)
                    yield f"{scheme.points[j]}", replace(locked, offset=offset)
    for slot in scheme.slots:
        locked = Actuator(slot.name, LINEAR, (slot.ends[0], slot.point, slot.ends[1]), 0.0)
        yield slot.name, replace(locked, offset=value_at_start(scheme, locked))


def _farthest_point(scheme: Scheme, link: int, point: int) -> int | None:
    """The point of a link that is farthest from one of its points."""
    z = scheme.start
    points = [p for p in scheme.links[link].points if p != point]
    best = max(points, key=lambda p: abs(z[p] - z[point]), default=None)
    return best if best is not None and abs(z[best] - z[point]) > 0.0 else None


class _PlanBuilder:
    def __init__(
        self, scheme: Scheme, locked: tuple[str, ...], checked: tuple[SchemeLink | SchemeSlot, ...]
    ) -> None:
        self.scheme, self.locked, self.checked = scheme, locked, checked
        self.known = KnownPoints(scheme)
        self.finder = ConstructionFinder(self.known)
        self.ops: list[Operation] = []
        self.groups: list[PointGroup] = []
        self.steps: list[PlacementStep] = []
        self.signs: list[int] = []
        self.graph = MixedGraph(scheme)

    def plan(self) -> LinkagePlan:
        game = self.graph.play()
        self._check_driven(game.accepted)
        self.order = [*game.groups()]
        self._add_followers()
        while self._incomplete():
            found = next((f for f in self.finder.rules() if f is not None), None)
            if found is not None:
                self._add_step(found)
            else:
                self._next_group()
            self._add_followers()
        self._add_slot_checks()
        return LinkagePlan(
            self.scheme,
            assemble(self.ops, self.groups, len(self.scheme.points), self._inputs()),
            tuple(self.steps),
            np.array(self.signs, np.int64),
            self.locked,
            self.checked,
        )

    def _check_driven(self, accepted: tuple[bool, ...]) -> None:
        """Raise where an actuator drives what is determined already."""
        for (kind, number), ok in zip(self.graph.source, accepted, strict=True):
            if kind == ACTUATOR and not ok:
                names = [a.name for a in self.scheme.actuators]
                raise Overdriven(names[number], names)

    def _inputs(self) -> list[Input]:
        """The actuators with the values at which they start."""
        each = self.scheme.actuators
        return [Input(a.factor, a.offset, value_at_start(self.scheme, a)) for a in each]

    def _incomplete(self) -> bool:
        return any(p not in self.known.known for link in self.scheme.links for p in link.points)

    def _add_step(self, found: PointConstruction) -> None:
        """Add a step for a construction."""
        s, first = self.scheme, len(self.ops)
        self.ops += found.ops
        self.known.known |= set(found.points)
        branch = -1
        if found.branch:
            branch = len(self.signs)
            self.signs.append(found.branch)
        self.steps.append(
            PlacementStep(
                found.kind,
                tuple(s.links[x].name for x in found.links),
                tuple(s.points[p] for p in found.points),
                s.points[found.points[0]],
                branch,
                found.branch,
                tuple(range(first, len(self.ops))),
            )
        )

    def _add_followers(self) -> None:
        """Add the points that follow from the last step to it."""
        while (found := self.finder.followers()) is not None:
            if not self.steps:
                self._add_step(found)
                continue
            first, last = len(self.ops), self.steps[-1]
            self.ops += found.ops
            self.known.known |= set(found.points)
            names = (self.scheme.links[x].name for x in found.links)
            self.steps[-1] = replace(
                last,
                links=tuple(dict.fromkeys((*last.links, *names))),
                points=(*last.points, *(self.scheme.points[p] for p in found.points)),
                ops=(*last.ops, *range(first, len(self.ops))),
            )

    def _next_group(self) -> None:
        """Add the next group of the pebble game with unknown points."""
        s, known = self.scheme, self.known.known
        link_of = {v: n for n, v in self.graph.bodies.items()}
        point_of = {v: p for p, v in self.graph.points.items()}
        for vertices in self.order:
            links = [link_of[v] for v in vertices if v in link_of]
            links = [x for x in links if self.known.base(x) is None]
            points = [point_of[v] for v in vertices if v in point_of]
            points = [p for p in points if p not in known]
            if links or points:
                bars = [
                    n
                    for n in range(1, len(s.links))
                    if n not in self.graph.bodies
                    and set(s.links[n].points) & set(points)
                    and all(
                        p in known or p in points or p not in self.graph.used
                        for p in s.links[n].points
                    )
                ]
                self._add_group([*links, *bars], points)
                return
        left = [s.points[p] for p in range(len(s.points)) if p not in known]
        raise NotDriven(left, [a.name for a in s.actuators])

    def _add_group(self, links: list[int], points: list[int]) -> None:
        s = self.scheme
        built = GroupBuilder(self.known, links, points).group()
        branch = self.finder.next_branch
        self.finder.next_branch += 1
        self.groups.append(built)
        op = group(len(self.groups) - 1, built, branch)
        names = tuple(s.links[x].name for x in links)
        unknowns = tuple(s.points[p] for p in built.unknowns)
        self.signs.append(1)
        self.steps.append(
            PlacementStep(GROUP, names, unknowns, unknowns[0], branch, 0, (len(self.ops),))
        )
        self.ops.append(op)
        self.known.known |= set(built.unknowns)

    def _add_slot_checks(self) -> None:
        """Add the checks that points stay between the ends of their slots."""
        for slot in self.scheme.slots:
            if slot.low is not None or slot.high is not None:
                p, r = slot.ends
                self.steps.append(
                    PlacementStep(
                        SLOT_WITH_ENDS,
                        (self.scheme.links[slot.link].name,),
                        (),
                        slot.name,
                        -1,
                        0,
                        (len(self.ops),),
                    )
                )
                self.ops.append(stays_within(slot.point, p, r, slot.low, slot.high))

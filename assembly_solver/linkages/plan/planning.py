"""The plan of a planar linkage: an order of steps that determines its points without a guess.

From the ground outward: actuated joints, dyads in closed form, and otherwise the smallest group
that the pebble game finds.  Links that cannot move against each other are merged first.  Redundant
links and slots are excluded from the plan, and checked in every state.

Source: MotionGen, section 6; docs/theory/dyads.md, 7, and docs/theory/mobility.md, 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import NotDriven, Overdriven
from ...foundations.types import Array, Ints
from ..scheme.scheme import LINEAR, ROTARY, Actuator, Scheme
from .dyad_rules import ConstructionFinder, PointConstruction
from .group_equations import PointGroup
from .grouping import GroupBuilder
from .loci import KnownPoints, value_at_start
from .pebble_counting import ACTUATOR, MixedGraph
from .placement_program import Input, Operation, PlacementProgram, assemble, group, stays_within
from .redundant_links import Redundant, group_depends, independent, independent_here
from .rigid_links import Links, joined, pinned_together, rigid_sets, united

MAX_ANGLE_STEP, MAX_LENGTH_STEP = 0.09, 0.02
"""Angle, rad, and share of the size: the largest change of an actuator from one state to the next
without intermediate states."""

GROUP, SLOT_WITH_ENDS = "group", "slot with ends"


@dataclass(frozen=True)
class PlacementStep:
    """One step of a plan, in names.

    Attributes:
        kind: for instance "RRR dyad"; links: that it determines; points: the inner joint first.
        joint: that joint, whose two solutions a sign tells apart; branch: number of that sign, or
            -1; sign: that of the start, +1 or -1, or 0; ops: numbers of its operations.
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
        scheme: merged, with locked coordinates as actuators of factor 0.
        signs: of the branches at the start; locked: names of joints that nothing drives.
        checked: redundant links and slots, as they were.
        plain: the scheme without their equations, before links were merged and coordinates locked.
        rigid: sets of links of this that cannot move against each other.
    """

    scheme: Scheme
    program: PlacementProgram
    steps: tuple[PlacementStep, ...]
    signs: Ints
    locked: tuple[str, ...]
    checked: Redundant
    plain: Scheme
    rigid: tuple[Links, ...]

    @cached_property
    def dyads(self) -> Ints:
        """The branches of dyads; groups remain on their branch by continuation."""
        return np.array([s.branch for s in self.steps if s.sign != 0], np.int64)

    def grouped(self, test: Callable[[Scheme, set[int], list[int]], bool]) -> Iterator[bool]:
        """What a test of the scheme, known points and the links of a group is for each group."""
        s, known = self.scheme, set(self.scheme.links[0].points)
        for step in self.steps:
            if step.kind == GROUP:
                yield test(s, known, [n for n, x in enumerate(s.links) if x.name in step.links])
            known |= {s.points.index(name) for name in step.points}

    @cached_property
    def apart(self) -> LinkagePlan:
        """The plan with rigid links left apart that can be put together in several ways."""
        scheme = united(self.plain, self.rigid)
        if len(scheme.links) == len(self.scheme.links):
            return self
        locked, names = _lock_undriven(scheme)
        return _PlanBuilder(locked, names, self.checked, self.plain, self.rigid).plan()

    @cached_property
    def wide(self) -> Array:
        """Largest steps of inputs without intermediate states, (actuators,), degrees or mm."""
        s = self.scheme
        out = np.full(len(s.actuators), np.inf)
        for k, a in enumerate(s.actuators):
            step = MAX_ANGLE_STEP if a.kind == ROTARY else MAX_LENGTH_STEP * s.size
            out[k] = step / abs(a.factor) if a.factor != 0.0 else np.inf
        return out

    def step_of(self, operation: int) -> PlacementStep:
        """The step that has an operation of the program."""
        return next(step for step in self.steps if operation in step.ops)


def plan_linkage(scheme: Scheme) -> LinkagePlan:
    """Plan a linkage.

    Raises:
        Overdriven: an actuator drives what other inputs and the links determine already.
        NotDriven: points that cannot be locked, as those of a link that is joined to no other.
    """
    pinned = pinned_together(scheme)
    planned = _planned(*independent(pinned))
    if any(planned.grouped(group_depends)):
        special = independent_here(pinned)
        return planned if special is None else _planned(*special)
    return planned


def _planned(plain: Scheme, checked: Redundant) -> LinkagePlan:
    """The plan without redundant links and slots, which are checked."""
    rigid = rigid_sets(plain)
    locked, names = _lock_undriven(joined(plain, rigid))
    return _PlanBuilder(locked, names, checked, plain, rigid).plan()


def _lock_undriven(scheme: Scheme) -> tuple[Scheme, tuple[str, ...]]:
    """The scheme with a locked joint for every freedom that no actuator drives, and their names."""
    names: list[str] = []
    if MixedGraph(scheme).play().dof == 0:
        return scheme, ()
    for candidate in _lockable(scheme):
        tried = replace(scheme, actuators=(*scheme.actuators, candidate))
        game = MixedGraph(tried).play()
        if not game.accepted[-1]:
            continue
        scheme = tried
        names.append(candidate.name)
        if game.dof == 0:
            return scheme, tuple(names)
    graph = MixedGraph(scheme)
    free = {*graph.play().loose()}
    points = [scheme.points[p] for p, v in graph.points.items() if v in free]
    links = [scheme.links[n].name for n, v in graph.bodies.items() if v in free]
    raise NotDriven(points or links, [a.name for a in scheme.actuators])


def _lockable(scheme: Scheme) -> Iterator[Actuator]:
    """Coordinates that can be locked: the angle of two links at a point, the position in a slot."""
    z = scheme.start
    free: list[Actuator] = []
    for j, links in enumerate(scheme.links_at):
        ends = [scheme.farthest(j, scheme.links[link].points) for link in links]
        for k in ends[1:]:
            if z[ends[0]] != z[j] != z[k]:
                free.append(Actuator(scheme.points[j], ROTARY, (ends[0], j, k), 0.0))
    for slot in scheme.slots:
        first, last = slot.ends
        free.append(Actuator(slot.name, LINEAR, (first, slot.point, last), 0.0))
    for actuator in free:
        yield replace(actuator, offset=value_at_start(scheme, actuator))


class _PlanBuilder:
    def __init__(
        self,
        scheme: Scheme,
        locked: tuple[str, ...],
        checked: Redundant,
        plain: Scheme,
        rigid: tuple[Links, ...],
    ) -> None:
        self.scheme, self.locked, self.checked = scheme, locked, checked
        self.plain, self.rigid = plain, rigid
        self.known = KnownPoints(scheme)
        self.finder = ConstructionFinder(self.known)
        self.ops: list[Operation] = []
        self.groups: list[PointGroup] = []
        self.steps: list[PlacementStep] = []
        self.signs: list[int] = []
        self.graph = MixedGraph(scheme)
        self.driver_names = [a.name for a in scheme.actuators]

    def plan(self) -> LinkagePlan:
        game = self.graph.play()
        self._check_driven(game.accepted)
        self.order = [*game.groups()]
        self._add_followers()
        on_links = {p for link in self.scheme.links for p in link.points}
        while not on_links <= self.known.known:
            found = self.finder.next_construction()
            if found is not None:
                self._add_step(found)
            else:
                self._next_group()
            self._add_followers()
        self._add_slot_checks()
        s = self.scheme
        inputs = [Input(a.factor, a.offset, value_at_start(s, a)) for a in s.actuators]
        return LinkagePlan(
            s,
            assemble(self.ops, self.groups, len(s.points), inputs),
            tuple(self.steps),
            np.array(self.signs, np.int64),
            self.locked,
            self.checked,
            self.plain,
            self.rigid,
        )

    def _check_driven(self, accepted: tuple[bool, ...]) -> None:
        for (kind, number), ok in zip(self.graph.source, accepted, strict=True):
            if kind == ACTUATOR and not ok:
                raise Overdriven(self.driver_names[number], self._determining(number))

    def _determining(self, number: int) -> list[str]:
        """The inputs before one that is determined, without any of which it would not be."""
        names, given = [], self.scheme.actuators[: number + 1]
        for k, actuator in enumerate(given[:-1]):
            rest = replace(self.scheme, actuators=(*given[:k], *given[k + 1 :]))
            if MixedGraph(rest).play().accepted[-1]:
                names.append(actuator.name)
        return names

    def _add_step(self, found: PointConstruction, joint: str | None = None) -> None:
        """Add a step; its joint is named by its first point where no name is given."""
        s, first = self.scheme, len(self.ops)
        self.ops += found.ops
        self.known.known |= set(found.points)
        branch = found.ops[0].branch
        if branch >= 0:
            self.signs.append(found.branch or 1)
        self.steps.append(
            PlacementStep(
                found.kind,
                tuple(s.links[x].name for x in found.links),
                tuple(s.points[p] for p in found.points),
                s.points[found.points[0]] if joint is None else joint,
                branch,
                found.branch,
                tuple(range(first, len(self.ops))),
            )
        )

    def _add_followers(self) -> None:
        """Add the points that follow from the last step to it."""
        while (found := self.finder.followers()) is not None:
            self._add_step(found)
            if len(self.steps) > 1:
                new, last = self.steps.pop(), self.steps[-1]
                self.steps[-1] = replace(
                    last,
                    links=tuple(dict.fromkeys((*last.links, *new.links))),
                    points=(*last.points, *new.points),
                    ops=(*last.ops, *new.ops),
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
                missing = self.graph.used.difference(known, points)
                bars = [
                    n
                    for n, link in enumerate(s.links)
                    if link.sized
                    and n not in self.graph.bodies
                    and not set(points).isdisjoint(link.points)
                    and missing.isdisjoint(link.points)
                ]
                self._add_group([*links, *bars], points)
                return
        left = [s.points[p] for p in range(len(s.points)) if p not in known]
        raise NotDriven(left, self.driver_names)

    def _add_group(self, links: list[int], points: list[int]) -> None:
        built = GroupBuilder(self.known, links, points).group()
        op = group(len(self.groups), built, self.finder.next_branch)
        self.finder.next_branch += 1
        self.groups.append(built)
        self._add_step(PointConstruction(GROUP, (op,), built.unknowns, tuple(links)))

    def _add_slot_checks(self) -> None:
        for slot in self.scheme.slots:
            if slot.low is not None or slot.high is not None:
                op = stays_within(slot.point, *slot.ends, slot.low, slot.high)
                check = PointConstruction(SLOT_WITH_ENDS, (op,), (), (slot.link,))
                self._add_step(check, slot.name)

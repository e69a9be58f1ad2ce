"""The plan of a planar linkage: which points are placed by what, in an order that needs no guess.

From the ground outward: actuated joints, dyads in closed form, and what is no dyad as the smallest
group that the pebble game finds.  Links that cannot move against each other are merged first.
What repeats what others say is left out of the plan, and checked at every state.

Source: MotionGen, section 6; docs/theory/dyads.md, 7, and mobility.md, 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import NotDriven, Overdriven
from ...foundations.types import Array, Ints
from ..scheme.scheme import LINEAR, ROTARY, Actuator, Link, Scheme, Slot
from .dyads import Finder, Placing
from .group_equations import Group
from .grouping import Grouping
from .loci import Knowledge, value_at_start
from .pebble_counting import ACTUATOR, MixedGraph
from .program import Input, Op, Program, assemble, group, within
from .redundant_links import independent
from .rigid_links import merged

WIDE_TURN, WIDE_WAY = 0.09, 0.02
"""Angle, rad, and share of the size that an actuator goes from one state to the next at the most
without a look between them."""

GROUP, HELD = "group", "slot with ends"


@dataclass(frozen=True)
class Step:
    """One step of a plan, in names.

    Attributes:
        kind: what it is, as "RRR dyad"; links: that it places; points: the inner joint first.
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
class Planned:
    """The plan of a scheme.

    Attributes:
        scheme: merged, with what is held as actuators of factor 0; program: what runs.
        steps: in order; signs: int64 of the branches at the start.
        held: names of joints that nothing drives.
        checked: links and slots that repeat what others say, as they were.
    """

    scheme: Scheme
    program: Program
    steps: tuple[Step, ...]
    signs: Ints
    held: tuple[str, ...]
    checked: tuple[Link | Slot, ...]

    @cached_property
    def dyads(self) -> Ints:
        """The branches of dyads: a group has its own way to stay on one."""
        return np.array([s.branch for s in self.steps if s.sign != 0], np.int64)

    @cached_property
    def wide(self) -> Array:
        """The step of each input that is too wide to be taken without a look between."""
        s = self.scheme
        each = [(WIDE_TURN if a.kind == ROTARY else WIDE_WAY * s.size) for a in s.actuators]
        factors = np.array([abs(a.factor) for a in s.actuators])
        out: Array = np.full(len(each), np.inf)
        np.divide(each, factors, out=out, where=factors > 0.0)
        return out


def plan_linkage(scheme: Scheme) -> Planned:
    """Plan a linkage.

    Raises:
        Overdriven: an actuator drives what others and the links determine already.
        NotDriven: points that nothing holds, as those of a link that is joined to no other.
    """
    kept, checked = independent(scheme)
    reduced = merged(kept)
    held, names = _held(reduced)
    return _Planner(held, names, checked).plan()


def _held(scheme: Scheme) -> tuple[Scheme, tuple[str, ...]]:
    """The scheme with every freedom that no actuator drives held at a joint."""
    names: list[str] = []
    graph = MixedGraph(scheme)
    if graph.play().dof == 0:
        return scheme, ()
    for name, candidate in _holds(scheme):
        tried = replace(scheme, actuators=(*scheme.actuators, candidate))
        game = MixedGraph(tried).play()
        if not game.accepted[-1]:
            continue
        scheme = tried
        names.append(name)
        if game.dof == 0:
            return scheme, tuple(names)
    graph = MixedGraph(scheme)
    loose = {*graph.play().loose()}
    points = [scheme.points[p] for p, v in graph.points.items() if v in loose]
    links = [scheme.links[n].name for n, v in graph.bodies.items() if v in loose]
    raise NotDriven(points or links, [a.name for a in scheme.actuators])


def _holds(scheme: Scheme) -> Iterator[tuple[str, Actuator]]:
    """What could be held: the angle of two links at a point, the place of a point in a slot."""
    for j, links in enumerate(scheme.links_at):
        for a in links[:1]:
            for b in links[1:]:
                i, k = _other(scheme, a, j), _other(scheme, b, j)
                if i is not None and k is not None:
                    made = Actuator(scheme.points[j], ROTARY, (i, j, k), 0.0)
                    offset = value_at_start(scheme, made)
                    yield f"{scheme.points[j]}", replace(made, offset=offset)
    for slot in scheme.slots:
        made = Actuator(slot.name, LINEAR, (slot.ends[0], slot.point, slot.ends[1]), 0.0)
        yield slot.name, replace(made, offset=value_at_start(scheme, made))


def _other(scheme: Scheme, link: int, point: int) -> int | None:
    """The point of a link that is farthest from one of its points."""
    z = scheme.start
    points = [p for p in scheme.links[link].points if p != point]
    best = max(points, key=lambda p: abs(z[p] - z[point]), default=None)
    return best if best is not None and abs(z[best] - z[point]) > 0.0 else None


class _Planner:
    def __init__(
        self, scheme: Scheme, held: tuple[str, ...], checked: tuple[Link | Slot, ...]
    ) -> None:
        self.scheme, self.held, self.checked = scheme, held, checked
        self.known = Knowledge(scheme)
        self.finder = Finder(self.known)
        self.ops: list[Op] = []
        self.groups: list[Group] = []
        self.steps: list[Step] = []
        self.signs: list[int] = []
        self.graph = MixedGraph(scheme)

    def plan(self) -> Planned:
        game = self.graph.play()
        self._refuse(game.accepted)
        self.order = [*game.groups()]
        self._follow()
        while self._open():
            found = next((f for f in self.finder.rules() if f is not None), None)
            if found is not None:
                self._enter(found)
            else:
                self._group()
            self._follow()
        self._ends()
        return Planned(
            self.scheme,
            assemble(self.ops, self.groups, len(self.scheme.points), self._inputs()),
            tuple(self.steps),
            np.array(self.signs, np.int64),
            self.held,
            self.checked,
        )

    def _refuse(self, accepted: tuple[bool, ...]) -> None:
        """Raise where an actuator drives what is determined."""
        for (kind, number), ok in zip(self.graph.source, accepted, strict=True):
            if kind == ACTUATOR and not ok:
                names = [a.name for a in self.scheme.actuators]
                raise Overdriven(names[number], names)

    def _inputs(self) -> list[Input]:
        """The actuators with the values at which they start."""
        each = self.scheme.actuators
        return [Input(a.factor, a.offset, value_at_start(self.scheme, a)) for a in each]

    def _open(self) -> bool:
        return any(p not in self.known.known for link in self.scheme.links for p in link.points)

    def _enter(self, found: Placing) -> None:
        """A step that places points."""
        s, first = self.scheme, len(self.ops)
        self.ops += found.ops
        self.known.known |= set(found.points)
        branch = -1
        if found.branch:
            branch = len(self.signs)
            self.signs.append(found.branch)
        self.steps.append(
            Step(
                found.kind,
                tuple(s.links[x].name for x in found.links),
                tuple(s.points[p] for p in found.points),
                s.points[found.points[0]],
                branch,
                found.branch,
                tuple(range(first, len(self.ops))),
            )
        )

    def _follow(self) -> None:
        """Place what follows from the last step, as a part of it."""
        while (found := self.finder.followers()) is not None:
            if not self.steps:
                self._enter(found)
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

    def _group(self) -> None:
        """The next group of the pebble game that is not placed."""
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
                self._enter_group([*links, *bars], points)
                return
        left = [s.points[p] for p in range(len(s.points)) if p not in known]
        raise NotDriven(left, [a.name for a in s.actuators])

    def _enter_group(self, links: list[int], points: list[int]) -> None:
        s = self.scheme
        made = Grouping(self.known, links, points).group()
        branch = self.finder.next_branch
        self.finder.next_branch += 1
        self.groups.append(made)
        op = group(len(self.groups) - 1, made, branch)
        names = tuple(s.links[x].name for x in links)
        told = tuple(s.points[p] for p in made.unknowns)
        self.signs.append(1)
        self.steps.append(Step(GROUP, names, told, told[0], branch, 0, (len(self.ops),)))
        self.ops.append(op)
        self.known.known |= set(made.unknowns)

    def _ends(self) -> None:
        """That points stay between the ends of their slots."""
        for slot in self.scheme.slots:
            if slot.low is not None or slot.high is not None:
                p, r = slot.ends
                self.steps.append(
                    Step(
                        HELD,
                        (self.scheme.links[slot.link].name,),
                        (),
                        slot.name,
                        -1,
                        0,
                        (len(self.ops),),
                    )
                )
                self.ops.append(within(slot.point, p, r, slot.low, slot.high))

"""A scheme as the mixed graph of the pebble game: what is driven, what is free, what is redundant.

Links of more than two joints are bodies, and so are those that have slots or whose angle is driven;
the others are bars.  Points that links share are points; those of the ground are the ground.

Source: Shai and Mueller; docs/theory/mobility.md, 3 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import Overdriven
from ...foundations.graphs.pebble_game import Game, play
from ..scheme.scheme import ROTARY, SPAN, Actuator, Scheme

GROUND, BODY, POINT = 0, 3, 2

BAR, RIGID, SLOT, ACTUATOR = "bar", "rigid", "slot", "actuator"


@dataclass(eq=False)
class MixedGraph:
    """The vertices and edges of a scheme.

    Attributes:
        bodies: vertex of each link that is one; points: vertex of each point that is one.
        freedoms: of each vertex; edges: pairs of vertices.
        source: of each edge, kind and number of link, slot or actuator.
        order: of the links that move, in which they are entered, bodies first.
        turning: links with slots or a driven angle; used: points that more than one link reads.
    """

    scheme: Scheme
    order: Sequence[int] = ()
    bodies: dict[int, int] = field(default_factory=dict)
    points: dict[int, int] = field(default_factory=dict)
    freedoms: list[int] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    source: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        s = self.scheme
        self.used = self._used()
        self._enter_vertices()
        order = self.order or range(1, len(s.links))
        for number in sorted(order, key=lambda n: n not in self.bodies):
            self._enter_link(number)
        for number, slot in enumerate(s.slots):
            self._edge(self._vertex(slot.point), self.bodies[slot.link], SLOT, number)
        for number, actuator in enumerate(s.actuators):
            self._edge(*self._actuator_ends(actuator), ACTUATOR, number)

    def _used(self) -> set[int]:
        """Points that more than their own link reads."""
        s = self.scheme
        out = {p for p, links in enumerate(s.links_at) if len(links) > 1}
        out |= {slot.point for slot in s.slots}
        for actuator in s.actuators:
            if actuator.kind != ROTARY:
                out |= set(actuator.points[:2])
        return out

    def _enter_vertices(self) -> None:
        s = self.scheme
        self.turning = {slot.link for slot in s.slots}
        for actuator in s.actuators:
            if actuator.kind == ROTARY:
                self.turning |= set(self._rotary_links(actuator))
        for number, link in enumerate(s.links):
            joints = [p for p in link.points if p in self.used]
            if number == 0 or number in self.turning or len(joints) != 2:
                self.bodies[number] = len(self.freedoms)
                self.freedoms.append(BODY)
        for p in sorted(self.used.difference(s.links[0].points)):
            self.points[p] = len(self.freedoms)
            self.freedoms.append(POINT)

    def _rotary_links(self, actuator: Actuator) -> tuple[int, int]:
        """The two links whose angle an actuator drives; Overdriven where they are one."""
        links = self.scheme.turned_links(actuator)
        if links is None:
            raise Overdriven(actuator.name, ())
        return links

    def _actuator_ends(self, actuator: Actuator) -> tuple[int, int]:
        """The two vertices between which an actuator is an edge."""
        i, j, k = actuator.points
        if actuator.kind == ROTARY:
            a, b = self._rotary_links(actuator)
            return self.bodies[a], self.bodies[b]
        if actuator.kind == SPAN:
            return self._vertex(i), self._vertex(j)
        slotted = next(x for x in self.scheme.carriers(i, k) if x in self.bodies)
        return self.bodies[slotted], self._vertex(j)

    def _vertex(self, point: int) -> int:
        return self.points.get(point, GROUND)

    def _enter_link(self, number: int) -> None:
        link = self.scheme.links[number]
        joints = [p for p in link.points if p in self.used]
        if number not in self.bodies:
            one, two = joints
            if link.sized:
                self._edge(self._vertex(one), self._vertex(two), BAR, number)
            return
        for p in joints:
            for _ in range(POINT if p != link.loose else POINT - 1):
                self._edge(self.bodies[number], self._vertex(p), RIGID, number)

    def _edge(self, u: int, v: int, kind: str, number: int) -> None:
        if u != v:  # between two places of one rigid link it says nothing
            self.edges.append((u, v))
            self.source.append((kind, number))

    def play(self) -> Game:
        """The pebble game with the ground fixed."""
        return play(self.freedoms, self.edges).ground(GROUND)

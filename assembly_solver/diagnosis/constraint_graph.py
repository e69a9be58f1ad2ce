"""The bodies of a component and its joints as the graph of the pebble game.

Where a component moves in parallel planes a body has three freedoms, and so has one whose axes all
meet in a point: it turns about that point.  A pin that three members or more share is a point with
two freedoms of its own, each body on it two edges; a distance between points is a bar, one edge
between its pins.  Other joints have as many edges as independent equations.  In space there are
bodies with six freedoms only.

Source: docs/theory/mobility.md, 3 and 8; Shai and Müller, the mixed constraint graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from ..equations.table import SPACE
from ..foundations.geometry.lines import meeting_point
from ..foundations.geometry.nearest_motion import GENERAL, REVOLUTE, SPHERICAL
from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.pebble_game import Game, play
from ..foundations.numerics.linear import rank_of
from ..foundations.types import Array
from ..model.measures.measure import IS_ANGLE
from ..structure.joints import SAME, Joints, Pin
from ..structure.steps import Component
from .freedoms import Diagnosis

PLANAR, ABOUT_POINT, SPATIAL = "in parallel planes", "about a point", "in space"
"""How the bodies of a component move."""


@dataclass(frozen=True)
class Bond:
    """What joins two bodies, or two vertices: `count` independent equations of some mates."""

    ends: tuple[int, int]
    count: int
    promises: tuple[int, ...]


@dataclass(eq=False)
class ConstraintGraph:
    """One component as a graph.

    Attributes:
        diagnosis, component: of what; joints: its pins and bare links, None for a branch.
        bonds: edges between vertices, as many as they count.
        freedoms: of the vertices: the root, the other bodies in order, then shared pins.
        unseen: mates that the theorem of the game is not about; it may count them wrong.
    """

    diagnosis: Diagnosis
    component: int
    joints: Joints | None
    bonds: list[Bond] = field(default_factory=list)
    freedoms: list[int] = field(default_factory=list)
    unseen: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.freedoms = [6 if self.motion == SPATIAL else 3] * len(self.bodies)
        _Builder(self).build()

    @cached_property
    def c(self) -> Component:
        return self.diagnosis.plan.components[self.component]

    @cached_property
    def bodies(self) -> list[int]:
        """The body of each vertex that is one; the first is the root."""
        return [self.c.root, *self.c.bodies]

    @cached_property
    def pins(self) -> list[Pin]:
        return self.joints.pins if self.joints is not None else []

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """A point and the direction of the axis of each pair in the world, each (pairs, 3)."""
        pairs = self.diagnosis.plan.bodies.pairs
        at = list(self.c.pairs)
        world = compose_all(self.diagnosis.poses[pairs.bodies[at, 0]], pairs.frame_a[at])
        return world[:, :3], world[:, 9:12]

    @cached_property
    def kinds(self) -> list[int]:
        """The kind of joint of each pair."""
        return [int(k) for k in self.diagnosis.plan.bodies.pairs.kind[list(self.c.pairs)]]

    @cached_property
    def centre(self) -> Array | None:
        """The point about which all bodies turn, in the world; None where there is none."""
        kinds = np.array(self.kinds)
        wide = any(p in self.diagnosis.plan.bodies.wide for p in self.c.promises)
        if not self.c.loop or self.c.projection is not None or wide or not len(kinds):
            return None
        if not set(kinds.tolist()) <= {REVOLUTE, SPHERICAL} or not (kinds == REVOLUTE).any():
            return None
        points, ways = self.axes
        off = SAME * self.diagnosis.plan.system.length
        hinges = kinds == REVOLUTE
        point = meeting_point(points[hinges], ways[hinges], off)
        if point is None or np.abs(points[~hinges] - point).max(initial=0.0) > off:
            return None
        return point

    @cached_property
    def motion(self) -> str:
        """How the bodies move: one of `PLANAR`, `ABOUT_POINT`, `SPATIAL`."""
        if self.c.projection is not None:
            return PLANAR
        return SPATIAL if self.centre is None else ABOUT_POINT

    @cached_property
    def heights(self) -> int:
        """Freedoms along the normal of planes, beside those in them."""
        return self.c.projection.flat.groups - 1 if self.c.projection is not None else 0

    @cached_property
    def pins_of(self) -> dict[int, list[int]]:
        """The pins of each body, by their places in the list."""
        out: dict[int, list[int]] = {}
        for n, pin in enumerate(self.pins):
            for body in pin.at:
                out.setdefault(body, []).append(n)
        return out

    @cached_property
    def pair_pins(self) -> list[int | None]:
        """The pin that each pair turns about; None where it turns about none."""
        pairs = self.diagnosis.plan.bodies.pairs
        out: list[int | None] = []
        for p, kind in zip(self.c.pairs, self.kinds, strict=True):
            a, b = (int(v) for v in pairs.bodies[p])
            n = self.pin_at(a, pairs.frame_a[p, :3]) if kind != GENERAL else None
            out.append(n if n is not None and b in self.pins[n].at else None)
        return out

    def pin_at(self, body: int, point: Array) -> int | None:
        """The pin with this point of a body, by its place in the list of pins."""
        for n in self.pins_of.get(body, ()):
            away = self.pins[n].at[body] - point
            for way in self._free_ways(self.pins[n], body):
                away = away - (away @ way) * way
            if np.abs(away).max() < SAME * self.diagnosis.plan.system.length:
                return n
        return None

    def _free_ways(self, pin: Pin, body: int) -> list[Array]:
        """The direction on a body along which its point of a pin means nothing."""
        if self.c.projection is not None:
            flat = self.c.projection.flat
            return [flat.normal[flat.bodies.tolist().index(body)]]
        return [pin.axis[body]] if body in pin.axis else []

    # ------------------------------------------------------------------ counts
    @cached_property
    def matrices(self) -> dict[bool, tuple[dict[int, int], Array]]:
        """Jacobian at the pose in its own unknowns (True) and in space (False), and before it
        the place of each equation in it."""
        d, c = self.diagnosis, self.c
        own = {e: k for k, e in enumerate(d.rows(c).tolist())}
        every = {e: k for k, e in enumerate(c.rows.tolist())}
        return {True: (own, d.jacobian(c)), False: (every, d.jacobian(c, SPACE))}

    def rank(self, rows: Iterable[int], body: int, own: bool = True) -> int:
        """Independent equations among some rows by the motion of one body, others at rest."""
        known, matrix = self.matrices[own]
        at = [known[e] for e in rows if e in known]
        width = matrix.shape[1] // len(self.c.bodies)
        n = self.c.bodies.index(body) * width
        return rank_of(matrix[at, n : n + width], self.diagnosis.cut).rank if at else 0

    @cached_property
    def kutzbach(self) -> int:
        """Six for each body less what the joints take, each by itself."""
        taken = sum(b.count for b in _Joinery(self, own=False).bonds())
        return 6 * len(self.c.bodies) - taken

    @cached_property
    def counted(self) -> int:
        """The same by the freedoms that the way of moving leaves, joints counted in it."""
        taken = sum(b.count for b in _Joinery(self, own=True).bonds())
        return self.freedoms[0] * len(self.c.bodies) + self.heights - taken

    # ------------------------------------------------------------------ the game
    @cached_property
    def owners(self) -> list[tuple[int, ...]]:
        """The mates behind each edge."""
        return [b.promises for b in self.bonds for _ in range(b.count)]

    def play(self, more: Iterable[tuple[int, int]] = ()) -> Game:
        """The game with the root held, perhaps with more edges behind those of the mates."""
        edges = [b.ends for b in self.bonds for _ in range(b.count)]
        return play(self.freedoms, [*edges, *more], self.freedoms[0]).ground(0)

    @cached_property
    def game(self) -> Game:
        """The game of the mates alone."""
        return self.play()


@dataclass(eq=False)
class _Joinery:
    """The bonds of a component, joint by joint, between bodies."""

    graph: ConstraintGraph
    own: bool

    def bonds(self) -> list[Bond]:
        pairs = range(len(self.graph.c.pairs))
        return [*chain(*(self.of_pair(p) for p in pairs)), *self.wide()]

    def of_pair(self, place: int) -> list[Bond]:
        """One bond of a lower pair; of other pairs one for each mate, bars by themselves."""
        g = self.graph
        bodies = g.diagnosis.plan.bodies
        p = g.c.pairs[place]
        a, b = (int(v) for v in bodies.pairs.bodies[p])
        mates = tuple(bodies.promises[p].tolist())
        moving = b if b != g.c.root else a
        kind = g.kinds[place]
        if self.own and g.motion == ABOUT_POINT:
            return [Bond((a, b), 2 if kind == REVOLUTE else 0, mates)]
        system = g.diagnosis.plan.system
        parts = [mates] if kind != GENERAL else [(k,) for k in mates]
        ranks = [g.rank(system.rows(list(k)).tolist(), moving, self.own) for k in parts]
        return [Bond((a, b), n, k) for n, k in zip(ranks, parts, strict=True)]

    def wide(self) -> list[Bond]:
        """Mates of three bodies and more: an edge between two that both relate to a third."""
        g = self.graph
        system, table = g.diagnosis.plan.system, g.diagnosis.plan.table
        out = []
        for k in g.c.promises:
            if k in g.diagnosis.plan.bodies.wide:
                rows = system.rows([k])
                first = int(table.first_term[rows[0]]), int(table.first_term[rows[-1] + 1])
                n = table.term_measure[first[0] : first[1]]
                each = zip(table.marker_a[n].tolist(), table.marker_b[n].tolist(), strict=True)
                joined = [{int(table.marker_body[m]) for m in two} for two in each]
                ends = sorted(set.symmetric_difference(*joined)) if len(joined) == 2 else []
                if len(ends) != 2:
                    ends = sorted(set.union(*joined))[:2]
                    g.unseen.add(k)
                out.append(Bond((ends[0], ends[1]), len(rows), (k,)))
        return out


class _Builder:
    """Fills the bonds of a graph: pins that are shared become points."""

    def __init__(self, graph: ConstraintGraph) -> None:
        self.g = graph
        self.vertex = {b: n for n, b in enumerate(graph.bodies)}
        self.shared: dict[int, int] = {}
        """Vertex of each shared pin, by its place in the list of pins."""

    def build(self) -> None:
        g = self.g
        joinery = _Joinery(g, own=True)
        bars = set(g.joints.made_by.values()) if g.joints is not None else set()
        self._share()
        for place in range(len(g.c.pairs)):
            pin = g.pair_pins[place]
            for bond in joinery.of_pair(place):
                if pin not in self.shared:
                    self._enter(bond, place, bars)
        for bond in joinery.wide():
            a, b = (self.vertex[v] for v in bond.ends)
            g.bonds.append(Bond((a, b), bond.count, bond.promises))
        self._bars()

    def _share(self) -> None:
        """Points of pins that three members or more share; in space bodies stand for them."""
        g = self.g
        for n, pin in enumerate(g.pins):
            if len(pin.members) > 2 and g.motion != SPATIAL:
                self.shared[n] = len(g.freedoms)
                g.freedoms.append(2)
                for body in sorted(pin.at):
                    ends = (self.vertex[body], self.shared[n])
                    g.bonds.append(Bond(ends, 2, self._mates(n, body)))
            elif len(pin.members) > 2:
                g.unseen |= {k for body in pin.at for k in self._mates(n, body)}

    def _mates(self, pin: int, body: int) -> tuple[int, ...]:
        """The mates that hold a body on a pin."""
        pairs = self.g.diagnosis.plan.bodies
        found: list[int] = []
        for place, p in enumerate(self.g.c.pairs):
            if self.g.pair_pins[place] == pin and body in pairs.pairs.bodies[p].tolist():
                found += pairs.promises[p].tolist()
        return tuple(found)

    def _enter(self, bond: Bond, place: int, bars: set[int]) -> None:
        """The bond of a pair, what is a bar left out."""
        g = self.g
        rows = g.diagnosis.plan.system.rows(list(bond.promises)).tolist()
        rest, n = [e for e in rows if e not in bars], bond.count
        if len(rest) < len(rows):
            n = g.rank(rest, max(bond.ends, key=lambda body: body != g.c.root))
        if n and not _covered(g, place, rest):
            g.unseen |= set(bond.promises)
        a, b = (self.vertex[v] for v in bond.ends)
        g.bonds.append(Bond((a, b), n, bond.promises))

    def _bars(self) -> None:
        """An edge for each bare link, between the points or the bodies of its two pins."""
        g = self.g
        if g.joints is None:
            return
        of = g.diagnosis.plan.system.promise_of_equation
        for link, e in g.joints.made_by.items():
            ends = []
            for n, pin in enumerate(g.pins):
                if link in pin.bare:
                    ends.append(self.shared.get(n, self.vertex[min(pin.at)]))
            g.bonds.append(Bond((ends[0], ends[1]), 1, (int(of[e]),)))


def _covered(g: ConstraintGraph, place: int, rows: list[int]) -> bool:
    """Whether the theorem of the game is about a pair, or one mate of it: hinges, pins, contacts.

    Directions alone, slides, and balls (two of them leave a spin about their line) are not.
    """
    if g.motion == ABOUT_POINT:
        return True
    if g.kinds[place] != GENERAL:
        return g.pair_pins[place] is not None if g.motion == PLANAR else g.kinds[place] == REVOLUTE
    t = g.diagnosis.plan.table
    own = [e for e in rows if e in g.matrices[True][0]]
    return len(own) == 1 and not IS_ANGLE[t.kind[t.term_measure[t.first_term[own[0]]]]]

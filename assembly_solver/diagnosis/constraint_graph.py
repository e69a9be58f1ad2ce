"""The bodies and joints of a component as the constraint graph of the pebble game.

In a planar or a spherical component a body has three freedoms.  A pin that three members or more
share is a point with two freedoms, and two edges to each of its bodies.  A distance between points
is a bar, one edge between its pins.  Other joints have as many edges as independent equations.  In
space all vertices are bodies with six freedoms.

Source: docs/theory/mobility.md, 3 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from ..foundations.geometry.lines import meeting_point
from ..foundations.geometry.nearest_motion import GENERAL, REVOLUTE, SPHERICAL
from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.pebble_game import Game, play
from ..foundations.numerics.linear import rank_of
from ..foundations.types import Array
from ..model.measures.measure import IS_ANGLE
from ..structure.joints import JointTable, Pin
from ..structure.steps import Component
from .freedoms import Diagnosis

PLANAR, ABOUT_POINT, SPATIAL = "in parallel planes", "about a point", "in space"
"""Types of motion of a component: planar, spherical, spatial."""


@dataclass(frozen=True)
class Bond:
    """`count` independent equations of some mates between two bodies, or two vertices."""

    ends: tuple[int, int]
    count: int
    constraints: tuple[int, ...]


@dataclass(eq=False)
class ConstraintGraph:
    """One component as a graph.

    Attributes:
        diagnosis: at the closed pose; component: its index in the plan.
        joints: its pins and bars, None for a branch.
        bonds: between vertices; freedoms: of the vertices: the root, the other bodies in order,
            then the shared pins.
        unseen: mates outside the theorem of the game, which may count them wrong.
    """

    diagnosis: Diagnosis
    component: int
    joints: JointTable | None
    bonds: list[Bond] = field(default_factory=list)
    freedoms: list[int] = field(default_factory=list)
    unseen: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.freedoms = [6 if self.motion == SPATIAL else 3] * len(self.bodies)
        _GraphBuilder(self).build()

    @cached_property
    def c(self) -> Component:
        return self.diagnosis.plan.components[self.component]

    @cached_property
    def bodies(self) -> list[int]:
        """The bodies of the first vertices; the root first."""
        return [self.c.root, *self.c.bodies]

    @cached_property
    def pins(self) -> list[Pin]:
        return self.joints.pins if self.joints is not None else []

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """A point, mm, and the direction of the axis of each pair in the world, (pairs, 3) each."""
        pairs, at = self.diagnosis.plan.bodies.pairs, list(self.c.pairs)
        world = compose_all(self.diagnosis.poses[pairs.bodies[at, 0]], pairs.frame_a[at])
        return world[:, :3], world[:, 9:12]

    @cached_property
    def kinds(self) -> list[int]:
        """The kind of joint of each pair."""
        return [int(k) for k in self.diagnosis.plan.bodies.pairs.kind[list(self.c.pairs)]]

    @cached_property
    def centre(self) -> Array | None:
        """Centre of a spherical component in the world, (3,), mm; None for others."""
        kinds = np.array(self.kinds)
        wide = any(p in self.diagnosis.plan.bodies.wide for p in self.c.constraints)
        if not self.c.loop or self.c.projection is not None or wide or not len(kinds):
            return None
        if not set(kinds.tolist()) <= {REVOLUTE, SPHERICAL} or not (kinds == REVOLUTE).any():
            return None
        points, directions = self.axes
        off = self.diagnosis.plan.system.same_place
        hinges = kinds == REVOLUTE
        point = meeting_point(points[hinges], directions[hinges], off)
        if point is None or np.abs(points[~hinges] - point).max(initial=0.0) > off:
            return None
        return point

    @cached_property
    def motion(self) -> str:
        """Type of motion: `PLANAR`, `ABOUT_POINT` or `SPATIAL`."""
        if self.c.projection is not None:
            return PLANAR
        return SPATIAL if self.centre is None else ABOUT_POINT

    @cached_property
    def heights(self) -> int:
        """Freedoms along the normal of a planar component."""
        return self.c.projection.flat.groups - 1 if self.c.projection is not None else 0

    @cached_property
    def pins_of(self) -> dict[int, list[int]]:
        """Indices of the pins of each body."""
        out: dict[int, list[int]] = {}
        for n, pin in enumerate(self.pins):
            for body in pin.at:
                out.setdefault(body, []).append(n)
        return out

    @cached_property
    def pair_pins(self) -> list[int | None]:
        """Index of the pin of each pair; None for a pair without a pin."""
        pairs = self.diagnosis.plan.bodies.pairs
        out: list[int | None] = []
        for p, kind in zip(self.c.pairs, self.kinds, strict=True):
            a, b = (int(v) for v in pairs.bodies[p])
            n = self.pin_at(a, pairs.frame_a[p, :3]) if kind != GENERAL else None
            out.append(n if n is not None and b in self.pins[n].at else None)
        return out

    def pin_at(self, body: int, point: Array) -> int | None:
        """Index of the pin at a point of a body, in body coordinates, mm; None if there is none."""
        for n in self.pins_of.get(body, ()):
            offset = self.pins[n].at[body] - point
            for axis in self._axes_of(self.pins[n], body):
                offset = offset - (offset @ axis) * axis
            if np.abs(offset).max() <= self.diagnosis.plan.system.same_place:
                return n
        return None

    def _axes_of(self, pin: Pin, body: int) -> list[Array]:
        """The direction on a body along which the position of a pin is arbitrary, if any."""
        if self.c.projection is not None:
            flat = self.c.projection.flat
            return [flat.normal[flat.bodies.tolist().index(body)]]
        return [pin.axis[body]] if body in pin.axis else []

    # ------------------------------------------------------------------ counts
    @cached_property
    def matrices(self) -> dict[bool, tuple[dict[int, int], Array]]:
        """Row of each equation, and Jacobian, in the component's unknowns (True) or in space."""
        d, c = self.diagnosis, self.c
        reduced = {e: k for k, e in enumerate(d.rows(c).tolist())}
        every = {e: k for k, e in enumerate(c.rows.tolist())}
        return {True: (reduced, d.jacobian(c)), False: (every, d.jacobian_in_space(c))}

    def rank(self, rows: Iterable[int], body: int, reduced: bool = True) -> int:
        """Independent equations among some, in its unknowns or in space, for one moving body."""
        known, matrix = self.matrices[reduced]
        at = [known[e] for e in rows if e in known]
        width = matrix.shape[1] // len(self.c.bodies)
        n = self.c.bodies.index(body) * width
        return rank_of(matrix[at, n : n + width], self.diagnosis.cut).rank if at else 0

    @cached_property
    def kutzbach(self) -> int:
        """Kutzbach's count: six for each body less the independent equations of each joint."""
        removed = sum(b.count for b in _JointBonds(self, reduced=False).bonds())
        return 6 * len(self.c.bodies) - removed

    @cached_property
    def counted(self) -> int:
        """Kutzbach's count for the type of motion of the component."""
        removed = sum(b.count for b in _JointBonds(self, reduced=True).bonds())
        return self.freedoms[0] * len(self.c.bodies) + self.heights - removed

    # ------------------------------------------------------------------ the game
    @cached_property
    def owners(self) -> list[tuple[int, ...]]:
        """The mates of each edge."""
        return [b.constraints for b in self.bonds for _ in range(b.count)]

    def play(self, more: Iterable[tuple[int, int]] = ()) -> Game:
        """The game with a grounded root; `more` edges come after those of the mates."""
        edges = [b.ends for b in self.bonds for _ in range(b.count)]
        return play(self.freedoms, [*edges, *more], self.freedoms[0]).ground(0)

    @cached_property
    def game(self) -> Game:
        """The game of the mates alone."""
        return self.play()


@dataclass(eq=False)
class _JointBonds:
    """The bonds between bodies; equations counted in the component's unknowns, or in space."""

    graph: ConstraintGraph
    reduced: bool

    def bonds(self) -> list[Bond]:
        """The bonds of all pairs, then those of mates of three bodies and more."""
        pairs = range(len(self.graph.c.pairs))
        return [*chain(*(self.of_pair(p) for p in pairs)), *self.wide()]

    def of_pair(self, index: int) -> list[Bond]:
        """The bond of a lower pair; one for each mate of any other pair."""
        g = self.graph
        bodies = g.diagnosis.plan.bodies
        p = g.c.pairs[index]
        a, b = (int(v) for v in bodies.pairs.bodies[p])
        mates = tuple(bodies.constraints[p].tolist())
        moving = b if b != g.c.root else a
        kind = g.kinds[index]
        if self.reduced and g.motion == ABOUT_POINT:
            return [Bond((a, b), 2 if kind == REVOLUTE else 0, mates)]
        system = g.diagnosis.plan.system
        parts = [mates] if kind != GENERAL else [(k,) for k in mates]
        ranks = [g.rank(system.rows(list(k)).tolist(), moving, self.reduced) for k in parts]
        return [Bond((a, b), n, k) for n, k in zip(ranks, parts, strict=True)]

    def wide(self) -> list[Bond]:
        """Bonds of mates of three bodies and more: between the two that both relate to a third."""
        g = self.graph
        system, table = g.diagnosis.plan.system, g.diagnosis.plan.table
        out = []
        for k in g.c.constraints:
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


class _GraphBuilder:
    """Builds the bonds of a graph; shared pins become points."""

    def __init__(self, graph: ConstraintGraph) -> None:
        self.g = graph
        self.vertex = {b: n for n, b in enumerate(graph.bodies)}
        self.shared: dict[int, int] = {}
        """Vertex of each shared pin, by its index."""

    def build(self) -> None:
        """Add all bonds to the graph."""
        g = self.g
        joints = _JointBonds(g, reduced=True)
        bars = set(g.joints.equation_of_link.values()) if g.joints is not None else set()
        self._share()
        for index in range(len(g.c.pairs)):
            pin = g.pair_pins[index]
            for bond in joints.of_pair(index):
                if pin not in self.shared:
                    self._add(bond, index, bars)
        for bond in joints.wide():
            a, b = (self.vertex[v] for v in bond.ends)
            g.bonds.append(Bond((a, b), bond.count, bond.constraints))
        self._bars()

    def _share(self) -> None:
        """Add the points of pins that three members or more share; in space there are none."""
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
        """The mates that join a body to a pin."""
        pairs = self.g.diagnosis.plan.bodies
        found: list[int] = []
        for index, p in enumerate(self.g.c.pairs):
            if self.g.pair_pins[index] == pin and body in pairs.pairs.bodies[p].tolist():
                found += pairs.constraints[p].tolist()
        return tuple(found)

    def _add(self, bond: Bond, index: int, bars: set[int]) -> None:
        """Add the bond of a pair without the equations of bars."""
        g = self.g
        rows = g.diagnosis.plan.system.rows(list(bond.constraints)).tolist()
        rest, n = [e for e in rows if e not in bars], bond.count
        if len(rest) < len(rows):
            n = g.rank(rest, max(bond.ends, key=lambda body: body != g.c.root))
        if n and not _covered(g, index, rest):
            g.unseen |= set(bond.constraints)
        a, b = (self.vertex[v] for v in bond.ends)
        g.bonds.append(Bond((a, b), n, bond.constraints))

    def _bars(self) -> None:
        """Add an edge for each bar, between the points or the bodies of its two pins."""
        g = self.g
        if g.joints is None:
            return
        of = g.diagnosis.plan.system.constraint_of_equation
        for link, e in g.joints.equation_of_link.items():
            ends = []
            for n, pin in enumerate(g.pins):
                if link in pin.bare:
                    ends.append(self.shared.get(n, self.vertex[min(pin.at)]))
            g.bonds.append(Bond((ends[0], ends[1]), 1, (int(of[e]),)))


def _covered(g: ConstraintGraph, index: int, rows: list[int]) -> bool:
    """Whether the theorem of the game covers a pair, or one mate of it: hinges, pins, contacts.

    Directions alone, slides, and balls (two of them leave a spin about their line) are excluded.
    """
    if g.motion == ABOUT_POINT:
        return True
    if g.kinds[index] != GENERAL:
        return g.pair_pins[index] is not None if g.motion == PLANAR else g.kinds[index] == REVOLUTE
    t = g.diagnosis.plan.table
    reduced = [e for e in rows if e in g.matrices[True][0]]
    return len(reduced) == 1 and not IS_ANGLE[t.kind[t.term_measure[t.first_term[reduced[0]]]]]

"""Loops in fewer unknowns: links become distances, slides become lines.

A link, a body with a hinge at either end (in space, a ball) and nothing else, keeps two points at a
distance: one equation in its place.  A tube and a rod between two pins become a line through the
first pin on which the second lies.  Of undriven slides between the same two pins one is kept.

Source: Ding and others, section 5 (15 equations in 17 unknowns for an excavator); which unknowns
they are is lost there, the choice is that of docs/theory/decomposition.md, 10.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.nearest_motion import CYLINDRICAL, PRISMATIC, REVOLUTE, SPHERICAL
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..model.measures.measure import DISPLACEMENT, SEPARATION
from .incidence import bodies_of_each
from .joints import JointTable, Pin, joints_of
from .pair_analysis import PairAnalyst
from .plan import Plan
from .planar import Projection
from .planar_blocks import Column, PlanarSteps
from .spatial_blocks import columns_in_space


@dataclass(frozen=True)
class ReplacedBodies:
    """A link, or the tube and the rod of a slide, and the two bodies between which they are."""

    bodies: tuple[int, ...]
    between: tuple[int, int]


@dataclass(frozen=True, eq=False)
class ReducedLoop:
    """The reduced system of a component.

    Attributes:
        bodies: those that keep their unknowns.
        links: that are distances; slides: that are lines; repeated: slides that repeat one of them.
        rows, columns: equations and unknowns; decomposition: of these.
    """

    bodies: tuple[int, ...]
    links: tuple[ReplacedBodies, ...]
    slides: tuple[ReplacedBodies, ...]
    repeated: tuple[ReplacedBodies, ...]
    rows: int
    columns: int
    decomposition: Decomposition


def reduced_loops(plan: Plan) -> dict[int, ReducedLoop]:
    """The reduced systems of the components, by their numbers, that have links or slides."""
    out = {}
    for joints in joints_of(plan):
        if joints.component.loop:
            number = plan.components.index(joints.component)
            reduction = _Reduction(plan, number, joints)
            if reduction.replace():
                out[number] = reduction.result()
    return out


@dataclass(eq=False)
class _Tie:
    """Equations between the same bodies, with the unknowns that each reads."""

    ends: tuple[int, ...]
    rows: dict[int, list[Column]]
    """By the numbers of the equations; a line or a distance has one of those it stands for."""
    hinge: bool = False
    """Whether a link may have it: a hinge, in space a ball, that nothing drives."""


class _SlideTies(NamedTuple):
    """A slide: its own tie and those of its ends, its driven lengths, and its two pins."""

    replaced: ReplacedBodies
    ties: list[_Tie]
    driven: list[int]
    pins: frozenset[int]


class _Reduction:
    """Replaces links and slides of one component."""

    def __init__(self, plan: Plan, number: int, joints: JointTable) -> None:
        self.plan, self.component, self.joints = plan, joints.component, joints
        c, pairs = self.component, plan.bodies.pairs
        self.kind = {tuple(sorted(pairs.bodies[p].tolist())): int(pairs.kind[p]) for p in c.pairs}
        self.members, self.kept = frozenset(c.bodies), dict.fromkeys(c.bodies)
        self.sliding = {frozenset(slide.members) for slide in joints.slides}
        self.pins: dict[int, list[Pin]] = {}
        for pin in joints.pins:
            for body in pin.at:
                self.pins.setdefault(body, []).append(pin)
        self.extra: list[Column] = []
        """Unknowns of the lines."""
        flat = c.projection
        ties = self._spatial() if flat is None else self._planar(number, flat)
        turning = REVOLUTE if joints.planar else SPHERICAL
        self.of_pin = 2 if joints.planar else 3
        self.ties: dict[int, list[_Tie]] = {}
        """Of each body, in order."""
        for tie in ties:
            self._add(tie)
            tie.hinge = self.kind.get(tie.ends) == turning and len(tie.rows) == self.of_pin
        self.links: list[ReplacedBodies] = []
        self.slides: list[ReplacedBodies] = []
        self.repeated: list[ReplacedBodies] = []

    def _planar(self, number: int, flat: Projection) -> list[_Tie]:
        """The equations in the plane, of each pair those that do not depend on its others."""
        plan = self.plan
        analyst = PairAnalyst(plan.system, plan.bodies, plan.table, plan.cloud)
        steps = PlanarSteps(analyst, number, self.component, flat)
        return [
            _Tie(ends, {e: steps.unknowns_of(e) for e in rows})
            for ends, rows in steps.rows_of_pair.items()
        ]

    def _spatial(self) -> list[_Tie]:
        """All equations, by the bodies that they read."""
        table, c = self.plan.table, self.component
        found: dict[tuple[int, ...], _Tie] = {}
        for e, ends in bodies_of_each(table, c.rows.tolist()).items():
            tie = found.setdefault(tuple(sorted(ends)), _Tie(tuple(sorted(ends)), {}))
            tie.rows[e] = columns_in_space(table, e, self.members)
        return [*found.values()]

    def _every(self) -> list[_Tie]:
        """All ties, each once."""
        return [*dict.fromkeys(tie for ties in self.ties.values() for tie in ties)]

    def _add(self, tie: _Tie) -> None:
        for body in tie.ends:
            self.ties.setdefault(body, []).append(tie)

    def _columns(self, bodies: Iterable[int]) -> list[Column]:
        """All unknowns of some bodies."""
        unknowns = self.component.unknowns.tolist()
        return [(b, k) for b in bodies if b in self.members for k in unknowns]

    # ------------------------------------------------------------------ replacing
    def replace(self) -> bool:
        """Replace slides, then links; whether there were any."""
        self._replace_slides()
        for body in self.component.bodies:
            if body in self.kept:
                self._replace_link(body)
        return bool(self.links or self.slides)

    def _replace_link(self, body: int) -> None:
        ties = self.ties[body]
        if len(ties) != 2 or not all(tie.hinge for tie in ties):
            return
        one, two = (next(b for b in tie.ends if b != body) for tie in ties)
        if one == two:
            return
        length = min(e for tie in ties for e in tie.rows)
        self._put((body,), [*ties], _Tie((one, two), {length: self._columns((one, two))}))
        self.links.append(ReplacedBodies((body,), (one, two)))

    def _put(self, bodies: tuple[int, ...], old: list[_Tie], new: _Tie | None) -> None:
        """Put an equation in the place of bodies and their ties."""
        for tie in old:
            for body in tie.ends:
                self.ties[body].remove(tie)
        for body in bodies:
            del self.kept[body]
        if new is not None:
            self._add(new)

    def _replace_slides(self) -> None:
        """Those with a driver first: of the others between the same pins none is needed then."""
        found = [s for tie in self._every() if (s := self._slide(tie)) is not None]
        lines: set[frozenset[int]] = set()
        for slide in sorted(found, key=lambda s: not s.driven):
            replaced = slide.replaced
            if not {*replaced.bodies, *replaced.between} <= {*self.kept, self.component.root}:
                continue
            repeated = slide.pins in lines and not slide.driven
            lines.add(slide.pins)
            (self.repeated if repeated else self.slides).append(replaced)
            self._put(replaced.bodies, slide.ties, None if repeated else self._line(slide))

    def _line(self, slide: _SlideTies) -> _Tie:
        """The second pin is on a line through the first; a driver is the distance of the pins."""
        tube, between = slide.replaced.bodies[0], slide.replaced.between
        turns, read = [(tube, 5 - k) for k in range(self.of_pin - 1)], self._columns(between)
        self.extra += turns
        on_line = [e for e in slide.ties[0].rows if e not in slide.driven][: len(turns)]
        rows = {e: [*turns, *read] for e in on_line} | dict.fromkeys(slide.driven, read)
        return _Tie(tuple(sorted({*between})), rows)

    def _slide(self, tie: _Tie) -> _SlideTies | None:
        """Two bodies that slide along each other, each on one pin besides; None for others."""
        if not self._slides(tie.ends) or self.component.root in tie.ends:
            return None
        system, table = self.plan.system, self.plan.table
        driven = [e for e in tie.rows if system.constraint_of_equation[e] >= system.mates]
        measures = table.kind[table.term_measure[table.first_term[driven]]]
        if not np.isin(measures, (SEPARATION, DISPLACEMENT)).all():
            return None
        ties, between, pins = [tie], [], []
        for body in tie.ends:
            others = [other for other in self.ties[body] if other is not tie]
            pin = self._pin(others[0]) if len(others) == 1 else None
            if pin is None:
                return None
            ties += others
            between += [b for b in others[0].ends if b != body]
            pins.append(id(pin))
        replaced = ReplacedBodies(tie.ends, (between[0], between[1]))
        return _SlideTies(replaced, ties, driven, frozenset(pins))

    def _slides(self, ends: tuple[int, ...]) -> bool:
        """Whether two bodies slide along each other."""
        if not self.joints.planar:
            return self.kind.get(ends) in (CYLINDRICAL, PRISMATIC)
        return frozenset(ends) in self.sliding

    def _pin(self, tie: _Tie) -> Pin | None:
        """The pin that is all that ties two bodies; None where more or others do."""
        if len(tie.ends) != 2 or len(tie.rows) != self.of_pin:
            return None
        if not self.joints.planar and self.kind.get(tie.ends) != SPHERICAL:
            return None
        return next((p for p in self.pins.get(tie.ends[0], ()) if tie.ends[1] in p.at), None)

    # ------------------------------------------------------------------ the result
    def result(self) -> ReducedLoop:
        """What is left, decomposed."""
        order = sorted([*self._columns(self.kept), *self.extra])
        number = {column: n for n, column in enumerate(order)}
        rows = [row for tie in self._every() for _, row in sorted(tie.rows.items())]
        first = np.cumsum([0, *map(len, rows)])
        entries = [number[column] for row in rows for column in row]
        return ReducedLoop(
            tuple(self.kept),
            tuple(self.links),
            tuple(self.slides),
            tuple(self.repeated),
            len(rows),
            len(order),
            decompose(len(rows), len(order), first, entries),
        )

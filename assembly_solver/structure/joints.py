"""The joints of a loop as pins, slides and distances, as the theory of mechanisms sees them.

A pin is one point (in a plane, one axis) that two or more bodies share: where three links meet at
one pin it is one pin, whichever two of them a mate names.  A distance between two points counts as
a bare link with a pin at either end; it has a negative number where bodies have theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..equations.table import Table
from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.types import Array, Ints
from ..model.measures.measure import DISPLACEMENT, RADIUS, ROTATION, SEPARATION
from .lower_pairs import cross
from .plan import Plan
from .steps import Component

SAME = 1e-6
"""Sine, or distance relative to the characteristic length, below which two axes are one."""


@dataclass(eq=False)
class Pin:
    """A point that its members share; `axis` where it is a hinge in space."""

    at: dict[int, Array]
    """The point in the coordinates of each body; bare links have none."""
    axis: dict[int, Array]
    bare: set[int] = field(default_factory=set)

    @property
    def members(self) -> set[int]:
        return set(self.at) | self.bare


@dataclass(eq=False)
class Slide:
    """Two bodies that slide along each other without turning: a line on each, and its direction."""

    at: dict[int, Array]
    way: dict[int, Array]

    @property
    def members(self) -> set[int]:
        return set(self.at)


@dataclass(eq=False)
class Joints:
    """What joins the bodies of one component.

    Attributes:
        component: it; pins, slides: its joints; first_link: number of its first bare link.
        lengths: of the bare links by their (negative) numbers; made_by: the equation of each.
        ties: for each body the others that it shares mates with, and where, on itself.
        glued: pairs of bodies that a driver holds against each other.
        flat: whether its bodies move in parallel planes.
    """

    component: Component
    first_link: int = -1
    pins: list[Pin] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    lengths: dict[int, float] = field(default_factory=dict)
    made_by: dict[int, int] = field(default_factory=dict)
    glued: list[tuple[int, int]] = field(default_factory=list)
    ties: dict[int, list[tuple[int, Array]]] = field(default_factory=dict)

    @property
    def flat(self) -> bool:
        return self.component.projection is not None

    @property
    def every(self) -> list[Pin | Slide]:
        """Pins and slides."""
        return [*self.pins, *self.slides]

    def touching(self, member: int) -> list[Pin | Slide]:
        """The joints of a body or of a bare link."""
        return [joint for joint in self.every if member in joint.members]


def joints_of(plan: Plan, every_length: bool = False) -> list[Joints]:
    """The joints of every loop and of every driven branch, in the order of the plan.

    Args:
        every_length: whether each distance of two points is a bare link, not only one that is all
            that two bodies share.
    """
    loops: list[Joints] = []
    link = -1
    for component in plan.components:
        if component.loop or any(len(plan.bodies.drivers[p]) for p in component.pairs):
            loops.append(Joints(component, link))
            _Reader(plan, loops[-1], every_length).read()
            link -= len(loops[-1].lengths)
    return loops


class _Reader:
    """Reads the pairs of one component."""

    def __init__(self, plan: Plan, joints: Joints, every_length: bool) -> None:
        self.plan, self.out, self.every_length = plan, joints, every_length
        flat = joints.component.projection
        self.normal: dict[int, Array] = {}
        if flat is not None:
            own = flat.flat
            self.normal = dict(zip(own.bodies.tolist(), own.normal, strict=True))

    def read(self) -> None:
        pairs = self.plan.bodies.pairs
        for p in self.out.component.pairs:
            a, b = (int(v) for v in pairs.bodies[p])
            kind = int(pairs.kind[p])
            joint = self._joint(kind, a, b, pairs.frame_a[p], pairs.frame_b[p])
            if isinstance(joint, Pin):
                self._enter(joint)
            elif joint is not None:
                self.out.slides.append(joint)
            rows = pairs.rows[pairs.first_row[p] : pairs.first_row[p + 1]]
            if len(rows):
                self._tie(a, b, rows, joint)
            if kind == GENERAL and (len(rows) == 1 or self.every_length):
                for e in rows.tolist():
                    self._bare_link(e)
            driven = [e for d in self.plan.bodies.drivers[p] for e in self._rows(int(d))]
            self._driven(a, b, driven, joint)

    def _rows(self, promise: int) -> list[int]:
        first = self.plan.system.first_equation
        return list(range(int(first[promise]), int(first[promise + 1])))

    def _joint(
        self, kind: int, a: int, b: int, frame_a: Array, frame_b: Array
    ) -> Pin | Slide | None:
        """A lower pair as a pin or a slide; None where it is neither."""
        at = {a: self._level(a, frame_a[:3]), b: self._level(b, frame_b[:3])}
        way = {a: frame_a[9:12], b: frame_b[9:12]}
        if kind == SPHERICAL or (kind == REVOLUTE and self.normal):
            return Pin(at, {})
        if not self.normal:
            pin = kind == REVOLUTE
            return Pin(at, way) if pin else Slide(at, way) if kind == PRISMATIC else None
        upright = abs(float(way[a] @ self.normal[a])) > 0.5
        if kind == CYLINDRICAL and upright:
            return Pin(at, {})
        if kind in (CYLINDRICAL, PRISMATIC) and not upright:
            return Slide(at, way)
        if kind == PLANAR and not upright:
            return Slide(at, {body: cross(self.normal[body], way[body]) for body in (a, b)})
        return None

    def _tie(self, a: int, b: int, rows: Ints, joint: Pin | Slide | None) -> None:
        """Where two bodies hold each other: at their pin, else amid the features that do it."""
        t = self.plan.table
        n = t.term_measure[t.first_term[rows]]
        markers = np.unique(np.concatenate([t.marker_a[n], t.marker_b[n]]))
        for body, other in ((a, b), (b, a)):
            own = markers[t.marker_body[markers] == body]
            at = t.marker_frame[own, :3].mean(axis=0)
            if isinstance(joint, Pin):
                at = joint.at[body]
            self.out.ties.setdefault(body, []).append((other, at))

    def _driven(self, a: int, b: int, rows: list[int], joint: Pin | Slide | None) -> None:
        """A driver of a joint's coordinate glues its bodies; one of a distance is a bare link."""
        t = self.plan.table
        for e in rows:
            kind = int(t.kind[t.term_measure[t.first_term[e]]])
            if kind == SEPARATION:
                self._bare_link(e)
            wanted = ROTATION if isinstance(joint, Pin) else DISPLACEMENT
            hinge = not isinstance(joint, Pin) or bool(joint.axis or self.normal)
            if joint is not None and kind == wanted and hinge:
                self.out.glued.append((a, b))

    def _bare_link(self, e: int) -> None:
        """A distance of two points as a link of its own."""
        t: Table = self.plan.table
        n = int(t.term_measure[t.first_term[e]])
        kind = int(t.kind[n])
        if int(t.first_term[e + 1] - t.first_term[e]) > 1:  # a relation of several distances
            return
        if kind != SEPARATION and not (kind == RADIUS and self.normal):
            return
        link = self.out.first_link - len(self.out.lengths)
        self.out.made_by[link] = e
        self.out.lengths[link] = float(t.target[e] / t.coefficient[t.first_term[e]])
        for marker in (int(t.marker_a[n]), int(t.marker_b[n])):
            body = int(t.marker_body[marker])
            self._enter(Pin({body: self._level(body, t.marker_frame[marker, :3])}, {}, {link}))

    def _level(self, body: int, point: Array) -> Array:
        """A point of a body brought to height 0 where only the plane matters."""
        n = self.normal.get(body)
        return point if n is None else point - (point @ n) * n

    def _enter(self, pin: Pin) -> None:
        """Add a pin; it becomes one with those that share its place on a body."""
        for other in list(self.out.pins):
            if any(self._same(other, pin, body) for body in set(other.at) & set(pin.at)):
                pin = Pin(other.at | pin.at, other.axis | pin.axis, other.bare | pin.bare)
                self.out.pins.remove(other)
        self.out.pins.append(pin)

    def _same(self, one: Pin, two: Pin, body: int) -> bool:
        """Whether two pins have one place on a body, along the normal or the axis of a hinge."""
        if bool(one.axis) != bool(two.axis):  # a ball on the axis of a hinge
            return False
        apart = two.at[body] - one.at[body]
        along = [p.axis[body] for p in (one, two) if body in p.axis]
        if len(along) == 2 and abs(abs(float(along[0] @ along[1])) - 1.0) > SAME:
            return False
        if len(along) == 2:
            apart = apart - (apart @ along[0]) * along[0]
        return float(np.abs(apart).max()) < SAME * self.plan.system.length

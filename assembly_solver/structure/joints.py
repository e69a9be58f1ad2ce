"""The joints of a loop as pins, slides and distances, as in the theory of mechanisms.

A pin is one point (in a plane, one axis) that two or more bodies share: where three links meet at
one pin it is one pin, whichever two of them a mate names.  A distance between two points counts as
a bare link with a pin at either end; bare links have negative numbers, bodies the others.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

import numpy as np

from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.numerics.distinct import distinct
from ..foundations.types import Array, Ints
from ..model.measures.measure import DISPLACEMENT, RADIUS, ROTATION, SEPARATION
from .lower_pairs import cross
from .plan import Plan
from .steps import Component

LEGS = 3
"""Distances between two bodies from which they are a platform: its legs have sides."""

ASKEW = np.array([0.48, 0.6, 0.64])
"""A direction along which few pins of a regular pattern are at one place."""


@dataclass(eq=False)
class Pin:
    """A point that its members share; `axis` by body where it is a hinge in space."""

    at: dict[int, Array]
    """The point in the coordinates of each body; bare links have none."""
    axis: dict[int, Array]
    bare: set[int] = field(default_factory=set)

    @property
    def members(self) -> set[int]:
        """Bodies and bare links."""
        return set(self.at) | self.bare


@dataclass(eq=False)
class Slide:
    """Two bodies that slide along each other without rotation: a point and a direction on each."""

    at: dict[int, Array]
    direction: dict[int, Array]

    @property
    def members(self) -> set[int]:
        """The two bodies."""
        return set(self.at)


@dataclass(eq=False)
class JointTable:
    """The joints between the bodies of one component.

    Attributes:
        pins, slides: its joints; first_link: number of its first bare link.
        lengths: of the bare links by their (negative) numbers, mm.
        equation_of_link: the equation that each bare link stands for.
        neighbours: for each body the others that it shares mates with, and the point on itself.
        driven_pairs: pairs of bodies whose relative position a driver prescribes.
    """

    component: Component
    first_link: int = -1
    pins: list[Pin] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    lengths: dict[int, float] = field(default_factory=dict)
    equation_of_link: dict[int, int] = field(default_factory=dict)
    driven_pairs: list[tuple[int, int]] = field(default_factory=list)
    neighbours: dict[int, list[tuple[int, Array]]] = field(default_factory=dict)

    @property
    def planar(self) -> bool:
        """Whether its bodies move in parallel planes."""
        return self.component.projection is not None

    @property
    def every(self) -> list[Pin | Slide]:
        """Pins and slides."""
        return [*self.pins, *self.slides]

    def touching(self, member: int) -> list[Pin | Slide]:
        """The joints of a body or of a bare link."""
        return [joint for joint in self.every if member in joint.members]


def joints_of(plan: Plan, every_length: bool = False) -> list[JointTable]:
    """The joints of every loop, driven branch and platform, in the order of the plan.

    A distance of two points is a bare link where it is the only equation between two bodies, in a
    platform, or with `every_length`.
    """
    loops: list[JointTable] = []
    link = -1
    for component in plan.components:
        driven = any(len(plan.bodies.drivers[p]) for p in component.pairs)
        if component.loop or driven or is_platform(plan, component.pairs[0]):
            loops.append(JointTable(component, link))
            _JointTableReader(plan, loops[-1], every_length).read()
            link -= len(loops[-1].lengths)
    return loops


def is_platform(plan: Plan, pair: int) -> bool:
    """Whether three distances or more tie two bodies, which may close in several ways."""
    pairs, t = plan.bodies.pairs, plan.table
    if int(pairs.kind[pair]) not in (GENERAL, FIXED):
        return False
    measures = t.term_measure[t.first_term[pairs.rows_of(pair)]]
    legs = measures[t.kind[measures] == SEPARATION]
    return len(legs) >= LEGS and not _at_one_point(plan, legs)


def _at_one_point(plan: Plan, legs: Ints) -> bool:
    """Whether these distances hold one point: then it has two sides, and no legs."""
    t = plan.table
    for body in t.marker_body[[t.marker_a[legs[0]], t.marker_b[legs[0]]]].tolist():
        on_a = t.marker_body[t.marker_a[legs]] == body
        points = t.marker_frame[np.where(on_a, t.marker_a[legs], t.marker_b[legs]), :3]
        if np.abs(points - points[0]).max() <= plan.system.same_place:
            return True
    return False


class _JointTableReader:
    """Fills a joint table from the pairs of its component."""

    def __init__(self, plan: Plan, joints: JointTable, every_length: bool) -> None:
        self.plan, self.out, self.every_length = plan, joints, every_length
        self._pins: dict[int, Pin] = {}
        self._places: dict[tuple[int, bool], list[tuple[float, int]]] = {}
        self._entered = 0
        self._near = plan.system.same_place
        self.normal: dict[int, Array] = {}
        if joints.component.projection is not None:
            flat = joints.component.projection.flat
            self.normal = dict(zip(flat.bodies.tolist(), flat.normal, strict=True))

    def read(self) -> None:
        """Fill the table."""
        pairs = self.plan.bodies.pairs
        for p in self.out.component.pairs:
            a, b = (int(v) for v in pairs.bodies[p])
            kind = int(pairs.kind[p])
            joint = self._joint(kind, a, b, pairs.frame_a[p], pairs.frame_b[p])
            if isinstance(joint, Pin):
                self._enter(joint)
            elif joint is not None:
                self.out.slides.append(joint)
            rows = pairs.rows_of(p)
            if len(rows):
                self._add_neighbours(a, b, rows, joint)
            every = self.every_length or (not self.out.component.loop and is_platform(self.plan, p))
            if (kind == GENERAL and len(rows) == 1) or (kind in (GENERAL, FIXED) and every):
                for e in rows.tolist():
                    self._bare_link(e)
            driven = self.plan.system.rows(self.plan.bodies.drivers[p])
            self._driven(a, b, driven.tolist(), joint)
        self.out.pins.extend(self._pins.values())

    def _joint(
        self, kind: int, a: int, b: int, frame_a: Array, frame_b: Array
    ) -> Pin | Slide | None:
        """A lower pair as a pin or a slide; None where it is neither."""
        at = {a: self._project(a, frame_a[:3]), b: self._project(b, frame_b[:3])}
        way = {a: frame_a[9:12], b: frame_b[9:12]}
        if kind == SPHERICAL or (kind == REVOLUTE and self.normal):
            return Pin(at, {})
        if not self.normal:
            pin = kind == REVOLUTE
            return Pin(at, way) if pin else Slide(at, way) if kind == PRISMATIC else None
        if abs(float(way[a] @ self.normal[a])) > 0.5:
            return Pin(at, {}) if kind == CYLINDRICAL else None
        if kind in (CYLINDRICAL, PRISMATIC):
            return Slide(at, way)
        if kind == PLANAR:
            return Slide(at, {body: cross(self.normal[body], way[body]) for body in (a, b)})
        return None

    def _add_neighbours(self, a: int, b: int, rows: Ints, joint: Pin | Slide | None) -> None:
        """Where two bodies are connected: at their pin, else at the mean of their features."""
        t = self.plan.table
        n = t.term_measure[np.concatenate([np.arange(*t.first_term[r : r + 2]) for r in rows])]
        markers = distinct(np.concatenate([t.marker_a[n], t.marker_b[n]]))
        for body, other in ((a, b), (b, a)):
            on_body = markers[t.marker_body[markers] == body]
            at = t.marker_frame[on_body, :3].mean(axis=0)
            if isinstance(joint, Pin):
                at = joint.at[body]
            self.out.neighbours.setdefault(body, []).append((other, at))

    def _driven(self, a: int, b: int, rows: list[int], joint: Pin | Slide | None) -> None:
        """A driver of a joint's coordinate fixes its bodies; one of a distance is a bare link."""
        t = self.plan.table
        coordinate = None
        if isinstance(joint, Slide):
            coordinate = DISPLACEMENT
        elif joint is not None and (joint.axis or self.normal):  # a hinge, not a ball
            coordinate = ROTATION
        for e in rows:
            kind = int(t.kind[t.term_measure[t.first_term[e]]])
            if kind == SEPARATION:
                self._bare_link(e)
            if kind == coordinate:
                self.out.driven_pairs.append((a, b))

    def _bare_link(self, e: int) -> None:
        """A distance of two points as a bare link."""
        t = self.plan.table
        n = int(t.term_measure[t.first_term[e]])
        kind = int(t.kind[n])
        if int(t.first_term[e + 1] - t.first_term[e]) > 1:  # a relation of several distances
            return
        if kind != SEPARATION and not (kind == RADIUS and self.normal):
            return
        link = self.out.first_link - len(self.out.lengths)
        self.out.equation_of_link[link] = e
        self.out.lengths[link] = float(t.target[e] / t.coefficient[t.first_term[e]])
        for marker in (int(t.marker_a[n]), int(t.marker_b[n])):
            body = int(t.marker_body[marker])
            self._enter(Pin({body: self._project(body, t.marker_frame[marker, :3])}, {}, {link}))

    def _project(self, body: int, point: Array) -> Array:
        """A point of a body, moved to height 0 in a planar component."""
        n = self.normal.get(body)
        return point if n is None else point - (point @ n) * n

    def _enter(self, pin: Pin) -> None:
        """Add a pin, merged with those that have the same location on a body."""
        serial, last = self._entered, -1
        self._entered += 1
        while True:
            same = next((n for n in self._candidates(pin, last) if self._meets(n, pin)), None)
            if same is None:
                break
            other, last = self._pins.pop(same), same
            self._list(same, other, False)
            pin = Pin(other.at | pin.at, other.axis | pin.axis, other.bare | pin.bare)
        self._pins[serial] = pin
        self._list(serial, pin, True)

    def _meets(self, serial: int, pin: Pin) -> bool:
        other = self._pins[serial]
        return any(self._same(other, pin, body) for body in set(other.at) & set(pin.at))

    def _candidates(self, pin: Pin, after: int) -> list[int]:
        """Numbers of the pins that may be at the location of a pin, those after one in order."""
        out: set[int] = set()
        for body, at in pin.at.items():
            known, x = self._places.get((body, bool(pin.axis)), []), self._place(pin, body)
            turn = self.plan.system.same_direction if pin.axis else 0.0
            away = 2 * self._near + 2 * turn * float(np.linalg.norm(at))
            first, end = (bisect_left(known, (x + off, -1)) for off in (-away, away))
            out.update(n for _, n in known[first:end])
        return sorted(n for n in out if n > after)

    def _list(self, serial: int, pin: Pin, enter: bool) -> None:
        """List a pin by its bodies, or strike it."""
        for body in pin.at:
            places = self._places.setdefault((body, bool(pin.axis)), [])
            entry = self._place(pin, body), serial
            insort(places, entry) if enter else places.remove(entry)

    def _place(self, pin: Pin, body: int) -> float:
        """Where a pin, or the point of a hinge next to the origin of a body, is along `ASKEW`."""
        at = pin.at[body]
        if body in pin.axis:
            at = at - (at @ pin.axis[body]) * pin.axis[body]
        return float(at @ ASKEW)

    def _same(self, one: Pin, two: Pin, body: int) -> bool:
        """Whether two pins are at one location on a body, up to a shift along the hinge's axis."""
        if bool(one.axis) != bool(two.axis):  # a ball on the axis of a hinge
            return False
        offset = two.at[body] - one.at[body]
        along = [p.axis[body] for p in (one, two) if body in p.axis]
        if len(along) == 2:
            sine = float(np.linalg.norm(cross(*along)))
            if sine > self.plan.system.same_direction:
                return False
            offset = offset - (offset @ along[0]) * along[0]
        return float(np.abs(offset).max()) <= self._near

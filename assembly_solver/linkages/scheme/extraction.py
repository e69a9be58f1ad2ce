"""Points, links and slots of a linkage from the joints of its bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.numerics.rounding import ROUNDING
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.mate import Reference
from ...structure.plan import Plan
from .plane_joints import BAR, PIN, SLIDE, SLOT, PlaneJoint, PlaneJointReader
from .point_merging import PointMerger, distance_from_line
from .scheme import Actuator, Scheme, SchemeLink, SchemeSlot

NEAR = 1e3
"""How far a feature may be from a point to count as being there, in units of the merge distance."""

APART = 1e-3
"""A setting: distance, as a share of the reach, from which a feature may be a second point."""

EXTRA_POINTS = ((1.0, " ahead"), (1j, " aside"))
"""Directions and names of points of a link that has no features to name them by."""


@dataclass(frozen=True)
class SlotLine:
    """A line of a link with a point of another one on it.

    Attributes:
        name: of the mate; slotted, other: the two links; ends: two points on the line.
        point: of the other link; slides: whether the other link slides along without turning.
    """

    name: str
    slotted: int
    other: int
    ends: tuple[int, int]
    point: int
    slides: bool


class SchemeBuilder:
    """A scheme under construction.

    Links are numbered by their representative body, bars by negative numbers.

    Args:
        frames: of the parts, solved, (parts, 12), mm; representative: of each body's link.
    """

    def __init__(
        self,
        assembly: Assembly,
        plan: Plan,
        frames: Array,
        reader: PlaneJointReader,
        representative: list[int],
    ) -> None:
        self.assembly, self.plan, self.frames = assembly, plan, frames
        self.plane, self.representative = reader.plane, representative
        self.mates = list(assembly.held.values())
        s = plan.system
        self.points = PointMerger(s.length, s.convergence_tolerance, s.tolerance)
        self.deferred: list[PlaneJoint] = []
        self.slot_lines: list[SlotLine] = []
        self.links = {0}
        self.bars: list[str] = []

    # ---------------------------------------------------------------- entering
    def add_joint(self, joint: PlaneJoint) -> None:
        """Add a joint between two links; pins at once, others when all pins are known."""
        links = {self.representative[b] for b in joint.bodies}
        if len(links) == 1:
            return
        self.links |= links
        if joint.kind == PIN:
            names = self._feature_names(joint.mate, joint.at)
            self.points.add_pin(self._pin_position(joint), links, names)
        else:
            self.deferred.append(joint)

    def enter(self) -> None:
        """Add slots, slides and bars, once all pins are known."""
        for name, drawn in self.assembly.drawing.links.items():
            link = self._link_of(name)
            for pin in drawn.pins if link in self.links else ():
                self.points.add(link, self.feature_position(Reference(name, pin)), [pin])
        for m in self.deferred:
            {SLIDE: self._slide, SLOT: self._slot, BAR: self._bar}[m.kind](m)
        for link in sorted(self.links):
            self._ensure_two_points(link)

    def _slide(self, m: PlaneJoint) -> None:
        """Two points of a link on a line of the other: of the ground, else of the first part."""
        one, two = (self.representative[b] for b in m.bodies)
        first = self._link_of(self.mates[m.mate].mate.a.part)
        slotted, other = (one, two) if one == 0 or (two != 0 and one == first) else (two, one)
        names = self._feature_names(m.mate, m.at)
        own = self.points.on_links(other)
        off = {k: distance_from_line(self.points.at[k], m.at, m.direction) for k in own}
        if own:
            q = min(own, key=lambda k: round(off[k] / self.points.reach, 9))
        else:
            q = self.points.add(other, m.at, names[::-1])
        ends = self._ends(slotted, self.points.at[q], m)
        ahead = self._second_point(other, q, m.direction, self.points.names[q])
        name = self.plan.system.constraints[m.mate]
        self.slot_lines += [SlotLine(name, slotted, other, ends, k, True) for k in (q, ahead)]

    def _slot(self, m: PlaneJoint) -> None:
        slotted, other = (self.representative[b] for b in m.bodies)
        names = self._feature_names(m.mate, m.at)
        q = self.points.add(other, m.at, names)
        ends = self._drawn_ends(m.mate) or self._ends(slotted, m.other, m)
        name = self.plan.system.constraints[m.mate]
        self.slot_lines.append(SlotLine(name, slotted, other, ends, q, False))

    def _drawn_ends(self, number: int) -> tuple[int, int] | None:
        """The ends of a slot of a drawing; None where the mate is no such slot."""
        mate = self.mates[number].mate
        part, pin = mate.a.part, mate.b.feature
        for name, slot in self.assembly.drawing.slots.items():
            if slot.link == part and pin in slot.pins and mate.name in (name, f"{name} {pin}"):
                one, two = (
                    self.points.add(
                        self._link_of(part), self.feature_position(Reference(part, end)), [end]
                    )
                    for end in slot.ends
                )
                return one, two
        return None

    def _ends(self, link: int, through: complex, m: PlaneJoint) -> tuple[int, int]:
        """Two points of a link on a line, ordered along its direction; new ones if needed."""
        near = self.points.on_line(link, through, m.direction, self.points.same)
        p = near[0] if near else self._first_point(link, through, m)
        r = self._second_point(link, p, m.direction, self.points.names[p])
        along = ((self.points.at[r] - self.points.at[p]) * m.direction.conjugate()).real
        return (p, r) if along > 0 else (r, p)

    def _first_point(self, link: int, through: complex, m: PlaneJoint) -> int:
        """A point of a link on a line: its feature in the mate if that is on it, else a new one."""
        mate = self.mates[m.mate].mate
        ref = next(r for r in (mate.a, mate.b) if self._link_of(r.part) == link)
        position, name = self.feature_position(ref), self._feature_name(ref)
        if distance_from_line(position, through, m.direction) < self.points.same:
            return self.points.add(link, position, [name])
        return self.points.add(link, through, [f"{name} line"])

    def _second_point(self, link: int, point: int, direction: complex, name: str) -> int:
        """Another point of a link on the line through one of its points."""
        at, reach = self.points.at[point], self.points.reach
        for k in self.points.on_line(link, at, direction, ROUNDING * reach):
            if k != point:
                return k
        return self.points.add(link, at + direction * reach, [f"{name} ahead"])

    def _bar(self, m: PlaneJoint) -> None:
        self.bars.append(self.plan.system.constraints[m.mate])
        names = self._feature_names(m.mate, m.at)
        ends = zip(m.bodies, (m.at, m.other), (names, names[::-1]), strict=True)
        for body, at, preferred in ends:
            k = self.points.add(self.representative[body], at, preferred)
            self.points.links[k].add(-len(self.bars))

    def _ensure_two_points(self, link: int) -> None:
        """Give a link a second point where it has but one: a feature elsewhere, else any."""
        own = self.points.on_links(link)
        if len(own) > 1:
            return
        found = [(self.feature_position(ref), str(ref)) for ref in self._features(link)]
        at = self.points.at[own[0]] if own else 0.0
        found = [f for f in found if abs(f[0] - at) > APART * self.points.reach]
        name = self.link_name(link)
        found += [(at + step * self.points.reach, name + more) for step, more in EXTRA_POINTS]
        if not own:
            found.insert(0, (at, f"{name} origin"))
        for at, name in found[: 2 - len(own)]:
            self.points.add(link, at, [name])

    # ---------------------------------------------------------------- names
    def feature_position(self, ref: Reference) -> complex:
        """Position of the origin of a feature in the plane, mm."""
        part = self.assembly.part(ref.part)
        frame = self.frames[self.plan.system.parts.index(ref.part)]
        own = np.array(part.feature(ref.feature).frame[:3])
        return self.plane.to_plane(frame[:3] + own @ frame[3:].reshape(3, 3))

    def link_name(self, link: int) -> str:
        """Name of a link's first part, of a grounded one if any; of a bar's mate."""
        if link < 0:
            return self.bars[-link - 1]
        system = self.plan.system
        own = [k for k, b in enumerate(self.plan.bodies.of_part) if self.representative[b] == link]
        return system.parts[next((k for k in own if system.grounded[k]), own[0])]

    def _pin_position(self, m: PlaneJoint) -> complex:
        """Position of a pin: that of the feature there, of the ground first."""
        mate = self.mates[m.mate].mate
        for ref in sorted((mate.a, mate.b), key=lambda r: self._link_of(r.part)):
            if abs(self.feature_position(ref) - m.at) < self.near:
                return self.feature_position(ref)
        return m.at

    def _feature_names(self, number: int, at: complex) -> list[str]:
        """Names of the features of a mate, those near a position first."""
        each = self.mates[number].mate.a, self.mates[number].mate.b
        refs = sorted(each, key=lambda r: abs(self.feature_position(r) - at) > self.near)
        return [self._feature_name(ref) for ref in refs]

    def _feature_name(self, ref: Reference) -> str:
        """A pin of a drawing by its name, any other feature with its part."""
        drawn = self.assembly.drawing.links.get(ref.part)
        return ref.feature if drawn is not None and ref.feature in drawn.pins else str(ref)

    @property
    def near(self) -> float:
        """Distance below which a feature counts as being at a point, mm."""
        return NEAR * self.points.same

    def _features(self, link: int) -> list[Reference]:
        parts = [p for p in self.assembly.parts.values() if self._link_of(p.name) == link]
        return [Reference(p.name, name) for p in parts for name in p.feature_names()]

    def _link_of(self, part: str) -> int:
        number = self.plan.system.parts.index(part)
        return self.representative[int(self.plan.bodies.of_part[number])]

    # ---------------------------------------------------------------- the scheme
    @property
    def number(self) -> dict[int, int]:
        """Number of each link in the scheme: the ground, the others, then the bars."""
        bars = [-k - 1 for k in range(len(self.bars))]
        return {link: n for n, link in enumerate([*sorted(self.links), *bars])}

    def scheme(self, slots: tuple[SchemeSlot, ...], actuators: tuple[Actuator, ...]) -> Scheme:
        at = np.array([(p.real, p.imag) for p in self.points.at]).reshape(-1, 2)
        links = tuple(
            SchemeLink(self.link_name(link), tuple(self.points.on_links(link)))
            for link in self.number
        )
        return Scheme(tuple(self.points.names), at, links, slots, actuators)

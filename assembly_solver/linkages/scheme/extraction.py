"""Points, links and slots of a linkage gathered from how its bodies meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.mate import Reference
from ...structure.plan import Plan
from .plane_joints import BAR, PIN, SLIDE, SLOT, Meeting, Reader
from .point_merging import Places
from .scheme import Actuator, Link, Scheme, Slot

NEAR = 1e3
"""How far a feature may be from a place to count as there, in units of what makes two one."""

PARALLEL = 1e-13
"""Distance, relative to the reach of the features, that a point may be off the line of another."""

BESIDE = ((1.0, " ahead"), (1j, " aside"))
"""Where points of a link are that has no features to name them by."""


@dataclass(frozen=True)
class Groove:
    """A line of a link with a point of another one on it.

    Attributes:
        name: of the mate; slotted, other: the two links; ends: of the line; point: that is on it.
        slides: whether the other link slides along it without turning.
    """

    name: str
    slotted: int
    other: int
    ends: tuple[int, int]
    point: int
    slides: bool


class Gathering:
    """What a scheme is made of, on its way.

    Links are told by the body that stands for them, bars by negative numbers.

    Args:
        assembly: the names; plan: of it; frames: of the parts, where it is solved, (parts, 12).
        reader: that sees them; leader: the body that stands for each body's link.
    """

    def __init__(
        self, assembly: Assembly, plan: Plan, frames: Array, reader: Reader, leader: list[int]
    ) -> None:
        self.assembly, self.plan, self.frames = assembly, plan, frames
        self.plane, self.leader = reader.plane, leader
        self.mates = list(assembly.held.values())
        self.places = Places(plan.system.length, plan.system.stop)
        self.later: list[Meeting] = []
        self.grooves: list[Groove] = []
        self.links = {0}
        self.bars: list[str] = []

    # ---------------------------------------------------------------- entering
    def meet(self, meeting: Meeting) -> None:
        """Take up how two bodies meet; those of one link do not."""
        links = {self.leader[b] for b in meeting.bodies}
        if len(links) == 1:
            return
        self.links |= links
        if meeting.kind == PIN:
            names = self._names(meeting.mate, meeting.at)
            self.places.join(self._drawn(meeting), links, names)
        else:
            self.later.append(meeting)

    def enter(self) -> None:
        """Enter what lies beside the pins, once these are all known."""
        for name, drawn in self.assembly.drawing.links.items():
            for pin in drawn.pins if self._leads(name) in self.links else ():
                self.places.put(self._leads(name), self.spot(Reference(name, pin)), [pin])
        for m in self.later:
            {SLIDE: self._slide, SLOT: self._slot, BAR: self._bar}[m.kind](m)
        for link in sorted(self.links):
            self._spread(link)

    def _slide(self, m: Meeting) -> None:
        """Two points of a link on a line of the other: of the ground, else of the mate's first."""
        one, two = (self.leader[b] for b in m.bodies)
        first = self._leads(self.mates[m.mate].mate.a.part)
        slotted, other = (one, two) if one == 0 or (two != 0 and one == first) else (two, one)
        names = self._names(m.mate, m.at)
        own = self.places.of(other)
        off = {k: abs(((self.places.at[k] - m.at) * m.way.conjugate()).imag) for k in own}
        if own:
            q = min(own, key=lambda k: round(off[k] / self.places.reach, 9))
        else:
            q = self.places.put(other, m.at, names[::-1])
        ends = self._ends(slotted, self.places.at[q], m)
        ahead = self._ahead(other, q, m.way, self.places.names[q])
        name = self.plan.system.promises[m.mate]
        self.grooves += [Groove(name, slotted, other, ends, k, True) for k in (q, ahead)]

    def _slot(self, m: Meeting) -> None:
        slotted, other = (self.leader[b] for b in m.bodies)
        names = self._names(m.mate, m.at)
        q = self.places.put(other, m.at, names)
        ends = self._drawn_ends(m.mate) or self._ends(slotted, m.other, m)
        name = self.plan.system.promises[m.mate]
        self.grooves.append(Groove(name, slotted, other, ends, q, False))

    def _drawn_ends(self, mate: int) -> tuple[int, int] | None:
        """The ends of a slot of a drawing."""
        held = self.mates[mate].mate
        part, pin = held.a.part, held.b.feature
        named = (
            slot
            for name, slot in self.assembly.drawing.slots.items()
            if slot.link == part and pin in slot.pins and held.name in (name, f"{name} {pin}")
        )
        drawn = next(named, None)
        if drawn is None:
            return None
        link = self._leads(part)
        one, two = (
            self.places.put(link, self.spot(Reference(part, end)), [end]) for end in drawn.ends
        )
        return one, two

    def _ends(self, link: int, through: complex, m: Meeting) -> tuple[int, int]:
        """Two points of a link on a line, along its way: those that are there, else new ones."""
        near = self.places.on_line(link, through, m.way, self.places.same)
        p = near[0] if near else self._beginning(link, through, m)
        r = self._ahead(link, p, m.way, self.places.names[p])
        along = ((self.places.at[r] - self.places.at[p]) * m.way.conjugate()).real
        return (p, r) if along > 0 else (r, p)

    def _beginning(self, link: int, through: complex, m: Meeting) -> int:
        """A point of a link on a line: its feature in the mate if that is on it, else any."""
        held = self.mates[m.mate].mate
        ref = next(r for r in (held.a, held.b) if self._leads(r.part) == link)
        spot, told = self.spot(ref), self._told(ref)
        off = abs(((spot - through) * m.way.conjugate()).imag)
        if off < self.places.same:
            return self.places.put(link, spot, [told])
        return self.places.put(link, through, [f"{told} line"])

    def _ahead(self, link: int, point: int, way: complex, name: str) -> int:
        """Another point of a link on the line through one of its points."""
        at = self.places.at[point]
        off = PARALLEL * self.places.reach
        there = [k for k in self.places.on_line(link, at, way, off) if k != point]
        if there:
            return there[0]
        return self.places.put(link, at + way * self.places.reach, [f"{name} ahead"])

    def _bar(self, m: Meeting) -> None:
        self.bars.append(self.plan.system.promises[m.mate])
        names = self._names(m.mate, m.at)
        for body, at, told in zip(m.bodies, (m.at, m.other), (names, names[::-1]), strict=True):
            k = self.places.put(self.leader[body], at, told)
            self.places.links[k].add(-len(self.bars))

    def _spread(self, link: int) -> None:
        """Give a link a second point where it has but one: a feature elsewhere, else any."""
        own = self.places.of(link)
        if len(own) > 1:
            return
        found = [(self.spot(ref), str(ref)) for ref in self._features(link)]
        at = self.places.at[own[0]] if own else 0.0
        found = [f for f in found if abs(f[0] - at) > 1e-3 * self.places.reach]
        name = self.link_name(link)
        found += [(at + step * self.places.reach, name + more) for step, more in BESIDE]
        if not own:
            found.insert(0, (at, f"{name} origin"))
        for at, told in found[: 2 - len(own)]:
            self.places.put(link, at, [told])

    # ---------------------------------------------------------------- names
    def spot(self, ref: Reference) -> complex:
        """Where the origin of a feature is seen."""
        part = self.assembly.part(ref.part)
        frame = self.frames[self.plan.system.parts.index(ref.part)]
        own = np.array(part.feature(ref.feature).frame[:3])
        return self.plane.see(frame[:3] + own @ frame[3:].reshape(3, 3))

    def link_name(self, link: int) -> str:
        """A link by its first part, a grounded one if any; a bar by its mate."""
        if link < 0:
            return self.bars[-link - 1]
        system = self.plan.system
        own = [k for k, b in enumerate(self.plan.bodies.of_part) if self.leader[b] == link]
        return system.parts[next((k for k in own if system.grounded[k]), own[0])]

    def _drawn(self, m: Meeting) -> complex:
        """The place of a pin: of the feature that is there, one of the ground first."""
        held = self.mates[m.mate].mate
        for ref in sorted((held.a, held.b), key=lambda r: self._leads(r.part)):
            if abs(self.spot(ref) - m.at) < self.near:
                return self.spot(ref)
        return m.at

    def _names(self, mate: int, at: complex) -> list[str]:
        """The features of a mate, those at a place first."""
        held = self.mates[mate].mate
        refs = sorted((held.a, held.b), key=lambda r: abs(self.spot(r) - at) > self.near)
        return [self._told(ref) for ref in refs]

    def _told(self, ref: Reference) -> str:
        """A pin of a drawing by its name, any other feature with its part."""
        drawn = self.assembly.drawing.links.get(ref.part)
        return ref.feature if drawn is not None and ref.feature in drawn.pins else str(ref)

    @property
    def near(self) -> float:
        """Distance below which a feature counts as being at a place, mm."""
        return NEAR * self.places.same

    def _features(self, link: int) -> list[Reference]:
        """All features of the parts of a link."""
        parts = [p for p in self.assembly.parts.values() if self._leads(p.name) == link]
        return [Reference(p.name, name) for p in parts for name in p.feature_names()]

    def _leads(self, part: str) -> int:
        return self.leader[int(self.plan.bodies.of_part[self.plan.system.parts.index(part)])]

    # ---------------------------------------------------------------- the scheme
    @property
    def number(self) -> dict[int, int]:
        """Number of each link in the scheme: the ground, the others, then the bars."""
        bars = [-k - 1 for k in range(len(self.bars))]
        return {link: n for n, link in enumerate([*sorted(self.links), *bars])}

    def scheme(self, slots: tuple[Slot, ...], actuators: tuple[Actuator, ...]) -> Scheme:
        """The scheme of what was gathered."""
        at = np.array([(p.real, p.imag) for p in self.places.at]).reshape(-1, 2)
        links = tuple(
            Link(self.link_name(link), tuple(self.places.of(link))) for link in self.number
        )
        return Scheme(tuple(self.places.names), at, links, slots, actuators)

"""The equations of a zero-DOF group: links that are placed together, by Newton.

Every point is a place p_a + z (p_b - p_a) of two points of its link; the points that links share
are the unknowns as far as they are no such place.  Distances are not squared: with the far joints
of a reinterpreted slot squares would stall.

Source: MotionGen (22) to (24); docs/theory/dyads.md, 3 and 6.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ..scheme.scheme import LINEAR, ROTARY, SPAN
from .group_equations import (
    Equation,
    Group,
    Place,
    along_line,
    angle,
    coincide,
    length,
    on_line,
    point,
)
from .link_length import constant, driven
from .loci import Knowledge


@dataclass(eq=False)
class Grouping:
    """Makes the equations of some links.

    Attributes:
        known: what is known; links: that are placed together; points: that they share.
        left_out: numbers of slots that say nothing new.
    """

    known: Knowledge
    links: Collection[int]
    points: Collection[int]
    places: dict[int, Place] = field(default_factory=dict)
    bases: dict[int, tuple[int, int]] = field(default_factory=dict)
    used: dict[int, list[int]] = field(default_factory=dict)

    def group(self) -> Group:
        """The group with its unknown points and equations."""
        self.used = {link: self._used(link) for link in self.links}
        for link in sorted(self.links, key=lambda x: (len(self.used[x]), x)):
            self.bases[link] = self._base(link)
        based = {p for base in self.bases.values() for p in base}
        equations = [*self._rigid(based), *self._slotted(), *self._driven()]
        unknown = dict.fromkeys(
            p for base in self.bases.values() for p in base if p not in self.known.known
        )
        loose = [p for p in self.points if p not in self.known.known and p not in self.places]
        unknown |= dict.fromkeys(loose)
        return Group(tuple(unknown), tuple(equations))

    def _used(self, link: int) -> list[int]:
        """The points of a link that something else reads, or that are known."""
        s = self.known.scheme
        wanted = set(self.points) | self.known.known
        for slot in s.slots:
            if slot.link == link:
                wanted |= set(slot.ends)
        for actuator in s.actuators:
            wanted |= {p for p in actuator.points if p >= 0}
        return [p for p in s.links[link].points if p in wanted]

    def _base(self, link: int) -> tuple[int, int]:
        """The two points of a link that tell where it is: known and shared ones first."""
        k, z = self.known, self.known.start
        taken = {p for base in self.bases.values() for p in base}

        def rank(p: int) -> tuple[bool, bool, bool]:
            return p not in k.known, p not in taken, p not in self.points

        points = sorted(k.scheme.links[link].points, key=lambda p: (rank(p), p))
        a, *others = points
        apart = [p for p in others if abs(z[p] - z[a]) > k.apart]
        best = [p for p in apart if rank(p) == rank(apart[0])]
        return a, max(best, key=lambda p: abs(z[p] - z[a]))

    def _place(self, p: int, link: int | None = None) -> Place:
        """A point as a place on a link, or as it is known by itself."""
        if link is None:
            return self.places.get(p, point(p))
        a, b = self.bases[link]
        if p in (a, b):
            return point(p)
        z = self.known.start
        return Place(a, b, (z[p] - z[a]) / (z[b] - z[a]))

    def _rigid(self, based: set[int]) -> Iterator[Equation]:
        """The lengths of links, and points that several have as places."""
        z = self.known.start
        for link in self.bases:
            for p in self.used[link]:
                if p not in based and p not in self.known.known and p not in self.places:
                    self.places[p] = self._place(p, link)
        for link, (a, b) in self.bases.items():
            yield length(self._place(a), self._place(b), constant(abs(z[b] - z[a])))
            for p in self.used[link]:
                own = self._place(p, link)
                if p not in (a, b) and own != self._place(p):
                    yield from coincide(own, self._place(p))

    def _slotted(self) -> Iterator[Equation]:
        s, inside = self.known.scheme, {*self.links}
        for slot in s.slots:
            q, (a, b) = slot.point, slot.ends
            if slot.link in inside or q in self.points or inside & set(s.links_at[q]):
                open_ones = [p for p in (q, a, b) if p not in self.known.known]
                if open_ones and self._solvable(open_ones):
                    yield on_line(self._place(q), self._place(a), self._place(b), 0.0)

    def _solvable(self, points: list[int]) -> bool:
        """Whether points are known when this group is placed."""
        return all(p in self.places or p in self._unknown for p in points)

    @property
    def _unknown(self) -> set[int]:
        return {p for base in self.bases.values() for p in base} | set(self.points)

    def _driven(self) -> Iterator[Equation]:
        for number, actuator in enumerate(self.known.scheme.actuators):
            i, j, k = actuator.points
            open_ones = [p for p in actuator.points if p >= 0 and p not in self.known.known]
            if not open_ones or not self._solvable(open_ones):
                continue
            if actuator.kind == ROTARY:
                arm = abs(self.known.start[i] - self.known.start[j])
                yield angle(self._place(i), self._place(j), self._place(k), number, arm)
            elif actuator.kind == LINEAR:
                yield along_line(self._place(j), self._place(i), self._place(k), number)
            elif actuator.kind == SPAN:
                yield length(self._place(i), self._place(j), driven(number))

"""The equations of a zero-freedom group: links that are solved together, by Newton's method.

Every point of a link is p_a + z (p_b - p_a) of its two base points; base points, and points that
links share and that are not expressed so, are the unknowns.

Source: MotionGen (22) to (24); docs/theory/dyads.md, 3 and 6.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ..scheme.scheme import LINEAR, ROTARY, SPAN
from .group_equations import (
    GroupEquation,
    LinkPoint,
    PointGroup,
    along_line,
    angle,
    coincide,
    length,
    on_line,
    point,
)
from .link_length import constant, driven
from .loci import KnownPoints


@dataclass(eq=False)
class GroupBuilder:
    """Builds the equations of some links.

    Attributes:
        links: that are solved together; points: that they share.
        expressed: points by the base points of a link; bases: the two base points of each link.
        used: the points of each link that are read.
    """

    known: KnownPoints
    links: Collection[int]
    points: Collection[int]
    expressed: dict[int, LinkPoint] = field(default_factory=dict)
    bases: dict[int, tuple[int, int]] = field(default_factory=dict)
    used: dict[int, list[int]] = field(default_factory=dict)

    def group(self) -> PointGroup:
        """The group with its unknown points and equations."""
        self.used = {link: self._used(link) for link in self.links}
        for link in sorted(self.links, key=lambda x: (len(self.used[x]), x)):
            self.bases[link] = self._base(link)
        based = {p for base in self.bases.values() for p in base}
        equations = [*self._rigid(based), *self._slotted(), *self._driven()]
        free = [p for p in self.points if p not in self.expressed]
        read = [*(p for base in self.bases.values() for p in base), *free]
        unknown = dict.fromkeys(p for p in read if p not in self.known.known)
        return PointGroup(tuple(unknown), tuple(equations))

    def _used(self, link: int) -> list[int]:
        """The points of a link that are known or that something else reads."""
        s = self.known.scheme
        wanted = set(self.points) | self.known.known
        for slot in s.slots:
            if slot.link == link:
                wanted |= set(slot.ends)
        for actuator in s.actuators:
            wanted |= {p for p in actuator.points if p >= 0}
        return [p for p in s.links[link].points if p in wanted]

    def _base(self, link: int) -> tuple[int, int]:
        """The two base points of a link: known and shared ones first."""
        k, z = self.known, self.known.start
        taken = {p for base in self.bases.values() for p in base}

        def rank(p: int) -> tuple[bool, bool, bool]:
            return p not in k.known, p not in taken, p not in self.points

        points = sorted(k.scheme.links[link].points, key=lambda p: (rank(p), p))
        a, *others = points
        distinct = [p for p in others if abs(z[p] - z[a]) > k.distinct]
        best = [p for p in distinct if rank(p) == rank(distinct[0])]
        return a, max(best, key=lambda p: abs(z[p] - z[a]))

    def _point_on(self, p: int, link: int | None = None) -> LinkPoint:
        """A point by the base points of a link, or as it is expressed already."""
        if link is None:
            return self.expressed.get(p, point(p))
        a, b = self.bases[link]
        if p in (a, b):
            return point(p)
        z = self.known.start
        return LinkPoint(a, b, (z[p] - z[a]) / (z[b] - z[a]))

    def _rigid(self, based: set[int]) -> Iterator[GroupEquation]:
        """The lengths of links, and points that several links express."""
        z = self.known.start
        for link in self.bases:
            for p in self.used[link]:
                if p not in based and p not in self.known.known and p not in self.expressed:
                    self.expressed[p] = self._point_on(p, link)
        for link, (a, b) in self.bases.items():
            if self.known.scheme.links[link].sized:
                yield length(self._point_on(a), self._point_on(b), constant(abs(z[b] - z[a])))
            for p in self.used[link]:
                own = self._point_on(p, link)
                if p not in (a, b) and own != self._point_on(p):
                    yield from coincide(own, self._point_on(p))

    def _slotted(self) -> Iterator[GroupEquation]:
        s, inside = self.known.scheme, {*self.links}
        for slot in s.slots:
            q, (a, b) = slot.point, slot.ends
            if slot.link in inside or q in self.points or inside & set(s.links_at[q]):
                open_ones = [p for p in (q, a, b) if p not in self.known.known]
                if open_ones and self._solvable(open_ones):
                    yield on_line(self._point_on(q), self._point_on(a), self._point_on(b), 0.0)

    def _solvable(self, points: list[int]) -> bool:
        """Whether points are known once this group is solved."""
        return all(p in self.expressed or p in self._unknown for p in points)

    @property
    def _unknown(self) -> set[int]:
        return {p for base in self.bases.values() for p in base} | set(self.points)

    def _driven(self) -> Iterator[GroupEquation]:
        for number, actuator in enumerate(self.known.scheme.actuators):
            i, j, k = actuator.points
            open_ones = [p for p in actuator.points if p >= 0 and p not in self.known.known]
            if not open_ones or not self._solvable(open_ones):
                continue
            if actuator.kind == ROTARY:
                arm = abs(self.known.start[i] - self.known.start[j])
                yield angle(self._point_on(i), self._point_on(j), self._point_on(k), number, arm)
            elif actuator.kind == LINEAR:
                yield along_line(self._point_on(j), self._point_on(i), self._point_on(k), number)
            elif actuator.kind == SPAN:
                yield length(self._point_on(i), self._point_on(j), driven(number))

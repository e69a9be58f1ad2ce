"""The known points of a linkage while its plan is built, and the loci of the next ones.

A point lies on the circle about a known point of its link, on the line of a slot whose link is
known, or on a line parallel to it where its link slides without turning.  Two such loci are a dyad.
All dimensions are read from the assembled start.

Source: docs/theory/dyads.md, 5; the loci of dyads as in any text on linkages.
"""

from __future__ import annotations

from cmath import exp, phase
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...foundations.numerics.rounding import AGREEMENT, TINY
from ..scheme.scheme import LINEAR, ROTARY, SPAN, Actuator, Scheme, SchemeSlot
from .link_length import Radius, constant, driven, hinged


@dataclass(frozen=True)
class CircleLocus:
    """The circle of a point about a known one; `links` connect both."""

    centre: int
    radius: Radius
    links: tuple[int, ...]


@dataclass(frozen=True)
class LineLocus:
    """The line p_a + (t + i w)(p_b - p_a) of a point; `slides` where its link slides along it."""

    a: int
    b: int
    w: float
    links: tuple[int, ...]
    slides: bool


Locus = CircleLocus | LineLocus


@dataclass(frozen=True)
class DrivenShape:
    """Two links with an actuator between them, as one body of variable shape.

    A point x of the first is at x, one of the second at x1 + x2 f(value), f being e^(i value) where
    the actuator is an angle and the value where it is a displacement.
    """

    first: int
    second: int
    actuator: int
    turns: bool
    hinge: complex
    at_start: float
    unit: complex

    def shape_numbers(self, scheme: Scheme, point: int) -> tuple[complex, complex]:
        """The numbers x1 and x2 of a point."""
        x = scheme.start[point]
        if point in scheme.links[self.first].points:
            return x, 0.0
        if self.turns:
            return self.hinge, (x - self.hinge) * exp(-1j * self.at_start)
        return x - self.unit * self.at_start, self.unit


def value_at_start(scheme: Scheme, actuator: Actuator) -> float:
    """The value of an actuator where the linkage starts, rad or mm."""
    i, j, k = actuator.points
    z = scheme.start
    if actuator.kind == ROTARY:
        return phase((z[k] - z[j]) / (z[i] - z[j]))
    if actuator.kind == SPAN:
        return abs(z[j] - z[i])
    along = z[k] - z[i]
    return ((z[j] - z[i]) * along.conjugate()).real / abs(along)


@dataclass(eq=False)
class KnownPoints:
    """The known points of a scheme, and what they determine.

    Attributes:
        known: numbers of points; start: where all points start, x + iy, mm.
        shapes: pairs of links with an actuator between them; slides: pairs that keep their angle.
    """

    scheme: Scheme
    known: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.known |= set(self.scheme.links[0].points)
        self.start = self.scheme.start
        self.distinct = AGREEMENT * max(self.scheme.size, TINY)
        self.slots_of: dict[int, list[SchemeSlot]] = {}
        self.slots_at: dict[int, list[SchemeSlot]] = {}
        for slot in self.scheme.slots:
            self.slots_of.setdefault(slot.link, []).append(slot)
            self.slots_at.setdefault(slot.point, []).append(slot)
        self.slides = self._slides()
        self.shapes = [s for s in map(self._shape, range(len(self.scheme.actuators))) if s]

    # ---------------------------------------------------------------- bodies
    def known_points(self, link: int) -> list[int]:
        """The known points of a link, in distinct positions."""
        out, z = list[int](), self.start
        for p in self.scheme.links[link].points:
            if p in self.known and all(abs(z[p] - z[o]) > self.distinct for o in out):
                out.append(p)
        return out

    def base(self, link: int) -> tuple[int, int] | None:
        """Two known points of a link that are far from each other; None where there are none."""
        points = self.known_points(link)
        if len(points) < 2:
            return None
        return points[0], self.scheme.farthest(points[0], points[1:])

    def open_points(self, link: int) -> list[int]:
        """The unknown points of a link."""
        return [p for p in self.scheme.links[link].points if p not in self.known]

    def ratio(self, point: complex, origin: complex, a: int, b: int) -> complex:
        """(point - origin) / (b - a), where the linkage starts."""
        return (point - origin) / (self.start[b] - self.start[a])

    # ---------------------------------------------------------------- slides
    def _slides(self) -> dict[int, list[tuple[int, SchemeSlot, tuple[int, int]]]]:
        """Links that slide along each one without turning, with a slot and the two points in it."""
        found: dict[tuple[int, int], list[SchemeSlot]] = {}
        for slot in self.scheme.slots:
            for other in self.scheme.links_at[slot.point]:
                both = self.scheme.links[slot.link].sized and self.scheme.links[other].sized
                if other != slot.link and both:
                    found.setdefault((slot.link, other), []).append(slot)
        out: dict[int, list[tuple[int, SchemeSlot, tuple[int, int]]]] = {}
        for (own, other), slots in found.items():
            first = slots[0]
            for slot in slots[1:]:
                points = (first.point, slot.point)
                distinct = abs(self.start[points[0]] - self.start[points[1]]) > self.distinct
                if distinct and self._in_line(first, slot):
                    out.setdefault(own, []).append((other, first, points))
                    out.setdefault(other, []).append((own, first, points))
                    break
        return out

    def _in_line(self, one: SchemeSlot, two: SchemeSlot) -> bool:
        """Whether two slots of a link are collinear."""
        unit = self.start[one.ends[1]] - self.start[one.ends[0]]
        return all(
            abs(((self.start[e] - self.start[one.ends[0]]) * unit.conjugate()).imag)
            <= self.distinct * abs(unit)
            for e in two.ends
        )

    def direction(self, link: int) -> tuple[int, int, int] | None:
        """A known link to which a link keeps its angle, by slides, and two points of it."""
        visited, queue = {link}, [link]
        for here in queue:
            for other, _, _ in self.slides.get(here, ()):
                if other in visited:
                    continue
                visited.add(other)
                queue.append(other)
                base = self.base(other)
                if base is not None:
                    return other, *base
        return None

    # ---------------------------------------------------------------- shapes
    def _shape(self, number: int) -> DrivenShape | None:
        """The two moving links that an actuator drives against each other; None if it does not."""
        s, actuator = self.scheme, self.scheme.actuators[number]
        i, j, k = actuator.points
        z, at_start = s.start, value_at_start(s, actuator)
        if actuator.kind == ROTARY:
            links = s.turned_links(actuator)
            if links is None or 0 in links:
                return None
            return DrivenShape(*links, number, True, z[j], at_start, 0.0)
        if actuator.kind != LINEAR:
            return None
        for slotted in s.carriers(i, k):
            for other, slot, _ in self.slides.get(slotted, ()):
                moving = 0 not in (slotted, other)
                if slot.link == slotted and j in s.links[other].points and moving:
                    unit = (z[k] - z[i]) / abs(z[k] - z[i])
                    return DrivenShape(slotted, other, number, False, z[i], at_start, unit)
        return None

    def shape_radius(self, shape: DrivenShape, p: int, c: int) -> Radius:
        """The distance of two points of a driven shape."""
        (p1, p2), (c1, c2) = (shape.shape_numbers(self.scheme, point) for point in (p, c))
        make = hinged if shape.turns else driven
        return make(shape.actuator, p1 - c1, p2 - c2)

    # ---------------------------------------------------------------- loci
    def loci(self, p: int) -> Iterator[Locus]:
        """Loci of an unknown point: circles about known points, and lines."""
        s = self.scheme
        for link in s.links_at[p]:
            centres = self.known_points(link) if s.links[link].sized else []
            if len(centres) == 1 and self.direction(link) is None:
                c = centres[0]
                yield CircleLocus(c, constant(abs(self.start[p] - self.start[c])), (link,))
        for number, actuator in enumerate(s.actuators):
            if actuator.kind == SPAN and p in actuator.points[:2]:
                c = sum(actuator.points[:2]) - p
                if c in self.known:
                    yield CircleLocus(c, driven(number), ())
        for shape in self.shapes:
            yield from self._shape_circles(shape, p)
        for slot in self.slots_at.get(p, ()):
            if self.base(slot.link) is not None and not self._keeps_angle(p, slot.link):
                yield LineLocus(*slot.ends, 0.0, (slot.link,), False)
        for link in s.links_at[p]:
            yield from self._slide_lines(link, p)

    def _shape_circles(self, shape: DrivenShape, p: int) -> Iterator[CircleLocus]:
        """The circle of a point of a driven shape about a known point of its other link."""
        s = self.scheme
        for own, other in ((shape.first, shape.second), (shape.second, shape.first)):
            on_both = p in s.links[other].points
            if p not in s.links[own].points or on_both or self.known_points(own):
                continue
            centres = [c for c in self.known_points(other) if c not in s.links[own].points]
            if len(centres) == 1:
                yield CircleLocus(centres[0], self.shape_radius(shape, p, centres[0]), (own, other))

    def _keeps_angle(self, p: int, slotted: int) -> bool:
        """Whether a link of a point slides along a slotted one without turning."""
        others = {other for other, _, _ in self.slides.get(slotted, ())}
        return not others.isdisjoint(self.scheme.links_at[p])

    def _slide_lines(self, link: int, p: int) -> Iterator[LineLocus]:
        """The lines of a point whose link slides along a known one and keeps its angle."""
        if self.known_points(link):
            return
        done: set[int] = set()
        for other, slot, points in self.slides.get(link, ()):
            if self.base(other) is None or other in done:
                continue
            done.add(other)
            a, b = slot.ends if slot.link == other else points
            w = self.ratio(self.start[p], self.start[a], a, b).imag
            yield LineLocus(a, b, w, (link,), True)

"""The next points of a linkage in closed form: actuated joints, rigid points, and dyads.

Each rule examines the known points and returns the operations that determine more, or None.

Source: docs/theory/dyads.md, 5; dyads by their joints, outer - inner - outer:
RRR, RRP, RPR, PRP, RPP.
"""

from __future__ import annotations

from cmath import exp
from dataclasses import dataclass

from ...foundations.numerics.rounding import AGREEMENT
from ..scheme.scheme import LINEAR, ROTARY, SchemeSlot
from .loci import CircleLocus, KnownPoints, LineLocus, Locus, value_at_start
from .placement_program import (
    Operation,
    along,
    circles,
    line_circle,
    lines,
    push,
    shape,
    slides,
    turn,
)

ACTUATED, SLIDE, RIGID = "actuated joint", "actuated slide", "rigid points"
RRR, RRP, PRP, RPR, RPP = "RRR dyad", "RRP dyad", "PRP dyad", "RPR dyad", "RPP dyad"


@dataclass(frozen=True)
class PointConstruction:
    """Operations that determine points together.

    Attributes:
        kind: of step; ops: in order; points: that they determine, the inner joint first.
        links: whose joints they are; branch: sign where there are two solutions, else 0.
    """

    kind: str
    ops: tuple[Operation, ...]
    points: tuple[int, ...]
    links: tuple[int, ...]
    branch: int = 0


@dataclass(eq=False)
class ConstructionFinder:
    """Finds the points that can be determined next.

    Attributes:
        next_branch: number of the next operation that has two solutions.
    """

    known: KnownPoints
    next_branch: int = 0

    # ---------------------------------------------------------------- what follows without a choice
    def followers(self) -> PointConstruction | None:
        """Points of links that are known, or that keep their angle at a known point."""
        return self._rigid() or self._parallel() or self._shaped()

    def _rigid(self) -> PointConstruction | None:
        k = self.known
        for link in range(len(k.scheme.links)):
            base, left = k.base(link), k.open_points(link)
            if base is not None and left:
                a, b = base
                ops = [along(p, a, a, b, k.ratio(k.start[p], k.start[a], a, b)) for p in left]
                return PointConstruction(RIGID, tuple(ops), tuple(left), (link,))
        return None

    def _parallel(self) -> PointConstruction | None:
        k = self.known
        for link in k.slides:
            points, left = k.known_points(link), k.open_points(link)
            found = k.direction(link) if len(points) == 1 and left else None
            if found is not None:
                (other, a, b), u = found, points[0]
                ops = [along(p, u, a, b, k.ratio(k.start[p], k.start[u], a, b)) for p in left]
                return PointConstruction(RIGID, tuple(ops), tuple(left), (link, other))
        return None

    def _shaped(self) -> PointConstruction | None:
        """Points of a driven shape of which one known point lies on each link."""
        k = self.known
        for found in k.shapes:
            first, second = k.known_points(found.first), k.known_points(found.second)
            if len(first) != 1 or len(second) != 1 or first == second:
                continue
            a, b, links = first[0], second[0], (found.first, found.second)
            left = tuple(dict.fromkeys(p for link in links for p in k.open_points(link)))
            if left:
                numbers = {p: found.shape_numbers(k.scheme, p) for p in (a, b, *left)}
                ends, actuator, turns = (numbers[a], numbers[b]), found.actuator, found.turns
                ops = (shape(p, a, b, actuator, turns, numbers[p], *ends) for p in left)
                return PointConstruction(RIGID, tuple(ops), left, links)
        return None

    # ---------------------------------------------------------------- actuators
    def actuated(self) -> PointConstruction | None:
        """A point that an actuator determines relative to a known link."""
        k = self.known
        for number, actuator in enumerate(k.scheme.actuators):
            i, j, q = actuator.points
            if actuator.kind == LINEAR and {i, q} <= k.known and j not in k.known:
                z = complex(1.0 / abs(k.start[q] - k.start[i]))
                op = push(j, i, i, q, number, 0j, z)
                return PointConstruction(SLIDE, (op,), (j,), k.scheme.links_at[j])
            if actuator.kind == ROTARY and j in k.known and (i in k.known) != (q in k.known):
                here, there = (i, q) if i in k.known else (q, i)
                angle = exp(-1j * value_at_start(k.scheme, actuator))
                z = (k.start[there] - k.start[j]) / (k.start[here] - k.start[j])
                op = turn(q, j, i, number, z * angle)
                if there == i:  # the rotating ray is the known one
                    still, turning = (0j, 0j), (0j, 1 + 0j)
                    op = shape(i, j, q, number, True, (z / angle, 0j), still, turning)
                links = tuple(k.scheme.carriers(j, there))
                return PointConstruction(ACTUATED, (op,), (there,), links)
        return None

    # ---------------------------------------------------------------- dyads
    def _dyad(self) -> PointConstruction | None:
        """The intersection of two loci of a point."""
        k = self.known
        for p in range(len(k.scheme.points)):
            if p in k.known or not k.scheme.links_at[p]:
                continue
            found: list[Locus] = []
            for locus in k.loci(p):
                if all(self.differ(locus, other) for other in found):
                    found.append(locus)
                if len(found) == 2:
                    return self._intersect(p, found[0], found[1])
        return None

    def differ(self, one: Locus, two: Locus) -> bool:
        """Whether two loci meet in points: not concentric, not parallel."""
        z, k = self.known.start, self.known
        if isinstance(one, CircleLocus) and isinstance(two, CircleLocus):
            return abs(z[one.centre] - z[two.centre]) > k.distinct
        if isinstance(one, LineLocus) and isinstance(two, LineLocus):
            u, v = z[one.b] - z[one.a], z[two.b] - z[two.a]
            return abs((u.conjugate() * v).imag) > AGREEMENT * abs(u) * abs(v)
        return True

    def _intersect(self, p: int, one: Locus, two: Locus) -> PointConstruction:
        z = self.known.start
        both = tuple(dict.fromkeys((*one.links, *two.links)))
        if isinstance(one, LineLocus) and isinstance(two, LineLocus):
            op = lines(p, one.a, one.b, one.w, two.a, two.b, two.w)
            kind = RPP if one.slides and one.links == two.links else PRP
            return PointConstruction(kind, (op,), (p,), both)
        if isinstance(one, CircleLocus) and isinstance(two, CircleLocus):
            c, d = one.centre, two.centre
            side = ((z[d] - z[c]).conjugate() * (z[p] - z[c])).imag
            op = circles(p, c, one.radius, d, two.radius, self.next_branch)
            return self._branched(RRR, op, both, side)
        line, circle = (one, two) if isinstance(one, LineLocus) else (two, one)
        assert isinstance(line, LineLocus) and isinstance(circle, CircleLocus)
        side = ((z[p] - z[circle.centre]) * (z[line.b] - z[line.a]).conjugate()).real
        op = line_circle(p, circle.centre, circle.radius, line.a, line.b, line.w, self.next_branch)
        return self._branched(RRP, op, both, side)

    def _branched(
        self, kind: str, op: Operation, links: tuple[int, ...], side: float
    ) -> PointConstruction:
        self.next_branch += 1
        return PointConstruction(kind, (op,), op.points, links, -1 if side < 0.0 else 1)

    def sliding(self) -> PointConstruction | None:
        """Two links on known points that slide along each other; a slot past a known point."""
        each = map(self._sliding_in, self.known.scheme.slots)
        return next((found for found in each if found is not None), None)

    def _sliding_in(self, slot: SchemeSlot) -> PointConstruction | None:
        k, z = self.known, self.known.start
        pivots = k.known_points(slot.link)
        if not k.scheme.links[slot.link].sized:
            return None
        if len(pivots) != 1 or k.direction(slot.link) is not None:
            return None
        ends = [z[e] for e in slot.ends]
        u = (ends[1] - ends[0]) / abs(ends[1] - ends[0])

        def offset_of(point: int) -> float:
            return ((z[point] - ends[0]) * u.conjugate()).imag

        a = pivots[0]
        to_a = k.scheme.farthest(a, k.open_points(slot.link))
        other, d, to_d = None, slot.point, None
        if slot.point not in k.known:
            mates = [x for x in k.slides.get(slot.link, ()) if x[1].link == slot.link]
            mates = [x for x in mates if len(k.known_points(x[0])) == 1]
            if not mates:
                return None
            other = mates[0][0]
            d = k.known_points(other)[0]
            to_d = k.scheme.farthest(d, k.open_points(other))
        w, z1 = offset_of(d) - offset_of(a), (z[to_a] - z[a]) / u
        z2 = (z[to_d] - z[d]) / u if to_d is not None else 0j
        op = slides(to_a, to_d, a, d, w, z1, z2, self.next_branch)
        side = ((z[d] - z[a]) * u.conjugate()).real
        links = (slot.link,) if other is None else (slot.link, other)
        return self._branched(RPR, op, links, side)

    def next_construction(self) -> PointConstruction | None:
        """What can be determined next; None where only a group can."""
        return self.actuated() or self._dyad() or self.sliding()

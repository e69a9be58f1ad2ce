"""Mates of more than two features: symmetry about a plane, equal distances."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ..mate import PLANES, POINTS, End, Equation, Mate, Reference
from ..measures import measure as m
from ..measures.measure import Measure


@dataclass(frozen=True, kw_only=True)
class Symmetric(Mate):
    """Two points are mirror images of each other in a plane: removes 3 freedoms.

    `about` is the plane, a feature of any part.
    """

    about: Reference

    kind = "symmetric"
    removes = 3
    takes = ((POINTS, POINTS),)
    takes_more = MappingProxyType({"about": PLANES})

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        plane = a.more["about"].marker

        def mirrored(axis: int, sign: float) -> Equation:
            """Heights above the plane are opposite (sign +), coordinates in it are equal (-)."""
            one = Measure(m.DISPLACEMENT, axis, 0, plane, a.marker)
            two = Measure(m.DISPLACEMENT, axis, 0, plane, b.marker)
            return Equation(((1.0, one), (sign, two)))

        return (mirrored(0, -1.0), mirrored(1, -1.0), mirrored(2, 1.0))


@dataclass(frozen=True, kw_only=True)
class EqualDistance(Mate):
    """Two points are as far apart as two others: removes 1 freedom.

    The distance of a and b equals that of `a2` and `b2`; `a2` is a by default.
    """

    b2: Reference
    a2: Reference | None = None

    kind = "equal_distance"
    removes = 1
    takes = ((POINTS, POINTS),)
    takes_more = MappingProxyType({"b2": POINTS, "a2": POINTS})

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        second = a.more.get("a2", a).marker
        one = Measure(m.SEPARATION, 0, 0, a.marker, b.marker)
        two = Measure(m.SEPARATION, 0, 0, second, a.more["b2"].marker)
        return (Equation(((1.0, one), (-1.0, two))),)

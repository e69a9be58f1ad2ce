"""Limits of an assembly over all states of its linkage, except those that are bounds of a slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Bools
from ...model.drivers.limit import Limit
from ...model.measures.measure import INCLINATION, RADIUS, ROTATION, SEPARATION
from .actuators import PlanarQuantity, in_plane, moves_in_slot, planar_quantity
from .extraction import SchemeBuilder
from .link_motions import LinkMotions


@dataclass(frozen=True, eq=False)
class EndStop:
    """A limit that is not a bound of a slot.

    Attributes:
        limit: of the assembly; actuator: number of the input that it bounds, -1 where it is none.
        sight: the bounded quantity, where the linkage starts; links: numbers of those at its ends.
    """

    limit: Limit
    actuator: int
    sight: PlanarQuantity
    links: tuple[int, int]

    def value(self, inputs: Array, motions: LinkMotions) -> Array:
        """The bounded value, (states,), mm or degrees; angles in the turn of the limit's middle."""
        if self.actuator >= 0:
            out: Array = inputs[self.actuator]
            return out
        s, kind = self.sight, self.limit.measure.kind
        if kind in (ROTATION, INCLINATION):
            one, two = (motions.rotation(link) for link in self.links)
            rotated = s.value + s.sense * np.degrees(np.angle(two * one.conj()))
            off = rotated - self.limit.middle
            return self.limit.middle + off - 360.0 * np.round(off / 360.0)
        a, b = (motions.point(x, at) for x, at in zip(self.links, s.ends, strict=True))
        if kind == SEPARATION:
            return np.hypot(np.abs(b - a), s.rise)
        if kind == RADIUS:
            return np.abs(b - a)
        assert s.direction is not None
        return ((b - a) * (s.direction * motions.rotation(self.links[0])).conj()).real

    def violated(self, inputs: Array, motions: LinkMotions) -> tuple[Bools, Bools]:
        """Where the value is below min, and where above max, (states,) each."""
        value = self.value(inputs, motions)
        least, most = self.limit.min, self.limit.max
        low = -np.inf if least is None else least - AGREEMENT * max(abs(least), 1.0)
        high = np.inf if most is None else most + AGREEMENT * max(abs(most), 1.0)
        return value < low, value > high

    def words(self, upper: bool) -> str:
        """The violation as a sentence."""
        text = self.limit.words
        if self.limit.name not in (text, ""):
            text = f"{self.limit.name}: {text}"
        side = "max" if upper else "min"
        return f"{text} is beyond its {side} of {self.limit.bound(upper):g} {self.limit.unit}"


def end_stops(g: SchemeBuilder, inputs: list[str]) -> tuple[EndStop, ...]:
    """The limits of quantities that move in the plane, except those that are bounds of slots."""
    out = []
    drivers, parts = g.assembly.drivers, g.plan.system.parts
    for limit in g.assembly.limits.values():
        own = [k for k, n in enumerate(inputs) if drivers[n].equation == limit.equation]
        sight = planar_quantity(limit, g)
        known = sight.links[0] != sight.links[1] and {*sight.links} <= g.links
        if own or (
            known and in_plane(limit, g.frames, parts, g.plane) and not moves_in_slot(sight, g)
        ):
            numbers = (g.number.get(sight.links[0], 0), g.number.get(sight.links[1], 0))
            out.append(EndStop(limit, own[0] if own else -1, sight, numbers))
    return tuple(out)

"""Limits of an assembly over all states of its linkage, but those of slots, which have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.types import Array, Bools
from ...model.drivers.limit import Limit
from ...model.measures.measure import INCLINATION, RADIUS, ROTATION, SEPARATION
from .actuators import Sighting, in_plane, in_slot, sighted
from .extraction import Gathering
from .link_motions import Motions

STANDS = 1e-9
"""Share of a bound by which a value may be beyond it: rounding."""


@dataclass(frozen=True, eq=False)
class Stop:
    """A limit that no slot has.

    Attributes:
        limit: as it was given; actuator: number of the input that it bounds, -1 where it is none.
        sight: what it bounds, where the linkage starts; links: numbers of the links of its ends.
    """

    limit: Limit
    actuator: int
    sight: Sighting
    links: tuple[int, int]

    def value(self, inputs: Array, motions: Motions) -> Array:
        """What it bounds, (states,), mm or degrees; angles in the turn of its middle."""
        if self.actuator >= 0:
            out: Array = inputs[self.actuator]
            return out
        s, kind = self.sight, self.limit.measure.kind
        if kind in (ROTATION, INCLINATION):
            one, two = (motions.turn(link) for link in self.links)
            turned = s.value + s.sense * np.degrees(np.angle(two * one.conj()))
            off = turned - self.limit.middle
            return self.limit.middle + off - 360.0 * np.round(off / 360.0)
        a, b = (motions.point(x, at) for x, at in zip(self.links, s.ends, strict=True))
        if kind == SEPARATION:
            return np.hypot(np.abs(b - a), s.rise)
        if kind == RADIUS:
            return np.abs(b - a)
        assert s.way is not None
        return ((b - a) * (s.way * motions.turn(self.links[0])).conj()).real

    def beyond(self, inputs: Array, motions: Motions) -> tuple[Bools, Bools]:
        """Where it is below its min, and where above its max, (states,)."""
        value = self.value(inputs, motions)
        least, most = self.limit.min, self.limit.max
        low = -np.inf if least is None else least - STANDS * max(abs(least), 1.0)
        high = np.inf if most is None else most + STANDS * max(abs(most), 1.0)
        return value < low, value > high

    def words(self, upper: bool) -> str:
        """Where it stops, in words."""
        told = self.limit.words
        if self.limit.name not in (told, ""):
            told = f"{self.limit.name}: {told}"
        side = "max" if upper else "min"
        return f"{told} is beyond its {side} of {self.limit.bound(upper):g} {self.limit.unit}"


def stops(g: Gathering, inputs: list[str]) -> tuple[Stop, ...]:
    """The limits of what moves in the plane, but those that slots have."""
    out = []
    drivers, parts = g.assembly.drivers, g.plan.system.parts
    for limit in g.assembly.limits.values():
        own = [k for k, n in enumerate(inputs) if drivers[n].equation == limit.equation]
        sight = sighted(limit, g)
        known = sight.links[0] != sight.links[1] and {*sight.links} <= g.links
        if own or (known and in_plane(limit, g.frames, parts, g.plane) and not in_slot(sight, g)):
            numbers = (g.number.get(sight.links[0], 0), g.number.get(sight.links[1], 0))
            out.append(Stop(limit, own[0] if own else -1, sight, numbers))
    return tuple(out)

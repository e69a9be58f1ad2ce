"""How far a driver could go if its own range did not end it, and what is in the way there."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..findings import DeadPoint, Stop
from ..model.assembly import Assembly
from ..motion import Event
from ..watch import Watch
from .ways import Way, way_of

Array = NDArray[np.float64]

FULL_TURN = 360.0

STEPS = 144
"""States of the search: a full turn either way in steps of 5 degrees."""

SINGULAR = ("dead point", "change point", "end of the branch")

SAME = 1e-7
"""Distance of two values, relative to their size, at which they are one place."""


@dataclass(frozen=True)
class Reach:
    """How far a driver could go.

    Attributes:
        low, high: mm or degrees; infinite where nothing ends it.
        ends: what ends it; singular: dead points and change points on the way and at its ends.
    """

    low: float
    high: float
    ends: tuple[Stop, Stop]
    singular: tuple[Event, ...]


def reach_of(given: Assembly, driver: str, watch: Watch) -> Reach:
    """How far a driver could go from where it stands, the others held.

    Args:
        given: at solved poses, each driver with the value that it has there.
    """
    d = given.drivers[driver]
    assert d.value is not None
    free = given.copy()
    for name, limit in given.limits.items():
        if limit.equation == d.equation:
            free.remove_limit(name)
    turns = d.unit == "deg"
    far = FULL_TURN if turns else _span(given)
    low = d.value - far
    if d.separation is not None:
        low = max(low, 1e-6 * far)  # at 0 a separation has no direction
    way = way_of(free, driver, (low, d.value + far), watch, STEPS)
    ends = (_end(way, -1, far), _end(way, 1, far))
    found = [e for e in way.events if e.kind in SINGULAR]
    return Reach(ends[0].value, ends[1].value, ends, tuple(_once(found, turns)))


def _span(given: Assembly) -> float:
    """A length that no two points of a connected assembly can be apart, mm."""
    total = 0.0
    for part in given.parts.values():
        at = [part.feature(n).frame[:3] for n in part.feature_names()]
        if at:
            spread = np.ptp(np.array(at, float), axis=0)
            total += float(np.linalg.norm(spread))
    return 2.0 * total if total > 0.0 else 1e3


def _end(way: Way, side: int, far: float) -> Stop:
    """What ends one side of a way: an event, or nothing within a full turn or the search."""
    motion = way.up if side > 0 else way.down
    event = motion.stopped
    if event is not None:
        return Stop(event.value, event.kind, event.joint, event.words)
    if not motion:
        value = way.covered[side > 0]
        why = next((r for r in motion.reasons if r), motion.sentence)
        return Stop(value, "end of the branch", "", f"{way.driver} came no further: {why}")
    if way.unit == "deg":
        return Stop(side * inf, "", "", f"{way.driver} turns fully")
    words = f"nothing ends {way.driver} within {far:.6g} mm of {way.start:.6g} mm"
    return Stop(side * inf, "", "", words)


def _once(events: list[Event], turns: bool) -> list[Event]:
    """Each place once: a full turn either way meets the same places again."""
    out: list[Event] = []
    for event in sorted(events, key=lambda e: (not e.stops, abs(e.value))):
        for known in out:
            apart = abs(event.value - known.value)
            if turns:
                apart = abs(apart - FULL_TURN * round(apart / FULL_TURN))
            if apart <= SAME * (1.0 + abs(event.value)):
                break
        else:
            out.append(event)
    return sorted(out, key=lambda e: e.value)


def dead_points(reach: Reach, within: tuple[float, float] | None) -> tuple[DeadPoint, ...]:
    """Singular places of a reach; `within` is the range of the driver, all of it by default."""
    low, high = within or (-inf, inf)
    return tuple(
        DeadPoint(e.value, e.kind, e.joint, low <= e.value <= high, e.words)
        for e in reach.singular
    )

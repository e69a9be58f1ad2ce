"""How far a driver can move without its range, and what ends this."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from ..equations.system import SAME_PLACE
from ..foundations.numerics.rounding import DIGITS, FAINT, ROOT
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..kinematics.loops.transmission_angle import Transmission
from ..model.assembly import Assembly
from ..results.motion import Event
from .driver_sweeps import DriverSweep, sweep_driver
from .findings import DeadPoint, ReachEnd

FULL_TURN = 360.0

STEPS = 144
"""Steps of the search: a full turn in each direction in 5-degree steps."""

DEAD = "dead point"
SINGULAR = ("dead point", "change point", "end of the branch")

BESIDE = FAINT
"""Relative difference below which a computed dead point equals one that was reached."""

SAME = 8.0 * ROOT
"""Relative difference below which the values of two events are the same: a dead point is known by
its square only."""


@dataclass(frozen=True)
class Reach:
    """How far a driver can move.

    Attributes:
        low, high: mm or degrees; infinite where nothing ends it.
        ends: at low and high; singular: dead points and change points in it and at its ends.
    """

    low: float
    high: float
    ends: tuple[ReachEnd, ReachEnd]
    singular: tuple[Event, ...]


def reach_of(
    given: Assembly, driver: str, transmissions: list[Transmission], watch: Watch
) -> Reach:
    """The reach of a driver of a solved assembly from its value, the others locked."""
    d = given.drivers[driver]
    assert d.value is not None
    limits = [name for name, limit in given.limits.items() if limit.equation == d.equation]
    free = given.copy() if limits else given  # itself: its next sweep begins where this one does
    for name in limits:
        free.remove_limit(name)
    turns = d.unit == "deg"
    far = FULL_TURN if turns else _span(given)
    low = d.value - far
    if d.separation is not None:
        low = max(low, DIGITS * far)  # at 0 a separation has no direction
    sweep = sweep_driver(free, driver, (low, d.value + far), watch, STEPS)
    ends = (_end(sweep, -1, far), _end(sweep, 1, far))
    met = [e for e in sweep.events if e.kind in SINGULAR]
    found = _distinct(met, turns, d.range or (d.value, d.value + FULL_TURN))
    own = [] if turns else _computed_dead_points(sweep, transmissions, found, given.tolerance)
    singular = sorted((*found, *own), key=lambda e: e.value)
    return Reach(ends[0].value, ends[1].value, ends, tuple(singular))


def _computed_dead_points(
    sweep: DriverSweep, transmissions: list[Transmission], found: list[Event], tolerance: float
) -> list[Event]:
    """Dead points of a driven cylinder and its lever that were not reached in the sweep.

    Where the distance d of the outer pins is constant, a lever of length r is in line with the
    cylinder at the cylinder lengths |d - r| and d + r.
    """
    out = []
    for m in transmissions:
        if sweep.driver not in m.links or None in m.outer or not len(sweep.at):
            continue
        one, two = (spot.point(sweep.frames) for spot in m.outer if spot is not None)
        mine, other = (one, two) if m.links[0] == sweep.driver else (two, one)
        n, at = m.normal.direction(sweep.frames), m.at.point(sweep.frames)
        d, r, length = (_length_across(v, n) for v in (mine - other, at - other, at - mine))
        if np.ptp(d) > SAME_PLACE * tolerance:
            continue
        rise = sweep.at[0] ** 2 - length[0] ** 2
        for flat in (abs(d[0] - r[0]), d[0] + r[0]):
            value = float(np.sqrt(max(flat**2 + rise, 0.0)))
            known = any(abs(value - e.value) < BESIDE * (1.0 + value) for e in found)
            if not known:
                line = f"{m.links[0]} and {m.links[1]} are in line at {m.joint}"
                words = f"dead point at {sweep.driver} {value:.10g} {sweep.unit}: {line}"
                words += ", which is out of reach here"
                out.append(Event(DEAD, sweep.driver, value, 0.0, m.joint, words, False))
    return out


def _length_across(v: Array, n: Array) -> Array:
    """Lengths perpendicular to a unit normal, (states,)."""
    out: Array = np.linalg.norm(v - np.sum(v * n, axis=1)[:, None] * n, axis=1)
    return out


def _span(given: Assembly) -> float:
    """Upper bound of distances between points of a connected assembly, mm."""
    total = 0.0
    for part in given.parts.values():
        at = [part.feature(n).frame[:3] for n in part.feature_names()]
        if at:
            total += float(np.linalg.norm(np.ptp(np.array(at, float), axis=0)))
    return 2.0 * total if total > 0.0 else 1e3


def _end(sweep: DriverSweep, side: int, far: float) -> ReachEnd:
    """The end of one side of a sweep; infinite where nothing ends it within the search."""
    motion = sweep.up if side > 0 else sweep.down
    if (event := motion.stopped) is not None:
        return ReachEnd(event.value, event.kind, event.joint, event.words)
    if not motion:
        value = sweep.covered[side > 0]
        why = next((r for r in motion.reasons if r), motion.sentence)
        return ReachEnd(value, "end of the branch", "", f"{sweep.driver} came no further: {why}")
    if sweep.unit == "deg":
        return ReachEnd(side * inf, "", "", f"{sweep.driver} turns fully")
    words = f"nothing ends {sweep.driver} within {far:.6g} mm of {sweep.start:.6g} mm"
    return ReachEnd(side * inf, "", "", words)


def _distinct(events: list[Event], turns: bool, within: tuple[float, float]) -> list[Event]:
    """Events without repetition by full turns; those in the range preferred."""
    near = SAME * (1.0 + max(map(abs, within)))

    def order(e: Event) -> tuple[bool, bool, float]:
        return not e.stops, not within[0] - near <= e.value <= within[1] + near, abs(e.value)

    out: list[Event] = []
    for event in sorted(events, key=order):
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
    """Singular positions of a reach; `within` is the range of the driver, None without one."""
    low, high = within or (-inf, inf)
    return tuple(
        DeadPoint(e.value, e.kind, e.joint, low <= e.value <= high, e.words) for e in reach.singular
    )

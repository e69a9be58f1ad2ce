"""The sweep of one driver, the others locked: two motions from its present value, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT, ROOT
from ..foundations.numerics.ties import first_largest
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..model.mate import Reference
from ..results.motion import Event, Motion
from ..results.tracks import JointTrack
from ..verbs.added_states import with_states
from ..verbs.sweep_events import CONTRADICTION
from ..verbs.sweeping import sweep
from .findings import DriverPosition

STATES = 120
"""Steps of a range; states at extremes are added."""

BESIDE = 8.0 * ROOT
"""Distance of added states from singular poses and limits, relative to the driver's value: clear of
where the pose is known by its square only."""

ROUNDS = 2
"""Refinement rounds of the states at extremes."""


@dataclass(frozen=True, eq=False)
class DriverSweep:
    """The motion of an assembly between two values of a driver.

    Attributes:
        driver: its name; unit: mm or deg; start: its present value.
        asked: requested range; down, up: the motions from the start to these.
    """

    driver: str
    unit: str
    start: float
    asked: tuple[float, float]
    down: Motion
    up: Motion

    def of(self, read: Callable[[Motion], Array]) -> Array:
        """An array of the states with rates, (n, ...), in the order of the driver's values."""
        low, high = (read(m)[m.has_rates] for m in (self.down, self.up))
        return np.concatenate([low[:0:-1], high] if len(high) else [low[::-1]])

    @cached_property
    def at(self) -> Array:
        """Values of the driver, (n,), ascending; mm or degrees."""
        return self.of(lambda m: m.prescribed[self.driver])

    @cached_property
    def frames(self) -> Array:
        """Frames of all parts in the world, (n, parts, 12), mm."""
        return self.of(lambda m: m.frames)

    @cached_property
    def residual(self) -> Array:
        """Largest residual of a mate, (n,), mm; 0 for rounding, which has no place."""
        found = self.of(lambda m: m.residual_mm)
        return np.where(found < AGREEMENT, 0.0, found)

    @cached_property
    def rate(self) -> Array:
        """Rate of the driver, (n,), mm or degrees per second."""
        return self.of(lambda m: m.driven[self.driver].rate)

    @property
    def covered(self) -> tuple[float, float]:
        """Reached range of the driver, up to the exact values at which it stops."""
        return self._end(self.down, self.asked[0]), self._end(self.up, self.asked[1])

    def _end(self, motion: Motion, asked: float) -> float:
        if motion:
            return asked
        stop = motion.stopped  # a contradiction is told of the first state that does not hold
        if stop is not None and stop.driver == self.driver and stop.kind != CONTRADICTION:
            return float(stop.value)
        reached = motion.prescribed[self.driver][motion.valid]
        return float(reached[-1]) if len(reached) else self.start

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of both motions, in the order of the driver's values."""
        found = {(round(e.value, 6), e.kind): e for e in (*self.down.events, *self.up.events)}
        return tuple(sorted(found.values(), key=lambda e: e.value))

    def joint(self, name: str, coordinate: str | None) -> tuple[JointTrack, Array]:
        """A joint's coordinate, and its derivative by the driver, (n,), in mm and rad."""
        tracks = [m.joint(name, coordinate) for m in (self.down, self.up)]
        by = {id(m): t for m, t in zip((self.down, self.up), tracks, strict=True)}
        value, rate, acc = (
            self.of(lambda m, key=key: getattr(by[id(m)], key))  # type: ignore[misc]
            for key in ("value", "rate", "acc")
        )
        track = JointTrack(tracks[0].name, tracks[0].unit, value, rate, acc)
        return track, self.derivative(np.radians(rate) if track.unit == "deg" else rate)

    def point(self, reference: Reference) -> tuple[Array, Array]:
        """A point in the world, (n, 3), mm, and its derivative by the driver, per mm or rad."""
        velocity = self.of(lambda m: m.point(reference).velocity)
        return self.of(lambda m: m.point(reference).position), self.derivative(velocity)

    def derivative(self, rates: Array) -> Array:
        """Rates per second, (n,) or (n, 3), as derivatives by the driver, per mm or rad."""
        own = np.radians(self.rate) if self.unit == "deg" else self.rate
        out: Array = rates / (own if rates.ndim == 1 else own[:, None])
        return out

    def place(self, value: float) -> DriverPosition:
        """The position at a driver value."""
        return DriverPosition(self.driver, value, self.unit)


def value_tolerance(low: float, high: float) -> float:
    """Difference below which values of a driver in a range are equal."""
    return AGREEMENT * (1.0 + sum(abs(v) for v in (low, high) if isfinite(v)))


def sweep_driver(
    given: Assembly,
    driver: str,
    asked: tuple[float, float],
    watch: Watch,
    states: int = STATES,
    more: Iterable[float] = (),
    known: DriverSweep | None = None,
) -> DriverSweep:
    """The sweep of a driver of a solved assembly from one value to another; `more` are added.

    `known`: the same with some of these values, to which the others are added where that will do.
    """
    d, (low, high) = given.drivers[driver], asked
    assert d.value is not None
    start = min(max(d.value, low), high)
    inner = [v for v in more if low < v < high]
    others = np.concatenate([np.linspace(low, high, states + 1), inner])
    apart = np.abs(others - start) > AGREEMENT * (1.0 + abs(start))
    values = np.array(sorted({*others[apart].tolist(), start}))
    sides = (values[values <= start][::-1], values[values >= start])
    motions = (None, None) if known is None else (known.down, known.up)
    down, up = (
        _swept(given, driver, side, watch, motion)
        for side, motion in zip(sides, motions, strict=True)
    )
    return DriverSweep(driver, d.unit, start, asked, down, up)


def _swept(
    given: Assembly, driver: str, values: Array, watch: Watch, known: Motion | None
) -> Motion:
    """The motion through values; one that is known with some of them is added to where it can."""
    if known is not None and known:
        old = known.prescribed[driver]
        new = np.array(sorted(set(values.tolist()).difference(old.tolist())))
        if len(new) == 0:
            return known
        longer = None
        if len(new) + len(old) == len(values):
            longer = with_states(known, driver, new, _remaining(watch))
            watch.check()
        if longer is not None:
            return longer
    # two values are not the ends of a range but the only states
    return watched(watch, given, {driver: values}, steps=1 if len(values) == 2 else None)


def watched(watch: Watch, given: Assembly, values: Mapping[str, Array], **how: Any) -> Motion:
    """A sweep within the remaining budget; raises `Stopped` where that is exceeded."""
    left = _remaining(watch)
    motion = sweep(given, values, budget=left.budget, cancel=left.cancel, **how)
    watch.check()
    return motion


def _remaining(watch: Watch) -> Watch:
    """A watch over what is left of the budget; raises `Stopped` where that is exceeded."""
    watch.check()
    left = watch.budget
    if left is not None:
        left = max(0.0, left - (perf_counter() - watch.begun))
    return Watch(left, watch.cancel)


def refined(
    driver_sweep: DriverSweep,
    given: Assembly,
    curves: Callable[[DriverSweep], Iterable[Array]],
    watch: Watch,
    more: Iterable[float] = (),
) -> DriverSweep:
    """The sweep with states at the extremes of some curves; `more` as of `sweep_driver`."""
    at = [e.value for e in driver_sweep.events]
    more = [*more, *(v + side * BESIDE * (1.0 + abs(v)) for v in at for side in (-1, 1))]
    for _ in range(ROUNDS):
        found = [v for y in curves(driver_sweep) for v in extremes(driver_sweep.at, y)]
        if not found:
            return driver_sweep
        more += found
        driver, asked = driver_sweep.driver, driver_sweep.asked
        driver_sweep = sweep_driver(given, driver, asked, watch, more=more, known=driver_sweep)
    return driver_sweep


def extremes(x: Array, y: Array) -> list[float]:
    """x of inner extremes of y, both (n,), by parabolas; none next to NaN, none of a flat curve.

    None where one of the places is that, nor beside a place so near that the slope to it is
    rounding: the parabola would lead anywhere.  Of places that are equal to rounding the first one
    counts, so that the last bit does not choose.
    """
    out: list[float] = []
    finite = y[np.isfinite(y)]
    if not len(finite):
        return out
    size = 1.0 + float(np.median(np.abs(finite)))
    for sign in (1.0, -1.0):
        ranked = np.where(np.isfinite(y), sign * y, np.inf)
        k = first_largest(-ranked, size)
        if not 0 < k < len(y) - 1 or not np.isfinite(ranked[k - 1 : k + 2]).all():
            continue
        left, right = x[k - 1] - x[k], x[k + 1] - x[k]
        a, b = (y[k - 1] - y[k]) / left, (y[k + 1] - y[k]) / right
        if abs(b - a) <= AGREEMENT * size * (1.0 / right - 1.0 / left):
            continue
        bend = (b - a) / (right - left)
        at = -(a - bend * left) / (2.0 * bend)
        if left < at < right and abs(at) > AGREEMENT * (1.0 + abs(x[k])):
            out.append(float(x[k] + at))
    return out

"""Where two parts first touch in a motion, by conservative advancement.

While parts are apart by d, and no point of one moves faster than u as seen from the other, they do
not touch for a time d / u.  Between two states an interval is bisected until that excludes contact,
or a contact that it does not exclude would be less deep than asked.

Source: B. Mirtich and J. Canny, Impulse-based simulation of rigid bodies, I3D 1995.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import FAINT, TINY
from ...foundations.types import Array
from .geometry import TriangleBody, by_bars, inside, separation
from .relative_motion import STILL, RelativeMotion, beside

STRETCH = 100.0
"""Factor by which parts are stretched along a direction in which they do not move.  That changes no
contact, and parts beside each other are as many times farther apart."""

SECANTS = 8
"""Most times at which an interval is divided by secants; by its middle after that."""


class Touch(NamedTuple):
    """Where two parts first touch.

    Attributes:
        k: the interval, between states k and k + 1; t: the time, s.
        within: a time later by the resolution, s, at which they touch, too.
        point, normal: (3,), in part b: where they touch, mm, and out of part b, unit.
    """

    k: int
    t: float
    within: float
    point: Array
    normal: Array


class _Sample(NamedTuple):
    """The distance at a time, mm, the points that have it, and the direction out of part b."""

    t: float
    distance: float
    points: Array
    away: Array


@dataclass(eq=False)
class TouchSearch:
    """The search for the first contact of a pair of parts along a run of a motion.

    Attributes:
        a, b: the parts; motion: of a as seen from b; gap: distance that counts as contact, mm.
        at: the frame of a in b, (12,), at a time in an interval, by its number and the time, s.
        resolution: of the time of contact, s.
        missed: depth of the deepest contact that the search may have missed, mm.
    """

    a: TriangleBody
    b: TriangleBody
    motion: RelativeMotion
    at: Callable[[int, float], Array]
    gap: float
    resolution: float
    missed: float = 0.0

    def __post_init__(self) -> None:
        self._known: dict[float, _Sample] = {}
        self._probes = 0
        curved = self.a.round + self.b.round > 0.0 or by_bars(self.a, self.b)
        as_is = self.gap > 0.0 or curved  # stretching would change it
        self._normal = None if as_is else self.motion.normal

    @cached_property
    def _solids(self) -> tuple[TriangleBody, TriangleBody]:
        """The parts, stretched along a direction in which they do not move."""
        n = self._normal
        if n is None:
            return self.a, self.b
        own = self.motion.frames[0, 3:].reshape(3, 3) @ n
        return self.a.stretched(own, STRETCH), self.b.stretched(n, STRETCH)

    @cached_property
    def _beside(self) -> bool:
        """Whether the parts stay beside each other along a direction in which they do not move."""
        apart = beside(self.a, self.b, self.motion) - self.gap
        return apart > FAINT * (self.a.radius + self.b.radius)

    def touches_at_start(self) -> bool:
        """Whether the parts touch, overlap or are one in the other in the first state."""
        if self._spheres()[0] > 0.0 or self._beside:
            return False
        frame = self.motion.frames[0]
        found = separation(self.a, frame, self.b, STILL).distance
        return found <= self.gap or inside(self.a, frame, self.b, STILL)

    def first(self, before: int) -> Touch | None:
        """The first contact in intervals below `before`; None without one."""
        if self._beside:
            return None
        way, spheres = self.motion.way, self._spheres()
        k = clear = 0  # the last state before k in which they are known to be apart
        while k < before:
            far = float(spheres[k])
            if far <= 0.0 or way[k] + far < way[k + 1]:
                far = self._sample(k, float(self.motion.t[k])).distance
            if far <= 0.0:
                return self._skipped(clear, k)
            clear, k = k, int(np.searchsorted(way, way[k] + far, side="right")) - 1
            if k == clear:
                found = self._between(k)
                if found is not None:
                    return found
                k += 1
        return self._skipped(clear, before) if spheres[before] <= 0.0 else None

    def _skipped(self, clear: int, touching: int) -> Touch | None:
        """The first contact between two states in which the estimated speed excluded one."""
        if self._sample(touching - 1, float(self.motion.t[touching])).distance > 0.0:
            return None
        found = (self._between(k) for k in range(clear, touching))
        return next((touch for touch in found if touch is not None), None)

    def _between(self, k: int) -> Touch | None:
        """The first contact in an interval that begins without one."""
        self._probes = 0
        t = self._within(k, *self.motion.t[k : k + 2].tolist())
        return None if t is None else self._touch(k, t)

    # ------------------------------------------------------------------ distances
    def _spheres(self) -> Array:
        """Distances of the spheres round the parts in each state, (n,), less the gap, mm."""
        apart = np.linalg.norm(self.a.centres(self.motion.frames) - self.b.centre, axis=1)
        out: Array = apart - self.a.radius - self.b.radius - self.gap
        return out

    def _sample(self, k: int, t: float) -> _Sample:
        if t not in self._known:
            states = self.motion.t
            at = k if t == states[k] else k + 1 if t == states[k + 1] else None
            self._known[t] = self._measured(
                t, self.motion.frames[at] if at is not None else self.at(k, t)
            )
        return self._known[t]

    def _measured(self, t: float, frame: Array) -> _Sample:
        (a, b), n = self._solids, self._normal
        if n is not None:
            frame = frame.copy()
            frame[:3] += (STRETCH - 1.0) * (frame[:3] @ n) * n
        found = separation(a, frame, b, STILL)
        points, away = found.points, found.points[0] - found.points[1]
        if n is not None:
            points = points + np.outer((1.0 / STRETCH - 1.0) * (points @ n), n)
            away = away + (STRETCH - 1.0) * (away @ n) * n
        return _Sample(t, found.distance - self.gap, points, away)

    # ------------------------------------------------------------------ between two states
    def _within(self, k: int, begin: float, end: float) -> float | None:
        """The time of the first contact in an interval that begins without one."""
        a, b = (self._sample(k, t) for t in (begin, end))
        if b.distance > 0.0:
            lacks = 0.5 * (self.motion.speed[k] * (end - begin) - a.distance - b.distance)
            if lacks <= min(self.a.shallow, self.b.shallow) or end - begin <= self.resolution:
                self.missed = max(self.missed, float(lacks))
                return None
            middle = 0.5 * (begin + end)
        elif end - begin <= self.resolution:
            return begin
        else:
            middle = self._probe(k, begin, end)
        found = self._within(k, begin, middle)
        if found is not None or self._sample(k, middle).distance <= 0.0:
            return found
        return self._within(k, middle, end)

    def _probe(self, k: int, begin: float, end: float) -> float:
        """A time at which an interval that ends in contact is divided.

        By the secant of the distance through the last two times without contact, on either side of
        its zero in turn, so that both ends come near; by its middle where that does not.
        """
        self._probes += 1
        if self._probes > SECANTS:
            return 0.5 * (begin + end)
        known = sorted(x for x in self._known.values() if x.distance > 0.0 and x.t <= begin)
        last, half = known[-1], 0.5 * self.resolution
        speed = self.motion.speed[k]
        if len(known) > 1 and known[-2].distance > last.distance:
            speed = (known[-2].distance - last.distance) / (last.t - known[-2].t)
            half = half if begin + last.distance / speed + half < end - half else -half
            out = begin + last.distance / speed + half
        else:
            out = begin + last.distance / speed
        half = 0.5 * self.resolution
        return float(min(max(out, begin + half), end - half))

    def _touch(self, k: int, t: float) -> Touch:
        """The contact with its point, and its normal by the nearest points just before it."""
        size = FAINT * (self.a.radius + self.b.radius)
        states = self.motion.t
        just = max(t - size / float(self.motion.speed[k]), float(states[0]))
        before = max(int(np.searchsorted(states, just, side="right")) - 1, 0)
        away = self._sample(before, just).away
        points = self._sample(k, t).points
        within = min(t + self.resolution, float(states[k + 1]))
        out = away / max(float(np.linalg.norm(away)), TINY)
        return Touch(k, t, within, points.mean(axis=0), out)

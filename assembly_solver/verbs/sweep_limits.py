"""Limits that a motion reaches: the first one ends it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..foundations.numerics.roots import root
from ..foundations.numerics.rounding import DIGITS, ROUNDING
from ..foundations.types import Array, Bools
from ..kinematics.assembly_motion import AssemblyMotion, followed_to
from ..kinematics.schedule import SweepRun
from ..model.drivers.limit import Limit
from ..results.motion import Event, Motion
from .sweep_events import main_driver, truncated

LIMIT = "limit"

BETWEEN = np.linspace(0.0, 1.0, 9)[1:-1]
"""Fractions of the interval between two states at which limits are checked."""


def within_limits(motion: Motion, found: AssemblyMotion) -> Motion:
    """A motion truncated where a coordinate first reaches a limit."""
    met = []
    for limit in motion.assembly.limits.values():
        if (violation := _LimitSearch(motion, found, limit).first()) is not None:
            met.append((*violation, limit))
    if not met:
        return motion
    order, _, n, k, beyond, limit = min(met, key=lambda m: m[:2])
    event = _limit_event(motion, found.schedule.runs[n], k, *beyond, limit)
    return truncated(motion, found, order, event)


def may_reach_limit(motion: Motion, found: AssemblyMotion) -> bool:
    """Whether a coordinate may be beyond a limit at a state or between two."""
    searches = [_LimitSearch(motion, found, limit) for limit in motion.assembly.limits.values()]
    return any(x.likely(n)[1].any() for x in searches for n in range(len(motion.runs)))


class _LimitSearch:
    """Search for the first violation of one limit along a motion."""

    def __init__(self, motion: Motion, found: AssemblyMotion, limit: Limit) -> None:
        self.motion, self.found, self.limit = motion, found, limit
        self.track = motion.quantity(limit)
        self.turn = 0.0
        same = [n for n, d in motion.assembly.drivers.items() if d.equation == limit.equation]
        told = any(n in motion.prescribed for n in same)
        driven = {int(e) for f in found.followers.values() for e in f.chain.driven}
        moving = [n for n in same if n in found.ready.drivers]
        self.driver = next((n for n in moving if found.ready.drivers[n].equation in driven), "")
        self.fixed = not told and any(motion.assembly.drivers[n].value is not None for n in same)
        start = motion.runs[0][0][0] if motion.runs else 0
        bounds = found.ready.plan.system.bounds
        if limit.unit == "deg" and not told and motion.valid[start] and bounds is not None:
            near = np.degrees(bounds.table.reference[bounds.names.index(limit.name)])
            self.turn = 360.0 * round((float(near) - float(self.track.value[start])) / 360.0)

    def first(self) -> tuple[int, float, int, int, tuple[float, float]] | None:
        """States before it, time, run, next state, time and value of the violation; or None."""
        done = 0
        for n, (states, t, _) in enumerate(self.motion.runs):
            moves = _leading(self.motion.has_rates[states])
            value, likely = self.likely(n)
            for k in np.flatnonzero(likely).tolist():
                begin = float(t[0]), float(value[0])
                left = self._crossing(n, k, float(t[k])) if k else begin
                if left is not None:
                    return done + k, left[0], n, k, left
            stop = self.motion.stopped
            if 0 < moves < len(states) and stop is not None and stop.t > t[moves - 1]:
                left = self._crossing(n, moves, stop.t - DIGITS * (stop.t - float(t[moves - 1])))
                if left is not None:
                    return done + moves, left[0], n, moves, left
            done += len(states)
        return None

    def likely(self, n: int) -> tuple[Array, Bools]:
        """Values at the valid states of run n, and before which it may violate the limit."""
        allowed, (states, t, backward) = self.motion.assembly.tolerance, self.motion.runs[n]
        good, moves = (_leading(x[states]) for x in (self.motion.valid, self.motion.has_rates))
        value = self.track.value[states[:good]] + self.turn
        rate = self.track.rate[states[:moves]] * (-1.0 if backward else 1.0)
        out: Bools = _excess(self.limit, value) > allowed
        out[1:moves] |= self._most_between(n, t[:moves], value[:moves], rate) > allowed
        return value, out

    def _most_between(self, n: int, t: Array, value: Array, rate: Array) -> Array:
        """Largest violation between successive states of run n, mm or degrees."""
        run, h = self.found.schedule.runs[n], np.diff(t)
        if self.driver or self.fixed:
            between = [value[:-1] + self._told(run, t[:-1], t[:-1] + x * h) for x in BETWEEN]
        else:
            between = [_cubic(value, h * rate[:-1], h * rate[1:], x) for x in BETWEEN]
        most: Array = np.max([_excess(self.limit, v) for v in between], axis=0, initial=-np.inf)
        return most

    def _told(self, run: SweepRun, begin: Array, t: Array) -> Array:
        """Change of the coordinate of a driver from `begin` to `t`: by its law, or none."""
        if self.fixed:
            return np.zeros(len(t))
        law = run.laws[self.driver]
        return law(t)[0] - law(begin)[0]

    def _crossing(self, n: int, k: int, end: float) -> tuple[float, float] | None:
        """Time before `end` at which the bound is crossed, and a value behind it; or None."""
        run = self.found.schedule.runs[n]
        begin, before = float(run.t[k - 1]), float(self.track.value[run.states[k - 1]]) + self.turn
        values: dict[float, float] = {begin: before}

        def out(t: float) -> float:
            if self.driver or self.fixed:
                change = float(self._told(run, np.array([begin]), np.array([t]))[0])
            else:
                change = self._change(run, k - 1, t)
            values[t] = before + change
            return float(_excess(self.limit, values[t]))

        places = [begin + x * (end - begin) for x in (*BETWEEN, 1.0)]
        allowed = self.motion.assembly.tolerance
        b = next((t for t in places if out(t) > allowed), None)
        if b is None:
            return None
        a, high = max(t for t in values if t < b), values[b]
        fa, fb = (float(_excess(self.limit, values[t])) for t in (a, b))
        if not fa < 0.0:
            return a, high
        return root(out, a, b, fa, fb, small=ROUNDING), high

    def _change(self, run: SweepRun, state: int, t: float) -> float:
        """Change of the coordinate from a state of the run to `t`, mm or degrees."""
        both, change = np.array([0, 1]), 0.0
        for followed in followed_to(self.found, run, state, t):
            times = followed.schedule.t
            part = replace(
                self.motion,
                t=times,
                valid=followed.reached,
                frames=followed.frames,
                twists=followed.twists,
                accelerations=followed.accelerations,
                runs=((both, times, False),),
                prescribed={},
                again=both,
            )
            value = part.quantity(self.limit).value
            change += float(value[1] - value[0])
        return change


def _cubic(value: Array, before: Array, after: Array, x: float) -> Array:
    """Hermite cubics between values, with end slopes `before` and `after`, at x from 0 to 1."""
    change = np.diff(value)
    quadratic = 3.0 * change - 2.0 * before - after
    out: Array = value[:-1] + x * (before + x * (quadratic + x * (before + after - 2.0 * change)))
    return out


def _leading(good: Bools) -> int:
    """How many of the first states are good."""
    return int(np.argmin(np.append(good, False)))


def _excess(limit: Limit, value: Array | float) -> Array:
    """Violation of the bounds of a limit, mm or degrees; negative within."""
    low = -np.inf if limit.min is None else limit.min
    high = np.inf if limit.max is None else limit.max
    out: Array = np.maximum(value - high, low - value)
    return out


def _limit_event(
    motion: Motion, run: SweepRun, k: int, t: float, beyond: float, limit: Limit
) -> Event:
    """The event that a coordinate reaches a limit; `beyond` is a value that violates it."""
    lead, value, where = main_driver(motion, run, t)
    upper = limit.max is not None and beyond > limit.max
    side = f"{'max' if upper else 'min'} of {limit.bound(upper):g} {limit.unit}"
    what = limit.words if limit.name == limit.words else f"{limit.name} ({limit.words})"
    words = f"{what} reaches its {side} at {where}: {lead or 'the motion'} stops there"
    if k == 0:
        words = f"{what} is {beyond:.6g} {limit.unit} at {where}, beyond its {side}"
    return Event(LIMIT, lead, value, t, limit.joint or limit.name, words, True)

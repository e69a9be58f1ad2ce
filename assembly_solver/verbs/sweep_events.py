"""What stops a motion or is passed on its way: singular poses and limits, as events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..diagnosis.drivers import judge
from ..equations.residuals import residual_of
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.roots import root
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..kinematics.assembly_motion import Met, Ready, Travel, at_state, travel
from ..kinematics.schedule import Run, Schedule
from ..kinematics.singularities import CHANGE_POINT, lost
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.drivers.limit import Limit
from ..results.motion import Event, Motion
from ..results.wording.drivers import driver_lines
from ..results.wording.events import obstacle_words, start_words
from ..results.wording.plain import listed, short
from .solving import solve

LIMIT, CONTRADICTION = "limit", "contradiction"

BETWEEN = np.linspace(0.0, 1.0, 9)[1:-1]
"""Places between two states at which limits are looked at."""


def events(given: Assembly, found: Travel) -> tuple[Event, ...]:
    """Singular poses that were met, in order; those at one place of the way count once."""
    out: list[Event] = []
    for met in found.met:
        made = _event(given, found, met)
        same = [e for e in out if e.kind == made.kind and abs(e.t - made.t) < 1e-9 * (1 + made.t)]
        if not same or made.stops:
            out.append(made)
    return tuple(sorted(out, key=lambda e: e.stops))


def _event(given: Assembly, found: Travel, met: Met) -> Event:
    """One singular pose in the user's names."""
    o = met.obstacle
    lead, told = _driving(given, met)
    joint, words = obstacle_words(given, found, met, told)
    return Event(o.kind, lead, told.get(lead, (o.t, "s"))[0], o.t, joint, words, o.stops)


def _driving(given: Assembly, met: Met) -> tuple[str, dict[str, tuple[float, str]]]:
    """The driver that goes farthest where a singular pose is, and the values of all that go."""
    o, run = met.obstacle, met.run
    drivers = met.follower.stepper.drivers
    values = {n: float(run.laws[n](np.array([o.t]))[0][0]) for n in drivers}
    moved = {n: np.ptp(run.laws[n](run.t)[0]) for n in drivers}
    lead = max(moved, key=lambda n: float(moved[n]), default="")
    told = {n: (v, given.drivers[n].unit) for n, v in values.items() if moved[n] > 0 or n == lead}
    return lead, told or {"t": (o.t, "s")}  # where a guide alone moves it


def singular_start(given: Assembly, found: Travel) -> str:
    """Why a sweep could not begin: its first state is singular, and the assembly stands there."""
    run = found.schedule.runs[0]
    for k, f in found.followers.items():
        if f.singular_start:
            met = Met(k, f, run, lost(f.stepper, 0, float(run.t[0]), f.now.poses))
            return start_words(given, found, met, _driving(given, met)[1])
    return ""


# ---------------------------------------------------------------------- contradictions
def without_contradiction(motion: Motion, found: Travel) -> Motion:
    """A motion cut off where mates or drivers that repeat others come to contradict them."""
    allowed, done = motion.assembly.tolerance, 0
    for n, (states, *_) in enumerate(motion.runs):
        off = motion.residual_mm[states]
        wrong = np.flatnonzero(motion.valid[states] & ~(off <= allowed))
        if len(wrong):
            k = int(wrong[0])
            run = found.schedule.runs[n]
            event = _contradicted(motion, found, run, k)
            return _cut(motion, found, done + k, event)
        done += len(states)
    return motion


def _contradicted(motion: Motion, found: Travel, run: Run, at: int) -> Event:
    """What does not hold together at a state of a run."""
    system = found.ready.plan.system
    state, t = int(run.states[at]), run.t[at : at + 1]
    target = system.table.target.copy()
    for name, driver in found.ready.drivers.items():
        target[driver.equation] = float(run.laws[name](t)[0][0]) * driver.scale
    frames = system.table.marker_frame.copy()
    for marker, guide in found.ready.guides.items():
        part = int(system.table.marker_body[marker])
        away = invert_all(found.ready.plan.bodies.relative[part][None])
        frames[marker] = compose_all(away, guide.at(t)[0])[0]
    table = system.table._replace(target=target, marker_frame=frames)
    asked = replace(system, table=table)
    off = system.in_mm(*residual_of(asked, motion.frames[state]))
    names = [system.promises[k] for k in np.flatnonzero(off > motion.assembly.tolerance)]
    lead, value, where = _lead(motion, run, float(t[0]))
    joint = system.promises[int(np.argmax(off))]
    words = (
        f"{listed(names)} cannot hold with the other mates and drivers at {where} "
        f"({short(float(off.max()))} mm off)"
    )
    words = "; ".join([words, *_repeated(motion.assembly)])
    return Event(CONTRADICTION, lead, value, float(t[0]), joint, words, True)


def _repeated(given: Assembly) -> list[str]:
    """Which drivers repeat what others and the mates tell, a line each."""
    free = given.copy()
    held = [(n, d) for n, d in given.drivers.items() if d.value is not None]
    driven = [n for n, d in held if not isinstance(d, Guide)]  # a part without its guide is fixed
    for name in driven:
        free.set_driver(name, None)
    solution = solve(free)
    if not solution:
        return []
    found = judge(solution.diagnosis, free, driven)
    return driver_lines(replace(found, missing=0, dead=()))


def _lead(motion: Motion, run: Run, t: float) -> tuple[str, float, str]:
    """The driver that goes farthest on a run, its value at a time, and that in words."""
    moved = {n: float(np.ptp(law(run.t)[0])) for n, law in run.laws.items()}
    if not moved:
        return "", t, f"t = {t:.10g} s"
    lead = max(moved, key=lambda n: moved[n])
    value = float(run.laws[lead](np.array([t]))[0][0])
    return lead, value, f"{lead} {value:.10g} {motion.assembly.drivers[lead].unit}"


# ---------------------------------------------------------------------- limits
def within_limits(motion: Motion, found: Travel) -> Motion:
    """A motion cut off where a coordinate comes to a limit: the stop wins, the drivers wait."""
    met = []
    for limit in motion.assembly.limits.values():
        place = _Limited(motion, found, limit).first()
        if place is not None:
            met.append((*place, limit))
    if not met:
        return motion
    order, _, n, k, beyond, limit = min(met, key=lambda m: m[:2])
    return _cut(motion, found, order, _reached(motion, found.schedule.runs[n], k, *beyond, limit))


class _Limited:
    """Where one limit is left on the way."""

    def __init__(self, motion: Motion, found: Travel, limit: Limit) -> None:
        self.motion, self.found, self.limit = motion, found, limit
        self.track = motion.quantity(limit)
        self.turn = 0.0
        told = any(motion.assembly.drivers[n].equation == limit.equation for n in motion.prescribed)
        start = motion.runs[0][0][0] if motion.runs else 0
        bounds = found.ready.plan.system.bounds
        if limit.unit == "deg" and not told and motion.valid[start] and bounds is not None:
            near = np.degrees(bounds.table.reference[bounds.names.index(limit.name)])
            self.turn = 360.0 * round((float(near) - float(self.track.value[start])) / 360.0)

    def first(self) -> tuple[int, float, int, int, tuple[float, float]] | None:
        """States before, time, run, state behind, and the time and value where it is left."""
        allowed, done = self.motion.assembly.tolerance, 0
        for n, (states, t, backward) in enumerate(self.motion.runs):
            good = int(np.argmin(np.append(self.motion.valid[states], False)))
            value = self.track.value[states[:good]] + self.turn
            rate = self.track.rate[states[:good]] * (-1.0 if backward else 1.0)
            out = _beyond(self.limit, value)
            h = np.diff(t[:good])
            between = [_cubic(value, h * rate[:-1], h * rate[1:], x) for x in BETWEEN]
            most = np.max([_beyond(self.limit, v) for v in between], axis=0, initial=-np.inf)
            likely = np.maximum(out, np.append(-np.inf, most)) > allowed
            for k in np.flatnonzero(likely).tolist():
                left = (float(t[0]), float(value[0])) if k == 0 else self._left(n, k, float(t[k]))
                if left is not None:
                    return done + k, left[0], n, k, left
            stop = self.motion.stopped
            if 0 < good < len(states) and stop is not None and stop.t > t[good - 1]:
                left = self._left(n, good, stop.t - 1e-6 * (stop.t - float(t[good - 1])))
                if left is not None:
                    return done + good, left[0], n, good, left
            done += len(states)
        return None

    def _left(self, n: int, k: int, end: float) -> tuple[float, float] | None:
        """The time before `end` at which it is left, and a value beyond; None where it is not."""
        run = self.found.schedule.runs[n]
        state, begin = int(run.states[k - 1]), float(run.t[k - 1])
        ready = at_state(self.found.ready, self.found, state)
        before = float(self.track.value[state]) + self.turn
        values: dict[float, float] = {begin: before}

        def out(t: float) -> float:
            values[t] = before + self._change(ready, run, begin, t)
            return float(_beyond(self.limit, np.array([values[t]]))[0])

        places = [begin + x * (end - begin) for x in (*BETWEEN, 1.0)]
        allowed = self.motion.assembly.tolerance
        b = next((t for t in places if out(t) > allowed), None)
        if b is None:
            return None
        a, high = max(t for t in values if t < b), values[b]
        fa, fb = (float(_beyond(self.limit, np.array([values[t]]))[0]) for t in (a, b))
        if not fa < 0.0:
            return a, high
        return root(out, a, b, fa, fb, small=1e-12), high

    def _change(self, ready: Ready, run: Run, begin: float, t: float) -> float:
        """By how much the coordinate changes from the begin to a time."""
        both, times = np.array([0, 1]), np.array([begin, t])
        way = Schedule(times, {}, (Run(both, times, run.laws),), both)
        led = travel(ready, way, Watch())
        part = replace(
            self.motion,
            t=times,
            valid=led.reached,
            frames=led.frames,
            twists=led.twists,
            accelerations=led.accelerations,
            runs=((both, times, False),),
            prescribed={},
            again=both,
        )
        value = part.quantity(self.limit).value
        return float(value[1] - value[0])


def _cubic(value: Array, before: Array, after: Array, x: float) -> Array:
    """The cubics between values with these slopes at their two ends, at x from 0 to 1."""
    gone = np.diff(value)
    bend = 3.0 * gone - 2.0 * before - after
    out: Array = value[:-1] + x * (before + x * (bend + x * (before + after - 2.0 * gone)))
    return out


def _beyond(limit: Limit, value: Array) -> Array:
    """How far values are out of the bounds of a limit; negative within."""
    low = -np.inf if limit.min is None else limit.min
    high = np.inf if limit.max is None else limit.max
    out: Array = np.maximum(value - high, low - value)
    return out


def _reached(motion: Motion, run: Run, k: int, t: float, beyond: float, limit: Limit) -> Event:
    """The event that a limit is left at a time, behind which a coordinate is beyond it."""
    lead, value, where = _lead(motion, run, t)
    upper = limit.max is not None and beyond > limit.max
    side = f"{'max' if upper else 'min'} of {limit.bound(upper):g} {limit.unit}"
    what = limit.words if limit.name == limit.words else f"{limit.name} ({limit.words})"
    words = f"{what} reaches its {side} at {where}: {lead or 'the motion'} stops there"
    if k == 0:
        words = f"{what} is {beyond:.6g} {limit.unit} at {where}, beyond its {side}"
    return Event(LIMIT, lead, value, t, limit.joint or limit.name, words, True)


def _cut(motion: Motion, found: Travel, order: int, event: Event) -> Motion:
    """A motion without the states from a place of its way on."""
    done, keep = 0, np.zeros(len(motion.t), bool)
    for states, *_ in motion.runs:
        keep[states[: max(0, order - done)]] = True
        done += len(states)
    again = found.schedule.again
    lost = ~(keep[again] & motion.valid)
    arrays = {}
    for name in ("frames", "twists", "accelerations", "residual_mm"):
        array = getattr(motion, name).copy()
        array[lost] = np.nan
        arrays[name] = array
    kept = [e for e in motion.events if e.kind == CHANGE_POINT and e.t <= event.t]
    reasons = tuple(event.words if gone else "" for gone in lost.tolist())
    return replace(motion, valid=~lost, reasons=reasons, events=(*kept, event), **arrays)

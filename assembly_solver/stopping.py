"""What stops a motion or is passed on its way: singular poses and limits, as events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .kinematics.schedule import Run, Schedule
from .kinematics.singular import CHANGE_POINT
from .kinematics.travel import Met, Travel, at_state, travel
from .model.assembly import Assembly
from .model.limit import Limit
from .motion import Event, Motion
from .solver import residual_of
from .watch import Watch
from .wording.events import obstacle_words
from .wording.plain import listed, short

Array = NDArray[np.float64]

LIMIT = "limit"


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
    o, run = met.obstacle, met.run
    drivers = met.follower.stepper.drivers
    values = {n: float(run.laws[n](np.array([o.t]))[0][0]) for n in drivers}
    moved = {n: np.ptp(run.laws[n](run.t)[0]) for n in drivers}
    lead = max(moved, key=lambda n: float(moved[n]))
    told = {n: (v, given.drivers[n].unit) for n, v in values.items() if moved[n] > 0 or n == lead}
    joint, words = obstacle_words(given, found, met, told)
    return Event(o.kind, lead, values[lead], o.t, joint, words, o.stops)


# ---------------------------------------------------------------------- contradictions
CONTRADICTION = "contradiction"


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
    asked = replace(system, table=system.table._replace(target=target))
    off = system.in_mm(*residual_of(asked, motion.frames[state]))
    names = [system.promises[k] for k in np.flatnonzero(off > motion.assembly.tolerance)]
    lead, value, where = _lead(motion, run, float(t[0]))
    joint = system.promises[int(np.argmax(off))]
    words = (
        f"{listed(names)} cannot hold with the other mates and drivers at {where} "
        f"({short(float(off.max()))} mm off)"
    )
    return Event(CONTRADICTION, lead, value, float(t[0]), joint, words, True)


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
        place = _first_beyond(motion, limit)
        if place is not None:
            met.append((*place, limit))
    if not met:
        return motion
    order, run, at, limit = min(met, key=lambda m: m[:3])
    event = _reached(motion, found, found.schedule.runs[run], at, limit)
    return _cut(motion, found, order, event)


def _first_beyond(motion: Motion, limit: Limit) -> tuple[int, int, int] | None:
    """Where a limit is first left: how many states before, the run, and the state on it."""
    track = motion.quantity(limit)
    out = _beyond(limit, track.value)
    allowed = motion.assembly.tolerance
    done = 0
    for n, (states, *_) in enumerate(motion.runs):
        for k, s in enumerate(states.tolist()):
            if motion.valid[s] and out[s] > allowed:
                return done + k, n, k
        done += len(states)
    return None


def _beyond(limit: Limit, value: Array) -> Array:
    """How far values are out of the bounds of a limit; negative within."""
    low = -np.inf if limit.min is None else limit.min
    high = np.inf if limit.max is None else limit.max
    out: Array = np.maximum(value - high, low - value)
    return out


def _reached(motion: Motion, found: Travel, run: Run, at: int, limit: Limit) -> Event:
    """The event that a limit is reached between two states of a run, or stands beyond at once."""
    t = float(run.t[at])
    if at > 0:
        t = _when(motion, found, run, at, limit)
    lead, value, where = _lead(motion, run, t)
    track = motion.quantity(limit)
    here = float(track.value[run.states[at]])
    upper = limit.max is not None and here > limit.max
    bound = limit.bound(upper)
    what = limit.words if limit.name == limit.words else f"{limit.name} ({limit.words})"
    words = (
        f"{what} reaches its {'max' if upper else 'min'} of {bound:g} {limit.unit} "
        f"at {where}: {lead or 'the motion'} stops there"
    )
    if at == 0:
        words = (
            f"{what} is {here:.6g} {limit.unit} at {where}, beyond its "
            f"{'max' if upper else 'min'} of {bound:g} {limit.unit}"
        )
    return Event(LIMIT, lead, value, t, limit.joint or limit.name, words, True)


def _when(motion: Motion, found: Travel, run: Run, at: int, limit: Limit) -> float:
    """The time at which a limit is reached between two states: false position, Illinois variant."""
    state = int(run.states[at - 1])
    ready = at_state(found.ready, found, state)
    begin = float(run.t[at - 1])
    both = np.array([0, 1])
    before = float(motion.quantity(limit).value[state])

    def out(t: float) -> float:
        short = Run(both, np.array([begin, t]), run.laws)
        led = travel(ready, Schedule(np.array([begin, t]), {}, (short,), both), Watch())
        part = replace(
            motion, t=np.array([begin, t]), valid=led.reached, frames=led.frames,
            twists=led.twists, accelerations=led.accelerations, runs=((both, short.t, False),),
            prescribed={},
        )  # fmt: skip
        value = part.quantity(limit).value
        return float(_beyond(limit, value[1:] - value[:1] + before)[0])

    a, b = begin, float(run.t[at])
    fa, fb = float(_beyond(limit, np.array([before]))[0]), out(b)
    if not fa < 0.0 < fb:
        return a
    for _ in range(60):
        x = b - fb * (b - a) / (fb - fa)
        fx = out(x)
        if fx == 0.0 or abs(b - a) <= 1e-14 * abs(b):
            return x
        if fx * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = x, fx
        if abs(fx) < 1e-12:
            break
    return b


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
    motion = replace(motion, valid=~lost, reasons=reasons, events=(*kept, event), **arrays)
    return motion

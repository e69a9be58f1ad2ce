"""Events of a motion: singular poses, releases, contradictions and limits reached."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..diagnosis.drivers import diagnose_drivers
from ..equations.residuals import residual_of
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.roots import root
from ..foundations.numerics.rounding import AGREEMENT, DIGITS, ROUNDING
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..kinematics.assembly_motion import (
    AssemblyMotion,
    DrivenAssembly,
    MetObstacle,
    at_state,
    follow_schedule,
)
from ..kinematics.branch_following import ChainFollower
from ..kinematics.lock_change import LockChange
from ..kinematics.schedule import Schedule, SweepRun, between
from ..kinematics.singularities import CHANGE_POINT, DEAD_POINT, end_of_branch
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.drivers.limit import Limit
from ..results.motion import Event, Motion
from ..results.wording.drivers import driver_lines
from ..results.wording.events import (
    NO_RATES,
    held_words,
    locked_words,
    obstacle_words,
    start_words,
    where,
)
from ..results.wording.phrases import listed, place, short
from .solving import solve

LIMIT, CONTRADICTION, RELEASE = "limit", "contradiction", "release"

BETWEEN = np.linspace(0.0, 1.0, 9)[1:-1]
"""Fractions of the interval between two states at which limits are checked."""


def events(given: Assembly, found: AssemblyMotion) -> tuple[Event, ...]:
    """Singular poses and releases, in order; several singular poses at one time count once."""
    if found.singular_start:
        return (_singular_start(given, found),)
    out: list[Event] = []
    for met in found.met:
        made = _event(given, found, met)
        same = [
            e for e in out if e.kind == made.kind and abs(e.t - made.t) < AGREEMENT * (1 + made.t)
        ]
        if not same or made.stops:
            out.append(made)
    changes = found.lock_changes
    if changes:
        out += [_release(given, found, f, change) for f, change in changes]
        out.sort(key=lambda e: e.t)
    return tuple(sorted(out, key=lambda e: e.stops))


def _release(given: Assembly, found: AssemblyMotion, f: ChainFollower, change: LockChange) -> Event:
    """The event that a locked coordinate is released and another held."""
    lead, values = _values_at(given, f, change.run, change.start)
    old, new, begin, end = _change_words(given, found, f, change)
    words = f"{old} is released at {begin}, and {new} is held from {end}"
    if old == new:
        words = f"{old} is released at {begin}, and held about another axis from {end}"
    value = values.get(lead, (change.start, "s"))[0]
    return Event(RELEASE, lead, value, change.start, "", words, False)


def _change_words(
    given: Assembly, found: AssemblyMotion, f: ChainFollower, change: LockChange
) -> tuple[str, str, str, str]:
    """Names of the released and the held coordinate, where the one ends and the other begins."""
    old, new = (locked_words(given, found.ready.plan, h) for h in (change.released, change.held))
    begin, end = (where(_values_at(given, f, change.run, t)[1]) for t in (change.start, change.end))
    return old, new, begin, end


def told_held(given: Assembly, found: AssemblyMotion, until: float = np.inf) -> tuple[str, ...]:
    """The locked coordinates in words, with releases up to a time, s."""
    words = list(held_words(given, found.ready))
    for f, change in sorted(found.lock_changes, key=lambda x: x[1].start):
        if change.start > until:
            continue
        old, new, begin, end = _change_words(given, found, f, change)
        now = [w for w in words if " until " not in w and w.split(" from ")[0] == old]
        words = [f"{w} until {begin}" if w in now[:1] else w for w in words]
        if change.end <= until:
            words.append(f"{new} from {end}")
    return tuple(words)


def _event(given: Assembly, found: AssemblyMotion, met: MetObstacle) -> Event:
    o, (lead, values) = met.obstacle, _driver_values(given, met)
    joint, words = obstacle_words(given, found, met, values)
    if met.follower.on_dead_point(met.run, o):
        words += NO_RATES
    return Event(o.kind, lead, values.get(lead, (o.t, "s"))[0], o.t, joint, words, o.stops)


def _driver_values(given: Assembly, met: MetObstacle) -> tuple[str, dict[str, tuple[float, str]]]:
    """The driver that moves most near a singular pose, and the values of all that move."""
    return _values_at(given, met.follower, met.run, met.obstacle.t)


def _values_at(
    given: Assembly, f: ChainFollower, run: SweepRun, t: float
) -> tuple[str, dict[str, tuple[float, str]]]:
    """The driver of a chain that moves most, and the values of all that move at a time, s."""
    drivers = f.stepper.drivers
    values = {n: float(run.laws[n](np.array([t]))[0][0]) for n in drivers}
    moved = {n: np.ptp(run.laws[n](run.t)[0]) for n in drivers}
    lead = max(moved, key=lambda n: float(moved[n]), default="")
    shown = {n: (v, given.drivers[n].unit) for n, v in values.items() if moved[n] > 0 or n == lead}
    return lead, shown or {"t": (t, "s")}  # where a guide alone moves it


def _singular_start(given: Assembly, found: AssemblyMotion) -> Event:
    """Why a sweep ends where it begins: its first state, where the assembly is, is singular."""
    run = found.schedule.runs[0]
    k, f = next((k, f) for k, f in found.followers.items() if f.singular_start)
    dead = end_of_branch(f.stepper, 0, float(run.t[0]), f.now.poses)
    met = MetObstacle(k, f, run, dead)
    lead, values = _driver_values(given, met)
    joint, words = start_words(given, found, met, values, len(run.t) > 1)
    return Event(DEAD_POINT, lead, values.get(lead, (dead.t, "s"))[0], dead.t, joint, words, True)


# ---------------------------------------------------------------------- contradictions
def without_contradiction(motion: Motion, found: AssemblyMotion) -> Motion:
    """A motion truncated where redundant mates or drivers begin to contradict the others."""
    allowed, done = motion.assembly.tolerance, 0
    for n, (states, *_) in enumerate(motion.runs):
        off = motion.residual_mm[states]
        wrong = np.flatnonzero(motion.valid[states] & ~(off <= allowed))
        if len(wrong):
            k = int(wrong[0])
            event = _contradiction_event(motion, found, found.schedule.runs[n], k)
            return _truncated(motion, found, done + k, event)
        done += len(states)
    return motion


def _contradiction_event(motion: Motion, found: AssemblyMotion, run: SweepRun, at: int) -> Event:
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
    prescribed = replace(system, table=system.table._replace(target=target, marker_frame=frames))
    off = system.in_mm(*residual_of(prescribed, motion.frames[state]))
    names = [system.constraints[k] for k in np.flatnonzero(off > motion.assembly.tolerance)]
    lead, value, where = _main_driver(motion, run, float(t[0]))
    joint, worst = system.constraints[int(np.argmax(off))], short(float(off.max()))
    words = f"{listed(names)} cannot hold with the other mates and drivers at {where}"
    words = "; ".join([f"{words} ({worst} mm off)", *_repeated(motion.assembly)])
    return Event(CONTRADICTION, lead, value, float(t[0]), joint, words, True)


def _repeated(given: Assembly) -> list[str]:
    free = given.copy()
    active = [(n, d) for n, d in given.drivers.items() if d.value is not None]
    driven = [n for n, d in active if not isinstance(d, Guide)]  # a part without its guide is fixed
    for name in driven:
        free.set_driver(name, None)
    solution = solve(free)
    if not solution:
        return []
    found = diagnose_drivers(solution.diagnosis, free, driven)
    return driver_lines(replace(found, missing=0, dead=()))


def _main_driver(motion: Motion, run: SweepRun, t: float) -> tuple[str, float, str]:
    """The driver that moves most over a run, its value at a time, and both in words."""
    moved = {n: float(np.ptp(law(run.t)[0])) for n, law in run.laws.items()}
    if not moved:
        return "", t, f"t = {place(t)} s"
    lead = max(moved, key=lambda n: moved[n])
    value = float(run.laws[lead](np.array([t]))[0][0])
    return lead, value, f"{lead} {place(value)} {motion.assembly.drivers[lead].unit}"


# ---------------------------------------------------------------------- limits
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
    return _truncated(motion, found, order, event)


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
        allowed, done = self.motion.assembly.tolerance, 0
        for n, (states, t, backward) in enumerate(self.motion.runs):
            good, moves = (_leading(x[states]) for x in (self.motion.valid, self.motion.has_rates))
            value = self.track.value[states[:good]] + self.turn
            rate = self.track.rate[states[:moves]] * (-1.0 if backward else 1.0)
            out = _excess(self.limit, value)
            likely = out > allowed
            likely[1:moves] |= self._most_between(n, t[:moves], value[:moves], rate) > allowed
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
        state, begin = int(run.states[k - 1]), float(run.t[k - 1])
        ready = at_state(self.found.ready, self.found, state)
        before = float(self.track.value[state]) + self.turn
        values: dict[float, float] = {begin: before}

        released = any(
            c.run is run and c.start < run.t[k] and c.end > begin
            for _, c in self.found.lock_changes
        )

        def out(t: float) -> float:
            if self.driver or self.fixed:
                change = float(self._told(run, np.array([begin]), np.array([t]))[0])
            elif released:
                change = self._between(run, k, t)
            else:
                change = self._change(ready, run, begin, t)
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

    def _between(self, run: SweepRun, k: int, t: float) -> float:
        """Change from state k - 1 to `t` by a polynomial: while a release is under way."""
        a, b = (int(s) for s in run.states[k - 1 : k + 1])
        track, sign = self.track, -1.0 if run.backward else 1.0
        ends = [
            (x.value[s : s + 1], sign * x.rate[s : s + 1], x.acc[s : s + 1])
            for x, s in ((track, a), (track, b))
        ]
        whole = float(run.t[k] - run.t[k - 1])
        value, _, _ = between(ends[0], ends[1], whole, (t - float(run.t[k - 1])) / whole)
        return float(value[0]) - float(track.value[a])

    def _change(self, ready: DrivenAssembly, run: SweepRun, begin: float, t: float) -> float:
        """Change of the coordinate from `begin` to `t`, mm or degrees."""
        both, times = np.array([0, 1]), np.array([begin, t])
        way = Schedule(times, {}, (SweepRun(both, times, run.laws),), both)
        followed = follow_schedule(ready, way, Watch())
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
        return float(value[1] - value[0])


def _cubic(value: Array, before: Array, after: Array, x: float) -> Array:
    """Hermite cubics between values, with end slopes `before` and `after`, at x from 0 to 1."""
    change = np.diff(value)
    quadratic = 3.0 * change - 2.0 * before - after
    out: Array = value[:-1] + x * (before + x * (quadratic + x * (before + after - 2.0 * change)))
    return out


def _leading(good: NDArray[np.bool_]) -> int:
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
    lead, value, where = _main_driver(motion, run, t)
    upper = limit.max is not None and beyond > limit.max
    side = f"{'max' if upper else 'min'} of {limit.bound(upper):g} {limit.unit}"
    what = limit.words if limit.name == limit.words else f"{limit.name} ({limit.words})"
    words = f"{what} reaches its {side} at {where}: {lead or 'the motion'} stops there"
    if k == 0:
        words = f"{what} is {beyond:.6g} {limit.unit} at {where}, beyond its {side}"
    return Event(LIMIT, lead, value, t, limit.joint or limit.name, words, True)


def _truncated(motion: Motion, found: AssemblyMotion, order: int, event: Event) -> Motion:
    """A motion without the states from number `order` on, counted along its runs."""
    done, keep = 0, np.zeros(len(motion.t), bool)
    for states, *_ in motion.runs:
        keep[states[: max(0, order - done)]] = True
        done += len(states)
    again = found.schedule.again
    lost = ~(keep[again] & motion.valid)
    names = ("frames", "twists", "accelerations", "residual_mm")
    arrays = {name: getattr(motion, name).copy() for name in names}
    for array in arrays.values():
        array[lost] = np.nan
    earlier = [e for e in motion.events if e.kind in (CHANGE_POINT, RELEASE) and e.t <= event.t]
    reasons = tuple(event.words if change else "" for change in lost.tolist())
    return replace(
        motion,
        valid=~lost,
        reasons=reasons,
        events=(*earlier, event),
        tell_held=lambda: told_held(motion.assembly, found, event.t),
        **arrays,
    )

"""Events of a motion: singular poses, releases and contradictions; and what ends it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..diagnosis.drivers import diagnose_drivers
from ..equations.residuals import residual_of
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.rounding import AGREEMENT
from ..kinematics.assembly_motion import AssemblyMotion, MetObstacle
from ..kinematics.branch_following import ChainFollower
from ..kinematics.lock_change import LockChange
from ..kinematics.schedule import SweepRun
from ..kinematics.singularities import CHANGE_POINT, DEAD_POINT, end_of_branch
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
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

CONTRADICTION, RELEASE = "contradiction", "release"


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
    meet = f.prepared.branches_meet(f.now.poses, f.tolerance)
    here = end_of_branch(f.stepper, 0, float(run.t[0]), f.now.poses)
    here = here._replace(kind=CHANGE_POINT if meet else DEAD_POINT)
    met = MetObstacle(k, f, run, here)
    lead, values = _driver_values(given, met)
    joint, words = start_words(given, found, met, values, len(run.t) > 1)
    value = values.get(lead, (here.t, "s"))[0]
    return Event(here.kind, lead, value, here.t, joint, words, True)


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
            return truncated(motion, found, done + k, event)
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
    off = system.in_mm(residual_of(prescribed, motion.frames[state]))
    names = [system.constraints[k] for k in np.flatnonzero(off > motion.assembly.tolerance)]
    lead, value, where = main_driver(motion, run, float(t[0]))
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
    return driver_lines(found._replace(missing=0, dead=()))


def main_driver(motion: Motion, run: SweepRun, t: float) -> tuple[str, float, str]:
    """The driver that moves most over a run, its value at a time, and both in words."""
    moved = {n: float(np.ptp(law(run.t)[0])) for n, law in run.laws.items()}
    if not moved:
        return "", t, f"t = {place(t)} s"
    lead = max(moved, key=lambda n: moved[n])
    value = float(run.laws[lead](np.array([t]))[0][0])
    return lead, value, f"{lead} {place(value)} {motion.assembly.drivers[lead].unit}"


def truncated(motion: Motion, found: AssemblyMotion, order: int, event: Event) -> Motion:
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

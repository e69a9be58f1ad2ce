"""Sweeps: an assembly led through values of its drivers, or through their laws over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np

from ..equations.system import System, compile_system
from ..equations.table import residuals
from ..errors import Contradiction, FreeInNoJoint
from ..foundations.geometry.pose import compose_all
from ..foundations.watch import Progress, Stopped, Watch
from ..kinematics.assembly_motion import Ready, Travel, at_state, make_ready, travel
from ..kinematics.held_coordinates import Hold
from ..kinematics.schedule import Run, Schedule, linear
from ..kinematics.stepper import Guided, Prescribed
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.drivers.guide import Guide
from ..model.mate import Mate
from ..results.motion import Motion
from ..results.wording.events import held_words
from ..structure.plan import Plan, make_plan
from ..structure.poses import body_poses
from .solving import solve
from .sweep_events import events, singular_start, within_limits, without_contradiction
from .sweep_request import Values, over_time, over_values

SAME = 1e-9
"""Share of a value by which two are the same: rounding of poses that hold."""

PLAIN = 45.0
"""A separation, distance or angle of no special meaning, mm or degrees."""

_READY: WeakKeyDictionary[Assembly, tuple[object, _Start]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class _Start:
    """Where a sweep can begin: the assembly at poses that hold, and its chains.

    Attributes:
        given: the assembly with its swept drivers at `values` (mm, degrees) and its parts there.
    """

    given: Assembly
    ready: Ready
    values: Mapping[str, float]


def sweep(
    assembly: Assembly,
    driver: str | Mate | Mapping[str, Values] | None = None,
    *,
    angle: Values | None = None,
    length: Values | None = None,
    separation: Values | None = None,
    steps: int | None = None,
    speed: float = 1.0,
    time: tuple[float, float] | None = None,
    grid: bool = False,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Motion:
    """Positions, velocities and accelerations of all parts over driven motion.

    The assembly is led from its pose to the first values, and from state to state, on one branch;
    it never jumps to another.  What nothing drives is held in its joints, and named.

    Args:
        assembly: not changed.
        driver: the name of a driver; or a mate or its name, with `angle` or `length`; or values
            by the names of drivers; or None for all drivers that have a law, over `time`.
        angle, length, separation: values, mm or degrees: two with `steps` (from, to), or one for
            each state.  Without any the range of the driver is swept.
        steps: one less than there are states, 100 if not given.
        speed: of the first driver, mm or degrees a second.
        time: first and last time, s.
        grid: all combinations of the values of several drivers, not one after the other.
        budget, cancel, progress: as for `solve`.

    Returns:
        A `Motion`, whatever came of it.  Raises only for what cannot be asked.
    """
    begin = perf_counter()
    watch = Watch(budget, cancel, progress)
    given = assembly.copy()
    named = (("angle", angle), ("length", length), ("separation", separation))
    told = {k: v for k, v in named if v is not None}
    if driver is None and not told:
        schedule = over_time(given, time, steps)
    else:
        if time is not None:
            raise Contradiction("sweep", "time", "driver")
        schedule = over_values(given, driver, told, steps, speed, grid)
    start = _started(assembly, given, schedule, watch)
    if isinstance(start, str):
        return _nothing(given, schedule, start, perf_counter() - begin)
    return _lead(start, schedule, watch, begin)


# ---------------------------------------------------------------------- where it begins
def _started(assembly: Assembly, given: Assembly, schedule: Schedule, watch: Watch) -> _Start | str:
    """Where the sweep can begin, kept until the assembly is edited; or why it cannot."""
    names = tuple(schedule.values)
    guided = any(isinstance(given.drivers[n], Guide) for n in names)
    key = (assembly.revision, names, schedule.span if guided else None)
    kept = _READY.get(assembly)
    if kept is not None and kept[0] == key:
        return kept[1]
    for name in names:
        if isinstance(given.drivers[name], Guide):
            given.set_driver(name, float(schedule.values[name][0]))
    solution = solve(given, budget=watch.budget, cancel=watch.cancel)
    if not solution:  # perhaps because of the values that its drivers have now
        for name in names:
            given.set_driver(name, None)
        solution = solve(given, budget=watch.budget, cancel=watch.cancel)
    if not solution:
        return solution.sentence
    given.move(solution.poses)
    try:
        start = _begun(given, {n: float(v[0]) for n, v in schedule.values.items()}, schedule.span)
    except FreeInNoJoint as problem:
        return str(problem)
    _READY[assembly] = (key, start)
    return start


def _begun(given: Assembly, near: Mapping[str, float], span: tuple[float, float]) -> _Start:
    """Ready to be driven from the poses of the parts, which hold.

    Args:
        near: values of the drivers that will be asked for first; angles start in the turn that is
            nearest to them.  span: first and last time of the sweep, s.
    """
    given = given.copy()
    for name, value in near.items():
        plain = given.drivers[name].unit != "s" and given.drivers[name].joint is None
        given.set_driver(name, PLAIN if plain else value)
    system = compile_system(given)
    guided = {n: d for n, d in given.drivers.items() if isinstance(d, Guide) and n in near}
    drivers = {n: _prescribed(system, n) for n in near if n not in guided}
    rows = np.array([d.equation for d in drivers.values()], np.int64)
    off = np.empty(len(rows))
    residuals(system.table, system.start, rows, off)
    target = system.table.target.copy()
    target[rows] += off / system.table.weight[rows]
    system = replace(system, table=system.table._replace(target=target))
    values = {n: float(target[d.equation]) / d.scale for n, d in drivers.items()}
    plan = make_plan(system)
    guides = dict(_guided(plan, n, d.over(span)) for n, d in guided.items())
    idle = [_idle(plan, d) for d in given.drivers.values() if d.value is None]
    ready = make_ready(plan, body_poses(plan, system.start), drivers, guides, idle)
    return _Start(given, ready, values)


def _idle(plan: Plan, driver: Driver) -> Hold:
    """What a driver without a value lets go."""
    found, parts, b = driver.equation.terms[0][1], plan.system.parts, plan.bodies
    ends = [(parts.index(m.part), np.array(m.frame)) for m in (found.a, found.b)]
    frames = [compose_all(b.relative[k][None], frame[None])[0] for k, frame in ends]
    bodies = [int(b.of_part[k]) for k, _ in ends]
    return Hold(
        -1, found.kind, found.i, (bodies[0], bodies[1]), (frames[0], frames[1]), driver.name
    )


def _guided(plan: Plan, name: str, guide: Guide) -> tuple[int, Guided]:
    """A guide as the marker that it moves."""
    system, t = plan.system, plan.bodies.table
    k = system.mates + system.promises[system.mates :].index(name)
    marker = int(t.marker_a[t.term_measure[t.first_term[system.first_equation[k]]]])
    part = system.parts.index(guide.base.part)
    base = compose_all(plan.bodies.relative[part][None], np.array([guide.base.frame]))[0]
    return marker, Guided(marker, base, guide.motion)


def _prescribed(system: System, name: str) -> Prescribed:
    """A driver as its equation has it."""
    k = system.mates + system.promises[system.mates :].index(name)
    e = int(system.first_equation[k])
    return Prescribed(e, bool(system.angular[e]))


# ---------------------------------------------------------------------- the sweep
def _lead(start: _Start, schedule: Schedule, watch: Watch, begin: float) -> Motion:
    """From where the assembly stands to the first state, then through all of them."""
    first = {n: float(v[0]) for n, v in schedule.values.items()}
    if watch.active:
        schedule = schedule.in_pieces()
    try:
        ready = _approached(start, first, schedule.span[0], watch)
        if ready is None:
            anew = _anew(start, first, schedule.span, watch)
            if isinstance(anew, str):
                return _nothing(start.given, schedule, anew, perf_counter() - begin)
            start, ready = anew, anew.ready
        found = travel(ready, schedule, watch)
        if found.singular_start:
            off = _beside(start, ready, schedule, watch)
            if off is None:
                why = singular_start(start.given, found)
                return _nothing(start.given, schedule, why, perf_counter() - begin)
            start, found = off
    except Stopped as stop:
        return _nothing(start.given, schedule, stop.words, perf_counter() - begin)
    motion = _told(start.given, found, perf_counter() - begin)
    motion = within_limits(without_contradiction(motion, found), found)
    return motion.without(found.schedule.hidden)


def _approached(
    start: _Start, first: Mapping[str, float], begin: float, watch: Watch
) -> Ready | None:
    """The assembly led to its drivers' first values, its guides at rest; None without a way."""
    laws, far = {}, 0.0
    for name, old in start.values.items():
        value = first[name]
        if start.ready.drivers[name].angular:
            old += 360.0 * round((value - old) / 360.0)
        laws[name] = linear(old, value - old, 0.0)
        far = max(far, abs(value - old))
    if far <= SAME * (1.0 + max(abs(v) for v in first.values())):
        return start.ready
    both = np.array([0, 1])
    way = Schedule(np.array([0.0, 1.0]), {}, (Run(both, np.array([0.0, 1.0]), laws),), both)
    resting = {m: guide.resting(begin) for m, guide in start.ready.guides.items()}
    led = travel(replace(start.ready, guides=resting), way, watch)
    return at_state(start.ready, led, 1) if led.reached[1] else None


def _anew(
    start: _Start, first: Mapping[str, float], span: tuple[float, float], watch: Watch
) -> _Start | str:
    """The assembly assembled at the first values, where no way leads to them; or why not."""
    given = start.given.copy()
    for name, value in first.items():
        given.set_driver(name, value)
    solution = solve(given, budget=watch.budget, cancel=watch.cancel)
    if not solution:
        return solution.sentence
    given.move(solution.poses)
    return _begun(given, first, span)


def _beside(
    start: _Start, ready: Ready, schedule: Schedule, watch: Watch
) -> tuple[_Start, Travel] | None:
    """A sweep whose first state is singular, begun a little before it; None where nothing is there.

    There the branches part.  The one is taken on which the assembly comes from where it stands;
    where it stands at such a pose itself, nothing tells which is meant, and the solver chooses.
    """
    run = schedule.runs[0]
    here = run.t[:1]
    rates = {n: abs(float(law(here)[1][0])) for n, law in run.laws.items()}
    short = 0.01 * ready.plan.system.length
    little = {n: 1.0 if d.angular else short for n, d in ready.drivers.items()}
    pace = min(little[n] / rate for n, rate in rates.items() if rate > 0.0)
    earlier = here - pace
    values = {n: float(law(earlier)[0][0]) for n, law in run.laws.items()}
    led = _approached(start, values, float(earlier[0]), watch)
    if led is None:
        anew = _anew(start, values, schedule.span, watch)
        if isinstance(anew, str):
            return None
        start, led = anew, anew.ready
    n = len(schedule.t)
    longer = replace(run, states=np.append(n, run.states), t=np.append(earlier, run.t))
    longest = {name: np.append(v, v[0]) for name, v in schedule.values.items()}
    t, again = np.append(schedule.t, 0.0), np.append(schedule.again, n)
    whole = Schedule(t, longest, (longer, *schedule.runs[1:]), again, schedule.hidden + 1)
    return start, travel(led, whole, watch)


def _nothing(given: Assembly, schedule: Schedule, why: str, seconds: float) -> Motion:
    """No motion at all."""
    n, p = len(schedule.t), len(given.parts)
    none = np.full((n, p, 12), np.nan)
    motion = Motion(
        given,
        schedule.t,
        np.zeros(n, bool),
        (why,) * n,
        tuple(given.parts),
        none,
        none[..., :6],
        none[..., :6],
        none[:, 0, 0],
        schedule.values,
        (),
        (),
        schedule.again,
        tuple,
        {},
        seconds,
        why,
    )
    return motion.without(schedule.hidden)


def _told(given: Assembly, found: Travel, seconds: float) -> Motion:
    """What was found, in the user's names."""
    system, schedule = found.ready.plan.system, found.schedule
    told = events(given, found)
    stop = next((e.words for e in told if e.stops), found.halted)
    valid = found.reached
    senses = dict(zip(system.promises[: system.mates], system.sense.tolist(), strict=False))
    return Motion(
        assembly=given,
        t=schedule.t,
        valid=valid,
        reasons=tuple("" if good else stop for good in valid.tolist()),
        parts=system.parts,
        frames=found.frames,
        twists=found.twists,
        accelerations=found.accelerations,
        residual_mm=found.off,
        prescribed=schedule.values,
        runs=tuple((run.states, run.t, run.backward) for run in schedule.runs),
        events=told,
        again=schedule.again,
        halted=found.halted,
        tell_held=lambda: held_words(given, found.ready),
        senses=senses,
        seconds=seconds,
    )

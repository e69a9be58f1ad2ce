"""Sweeps: an assembly driven through values of its drivers, or by their laws over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np

from ..diagnosis.proof import proving
from ..equations.system import System, compile_system
from ..equations.table import residuals
from ..errors import BadValue, Contradiction, FreeInNoJoint
from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..foundations.watch import Progress, Stopped, Watch
from ..kinematics.assembly_motion import (
    AssemblyMotion,
    DrivenAssembly,
    at_state,
    follow_schedule,
    prepare_driven,
)
from ..kinematics.locked_coordinates import LockedCoordinate
from ..kinematics.schedule import Schedule, together
from ..kinematics.stepper import DriverEquation, GuidedMarker
from ..model.assembly import Assembly
from ..model.contact import Pair, checked_contact
from ..model.drivers.driver import Driver
from ..model.drivers.guide import Guide
from ..model.mate import Mate, measured
from ..model.measures.measure import ROTATION
from ..results.motion import Motion
from ..structure.plan import Plan, make_plan
from ..structure.poses import body_poses
from .clearance import clearances
from .solving import solve
from .sweep_contacts import CONTACTS, with_contacts
from .sweep_events import events, told_held, without_contradiction
from .sweep_limits import within_limits
from .sweep_request import SPEED, Values, over_time, over_values

HOLDS = ("same", "any")
"""Choices of `hold`."""

NEUTRAL = 45.0
"""Provisional value of a driver whose values have an end, mm or degrees: one between."""

EARLIER = (1.0, 4.0, 16.0)
"""How far before a singular first state a sweep begins, degrees or shares of 1 % of the size."""

_READY: WeakKeyDictionary[Assembly, tuple[object, SweepStart]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class SweepStart:
    """Where a sweep can begin: the assembly with its drivers at `values` (mm, degrees), closed."""

    given: Assembly
    ready: DrivenAssembly
    values: Mapping[str, float]


def sweep(
    assembly: Assembly,
    driver: str | Mate | Mapping[str, Values] | None = None,
    *,
    angle: Values | None = None,
    length: Values | None = None,
    separation: Values | None = None,
    steps: int | None = None,
    speed: float = SPEED,
    time: tuple[float, float] | None = None,
    grid: bool = False,
    hold: str = "same",
    contact: str | None = None,
    clearance: str | Sequence[Pair] | None = None,
    certify: bool = False,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Motion:
    """Positions, velocities and accelerations of all parts over a driven motion.

    The assembly is driven from its poses to the first values, and from state to state, on one
    branch: steps that are not smooth, or lead to where a determinant has another sign, are halved.
    Where branches meet within the tolerance the smooth one is followed, and an event tells of the
    change point; `certify` proves each step.  Undriven coordinates are locked, and reported: the
    motion stops where drivers that hold them would stop it.

    Args:
        assembly: not changed.
        driver: the name of a driver; or a mate or its name, with `angle` or `length`; or values
            by the names of drivers; or None for all drivers that have a law, over `time`.
        angle, length, separation: values, mm or degrees, one for each state; but two are the first
            and the last of `steps` + 1 states.  Without any the range of the driver is swept.
        steps: from the first of two values to the last, 100 by default; 1 for these two states;
            refused where each state has a value of its own.
        speed: of the first driver, mm or degrees a second.
        time: first and last time, s.
        grid: all combinations of the values of several drivers, not one after the other.
        hold: "same", or "any": where a locked coordinate would stop the motion, it is released a
            little before, another one comes to rest and is locked; an event names both.
        contact: "tell" or "stop": parts with geometry are watched for contact, those that
            `assembly.contact` says; the first contact of each pair is an event, or ends the motion.
        clearance: pairs of parts with geometry, whose distances over the motion are in
            `motion.clearances`; or "all" pairs that would be watched for contact.
        certify: whether to prove that each step stays on its branch, see `Motion.certified`; it
            needs the extra `proof`.
        budget, cancel, progress: as for `solve`.

    Returns:
        A `Motion`, also where no state is valid: it gives the reason and what was reached.

    Raises:
        MissingKey, BadValue, UnknownName, Contradiction: a request that cannot be swept.
        MissingExtra: `certify` without python-flint.

    Source: docs/theory/motion.md.
    """
    prover = proving("branch_proof", "sweep").BranchProver if certify else None
    begin = perf_counter()
    watch = Watch(budget, cancel, progress)
    assembly = assembly.held_still()
    given = assembly.copy()
    named = (("angle", angle), ("length", length), ("separation", separation))
    coordinates = {k: v for k, v in named if v is not None}
    if hold not in HOLDS:
        raise BadValue("hold", hold, f'"{HOLDS[0]}" or "{HOLDS[1]}"')
    if contact not in (None, *CONTACTS):
        raise BadValue("contact", contact, f'"{CONTACTS[0]}" or "{CONTACTS[1]}"')
    pairs = None
    if clearance is not None:
        pairs = checked_contact({"pairs": clearance}, given.parts, "clearance").pairs
    if driver is None and not coordinates:
        schedule = over_time(given, time, steps, speed, grid)
    else:
        if time is not None:
            raise Contradiction("sweep", "time", "driver")
        schedule = over_values(given, driver, coordinates, steps, speed, grid)
    start = _started(assembly, given, schedule, watch)
    if isinstance(start, str):
        return _failed(given, schedule, start, perf_counter() - begin)
    start = replace(start, ready=replace(start.ready, hold_any=hold == "any"))
    motion, found = _run_sweep(start, schedule, watch, begin)
    if found is None:
        return motion
    motion = within_limits(without_contradiction(motion, found), found)
    if contact is not None:
        motion = with_contacts(motion, found, contact, watch)
    if prover is not None:
        from .sweep_proof import with_proof

        motion = with_proof(motion, found, prover, watch)
    motion = replace(motion.without(found.schedule.hidden), measured=measured(assembly.held))
    if pairs is None:
        return motion
    near = clearances(motion, pairs, watch)
    return replace(motion, clearances=near, seconds=perf_counter() - begin)


# ---------------------------------------------------------------------- where it begins
def _started(
    assembly: Assembly, given: Assembly, schedule: Schedule, watch: Watch
) -> SweepStart | str:
    """The start of a sweep, cached until the assembly is edited; or why there is none."""
    names = tuple(schedule.values)
    guided = any(isinstance(given.drivers[n], Guide) for n in names)
    key = (assembly.revision, names, schedule.span if guided else None)
    cached = _READY.get(assembly)
    if cached is not None and cached[0] == key:
        return cached[1]
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
    near = {n: float(v[0]) for n, v in schedule.values.items()}
    if _counts_turns(given):
        near = {n: given.drivers[n].value or 0.0 for n in names}
        given.keep_constants({n: c["value"] for n, c in solution.constants.items()})
    try:
        start = begun(given, near, schedule.span)
    except FreeInNoJoint as problem:
        return str(problem)
    _READY[assembly] = (key, start)
    return start


def _counts_turns(given: Assembly) -> bool:
    """Whether poses depend on how often joints have turned, as those of screws and gears do."""
    forms = {h.written.form for h in given.held.values()}
    several = (f for f in forms if max(f.terms, default=0) > 1)
    return any(found[0] == ROTATION for f in several for found in f.measure)


def begun(given: Assembly, near: Mapping[str, float], span: tuple[float, float]) -> SweepStart:
    """The start of a sweep at the poses of the parts, at which all mates hold.

    Angles start in the turn nearest to the values `near`, mm or degrees; span in s.
    """
    given = given.copy()
    for name, value in near.items():
        driver = given.drivers[name]
        bounded = driver.unit != "s" and np.isfinite(driver.range_of_values).any()
        given.set_driver(name, NEUTRAL if bounded else value)
    system = compile_system(given)
    guided = {n: d for n, d in given.drivers.items() if isinstance(d, Guide) and n in near}
    first = {n: _first_equation(system, n) for n in near if n not in guided}
    drivers = {n: DriverEquation(e, bool(system.angular[e])) for n, e in first.items()}
    rows = np.array([d.equation for d in drivers.values()], np.int64)
    off = np.empty(len(rows))
    residuals(system.table, system.start, rows, off)
    target = system.table.target.copy()
    target[rows] += off / system.table.weight[rows]
    system = replace(system, table=system.table._replace(target=target))
    values = {n: float(target[d.equation]) / d.scale for n, d in drivers.items()}
    for name in (n for n, d in drivers.items() if d.angular):
        values[name] += 360.0 * round((near[name] - values[name]) / 360.0)
    plan = make_plan(system)
    guides = dict(_guided(plan, n, d.over(span)) for n, d in guided.items())
    released = [_idle(plan, d) for d in given.drivers.values() if d.value is None]
    ready = prepare_driven(plan, body_poses(plan, system.start), drivers, guides, released)
    return SweepStart(given, ready, values)


def _idle(plan: Plan, driver: Driver) -> LockedCoordinate:
    found, parts, b = driver.equation.terms[0][1], plan.system.parts, plan.bodies
    ends = [(parts.index(m.part), np.array(m.frame)) for m in (found.a, found.b)]
    frames = [compose_all(b.relative[k][None], frame[None])[0] for k, frame in ends]
    bodies = [int(b.of_part[k]) for k, _ in ends]
    return LockedCoordinate(
        -1, found.kind, found.i, (bodies[0], bodies[1]), (frames[0], frames[1]), driver.name
    )


def _guided(plan: Plan, name: str, guide: Guide) -> tuple[int, GuidedMarker]:
    """A guide, with the number of the marker that it moves."""
    t = plan.bodies.table
    marker = int(t.marker_a[t.term_measure[t.first_term[_first_equation(plan.system, name)]]])
    part = plan.system.parts.index(guide.base.part)
    base = compose_all(plan.bodies.relative[part][None], np.array([guide.base.frame]))[0]
    return marker, GuidedMarker(marker, base, guide.motion)


def _first_equation(system: System, driver: str) -> int:
    k = system.mates + system.constraints[system.mates :].index(driver)
    return int(system.first_equation[k])


# ---------------------------------------------------------------------- the sweep
def _run_sweep(
    start: SweepStart, schedule: Schedule, watch: Watch, begin: float
) -> tuple[Motion, AssemblyMotion | None]:
    """Drive the assembly from its poses to the first state, then through all states.

    Returns:
        The motion, and what was followed; None where there is no motion at all.
    """
    first = {n: float(v[0]) for n, v in schedule.values.items()}
    if watch.active and not start.ready.hold_any:  # no release over the end of a part
        schedule = schedule.in_parts()
    try:
        ready = _approached(start, first, schedule.span[0], watch)
        if ready is None:
            anew = _reassembled(start, first, schedule.span, watch)
            if isinstance(anew, str):
                return _failed(start.given, schedule, anew, perf_counter() - begin), None
            start, ready = anew, anew.ready
        found = follow_schedule(ready, schedule, watch)
        if found.singular_start:
            tries = (_begun_earlier(start, ready, schedule, far, watch) for far in EARLIER)
            start, found = next((t for t in tries if t is not None), (start, found))
    except Stopped as stop:
        return _failed(start.given, schedule, stop.words, perf_counter() - begin), None
    return _motion_of(start.given, found, perf_counter() - begin), found


def _approached(
    start: SweepStart, first: Mapping[str, float], begin: float, watch: Watch
) -> DrivenAssembly | None:
    """The assembly driven to the first values, its guides at rest; None where that fails."""
    values, counted = dict[str, Array](), _counts_turns(start.given)
    angles = {n for n, d in start.ready.drivers.items() if d.angular}
    for name, old in start.values.items():
        value = first[name]
        if name in angles and not counted:
            old += 360.0 * round((value - old) / 360.0)
        values[name] = np.array([old, value])
    far = max((abs(new - old) for old, new in values.values()), default=0.0)
    if far <= AGREEMENT * (1.0 + max(abs(v) for v in first.values())):
        return start.ready
    path = together(values, SPEED, angles)
    resting = {m: guide.resting(begin) for m, guide in start.ready.guides.items()}
    driven = follow_schedule(replace(start.ready, guides=resting), path, watch)
    return at_state(start.ready, driven, 1) if driven.reached[1] else None


def _reassembled(
    start: SweepStart, first: Mapping[str, float], span: tuple[float, float], watch: Watch
) -> SweepStart | str:
    """The assembly solved at the first values, for where driving to them fails; or why not."""
    given = start.given.copy()
    for name, value in first.items():
        given.set_driver(name, value)
    solution = solve(given, budget=watch.budget, cancel=watch.cancel)
    if not solution:
        return solution.sentence
    given.move(solution.poses)
    anew = begun(given, first, span)
    return replace(anew, ready=replace(anew.ready, hold_any=start.ready.hold_any))


def _begun_earlier(
    start: SweepStart, ready: DrivenAssembly, schedule: Schedule, far: float, watch: Watch
) -> tuple[SweepStart, AssemblyMotion] | None:
    """A sweep whose first state is singular, begun a little before it; None where that fails.

    Branches meet at a singular state.  The sweep continues on the branch by which the assembly
    reaches it from its poses, the solver's choice where these are singular, and stays near them.
    """
    run, n, short = schedule.runs[0], len(schedule.t), 0.01 * ready.plan.system.length
    rates = {n: abs(float(law(run.t[:1])[1][0])) for n, law in run.laws.items()}
    little = {n: far * (1.0 if d.angular else short) for n, d in ready.drivers.items()}
    pace = min((little[n] / r for n, r in rates.items() if r > 0.0), default=1.0)  # s
    earlier = run.t[:1] - pace
    values = {n: float(law(earlier)[0][0]) for n, law in run.laws.items()}
    driven = _approached(start, values, float(earlier[0]), watch)
    if driven is None:
        anew = _reassembled(start, values, schedule.span, watch)
        if isinstance(anew, str):
            return None
        start, driven = anew, anew.ready
    longer = replace(run, states=np.append(n, run.states), t=np.append(earlier, run.t))
    longest = {name: np.append(v, v[0]) for name, v in schedule.values.items()}
    t, again = np.append(schedule.t, 0.0), np.append(schedule.again, n)
    whole = Schedule(t, longest, (longer, *schedule.runs[1:]), again, schedule.hidden + 1)
    found = follow_schedule(driven, whole, watch)
    return (start, found) if found.is_near(int(run.states[0]), ready.poses) else None


def _failed(given: Assembly, schedule: Schedule, why: str, seconds: float) -> Motion:
    n, p = len(schedule.t), len(given.parts)
    none = np.full((n, p, 12), np.nan)
    motion = Motion(
        assembly=given,
        t=schedule.t,
        valid=np.zeros(n, bool),
        reasons=(why,) * n,
        parts=tuple(given.parts),
        frames=none,
        twists=none[..., :6],
        accelerations=none[..., :6],
        residual_mm=none[:, 0, 0],
        prescribed=schedule.values,
        runs=(),
        events=(),
        again=schedule.again,
        tell_held=tuple,
        senses={},
        seconds=seconds,
        failed=why,
    )
    return motion.without(schedule.hidden)


def _motion_of(given: Assembly, found: AssemblyMotion, seconds: float) -> Motion:
    system, schedule = found.ready.plan.system, found.schedule
    met = events(given, found)
    stop = next((e.words for e in met if e.stops), found.interrupted)
    senses = dict(zip(system.constraints[: system.mates], system.sense.tolist(), strict=False))
    return Motion(
        assembly=given,
        t=schedule.t,
        valid=found.reached,
        reasons=tuple("" if good else stop for good in found.reached.tolist()),
        parts=system.parts,
        frames=found.frames,
        twists=found.twists,
        accelerations=found.accelerations,
        residual_mm=found.off,
        prescribed=schedule.values,
        runs=tuple((run.states, run.t, run.backward) for run in schedule.runs),
        events=met,
        again=schedule.again,
        halted=found.interrupted,
        tell_held=lambda: told_held(given, found),
        senses=senses,
        seconds=seconds,
        followed=found,
    )

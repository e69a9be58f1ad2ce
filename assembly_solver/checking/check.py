"""The verb `check`: solve, sweep every driver, and compare the results with the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import numpy as np

from ..diagnosis.drivers import diagnose_drivers
from ..foundations.jit.tiers import TIER
from ..foundations.watch import Progress, Stopped, Watch
from ..kinematics.loops.grashof_loops import Loop, four_bars
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.grashof import CLASSES
from ..results.readings import reading
from ..results.solution import Solution
from ..verbs.kept_plans import plan_of
from ..verbs.solving import solve
from ..version import VERSION
from .driver_study import Ground, Study, points, study_of
from .driver_sweeps import watched
from .findings import DriverStudy, Finding, FourBar, PointPath, Report
from .rules import Case, findings_of, unsolved
from .spreads import Analyses, analyses_of

GRID = {2: 15, 3: 7}
"""Grid values per driver for the envelope of points, by the number of drivers."""

LARGE = 12
"""A setting: mates from which the sweeps of a check are worth machine code from the start."""


def check(
    assembly: Assembly,
    *,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Sweep every driver of an assembly and evaluate its checks.

    Each driver is swept through its range and as far as it can move, the others locked at their
    values.  The report also requires that the assembly is solved and that every driver covers its
    range.

    Args:
        assembly: not changed.
        budget, cancel, progress: as for `solve`, progress in drivers.

    Returns:
        A `Report`, also if the assembly is not solved or the check ends early.

    Raises:
        NoShape, MissingExtra: for a clearance without geometry, or without the extra it needs.
    """
    watch = Watch(budget, cancel, progress)
    if assembly.drivers and len(assembly.mates) >= LARGE:
        TIER.expect_work()
    solution = solve(assembly, budget=budget, cancel=cancel)
    if not solution:
        return _report(assembly, solution, unsolved(assembly, solution.sentence), (), ())
    ground = ground_of(assembly, solution)
    studies: dict[str, Study] = {}
    loops: tuple[FourBar, ...] = ()
    envelope: tuple[PointPath, ...] = ()
    tolerances: Analyses = {}
    stop = ""
    try:
        loops = _loops(ground)
        for n, name in enumerate(ground.values):
            watch.tell(n, len(ground.values), f"following {name}")
            studies[name] = study_of(ground, name, assembly.checks.values(), watch)
        envelope = _envelope(ground, watch)
        tolerances = analyses_of(assembly, solution, watch)
    except Stopped as stopped:
        stop = stopped.words
    case = Case(ground.given, solution, studies, loops, envelope, tolerances, stop)
    record = [s.record for s in studies.values()]
    if record and envelope:
        record[0] = replace(record[0], paths=(*record[0].paths, *envelope))
    found = _report(assembly, solution, findings_of(case), tuple(record), loops)
    analysed = (x for x in tolerances.values() if not isinstance(x, str))
    return replace(found, tolerances=tuple(analysed))


def ground_of(assembly: Assembly, solution: Solution) -> Ground:
    """The assembly at its solved poses, and the drivers locked while another one moves.

    A driver without a value is locked at its present value, unless the locked drivers already
    determine it.
    """
    given = assembly.held_still().copy()
    given.move(solution.poses)
    given.keep_constants({n: c["value"] for n, c in solution.constants.items()})
    values = {}
    for name, driver in given.drivers.items():
        values[name] = _present_value(solution, driver)
        if driver.value is not None:
            values[name] = driver.value
            given.set_driver(name, values[name])
    held = [n for n, d in given.drivers.items() if d.value is not None]
    for name, value in values.items():
        if name in held:
            continue
        repeated = diagnose_drivers(solution.diagnosis, given, [*held, name]).repeated
        if all(name != r.driver and name not in r.by for r in repeated):
            given.set_driver(name, value)
            held.append(name)
    return Ground(given, values, solution.diagnosis)


def _present_value(solution: Solution, driver: Driver) -> float:
    """Present value of a driver, mm or degrees; angles in the turn of its range."""
    value = reading(solution, driver)
    if driver.unit != "deg":
        return value
    low, high = driver.range or (value, value)
    return value + 360.0 * round((0.5 * (low + high) - value) / 360.0)


def _loops(ground: Ground) -> tuple[FourBar, ...]:
    """The four-bars of the assembly, all its drivers locked."""
    given = ground.given
    if len(ground.values) and not any(d.value is not None for d in given.drivers.values()):
        name, given = next(iter(ground.values)), given.copy()
        given.set_driver(name, ground.values[name])
    plan = plan_of(given)
    return tuple(map(_four_bar, four_bars(plan, plan.bodies.start)))


def _four_bar(loop: Loop) -> FourBar:
    frame, first, coupler, last = loop.links
    small = min(loop.lengths)
    meaning = CLASSES[loop.kind].format(first=first, coupler=coupler, last=last)
    words = (
        f"{frame}, {first}, {coupler}, {last}: {loop.kind}, {meaning} "
        f"(shortest {small:.6g} mm, margin {loop.margin:.6g} mm)"
    )
    return FourBar(loop.joints, loop.lengths, loop.kind, loop.margin, words)


def _envelope(ground: Ground, watch: Watch) -> tuple[PointPath, ...]:
    """Positions of points over all combinations of the drivers that have a range."""
    given = ground.given
    free = {n: d.range for n, d in given.drivers.items() if d.range is not None}
    named = points(given, given.checks.values())
    if len(free) not in GRID or not named or any(d.value is None for d in given.drivers.values()):
        return ()
    values = {n: np.linspace(*span, GRID[len(free)]) for n, span in free.items()}
    motion = watched(watch, given, values, grid=True)
    return tuple(PointPath(str(p), tuple(free), motion.point(p).position) for p in named)


def _report(
    assembly: Assembly,
    solution: Solution,
    findings: tuple[Finding, ...],
    studies: tuple[DriverStudy, ...],
    loops: tuple[FourBar, ...],
) -> Report:
    file = assembly.file
    known = file is not None and file.is_file()
    return Report(
        name=assembly.name,
        version=VERSION,
        file=file.name if file is not None else "",
        sha256=sha256(file.read_bytes()).hexdigest() if file is not None and known else "",
        parameters=dict(assembly.parameters),
        solved=solution.sentence,
        dof=solution.dof,
        findings=findings,
        studies=studies,
        loops=loops,
    )

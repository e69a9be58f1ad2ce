"""One solve: from the start poses, then with reversed senses, then the search for conflicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..diagnosis.conflicts import ConflictSearch, find_conflicts
from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.subset_solver import SubsetSolver
from ..diagnosis.suspects import suspects
from ..equations.residuals import worst_off
from ..equations.system import compile_system
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..model.assembly import Assembly
from ..solver.active_set import solve_within_limits
from ..solver.least_movement import with_least_movement
from ..solver.modes.choice import ReachedPoses, in_mode, in_start_mode_or_nearest
from ..solver.solver import Closed, nominal_poses
from ..structure.plan import Plan, PlannedSystem, make_plan
from ..structure.replan import restarted

REVERSALS = 8
"""Sets of senses chosen by nearness that are reversed before a solve is given up."""

BETTERED = 0.1
"""Share of the residual of a start within the tolerance to which a solve has to bring it: such a
start holds, and is moved only for the sake of a clear gain."""

NO_SEARCH = ConflictSearch((), False)


class SolveAttempt:
    """The state of a solve: poses and conflicts when it ends or is interrupted."""

    def __init__(self, given: Assembly, planned: PlannedSystem, eta: float, watch: Watch) -> None:
        self.given, self.planned, self.eta, self.watch = given, planned, eta, watch
        self.start_poses = self.reached = ReachedPoses.at(planned, planned.system.start)
        self.closed: Closed | None = None
        self.trial = SubsetSolver(given, watch)
        self.conflict_search = NO_SEARCH
        self.reversed_senses: tuple[str, ...] = ()
        self.stopped: Stopped | None = None

    def run(self, mode: str | None) -> bool:
        """Close the mates in the requested mode; whether that mode was reached."""
        try:
            if self.reached.off > self.planned.system.convergence_tolerance:
                self._close()
            if self.reached.off > self.planned.system.tolerance:
                return mode is None
            if mode is None:
                self.reached = in_start_mode_or_nearest(self.start_poses, self.reached, self.watch)
                self.reached = with_least_movement(self.reached)
                return True
            chosen = in_mode(self.reached, mode, self.watch)
            self.reached = with_least_movement(chosen or self.reached)
            return chosen is not None
        except Stopped as stop:
            self.stopped = stop
            open_ = self.reached.off > self.planned.system.convergence_tolerance
            if self.closed is None and open_ and stop.closed is not None:
                self.reached = ReachedPoses.of(stop.closed)
            return mode is None

    def _close(self) -> None:
        """Close from the start; if that fails with reversed senses, else search conflicts."""
        given, watch = self.given, self.watch
        watch.place = "while the solve was planned"
        plan = self.planned.made(watch)
        self.closed = solve_within_limits(given, plan, self.eta, watch=watch)
        self.reached = ReachedPoses.of(self.closed)
        begun, tolerance = self.start_poses, self.planned.system.tolerance
        if begun.off <= tolerance:
            if self.reached.off > BETTERED * begun.off:
                self.reached = begun
        elif self.reached.off > tolerance:
            again, self.reversed_senses = _with_reversed_senses(given, self.reached, watch)
            if again is None:
                search = find_conflicts(self.trial, *suspects(self.reached, self.closed))
                self.conflict_search = search
                again = None if search.start is None else self._again_from(search.start)
            self.reached = again or self.reached

    def _again_from(self, start: Array) -> ReachedPoses | None:
        """A solve from other start poses of the parts; None where it does not hold either."""
        given, system = self.given, self.planned.system
        plan = make_plan(replace(compile_system(given), start=start), watch=self.watch)
        closed = solve_within_limits(given, plan, self.eta, watch=self.watch)
        plan = replace(closed.plan, system=replace(closed.plan.system, start=system.start))
        found = ReachedPoses.of(replace(closed, plan=plan))
        return found if found.off <= system.tolerance else None


def diagnose_poses(
    given: Assembly, reached: ReachedPoses, reversed_senses: tuple[str, ...], watch: Watch
) -> Diagnosis:
    """Structure and rank of the mates without drivers and limits, at the poses reached.

    Raises:
        Stopped: the watch interrupted it.
    """
    system = reached.system
    if len(system.constraints) > system.mates:
        alone = compile_system(_mates_only(given), frozenset(reversed_senses))
        # in the turn that the drivers prescribe
        turns = system.table.reference[: len(alone.table.reference)]
        table = alone.table._replace(reference=turns)
        system = replace(alone, fixed=system.fixed, table=table)
    known = reached.planned.known
    if system is reached.system and known is not None and _closed_alone(known):
        plan = restarted(known, reached.frames)
    else:
        plan = make_plan(replace(system, start=reached.frames), watch=watch)
    nominal = nominal_poses(plan, watch.searching("while it was diagnosed"))
    return Diagnosis(plan, reached.frames, nominal, watch)


def _closed_alone(plan: Plan) -> bool:
    """Whether each pair of a plan was closed and has a joint: at other poses it is the same."""
    pairs = plan.bodies.pairs
    closed = bool(np.all(pairs.gap <= plan.system.convergence_tolerance))
    return closed and not plan.cautious and GENERAL not in pairs.kind


def _mates_only(assembly: Assembly) -> Assembly:
    """A copy without limits, its drivers without values."""
    other = assembly.copy()
    for name in other.drivers:
        other.set_driver(name, None)
    for name in tuple(other.limits):
        other.remove_limit(name)
    return other


def _with_reversed_senses(
    given: Assembly, reached: ReachedPoses, watch: Watch
) -> tuple[ReachedPoses | None, tuple[str, ...]]:
    """Reverse senses of mates that do not hold, one and two at a time.

    Only senses that were chosen by nearness, and only where the mates cannot be solved even without
    drivers and limits: a driver out of its range or a limit is no reason to flip a part.  Returns
    the closed poses, None where no reversal closes, and the mates that are reversed.
    """
    system = reached.system
    off = reached.each > system.tolerance
    bodies = {p for k in np.flatnonzero(off).tolist() for p in system.parts_of(k)}
    free = [
        name
        for k, (name, h) in enumerate(given.held.items())
        if h.chosen_by is not None and bodies & set(system.ends[k].tolist())
    ]
    more = len(system.constraints) > system.mates or system.bounds is not None
    if not free or (more and _solves(_mates_only(given), watch)):
        return None, ()
    free.sort(key=lambda n: -reached.turns[system.constraints.index(n)])
    trials = [(n,) for n in free] + [(a, b) for i, a in enumerate(free) for b in free[:i]]
    trials = trials[:REVERSALS]
    inner = watch.searching("while nearest senses were reversed")
    for k, reversed_senses in enumerate(trials):
        watch.tell(k, len(trials), "reversing nearest senses")
        senses = frozenset(reversed_senses)
        plan = make_plan(compile_system(given, senses), watch=inner)
        closed = solve_within_limits(
            given, plan, thorough=False, reversed_senses=senses, watch=inner, brief=True
        )
        found = ReachedPoses.of(closed)
        if found.off <= system.tolerance:
            return found, reversed_senses
    return None, ()


def _solves(assembly: Assembly, watch: Watch) -> bool:
    """Whether poses are found at which the mates of an assembly hold."""
    system = compile_system(assembly)
    inner = watch.searching("while it was solved without its drivers")
    closed = solve_within_limits(assembly, make_plan(system, watch=inner), watch=inner)
    return worst_off(system, closed.parts) <= system.tolerance

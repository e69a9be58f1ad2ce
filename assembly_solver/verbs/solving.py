"""What the public calls compose: solve, diagnose, analyse, read, write.

System and plan are kept for each assembly until it is edited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import formats
from ..diagnosis.conflicts import Search, Trial, find_conflicts, numbers_of
from ..diagnosis.freedoms import Diagnosis
from ..equations.system import compile_system, named_poses
from ..foundations.numerics.broyden import ETA
from ..foundations.watch import Progress, Stopped, Watch
from ..model.assembly import Assembly
from ..results.analysis import Analysis
from ..results.forces import Forces
from ..results.motion import Motion
from ..results.solution import Solution
from ..solver.active_set import close
from ..solver.modes.choice import Reached, in_mode, kept_or_nearest
from ..solver.modes.enumeration import Mode
from ..solver.outcome import Counts, Outcome
from ..solver.solver import Closed, worst_off
from ..structure.plan import Plan, Planned, make_plan
from .forces import moved, standing

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

REVERSALS = 8
"""Nearest senses that are tried the other way round before a solve is given up."""

PULL = 1e-3
"""Share of the largest residual from which a mate counts as pulling against others."""

_PLANS: WeakKeyDictionary[Assembly, tuple[int, Planned]] = WeakKeyDictionary()


def read(path: str | Path, *, set: Mapping[str, float] | None = None) -> Assembly:
    """Read an assembly file; its suffix tells the format.

    A rigid sub-assembly whose mates do not hold at the poses of its file is solved first.

    Args:
        set: values for parameters and drivers by name, instead of those of the file: mm, degrees.
    """
    return formats.read(path, _settled, set or {})


def _settled(assembly: Assembly) -> Assembly:
    """The assembly at poses where its mates and drivers hold; as it is where there are none."""
    solution = solve(assembly)
    settled = assembly.copy()
    if solution:
        settled.move(solution.poses)
    return settled


def write(assembly: Assembly, path: str | Path) -> None:
    """Write an assembly, or its placed geometry, by the suffix of the path.

    Args:
        path: NAME.assembly.json, NAME.step or NAME.glb; or NAME.FCStd, of what was read from one.

    Raises:
        FormatError, BadValue: it cannot be written there; then nothing is.
    """
    formats.write(assembly, path)


def plan_of(assembly: Assembly) -> Plan:
    """The plan of an assembly, kept until it is edited."""
    return _planned(assembly).plan


def _planned(assembly: Assembly) -> Planned:
    """The system of an assembly, kept with its plan until it is edited."""
    kept = _PLANS.get(assembly)
    if kept is None or kept[0] != assembly.revision:
        kept = (assembly.revision, Planned(compile_system(assembly)))
        _PLANS[assembly] = kept
    return kept[1]


def keep_plan(assembly: Assembly, plan: Plan) -> None:
    """Keep a plan that was come by in another way, until the assembly is edited."""
    _PLANS[assembly] = (assembly.revision, Planned(plan.system, plan))


def solve(
    assembly: Assembly,
    *,
    tolerance: float | None = None,
    mode: str | None = None,
    eta: float = ETA,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Poses that hold every mate and every driver with a value, moving as little as it can.

    Args:
        assembly: not changed; the solution can be applied to it.
        tolerance: what a mate may be off and still hold, mm; the assembly's own by default.
        mode: name of the assembly mode to close in; by default that which the start leads to.
        eta: least reduction for which an inverse is updated (equation (25)); above 1 never.
        budget: seconds after which the solve is stopped, looked at between blocks and every 20
            iterations; the solution says how far it came.
        cancel: asked as often; the solve is stopped when it returns true.
        progress: called as `progress(done, total, words)`, in blocks.

    Returns:
        A `Solution`, whatever came of it: this never raises for a bad assembly, only for the
        name of a mode that no mode of it can have.
    """
    begin = perf_counter()
    watch = Watch(budget, cancel, progress)
    given = assembly.copy()
    if tolerance is not None and tolerance != assembly.tolerance:
        given.tolerance = tolerance
        planned = Planned(compile_system(given))
    else:
        planned = _planned(assembly)
    work = _Work(given, planned, eta, watch)
    met = work.run(mode)
    reached, turned, found = work.reached, work.turned, work.found
    outcome = Outcome.CONFLICTING if found.explained else Outcome.NOT_CONVERGED
    if met and reached.off <= reached.system.tolerance:
        outcome = Outcome.SOLVED
    return Solution(
        assembly,
        outcome,
        found.conflicts,
        Counts(*reached.counts.tolist()),
        reached.rungs,
        perf_counter() - begin,
        given,
        reached.planned,
        reached.frames,
        reached.lengths,
        reached.turns,
        reached.beyond,
        lambda: _diagnosis(given, reached, turned),
        work.trial,
        turned,
        work.stopped,
        mode,
    )


NOTHING = Search((), False)


class _Work:
    """A solve, as far as it has come: what was reached and found when it ends or is stopped."""

    def __init__(self, given: Assembly, planned: Planned, eta: float, watch: Watch) -> None:
        self.given, self.planned, self.eta, self.watch = given, planned, eta, watch
        self.begun = self.reached = Reached.at(planned, planned.system.start)
        self.closed: Closed | None = None
        self.trial = Trial(given, watch)
        self.found = NOTHING
        self.turned: tuple[str, ...] = ()
        self.stopped: Stopped | None = None

    def run(self, mode: str | None) -> bool:
        """Close the mates, and go to the mode that is asked for; whether it was reached."""
        try:
            if self.reached.off > self.planned.system.stop:
                self._close()
            if self.reached.off > self.planned.system.tolerance:
                return mode is None
            if mode is None:
                self.reached = kept_or_nearest(self.begun, self.reached, self.watch)
                return True
            chosen = in_mode(self.reached, mode, self.watch)
            self.reached = chosen or self.reached
            return chosen is not None
        except Stopped as stop:
            self.stopped = stop
            if self.closed is None and self.reached.off > self.planned.system.stop:
                self.reached = Reached.of(stop.closed)
            return mode is None

    def _close(self) -> None:
        """From the start; where that fails, with other senses, or else tell what contradicts."""
        self.closed = close(self.given, self.planned.plan, self.eta, watch=self.watch)
        self.reached = Reached.of(self.closed)
        if self.reached.off > self.planned.system.tolerance:
            again, self.turned = _with_reversed_senses(self.given, self.reached, self.watch)
            if again is None:
                suspects = _suspects(self.reached, self.closed)
                self.found = find_conflicts(self.trial, *suspects)
            self.reached = again or self.reached


def _diagnosis(given: Assembly, reached: Reached, turned: tuple[str, ...]) -> Diagnosis:
    """Structure and rank at some poses by the mates alone."""
    system = reached.system
    if len(system.promises) > system.mates:
        alone = compile_system(_mates_only(given), frozenset(turned))
        turns = system.table.reference[: len(alone.table.reference)]  # as the drivers told them
        table = alone.table._replace(reference=turns)
        system = replace(alone, held=system.held, table=table)
    return Diagnosis(make_plan(replace(system, start=reached.frames)), reached.frames)


def _mates_only(assembly: Assembly) -> Assembly:
    """The assembly with every driver let go, and without limits."""
    other = assembly.copy()
    for name in other.drivers:
        other.set_driver(name, None)
    for name in tuple(other.limits):
        other.remove_limit(name)
    return other


def _with_reversed_senses(
    given: Assembly, reached: Reached, watch: Watch
) -> tuple[Reached | None, tuple[str, ...]]:
    """Reverse nearest senses of the mates that do not hold, one and two at a time.

    Only where the mates alone cannot be solved: a driver out of its reach, or a limit in the way,
    turns no part over.
    """
    system = reached.system
    off = reached.each > system.tolerance
    bodies = {p for k in np.flatnonzero(off).tolist() for p in system.parts_of(k)}
    free = [
        name
        for k, (name, h) in enumerate(given.held.items())
        if h.chosen_by is not None and bodies & set(system.ends[k].tolist())
    ]
    more = len(system.promises) > system.mates or system.bounds is not None
    if not free or (more and _solves(_mates_only(given), watch)):
        return None, ()
    free.sort(key=lambda n: -reached.turns[system.promises.index(n)])
    trials = [(n,) for n in free] + [(a, b) for i, a in enumerate(free) for b in free[:i]]
    inner = watch.searching("while nearest senses were reversed")
    for k, turned in enumerate(trials[:REVERSALS]):
        watch.tell(k, len(trials[:REVERSALS]), "reversing nearest senses")
        senses = frozenset(turned)
        plan = make_plan(compile_system(given, senses))
        closed = close(given, plan, thorough=False, reversed_senses=senses, watch=inner, brief=True)
        found = Reached.of(closed)
        if found.off <= system.tolerance:
            return found, turned
    return None, ()


def _solves(assembly: Assembly, watch: Watch) -> bool:
    """Whether the mates of an assembly hold somewhere, asked for one with its drivers let go."""
    system = compile_system(assembly)
    inner = watch.searching("while it was solved without its drivers")
    closed = close(assembly, make_plan(system), watch=inner)
    return worst_off(system, closed.parts) <= system.tolerance


def _suspects(reached: Reached, closed: Closed) -> tuple[list[int], list[int]]:
    """Numbers of the promises of the components and bodies that do not hold, the least off first.

    All limits are among them, told by numbers behind those of the drivers.  The second list has
    those of them that are off by a share of what the worst is off.
    """
    plan, off = reached.planned.plan, reached.each
    system = plan.system
    wrong = np.flatnonzero(off > system.tolerance)
    chosen: set[int] = set(wrong.tolist())
    touched = {int(plan.bodies.of_part[p]) for k in wrong.tolist() for p in system.parts_of(k)}
    for k, c in enumerate(plan.components):
        if k in closed.failed or chosen & set(c.promises):
            chosen |= set(c.promises)
            touched |= {c.root, *c.bodies}
    inner = plan.bodies.inner
    bodies = plan.bodies.of_part[system.ends[inner, 0]] if len(inner) else inner
    chosen |= {int(k) for k, b in zip(inner, bodies, strict=True) if int(b) in touched}
    number = numbers_of(system)
    worst = {number[k]: float(off[k]) for k in (chosen if len(wrong) else range(len(off)))}
    for k, out in enumerate(np.abs(reached.beyond).tolist(), system.mates + system.drivers):
        worst[k] = max(worst.get(k, 0.0), out)
    order = sorted(worst, key=lambda k: (worst[k], k))
    return order, [k for k in order if worst[k] > PULL * reached.off]


def modes(assembly: Assembly) -> list[Mode]:
    """The assembly modes of an assembly, that nearest to the start first.

    Drivers with a value are held; a freedom that is left is held where the solve left it.  Raises
    `Unsolved` for an assembly that cannot be solved.
    """
    solution = solve(assembly).require()
    system, found = solution.plan.system, solution.modes
    return [
        Mode(m.name, named_poses(assembly, system, m.parts), m.distance, found.complete)
        for m in found.all
    ]


def forces(of: Assembly | Solution | Motion, *, inertia: bool = False) -> Forces:
    """What drivers push with and mates carry to hold the loads and the weights.

    Args:
        of: an assembly, which is solved first; a solution; or a motion, for all its states.
        inertia: whether the masses of a motion resist their acceleration: inverse dynamics.
    """
    if isinstance(of, Assembly):
        of = solve(of)
    return standing(of, inertia) if isinstance(of, Solution) else moved(of, inertia)


def diagnose(
    assembly: Assembly,
    *,
    tolerance: float | None = None,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Freedoms, free motions, redundant and contradictory mates: the solution, read for its why.

    Args:
        assembly: not changed; tolerance, budget, cancel, progress: as for `solve`.

    Returns:
        The `Solution`: `dof`, `free_motions`, `redundant`, `conflicts`, and in words when printed.
    """
    return solve(assembly, tolerance=tolerance, budget=budget, cancel=cancel, progress=progress)


def analyse(
    assembly: Assembly,
    *,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """The structure of an assembly: pairs, clusters, components and the plan of the solve.

    Args:
        assembly: not changed; budget, cancel, progress: as for `solve`.
    """
    return Analysis(solve(assembly, budget=budget, cancel=cancel, progress=progress))

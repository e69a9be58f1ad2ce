"""What the public calls compose: solve, diagnose, analyse, read, write.

System and plan are kept for each assembly until it is edited.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from weakref import WeakKeyDictionary

from ..equations.system import compile_system, named_poses
from ..foundations.numerics.broyden import ETA
from ..foundations.watch import Progress, Watch
from ..model.assembly import Assembly
from ..results.analysis import Analysis
from ..results.forces import Forces
from ..results.motion import Motion
from ..results.solution import Solution
from ..solver.modes.enumeration import Mode
from ..solver.outcome import Counts, Outcome
from ..structure.plan import Plan, Planned
from .forces import moved, standing
from .solve_attempts import _diagnosis, _Work

_PLANS: WeakKeyDictionary[Assembly, tuple[int, Planned]] = WeakKeyDictionary()


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

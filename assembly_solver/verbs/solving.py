"""The public calls `solve`, `diagnose`, `analyse` and `modes`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from ..diagnosis.proof import proving
from ..equations.system import System, compile_system, named_poses
from ..errors import Unsolved
from ..foundations.geometry.pose import Pose
from ..foundations.numerics.broyden import ETA
from ..foundations.watch import Progress, Stopped, Watch
from ..model.assembly import Assembly
from ..model.numbers import not_negative
from ..model.snapshot import Snapshot
from ..results.solution import Solution
from ..results.solve_result import SolveResult
from ..solver.modes.enumeration import Mode, modes_around
from ..solver.outcome import Outcome
from ..structure.plan import PlannedSystem
from .kept_plans import planned_system, solved_with_moves
from .solve_attempts import SolveAttempt, diagnose_poses

if TYPE_CHECKING:
    from ..diagnosis.proof.certificate import Certificate
    from ..results.analysis import Analysis

Prover = Callable[[System, list[Pose], Watch], "Certificate"]


def solve(
    assembly: Assembly,
    *,
    tolerance: float | None = None,
    mode: str | None = None,
    certify: bool = False,
    eta: float = ETA,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Poses at which every mate and every driver with a value holds, close to the start poses.

    Args:
        assembly: not changed; the solution can be applied to it.
        tolerance: largest residual with which a mate holds, mm; by default the assembly's.
        mode: name of the assembly mode to close in; by default the one reached from the start.
        certify: whether to prove that exactly one solution lies near the poses, see
            `Solution.certified`; it needs the extra `proof`.
        eta: least relative reduction of the squared residual for which an inverse is updated
            (docs/theory/updates.md, 5, equation (25)); above 1 it never is.
        budget: s, after which the solve is interrupted; checked while it is planned, between
            blocks, every 20 iterations and before the steps to the least movement.  The solution
            has the poses reached by then.  What it computes on demand, as when it is printed,
            counts too.  What was left out of a solution that holds is said in its `notes`.
        cancel: called as often; the solve is interrupted when it returns true.
        progress: called as `progress(done, total, words)`, in blocks.

    Returns:
        A `Solution`, also where the assembly cannot be solved.

    Raises:
        UnknownMode: the assembly has no mode of that name; BadValue: `eta` is below 0.
        MissingExtra: `certify` without python-flint.
    """
    if eta is not ETA:
        not_negative(eta, "eta")
    prove = proving("certifying", "solution").certified if certify else None
    begin = perf_counter()
    watch = Watch(budget, cancel, progress)
    if tolerance is not None and tolerance != assembly.tolerance:
        given = assembly.copy()
        given.tolerance = tolerance
        attempt = SolveAttempt(Snapshot(given), PlannedSystem(compile_system(given)), eta, watch)
    elif mode is None and not watch.active and (found := solved_with_moves(assembly, eta)):
        attempt = SolveAttempt(*found[:2], eta, watch, again=found[2])
    else:
        attempt = SolveAttempt(*planned_system(assembly), eta, watch)
    return _solution(assembly, attempt, mode, prove, begin)


def solve_nearby(assembly: Assembly) -> Solution:
    """`solve` that gives up where the start poses lead nowhere.

    Then no other start is tried, no sense is reversed, and nothing is said about contradictions.
    """
    begin = perf_counter()
    attempt = SolveAttempt(*planned_system(assembly), ETA, Watch(), thorough=False)
    return _solution(assembly, attempt, None, None, begin)


def _solution(
    assembly: Assembly, attempt: SolveAttempt, mode: str | None, prove: Prover | None, begin: float
) -> Solution:
    """The solution that an attempt, begun at some time, s, comes to."""
    watch = attempt.watch
    mode_reached = attempt.run(mode)
    reached, search = attempt.reached, attempt.conflict_search
    certificate = None
    if mode_reached and reached.holds:
        outcome = Outcome.SOLVED
    elif search is not None and search.explained:
        outcome = Outcome.CONFLICTING
    else:
        outcome = Outcome.NOT_CONVERGED
    if prove is not None and outcome is Outcome.SOLVED:
        poses = named_poses(attempt.given, reached.system, reached.frames)
        certificate = prove(reached.system, [*poses.values()], watch)
    seconds = perf_counter() - begin
    diagnosis = partial(diagnose_poses, attempt.snapshot, reached, watch)
    watch.rest()
    given, trial, stopped = attempt.snapshot, attempt.trial, attempt.stopped
    result = SolveResult(given, reached, search, trial, stopped, diagnosis, watch, certificate)
    return Solution(assembly, outcome, seconds, mode, result)


def modes(
    assembly: Assembly,
    *,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> list[Mode]:
    """The assembly modes of an assembly, the one nearest to the start poses first.

    Drivers keep their values; free coordinates that no driver prescribes stay as solved.

    Args:
        assembly: not changed; it is solved first.
        budget, cancel, progress: as for `solve`; the first two hold for the search, too.

    Returns:
        Each mode with its name, the poses of all parts (mm, world) and its distance from the
        start, mm; `complete` is false where modes may be missing, `why` says why.

    Raises:
        Unsolved: the assembly has no solution, or the search was interrupted.
    """
    watch = Watch(budget, cancel, progress)
    solution = solve(assembly, budget=budget, cancel=cancel, progress=progress).require()
    system = solution.plan.system
    inner = watch.searching("in search of the assembly modes")
    try:
        search = modes_around(solution.plan, solution.frames, watch=inner)
        found = search.all
    except Stopped as stop:
        raise Unsolved(stop.words, "not_converged") from None
    return [
        Mode(
            m.name,
            named_poses(assembly, system, m.parts),
            m.distance,
            m.closures,
            search.complete,
            search.why,
            search.solutions,
        )
        for m in found
    ]


def diagnose(
    assembly: Assembly,
    *,
    tolerance: float | None = None,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Freedoms, free motions, redundant and contradictory mates of an assembly.

    Equivalent to `solve`: a `Solution` computes its diagnosis on demand.

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
        assembly: not changed; budget, cancel, progress: as for `solve`, over the search of the
            assembly modes too.
    """
    from ..results.analysis import Analysis  # with its tables: a solve shows none of them

    return Analysis(solve(assembly, budget=budget, cancel=cancel, progress=progress))

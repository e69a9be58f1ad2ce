"""One solve: from the start poses, then with reversed senses, then the search for conflicts.

What only searches need is imported by them: most solves end without one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.singularity import rank_is_clear
from ..diagnosis.subsets import constraint_names, mates_only
from ..equations.system import compile_system
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..model.assembly import Assembly
from ..model.snapshot import Snapshot
from ..solver.active_set import solve_within_limits, within_bounds
from ..solver.least_movement import movement, with_least_movement
from ..solver.modes.choice import ReachedPoses, in_mode, in_start_mode_or_nearest
from ..solver.repeated_loop import solved_again
from ..solver.sizes import is_small, one_moves
from ..solver.solver import Closed, nominal_poses
from ..structure.plan import Plan, PlannedSystem, make_plan
from ..structure.poses import body_poses
from ..structure.replan import restarted

if TYPE_CHECKING:
    from ..diagnosis.conflicts import ConflictSearch
    from ..diagnosis.subset_solver import SubsetSolver

BETTERED = 0.01
"""Share of the residual of a start within the tolerance to which a solve has to bring it: such a
start holds, and is moved only for the sake of a clear gain."""

LEFT = 2.0
"""Residual of a start that an earlier solve left, over that at which an iteration ends: to write
its poses as quaternions adds no more."""

REGULAR_TRIES = 48
"""Starts that are tried to leave a folded pose."""

REGULAR_TURNS = (1.0, 5.0)
"""Random matrices as those of `NEARBY`, for turns by some 60 degrees and by any angle."""

NEARBY_TRIES = 12
"""Starts nearby that are tried where the mates of a large assembly do not hold and nothing shows
that they cannot."""


class SolveAttempt:
    """The state of a solve: poses and conflicts when it ends or is interrupted.

    Args:
        snapshot: of the assembly.
        thorough: whether, where the start poses lead nowhere, other ones, reversed senses and
            contradictions are searched.
        again: where it is known to end, if no mode is asked for.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        planned: PlannedSystem,
        eta: float,
        watch: Watch,
        thorough: bool = True,
        again: ReachedPoses | None = None,
    ) -> None:
        self.snapshot, self.planned, self.eta, self.watch = snapshot, planned, eta, watch
        self.thorough, self.again = thorough, again
        self.reached: ReachedPoses
        self.closed: Closed | None = None
        self.conflict_search: ConflictSearch | None = None
        self.stopped: Stopped | None = None
        self._trial: SubsetSolver | None = None

    @cached_property
    def start_poses(self) -> ReachedPoses:
        """Those of the parts, which a solve that was made before does not look at."""
        return ReachedPoses.at(self.planned, self.planned.system.start)

    @property
    def given(self) -> Assembly:
        """The assembly as it is solved."""
        return self.snapshot.assembly

    def trial(self) -> SubsetSolver:
        """The solver of subsets, made when it is first needed: by what does not hold."""
        if self._trial is None:
            from ..diagnosis.subset_solver import SubsetSolver

            self._trial = SubsetSolver(self.given, self.watch)
        return self._trial

    def run(self, mode: str | None) -> bool:
        """Close the mates in the requested mode; whether that mode was reached."""
        if mode is None and not self.watch.active:
            again = self.again or solved_again(self.planned, self.eta)
            if again is not None:
                self.reached = again
                return True
        self.reached = self.start_poses
        try:
            system = self.planned.system
            if self.reached.exceeds(min(LEFT * system.convergence_tolerance, system.tolerance)):
                plainly = self._close()
                if mode is None and plainly and self._ends_nearby():
                    return True
                self._better_or_search()
            if not self.reached.holds:
                return mode is None
            if mode is None:
                self._ends_nearby()
                return True
            chosen = in_mode(self.reached, mode, self.watch)
            self.reached = with_least_movement(chosen or self.reached, True, self.watch)
            return chosen is not None
        except Stopped as stop:
            self.stopped = stop
            open_ = self.reached.off > self.planned.system.convergence_tolerance
            if self.closed is None and open_ and stop.closed is not None:
                self.reached = ReachedPoses.of(stop.closed)
            return mode is None

    def _close(self) -> bool:
        """Close from the start; whether each step of the plan succeeded, from one that is off.

        The residuals are then those that were asked for, and are judged where the parts end.
        """
        self.watch.place = "while the solve was planned"
        unplanned = self.planned.system
        plan = self.planned.made(self.watch, self._is_one_hopeless_pair)
        if plan.system is not unplanned:  # mates reach farther on rigid clusters
            self.start_poses = ReachedPoses.at(self.planned, plan.system.start)
        self.closed = self._solved(plan)
        self.reached = ReachedPoses.of(self.closed)
        return not self.closed.failed and self.start_poses.exceeds(self.planned.system.tolerance)

    def _solved(self, plan: Plan, reverse: frozenset[str] | None = None) -> Closed:
        """Carry out a plan; where mates turn out to contradict each other, their compromise."""
        closed = solve_within_limits(
            self.snapshot,
            plan,
            self.eta,
            self.thorough,
            reverse,
            self.watch,
            hopeless=self._none_found,
        )
        holds = closed.holds and within_bounds(closed.plan.system, closed.parts)
        if holds or not self._none_found(True):
            return closed
        parts = self.trial().solved(range(len(constraint_names(self.given))))[0].parts
        return replace(closed, parts=parts, bodies=body_poses(closed.plan, parts))

    def _is_one_hopeless_pair(self) -> bool:
        """Whether one part alone moves, and its mates hold from no start."""
        system = self.planned.system
        return self.thorough and one_moves(system) and self.trial().none_found(range(system.mates))

    def _none_found(self, limited: bool) -> bool:
        """Whether the mates and drivers hold from no start, or not within the limits."""
        if not (self.thorough and is_small(self.planned.system)):
            return False
        every = len(constraint_names(self.given))
        return self.trial().none_found(range(every if limited else every - len(self.given.limits)))

    def _ends_nearby(self) -> bool:
        """Move to the mode of the start and there the least; whether the mates hold, else not."""
        before = self.reached
        self.reached = in_start_mode_or_nearest(self.start_poses, self.reached, self.watch)
        self.reached = with_least_movement(self.reached, self.start_poses.assembled, self.watch)
        if self.reached.folded:
            self.reached = self._regular()
        if self.reached.holds:
            return True
        self.reached = before
        return False

    def _better_or_search(self) -> None:
        """Keep a start that cannot be bettered; else reverse senses, then search conflicts."""
        assert self.closed is not None
        given, begun, tolerance = self.given, self.start_poses, self.planned.system.tolerance
        if begun.off <= tolerance:
            if self.reached.off > BETTERED * begun.off:
                self.reached = begun
        elif self.thorough and self.reached.off > tolerance:
            from .sense_search import with_reversed_senses

            again = with_reversed_senses(given, self.reached, self.watch)
            if again is not None and again.off > tolerance:  # it is not shown that they help
                again = self._elsewhere(None) or again
            if again is not None:
                self.reached = again
                if again.off > tolerance:
                    self._reverse(frozenset(again.system.reversed_senses))
            if self.reached.off > tolerance:
                self._search()

    def _search(self) -> None:
        """Contradictions; or poses elsewhere, or with other senses of what seemed contradictory."""
        tolerance, seen = self.planned.system.tolerance, set[frozenset[str]]()
        while True:
            self.conflict_search = search = self._conflicts()
            seen.add(frozenset(self.reached.system.reversed_senses))
            if search.start is not None or not search.shown:
                again = self._elsewhere(search.start)
                if again is not None:
                    self.reached, self.conflict_search = again, None
                    return
            if not self._turned(search, seen):
                return
            if self.reached.off <= tolerance:
                self.conflict_search = None
                return

    def _reverse(self, names: frozenset[str]) -> None:
        """Go on with these senses reversed."""
        from ..diagnosis.subset_solver import SubsetSolver
        from .sense_search import with_stated_senses

        system = compile_system(self.given, names)
        found = names.difference(self.planned.system.reversed_senses)
        stated = with_stated_senses(self.given, system, found)
        self._trial = SubsetSolver(stated, self.watch)
        self.closed = self._solved(make_plan(system, watch=self.watch), names)
        self.reached = ReachedPoses.of(self.closed)

    def _conflicts(self) -> ConflictSearch:
        """Contradictory sets, of mates that contradict each other with their nearest senses, too.

        A reversal that helped others may be what a set cannot hold with: it is taken back.  Where
        others cannot hold without it then, all of them are one set.
        """
        from ..diagnosis.conflicts import Conflict, find_conflicts, with_either_sense
        from ..diagnosis.subset_solver import SubsetSolver
        from ..diagnosis.suspects import suspects

        assert self.closed is not None
        nearest, false = SubsetSolver(self.given, self.watch), list[Conflict]()
        turned = self.trial()
        while True:
            search = find_conflicts(self.trial(), *suspects(self.reached, self.closed))
            reverse = frozenset(self.reached.system.reversed_senses)
            own = reverse.difference(self.planned.system.reversed_senses)
            found = [c for c in search.conflicts if own.intersection(c.constraints)]
            found = [c for c in found if nearest.holds_anywhere(c.constraints)]
            if not found:
                return with_either_sense(search, false, self.trial(), turned)
            false += found
            self._reverse(reverse.difference(*(c.constraints for c in found)))

    def _turned(self, search: ConflictSearch, seen: set[frozenset[str]]) -> bool:
        """Turn senses with which sets hold that seemed contradictory; whether there are any.

        Not those with which contradictions were searched already.
        """
        from .other_senses import held_with_other_senses

        reverse = frozenset(self.reached.system.reversed_senses)
        watch = self.watch.searching("while nearest senses were reversed")
        each = (held_with_other_senses(self.given, c, reverse, watch) for c in search.conflicts)
        found = list(filter(None, each))
        reverse ^= frozenset[str]().union(*(turned for turned, _ in found))  # sets may overlap
        if reverse in seen:
            return False
        self._reverse(reverse)
        if self.reached.off > self.planned.system.tolerance:
            self.reached = self._elsewhere(found[0][1]) or self.reached
        return True

    def _elsewhere(self, known: Array | None) -> ReachedPoses | None:
        """Poses that hold, the nearer of those that are known, if any, and of others; or None."""
        from ..diagnosis.other_starts import NEARBY, turned_starts
        from ..solver.multistart import weighed_ends

        plan = self._plan(self.reached)
        found = [] if known is None else [self._again_from(plan, known)]
        if is_small(plan.system):
            starts = weighed_ends(plan.system, self.watch)
        else:
            starts = (turned_starts(plan.system, k, NEARBY) for k in range(NEARBY_TRIES))
        found += [next(filter(None, (self._again_from(plan, s, False) for s in starts)), None)]
        return min(filter(None, found), key=movement, default=None)

    def _regular(self) -> ReachedPoses:
        """Regular poses as near to the start as the folded ones reached; these where none is.

        A loop may fold up so that links turn about one line: that has more freedoms, and a descent
        from afar ends there often.
        """
        from ..diagnosis.other_starts import turned_starts

        folded, system = self.reached, self.reached.system
        watch = self.watch.searching("in search of a regular pose")
        plan = self._plan(folded)
        for k in range(REGULAR_TRIES):
            around = folded.frames if k % 4 < 2 else system.start
            start = turned_starts(replace(system, start=around), k, REGULAR_TURNS)
            found = self._again_from(plan, start, False)
            if found is not None:
                found = in_start_mode_or_nearest(self.start_poses, found, watch)
            if found is None or found.folded:
                continue
            found = with_least_movement(found, False, watch)
            if not found.folded and movement(found) <= movement(folded):
                return replace(found, counts=folded.counts + found.counts)
        return folded

    def _again_from(self, plan: Plan, start: Array, thorough: bool = True) -> ReachedPoses | None:
        """A solve with a plan from other poses, or those if they hold; None where neither does."""
        reverse, again = frozenset(plan.system.reversed_senses), restarted(plan, start)
        closed = solve_within_limits(self.snapshot, again, self.eta, thorough, reverse, self.watch)
        own = replace(closed.plan.system, start=plan.system.start)
        found = ReachedPoses.of(replace(closed, plan=replace(closed.plan, system=own)))
        if found.off > plan.system.tolerance:
            found = found.moved(start)
        return found if found.off <= plan.system.tolerance else None

    def _plan(self, reached: ReachedPoses) -> Plan:
        """A plan with the senses of some poses, without active limits."""
        system = compile_system(self.given, frozenset(reached.system.reversed_senses))
        return make_plan(system, watch=self.watch)


def diagnose_poses(snapshot: Snapshot, reached: ReachedPoses, watch: Watch) -> Diagnosis:
    """Structure and rank of the mates without drivers and limits, at the poses reached.

    At the singular pose instead that these cannot be told from.

    Raises:
        Stopped: the watch interrupted it.
    """
    system = reached.system
    if len(system.constraints) > system.mates:
        alone = compile_system(mates_only(snapshot.assembly), frozenset(system.reversed_senses))
        # in the turn that the drivers prescribe
        turns = system.table.reference[: len(alone.table.reference)]
        table = alone.table._replace(reference=turns)
        system = replace(alone, fixed=system.fixed, table=table)
    known, frames = reached.planned.known, reached.frames
    if system is reached.system and known is not None and _closed_alone(known):
        plan = restarted(known, frames)
    else:
        plan = make_plan(replace(system, start=frames), watch=watch)
    nominal = nominal_poses(plan, watch.searching("while it was diagnosed"))
    found = Diagnosis(plan, frames, nominal, watch)
    if all(rank_is_clear(found, k) for k in range(len(plan.components))):
        return found
    from ..diagnosis.singular_pose import singular_pose

    singular = singular_pose(reached)
    return found if singular is None else Diagnosis(plan, singular, nominal, watch)


def _closed_alone(plan: Plan) -> bool:
    """Whether each pair of a plan was closed and has a joint: at other poses it is the same."""
    pairs = plan.bodies.pairs
    closed = bool(np.all(pairs.gap <= plan.system.convergence_tolerance))
    return closed and not plan.cautious and GENERAL not in pairs.kind

"""Solves subsets of the constraints of an assembly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..equations.bounds import TravelLimit
from ..equations.residuals import all_residuals
from ..equations.system import System, compile_system, over_clusters
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..model.snapshot import Snapshot
from ..solver.active_set import (
    bound_violations,
    holds_within_bounds,
    solve_within_limits,
    worst_violation,
)
from ..solver.multistart import BETTER, Closure, ends_from, weighed_ends
from ..solver.refinement import refined
from ..solver.sizes import is_small, one_moves
from ..solver.stationary_poses import stationary_poses
from ..structure.clusters import form_bodies, has_noise
from ..structure.plan import make_plan
from ..structure.replan import restarted
from .compromises import Compromises
from .other_starts import disturbed, many_turned, turned_starts
from .proof.impossible import impossible
from .subsets import constraint_names, subset

SEARCH = "while contradictions were looked for"
"""Where a search is that is stopped."""

MOST_TRIALS = 300
"""Most subsets that are solved; a set found after them may be reducible, and is reported so."""

RESTARTS = 3
"""Perturbed starts from which a contradictory set has to fail as well."""

MOST_ELSEWHERE = 24
"""Most starts anywhere from which a set that is to be called contradictory has to fail as well."""

TURNED = 5
"""Starts anywhere from which a small set is solved besides."""

AT_ONCE = 24
"""Starts anywhere from which a small set descends at once."""

MOST_AT_ONCE = 96
"""Most such starts of a set that is to be called contradictory."""


@dataclass(eq=False)
class SolvedSubset:
    """The best poses found for some constraints.

    Attributes:
        assembly: of them alone; compiled: its system; parts: poses, (parts, 12); planned: whether
            the system is that of a plan already, with the limits that are active.
    """

    assembly: Assembly
    compiled: System
    parts: Array
    planned: bool = False

    @cached_property
    def system(self) -> System:
        """The system with the reaches on rigid clusters, and exceeded limits as constraints."""
        if self.planned:
            return self.compiled
        system, bounds = self.compiled, self.compiled.bounds
        if bounds is not None:
            active = []
            for name, out in zip(bounds.names, bound_violations(system, self.parts), strict=True):
                if abs(out) > system.tolerance:
                    upper = bool(out > 0)
                    value = self.assembly.limits[name].bound(upper)
                    active.append(TravelLimit(name, upper, value))
            system = compile_system(self.assembly, active_limits=tuple(sorted(active)))
        bodies = form_bodies(replace(system, start=self.parts), attempts=1)
        return over_clusters(system, bodies.of_part, bodies.relative) if bodies.merged else system


class SubsetSolver:
    """Solves subsets of the constraints of an assembly, memoised.

    All methods that solve raise `Stopped` when the budget is exceeded or the user cancels.
    """

    def __init__(self, assembly: Assembly, watch: Watch) -> None:
        self.assembly = assembly
        self.watch = watch
        self.known: dict[frozenset[int], bool] = {}
        self._solved: dict[tuple[frozenset[int], bool], tuple[SolvedSubset, bool]] = {}
        self._begun: dict[frozenset[int], Array] = {}
        self._elsewhere: dict[frozenset[int], tuple[Array | None, bool]] = {}
        self._proved: dict[frozenset[int], bool] = {}
        self._descended: dict[frozenset[int], tuple[Array | None, bool]] = {}
        self.nearest: dict[Any, Any] = {}
        self.accepting: dict[frozenset[int], float | None] = {}
        self.least: dict[frozenset[int], float] = {}

    def system(self, constraints: Sequence[int], active: tuple[TravelLimit, ...] = ()) -> System:
        """The system of some constraints, in their order, with active limits as equations."""
        return compile_system(subset(self.assembly, constraints), active_limits=active)

    def descends(self, system: System) -> bool:
        """Whether a subset is closed by descents: where it is small, and the assembly is nominal.

        Descents know no nominal features: along noise they go far.
        """
        return is_small(system) and self._is_nominal

    @cached_property
    def _is_nominal(self) -> bool:
        return not has_noise(compile_system(self.assembly))

    def closure(self, system: System, **how: Any) -> Closure:
        """Closes a system of some constraints again and again; `how`: as of a `Closure`."""
        return Closure(system, self.watch, self.descends(system), **how)

    def limits_among(self, constraints: Sequence[int]) -> list[int]:
        """Numbers of the limits of what some constraints hold: of a coordinate of one of their
        joints, or of a separation, a distance or an angle of two of their parts."""
        system = self.system(constraints)
        joints = set(system.constraints[: system.mates])
        parts = {p for k in range(len(system.constraints)) for p in system.parts_of(k)}
        names = {system.parts[p] for p in parts}
        limits = self.assembly.limits
        first = len(constraint_names(self.assembly)) - len(limits)
        return [
            k
            for k, x in enumerate(limits.values(), first)
            if (x.joint in joints if x.ends is None else {e.part for e in x.ends} <= names)
        ]

    def solved(self, constraints: Sequence[int], brief: bool = False) -> tuple[SolvedSubset, bool]:
        """The best poses for a subset, and whether it holds; memoised.

        Args:
            brief: the poses need not be a best compromise.
        """
        key = frozenset(constraints)
        if (key, brief) not in self._solved:
            assembly = subset(self.assembly, constraints)
            system = compile_system(assembly)
            if not self.descends(system):
                found = self._solved_by_plan(assembly, system, brief)
            elif brief:
                found = self._solved_at_once(key, assembly, system)
            else:
                found = self.solved(constraints, brief=True)
                if not found[1]:
                    found = self._compromise(assembly, system, self._begun[key])
            for kind in (False, True) if found[1] else (brief,):  # a success answers both
                self._solved[key, kind] = found
        return self._solved[key, brief]

    def _solved_at_once(
        self, key: frozenset[int], assembly: Assembly, system: System
    ) -> tuple[SolvedSubset, bool]:
        """Descend from the start; where that fails, from starts around it and anywhere at once."""
        start = system.start
        found = ends_from(system, start[None], self.watch)
        parts, off = found.parts[0], float(found.off[0])
        if off > system.tolerance:
            around = [disturbed(system, k) for k in range(RESTARTS)]
            starts = np.concatenate([around, many_turned(system, range(1, 1 + TURNED))])
            found = ends_from(system, starts, self.watch, first=True)
            k = found.best
            if found.off[k] <= system.tolerance or found.off[k] < BETTER * off:
                parts, off, start = found.parts[k], float(found.off[k]), starts[k]
        judged = _judged(assembly, system, parts, off)
        if not judged[1]:
            self._begun[key] = start
        return judged

    def _compromise(
        self, assembly: Assembly, system: System, start: Array
    ) -> tuple[SolvedSubset, bool]:
        """Descend to the end, to rounding, from where a brief descent began."""
        parts = ends_from(system, start[None], self.watch, brief=False).parts[0]
        parts = stationary_poses(system, parts)
        return _judged(assembly, system, parts, worst_violation(system, parts))

    def _solved_by_plan(
        self, assembly: Assembly, system: System, brief: bool, thorough: bool = False
    ) -> tuple[SolvedSubset, bool]:
        """Solve a large subset; where that fails, also from perturbed starts.

        A brief solve of a part that alone moves is not repeated: its plan closed the mates from
        every orientation.
        """
        plan = make_plan(system, watch=self.watch)
        given = Snapshot(assembly)
        best = solve_within_limits(given, plan, thorough=thorough, watch=self.watch, brief=brief)
        off = worst_violation(best.plan.system, best.parts)
        if off > plan.system.tolerance and plan.bodies.merged:
            plan = make_plan(plan.system, True, self.watch)
        restarts = 0 if brief and one_moves(plan.system) else RESTARTS
        for k in range(restarts if off > plan.system.tolerance else 0):
            again, watch = restarted(plan, disturbed(plan.system, k)), self.watch
            closed = solve_within_limits(given, again, thorough=False, watch=watch, brief=brief)
            less = worst_violation(closed.plan.system, closed.parts)
            if less < off:
                best, off = closed, less
        return SolvedSubset(assembly, best.plan.system, best.parts, True), off <= system.tolerance

    def held_elsewhere(self, constraints: Sequence[int]) -> tuple[Array | None, bool]:
        """Poses of the parts at which a subset holds after all, and whether there are none.

        It is solved from starts anywhere, until those compromises that were found are probably all.
        Memoised.
        """
        key = frozenset(constraints)
        if key not in self._elsewhere:
            assembly = subset(self.assembly, constraints)
            system = compile_system(assembly)
            held = self._at_once(key, assembly, system)
            if held[0] is None and not held[1]:  # a plan may reduce what descents do not close
                found, holds = self._solved_by_plan(assembly, system, False, thorough=True)
                if holds:
                    held = found.parts, False
                elif not self.descends(system):
                    held = self._elsewhere_by_plan(assembly, system)
            self._elsewhere[key] = held
        return self._elsewhere[key]

    def holds_anywhere(self, names: Sequence[str]) -> bool:
        """Whether constraints of these names hold together at poses that are found anywhere."""
        every = constraint_names(self.assembly)
        return self.held_elsewhere([every.index(name) for name in names])[0] is not None

    def _at_once(
        self, key: frozenset[int], assembly: Assembly, system: System
    ) -> tuple[Array | None, bool]:
        """The same by descents of a small system alone."""
        if key not in self._descended:
            small = self.descends(system)
            found = self._elsewhere_at_once(assembly, system) if small else (None, False)
            self._descended[key] = found
        return self._descended[key]

    def _elsewhere_at_once(self, assembly: Assembly, system: System) -> tuple[Array | None, bool]:
        ends = Compromises()
        for n in range(0, MOST_AT_ONCE, AT_ONCE):
            starts = many_turned(system, range(n + 1, n + AT_ONCE + 1))
            found = ends_from(system, starts, self.watch)
            k = found.best
            held, holds = _judged(assembly, system, found.parts[k], float(found.off[k]))
            if holds:
                return held.parts, False
            ends.enter(found.norm.tolist())
            if ends.are_all:
                past = held_by_weights(assembly, system, self.watch)  # those compromises
                return past, past is None
        return None, False

    def _elsewhere_by_plan(self, assembly: Assembly, system: System) -> tuple[Array | None, bool]:
        """One start after the other.

        The mates of two parts alone are closed from every orientation when they are analysed.
        """
        if one_moves(system) and not assembly.limits:
            return None, True
        ends = Compromises()
        for n in range(1, MOST_ELSEWHERE + 1):
            plan = make_plan(replace(system, start=turned_starts(system, n)))
            closed = solve_within_limits(
                Snapshot(assembly), plan, thorough=False, watch=self.watch, brief=True
            )
            if holds_within_bounds(closed.plan.system, closed.parts):
                return closed.parts, False
            ends.enter([float(np.linalg.norm(all_residuals(closed.plan.system, closed.parts)))])
            if ends.are_all:
                return None, True
        return None, False

    def none_found(self, constraints: Sequence[int]) -> bool:
        """Whether a small subset holds from no start, and all its compromises are known."""
        system, watch, place = self.system(constraints), self.watch, self.watch.place
        self.watch = watch.searching(SEARCH)
        try:
            if not self.descends(system) or self.holds(constraints):
                return False
            assembly = subset(self.assembly, constraints)
            known = self.is_impossible(constraints)
            return known or self._at_once(frozenset(constraints), assembly, system)[1]
        finally:  # the solve goes on where it was
            self.watch, watch.place = watch, place

    def holds(self, constraints: Sequence[int]) -> bool:
        """Whether a subset holds."""
        key = frozenset(constraints)
        if key not in self.known and any(key <= other for other, ok in self.known.items() if ok):
            return True  # a subset of constraints that hold together
        if any(proved and other <= key for other, proved in self._proved.items()):
            return False
        if key not in self.known:
            self.watch.tell(len(self.known), MOST_TRIALS, "looking for contradictions")
            self.known[key] = self.solved(constraints, brief=True)[1]
        return self.known[key]

    def note(self, constraints: Sequence[int], parts: Array) -> None:
        """Enter poses of the parts, (parts, 12), at which a subset holds that seemed not to."""
        key, assembly = frozenset(constraints), subset(self.assembly, constraints)
        solved = SolvedSubset(assembly, compile_system(assembly), parts), True
        self.known[key] = True
        self._solved[key, False] = self._solved[key, True] = solved

    def is_impossible(self, constraints: Sequence[int]) -> bool:
        """Whether a subset is proved to contradict itself."""
        key = frozenset(constraints)
        if key not in self._proved:
            self._proved[key] = impossible(subset(self.assembly, constraints)) is not None
        return self._proved[key]

    @property
    def exhausted(self) -> bool:
        """Whether the most subsets allowed were solved."""
        return len(self.known) >= MOST_TRIALS


def is_solved(assembly: Assembly, watch: Watch, thorough: bool = False) -> bool:
    """Whether an assembly is solved from its start poses, as a user would solve it.

    Args:
        thorough: also from elsewhere, as where nearly singular poses are to be reached.

    Raises:
        Stopped: when the budget is exceeded or the user cancels.
    """
    system = compile_system(assembly)
    if holds_within_bounds(system, system.start):
        return True
    every, subsets = range(len(constraint_names(assembly))), SubsetSolver(assembly, watch)
    held = subsets.solved(every, brief=True)[1]
    return held or (thorough and subsets.held_elsewhere(every)[0] is not None)


def _judged(
    assembly: Assembly, system: System, parts: Array, off: float
) -> tuple[SolvedSubset, bool]:
    """The end of a descent, and whether it holds, its angles counted at the reaches on clusters.

    Args:
        off: what is off without these reaches, mm.
    """
    found = SolvedSubset(assembly, system, parts)
    if system.convergence_tolerance < off <= system.tolerance:
        farther = found.system
        off = worst_violation(farther, parts)
        if off > system.tolerance:
            found = SolvedSubset(assembly, farther, refined(farther, parts), planned=True)
            off = worst_violation(farther, found.parts)
    return found, off <= system.tolerance


def held_by_weights(assembly: Assembly, system: System, watch: Watch) -> Array | None:
    """The nearest poses of the parts at which a small assembly holds, of `weighed_ends`, if any."""
    for parts in weighed_ends(system, watch):
        found, holds = _judged(assembly, system, parts, worst_violation(system, parts))
        if holds:
            return found.parts
    return None

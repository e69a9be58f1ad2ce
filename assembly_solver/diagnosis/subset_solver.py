"""Solves subsets of the constraints of an assembly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..equations.bounds import TravelLimit
from ..equations.residuals import all_residuals
from ..equations.system import System, compile_system
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..solver.active_set import solve_within_limits, worst_violation
from ..solver.solver import Closed
from ..structure.plan import make_plan
from ..structure.replan import restarted
from .spacing import impossible_pairs

MOST_TRIALS = 300
"""Most subsets that are solved; a set found after them may be reducible, and is reported so."""

RESTARTS = 3
"""Perturbed starts from which a contradictory set has to fail as well."""

MOST_ELSEWHERE = 24
"""Most starts anywhere from which a set that is to be called contradictory has to fail as well."""

ANYWHERE = (0.5, 5.0)
"""Random matrices that are added to an orientation before it is made orthonormal: a turn by some 30
degrees, and by any angle."""

NEARBY = (0.1, 0.25)
"""The same for turns by some 6 and 15 degrees."""

SHIFT = 0.2
"""Shift of a start, relative to the length: by a fifth for a turn by 30 degrees or more."""

ALIKE = 0.01
"""Relative difference of two least squares below which two solves ended at the same compromise: a
brief descent ends when it is almost stationary."""


def constraint_names(assembly: Assembly) -> tuple[str, ...]:
    """Mates, drivers with a value, limits; drivers with the name of a mate have a prefix."""
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    unique = (f"driver {name}" if name in assembly.held else name for name in drivers)
    return (*assembly.held, *unique, *(f"limit {name}" for name in assembly.limits))


def constraint_numbers(system: System) -> list[int]:
    """Number of each constraint of a system among all mates, drivers with a value and limits."""
    first = system.mates + system.drivers
    names = system.bounds.names if system.bounds is not None else ()
    return [*range(first), *(first + names.index(active.limit) for active in system.active_limits)]


def subset(assembly: Assembly, constraints: Sequence[int]) -> Assembly:
    """A copy with only some of the mates, drivers with a value and limits, by number."""
    other, keep = assembly.copy(), set(constraints)
    mates = list(assembly.held)
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    for k, name in enumerate(assembly.limits, len(mates) + len(drivers)):
        if k not in keep:
            other.remove_limit(name)
    for k, name in enumerate(mates):
        if k not in keep:
            other.remove(name, alone=True)
    for k, name in enumerate(drivers, len(mates)):
        if k not in keep:
            other.set_driver(name, None)
    return other


class SubsetSolver:
    """Solves subsets of the constraints of an assembly, memoised.

    All methods that solve raise `Stopped` when the budget is exceeded or the user cancels.
    """

    def __init__(self, assembly: Assembly, watch: Watch) -> None:
        self.assembly = assembly
        self.watch = watch
        self.known: dict[frozenset[int], bool] = {}
        self._solved: dict[tuple[frozenset[int], bool, bool], tuple[Closed, bool]] = {}
        self.nearest: dict[Any, Any] = {}
        self.accepting: dict[frozenset[int], float | None] = {}
        self.least: dict[frozenset[int], float] = {}

    def system(self, constraints: Sequence[int], active: tuple[TravelLimit, ...] = ()) -> System:
        """The system of some constraints, in their order, with active limits as equations."""
        return compile_system(subset(self.assembly, constraints), active_limits=active)

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

    def solved(
        self, constraints: Sequence[int], thorough: bool = False, brief: bool = False
    ) -> tuple[Closed, bool]:
        """The best poses for a subset, and whether it holds; memoised.

        Args:
            thorough: use all fallbacks; brief: the poses need not be a best compromise.
        """
        key = frozenset(constraints)
        if (key, thorough, brief) not in self._solved:
            found = self._solve(constraints, thorough, brief)
            kinds = [(thorough, brief), (False, True), (False, False), (True, False)]
            for kind in kinds if found[1] else kinds[:1]:  # a success answers every kind
                self._solved[key, *kind] = found
        return self._solved[key, thorough, brief]

    def _solve(
        self, constraints: Sequence[int], thorough: bool, brief: bool
    ) -> tuple[Closed, bool]:
        """Solve a subset; where that fails, also from perturbed starts.

        A brief solve of a part that alone moves is not repeated: its plan closed the mates from
        every orientation.
        """
        assembly = subset(self.assembly, constraints)
        plan = make_plan(compile_system(assembly), watch=self.watch)
        best = solve_within_limits(assembly, plan, thorough=thorough, watch=self.watch, brief=brief)
        off = worst_violation(best.plan.system, best.parts)
        if off > plan.system.tolerance and plan.bodies.merged:
            plan = make_plan(plan.system, True, self.watch)
        restarts = 0 if brief and one_moves(plan.system) else RESTARTS
        for k in range(restarts if off > plan.system.tolerance else 0):
            again, watch = restarted(plan, disturbed(plan.system, k)), self.watch
            closed = solve_within_limits(assembly, again, thorough=False, watch=watch, brief=brief)
            less = worst_violation(closed.plan.system, closed.parts)
            if less < off:
                best, off = closed, less
        return best, off <= plan.system.tolerance

    def held_elsewhere(self, constraints: Sequence[int]) -> tuple[Array | None, bool]:
        """Poses of the parts at which a subset holds after all, and whether there are none.

        It is solved from starts anywhere, until those compromises that were found are probably all:
        after n starts with w different ends about w (n - 1) / (n - w - 2) ends exist.  The mates of
        two parts alone are closed from every orientation when they are analysed.

        Source: C. G. E. Boender and A. H. G. Rinnooy Kan, Bayesian stopping rules for multistart
        global optimization methods, Mathematical Programming 37 (1987).
        """
        assembly = subset(self.assembly, constraints)
        system = compile_system(assembly)
        if one_moves(system) and not assembly.limits:
            return None, True
        ends: list[float] = []
        for n in range(1, MOST_ELSEWHERE + 1):
            plan = make_plan(replace(system, start=turned_starts(system, n)))
            closed = solve_within_limits(
                assembly, plan, thorough=False, watch=self.watch, brief=True
            )
            if worst_violation(closed.plan.system, closed.parts) <= system.tolerance:
                return closed.parts, False
            off = float(np.linalg.norm(all_residuals(closed.plan.system, closed.parts)))
            if not any(abs(off - end) <= ALIKE * off for end in ends):
                ends.append(off)
            w = len(ends)
            if n > w + 2 and w * (n - 1) / (n - w - 2) < w + 0.5:
                return None, True
        return None, False

    def holds(self, constraints: Sequence[int]) -> bool:
        """Whether a subset holds."""
        key = frozenset(constraints)
        if key not in self.known and any(key <= other for other, ok in self.known.items() if ok):
            return True  # a subset of constraints that hold together
        if key not in self.known and self.is_impossible(constraints):
            return False
        if key not in self.known:
            self.watch.tell(len(self.known), MOST_TRIALS, "looking for contradictions")
            self.known[key] = self.solved(constraints, brief=True)[1]
        return self.known[key]

    def is_impossible(self, constraints: Sequence[int]) -> bool:
        """Whether two constraints of a subset are proved to contradict each other."""
        return any(pair <= set(constraints) for pair in self._impossible)

    @cached_property
    def _impossible(self) -> list[frozenset[int]]:
        return impossible_pairs(self.assembly)

    @property
    def exhausted(self) -> bool:
        """Whether the most subsets allowed were solved."""
        return len(self.known) >= MOST_TRIALS


def is_solved(assembly: Assembly, watch: Watch) -> bool:
    """Whether an assembly is solved from its start poses, as a user would solve it.

    Raises `Stopped` when the budget is exceeded or the user cancels.
    """
    system = compile_system(assembly)
    if worst_violation(system, system.start) <= system.tolerance:
        return True
    every = range(len(constraint_names(assembly)))
    return SubsetSolver(assembly, watch).solved(every, brief=True)[1]


def one_moves(system: System) -> bool:
    """Whether at most one of the parts that constraints join is not held."""
    parts = {p for k in range(len(system.constraints)) for p in system.parts_of(k)}
    return int((~system.fixed[list(parts)]).sum()) < 2


def disturbed(system: System, k: int, shift: float = SHIFT) -> Array:
    """Start poses, (parts, 12), moved by a share of the length, reproducible for each k."""
    rng = np.random.default_rng(k)
    start = system.start.copy()
    free = ~system.fixed
    start[free, :3] += rng.normal(size=(int(free.sum()), 3)) * shift * system.length
    return start


def turned_starts(system: System, k: int, turns: Sequence[float] = ANYWHERE) -> Array:
    """Start poses, (parts, 12), moved and turned, by one of some turns, reproducible."""
    rng = np.random.default_rng([k, 1])
    by = turns[k % len(turns)]
    start = disturbed(system, k, SHIFT * min(by / ANYWHERE[0], 1.0))
    free = np.flatnonzero(~system.fixed)
    q, sizes = np.linalg.qr(np.eye(3) + by * rng.normal(size=(len(free), 3, 3)))
    q *= np.sign(np.einsum("nkk->nk", sizes))[:, None, :]
    q[:, :, 2] *= np.linalg.det(q)[:, None]
    axes = start[free, 3:].reshape(-1, 3, 3)
    start[free, 3:] = np.einsum("nij,nkj->nki", q, axes).reshape(-1, 9)
    return start

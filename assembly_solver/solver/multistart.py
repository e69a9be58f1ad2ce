"""Poses that hold, or compromise, from one or many starts: small systems by descents at once.

A small system is not planned: what is asked for is a verdict, and the descents of all starts share
their evaluation.  A large one is closed by its plan from one start after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..equations.many_descents import Descents
from ..equations.many_starts import ManyStarts
from ..equations.places import constraints_by_place
from ..equations.residuals import worst_off
from ..equations.system import System
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..structure.clusters import body_cloud
from ..structure.pairs import ATTEMPTS
from ..structure.plan import Plan, make_plan
from ..structure.replan import retargeted
from .active_set import worst_violation
from .fallbacks import STEPS
from .refinement import NEAR, refined
from .solver import solve
from .stationary_poses import stationary_poses
from .workspace import PATIENCE

WEIGHED, UNKNOWNS_CUBED = (4, 128), 4_000_000
"""Fewest and most descents by random weights, and the work of all of them in one step: that of one
grows with the cube of its unknowns."""

WEIGHED_STEPS = 60
"""Steps of such a descent, and of the one without weights after it."""

HEAVIEST = 100.0
"""A setting: largest weight of a constraint, and one over the smallest."""

ALIKE = 0.001
"""Relative difference of what two descents left off below which they ended alike: a brief one ends
when it is almost stationary."""

BETTER = 0.9
"""A setting: what a descent leaves off over what an earlier one does from which its end is taken:
where parts slide ever on, neither is known better."""

REFINED = 2
"""Ends, those of least residual, that are refined where they may then hold."""


class Ends(NamedTuple):
    """Where descents ended, by starts.

    Attributes:
        parts: poses, (starts, parts, 12); off: largest residual or violation of a limit, mm,
            (starts,); norm: of all residuals, mm, (starts,), infinite where a part went away.
        tolerance, accepted: largest residual that counts as zero, and at which all holds, mm.
    """

    parts: Array
    off: Array
    norm: Array
    tolerance: float
    accepted: float

    @property
    def best(self) -> int:
        """The number of the first that holds, else of the first with hardly more than the least."""
        off = np.where(self.off <= self.tolerance, 0.0, self.off)
        least = float(off.min())
        most = least / BETTER if least > self.accepted else min(least / BETTER, self.accepted)
        return int(np.argmax(off <= most))


def ends_from(
    system: System,
    starts: Array,
    watch: Watch,
    limited: bool = True,
    brief: bool = True,
    first: bool = False,
) -> Ends:
    """Descend from some poses of the parts of a small system, (starts, parts, 12).

    Args:
        limited: whether limits count; first: end all as soon as one holds; brief: end a descent
            when it is almost stationary; else its end is the same whether machine code is ready or
            not.
    """
    of, tolerance = ManyStarts(system, limited), system.convergence_tolerance
    patience = PATIENCE if brief else 0.0
    descents = Descents(tolerance, STEPS, patience, first, not brief, watch.check)
    parts, f = descents.run(of, starts)
    off, norm = of.off(f), np.linalg.norm(f, axis=1)
    judge = worst_violation if limited else worst_off
    near = (off > tolerance) & (off <= NEAR * system.tolerance)
    for k in np.flatnonzero(near)[np.argsort(off[near], kind="stable")][:REFINED].tolist():
        parts[k] = stationary_poses(system, parts[k], limited=limited)
        f = of.residuals(parts[k][None])[0]
        norm[k] = np.linalg.norm(f)
        # the largest of some residuals is no less than the root of their mean square
        if norm[k] <= np.sqrt(max(len(f), 1)) * system.tolerance:
            parts[k] = refined(system, parts[k])
        off[k] = judge(system, parts[k])
    away = of.is_away(parts) & (off > system.tolerance)
    norm = np.where(away, np.inf, norm)
    return Ends(parts, off, norm, tolerance, system.tolerance)


def weighed_ends(system: System, watch: Watch) -> Iterator[Array]:
    """Poses of the parts of a small system at which it holds, those that moved least first.

    All descents begin at the start, each by weights of its own: redundant mates leave compromises
    near a start from which their squared residual alone does not lead away.
    """
    of, tolerance = ManyStarts(system), system.convergence_tolerance
    fewest, most = WEIGHED
    count = min(max(UNKNOWNS_CUBED // max(of.size, 1) ** 3, fewest), most)
    starts = np.repeat(system.start[None], count, axis=0)
    weights = np.ones((count, of.residuals(system.start[None]).shape[1]))
    each = np.random.default_rng(0).uniform(-1.0, 1.0, (count, len(system.constraints)))
    each[:, constraints_by_place(system)] = each.copy()
    equations = system.constraint_of_equation
    weights[:, : len(equations)] = HEAVIEST ** each[:, equations]
    descents = Descents(tolerance, WEIGHED_STEPS, check=watch.check)
    parts, f = descents.run(of, descents.run(of, starts, weights)[0])
    parts = parts[of.off(f) <= system.tolerance]
    at = body_cloud(system, system.start)
    moved = [float(np.linalg.norm(body_cloud(system, each) - at)) for each in parts]
    yield from parts[np.argsort(moved, kind="stable")]


Replanning = Callable[[Plan, Array, Mapping[int, float]], Plan | None]


@dataclass(eq=False)
class Closure:
    """Closes the constraints of a system, without its limits, near given poses, again and again.

    Attributes:
        descends: whether it is closed by descents, not by a plan.
        attempts, replanned: how the pairs of a plan are closed, and it is made for other targets.
    """

    system: System
    watch: Watch
    descends: bool
    attempts: int = ATTEMPTS
    replanned: Replanning = retargeted
    _plan: Plan | None = field(default=None, init=False, repr=False)

    def each_from(self, starts: Sequence[Array], target: Array) -> Iterator[Array]:
        """Poses of the parts from each of some others, those of a small system by residual."""
        if not self.descends:
            yield from (self.from_(start, target) for start in starts)
            return
        ends = ends_from(self._with(target), np.stack(starts), self.watch, limited=False)
        order = np.argsort(ends.off, kind="stable")
        yield from ends.parts[order[np.isfinite(ends.norm[order])]]

    def all_from(self, starts: Array) -> Array:
        """Poses of the parts near each of some others, (starts, parts, 12)."""
        if not self.descends:
            return np.stack([self.from_(start) for start in starts])
        return ends_from(self.system, starts, self.watch, limited=False, brief=False).parts

    def _with(self, target: Array) -> System:
        return replace(self.system, table=self.system.table._replace(target=target))

    def from_(self, start: Array, target: Array | None = None) -> Array:
        """Poses of the parts near some others, with other targets of the equations where given."""
        table = self.system.table
        target = table.target if target is None else target
        changed = self._with(target)
        if self.descends:
            ends = ends_from(changed, start[None], self.watch, limited=False, brief=False)
            return np.asarray(ends.parts[0])
        new = np.flatnonzero(target != table.target).tolist()
        plan = None
        if self._plan is not None:
            plan = self.replanned(self._plan, start, {e: float(target[e]) for e in new})
        plan = plan or make_plan(replace(changed, start=start), attempts=self.attempts)
        self._plan = self._plan or (None if new else plan)
        return solve(plan, thorough=False, watch=self.watch).parts

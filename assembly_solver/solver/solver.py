"""Run the plan; where a step fails, try the fallbacks.

The fallbacks of a step come before those of its component, `FALLBACKS`, cheapest first.  Where
fixed pairs were merged and the plan fails, all is repeated with only those merged that hold at one
relative pose.

Source: docs/theory/decomposition.md, 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..equations.dense_block import BLOCK_ITERATIONS, SLICE
from ..equations.residuals import residual_of
from ..equations.system import Residuals
from ..equations.table import BLOCKS, EXHAUSTED, SINGULAR, SOLVED
from ..foundations.numerics.broyden import ETA
from ..foundations.remembered import remembered
from ..foundations.types import Array, Ints
from ..foundations.watch import Stopped, Watch
from ..structure.plan import Plan, make_plan
from ..structure.poses import part_poses
from .plan_runner import CALL, PlanArrays, run
from .refinement import refined
from .workspace import SolveWorkspace

Hopeless = Callable[[bool], bool]
"""Tells whether no poses hold that a costly search could find, as none was found from many starts,
with the limits (true) or without."""

AT_ONCE = 16
"""Steps of a plan that run before a watch is checked."""


@dataclass(eq=False)
class Closed:
    """The result of a solve.

    Attributes:
        plan: that was run, a more cautious one where the first failed.
        bodies, parts: poses, (bodies, 12) and (parts, 12).
        failed: components whose equations could not be met.
        counts: as of `SolveWorkspace`.
        fallbacks: those that were needed besides the plan, and helped.
    """

    plan: Plan
    bodies: Array
    parts: Array
    failed: tuple[int, ...]
    counts: Ints
    fallbacks: tuple[str, ...] = ()

    @remembered
    def residuals(self) -> Residuals:
        """Residual of each constraint at the poses of the parts."""
        return residual_of(self.plan.system, self.parts)

    @remembered
    def holds(self) -> bool:
        """Whether all constraints hold, active limits included."""
        system = self.plan.system
        return system.within(self.residuals, system.tolerance)


def solve(
    plan: Plan,
    eta: float = ETA,
    thorough: bool = True,
    watch: Watch | None = None,
    first: Array | None = None,
    brief: bool = False,
    hopeless: Hopeless | None = None,
) -> Closed:
    """Poses that satisfy every equation; each step of the plan moves its bodies least.

    Args:
        eta: least reduction for which an inverse is updated, above 1 never.
        thorough: use also the costly fallbacks where all others fail.
        first: poses of the bodies to begin with, (bodies, 12); by default those of the start.
        brief: end a descent as soon as it is almost stationary: enough to decide whether a
            solution is near, not to find the best compromise.
        hopeless: asked where a step fails: then no fallback is tried.

    Returns:
        The best poses; `failed` names the components that do not hold.

    Raises:
        Stopped: the watch cancelled the solve; its `closed` is what was reached.
    """
    watch = watch or Watch()
    run_of_plan = _PlanSolver(plan, eta, thorough, watch, brief, hopeless)
    if first is not None:
        run_of_plan.workspace.poses = first.copy()
        return run_of_plan.solve()
    closed = run_of_plan.solve()
    system = plan.system
    bold = plan.bodies.merged and not plan.cautious
    if bold and not closed.holds:
        if hopeless is not None and hopeless(False):
            return closed
        try:
            cautious = make_plan(system, True, watch)
        except Stopped as stop:
            stop.closed = closed
            raise
        other = _PlanSolver(cautious, eta, thorough, watch, brief, hopeless).solve()
        if other.holds:
            return replace(other, counts=closed.counts + other.counts)
    return closed


def nominal_poses(plan: Plan, watch: Watch) -> Array | None:
    """Poses of the bodies near the start of a plan at which its nominal mates hold, (bodies, 12).

    None where the given features are the nominal ones, and where no such poses are found.

    Raises:
        Stopped: the watch interrupted it.
    """
    if plan.bodies.shift == 0.0:
        return None
    closed = _PlanSolver(plan, ETA, False, watch, True).solve()
    return None if closed.failed else closed.bodies


class _PlanSolver:
    def __init__(
        self,
        plan: Plan,
        eta: float,
        thorough: bool,
        watch: Watch,
        brief: bool,
        hopeless: Hopeless | None = None,
    ) -> None:
        self.plan, self.watch, self.hopeless = plan, watch, hopeless
        self.workspace = SolveWorkspace(plan, eta, thorough, brief, watch)
        self.failed: list[int] = []
        self.helped: set[str] = set()

    def solve(self) -> Closed:
        plan, a = self.plan, self.workspace
        s = 0
        try:
            while True:
                s, status = self._run(s)
                if s >= len(plan.program.step):
                    return self._closed()
                from .fallbacks import perturbed, projected  # of a step that failed: few do

                step = plan.steps[s]
                if status == SINGULAR and not self._is_hopeless() and perturbed(a, step):
                    self.helped.add("perturbed")
                    s += 1
                elif projected(a, step):
                    s += 1
                else:
                    if not self._component(step.component, status == CALL):
                        self.failed.append(step.component)
                    s = plan.components[step.component].end_step
        except Stopped as stop:
            stop.closed = self._closed()
            raise

    def _run(self, s: int) -> tuple[int, int]:
        """The steps of the plan from s on, in slices where the watch is active."""
        plan, a, system = self.plan, self.workspace, self.plan.system
        scales = (system.length, system.convergence_tolerance, system.tolerance, a.eta)
        arrays = PlanArrays(plan.program, plan.table, a.start, plan.cloud, a.centre, *scales)
        entered, status = 0, SOLVED
        while s < len(plan.program.step):
            last, iterations = len(plan.program.step), BLOCK_ITERATIONS
            if self.watch.active:
                self._report(s)
                last, iterations = min(s + AT_ONCE, last), SLICE
            before = s
            s, status = run(arrays, a.poses, a.axes, a.counts, s, last, iterations)
            entered = entered + 1 if s == before else 1
            paused = status == EXHAUSTED and entered * iterations < BLOCK_ITERATIONS
            if paused:
                a.counts[BLOCKS] -= 1  # the same block is entered again
            elif status != SOLVED:
                break
        return s, status

    def _report(self, s: int) -> None:
        """Report to the watch which block is next, by the name of its first part."""
        step, blocks = self.plan.steps[s], self.plan.blocks
        part = self.plan.system.parts[int(np.argmax(self.plan.bodies.of_part == step.bodies[0]))]
        more = f" and {len(step.bodies) - 1} more" if len(step.bodies) > 1 else ""
        self.watch.at_block(int(blocks[s]), int(blocks[-1]), f"placing {part}{more}")

    def _component(self, number: int, planned: bool) -> bool:
        """Try the fallbacks of a component; the poses become the best ones found."""
        from .fallbacks import FALLBACKS, ComponentSearch, cheapest_first, descend

        search, asked = ComponentSearch(self.workspace, number), self.hopeless is None
        for words in cheapest_first(search):
            fallback = FALLBACKS[words]
            if not asked and not (planned and fallback is descend):  # that is its plan
                asked = True
                if self._is_hopeless():
                    break
            fallback(search)
            if search.holds:
                if not (planned and fallback is descend):
                    self.helped.add(words)
                break
        self.workspace.poses = search.poses
        return search.holds

    def _is_hopeless(self) -> bool:
        return self.hopeless is not None and self.hopeless(False)

    def _closed(self) -> Closed:
        a = self.workspace
        parts, system = part_poses(self.plan, a.poses, a.start), self.plan.system
        helped: tuple[str, ...] = ()
        if self.helped:
            from .fallbacks import FALLBACKS

            helped = tuple(words for words in ("perturbed", *FALLBACKS) if words in self.helped)
        failed = tuple(self.failed)
        residuals = residual_of(system, parts)
        if not system.within(residuals, system.convergence_tolerance):
            parts = refined(system, parts)
            return Closed(self.plan, a.poses, parts, failed, a.counts, helped)
        closed = Closed(self.plan, a.poses, parts, failed, a.counts, helped)
        closed.__dict__.update(residuals=residuals, holds=True)
        return closed

"""The ladder: run the plan; where a step fails, climb.

Rungs, cheapest first: the plan's own steps (closed forms, then Newton with the updated inverse);
perturbation of a singular point; the whole component by damped Gauss-Newton steps in its own
unknowns, then in space; half turns where a sense came out wrong; one loop after the other with
backing up; assembly by minimisation.  Where fixed pairs were merged, all this once more with only
those merged that hold in one place.  Every rung is counted, and those that helped are named.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..equations.dense_block import BLOCK_ITERATIONS, SLICE
from ..equations.residuals import worst_off
from ..equations.table import BLOCKS, EXHAUSTED, SINGULAR, SOLVED
from ..foundations.numerics.broyden import ETA
from ..foundations.types import Array, Ints
from ..foundations.watch import Stopped, Watch
from ..structure.plan import Plan, make_plan
from ..structure.poses import fitted_start, part_poses
from .fallbacks import RUNGS, descend, perturbed, projected
from .plan_runner import CALL, run
from .workspace import Ascent

AT_ONCE = 16
"""Steps of a plan that run before a watch is looked at."""


@dataclass(frozen=True, eq=False)
class Closed:
    """Where the bodies and parts came to stand.

    Attributes:
        bodies: poses (bodies, 12); parts: poses (parts, 12).
        plan: that led there, a more cautious one where the first failed.
        failed: components whose equations could not be met.
        counts: inverses, updates, perturbations, iterations, blocks.
        axes: directions in which the components' unknowns are counted, (components, 3, 3).
        rungs: that had to be climbed above the plan, and helped.
    """

    plan: Plan
    bodies: Array
    parts: Array
    failed: tuple[int, ...]
    counts: Ints
    axes: Array = field(repr=False)
    rungs: tuple[str, ...] = ()


def solve(
    plan: Plan,
    eta: float = ETA,
    thorough: bool = True,
    watch: Watch | None = None,
    first: Array | None = None,
    brief: bool = False,
) -> Closed:
    """Poses that hold every equation, found with the least movement that the plan allows.

    Args:
        plan: of one system; eta: least reduction for which an inverse is updated, above 1 never.
        thorough: climb also the costly rungs where all others fail.
        watch: who may stop it; then `Stopped` is raised with what was reached.
        first: poses of the bodies to begin with, where they are not those of the start.
        brief: give a descent up as soon as it all but stands still: enough to tell whether a
            solution is near, not to tell the best compromise.
    """
    watch = watch or Watch()
    climb = _Climb(plan, eta, thorough, watch, brief)
    if first is not None:
        climb.ascent.poses = first.copy()
        return climb.solve()
    closed = climb.solve()
    system = plan.system
    bold = plan.bodies.merged and not plan.cautious
    if bold and worst_off(system, closed.parts) > system.tolerance:
        other = _Climb(make_plan(system, cautious=True), eta, thorough, watch, brief).solve()
        if worst_off(system, other.parts) <= system.tolerance:
            return replace(other, counts=closed.counts + other.counts)
    return closed


class _Climb:
    def __init__(self, plan: Plan, eta: float, thorough: bool, watch: Watch, brief: bool) -> None:
        self.plan, self.watch = plan, watch
        self.ascent = Ascent(plan, eta, thorough, brief, watch, fitted_start(plan))
        self.failed: list[int] = []
        self.climbed: set[str] = set()

    def solve(self) -> Closed:
        plan, a = self.plan, self.ascent
        s = 0
        try:
            while True:
                s, status = self._run(s)
                if s >= len(plan.steps):
                    return self._closed()
                step = plan.steps[s]
                if status == SINGULAR and perturbed(a, step):
                    self.climbed.add("perturbed")
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
        """The plan's own steps from s on, in slices where anybody watches."""
        plan, a, system = self.plan, self.ascent, self.plan.system
        entered, status = 0, SOLVED
        while s < len(plan.steps):
            last, iterations = len(plan.steps), BLOCK_ITERATIONS
            if self.watch.active:
                self._tell(s)
                last, iterations = min(s + AT_ONCE, last), SLICE
            before = s
            s, status = run(
                plan.program,
                plan.table,
                a.poses,
                a.start,
                plan.cloud,
                a.centre,
                system.length,
                system.stop,
                system.tolerance,
                a.eta,
                s,
                last,
                iterations,
                a.axes,
                a.counts,
            )
            entered = entered + 1 if s == before else 1
            paused = status == EXHAUSTED and entered * iterations < BLOCK_ITERATIONS
            if paused:
                a.counts[BLOCKS] -= 1  # the same block is entered again
            elif status != SOLVED:
                break
        return s, status

    def _tell(self, s: int) -> None:
        """Tell the watch which block comes next, by the name of its first part."""
        step, blocks = self.plan.steps[s], self.plan.blocks
        part = self.plan.system.parts[int(np.argmax(self.plan.bodies.of_part == step.bodies[0]))]
        more = f" and {len(step.bodies) - 1} more" if len(step.bodies) > 1 else ""
        self.watch.at_block(int(blocks[s]), int(blocks[-1]), f"placing {part}{more}")

    def _component(self, number: int, planned: bool) -> bool:
        """Climb with a whole component; the best point found stays in the poses."""
        tolerance = self.plan.system.tolerance
        best, least = self.ascent.poses, np.inf
        for words, rung in RUNGS.items():
            best, least = rung(self.ascent, number, best, least)
            if least <= tolerance:
                if not (planned and rung is descend):
                    self.climbed.add(words)
                break
        self.ascent.poses = best
        return least <= tolerance

    def _closed(self) -> Closed:
        a = self.ascent
        parts = part_poses(self.plan, a.poses, a.start)
        rungs = tuple(words for words in ("perturbed", *RUNGS) if words in self.climbed)
        return Closed(self.plan, a.poses, parts, tuple(self.failed), a.counts, a.axes, rungs)

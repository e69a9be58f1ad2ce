"""What the rungs of one solve share: the plan, the poses, and the descent of a component."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..equations.closed_form import align
from ..equations.dense_block import SLICE
from ..equations.sparse_block import FRESH, Pattern, solve_sparse
from ..equations.table import EXHAUSTED, residuals
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..structure.plan import Plan
from ..structure.steps import Component

PATIENCE = 1e-3
"""Relative decrease in 20 steps below which a descent is given up where patience is short: such
a point is all but stationary, and steps to a solution end sooner or halve what is left."""


@dataclass(eq=False)
class Ascent:
    """What the rungs of one solve share.

    Attributes:
        plan: that is climbed from; eta: least reduction for which an inverse is updated.
        thorough: whether the costly rungs are climbed.
        brief: whether a descent that all but stands still is given up.
        watch: who may stop it.
        start: poses of the bodies at the start; poses: where they are now, both (bodies, 12).
        counts: inverses, updates, perturbations, iterations, blocks.
        axes: directions in which the components' unknowns are counted, (components, 3, 3).
    """

    plan: Plan
    eta: float
    thorough: bool
    brief: bool
    watch: Watch
    start: Array
    poses: Array = field(init=False)
    counts: Ints = field(init=False)
    axes: Array = field(init=False)

    def __post_init__(self) -> None:
        self.poses = self.start.copy()
        self.counts = np.zeros(5, np.int64)
        self.axes = np.zeros((len(self.plan.components), 3, 3))

    @property
    def centre(self) -> Array:
        return self.plan.bodies.centre

    def restart(self, component: Component) -> Array:
        """The poses with the bodies of a component back at their start."""
        poses = self.poses.copy()
        members = list(component.bodies)
        poses[members] = self.start[members]
        return poses

    def fresh(self, component: Component, number: int) -> Array:
        """The same, upright in its planes where the component is flat."""
        poses = self.restart(component)
        if component.projection is not None:
            flat = component.projection.flat
            align(poses, flat, self.centre, self.plan.cloud, self.axes[number])
        return poses

    def worst(self, rows: Ints, poses: Array) -> float:
        """The largest residual of some rows, mm."""
        return float(residuals(self.plan.table, poses, rows, np.empty(len(rows))))

    def descend(
        self,
        number: int,
        unknowns: Ints,
        poses: Array,
        rows: Ints,
        p: Pattern,
        steps: int,
        damping: float = -FRESH[0],
    ) -> None:
        """Damped Gauss-Newton steps of some bodies of a component, in place."""
        plan, s = self.plan, self.plan.system
        axes = self.axes[number] if len(unknowns) == 3 else np.eye(3)
        state = np.array((-damping, *FRESH[1:]))
        once = SLICE if self.watch.active or self.brief else steps
        left, f = np.inf, np.empty(len(rows))
        for _ in range(0, steps, once):
            self.watch.check()
            status = solve_sparse(
                plan.table,
                poses,
                rows,
                p,
                unknowns,
                axes,
                self.centre,
                s.length,
                s.stop,
                once,
                state,
                self.counts,
            )
            if status != EXHAUSTED:
                break
            if self.brief:
                residuals(plan.table, poses, rows, f)
                before, left = left, float(np.linalg.norm(f))
                if left > (1.0 - PATIENCE) * before:
                    break

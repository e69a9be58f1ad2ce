"""The state that the fallbacks of one solve share, and the descent of a component."""

from __future__ import annotations

import numpy as np

from ..equations.closed_form import align
from ..equations.dense_block import SLICE
from ..equations.elimination import EliminationPattern
from ..equations.residuals import residuals_at
from ..equations.sparse_block import FRESH, SparseBlock, solve_sparse
from ..equations.table import EXHAUSTED, TwistBasis, residuals
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..structure.plan import Plan
from ..structure.steps import Component

PATIENCE = 1e-3
"""A setting: relative decrease in 20 steps below which a brief descent ends: such a point is almost
stationary, while a descent to a solution ends sooner or halves the residual."""


class SolveWorkspace:
    """The state that the fallbacks of one solve share.

    Attributes:
        eta, thorough, brief: as of `solver.solve`.
        start: poses of the bodies at the start; poses: the current ones, both (bodies, 12).
        centre: of each body, in its coordinates, mm, (bodies, 3).
        counts: inverses, updates, perturbations, iterations, blocks.
        axes: directions of the components' unknowns, (components, 3, 3).
    """

    def __init__(self, plan: Plan, eta: float, thorough: bool, brief: bool, watch: Watch) -> None:
        self.plan, self.eta, self.thorough, self.brief = plan, eta, thorough, brief
        self.watch, self.start, self.centre = watch, plan.fitted_start, plan.bodies.centre
        self.poses: Array = self.start.copy()
        self.counts: Ints = np.zeros(5, np.int64)
        self.axes: Array = np.zeros((len(plan.program.flat_groups), 3, 3))

    def basis(self, axes: Array) -> TwistBasis:
        """Unknowns along some axes, shape (3, 3)."""
        return TwistBasis(axes, self.centre, self.plan.system.length)

    def block(self, number: int, unknowns: Ints, rows: Ints, p: EliminationPattern) -> SparseBlock:
        """Rows of a component by the unknowns, PLANE or SPACE, of the bodies of a pattern."""
        axes = self.axes[number] if len(unknowns) == 3 else np.eye(3)
        return SparseBlock(rows, p, unknowns, self.basis(axes))

    def restart(self, component: Component) -> Array:
        """The poses with the bodies of a component back at their start."""
        poses, members = self.poses.copy(), list(component.bodies)
        poses[members] = self.start[members]
        return poses

    def fresh(self, component: Component, number: int) -> Array:
        """The same, rotated into its planes where the component is planar."""
        poses = self.restart(component)
        if component.projection is not None:
            flat = component.projection.flat
            align(poses, flat, self.centre, self.plan.cloud, self.axes[number])
        return poses

    def worst(self, rows: Ints, poses: Array) -> float:
        """The largest residual of some rows, mm."""
        return float(residuals(self.plan.table, poses, rows, np.empty(len(rows))))

    def descend(
        self, poses: Array, block: SparseBlock, steps: int, damping: float = -FRESH[0]
    ) -> None:
        """At most `steps` damped Gauss-Newton steps of the bodies of a block, in place.

        `damping` is the first one, relative to the largest trace.
        """
        plan = self.plan
        tolerance = plan.system.convergence_tolerance
        state = np.array((-damping, *FRESH[1:]))
        once = SLICE if self.watch.active or self.brief else steps
        left = np.inf
        for _ in range(0, steps, once):
            self.watch.check()
            status = solve_sparse(plan.table, poses, block, tolerance, once, state, self.counts)
            if status != EXHAUSTED:
                break
            if self.brief:
                f = residuals_at(plan.table, poses, block.rows)
                before, left = left, float(np.linalg.norm(f))
                if left > (1.0 - PATIENCE) * before:
                    break

"""Gauss-Newton steps of constant damping, from a point near a solution.

Source: docs/theory/nominal.md, 3.
"""

from __future__ import annotations

import numpy as np

from ..foundations.jit.decorators import apart, compiled
from ..foundations.types import Array
from .sparse_block import (
    NormalEquations,
    SparseBlock,
    damped_step,
    largest_trace,
    move_bodies,
    normal_matrix,
)
from .table import EquationTable, copy, norm, residuals

SLOW = 0.1
"""Relative decrease of the residual in one step below which a refinement ends."""


@apart
@compiled
def refine_sparse(
    t: EquationTable, poses: Array, sparse: SparseBlock, damping: float, steps: int
) -> None:
    """Gauss-Newton steps of constant damping from a point near a solution; `poses` overwritten.

    Args:
        damping: relative to the largest trace; unknowns that change the equations less do not move.
        steps: most of them; they end where the residual falls by less than `SLOW`.
    """
    p, c, n = sparse.pattern, len(sparse.unknowns), len(sparse.pattern.bodies)
    normal = NormalEquations(np.empty((n, c, c)), np.empty((len(p.row), c, c)), np.empty((n, c)))
    d, b = np.empty_like(normal.diagonal), np.empty_like(normal.block)
    x, f, moved = np.empty((n, c)), np.empty(len(sparse.rows)), poses.copy()
    residuals(t, poses, sparse.rows, f)
    before = norm(f)
    for _ in range(steps):
        normal_matrix(t, poses, sparse, normal)
        damped_step(p, normal, damping * largest_trace(normal.diagonal), d, b, x)
        move_bodies(poses, sparse, x, moved)
        residuals(t, moved, sparse.rows, f)
        after = norm(f)
        if not after < before:
            break
        for body in p.bodies:
            copy(moved[body], poses[body])
        if after > (1.0 - SLOW) * before:
            break
        before = after

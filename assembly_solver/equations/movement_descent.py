"""Least movement from afar: steps in a trust region on the constraints, with all curvature.

Each step lessens the quadratic model of the movement among the poses that hold.  It is brought back
to the equations, and taken where the movement falls by a fair part of what the model says: so it
falls from step to step, and the steps end where it is stationary and no saddle.

Source: docs/theory/least_movement.md, 4.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled, spread
from ..foundations.types import Array
from .closed_form import Cloud
from .movement import (
    FAILED,
    LEAST,
    LESS,
    NO_GAIN,
    RETURNS,
    SMALLER,
    MovementSettings,
    MovementWork,
    factorised,
    move_all,
    movement_work,
    reverses,
    squared_movement,
    step_of_two_solves,
)
from .movement_model import ModelWork, model_step, model_work, write_model
from .sparse_block import SparseBlock, write_normal_matrix
from .table import EquationTable, copy, largest_residual

FAIR, GOOD = 0.1, 0.75
"""Shares of the fall that the model says: from FAIR on a step is taken, from GOOD on the region
becomes wider."""

WIDER, NARROWER = 2.0, 0.25
"""Factors of the region: after a good step, and of one that is not taken."""

AFAR, RISE = 60, 2.0
"""Most steps to the equations from poses at which they do not hold, and the most by which the
residual may rise in one."""


@borrowing
def _closed(
    t: EquationTable,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    most: int,
    share: float,
    w: MovementWork,
) -> bool:
    """Bring `w.trial` back to the equations, by the least movement; whether they hold there.

    By so many steps at most, while the residual is no more than a share of that before.
    """
    last = np.inf
    for n in range(most + 1):
        worst = write_normal_matrix(t, w.trial, sparse, w.normal, w.found)
        if worst <= settings.rounding or n == most or not worst <= share * last:
            return worst <= settings.residual
        last = worst
        if not factorised(sparse, c, settings.weight, worst, w) > 0.0:
            return False
        for k in range(len(w.x)):
            for i in range(w.x.shape[1]):
                w.x[k, i] = w.normal.slope[k, i]
        step_of_two_solves(sparse.pattern, w)
        move_all(sparse, w)
    return False


@borrowing
# Long: one loop; every round of it reads and writes most of the state.
def _descend(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    best: Array,
    m: ModelWork,
    w: MovementWork,
) -> int:
    """`descend_movement`, which begins at `w.trial`."""
    bodies, point = sparse.pattern.bodies, w.found.middle
    most = squared_movement(poses, bodies, c, point)
    open_ = largest_residual(t, w.trial, sparse.rows, w.found) > settings.residual
    if open_ and not _closed(t, sparse, c, settings, AFAR, RISE, w):
        return FAILED
    for body in bodies:
        copy(w.trial[body], best[body])
    now = squared_movement(best, bodies, c, point)
    for _ in range(settings.steps):
        mu = write_model(t, sparse, c, settings, m, w)
        if not mu > 0.0:
            return FAILED
        step = model_step(t, sparse, c, mu, now, m, w)
        tiny = not 2.0 * step.fall > NO_GAIN * now  # rounding hides what it gains
        for k in range(len(w.x)):
            copy(m.step[k], w.x[k])
        move_all(sparse, w)
        after, share = np.inf, -1.0
        if _closed(t, sparse, c, settings, RETURNS, SMALLER, w):
            after = squared_movement(w.trial, bodies, c, point)
            share = 0.5 * (now - after) / step.fall if step.fall > 0.0 else 0.0
        fair = after <= (1.0 + NO_GAIN) * now if tiny else share >= FAIR
        taken = fair and not reverses(t, best, w.trial, settings.directed, w.found.a, w.found.b)
        if taken:
            now = after
            if share >= GOOD:
                m.region[0] *= WIDER
        else:
            m.region[0] = NARROWER * min(m.region[0], sqrt(step.length))
        for body in bodies:
            if taken:
                copy(w.trial[body], best[body])
            else:
                copy(best[body], w.trial[body])
        least = settings.short * now
        if tiny or m.region[0] * m.region[0] <= least or (step.slope <= least and not step.over):
            m.region[0] = 0.0
            break
    if not now < (1.0 - NO_GAIN) * most:
        return LEAST if abs(now - most) <= NO_GAIN * most else FAILED
    if reverses(t, poses, best, settings.directed, w.found.a, w.found.b):
        return FAILED
    for body in bodies:
        copy(best[body], poses[body])
    return LESS


@spread
@apart
@compiled
def descend_movement(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    begin: Array,
    region: Array,
) -> int:
    """Move the bodies of a block along their equations to where they moved least.

    Args:
        poses: (all bodies, 12), at which the equations hold; overwritten where it succeeds.
        begin: poses from which the steps begin, those or others.
        region: radius of the trust region, mm, shape (1,): 0 at first, and where the steps ended.

    Returns:
        LESS where the movement fell and the equations hold, LEAST where there is nothing to gain,
        FAILED where the steps lead elsewhere.
    """
    w = movement_work(sparse, begin.copy())
    m = model_work(len(sparse.rows), w, begin.copy())
    m.region[0] = region[0]
    out = _descend(t, poses, sparse, c, settings, begin.copy(), m, w)
    region[0] = m.region[0]
    return out

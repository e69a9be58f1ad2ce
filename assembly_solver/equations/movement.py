"""Least movement on the constraints: steps in the null space of the equations, and back to them.

The sum of squared displacements of the features has one block H per body, so the step

    (J^T J + mu H) x = -J^T f - mu g

has the sparsity of the normal matrix.  For a small mu it is the Gauss-Newton step of the
displacement in the null space of J together with the Newton step back to the equations that is
least in the metric H of the features.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose
from .closed_form import Cloud
from .sparse_block import (
    NormalEquations,
    SparseBlock,
    factorise,
    largest_trace,
    normal_matrix,
    substitute,
)
from .table import EquationTable, copy, displace, residuals, world_point

LEAST_RADIUS = 1e-2
"""Squared radius of gyration, relative to that of the characteristic length, added to that of the
features of a body: rotations that move no feature have a cost in the step, not in the result."""

RETURNS = 6
"""Most steps back to the equations, after the last step in their null space."""

LESS, LEAST, FAILED = range(3)
"""How the steps ended."""

NO_GAIN = 1e-6
"""Relative decrease of the squared movement that counts as none: the poses stay as they are."""

LONGEST = 0.5
"""Largest rotation in one step, rad; longer steps are shortened."""

SMALLER = 0.5
"""A step back goes on while the residual falls to less than this share."""


class MovementSettings(NamedTuple):
    """What ends the steps.

    Attributes:
        weight: mu, relative to the largest trace of a block of the normal matrix.
        share: of each step in the null space that is taken.
        gain: relative decrease of the squared movement below which it is least.
        steps, least: most and fewest steps in the null space.
        residual: largest residual at which the equations hold, mm.
        rounding: residual that needs no further step back, mm.
        directed: measures whose markers have z axes that must not be reversed.
    """

    weight: float
    share: float
    gain: float
    steps: int
    least: int
    residual: float
    rounding: float
    directed: Ints


@compiled
def squared_movement(poses: Array, sparse: SparseBlock, c: Cloud) -> float:
    """Sum of the squared displacements of the features of the bodies of a block, mm^2."""
    p, total = np.empty(3), 0.0
    for body in sparse.pattern.bodies:
        for q in range(c.first[body], c.first[body + 1]):
            world_point(poses[body], c.own[q], p)
            for r in range(3):
                total += (p[r] - c.start[q, r]) ** 2
    return total


@compiled
def _add_movement(
    poses: Array, sparse: SparseBlock, c: Cloud, mu: float, normal: NormalEquations, g: Array
) -> None:
    """Add mu H to the normal equations; `g` is overwritten with half the slope of the movement."""
    length, centre = sparse.basis.length, sparse.basis.centre
    at, p = np.empty(3), np.empty(3)
    g[:] = 0.0
    s = mu / (length * length)
    for k in range(len(sparse.pattern.bodies)):
        body = sparse.pattern.bodies[k]
        world_point(poses[body], centre[body], at)
        a = normal.diagonal[k]
        low, high = c.first[body], c.first[body + 1]
        for i in range(3):
            a[i, i] += mu * (high - low)
            a[3 + i, 3 + i] += mu * LEAST_RADIUS * (high - low)
        for q in range(low, high):
            world_point(poses[body], c.own[q], p)
            x, y, z = p[0] - at[0], p[1] - at[1], p[2] - at[2]
            u, v, w = p[0] - c.start[q, 0], p[1] - c.start[q, 1], p[2] - c.start[q, 2]
            g[k, 0] += u
            g[k, 1] += v
            g[k, 2] += w
            g[k, 3] += (y * w - z * v) / length
            g[k, 4] += (z * u - x * w) / length
            g[k, 5] += (x * v - y * u) / length
            a[3, 3] += s * (y * y + z * z)
            a[4, 4] += s * (x * x + z * z)
            a[5, 5] += s * (x * x + y * y)
            a[4, 3] -= s * x * y
            a[5, 3] -= s * x * z
            a[5, 4] -= s * y * z


@borrowing
def _move_all(poses: Array, sparse: SparseBlock, x: Array) -> None:
    """Move the bodies of the block by x, shortened where one would turn by more than LONGEST."""
    length, centre, axes = sparse.basis.length, sparse.basis.centre, sparse.basis.axes
    most = 0.0
    for k in range(len(x)):
        for i in range(3, 6):
            most = max(most, abs(x[k, i]) / length)
    factor = LONGEST / most if most > LONGEST else 1.0
    for k in range(len(x)):
        body = sparse.pattern.bodies[k]
        for i in range(6):
            x[k, i] *= factor
        displace(poses[body], x[k], axes, centre[body], length)


@compiled
def _reverses(t: EquationTable, before: Array, after: Array, directed: Ints) -> bool:
    """Whether the z axes of the markers of a measure turned to the other side of each other."""
    a, b = np.empty(12), np.empty(12)
    for n in directed:
        ma, mb = t.marker_a[n], t.marker_b[n]
        compose(before[t.marker_body[ma]], t.marker_frame[ma], a)
        compose(before[t.marker_body[mb]], t.marker_frame[mb], b)
        first = a[9] * b[9] + a[10] * b[10] + a[11] * b[11]
        compose(after[t.marker_body[ma]], t.marker_frame[ma], a)
        compose(after[t.marker_body[mb]], t.marker_frame[mb], b)
        if not first * (a[9] * b[9] + a[10] * b[10] + a[11] * b[11]) > 0.0:
            return True
    return False


@borrowing
def _fall_along(g: Array, x: Array) -> float:
    """Predicted decrease of half the squared movement in a step, mm^2."""
    fall = 0.0
    for k in range(len(x)):
        for i in range(6):
            fall -= g[k, i] * x[k, i]
    return fall


@apart
@compiled
# Long: one loop; every step of it reads and writes most of the arrays.
def lessen_movement(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    begin: Array,
) -> int:
    """Move the bodies of a block, in space, along their equations to where they moved least.

    Args:
        poses: (all bodies, 12), at which the equations hold; overwritten where it succeeds.
        begin: poses from which the steps begin, those or others nearby.

    Returns:
        LESS where the movement fell and the equations hold, LEAST where there is nothing to gain,
        FAILED where the steps lead nowhere.
    """
    p, n = sparse.pattern, len(sparse.pattern.bodies)
    normal = NormalEquations(np.empty((n, 6, 6)), np.empty((len(p.row), 6, 6)), np.empty((n, 6)))
    f, g, trial = np.empty(len(sparse.rows)), np.empty((n, 6)), begin.copy()
    most = squared_movement(poses, sparse, c)
    sliding, worst, steps, returns = True, np.inf, 0, 0
    while returns < RETURNS:
        normal_matrix(t, trial, sparse, normal)
        mu = settings.weight * largest_trace(normal.diagonal)
        _add_movement(trial, sparse, c, mu, normal, g)
        x = normal.slope
        if sliding:
            for k in range(n):
                for i in range(6):
                    x[k, i] -= settings.share * mu * g[k, i]
        if not factorise(p, normal.diagonal, normal.block):
            return FAILED
        substitute(p, normal.diagonal, normal.block, x)
        fall = abs(_fall_along(g, x))
        _move_all(trial, sparse, x)
        if sliding:
            steps += 1
            if steps == 1 and settings.least == 0 and fall <= NO_GAIN * most:
                return LEAST
            more = fall > settings.gain * most or steps < settings.least
            sliding = more and steps < settings.steps
            if sliding:
                continue
        returns += 1
        last, worst = worst, residuals(t, trial, sparse.rows, f)
        if worst <= settings.rounding or not worst <= SMALLER * last:
            break
    now = squared_movement(trial, sparse, c)
    if not (worst <= settings.residual and now < (1.0 - NO_GAIN) * most):
        return LEAST if abs(now - most) <= NO_GAIN * most else FAILED
    if _reverses(t, poses, trial, settings.directed):
        return FAILED
    for body in p.bodies:
        copy(trial[body], poses[body])
    return LESS

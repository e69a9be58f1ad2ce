"""Least movement on the constraints: steps in the null space of the equations, and back to them.

The sum of squared displacements of the features has one block H per body, so the step

    (J^T J + mu H) x = -J^T f - mu g

has the sparsity of the normal matrix.  For a small mu it is the Gauss-Newton step of the
displacement in the null space of J together with the Newton step back to the equations that is
least in the metric H of the features.  Earlier steps accelerate it.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.numerics.cholesky import cholesky, solve_cholesky
from ..foundations.numerics.rounding import RANK, ROUNDING
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose
from .closed_form import Cloud
from .sparse_block import (
    EliminationPattern,
    NormalEquations,
    SparseBlock,
    factorise,
    largest_trace,
    normal_matrix,
    substitute,
)
from .table import EquationTable, copy, displace, world_point

LEAST_RADIUS = 1e-2
"""A setting: squared radius of gyration, relative to that of the characteristic length, added to
that of the features of a body: rotations that move no feature have a cost in the step, not in the
result."""

FADING = 1e-6
"""A setting: square of a step, relative to that of the movement, from which on steps have to become
half as long: in directions that are free but for the noise of features they would not end."""

RETURNS = 6
"""Most steps back to the equations, after the last step in their null space."""

LESS, LEAST, FAILED = range(3)
"""How the steps ended."""

NO_GAIN = ROUNDING
"""Relative decrease of the squared movement that counts as none: the poses stay as they are."""

LONGEST = 0.5
"""Largest rotation in one step, rad; longer steps are shortened."""

SMALLER = 0.5
"""A step back goes on while the residual falls to less than this share."""

MEMORY = 4
"""Steps of which the differences accelerate the next one; loops have few slow directions."""

SHORT = 0.25
"""Root mean square of a step, rad, up to which it is accelerated: longer ones differ too much."""

CURVED = 0.1
"""Weight of the movement for each squared relative residual: away from the equations, redundant
ones resist a free motion by as much."""


HEAVIEST = 1e-4
"""A setting: largest weight: the steps still return to the equations."""

DEPENDENT = RANK / 8.0
"""Relative addition to the squares of differences that are nearly dependent."""


class MovementSettings(NamedTuple):
    """What ends the steps.

    Attributes:
        weight: least mu, relative to the largest trace of a block of the normal matrix.
        share: of each step in the null space that is taken.
        short: square of a step, relative to that of the movement, that is the last one.
        steps, least: most and fewest steps in the null space.
        residual: largest residual at which the equations hold, mm.
        rounding: residual that needs no further step back, mm.
        directed: measures whose markers have z axes that must not be reversed.
    """

    weight: float
    share: float
    short: float
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
def _weighted_movement(
    poses: Array, sparse: SparseBlock, c: Cloud, mu: float, h: Array, g: Array
) -> None:
    """The lower triangles of mu H, and mu times half the slope of the movement, into `h`, `g`."""
    length, centre = sparse.basis.length, sparse.basis.centre
    at, p = np.empty(3), np.empty(3)
    h[:], g[:] = 0.0, 0.0
    s = mu / (length * length)
    for k in range(len(sparse.pattern.bodies)):
        body = sparse.pattern.bodies[k]
        world_point(poses[body], centre[body], at)
        a = h[k]
        low, high = c.first[body], c.first[body + 1]
        for i in range(3):
            a[i, i] += mu * (high - low)
            a[3 + i, 3 + i] += mu * LEAST_RADIUS * (high - low)
        for q in range(low, high):
            world_point(poses[body], c.own[q], p)
            x, y, z = p[0] - at[0], p[1] - at[1], p[2] - at[2]
            u = mu * (p[0] - c.start[q, 0])
            v = mu * (p[1] - c.start[q, 1])
            w = mu * (p[2] - c.start[q, 2])
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
def _step_of_two_solves(
    p: EliminationPattern, normal: NormalEquations, h: Array, slope: Array, x: Array
) -> None:
    """The step by the factor of J^T J + mu H; x is the right-hand side, then the step.

    The first solve leaves the equations mu (g + H x) to do; with the second one, from -J^T f in
    `slope`, the step is off that of the constrained problem by mu^2 only.
    """
    substitute(p, normal.diagonal, normal.block, x)
    for k in range(len(x)):
        for i in range(6):
            for j in range(6):
                slope[k, i] += h[k, max(i, j), min(i, j)] * x[k, j]
    for k in range(len(x)):
        for i in range(6):
            x[k, i] = slope[k, i]
    substitute(p, normal.diagonal, normal.block, x)


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
def _product(a: Array, b: Array) -> float:
    """Inner product of twists of all bodies."""
    out = 0.0
    for k in range(len(a)):
        for i in range(6):
            out += a[k, i] * b[k, i]
    return out


@borrowing
def _squared_step(x: Array, sparse: SparseBlock, c: Cloud) -> float:
    """About the sum of the squared displacements of the features by a step, mm^2."""
    out = 0.0
    for k in range(len(x)):
        body = sparse.pattern.bodies[k]
        for i in range(6):
            out += (c.first[body + 1] - c.first[body]) * x[k, i] * x[k, i]
    return out


class StepMemory(NamedTuple):
    """The last steps, for Anderson's acceleration; rows are reused in turn.

    Attributes:
        moved: steps that were taken, shape (MEMORY, bodies, 6).
        changed: by how much the next step differed, the same shape.
        last: the step before acceleration, shape (bodies, 6).
        matrix, shares: scratch, shapes (MEMORY, MEMORY) and (MEMORY,).
    """

    moved: Array
    changed: Array
    last: Array
    matrix: Array
    shares: Array


@compiled
def _accelerate(m: StepMemory, known: int, x: Array) -> int:
    """Replace a step x by that of Anderson's method; the number of steps known after it.

    Source: D. G. Anderson, Iterative procedures for nonlinear integral equations, 1965.
    """
    size = _product(x, x)
    if known >= 0:
        at = known % MEMORY
        for k in range(len(x)):
            for i in range(6):
                m.changed[at, k, i] = x[k, i] - m.last[k, i]
        known += 1
        if size > _product(m.last, m.last):  # no contraction: earlier steps say nothing
            known = 0
    else:
        known = 0
    for k in range(len(x)):
        for i in range(6):
            m.last[k, i] = x[k, i]
    used = min(known, MEMORY)
    for u in range(used):
        m.shares[u] = _product(m.changed[u], x)
        for v in range(u + 1):
            m.matrix[u, v] = m.matrix[v, u] = _product(m.changed[u], m.changed[v])
    for u in range(used):
        m.matrix[u, u] *= 1.0 + DEPENDENT
    factor = m.matrix[:used, :used]
    if used and cholesky(factor):
        solve_cholesky(factor, m.shares[:used])
        for u in range(used):
            for k in range(len(x)):
                for i in range(6):
                    x[k, i] -= m.shares[u] * (m.moved[u, k, i] + m.changed[u, k, i])
    at = known % MEMORY
    for k in range(len(x)):
        for i in range(6):
            m.moved[at, k, i] = x[k, i]
    return known


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
    h, g, x, trial = np.empty((n, 6, 6)), np.empty((n, 6)), np.empty((n, 6)), begin.copy()
    memory = StepMemory(
        np.empty((MEMORY, n, 6)),
        np.empty((MEMORY, n, 6)),
        np.empty((n, 6)),
        np.empty((MEMORY, MEMORY)),
        np.empty(MEMORY),
    )
    most, length = squared_movement(poses, sparse, c), sparse.basis.length
    sliding, worst, last, steps, returns, known = True, np.inf, np.inf, 0, 0, -1
    squared = np.inf
    while True:
        last, worst = worst, normal_matrix(t, trial, sparse, normal)
        if not sliding and (
            worst <= settings.rounding or returns == RETURNS or not worst <= SMALLER * last
        ):
            break
        relative = worst / length
        weight = max(settings.weight, min(HEAVIEST, CURVED * relative * relative))
        mu = weight * largest_trace(normal.diagonal)
        _weighted_movement(trial, sparse, c, mu, h, g)
        for k in range(n):
            for i in range(6):
                x[k, i] = normal.slope[k, i]
                if sliding:
                    x[k, i] -= settings.share * g[k, i]
                for j in range(i + 1):
                    normal.diagonal[k, i, j] += h[k, i, j]
        if not factorise(p, normal.diagonal, normal.block):
            return FAILED
        _step_of_two_solves(p, normal, h, normal.slope, x)
        if not sliding:
            returns += 1
            _move_all(trial, sparse, x)
            continue
        steps += 1
        before, squared = squared, _squared_step(x, sparse, c)
        if steps == 1 and settings.least == 0 and squared <= NO_GAIN * most:
            return LEAST
        fades = squared > FADING * most or squared <= 0.25 * before
        sliding = steps < settings.steps and (
            (squared > settings.short * most and fades) or steps < settings.least
        )
        if not sliding:
            worst = np.inf
        if _product(x, x) <= n * (SHORT * length) ** 2 and settings.share == 1.0:
            known = _accelerate(memory, known, x)
        else:
            known = -1
        _move_all(trial, sparse, x)
    now = squared_movement(trial, sparse, c)
    if not (worst <= settings.residual and now < (1.0 - NO_GAIN) * most):
        return LEAST if abs(now - most) <= NO_GAIN * most else FAILED
    if _reverses(t, poses, trial, settings.directed):
        return FAILED
    for body in p.bodies:
        copy(trial[body], poses[body])
    return LESS

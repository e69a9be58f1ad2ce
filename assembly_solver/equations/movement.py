"""Least movement on the constraints: steps in the null space of the equations, and back to them.

The sum of squared displacements of the features has one block H per body, so the step

    (J^T J + mu H) x = -J^T f - mu g

has the sparsity of the normal matrix.  For a small mu it is the Gauss-Newton step of the
displacement in the null space of J together with the Newton step back to the equations that is
least in the metric H of the features.  Earlier steps accelerate it.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.jit.decorators import apart, borrowing, compiled, spread
from ..foundations.numerics.anderson import MEMORY, StepMemory, accelerate, inner_product
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose
from .closed_form import Cloud
from .elimination import EliminationPattern, factorise, substitute
from .sparse_block import NormalEquations, SparseBlock, largest_trace, write_normal_matrix
from .table import (
    EquationTable,
    EvaluatedEquation,
    copy,
    displace,
    evaluated_equation,
    largest_residual,
    world_point,
)

LEAST_RADIUS = 1e-2
"""A setting: squared radius of gyration, relative to that of the characteristic length, added to
that of the features of a body: rotations that move no feature have a cost in the step, not in the
result."""

FADING = 1e-6
"""A setting: square of a step, relative to that of the movement, from which on steps have to become
half as long: in directions that are free but for the noise of features they would not end."""

NO_WORSE = 10.0
"""A setting: multiple of the residual at the given poses at which the equations still hold: where
features are a little off, none of the poses may hold within rounding."""

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

SHORT = 0.25
"""Root mean square of a step, rad, up to which it is accelerated: longer ones differ too much."""

CURVED = 0.1
"""Weight of the movement for each squared relative residual: away from the equations, redundant
ones resist a free motion by as much."""


HEAVIEST = 1e-4
"""A setting: largest weight: the steps still return to the equations."""


class MovementSettings(NamedTuple):
    """What ends the steps.

    Attributes:
        weight: least mu, relative to the largest trace of a block of the normal matrix.
        short: square of a step, relative to that of the movement, that is the last one.
        steps, least: most and fewest steps in the null space.
        residual: largest residual at which the equations hold, mm; they may hold no better.
        rounding: residual that needs no further step back, mm.
        directed: measures whose markers have z axes that must not be reversed.
    """

    weight: float
    short: float
    steps: int
    least: int
    residual: float
    rounding: float
    directed: Ints


class MovementWork(NamedTuple):
    """Arrays of the steps of a block of n bodies with c unknowns each.

    Attributes:
        normal: J^T J, then the factor with mu H added, and -J^T f.
        h: mu H, lower triangles, (n, c, c); g: mu times half the slope of the movement, (n, c).
        x: the step, (n, c); trial: the poses reached by it.
        found, curvature: scratch.
    """

    normal: NormalEquations
    h: Array
    g: Array
    x: Array
    trial: Array
    memory: StepMemory
    found: EvaluatedEquation
    curvature: Array


@borrowing
def differ_only(
    poses: Array, start: Array, fixed: NDArray[np.bool_], moved: NDArray[np.bool_]
) -> bool:
    """Whether of the parts that are not fixed those that moved, and no others, differ."""
    for k in range(len(poses)):
        other = False
        for i in range(12):
            other = other or poses[k, i] != start[k, i]
        if not fixed[k] and other != moved[k]:
            return False
    return True


@compiled
def movement_work(sparse: SparseBlock, trial: Array) -> MovementWork:
    """Arrays for the steps of a block that begin at `trial`."""
    n, s, blocks = len(sparse.pattern.bodies), len(sparse.unknowns), len(sparse.pattern.row)
    return MovementWork(
        NormalEquations(np.empty((n, s, s)), np.empty((blocks, s, s)), np.empty((n, s))),
        np.empty((n, s, s)),
        np.empty((n, s)),
        np.empty((n, s)),
        trial,
        StepMemory(
            np.empty((MEMORY, n, s)),
            np.empty((MEMORY, n, s)),
            np.empty((n, s)),
            np.empty((MEMORY, MEMORY)),
            np.empty(MEMORY),
        ),
        evaluated_equation(),
        np.empty((6, 6)),
    )


@borrowing
def squared_movement(poses: Array, bodies: Ints, c: Cloud, p: Array) -> float:
    """Sum of the squared displacements of the features of some bodies, mm^2; p is scratch, (3,)."""
    total = 0.0
    for body in bodies:
        for q in range(c.first[body], c.first[body + 1]):
            world_point(poses[body], c.own[q], p)
            for r in range(3):
                off = p[r] - c.start[q, r]
                total += off * off
    return total


@borrowing
def _along(axes: Array, p: Array, origin: Array) -> tuple[float, float, float]:
    """Components of p - origin along three directions."""
    x, y, z = p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]
    return (
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )


@borrowing
def weighted_movement(sparse: SparseBlock, c: Cloud, mu: float, w: MovementWork) -> None:
    """The lower triangles of mu H, and mu times half the slope of the movement, at `w.trial`."""
    unknowns, length, axes = sparse.unknowns, sparse.basis.length, sparse.basis.axes
    poses, at, p, a, b = w.trial, w.found.middle, w.found.a, w.curvature, w.found.slope
    s = mu / (length * length)
    for k in range(len(sparse.pattern.bodies)):
        body = sparse.pattern.bodies[k]
        world_point(poses[body], sparse.basis.centre[body], at)
        low, high = c.first[body], c.first[body + 1]
        a[:] = 0.0
        b[:] = 0.0
        for i in range(3):
            a[i, i] = mu * (high - low)
            a[3 + i, 3 + i] = mu * LEAST_RADIUS * (high - low)
        for q in range(low, high):
            world_point(poses[body], c.own[q], p)
            x, y, z = _along(axes, p, at)
            d, e, f = _along(axes, p, c.start[q])
            b[0] += mu * d
            b[1] += mu * e
            b[2] += mu * f
            b[3] += mu * (y * f - z * e) / length
            b[4] += mu * (z * d - x * f) / length
            b[5] += mu * (x * e - y * d) / length
            a[3, 3] += s * (y * y + z * z)
            a[4, 4] += s * (x * x + z * z)
            a[5, 5] += s * (x * x + y * y)
            a[4, 3] -= s * x * y
            a[5, 3] -= s * x * z
            a[5, 4] -= s * y * z
        for i in range(len(unknowns)):
            w.g[k, i] = b[unknowns[i]]
            for j in range(i + 1):
                w.h[k, i, j] = a[unknowns[i], unknowns[j]]


@borrowing
def factorised(sparse: SparseBlock, c: Cloud, least: float, worst: float, w: MovementWork) -> float:
    """Factor J^T J + mu H at `w.trial`, where J^T J is written; mu, 0 without a factor.

    Args:
        least: weight on the equations; worst: the largest residual there, mm.
    """
    normal, relative = w.normal, worst / sparse.basis.length
    weight = max(least, min(HEAVIEST, CURVED * relative * relative))
    mu = weight * largest_trace(normal.diagonal)
    weighted_movement(sparse, c, mu, w)
    for k in range(len(w.h)):
        for i in range(w.h.shape[1]):
            for j in range(i + 1):
                normal.diagonal[k, i, j] += w.h[k, i, j]
    return mu if factorise(sparse.pattern, normal.diagonal, normal.block) else 0.0


@borrowing
def step_of_two_solves(p: EliminationPattern, w: MovementWork) -> None:
    """The step by the factor of J^T J + mu H; w.x is the right-hand side, then the step.

    The first solve leaves the equations mu (g + H x) to do; with the second one, from -J^T f, the
    step is off that of the constrained problem by mu^2 only.
    """
    x, slope, h, c = w.x, w.normal.slope, w.h, w.x.shape[1]
    substitute(p, w.normal.diagonal, w.normal.block, x)
    for k in range(len(x)):
        for i in range(c):
            for j in range(c):
                slope[k, i] += h[k, max(i, j), min(i, j)] * x[k, j]
    for k in range(len(x)):
        for i in range(c):
            x[k, i] = slope[k, i]
    substitute(p, w.normal.diagonal, w.normal.block, x)


@borrowing
def move_all(sparse: SparseBlock, w: MovementWork) -> None:
    """Move `w.trial` by `w.x`, shortened where a body would turn by more than LONGEST."""
    unknowns, length, centre = sparse.unknowns, sparse.basis.length, sparse.basis.centre
    x, most, twist = w.x, 0.0, w.found.slope
    twist[:] = 0.0
    for k in range(len(x)):
        turn = 0.0  # squared length: largest components would depend on the directions of the axes
        for i in range(len(unknowns)):
            if unknowns[i] >= 3:
                turned = x[k, i] / length
                turn += turned * turned
        most = max(most, turn)
    factor = LONGEST / sqrt(most) if most > LONGEST * LONGEST else 1.0
    for k in range(len(x)):
        body = sparse.pattern.bodies[k]
        for i in range(len(unknowns)):
            x[k, i] *= factor
            twist[unknowns[i]] = x[k, i]
        displace(w.trial[body], twist, sparse.basis.axes, centre[body], length)


@borrowing
def reverses(
    t: EquationTable, before: Array, after: Array, directed: Ints, a: Array, b: Array
) -> bool:
    """Whether the z axes of the markers of a measure turned to the other side of each other.

    a and b are scratch, (12,).
    """
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
def _squared_step(x: Array, sparse: SparseBlock, c: Cloud) -> float:
    """About the sum of the squared displacements of the features by a step, mm^2."""
    out = 0.0
    for k in range(len(x)):
        body = sparse.pattern.bodies[k]
        for i in range(x.shape[1]):
            out += (c.first[body + 1] - c.first[body]) * x[k, i] * x[k, i]
    return out


@borrowing
# Long: one loop; every step of it reads and writes most of the arrays.
def _lessen(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    w: MovementWork,
) -> int:
    """`lessen_movement`, which begins at `w.trial`."""
    p, normal, x, point = sparse.pattern, w.normal, w.x, w.found.middle
    most, length = squared_movement(poses, p.bodies, c, point), sparse.basis.length
    sliding, worst, last, steps, returns, known = True, np.inf, np.inf, 0, 0, -1
    squared = np.inf
    while True:
        last, worst = worst, write_normal_matrix(t, w.trial, sparse, normal, w.found)
        if not sliding and (
            worst <= settings.rounding or returns == RETURNS or not worst <= SMALLER * last
        ):
            break
        if not factorised(sparse, c, settings.weight, worst, w) > 0.0:
            return FAILED
        for k in range(len(x)):
            for i in range(x.shape[1]):
                x[k, i] = normal.slope[k, i] - (w.g[k, i] if sliding else 0.0)
        step_of_two_solves(p, w)
        if not sliding:
            returns += 1
            move_all(sparse, w)
            if worst * worst <= length * settings.rounding:  # probably the last one
                after = largest_residual(t, w.trial, sparse.rows, w.found)
                if after <= settings.rounding:
                    worst = after
                    break
            continue
        steps += 1
        before, squared = squared, _squared_step(x, sparse, c)
        if steps == 1 and settings.least == 0 and squared <= NO_GAIN * most:
            return LEAST
        fades = squared > FADING * most or squared <= 0.25 * before
        sliding = (squared > settings.short * most and fades) or steps < settings.least
        if sliding and steps == settings.steps:  # they go round and round
            return FAILED
        if not sliding:
            worst = np.inf
        if inner_product(x, x) <= len(x) * SHORT * SHORT * length * length:
            known = accelerate(w.memory, known, x)
        else:
            known = -1
        move_all(sparse, w)
    now = squared_movement(w.trial, p.bodies, c, point)
    holds = worst <= settings.residual or worst <= NO_WORSE * largest_residual(
        t, poses, sparse.rows, w.found
    )
    if not (holds and now < (1.0 - NO_GAIN) * most):
        return LEAST if abs(now - most) <= NO_GAIN * most else FAILED
    if reverses(t, poses, w.trial, settings.directed, w.found.a, w.found.b):
        return FAILED
    for body in p.bodies:
        copy(w.trial[body], poses[body])
    return LESS


@spread
@apart
@compiled
def lessen_movement(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    begin: Array,
) -> int:
    """Move the bodies of a block along their equations to where they moved least.

    Args:
        poses: (all bodies, 12), at which the equations hold; overwritten where it succeeds.
        begin: poses from which the steps begin, those or others nearby.

    Returns:
        LESS where the movement fell and the equations hold, LEAST where there is nothing to gain,
        FAILED where the steps lead nowhere.
    """
    return _lessen(t, poses, sparse, c, settings, movement_work(sparse, begin.copy()))

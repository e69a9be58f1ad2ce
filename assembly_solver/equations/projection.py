"""Pose of a single body on a joint without closed form: its equations, then least displacement.

Newton steps with the pseudo-inverse solve the equations; in their null space a Gauss-Newton step
lowers the sum of squared displacements of the body's mate features from their start.
"""

from __future__ import annotations

import numpy as np

from ..foundations.jit.decorators import compiled
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.linear import pseudo_inverse
from ..foundations.numerics.rounding import AGREEMENT, FAINT, ROOT, TINY
from ..foundations.types import Array, Ints
from .closed_form import Cloud
from .dense_block import (
    RANK_CUT,
    STATIONARY,
    DenseBlock,
    columns_of,
    full_step,
    predicted_reduction,
)
from .table import (
    INVERSES,
    ITERATIONS,
    SOLVED,
    STALLED,
    EquationTable,
    copy,
    displace,
    jacobian,
    norm,
    residuals,
    world_point,
)

SETTLED = AGREEMENT
"""Null-space step, relative to the characteristic length, at which the displacement is least."""

NO_CURVATURE = 8.0 * ROOT
"""Curvature, relative to the largest, that counts as none: finite differences leave 1e-9."""

RISE = 1e-2
"""A setting: the residual, relative to the characteristic length, up to which a slide may go."""

CURVED = 1e-3
"""A setting: the same from which on the curvature of the equations is counted."""

SHORTEST = 1e-4
"""A setting: the least part of a slide that is tried."""

SETTLE_ITERATIONS, RETURNS = 300, 10
"""Most iterations, and how many of them, the last, slide no more: on many turns of a thread a body
may still be on its way, and stays on its equations."""


@compiled
def _displacement_slope(
    poses: Array, block: DenseBlock, c: Cloud, slope: Array, curvature: Array
) -> None:
    """Slope and Gauss-Newton curvature of half the sum of squared displacements of the features."""
    child, basis = block.bodies[0], block.basis
    at, first, last = np.empty(3), c.first[child], c.first[child + 1]
    world_point(poses[child], basis.centre[child], at)
    own, start, work = c.own[first:last], c.start[first:last], np.empty((4, 6))
    slot = block.slot[child]
    _sum_slopes(
        poses[child], own, start, basis.axes, at, basis.length, slot, work, slope, curvature
    )


# Ten arguments: arrays of one body, which lists are made of.
@on_lists(8, 9)
def _sum_slopes(
    pose: Array,
    own: Array,
    start: Array,
    axes: Array,
    at: Array,
    length: float,
    slot: Ints,
    work: Array,
    slope: Array,
    curvature: Array,
) -> None:
    """`_displacement_slope` of features at `own` on the body and at `start` in the world, (n, 3).

    `at` is the centre of the body, world; `work`: scratch, (4, 6).
    """
    for i in range(len(slope)):
        slope[i] = 0.0
        for k in range(len(slope)):
            curvature[i][k] = 0.0
    p = work[3]
    for q in range(len(own)):
        world_point(pose, own[q], p)
        for k in range(3):
            axis = axes[k]
            for r in range(3):
                s, t = (r + 1) % 3, (r + 2) % 3
                work[r][k] = axis[r]
                work[r][3 + k] = (axis[s] * (p[t] - at[t]) - axis[t] * (p[s] - at[s])) / length
        for k in range(6):
            i = slot[k]
            if i < 0:
                continue
            for r in range(3):
                slope[i] += work[r][k] * (p[r] - start[q][r])
            for m in range(6):
                if slot[m] >= 0:
                    for r in range(3):
                        curvature[i][slot[m]] += work[r][k] * work[r][m]


@on_lists(2)
def _projector(inverse: Array, j: Array, out: Array) -> None:
    """The projector on the null space of the Jacobian, I - J+ J."""
    n, m = len(inverse), len(j)
    for i in range(n):
        row = inverse[i]
        for k in range(n):
            total = 1.0 if i == k else 0.0
            for r in range(m):
                total -= row[r] * j[r][k]
            out[i][k] = total


@on_lists(4, 5)
def _project(
    p: Array, slope: Array, curvature: Array, step: Array, projected: Array, rest: Array
) -> bool:
    """Write P C P and g + C step to `projected` and `rest`; False where P C P is rounding."""
    n, largest, most = len(slope), 0.0, 0.0
    for i in range(n):
        rest[i] = slope[i]
        for k in range(n):
            rest[i] += curvature[i][k] * step[k]
            total = 0.0
            for a in range(n):
                for b in range(n):
                    total += p[i][a] * curvature[a][b] * p[b][k]
            projected[i][k] = total
            largest = max(largest, abs(total))
            most = max(most, abs(curvature[i][k]))
    return bool(largest > NO_CURVATURE * most)


@compiled
def _slide_step(p: Array, slope: Array, curvature: Array, step: Array, out: Array) -> float:
    """Minimiser `out` of the quadratic model over the null space after `step`; returns its slope.

    With P the projector, C the curvature and g the slope it is -(P C P)+ P (g + C step).  The
    returned product with the slope is negative where the step reduces the displacement.  It is 0,
    with a zero step, where P C P is rounding: all unknowns are determined, or the features do not
    move with those that are not.
    """
    n = len(slope)
    s, si, rest, pulled = np.empty((n, n)), np.empty((n, n)), np.empty(n), np.empty(n)
    if not _project(p, slope, curvature, step, s, rest):
        out[:] = 0.0
        return 0.0
    pseudo_inverse(s, si, NO_CURVATURE)
    rise = 0.0
    for i in range(n):
        pulled[i] = 0.0
        for k in range(n):
            pulled[i] += p[i, k] * rest[k]
    for i in range(n):
        out[i] = 0.0
        for k in range(n):
            out[i] -= si[i, k] * pulled[k]
        rise += out[i] * pulled[i]
    return float(rise)


@compiled
def _lagrangian_curvature(
    t: EquationTable,
    poses: Array,
    block: DenseBlock,
    c: Cloud,
    slope: Array,
    inverse: Array,
    out: Array,
) -> None:
    """Curvature of the Lagrangian, displacement plus multipliers times equations, by differences.

    On curved equations (a point on a sphere) the Gauss-Newton curvature is not enough.
    """
    n, m = inverse.shape
    child, slot = block.bodies[0], block.slot[block.bodies[0]]
    axes, centre, length = block.basis.axes, block.basis.centre[child], block.basis.length
    h = FAINT * length
    other, shifted, scratch = np.empty((m, n)), np.empty(n), np.empty((n, n))
    multiplier, original, twist = np.zeros(m), np.empty(12), np.zeros(6)
    out[:] = 0.0
    for r in range(m):
        for i in range(n):
            multiplier[r] -= inverse[i, r] * slope[i]
    copy(poses[child], original)
    for k in range(6):
        if slot[k] < 0:
            continue
        for side in range(2):  # central: one-sided differences leave a step where there is nothing
            sign = 1.0 - 2.0 * side
            twist[k] = sign * h
            displace(poses[child], twist, axes, centre, length)
            _displacement_slope(poses, block, c, shifted, scratch)
            jacobian(t, poses, block.rows, block.slot, block.basis, other)
            copy(original, poses[child])
            for i in range(n):
                pulled = shifted[i]
                for r in range(m):
                    pulled += multiplier[r] * other[r, i]
                out[i, slot[k]] += 0.5 * sign * pulled / h
        twist[k] = 0.0
    for i in range(n):
        for k in range(i):
            out[i, k] = out[k, i] = 0.5 * (out[i, k] + out[k, i])


@compiled
def _step_back(
    t: EquationTable, poses: Array, block: DenseBlock, step: Array, slide: Array, f: Array
) -> float:
    """Move the body by `step` and as much of `slide` as does not raise the residuals.

    `f` is overwritten with the residuals there; returns the largest.
    """
    child, slot = block.bodies[0], block.slot[block.bodies[0]]
    axes, centre, length = block.basis.axes, block.basis.centre[child], block.basis.length
    original, twist = np.empty(12), np.zeros(6)
    copy(poses[child], original)
    before = max(norm(f), RISE * length)
    factor, worst = min(1.0, 0.5 * length / max(norm(slide), TINY)), 0.0
    for v in f:
        worst = max(worst, abs(v))
    while factor > SHORTEST:
        for k in range(6):
            i = slot[k]
            twist[k] = step[i] + factor * slide[i] if i >= 0 else 0.0
        copy(original, poses[child])
        displace(poses[child], twist, axes, centre, length)
        worst = residuals(t, poses, block.rows, f)
        if norm(f) <= before:
            break
        factor *= 0.5
    return worst


@compiled
def settle(
    t: EquationTable, poses: Array, block: DenseBlock, tolerance: float, c: Cloud, counts: Ints
) -> int:
    """Move one body onto its equations, where the displacement of its features is stationary.

    Its row of `poses`, (all bodies, 12), is overwritten, ITERATIONS and INVERSES in `counts` are
    increased.  A residual up to `tolerance`, mm, is zero.  Returns SOLVED, also where it is on its
    equations but still slides after so many iterations, or STALLED where these cannot be met.
    """
    n, m = columns_of(block), len(block.rows)
    f, j, inverse = np.empty(m), np.empty((m, n)), np.empty((n, m))
    slope, curvature, p = np.empty(n), np.empty((n, n)), np.empty((n, n))
    step, slide, length = np.empty(n), np.empty(n), block.basis.length
    worst = residuals(t, poses, block.rows, f)
    for k in range(SETTLE_ITERATIONS):
        counts[ITERATIONS] += 1
        counts[INVERSES] += 1
        jacobian(t, poses, block.rows, block.slot, block.basis, j)
        pseudo_inverse(j, inverse, RANK_CUT)
        _projector(inverse, j, p)
        full_step(inverse, f, step)
        _displacement_slope(poses, block, c, slope, curvature)
        gauss = curvature.copy()
        if worst <= CURVED * length:
            _lagrangian_curvature(t, poses, block, c, slope, inverse, curvature)
        if _slide_step(p, slope, curvature, step, slide) > 0.0:
            _slide_step(p, slope, gauss, step, slide)
        if k >= SETTLE_ITERATIONS - RETURNS:
            slide[:] = 0.0
        if norm(slide) <= SETTLED * length:
            if worst <= tolerance:
                return SOLVED
            if predicted_reduction(j, step) <= STATIONARY * norm(f) * norm(f):
                return STALLED
        worst = _step_back(t, poses, block, step, slide, f)
    return SOLVED if worst <= tolerance else STALLED

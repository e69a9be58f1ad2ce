"""Placing a body whose joint has no closed form: onto its equations, then to the least movement.

Newton steps with the pseudo-inverse close the equations; in their null space a Gauss-Newton step
lowers the sum of squared displacements of the body's mate features from their start.
"""

from __future__ import annotations

import numpy as np

from ..foundations.jit.decorators import compiled
from ..foundations.numerics.linear import pseudo_inverse
from ..foundations.types import Array, Ints
from .closed_form import Cloud
from .dense_block import RANK_CUT, STATIONARY, promised
from .table import (
    INVERSES,
    ITERATIONS,
    SOLVED,
    STALLED,
    Table,
    copy,
    displace,
    jacobian,
    norm,
    residuals,
    world_point,
)

SETTLED = 1e-9
"""Slide, relative to the characteristic length, below which the displacement is stationary."""

FLAT = 1e-7
"""Curvature, relative to the largest, below which a direction has none: differences leave 1e-9."""

SETTLE_ITERATIONS = 100


@compiled
def _pull(
    pose: Array,
    child: int,
    slot: Ints,
    axes: Array,
    centre: Array,
    length: float,
    c: Cloud,
    slope: Array,
    curvature: Array,
) -> None:
    """Slope and Gauss-Newton curvature of half the sum of squared displacements of the features."""
    n = len(slope)
    for i in range(n):
        slope[i] = 0.0
        for k in range(n):
            curvature[i, k] = 0.0
    at, p, d = np.empty(3), np.empty(3), np.empty((3, 6))
    world_point(pose, centre, at)
    for q in range(c.first[child], c.first[child + 1]):
        world_point(pose, c.own[q], p)
        for k in range(3):
            for r in range(3):
                s, t = (r + 1) % 3, (r + 2) % 3
                d[r, k] = axes[k, r]
                d[r, 3 + k] = (axes[k, s] * (p[t] - at[t]) - axes[k, t] * (p[s] - at[s])) / length
        for k in range(6):
            i = slot[k]
            if i < 0:
                continue
            for r in range(3):
                slope[i] += d[r, k] * (p[r] - c.start[q, r])
            for m in range(6):
                if slot[m] >= 0:
                    for r in range(3):
                        curvature[i, slot[m]] += d[r, k] * d[r, m]


@compiled
def _projector(inverse: Array, j: Array, out: Array) -> None:
    """The projector on the null space, I - J+ J."""
    n, m = inverse.shape
    for i in range(n):
        for k in range(n):
            out[i, k] = 1.0 if i == k else 0.0
            for r in range(m):
                out[i, k] -= inverse[i, r] * j[r, k]


@compiled
def _slide_step(p: Array, slope: Array, curvature: Array, step: Array, out: Array) -> float:
    """The least of slope and curvature over the null space after `step`; returns its rise.

    With P the projector it is -(P C P)+ P (g + C step); the rise is its product with the slope,
    negative where it leads downhill.  Where P C P is rounding there is nothing to lower: all
    unknowns are determined, or the features do not move with those that are not.
    """
    n, bent, most = len(slope), 0.0, 0.0
    s, si, rest, pulled = np.empty((n, n)), np.empty((n, n)), np.empty(n), np.empty(n)
    for i in range(n):
        rest[i] = slope[i]
        for k in range(n):
            rest[i] += curvature[i, k] * step[k]
            s[i, k] = 0.0
            for a in range(n):
                for b in range(n):
                    s[i, k] += p[i, a] * curvature[a, b] * p[b, k]
            bent, most = max(bent, abs(s[i, k])), max(most, abs(curvature[i, k]))
    if bent <= FLAT * most:
        out[:] = 0.0
        return 0.0
    pseudo_inverse(s, si, FLAT)
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
def _bend(
    t: Table,
    poses: Array,
    child: int,
    rows: Ints,
    slot: Ints,
    axes: Array,
    centre: Array,
    length: float,
    c: Cloud,
    slope: Array,
    j: Array,
    inverse: Array,
    out: Array,
) -> None:
    """Curvature of the Lagrangian, displacement plus multipliers times equations, by differences.

    Along curved equations (a point on a sphere) the Gauss-Newton curvature is not enough.
    """
    m, n = j.shape
    h = 1e-5 * length
    other, bent, scratch = np.empty((m, n)), np.empty(n), np.empty((n, n))
    multiplier, kept, own = np.zeros(m), np.empty(12), np.zeros(6)
    for i in range(n):
        for k in range(n):
            out[i, k] = 0.0
    for r in range(m):
        for i in range(n):
            multiplier[r] -= inverse[i, r] * slope[i]
    copy(poses[child], kept)
    for k in range(6):
        if slot[child, k] < 0:
            continue
        for side in range(2):  # central: one-sided differences leave 1e-5 where there is nothing
            sign = 1.0 - 2.0 * side
            own[k] = sign * h
            displace(poses[child], own, axes, centre[child], length)
            _pull(poses[child], child, slot[child], axes, centre[child], length, c, bent, scratch)
            jacobian(t, poses, rows, slot, axes, centre, length, other)
            copy(kept, poses[child])
            for i in range(n):
                pulled = bent[i]
                for r in range(m):
                    pulled += multiplier[r] * other[r, i]
                out[i, slot[child, k]] += 0.5 * sign * pulled / h
        own[k] = 0.0
    for i in range(n):
        for k in range(i):
            out[i, k] = out[k, i] = 0.5 * (out[i, k] + out[k, i])


@compiled
def settle(
    t: Table,
    poses: Array,
    child: int,
    rows: Ints,
    slot: Ints,
    axes: Array,
    centre: Array,
    length: float,
    tolerance: float,
    c: Cloud,
    counts: Ints,
) -> int:
    """Project a body onto its equations, at a stationary point of its displacement.

    Returns:
        SOLVED, or STALLED where the equations cannot be met.
    """
    n = 0
    for k in range(6):
        n += slot[child, k] >= 0
    m = len(rows)
    f, j, inverse = np.empty(m), np.empty((m, n)), np.empty((n, m))
    slope, curvature, p = np.empty(n), np.empty((n, n)), np.empty((n, n))
    step, slide, kept, own = np.empty(n), np.empty(n), np.empty(12), np.zeros(6)
    worst = residuals(t, poses, rows, f)
    for _ in range(SETTLE_ITERATIONS):
        counts[ITERATIONS] += 1
        counts[INVERSES] += 1
        jacobian(t, poses, rows, slot, axes, centre, length, j)
        pseudo_inverse(j, inverse, RANK_CUT)
        _projector(inverse, j, p)
        for i in range(n):
            step[i] = 0.0
            for r in range(m):
                step[i] -= inverse[i, r] * f[r]
        _pull(poses[child], child, slot[child], axes, centre[child], length, c, slope, curvature)
        gauss = curvature.copy()
        if worst <= 1e-3 * length:
            _bend(
                t, poses, child, rows, slot, axes, centre, length, c, slope, j, inverse, curvature
            )
        if _slide_step(p, slope, curvature, step, slide) > 0.0:
            _slide_step(p, slope, gauss, step, slide)
        size = norm(slide)
        if size <= SETTLED * length:
            if worst <= tolerance:
                return SOLVED
            if promised(j, step) <= STATIONARY * norm(f) ** 2:
                return STALLED
        copy(poses[child], kept)
        before, factor = max(norm(f), 1e-2 * length), min(1.0, 0.5 * length / max(size, 1e-300))
        while factor > 1e-4:
            for k in range(6):
                i = slot[child, k]
                own[k] = step[i] + factor * slide[i] if i >= 0 else 0.0
            copy(kept, poses[child])
            displace(poses[child], own, axes, centre[child], length)
            worst = residuals(t, poses, rows, f)
            if norm(f) <= before:
                break
            factor *= 0.5
    return SOLVED if worst <= tolerance else STALLED

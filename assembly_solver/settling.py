"""Placing a body whose joint has no closed form: onto its equations, then to the least movement.

Newton steps with the pseudo-inverse close the equations; in their null space a Gauss-Newton step
lowers the sum of squared displacements of the body's mate features from their start.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import compiled
from .kernel import (
    INVERSES,
    ITERATIONS,
    RANK_CUT,
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
from .numerics.linear import pseudo_inverse
from .placing import Cloud

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SETTLED = 1e-9
"""Slide, relative to the characteristic length, below which the displacement is stationary."""

SETTLE_ITERATIONS = 100


@compiled
def pull(
    pose: Array, child: int, slot: Ints, axes: Array, centre: Array, length: float, c: Cloud,
    slope: Array, curvature: Array,
) -> None:  # fmt: skip
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
def least_step(
    inverse: Array, j: Array, f: Array, slope: Array, curvature: Array, step: Array
) -> float:
    """The Newton step onto the equations and, in their null space, the step of least displacement.

    With P the projector on the null space it is -J+ f - (P C P)+ P (g - C J+ f); returns the size
    of the second term, the slide.
    """
    n, m = inverse.shape
    p, s, si = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        step[i] = 0.0
        for r in range(m):
            step[i] -= inverse[i, r] * f[r]
        for k in range(n):
            p[i, k] = 1.0 if i == k else 0.0
            for r in range(m):
                p[i, k] -= inverse[i, r] * j[r, k]
    rest = np.empty(n)
    for i in range(n):
        rest[i] = slope[i]
        for k in range(n):
            rest[i] += curvature[i, k] * step[k]
            s[i, k] = 0.0
            for a in range(n):
                for b in range(n):
                    s[i, k] += p[i, a] * curvature[a, b] * p[b, k]
    pseudo_inverse(s, si, 1e-9)
    slide = np.zeros(n)
    for i in range(n):
        for k in range(n):
            for a in range(n):
                slide[i] -= si[i, k] * p[k, a] * rest[a]
    for i in range(n):
        step[i] += slide[i]
    return float(norm(slide))


@compiled
def settle(
    t: Table, poses: Array, child: int, rows: Ints, slot: Ints, axes: Array, centre: Array,
    length: float, tolerance: float, c: Cloud, counts: Ints,
) -> int:  # fmt: skip
    """Project a body onto its equations, at a stationary point of its displacement.

    Returns:
        SOLVED, or STALLED where the equations cannot be met.
    """
    n = 0
    for k in range(6):
        n += slot[child, k] >= 0
    m = len(rows)
    f, j, inverse = np.empty(m), np.empty((m, n)), np.empty((n, m))
    slope, curvature, step = np.empty(n), np.empty((n, n)), np.empty(n)
    kept, own = np.empty(12), np.zeros(6)
    worst = residuals(t, poses, rows, f)
    for _ in range(SETTLE_ITERATIONS):
        counts[ITERATIONS] += 1
        counts[INVERSES] += 1
        jacobian(t, poses, rows, slot, axes, centre, length, j)
        pseudo_inverse(j, inverse, RANK_CUT)
        pull(
            poses[child], child, slot[child], axes, centre[child], length, c, slope, curvature
        )  # fmt: skip
        slide = least_step(inverse, j, f, slope, curvature, step)
        if worst <= tolerance and slide <= SETTLED * length:
            return SOLVED
        copy(poses[child], kept)
        before, factor = max(norm(f), 1e-2 * length), 1.0
        while factor > 1e-4:
            for k in range(6):
                own[k] = factor * step[slot[child, k]] if slot[child, k] >= 0 else 0.0
            copy(kept, poses[child])
            displace(poses[child], own, axes, centre[child], length)
            worst = residuals(t, poses, rows, f)
            if norm(f) <= before:
                break
            factor *= 0.5
    return SOLVED if worst <= tolerance else STALLED

"""Rates of the gradients of the measures that read a curve; compiled.

They are the derivatives of the formulas in `shapes`, in which the foot moves along the curve by
du = T . dP / F, F = C' . T - d . T', d = P - C; see `rates` for their use.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.geometry.pose import Triple
from ...foundations.jit.decorators import compiled
from ...foundations.types import Array
from .shapes import (
    CURVE_POINT_SIZE,
    LEAST_DIVISOR,
    arc_length_jet,
    foot,
    foot_divisor,
    misses_foot,
    normal_at_foot,
    to_local,
)


@compiled
def curve_rate(
    along: bool, i: int, a: Array, b: Array, data: Array, at: int, velocity: Triple
) -> Triple:
    """Rate relative to a of the gradient of a measure by p_b, in world axes.

    Args:
        along: whether the measure is the arc length; otherwise the offset, up or lateral (i).
        a, b, data, at: as in `shapes`; velocity: of p_b relative to a, in world axes, mm/s.

    dF = (C'' . T + C' . T') du - (dp - C' du) . T' - d . T'' du.
    """
    p, v, out, g = np.empty(3), np.empty(3), np.empty(CURVE_POINT_SIZE), np.empty(3)
    p0, p1, p2 = velocity
    to_local(a, b, p)
    k, u = foot(data, at, p, out)
    size, exact = foot_divisor(p, out)
    du = 0.0
    for r in range(3):
        v[r] = a[3 + 3 * r] * p0 + a[4 + 3 * r] * p1 + a[5 + 3 * r] * p2
        du += out[6 + r] * v[r] / size
    growth = 0.0
    for r in range(3):
        base = (out[15 + r] * out[6 + r] + out[3 + r] * out[9 + r]) * du
        turning = (v[r] - out[3 + r] * du) * out[9 + r] + (p[r] - out[r]) * out[12 + r] * du
        growth += base - turning if exact else LEAST_DIVISOR * base
    if along:
        _, rate, more = arc_length_jet(data, at, k, u)
        for r in range(3):
            by_t = more * du - rate * growth / size
            g[r] = (by_t * out[6 + r] + rate * out[9 + r] * du) / size
    else:
        _offset_rate(i, p, v, out, (size, du, growth), g)
    return (
        g[0] * a[3] + g[1] * a[6] + g[2] * a[9],
        g[0] * a[4] + g[1] * a[7] + g[2] * a[10],
        g[0] * a[5] + g[1] * a[8] + g[2] * a[11],
    )


@compiled
def _offset_rate(i: int, p: Array, v: Array, out: Array, moving: Triple, g: Array) -> None:
    """Rate of n + (n' . d - n . C') T / F; without a foot, of the direction to p_b.

    Args:
        p, v: position and velocity in frame a; out: the curve at the foot, as by `segment_at`.
        moving: F, and the rates of u and of F; g: written, shape (3,).
    """
    size, du, growth = moving
    n = np.empty(9)
    normal_at_foot(out, i, n)
    missed, far2 = misses_foot(p, out)
    if i == 1 and missed:
        side, along = 0.0, 0.0
        for r in range(3):
            side += n[r] * (p[r] - out[r])
            along += v[r] * (p[r] - out[r]) / far2
        far = sqrt(far2) if side > 0.0 else -sqrt(far2)
        for r in range(3):
            g[r] = (v[r] - along * (p[r] - out[r])) / far
        return
    change, more = 0.0, -growth / size
    for r in range(3):
        d = p[r] - out[r]
        change += (n[3 + r] * d - n[r] * out[3 + r]) / size
    more *= change
    for r in range(3):
        d = p[r] - out[r]
        rate = n[6 + r] * d - 2.0 * n[3 + r] * out[3 + r] - n[r] * out[15 + r]
        more += (n[3 + r] * v[r] + rate * du) / size
    for r in range(3):
        g[r] = n[3 + r] * du + more * out[6 + r] + change * out[9 + r] * du

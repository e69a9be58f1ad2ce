"""Rates of the gradients of the measures that read a curve; compiled.

They are the derivatives of the very formulas in `shapes`, with the place of the foot as the one
thing that goes on: see `rates` for what they are for.

Source: the foot moves by du = T . dP / F, F = C' . T - d . T', d = P - C.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.jit.decorators import compiled
from ...foundations.types import Array
from .shapes import FOOT, across, arc_length_jet, follow, foot, misses, seen


@compiled
def curve_rate(
    along: bool, i: int, a: Array, b: Array, data: Array, at: int, p0: float, p1: float, p2: float
) -> tuple[float, float, float]:
    """Rate of the gradient of a measure by p_b, seen from a; in the world.

    Args:
        along: whether the measure is the place along the curve; otherwise off it, up or aside (i).
        a, b, data, at: as in `shapes`; p0, p1, p2: velocity of p_b relative to a, mm/s.

    The foot goes by du = T . dp / F, and F by dF = (C'' . T + C' . T') du - (dp - C' du) . T'
    - d . T'' du.
    """
    p, v, out, g = np.empty(3), np.empty(3), np.empty(FOOT), np.empty(3)
    seen(a, b, p)
    k, u = foot(data, at, p, out)
    size, whole = follow(p, out)
    du = 0.0
    for r in range(3):
        v[r] = a[3 + 3 * r] * p0 + a[4 + 3 * r] * p1 + a[5 + 3 * r] * p2
        du += out[6 + r] * v[r] / size
    grow = 0.0
    for r in range(3):
        base = (out[15 + r] * out[6 + r] + out[3 + r] * out[9 + r]) * du
        bend = (v[r] - out[3 + r] * du) * out[9 + r] + (p[r] - out[r]) * out[12 + r] * du
        grow += base - bend if whole else 1e-3 * base
    if along:
        _, rate, more = arc_length_jet(data, at, k, u)
        for r in range(3):
            by_t = more * du - rate * grow / size
            g[r] = (by_t * out[6 + r] + rate * out[9 + r] * du) / size
    else:
        _off_curve(i, p, v, out, size, du, grow, g)
    return (
        g[0] * a[3] + g[1] * a[6] + g[2] * a[9],
        g[0] * a[4] + g[1] * a[7] + g[2] * a[10],
        g[0] * a[5] + g[1] * a[8] + g[2] * a[11],
    )


@compiled
def _off_curve(
    i: int, p: Array, v: Array, out: Array, size: float, du: float, grow: float, g: Array
) -> None:
    """Rate of n + (n' . d - n . C') T / F, or where the foot is missed of the way to p_b."""
    n = np.empty(9)
    across(out, i, n)
    missed, far2 = misses(p, out)
    if i == 1 and missed:
        side, along = 0.0, 0.0
        for r in range(3):
            side += n[r] * (p[r] - out[r])
            along += v[r] * (p[r] - out[r]) / far2
        far = sqrt(far2) if side > 0.0 else -sqrt(far2)
        for r in range(3):
            g[r] = (v[r] - along * (p[r] - out[r])) / far
        return
    change, more = 0.0, -grow / size
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

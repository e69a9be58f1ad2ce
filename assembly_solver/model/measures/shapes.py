"""Distances of a point from a cone, a ring and a curve, and arc length along the curve; compiled.

A shape is fixed on the frame of marker a.  Its numbers are in `data` from index `at` on: of a cone
the cosine and sine of half its opening and 1, of a ring its radius, of a curve those of
`Curve.numbers`.  A function of frames a and b returns the value, mm, and writes the wrench on b, a
force through p_b (see `measure`).

A curve is a row of segments: position C(u) and direction field T(u), u from 0 to 1, see `curve`.
The *foot* of a point P is the point of the curve with (P - C) . T = 0.

Source: that condition, differentiated: du = T . dP / (C' . T - d . T') with d = P - C.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.jit.decorators import compiled
from ...foundations.numerics.rounding import AGREEMENT, ROUNDING
from ...foundations.types import Array

SEGMENT_SIZE = 22
"""Numbers of one segment of a curve: C (12), T (9), arc length to its beginning."""

CURVE_POINT_SIZE = 18
"""Numbers of a point of a curve with its derivatives: see `segment_at`."""

CHORDS = 4
"""Chords per segment among which the nearest gives the start of the search for a foot."""

FEET = 60
"""Largest number of iterations to the foot of a point."""

LEAST_DIVISOR = 1e-3
"""A setting: the least divisor of a step to a foot, as a part of that on a straight line."""

NODES = np.array([0.5 - 0.4530899229693320, 0.5 - 0.2692346550528415, 0.5, 0.0, 0.0])
NODES[3:] = 1.0 - NODES[1::-1]
WEIGHTS = np.array([0.1184634425280945, 0.2393143352496832, 0.2844444444444444, 0.0, 0.0])
WEIGHTS[3:] = WEIGHTS[1::-1]
"""Nodes and weights of five-point Gauss-Legendre quadrature on 0 to 1."""


@compiled
def force_at(w: Array, f0: float, f1: float, f2: float, p0: float, p1: float, p2: float) -> None:
    """Write the wrench of a force (f0, f1, f2) at a point (p0, p1, p2), mm, to `w`."""
    w[0] = f0
    w[1] = f1
    w[2] = f2
    w[3] = p1 * f2 - p2 * f1
    w[4] = p2 * f0 - p0 * f2
    w[5] = p0 * f1 - p1 * f0


@compiled
def profile(a: Array, b: Array) -> tuple[float, float, float, float, float]:
    """Radial direction from a's z axis to p_b, distance from the axis, height along it (mm)."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    h = x * a[9] + y * a[10] + z * a[11]
    x, y, z = x - h * a[9], y - h * a[10], z - h * a[11]
    rho = sqrt(x * x + y * y + z * z)
    if rho > ROUNDING:
        return x / rho, y / rho, z / rho, rho, h
    return a[3], a[4], a[5], rho, h  # on the axis a_x replaces the direction


@compiled
def cone(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Distance of p_b from a cone with its apex at p_a, opening along a_z; negative inside.

    Behind the apex, where p_b has no foot on the surface, it is the distance from the apex.  With
    0 as the third number, for points inside, the cone continues beyond its apex instead.
    """
    e0, e1, e2, rho, h = profile(a, b)
    c, s = data[at], data[at + 1]
    along, up = c, -s
    value = rho * c - h * s
    if data[at + 2] > 0.0 and rho * s + h * c < 0.0:
        value = sqrt(rho * rho + h * h)
        along, up = rho / value, h / value
    f0, f1, f2 = along * e0 + up * a[9], along * e1 + up * a[10], along * e2 + up * a[11]
    force_at(w, f0, f1, f2, b[0], b[1], b[2])
    return float(value)


@compiled
def ring(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Distance of p_b from a circle about a_z with its centre at p_a, mm."""
    e0, e1, e2, rho, h = profile(a, b)
    off = rho - data[at]
    value = sqrt(off * off + h * h)
    along, up = 1.0, 0.0
    if value > ROUNDING:
        along, up = off / value, h / value
    f0, f1, f2 = along * e0 + up * a[9], along * e1 + up * a[10], along * e2 + up * a[11]
    force_at(w, f0, f1, f2, b[0], b[1], b[2])
    return float(value)


# ------------------------------------------------------------------------------------- curves
@compiled
def segment_at(data: Array, at: int, k: int, u: float, out: Array) -> None:
    """Write C, C', T, T', T'', C'' of segment k at u to `out`, (18,); linear outside 0 to 1."""
    first = at + 2 + SEGMENT_SIZE * k
    v = min(max(u, 0.0), 1.0)
    for r in range(3):
        c1, c2, c3 = data[first + 3 + r], data[first + 6 + r], data[first + 9 + r]
        t0, t1, t2 = data[first + 12 + r], data[first + 15 + r], data[first + 18 + r]
        slope = c1 + v * (2.0 * c2 + v * 3.0 * c3)
        out[r] = data[first + r] + v * (c1 + v * (c2 + v * c3)) + (u - v) * slope
        out[3 + r] = slope
        out[6 + r] = t0 + v * (t1 + v * t2)
        out[9 + r] = t1 + 2.0 * v * t2 if u == v else 0.0
        out[12 + r] = 2.0 * t2 if u == v else 0.0
        out[15 + r] = 2.0 * c2 + 6.0 * v * c3 if u == v else 0.0


@compiled
def _speed(data: Array, first: int, u: float) -> tuple[float, float, float]:
    """|C'| and its two derivatives by u."""
    s2, product, more = 0.0, 0.0, 0.0
    for r in range(3):
        c1, c2, c3 = data[first + 3 + r], data[first + 6 + r], data[first + 9 + r]
        slope = c1 + u * (2.0 * c2 + u * 3.0 * c3)
        s2 += slope * slope
        second = 2.0 * c2 + 6.0 * u * c3
        product += slope * second
        more += second * second + 6.0 * slope * c3
    s = sqrt(s2)
    rate = product / s
    return s, rate, (more - rate * rate) / s


@compiled
def arc_length_jet(data: Array, at: int, k: int, u: float) -> tuple[float, float, float]:
    """Arc length from the beginning of a curve to u of segment k, and two derivatives by u."""
    first = at + 2 + SEGMENT_SIZE * k
    v = min(max(u, 0.0), 1.0)
    mean, change, second = 0.0, 0.0, 0.0
    for n in range(5):
        speed, more, most = _speed(data, first, v * NODES[n])
        mean += WEIGHTS[n] * speed
        change += WEIGHTS[n] * NODES[n] * more
        second += WEIGHTS[n] * NODES[n] * NODES[n] * most
    rate, second = mean + v * change, 2.0 * change + v * second
    if u != v:
        rate, _, _ = _speed(data, first, v)
        second = 0.0
    return data[first + SEGMENT_SIZE - 1] + v * mean + (u - v) * rate, rate, second


@compiled
def arc_length(data: Array, at: int, k: int, u: float) -> float:
    """Arc length from the beginning of a curve to u of segment k, mm."""
    value, _, _ = arc_length_jet(data, at, k, u)
    return float(value)


@compiled
def _nearest_chord(data: Array, at: int, p: Array) -> tuple[int, float]:
    """Segment k and u of the point nearest to p on the chords of a curve."""
    segments, closed = int(data[at]), data[at + 1] > 0.0
    begin, end = np.empty(CURVE_POINT_SIZE), np.empty(CURVE_POINT_SIZE)
    segment, at_u, least = 0, 0.0, np.inf
    for n in range(CHORDS * segments):
        k, u = n // CHORDS, (n % CHORDS) / CHORDS
        segment_at(data, at, k, u, begin)
        segment_at(data, at, k, u + 1.0 / CHORDS, end)
        along, size2 = 0.0, 0.0
        for r in range(3):
            step = end[r] - begin[r]
            along += (p[r] - begin[r]) * step
            size2 += step * step
        share = along / size2 if size2 > 0.0 else 0.0
        if share < 0.0 and (closed or n > 0):
            share = 0.0
        if share > 1.0 and (closed or n < CHORDS * segments - 1):
            share = 1.0
        off2 = 0.0
        for r in range(3):
            off = p[r] - begin[r] - share * (end[r] - begin[r])
            off2 += off * off
        if off2 < least:
            segment, at_u, least = k, u + share / CHORDS, off2
    return segment, at_u


@compiled
def foot(data: Array, at: int, p: Array, out: Array) -> tuple[int, float]:
    """Segment k and u of the foot of a point, by iteration: (p - C) . T = 0.

    Args:
        p: the point in frame a, mm; out: written, the curve there as by `segment_at`.
    """
    segments, closed = int(data[at]), data[at + 1] > 0.0
    k, u = _nearest_chord(data, at, p)
    for _ in range(FEET):
        segment_at(data, at, k, u, out)
        off, base, turning = 0.0, 0.0, 0.0
        for r in range(3):
            off += (p[r] - out[r]) * out[6 + r]
            base += out[3 + r] * out[6 + r]
            turning += (p[r] - out[r]) * out[9 + r]
        step = off / max(base - turning, LEAST_DIVISOR * base)
        if closed or 0 < k < segments - 1 or 0.0 <= u <= 1.0:
            step = min(max(step, -0.5), 0.5)
        u += step
        if abs(step) <= ROUNDING / 8.0:
            break
        if u > 1.0 and (closed or k < segments - 1):
            k, u = (k + 1) % segments, 0.0
        elif u < 0.0 and (closed or k > 0):
            k, u = (k - 1) % segments, 1.0
    segment_at(data, at, k, u, out)
    return k, u


@compiled
def to_local(a: Array, b: Array, p: Array) -> None:
    """Write p_b in frame a, mm, to `p`, (3,)."""
    for i in range(3):
        p[i] = 0.0
        for r in range(3):
            p[i] += a[3 + 3 * i + r] * (b[r] - a[r])


@compiled
def _pull(a: Array, b: Array, g: Array, w: Array) -> None:
    """Write the wrench of a gradient by p_b with components in frame a."""
    f = np.zeros(3)
    for i in range(3):
        for r in range(3):
            f[r] += g[i] * a[3 + 3 * i + r]
    force_at(w, f[0], f[1], f[2], b[0], b[1], b[2])


@compiled
def along_curve(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Arc length from the beginning of the curve on frame a to the foot of p_b, mm."""
    p, out, g = np.empty(3), np.empty(CURVE_POINT_SIZE), np.empty(3)
    to_local(a, b, p)
    k, u = foot(data, at, p, out)
    value, rate, _ = arc_length_jet(data, at, k, u)
    size, _ = foot_divisor(p, out)
    for r in range(3):
        g[r] = rate * out[6 + r] / size
    _pull(a, b, g, w)
    return value


@compiled
def foot_divisor(p: Array, out: Array) -> tuple[float, bool]:
    """C'.T - d.T', the divisor of du = T . dP / (C'.T - d.T'), and whether it is exact.

    Beyond the centre of curvature its sign would change: there it is a small part of C'.T, and the
    second value is false.
    """
    base, turning = 0.0, 0.0
    for r in range(3):
        base += out[3 + r] * out[6 + r]
        turning += (p[r] - out[r]) * out[9 + r]
    return max(base - turning, LEAST_DIVISOR * base), base - turning > LEAST_DIVISOR * base


@compiled
def misses_foot(p: Array, out: Array) -> tuple[bool, float]:
    """Whether a point of the curve is not the foot of p, and the square of their distance, mm2."""
    along, far2, size2 = 0.0, 0.0, 0.0
    for r in range(3):
        d = p[r] - out[r]
        along += out[6 + r] * d
        far2 += d * d
        size2 += out[6 + r] * out[6 + r]
    # squares: of the cosine between T and P - C, and of a distance below which that is rounding
    return along * along > size2 * max(ROUNDING * far2, AGREEMENT * AGREEMENT), far2


@compiled
def _unit(x: Array) -> None:
    """Normalise a vector with its first and second derivative (9 numbers) in place."""
    size2, slope, second = 0.0, 0.0, 0.0
    for r in range(3):
        size2 += x[r] * x[r]
        slope += x[r] * x[3 + r]
        second += x[3 + r] * x[3 + r] + x[r] * x[6 + r]
    size = sqrt(size2)
    slope /= size
    second = (second - slope * slope) / size
    for r in range(3):
        x[r] = x[r] / size
        x[3 + r] = (x[3 + r] - slope * x[r]) / size
        x[6 + r] = (x[6 + r] - 2.0 * slope * x[3 + r] - second * x[r]) / size


@compiled
def normal_at_foot(out: Array, i: int, n: Array) -> None:
    """Write the up (i = 0) or lateral (1) normal at a foot, and two derivatives by u, to n (9,)."""
    t, up = np.empty(9), np.empty(9)
    for r in range(9):
        t[r] = out[6 + r]
    _unit(t)
    for r in range(3):  # the part of z normal to t
        up[r] = -t[2] * t[r]
        up[3 + r] = -t[5] * t[r] - t[2] * t[3 + r]
        up[6 + r] = -t[8] * t[r] - 2.0 * t[5] * t[3 + r] - t[2] * t[6 + r]
    up[2] += 1.0
    _unit(up)
    for r in range(3):
        if i == 0:
            n[r], n[3 + r], n[6 + r] = up[r], up[3 + r], up[6 + r]
        else:
            p, q = (r + 1) % 3, (r + 2) % 3
            n[r] = t[p] * up[q] - t[q] * up[p]
            n[3 + r] = t[3 + p] * up[q] - t[3 + q] * up[p] + t[p] * up[3 + q] - t[q] * up[3 + p]
            n[6 + r] = (
                t[6 + p] * up[q] - t[6 + q] * up[p] + t[p] * up[6 + q] - t[q] * up[6 + p]
            ) + 2.0 * (t[3 + p] * up[3 + q] - t[3 + q] * up[3 + p])


@compiled
def off_curve(a: Array, b: Array, i: int, data: Array, at: int, w: Array) -> float:
    """Offset of p_b from the curve on frame a: along the part of a_z normal to T, up (i = 0).

    Or lateral (i = 1), along T x up: outwards where the curve runs anticlockwise about a_z; where
    a point has no foot on a polyline it is the distance from the nearest point found.
    """
    p, out, g = np.empty(3), np.empty(CURVE_POINT_SIZE), np.empty(3)
    n = np.empty(9)
    to_local(a, b, p)
    foot(data, at, p, out)
    normal_at_foot(out, i, n)
    value, change = 0.0, 0.0
    for r in range(3):
        d = p[r] - out[r]
        value += n[r] * d
        change += n[3 + r] * d - n[r] * out[3 + r]
    size, _ = foot_divisor(p, out)
    for r in range(3):
        g[r] = n[r] + change / size * out[6 + r]
    missed, far2 = misses_foot(p, out)
    if i == 1 and missed:
        value = sqrt(far2) if value > 0.0 else -sqrt(far2)
        for r in range(3):
            g[r] = (p[r] - out[r]) / value
    _pull(a, b, g, w)
    return float(value)

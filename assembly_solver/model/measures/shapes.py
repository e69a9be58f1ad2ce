"""Distances of a point from a cone, a ring and a curve, and its place along the curve; compiled.

A shape stands on the frame of marker a, its numbers in `data` from a place on: of a cone the
cosine and sine of half its opening and 1, of a ring its radius, of a curve what `Curve.numbers`
says.  A function returns the value and writes the wrench on b, a force through p_b (see `measure`).

Source: a foot moves by ds = T.dP / (C'.T - d.T'), from (P - C(s)).T(s) = 0 with d = P - C.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.jit.decorators import compiled
from ...foundations.types import Array

PIECE = 22
"""Numbers of one piece of a curve: C (12), T (9), arc length to its beginning."""

FOOT = 18
"""Numbers of a place on a curve: see `piece_at`."""

CHORDS = 4
"""Chords of a piece among which the nearest is sought before the foot is."""

FEET = 60
"""Steps along a curve to the foot of a point."""

NO_FOOT = 1e-12
"""Square of the cosine between T and the way to a point from which its foot counts as missed."""

ROUNDING2 = 1e-18
"""Square of a distance, mm, below which that cosine is rounding."""

NODES = np.array([0.5 - 0.4530899229693320, 0.5 - 0.2692346550528415, 0.5, 0.0, 0.0])
NODES[3:] = 1.0 - NODES[1::-1]
SHARES = np.array([0.1184634425280945, 0.2393143352496832, 0.2844444444444444, 0.0, 0.0])
SHARES[3:] = SHARES[1::-1]
"""Five-point quadrature of Gauss on 0 to 1."""


@compiled
def force_at(w: Array, f0: float, f1: float, f2: float, p0: float, p1: float, p2: float) -> None:
    """The wrench of a force at a point."""
    w[0] = f0
    w[1] = f1
    w[2] = f2
    w[3] = p1 * f2 - p2 * f1
    w[4] = p2 * f0 - p0 * f2
    w[5] = p0 * f1 - p1 * f0


@compiled
def profile(a: Array, b: Array) -> tuple[float, float, float, float, float]:
    """The radial direction from a's z axis to p_b, its distance from it, its height along it."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    h = x * a[9] + y * a[10] + z * a[11]
    x, y, z = x - h * a[9], y - h * a[10], z - h * a[11]
    rho = sqrt(x * x + y * y + z * z)
    if rho > 1e-12:
        return x / rho, y / rho, z / rho, rho, h
    return a[3], a[4], a[5], rho, h  # on the axis a_x stands in for the direction


@compiled
def cone(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Distance of p_b from a cone with its apex at p_a, opening along a_z; negative inside.

    Behind the apex, where no point of the surface faces p_b, it is the distance from the apex;
    where only the inside is asked for the third number is 0, and the lines of the cone go on.
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
    """Distance of p_b from a circle about a_z with its centre at p_a."""
    e0, e1, e2, rho, h = profile(a, b)
    off = rho - data[at]
    value = sqrt(off * off + h * h)
    along, up = 1.0, 0.0
    if value > 1e-12:
        along, up = off / value, h / value
    f0, f1, f2 = along * e0 + up * a[9], along * e1 + up * a[10], along * e2 + up * a[11]
    force_at(w, f0, f1, f2, b[0], b[1], b[2])
    return float(value)


# ------------------------------------------------------------------------------------- curves
@compiled
def piece_at(data: Array, at: int, k: int, u: float, out: Array) -> None:
    """C, C', T, T', T'', C'' of piece k at u, three numbers each; straight on beyond 0 and 1."""
    first = at + 2 + PIECE * k
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
        bend = 2.0 * c2 + 6.0 * u * c3
        product += slope * bend
        more += bend * bend + 6.0 * slope * c3
    s = sqrt(s2)
    rate = product / s
    return s, rate, (more - rate * rate) / s


@compiled
def arc_length_jet(data: Array, at: int, k: int, u: float) -> tuple[float, float, float]:
    """Arc length from the beginning of a curve to a place in piece k, and two derivatives by u."""
    first = at + 2 + PIECE * k
    v = min(max(u, 0.0), 1.0)
    mean, change, bend = 0.0, 0.0, 0.0
    for n in range(5):
        speed, more, most = _speed(data, first, v * NODES[n])
        mean += SHARES[n] * speed
        change += SHARES[n] * NODES[n] * more
        bend += SHARES[n] * NODES[n] * NODES[n] * most
    rate, bend = mean + v * change, 2.0 * change + v * bend
    if u != v:
        rate, _, _ = _speed(data, first, v)
        bend = 0.0
    return data[first + PIECE - 1] + v * mean + (u - v) * rate, rate, bend


@compiled
def arc_length(data: Array, at: int, k: int, u: float) -> float:
    """Arc length from the beginning of a curve to a place in piece k, mm."""
    value, _, _ = arc_length_jet(data, at, k, u)
    return float(value)


@compiled
def _nearest_chord(data: Array, at: int, p: Array) -> tuple[int, float]:
    """Piece and place of the nearest of some chords of a curve."""
    pieces, closed = int(data[at]), data[at + 1] > 0.0
    here, there = np.empty(FOOT), np.empty(FOOT)
    piece, place, least = 0, 0.0, np.inf
    for n in range(CHORDS * pieces):
        k, u = n // CHORDS, (n % CHORDS) / CHORDS
        piece_at(data, at, k, u, here)
        piece_at(data, at, k, u + 1.0 / CHORDS, there)
        along, size2 = 0.0, 0.0
        for r in range(3):
            step = there[r] - here[r]
            along += (p[r] - here[r]) * step
            size2 += step * step
        share = along / size2 if size2 > 0.0 else 0.0
        if share < 0.0 and (closed or n > 0):
            share = 0.0
        if share > 1.0 and (closed or n < CHORDS * pieces - 1):
            share = 1.0
        off2 = 0.0
        for r in range(3):
            off = p[r] - here[r] - share * (there[r] - here[r])
            off2 += off * off
        if off2 < least:
            piece, place, least = k, u + share / CHORDS, off2
    return piece, place


@compiled
def foot(data: Array, at: int, p: Array, out: Array) -> tuple[int, float]:
    """Piece k and place u of the foot of a point: (p - C) . T = 0; `out` is as of `piece_at`."""
    pieces, closed = int(data[at]), data[at + 1] > 0.0
    k, u = _nearest_chord(data, at, p)
    for _ in range(FEET):
        piece_at(data, at, k, u, out)
        off, base, bend = 0.0, 0.0, 0.0
        for r in range(3):
            off += (p[r] - out[r]) * out[6 + r]
            base += out[3 + r] * out[6 + r]
            bend += (p[r] - out[r]) * out[9 + r]
        step = off / max(base - bend, 1e-3 * base)
        if closed or 0 < k < pieces - 1 or 0.0 <= u <= 1.0:
            step = min(max(step, -0.5), 0.5)
        u += step
        if abs(step) <= 1e-13:
            break
        if u > 1.0 and (closed or k < pieces - 1):
            k, u = (k + 1) % pieces, 0.0
        elif u < 0.0 and (closed or k > 0):
            k, u = (k - 1) % pieces, 1.0
    piece_at(data, at, k, u, out)
    return k, u


@compiled
def seen(a: Array, b: Array, p: Array) -> None:
    """p_b in the coordinates of frame a."""
    for i in range(3):
        p[i] = 0.0
        for r in range(3):
            p[i] += a[3 + 3 * i + r] * (b[r] - a[r])


@compiled
def _pull(a: Array, b: Array, g: Array, w: Array) -> None:
    """The wrench of a gradient by p_b that is told in frame a."""
    f = np.zeros(3)
    for i in range(3):
        for r in range(3):
            f[r] += g[i] * a[3 + 3 * i + r]
    force_at(w, f[0], f[1], f[2], b[0], b[1], b[2])


@compiled
def along_curve(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Arc length from the beginning of the curve on frame a to the foot of p_b."""
    p, out, g = np.empty(3), np.empty(FOOT), np.empty(3)
    seen(a, b, p)
    k, u = foot(data, at, p, out)
    value, rate, _ = arc_length_jet(data, at, k, u)
    size, _ = follow(p, out)
    for r in range(3):
        g[r] = rate * out[6 + r] / size
    _pull(a, b, g, w)
    return value


@compiled
def follow(p: Array, out: Array) -> tuple[float, bool]:
    """C'.T - d.T': how fast T.P must change for the foot to go on at rate 1.

    Beyond the centre of curvature it would turn round: there a small part of C'.T stands in for
    it, and the second value is false.
    """
    base, bend = 0.0, 0.0
    for r in range(3):
        base += out[3 + r] * out[6 + r]
        bend += (p[r] - out[r]) * out[9 + r]
    return max(base - bend, 1e-3 * base), base - bend > 1e-3 * base


@compiled
def misses(p: Array, out: Array) -> tuple[bool, float]:
    """Whether a place is not the foot of a point, and the square of their distance."""
    along, far2, size2 = 0.0, 0.0, 0.0
    for r in range(3):
        d = p[r] - out[r]
        along += out[6 + r] * d
        far2 += d * d
        size2 += out[6 + r] * out[6 + r]
    return along * along > size2 * max(NO_FOOT * far2, ROUNDING2), far2


@compiled
def _unit(x: Array) -> None:
    """A vector with its first and second derivative (9 numbers) becomes that of its direction."""
    size2, slope, bend = 0.0, 0.0, 0.0
    for r in range(3):
        size2 += x[r] * x[r]
        slope += x[r] * x[3 + r]
        bend += x[3 + r] * x[3 + r] + x[r] * x[6 + r]
    size = sqrt(size2)
    slope /= size
    bend = (bend - slope * slope) / size
    for r in range(3):
        x[r] = x[r] / size
        x[3 + r] = (x[3 + r] - slope * x[r]) / size
        x[6 + r] = (x[6 + r] - 2.0 * slope * x[3 + r] - bend * x[r]) / size


@compiled
def across(out: Array, i: int, n: Array) -> None:
    """The direction up (i = 0) or aside (i = 1) at a foot, with two derivatives by u: 9 numbers."""
    t, up = np.empty(9), np.empty(9)
    for r in range(9):
        t[r] = out[6 + r]
    _unit(t)
    for r in range(3):  # what of z is normal to t
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
    """How far p_b is off the curve on frame a, across it: up (i = 0) or aside (i = 1).

    Up is the part of a_z that is normal to T, aside is T x up: outwards where the curve runs
    anticlockwise about a_z.  Both vanish on the curve only: a point far from a polyline that has
    no foot is as far aside as it is from the place found.
    """
    p, out, g = np.empty(3), np.empty(FOOT), np.empty(3)
    n = np.empty(9)
    seen(a, b, p)
    foot(data, at, p, out)
    across(out, i, n)
    value, change = 0.0, 0.0
    for r in range(3):
        d = p[r] - out[r]
        value += n[r] * d
        change += n[3 + r] * d - n[r] * out[3 + r]
    size, _ = follow(p, out)
    for r in range(3):
        g[r] = n[r] + change / size * out[6 + r]
    missed, far2 = misses(p, out)
    if i == 1 and missed:
        value = sqrt(far2) if value > 0.0 else -sqrt(far2)
        for r in range(3):
            g[r] = (p[r] - out[r]) / value
    _pull(a, b, g, w)
    return float(value)

"""Distances of a point from a cone, a ring and a curve, and its place along the curve; compiled.

A shape stands on the frame of marker a, its numbers in `data` from a place on: of a cone the
cosine and sine of half its opening and 1, of a ring its radius, of a curve what `Curve.numbers`
says.  A function returns the value and writes the wrench on b, a force through p_b (see `measure`).

Source: a foot moves by ds = T.dP / (C'.T - d.T'), from (P - C(s)).T(s) = 0 with d = P - C.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..jit import compiled

Array = NDArray[np.float64]

PIECE = 22
"""Numbers of one piece of a curve: C (12), T (9), arc length to its beginning."""

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
def _profile(a: Array, b: Array, radial: Array) -> tuple[float, float]:
    """Distance of p_b from a's z axis, and its height along it; writes the radial direction."""
    h = 0.0
    for r in range(3):
        radial[r] = b[r] - a[r]
        h += radial[r] * a[9 + r]
    rho2 = 0.0
    for r in range(3):
        radial[r] -= h * a[9 + r]
        rho2 += radial[r] * radial[r]
    rho = sqrt(rho2)
    for r in range(3):  # on the axis a_x stands in for the direction
        radial[r] = radial[r] / rho if rho > 1e-12 else a[3 + r]
    return rho, h


@compiled
def cone(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Distance of p_b from a cone with its apex at p_a, opening along a_z; negative inside.

    Behind the apex, where no point of the surface faces p_b, it is the distance from the apex;
    where only the inside is asked for the third number is 0, and the lines of the cone go on.
    """
    radial = np.empty(3)
    rho, h = _profile(a, b, radial)
    c, s = data[at], data[at + 1]
    along, up = c, -s
    value = rho * c - h * s
    if data[at + 2] > 0.0 and rho * s + h * c < 0.0:
        value = sqrt(rho * rho + h * h)
        along, up = rho / value, h / value
    for r in range(3):
        radial[r] = along * radial[r] + up * a[9 + r]
    force_at(w, radial[0], radial[1], radial[2], b[0], b[1], b[2])
    return float(value)


@compiled
def ring(a: Array, b: Array, data: Array, at: int, w: Array) -> float:
    """Distance of p_b from a circle about a_z with its centre at p_a."""
    radial = np.empty(3)
    rho, h = _profile(a, b, radial)
    off = rho - data[at]
    value = sqrt(off * off + h * h)
    along, up = 1.0, 0.0
    if value > 1e-12:
        along, up = off / value, h / value
    for r in range(3):
        radial[r] = along * radial[r] + up * a[9 + r]
    force_at(w, radial[0], radial[1], radial[2], b[0], b[1], b[2])
    return float(value)


# ------------------------------------------------------------------------------------- curves
@compiled
def _piece_at(data: Array, at: int, k: int, u: float, out: Array) -> None:
    """C, C', T, T' of piece k at u, three numbers each; straight on beyond 0 and 1."""
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


@compiled
def _speed(data: Array, first: int, u: float) -> tuple[float, float]:
    """|C'| and its derivative by u."""
    s2, product = 0.0, 0.0
    for r in range(3):
        c1, c2, c3 = data[first + 3 + r], data[first + 6 + r], data[first + 9 + r]
        slope = c1 + u * (2.0 * c2 + u * 3.0 * c3)
        s2 += slope * slope
        product += slope * (2.0 * c2 + 6.0 * u * c3)
    s = sqrt(s2)
    return s, product / s


@compiled
def arc_length_and_rate(data: Array, at: int, k: int, u: float) -> tuple[float, float]:
    """Arc length from the beginning of a curve to a place in piece k, and its derivative by u."""
    first = at + 2 + PIECE * k
    v = min(max(u, 0.0), 1.0)
    mean, change = 0.0, 0.0
    for n in range(5):
        speed, more = _speed(data, first, v * NODES[n])
        mean += SHARES[n] * speed
        change += SHARES[n] * NODES[n] * more
    rate = mean + v * change
    if u != v:
        rate, _ = _speed(data, first, v)
    return data[first + PIECE - 1] + v * mean + (u - v) * rate, rate


@compiled
def arc_length(data: Array, at: int, k: int, u: float) -> float:
    """Arc length from the beginning of a curve to a place in piece k, mm."""
    value, _ = arc_length_and_rate(data, at, k, u)
    return float(value)


@compiled
def _nearest_chord(data: Array, at: int, p: Array) -> tuple[int, float]:
    """Piece and place of the nearest of some chords of a curve."""
    pieces, closed = int(data[at]), data[at + 1] > 0.0
    here, there = np.empty(12), np.empty(12)
    piece, place, least = 0, 0.0, np.inf
    for n in range(CHORDS * pieces):
        k, u = n // CHORDS, (n % CHORDS) / CHORDS
        _piece_at(data, at, k, u, here)
        _piece_at(data, at, k, u + 1.0 / CHORDS, there)
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
    """Piece k and place u of the foot of a point: (p - C) . T = 0; `out` has C, C', T, T'."""
    pieces, closed = int(data[at]), data[at + 1] > 0.0
    k, u = _nearest_chord(data, at, p)
    for _ in range(FEET):
        _piece_at(data, at, k, u, out)
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
    _piece_at(data, at, k, u, out)
    return k, u


@compiled
def _seen(a: Array, b: Array, p: Array) -> None:
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
    p, out, g = np.empty(3), np.empty(12), np.empty(3)
    _seen(a, b, p)
    k, u = foot(data, at, p, out)
    value, rate = arc_length_and_rate(data, at, k, u)
    size = _follow(p, out)
    for r in range(3):
        g[r] = rate * out[6 + r] / size
    _pull(a, b, g, w)
    return value


@compiled
def _follow(p: Array, out: Array) -> float:
    """C'.T - d.T': how fast T.P must change for the foot to go on at rate 1."""
    base, bend = 0.0, 0.0
    for r in range(3):
        base += out[3 + r] * out[6 + r]
        bend += (p[r] - out[r]) * out[9 + r]
    return max(base - bend, 1e-3 * base)


@compiled
def _across(out: Array, i: int, n: Array, dn: Array) -> None:
    """The direction up (i = 0) or aside (i = 1) at a foot, and its derivative by u."""
    size = sqrt(out[6] ** 2 + out[7] ** 2 + out[8] ** 2)
    t, dt, along = np.empty(3), np.empty(3), 0.0
    for r in range(3):
        t[r] = out[6 + r] / size
        along += out[9 + r] * t[r]
    for r in range(3):
        dt[r] = (out[9 + r] - along * t[r]) / size
    for r in range(3):
        n[r] = -t[2] * t[r]
        dn[r] = -dt[2] * t[r] - t[2] * dt[r]
    n[2] += 1.0
    s = sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
    turn = (n[0] * dn[0] + n[1] * dn[1] + n[2] * dn[2]) / (s * s)
    for r in range(3):
        dn[r] = (dn[r] - turn * n[r]) / s
        n[r] = n[r] / s
    if i == 1:
        x, y, z = n[0], n[1], n[2]
        dx, dy, dz = dn[0], dn[1], dn[2]
        n[0], n[1], n[2] = t[1] * z - t[2] * y, t[2] * x - t[0] * z, t[0] * y - t[1] * x
        dn[0] = dt[1] * z - dt[2] * y + t[1] * dz - t[2] * dy
        dn[1] = dt[2] * x - dt[0] * z + t[2] * dx - t[0] * dz
        dn[2] = dt[0] * y - dt[1] * x + t[0] * dy - t[1] * dx


@compiled
def off_curve(a: Array, b: Array, i: int, data: Array, at: int, w: Array) -> float:
    """How far p_b is off the curve on frame a, across it: up (i = 0) or aside (i = 1).

    Up is the part of a_z that is normal to T, aside is T x up: outwards where the curve runs
    anticlockwise about a_z.  Both vanish on the curve only: a point far from a polyline that has
    no foot is as far aside as it is from the place found.
    """
    p, out, g = np.empty(3), np.empty(12), np.empty(3)
    n, dn = np.empty(3), np.empty(3)
    _seen(a, b, p)
    foot(data, at, p, out)
    _across(out, i, n, dn)
    value, change, along, far2, size2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(3):
        d = p[r] - out[r]
        value += n[r] * d
        change += dn[r] * d - n[r] * out[3 + r]
        along += out[6 + r] * d
        far2 += d * d
        size2 += out[6 + r] * out[6 + r]
    change /= _follow(p, out)
    for r in range(3):
        g[r] = n[r] + change * out[6 + r]
    if i == 1 and along * along > size2 * max(NO_FOOT * far2, ROUNDING2):
        value = sqrt(far2) if value > 0.0 else -sqrt(far2)
        for r in range(3):
            g[r] = (p[r] - out[r]) / value
    _pull(a, b, g, w)
    return float(value)

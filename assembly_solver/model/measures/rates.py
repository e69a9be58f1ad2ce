"""Rates of the wrenches that measures write, for velocities and accelerations.

A measure's first derivative is w . (Vb - Va), V the spatial twists of the two bodies (velocity of
the body point at the world's origin, spin); its second is w . (Ab - Aa) + dw . (Vb - Va), A the
time derivatives of the twists.  Here is dw, the time derivative of w.

A wrench depends on where b is relative to a, and rides with a.  Hence each function tells its rate
as it is seen from a, where only b moves, and `wrench_rate` adds how the wrench is carried by a.
Twists are in mm/s and rad/s; of a point only its velocity relative to a, of directions the spin of
b relative to a is asked.

Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, section 4.2 (gamma);
the derivatives are those of the formulas in `measure` and `shapes`.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from ...foundations.jit.decorators import apart, borrowing
from ...foundations.types import Array
from .curve_rates import curve_rate
from .measure import (
    ALONG_CURVE,
    CONE,
    DISPLACEMENT,
    GAP,
    INCLINATION,
    IS_ANGLE,
    PARALLEL_SINE,
    RADIUS,
    RING,
    ROTATION,
    SEPARATION,
    SINE,
    TILT,
    TURN,
    rotation_vector,
)
from .shapes import profile

Triple = tuple[float, float, float]


@borrowing
def _x(a0: float, a1: float, a2: float, b0: float, b1: float, b2: float) -> Triple:
    """a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@borrowing
def _bent(n0: float, n1: float, n2: float, c0: float, c1: float, c2: float, s: float) -> Triple:
    """Rate of the direction n of a vector of length s that changes at the rate c."""
    along = n0 * c0 + n1 * c1 + n2 * c2
    return (c0 - along * n0) / s, (c1 - along * n1) / s, (c2 - along * n2) / s


# ------------------------------------------------------------------ torques: w0..2 is b's spin
@borrowing
def _inclination(a: Array, b: Array, u: int, v: int, w0: float, w1: float, w2: float) -> Triple:
    """Rate of the common normal; where it has a stand-in that rides with a: none."""
    x, y, z = _x(a[u], a[u + 1], a[u + 2], b[v], b[v + 1], b[v + 2])
    s = sqrt(x * x + y * y + z * z)
    if s <= 1e-12:
        return 0.0, 0.0, 0.0
    b0, b1, b2 = _x(w0, w1, w2, b[v], b[v + 1], b[v + 2])
    c0, c1, c2 = _x(a[u], a[u + 1], a[u + 2], b0, b1, b2)
    return _bent(x / s, y / s, z / s, c0, c1, c2, s)


@borrowing
def _sine(a: Array, b: Array, w0: float, w1: float, w2: float) -> Triple:
    """Rate of c n, the cosine times the normal: the cosine goes by - s n . spin."""
    x, y, z = _x(a[9], a[10], a[11], b[9], b[10], b[11])
    c = a[9] * b[9] + a[10] * b[10] + a[11] * b[11]
    along = w0 * x + w1 * y + w2 * z
    s = sqrt(x * x + y * y + z * z)
    if s <= 1e-12:
        return 0.0, 0.0, 0.0
    n0, n1, n2 = _inclination(a, b, 9, 9, w0, w1, w2)
    return c * n0 - along * x / s, c * n1 - along * y / s, c * n2 - along * z / s


@borrowing
def _rotation(a: Array, b: Array, w0: float, w1: float, w2: float) -> Triple:
    """Rate of (a_z - h b_x) / (1 - h^2) with h = a_z . b_x, which is the torque."""
    h = a[9] * b[3] + a[10] * b[4] + a[11] * b[5]
    c = a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
    s = a[6] * b[3] + a[7] * b[4] + a[8] * b[5]
    r2 = c * c + s * s  # 1 - h^2, without its rounding
    if r2 < 1e-24:
        return 0.0, 0.0, 0.0
    b0, b1, b2 = _x(w0, w1, w2, b[3], b[4], b[5])
    dh = a[9] * b0 + a[10] * b1 + a[11] * b2
    k = 2.0 * h * dh / r2
    return (
        (k * (a[9] - h * b[3]) - dh * b[3] - h * b0) / r2,
        (k * (a[10] - h * b[4]) - dh * b[4] - h * b1) / r2,
        (k * (a[11] - h * b[5]) - dh * b[5] - h * b2) / r2,
    )


@borrowing
def _tilt(a: Array, b: Array, i: int, w0: float, w1: float, w2: float) -> Triple:
    """Rate of f (c a_u - (a_u . b_z) a_z) + g (a_u . v) v, named as in `tilt`.

    With q = spin . v the factors go by df = g q and dg = k q, k = (f - 3 c g) / s^2.
    """
    u = 3 + 3 * i
    x, y, z = _x(a[9], a[10], a[11], b[9], b[10], b[11])
    s = sqrt(x * x + y * y + z * z)
    c = a[9] * b[9] + a[10] * b[10] + a[11] * b[11]
    if s < 1e-7 and c < 0.0:
        return 0.0, 0.0, 0.0
    if s < 1e-3 and c > 0.0:
        f = 1.0 + s * s / 6.0
        g = 1.0 / 3.0 + 2.0 * s * s / 15.0
        k = 4.0 / 15.0 + 6.0 * s * s / 35.0
    else:
        f = atan2(s, c) / s
        g = (1.0 - f * c) / (s * s)
        k = (f - 3.0 * c * g) / (s * s)
    b0, b1, b2 = _x(w0, w1, w2, b[9], b[10], b[11])
    x1, y1, z1 = _x(a[9], a[10], a[11], b0, b1, b2)
    q = w0 * x + w1 * y + w2 * z
    ab = a[u] * b[9] + a[u + 1] * b[10] + a[u + 2] * b[11]
    ab1 = a[u] * b0 + a[u + 1] * b1 + a[u + 2] * b2
    c1 = a[9] * b0 + a[10] * b1 + a[11] * b2
    av, av1 = a[u] * x + a[u + 1] * y + a[u + 2] * z, a[u] * x1 + a[u + 1] * y1 + a[u + 2] * z1
    on_u, on_z = g * q * c + f * c1, g * q * ab + f * ab1
    on_v, on_v1 = k * q * av + g * av1, g * av
    return (
        on_u * a[u] - on_z * a[9] + on_v * x + on_v1 * x1,
        on_u * a[u + 1] - on_z * a[10] + on_v * y + on_v1 * y1,
        on_u * a[u + 2] - on_z * a[11] + on_v * z + on_v1 * z1,
    )


@borrowing
def _turn(a: Array, b: Array, i: int, w0: float, w1: float, w2: float) -> Triple:
    """Rate of J_r^-1(phi) e_i = e_i + phi x e_i / 2 + k2 (phi phi_i - angle^2 e_i), in the world.

    phi goes by J_l^-1(phi) spin, the factor k2 by k3 phi . dphi.
    """
    p0, p1, p2, angle = rotation_vector(a, b)
    size2 = angle * angle
    if angle < 1e-2:
        k2 = 1.0 / 12.0 + size2 / 720.0
        k3 = 1.0 / 360.0 + size2 / 7560.0
    else:
        h = 0.5 * angle
        cot = cos(h) / sin(h)
        k2 = (1.0 - h * cot) / size2
        k3 = (0.5 * (h / sin(h) ** 2 - cot) / angle - 2.0 * k2) / size2
    s0 = a[3] * w0 + a[4] * w1 + a[5] * w2
    s1 = a[6] * w0 + a[7] * w1 + a[8] * w2
    s2 = a[9] * w0 + a[10] * w1 + a[11] * w2
    x0, x1, x2 = _x(p0, p1, p2, s0, s1, s2)
    along = k2 * (p0 * s0 + p1 * s1 + p2 * s2)
    own = 1.0 - k2 * size2
    d0 = own * s0 - 0.5 * x0 + along * p0
    d1 = own * s1 - 0.5 * x1 + along * p1
    d2 = own * s2 - 0.5 * x2 + along * p2
    grow = p0 * d0 + p1 * d1 + p2 * d2
    p, d = (p0, d0) if i == 0 else ((p1, d1) if i == 1 else (p2, d2))
    on_p, on_d, on_e = k3 * grow * p + k2 * d, k2 * p, -grow * (k3 * size2 + 2.0 * k2)
    q0, q1, q2 = on_p * p0 + on_d * d0, on_p * p1 + on_d * d1, on_p * p2 + on_d * d2
    if i == 0:
        q0, q1, q2 = q0 + on_e, q1 + 0.5 * d2, q2 - 0.5 * d1
    elif i == 1:
        q0, q1, q2 = q0 - 0.5 * d2, q1 + on_e, q2 + 0.5 * d0
    else:
        q0, q1, q2 = q0 + 0.5 * d1, q1 - 0.5 * d0, q2 + on_e
    return (
        a[3] * q0 + a[6] * q1 + a[9] * q2,
        a[4] * q0 + a[7] * q1 + a[10] * q2,
        a[5] * q0 + a[8] * q1 + a[11] * q2,
    )


@borrowing
def _torque_rate(
    kind: int, i: int, j: int, a: Array, b: Array, w0: float, w1: float, w2: float
) -> Triple:
    """Rate of the torque of an angle."""
    u, v = 3 + 3 * i, 3 + 3 * j
    if kind == TILT:
        return _tilt(a, b, i, w0, w1, w2)
    if kind == ROTATION:
        return _rotation(a, b, w0, w1, w2)
    if kind == TURN:
        return _turn(a, b, i, w0, w1, w2)
    if kind == INCLINATION:
        return _inclination(a, b, u, v, w0, w1, w2)
    if kind == SINE:
        return _sine(a, b, w0, w1, w2)
    b0, b1, b2 = _x(w0, w1, w2, b[v], b[v + 1], b[v + 2])
    return _x(b0, b1, b2, a[u], a[u + 1], a[u + 2])


# --------------------------------------------------------- forces: p0..2 is the velocity of p_b
@borrowing
def _distance(a: Array, b: Array, p0: float, p1: float, p2: float) -> Triple:
    """Rate of the direction from p_a to p_b."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    r = sqrt(x * x + y * y + z * z)
    if r <= 1e-12:
        return 0.0, 0.0, 0.0
    return _bent(x / r, y / r, z / r, p0, p1, p2, r)


@borrowing
def _radial(a: Array, b: Array, p0: float, p1: float, p2: float) -> Triple:
    """Rate of the direction from a's z axis to p_b."""
    e0, e1, e2, rho, _ = profile(a, b)
    if rho <= 1e-12:
        return 0.0, 0.0, 0.0
    up = p0 * a[9] + p1 * a[10] + p2 * a[11]
    return _bent(e0, e1, e2, p0 - up * a[9], p1 - up * a[10], p2 - up * a[11], rho)


@borrowing
def _cone(a: Array, b: Array, data: Array, at: int, p0: float, p1: float, p2: float) -> Triple:
    """Rate of the cone's normal; behind its apex, of the direction from there."""
    _, _, _, rho, h = profile(a, b)
    if data[at + 2] > 0.0 and rho * data[at + 1] + h * data[at] < 0.0:
        return _distance(a, b, p0, p1, p2)
    e0, e1, e2 = _radial(a, b, p0, p1, p2)
    return data[at] * e0, data[at] * e1, data[at] * e2


@borrowing
def _ring(a: Array, b: Array, data: Array, at: int, p0: float, p1: float, p2: float) -> Triple:
    """Rate of the direction from the nearest point of the circle, (off e + h a_z) / distance."""
    e0, e1, e2, rho, h = profile(a, b)
    d0, d1, d2 = _radial(a, b, p0, p1, p2)
    off = rho - data[at]
    size = sqrt(off * off + h * h)
    if size <= 1e-12:
        return d0, d1, d2
    out = p0 * e0 + p1 * e1 + p2 * e2
    up = p0 * a[9] + p1 * a[10] + p2 * a[11]
    return _bent(
        (off * e0 + h * a[9]) / size,
        (off * e1 + h * a[10]) / size,
        (off * e2 + h * a[11]) / size,
        out * e0 + off * d0 + up * a[9],
        out * e1 + off * d1 + up * a[10],
        out * e2 + off * d2 + up * a[11],
        size,
    )


@borrowing
def _force_rate(
    kind: int, i: int, j: int, data: Array, a: Array, b: Array, p0: float, p1: float, p2: float
) -> Triple:
    """Rate of the force through p_b of a length."""
    if kind == SEPARATION:
        return _distance(a, b, p0, p1, p2)
    if kind == RADIUS:
        return _radial(a, b, p0, p1, p2)
    if kind == CONE:
        return _cone(a, b, data, j, p0, p1, p2)
    if kind == RING:
        return _ring(a, b, data, j, p0, p1, p2)
    return curve_rate(kind == ALONG_CURVE, i, a, b, data, j, p0, p1, p2)


@borrowing
def _gap(
    a: Array,
    b: Array,
    w0: float,
    w1: float,
    w2: float,
    p0: float,
    p1: float,
    p2: float,
    w: Array,
    dw: Array,
) -> None:
    """Rate of a force n through the foot p_b + l b_z, l = -(u . d) / (u . b_z), u = a_z x n."""
    n0, n1, n2 = w[0], w[1], w[2]
    x, y, z = _x(a[9], a[10], a[11], b[9], b[10], b[11])
    if sqrt(x * x + y * y + z * z) < PARALLEL_SINE:  # a stand-in rides with a
        dw[3], dw[4], dw[5] = _x(p0, p1, p2, n0, n1, n2)
        return
    m0, m1, m2 = _inclination(a, b, 9, 9, w0, w1, w2)
    b0, b1, b2 = _x(w0, w1, w2, b[9], b[10], b[11])
    d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    u0, u1, u2 = _x(a[9], a[10], a[11], n0, n1, n2)
    v0, v1, v2 = _x(a[9], a[10], a[11], m0, m1, m2)
    across_b = u0 * b[9] + u1 * b[10] + u2 * b[11]
    place = -(u0 * d0 + u1 * d1 + u2 * d2) / across_b
    goes = v0 * d0 + v1 * d1 + v2 * d2 + u0 * p0 + u1 * p1 + u2 * p2
    turns = v0 * b[9] + v1 * b[10] + v2 * b[11] + u0 * b0 + u1 * b1 + u2 * b2
    slide = -(goes + place * turns) / across_b
    q0 = p0 + slide * b[9] + place * b0
    q1 = p1 + slide * b[10] + place * b1
    q2 = p2 + slide * b[11] + place * b2
    x0, x1, x2 = _x(q0, q1, q2, n0, n1, n2)
    y0, y1, y2 = _x(b[0] + place * b[9], b[1] + place * b[10], b[2] + place * b[11], m0, m1, m2)
    dw[0], dw[1], dw[2] = m0, m1, m2
    dw[3], dw[4], dw[5] = x0 + y0, x1 + y1, x2 + y2


@apart
@borrowing
def wrench_rate(
    kind: int,
    i: int,
    j: int,
    data: Array,
    a: Array,
    b: Array,
    va: Array,
    vb: Array,
    w: Array,
    dw: Array,
) -> None:
    """Time derivative of the wrench that a measure wrote.

    Args:
        kind, i, j, data: of the measure, as in `measure`.
        a, b: world frames of the markers, 12 numbers each.
        va, vb: spatial twists of their bodies: velocity of the body point at the world's origin,
            mm/s, and spin, rad/s.
        w: the wrench at these frames.
        dw: written, 6 numbers.
    """
    w0, w1, w2 = vb[3] - va[3], vb[4] - va[4], vb[5] - va[5]
    for r in range(6):
        dw[r] = 0.0
    if IS_ANGLE[kind]:
        dw[3], dw[4], dw[5] = _torque_rate(kind, i, j, a, b, w0, w1, w2)
    else:
        p0, p1, p2 = _x(w0, w1, w2, b[0], b[1], b[2])
        p0, p1, p2 = p0 + vb[0] - va[0], p1 + vb[1] - va[1], p2 + vb[2] - va[2]
        if kind == GAP:
            _gap(a, b, w0, w1, w2, p0, p1, p2, w, dw)
        else:
            if kind != DISPLACEMENT:
                dw[0], dw[1], dw[2] = _force_rate(kind, i, j, data, a, b, p0, p1, p2)
            x0, x1, x2 = _x(p0, p1, p2, w[0], w[1], w[2])
            y0, y1, y2 = _x(b[0], b[1], b[2], dw[0], dw[1], dw[2])
            dw[3], dw[4], dw[5] = x0 + y0, x1 + y1, x2 + y2
    _carry(va, w, dw)


@borrowing
def _carry(v: Array, w: Array, dw: Array) -> None:
    """Add the rate of a wrench that rides on a body with this twist."""
    f0, f1, f2 = _x(v[3], v[4], v[5], w[0], w[1], w[2])
    t0, t1, t2 = _x(v[3], v[4], v[5], w[3], w[4], w[5])
    x0, x1, x2 = _x(v[0], v[1], v[2], w[0], w[1], w[2])
    dw[0], dw[1], dw[2] = dw[0] + f0, dw[1] + f1, dw[2] + f2
    dw[3], dw[4], dw[5] = dw[3] + t0 + x0, dw[4] + t1 + x1, dw[5] + t2 + x2

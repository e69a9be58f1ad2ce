"""Rates of the wrenches that measures write, for velocities and accelerations.

The first time derivative of a measure is w . (Vb - Va), V the spatial twists of the two bodies
(velocity of the body point at the world's origin, spin).  The second is w . (Ab - Aa) +
dw . (Vb - Va), A the time derivatives of the twists.  This module computes dw, the time derivative
of w.

A wrench depends on the position of b relative to a, and is rigidly attached to a: each function
computes the rate where only b moves, and `wrench_rate` adds the part due to the motion of a.
`spin` (rad/s) and `velocity` of p_b (mm/s) are those relative to a, along the world's axes.

Source: docs/theory/equations.md, 3; Haug, Computer Aided Kinematics and Dynamics of Mechanical
Systems, section 4.2 (gamma); the derivatives are those of the formulas in `measure` and `shapes`.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from ...foundations.geometry.pose import Triple
from ...foundations.jit.decorators import apart, borrowing
from ...foundations.jit.lists import on_lists
from ...foundations.numerics.rounding import AGREEMENT, FOURTH, ROUNDING
from ...foundations.types import Array
from .curve_rates import curve_rate
from .measure import (
    ALONG_CURVE,
    CONE,
    DISPLACEMENT,
    GAP,
    HALF_TURN,
    INCLINATION,
    IS_ANGLE,
    RADIUS,
    RING,
    ROTATION,
    SEPARATION,
    SINE,
    TILT,
    TURN,
    rotation_vector,
    turn_torque,
)
from .shapes import profile


@borrowing
def _axis(frame: Array, at: int) -> Triple:
    """Three numbers of a frame or a wrench."""
    return frame[at], frame[at + 1], frame[at + 2]


@borrowing
def _cross(u: Triple, v: Triple) -> Triple:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@borrowing
def _dot(u: Triple, v: Triple) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@borrowing
def _over(v: Triple, s: float) -> Triple:
    return v[0] / s, v[1] / s, v[2] / s


@borrowing
def _direction_rate(n: Triple, rate: Triple, length: float) -> Triple:
    """Rate of the direction n of a vector of this length that changes at this rate."""
    along = _dot(n, rate)
    return (
        (rate[0] - along * n[0]) / length,
        (rate[1] - along * n[1]) / length,
        (rate[2] - along * n[2]) / length,
    )


# ------------------------------------------------------------------------------------ torques
@borrowing
def _inclination(a: Array, b: Array, u: int, v: int, spin: Triple) -> Triple:
    """Rate of the common normal; 0 where `measure` substitutes an axis of a for it."""
    on_a, on_b = _axis(a, u), _axis(b, v)
    normal = _cross(on_a, on_b)
    s = sqrt(_dot(normal, normal))
    if s <= ROUNDING:
        return 0.0, 0.0, 0.0
    return _direction_rate(_over(normal, s), _cross(on_a, _cross(spin, on_b)), s)


@borrowing
def _sine(a: Array, b: Array, spin: Triple) -> Triple:
    """Rate of c n, the cosine times the unit normal: dc = - s n . spin."""
    x, y, z = normal = _cross(_axis(a, 9), _axis(b, 9))
    c = _dot(_axis(a, 9), _axis(b, 9))
    along = _dot(spin, normal)
    s = sqrt(_dot(normal, normal))
    if s <= ROUNDING:
        return 0.0, 0.0, 0.0
    n0, n1, n2 = _inclination(a, b, 9, 9, spin)
    return c * n0 - along * x / s, c * n1 - along * y / s, c * n2 - along * z / s


@borrowing
def _rotation(a: Array, b: Array, spin: Triple) -> Triple:
    """Rate of the torque (a_z - h b_x) / (1 - h^2) with h = a_z . b_x."""
    on_x = _axis(b, 3)
    h = _dot(_axis(a, 9), on_x)
    c = _dot(_axis(a, 3), on_x)
    s = _dot(_axis(a, 6), on_x)
    r2 = c * c + s * s  # 1 - h^2, without its rounding
    if r2 < ROUNDING * ROUNDING:
        return 0.0, 0.0, 0.0
    b0, b1, b2 = rate = _cross(spin, on_x)
    dh = _dot(_axis(a, 9), rate)
    k = 2.0 * h * dh / r2
    return (
        (k * (a[9] - h * b[3]) - dh * b[3] - h * b0) / r2,
        (k * (a[10] - h * b[4]) - dh * b[4] - h * b1) / r2,
        (k * (a[11] - h * b[5]) - dh * b[5] - h * b2) / r2,
    )


@borrowing
def _tilt(a: Array, b: Array, i: int, spin: Triple) -> Triple:
    """Rate of f (c a_u - (a_u . b_z) a_z) + g (a_u . v) v, named as in `tilt`.

    With q = spin . v the factors change by df = g q and dg = k q, k = (f - 3 c g) / s^2.
    """
    u, on_u, on_z = 3 + 3 * i, _axis(a, 3 + 3 * i), _axis(a, 9)
    x, y, z = v = _cross(on_z, _axis(b, 9))
    s = sqrt(_dot(v, v))
    c = _dot(on_z, _axis(b, 9))
    if s < HALF_TURN and c < 0.0:
        return 0.0, 0.0, 0.0
    if s < 8.0 * FOURTH and c > 0.0:
        f = 1.0 + s * s / 6.0
        g = 1.0 / 3.0 + 2.0 * s * s / 15.0
        k = 4.0 / 15.0 + 6.0 * s * s / 35.0
    else:
        f = atan2(s, c) / s
        g = (1.0 - f * c) / (s * s)
        k = (f - 3.0 * c * g) / (s * s)
    rate = _cross(spin, _axis(b, 9))
    x1, y1, z1 = v1 = _cross(on_z, rate)
    q = _dot(spin, v)
    ab, ab1, c1 = _dot(on_u, _axis(b, 9)), _dot(on_u, rate), _dot(on_z, rate)
    av, av1 = _dot(on_u, v), _dot(on_u, v1)
    by_u, by_z = g * q * c + f * c1, g * q * ab + f * ab1
    by_v, by_v1 = k * q * av + g * av1, g * av
    return (
        by_u * a[u] - by_z * a[9] + by_v * x + by_v1 * x1,
        by_u * a[u + 1] - by_z * a[10] + by_v * y + by_v1 * y1,
        by_u * a[u + 2] - by_z * a[11] + by_v * z + by_v1 * z1,
    )


@borrowing
def _turn(a: Array, b: Array, i: int, spin: Triple) -> Triple:
    """Rate of J_r^-1(phi) e_i = e_i + phi x e_i / 2 + k2 (phi phi_i - angle^2 e_i), in the world.

    dphi = J_l^-1(phi) spin, and the factor k2 changes by k3 phi . dphi.
    """
    p0, p1, p2, angle = rotation_vector(a, b)
    phi = (p0, p1, p2)
    size2 = angle * angle
    if angle < 64.0 * FOURTH:
        k2 = 1.0 / 12.0 + size2 / 720.0
        k3 = 1.0 / 360.0 + size2 / 7560.0
    else:
        h = 0.5 * angle
        sine = sin(h)
        cot = cos(h) / sine
        k2 = (1.0 - h * cot) / size2
        k3 = (0.5 * (h / (sine * sine) - cot) / angle - 2.0 * k2) / size2
    s = (_dot(_axis(a, 3), spin), _dot(_axis(a, 6), spin), _dot(_axis(a, 9), spin))
    x0, x1, x2 = _cross(phi, s)
    along = k2 * _dot(phi, s)
    factor = 1.0 - k2 * size2
    d0 = factor * s[0] - 0.5 * x0 + along * p0
    d1 = factor * s[1] - 0.5 * x1 + along * p1
    d2 = factor * s[2] - 0.5 * x2 + along * p2
    dphi = (d0, d1, d2)
    growth = _dot(phi, dphi)
    p, d = (p0, d0) if i == 0 else ((p1, d1) if i == 1 else (p2, d2))
    by_p, by_d, by_e = k3 * growth * p + k2 * d, k2 * p, -growth * (k3 * size2 + 2.0 * k2)
    q = (by_p * p0 + by_d * d0, by_p * p1 + by_d * d1, by_p * p2 + by_d * d2)
    return turn_torque(a, i, q, by_e, dphi)


@borrowing
def _torque_rate(kind: int, i: int, j: int, a: Array, b: Array, spin: Triple) -> Triple:
    """Rate of the torque of an angle."""
    u, v = 3 + 3 * i, 3 + 3 * j
    if kind == TILT:
        return _tilt(a, b, i, spin)
    if kind == ROTATION:
        return _rotation(a, b, spin)
    if kind == TURN:
        return _turn(a, b, i, spin)
    if kind == INCLINATION:
        return _inclination(a, b, u, v, spin)
    if kind == SINE:
        return _sine(a, b, spin)
    return _cross(_cross(spin, _axis(b, v)), _axis(a, u))


# ------------------------------------------------------------------------------------- forces
@borrowing
def _distance(a: Array, b: Array, velocity: Triple) -> Triple:
    """Rate of the direction from p_a to p_b."""
    d = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    r = sqrt(_dot(d, d))
    if r <= ROUNDING:
        return 0.0, 0.0, 0.0
    return _direction_rate(_over(d, r), velocity, r)


@borrowing
def _radial(a: Array, b: Array, velocity: Triple) -> Triple:
    """Rate of the direction from a's z axis to p_b."""
    e0, e1, e2, rho, _ = profile(a, b)
    if rho <= ROUNDING:
        return 0.0, 0.0, 0.0
    p0, p1, p2 = velocity
    up = _dot(velocity, _axis(a, 9))
    return _direction_rate((e0, e1, e2), (p0 - up * a[9], p1 - up * a[10], p2 - up * a[11]), rho)


@borrowing
def _cone(a: Array, b: Array, data: Array, at: int, velocity: Triple) -> Triple:
    """Rate of the cone's normal; behind its apex, of the direction from there."""
    _, _, _, rho, h = profile(a, b)
    if data[at + 2] > 0.0 and rho * data[at + 1] + h * data[at] < 0.0:
        return _distance(a, b, velocity)
    e0, e1, e2 = _radial(a, b, velocity)
    return data[at] * e0, data[at] * e1, data[at] * e2


@borrowing
def _ring(a: Array, b: Array, data: Array, at: int, velocity: Triple) -> Triple:
    """Rate of the direction from the nearest point of the circle, (off e + h a_z) / distance."""
    e0, e1, e2, rho, h = profile(a, b)
    d0, d1, d2 = _radial(a, b, velocity)
    off = rho - data[at]
    size = sqrt(off * off + h * h)
    if size <= ROUNDING:
        return d0, d1, d2
    out = _dot(velocity, (e0, e1, e2))
    up = _dot(velocity, _axis(a, 9))
    direction = (off * e0 + h * a[9], off * e1 + h * a[10], off * e2 + h * a[11])
    rate = (
        out * e0 + off * d0 + up * a[9],
        out * e1 + off * d1 + up * a[10],
        out * e2 + off * d2 + up * a[11],
    )
    return _direction_rate(_over(direction, size), rate, size)


@borrowing
def _force_rate(
    kind: int, i: int, j: int, data: Array, a: Array, b: Array, velocity: Triple
) -> Triple:
    """Rate of the force through p_b of a length."""
    if kind == SEPARATION:
        return _distance(a, b, velocity)
    if kind == RADIUS:
        return _radial(a, b, velocity)
    if kind == CONE:
        return _cone(a, b, data, j, velocity)
    if kind == RING:
        return _ring(a, b, data, j, velocity)
    return curve_rate(kind == ALONG_CURVE, i, a, b, data, j, velocity)


@borrowing
def _gap(a: Array, b: Array, spin: Triple, velocity: Triple, w: Array, dw: Array) -> None:
    """Rate of a force n through the foot p_b + l b_z, l = -(u . d) / (u . b_z), u = a_z x n."""
    n, on_z = _axis(w, 0), _axis(b, 9)
    normal = _cross(_axis(a, 9), on_z)
    if sqrt(_dot(normal, normal)) < AGREEMENT:  # the force is along a_x instead
        dw[3], dw[4], dw[5] = _cross(velocity, n)
        return
    m = _inclination(a, b, 9, 9, spin)
    b0, b1, b2 = _cross(spin, on_z)
    d = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    u, v = _cross(_axis(a, 9), n), _cross(_axis(a, 9), m)
    across_b = _dot(u, on_z)
    along = -_dot(u, d) / across_b
    ud_rate = v[0] * d[0] + v[1] * d[1] + v[2] * d[2]
    ud_rate = ud_rate + u[0] * velocity[0] + u[1] * velocity[1] + u[2] * velocity[2]
    uz_rate = v[0] * b[9] + v[1] * b[10] + v[2] * b[11] + u[0] * b0 + u[1] * b1 + u[2] * b2
    slide = -(ud_rate + along * uz_rate) / across_b
    foot = (b[0] + along * b[9], b[1] + along * b[10], b[2] + along * b[11])
    foot_rate = (
        velocity[0] + slide * b[9] + along * b0,
        velocity[1] + slide * b[10] + along * b1,
        velocity[2] + slide * b[11] + along * b2,
    )
    x0, x1, x2 = _cross(foot_rate, n)
    y0, y1, y2 = _cross(foot, m)
    dw[0], dw[1], dw[2] = m
    dw[3], dw[4], dw[5] = x0 + y0, x1 + y1, x2 + y2


# Ten arguments: those of `measure`, in the same order, then the twists and wrenches.
@apart
@on_lists(9)
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
    """Time derivative of the wrench `w` that `measure` wrote for the same arguments.

    Args:
        va, vb: spatial twists of the bodies, 6 numbers each, mm/s and rad/s.
        dw: written, 6 numbers.

    Source: docs/theory/equations.md, 3, equation (d).
    """
    spin = (vb[3] - va[3], vb[4] - va[4], vb[5] - va[5])
    for r in range(6):
        dw[r] = 0.0
    if IS_ANGLE[kind]:
        dw[3], dw[4], dw[5] = _torque_rate(kind, i, j, a, b, spin)
    else:
        p0, p1, p2 = _cross(spin, _axis(b, 0))
        velocity = (p0 + vb[0] - va[0], p1 + vb[1] - va[1], p2 + vb[2] - va[2])
        if kind == GAP:
            _gap(a, b, spin, velocity, w, dw)
        else:
            if kind != DISPLACEMENT:
                dw[0], dw[1], dw[2] = _force_rate(kind, i, j, data, a, b, velocity)
            x0, x1, x2 = _cross(velocity, _axis(w, 0))
            y0, y1, y2 = _cross(_axis(b, 0), _axis(dw, 0))
            dw[3], dw[4], dw[5] = x0 + y0, x1 + y1, x2 + y2
    _add_motion_of_a(va, w, dw)


@borrowing
def _add_motion_of_a(v: Array, w: Array, dw: Array) -> None:
    """Add the rate of a wrench that is rigidly attached to a body with this twist."""
    velocity, spin, force = _axis(v, 0), _axis(v, 3), _axis(w, 0)
    f0, f1, f2 = _cross(spin, force)
    t0, t1, t2 = _cross(spin, _axis(w, 3))
    x0, x1, x2 = _cross(velocity, force)
    dw[0], dw[1], dw[2] = dw[0] + f0, dw[1] + f1, dw[2] + f2
    dw[3], dw[4], dw[5] = dw[3] + t0 + x0, dw[4] + t1 + x1, dw[5] + t2 + x2

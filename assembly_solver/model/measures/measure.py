"""Measures: scalars between a marker on one body and a marker on another, with their gradients.

A measure does not change when both bodies move together, so its gradient is one wrench: a force
and a torque, positive on the body of marker b and negative on that of marker a.  Each measure is
one compiled function of two world frames that returns its value and writes its wrench.

A *frame* is 12 numbers: origin, x, y, z (three each).  A *wrench* is 6: force, torque about the
world origin.  Lengths are mm, angles rad.

Source: docs/theory/equations.md, 1 and 2.  The tilt and turn measures are the logarithms of the
swing and of the rotation; their only root is the identity.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import Triple
from ...foundations.jit.decorators import apart, borrowing
from ...foundations.jit.lists import on_lists
from ...foundations.numerics.rounding import AGREEMENT, FAINT, FOURTH, ROOT, ROUNDING
from ...foundations.types import Array
from .shapes import along_curve, cone, force_at, off_curve, profile, ring

INCLINATION = 0
"""Angle between a_i and b_j, 0 to pi."""
DISPLACEMENT = 1
"""Component of p_b - p_a along a_i."""
SEPARATION = 2
"""Distance of p_b from p_a."""
RADIUS = 3
"""Distance of p_b from the z axis of a."""
GAP = 4
"""Signed distance of the z axes along their common normal a_z x b_z."""
ROTATION = 5
"""Angle about a_z from a_x to b_x, a signed angle that wraps at pi."""
TILT = 6
"""Component i of the shortest rotation vector that rotates a_z onto b_z."""
TURN = 7
"""Component i of the rotation vector that rotates the axes of a onto those of b."""
COSINE = 8
"""Direction cosine a_i . b_j."""
SINE = 9
"""Sine of the angle between a_z and b_z, 0 to 1."""
CONE = 10
"""Distance of p_b from a cone about a_z; `data`: cosine and sine of half its opening, 1."""
RING = 11
"""Distance of p_b from a circle about a_z; `data` has its radius."""
OFF_CURVE = 12
"""Offset of p_b from a curve on frame a, up (i = 0) or lateral (i = 1); `data` has its numbers."""
ALONG_CURVE = 13
"""Arc length along that curve to the foot of p_b."""

IS_ANGLE = np.array([True, *[False] * 4, *[True] * 5, *[False] * 4])
"""Whether a measure is in rad, not mm, by kind; a cosine changes as the angle near a right one."""

WIDEST = 24
"""Largest number of bodies in one equation."""

HALF_TURN = 8.0 * ROOT
"""Sine below which the axis of a half turn is lost in rounding."""


class Marker(NamedTuple):
    """A frame fixed on a part: the part's name; origin (mm), x, y, z in part coordinates."""

    part: str
    frame: tuple[float, ...]


class Measure(NamedTuple):
    """One scalar between two markers, mm or rad.

    Attributes:
        kind: one of the constants above, as DISPLACEMENT.
        i, j: axes (0 to 2) of a and of b, where the kind has them.
        data: the numbers of a shape on marker a.  A table of equations stores those of all
            measures in one array; there j is the index of the first.
    """

    kind: int
    i: int
    j: int
    a: Marker
    b: Marker
    data: tuple[float, ...] = ()


def opposed(marker: Marker) -> Marker:
    """The marker rotated by half a turn about its x."""
    f = marker.frame
    return marker._replace(frame=(*f[:6], *(-v for v in f[6:])))


@on_lists(2)
def compose(pose: Array, frame: Array, out: Array) -> None:
    """World frame of a frame in body coordinates, at the pose of the body, written to `out`."""
    x0, x1, x2 = pose[3], pose[4], pose[5]
    y0, y1, y2 = pose[6], pose[7], pose[8]
    z0, z1, z2 = pose[9], pose[10], pose[11]
    for k in range(0, 12, 3):
        x, y, z = frame[k], frame[k + 1], frame[k + 2]
        out[k] = x0 * x + y0 * y + z0 * z
        out[k + 1] = x1 * x + y1 * y + z1 * z
        out[k + 2] = x2 * x + y2 * y + z2 * z
    for r in range(3):
        out[r] += pose[r]


@borrowing
def _torque(w: Array, x: float, y: float, z: float) -> None:
    w[0] = 0.0
    w[1] = 0.0
    w[2] = 0.0
    w[3] = x
    w[4] = y
    w[5] = z


@borrowing
def _cross(a: Array, i: int, b: Array, j: int) -> tuple[float, float, float]:
    """a_i x b_j for two frames; i and j are offsets into the 12 numbers."""
    return (
        a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1],
        a[i + 2] * b[j] - a[i] * b[j + 2],
        a[i] * b[j + 1] - a[i + 1] * b[j],
    )


@borrowing
def _dot(a: Array, i: int, b: Array, j: int) -> float:
    return float(a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2])


@borrowing
def inclination(a: Array, b: Array, i: int, j: int, w: Array) -> float:
    """Angle between a_i and b_j; at 0 and pi it has no gradient: any normal is used."""
    u, v = 3 + 3 * i, 3 + 3 * j
    x, y, z = _cross(a, u, b, v)
    s = sqrt(x * x + y * y + z * z)
    if s > ROUNDING:
        _torque(w, x / s, y / s, z / s)
    else:
        other = 3 + 3 * ((i + 1) % 3)
        _torque(w, a[other], a[other + 1], a[other + 2])
    return atan2(s, _dot(a, u, b, v))


@borrowing
def cosine(a: Array, b: Array, i: int, j: int, w: Array) -> float:
    """Direction cosine a_i . b_j."""
    u, v = 3 + 3 * i, 3 + 3 * j
    x, y, z = _cross(b, v, a, u)
    _torque(w, x, y, z)
    return _dot(a, u, b, v)


@borrowing
def sine(a: Array, b: Array, w: Array) -> float:
    """Sine of the angle between a_z and b_z; its wrench is 0 where they are parallel."""
    x, y, z = _cross(a, 9, b, 9)
    s = sqrt(x * x + y * y + z * z)
    k = _dot(a, 9, b, 9) / s if s > ROUNDING else 0.0
    _torque(w, k * x, k * y, k * z)
    return float(s)


@borrowing
def displacement(a: Array, b: Array, i: int, w: Array) -> float:
    """Component of p_b - p_a along a_i: a force along a_i through p_b."""
    u = 3 + 3 * i
    force_at(w, a[u], a[u + 1], a[u + 2], b[0], b[1], b[2])
    return float(a[u] * (b[0] - a[0]) + a[u + 1] * (b[1] - a[1]) + a[u + 2] * (b[2] - a[2]))


@borrowing
def separation(a: Array, b: Array, w: Array) -> float:
    """|p_b - p_a|; where the points coincide a_x replaces the missing direction."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    r = sqrt(x * x + y * y + z * z)
    if r > ROUNDING:
        force_at(w, x / r, y / r, z / r, b[0], b[1], b[2])
    else:
        force_at(w, a[3], a[4], a[5], b[0], b[1], b[2])
    return float(r)


@borrowing
def radius(a: Array, b: Array, w: Array) -> float:
    """Distance of p_b from the z axis of a; on the axis a_x replaces the missing direction."""
    e0, e1, e2, rho, _ = profile(a, b)
    force_at(w, e0, e1, e2, b[0], b[1], b[2])
    return rho


@borrowing
def gap(a: Array, b: Array, w: Array) -> float:
    """Signed distance of two skew lines: a force along the common normal through its foot on b.

    Parallel lines have no such normal; a_x replaces it there.
    """
    x, y, z = _cross(a, 9, b, 9)
    s = sqrt(x * x + y * y + z * z)
    d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    if s < AGREEMENT:  # parallel: no common normal
        force_at(w, a[3], a[4], a[5], b[0], b[1], b[2])
        return float(a[3] * d0 + a[4] * d1 + a[5] * d2)
    x, y, z = x / s, y / s, z / s
    # u = a_z x n lies in both the normal plane of n and that of a_z
    u0 = a[10] * z - a[11] * y
    u1 = a[11] * x - a[9] * z
    u2 = a[9] * y - a[10] * x
    along = -(u0 * d0 + u1 * d1 + u2 * d2) / (u0 * b[9] + u1 * b[10] + u2 * b[11])
    force_at(w, x, y, z, b[0] + along * b[9], b[1] + along * b[10], b[2] + along * b[11])
    return float(x * d0 + y * d1 + z * d2)


@borrowing
def rotation(a: Array, b: Array, w: Array) -> float:
    """Angle about a_z from a_x to the projection of b_x."""
    c = _dot(a, 3, b, 3)
    s = _dot(a, 6, b, 3)
    r2 = c * c + s * s
    if r2 < ROUNDING * ROUNDING:
        _torque(w, a[9], a[10], a[11])
        return 0.0
    sx, sy, sz = _cross(b, 3, a, 6)
    cx, cy, cz = _cross(b, 3, a, 3)
    _torque(w, (c * sx - s * cx) / r2, (c * sy - s * cy) / r2, (c * sz - s * cz) / r2)
    return atan2(s, c)


@borrowing
def tilt(a: Array, b: Array, i: int, w: Array) -> float:
    """Component i (0 or 1) of the shortest rotation vector that rotates a_z onto b_z.

    With theta the angle and v = a_z x b_z it is t = (theta / sin theta) v; its derivative for a
    spin omega of b is f (omega c - b_z (a_z . omega)) + f' / sin (omega . v) v, f = theta / sin.
    At a half turn, where the axis is undefined, it is that about a_x.

    Source: docs/theory/equations.md, 2, equation (b).
    """
    u = 3 + 3 * i
    x, y, z = _cross(a, 9, b, 9)
    s = sqrt(x * x + y * y + z * z)
    c = _dot(a, 9, b, 9)
    if s < HALF_TURN and c < 0.0:  # opposed: the axis of the half turn is undefined, take a_x
        _torque(w, a[u], a[u + 1], a[u + 2])
        return pi if i == 0 else 0.0
    if s < FOURTH and c > 0.0:  # series of theta / sin and (sin - theta cos) / sin^3
        f = 1.0 + s * s / 6.0
        g = 1.0 / 3.0 + 2.0 * s * s / 15.0
    else:
        angle = atan2(s, c)
        f = angle / s
        g = (s - angle * c) / (s * s * s)
    ab = _dot(a, u, b, 9)
    av = a[u] * x + a[u + 1] * y + a[u + 2] * z
    _torque(
        w,
        f * (c * a[u] - ab * a[9]) + g * av * x,
        f * (c * a[u + 1] - ab * a[10]) + g * av * y,
        f * (c * a[u + 2] - ab * a[11]) + g * av * z,
    )
    return float(f * av)


@borrowing
def rotation_vector(a: Array, b: Array) -> tuple[float, float, float, float]:
    """The rotation vector from the axes of a to those of b, in frame a, and its length, rad."""
    # axis of R = A^T B from its skew part; R_rc = a_r . b_c
    v0 = 0.5 * (_dot(a, 9, b, 6) - _dot(a, 6, b, 9))
    v1 = 0.5 * (_dot(a, 3, b, 9) - _dot(a, 9, b, 3))
    v2 = 0.5 * (_dot(a, 6, b, 3) - _dot(a, 3, b, 6))
    t0, t1, t2 = _dot(a, 3, b, 3), _dot(a, 6, b, 6), _dot(a, 9, b, 9)
    c = 0.5 * (t0 + t1 + t2 - 1.0)
    s = sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    angle = atan2(s, c)
    if s > FAINT:
        f = angle / s
        v0, v1, v2 = f * v0, f * v1, f * v2
    elif c < 0.0:  # near half a turn the skew part vanishes; the symmetric part has the axis
        k = 0
        if t1 > t0:
            k = 1
        if t2 > max(t0, t1):
            k = 2
        e0 = _dot(a, 3, b, 3 + 3 * k) + _dot(a, 3 + 3 * k, b, 3)
        e1 = _dot(a, 6, b, 3 + 3 * k) + _dot(a, 3 + 3 * k, b, 6)
        e2 = _dot(a, 9, b, 3 + 3 * k) + _dot(a, 3 + 3 * k, b, 9)
        if k == 0:
            e0 -= 2.0 * c
        elif k == 1:
            e1 -= 2.0 * c
        else:
            e2 -= 2.0 * c
        n = sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        if e0 * v0 + e1 * v1 + e2 * v2 < 0.0:
            n = -n
        v0, v1, v2 = angle * e0 / n, angle * e1 / n, angle * e2 / n
    return v0, v1, v2, angle


@borrowing
def turn_torque(a: Array, i: int, q: Triple, factor: float, v: Triple) -> Triple:
    """R_a (q + factor e_i + v x e_i / 2), R_a the axes of frame a."""
    q0, q1, q2 = q
    if i == 0:
        q0, q1, q2 = q0 + factor, q1 + 0.5 * v[2], q2 - 0.5 * v[1]
    elif i == 1:
        q0, q1, q2 = q0 - 0.5 * v[2], q1 + factor, q2 + 0.5 * v[0]
    else:
        q0, q1, q2 = q0 + 0.5 * v[1], q1 - 0.5 * v[0], q2 + factor
    return (
        a[3] * q0 + a[6] * q1 + a[9] * q2,
        a[4] * q0 + a[7] * q1 + a[10] * q2,
        a[5] * q0 + a[8] * q1 + a[11] * q2,
    )


@borrowing
def turn(a: Array, b: Array, i: int, w: Array) -> float:
    """Component i, in frame a, of the rotation vector from the axes of a to those of b.

    Its derivative for a world spin is R_a J_r^-1(phi) e_i, J_r the right Jacobian of SO(3).

    Source: docs/theory/equations.md, 2, equation (c).
    """
    v0, v1, v2, angle = rotation_vector(a, b)
    h = 0.5 * angle
    if angle < 8.0 * FOURTH:
        k2 = 1.0 / 12.0 + angle * angle / 720.0
    else:
        k2 = (1.0 - h * cos(h) / sin(h)) / (angle * angle)
    # J_r^-1 e_i = e_i + phi x e_i / 2 + k2 (phi phi_i - angle^2 e_i)
    phi_i = v0 if i == 0 else (v1 if i == 1 else v2)
    factor = 1.0 - k2 * angle * angle
    q = (k2 * phi_i * v0, k2 * phi_i * v1, k2 * phi_i * v2)
    x, y, z = turn_torque(a, i, q, factor, (v0, v1, v2))
    _torque(w, x, y, z)
    return float(phi_i)


@apart
@on_lists(6)
def measure(kind: int, i: int, j: int, data: Array, a: Array, b: Array, w: Array) -> float:
    """Value of a measure between two world frames, mm or rad; its wrench on b is written to `w`.

    Args:
        kind, i, j: as in `Measure`; data, shape (n,): the shapes of a table, from index j on.
        a, b: world frames of the markers.
    """
    if kind == DISPLACEMENT:
        return displacement(a, b, i, w)
    if kind == TILT:
        return tilt(a, b, i, w)
    if kind == INCLINATION:
        return inclination(a, b, i, j, w)
    if kind == SEPARATION:
        return separation(a, b, w)
    if kind == RADIUS:
        return radius(a, b, w)
    if kind == GAP:
        return gap(a, b, w)
    if kind == ROTATION:
        return rotation(a, b, w)
    if kind == TURN:
        return turn(a, b, i, w)
    if kind == SINE:
        return sine(a, b, w)
    if kind == CONE:
        return cone(a, b, data, j, w)
    if kind == RING:
        return ring(a, b, data, j, w)
    if kind == OFF_CURVE:
        return off_curve(a, b, i, data, j, w)
    if kind == ALONG_CURVE:
        return along_curve(a, b, data, j, w)
    return cosine(a, b, i, j, w)


def read(found: Measure, a: Array, b: Array, wrench: Array | None = None) -> float:
    """Value of a measure at two poses, mm or rad.

    Args:
        a, b: world frames of the parts of its markers, shape (12,), mm.
        wrench: written if given, shape (6,): see `measure`.
    """
    ends = np.empty((2, 12))
    compose(a, np.array(found.a.frame), ends[0])
    compose(b, np.array(found.b.frame), ends[1])
    w = np.empty(6) if wrench is None else wrench
    data = np.array(found.data, float)
    return float(measure(found.kind, found.i, found.j, data, ends[0], ends[1], w))

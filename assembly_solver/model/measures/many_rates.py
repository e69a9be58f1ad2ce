"""Rates of the wrenches of many pairs of frames at once, in arrays: `rates` for the usual measures.

Vectors have shape (3, states, measures), as in `many`; the formulas are those of `rates`.

Source: docs/theory/equations.md, 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...foundations.numerics.rounding import FOURTH, ROUNDING
from ...foundations.types import Array, Ints
from .many import Frames, cross, dot
from .measure import DISPLACEMENT, HALF_TURN, ROTATION, SEPARATION, TILT


def _rotation(a: Frames, b: Frames, i: Ints, spin: Array) -> Array:
    on_x, on_z = b.axis(0), a.axis(2)
    h, c, s = dot(on_z, on_x), dot(a.axis(0), on_x), dot(a.axis(1), on_x)
    r2 = c * c + s * s
    flat = r2 < ROUNDING * ROUNDING
    r2 = np.where(flat, 1.0, r2)
    rate = cross(spin, on_x)
    dh = dot(on_z, rate)
    out: Array = (2.0 * h * dh / r2 * (on_z - h * on_x) - dh * on_x - h * rate) / r2
    return np.where(flat, 0.0, out)


def _tilt(a: Frames, b: Frames, i: Ints, spin: Array) -> Array:
    on_u, on_z, of_b = a.axis(i), a.axis(2), b.axis(2)
    v = cross(on_z, of_b)
    s2 = dot(v, v)
    s, c = np.sqrt(s2), dot(on_z, of_b)
    opposite, small = (s < HALF_TURN) & (c < 0.0), (s < 8.0 * FOURTH) & (c > 0.0)
    safe = np.where(opposite | small, 1.0, s)
    f = np.where(small, 1.0 + s2 / 6.0, np.arctan2(s, c) / safe)
    g = np.where(small, 1.0 / 3.0 + 2.0 * s2 / 15.0, (1.0 - f * c) / safe**2)
    k = np.where(small, 4.0 / 15.0 + 6.0 * s2 / 35.0, (f - 3.0 * c * g) / safe**2)
    rate = cross(spin, of_b)
    v1 = cross(on_z, rate)
    q, av = dot(spin, v), dot(on_u, v)
    by_u = g * q * c + f * dot(on_z, rate)
    by_z = g * q * dot(on_u, of_b) + f * dot(on_u, rate)
    out = by_u * on_u - by_z * on_z + (k * q * av + g * dot(on_u, v1)) * v + g * av * v1
    return np.where(opposite, 0.0, out)


TORQUES: dict[int, Callable[[Frames, Frames, Ints, Array], Array]] = {
    ROTATION: _rotation,
    TILT: _tilt,
}

KINDS = frozenset((DISPLACEMENT, SEPARATION, *TORQUES))
"""Measures whose rates are known here."""


def wrench_rates(
    kind: int,
    i: Ints,
    frames: tuple[Frames, Frames],
    twists: tuple[tuple[Array, Array], tuple[Array, Array]],
    wrench: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Time derivatives of wrenches, force and torque (mm) on b about the world origin.

    Args:
        kind: one of `KINDS`; i: as of `measures`; frames: of the markers a and b.
        twists: velocity at the world origin, mm/s, and spin, rad/s, of the bodies of a and b.
        wrench: force and torque of `measures`.
    """
    (a, b), ((va, sa), (vb, sb)), (force, torque) = frames, twists, wrench
    spin, p = sb - sa, b.origin
    df, dt = cross(sa, force), cross(sa, torque) + cross(va, force)
    if kind in TORQUES:
        return df, dt + TORQUES[kind](a, b, i, spin)
    velocity = cross(spin, p) + vb - va
    own = cross(velocity, force)
    if kind == SEPARATION:
        between = p - a.origin
        size = np.sqrt(dot(between, between))
        away = (velocity - dot(force, velocity) * force) / np.where(size <= ROUNDING, 1.0, size)
        away = np.where(size <= ROUNDING, 0.0, away)
        df, own = df + away, own + cross(p, away)
    return df, dt + own

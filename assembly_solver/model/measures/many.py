"""Measures of many pairs of frames at once, in arrays: values and wrenches as in `measure`.

For searches from many starts: one call of an array function evaluates all starts, compiled or not.
Vectors have shape (3, starts, measures).  The formulas are those of `measure`; shapes, which are
rare, are evaluated by it one by one.

Source: docs/theory/equations.md, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, FAINT, FOURTH, ROUNDING
from ...foundations.types import Array, Ints
from .measure import (
    COSINE,
    DISPLACEMENT,
    GAP,
    HALF_TURN,
    INCLINATION,
    RADIUS,
    ROTATION,
    SEPARATION,
    SINE,
    TILT,
    TURN,
    measure,
)

FORWARD, BACKWARD = np.array([1, 2, 0]), np.array([2, 0, 1])
"""Components of a cross product."""


class Frames(NamedTuple):
    """World frames of marker a or b of some measures of one kind.

    Attributes:
        vectors: origins and axes of all markers, (3, starts, 4 markers), mm.
        at: index of the origin of each measure's marker, (measures,); its axes follow.
    """

    vectors: Array
    at: Ints

    def axis(self, k: Ints | int) -> Array:
        """Axis k of each frame, shape (3, starts, measures)."""
        return self.vectors.take(self.at + 1 + k, axis=2)

    @property
    def origin(self) -> Array:
        """Origin of each frame, shape (3, starts, measures), mm."""
        return self.vectors.take(self.at, axis=2)


Evaluated = tuple[Array, Array | None, Array | None]
"""Values, (starts, measures), forces and torques on b about the world origin, (3, starts,
measures); no force: 0; no torque: that of the force through p_b."""


def dot(u: Array, v: Array) -> Array:
    """Scalar products of vectors."""
    out: Array = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    return out


def cross(u: Array, v: Array) -> Array:
    """Vector products."""
    out: Array = u.take(FORWARD, 0) * v.take(BACKWARD, 0)
    out -= u.take(BACKWARD, 0) * v.take(FORWARD, 0)
    return out


def _over(u: Array, size: Array, otherwise: Array) -> Array:
    """Directions of vectors of these sizes; another one where the size is rounding."""
    small = size <= ROUNDING
    out: Array = np.where(small, otherwise, u / np.where(small, 1.0, size))
    return out


def _inclination(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u, v = a.axis(i), b.axis(j)
    normal = cross(u, v)
    s = np.sqrt(dot(normal, normal))
    return np.arctan2(s, dot(u, v)), None, _over(normal, s, a.axis((i + 1) % 3))


def _cosine(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u, v = a.axis(i), b.axis(j)
    return dot(u, v), None, cross(v, u)


def _sine(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u, v = a.axis(2), b.axis(2)
    normal = cross(u, v)
    s = np.sqrt(dot(normal, normal))
    return s, None, dot(u, v) * _over(normal, s, np.zeros_like(normal))


def _displacement(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u = a.axis(i)
    return dot(u, b.origin - a.origin), u, None


def _separation(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    between = b.origin - a.origin
    size = np.sqrt(dot(between, between))
    return size, _over(between, size, a.axis(0)), None


def _radius(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    z, between = a.axis(2), b.origin - a.origin
    off = between - dot(between, z) * z
    size = np.sqrt(dot(off, off))
    return size, _over(off, size, a.axis(0)), None


def _gap(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u, v, p = a.axis(2), b.axis(2), b.origin
    normal, between = cross(u, v), p - a.origin
    s = np.sqrt(dot(normal, normal))
    parallel = s < AGREEMENT  # no common normal
    n = np.where(parallel, a.axis(0), normal / np.where(parallel, 1.0, s))
    across = cross(u, n)
    slope = np.where(parallel, 1.0, dot(across, v))
    along = np.where(parallel, 0.0, -dot(across, between) / slope)
    return dot(n, between), n, cross(p + along * v, n)


def _rotation(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    x, y, of_b = a.axis(0), a.axis(1), b.axis(0)
    c, s = dot(x, of_b), dot(y, of_b)
    r2 = c * c + s * s
    flat = r2 < ROUNDING * ROUNDING
    torque = (c * cross(of_b, y) - s * cross(of_b, x)) / np.where(flat, 1.0, r2)
    return np.where(flat, 0.0, np.arctan2(s, c)), None, np.where(flat, a.axis(2), torque)


def _tilt(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    u, on_a, on_b = a.axis(i), a.axis(2), b.axis(2)
    v = cross(on_a, on_b)
    s2 = dot(v, v)
    s, c = np.sqrt(s2), dot(on_a, on_b)
    opposite, small = (s < HALF_TURN) & (c < 0.0), (s < FOURTH) & (c > 0.0)
    safe = np.where(opposite | small, 1.0, s)
    angle = np.arctan2(s, c)
    f = np.where(small, 1.0 + s2 / 6.0, angle / safe)
    g = np.where(small, 1.0 / 3.0 + 2.0 * s2 / 15.0, (s - angle * c) / safe**3)
    along = dot(u, v)
    torque = f * (c * u - dot(u, on_b) * on_a) + (g * along) * v
    value = np.where(opposite, np.where(i == 0, pi, 0.0), f * along)
    return value, None, np.where(opposite, u, torque)


def _turn(a: Frames, b: Frames, i: Ints, j: Ints) -> Evaluated:
    (x, y, z), (bx, by, bz) = ([f.axis(k) for k in range(3)] for f in (a, b))
    v = 0.5 * np.stack([dot(z, by) - dot(y, bz), dot(x, bz) - dot(z, bx), dot(y, bx) - dot(x, by)])
    c, s = 0.5 * (dot(x, bx) + dot(y, by) + dot(z, bz) - 1.0), np.sqrt(dot(v, v))
    if np.any((s <= FAINT) & (c < 0.0)):  # near half a turn
        return _one_by_one(TURN, i, j, np.empty(0), a, b)
    angle, small = np.arctan2(s, c), s <= FAINT
    v *= np.where(small, 1.0, angle / np.where(small, 1.0, s))
    near, h = angle < 8.0 * FOURTH, 0.5 * np.where(angle < 8.0 * FOURTH, 1.0, angle)
    far = 0.25 * (1.0 - h * np.cos(h) / np.sin(h)) / (h * h)
    k2 = np.where(near, 1.0 / 12.0 + angle * angle / 720.0, far)
    e = np.broadcast_to(np.eye(3)[:, None, i], v.shape)
    along = dot(e, v)
    q = (k2 * along) * v + (1.0 - k2 * angle * angle) * e + 0.5 * cross(v, e)
    return along, None, q[0] * x + q[1] * y + q[2] * z


KINDS: dict[int, Callable[[Frames, Frames, Ints, Ints], Evaluated]] = {
    INCLINATION: _inclination,
    DISPLACEMENT: _displacement,
    SEPARATION: _separation,
    RADIUS: _radius,
    GAP: _gap,
    ROTATION: _rotation,
    TILT: _tilt,
    TURN: _turn,
    COSINE: _cosine,
    SINE: _sine,
}


def measures(
    kind: int, i: Ints, j: Ints, data: Array, a: Frames, b: Frames
) -> tuple[Array, Array, Array]:
    """Values and wrenches of measures of one kind at many states.

    Args:
        i, j, data: as of `measure`, i and j of shape (measures,).

    Returns:
        Values, (starts, measures), mm or rad; forces and torques (mm) on b about the world origin,
        each (3, starts, measures).
    """
    if kind not in KINDS:
        return _one_by_one(kind, i, j, data, a, b)
    value, force, torque = KINDS[kind](a, b, i, j)
    if force is None:
        assert torque is not None
        return value, np.zeros_like(torque), torque
    return value, force, cross(b.origin, force) if torque is None else torque


def _one_by_one(
    kind: int, i: Ints, j: Ints, data: Array, a: Frames, b: Frames
) -> tuple[Array, Array, Array]:
    """The same by the function of one pair of frames."""
    ends = [np.stack([f.origin, *(f.axis(k) for k in range(3))], -1) for f in (a, b)]
    one, two = (
        np.ascontiguousarray(e.transpose(1, 2, 3, 0)).reshape(*e.shape[1:3], 12) for e in ends
    )
    value, wrench = np.empty(one.shape[:2]), np.empty((*one.shape[:2], 6))
    for s, n in np.ndindex(*value.shape):
        value[s, n] = measure(kind, int(i[n]), int(j[n]), data, one[s, n], two[s, n], wrench[s, n])
    parts = wrench.transpose(2, 0, 1)
    return value, parts[:3], parts[3:]

"""Oracles of motion: closed forms with their first and second derivative by time.

A `Jet` is a quantity over the states of a sweep with its rate and its second derivative, by the
rules of differentiation alone, so that an oracle is a formula for positions and nothing else.
Shapes (n,) for numbers, (n, 2) or (n, 3) for vectors.  mm, rad, s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Jet:
    """A value with its first and second derivative; arrays of one shape."""

    __array_ufunc__ = None  # numpy leaves array * Jet to this class

    def __init__(self, value: Any, rate: Any = 0.0, acc: Any = 0.0) -> None:
        parts = np.broadcast_arrays(*(np.asarray(p, float) for p in (value, rate, acc)))
        self.value, self.rate, self.acc = parts

    def __add__(self, other: Any) -> Jet:
        o = jet(other)
        return Jet(self.value + o.value, self.rate + o.rate, self.acc + o.acc)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.acc)

    def __sub__(self, other: Any) -> Jet:
        return self + -jet(other)

    def __rsub__(self, other: Any) -> Jet:
        return jet(other) + -self

    def __mul__(self, other: Any) -> Jet:
        o = jet(other)
        return Jet(
            self.value * o.value,
            self.rate * o.value + self.value * o.rate,
            self.acc * o.value + 2 * self.rate * o.rate + self.value * o.acc,
        )

    def __truediv__(self, other: Any) -> Jet:
        o = jet(other)
        return self * o.through(1 / o.value, -(o.value**-2), 2 * o.value**-3)

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Any) -> Jet:
        return jet(other) / self

    def through(self, f: Array, df: Array, ddf: Array) -> Jet:
        """A function of this quantity, from its value and its two derivatives here."""
        return Jet(f, df * self.rate, ddf * self.rate**2 + df * self.acc)

    def __getitem__(self, k: Any) -> Jet:
        """A component of a vector."""
        return Jet(self.value[..., k], self.rate[..., k], self.acc[..., k])

    def column(self) -> Jet:
        """A number as a factor of vectors: shape (n, 1)."""
        return Jet(self.value[..., None], self.rate[..., None], self.acc[..., None])


def jet(value: Any) -> Jet:
    """A constant, or a jet as it is."""
    return value if isinstance(value, Jet) else Jet(value)


def sin(u: Jet) -> Jet:
    s, c = np.sin(u.value), np.cos(u.value)
    return u.through(s, c, -s)


def cos(u: Jet) -> Jet:
    return sin(u + np.pi / 2)


def sqrt(u: Jet) -> Jet:
    root = np.sqrt(u.value)
    return u.through(root, 0.5 / root, -0.25 / root**3)


def atan2(y: Jet, x: Jet) -> Jet:
    """Angle of (x, y), counted on over whole turns from state to state."""
    angle = np.arctan2(y.value, x.value)
    angle = np.unwrap(angle) if angle.ndim else angle
    square = x.value**2 + y.value**2
    cross = x.value * y.rate - y.value * x.rate
    turn = x.value * y.acc - y.value * x.acc
    along = x.value * x.rate + y.value * y.rate
    return Jet(angle, cross / square, turn / square - 2 * along * cross / square**2)


def vector(*components: Any) -> Jet:
    """A vector of its components."""
    jets = [jet(c) for c in components]
    n = np.broadcast_shapes(*(c.value.shape for c in jets))
    whole = [[np.broadcast_to(p, n) for p in (c.value, c.rate, c.acc)] for c in jets]
    return Jet(*(np.stack(p, axis=-1) for p in zip(*whole, strict=True)))


def dot(a: Any, b: Any) -> Jet:
    """Scalar product."""
    p = jet(a) * jet(b)
    return Jet(p.value.sum(-1), p.rate.sum(-1), p.acc.sum(-1))


def cross(a: Any, b: Any) -> Jet:
    """Vector product."""
    a, b = jet(a), jet(b)
    return vector(*(a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))))


def norm(a: Jet) -> Jet:
    """Length of a vector."""
    return sqrt(dot(a, a))


def unit(a: Jet) -> Jet:
    """A vector of length 1."""
    return a / norm(a).column()


def polar(length: Any, angle: Jet) -> Jet:
    """A vector of the xy plane."""
    return vector(length * cos(angle), length * sin(angle), 0.0 * angle)


def angle_of(v: Jet) -> Jet:
    """Direction of a vector of the xy plane, rad, over whole turns."""
    return atan2(v[1], v[0])


def meet(p: Jet, a: Jet | float, q: Jet, b: Jet | float, side: int) -> Jet:
    """Where the circle of radius a about p meets that of b about q in the xy plane.

    `side` is +1 left of the way from p to q, -1 right of it: the half-chord construction.
    """
    way, a2, b2 = q - p, jet(a) * a, jet(b) * b
    square = dot(way, way)
    along = (square + a2 - b2) / (2.0 * square)
    aside = sqrt(a2 / square - along * along) * float(side)
    left = vector(-way[1], way[0], 0.0 * way[0])
    return p + along.column() * way + aside.column() * left


def spin_of(axes: Sequence[Jet]) -> tuple[Array, Array]:
    """Angular velocity and acceleration of a body from its three axes, (n, 3) each, rad.

    Half the sum of axis x rate of the axis is the spin; its derivative is that of the sum.
    """
    spin = 0.5 * sum(np.cross(e.value, e.rate) for e in axes)
    return spin, 0.5 * sum(np.cross(e.value, e.acc) for e in axes)


def at_speed(first: float, last: float, steps: int, speed: float) -> Jet:
    """What a driver does that is swept at a constant speed: steps + 1 states."""
    values = np.linspace(first, last, steps + 1)
    return Jet(values, speed * np.sign(last - first), 0.0)


def off(found: Any, expected: Any) -> float:
    """Largest difference, as a share of the largest expected value (of 1 at least)."""
    expected = np.asarray(expected, float)
    found = np.asarray(found, float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))

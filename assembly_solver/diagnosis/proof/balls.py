"""Numbers, points and directions as balls that enclose them, with their derivatives by a twist.

Everything is computed by python-flint: each operation encloses every value that its operands may
have, rounding included, whatever the precision.  `Scalar` is a number with its derivative by the
six components of a twist of body b, `Vector` three of them.

Source: F. Johansson, Arb: efficient arbitrary-precision midpoint-radius interval arithmetic, IEEE
Transactions on Computers 66, 2017.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, isfinite, nextafter
from threading import RLock
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx

from ...foundations.types import Array

PRECISION = 160
"""Bits: a solution is refined far beyond the 53 of its pose, so that these are its whole error."""

ZERO, ONE = arb(0), arb(1)

_OURS = RLock()
"""The precision belongs to the process: who sets it keeps others from doing so."""


@contextmanager
def precise() -> Iterator[None]:
    """Work at `PRECISION`; the caller's precision is restored, also where this is nested.

    At another precision the balls would be wider, never false.
    """
    with _OURS:
        before = ctx.prec
        ctx.prec = PRECISION
        try:
            yield
        finally:
            ctx.prec = before


def upper(ball: arb) -> float:
    """A float not below the magnitude of anything in a ball; inf where it is not bounded."""
    found = float(ball.abs_upper())
    if ball.is_zero():
        return 0.0
    return nextafter(found, inf) if isfinite(found) else inf


def middle(matrix: arb_mat) -> Array:
    """Midpoints as floats, shape (rows, columns)."""
    entries = [float(e.mid()) for e in matrix.entries()]
    return np.array(entries).reshape(matrix.nrows(), matrix.ncols())


def matrix_of(rows: Sequence[Sequence[float]] | Array) -> arb_mat:
    """A matrix of exact numbers, from shape (rows, columns)."""
    return arb_mat([[arb(float(v)) for v in row] for row in rows])


def column(values: Iterable[float] | Iterable[arb]) -> arb_mat:
    """Numbers as one column."""
    found = [v if isinstance(v, arb) else arb(float(v)) for v in values]
    return arb_mat(len(found), 1, found)


def crossing(v: arb_mat) -> arb_mat:
    """The matrix of the cross product v x."""
    x, y, z = v.entries()
    return arb_mat(3, 3, [ZERO, -z, y, z, ZERO, -x, -y, x, ZERO])


class Scalar(NamedTuple):
    """A number and its derivative, (1, 6)."""

    value: arb
    slope: arb_mat

    def plus(self, other: Scalar) -> Scalar:
        """The sum."""
        return Scalar(self.value + other.value, self.slope + other.slope)

    def minus(self, other: Scalar) -> Scalar:
        """The difference."""
        return Scalar(self.value - other.value, self.slope - other.slope)

    def times(self, other: Scalar) -> Scalar:
        """The product."""
        slope = self.slope * other.value + other.slope * self.value
        return Scalar(self.value * other.value, slope)

    def scaled(self, factor: arb) -> Scalar:
        """Its multiple."""
        return Scalar(self.value * factor, self.slope * factor)

    def root(self) -> Scalar:
        """The square root; not finite where this may be 0."""
        found = self.value.sqrt()
        return Scalar(found, self.slope * (ONE / (found + found)))

    def over(self, other: Scalar) -> Scalar:
        """The quotient; not finite where the divisor may be 0."""
        found = self.value / other.value
        return Scalar(found, (self.slope - other.slope * found) * (ONE / other.value))


class Vector(NamedTuple):
    """A point or a direction, (3, 1), and its derivative, (3, 6)."""

    value: arb_mat
    slope: arb_mat

    def minus(self, other: Vector) -> Vector:
        """The difference."""
        return Vector(self.value - other.value, self.slope - other.slope)

    def dot(self, other: Vector) -> Scalar:
        """The scalar product."""
        a, b = self.value.transpose(), other.value.transpose()
        return Scalar((a * other.value)[0, 0], a * other.slope + b * self.slope)

    def cross(self, other: Vector) -> Vector:
        """The vector product."""
        a, b = crossing(self.value), crossing(other.value)
        return Vector(a * other.value, a * other.slope - b * self.slope)

    def times(self, factor: Scalar) -> Vector:
        """Its multiple."""
        slope = self.slope * factor.value + self.value * factor.slope
        return Vector(self.value * factor.value, slope)

    def square(self) -> Scalar:
        """The square of its length."""
        value = (self.value.transpose() * self.value)[0, 0]
        slope = self.value.transpose() * self.slope
        return Scalar(value, slope + slope)


def angle_of(sine: Scalar, cosine: Scalar) -> Scalar:
    """The angle of a sine and a cosine that may be off the unit circle alike, rad, -pi to pi.

    Its value is no number where it may be half a turn, where it jumps.
    """
    size = cosine.value * cosine.value + sine.value * sine.value
    slope = (sine.slope * cosine.value - cosine.slope * sine.value) * (ONE / size)
    jumps = not (cosine.value > 0 or sine.value > 0 or sine.value < 0)
    return Scalar(arb("nan") if jumps else arb.atan2(sine.value, cosine.value), slope)

"""Vectors of many boxes at once, as middles and radii, with their derivatives by the unknowns.

A vector of a box is enclosed: every value that it has for unknowns of the box is within its radius
of its middle, in each component, and so is every derivative.  Radii take the rounding of each
operation in.

Source: S. M. Rump, Fast and parallel interval arithmetic, BIT 39, 1999.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...foundations.numerics.rounding import EPSILON
from ...foundations.types import Array

ROUNDED = 512 * EPSILON
"""What sums of at most 1000 rounded products are off, over the sum of their magnitudes.

Of n they are n u / (1 - n u) of it at most, u being EPSILON / 2.
"""

NEXT, AFTER = [1, 2, 0], [2, 0, 1]
"""The axes after each, and after those."""


class Wide(NamedTuple):
    """Numbers of boxes: middles and radii, both (boxes, ...)."""

    mid: Array
    rad: Array

    def times(self, other: Wide) -> Wide:
        """The product of matrices, (..., i, j) and (..., j, k)."""
        one, two = np.abs(self.mid), np.abs(other.mid)
        rad = one @ other.rad + self.rad @ (two + other.rad) + ROUNDED * (one @ two)
        return Wide(self.mid @ other.mid, rad * (1.0 + ROUNDED))

    def plus(self, other: Wide) -> Wide:
        """The sum."""
        mid = self.mid + other.mid
        return Wide(mid, (self.rad + other.rad) * (1.0 + ROUNDED) + ROUNDED * np.abs(mid))

    def minus(self, other: Wide) -> Wide:
        """The difference."""
        return self.plus(Wide(-other.mid, other.rad))

    def by(self, other: Wide) -> Wide:
        """The product of each two numbers."""
        one, two = np.abs(self.mid), np.abs(other.mid)
        rad = one * other.rad + self.rad * (two + other.rad) + ROUNDED * one * two
        return Wide(self.mid * other.mid, rad * (1.0 + ROUNDED))

    def dot(self, other: Wide) -> Wide:
        """The scalar product along the last dimension."""
        one, two = np.abs(self.mid), np.abs(other.mid)
        rad = one * other.rad + self.rad * (two + other.rad) + ROUNDED * one * two
        return Wide((self.mid * other.mid).sum(-1), rad.sum(-1) * (1.0 + ROUNDED))

    def cross(self, other: Wide) -> Wide:
        """The vector product along the last dimension."""
        (a, ra), (b, rb) = ((w.mid, w.rad) for w in (self, other))
        c = a[..., NEXT] * b[..., AFTER] - a[..., AFTER] * b[..., NEXT]
        one, two = np.abs(a), np.abs(b)
        rb = rb + ROUNDED * two
        rad = one[..., NEXT] * rb[..., AFTER] + one[..., AFTER] * rb[..., NEXT]
        two = two + rb
        rad += ra[..., NEXT] * two[..., AFTER] + ra[..., AFTER] * two[..., NEXT]
        return Wide(c, rad * (1.0 + ROUNDED))

    def each(self, factor: Wide) -> Wide:
        """Vectors along the last dimension, each times a number."""
        return self.by(Wide(factor.mid[..., None], factor.rad[..., None]))

    def root(self) -> Wide:
        """The square root; no number where that may have no slope."""
        low, size = self.low, np.sqrt(np.abs(self.mid))
        rad = self.rad / (size + np.sqrt(np.abs(low))) + ROUNDED * size
        return Wide(np.where(low > 0.0, size, np.nan), rad * (1.0 + ROUNDED))

    def inverse(self) -> Wide:
        """One over it; no number where it may be 0."""
        size = np.abs(self.mid)
        least = size - self.rad - ROUNDED * size
        mid = 1.0 / np.where(least > 0.0, self.mid, np.nan)
        return Wide(mid, (self.rad / (size * np.abs(least)) + ROUNDED / size) * (1.0 + ROUNDED))

    def at(self, *which: Any) -> Wide:
        """Some of the numbers of each box."""
        key = (slice(None), *which)
        return Wide(self.mid[key], self.rad[key])

    @property
    def low(self) -> Array:
        """Lower bounds."""
        out: Array = self.mid - self.rad - ROUNDED * np.abs(self.mid)
        return out

    @property
    def high(self) -> Array:
        """Upper bounds."""
        out: Array = self.mid + self.rad + ROUNDED * np.abs(self.mid)
        return out


def exact(values: Array) -> Wide:
    """The same numbers for all boxes."""
    return Wide(np.asarray(values, float)[None], np.zeros((1, *np.shape(values))))


class WideVector(NamedTuple):
    """Vectors, (boxes, 3), with their derivatives, (boxes, unknowns, 3)."""

    value: Wide
    slope: Wide

    def plus(self, other: WideVector) -> WideVector:
        """The sum."""
        return WideVector(self.value.plus(other.value), self.slope.plus(other.slope))

    def minus(self, other: WideVector) -> WideVector:
        """The difference."""
        return WideVector(self.value.minus(other.value), self.slope.minus(other.slope))

    def scaled(self, factor: Wide, unknown: int) -> WideVector:
        """The product with an unknown, (boxes,)."""
        slope = self.slope.by(factor.at(None, None))
        own = slope.at(unknown).plus(self.value)
        mid, rad = slope.mid.copy(), slope.rad.copy()
        mid[:, unknown], rad[:, unknown] = own
        return WideVector(self.value.by(factor.at(None)), Wide(mid, rad))

    def dot(self, other: WideVector) -> tuple[Wide, Wide]:
        """The scalar product, (boxes,), and its derivative, (boxes, unknowns)."""
        value = self.value.at(None, slice(None)).times(other.value.at(slice(None), None))
        one = self.slope.times(other.value.at(slice(None), None))
        two = other.slope.times(self.value.at(slice(None), None))
        return value.at(0, 0), one.plus(two).at(slice(None), 0)

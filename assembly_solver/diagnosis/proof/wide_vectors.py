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

ROUNDED = 256 * EPSILON
"""What sums of at most 500 rounded products are off, over the sum of their magnitudes."""


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

"""Taylor models of first order: functions enclosed over many small intervals at once.

A model encloses a function f of t in [-1, 1], real or complex, in every one of its cells:

    |f(t) - value - slope t| <= error,   |f'(t) - rate| <= spread.

Errors hold with the rounding of this arithmetic: what is enclosed is proved.  NaN where nothing is
known, for which no comparison holds.

Source: K. Makino and M. Berz, Taylor models and other validated functional inclusion methods,
Int. J. Pure and Applied Mathematics 4 (2003) 379; complex discs: R. E. Moore and others,
Introduction to Interval Analysis, SIAM 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Array
from .rounding import EPSILON

UNIT = 4.0 * EPSILON
"""Bound of the relative error of a complex product, and of a few sums."""

UP = 1.0 + 16.0 * EPSILON
"""Factor that outweighs the rounding in a sum of errors."""

Numbers = NDArray[Any]
"""Real or complex, (cells,)."""


@dataclass(frozen=True, eq=False)
class TaylorModel:
    """Functions of t in [-1, 1], one for each cell; (cells,) each, see the module."""

    value: Numbers
    slope: Numbers
    error: Array
    rate: Numbers
    spread: Array

    @property
    def reach(self) -> Array:
        """Bound of |f(t) - value|, (cells,)."""
        return (np.abs(self.slope) + self.error) * UP

    def __add__(self, other: TaylorModel) -> TaylorModel:
        value, slope = self.value + other.value, self.slope + other.slope
        rate = self.rate + other.rate
        error = self.error + other.error + UNIT * (np.abs(value) + np.abs(slope))
        spread = self.spread + other.spread + UNIT * np.abs(rate)
        return TaylorModel(value, slope, error * UP, rate, spread * UP)

    def __neg__(self) -> TaylorModel:
        return TaylorModel(-self.value, -self.slope, self.error, -self.rate, self.spread)

    def __sub__(self, other: TaylorModel) -> TaylorModel:
        return self + -other

    def __mul__(self, other: TaylorModel) -> TaylorModel:
        one, two = np.abs(self.value), np.abs(other.value)
        a, b = np.abs(self.slope), np.abs(other.slope)
        value = self.value * other.value
        slope = self.value * other.slope + self.slope * other.value
        error = a * b + (one + a) * other.error + (two + b) * self.error
        error = error + self.error * other.error + UNIT * (one * two + one * b + a * two)
        rate, spread = _product(
            (self.rate, self.spread), (other.value, other.reach), (other.rate, other.spread),
            (self.value, self.reach),
        )  # fmt: skip
        return TaylorModel(value, slope, error * UP, rate, spread)

    def times(self, factor: complex | float) -> TaylorModel:
        """The product with a number."""
        size = abs(factor) * UP
        value, slope, rate = self.value * factor, self.slope * factor, self.rate * factor
        error = self.error * size + UNIT * (np.abs(value) + np.abs(slope))
        return TaylorModel(value, slope, error * UP, rate, self.spread * size + UNIT * np.abs(rate))

    def plus(self, number: complex | float) -> TaylorModel:
        """The sum with a number."""
        value = self.value + number
        error = (self.error + UNIT * np.abs(value)) * UP
        return TaylorModel(value, self.slope, error, self.rate, self.spread)

    def signed(self, sign: Array) -> TaylorModel:
        """The product with +1 or -1 in each cell."""
        return TaylorModel(
            self.value * sign, self.slope * sign, self.error, self.rate * sign, self.spread
        )

    def conjugate(self) -> TaylorModel:
        value, slope, rate = map(np.conj, (self.value, self.slope, self.rate))
        return TaylorModel(value, slope, self.error, rate, self.spread)

    @property
    def real(self) -> TaylorModel:
        return TaylorModel(
            self.value.real, self.slope.real, self.error, self.rate.real, self.spread
        )

    @property
    def imag(self) -> TaylorModel:
        return TaylorModel(
            self.value.imag, self.slope.imag, self.error, self.rate.imag, self.spread
        )

    def square_size(self) -> TaylorModel:
        """|f|^2, real."""
        return (self * self.conjugate()).real

    def reciprocal(self) -> TaylorModel:
        """1 / f; NaN in cells in which f may be 0."""
        size, reach = np.abs(self.value), self.reach
        least = np.where(size > reach * UP, size - reach * UP, np.nan)
        value = 1.0 / self.value
        inverse = np.abs(value)
        slope = -self.slope * value * value
        error = self.error * inverse * inverse + reach * reach * inverse * inverse / least
        error = (error + UNIT * (inverse + 2.0 * np.abs(slope))) * UP
        known = TaylorModel(value, slope, error, value, error)
        square = known.value * known.value, (2.0 * inverse + known.reach) * known.reach * UP
        rate = -self.rate * square[0]
        spread = np.abs(self.rate) * square[1] + self.spread * (inverse * inverse + square[1])
        return TaylorModel(value, slope, error, rate, (spread + 2.0 * UNIT * np.abs(rate)) * UP)

    def root(self, touching: Numbers) -> TaylorModel:
        """The square root of a real function; NaN in cells in which it may be negative.

        Args:
            touching: (cells,), where its negative values do not count: no rate is known there.
        """
        reach = self.reach
        least = self.value - reach * UP
        least = np.where(least > 0.0, least, np.nan)
        value = np.sqrt(np.where(self.value > 0.0, self.value, np.nan))
        half = 0.5 / value
        slope = self.slope * half
        error = self.error * half + reach * reach * 0.125 / (least * np.sqrt(least))
        error = (error + UNIT * (value + np.abs(slope))) * UP
        rate = self.rate * half
        most = 0.5 / np.sqrt(least)  # of 1 / (2 root); it differs from `half` by no more than:
        spread = self.spread * most + np.abs(self.rate) * (most - half)
        spread = (spread + UNIT * np.abs(rate) * (1.0 + most / half)) * UP
        top = 0.5 * np.sqrt(np.maximum(self.value + reach * UP, 0.0)) * UP
        nan = np.where(touching, np.nan, 0.0)
        return TaylorModel(
            np.where(touching, top, value),
            np.where(touching, 0.0, slope),
            np.where(touching, top, error),
            np.where(touching, 0.0, rate),
            spread + nan,
        )


def _product(*terms: tuple[Numbers, Array]) -> tuple[Numbers, Array]:
    """Centre and radius of f g + h k, each factor with its own."""
    rate: Numbers = np.zeros(1)
    spread: Array = np.zeros(1)
    for (f, df), (g, dg) in zip(terms[::2], terms[1::2], strict=True):
        rate = rate + f * g
        spread = spread + np.abs(f) * dg + df * (np.abs(g) + dg) + UNIT * np.abs(f) * np.abs(g)
    return rate, (spread + UNIT * np.abs(rate)) * UP

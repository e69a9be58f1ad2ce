"""Curves through points of a table with continuous first and second derivative."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.numerics.taylor import Jet
from ...foundations.types import Array

DEGREE = 5


class Spline(NamedTuple):
    """A piecewise polynomial.

    Attributes:
        times: of the points, shape (n,), increasing, s.
        segments: coefficients in powers of the time since the point before, shape (n - 1, 6), the
            constant first.
    """

    times: Array
    segments: Array

    def jet(self, t: Array) -> Jet:
        """Value, first and second derivative at times (s) within the table, of the shape of t."""
        last = len(self.times) - 2
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, last)
        u, c = t - self.times[k], self.segments[k]
        value, rate, half = c[..., DEGREE], np.zeros_like(u), np.zeros_like(u)
        for n in range(DEGREE - 1, -1, -1):  # Horner's rule with its derivatives
            half = half * u + rate
            rate = rate * u + value
            value = value * u + c[..., n]
        return Jet(value, rate, 2.0 * half)


def smooth(times: Array, values: Array) -> Spline:
    """The cubic spline whose first two and last two segments are one cubic each (not-a-knot).

    Its error decreases with the fourth power of the spacing, that of its second derivative with
    the second.  Two points give a line, three a parabola.  At steps it overshoots by about a tenth.
    `times` (n,) increase, s; `values` (n,) are mm or degrees.

    Source: the continuity of the slopes gives a tridiagonal system for the second derivatives; de
    Boor, A Practical Guide to Splines, chapter IV.
    """
    h = np.diff(times)
    slope = np.diff(values) / h
    second = _second_derivatives(h, slope)
    segments = np.zeros((len(h), DEGREE + 1))
    segments[:, 0] = values[:-1]
    segments[:, 1] = slope - h * (2.0 * second[:-1] + second[1:]) / 6.0
    segments[:, 2] = second[:-1] / 2.0
    segments[:, 3] = np.diff(second) / (6.0 * h)
    return Spline(times, segments)


def _second_derivatives(h: Array, slope: Array) -> Array:
    """Second derivatives of the not-a-knot cubic spline at its points."""
    n = len(h) + 1
    if n == 2:
        return np.zeros(2)
    upper, lower = h[1:].copy(), h[:-1].copy()
    diagonal, right = 2.0 * (lower + upper), 6.0 * np.diff(slope)
    if n == 3:
        return np.full(3, float(right[0] / (3.0 * (h[0] + h[1]))))
    first, last = h[0] / h[1], h[-1] / h[-2]
    diagonal[0] += h[0] * (1.0 + first)  # b[0] = b[1] - first * (b[2] - b[1])
    upper[0] -= h[0] * first
    diagonal[-1] += h[-1] * (1.0 + last)
    lower[-1] -= h[-1] * last
    for k in range(1, n - 2):
        share = lower[k] / diagonal[k - 1]
        diagonal[k] -= share * upper[k - 1]
        right[k] -= share * right[k - 1]
    inner = np.empty(n - 2)
    inner[-1] = right[-1] / diagonal[-1]
    for k in range(n - 4, -1, -1):
        inner[k] = (right[k] - upper[k] * inner[k + 1]) / diagonal[k]
    begin = inner[0] - first * (inner[1] - inner[0])
    end = inner[-1] + last * (inner[-1] - inner[-2])
    return np.concatenate([[begin], inner, [end]])


STEEPEST = 1.25
"""Largest slope at a point, relative to the smaller of the adjacent mean slopes, for which a
quintic with zero second derivative at its ends is monotone: both ends together make 5/2."""


def monotone(times: Array, values: Array) -> Spline:
    """Monotone quintic segments between neighbouring points, as in `smooth`; at rest at the ends.

    The second derivative is 0 at every point.  The slope is 0 at extrema and constant values, else
    the harmonic mean of the adjacent slopes, at most 5/4 of the smaller one.  The Bernstein
    coefficients p, p + h a/5, p + 2 h a/5, q - 2 h b/5, q - h b/5, q of a quintic with slopes a
    and b at its ends are then in order, and so are its values.
    """
    h = np.diff(times)
    slope = np.diff(values) / h
    at = np.zeros(len(times))
    left, right = slope[:-1], slope[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = 2.0 * left * right / (left + right)
    least = np.where(np.abs(left) < np.abs(right), left, right)
    same = np.sign(left) * np.sign(right) > 0
    at[1:-1] = np.where(same, np.sign(left) * np.minimum(np.abs(mean), STEEPEST * np.abs(least)), 0)
    segments = np.zeros((len(h), DEGREE + 1))
    a, b = at[:-1], at[1:]
    segments[:, 0], segments[:, 1] = values[:-1], a
    segments[:, 3] = (10.0 * slope - 6.0 * a - 4.0 * b) / h**2
    segments[:, 4] = (-15.0 * slope + 8.0 * a + 7.0 * b) / h**3
    segments[:, 5] = (6.0 * slope - 3.0 * a - 3.0 * b) / h**4
    return Spline(times, segments)

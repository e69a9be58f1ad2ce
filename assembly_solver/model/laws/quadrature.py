"""Integrals of functions of time from 0, for laws that are given by their rate.

Source: Gauss-Legendre quadrature with bisection where halves and whole disagree; Davis and
Rabinowitz, Methods of Numerical Integration, chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...foundations.numerics.rounding import ROUNDING, TINY
from ...foundations.types import Array

NODES = 12
"""Of Gauss's rule on each interval: exact for polynomials of degree 23."""

SAME = ROUNDING / 8.0
"""Share of the integral of the size by which whole and halves may differ: rounding of the sums."""

LEAST = 256
"""Intervals at the beginning, at least: between the nodes of fewer a short pulse stays unseen."""

LOST = ROUNDING
"""The same of an interval without length: more is no jump but a pole."""

DEEPEST = 50
"""Bisections: at a jump the interval is then at rounding of the time."""

MOST = 100_000
"""Intervals at one depth above which the function is refused: it has no such integral."""


def integrals(function: Callable[[Array], Array], t: Array) -> Array:
    """Integrals of a function from 0 to the times t (s), of the shape of t.

    Kinks and jumps are found by bisection; pulses shorter than some thousandth of the whole time
    may be missed.  NaN where the function is not finite on the way, or does not settle.
    """
    ends = np.unique(np.append(t.ravel(), 0.0))
    if len(ends) == 1:
        return np.zeros_like(t)
    count = -(-LEAST // (len(ends) - 1))
    cuts = ends[:-1, None] + np.diff(ends)[:, None] * np.linspace(0.0, 1.0, count + 1)
    cuts[:, -1] = ends[1:]
    pieces = _between(function, cuts[:, :-1].ravel(), cuts[:, 1:].ravel())
    total = np.concatenate([[0.0], np.cumsum(pieces.reshape(-1, count).sum(axis=1))])
    total -= total[np.searchsorted(ends, 0.0)]
    out: Array = total[np.searchsorted(ends, t)]
    return out


def _between(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Integrals over intervals, shape (n,) each."""
    out, owner = np.zeros(len(low)), np.arange(len(low))
    whole, size = _gauss(function, low, high)
    scale = max(float(size.sum()), TINY)
    for _ in range(DEEPEST):
        middle = 0.5 * (low + high)
        left, right = _gauss(function, low, middle)[0], _gauss(function, middle, high)[0]
        off = np.abs(left + right - whole)
        open_ = ~(off <= SAME * scale)
        np.add.at(out, owner[~open_], (left + right)[~open_])
        if not open_.any() or not np.isfinite(off).all() or open_.sum() > MOST:
            break
        jumps = off[open_].max() <= LOST * scale
        low, high = np.append(low[open_], middle[open_]), np.append(middle[open_], high[open_])
        whole, owner = np.append(left[open_], right[open_]), np.tile(owner[open_], 2)
    else:
        np.add.at(out, owner, np.where(jumps, whole, np.nan))
        return out
    np.add.at(out, owner[open_], np.nan)
    return out


def _gauss(function: Callable[[Array], Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Integrals of a function and of its size over intervals by Gauss's rule."""
    half = 0.5 * (high - low)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    values = function(0.5 * (high + low)[:, None] + half[:, None] * nodes)
    return (values @ weights) * half, (np.abs(values) @ weights) * half

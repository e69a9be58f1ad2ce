"""Root of a function of one variable."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from .rounding import EPSILON, ROUNDING

MOST = 80
"""Largest number of function values."""


def root(
    f: Callable[[float], float],
    a: float,
    b: float,
    fa: float,
    fb: float,
    *,
    close: float = ROUNDING / 8.0,
    small: float = 64.0 * EPSILON,
) -> float:
    """Root of a function between a and b by false position, Illinois variant.

    Args:
        fa, fb: its values there, of opposite signs; small: value that counts as 0.
        close: width of the bracket, relative to the first one, at which the search ends.

    Returns:
        The last x; where the function is not finite, that x.
    """
    width = abs(b - a)
    for _ in range(MOST):
        x = b - fb * (b - a) / (fb - fa)
        fx = f(x)
        if not isfinite(fx) or fx == 0.0 or abs(b - a) <= close * width:
            return x
        if fx * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = x, fx
        if abs(fx) < small:
            break
    return b

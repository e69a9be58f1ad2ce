"""Bisection of many intervals at once for the boundary of a condition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import Array

MOST = 1100
"""Largest number of halvings: there are fewer between any two numbers."""


def edges(
    holds: Callable[[Array], NDArray[np.bool_]], inside: Array, outside: Array
) -> tuple[Array, Array]:
    """Adjacent numbers at the first of which a condition holds, and at the second does not.

    Args:
        holds: the condition, for an array of numbers.
        inside, outside: intervals, by the ends at which it does and does not hold, (intervals,).
    """
    a, b = np.array(inside, float), np.array(outside, float)
    for _ in range(MOST):
        middle = 0.5 * (a + b)
        left = (middle != a) & (middle != b)
        if not left.any():
            break
        good = holds(middle)
        a, b = np.where(left & good, middle, a), np.where(left & ~good, middle, b)
    return a, b

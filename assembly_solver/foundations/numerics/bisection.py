"""Where something ends that holds at some places of a line and not at others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import Array

MOST = 1100
"""Halvings at the most: between any two numbers there are fewer."""


def edges(
    holds: Callable[[Array], NDArray[np.bool_]], inside: Array, outside: Array
) -> tuple[Array, Array]:
    """The last numbers at which something holds, and their neighbours at which it does not.

    Args:
        holds: whether it holds, at each of some places.
        inside, outside: pairs of places at which it does and does not, (pairs,).
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

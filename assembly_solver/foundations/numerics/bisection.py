"""Division of an interval for the boundary of a condition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import Array, Bools


def edge(
    holds: Callable[[Array], Bools], inside: float, outside: float, divisions: int = 2
) -> tuple[float, float]:
    """Adjacent numbers at the first of which a condition holds, and at the second does not.

    Args:
        holds: the condition, for an array of numbers.
        inside, outside: ends of an interval, at which it does and does not hold.
        divisions: of the interval, in turn, whose ends are judged at once.
    """
    share = np.arange(1, divisions) / divisions
    a, b = inside, outside
    while True:
        between = np.unique((1.0 - share) * a + share * b)
        between = between[(between != a) & (between != b)]
        if not len(between):
            return a, b
        between = between if a < b else between[::-1]
        first = int(np.argmin(np.append(holds(between), False)))
        every = [a, *between.tolist(), b]
        a, b = every[first], every[first + 1]

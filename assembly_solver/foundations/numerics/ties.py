"""Which of some values is the largest, where rounding may not choose between equal ones."""

from __future__ import annotations

import numpy as np

from ..types import Array
from .rounding import AGREEMENT


def first_largest(values: Array, size: float) -> int:
    """Index of the first of the largest values, (n,); NaN is none of them.

    Args:
        size: of the numbers that the values are calculated from, in their unit: those that differ
            by `AGREEMENT` of it at most are equal.
    """
    return int(np.argmax(values >= np.nanmax(values) - AGREEMENT * size))

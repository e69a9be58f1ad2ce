"""Many short tuples of numbers as one array."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from struct import pack

import numpy as np

from ..types import Array


def packed(rows: Collection[Sequence[float]], width: int) -> Array:
    """Rows of so many numbers each as an array, (rows, width).

    In less than half the time of `numpy.array`, which first looks for what they have in common.
    """
    numbers = pack(f"{width * len(rows)}d", *chain.from_iterable(rows))
    return np.frombuffer(bytearray(numbers)).reshape(-1, width)

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
    return np.frombuffer(bytearray(packed_bytes(rows, width))).reshape(-1, width)


def packed_bytes(rows: Collection[Sequence[float]], width: int) -> bytes:
    """The numbers of an array of such rows."""
    return pack(f"{width * len(rows)}d", *chain.from_iterable(rows))

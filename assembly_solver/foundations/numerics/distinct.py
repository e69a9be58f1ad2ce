"""Sets of whole numbers, ascending; the functions of numpy load its masked arrays first."""

from __future__ import annotations

import numpy as np

from ..types import Ints


def distinct(values: Ints) -> Ints:
    """Every value once."""
    return np.array(sorted(set(values.ravel().tolist())), np.int64)


def in_both(one: Ints, other: Ints) -> Ints:
    """The values that are in one and in the other."""
    return np.array(sorted(set(one.tolist()).intersection(other.tolist())), np.int64)


def in_first_alone(one: Ints, other: Ints) -> Ints:
    """The values that are in one and not in the other."""
    return np.array(sorted(set(one.tolist()).difference(other.tolist())), np.int64)

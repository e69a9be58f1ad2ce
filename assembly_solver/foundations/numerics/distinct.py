"""The different values of whole numbers."""

from __future__ import annotations

import numpy as np

from ..types import Ints


def distinct(values: Ints) -> Ints:
    """Every value once, ascending; `numpy.unique` loads numpy's masked arrays first."""
    return np.array(sorted(set(values.ravel().tolist())), np.int64)

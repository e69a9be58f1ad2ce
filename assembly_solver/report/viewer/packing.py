"""Numbers for the script of a page."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
from numpy.typing import ArrayLike


def packed(values: ArrayLike, kind: str) -> str:
    """Numbers as little-endian binary in base 64; `kind`: "<f4" or "<u4"."""
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")

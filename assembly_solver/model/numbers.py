"""Check of numbers."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ..errors import BadValue
from ..foundations.geometry.pose import LARGEST, plain


def finite(value: Any, place: str, wanted: str = "a finite number") -> float:
    """A finite float from a number.

    Raises:
        BadValue: something else, or too large; `place` and `wanted` are named in the message.
    """
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise BadValue(place, value, wanted)
    if abs(value) > LARGEST:
        raise BadValue(place, value, f"a number of at most {LARGEST:g} in size")
    return float(value)

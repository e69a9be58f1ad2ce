"""Checks of given values."""

from __future__ import annotations

from math import isfinite
from sys import float_info
from typing import Any

from ..errors import BadValue
from ..foundations.geometry.pose import LARGEST, plain
from ..foundations.numerics.varied import as_float


def is_number(value: Any) -> bool:
    """Whether it is a number of Python that a float can hold; false for true and false."""
    if isinstance(value, float):
        return True
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= float_info.max


def finite(value: Any, place: str, wanted: str = "a finite number") -> float:
    """A finite float from a number.  Raises BadValue: something else, or too large; `place` and
    `wanted` are named in the message."""
    if value.__class__ is float and abs(value) <= LARGEST:
        return value
    value = plain(value)
    if isinstance(value, str) and value.startswith("="):
        wanted += "; formulas of parameters stand in files"
    if not is_number(value) or not isfinite(value):
        raise BadValue(place, value, wanted)
    if not abs(value) <= LARGEST:  # nor is one that varies, in cases in which it is no number
        raise BadValue(place, value, f"a number of at most {LARGEST:g} in size")
    return as_float(value)


def positive(value: Any, place: str, wanted: str = "a length above 0") -> float:
    """A `finite` number above 0; BadValue otherwise."""
    if finite(value, place, wanted) <= 0:
        raise BadValue(place, value, wanted)
    return as_float(value)


def not_negative(value: Any, place: str) -> float:
    """A `finite` number of at least 0; BadValue otherwise."""
    wanted = "a number of at least 0"
    if finite(value, place, wanted) < 0:
        raise BadValue(place, value, wanted)
    return as_float(value)


def not_zero(value: Any, place: str, wanted: str = "a finite number that is not 0") -> float:
    """A `finite` number other than 0; BadValue otherwise."""
    if finite(value, place, wanted) == 0:
        raise BadValue(place, value, wanted)
    return as_float(value)


def true_or_false(value: Any, place: str) -> bool:
    """The value; BadValue where it is not a truth value."""
    if not isinstance(value, bool):
        raise BadValue(place, value, "true or false")
    return value


def several(value: Any, count: int, place: str, wanted: str) -> Any:
    """The value, a list or a tuple of so many entries; BadValue otherwise."""
    if not isinstance(value, (list, tuple)) or len(value) != count:
        raise BadValue(place, value, wanted)
    return value

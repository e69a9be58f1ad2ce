"""Drivers: a joint coordinate or a pin-to-pin separation that is given a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import BadValue
from .mate import finite
from .quantity import Quantity


@dataclass(frozen=True, kw_only=True)
class Driver(Quantity):
    """What a motor or a cylinder imposes.  Degrees and mm.

    Attributes:
        value: what `solve` holds; None leaves the driver free.
        range: smallest and largest value that makes sense.
        law: as in the file; kept for motion.
    """

    value: float | None = None
    range: tuple[float, float] | None = None
    law: Any = None


def checked_range(value: tuple[float, float] | None, place: str) -> tuple[float, float] | None:
    """The smallest and the largest value, or the error."""
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise BadValue(place, value, "two numbers, smallest first")
    low, high = finite(value[0], place), finite(value[1], place)
    if low > high:
        raise BadValue(place, value, "two numbers, smallest first")
    return (low, high)

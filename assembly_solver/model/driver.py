"""Drivers: a joint coordinate or a pin-to-pin separation that is given a value."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from typing import Any

from ..errors import BadValue
from .mate import Equation, Reference, finite, holds, together


@dataclass(frozen=True, kw_only=True)
class Driver:
    """What a motor or a cylinder imposes.  Degrees and mm.

    Attributes:
        name: unique in its assembly.
        joint, coordinate: the mate's name and "angle" or "length"; or
        separation: two features whose origins are `value` apart.
        value: what `solve` holds; None leaves the driver free.
        range: smallest and largest value that makes sense.
        law: as in the file; kept for motion.
        equation: the driven measure with target 0, made when the driver is entered.
    """

    name: str
    joint: str | None = None
    coordinate: str | None = None
    separation: tuple[Reference, Reference] | None = None
    value: float | None = None
    range: tuple[float, float] | None = None
    law: Any = None
    equation: Equation

    @property
    def kind(self) -> str:
        """What the driver holds, in a word."""
        return self.coordinate or "separation"

    @property
    def unit(self) -> str:
        """Unit of its value."""
        return "deg" if self.coordinate == "angle" else "mm"

    def equations(self) -> tuple[Equation, ...]:
        """What a driver with a value imposes, in mm and rad; a separation of 0 is coincidence."""
        assert self.value is not None
        ((_, found),) = self.equation.terms
        if self.separation is not None and self.value == 0.0:
            return together(found.a, found.b)
        return (holds(found, radians(self.value) if self.unit == "deg" else self.value),)


def checked_value(driver: Driver, value: float | None, place: str) -> float | None:
    """The value, or the error that says what a driver of this kind can take."""
    if value is None:
        return None
    if driver.separation is None:
        return finite(value, place, f"a finite number ({driver.unit})")
    wanted = "a length of at least 0"
    if finite(value, place, wanted) < 0:
        raise BadValue(place, value, wanted)
    return float(value)


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

"""Drivers: quantities that are given a value, or a law over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...errors import BadValue, Contradiction
from ..laws.law import Law, law_of
from ..numbers import finite
from .quantity import Quantity


@dataclass(frozen=True, kw_only=True)
class Driver(Quantity):
    """What a motor or a cylinder imposes.  Degrees and mm.

    Attributes:
        value: what `solve` holds; None leaves the driver free.  Of a driver with a law it is that
            of the law at t = 0, or at the end of its table that is nearer to 0.
        range: smallest and largest value that makes sense.
        law: what it does over time; None: nothing, or one value.
    """

    value: float | None = None
    range: tuple[float, float] | None = None
    law: Law | None = None

    @property
    def moves(self) -> bool:
        """Whether time moves it."""
        return self.law is not None

    def held(self, value: Any, law: Any, parameters: Any, place: str) -> Driver:
        """This driver with a value, or with a law, of which at most one is given."""
        if value is not None and law is not None:
            raise Contradiction(place, "value", "law")
        if law is None:
            return replace(self, value=self.checked(value, f"{place}.value"), law=None)
        given = law_of(law, f"{place}.law", parameters)
        start = float(given.at(given.start)[0])
        return replace(self, value=self.checked(start, f"{place}.law"), law=given)


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

"""Drivers: quantities with a prescribed value, or a law over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...errors import BadValue, Contradiction
from ..laws.law import Law, law_of
from ..numbers import finite, several
from .quantity import Quantity


@dataclass(frozen=True, kw_only=True)
class Driver(Quantity):
    """A prescribed quantity, as that of a motor or a cylinder.  Degrees and mm.

    Attributes:
        value: prescribed by `solve`; None leaves the quantity free.  With a law it is that of the
            law at t = 0, or at the end of its table that is nearer to 0.
        range: smallest and largest useful value.
        law: the value over time; None for a constant or no value.
    """

    value: float | None = None
    range: tuple[float, float] | None = None
    law: Law | None = None

    @property
    def moves(self) -> bool:
        """Whether its value follows a law over time."""
        return self.law is not None

    def held(self, value: Any, law: Any, parameters: Any, place: str) -> Driver:
        """This driver with a value, or with a law (see `law_of`).

        Raises Contradiction: both are given; BadValue: the quantity cannot have the value.
        UnknownName, MissingKey, BadExpression, NotFinite: as the law.
        """
        if value is not None and law is not None:
            raise Contradiction(place, "value", "law")
        if law is None:
            return replace(self, value=self.checked(value, f"{place}.value"), law=None)
        parsed = law_of(law, f"{place}.law", parameters)
        return replace(self, value=self.checked(parsed.initial, f"{place}.law"), law=parsed)


def checked_range(value: tuple[float, float] | None, place: str) -> tuple[float, float] | None:
    """The smallest and the largest value; BadValue for other than two numbers in order."""
    if value is None:
        return None
    wanted = "two numbers, smallest first"
    low, high = (finite(v, place) for v in several(value, 2, place, wanted))
    if low > high:
        raise BadValue(place, value, wanted)
    return (low, high)

"""Limits: bounds of a joint coordinate or another quantity."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import BadValue, MissingKey
from .quantity import Quantity

HALF_TURN = 180.0


@dataclass(frozen=True, kw_only=True)
class Limit(Quantity):
    """A limit of travel, degrees or mm; one of the two bounds, `min` and `max`, may be absent.

    An angle is determined up to whole turns; they are those that values of drivers imply, if any.
    Otherwise the angle is within half a turn of the middle of the two bounds, so that 0 to 270 is a
    valid range; with one bound between -180 and 180 degrees.  Without a driver, bounds that differ
    by a whole turn or more have no effect.  `implied`: it follows from a mate, as from a slot.
    """

    min: float | None = None
    max: float | None = None
    implied: bool = False

    def bound(self, upper: bool) -> float:
        """The upper or the lower bound; it must exist."""
        value = self.max if upper else self.min
        assert value is not None
        return value

    @property
    def middle(self) -> float:
        """Middle of the two bounds, 0 where one is absent."""
        return 0.0 if self.min is None or self.max is None else 0.5 * (self.min + self.max)

    def check(self, place: str) -> None:
        """Raise where the bounds are invalid.

        Raises MissingKey: both are absent; BadValue: `min` above `max`, a value that the quantity
        cannot have, or a single bound of an angle beyond half a turn.
        """
        if self.min is None and self.max is None:
            raise MissingKey(place, "a limit without 'max'", "min")
        for key in ("min", "max"):
            self.checked(getattr(self, key), f"{place}.{key}")
        if self.min is not None and self.max is not None:
            if self.min > self.max:
                raise BadValue(f"{place}.max", self.max, f"at least {self.min:g}, the min")
            return
        key = "max" if self.min is None else "min"
        alone = getattr(self, key)
        if self.unit == "deg" and abs(alone) > HALF_TURN:
            wanted = "between -180 and 180 where the other bound is absent"
            raise BadValue(f"{place}.{key}", alone, wanted)

"""Limits: what a joint coordinate or a separation may be at the least and at the most."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import BadValue, MissingKey
from .quantity import Quantity

HALF_TURN = 180.0


@dataclass(frozen=True, kw_only=True)
class Limit(Quantity):
    """A stop.  Degrees and mm; one of the two bounds may be absent.

    An angle is known but for whole turns, which the value of its driver tells if it has one.  Else
    it is read in the turn whose middle is that of the two bounds, so that 0 to 270 is a range like
    any other; where only one bound is given, between -180 and 180 degrees.  Bounds a whole turn or
    more apart stop nothing that is not driven.

    Attributes:
        min, max: the bounds; implied: whether a mate has it by itself, as a slot its ends.
    """

    min: float | None = None
    max: float | None = None
    implied: bool = False

    def bound(self, upper: bool) -> float:
        """The upper or the lower bound, which has to be there."""
        value = self.max if upper else self.min
        assert value is not None
        return value

    @property
    def middle(self) -> float:
        """Middle of the two bounds, 0 where one is absent."""
        return 0.0 if self.min is None or self.max is None else 0.5 * (self.min + self.max)

    def check(self, place: str) -> None:
        """Raise where the bounds have no meaning."""
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

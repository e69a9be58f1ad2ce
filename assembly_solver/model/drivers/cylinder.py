"""Hydraulic cylinders between two pins."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ...errors import BadValue
from ..mate import Reference
from ..numbers import positive

SIZES = ("closed", "stroke", "bore", "rod", "pressure")


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """A cylinder from pin to pin: a driver and a limit of its name, and its forces.

    Attributes:
        pins: the features between whose origins it acts.
        closed: shortest length from pin to pin, mm; stroke: mm.
        bore, rod: diameters, mm; pressure: MPa; None where not given.
    """

    name: str
    pins: tuple[Reference, Reference]
    closed: float
    stroke: float
    bore: float | None = None
    rod: float | None = None
    pressure: float | None = None

    @property
    def sizes(self) -> dict[str, float]:
        """The sizes that were given, by key: mm and MPa."""
        sizes = {key: getattr(self, key) for key in SIZES}
        return {key: value for key, value in sizes.items() if value is not None}

    @property
    def range(self) -> tuple[float, float]:
        """Shortest and longest length, mm."""
        return (self.closed, self.closed + self.stroke)

    @property
    def push(self) -> float | None:
        """The pushing force at full pressure, N; None without bore and pressure."""
        if self.bore is None or self.pressure is None:
            return None
        return self.pressure * pi / 4.0 * self.bore**2

    @property
    def pull(self) -> float | None:
        """The pulling force, N: on the bore area less that of the rod; None without all three."""
        if self.bore is None or self.pressure is None or self.rod is None:
            return None
        return self.pressure * pi / 4.0 * (self.bore**2 - self.rod**2)

    def check(self, place: str) -> None:
        """Raise BadValue where a size is not above 0, or sizes contradict each other."""
        for key, value in {**self.sizes, "closed": self.closed, "stroke": self.stroke}.items():
            positive(value, f"{place}.{key}", "above 0")
        if self.rod is not None and (self.bore is None or self.rod >= self.bore):
            raise BadValue(f"{place}.rod", self.rod, "less than the bore")
        if self.pressure is not None and self.bore is None:
            raise BadValue(f"{place}.pressure", self.pressure, "given with a bore")

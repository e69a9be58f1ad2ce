"""Drivers: a joint coordinate or a pin-to-pin separation that is given a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .mate import Equation, Reference


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

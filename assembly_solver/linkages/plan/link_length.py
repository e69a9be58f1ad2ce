"""A length between two points of a linkage that may depend on an actuator."""

from __future__ import annotations

from typing import NamedTuple

CONSTANT, DRIVEN, HINGED = range(3)
"""Kinds of radii: |first|, |first + second value|, |first + second e^{i value}|."""


class Radius(NamedTuple):
    """A length, mm: constant or by the value of an actuator, as its kind says."""

    kind: int
    actuator: int
    first: complex
    second: complex

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Both complex numbers as four reals, for compiled code."""
        return (self.first.real, self.first.imag, self.second.real, self.second.imag)

    @property
    def turning(self) -> tuple[int, ...]:
        """Actuators whose e^{i value} is read."""
        return (self.actuator,) if self.kind == HINGED else ()


def constant(length: float) -> Radius:
    """A link of fixed length, mm."""
    return Radius(CONSTANT, 0, complex(length), 0j)


def driven(actuator: int, first: complex = 0j, second: complex = 1 + 0j) -> Radius:
    """|first + second value|: a cylinder, its pins offset from its line by the numbers."""
    return Radius(DRIVEN, actuator, first, second)


def hinged(actuator: int, first: complex, second: complex) -> Radius:
    """|first + second e^{i value}|: two links on one pin with a driven angle between them."""
    return Radius(HINGED, actuator, first, second)

"""What tolerances allow: how the deviations of their variables are spread, and their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array
from ..model.tolerances.tolerance import Tolerance

VARIANCE = {
    ("uniform", 1): 1 / 3,
    ("uniform", 2): 1 / 4,
    ("uniform", 3): 1 / 5,
    ("triangular", 1): 1 / 6,
    ("triangular", 2): 3 / 20,
    ("triangular", 3): 2 / 15,
}
"""Variance of a coordinate in an interval, a disc and a ball of radius 1, by the distribution: of
a density that is constant, and of one that falls in proportion to the radius."""

DIRECTIONS = 16
"""Directions across an axis in which extremes are looked for."""

GRID = np.linspace(0.0, 1.0, 4097)


@dataclass(frozen=True)
class Spread:
    """The deviations that one tolerance allows: an interval, or a disc or a ball about 0.

    Attributes:
        tolerance: its name; first, count: of its variables.
        middle: of the interval; radius: half of it, or of the zone; mm or degrees.
        distribution, sigma: as those of `Tolerance`.
    """

    tolerance: str
    first: int
    count: int
    middle: float
    radius: float
    distribution: str
    sigma: float

    @property
    def deviation(self) -> float:
        """The standard deviation of each variable, mm or degrees."""
        if self.distribution == "normal":
            return self.radius / self.sigma
        return self.radius * sqrt(VARIANCE[self.distribution, self.count])

    @property
    def own(self) -> slice:
        """Its variables among all."""
        return slice(self.first, self.first + self.count)

    def draw(self, uniform: Array) -> Array:
        """Deviations, (samples, count), from numbers uniform in 0 to 1 of that shape."""
        u = np.clip(uniform, 2.0**-53, 1.0 - 2.0**-53)
        if self.distribution == "normal":
            from scipy.special import ndtri  # a check without tolerances needs none

            drawn: Array = self.radius / self.sigma * ndtri(u)
        elif self.count == 1:
            drawn = self.radius * (_triangle(u) if self.distribution == "triangular" else 2 * u - 1)
        else:
            drawn = self.radius * self._size(u[:, :1]) * _unit_vectors(u[:, 1:])
        return self.middle + drawn

    def _size(self, u: Array) -> Array:
        """Radii in the unit disc or ball from their distribution function."""
        n = self.count
        if self.distribution == "uniform":
            return np.asarray(u ** (1.0 / n))
        return np.interp(u, (n + 1) * GRID**n - n * GRID ** (n + 1), GRID)

    def extremes(self, slope: Array) -> Array:
        """Deviations, (k, count), at and between which extremes are looked for.

        Args:
            slope: derivative by its variables, (count,): its direction is among them.
        """
        if self.count == 1:
            shares = np.linspace(-1.0, 1.0, 5)
            return self.middle + self.radius * shares[:, None]
        size = float(np.linalg.norm(slope))
        along = slope / size if size > 0.0 else np.eye(self.count)[0]
        around = np.arange(DIRECTIONS) / DIRECTIONS
        if self.count == 2:
            unit = _unit_vectors(around[:, None])
        else:
            golden = np.mod(np.arange(DIRECTIONS) * 0.5 * (sqrt(5) - 1), 1.0)
            unit = _unit_vectors(np.stack([around + 0.5 / DIRECTIONS, golden], axis=1))
        zero = np.zeros((1, self.count))
        return self.radius * np.concatenate([zero, along[None], -along[None], unit])

    def is_end(self, place: Array, slope: Array) -> bool:
        """Whether a place is at the border of the zone, and the slope points straight outward."""
        off = place - self.middle
        outward = float(off @ slope) >= (1.0 - ROUNDING) * self.radius * float(
            np.linalg.norm(slope)
        )
        return bool(slope.any()) and outward

    def about(self, place: Array, share: float) -> Array:
        """Deviations, (k, count), each by a share of the radius beside a place, in the zone."""
        steps = share * self.radius * np.eye(self.count)
        off = np.concatenate([place + steps, place - steps]) - self.middle
        far = np.linalg.norm(off, axis=1, keepdims=True) / self.radius
        out: Array = self.middle + off / np.maximum(far, 1.0)
        return out


def drawn(spreads: Sequence[Spread], uniform: Array) -> Array:
    """Deviations of all variables from numbers uniform in 0 to 1, (samples, variables)."""
    return np.concatenate([s.draw(uniform[:, s.own]) for s in spreads], axis=1)


def linear_spread(nominal: float, slopes: Array, spreads: Sequence[Spread]) -> dict[str, float]:
    """Mean and standard deviation of the linear model: the root of the sum of squares."""
    shift = sum(float(slopes[s.own].sum()) * s.middle for s in spreads)
    variance = sum(float(slopes[s.own] @ slopes[s.own]) * s.deviation**2 for s in spreads)
    return {"mean": nominal + shift, "std": sqrt(variance)}


def _triangle(u: Array) -> Array:
    """-1 to 1, densest at 0, from its distribution function."""
    low = np.sqrt(2.0 * u) - 1.0
    return np.where(u < 0.5, low, 1.0 - np.sqrt(2.0 * (1.0 - u)))


def _unit_vectors(u: Array) -> Array:
    """Directions in a plane or in space from one or two numbers, 0 to 1, uniformly."""
    turn = 2.0 * pi * u[:, -1]
    flat = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    if u.shape[1] == 1:
        return flat
    height = 2.0 * u[:, :1] - 1.0
    return np.concatenate([np.sqrt(1.0 - height**2) * flat, height], axis=1)


def spreads_of(tolerances: Sequence[tuple[Tolerance, int]]) -> list[Spread]:
    """The spreads of tolerances, each with the number of its variables, in their order."""
    out: list[Spread] = []
    first = 0
    for t, count in tolerances:
        for n, middle, radius in _zones(t, count):
            kind = "uniform" if t.joint is not None else t.distribution
            out.append(Spread(t.name, first, n, middle, radius, kind, t.sigma))
            first += n
    return out


def _zones(t: Tolerance, count: int) -> list[tuple[int, float, float]]:
    """Number of variables, middle and radius of each interval or zone of a tolerance."""
    if t.joint is not None:
        assert t.radial is not None
        return [(2, 0.0, t.radial)] * (count // 2)
    if t.feature is None:
        return [(1, 0.5 * (t.plus - t.minus), 0.5 * (t.plus + t.minus))]
    zones = []
    if t.position is not None:
        zones.append((count - 2 * (t.angle is not None), 0.0, 0.5 * t.position))
    if t.angle is not None:
        zones.append((2, 0.0, t.angle))
    return zones

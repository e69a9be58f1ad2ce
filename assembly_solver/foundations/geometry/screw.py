"""Screws: the axis and the pitch of an instantaneous rigid motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array

SLIDE = 1e-9
"""Turning below this share of the sliding (rad per mm of reach) is no turning."""


@dataclass(frozen=True, eq=False)
class Screw:
    """An instantaneous motion: "rotation", "translation" or "screw".

    Attributes:
        point: a point of the axis, mm; direction: unit vector along it.
        pitch: slide for each full turn, mm.
    """

    kind: str
    point: Array
    direction: Array
    pitch: float

    @property
    def turns(self) -> bool:
        """Whether it turns at all."""
        return self.kind != "translation"

    @property
    def twist(self) -> Array:
        """Velocity of the world's origin, mm, and spin, for a turn of 1 rad or a slide of 1 mm."""
        if not self.turns:
            return np.concatenate([self.direction, np.zeros(3)])
        slide = self.pitch / (2 * np.pi) * self.direction
        return np.concatenate([slide + np.cross(self.point, self.direction), self.direction])


def screw_of(velocity: Array, spin: Array, at: Array) -> Screw:
    """The screw of a twist.

    Args:
        velocity: of the point `at`, shape (3,), mm; spin: shape (3,), rad.

    Source: Mozzi; the axis passes `at + spin x velocity / |spin|^2`.
    """
    size = float(np.linalg.norm(spin))
    speed = float(np.linalg.norm(velocity))
    if size <= SLIDE * max(speed, 1e-300):
        direction = velocity / speed if speed else np.array([0.0, 0.0, 1.0])
        return Screw("translation", at.copy(), _canonical(direction), 0.0)
    direction = spin / size
    point = at + np.cross(spin, velocity) / size**2
    pitch = float(2 * np.pi * (velocity @ direction) / size)
    reach = speed / size + 1.0
    kind = "rotation" if abs(pitch) < 1e-6 * reach else "screw"
    return Screw(kind, point, _canonical(direction), 0.0 if kind == "rotation" else pitch)


def _canonical(direction: Array) -> Array:
    """The same line with its largest component positive."""
    k = int(np.argmax(np.abs(direction) > np.abs(direction).max() - 1e-9))
    return direction if direction[k] >= 0 else -direction

"""Screw axis and pitch of an instantaneous rigid motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numerics.rounding import AGREEMENT
from ..types import Array


@dataclass(frozen=True, eq=False)
class ScrewAxis:
    """An instantaneous rigid motion, in the world.

    Attributes:
        kind: "rotation", "translation" or "screw".
        point: a point of the axis, mm; direction: unit vector along it.
        pitch: translation for each full turn, mm; 0 for a rotation and for a translation.
    """

    kind: str
    point: Array
    direction: Array
    pitch: float

    @property
    def turns(self) -> bool:
        """Whether it has an angular velocity."""
        return self.kind != "translation"

    @property
    def twist(self) -> Array:
        """Velocity of the world's origin and angular velocity, for 1 rad or 1 mm of translation."""
        if not self.turns:
            return np.concatenate([self.direction, np.zeros(3)])
        slide = self.pitch / (2 * np.pi) * self.direction
        return np.concatenate([slide + np.cross(self.point, self.direction), self.direction])


def screw_of(velocity: Array, spin: Array, at: Array) -> ScrewAxis:
    """The screw axis of a twist, in the world: velocity of the point `at`, mm, and spin, rad.

    Source: Mozzi; the axis passes through `at + spin x velocity / |spin|^2`.
    """
    size, speed = float(np.linalg.norm(spin)), float(np.linalg.norm(velocity))
    if size <= AGREEMENT * max(speed, 1e-300):
        direction = velocity / speed if speed else np.array([0.0, 0.0, 1.0])
        return ScrewAxis("translation", at.copy(), _canonical(direction), 0.0)
    direction = spin / size
    point = at + np.cross(spin, velocity) / size**2
    pitch = float(2 * np.pi * (velocity @ direction) / size)
    reach = speed / size + 1.0
    kind = "rotation" if abs(pitch) < 1e-6 * reach else "screw"
    return ScrewAxis(kind, point, _canonical(direction), 0.0 if kind == "rotation" else pitch)


def _canonical(direction: Array) -> Array:
    """The same line with its largest component positive."""
    k = int(np.argmax(np.abs(direction) > np.abs(direction).max() - 1e-9))
    return direction if direction[k] >= 0 else -direction

"""The plane of motion of a linkage: points of space as x + iy in it, and motions back to space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Complexes


@dataclass(frozen=True, eq=False)
class MotionPlane:
    """Directions of a plane through the origin of the world.

    Attributes:
        x, y: unit directions in the world, to the right and up; normal: toward the viewer.
    """

    x: Array
    y: Array
    normal: Array

    @classmethod
    def across(cls, normal: Array) -> MotionPlane:
        """The plane normal to a direction: by the world's x and y if these lie in it, else z up."""
        n = np.array(normal, float)
        if 1.0 - abs(n[2]) < AGREEMENT:
            return cls(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0]))
        up = np.array([0, 0, 1.0]) - n[2] * n
        up /= np.linalg.norm(up)
        right = np.cross(up, n)
        if right[np.argmax(np.abs(right))] < 0:
            right, n = -right, -n
        return cls(right, up, n)

    def to_plane(self, vector: Array) -> complex:
        """A point, mm, or a direction, of the world as x + iy in the plane."""
        return complex(vector @ self.x, vector @ self.y)

    def along(self, direction: Array) -> bool:
        """Whether a unit direction is parallel to the normal."""
        return bool(1.0 - abs(float(direction @ self.normal)) < AGREEMENT)

    def contains(self, direction: Array) -> bool:
        """Whether a unit direction lies in the plane."""
        return bool(abs(float(direction @ self.normal)) < AGREEMENT)

    def moved(self, frames: Array, pivot: complex, to: Complexes, turn: Complexes) -> Array:
        """Frames after motions in the plane, (states, frames, 12).

        Args:
            frames: (frames, 12), mm; pivot: a point that moves with them, mm.
            to, turn: (states,), its new positions, mm, and rotations about it, unit numbers.
        """
        vectors = frames.reshape(-1, 4, 3)
        projected = vectors @ self.x + 1j * (vectors @ self.y)
        projected[:, 0] -= pivot
        displaced = (turn - 1.0)[:, None, None] * projected
        displaced[:, :, 0] += (to - pivot)[:, None]
        shift = displaced.real[..., None] * self.x + displaced.imag[..., None] * self.y
        out: Array = (vectors + shift).reshape(len(to), len(frames), 12)
        return out

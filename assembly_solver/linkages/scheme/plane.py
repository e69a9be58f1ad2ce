"""The plane that a linkage moves in: points of space seen in it as x + iy, and motions back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.types import Array, Complexes

ALONG = 1e-9
"""How far from 1 or 0 a cosine may be for a direction to count as along or across another."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A direction of view with the origin of the world.

    Attributes:
        x, y: unit directions in the world, to the right and up; normal: toward the viewer.
    """

    x: Array
    y: Array
    normal: Array

    @classmethod
    def across(cls, normal: Array) -> Plane:
        """The plane across a direction: the world's x and y where these lie in it, else z is up."""
        n = np.array(normal, float)
        if 1.0 - abs(n[2]) < ALONG:
            return cls(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0]))
        up = np.array([0, 0, 1.0]) - n[2] * n
        up /= np.linalg.norm(up)
        right = np.cross(up, n)
        if right[np.argmax(np.abs(right))] < 0:
            right, n = -right, -n
        return cls(right, up, n)

    def see(self, vector: Array) -> complex:
        """A point, or a direction, of the world as it is seen, mm."""
        return complex(vector @ self.x, vector @ self.y)

    def along(self, direction: Array) -> bool:
        """Whether a unit direction is that of the normal, or its opposite."""
        return bool(1.0 - abs(float(direction @ self.normal)) < ALONG)

    def holds(self, direction: Array) -> bool:
        """Whether a unit direction lies in the plane."""
        return bool(abs(float(direction @ self.normal)) < ALONG)

    def moved(self, frames: Array, pivot: complex, to: Complexes, turn: Complexes) -> Array:
        """Frames after motions in the plane, (states, frames, 12).

        Args:
            frames: (frames, 12), mm.
            pivot: a point that moves with them; to: (states,), where it goes, mm.
            turn: (states,), unit numbers: by what they turn about it.
        """
        vectors = frames.reshape(-1, 4, 3)
        seen = vectors @ self.x + 1j * (vectors @ self.y)
        seen[:, 0] -= pivot
        gone = (turn - 1.0)[:, None, None] * seen
        gone[:, :, 0] += (to - pivot)[:, None]
        shift = gone.real[..., None] * self.x + gone.imag[..., None] * self.y
        out: Array = (vectors + shift).reshape(len(to), len(frames), 12)
        return out

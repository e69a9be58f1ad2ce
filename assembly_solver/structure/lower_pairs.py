"""Which lower pair a null space of twists is: one rotation a hinge, one translation a slider.

Null vectors have six numbers: the velocity of the body's centre, mm, and its rotation times the
characteristic length, mm, both along the world's axes.

Source: docs/theory/decomposition.md, 2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    FREE,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array

TRIAL_MOTIONS = {
    REVOLUTE: np.array([0, 0, 0, 0, 0, 1.1]),
    PRISMATIC: np.array([0, 0, 0.4, 0, 0, 0]),
    CYLINDRICAL: np.array([0, 0, 0.4, 0, 0, 1.1]),
    SPHERICAL: np.array([0, 0, 0, 0.7, -0.9, 1.1]),
    PLANAR: np.array([0.3, -0.5, 0, 0, 0, 1.1]),
}
"""A finite motion along each lower pair, in units of the characteristic length and rad."""

Z = np.array([0.0, 0.0, 1.0])


def lower_pair(basis: Array, centre: Array, length: float) -> tuple[int, Array]:
    """The kind of `nearest_motion` with these free twists, and its frame in the world: z its axis.

    Args:
        basis: orthonormal null vectors as columns, shape (6, freedoms).
        centre: of the body, in the world, mm; length: the characteristic length, mm.
    """
    rotations, slides = _separate(basis)
    spins, count = rotations.shape[1], basis.shape[1]
    if count == 0:
        return FIXED, frame_along(centre, Z)
    if count == 6:
        return FREE, frame_along(centre, Z)
    if spins == 0 and count == 1:
        return PRISMATIC, frame_along(centre, slides[:, 0])
    if spins == 1 and count <= 3:
        return _about_one_axis(rotations[:, 0], slides, centre, length)
    if spins == 3 and count == 3:
        return _about_one_point(rotations, centre, length)
    return GENERAL, frame_along(centre, Z)


def _separate(basis: Array) -> tuple[Array, Array]:
    """Twists with orthonormal rotations (6, spins), and orthonormal translations (3, slides)."""
    if basis.shape[1] == 0:
        return np.empty((6, 0)), np.empty((3, 0))
    _, sizes, right = np.linalg.svd(basis[3:])
    spins = int(np.sum(sizes > FAINT))
    rotated = basis @ right.T
    slides = rotated[:3, spins:]
    if slides.shape[1] > 1:
        slides = np.linalg.qr(slides)[0]
    elif slides.shape[1]:
        slides = slides / sqrt(slides[:, 0] @ slides[:, 0])
    return rotated[:, :spins] / sizes[:spins], slides


def _about_one_axis(
    rotation: Array, slides: Array, centre: Array, length: float
) -> tuple[int, Array]:
    """Revolute, cylindrical or planar: one rotation, with the slides along or across its axis."""
    axis = rotation[3:]
    cosine = 1.0 if slides.shape[1] == 1 else 0.0
    velocity = rotation[:3] - slides @ (slides.T @ rotation[:3])  # without that of the slides
    oblique = np.any(np.abs(np.abs(slides.T @ axis) - cosine) > FAINT)
    if oblique or abs(velocity @ axis) > FAINT:
        return GENERAL, frame_along(centre, axis)
    point = centre if slides.shape[1] == 2 else centre + length * cross(axis, velocity)
    return (REVOLUTE, CYLINDRICAL, PLANAR)[slides.shape[1]], frame_along(point, axis)


def _about_one_point(rotations: Array, centre: Array, length: float) -> tuple[int, Array]:
    """Spherical: the rotations w_k move the centre by w_k x (centre - q) for one point q.

    With orthonormal w_k, sum of w_k x v_k = 2 (q - centre); the misfit decides whether q exists.
    """
    v, w = rotations[:3].T, rotations[3:].T
    q = 0.5 * np.cross(w, v).sum(axis=0)
    kind = SPHERICAL if np.abs(np.cross(q, w) - v).max() <= FAINT else GENERAL
    return kind, frame_along(centre + length * q, Z)


def frame_along(point: Array, z: Array) -> Array:
    """A frame of 12 numbers with this origin and this unit z; x is arbitrary but reproducible."""
    k = int(np.argmin(np.abs(z)))
    x = -z[k] * z
    x[k] += 1.0
    x /= sqrt(x @ x)
    return np.concatenate([point, x, cross(z, x), z])


def cross(a: Array, b: Array) -> Array:
    """Vector product of two vectors; numpy's own costs twenty times as much."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])

"""The rotation nearest to a matrix that is nearly one.

Matrices in files are rounded, or scaled and skewed a little.  A quaternion read off such a matrix
depends on which of its components is the largest; that of the nearest rotation does not.

Source: Higham, Computing the Polar Decomposition - with Applications, SIAM J. Sci. Stat. Comput. 7
(1986): the orthogonal factor is the nearest orthogonal matrix in the Frobenius norm; here by the
iteration of Newton and Schulz, which squares the distance in each step.
"""

from __future__ import annotations

import numpy as np

from ...errors import NotARotation
from ..numerics.rounding import AGREEMENT, UNIT
from ..types import Array

STRETCH = 1e-3
"""A setting: largest share by which a matrix may stretch or shorten a length and still mean a
rotation."""

STEPS, ORTHOGONAL = 4, UNIT
"""Steps of the iteration, three of which take `STRETCH` to rounding; where it ends earlier."""


def nearest_rotation(matrix: Array, place: str) -> Array:
    """The rotation nearest to a matrix, shape (3, 3).

    Raises:
        NotARotation: it stretches some length by more than `STRETCH` of it, or mirrors; `place` is
            in the message.
    """
    sizes = np.linalg.svd(matrix, compute_uv=False)
    with np.errstate(over="ignore", invalid="ignore"):
        mirrored = bool(np.linalg.det(matrix) < 0.0)
    stretch = float(np.abs(sizes - 1.0).max())
    largest = STRETCH * (1.0 + AGREEMENT)  # a matrix scaled by 1.001 is off by 0.001 and a little
    if mirrored or stretch > largest:
        raise NotARotation(place, stretch, STRETCH, mirrored)
    rotation = np.array(matrix, float)
    for _ in range(STEPS):
        off = rotation.T @ rotation - np.eye(3)
        if np.abs(off).max() < ORTHOGONAL:  # exact numbers stay as they are
            break
        rotation -= 0.5 * rotation @ off
    return rotation

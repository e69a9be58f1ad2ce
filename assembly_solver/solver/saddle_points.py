"""Directions off a saddle point, where the residuals are stationary, not zero and not minimal.

A chain stretched along a line is an example: every gradient acts along the line, and a descent
never leaves it.  The residuals decrease along the direction of the most negative curvature.
"""

from __future__ import annotations

import numpy as np

from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from .local_coordinates import LocalCoordinates

AWAY = 0.1
"""Length of a step off, relative to the same: 6 degrees, well clear of the saddle."""


def directions_off_saddle(local: LocalCoordinates) -> list[Array]:
    """Local coordinates of a point to either side of a saddle; empty where it is no saddle."""
    length = local.plan.system.length
    step = FAINT * length
    n = local.size
    curvature = np.empty((n, n))
    for k, x in enumerate(step * np.eye(n)):
        curvature[k] = (_gradient(local, x) - _gradient(local, -x)) / (2 * step)
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
    if values[0] >= -FAINT * np.abs(values).max():
        return []
    direction = vectors[:, 0] / np.abs(vectors[:, 0]).max()
    direction *= np.sign(direction[np.argmax(np.round(np.abs(direction), 6))])
    return [AWAY * length * direction, -AWAY * length * direction]


def _gradient(local: LocalCoordinates, x: Array) -> Array:
    """Gradient of half the sum of squared residuals."""
    out: Array = local.jacobian(x).T @ local.residual(x)
    return out

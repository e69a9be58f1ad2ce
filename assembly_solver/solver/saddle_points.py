"""Ways off a saddle: where residuals have no slope and are not zero, but fall to either side.

A chain that lies stretched on a line is one: every pull acts along the line, and a descent never
leaves it.  The residuals fall along the direction of the most negative curvature.
"""

from __future__ import annotations

import numpy as np

from ..foundations.types import Array
from .local_coordinates import Chart

PROBE = 1e-4
"""Difference at which slopes are compared, relative to the characteristic length."""

AWAY = 0.1
"""How far a way leads off, relative to the same: 6 degrees, well clear of the saddle."""

CURVED = 1e-6
"""A curvature above this, relative to the largest one, is rounding."""


def ways_off(chart: Chart) -> list[Array]:
    """Coordinates in a chart about a saddle, one to either side; none where it is no saddle."""
    length = chart.plan.system.length
    step = PROBE * length
    n = chart.size
    curvature = np.empty((n, n))
    for k, x in enumerate(step * np.eye(n)):
        curvature[k] = (_slope(chart, x) - _slope(chart, -x)) / (2 * step)
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
    if values[0] >= -CURVED * np.abs(values).max():
        return []
    way = vectors[:, 0] / np.abs(vectors[:, 0]).max()
    way *= np.sign(way[np.argmax(np.round(np.abs(way), 6))])
    return [AWAY * length * way, -AWAY * length * way]


def _slope(chart: Chart, x: Array) -> Array:
    """Gradient of half the sum of squared residuals."""
    out: Array = chart.jacobian(x).T @ chart.residual(x)
    return out

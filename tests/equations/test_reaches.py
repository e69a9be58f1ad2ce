"""Reaches: the distance to the farthest of many features, against all distances."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.equations.reaches import farthest
from assembly_solver.foundations.types import Array

pytestmark = pytest.mark.quick


def cloud(kind: str, rng: np.random.Generator) -> Array:
    """Many points: in a ball, on a sphere, on a line, or all in one place."""
    points = rng.normal(size=(400, 3))
    if kind == "sphere":
        points /= np.linalg.norm(points, axis=1)[:, None]
    if kind == "line":
        points = np.outer(points[:, 0], (1.0, 2.0, 2.0))
    return points[:1].repeat(400, axis=0) if kind == "one place" else points


@pytest.mark.parametrize("kind", ["ball", "sphere", "line", "one place"])
def test_the_farthest_of_many_points_is_found(kind: str) -> None:
    rng = np.random.default_rng(5)
    points = 100.0 * cloud(kind, rng) + (300, -200, 50)
    places = np.concatenate([points, points.mean(axis=0)[None], 1e3 * rng.normal(size=(50, 3))])
    wanted = np.linalg.norm(places[:, None] - points, axis=2).max(axis=1)
    np.testing.assert_allclose(farthest(places, points), wanted, rtol=1e-13)

"""Reaches: the distance to the farthest of many features, against all distances."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.reaches import farthest
from assembly_solver.equations.system import compile_system
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


def lever(height: float, tolerance: float) -> asm.Assembly:
    """A lever of 50 mm on a hinge as high, asked to stand at 30 and at 32 degrees."""
    a = asm.Assembly("lever", tolerance=tolerance)
    pin, far = asm.Axis((0, 0, 0), "z"), asm.Plane((0, 0, height), "z")
    a.add("base", features={"pin": pin, "seat": far}, grounded=True)
    a.add("lever", features={"pin": pin, "foot": far, "tip": asm.Point((50, 0, 0))})
    a.mate("coaxial", "base.pin", "lever.pin", name="hinge")
    a.mate("coplanar", "base.seat", "lever.foot", name="seat")
    for value in (30, 32):
        a.mate("angle", "base.x", "lever.x", about="base.pin", value=value, name=f"at {value}")
    return a


@pytest.mark.parametrize("height", [0.0, 1.0, 20.0])
@pytest.mark.parametrize("tolerance", [0.6, 0.88, 1.5, 3.0])
def test_angles_that_disagree_are_judged_at_the_reach_of_a_lever(
    height: float, tolerance: float
) -> None:
    solution = asm.solve(lever(height, tolerance))
    least = 50 * np.radians(1)  # each angle is off by one degree
    assert bool(solution) == (least <= tolerance)
    if solution:
        worst = max(m["residual_deg"] for m in solution.to_dict()["mates"])
        assert worst == pytest.approx(1.0, abs=1e-6)  # least squares
        assert solution.sentence.endswith("redundant equations that disagree by up to 2 deg")
        assert [m["sense"] for m in solution.to_dict()["mates"][:2]] == ["aligned", "aligned"]


def test_angles_are_scaled_by_features_without_mates_too() -> None:
    a = lever(0.0, 1e-4)
    a.add("cover", features={"far": asm.Point((9000, 0, 0))})  # no mate: it counts for nothing
    assert compile_system(a).length == pytest.approx(np.sqrt(50**2 / 5))  # of 2 + 3 features

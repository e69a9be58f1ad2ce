"""Distances of round bars against closed forms, and against projections in turn."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.geometry.round_bars import (
    RoundBar,
    bar_to_bar,
    bar_to_point,
    bar_to_triangles,
)

pytestmark = pytest.mark.quick

X, Y, Z = np.eye(3)


def bar(
    middle: object, axis: np.ndarray, half: float, radius: float, bore: float = 0.0
) -> RoundBar:
    return RoundBar(np.array(middle, float), axis, half, radius, bore)


def apart(points: np.ndarray) -> float:
    return float(np.linalg.norm(points[0] - points[1]))


PIN = bar((0, 0, 0), Z, 10.0, 3.0)


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        (bar((12, 0, 4), Z, 10.0, 4.0), 5.0),  # side by side
        (bar((3, 4, 25), Z, 10.0, 4.0), 5.0),  # end to end
        (bar((10, 0, 24), Z, 10.0, 4.0), 5.0),  # rim to rim: 3 beside and 4 above
        (bar((12, 0, 0), Y, 10.0, 4.0), 5.0),  # sides that cross
        (bar((18, 0, 0), X, 10.0, 4.0), 5.0),  # an end before a side
        (bar((0, 0, 19), X, 10.0, 4.0), 5.0),  # a side above an end
        (bar((0, 5, 30), np.array([0, 0.6, 0.8]), 10.0, 2.5), 10.5),  # a rim above an end
        (bar((5, 0, 0), Y, 10.0, 4.0), 0.0),
        (bar((0.5, 0, 0), Z, 1.0, 1.0), 0.0),
    ],
)
def test_bars_are_as_far_apart_as_they_are(other: RoundBar, wanted: float):
    assert apart(bar_to_bar(PIN, other)) == pytest.approx(wanted, abs=1e-12)
    assert apart(bar_to_bar(other, PIN)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("corners", "wanted"),
    [
        ([(8, -9, -9), (8, 9, -9), (8, 0, 30)], 5.0),  # beside the side
        ([(-50, -50, 14), (50, -50, 14), (0, 90, 14)], 4.0),  # above the whole end
        ([(0, 0, 14), (0, 1, 20), (1, 0, 20)], 4.0),  # a corner above the end
        ([(-9, 7, 13), (9, 7, 13), (0, 90, 20)], 5.0),  # an edge beside a rim
        ([(-90, -90, 0), (90, -90, 0), (0, 90, 0)], 0.0),  # cut by the bar
    ],
)
def test_a_bar_is_as_far_from_a_triangle_as_it_is(corners: list[object], wanted: float):
    far = np.array([(900, 0, 0), (901, 0, 0), (900, 1, 0)], float)
    found = bar_to_triangles(PIN, np.array([corners, far], float))
    assert apart(found) == pytest.approx(wanted, abs=1e-12)


def test_a_bar_is_as_far_from_a_point_as_its_side_end_or_rim():
    for point, wanted in (((0, 8, 2), 5.0), ((1, 2, 14), 4.0), ((6, 0, -14), 5.0), ((1, 1, 1), 0)):
        assert apart(bar_to_point(PIN, np.array(point, float))) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_points_of_random_bars_and_triangles_are_nearest_to_each_other(seed: int):
    """Of convex solids that are apart: each of the two points is the other's nearest one."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        axes = rng.normal(size=(2, 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        size = rng.uniform(0.5, 12, size=(2, 2))
        a, b = (bar(rng.normal(size=3) * 15, axes[k], *size[k]) for k in range(2))
        on_a, on_b = bar_to_bar(a, b)
        assert a.nearest(on_b) == pytest.approx(on_a, abs=1e-9)
        assert b.nearest(on_a) == pytest.approx(on_b, abs=1e-9)
        triangle = rng.normal(size=(3, 3)) * 15
        on, spot = bar_to_triangles(a, triangle[None])
        assert a.nearest(spot) == pytest.approx(on, abs=1e-9)
        # no point of a triangle is on the bar's side of the plane that touches it there
        n = spot - on
        assert np.linalg.norm(n) == 0.0 or ((triangle - spot) @ n).min() >= -1e-9 * n @ n - 1e-9


TUBE = bar((0, 0, 0), Z, 30.0, 10.0, 9.0)


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        (
            bar((0, 0, 0), X, 40.0, 5.0, 4.5),
            0.0,
        ),  # tubes that cross, and reach far out on all sides
        (bar((0, 13, 0), X, 40.0, 5.0, 4.5), 0.0),  # beside the axis: the sides of both cut
        (bar((0, 16, 0), X, 40.0, 5.0, 4.5), 1.0),  # farther beside it
        (bar((9.5, 0, 0), Z, 40.0, 0.3, 0.2), 0.0),  # a thin tube along the wall, out of both ends
        (bar((9.5, 0, 0), Z, 40.0, 0.3), 0.0),
        (bar((8.0, 0, 0), Z, 40.0, 0.3, 0.2), 0.7),  # in the bore
        (bar((0, 0, 0), Z, 2.0, 20.0), 0.0),  # a disk whose middle is in the bore
        (bar((0, 0, 0), Z, 2.0, 20.0, 10.5), 0.5),  # a washer round it
        (bar((0, 0, 0), Z, 2.0, 20.0, 9.5), 0.0),  # one in the wall
        (bar((0, 0, 0), X, 8.0, 2.0, 1.0), 9.0 - np.hypot(8, 2)),  # a short one across the bore
    ],
)
def test_tubes_deep_in_each_other_meet(other: RoundBar, wanted: float):
    """Also where no rim of one is in the other."""
    for points in (bar_to_bar(TUBE, other), bar_to_bar(other, TUBE)[::-1]):
        assert apart(points) == pytest.approx(wanted, abs=1e-12)
        assert apart(np.stack([TUBE.nearest(points[0]), points[0]])) <= 1e-9
        assert apart(np.stack([other.nearest(points[1]), points[1]])) <= 1e-9


def cloud(of: RoundBar) -> np.ndarray:
    """Points all over a bar, (n, 3), mm."""
    z, turn, r = np.meshgrid(
        np.linspace(-of.half, of.half, 41),
        np.linspace(0, 2 * np.pi, 48, endpoint=False),
        np.linspace(of.bore, of.radius, 4),
        indexing="ij",
    )
    one, other = of.across()
    out = r[..., None] * (np.cos(turn)[..., None] * one + np.sin(turn)[..., None] * other)
    return (of.middle + z[..., None] * of.axis + out).reshape(-1, 3)


@pytest.mark.parametrize("seed", range(60))
def test_random_tubes_meet_where_dense_sampling_finds_a_common_point(seed: int):
    """Where it is said that they do, the point is in both; and no sample is nearer."""
    rng = np.random.default_rng(seed)
    tubes = []
    for k in range(2):
        axis = tubes[0].axis if tubes and seed % 5 == 0 else rng.normal(size=3)
        radius, way = rng.uniform(1, 12), axis / np.linalg.norm(axis)
        bore = radius * rng.choice([0, 0.5, rng.uniform(0.8, 0.99)])
        tubes.append(bar(k * rng.uniform(-15, 15, 3), way, rng.uniform(5, 60), radius, bore))
    a, b = tubes
    on_a, on_b = bar_to_bar(a, b)
    assert a.nearest(on_a) == pytest.approx(on_a, abs=1e-9)
    assert b.nearest(on_b) == pytest.approx(on_b, abs=1e-9)
    sampled = min(
        np.linalg.norm(one.nearest(points) - points, axis=1).min()
        for one, points in ((a, cloud(b)), (b, cloud(a)))
    )
    assert apart(np.stack([on_a, on_b])) <= sampled + 1e-9

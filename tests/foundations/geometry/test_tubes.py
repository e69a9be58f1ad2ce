"""Distances of tubes from bars, tubes and triangles, against dense sampling of their surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.geometry.round_bars import RoundBar, bar_to_bar, bar_to_triangles
from assembly_solver.foundations.types import Array

pytestmark = pytest.mark.quick

SPACING = 0.35
"""More than what a sampled distance is too large by, mm: of some 100 spots on a rim of 10 mm, or of
4000 on a side of 10 by 30 mm."""


def tube(rng: np.random.Generator, size: float, bored: bool) -> RoundBar:
    axis = rng.normal(size=3) + rng.choice([0.0, 6.0]) * np.eye(3)[2]
    radius = size * rng.uniform(2, 10)
    bore = radius * rng.uniform(0.3, 0.95) if bored else 0.0
    at = rng.normal(size=3) * rng.choice([0.5, 3.0, 10.0])
    return RoundBar(at, axis / np.linalg.norm(axis), size * rng.uniform(1, 15), radius, bore)


def spots(rng: np.random.Generator, bar: RoundBar) -> Array:
    """Points on all of the surface of a tube."""
    n = 4000
    turn, share = rng.uniform(0, 2 * np.pi, n), rng.uniform(0, 1, n)
    u, v = bar.across()
    out = np.outer(np.cos(turn), u) + np.outer(np.sin(turn), v)
    along = np.outer(2 * bar.half * (share - 0.5), bar.axis)
    far = np.sqrt(bar.bore**2 + share * (bar.radius**2 - bar.bore**2))
    sides = [bar.middle + along + r * out for r in (bar.radius, bar.bore)]
    rims = [end + r * out for end in bar.ends() for r in (bar.radius, bar.bore, far[:, None])]
    return np.concatenate([*sides, *rims])


@pytest.mark.parametrize("seed", range(3))
def test_a_tube_is_as_far_from_bars_and_tubes_as_their_points(seed: int):
    rng = np.random.default_rng(seed)
    apart = 0
    for k in range(30):
        a, b = tube(rng, 1.0, True), tube(rng, rng.choice([0.2, 0.5, 1.0]), k % 2 == 0)
        found = bar_to_bar(a, b)
        on_a, on_b = spots(rng, a), spots(rng, b)
        pairs = ((a, on_b), (b, on_a))
        near = min(np.linalg.norm(x.nearest(on) - on, axis=1).min() for x, on in pairs)
        distance = np.linalg.norm(found[0] - found[1])
        if near > 0.0:  # what is deep in each other is told by triangles
            assert near - SPACING <= distance <= near + 1e-9
            assert a.nearest(found[0]) == pytest.approx(found[0], abs=1e-9)
            assert b.nearest(found[1]) == pytest.approx(found[1], abs=1e-9)
            apart += distance > 0.0
    assert apart >= 10


@pytest.mark.parametrize("seed", range(3))
def test_a_tube_is_as_far_from_triangles_as_their_points(seed: int):
    rng = np.random.default_rng(seed)
    inner, share = rng.dirichlet((1, 1, 1), 3000), np.linspace(0, 1, 300)[:, None]
    apart = 0
    for _ in range(40):
        bar = tube(rng, 1.0, True)
        middle = rng.normal(size=3) * rng.choice([0.0, 1.0, 8.0])
        corners = middle + rng.normal(size=(4, 3, 3)) * rng.choice([0.5, 2.0, 10.0])
        edges = [x[k] + share * (x[k - 1] - x[k]) for x in corners for k in range(3)]
        points = np.concatenate([*(inner @ x for x in corners), *edges])
        near = np.linalg.norm(bar.nearest(points) - points, axis=1).min()
        on, other = bar_to_triangles(bar, corners)
        distance = np.linalg.norm(on - other)
        assert near - 1.0 <= distance <= near + 1e-9  # of triangles of up to 40 mm
        apart += distance > 0.0
    assert apart >= 15


def test_a_line_meets_a_tube_in_its_wall_only():
    bar = RoundBar(np.zeros(3), np.array([0.0, 0.0, 1.0]), 10.0, 5.0, 3.0)
    along = np.array([0.0, 0.0, 40.0])
    for x, meets in ((0.0, False), (2.9, False), (3.1, True), (4.9, True), (5.1, False)):
        at = np.array([x, 0.0, -20.0])
        assert (bar.common(at, at + along) is not None) == meets
        assert bar.common(at, at + 0.2 * along) is None  # it ends before the tube does
    assert bar.common(np.zeros(3), np.array([9.0, 0, 0])) == pytest.approx([3, 0, 0], abs=1e-12)
    assert bar.common(np.array([9.0, 1, 0]), np.array([-9.0, 1, 0])) is not None

"""Minima between two places by values and rates, against closed forms."""

from __future__ import annotations

from math import cos, cosh, inf, nan, sin, sinh

import pytest

from assembly_solver.foundations.numerics.dips import Place, depth, look_into_dip

pytestmark = pytest.mark.quick


def least(at, begin: float, end: float, exact: float = 1e-9) -> tuple[float, float, int]:
    """Where the lowest place is, the value there, and how many places were evaluated."""
    seen = [at(begin), at(end)]

    def told(t: float) -> Place:
        seen.append(at(t))
        return seen[-1]

    def deep(a: Place, b: Place) -> bool:
        return min(a.value, b.value) - depth(a, b) < min(x.value for x in seen) - exact

    look_into_dip(told, *seen[:2], deep)
    best = min(seen, key=lambda x: x.value)
    return best.t, best.value, len(seen) - 2


@pytest.mark.parametrize(
    ("at", "where", "value", "most"),
    [
        (lambda t: Place(t, (t - 0.3) ** 2 + 5.0, 2.0 * (t - 0.3)), 0.3, 5.0, 1),
        (lambda t: Place(t, cosh(4.0 * t - 1.0), 4.0 * sinh(4.0 * t - 1.0)), 0.25, 1.0, 8),
        (lambda t: Place(t, 2.0 - cos(t - 0.9), sin(t - 0.9)), 0.9, 1.0, 8),
        # a corner, as where the nearest points leap
        (lambda t: Place(t, max(0.7 - t, t - 0.7), -1.0 if t < 0.7 else 1.0), 0.7, 0.0, 3),
    ],
)
def test_a_minimum_is_found_in_few_places(at, where: float, value: float, most: int):
    t, found, count = least(at, 0.0, 1.0)
    assert found == pytest.approx(value, abs=2e-9)
    assert t == pytest.approx(where, abs=1e-4) and 1 <= count <= most


def test_rates_that_are_not_known_are_done_without():
    t, found, count = least(lambda t: Place(t, abs(t - 0.4) + 1.0, nan), 0.0, 1.0, 0.0)
    assert found == pytest.approx(1.0, abs=0.5) and count <= 27 and 0.0 <= t <= 1.0
    t, found, _ = least(lambda t: Place(t, t, nan if t == 0.0 else 1.0), 0.0, 1.0)
    assert found == 0.0 and t == 0.0


def test_tangents_say_how_deep_a_dip_may_be():
    assert depth(Place(0.0, 1.0, -1.0), Place(1.0, 1.0, 1.0)) == 0.5
    assert depth(Place(0.0, 1.0, 1.0), Place(1.0, 1.0, 1.0)) == 0.0
    assert depth(Place(0.0, 1.0, nan), Place(1.0, 1.0, 1.0)) == inf

"""The closed forms of dyads in the plane, by triangles that one can check by hand."""

from __future__ import annotations

import math

import pytest

from assembly_solver.foundations.geometry.plane_closed_forms import meet_circles, meet_line, slides

pytestmark = pytest.mark.quick


def test_circles_meet_left_of_their_centres_first() -> None:
    assert meet_circles(0, 3.0, 5 + 0j, 4.0) == pytest.approx([1.8 + 2.4j, 1.8 - 2.4j])  # 3-4-5


def test_circles_that_touch_have_one_point_and_those_apart_none() -> None:
    assert meet_circles(0, 3.0, 7 + 0j, 4.0) == pytest.approx([3.0])  # stretched
    assert meet_circles(0, 3.0, 1 + 0j, 4.0) == pytest.approx([-3.0])  # folded
    assert meet_circles(0, 3.0, 9 + 0j, 4.0) == []
    assert meet_circles(0, 3.0, 0.5 + 0j, 4.0) == []
    assert meet_circles(0, 3.0, 0, 3.0) == []  # one centre: no side to be on


def test_a_line_meets_a_circle_ahead_of_its_centre_first() -> None:
    # the line y = 3 and the circle of radius 5 about the origin, walked along -x
    assert meet_line(0, 5.0, 7 + 3j, -1 + 0j) == pytest.approx([-4 + 3j, 4 + 3j])
    assert meet_line(0, 5.0, 7 + 5j, -1 + 0j) == pytest.approx([5j])
    assert meet_line(0, 5.0, 7 + 6j, -1 + 0j) == []


@pytest.mark.parametrize("offset", [0.0, 2.0, -2.0])
def test_a_slide_joins_two_pivots_in_two_directions(offset: float) -> None:
    d = 3 + 4j
    forward, back = slides(d, offset)
    for u, sign in ((forward, 1), (back, -1)):
        seen = d * u.conjugate()
        assert abs(u) == pytest.approx(1.0, abs=1e-15)
        assert seen.imag == pytest.approx(offset, abs=1e-14)
        assert seen.real == pytest.approx(sign * math.sqrt(25 - offset**2), abs=1e-14)


def test_a_slide_cannot_join_pivots_nearer_than_its_offset() -> None:
    assert slides(3 + 4j, 5.1) == []
    assert len(slides(3 + 4j, 5.0)) == 1
    assert slides(0j, 0.0) == []

"""Freedoms that nothing finite follows: the order up to which mates hold, against curvatures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builders import bar, four_bar, ground, pins, still
from mechanisms import parallelogram, sarrus

import assembly_solver as asm
from assembly_solver.diagnosis.motion_order import order_of
from assembly_solver.diagnosis.singularity import probed_components
from assembly_solver.foundations.types import Array

A, B = 80.0, 50.0
"""Half axes of the ellipse that the end of a trammel draws, mm."""


def trammel(degrees: float, scale: float = 1.0) -> asm.Assembly:
    """The end of a trammel on a link about the centre of curvature of its ellipse, at that point.

    The link is `scale` times as long as the radius of curvature.
    """
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    end, foot = np.array([A * c, B * s]), np.array([(A - B) * c, 0.0])
    evolute = (A * A - B * B) * np.array([c**3 / A, -(s**3) / B])
    centre = end + scale * (evolute - end)
    a = asm.Assembly("trammel")
    ground(a, o=tuple(centre.tolist()))
    rails = {"x": asm.Plane((0, 0, 0), "y"), "y": asm.Plane((0, 0, 0), "x")}
    a.add_features("frame", {**rails, "flat": asm.Plane((0, 0, 0), "z")})
    ends = {"x": asm.Point((0, 0, 0)), "y": asm.Point((B - A, 0, 0)), "end": asm.Frame((B, 0, 0))}
    pose = asm.Pose.from_axis((*foot.tolist(), 0.0), (0, 0, 1), degrees)
    a.add("bar", pose=pose, features={**ends, "flat": asm.Plane((0, 0, 0), "z")})
    a.mate("coplanar", "frame.flat", "bar.flat", sense="aligned")
    for rail in rails:
        a.mate("point_in_plane", f"bar.{rail}", f"frame.{rail}")
    bar(a, "link", still(*centre.tolist(), 0.0), still(*end.tolist(), 0.0))
    pins(a, ("C", "frame.o", "link.foot"), ("P", "link.tip", "bar.end"))
    return a


class Formula:
    """Reduced equations that are a formula, with difference quotients for rates."""

    def __init__(self, free: int, formula: Callable[..., Any]) -> None:
        self.free, self.formula, self.zero, self.longest = free, formula, 1e-12, 0.06

    def left(self, way: Array) -> Array:
        return np.array(self.formula(*way))

    def with_rates(self, way: Array) -> tuple[Array, Array]:
        steps = 1e-6 * np.eye(self.free)
        rates = [(self.left(way + s) - self.left(way - s)) / 2e-6 for s in steps]
        return self.left(way), np.array(rates).T


@pytest.mark.parametrize(
    ("degrees", "scale", "order"),
    [
        (40.0, 0.7, 1),  # it touches: the circle and the ellipse have a tangent in common
        (40.0, 1.0, 2),  # the same curvature
        (0.0, 1.0, 3),  # at a vertex, where the curvature is stationary
        (90.0, 1.0, 3),
    ],
)
def test_a_link_that_osculates_holds_up_to_the_order_of_contact(
    degrees: float, scale: float, order: int
) -> None:
    found = asm.mobility(trammel(degrees, scale))
    assert (found.here, found.finite) == (1, 0)
    assert [c.order for c in found.loops if c.here] == [order]
    words = {
        1: "of first order only",
        2: "order 2, rigid at order 3",
        3: "order 3, rigid at order 4",
    }
    assert found.sentence.endswith(f"{words[order]}, nothing moves")
    (entry,) = found.solution.singular
    assert (entry["order"], entry["moves"], entry["nearby"]) == (order, False, [0])


@pytest.mark.parametrize("make", [sarrus, lambda: parallelogram(0.0)])
def test_what_moves_has_no_order(make: type) -> None:
    (near,) = probed_components(asm.solve(make()).diagnosis)
    assert (near.moves, near.order) == (True, None)


def test_a_four_bar_as_long_as_its_frame_has_two_freedoms_of_first_order() -> None:
    a = asm.Assembly("stretched")
    ground(a, o=(0.0, 0.0), d=(100.0, 0.0))
    for name, x in (("crank", (0.0, 30.0)), ("coupler", (30.0, 80.0)), ("rocker", (80.0, 100.0))):
        bar(a, name, still(x[0], 0.0, 0.0), still(x[1], 0.0, 0.0))
    pins(a, ("A", "frame.o", "crank.foot"), ("B", "crank.tip", "coupler.foot"))
    pins(a, ("C", "coupler.tip", "rocker.foot"), ("D", "frame.d", "rocker.tip"))
    (near,) = probed_components(asm.solve(a).diagnosis)
    assert (near.here, near.moves, near.order) == (2, False, 1)


@pytest.mark.parametrize(
    ("forms", "order"),
    [
        ([[1.0, 1.0]], 1),  # x^2 + y^2
        ([[1.0, -1.0]], None),  # x^2 - y^2: two directions of second order
        ([[1.0, -1.0], [1.0, -2.0]], 1),  # and x^2 - 2 y^2: none in common
        ([[0.0, 0.0]], None),
    ],
)
def test_several_freedoms_are_of_first_order_where_their_forms_have_no_root(
    forms: list[list[float]], order: int | None
) -> None:
    assert order_of(Formula(2, lambda x, y: np.array(forms) @ [x * x, y * y])) == order


@pytest.mark.parametrize(
    ("left", "order"),
    [
        (lambda x, y: [(x - y) ** 2 + x**4], 3),  # along x = y to the fourth power
        (lambda x, y: [(x - y) ** 2, x**3], 2),
        (lambda x, y: [(y - x * x) ** 2, x**5], 4),  # along the parabola, not along its tangent
        (lambda x, y: [(y - x * x) ** 2 + x**5], None),  # it moves: two halves of a cusp
    ],
)
def test_several_freedoms_hold_as_well_as_along_their_best_curve(
    left: Callable[[float, float], list[float]], order: int | None
) -> None:
    assert order_of(Formula(2, left)) == order


def test_an_ordinary_four_bar_is_not_probed() -> None:
    assert probed_components(asm.solve(four_bar(300, 100, 260, 200).build(20.0)).diagnosis) == []

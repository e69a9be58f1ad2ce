"""Equations of groups: values, gradients and rates against closed forms and differences."""

from __future__ import annotations

import cmath
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.linkages.plan.group_equations import (
    ALONG_LINE,
    ANGLE,
    LENGTH,
    ON_LINE,
    SAME_X,
    SAME_Y,
    GroupEquation,
    LinkPoint,
    PointGroup,
    along_line,
    angle,
    coincide,
    length,
    on_line,
    pack_groups,
    point,
)
from assembly_solver.linkages.plan.link_length import constant, driven, hinged
from assembly_solver.linkages.run.gradients import (
    add_columns,
    on_requested_side,
    point_position,
    residual_and_gradient,
)
from assembly_solver.linkages.run.group_rates import equation_rates

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

A, B, C = LinkPoint(0, 1, 0.3 - 0.8j), LinkPoint(2, 3, 1.4 + 0.2j), LinkPoint(4, 5, -0.5 + 0.1j)

EQUATIONS = {
    "length": length(A, B, constant(3.0)),
    "driven length": length(A, B, driven(1, 2 + 0.3j, 0.5 - 1j)),
    "length of a shape that turns": length(A, B, hinged(1, 4 + 0j, 1 + 0.3j)),
    "on a line": on_line(A, B, C, 0.7),
    "angle": angle(A, B, C, 1, 2.5),
    "along a line": along_line(A, B, C, 1),
    "same x": coincide(A, B)[0],
    "same y": coincide(A, B)[1],
}

POLYNOMIALS = np.random.default_rng(5).normal(size=(4, 6, 2))
"""Motions of six points, mm: coefficients of 1, t, t^2 and t^3."""


def motion(t: float) -> Array:
    """Points with velocities and accelerations, (3, 6, 2)."""
    c = POLYNOMIALS
    return np.array(
        [
            c[0] + t * (c[1] + t * (c[2] + t * c[3])),
            c[1] + t * (2 * c[2] + 3 * t * c[3]),
            2 * c[2] + 6 * t * c[3],
        ]
    )


def values(t: float) -> Array:
    """Two actuators: value, cosine, sine, rate, acceleration."""
    v = 0.8 + 0.9 * t - 0.4 * t * t
    return np.array([[0.0] * 5, [v, np.cos(v), np.sin(v), 0.9 - 0.8 * t, -0.8]])


def packed(e: GroupEquation) -> tuple[NDArray[np.int64], Array]:
    """The rows of an equation; points are counted as they are."""
    group = PointGroup(
        (0, 1, 2, 3, 4, 5), (e, *[length(A, C, constant(1.0))] * 3, *coincide(B, C) * 4)
    )
    rows = pack_groups([group])
    return rows.equation[0], rows.given[0]


@pytest.mark.parametrize("name", EQUATIONS)
def test_the_residual_of_an_equation_is_its_formula(name: str) -> None:
    e = EQUATIONS[name]
    at = motion(0.3)[0]
    z = at[:, 0] + 1j * at[:, 1]
    a, b, c = (z[p.a] + p.z * (z[p.b] - z[p.a]) for p in (A, B, C))
    v = values(0.3)[1, 0]
    f = cmath.exp(1j * v) if "turns" in name else v
    along_it = (a - b) * (c - b).conjugate() / abs(c - b)
    wanted = {
        LENGTH: abs(a - b) - abs(e.radius.first + e.radius.second * f),
        ON_LINE: along_it.imag - 0.7,
        ANGLE: ((c - b) * ((a - b) * cmath.exp(1j * v)).conjugate()).imag / 2.5,
        ALONG_LINE: along_it.real - v,
        SAME_X: (a - b).real,
        SAME_Y: (a - b).imag,
    }[e.kind]
    assert residual_and_gradient(*packed(e), at, values(0.3))[0] == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("name", EQUATIONS)
def test_the_gradient_of_an_equation_is_that_of_its_residual(name: str) -> None:
    row, given = packed(EQUATIONS[name])
    at, v = motion(0.3)[0], values(0.3)
    found = np.zeros(12)
    gradient = residual_and_gradient(row, given, at, v)[1:]
    for k in range(3):
        add_columns(row, given, k, gradient[2 * k], gradient[2 * k + 1], found)
    h = 1e-6
    for k in range(12):
        step = np.zeros(12)
        step[k] = h
        ahead, behind = (
            residual_and_gradient(row, given, at + s * step.reshape(6, 2), v)[0] for s in (1, -1)
        )
        assert found[k] == pytest.approx((ahead - behind) / (2 * h), abs=1e-9)


@pytest.mark.parametrize("name", EQUATIONS)
def test_rates_of_an_equation_are_those_of_its_residual(name: str) -> None:
    row, given = packed(EQUATIONS[name])
    t, h = 0.3, 1e-4
    behind, now, ahead = (
        residual_and_gradient(row, given, motion(s)[0], values(s))[0] for s in (t - h, t, t + h)
    )
    first, second = equation_rates(row, given, motion(t), values(t))
    assert first == pytest.approx((ahead - behind) / (2 * h), abs=1e-6)
    assert second == pytest.approx((ahead - 2 * now + behind) / h**2, abs=1e-5)


def test_an_angle_tells_its_value_from_half_a_turn_more() -> None:
    e = angle(point(0), point(1), point(2), 0, 2.0)
    row, given = packed(e)
    at = np.array([[2.0, 0], [0, 0], [0, 3], [0, 0], [0, 0], [0, 0]])
    quarter, back = np.array([[np.pi / 2, 0.0, 1.0]]), np.array([[-np.pi / 2, 0.0, -1.0]])
    assert (
        residual_and_gradient(row, given, at, quarter)[0]
        == residual_and_gradient(row, given, at, back)[0]
        == 0.0
    )
    assert on_requested_side(row, given, at, quarter) and not on_requested_side(
        row, given, at, back
    )


def test_a_place_is_on_its_link_and_moves_with_it() -> None:
    row, given = packed(EQUATIONS["length"])
    x, y = point_position(row, given, motion(0.0)[0], 0)
    at = POLYNOMIALS[0, :, 0] + 1j * POLYNOMIALS[0, :, 1]
    assert complex(x, y) == pytest.approx(at[0] + A.z * (at[1] - at[0]), abs=1e-15)


def test_a_group_has_two_equations_for_each_point() -> None:
    one = length(A, B, constant(1.0))
    with pytest.raises(ValueError, match="2 points need 4 equations, not 1"):
        PointGroup((0, 1), (one,))
    assert PointGroup((2, 1), (one,) * 4).members == (2, 1, 0, 3)


def test_only_what_turns_is_turned() -> None:
    assert EQUATIONS["angle"].turning == (1,)
    assert EQUATIONS["length of a shape that turns"].turning == (1,)
    assert EQUATIONS["driven length"].turning == EQUATIONS["along a line"].turning == ()
    assert replace(EQUATIONS["length"], radius=hinged(0, 1j, 1j)).turning == (0,)

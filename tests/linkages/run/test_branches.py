"""Branches over all states: kept at every size of step, changed where a change point is passed."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.linkages.plan.planning import LinkagePlan, plan_linkage
from assembly_solver.linkages.run.branches import PlacedStates, place_states
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink

pytestmark = pytest.mark.quick

ROUNDING = 1e-12
"""Of lengths of about 1."""

DEGREES = np.pi / 180.0


def four_bar(ground: float, crank: float, coupler: float, rocker: float, at: float) -> LinkagePlan:
    """A crank at some degrees, coupler to the left of the line to the rocker's pivot."""
    b = crank * np.exp(1j * at * DEGREES)
    d = ground - b
    along = (coupler**2 - rocker**2 + abs(d) ** 2) / (2 * abs(d))
    c = b + (along + 1j * np.sqrt(coupler**2 - along**2)) * d / abs(d)
    points = np.array([[0, 0], [b.real, b.imag], [c.real, c.imag], [ground, 0]], float)
    links = (
        SchemeLink("frame", (0, 3)),
        SchemeLink("crank", (0, 1)),
        SchemeLink("coupler", (1, 2)),
    )
    turn = Actuator("crank", "R", (3, 0, 1), DEGREES)
    scheme = Scheme(tuple("ABCD"), points, (*links, SchemeLink("rocker", (2, 3))), (), (turn,))
    return plan_linkage(scheme)


def coupler_turns(placed: PlacedStates) -> float:
    """How far the coupler turns at the most, degrees."""
    b, c = placed.P[1], placed.P[2]
    angle = np.unwrap(np.arctan2(c[1] - b[1], c[0] - b[0]))
    return float(np.degrees(np.ptp(angle)))


@pytest.mark.parametrize("steps", [4, 7, 23, 24, 37, 103, 360, 1000])
def test_a_parallelogram_stays_one_at_every_size_of_step(steps: int) -> None:
    placed = place_states(four_bar(4, 2, 4, 2, 60), np.linspace(60, 420, steps + 1)[None])
    assert coupler_turns(placed) < 1e-6  # at a change point the root of a rounding
    assert [round(p.inputs[0], 7) for p in placed.change_points] == [180.0, 360.0]
    assert not placed.failed.any()


@pytest.mark.parametrize("steps", [7, 23, 24, 144])
@pytest.mark.parametrize("shorter", [0.03, -0.01, 1e-3, 1e-6])
def test_a_parallelogram_that_is_nearly_a_rhombus_stays_one(shorter: float, steps: int) -> None:
    """At 360 degrees pivots come close to each other: the half chord is 0 for part of a degree
    only.  24 and 144 steps have a state there."""
    placed = place_states(
        four_bar(2 - shorter, 2, 2 - shorter, 2, 60), np.linspace(60, 420, steps + 1)[None]
    )
    assert coupler_turns(placed) < 1e-6
    assert [round(p.inputs[0], 7) for p in placed.change_points] == [180.0, 360.0]
    assert not placed.failed.any()


@pytest.mark.parametrize("steps", [7, 23, 145])
def test_a_rhombus_stays_one_past_where_its_pivots_meet(steps: int) -> None:
    placed = place_states(four_bar(2, 2, 2, 2, 60), np.linspace(60, 420, steps + 1)[None])
    assert coupler_turns(placed) < 1e-6
    assert not placed.failed.any()


@pytest.mark.parametrize("first", [200.0, -200.0, 340.0, 181.0])
def test_a_change_point_between_the_start_and_the_first_state_counts(first: float) -> None:
    placed = place_states(
        four_bar(4, 2, 4, 2, 60), np.linspace(first, first + 10, 11)[None], np.array([60.0])
    )
    assert coupler_turns(placed) < 1e-6
    b, c = placed.P[1:3, :, 0]
    np.testing.assert_allclose(c - b, (4, 0), atol=ROUNDING)


def test_nearly_a_parallelogram_never_changes_its_sign() -> None:
    """Crank and coupler, and later all four links, come within a degree of one line."""
    placed = place_states(four_bar(4, 2, 4.0001, 2.0002, 60), np.linspace(60, 420, 361)[None])
    assert placed.change_points == ()
    crossed = 2 * np.degrees(np.arcsin(2 / 4))  # what the coupler of the crossed one swings
    assert abs(coupler_turns(placed) - crossed) < 1.0


def test_states_beyond_a_dead_point_cannot_be_built_and_the_rest_stays() -> None:
    """At the limit crank, coupler and rocker make a triangle of 2, 3 + 2.2 - crank in line."""
    planned = four_bar(2, 3, 2.2, 2.6, 60)
    placed = place_states(planned, np.linspace(0, 360, 3601)[None])
    # at the dead point B and D are apart as coupler and rocker in line, 4.8
    limit = np.degrees(np.arccos((2**2 + 3**2 - 4.8**2) / (2 * 2 * 3)))
    angle = np.linspace(0, 360, 3601)
    beyond = (angle > limit) & (angle < 360 - limit)
    assert np.array_equal(placed.failed > 0, beyond)
    assert np.isnan(placed.P[2, 0, beyond]).all() and not np.isnan(placed.P[1]).any()
    assert planned.steps[1].kind == "RRR dyad" and planned.steps[1].joint == "C"
    length = np.hypot(*(placed.P[2] - placed.P[3]))
    np.testing.assert_allclose(length[~beyond], 2.6, atol=ROUNDING)

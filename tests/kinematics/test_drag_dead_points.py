"""Drags that begin at a dead point: the part yields to one side, and stays against the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import four_bar, slider_crank

import assembly_solver as asm
from assembly_solver.equations.table import TwistBasis
from assembly_solver.foundations.types import Array
from assembly_solver.kinematics.drag.affected import DragSystem
from assembly_solver.kinematics.drag.beyond_reach import _falling, _falling_at_once
from assembly_solver.kinematics.drag.compliance import Response, responses

CRANK, ROD = 30.0, 80.0


def moved_as_a_whole(a: asm.Assembly, turn: asm.Pose, order: int) -> asm.Session:
    """An assembly without its driver somewhere else, its parts and mates forwards or backwards."""
    b = asm.Assembly(a.name)
    for name in [*a.parts][::order]:
        part = a.parts[name]
        b.add(name, grounded=part.grounded, features=part.features, pose=turn @ part.pose)
    for mate in [*a.mates.values()][::order]:
        b.mate(mate.kind, mate.a, mate.b, name=mate.name)
    return asm.Session(b)


def at_dead_centre(first: float) -> asm.Session:
    """A slider-crank in line: its slider is at the end of its stroke."""
    a = slider_crank(CRANK, ROD, 0.0).build(first)
    a.set_driver("input", None)
    return asm.Session(a)


@pytest.mark.parametrize(("first", "inwards"), [(0.0, -5.0), (180.0, 5.0), (1e-5, -5.0)])
def test_a_slider_at_its_dead_centre_is_led_inwards_and_stays_against_the_other_way(
    first: float, inwards: float
) -> None:
    session = at_dead_centre(first)
    start, way = np.array(session.poses["slider"].position), np.array([inwards, 0.0, 0.0])
    step = session.drag("slider", point="pin", to=(start - way).tolist())
    assert (step.moved, step.away_mm, step.lags) == ((), pytest.approx(5.0), False)
    step = session.drag("slider", point="pin", to=(start + way).tolist())
    assert step.holds and step.away_mm == pytest.approx(0.0, abs=1e-6)
    far = start[0] + inwards
    cosine = (CRANK**2 + far**2 - ROD**2) / (2 * CRANK * far)
    crank = session.poses["crank"].apply((CRANK, 0, 0))
    assert crank[0] == pytest.approx(CRANK * cosine, abs=1e-6)


def test_a_short_request_is_reached_by_steps_in_which_no_part_goes_ten_times_as_far() -> None:
    session = at_dead_centre(180.0)
    start = np.array(session.poses["slider"].position)
    goal, lagged = (start + np.array([0.5, 0, 0])).tolist(), 0
    for _ in range(6):
        step = session.drag("slider", point="pin", to=goal)
        lagged += step.limited
        assert step.largest_mm <= 10.0 * step.asked_mm
    assert (step.limited, step.moved) == (False, ())
    assert lagged >= 1 and step.away_mm == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("reach", "half"), [(130.0, 0.0), (50.0, 180.0)])
@pytest.mark.parametrize("by", [-10.0, -2.0, 2.0, 10.0])
def test_a_rocker_whose_crank_is_in_line_turns_back_only(
    reach: float, half: float, by: float
) -> None:
    """The crank of 40 mm and the coupler of 90 mm stretched or folded; frame 100, rocker 70."""
    angle = math.degrees(math.acos((100**2 + reach**2 - 70**2) / (200 * reach)))
    a = four_bar(100.0, 40.0, 90.0, 70.0, 1).build(angle + half)
    a.set_driver("input", None)
    session = asm.Session(a)
    tip = np.array(session.poses["rocker"].apply((70, 0, 0)))
    across = np.array([-tip[1], tip[0] - 100.0, 0.0]) / 70.0
    back = by * (across @ tip) * (1.0 if reach > 90.0 else -1.0) < 0.0  # nearer to the crank's foot
    step = session.drag("rocker", point="tip", to=(tip + by * across).tolist())
    assert step.holds and bool(step.moved) == back
    least = math.hypot(70.0, by) - 70.0  # from the circle of its tip
    assert step.away_mm == pytest.approx(least if back else abs(by), abs=1e-6)


@pytest.mark.parametrize("turn", [asm.Pose(), asm.Pose.from_axis((7, -3, 11), (1, 2, 3), 130)])
@pytest.mark.parametrize("order", [1, -1])
def test_the_side_is_the_same_in_any_order_of_parts_and_after_any_motion_of_all(
    turn: asm.Pose, order: int
) -> None:
    session = moved_as_a_whole(slider_crank(CRANK, ROD, 0.0).build(0.0), turn, order)
    goal = turn.apply((105.0, 0.0, 0.0))
    step = session.drag("slider", point="pin", to=goal)
    assert step.holds and step.away_mm == pytest.approx(0.0, abs=1e-6)
    cosine = (CRANK**2 + 105.0**2 - ROD**2) / (2 * CRANK * 105.0)
    tip = CRANK * np.array([cosine, math.sqrt(1 - cosine**2), 0.0])
    found = session.poses["crank"].apply((CRANK, 0, 0))
    np.testing.assert_allclose(found, turn.apply(tip.tolist()), atol=1e-6)


def test_motions_along_which_the_distance_falls_are_the_same_at_once_and_by_blocks() -> None:
    session = at_dead_centre(0.0)
    session.drag("slider", point="pin", to=session.poses["slider"].position)
    course = session._course
    assert course is not None
    limited = course._limited_plan(())
    (body, moving) = next(iter(limited.moving.items()))
    basis = TwistBasis(np.eye(3), limited.plan.bodies.centre, limited.plan.system.length)
    s, found = DragSystem(limited.table, moving, basis, 1e-9), list[Array]()
    e = np.array([-5.0, 0, 0, 0, 0, 0])
    for form in (_falling, _falling_at_once):
        response = Response(np.empty((3, 3, 6)), *np.empty((2, 3, 3)), np.empty((6, 6)))
        assert responses(s, session._bodies, body, np.zeros(3), response)[0]
        x = np.empty((3, 6))
        assert form(s, session._bodies, body, response, e, x)
        assert not form(s, session._bodies, body, response, -e, x.copy())
        found.append(x)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    crank = moving.pattern.position[limited.plan.bodies.of_part[[*session.poses].index("crank")]]
    turn = abs(found[0][crank, 5]) / basis.length
    falls = 2.0 * 5.0 / (CRANK + CRANK**2 / ROD)  # x = r cos t + l - (r sin t)^2 / (2 l)
    assert turn == pytest.approx(math.sqrt(falls), rel=1e-3)

"""Drags against limits that are reached, and the forms of their steps that run interpreted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import four_bar

import assembly_solver as asm
from assembly_solver.equations.table import TwistBasis
from assembly_solver.kinematics.drag import drag_limits
from assembly_solver.kinematics.drag.affected import DragSystem
from assembly_solver.kinematics.drag.compliance import (
    Response,
    _pull_at_once,
    _responses,
    _responses_at_once,
    pull,
)
from assembly_solver.kinematics.drag.drag_limits import LimitedDrag
from assembly_solver.kinematics.drag.drag_step import ASKED, MOVED, RESIDUAL
from assembly_solver.model.measures.many import Frames, measures
from assembly_solver.model.measures.measure import TURN, measure

SAMPLES = Path(__file__).parents[2] / "samples"


def rocking() -> asm.Session:
    """A four-bar whose rocker stops between two angles of its pivot, dragged by its crank."""
    a = four_bar(100.0, 40.0, 90.0, 70.0, 1).build(30.0)
    a.set_driver("input", None)
    return asm.Session(a)


def arm() -> asm.Session:
    """Two links of 100 and 80 mm in a plane; each of their hinges stops at 60 degrees."""
    a = asm.Assembly("arm")
    hinge, tip = asm.Axis((0, 0, 0), "z", "x"), asm.Axis((100, 0, 0), "z", "x")
    a.add("base", grounded=True, features={"tip": hinge})
    a.add("upper", features={"root": hinge, "tip": tip})
    a.add("lower", features={"root": hinge}, pose=asm.Pose((100, 0, 0)))
    a.mate("revolute", "base.tip", "upper.root", name="shoulder")
    a.mate("revolute", "upper.tip", "lower.root", name="elbow")
    a.limit("shoulder", min=-60, max=60, name="shoulder stop")
    a.limit("elbow", min=-60, max=60, name="elbow stop")
    return asm.Session(a)


@pytest.mark.parametrize("way", [(), ((0, 170, 0),), ((150, -90, 0), (60, 150, 0), (170, 20, 0))])
def test_where_two_stops_hold_an_arm_it_ends_alike_whatever_the_way(way: tuple[Any, ...]) -> None:
    """Pulled straight back past both stops: its only nearest pose has both hinges at 60 degrees."""
    session = arm()
    for place in (*way, (-400, 200, 0), (-400, 200, 0)):
        step = session.drag("lower", point=(80, 0, 0), to=place)
    assert step.holds and set(step.limits) == {"shoulder stop", "elbow stop"}
    t, u = math.radians(60), math.radians(120)
    tip = 100 * math.cos(t) + 80 * math.cos(u), 100 * math.sin(t) + 80 * math.sin(u), 0
    np.testing.assert_allclose(session.poses["lower"].apply((80, 0, 0)), tip, atol=1e-9)
    back = session.drag("lower", point=(80, 0, 0), to=(150, 60, 0))
    assert back.away_mm < 1e-2 and back.limits == ()


def test_a_step_that_is_not_taken_tells_how_far_the_part_is_from_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = LimitedDrag._try

    def never_closed(*args: Any) -> tuple[Any, Any, int]:
        moved, report, near_singular = tried(*args)
        report[RESIDUAL] = 1.0  # mm
        return moved, report, near_singular

    monkeypatch.setattr(LimitedDrag, "_try", never_closed)
    step = arm().drag("lower", asm.Pose.from_axis((130, 40, 0), (0, 0, 1), 35))
    assert step.moved == () and step.largest_mm == 0.0
    assert (step.away_mm, step.away_deg) == (pytest.approx(50.0), pytest.approx(35.0))


def test_a_part_that_would_go_too_far_to_a_stop_is_told_to_be_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = LimitedDrag._try

    def far(*args: Any) -> tuple[Any, Any, int]:
        moved, report, near_singular = tried(*args)
        report[MOVED] = 11.0 * report[ASKED]
        return moved, report, near_singular

    monkeypatch.setattr(LimitedDrag, "_try", far)
    step = arm().drag("lower", point=(80, 0, 0), to=(150, 60, 0))
    assert step.limited and step.moved == ()
    assert "stopped before a part moves ten times as far" in str(step)


def test_what_the_work_of_one_step_leaves_is_told_and_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Led inside of the circle of the tip with the elbow at its stop, 4 tried steps at a time."""
    monkeypatch.setattr(drag_limits, "WORK", 4)
    session, away = arm(), list[float]()
    for _ in range(12):
        step = session.drag("lower", point=(80, 0, 0), to=(30, 150, 0))
        away.append(step.away_mm)
        if not step.lags:
            break
        assert "it lags: repeat the request" in str(step)
    assert 2 <= len(away) < 12 and away == sorted(away, reverse=True)
    circle = math.sqrt(100.0**2 + 80.0**2 + 2 * 100.0 * 80.0 * math.cos(math.radians(60)))
    assert away[-1] == pytest.approx(circle - math.hypot(30, 150), abs=1e-6)


def test_a_part_that_no_step_moves_does_not_claim_that_the_next_one_will() -> None:
    """Of a loop at two stops, led to where no linear step brings it nearer."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    for driver in list(a.drivers):
        a.set_driver(driver, None)
    session = asm.Session(a)
    for _ in range(2):
        step = session.drag("link", point=(0, 0, 0), to=(-8638, 1651, -5764))
        assert (step.moved, step.limits) == ((), ("bucket cylinder", "boom cylinder"))
        assert not step.lags and "it lags" not in str(step)


def test_responses_at_once_are_those_of_the_blocks() -> None:
    session = rocking()
    session.drag("crank", point="tip", to=(0, 40, 0))
    course = session._course
    assert course is not None
    limited = course._limited_plan(())
    (body, moving), n = next(iter(limited.moving.items())), len(session._bodies)
    basis = TwistBasis(np.eye(3), limited.plan.bodies.centre, limited.plan.system.length)
    s = DragSystem(limited.table, moving, basis, 1e-9)
    moved, grip, found = len(moving.pattern.bodies), np.array([40.0, 0.0, 0.0]), list[Any]()
    e = np.arange(1.0, 7.0)
    numbers = list[tuple[bool, float, float, int]]()
    for form, pulled in ((_responses, pull), (_responses_at_once, _pull_at_once)):
        response = Response(np.empty((6, moved, 6)), *np.empty((3, 6, 6)))
        numbers.append(form(s, session._bodies, body, grip, response))
        x = np.empty((moved, 6))
        pulled(response, e, np.empty(6), x)
        found.append(x)
    assert numbers[0][0] and numbers[0][1] == numbers[1][1] and numbers[0][3] == numbers[1][3]
    assert numbers[0][2] == pytest.approx(numbers[1][2], rel=1e-6)
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)  # rounding of soft motions
    assert n > moved


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 3.0, math.pi])
def test_turns_of_many_pairs_of_frames_are_those_of_each(angle: float) -> None:
    rng = np.random.default_rng(4)
    axis = rng.normal(size=3)
    a = asm.Pose.from_axis((1.0, 2.0, 3.0), rng.normal(size=3).tolist(), 50.0).frame
    turn = asm.Pose.from_axis((0, 0, 0), axis.tolist(), math.degrees(angle)).frame
    b = np.concatenate([a[:3], (a[3:].reshape(3, 3) @ turn[3:].reshape(3, 3)).ravel()])
    both = np.stack([a, b]).reshape(2, 4, 3)
    frames = [Frames(np.ascontiguousarray(f.T)[:, None], np.zeros(3, np.int64)) for f in both]
    value, _, torque = measures(TURN, np.arange(3), np.zeros(3, np.int64), np.empty(0), *frames)
    for k in range(3):
        w = np.empty(6)
        assert value[0, k] == pytest.approx(measure(TURN, k, 0, np.empty(0), a, b, w), abs=1e-12)
        np.testing.assert_allclose(torque[:, 0, k], w[3:], atol=1e-11)

"""A drag ends at a least distance from its target, where a repeated request moves nothing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.table import TwistBasis
from assembly_solver.foundations.types import Array
from assembly_solver.kinematics.drag.affected import DragSystem
from assembly_solver.kinematics.drag.beyond_reach import _newton, _newton_at_once
from assembly_solver.kinematics.drag.compliance import Response, pull, responses

SAMPLES = Path(__file__).parents[2] / "samples"

MOVED = 1e-6
"""mm: what a repeated request may move."""

RISE = 1e-4
"""Per mm: by less than this the distance may fall on any way from where a drag ends."""


def opened(sample: str) -> asm.Session:
    """A sample without values of its drivers."""
    a = asm.read(SAMPLES / f"{sample}.assembly.json")
    for driver in list(a.drivers):
        a.set_driver(driver, None)
    return asm.Session(a)


def arm(links: int) -> asm.Session:
    """Links of 100 mm, hinged in a plane."""
    a = asm.Assembly("arm")
    root, tip = asm.Axis((0, 0, 0), "z", "x"), asm.Axis((100, 0, 0), "z", "x")
    a.add("base", grounded=True, features={"tip": root})
    last = "base"
    for k in range(links):
        at = asm.Pose.from_axis((50.0 * k, 86.6 * (k % 2), 0), (0, 0, 1), 60.0 * (-1) ** k)
        a.add(f"link{k}", features={"root": root, "tip": tip}, pose=at)
        a.mate("revolute", f"{last}.tip", f"link{k}.root", name=f"hinge{k}")
        last = f"link{k}"
    return asm.Session(a)


def grip(session: asm.Session, part: str, point: tuple[float, float, float]) -> Array:
    return np.asarray(session.poses[part].apply(point))


@pytest.mark.parametrize(
    ("sample", "part"),
    [("excavator", "bucket"), ("double_butterfly", "DK"), ("four_bar", "rocker")],
)
def test_a_repeated_request_moves_nothing_and_no_way_from_there_leads_nearer(
    sample: str, part: str
) -> None:
    session = opened(sample)
    size, point = session._plan.system.length, (0.0, 0.0, 0.0)
    home, rng = grip(session, part, point), np.random.default_rng(5)
    for far in (0.05, 0.3, 3.0):
        way = rng.normal(size=3)
        target = home + far * size * way / np.linalg.norm(way)
        step = session.drag(part, point=point, to=target.tolist())
        assert step.holds and not step.limited
        before, at = session._bodies.copy(), grip(session, part, point)
        session.drag(part, point=point, to=target.tolist())
        np.testing.assert_allclose(session._bodies, before, rtol=0.0, atol=MOVED)
        for _ in range(3):
            nudge = rng.normal(size=3)
            near = at + 1e-4 * size * nudge / np.linalg.norm(nudge)
            session.drag(part, point=point, to=near.tolist())
            now = grip(session, part, point)
            gone = float(np.linalg.norm(now - at))
            falls = step.away_mm - float(np.linalg.norm(target - now))
            assert falls <= RISE * gone + MOVED
            session.drag(part, point=point, to=at.tolist())


@pytest.mark.parametrize("links", [2, 3])
def test_an_arm_pulled_out_of_reach_ends_stretched_towards_the_target(links: int) -> None:
    session, target = arm(links), np.array([300.0, 400.0, 0.0])
    last = f"link{links - 1}"
    for _ in range(3):
        step = session.drag(last, point=(100, 0, 0), to=target.tolist())
    assert step.away_mm == pytest.approx(500.0 - 100.0 * links, abs=1e-6)
    reached = grip(session, last, (100.0, 0.0, 0.0))
    np.testing.assert_allclose(reached, links * np.array([60.0, 80.0, 0.0]), atol=1e-2)


@pytest.mark.parametrize("beside", [0.0, 1e-3, -1e-6])
@pytest.mark.parametrize("far", [1.0, 100.0, 700.0])
def test_a_link_led_straight_to_the_other_side_of_its_hinge_turns_round(
    beside: float, far: float
) -> None:
    session, target = arm(1), np.zeros(3)
    at = grip(session, "link0", (100.0, 0.0, 0.0))
    target[:2] = -far * at[:2] / 100.0 + beside * np.array([-at[1], at[0]]) / 100.0
    step = session.drag("link0", point=(100, 0, 0), to=target.tolist())
    least = abs(float(np.linalg.norm(target)) - 100.0)
    assert not step.lags and step.away_mm == pytest.approx(least, abs=1e-6)


def test_newton_steps_at_once_are_those_of_the_blocks_and_meet_a_pendulum_at_once() -> None:
    """A pendulum: its step is -d'/d'' of half the squared distance, over its angle."""
    session, target = arm(1), np.array([300.0, 200.0, 0.0])
    session.drag("link0", point=(100, 0, 0), to=(90, 40, 0))
    course = session._course
    assert course is not None
    limited = course._limited_plan(())
    (body, moving) = next(iter(limited.moving.items()))
    basis = TwistBasis(np.eye(3), limited.plan.bodies.centre, limited.plan.system.length)
    s, held = DragSystem(limited.table, moving, basis, 1e-9), np.array([100.0, 0.0, 0.0])
    at, e, found = grip(session, "link0", (100.0, 0.0, 0.0)), np.zeros(6), list[Array]()
    e[:3] = target - at
    for form in (_newton, _newton_at_once):
        response = Response(np.empty((3, 1, 6)), *np.empty((2, 3, 3)), np.empty((6, 6)))
        x = np.empty((1, 6))
        assert responses(s, session._bodies, body, held, response)[0]
        pull(response, e, np.empty(3), x)
        assert form(s, session._bodies, body, response, e, x)
        found.append(x)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    t = math.atan2(at[1], at[0])
    along, across = at / 100.0, np.array([-math.sin(t), math.cos(t), 0.0])
    turn = 100.0 * (target @ across) / (100.0 * (target @ along))
    assert found[0][0, 5] / basis.length == pytest.approx(turn, rel=1e-3)

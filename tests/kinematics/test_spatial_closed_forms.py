"""Mechanisms in space against their closed forms: slider-crank, shafts with joints, RSSR."""

from __future__ import annotations

import math

import jets as j
import numpy as np
import pytest
from jets import Jet, off
from judging import ACCELERATION, POSITION_MM, VELOCITY, point_gaps, whole
from spatial import Placed, Rssr, shaft_line, shafts, slider_crank, spatial_slider_crank

import assembly_solver as asm

pytestmark = pytest.mark.quick

STEPS, SPEED = 72, 300.0
TURN = math.radians(SPEED)


def driver(last: float = 2 * math.pi) -> Jet:
    return j.at_speed(0.0, last, STEPS, TURN)


def assert_moves(motion: asm.Motion, part: str, body: Placed) -> None:
    """A part has the poses, velocities and accelerations of its closed form."""
    track, k = motion.part(part), motion.parts.index(part)
    n = len(motion.t)
    axes = np.stack([np.broadcast_to(e.value, (n, 3)) for e in body.axes], axis=1)
    spin, spin_rate = (np.broadcast_to(v, (n, 3)) for v in j.spin_of(body.axes))
    place, speed, acc = (
        np.broadcast_to(v, (n, 3)) for v in (body.origin.value, body.origin.rate, body.origin.acc)
    )
    assert np.abs(track.position - place).max() < POSITION_MM
    assert np.abs(motion.frames[:, k, 3:].reshape(n, 3, 3) - axes).max() < 1e-11
    assert off(track.velocity, speed) < VELOCITY
    assert off(track.acceleration, acc) < ACCELERATION
    assert off(np.radians(track.spin), spin) < VELOCITY
    assert off(np.radians(track.spin_rate), spin_rate) < ACCELERATION


def test_the_spatial_slider_crank_moves_as_its_closed_form() -> None:
    motion = whole(
        asm.sweep(spatial_slider_crank(0.0), {"input": (0, 360)}, steps=STEPS, speed=SPEED)
    )
    for part, body in slider_crank(driver()).items():
        assert_moves(motion, part, body)


def test_the_spatial_slider_crank_has_the_published_numbers_at_its_start() -> None:
    """IFToMM benchmark, 6 rad/s: slider 0.2 m, 0.24 m/s, 1.44 m/s2; rod (1.92, -.96, .48) rad/s."""
    speed = math.degrees(6.0)
    motion = whole(asm.sweep(spatial_slider_crank(0.0), {"input": (0, 30)}, steps=3, speed=speed))
    slider, rod = motion.part("slider"), motion.part("rod")
    found = (slider.position[0], slider.velocity[0], slider.acceleration[0])
    for value, x in zip(found, (200.0, 240.0, 1440.0), strict=True):
        np.testing.assert_allclose(value, (x, 0, 0), atol=1e-9 * x)
    np.testing.assert_allclose(np.radians(rod.spin[0]), (1.92, -0.96, 0.48), atol=1e-12)


SHAFTS = {
    "one joint": ((30.0,), (0.0,)),
    "two joints with crossed pins": ((30.0, -30.0), (0.0, 90.0)),
    "two joints with pins in line": ((30.0, -30.0), (0.0, 0.0)),
    "three joints": ((25.0, 35.0, -20.0), (10.0, 60.0, -30.0)),
}


@pytest.mark.parametrize("name", SHAFTS)
def test_a_line_of_shafts_with_cardan_joints_turns_as_its_closed_form(name: str) -> None:
    bends, phases = SHAFTS[name]
    a = shaft_line(bends, phases, 0.0)
    motion = whole(asm.sweep(a, {"input": (0, 360)}, steps=STEPS, speed=SPEED))
    for part, body in shafts(driver(), bends, phases).items():
        assert_moves(motion, part, body)


@pytest.mark.parametrize("bend", [10.0, 30.0, 60.0])
def test_a_cardan_joint_has_its_ratio_of_speeds_at_every_angle(bend: float) -> None:
    """cos(bend) / (1 - sin(bend)^2 cos(turn)^2), at 30 degrees from 0.8660254 to 1.1547005.

    The turn counts from where the pin of the first shaft is in the plane of both.
    """
    a = shaft_line((bend,), (0.0,), 0.0)
    motion = whole(asm.sweep(a, {"input": (0, 360)}, steps=STEPS, speed=SPEED))
    ratio = motion.joint("shaft 2", "angle").rate / motion.joint("shaft 1", "angle").rate
    b, turn = math.radians(bend), np.radians(motion.driven["input"].value)
    expected = math.cos(b) / (1 - math.sin(b) ** 2 * np.cos(turn) ** 2)
    np.testing.assert_allclose(ratio, expected, rtol=1e-11)
    extremes = (math.cos(b), 1 / math.cos(b))
    np.testing.assert_allclose((ratio.min(), ratio.max()), extremes, rtol=1e-11)


def test_a_shaft_between_two_joints_in_one_plane_with_parallel_pins_turns_evenly() -> None:
    """The universal shaft: its last shaft turns exactly as the first."""
    motion = whole(
        asm.sweep(
            shaft_line(*SHAFTS["two joints with pins in line"], 0.0),
            {"input": (0, 360)},
            steps=STEPS,
            speed=SPEED,
        )
    )
    last, between = motion.joint("shaft 3", "angle"), motion.joint("shaft 2", "angle")
    np.testing.assert_allclose(last.rate, SPEED, rtol=1e-11)
    np.testing.assert_allclose(last.acc, 0.0, atol=1e-8 * SPEED * TURN)
    swing = 1 / math.cos(math.radians(30)) - math.cos(math.radians(30))
    assert np.ptp(between.rate) / SPEED == pytest.approx(swing, rel=1e-11)


@pytest.mark.parametrize("side", [1, -1])
def test_a_spatial_four_bar_with_balls_moves_as_its_closed_form(side: int) -> None:
    """Its rod may spin idly: its ends are judged, and the motion says that the spin stays."""
    m = Rssr(side=side)
    motion = whole(asm.sweep(m.build(0.0), {"input": (0, 360)}, steps=STEPS, speed=SPEED))
    rocker = m.rocker_turn(driver())
    assert point_gaps(motion, "rocker.ball", m.tip(rocker))
    assert point_gaps(motion, "rod.ball", m.tip(rocker))
    assert point_gaps(motion, "rod.hub", j.polar(m.crank, driver()))
    angle = motion.joint("D", "angle")
    assert np.abs(np.radians(angle.value) - rocker.value).max() < 1e-11
    assert off(np.radians(angle.rate), rocker.rate) < VELOCITY
    assert off(np.radians(angle.acc), rocker.acc) < ACCELERATION
    assert len(motion.held) == 1 and "rod" in motion.held[0]

"""Laws in sweeps over time: the driven joint follows the closed form, the guided part its laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.model.drivers.guide import Guide

ROUNDING = 1e-9
"""Of mm and degrees, and of their rates in seconds: closing goes on to 1e-12 or so."""


def boom(**held: Any) -> asm.Assembly:
    """A boom on a pin, lifted by a cylinder on arms of 300 and 400 mm."""
    a = asm.Assembly("boom")
    a.add("base", grounded=True, features={"foot": asm.Point((0, -300, 0))})
    a.add("boom", features={"eye": asm.Point((400, 0, 0))})
    a.mate("revolute", "base.z", "boom.z", name="hinge")
    a.cylinder("lift", pins=("base.foot", "boom.eye"), closed=420, stroke=200, **held)
    return a


def shaker(**given: Any) -> asm.Assembly:
    a = asm.Assembly("shaker")
    a.add("base", grounded=True, pose=asm.Pose.from_axis((9, 8, 7), (1, 2, 3), 40))
    a.add("table", pose=asm.Pose((3, 4, 5)))
    a.guide("motion", "table", **given)
    return a


def test_a_cylinder_on_a_law_turns_the_boom_by_the_law_of_cosines() -> None:
    motion = asm.sweep(boom(law="500 + 60*sin(2*pi*t)"), time=(0.0, 1.0), steps=8)
    turns = 2 * np.pi * motion.t
    length = 500 + 60 * np.sin(turns)
    rate, acc = 120 * np.pi * np.cos(turns), -240 * np.pi**2 * np.sin(turns)
    angle = np.arccos((300**2 + 400**2 - length**2) / 240000)
    spin = length * rate / (120000 * np.sin(angle))  # its derivative in time
    swing = ((rate**2 + length * acc) / 120000 - np.cos(angle) * spin**2) / np.sin(angle)
    hinge = motion.joint("hinge")
    assert bool(motion)
    np.testing.assert_allclose(hinge.value, np.degrees(angle) - 90, atol=ROUNDING)
    np.testing.assert_allclose(hinge.rate, np.degrees(spin), atol=ROUNDING)
    np.testing.assert_allclose(hinge.acc, np.degrees(swing), atol=10 * ROUNDING)


@pytest.mark.parametrize("steps", [5, 10])
@pytest.mark.parametrize(
    "given",
    [
        {"position": ["10*sin(2*pi*t)", 0, 0]},  # turns round between two states, or on one
        {"position": [900, "5*sin(10*pi*t)", "t"], "angles": [0, "20*t**2", "200*t"]},
        {"angles": ["30*sin(7*t)", "90*t", 20], "order": "zxz"},
    ],
)
def test_a_guided_part_follows_its_laws(given: dict[str, Any], steps: int) -> None:
    a = shaker(**given)
    motion = asm.sweep(a, time=(0.0, 1.0), steps=steps)
    guide = a.drivers["motion"]
    assert isinstance(guide, Guide)
    assert bool(motion), motion.sentence
    told, found = guide.motion(motion.t), (motion.frames, motion.twists, motion.accelerations)
    for own, exact in zip(found, told, strict=True):
        np.testing.assert_allclose(own[:, 1], exact, atol=ROUNDING)


def test_what_is_guided_waits_while_drivers_are_led_to_their_first_values() -> None:
    a = boom()
    a.add("table")
    a.guide("shake", "table", position=["40*t", 7, 0], angles=[0, 0, "80*t"])
    a.drive("slope", angle=("base.x", "boom.x"), about="base.z", law="20 - 10*t")
    motion = asm.sweep(a, time=(0.0, 1.0), steps=4)
    assert bool(motion), motion.sentence
    np.testing.assert_allclose(motion.joint("hinge").value, 20 - 10 * motion.t, atol=ROUNDING)
    table = motion.frames[:, motion.parts.index("table"), :2]
    np.testing.assert_allclose(table, np.stack([40 * motion.t, 7 + 0 * motion.t], 1), atol=ROUNDING)


def crank(law: Any, lengths: tuple[float, ...]) -> asm.Assembly:
    """A four-bar (ground, crank, coupler, follower) whose crank follows a law."""
    a = asm.Assembly("four-bar")
    names = ("ground", "crank", "coupler", "follower")
    for name, length in zip(names, lengths, strict=True):
        ends = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((length, 0, 0), "z")}
        a.add(name, features=ends, grounded=name == "ground")
    for joint, ends in {
        "A": "ground.left crank.left",
        "B": "crank.right coupler.left",
        "C": "coupler.right follower.right",
        "D": "follower.left ground.right",
    }.items():
        a.mate("revolute", *ends.split(), name=joint)
    a.drive("motor", "A", law=law)
    return a


@pytest.mark.parametrize(
    "law", ["720*t", "60 + 300*sin(2*pi*t)", {"ramp": [0, 720], "times": [1.3, 1.6]}]
)
def test_between_its_states_a_motion_goes_as_the_law_says(law: Any) -> None:
    """The follower only rocks: however far the crank turns between states, it comes back."""
    motion = asm.sweep(crank(law, (200, 60, 180, 120)), time=(0.0, 4.0), steps=4)
    assert motion and len(motion.t) == 5
    told = motion.driven["motor"].value
    back = motion.joint("D").value
    same = np.abs((told - told[0] + 180) % 360 - 180) < ROUNDING
    np.testing.assert_allclose(back[same], back[0], atol=ROUNDING)
    assert same.all()


def test_a_dead_point_between_two_states_of_a_law_stops_the_motion() -> None:
    """Every state asks for 100 degrees, and on the way to the second the law asks for 190."""
    motion = asm.sweep(
        crank("100 + 90*sin(2*pi*t)", (200, 300, 220, 260)), time=(0.0, 4.0), steps=4
    )
    event = motion.stopped
    assert event is not None and event.kind == "dead point"
    diagonal = 220.0 + 260.0  # coupler and follower in line
    cosine = (200.0**2 + 300.0**2 - diagonal**2) / (2 * 200.0 * 300.0)
    assert event.value == pytest.approx(np.degrees(np.arccos(cosine)), abs=ROUNDING)
    assert motion.valid.tolist() == [True, False, False, False, False]


def test_values_a_rounding_apart_are_one_state() -> None:
    a = crank(None, (200, 60, 180, 120))
    motion = asm.sweep(a, {"motor": [30.0, np.nextafter(30.0, 31.0), 35.0]})
    assert motion.valid.all()
    assert motion.joint("D").value[0] == motion.joint("D").value[1]


def test_drivers_that_contradict_are_told_without_the_guide_beside_them() -> None:
    a = boom(value=500)
    a.drive("slope", "hinge")
    a.add("table")
    a.guide("shake", "table", position=["5*sin(t)", 900, 0])
    start = float(asm.sweep(boom(), "lift", separation=[500.0]).joint("hinge").value[0])
    motion = asm.sweep(a, "slope", angle=(start, start + 10), steps=2)
    assert not motion and motion.stopped is not None
    assert motion.stopped.kind == "contradiction"
    told = "driver lift repeats what driver slope and the mates already tell"
    assert motion.stopped.words.endswith(told)
    assert "shake" not in motion.stopped.words


def test_a_sweep_in_pieces_moves_also_where_a_piece_begins_and_ends_at_rest() -> None:
    a = asm.read("samples/four_bar.assembly.json")
    driver = a.drivers["crank"]
    a.remove_driver("crank")
    a.drive("crank", driver.joint, "angle", law={"ramp": [0, 90], "times": [1.3, 1.6]})
    motion = asm.sweep(a, time=(0, 4), steps=400, progress=lambda *_: None)
    pin = motion.point("crank.pin").position
    turned = np.degrees(np.arctan2(pin[:, 1], pin[:, 0]))
    ramp = motion.driven["crank"].value
    assert bool(motion) and list(ramp[[0, 130, 160, 400]]) == [0.0, 0.0, 90.0, 90.0]
    np.testing.assert_allclose(turned, ramp, atol=ROUNDING)


# ------------------------------------------------------------------ jumps
@pytest.mark.parametrize(
    ("law", "told"),
    [
        ("500 + 10*floor(t)", "at t = 1 s it goes from 500 to 510"),  # on a state
        ("500 + if(t < 0.777, 0, 1e-3)", "at t = 0.777 s it goes from 500 to 500.001"),
        ("500 - 2*sign(t - 0.3)", "at t = 0.3 s it goes from 502 to 5"),
    ],
)
def test_a_law_that_jumps_is_refused_by_its_place_and_its_time(law: str, told: str) -> None:
    with pytest.raises(asm.AssemblySolverError, match=told) as caught:
        asm.sweep(boom(law=law), time=(0.0, 2.0), steps=8)
    assert "lift" in str(caught.value) and "step(t, begin, from, end, to)" in str(caught.value)


def test_a_guide_that_jumps_is_refused_as_well() -> None:
    given = shaker(position=["round(t)", 0, 0])
    with pytest.raises(asm.AssemblySolverError, match="goes from 0 to 1 at once"):
        asm.sweep(given, time=(0.0, 1.0), steps=4)


@pytest.mark.parametrize(
    "law", ["if(t < 1, 500, 400 + 100*t)", "500 + step(t, 0.5, 0, 0.5001, 20)", "500 + 30*abs(t-1)"]
)
def test_a_corner_and_a_steep_step_are_no_jumps(law: str) -> None:
    assert asm.sweep(boom(law=law), time=(0.0, 2.0), steps=8)

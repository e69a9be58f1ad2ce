"""What is proved of the steps of a sweep; and what is not, where another branch is near."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import bar, four_bar, ground, pins, slider_crank, still

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.diagnosis.proof.certificate import Unproved

SAMPLES = Path(__file__).parents[2] / "samples"


def proved(motion: asm.Motion) -> dict[str, Any]:
    assert motion and motion.certified is not None
    return motion.certified


def trap(apart: float, first: float) -> asm.Assembly:
    """A four-bar that is almost a parallelogram: its branches come `apart` mm near at 0 degrees.

    There coupler and rocker are almost in line over 60 mm, the pin between them h = apart / 2
    aside: the coupler is (1 / 40 - 1 / 100) h^2 / 2 less than 100 mm long, to h^4.
    """
    short = (apart / 2) ** 2 * (1 / 40 - 1 / 100) / 2
    return four_bar(100, 40, 100 - short, 40, 1).build(first)


def test_every_step_of_a_crank_stays_on_its_branch() -> None:
    a = four_bar(300, 100, 260, 200).build(0.0)
    assert asm.sweep(a, "input", angle=(0, 40), steps=2).certified is None
    found = proved(asm.sweep(a, "input", angle=(0, 40), steps=2, certify=True))
    assert found["proved"] == 2
    assert [(s["from"], s["to"]) for s in found["steps"]] == [(0, 1), (1, 2)]
    assert found["within_mm"] > 0.1
    assert found["off_mm"] < 1e-9
    words = found["words"]
    assert words.startswith("2 steps proved to stay on their branch, with no other solution within")


def test_a_platform_whose_legs_spin_freely_stays_on_its_branch() -> None:
    """The spins are locked within the loop, as coordinates that nothing drives."""
    a = asm.read(SAMPLES / "stewart_platform.assembly.json")
    found = proved(asm.sweep(a, {"leg 1": (490, 495)}, steps=1, certify=True))
    assert found["proved"] == 1
    assert found["off_mm"] < 1e-9


@pytest.mark.parametrize(("apart", "far"), [(0.3, 1.0), (1e-3, 0.005)])
def test_a_jump_to_a_branch_that_comes_near_is_told(apart: float, far: float) -> None:
    """A step over the narrow place lands on the other branch, whose pin is below the frame."""
    motion = asm.sweep(trap(apart, far), "input", angle=(far, -far), steps=1, certify=True)
    stays = trap(apart, -far).part("rocker").pose.apply([[40.0, 0.0, 0.0]])[0]
    tip = motion.point("rocker.tip").position[1]
    assert np.linalg.norm(tip - stays) > apart
    (step,) = proved(motion)["steps"]
    assert not step["proved"]
    assert step["reason"] == Unproved.ELSEWHERE.value


def test_a_finer_step_at_the_narrow_place_is_proved_to_stay() -> None:
    motion = asm.sweep(trap(0.3, 0.2), "input", angle=(0.2, -0.2), steps=1, certify=True)
    stays = trap(0.3, -0.2).part("rocker").pose.apply([[40.0, 0.0, 0.0]])[0]
    assert motion.point("rocker.tip").position[1] == pytest.approx(stays, abs=1e-7)
    found = proved(motion)
    assert found["proved"] == 1
    # the pin of the other branch is 0.3 mm away; boxes have room for a share of that
    assert 1e-4 < found["within_mm"] < 0.3


def test_where_branches_cross_the_step_is_not_proved_and_its_place_named() -> None:
    a = four_bar(100, 40, 100, 40, 1).build(0.01)
    found = proved(asm.sweep(a, "input", angle=(0.01, -0.01), steps=2, certify=True))
    assert found["proved"] == 0
    step = found["steps"][0]
    assert step["reason"] == Unproved.SINGULAR.value
    assert step["parts"] == ["crank", "coupler", "rocker"]
    assert step["at"].startswith("input ")
    assert abs(float(step["at"].split()[1])) < 1e-2


def test_a_dead_point_ends_the_proof_with_the_motion() -> None:
    a = slider_crank(100.0, 90.0, 0.0).build(50.0)
    motion = asm.sweep(a, "input", angle=(50, 70), steps=4, certify=True)
    assert motion.stopped is not None
    assert motion.stopped.value == pytest.approx(math.degrees(math.asin(0.9)), abs=1e-9)
    assert motion.certified is not None
    assert motion.certified["proved"] == len(motion.certified["steps"]) == motion.valid.sum() - 1


def test_gears_that_turn_more_than_once_between_states_are_followed() -> None:
    a = asm.Assembly("train")
    ground(a, {}, o=(0.0, 0.0), p=(60.0, 0.0))
    bar(a, "wheel", still(0.0, 0.0, 0.0), still(50.0, 0.0, 0.0))
    bar(a, "pinion", still(60.0, 0.0, 0.0), still(70.0, 0.0, 0.0))
    pins(a, ("W", "frame.o", "wheel.foot"), ("P", "frame.p", "pinion.foot"))
    a.mate("gear", "W", "P", teeth=(100, 10))
    motion = asm.sweep(a, "W", angle=(0, 45), steps=1, certify=True)
    assert abs(motion.joint("P", "angle").value[-1]) == pytest.approx(450.0, abs=1e-9)
    assert proved(motion)["proved"] == 1


def test_where_the_motion_solves_for_other_equations_nothing_else_is_held() -> None:
    """A nut on a spindle is held by more than it needs, and near 90 degrees by other mates."""
    a, over = asm.Assembly("jack"), asm.Pose((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    foot, thread = (asm.Frame((x, 0, 0), (1, 0, 0), (0, 0, 1)) for x in (0, 100))
    pin, low, tip = (asm.Frame((x, y, 0)) for x, y in ((100, 0), (45, 60), (75, 75)))
    a.add("frame", grounded=True, pose=over, features={"foot": foot, "way": thread, "low": low})
    a.add("spindle", pose=over, features={"foot": foot, "thread": thread})
    a.add("nut", pose=over, features={"thread": thread, "way": thread, "pin": pin})
    a.add("rod", pose=over, features={"pin": pin, "tip": tip})
    a.add("rocker", pose=over, features={"low": low, "tip": tip})
    a.mate("revolute", "frame.foot", "spindle.foot", name="turn")
    a.mate("screw", "spindle.thread", "nut.thread", pitch=5.0)
    a.mate("prismatic", "frame.way", "nut.way")
    a.mate("revolute", "nut.pin", "rod.pin")
    a.mate("spherical", "rod.tip", "rocker.tip")
    a.mate("revolute", "frame.low", "rocker.low")
    found = proved(asm.sweep(a, "turn", angle=(0, 180), steps=2, certify=True))
    assert (found["proved"], len(found["steps"])) == (2, 2)
    assert found["off_mm"] < 1e-9


def test_coordinates_that_nothing_drives_are_held_in_the_proof() -> None:
    a = asm.Assembly("arm")
    ground(a, o=(0.0, 0.0))
    bar(a, "upper", still(0.0, 0.0, 0.0), still(100.0, 0.0, 0.0))
    bar(a, "lower", still(100.0, 0.0, 0.0), still(160.0, 0.0, 0.0))
    pins(a, ("shoulder", "frame.o", "upper.foot"), ("elbow", "upper.tip", "lower.foot"))
    motion = asm.sweep(a, "shoulder", angle=(0, 60), steps=2, certify=True)
    assert motion.held
    assert proved(motion)["proved"] == 2


def test_a_guided_part_leads_others_by_proved_steps() -> None:
    a = asm.Assembly("led")
    ground(a, o=(0.0, 0.0))
    a.add("hand", pose=asm.Pose((150.0, 0.0, 0.0)), features={"pin": asm.Frame((0, 0, 0))})
    bar(a, "upper", still(0.0, 0.0, 0.0), still(80.0, 60.0, 0.0))
    bar(a, "lower", still(80.0, 60.0, 0.0), still(150.0, 0.0, 0.0))
    pins(a, ("A", "frame.o", "upper.foot"), ("B", "upper.tip", "lower.foot"))
    pins(a, ("C", "hand.pin", "lower.tip"))
    a.guide("path", "hand", position=("150 - t", 0, 0))
    motion = asm.sweep(a, time=(0, 1), steps=1, certify=True)
    found = proved(motion)
    assert found["proved"] == 1
    assert found["within_mm"] > 1e-2


def test_a_budget_that_ends_is_the_reason_of_the_steps_that_are_left() -> None:
    calls = iter(range(10_000))
    a = four_bar(300, 100, 260, 200).build(0.0)
    plain = asm.sweep(a, "input", angle=(0, 30), steps=3, cancel=lambda: next(calls) < 0)
    needed = next(calls)
    assert plain
    again = iter(range(10_000))
    motion = asm.sweep(
        a, "input", angle=(0, 30), steps=3, certify=True, cancel=lambda: next(again) > needed
    )
    assert motion.certified is not None
    assert motion.certified["steps"][-1]["reason"] == Unproved.STOPPED.value


def test_the_command_tells_it_in_both_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sweep", str(SAMPLES / "hinge.assembly.json"), "--driver", "opening", "--steps", "2")
    assert cli.main((*words, "--certify")) == 0
    assert "2 steps proved to stay on their branch" in " ".join(capsys.readouterr().out.split())
    assert cli.main((*words, "--certify", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["certified"]["proved"] == 2


def test_a_sweep_that_begins_at_half_a_turn_is_proved() -> None:
    """There an angle jumps: it is at the turn that the driver's value says."""
    a = asm.read(SAMPLES / "theo_jansen.assembly.json")
    found = proved(asm.sweep(a, "crank", angle=(-180, -150), steps=1, certify=True))
    assert found["proved"] == 1
    assert found["off_mm"] < 1e-9

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


def trap(apart: float) -> tuple[asm.Assembly, float]:
    """A four-bar that is almost a parallelogram: its branches come `apart` mm near at 0 degrees.

    There the coupler and the rocker are almost in line, over 60 mm, and the pin between them is
    h = apart / 2 to the one or the other side: they are too long by h (1 / 100 + 1 / 40) h / 2.
    """
    short = (apart / 2) ** 2 * (1 / 40 - 1 / 100) / 2
    return four_bar(100, 40, 100 - short, 40, 1).build(2.0), short


def test_every_step_of_a_crank_stays_on_its_branch() -> None:
    motion = asm.sweep(four_bar(300, 100, 260, 200).build(0.0), "input", angle=(0, 90), steps=6)
    assert motion.certified is None
    a = four_bar(300, 100, 260, 200).build(0.0)
    found = proved(asm.sweep(a, "input", angle=(0, 90), steps=6, certify=True))
    assert found["proved"] == 6
    assert [(s["from"], s["to"]) for s in found["steps"]] == [(k, k + 1) for k in range(6)]
    assert found["within_mm"] > 1e-2
    assert found["off_mm"] < 1e-9
    words = found["words"]
    assert words.startswith("6 steps proved to stay on their branch, with no other solution within")


@pytest.mark.parametrize("apart", [0.02, 1e-3])
def test_a_jump_to_a_branch_that_comes_near_is_told(apart: float) -> None:
    """The sweep passes from the one to the other; the branch itself turns back to where it is not.

    With coupler and rocker on the one side at 2 degrees they are on it at -2 degrees, too.
    """
    a, short = trap(apart)
    motion = asm.sweep(a, "input", angle=(2, -2), steps=1, certify=True)
    tip = motion.point("rocker.tip").position
    found = proved(motion)
    other = four_bar(100, 40, 100 - short, 40, 1).build(-2.0).part("rocker").pose
    stays = other.apply([[40.0, 0.0, 0.0]])[0]
    jumped = bool(np.linalg.norm(tip[1] - stays) > 0.1)
    assert found["proved"] == (0 if jumped else 1)
    if jumped:
        assert found["steps"][0]["reason"] == Unproved.ELSEWHERE.value


def test_where_branches_cross_the_step_is_not_proved_and_its_place_named() -> None:
    a = four_bar(100, 40, 100, 40, 1).build(2.0)
    found = proved(asm.sweep(a, "input", angle=(2, -2), steps=2, certify=True))
    assert found["proved"] == 0
    step = found["steps"][0]
    assert step["reason"] == Unproved.SINGULAR.value
    assert step["parts"] == ["crank", "coupler", "rocker"]
    assert step["at"].startswith("input ")
    assert abs(float(step["at"].split()[1])) < 1e-2


def test_a_dead_point_ends_the_proof_with_the_motion() -> None:
    a = slider_crank(100.0, 90.0, 0.0).build(10.0)
    motion = asm.sweep(a, "input", angle=(10, 70), steps=6, certify=True)
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
    a.mate("gear", "W", "P", teeth=(200, 10))
    motion = asm.sweep(a, "W", angle=(0, 90), steps=3, certify=True)
    assert abs(motion.joint("P", "angle").value[-1]) == pytest.approx(1800.0, abs=1e-9)
    assert proved(motion)["proved"] == 3


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
    a = asm.read(SAMPLES / "hinge.assembly.json")
    joint = next(iter(a.mates))
    assert joint
    a = asm.Assembly("led")
    ground(a, o=(0.0, 0.0))
    a.add(
        "hand",
        grounded=True,
        pose=asm.Pose((150.0, 0.0, 0.0)),
        features={"pin": asm.Frame((0, 0, 0))},
    )
    bar(a, "upper", still(0.0, 0.0, 0.0), still(80.0, 60.0, 0.0))
    bar(a, "lower", still(80.0, 60.0, 0.0), still(150.0, 0.0, 0.0))
    pins(a, ("A", "frame.o", "upper.foot"), ("B", "upper.tip", "lower.foot"))
    pins(a, ("C", "hand.pin", "lower.tip"))
    a.guide("path", "hand", position=("150 - 20*t", "5*t", 0))
    motion = asm.sweep(a, time=(0, 1), steps=2, certify=True)
    assert proved(motion)["proved"] == 2


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

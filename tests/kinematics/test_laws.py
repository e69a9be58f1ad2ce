"""Laws in sweeps over time: the driven joint follows the closed form, the guided part its laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.model.guide import Guide

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

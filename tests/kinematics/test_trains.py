"""Gears, racks, belts and screws in sweeps: exact ratios, turns counted beyond a circle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import X, Z, frames
from judging import POSITION_MM, whole
from mechanisms import pose
from scipy.spatial.transform import Rotation

import assembly_solver as asm

pytestmark = pytest.mark.quick

SPEED = 720.0
TURNS = 10


def wheels(*at: tuple[float, float]) -> asm.Assembly:
    """Wheels 1, 2, ... on hinges "j1", "j2", ... of a frame, each with a mark on its rim."""
    a = asm.Assembly("wheels")
    names = [f"wheel {k + 1}" for k in range(len(at))]
    a.add("frame", grounded=True, features=frames(dict(zip(names, at, strict=True))))
    for k, (name, (x, y)) in enumerate(zip(names, at, strict=True)):
        rim = frames({"hub": (0, 0), "mark": (30, 0)})
        a.add(name, pose=asm.Pose((x, y, 0)), features=rim)
        a.mate("revolute", f"frame.{name}", f"{name}.hub", name=f"j{k + 1}", sense="aligned")
    a.drive("input", "j1", "angle", value=0)
    return a


def turned(a: asm.Assembly, steps: int = 12 * TURNS) -> asm.Motion:
    return whole(asm.sweep(a, {"input": (0, 360 * TURNS)}, steps=steps, speed=SPEED))


def assert_turns(motion: asm.Motion, joint: str, ratio: float, start: float = 0.0) -> None:
    """A joint turns so many times as far as the driver, exactly, over all its turns."""
    track, driven = motion.joint(joint, "angle"), motion.driven["input"].value
    np.testing.assert_allclose(track.value, start + ratio * driven, atol=1e-8)  # of 10000 degrees
    np.testing.assert_allclose(track.rate, ratio * SPEED, rtol=1e-12)
    np.testing.assert_allclose(track.acc, 0.0, atol=1e-9 * SPEED)


@pytest.mark.parametrize(
    ("kind", "parameters", "ratio"),
    [
        ("gear", {"ratio": -2.5}, -2.5),
        ("gear", {"teeth": (20, 60)}, -1 / 3),
        ("gear", {"teeth": (20, 60), "internal": True}, 1 / 3),
        ("belt", {"radii": (30.0, 80.0)}, 30 / 80),
        ("belt", {"radii": (30.0, 80.0), "crossed": True}, -30 / 80),
    ],
)
def test_a_pair_of_wheels_turns_by_its_ratio_over_ten_turns(
    kind: str, parameters: dict[str, object], ratio: float
) -> None:
    a = wheels((0, 0), (100, 0))
    a.mate(kind, joints=("j1", "j2"), name="mesh", **parameters)
    motion = turned(a)
    assert_turns(motion, "j1", 1.0)
    assert_turns(motion, "j2", ratio)
    turn = np.radians(ratio * motion.driven["input"].value)
    rim = np.column_stack([100 + 30 * np.cos(turn), 30 * np.sin(turn), 0 * turn])
    assert np.abs(motion.point("wheel 2.mark").position - rim).max() < POSITION_MM


def test_a_train_of_three_gears_multiplies_its_ratios() -> None:
    a = wheels((0, 0), (80, 0), (160, 0))
    a.mate("gear", joints=("j1", "j2"), teeth=(18, 40))
    a.mate("gear", joints=("j2", "j3"), teeth=(40, 25))
    motion = turned(a)
    assert_turns(motion, "j2", -18 / 40)
    assert_turns(motion, "j3", 18 / 25)


def test_steps_of_a_whole_turn_lose_no_turn_of_a_train() -> None:
    a = wheels((0, 0), (100, 0))
    a.mate("gear", joints=("j1", "j2"), ratio=-2.5)
    motion = turned(a, steps=TURNS)
    assert_turns(motion, "j2", -2.5)


def test_a_train_that_turns_back_counts_its_turns_back() -> None:
    """Up and down in steps of more than a turn: no way is the shorter one by the angle alone."""
    a = wheels((0, 0), (100, 0))
    a.mate("gear", joints=("j1", "j2"), ratio=-2.5)
    values = np.array([0.0, 400, 800, 1200, 800, 400, 0, -400])
    motion = whole(asm.sweep(a, {"input": values}))
    np.testing.assert_allclose(motion.driven["input"].value, values, atol=1e-9)
    np.testing.assert_allclose(motion.joint("j1", "angle").value, values, atol=1e-9)
    np.testing.assert_allclose(motion.joint("j2", "angle").value, -2.5 * values, atol=1e-9)


def test_a_value_that_is_repeated_repeats_its_state() -> None:
    a = wheels((0, 0), (100, 0))
    a.mate("gear", joints=("j1", "j2"), ratio=-2.5)
    values = [0.0, 400.0, 400.0, 400.0, 800.0]
    motion = whole(asm.sweep(a, {"input": values}))
    np.testing.assert_allclose(
        motion.joint("j2", "angle").value, np.multiply(-2.5, values), atol=1e-9
    )
    assert np.abs(motion.frames[1] - motion.frames[3]).max() == 0.0


def planetary(sun: int = 24, planet: int = 18) -> asm.Assembly:
    """A sun, a planet on a carrier and a fixed ring; the sun is driven."""
    a = asm.Assembly("planetary")
    reach = float(sun + planet)
    a.add("frame", grounded=True, features=frames({"o": (0, 0)}))
    for name in ("sun", "carrier"):
        a.add(name, features=frames({"hub": (0, 0), "pin": (reach, 0)}))
        a.mate("revolute", "frame.o", f"{name}.hub", name=name, sense="aligned")
    rim = frames({"hub": (0, 0), "mark": (planet, 0)})
    a.add("planet", pose=asm.Pose((reach, 0, 0)), features=rim)
    a.mate("revolute", "carrier.pin", "planet.hub", name="planet", sense="aligned")
    ring = sun + 2 * planet
    # teeth pass alike, seen from the carrier
    meshes = {"outer": ((sun, "sun"), -sun, planet), "inner": ((0, ""), -ring, -planet)}
    for name, ((teeth, first), carrier, own) in meshes.items():
        terms = [(first, teeth)] * bool(teeth) + [("carrier", carrier), ("planet", own)]
        joints, factors = zip(*terms, strict=True)
        angles = ("angle",) * len(joints)
        a.mate("linear", joints=joints, coordinates=angles, coefficients=factors, name=name)
    a.drive("input", "sun", "angle", value=0)
    return a


def test_a_planetary_gear_with_a_fixed_ring_obeys_willis() -> None:
    """Carrier / sun = zs / (zs + zr); planet in the world / sun = -zs / zp x (1 - that) + that."""
    zs, zp = 24, 18
    zr = zs + 2 * zp
    motion = turned(planetary(zs, zp))
    carrier = zs / (zs + zr)
    assert_turns(motion, "carrier", carrier)
    relative = -zs / zp * (1 - carrier)
    assert_turns(motion, "planet", relative)
    assert abs(relative + carrier * zr / zp) < 1e-15  # it rolls in the ring
    spin = motion.part("planet").spin[:, 2]
    np.testing.assert_allclose(spin, (carrier + relative) * SPEED, rtol=1e-11)


def slide(a: asm.Assembly, name: str, start: float = 0.0) -> None:
    """A part that slides along x on the frame."""
    a.add_features("frame", {name: asm.Frame((0, -50, 0), X, Z)})
    body = {"slide": asm.Frame((0, 0, 0), X, Z)}
    a.add(name, pose=asm.Pose((start, -50, 0)), features=body)
    a.mate("prismatic", f"frame.{name}", f"{name}.slide", name=f"way of {name}")


@pytest.mark.parametrize("repeated", [False, True], ids=["one by one", "a pattern"])
def test_three_planets_turn_on_past_half_a_turn_with_gears_that_repeat_each_other(
    repeated: bool,
) -> None:
    """Sun 20, planets 30, ring 80 held: the carrier makes 20 / (20 + 80) of the sun's turns.

    The gears of the second and third planet are redundant: their turns count as well.
    """
    a = asm.Assembly("planets")
    round_ = [Rotation.from_euler("z", 120 * k, degrees=True) for k in range(3)]
    pins = {f"pin {k}": tuple(r.apply((50, 0, 0))[:2]) for k, r in enumerate(round_)}
    hub = frames({"hub": (0, 0)})
    a.add("ring", grounded=True, features=hub)
    a.add("sun", features=hub)
    a.add("carrier", features=hub | frames(pins))
    a.mate("revolute", "carrier.hub", "sun.hub", name="sun bearing")
    a.mate("revolute", "carrier.hub", "ring.hub", name="ring bearing")
    for k in range(1 if repeated else 3):
        a.add(f"planet {k}", pose=asm.Pose((*pins[f"pin {k}"], 0)), features=hub)
        a.mate("revolute", f"carrier.pin {k}", f"planet {k}.hub", name=f"pin {k}")
        sun, ring = ("sun bearing", f"pin {k}"), (f"pin {k}", "ring bearing")
        a.mate("gear", joints=sun, teeth=(20, 30), name=f"sun mesh {k}")
        a.mate("gear", joints=ring, teeth=(30, 80), internal=True, name=f"ring mesh {k}")
    if repeated:
        a.add_pattern("planets", "planet 0", [pose((0, 0, 0), r) for r in round_[1:]])
    a.drive("input", angle=("ring.x", "sun.x"), about="ring.hub")
    motion = whole(asm.sweep(a, {"input": (0, 1440)}, steps=72, speed=SPEED))
    assert_turns(motion, "ring bearing", -20 / 100)
    assert_turns(motion, "pin 0", -(1 - 20 / 100) * 20 / 30)
    assert_turns(motion, "pin 0[2]" if repeated else "pin 2", -(1 - 20 / 100) * 20 / 30)


def test_a_rack_moves_by_the_radius_of_its_pinion_for_a_radian() -> None:
    a = wheels((0, 0))
    slide(a, "rack", 12.0)
    a.mate("rack_and_pinion", joints=("j1", "way of rack"), radius=25.0)
    motion = turned(a)
    length, turn = motion.joint("way of rack", "length"), np.radians(motion.driven["input"].value)
    np.testing.assert_allclose(length.value, 12 + 25 * turn, atol=POSITION_MM)
    np.testing.assert_allclose(length.rate, 25 * math.radians(SPEED), rtol=1e-12)


def test_a_rack_that_is_driven_turns_its_pinion_more_than_once() -> None:
    a = wheels((0, 0))
    slide(a, "rack")
    a.mate("rack_and_pinion", joints=("j1", "way of rack"), radius=-25.0)
    a.set_driver("input", None)
    a.drive("push", "way of rack", "length")
    motion = whole(asm.sweep(a, {"push": (0, 500)}, steps=20, speed=50.0))
    turn = motion.joint("j1", "angle")
    np.testing.assert_allclose(turn.value, np.degrees(-np.linspace(0, 500, 21) / 25), atol=1e-9)
    np.testing.assert_allclose(turn.rate, math.degrees(-50 / 25), rtol=1e-12)


def screw(pitch: float) -> asm.Assembly:
    """A nut on a thread along z: driven by its turn."""
    a = asm.Assembly("screw")
    a.add("bed", grounded=True, features=frames({"thread": (0, 0)}))
    a.add("nut", pose=asm.Pose((0, 0, 7)), features=frames({"thread": (0, 0), "mark": (20, 0)}))
    a.mate("screw", "bed.thread", "nut.thread", name="thread", pitch=pitch, sense="aligned")
    a.drive("input", "thread", "angle", value=0)
    return a


@pytest.mark.parametrize("pitch", [4.0, -1.5])
def test_a_nut_moves_by_the_pitch_a_turn_over_ten_turns(pitch: float) -> None:
    motion = turned(screw(pitch))
    length, turns = motion.joint("thread", "length"), motion.driven["input"].value / 360
    np.testing.assert_allclose(length.value, 7 + pitch * turns, atol=POSITION_MM)
    np.testing.assert_allclose(length.rate, pitch * SPEED / 360, rtol=1e-12)
    a = 2 * np.pi * turns
    mark = np.column_stack([20 * np.cos(a), 20 * np.sin(a), 7 + pitch * turns])
    assert np.abs(motion.point("nut.mark").position - mark).max() < POSITION_MM


def test_a_spindle_that_is_pushed_turns_its_nut() -> None:
    a = screw(40.0)
    a.set_driver("input", None)
    a.drive("push", "thread", "length")
    motion = whole(asm.sweep(a, {"push": (7, 127)}, steps=6, speed=10.0))
    turn = motion.joint("thread", "angle")
    np.testing.assert_allclose(turn.value, (motion.driven["push"].value - 7) * 9, atol=1e-9)
    np.testing.assert_allclose(turn.rate, 90.0, rtol=1e-12)


@pytest.mark.parametrize("steps", [10, 73])
def test_a_driver_of_a_coaxial_angle_counts_ten_turns_up_and_down(steps: int) -> None:
    a = asm.Assembly("shaft")
    a.add("frame", grounded=True, features={"bore": asm.Axis((5, 0, 0), Z)})
    ends = {"pin": asm.Axis((0, 0, 0), Z), "mark": asm.Point((10, 0, 0))}
    a.add("shaft", features=ends)
    coaxial = a.mate("coaxial", "frame.bore", "shaft.pin", name="bearing", sense="aligned")
    a.drive("input", coaxial, "angle")
    values = np.concatenate([np.linspace(0, 3600, steps), np.linspace(3600, 0, steps)[1:]])
    motion = whole(asm.sweep(a, {"input": values.tolist()}))
    np.testing.assert_allclose(motion.joint("bearing", "angle").value, values, atol=1e-9)
    turn = np.radians(values)
    mark = np.column_stack([5 + 10 * np.cos(turn), 10 * np.sin(turn), 0 * turn])
    assert np.abs(motion.point("shaft.mark").position - mark).max() < POSITION_MM
    assert len(motion.held) == 1 and "length" in motion.held[0]  # the slide, which nothing drives

"""Which parts cannot rotate relative to each other, and the loops of angles that add up."""

from __future__ import annotations

import math

import pytest
from mechanisms import O

import assembly_solver as asm
from assembly_solver.equations.angle_loops import windings
from assembly_solver.equations.angle_turns import coordinate_of
from assembly_solver.equations.system import compile_system

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def loops(tilt: float) -> list[int]:
    """How many angles each loop of a four-bar has whose crank and coupler end in tilted axes."""
    a, tilted = asm.Assembly("four-bar"), (tilt, 0.0, 1.0)
    lengths = {"ground": 200, "crank": 60, "coupler": 180, "rocker": 120}
    for link, length in lengths.items():
        end = tilted if link in ("crank", "coupler") else Z
        pins = {"left": asm.Axis(O, Z, X), "right": asm.Axis((length, 0, 0), end, X)}
        a.add(link, features=pins, grounded=link == "ground")
    a.mate("revolute", "ground.left", "crank.left", name="A")
    a.mate("revolute", "crank.right", "coupler.left", name="B")
    a.mate("revolute", "coupler.right", "rocker.right", name="C")
    a.mate("revolute", "rocker.left", "ground.right", name="D")
    for joint in "ABCD":
        a.drive(joint, joint, value=0.0)
    system = compile_system(a)
    table = system.table
    rows = [int(table.first_term[system.first_equation[k]]) for k in range(4, 8)]
    values = {coordinate_of(table, k): 0.0 for k in rows}
    found = windings(table, system.start, system.grounded, values)
    return [len(winding.signs) for winding in found]


def test_the_angles_of_four_parallel_hinges_add_up() -> None:
    assert loops(0.0) == [4]


@pytest.mark.parametrize("tilt", [1e-7, 1e-5])
def test_hinges_that_are_nearly_parallel_hold_no_part_from_turning(tilt: float) -> None:
    """Crank and coupler share two directions 1e-7 apart: as one frame they would leave a loop of
    the three other hinges, whose angles do not add up."""
    assert loops(tilt) == []


def driven(value: float, about: str, off: float, upside_down: bool) -> asm.Assembly:
    """A gear turned by the angle of two directions, and another one that it drives, 3 : 10."""
    a = asm.Assembly("gears")
    over = asm.Pose.from_axis(O, X, 180.0) if upside_down else asm.Pose()
    pin, hub = asm.Axis(O, (off, 0, 1)), asm.Axis(O, (0, off, -1 if upside_down else 1))
    bearings = {"pin": pin, "axle": asm.Axis((50, 0, 0), Z), "mark": asm.Axis(O, (1, 0, 0.3))}
    a.add("base", grounded=True, features=bearings)
    a.add("wheel", pose=over, features={"pin": hub, "mark": asm.Axis(O, (1, 0, 0.5))})
    a.add("pinion", pose=asm.Pose((50, 0, 0)))
    a.mate("revolute", "base.pin", "wheel.pin", name="driving")
    a.mate("revolute", "base.axle", "pinion.z", name="driven")
    a.mate("gear", joints=["driving", "driven"], ratio=-0.3, constant=0.0)
    a.drive("turn", angle=("base.mark", "wheel.mark"), about=about, value=value)
    return a


@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("off", [0.0, 1e-7])
@pytest.mark.parametrize("about", ["base.pin", "base.z", "wheel.pin", "wheel.z"])
def test_the_turns_of_an_angle_about_an_axis_reach_a_gear(
    about: str, off: float, upside_down: bool
) -> None:
    """As those that are counted step by step: silently a turn off, 108 degrees at the pinion."""
    end = {}
    for value in (400.0, -500.0):
        swept = asm.sweep(driven(0.0, about, off, upside_down), "turn", angle=(0, value), steps=8)
        stepped = swept.joint("driven").value[-1]
        solved = asm.solve(driven(value, about, off, upside_down)).require()
        end[value] = solved.poses["pinion"].apply((1.0, 0.0, 0.0))
        x = math.radians(stepped)
        assert end[value] == pytest.approx((50 + math.cos(x), math.sin(x), 0.0), abs=1e-6)
        assert abs(stepped) == pytest.approx(abs(0.3 * value), abs=1e-6)


def planetary(arm: float, turn: float, constant: float | None, off: float = 0.0) -> asm.Assembly:
    """A planet on a driven arm, turned by the angle to the base, and a gear that it drives."""
    a = asm.Assembly("planetary")
    a.add("base", grounded=True, features={"far": asm.Axis((80, 0, 0), Z), "mark": asm.Axis(O, X)})
    a.add("arm", features={"pin": asm.Axis((30, 0, 0), (off, 0, 1))})
    a.add("planet", pose=asm.Pose((30, 0, 0)), features={"mark": asm.Axis(O, X)})
    a.add("out", pose=asm.Pose((80, 0, 0)))
    a.mate("revolute", "base.z", "arm.z", name="arm")
    a.mate("revolute", "arm.pin", "planet.z", name="spin")
    a.mate("revolute", "base.far", "out.z", name="out")
    a.mate("gear", joints=["spin", "out"], ratio=-0.3, constant=constant)
    a.drive("arm", "arm", value=arm)
    a.drive("turn", angle=("base.mark", "planet.mark"), about="base.z", value=turn)
    return a


@pytest.mark.parametrize("constant", [0.0, None])
@pytest.mark.parametrize(("arm", "turn"), [(-200.0, 250.0), (190.0, 100.0)])
def test_angles_around_a_loop_add_up_whatever_turns_the_poses_tell(
    arm: float, turn: float, constant: float | None
) -> None:
    """Read within half a turn, the angles at these poses add up to a whole turn, not to none."""
    a = planetary(arm, turn, constant)
    x = math.radians(0.3 * (arm - turn))
    there = pytest.approx((80 + math.cos(x), math.sin(x), 0.0), abs=1e-6)
    solution = asm.solve(a).require()
    assert solution.poses["out"].apply(X) == there
    swept = asm.sweep(a, "turn", angle=(turn, turn + 10.0), steps=1)
    out = swept.frames[0, swept.parts.index("out")]
    assert out[:3] + out[3:6] == there
    a.keep_constants({n: c["value"] for n, c in solution.constants.items()})
    a.move(solution.poses)
    assert asm.solve(a).require().poses["out"].apply(X) == there


def test_what_is_measured_at_a_start_holds_there_whatever_turns_its_angles_tell() -> None:
    """Arm 160, planet 100 degrees further: to the base that is -100 as well as 260 degrees."""
    a = planetary(160.0, 260.0, 0.0)
    poses = asm.solve(a).require().poses
    again = planetary(160.0, -100.0, None)
    again.move(poses)
    found = asm.solve(again).require().poses["out"].apply(X)
    assert found == pytest.approx(poses["out"].apply(X), abs=1e-6)


@pytest.mark.parametrize("off", [1e-7, -1e-6])
def test_the_axes_of_an_arm_may_be_off_where_turns_are_counted(off: float) -> None:
    x = math.radians(0.3 * (-200.0 - 250.0))
    found = asm.solve(planetary(-200.0, 250.0, 0.0, off)).require().poses["out"].apply(X)
    assert found == pytest.approx((80 + math.cos(x), math.sin(x), 0.0), abs=1e-5)


@pytest.mark.parametrize("unused", ["t1", "t2", "t3"])
def test_a_driven_angle_keeps_its_turns_where_another_loop_has_its_joint(unused: str) -> None:
    """A loop of three joints before it took the turn that its joint needs: 111 degrees, not 3."""
    a, at = asm.Assembly("loop"), asm.Pose.from_axis(O, Z, 190.0)
    mark = asm.Axis(O, (math.cos(math.radians(20.0)), math.sin(math.radians(20.0)), 0.0))
    a.add("base", grounded=True, features={"mark": mark, "axle": asm.Axis((50, 0, 0), Z)})
    end = {"end": asm.Axis((10, 0, 0), Z), "mark": asm.Axis(O, X)}
    a.add("arm", pose=at, features=end)
    a.add("plate", pose=asm.Pose.from_axis(at.apply((10.0, 0.0, 0.0)), Z, 190.0))
    a.add("out", pose=asm.Pose((50, 0, 0)))
    a.mate("revolute", "base.z", "arm.z", name="t1")
    a.mate("revolute", "arm.end", "plate.z", name="t2")
    a.mate("planar", "base.xy", "plate.xy", name="t3")
    a.mate("revolute", "base.axle", "out.z", name="out")
    a.mate("gear", joints=["t1", "out"], ratio=-0.3)
    a.mate("gear", joints=[t for t in ("t1", "t2", "t3") if t != unused], ratio=-0.5)
    a.drive("turn", angle=("base.mark", "arm.mark"), about="base.z", value=180.0)
    x = math.radians(-3.0)
    found = asm.solve(a).require().poses["out"].apply(X)
    assert found == pytest.approx((50 + math.cos(x), math.sin(x), 0.0), abs=1e-6)


HOWS = {
    "joint": {"joint": "hinge", "coordinate": "angle"},
    "about": {"angle": ("base.x", "door.mark"), "about": "base.z"},
    "other": {"angle": ("base.x", "door.x"), "about": "door.z"},
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("bounded", HOWS)
@pytest.mark.parametrize("value", [-330.0, -20.0, -5.0, 40.0, 299.0, 301.0, 400.0])
def test_a_limit_counts_the_turns_of_a_driven_angle(how: str, bounded: str, value: float) -> None:
    """As the angle of the hinge itself: 400 degrees with at most 300 were taken for 40."""
    a = asm.Assembly("hinge")
    a.add("base", grounded=True)
    a.add("door", features={"mark": asm.Axis((0, 0, 3), X)})
    a.mate("revolute", "base.z", "door.z", name="hinge")
    a.drive(name="turn", value=value, **HOWS[how])
    a.limit(name="stop", min=-10.0, max=300.0, **HOWS[bounded])
    assert asm.solve(a).solved == (-10.0 <= value <= 300.0)


@pytest.mark.parametrize("bounded", HOWS)
def test_a_sweep_ends_at_a_limit_of_another_angle_beyond_a_turn(bounded: str) -> None:
    a = asm.Assembly("hinge")
    a.add("base", grounded=True)
    a.add("door", features={"mark": asm.Axis((0, 0, 3), X)})
    a.mate("revolute", "base.z", "door.z", name="hinge")
    a.drive(name="turn", value=370.0, **HOWS["about"])
    a.limit(name="stop", min=-10.0, max=500.0, **HOWS[bounded])
    swept = asm.sweep(a, "turn", angle=(370.0, 600.0), steps=23)
    assert [event.value for event in swept.events] == pytest.approx([500.0])

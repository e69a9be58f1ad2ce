"""Sweeps of what assemblies are made of: chains, several mechanisms, sub-assemblies, patterns."""

from __future__ import annotations

import math

import jets as j
import numpy as np
import pytest
from builders import Z, bar, four_bar, frames, ground, line, pins, slider_crank, still
from jets import Jet, off
from judging import POSITION_MM, judged, point_gaps, whole

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError

SPEED = 60.0


def arm() -> asm.Assembly:
    """Two links on a frame, lying along x; nothing is driven yet."""
    a = asm.Assembly("arm")
    ground(a, o=(0.0, 0.0))
    elbow, tip = still(100.0, 0.0, 0.0), still(160.0, 0.0, 0.0)
    bar(a, "upper", still(0.0, 0.0, 0.0), elbow)
    bar(a, "lower", elbow, tip)
    pins(a, ("shoulder", "frame.o", "upper.foot"), ("elbow", "upper.tip", "lower.foot"))
    return a


def tip_of(one: Jet, two: Jet) -> Jet:
    return j.polar(100.0, one) + j.polar(60.0, one + two)


def radians(motion: asm.Motion, name: str) -> Jet:
    track = motion.driven[name]
    return Jet(*(np.radians(v) for v in (track.value, track.rate, track.acc)))


def test_an_open_chain_with_two_paired_drivers_moves_as_its_closed_form() -> None:
    a = arm()
    a.drive("one", "shoulder", "angle")
    a.drive("two", "elbow", "angle")
    values = {"one": (0, 90), "two": (0, -300)}
    motion = whole(asm.sweep(a, values, steps=30, speed=SPEED))
    assert (motion.held, motion.events) == ((), ())
    np.testing.assert_allclose(motion.driven["one"].value, np.linspace(0, 90, 31), atol=1e-12)
    np.testing.assert_allclose(motion.driven["two"].value, np.linspace(0, -300, 31), atol=1e-12)
    assert point_gaps(motion, "lower.tip", tip_of(radians(motion, "one"), radians(motion, "two")))


def test_a_grid_has_every_pair_of_values() -> None:
    a = arm()
    a.drive("one", "shoulder", "angle")
    a.drive("two", "elbow", "angle")
    ones, twos = [0.0, 30.0, 60.0], [-90.0, 0.0, 45.0, 90.0]
    motion = whole(asm.sweep(a, {"one": ones, "two": twos}, grid=True))
    found = np.column_stack([motion.driven["one"].value, motion.driven["two"].value])
    every = [(one, two) for one in ones for two in twos]
    np.testing.assert_allclose(sorted(np.round(found, 9).tolist()), every, atol=1e-9)
    tip = tip_of(*(Jet(np.radians(motion.driven[d].value)) for d in ("one", "two")))
    assert np.abs(motion.point("lower.tip").position - tip.value).max() < POSITION_MM
    two = motion.driven["two"].rate  # rates are those of the last driver alone, in every row
    np.testing.assert_allclose(two, 1.0, rtol=1e-12)
    np.testing.assert_allclose(motion.driven["one"].rate, 0.0, atol=1e-12)


def test_a_freedom_that_nothing_drives_stays_and_is_told() -> None:
    """Only the elbow is driven: the upper link stays where it is, and the motion says so."""
    a = arm()
    a.drive("two", "elbow", "angle")
    motion = whole(asm.sweep(a, {"two": (0, 180)}, steps=12, speed=SPEED))
    assert len(motion.held) == 1 and "shoulder" in motion.held[0]
    shoulder = motion.joint("shoulder", "angle")
    np.testing.assert_allclose(shoulder.value, 0.0, atol=1e-12)
    np.testing.assert_allclose(shoulder.rate, 0.0, atol=1e-12)
    two = radians(motion, "two")
    assert point_gaps(motion, "lower.tip", tip_of(0.0 * two, two))


def test_a_driver_that_is_let_go_stays_where_it_is() -> None:
    """A five-bar with one driven crank: the other, whose driver has no value, keeps its angle."""
    a = five_bar()
    a.set_driver("two", None)
    motion = whole(asm.sweep(a, {"one": (110, 130)}, steps=10, speed=SPEED))
    assert motion.held == ("two",)
    track = motion.quantity(motion.assembly.drivers["two"])
    np.testing.assert_allclose(track.value, track.value[0], atol=1e-9)


def five_bar() -> asm.Assembly:
    """Two cranks of 80 mm, 200 mm apart, with two links of 160 mm between their tips."""
    a = asm.Assembly("five-bar")
    one, two, top = five_bar_at(*(line(math.radians(d)) for d in (110.0, 70.0)))
    ground(a, o=(0.0, 0.0), d=(200.0, 0.0))
    bar(a, "left", 0.0 * one, one)
    bar(a, "right", still(200.0, 0.0, 0.0) + 0.0 * two, two)
    bar(a, "up", one, top)
    bar(a, "down", two, top)
    pins(a, ("A", "frame.o", "left.foot"), ("B", "left.tip", "up.foot"))
    pins(a, ("C", "up.tip", "down.tip"), ("D", "right.tip", "down.foot"))
    pins(a, ("E", "frame.d", "right.foot"))
    a.drive("one", "A", "angle")
    a.drive("two", "E", "angle")
    return a


def five_bar_at(one: Jet, two: Jet) -> tuple[Jet, Jet, Jet]:
    b = j.polar(80.0, one)
    d = still(200.0, 0.0, 0.0) + j.polar(80.0, two)
    return b, d, j.meet(b, 160.0, d, 160.0, 1)


def test_a_five_bar_with_two_drivers_moves_as_its_closed_form() -> None:
    values = {"one": (110, 470), "two": (70, 250)}
    motion = whole(asm.sweep(five_bar(), values, steps=60, speed=SPEED))
    top = five_bar_at(radians(motion, "one"), radians(motion, "two"))[2]
    assert point_gaps(motion, "up.tip", top)


def test_the_speed_of_paired_drivers_is_that_of_the_first() -> None:
    """Both reach their ends at one time: the second goes half as fast."""
    values = {"one": (110, 470), "two": (70, 250)}
    motion = whole(asm.sweep(five_bar(), values, steps=6, speed=SPEED))
    np.testing.assert_allclose(motion.driven["one"].rate, SPEED, rtol=1e-12)
    np.testing.assert_allclose(motion.driven["two"].rate, SPEED / 2, rtol=1e-12)
    assert motion.t[-1] == pytest.approx(360 / SPEED)


def machine() -> asm.Assembly:
    """A four-bar and a slider-crank as flexible sub-assemblies of one machine."""
    a = asm.Assembly("machine")
    left, right = four_bar(300, 100, 260, 200).build(20.0), slider_crank().build(50.0)
    for part, name, at in ((left, "left", (0.0, 0.0, 0.0)), (right, "right", (900.0, 200.0, 70.0))):
        part.set_driver("input", None)
        pose, file = asm.Pose(at), f"{name}.json"
        a.add_assembly(name, part, rigid=False, grounded=True, pose=pose, file=file)
    return a


def test_mechanisms_of_sub_assemblies_are_swept_by_their_drivers_together() -> None:
    values = {"left.input": (20, 200), "right.input": (50, 410)}
    motion = whole(asm.sweep(machine(), values, steps=36, speed=SPEED))
    left = four_bar(300, 100, 260, 200).oracle(radians(motion, "left.input"))
    assert point_gaps(motion, "left.rocker.tip", left.points["rocker.tip"])
    right = slider_crank().oracle(radians(motion, "right.input")).points["slider.pin"]
    assert point_gaps(motion, "right.slider.pin", right + still(900.0, 200.0, 70.0))


def test_a_mechanism_that_is_not_driven_stands_still() -> None:
    motion = whole(asm.sweep(machine(), {"left.input": (20, 200)}, steps=18, speed=SPEED))
    at = [k for k, p in enumerate(motion.parts) if p.startswith("right.")]
    assert len(at) == 4
    assert np.abs(motion.frames[:, at] - motion.frames[0, at]).max() == 0.0
    assert np.abs(motion.twists[:, at]).max() == 0.0
    assert any("right." in words for words in motion.held)


def test_an_undeclared_driver_is_made_of_a_mate_and_its_values() -> None:
    a = arm()
    by_name = whole(asm.sweep(a, "shoulder", angle=(0, 90), steps=9, speed=SPEED))
    by_mate = whole(asm.sweep(a, a.mates["shoulder"], angle=range(0, 91, 10), speed=SPEED))
    np.testing.assert_allclose(by_name.frames, by_mate.frames, atol=POSITION_MM)
    assert len(by_name.driven) == 1 and len(a.drivers) == 0


def planets() -> asm.Assembly:
    """A sun with three planets by a pattern, its couplings repeated."""
    a = asm.Assembly("planets")
    a.add("carrier", grounded=True, features=frames({"mid": (0.0, 0.0), "pin": (30.0, 0.0)}))
    a.add("sun", features=frames({"bore": (0.0, 0.0)}))
    bore = frames({"bore": (0.0, 0.0), "mark": (8.0, 0.0)})
    a.add("planet", pose=asm.Pose((30.0, 0.0, 0.0)), features=bore)
    pins(a, ("s", "carrier.mid", "sun.bore"), ("p", "carrier.pin", "planet.bore"))
    a.mate("gear", joints=("s", "p"), name="mesh", ratio=-2.0)
    turns = [asm.Pose.from_axis((0, 0, 0), Z, 120.0 * k) for k in (1, 2)]
    a.add_pattern("planets", "planet", turns)
    a.drive("motor", "s", "angle", value=0)
    return a


def test_planets_of_a_pattern_turn_alike_over_turns() -> None:
    motion = whole(asm.sweep(planets(), {"motor": (0, 1080)}, steps=54, speed=SPEED))
    turn = radians(motion, "motor")
    for k, name in enumerate(("planet", "planets[1]", "planets[2]")):
        place = j.polar(30.0, 0.0 * turn + 2 * math.pi * k / 3)
        mark = place + j.polar(8.0, -2.0 * turn + 2 * math.pi * k / 3)
        assert point_gaps(motion, f"{name}.mark", mark)
    np.testing.assert_allclose(motion.joint("p", "angle").value[-1], -2160.0, atol=1e-8)


def test_a_separation_of_points_that_nothing_drives_is_told_with_its_rates() -> None:
    """A quantity that is only read: a limit's, or a driver's that is free."""
    m = four_bar(300, 100, 260, 200)
    a = m.build(0.0)
    a.drive("span", separation=("frame.o", "rocker.tip"))
    motion = whole(asm.sweep(a, {"input": (0, 360)}, steps=36, speed=SPEED))
    tip = m.oracle(radians(motion, "input")).points["rocker.tip"]
    track, known = motion.quantity(a.drivers["span"]), j.norm(tip)
    assert off(track.value, known.value) < 1e-12
    assert off(track.rate, known.rate) < 1e-10
    assert off(track.acc, known.acc) < 1e-9


def test_a_motion_without_any_driver_is_a_bad_call() -> None:
    with pytest.raises(AssemblySolverError) as caught:
        asm.sweep(arm())
    assert "driver" in str(caught.value)


def test_paired_drivers_have_equally_many_values() -> None:
    a = arm()
    a.drive("one", "shoulder", "angle")
    a.drive("two", "elbow", "angle")
    with pytest.raises(AssemblySolverError, match="'one' has, which is 3, or a grid"):
        asm.sweep(a, {"one": [0, 10, 20], "two": [5]})


def test_a_value_that_is_asked_again_and_again_holds_each_time() -> None:
    a = four_bar(200.0, 60.0, 180.0, 140.0).build(60.0)
    once = asm.sweep(a, {"input": [80.0]})
    often = whole(asm.sweep(a, {"input": (80.0, 80.0)}, steps=2))
    np.testing.assert_array_equal(often.frames, np.repeat(once.frames, 3, axis=0))
    assert once.sentence.startswith("1 state holds (")


def test_a_contradictory_assembly_gives_a_motion_without_a_valid_state() -> None:
    """A rocker 400 mm too long to close: no state is valid, and each says why."""
    a = four_bar(300, 100, 260, 200).build(0.0)
    a.mate("distance", "frame.o", "rocker.tip", value=2000.0, name="too far")
    motion = asm.sweep(a, {"input": (0, 90)}, steps=3)
    assert not motion and not motion.valid.any()
    assert all("too far" in reason for reason in motion.reasons)


def test_judges_find_a_wrong_motion() -> None:
    """The judge itself: a linkage with another coupler is not taken for the right one."""
    m, other = four_bar(300, 100, 260, 200), four_bar(300, 100, 260.001, 200)
    motion = whole(asm.sweep(m.build(0.0), {"input": (0, 360)}, steps=36, speed=SPEED))
    wrong = judged(motion, other.oracle(radians(motion, "input")))
    assert {"rocker.tip", "rocker", "coupler"} <= wrong.keys()


def test_a_sweep_is_told_of_and_stopped_between_its_pieces() -> None:
    a, told = five_bar(), []
    values = {"one": np.linspace(110.0, 130.0, 1001)}
    motion = asm.sweep(a, values, progress=lambda *at: told.append(at[:2]))
    assert motion and told == [(k, 10) for k in range(10)] * (len(told) // 10)
    asked = iter(range(100))
    halted = asm.sweep(a, values, cancel=lambda: next(asked) == 5)
    assert not halted and 0 < halted.valid.sum() < 1001
    assert halted.reasons[-1] == "cancelled while it was swept"
    done = halted.valid
    np.testing.assert_allclose(halted.frames[done], motion.frames[done], atol=1e-9)  # rounding


def test_a_driver_of_parts_that_cannot_move_holds_only_where_it_asks_what_is() -> None:
    """Rigid with the frame, whatever the driver says: the first state holds, no other one."""
    a = asm.Assembly("stuck")
    a.add("rail", grounded=True)
    a.add("shoe", pose=asm.Pose((0, 4, 0)))
    a.mate("prismatic", "rail.y", "shoe.y", name="slide")
    a.mate("point_in_plane", "shoe.origin", "rail.zx", name="stop")
    a.drive("push", "slide", "length", range=(0, 60))
    motion = asm.sweep(a, "push", steps=6)
    assert motion.valid.tolist() == [True] + [False] * 6
    words = "push cannot hold with the other mates and drivers at push 10 mm (10 mm off)"
    assert str(motion) == (
        f"1 of 7 states hold (0 mm); {words}; driver push drives what the mates already hold"
    )
    assert motion.reasons[-1].startswith(words)
    apart = asm.sweep(a, {"push": (5, 6)}, steps=1)
    assert not apart.valid.any() and "(5 mm off)" in str(apart)


@pytest.mark.parametrize(
    ("laws", "off"),
    [
        ({"position": ["3*t", 0, 0]}, 1.5),
        (
            {"angles": [0, 0, "10*t"]},
            np.radians(5.0) * 3.0,
        ),  # at the reach: the frame is 3 mm from the origin
    ],
)
def test_a_guide_of_a_part_that_cannot_move_holds_only_where_it_asks_what_is(
    laws: dict[str, list[str | int]], off: float
) -> None:
    a = asm.Assembly("welded")
    for name in ("base", "table"):
        a.add(name, grounded=name == "base", features={"cs": asm.Frame((1, 2, 2))})
    a.mate("fixed", "base.cs", "table.cs", name="weld")
    a.guide("shake", "table", **laws)
    motion = asm.sweep(a, time=(0, 1), steps=2)
    assert motion.valid.tolist() == [True, False, False]
    words = "shake cannot hold with the other mates and drivers at t = 0.5 s"
    assert f"{words} ({off:.4g} mm off)" in str(motion)


def test_what_is_free_in_no_joint_rides_along_and_is_told() -> None:
    """A point mirrored in a plane of a free part: no two of the parts have a joint."""
    a = asm.Assembly("mirror")
    a.add("bed", grounded=True, features={"cs": asm.Frame((0, 0, 0), "x", "y")})
    a.add("saddle", features={"cs": asm.Frame((0, 0, 0), "x", "y"), "tip": asm.Point((0, 0, 0))})
    a.add("image", features={"tip": asm.Point((0, 0, 0))}, pose=asm.Pose((40, 0, 0)))
    a.add("glass", features={"face": asm.Plane((0, 0, 0), "x")}, pose=asm.Pose((20, 5, 3)))
    a.mate("prismatic", "bed.cs", "saddle.cs", name="slide")
    a.mate("symmetric", "saddle.tip", "image.tip", about=("glass", "face"))
    motion = asm.sweep(a, "slide", length=(0, 10), steps=5)
    assert str(motion) == "6 states hold (0 mm); not driven, so held: the place of image"
    k = list(a.parts).index("image")
    way = motion.frames[:, k, :3] - [40.0, 0.0, 0.0]
    assert np.linalg.norm(way, axis=1) == pytest.approx(np.linspace(0, 10, 6), abs=1e-12)

"""The sliders of a page: each driver has one, also without a range; titles are short."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import BadValue, UnknownName
from assembly_solver.report.viewer.runs import runs
from assembly_solver.report.viewer.viewer import PlayedMotion

pytestmark = pytest.mark.quick


def engine(limited: bool = False) -> asm.Assembly:
    """A slider-crank, crank 40 and rod 120 mm, whose drivers have no range."""
    a = asm.Assembly("engine")
    along = asm.Frame((0, 0, 0), (1, 0, 0))
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z"), "way": along})
    for name, length in (("crank", 40), ("rod", 120)):
        a.add(name, features={"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((length, 0, 0), "z")})
    a.add("piston", features={"pin": asm.Axis((0, 0, 0), "z"), "way": along})
    a.move({"rod": asm.Pose((40, 0, 0)), "piston": asm.Pose((160, 0, 0))})
    a.mate("revolute", "frame.pin", "crank.a", name="main")
    a.mate("revolute", "crank.b", "rod.a", name="big end")
    a.mate("revolute", "rod.b", "piston.pin", name="small end")
    a.mate("prismatic", "frame.way", "piston.way", name="bore")
    a.drive("motor", "main", "angle", value=35)
    if limited:
        a.limit("main", "angle", min=-20, max=60)
    return a


def played(a: asm.Assembly, *drivers: str) -> list[PlayedMotion]:
    solution = asm.solve(a).require()
    a.move(solution.poses)
    return runs(a, solution, drivers or None, None, lambda *_: None)


def test_a_driver_without_a_range_goes_through_a_turn_about_its_value() -> None:
    (run,) = played(engine())
    (slider,) = run.sliders
    assert (slider.name, slider.values[0], slider.values[-1]) == ("motor", -145.0, 215.0)
    assert slider.values[60] == 35.0 and slider.start == 60.0
    assert np.isfinite(run.frames).all()
    # the crank's pin is above the bore where the rod is steepest: asin(40 sin(90) / 120) about z
    assert run.curves["main", "angle"] == pytest.approx(slider.values)
    small_end = run.curves["small end", "angle"]
    upright = np.interp([-90.0, 90.0], slider.values, small_end)
    assert np.abs(upright) == pytest.approx(np.degrees(np.arcsin(40 / 120)), abs=0.05)


def test_limits_end_the_way_of_a_driver_without_a_range() -> None:
    ((slider,),) = (run.sliders for run in played(engine(limited=True)))
    assert slider.values[[0, -1]] == pytest.approx([-20, 60], abs=0.1)


def test_drivers_that_determine_each_other_move_one_at_a_time() -> None:
    """The piston between its dead points, at 120 - 40 and 120 + 40 mm."""
    a = engine()
    a.drive("output", "bore", "length")
    motor, output = played(a)
    assert [run.sliders[0].name for run in (motor, output)] == ["motor", "output"]
    assert output.sliders[0].values[[0, -1]] == pytest.approx([80, 160], abs=0.1)
    at = 40 * np.cos(np.radians(35)) + np.sqrt(120**2 - (40 * np.sin(np.radians(35))) ** 2)
    shown = np.interp(output.sliders[0].start, np.arange(121), output.sliders[0].values)
    assert shown == pytest.approx(at, abs=1.0)  # the state nearest to it: steps are 0.7 mm
    assert np.isfinite(output.frames).all() and np.isfinite(motor.frames).all()
    piston = output.frames[:, 3, 0]
    assert piston == pytest.approx(output.sliders[0].values, abs=1e-6)


def test_independent_drivers_without_ranges_move_in_all_combinations() -> None:
    a = asm.Assembly("arm")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    for name, before in (("upper", "frame.pin"), ("lower", "upper.end")):
        a.add(name, features={k: asm.Axis((x, 0, 0), "z") for k, x in (("pin", 0), ("end", 100))})
        a.mate("revolute", before, f"{name}.pin", name=name)
        a.drive(f"turn {name}", name, "angle")
    (run,) = played(a)
    assert [slider.name for slider in run.sliders] == ["turn upper", "turn lower"]
    assert [np.ptp(slider.values) for slider in run.sliders] == [360.0, 360.0]
    assert len(run.frames) == len(run.sliders[0].values) * len(run.sliders[1].values)


def test_a_driver_that_cannot_move_has_no_slider_and_others_are_refused() -> None:
    a = engine()
    a.drive("stuck", angle=("frame.x", "piston.x"), about="frame.pin")
    assert [run.sliders[0].name for run in played(a)] == ["motor"]
    with pytest.raises(UnknownName, match="--driver: no driver 'moter'; did you mean 'motor'"):
        played(a, "moter")
    a.guide("led", "crank", value=None)
    with pytest.raises(BadValue, match="one coordinate; it moves with --time"):
        played(a, "led")


def test_titles_of_free_motions_are_short_and_say_the_rest_on_pointing() -> None:
    a = asm.Assembly("free")
    faces = {"face": asm.Plane((0, 0, 0), "z"), "pin": asm.Axis((5, 5, 0), "z")}
    a.add("frame", grounded=True, features=faces)
    a.add("box", features=faces)
    a.add("lid", features=faces)
    a.mate("coplanar", "frame.face", "box.face", name="seat")
    a.mate("revolute", "box.pin", "lid.pin", name="hinge")
    sliders = [slider for run in played(a) for slider in run.sliders]
    titles = ["box turns about z", "box slides along x", "box slides along y"]
    assert [slider.name for slider in sliders] == [*titles, "lid turns about hinge"]
    assert sliders[1].words == "box slides along (1, 0, 0); lid moves with it"


def test_a_free_motion_has_the_coordinates_of_the_joints_that_it_moves() -> None:
    a = engine()
    a.remove_driver("motor")
    (run,) = played(a)
    (slider,) = run.sliders
    assert slider.name == "crank turns about main"
    assert {name for name, _ in run.curves} == {"main", "big end", "small end", "bore"}
    angle, bore = run.curves["main", "angle"], run.curves["bore", "length"]
    assert np.abs(np.diff(angle)) == pytest.approx(np.abs(np.diff(slider.values)))
    turn = np.radians(angle)
    assert bore == pytest.approx(40 * np.cos(turn) + np.sqrt(120**2 - (40 * np.sin(turn)) ** 2))


def test_a_free_motion_that_is_cancelled_ends_at_the_state_that_it_reached() -> None:
    a = engine()
    a.set_driver("motor", None)
    solution = asm.solve(a).require()
    (motion,) = solution.free_motions
    asked: list[int] = []
    whole = asm.free_run(solution, motion)
    part = asm.free_run(solution, motion, cancel=lambda: asked.append(1) or len(asked) > 3)
    assert (len(whole.frames), len(part.frames)) == (61, 4)
    assert np.array_equal(part.frames[-1], whole.frames[30])  # where it stands

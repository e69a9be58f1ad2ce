"""The linkage check against closed forms: reach, dead points, angles, advantage, verdicts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from mechanisms import O, linkage, parallelogram

import assembly_solver as asm
from assembly_solver.checking.driver_sweeps import extremes
from assembly_solver.checking.findings import DriverStudy, Finding, Report
from assembly_solver.checking.paths import off_line
from assembly_solver.errors import BadValue

SAMPLES = Path(__file__).parents[2] / "samples"
Z = (0, 0, 1)


def sample(name: str, **drivers: float) -> asm.Assembly:
    a = asm.read(SAMPLES / f"{name}.assembly.json")
    for check in tuple(a.checks):
        a.remove_check(check)
    for driver, value in drivers.items():
        a.set_driver(driver, value)
    return a


def only(report: Report, name: str) -> Finding:
    (found,) = (f for f in report.findings if f.name == name)
    return found


def study(report: Report, driver: str) -> DriverStudy:
    return next(s for s in report.studies if s.driver == driver)


def slider_crank(r: float = 50.0, rod: float = 150.0, degrees: float = 70.0) -> asm.Assembly:
    t = math.radians(degrees)
    b = np.array([r * math.cos(t), r * math.sin(t), 0.0])
    c = np.array([b[0] + math.sqrt(rod**2 - b[1] ** 2), 0.0, 0.0])
    out = linkage(
        "slider-crank",
        dict.fromkeys(("frame", "crank", "rod", "slider"), asm.Pose()),
        [
            ("revolute", "frame", "crank", O, Z),
            ("revolute", "crank", "rod", b, Z),
            ("revolute", "rod", "slider", c, Z),
            ("prismatic", "frame", "slider", c, (1, 0, 0)),
        ],
    )
    out.add_features("slider", {"head": asm.Point(tuple(c))})
    return out


# ------------------------------------------------------------------ a crank-rocker
def test_a_crank_rocker_turns_fully_with_the_extremes_of_its_transmission_angle():
    a = sample("four_bar")
    a.check("transmission_angle", name="good", at="rocker pin", min=49.0)
    a.check("transmission_angle", name="bad", at="rocker pin", min=51.0)
    a.check("dead_points", name="none")
    a.check("grashof", name="class", equals="crank-rocker")
    a.check("grashof", name="other", equals="double crank")
    report = asm.check(a)
    least = math.degrees(math.acos((180**2 + 140**2 - (200 - 60) ** 2) / (2 * 180 * 140)))
    bad = only(report, "bad")
    assert (bool(report), bool(bad), bool(only(report, "good"))) == (False, False, True)
    assert bad.found == pytest.approx(least, abs=1e-6)  # both ends of the range are this place
    assert bad.place is not None and bad.place.value % 360 == pytest.approx(0.0, abs=1e-6)
    assert bad.words == (
        f"transmission angle at rocker pin is {least:.6g} deg < 51 deg "
        f"at crank = {bad.place.value:.6g} deg"
    )
    told = study(report, "crank")
    assert told.reach == (-math.inf, math.inf)
    assert told.dead_points == () and only(report, "none").found == 0
    assert bool(only(report, "class")) and not only(report, "other")
    assert only(report, "other").element == "crank pivot"


def test_a_rocker_that_is_driven_ends_where_crank_and_coupler_are_in_line():
    a = sample("four_bar", crank=None)
    a.drive("rocker", "rocker pivot", range=(0, 180))
    report = asm.check(a)
    (low, high) = study(report, "rocker").reach
    # angle at the rocker's pivot between frame and rocker, crank and coupler in line
    ends = sorted(
        180 - math.degrees(math.acos((200**2 + 140**2 - reach**2) / (2 * 200 * 140)))
        for reach in (180 - 60, 180 + 60)
    )
    assert (low, high) == pytest.approx(ends, abs=1e-6)
    assert {p.element for p in study(report, "rocker").dead_points} == {"crank pin"}
    assert not only(report, "rocker")
    assert only(report, "rocker").element == "crank pin"


def test_change_points_of_a_parallelogram_are_counted():
    a = parallelogram(40.0)
    a.drive("crank", "revolute 1", value=0.0, range=(0, 250))
    a.check("branch_changes", name="stays")
    a.check("branch_changes", name="may", max=2)
    report = asm.check(a)
    assert report.loops[0].kind == "change point"
    found = only(report, "stays")
    assert (found.found, bool(found), bool(only(report, "may"))) == (1.0, False, True)
    # the crank starts at 40 degrees, where its angle is told as 0
    assert found.place is not None and found.place.value == pytest.approx(140.0, abs=1e-6)


# ------------------------------------------------------------------ virtual work
def test_the_mechanical_advantage_of_a_slider_crank_is_that_of_its_derivative():
    r, rod, start = 50.0, 150.0, 70.0
    a = slider_crank(r, rod, start)
    a.drive("crank", "revolute 1", value=0.0, range=(-60, 100))
    a.check("mechanical_advantage", name="head", driver="crank", point="slider.head", max=1e9)
    a.check("mechanical_advantage", name="slide", driver="crank", joint="prismatic 4", max=1e9)
    report = asm.check(a)
    for curve in study(report, "crank").curves:
        if curve.kind != "mechanical advantage":
            continue
        t = np.radians(curve.at + start)
        rate = r * np.sin(t) + r**2 * np.sin(t) * np.cos(t) / np.sqrt(rod**2 - (r * np.sin(t)) ** 2)
        assert curve.unit == "N/N mm"
        np.testing.assert_allclose(curve.values, 1 / rate, rtol=1e-9)
    assert len(study(report, "crank").of_kind("mechanical advantage")) == 2
    assert only(report, "head").found == pytest.approx(float(np.max(1 / rate)), rel=1e-9)


def test_a_load_on_the_slider_asks_the_torque_of_the_crank_that_virtual_work_tells():
    r, rod, start, force = 50.0, 150.0, 70.0, 1000.0
    a = slider_crank(r, rod, start)
    a.drive("crank", "revolute 1", value=0.0, range=(-60, 100))
    a.load("slider.head", force=(force, 0, 0), name="gas")
    a.check("force", name="torque", driver="crank", max=40000)
    a.check("force", name="rod", joint="revolute 2", max=1050)
    report = asm.check(a)
    torque = next(c for c in study(report, "crank").of_kind("force") if c.name == "crank")
    t = np.radians(torque.at + start)
    root = np.sqrt(rod**2 - (r * np.sin(t)) ** 2)
    rate = r * np.sin(t) + r**2 * np.sin(t) * np.cos(t) / root
    np.testing.assert_allclose(torque.values, force * rate, atol=1e-6 * force * r)
    most = float(np.max(force * rod / root))  # the rod leans most where the crank is upright
    assert only(report, "rod").found == pytest.approx(most, rel=1e-4)
    assert bool(only(report, "rod")) is (most < 1050)
    assert only(report, "torque").unit == "N mm"
    assert not only(report, "torque")
    assert only(report, "torque").found == pytest.approx(float(np.max(force * rate)), rel=1e-4)


def test_a_speed_is_that_of_the_driver_times_the_derivative():
    a = slider_crank()
    a.drive("crank", "revolute 1", value=0.0, range=(-10, 20))
    a.check("speed", name="head", driver="crank", point="slider.head", speed=360.0, max=400)
    (curve,) = study(asm.check(a), "crank").of_kind("speed")
    t = np.radians(curve.at + 70.0)
    rate = 50 * np.sin(t) * (1 + 50 * np.cos(t) / np.sqrt(150**2 - (50 * np.sin(t)) ** 2))
    np.testing.assert_allclose(curve.values, 2 * math.pi * rate, rtol=1e-9)


# ------------------------------------------------------------------ verdicts
def test_where_a_check_looks_beyond_what_the_driver_reaches_it_does_not_pass():
    a = sample("four_bar", crank=None)
    a.drive("rocker", "rocker pivot", range=(95, 120))
    a.check("transmission_angle", name="there", driver="rocker", over=[100, 110], min=1)
    a.check("transmission_angle", name="beyond", driver="rocker", over=[100, 179], min=0)
    report = asm.check(a)
    assert bool(only(report, "there"))
    assert not only(report, "beyond")
    assert "seen only from 100 to" in only(report, "beyond").words


def test_a_check_over_a_part_of_the_way_sees_no_more_than_that_part():
    a = sample("four_bar")
    everywhere, there = {"covers": (95, 140)}, {"covers": (95, 140), "over": (0, 10)}
    for name, asked in (("everywhere", everywhere), ("there", there)):
        a.check("coordinate", name=name, joint="rocker pivot", driver="crank", **asked)
    a.check("point", name="beyond", point="coupler.tracer", driver="crank", over=(0, 400), z=(0, 0))
    a.limit("crank pivot", "angle", min=0, max=360, name="stop")
    report = asm.check(a)
    found = {f.name: bool(f) for f in report.findings}
    assert (found["everywhere"], found["there"], found["beyond"]) == (True, False, False)
    assert "seen only from 0 to 360 deg" in only(report, "beyond").words


def test_a_spring_loads_a_driver_as_the_force_that_it_exerts_does():
    loaded, sprung = slider_crank(), slider_crank()
    loaded.load("slider.head", force=(1000, 0, 0))
    sprung.add_features("frame", {"wall": asm.Point((-1000, 0, 0))})
    sprung.spring("frame.wall", "slider.head", force=-1000, name="gas")
    torques = []
    for a in (loaded, sprung):
        a.drive("crank", "revolute 1", value=0.0, range=(-60, 100))
        curves = study(asm.check(a), "crank").of_kind("force")
        torque = next(c for c in curves if c.name == "crank")
        torques.append(np.interp(np.linspace(-60, 100, 9), torque.at, torque.values))
    assert np.abs(torques[0]).max() > 40_000
    # both are drawn through states of their own: chords of a curve of 5e4 N mm over steps of 1 deg
    np.testing.assert_allclose(torques[1], torques[0], atol=5.0)


def test_a_check_goes_with_the_driver_that_it_names():
    a = sample("four_bar")
    a.drive("rocker", "rocker pivot")
    a.check("force", name="other", driver="crank", of="rocker", max=1)
    a.check("dead_points", name="own", driver="crank")
    a.remove_driver("rocker")
    assert list(a.checks) == ["own"] and asm.check(a)


def test_limits_stop_a_driver_and_are_named():
    a = sample("four_bar")
    a.limit("rocker pivot", "angle", max=110, name="stop")
    a.check("limits", name="free")
    report = asm.check(a)
    found = only(report, "free")
    assert not found and "stop" in found.words
    assert not only(report, "crank")
    assert study(report, "crank").limits == (found.words,)


def test_freedoms_and_redundancy_are_counted_without_any_driver():
    a = asm.Assembly("block")
    a.add("frame", grounded=True, features={"pin": asm.Axis(O, "z")})
    a.add("door", features={"pin": asm.Axis(O, "z")})
    a.mate("revolute", "frame.pin", "door.pin", name="hinge")
    a.check("dof", name="one", equals=1)
    a.check("dof", name="none", max=0)
    a.check("redundant", name="exact", equals=0)
    a.check("transmission_angle", name="where", min=40)
    report = asm.check(a)
    assert [bool(f) for f in report.findings] == [True, True, False, True, False]
    assert only(report, "none").words == "degrees of freedom are 1 > 0"
    why = "not looked at: no driver to look along"
    assert only(report, "where").words == f"transmission angle: {why}"


def test_an_assembly_that_does_not_hold_passes_nothing():
    a = asm.read(SAMPLES / "bad_lid.assembly.json")
    a.check("dof", name="one", min=0)
    report = asm.check(a)
    assert [bool(f) for f in report.findings] == [False, False]
    assert report.dof is None
    assert only(report, "one").words.endswith("not looked at, as the assembly does not hold")


def test_a_check_that_is_stopped_says_so_and_does_not_pass():
    a = sample("four_bar")
    a.check("transmission_angle", name="angle", min=1)
    calls = iter([False] * 8)
    report = asm.check(a, cancel=lambda: next(calls, True))
    assert not report
    assert not only(report, "angle")


def test_the_check_changes_nothing_and_says_the_same_twice():
    a = sample("toggle_clamp")
    before = a.revision
    one, two = (json.dumps(asm.check(a).to_dict(), allow_nan=False) for _ in range(2))
    assert a.revision == before
    assert one == two


def test_the_extremes_of_a_parabola_are_found_between_its_points():
    x = np.array([0.0, 0.7, 2.0, 2.5, 4.0])
    assert extremes(x, (x - 1.234) ** 2) == pytest.approx([1.234])
    assert extremes(x, 3.0 - (x - 2.2) ** 2) == pytest.approx([2.2])
    assert extremes(x, x) == []


def test_an_extreme_at_a_place_up_to_rounding_is_met():
    x = np.array([174.0, 177.0, 180.0, 183.0])
    assert extremes(x, (x - 180.0 + 4e-13) ** 2) == []
    assert extremes(x, (x - 180.0 + 4e-5) ** 2) == pytest.approx([180.0 - 4e-5], abs=1e-9)


def test_beside_a_place_next_to_an_extreme_that_is_met_no_parabola_is_laid():
    x = np.array([174.0, 177.0, 180.0, 180.0 + 3e-8, 183.0])
    y = 72.0 + np.cos(np.radians(x - 180.0))
    y[3] = y[2] - 3e-11  # as of a state that is added there, by its rounding
    assert extremes(x, y) == []


def test_points_on_a_line_are_off_it_by_nothing_and_others_by_their_distance():
    t = np.linspace(-5, 5, 11)
    line = np.outer(t, [1.0, 2.0, 2.0]) / 3.0 + [4.0, 5.0, 6.0]
    assert off_line(line).max() == pytest.approx(0.0, abs=1e-14)
    bent = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, -0.3, 0.0]])
    assert off_line(bent) == pytest.approx([0.0, 0.0, 0.3, 0.3], abs=1e-14)


def test_how_straight_an_arc_is_does_not_depend_on_where_its_points_lie():
    """Half its rise, whether its points are even or crowd at one end; 1e-3: between points."""
    for turn in (np.linspace(0, 50, 145), 50 * np.linspace(0, 1, 145) ** 3):
        t = np.radians(turn)
        arc = 140 * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
        half = 70 * (1 - math.cos(math.radians(25)))
        assert off_line(arc).max() == pytest.approx(half, rel=1e-3)


def test_the_clearance_of_a_slide_is_least_where_it_comes_nearest(tmp_path: Path):
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("fcl")
    a = asm.Assembly("slide", folder=tmp_path)
    for name, size in (("stop", 10.0), ("slide", 4.0)):
        trimesh.creation.box((size, size, size)).export(tmp_path / f"{name}.stl")
        a.add(
            name,
            grounded=name == "stop",
            geometry=f"{name}.stl",
            features={"way": asm.Frame(O, (1, 0, 0), (0, 1, 0))},
        )
    a.mate("prismatic", "stop.way", "slide.way", name="guide")
    a.drive("feed", "guide", value=20.0, range=(9, 30))
    a.check("clearance", name="enough", parts=("stop", "slide"), min=2.0)
    a.check("clearance", name="too much", parts=("stop", "slide"), min=2.5)
    report = asm.check(a)
    bad = only(report, "too much")
    assert bool(only(report, "enough")) and not bad
    # faces at 5 and 2 from the middles, in single precision in the file
    assert bad.found == pytest.approx(9.0 - 5.0 - 2.0, abs=1e-6)
    assert bad.words == "clearance of stop - slide is 2 mm < 2.5 mm at feed = 9 mm"


def test_a_clearance_is_least_between_the_states_too(tmp_path: Path):
    """The corners of a bar of 100 x 4 x 4 mm, hinged at an end, pass 9 mm below a post."""
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("fcl")
    bar = trimesh.creation.box((100, 4, 4))
    bar.apply_translation((50, 0, 0))
    bar.export(tmp_path / "bar.ply")
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "post.ply")
    a = asm.Assembly("passing", folder=tmp_path)
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("post", grounded=True, geometry="post.ply", pose=asm.Pose((0, 110, 0)))
    a.add("bar", geometry="bar.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "bar.pin", name="hinge")
    a.drive("turn", "hinge", range=(0, 180), value=0)
    for name, over in (("anywhere", None), ("beyond", (100, 120))):
        a.check("clearance", name=name, parts=("post", "bar"), min=8.9801, over=over)
    report = asm.check(a)
    bad, good = only(report, "anywhere"), only(report, "beyond")
    assert not bad and bad.found == pytest.approx(109 - math.hypot(100, 2), abs=1e-6)
    assert good and good.place.value == pytest.approx(100.0)


def test_a_clearance_is_least_between_the_states_of_a_crank_with_dead_points(tmp_path: Path):
    """A crank between dead points at 62.72 degrees to either side, by what a sweep finds."""
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("fcl")
    bar = trimesh.creation.box((120, 4, 4))
    bar.apply_translation((60, 0, 0))
    bar.export(tmp_path / "bar.ply")
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "post.ply")
    a = asm.Assembly("double rocker", folder=tmp_path)
    for link, length in {"ground": 200, "crank": 120, "coupler": 60, "rocker": 120}.items():
        pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((length, 0, 0), "z")}
        shape = "bar.ply" if link == "rocker" else None
        a.add(link, grounded=link == "ground", features=pins, geometry=shape)
    a.add("post", grounded=True, geometry="post.ply", pose=asm.Pose((100, 100, 0)))
    a.mate("revolute", "ground.left", "crank.left", name="A")
    a.mate("revolute", "crank.right", "coupler.left")
    a.mate("revolute", "coupler.right", "rocker.right")
    a.mate("revolute", "rocker.left", "ground.right")
    a.drive("motor", "A", value=40)
    asm.solve(a).require().apply()
    a.check("clearance", name="near", parts=("post", "rocker"), min=5)
    (down,) = asm.sweep(a, {"motor": (40, -62)}, steps=240, clearance="all").clearances
    assert only(asm.check(a), "near").found == pytest.approx(down.least_mm, abs=1e-6)


def test_a_clearance_without_a_driver_is_that_where_the_parts_stand(tmp_path: Path):
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("fcl")
    a = asm.Assembly("two", folder=tmp_path)
    trimesh.creation.box((10, 10, 10)).export(tmp_path / "box.stl")
    for name, x in (("one", 0.0), ("two", 13.0)):
        a.add(name, grounded=True, geometry="box.stl", pose=asm.Pose((x, 0, 0)))
    a.check("clearance", name="gap", parts=("one", "two"), min=4)
    report = asm.check(a)
    assert only(report, "gap").found == pytest.approx(3.0, abs=1e-6)
    assert not report


def test_two_drivers_of_one_freedom_are_followed_one_at_a_time() -> None:
    """A boom of 400 mm on a cylinder from 300 mm below its pin; a loose table stands beside it."""
    a = asm.Assembly("boom")
    a.add("base", grounded=True, features={"foot": asm.Point((0, -300, 0))})
    a.add("boom", features={"eye": asm.Point((400, 0, 0))})
    a.add("table")
    a.mate("revolute", "base.z", "boom.z", name="hinge")
    a.drive("slope", "hinge", range=(-40, 40))
    a.cylinder("lift", pins=("base.foot", "boom.eye"), closed=420, stroke=200, value=500)
    report = asm.check(a)
    assert not report  # the stroke ends the slope on both sides
    ends = [
        np.degrees(np.arccos((300**2 + 400**2 - long**2) / (2 * 300 * 400))) - 90.0
        for long in (420, 620)
    ]
    assert study(report, "slope").covered == pytest.approx(tuple(ends), abs=1e-8)  # of a root


def test_a_range_of_too_many_turns_names_the_check() -> None:
    a = sample("four_bar")
    a.check("range", name="far", driver="crank", covers=(0, 1e12))
    with pytest.raises(
        BadValue, match=r"^check 'far', covers: '2\.77778e\+09 turns' is not possible"
    ):
        asm.check(a)


def test_a_driver_that_cannot_move_is_not_said_to_go_through_a_range() -> None:
    a = asm.Assembly("stuck")
    a.add("base", grounded=True)
    a.add("slide")
    a.mate("slider", "base.z", "slide.z", name="guide")
    a.limit("guide", min=0, max=0)
    a.drive("feed", "guide", value=0)
    assert study(asm.check(a), "feed").sentence.startswith("feed cannot move from 0 mm; ")


@pytest.mark.parametrize("value", [-20.0, 20.0])
def test_of_places_that_are_equally_bad_the_nearest_to_where_the_driver_stands_is_told(
    value: float,
) -> None:
    """A crank in line with its slide pushes as badly at 60 degrees to either side."""
    a = slider_crank(degrees=value)
    a.drive("crank", "revolute 1", range=(-60.0 - value, 60.0 - value), value=0.0)
    a.check("transmission_angle", name="bad", at="revolute 3", min=80.0)
    bad = only(asm.check(a), "bad")
    assert bad.found == pytest.approx(math.degrees(math.acos(50 * math.sin(math.pi / 3) / 150)))
    assert bad.place is not None
    assert bad.place.value == pytest.approx(math.copysign(60.0, value) - value)

"""Small assemblies that a mechanical designer would draw, judged by geometry of their own."""

from __future__ import annotations

from math import acos, atan2, cos, degrees, hypot, radians, sin
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.cli import main

CLOSE = 1e-6
"""Ten times the residual at which a mate is held, at the levers of these parts (mm, degrees)."""


def place(solution: asm.Solution, part: str, point: tuple[float, float, float]) -> np.ndarray:
    return np.asarray(solution.poses[part].apply(np.array([point])))[0]


def heading(solution: asm.Solution, part: str) -> float:
    """The turn of a part's x about the world's z, degrees."""
    x = solution.poses[part].rotation[:, 0]
    return degrees(atan2(x[1], x[0]))


def off_turns(a: float, b: float) -> float:
    """How far two angles are apart but for whole turns, degrees."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


def moved(assembly: asm.Assembly, seed: int) -> asm.Assembly:
    """The assembly from a start up to 5 mm and 10 degrees off."""
    rng = np.random.default_rng(seed)
    out = assembly.copy()
    poses = {}
    for name, part in out.parts.items():
        if not part.grounded:
            turn = asm.Pose.from_axis((0, 0, 0), rng.normal(size=3), rng.uniform(-10, 10))
            off = asm.Pose(part.pose.position + rng.uniform(-5, 5, 3), part.pose.quaternion_wxyz)
            poses[name] = off @ turn
    out.move(poses)
    return out


# ------------------------------------------------------------------ a vice
PITCH = 4.0


def vice(guide: str = "prismatic") -> asm.Assembly:
    """A spindle in a bearing, and a jaw on its thread: 50 mm out at no turn, drawn in by turns."""
    a = asm.Assembly("vice")
    rods = {n: asm.Axis((0, y, -20), "x") for n, y in (("left", -15), ("right", 15))}
    own = {"axis": asm.Frame((0, 0, 0), "x", "z"), "rail": asm.Frame((0, 0, -20), "x", "z")}
    a.add("base", grounded=True, features={**own, **rods})
    a.add("spindle", features={"axis": own["axis"]})
    a.add("jaw", features={**own, **rods}, pose=asm.Pose((50, 0, 0)))
    a.mate("revolute", "base.axis", "spindle.axis", name="bearing", sense="aligned")
    a.mate(
        "screw",
        "spindle.axis",
        "jaw.axis",
        name="thread",
        pitch=PITCH,
        constant=50.0,
        sense="aligned",
    )
    if guide == "prismatic":
        a.mate("prismatic", "base.rail", "jaw.rail", name="rail")
    else:
        for n in ("left", "right"):
            a.mate("coaxial", f"base.{n}", f"jaw.{n}", name=n, sense="aligned")
    return a


@pytest.mark.parametrize("guide", ["prismatic", "two rods"])
@pytest.mark.parametrize("turns", [0.0, 0.3, 1.0, -2.25, 7.0, -40.1])
def test_the_jaw_of_a_vice_goes_a_pitch_for_each_turn_of_its_spindle(
    guide: str, turns: float
) -> None:
    a = vice(guide)
    a.drive("crank", "bearing", "angle", value=360 * turns)
    for seed in (0, 1):
        x = place(asm.solve(moved(a, seed)), "jaw", (0, 0, 0))
        assert np.abs(x - [50 - PITCH * turns, 0, 0]).max() < CLOSE


def test_the_spindle_of_a_vice_turns_as_often_as_the_jaw_asks() -> None:
    a = vice()
    a.drive("jaw", "rail", "length", value=30.5)
    solution = asm.solve(a)
    z = solution.poses["spindle"].rotation[:, 2]
    assert off_turns(degrees(atan2(-z[1], z[2])), (50 - 30.5) / PITCH * 360) < CLOSE


def test_a_vice_solved_again_stays() -> None:
    a = vice()
    a.drive("crank", "bearing", "angle", value=5 * 360 + 40)
    first = asm.solve(a)
    first.apply()
    again = asm.solve(a)
    for name, pose in first.poses.items():
        assert again.poses[name] == pose, name


# ------------------------------------------------------------------ gears
def planetary() -> asm.Assembly:
    """Sun with 20 teeth, planet with 30, ring with 80 that stands still."""
    a = asm.Assembly("planetary")
    a.add("ring", grounded=True)
    a.add("sun")
    a.add("carrier", features={"pin": asm.Frame((50, 0, 0))})
    a.add("planet", pose=asm.Pose((50, 0, 0)))
    joints = {
        "motor": "ring.origin sun.origin",
        "output": "ring.origin carrier.origin",
        "pin": "carrier.pin planet.origin",
        "sun in carrier": "carrier.origin sun.origin",
        "ring in carrier": "carrier.origin ring.origin",
    }
    for name, ends in joints.items():
        a.mate("revolute", *ends.split(), name=name, sense="aligned")
    a.mate("gear", "sun in carrier", "pin", teeth=(20, 30), constant=0.0, name="inner mesh")
    a.mate(
        "gear",
        "pin",
        "ring in carrier",
        teeth=(30, 80),
        internal=True,
        constant=0.0,
        name="outer mesh",
    )
    return a


@pytest.mark.parametrize("sun", [0.0, 30.0, 200.0, 1000.0, -720.0])
def test_a_planetary_gear_divides_the_turns_of_the_sun_by_five(sun: float) -> None:
    # Willis: (sun - carrier) / (ring - carrier) = -80 / 20
    a = planetary()
    a.drive("sun", "motor", "angle", value=sun)
    solution = asm.solve(moved(a, 2))
    carrier = sun / 5
    assert solution.dof == 1
    assert off_turns(heading(solution, "carrier"), carrier) < CLOSE
    assert off_turns(heading(solution, "planet"), carrier * (1 - 80 / 30)) < CLOSE


def geared(value: float) -> asm.Assembly:
    """A gear twice as large as the driven one, between stops 30 degrees to either side."""
    a = asm.Assembly("gears with a stop")
    a.add("frame", grounded=True, features={"second": asm.Frame((60, 0, 0))})
    a.add("small")
    a.add("large", pose=asm.Pose((60, 0, 0)))
    a.mate("revolute", "frame.origin", "small.origin", name="in", sense="aligned")
    a.mate("revolute", "frame.second", "large.origin", name="out", sense="aligned")
    a.mate("gear", "in", "out", ratio=-0.5, constant=0.0, name="mesh")
    a.limit("out", "angle", min=-30, max=30, name="stop")
    a.drive("motor", "in", "angle", value=value)
    return a


@pytest.mark.parametrize("value", [60.0, -59.0])
def test_a_stop_of_the_second_gear_lets_the_first_go_as_far_as_the_ratio_says(value: float) -> None:
    solution = asm.solve(geared(value))
    assert off_turns(heading(solution, "large"), -0.5 * value) < CLOSE


@pytest.mark.parametrize("value", [61.0, 400.0, 720.0, -1000.0])
def test_a_stop_of_the_second_gear_counts_the_turns_of_the_first(value: float) -> None:
    # at 720 degrees the large gear would stand at a whole turn, where a pose shows no turn at all
    (conflict,) = asm.solve(geared(value)).conflicts
    assert conflict["mates"] == ["mesh", "motor", "limit stop"]
    assert conflict["asked"] == pytest.approx(value)
    assert conflict["found"] == pytest.approx(60.0 if value > 0 else -60.0, abs=CLOSE)


def test_a_contradicted_thread_names_what_was_asked_not_what_was_taken_from_the_start() -> None:
    # three turns lead to 38 mm; 42 mm would be two, at which the spindle looks the same
    a = vice()
    a.change("thread", constant=None)
    a.drive("crank", "bearing", "angle", value=3 * 360)
    a.drive("jaw", "rail", "length", value=42)
    (conflict,) = asm.solve(a).conflicts
    assert conflict["fact"].startswith(
        "no solution was found that holds bearing, thread, rail, crank and driver jaw together: "
        "driver jaw asks 42 mm, the others leave 38 mm at best"
    )


def test_a_session_keeps_the_constant_of_a_thread_over_many_turns() -> None:
    a = vice()
    a.change("thread", constant=None)
    a.drive("crank", "bearing", "angle", value=0)
    session = asm.Session(a)
    for turned in range(100, 2000, 100):
        session.set_driver("crank", turned)
    jaw = session.poses["jaw"].position[0]
    assert jaw == pytest.approx(50 - PITCH * 1900 / 360, abs=CLOSE)


def test_solutions_applied_one_after_the_other_keep_the_constant_of_a_thread() -> None:
    a = vice()
    a.change("thread", constant=None)
    a.drive("crank", "bearing", "angle", value=0)
    for turned in range(100, 2000, 100):
        a.set_driver("crank", turned)
        asm.solve(a).apply()
    jaw = a.parts["jaw"].pose.position[0]
    assert jaw == pytest.approx(50 - PITCH * 1900 / 360, abs=CLOSE)


def test_what_solve_wrote_is_solved_on_from_the_turns_it_was_written_at(tmp_path: Path) -> None:
    a = vice()
    a.change("thread", constant=None)
    a.drive("crank", "bearing", "angle", value=0)
    start, between, end = (str(tmp_path / f"{k}.assembly.json") for k in range(3))
    asm.write(a, start)
    for words in (
        (start, "-o", between, "--set", "crank=1000"),
        (between, "-o", end, "--set", "crank=1010"),
    ):
        assert main(["solve", *words]) == 0
    jaw = asm.read(end).parts["jaw"].pose.position[0]
    assert jaw == pytest.approx(50 - PITCH * 1010 / 360, abs=CLOSE)


def test_a_session_keeps_the_constants_of_gears_and_of_a_rack_over_many_turns() -> None:
    a = asm.Assembly("train")
    a.add(
        "frame",
        grounded=True,
        features={"b": asm.Frame((60, 0, 0)), "rail": asm.Axis((0, -30, 0), "x")},
    )
    a.add("small")
    a.add("large", pose=asm.Pose((60, 0, 0)))
    a.add("rack", features={"rail": asm.Axis((0, 0, 0), "x")}, pose=asm.Pose((7, -30, 0)))
    a.mate("revolute", "frame.origin", "small.origin", name="in", sense="aligned")
    a.mate("revolute", "frame.b", "large.origin", name="out", sense="aligned")
    a.mate("cylindrical", "frame.rail", "rack.rail", name="rail", sense="aligned")
    a.mate("gear", "in", "out", ratio=-0.5, name="mesh")
    a.mate("rack_and_pinion", "out", "rail", radius=15.0, name="teeth")
    a.drive("motor", "in", "angle", value=0)
    session = asm.Session(a)
    for turned in range(150, 1600, 150):
        session.set_driver("motor", turned)
    rack = session.poses["rack"].position[0]
    assert rack == pytest.approx(7 - 0.5 * 15 * radians(1500), abs=CLOSE)


# ------------------------------------------------------------------ a four-bar
LENGTHS = {"ground": 200.0, "crank": 60.0, "coupler": 180.0, "rocker": 120.0}


def four_bar() -> asm.Assembly:
    """All links on one line, as a script without poses leaves them."""
    a = asm.Assembly("four-bar")
    for link, length in LENGTHS.items():
        pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((length, 0, 0), "z")}
        a.add(link, features=pins, grounded=link == "ground")
    joints = {
        "A": "ground.left crank.left",
        "B": "crank.right coupler.left",
        "C": "coupler.right rocker.right",
        "D": "ground.right rocker.left",
    }
    for name, ends in joints.items():
        a.mate("revolute", *ends.split(), name=name, sense="aligned")
    return a


def crank_of(rocker: float, side: float) -> float:
    """Angle of the crank at one of the rocker, degrees, by the cosine rule."""
    ground, crank, coupler, length = LENGTHS.values()
    x, y = ground + length * cos(radians(rocker)), length * sin(radians(rocker))
    far = hypot(x, y)
    inner = acos((crank**2 + far**2 - coupler**2) / (2 * crank * far))
    return degrees(atan2(y, x) + side * inner)


def test_a_free_four_bar_whose_links_all_lie_on_one_line_is_closed() -> None:
    # stretched on a line it is stuck: every pull acts along the line
    solution = asm.solve(four_bar())
    assert solution.dof == 1
    b = place(solution, "crank", (60, 0, 0)), place(solution, "coupler", (0, 0, 0))
    c = place(solution, "coupler", (180, 0, 0)), place(solution, "rocker", (120, 0, 0))
    assert max(np.abs(b[0] - b[1]).max(), np.abs(c[0] - c[1]).max()) < CLOSE


@pytest.mark.parametrize(("low", "high"), [(60, 100), (110, 130), (-100, -60), (-130, -110)])
def test_a_stop_of_the_rocker_holds_in_a_four_bar_from_one_line(low: float, high: float) -> None:
    a = four_bar()
    a.limit("D", "angle", min=low, max=high, name="stop")
    angle = heading(asm.solve(a), "rocker")
    assert low - CLOSE < angle < high + CLOSE


def test_what_a_stop_leaves_of_a_crank_is_told_of_the_branch_that_is_nearest() -> None:
    a = four_bar()
    a.limit("D", "angle", min=90, max=130, name="stop")
    a.drive("motor", "A", "angle", value=150)
    (conflict,) = asm.solve(a).conflicts
    assert conflict["found"] == pytest.approx(crank_of(130, 1.0), abs=1e-4)

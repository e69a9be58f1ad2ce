"""A session: parts are dragged and mates changed while all mates hold; geometry is the judge."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mechanisms import hinge, turned, worst_gap
from numpy.typing import NDArray

import assembly_solver as asm
from benchmarks.adapters.by_ourselves import solved_poses
from benchmarks.case import BASE, BenchmarkCase
from benchmarks.families import assembly, named
from benchmarks.judge import judge

Array = NDArray[np.float64]

SAMPLES = Path(__file__).parents[2] / "samples"

X, Y, Z = BASE[:3, :3].T
"""Directions in which the cases stand."""

STEPS = 60
HOLDS = 1e-9  # mm and rad: the contract's for consistent models
LIMIT = 10.0  # times the requested step that no part may move more


def circle(radius: float, rise: float = 0.0) -> Callable[[float], Array]:
    """A closed path that starts and ends where it is: offsets in mm by the part of the way."""

    def at(s: float) -> Array:
        t = 2 * math.pi * s
        flat = (math.cos(t) - 1) * X + math.sin(t) * Y
        return np.asarray(radius * flat + rise * math.sin(2 * t) * Z)

    return at


def swing(arm: Array, degrees: float) -> Callable[[float], Array]:
    """To and fro on the circle of an arm about Z: offsets of its tip."""

    def at(s: float) -> Array:
        t = math.radians(degrees) * math.sin(2 * math.pi * s)
        return np.asarray((math.cos(t) - 1) * arm + math.sin(t) * np.cross(Z, arm))

    return at


def corners(case: BenchmarkCase, poses: dict[str, asm.Pose]) -> Array:
    """Mate features of all parts in the world, where a motion is measured."""
    return np.concatenate(
        [poses[n].apply([f.point for f in b.features.values()]) for n, b in case.parts.items()]
    )


def start(name: str) -> BenchmarkCase:
    """A case by name, the excavator in its own pose: others are near its dead points."""
    return named(name, noise=0 if name == "excavator" else 1)


def dragged(
    name: str, part: str, point: tuple[float, float, float], way: Callable[[float], Array]
) -> tuple[float, float, float]:
    """Drag through a path: the worst mate (mm or rad), motion ratio and distance to a request."""
    case = start(name)
    session = asm.Session(assembly(case))
    home = session.poses[part].apply(point)
    before = corners(case, dict(session.poses))
    worst = ratio = away = 0.0
    for k in range(1, STEPS + 1):
        asked = home + way(k / STEPS) - session.poses[part].apply(point)
        step = session.drag(part, point=point, to=home + way(k / STEPS))
        verdict = judge(case, solved_poses(case, session.poses))
        assert step.holds and verdict.flips == 0 and not step.singular
        now = corners(case, dict(session.poses))
        motion = float(np.linalg.norm(now - before, axis=1).max())
        worst = max(worst, verdict.mm, verdict.rad, verdict.ground_mm)
        ratio = max(ratio, motion / float(np.linalg.norm(asked)))
        away, before = max(away, step.away_mm), now
    return worst, ratio, away


PATHS = {
    "end of a chain": ("chain(100)", "link100", (100, 0, 0), circle(20, 20)),
    "middle of a chain": ("chain(100)", "link50", (100, 0, 0), circle(20, 20)),
    "rocker of a ladder": ("ladder(30)", "rocker10", (120, 0, 0), None),
    "link of the excavator": ("excavator", "B12", (500, 0, 0), circle(20)),
    "boom of the excavator": ("excavator", "B1", (3000, 0, 0), None),
    "platform on six legs": ("stewart_free", "top", (0, 0, 0), circle(20, 20)),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_part_follows_a_smooth_path_and_every_mate_holds_at_every_step(path: str) -> None:
    name, part, point, way = PATHS[path]
    if way is None:  # a part on a pivot at its origin: its own circle
        arm = asm.Session(assembly(start(name))).poses[part].rotation @ np.array(point, float)
        way = swing(arm, 5)
    worst, ratio, away = dragged(name, part, point, way)
    assert worst <= HOLDS
    assert ratio <= LIMIT
    assert away <= 1e-3  # mm, of steps of 1 mm and more: the request is within reach


def two_hinges() -> asm.Assembly:
    """Two doors on one frame, their starts off the hinges; nothing joins them."""
    out = asm.Assembly("doors")
    pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((2000, 0, 0), "z")}
    out.add("frame", grounded=True, features=pins)
    for k, side in enumerate(("left", "right")):
        features = {
            "pin": asm.Axis((0, 0, 0), "z"),
            "edge": asm.Point((800, 0, 0)),
            "knob": asm.Axis((700, 0, 0), "y"),
        }
        start = turned((0.1, 0.2, 1), 20 + k, (2000 * k + 3, -2, 8))
        out.add(f"{side} door", pose=start, features=features)
        out.mate("revolute", f"frame.{side}", f"{side} door.pin", name=f"{side} hinge")
    return out


def opening(session: asm.Session, side: str) -> float:
    """Angle of a door in the frame by its x axis, degrees."""
    x = session.poses[f"{side} door"].rotation[:, 0]
    return math.degrees(math.atan2(x[1], x[0]))


def test_a_door_is_dragged_to_the_nearest_point_of_its_circle_and_says_how_far_off_it_is() -> None:
    session = asm.Session(two_hinges())
    step = session.drag("left door", point="edge", to=(0, 1000, 50))
    assert step.holds and step.moved == ("left door",)
    assert step.away_mm == pytest.approx(math.hypot(200, 50), abs=1e-3)  # circle of 800 mm
    assert opening(session, "left") == pytest.approx(90, abs=0.1)  # 0.7 um off the nearest
    asked = turned((0, 0, 1), 30)
    step = session.drag("left door", asked)
    assert opening(session, "left") == pytest.approx(30, abs=1e-6)
    assert step.away_mm == pytest.approx(0, abs=1e-5)
    assert step.away_deg == pytest.approx(0, abs=1e-5)


def test_dragging_leaves_what_is_not_tied_bit_for_bit_and_is_the_same_every_time() -> None:
    one, two = asm.Session(two_hinges()), asm.Session(two_hinges())
    other = one.poses["right door"]
    for k in range(20):
        a = one.drag("left door", point="edge", to=(800 - 5 * k, 20 * k, 0))
        b = two.drag("left door", point="edge", to=(800 - 5 * k, 20 * k, 0))
        assert a == b
    assert one.poses["right door"] is other
    assert one.poses["left door"] == two.poses["left door"]


def test_a_driver_with_a_value_is_kept_and_one_let_go_is_not() -> None:
    a = two_hinges()
    a.drive("opening", "left hinge", value=40)
    session = asm.Session(a)
    step = session.drag("left door", point="edge", to=(800, 0, 0))
    assert opening(session, "left") == pytest.approx(40, abs=1e-9)
    assert step.away_mm == pytest.approx(2 * 800 * math.sin(math.radians(20)), abs=1e-6)
    assert session.set_driver("opening", None)
    session.drag("left door", point="edge", to=(800, 0, 0))
    assert opening(session, "left") == pytest.approx(0, abs=1e-4)


def test_an_edit_moves_only_what_it_touches_and_undo_goes_back() -> None:
    session = asm.Session(two_hinges())
    before = dict(session.poses)
    assert session.drive("opening", "left hinge", value=70)
    assert opening(session, "left") == pytest.approx(70, abs=1e-9)
    assert session.poses["right door"] == before["right door"]
    assert session.set_driver("opening", 10)
    assert opening(session, "left") == pytest.approx(10, abs=1e-9)
    assert session.poses["right door"] == before["right door"]
    session.undo()
    assert opening(session, "left") == pytest.approx(70, abs=1e-9)
    session.undo()
    assert dict(session.poses) == before and "opening" not in session.assembly.drivers
    with pytest.raises(asm.AssemblySolverError, match="no edit to undo"):
        session.undo()


def test_a_mate_that_contradicts_leaves_the_session_as_it_was_and_says_why() -> None:
    session = asm.Session(two_hinges())
    before = dict(session.poses)
    answer = session.mate("distance", "left door.edge", "right door.edge", name="gap", value=5000)
    assert not answer and {"gap"} <= set(answer.conflicts[0]["mates"])
    assert dict(session.poses) == before and "gap" not in session.assembly.mates
    assert session.dof == 2
    assert session.mate("distance", "left door.edge", "right door.edge", name="gap", value=900)
    left, right = (session.poses[f"{side} door"].apply((800, 0, 0)) for side in ("left", "right"))
    gap = math.dist(left, right)
    assert gap == pytest.approx(900, abs=1e-9) and session.dof == 1
    step = session.drag("left door", point="edge", to=(780, 50, 0))
    assert step.moved == ("left door", "right door")
    assert session.remove("gap") and session.dof == 2


def test_a_held_part_and_a_name_that_is_none_are_refused() -> None:
    session, asked = asm.Session(two_hinges()), turned((1, 2, 3), 50, (10, 20, 30))
    for part, words in (("frame", "this one is held"), ("left dor", "did you mean 'left door'")):
        with pytest.raises(asm.AssemblySolverError, match=words):
            session.drag(part, asked)
    with pytest.raises(asm.AssemblySolverError, match="pose and to exclude each other"):
        session.drag("left door", asked, to=(0, 0, 0))
    with pytest.raises(asm.AssemblySolverError, match=r"^drag: a drag without 'pose' needs 'to'$"):
        session.drag("left door", point="edge")


def test_a_rigid_start_that_has_no_solution_is_refused_with_the_diagnosis() -> None:
    a = hinge()
    a.mate("parallel", "frame.x", "door.z", name="wrong")
    with pytest.raises(asm.Unsolved, match="wrong"):
        asm.Session(a)


def test_a_value_that_changes_keeps_the_plan_and_gives_what_a_fresh_solve_gives() -> None:
    a = two_hinges()
    a.drive("opening", "left hinge", value=40)
    a.mate("coplanar", "frame.xy", "right door.xy", name="level")
    a.mate("distance", "left door.edge", "right door.edge", name="gap", value=1500)
    session = asm.Session(a)
    before = session.solution.plan
    for opening_, gap in ((41, 1500), (41, 1450), (60, 1450), (60, 1300)):
        if opening_ != session.assembly.drivers["opening"].value:
            assert session.set_driver("opening", opening_)
        else:
            assert session.change("gap", value=gap)
        assert opening(session, "left") == pytest.approx(opening_, abs=1e-9)
        left, right = (session.poses[f"{s} door"].apply((800, 0, 0)) for s in ("left", "right"))
        assert math.dist(left, right) == pytest.approx(gap, abs=1e-9)
        assert session.solution.plan.bodies.pairs.bodies is before.bodies.pairs.bodies
    assert list(session.assembly.mates)[-1] == "gap"
    refused = session.change("gap", value=9000)
    assert not refused and session.assembly.mates["gap"].parameters()["value"] == 1300


def test_parts_with_one_feature_each_move_in_a_session_as_in_a_fresh_solve() -> None:
    """Several poses move the one feature as little: how far the parts are apart chooses."""
    a = asm.Assembly("rods")
    a.add("frame", grounded=True, features={"rod": asm.Axis((0, 0, 0), "z")})
    rod = {"rod": asm.Axis((30, 10, 5), (0.5, -1, 0.4))}
    a.add("arm", features=rod, pose=asm.Pose((30, 40, 50)))
    a.mate("distance", "frame.rod", "arm.rod", value=4, skew=True, name="gap")
    session = asm.Session(a)
    for value in (30, 150):
        fresh = session.assembly.copy()
        fresh.change("gap", value=value)
        assert session.change("gap", value=value)
        assert session.poses["arm"] == asm.solve(fresh).poses["arm"]


def test_limits_of_lengths_keep_the_plan_of_a_changed_value_and_stop_it() -> None:
    """The excavator: a limit at either end of each cylinder."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    session = asm.Session(a)
    before = session.solution.plan
    for value in (1100, 1250, 960):
        assert session.set_driver("boom cylinder", value)
        assert session.solution.plan.bodies.pairs.bodies is before.bodies.pairs.bodies
        fresh = session.assembly.copy()
        assert worst_gap(session.poses, asm.solve(fresh).require().poses)[0] < 1e-9
    refused = session.set_driver("boom cylinder", 1320)
    assert not refused and refused.outcome is asm.Outcome.CONFLICTING
    assert session.assembly.drivers["boom cylinder"].value == 960


def test_a_value_that_changes_the_equations_is_planned_anew() -> None:
    session = asm.Session(two_hinges())
    assert session.mate("angle", "left door.x", "right door.x", name="apart", value=30)
    for value in (0, 45, 180, 20):
        assert session.change("apart", value=value)
        u, v = (session.poses[f"{side} door"].rotation[:, 0] for side in ("left", "right"))
        assert math.degrees(math.acos(np.clip(u @ v, -1, 1))) == pytest.approx(value, abs=1e-6)


def test_a_change_of_a_mate_that_is_none_is_refused() -> None:
    session = asm.Session(two_hinges())
    for name, parameter, words in (
        ("left hing", "sense", "did you mean 'left hinge'"),
        ("left hinge", "valeu", "no parameter 'valeu'"),
    ):
        with pytest.raises(asm.AssemblySolverError, match=words):
            session.change(name, **{parameter: "opposed"})


def test_a_loose_part_goes_where_it_is_dragged() -> None:
    session = asm.Session(two_hinges())
    assert session.add("sign", features={"hook": asm.Point((0, 0, 0))})
    asked = turned((1, 2, 3), 50, (10, 20, 30))
    step = session.drag("sign", asked)
    assert (step.away_mm, step.away_deg, step.moved) == (0, 0, ("sign",))
    assert session.poses["sign"].position == pytest.approx((10, 20, 30), abs=1e-9)
    assert session.poses["sign"].quaternion_wxyz == pytest.approx(asked.quaternion_wxyz, abs=1e-12)


def test_what_nothing_grounds_is_dragged_as_a_whole_by_the_part_that_is_held() -> None:
    a = two_hinges()
    a.ground("frame", False)
    session = asm.Session(a)
    held = session.solution.grounded
    assert held == ["frame"]
    before = corners_of_doors(session)
    step = session.drag("frame", to=session.poses["frame"].apply((1005, 6, 7)))
    assert step.holds and step.away_mm == 0 and len(step.moved) == 3
    assert corners_of_doors(session) - before == pytest.approx(np.tile([5, 6, 7], (2, 1)), abs=1e-9)
    step = session.drag("left door", point="edge", to=before[0] + (5, 6, 7) + (0, 1, 0))
    assert "frame" not in step.moved and step.holds


def corners_of_doors(session: asm.Session) -> Array:
    """The edges of both doors in the world."""
    return np.array(
        [session.poses[f"{side} door"].apply((800, 0, 0)) for side in ("left", "right")]
    )


def test_a_limit_stops_the_part_that_is_dragged_and_lets_it_go_again() -> None:
    a = two_hinges()
    a.limit("left hinge", min=0, max=90, name="stop")
    session = asm.Session(a)
    way = ((60, 60), (89, 89), (120, 90), (150, 90), (80, 80), (-60, 0), (45, 45))
    for degrees, found in way:
        t = math.radians(degrees)
        to = (800 * math.cos(t), 800 * math.sin(t), 0)
        step = session.drag("left door", point="edge", to=to)
        assert opening(session, "left") == pytest.approx(found, abs=1e-2)  # of a long way
        assert -1e-9 <= opening(session, "left") <= 90 + 1e-9
        assert step.limits == (() if found == degrees else ("stop",)) and step.holds


def gears_on_a_carriage() -> asm.Assembly:
    """Two wheels in mesh, the right one 1.5 times as fast, on a carriage that stops at 50 mm."""
    a = asm.Assembly("gears")
    way = {"way": asm.Frame((0, 0, 0), "x", "y")}
    a.add("rail", grounded=True, features=way)
    pins = {n: asm.Axis((x, 0, 0), "z", "x") for n, x in (("left", 0), ("right", 100))}
    a.add("carriage", features={**way, **pins})
    a.mate("prismatic", "rail.way", "carriage.way", name="slide")
    for name, x in (("left", 0), ("right", 100)):
        a.add(name, features={"pin": asm.Axis((0, 0, 0), "z", "x")}, pose=asm.Pose((x, 0, 0)))
        a.mate("revolute", f"carriage.{name}", f"{name}.pin", name=f"{name} pivot")
    a.mate("gear", "left pivot", "right pivot", ratio=-1.5, constant=0.0)
    a.limit("slide", min=-50, max=50, name="stop")
    return a


def test_turns_are_counted_on_while_a_limit_is_met_let_go_and_met_again() -> None:
    session = asm.Session(gears_on_a_carriage())
    way = [(80.0, 0.0), *((20.0, 30.0 * k) for k in range(10)), (80.0, 270.0)]
    for x, degrees in way:
        step = session.drag("left", turned((0, 0, 1), degrees, (x, 0, 0)))
        assert step.holds and step.limits == (("stop",) if x > 50 else ())
        left, right = (
            math.degrees(math.atan2(*session.poses[n].rotation[1::-1, 0]))
            for n in ("left", "right")
        )
        # beside the 30 mm that it cannot go the wheel may lag by some hundredths of a degree
        assert math.remainder(left - degrees, 360) == pytest.approx(0, abs=0.1)
        assert math.remainder(right + 1.5 * degrees, 360) == pytest.approx(0, abs=0.15)


def test_a_mate_turned_over_in_a_session_is_turned_over() -> None:
    """The equations of both senses are the same, but not the assembly."""
    a = asm.Assembly("lid")
    a.add("box", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
    a.add("lid", features={"face": asm.Plane((1, 2, 3), "z"), "corner": asm.Point((9, 1, 2))})
    a.mate("coplanar", "box.top", "lid.face", name="face", sense="aligned")
    session = asm.Session(a)
    solution = session.change("face", sense="opposed")
    assert [m.sense for m in solution.mates] == ["opposed"]
    np.testing.assert_allclose(session.poses["lid"].rotation[:, 2], (0, 0, -1), atol=1e-12)


def test_a_slot_that_gets_ends_in_a_session_keeps_its_pin_between_them() -> None:
    a = asm.Assembly("slot")
    a.add("plate", grounded=True, features={"slot": asm.Frame((0, 0, 0), "z", (1, 0, 0))})
    a.add("pin", features={"pin": asm.Axis((0, 0, 0), "z")}, pose=asm.Pose((30, 0, 0)))
    a.mate("slot", "plate.slot", "pin.pin", name="slot", sense="aligned")
    session = asm.Session(a)
    assert session.change("slot", length=40.0)
    assert session.poses["pin"].position[0] == pytest.approx(20.0, abs=1e-9)


def test_the_coordinates_of_joints_are_read_while_a_part_is_dragged() -> None:
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    session = asm.Session(a)
    session.set_driver("crank", None)
    quantities = [session.assembly.coordinate(name, "angle") for name in session.assembly.mates]
    before = [session.reading(q) for q in quantities]
    session.drag("crank", point="pin", to=(0, 60, 12))
    read = [session.reading(q) for q in quantities]
    assert [asm.reading(session.solution, q) for q in quantities] == pytest.approx(read, abs=1e-9)
    assert max(abs(b - a) for a, b in zip(before, read, strict=True)) > 30


def test_a_session_that_is_cancelled_at_its_first_solve_says_so() -> None:
    with pytest.raises(asm.Unsolved, match="cancelled"):
        asm.Session(hinge(), cancel=lambda: True)

"""Drivers that are too many, missing or at a dead point, against counts worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from mechanisms import (
    Array,
    bennett,
    crank_rocker,
    four_bar,
    linkage,
    parallelogram,
    rssr,
    sarrus,
    stewart_ups,
)

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.diagnosis.drivers import (
    DriverDiagnosis,
    RedundantDriver,
    Suggestion,
    diagnose_drivers,
)
from assembly_solver.diagnosis.singularity import perturbed_diagnosis

SAMPLES = Path(__file__).parents[2] / "samples"
Z = (0.0, 0.0, 1.0)


def judged(a: asm.Assembly, *names: str) -> DriverDiagnosis:
    """What drivers determine where the mates alone hold, whatever their values."""
    return diagnose_drivers(asm.solve(a).diagnosis, a, names)


def driven(a: asm.Assembly, **coordinates: str) -> asm.Assembly:
    """The assembly with free drivers: name and joint, whose angle it is."""
    for name, joint in coordinates.items():
        a.drive(name, joint=joint, coordinate="angle")
    return a


def drive_suggested(a: asm.Assembly, found: DriverDiagnosis) -> list[str]:
    """Enter what is suggested; the names of the drivers that this makes."""
    names = []
    for k, s in enumerate(found.suggested):
        if s.driver is None:
            a.drive(f"new {k}", joint=s.joint, coordinate=s.coordinate)
        names.append(s.driver or f"new {k}")
    return names


# ------------------------------------------------------------------ Haug


def haug_4_5_3() -> asm.Assembly:
    """Crank 4, coupler 6, rocker 6, pivots 4 apart, at the crank angle of 60 degrees."""
    p2, p3 = 0.183761866144, 0.863435685052
    b = 4 * np.array([math.cos(math.pi / 3), math.sin(math.pi / 3), 0])
    c = b + 6 * np.array([math.cos(p2), math.sin(p2), 0])
    d = np.array([4.0, 0, 0])
    np.testing.assert_allclose(c, d + 6 * np.array([math.cos(p3), math.sin(p3), 0]), atol=1e-9)
    parts = dict.fromkeys(("frame", "crank", "coupler", "rocker"), asm.Pose())
    pins = [
        ("frame", "crank", (0, 0, 0)),
        ("crank", "coupler", b),
        ("coupler", "rocker", c),
        ("frame", "rocker", d),
    ]
    return linkage("4.5.3", parts, [("revolute", *ends, at, Z) for *ends, at in pins])


def test_the_four_bar_of_example_4_5_3_lacks_one_driver_and_its_crank_angle_would_do() -> None:
    a = haug_4_5_3()
    found = judged(a)
    assert (found.missing, found.repeated, found.idle, found.singular) == (1, (), 0, False)
    assert found.suggested == (Suggestion(None, "revolute 1", "angle"),)
    assert judged(driven(a, crank="revolute 1"), "crank") == DriverDiagnosis(
        ("crank",), (), 0, (), 0
    )


def braced(crank_degrees: float) -> asm.Assembly:
    """Example 4.6.1: a parallelogram with a third crank, and the angle of its coupler to drive."""
    t = math.radians(crank_degrees)
    tip = np.array([50 * math.cos(t), 50 * math.sin(t), 0])
    bars = {
        "crank": np.zeros(3),
        "brace": np.array([40.0, 0, 0]),
        "follower": np.array([100.0, 0, 0]),
    }
    parts = dict.fromkeys(("frame", "coupler", *bars), asm.Pose())
    pins = [("revolute", "frame", name, at, Z) for name, at in bars.items()]
    pins += [("revolute", name, "coupler", at + tip, Z) for name, at in bars.items()]
    a = linkage("braced parallelogram", parts, pins)
    at = asm.Frame((0, 0, 0), Z)
    a.mate("planar", name="table", parts=("frame", "coupler"), at=at)
    return driven(a, crank="revolute 1", follower="revolute 3", coupler="table")


@pytest.mark.parametrize("degrees", [60.0, 0.0])
def test_of_example_4_6_1_any_crank_determines_it_and_the_coupler_angle_never_does(
    degrees: float,
) -> None:
    """Stretched out (0 degrees) the mates leave two freedoms, but near by they leave one."""
    a = braced(degrees)
    assert asm.solve(a).dof == (2 if degrees == 0 else 1)
    for name in ("crank", "follower"):
        found = judged(a, name)
        assert (found.missing, found.repeated, found.singular) == (0, (), degrees == 0)
    found = judged(a, "coupler")
    assert (found.missing, found.repeated) == (1, (RedundantDriver("coupler", ()),))
    found = judged(a, "crank", "follower")
    assert found.missing == 0
    assert [{r.driver, *r.by} for r in found.repeated] == [{"crank", "follower"}]


def test_stretched_out_the_set_is_judged_near_by_and_says_so() -> None:
    a = driven(parallelogram(0.0), crank="revolute 1")
    a.set_driver("crank", 0.0)
    solution = asm.diagnose(a)
    assert (solution.dof, solution.dof_left) == (2, 1)  # here; near by they are 1 and 0
    assert solution.drivers is not None
    assert (solution.drivers["missing"], solution.drivers["singular"]) == (0, True)
    assert solution.drivers["words"] == []


def test_stretched_out_example_4_6_1_has_one_freedom_near_by_and_is_not_rigid() -> None:
    """Its branch is met only with the way along it held; let go, it falls back to the pose."""
    solution = asm.solve(braced(0.0))
    assert [(x["dof"], x["nearby"], x["moves"]) for x in solution.singular] == [(2, [1], True)]


# ------------------------------------------------------------------ dead points


def at_the_rocker_limit() -> asm.Assembly:
    """Crank 100 and coupler 260 in one line from the pivot: the rocker stands at its limit."""
    cosine = (300.0**2 + 360.0**2 - 200.0**2) / (2 * 300 * 360)
    along = np.array([cosine, math.sqrt(1 - cosine**2), 0])
    ends = {"a": np.zeros(3), "b": 100 * along, "c": 360 * along, "d": np.array([300.0, 0, 0])}
    assert np.linalg.norm(ends["c"] - ends["d"]) == pytest.approx(200, abs=1e-12)
    parts = dict.fromkeys(("frame", "crank", "coupler", "rocker"), asm.Pose())
    pins = [
        ("frame", "crank", "a"),
        ("crank", "coupler", "b"),
        ("coupler", "rocker", "c"),
        ("frame", "rocker", "d"),
    ]
    return linkage("limit", parts, [("revolute", a, b, ends[at], Z) for a, b, at in pins])


def test_a_driver_at_its_dead_point_is_not_too_many() -> None:
    a = driven(at_the_rocker_limit(), rocker="revolute 4", crank="revolute 1")
    assert judged(a, "rocker") == DriverDiagnosis(("rocker",), (), 0, (), 0, dead=("rocker",))
    assert judged(a, "crank") == DriverDiagnosis(("crank",), (), 0, (), 0)
    a.set_driver("rocker", 0.0)
    solution = asm.diagnose(a)
    assert (solution.dof, solution.dof_left) == (1, 1)
    assert solution.drivers is not None
    assert solution.drivers["words"] == [
        "driver rocker is at a dead point here: it moves nothing at first"
    ]


def arm(elbow_degrees: float) -> asm.Assembly:
    """Two links of 100 mm on a frame, and the distance of the tip from the frame to drive."""
    a = asm.Assembly("arm")
    ends = {"near": asm.Axis((0, 0, 0), Z), "far": asm.Axis((100, 0, 0), Z)}
    t = math.radians(elbow_degrees)
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), Z)})
    a.add("upper", features=ends)
    pose = asm.Pose.from_axis((100, 0, 0), Z, math.degrees(t))
    a.add("lower", features=ends | {"tip": asm.Point((100, 0, 0))}, pose=pose)
    a.mate("revolute", "frame.pin", "upper.near", name="shoulder")
    a.mate("revolute", "upper.far", "lower.near", name="elbow")
    a.drive("reach", separation=("frame.pin", "lower.tip"))
    return a


def test_the_reach_of_a_stretched_arm_is_at_its_dead_point_and_the_shoulder_is_missing() -> None:
    found = judged(arm(0.0), "reach")
    assert (found.missing, found.dead) == (1, ("reach",))
    assert found.suggested == (Suggestion(None, "shoulder", "angle"),)
    bent = judged(arm(90.0), "reach")
    assert (bent.missing, bent.dead, bent.suggested) == (1, (), found.suggested)


def test_what_stands_on_a_moved_part_rides_with_it() -> None:
    """Chains of hinges and loops moved a little away hold as well as before."""
    for model in (arm(30.0), four_bar(), bennett(), stewart_ups(), from_file()):
        d = asm.solve(model).diagnosis
        away = perturbed_diagnosis(d, 0)
        assert away is not None
        shift = np.abs(away.parts - d.parts)[:, :3].max()
        assert shift > 1e-3 * d.plan.system.length
        assert away.off <= 10 * max(d.plan.system.convergence_tolerance, d.off)


# ------------------------------------------------------------------ the excavator


def from_file() -> asm.Assembly:
    return asm.read(SAMPLES / "excavator.assembly.json")


def test_the_excavator_with_one_two_and_three_drivers() -> None:
    a = driven(from_file(), boom="boom foot")
    assert a.mates["boom foot"].kind == "coaxial"
    one = judged(a, "boom cylinder")
    assert (one.missing, one.repeated) == (1, ())
    assert one.suggested == (Suggestion("bucket cylinder"),)
    two = judged(a, "boom cylinder", "bucket cylinder")
    assert (two.missing, two.repeated, two.suggested) == (0, (), ())
    three = judged(a, "boom cylinder", "bucket cylinder", "boom")
    assert three.missing == 0
    assert [{r.driver, *r.by} for r in three.repeated] == [{"boom", "boom cylinder"}]


def test_a_diagnosis_has_a_line_for_a_driver_that_is_missing_and_one_that_is_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = from_file()
    a.set_driver("bucket cylinder", None)
    solution = asm.diagnose(a)
    line = "1 driver is missing: driver bucket cylinder would do"
    assert (solution.dof, solution.dof_left) == (2, 1)
    assert solution.drivers is not None and solution.drivers["words"] == [line]
    asm.write(a, tmp_path / "a.assembly.json")
    assert main(["diagnose", str(tmp_path / "a.assembly.json")]) == 0
    assert line in " ".join(capsys.readouterr().out.split())
    solution.apply()
    angle = asm.solve(a).poses["boom"]
    turn = math.degrees(math.atan2(angle.rotation[1, 0], angle.rotation[0, 0]))
    a.drive("boom", joint="boom foot", coordinate="angle", value=-turn)  # boom first
    solution = asm.diagnose(a).require()
    assert (solution.driven, solution.dof_left) == (2, 1)  # two drivers, but one thing said
    assert solution.drivers is not None
    assert [{r["driver"], *r["by"]} for r in solution.drivers["repeated"]] == [
        {"boom", "boom cylinder"}
    ]
    assert len(solution.drivers["words"]) == 2


# ------------------------------------------------------------------ any assembly


@pytest.mark.parametrize("make", [four_bar, bennett, sarrus, rssr, stewart_ups, from_file])
def test_what_is_suggested_completes_the_set(make: Callable[[], asm.Assembly]) -> None:
    a = make()
    found = judged(a)
    idle = 1 if make is rssr else 0  # its coupler spins between two balls
    assert (found.idle, found.missing) == (idle, asm.solve(a).diagnosis.dof - idle)
    assert len(found.suggested) == found.missing
    names = drive_suggested(a, found)
    complete = judged(a, *names)
    assert (complete.missing, complete.repeated, complete.idle) == (0, (), idle)


def test_the_names_do_not_depend_on_the_order_in_which_drivers_are_entered() -> None:
    coordinates = {"p": "revolute 1", "q": "revolute 2", "r": "revolute 4"}
    answers = {
        judged(driven(four_bar(), **{n: coordinates[n] for n in order}), *order)
        for order in permutations(coordinates)
    }
    (found,) = answers
    assert found.missing == 0 and len(found.repeated) == 2
    kept = {"p", "q", "r"} - {r.driver for r in found.repeated}
    assert all(set(r.by) == kept for r in found.repeated)


def test_a_part_that_only_a_driver_ties_lacks_five_more() -> None:
    a = asm.Assembly("loose")
    a.add("frame", grounded=True, features={"eye": asm.Point((0, 0, 0))})
    a.add("load", pose=asm.Pose((0, 0, -500)), features={"eye": asm.Point((0, 0, 0))})
    a.drive("rope", separation=("frame.eye", "load.eye"), value=500)
    solution = asm.diagnose(a)
    assert (solution.dof, solution.dof_left) == (6, 5)
    assert solution.drivers is not None
    assert solution.drivers["words"] == ["5 drivers are missing; no joint coordinate would do"]


def test_drivers_without_a_value_are_not_judged() -> None:
    a = driven(four_bar(), crank="revolute 1")
    assert asm.diagnose(a).drivers is None
    assert judged(a).suggested == (Suggestion("crank"),)


def test_a_driver_of_what_is_held_is_told_so() -> None:
    """A planar joint beside two hinges of one part: the part is already still."""
    found: Array = crank_rocker()["b"]
    a = linkage(
        "plate",
        {"frame": asm.Pose(), "plate": asm.Pose()},
        [("revolute", "frame", "plate", found, Z), ("revolute", "frame", "plate", 2 * found, Z)],
    )
    a.drive("turn", joint="revolute 1", coordinate="angle", value=0)
    solution = asm.diagnose(a)
    assert (solution.dof, solution.dof_left) == (0, 0)
    assert solution.drivers is not None
    assert solution.drivers["words"] == ["driver turn drives what the mates already hold"]

"""OndselSolver's own cases: its joints hold, its freedoms are counted, its drags are followed."""

from __future__ import annotations

import numpy as np
import pytest
from asmt_cases import Array, file_of, read, read_original
from facts import facts, originals

import assembly_solver as asm
from assembly_solver.formats.native import assembly_json
from assembly_solver.foundations.geometry.pose import Pose

pytestmark = pytest.mark.quick

CASES = [
    ("CylSphJt", 5, 0),
    ("RevCylJt", 3, 0),
    ("RevRevJt", 2, 0),
    ("SphSphJt", 5, 0),
    ("part32", 1, 0),
    ("limits", 2, 0),
    ("rackPinion", 3, 0),
    ("rackPinion3", 1, 0),
    ("fixplnplnpln", 0, 9),
    ("fixplnplnplnNoOffset", 0, 9),
    ("piston", 1, 2),
    ("fourbar", 1, 3),
    ("Gears", 1, 0),
    ("dragCrankSlider", 1, 2),
    ("pistonWithLimits", 1, 2),
    ("runPreDragBackhoe1", 3, 8),
]
"""Name, freedoms and redundant equations, as their joints have them."""

HOLDS = 1e-9
"""mm, what a normal solve reaches on a consistent model of a metre or so."""


@pytest.mark.parametrize(("name", "dof", "redundant"), CASES)
def test_joints_hold_and_leave_the_freedoms_that_are_known(
    name: str, dof: int, redundant: int
) -> None:
    solution = asm.solve(read(name))
    assert solution.outcome.name == "SOLVED"
    assert (solution.dof, solution.redundant_equations) == (dof, redundant)
    assert max(row["residual_mm"] for row in solution.to_dict()["mates"]) < HOLDS


def markers(assembly: asm.Assembly, joint: str) -> tuple[Array, Array]:
    """Origin, x, y, z of both markers of a joint in the world, rows."""
    mate = assembly.mates[joint]
    frames = []
    for end in (mate.a, mate.b):
        own = assembly.parts[end.part].features[end.feature].frame
        frames.append((assembly.pose(end.part) @ Pose.from_frame(own)).frame.reshape(4, 3))
    return frames[0], frames[1]


def angle(assembly: asm.Assembly, joint: str) -> float:
    """From x of I to x of J about z of I, degrees."""
    i, j = markers(assembly, joint)
    return float(np.degrees(np.arctan2(i[2] @ j[1], i[1] @ j[1])))


def length(assembly: asm.Assembly, joint: str) -> float:
    """From I to J along z of I, mm."""
    i, j = markers(assembly, joint)
    return float(i[3] @ (j[0] - i[0]))


# --------------------------------------------------------------------------------- couplings
@pytest.mark.parametrize("name", ["rackPinion", "rackPinion3"])
def test_a_rack_moves_by_the_pitch_radius_times_the_turn(name: str) -> None:
    assembly = read(name)
    radius = 1.0  # mm: FreeCAD made both, one was written in the old program's text since
    first = asm.solve(assembly).require()
    first.apply()
    turned, slid = "rackPinion#Revolute", "rackPinion#Slider"
    start, rack = angle(assembly, turned), np.array(assembly.pose("rackPinion#Box").position)
    assembly.drive("turn", turned, "angle", value=start + 50.0)
    asm.solve(assembly).require().apply()
    way = np.linalg.norm(np.array(assembly.pose("rackPinion#Box").position) - rack)
    assert way == pytest.approx(radius * np.radians(50.0), rel=1e-9)
    i, j = markers(assembly, slid)
    assert np.linalg.norm(np.cross(i[3], j[0] - i[0])) < HOLDS * radius


def test_gears_turn_back_by_their_radii() -> None:
    assembly = read("Gears")
    asm.solve(assembly).require().apply()
    before = angle(assembly, "Joint1"), angle(assembly, "Joint2")
    assembly.set_driver("Motion1", None)
    assembly.drive("turn", "Joint1", "angle", value=before[0] + 30.0)
    asm.solve(assembly).require().apply()
    assert angle(assembly, "Joint2") - before[1] == pytest.approx(-15.0, abs=1e-9)  # radii 1, 2


# ------------------------------------------------------------------------------------ limits
@pytest.mark.parametrize("held", ["Limit1", "Limit2"])
def test_a_dragged_piston_stops_at_its_limits(held: str) -> None:
    """The crank stops at 0 degrees, or where the piston is 1.2 m along its joint.

    A drag of 30 degrees would leave both limits; only the one met first can be held.
    """
    given = read("pistonWithLimits")
    if held == "Limit2":
        given.remove_limit("Limit1")
    session = asm.Session(given)
    start = session.poses["Part1"].position
    for back in (30.0, 60.0, 90.0):
        found = session.drag("Part1", Pose.from_axis(start, (0.0, 0.0, 1.0), -back))
        assert found.holds
        assert found.residual_mm < HOLDS
        assert found.limits == (held,)
        at = session.assembly
        value, bound = (
            (angle(at, "Joint1"), 0.0) if held == "Limit1" else (length(at, "Joint4"), 1200.0)
        )
        assert value == pytest.approx(bound, abs=1e-6)


# ---------------------------------------------------------------------------------- dragging
def test_the_crank_of_the_slider_is_dragged_while_all_joints_hold() -> None:
    """The two drags of OndselSolver's own test: (0.1, 0.2, 0.3) m, then (0.3, 0.2, 0.1) m."""
    session = asm.Session(read("dragCrankSlider"))
    for ask in ((100.0, 200.0, 300.0), (300.0, 200.0, 100.0)):
        pose = session.poses["Part1"]
        place = np.array(pose.position) + ask
        found = session.drag("Part1", Pose((place[0], place[1], place[2]), pose.quaternion_wxyz))
        assert found.holds
        assert found.residual_mm < HOLDS
        assert "Part3" in found.moved


def requests() -> list[tuple[str, Pose]]:
    """The parts and poses that a log of dragging asks for."""
    found = []
    for request in facts("ondsel/dragging.json")["requests"]:
        frame = [*request["position"], *np.transpose(request["rows"]).ravel()]
        found.append((request["part"], Pose.from_frame(frame)))
    return found


def test_the_excavator_follows_a_log_of_dragging() -> None:
    """20 steps of up to 40 mm.  A drag ends within a ten-thousandth of the way that was asked."""
    session = asm.Session(read("runPreDragBackhoe1"))
    asked = requests()
    assert len(asked) == 20
    for part, pose in asked:
        found = session.drag(part, pose)
        assert found.holds
        assert found.residual_mm < HOLDS
        away = np.array(session.poses[part].position) - pose.position
        assert np.linalg.norm(away) < 1e-4 * found.asked_mm + 1e-6
        turned = session.poses[part].rotation - pose.rotation
        assert np.abs(turned).max() < 1e-4
    assert asm.solve(session.assembly).dof == 3


# --------------------------------------------------------------------------------- originals
@originals
@pytest.mark.parametrize("name", [*(case[0] for case in CASES), "dxftree"])
def test_the_facts_are_what_is_read_of_the_original(name: str) -> None:
    one, two = read(name), read_original(name)
    two.notes["note"] = one.notes["note"]
    one.tolerance = two.tolerance  # neither file states one
    assert assembly_json.dump(one) == assembly_json.dump(two)


@originals
def test_the_facts_of_the_drags_are_those_of_the_log() -> None:
    log = file_of("draggingBackhoe1.log").read_text(encoding="utf-8")
    lines = [line.strip() for line in log.split("\n")]
    at = [k for k, line in enumerate(lines) if line == "Name"]
    told = facts("ondsel/dragging.json")["requests"]
    assert [lines[k + 1] for k in at] == [request["part"] for request in told]
    for k, request in zip(at, told, strict=True):
        assert [float(v) for v in lines[k + 3].split()] == request["position"]
        rows = [[float(v) for v in lines[k + 5 + r].split()] for r in range(3)]
        assert rows == request["rows"]

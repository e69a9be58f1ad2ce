"""Documents that FreeCAD wrote and its own solver solved, read from their files without it."""

from __future__ import annotations

from collections.abc import Callable
from math import radians
from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import pytest
from coupled import nut, rack, wheels_coupled
from distances import KNOWN, MISSED, bench_of, misses, solved_by_freecad
from making import AWRY, NEWER, OFF, Bench, off, turned
from scipy.spatial.transform import Rotation

import assembly_solver as asm

ENDS = ("Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex4")
FIXED = pytest.param(
    "Fixed", marks=pytest.mark.skipif(not NEWER, reason="FreeCAD 1.0 does not arrive from there")
)
CLOSE = 1e-8
"""mm and rad, as in test_native_joints."""

KINDS = (FIXED, "Revolute", "Cylindrical", "Slider", "Ball", "Parallel", "Perpendicular", "Angle")
STOPS = 1e-5
"""Where FreeCAD's solver stops, mm and share of a unit vector, as in test_native_joints."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_that_freecad_solved_holds_in_its_file(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    bench.ground(bench.box("Base"))
    part = bench.box("Part", (15, 25, 8))
    part.Placement = AWRY
    joint = bench.joint(kind, *ENDS, **({"Distance": 35.0} if kind == "Angle" else {}))
    file = tmp_path / "written.FCStd"
    assert bench.assembly.solve() == 0
    assert off(joint) < STOPS
    bench.document.saveAs(str(file))
    read = asm.read(file)
    assert (list(read.mates), sorted(read.parts)) == ([kind], ["Base", "Part"])
    found = asm.solve(read).require()
    assert found.left_out == {} and moved(found, part) < STOPS


@pytest.mark.parametrize(("one", "two"), [pair for pair in KNOWN if pair not in MISSED])
def test_a_distance_that_freecad_solved_holds_in_its_file(
    bench: Bench, tmp_path: Path, one: str, two: str
) -> None:
    joint, part = bench_of(bench, one, two)
    part.Placement = AWRY.multiply(part.Placement)
    solved_by_freecad(bench)
    assert misses(joint, one, two) < STOPS
    file = tmp_path / "written.FCStd"
    bench.document.saveAs(str(file))
    found = asm.solve(asm.read(file)).require()
    assert found.left_out == {} and moved(found, part) < STOPS


COUPLED: dict[str, tuple[Callable[[Bench], tuple[Any, Any]], str, float]] = {
    "Gears": (lambda bench: wheels_coupled(bench, "Gears"), "Two", radians(60.0)),
    "Belt": (lambda bench: wheels_coupled(bench, "Belt"), "Two", radians(60.0)),
    "Screw": (nut, "Nut", 8.0 * 30.0 / 360.0),
    "RackPinion": (rack, "Rack", 9.0 * radians(30.0)),
}
"""Mechanisms, the part that follows, and how far when the other is turned by 30 degrees."""


@pytest.mark.parametrize("kind", COUPLED)
def test_a_coupling_moves_in_the_file_as_in_the_document(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    make, follower, far = COUPLED[kind]
    leader, _ = make(bench)
    file = tmp_path / "coupled.FCStd"
    bench.document.saveAs(str(file))
    read, part = asm.read(file), bench.document.getObject(follower)
    before = asm.solve(read).require()
    assert moved(before, part) < STOPS
    value = turned(leader) + 30.0
    read.drive("lead", leader.Label, "angle", value=value)
    found = asm.solve(read).require()
    assert abs(moved(found, part) - far) < CLOSE
    asf.drive(bench.document, leader.Label, value).require()
    assert moved(found, part) < CLOSE


def moved(found: Any, part: Any) -> float:
    """How far a part stands from where FreeCAD has it, mm or rad, the larger."""
    pose, there = found.poses[part.Label], part.Placement
    turn = Rotation.from_matrix(pose.rotation).inv() * Rotation.from_quat(there.Rotation.Q)
    away = max(abs(a - b) for a, b in zip(pose.position, there.Base, strict=True))
    return float(max(away, turn.magnitude()))


def test_limits_and_a_suppressed_joint_are_read_from_the_file(bench: Bench, tmp_path: Path) -> None:
    bench.ground(bench.box("Base"))
    bench.box("Part", (15, 25, 8))
    limits = {"EnableLengthMin": True, "LengthMin": -4.0, "EnableLengthMax": True, "LengthMax": 9.0}
    bench.joint("Slider", *ENDS, "Way", **limits)
    setattr(bench.joint("Fixed", *ENDS, "Glue"), *OFF)
    file = tmp_path / "limited.FCStd"
    bench.document.saveAs(str(file))
    read = asm.read(file)
    assert asm.diagnose(read).suppressed == ["Glue"]
    limit = read.limits["Way length"]
    assert (limit.joint, limit.min, limit.max) == ("Way", -4.0, 9.0)

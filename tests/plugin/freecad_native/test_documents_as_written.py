"""Documents that FreeCAD wrote and its own solver solved, read from their files without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from making import AWRY, NEWER, OFF, Bench, off
from scipy.spatial.transform import Rotation

import assembly_solver as asm

ENDS = ("Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex4")
FIXED = pytest.param(
    "Fixed", marks=pytest.mark.skipif(not NEWER, reason="FreeCAD 1.0 does not arrive from there")
)
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


def moved(found: Any, part: Any) -> float:
    """How far a part stands from where FreeCAD has it, mm or share of a unit vector."""
    pose, there = found.poses["Part"], part.Placement
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

"""Own mates in an assembly of FreeCAD 1.0, beside its own joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import numpy as np
import pytest
from FreeCAD import Placement, Rotation, Vector
from making import AWRY, Bench, all_numbers, off

import assembly_solver as asm

CLOSE = 1e-8
"""mm and share of a unit vector, as in test_native_joints."""


def rocker(bench: Bench) -> tuple[Any, Any]:
    """An arm hinged to a base by a joint of FreeCAD's; a roller of 4 mm rests on it by a mate."""
    base, arm = bench.box("Base"), bench.box("Arm", (60, 8, 5))
    roller = bench.round("Cylinder", "Roller", Radius=4, Height=20)
    arm.Placement, roller.Placement = AWRY, Placement(Vector(20, 3, 60), Rotation(0, 10, 80))
    bench.ground(base)
    hinge = bench.joint("Revolute", "Base.Face6 Base.Vertex2", "Arm.Face5 Arm.Vertex1", "Hinge")
    rest = asf.mate([(bench.assembly, "Arm.Face6"), (bench.assembly, "Roller.Face1")], label="Rest")
    return hinge, rest


def gap(bench: Bench) -> float:
    """What the roller is off the arm by, mm or cosine."""
    top, round_ = (bench.assembly.getSubObject(n) for n in ("Arm.Face6", "Roller.Face1"))
    up, axis = top.normalAt(0, 0), round_.Surface.Axis
    height = (round_.Surface.Center - top.CenterOfMass).dot(up)
    return max(abs(height - 4.0), abs(axis.dot(up)))


def test_joints_and_mates_hold_together(bench: Bench) -> None:
    hinge, rest = rocker(bench)
    assert (rest.MateKind, off(hinge) > 1.0, gap(bench) > 1.0) == ("tangent", True, True)
    assert asf.solve(bench.document)
    assert max(off(hinge), gap(bench)) < CLOSE
    before = all_numbers(bench.document)
    assert asf.solve(bench.assembly)
    assert all_numbers(bench.document) == before
    live = asf.read(bench.document)
    assert live.joints == {"Hinge": hinge, "Rest": rest}
    assert [n for n, p in live.assembly.parts.items() if p.grounded] == ["Base"]


def test_the_folder_of_mates_is_in_the_assembly_and_freecads_solver_does_not_mind(
    bench: Bench,
) -> None:
    _, rest = rocker(bench)
    folder = rest.getParentGroup()
    assert (folder.Label, folder in bench.assembly.Group) == ("Mates", True)
    assert asf.solve(bench.document)
    assert bench.assembly.solve() == 0
    assert gap(bench) < CLOSE


def test_driving_a_joint_takes_along_what_is_mated(bench: Bench) -> None:
    hinge, _ = rocker(bench)
    assert asf.solve(bench.document)
    for angle in (10.0, 35.0, -20.0):
        assert asf.drive(bench.document, "Hinge", angle)
        assert max(off(hinge), gap(bench)) < CLOSE


def test_they_are_as_they_were_when_the_document_is_opened_again(
    bench: Bench, tmp_path: Path
) -> None:
    rocker(bench)
    assert asf.solve(bench.document)
    file = str(tmp_path / "rocker.FCStd")
    bench.document.saveAs(file)
    FreeCAD.closeDocument(bench.document.Name)
    bench.document = FreeCAD.openDocument(file)
    bench.assembly = bench.document.getObject("Assembly")
    before = all_numbers(bench.document)
    assert asf.solve(bench.document)
    assert all_numbers(bench.document) == before
    assert set(asf.read(bench.document).joints) == {"Hinge", "Rest"}
    assert gap(bench) < CLOSE


def test_a_file_that_is_read_without_freecad_names_the_mates_that_it_leaves_out(
    bench: Bench, tmp_path: Path
) -> None:
    rocker(bench)
    file = tmp_path / "rocker.FCStd"
    bench.document.saveAs(str(file))
    stored = asm.read(file)
    assert [*stored.mates] == ["Hinge"]
    solution = asm.diagnose(stored)
    assert solution.left_out == {"Rest": "it is a mate of the add-on for FreeCAD; solve it there"}


def test_a_mate_and_a_joint_of_the_same_label_are_told_apart(bench: Bench) -> None:
    _, rest = rocker(bench)
    allowed = FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Document")
    allowed.SetBool("DuplicateLabels", True)
    try:
        rest.Label = "Hinge"
    finally:
        allowed.SetBool("DuplicateLabels", False)
    assert set(asf.read(bench.document).joints) == {"Hinge", f"Hinge ({rest.Name})"}


def test_a_mate_that_contradicts_a_joint_is_told_by_both_labels(bench: Bench) -> None:
    rocker(bench)
    faces = [(bench.assembly, "Base.Face6"), (bench.assembly, "Arm.Face5")]
    asf.mate(faces, "distance", "Lifted", value=7.0)
    before = all_numbers(bench.document)
    solution = asf.solve(bench.document)
    assert not solution and all(name in solution.sentence for name in ("Hinge", "Lifted"))
    assert all_numbers(bench.document) == before


@pytest.mark.parametrize("path", ["", "Joints."])
def test_a_gear_couples_a_joint_of_freecads_and_a_mate(bench: Bench, path: str) -> None:
    base, arm, wheel = bench.box("Base"), bench.box("Arm"), bench.box("Wheel")
    bench.ground(base)
    hinge = bench.joint("Revolute", "Base.Face6 Base.Vertex2", "Arm.Face5 Arm.Vertex1", "Hinge")
    faces = [(bench.assembly, "Base.Face1"), (bench.assembly, "Wheel.Face1")]
    turn = asf.mate(faces, "revolute", label="Turn")
    asf.solve(bench.document).require()
    picked = (bench.assembly, f"{path}{hinge.Name}.") if path else (hinge, "")
    gear = asf.mate([picked, (turn, "")], "gear", ratio=-2.0)
    before = wheel.Placement.Rotation, arm.Placement.Rotation
    asf.drive(bench.document, "Hinge", seen_turn(bench, "Hinge") + 20.0).require()
    angles = [
        old.inverted().multiply(part.Placement.Rotation).Angle
        for old, part in zip(before, (wheel, arm), strict=True)
    ]
    turned = [min(a, 2 * np.pi - a) for a in angles]
    assert np.degrees(turned) == pytest.approx([40.0, 20.0], abs=1e-7)
    assert asf.read(bench.document).joints["Gear Hinge - Turn"] == gear


def seen_turn(bench: Bench, label: str) -> float:
    live = asf.read(bench.document).assembly
    return asm.reading(asm.diagnose(live), live.coordinate(label, "angle"))

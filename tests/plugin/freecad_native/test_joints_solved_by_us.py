"""FreeCAD's joints made, edited and recomputed while this add-on solves in its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import FreeCAD
import JointObject
import pytest
from assembly_solver_freecad.joint_solving import JointSolving, joint_solving
from assembly_solver_freecad.waiting import OWN, SOLVE_JOINTS
from FreeCAD import Vector
from making import ANGLE, AWRY, all_numbers, between, off, seen, valued

OURS = FreeCAD.ParamGet(OWN)


@pytest.fixture
def told() -> Iterator[list[str]]:
    """What was told, while we solve."""
    sentences: list[str] = []
    solving = JointSolving(sentences.append)
    OURS.SetBool(SOLVE_JOINTS, True)
    solving.take_over()
    yield sentences
    solving.give_back()
    OURS.RemBool(SOLVE_JOINTS)


def two(bench: Any) -> tuple[Any, Any]:
    """A base, and a part beside it."""
    bench.assembly.Type = "Assembly"  # as FreeCAD's command makes it
    base, part = bench.box("Base"), bench.box("Part", (15, 25, 8))
    bench.ground(base)
    part.Placement = AWRY
    bench.document.recompute()
    return base, part


def made(bench: Any, kind: str, **properties: Any) -> Any:
    """A joint as the window makes it, without its references."""
    joint = bench.joints.newObject("App::FeaturePython", kind)
    JointObject.Joint(joint, JointObject.JointTypes.index(kind))
    for key, value in properties.items():
        setattr(joint, valued(kind) if key == "Distance" else key, value)
    return joint


def connect(bench: Any, joint: Any, *ends: str) -> None:
    """Pick the elements of a joint."""
    picked = [bench.reference(words) for words in ends]
    joint.Proxy.setJointConnectors(joint, picked)


ENDS = ("Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex4")


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Cylindrical", "Slider", "Ball"])
def test_a_joint_that_is_made_holds_at_once(bench: Any, told: list[str], kind: str) -> None:
    base, _ = two(bench)
    before = all_numbers(bench.document)["Base"]
    joint = made(bench, kind)
    connect(bench, joint, *ENDS)
    assert off(joint) < 1e-9
    assert (told, all_numbers(bench.document)["Base"], base.Name) == ([], before, "Base")


def test_a_picked_element_that_is_let_go_puts_the_part_back(bench: Any, told: list[str]) -> None:
    two(bench)
    before = all_numbers(bench.document)
    joint = made(bench, "Revolute")
    connect(bench, joint, *ENDS)
    assert all_numbers(bench.document)["Part"] != before["Part"]
    connect(bench, joint, ENDS[0])
    assert all_numbers(bench.document)["Part"] == before["Part"]


def test_a_joint_that_cannot_hold_moves_nothing_and_is_told(bench: Any, told: list[str]) -> None:
    two(bench)
    connect(bench, made(bench, "Fixed"), *ENDS)
    before = all_numbers(bench.document)
    second = made(bench, "Fixed")
    second.Label = "Impossible"
    connect(bench, second, "Base.Face5 Base.Vertex1", "Part.Face2 Part.Vertex4")
    assert len(told) == 1
    assert "Impossible" in told[0] and "cannot" in told[0]
    after = all_numbers(bench.document)
    assert {n: after[n] for n in ("Base", "Part")} == {n: before[n] for n in ("Base", "Part")}


def test_a_changed_distance_and_angle_hold_and_are_one_undo_step(
    bench: Any, told: list[str]
) -> None:
    _, part = two(bench)
    angle = made(bench, "Angle", Distance=30.0)
    connect(bench, angle, *ENDS)
    before, undo = all_numbers(bench.document)["Part"], bench.document.UndoCount
    bench.document.openTransaction("Edit")
    setattr(angle, ANGLE, 50.0)
    bench.document.commitTransaction()
    assert abs(between(angle) - 50.0) < 1e-9
    assert bench.document.UndoCount - undo == 1
    bench.document.undo()
    assert (all_numbers(bench.document)["Part"], part.Name) == (before, "Part")
    assert told == []


def test_a_flipped_joint_is_flipped_and_holds(bench: Any, told: list[str]) -> None:
    two(bench)
    joint = made(bench, "Revolute")
    connect(bench, joint, *ENDS)
    sense = seen(joint).Rotation.multVec(Vector(0, 0, 1)).z
    joint.Proxy.flipOnePart(joint)
    assert seen(joint).Rotation.multVec(Vector(0, 0, 1)).z * sense < -0.999
    assert (off(joint) < 1e-9, told) == (True, [])


def test_a_recomputed_assembly_is_solved(bench: Any, told: list[str]) -> None:
    _, part = two(bench)
    joint = made(bench, "Revolute")
    connect(bench, joint, *ENDS)
    part.Placement = AWRY
    bench.assembly.touch()
    bench.document.recompute()
    assert off(joint) < 1e-9


def test_a_command_of_ours_is_not_disturbed(bench: Any, told: list[str]) -> None:
    """`drive` writes the new value of a joint, which FreeCAD would answer by solving."""
    import assembly_solver_freecad as asf

    two(bench)
    angle = made(bench, "Angle", Distance=30.0)
    connect(bench, angle, *ENDS)
    asf.drive(bench.assembly, angle.Label, 40.0).require()
    assert abs(between(angle) - 40.0) < 1e-9
    assert OURS.GetBool(SOLVE_JOINTS, False) is True


def test_freecad_has_its_functions_again(bench: Any) -> None:
    names = ("setJointConnectors", "flipOnePart", "preventParallel")
    freecads = [JointObject.solveIfAllowed, *(getattr(JointObject.Joint, n) for n in names)]
    solving = JointSolving(print)
    solving.take_over()
    assert joint_solving() is solving
    solving.give_back()
    again = [JointObject.solveIfAllowed, *(getattr(JointObject.Joint, n) for n in names)]
    assert (again, joint_solving()) == (freecads, None)

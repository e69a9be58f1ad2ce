"""Properties and formulas of FreeCAD's own joints edited between two solves: they count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from assembly_solver_freecad.editing import suppressed, title
from FreeCAD import Placement, Rotation, Vector
from making import ANGLE, AWRY, OFF, PREFERENCES, Bench, all_numbers, between, seen, valued

ENDS = ("Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex4")
EDITS: tuple[tuple[str, str, Any], ...] = (
    ("Distance", "Distance", 15.5),
    ("Angle", ANGLE, 70.0),
    ("Revolute", "JointType", "Cylindrical"),
    ("Slider", "Offset1", Placement(Vector(0, 4, 0), Rotation(Vector(0, 0, 1), 15))),
    ("Cylindrical", "Offset2", Placement(Vector(3, 0, 0), Rotation())),
    ("Ball", *OFF),
    ("Fixed", "Detach1", True),
)


def bench(name: str) -> Bench:
    made = Bench(name)
    made.ground(made.box("Base"))
    made.box("Part", (15, 25, 8)).Placement = AWRY
    return made


@pytest.fixture
def two() -> Iterator[tuple[Bench, Bench]]:
    made = bench("Edited"), bench("Fresh")
    yield made
    for each in made:
        FreeCAD.closeDocument(each.document.Name)


def jointed(on: Bench, kind: str) -> Any:
    value = {"Distance": 40.0} if kind in ("Distance", "Angle") else {}
    return on.joint(kind, *ENDS, **value)


def brought_together(edited: Bench, fresh: Bench) -> None:
    """The parts of the fresh document where those of the edited one stand."""
    for name in ("Base", "Part"):
        fresh.document.getObject(name).Placement = edited.document.getObject(name).Placement


@pytest.mark.parametrize(("kind", "name", "value"), EDITS)
def test_a_changed_property_counts_in_the_next_solve(
    two: tuple[Bench, Bench], kind: str, name: str, value: Any
) -> None:
    edited, fresh = two
    joints = [jointed(each, kind) for each in two]
    asf.solve(edited.document).require()
    brought_together(edited, fresh)
    for joint in joints:
        setattr(joint, name, value)
    brought_together(edited, fresh)
    assert asf.solve(edited.document).outcome is asf.solve(fresh.document).outcome
    assert all_numbers(edited.document) == all_numbers(fresh.document)


@pytest.mark.parametrize("freecad_solves", [False, True])
@pytest.mark.parametrize(("kind", "value"), [("Distance", 13.0), ("Angle", 62.0)])
def test_a_formula_counts_as_it_is_when_the_solve_begins(
    two: tuple[Bench, Bench], kind: str, value: float, freecad_solves: bool
) -> None:
    """Its sheet was edited and not recomputed; FreeCAD's own solver does not run meanwhile."""
    edited, _ = two
    joint = jointed(edited, kind)
    sheet = edited.document.addObject("Spreadsheet::Sheet", "Sheet")
    sheet.set("B1", "40")
    sheet.setAlias("B1", "size")
    edited.document.recompute()
    joint.setExpression(valued(kind), "Sheet.size")
    asf.solve(edited.document).require()
    sheet.set("B1", str(value))
    for key in ("SolveInJointCreation", "SolveOnRecompute"):
        PREFERENCES.SetBool(key, freecad_solves)
    asf.solve(edited.document).require()
    held = [PREFERENCES.GetBool(key) for key in ("SolveInJointCreation", "SolveOnRecompute")]
    for key in ("SolveInJointCreation", "SolveOnRecompute"):
        PREFERENCES.SetBool(key, False)
    measured = between(joint) if kind == "Angle" else abs(seen(joint).Base.z)
    assert held == [freecad_solves] * 2 and float(getattr(joint, valued(kind))) == value
    assert abs(measured - value) < 1e-8


def test_a_limit_that_is_switched_on_between_two_solves_counts(two: tuple[Bench, Bench]) -> None:
    edited, _ = two
    joint = jointed(edited, "Slider")
    asf.solve(edited.document).require()
    stands = seen(joint).Base.z
    joint.EnableLengthMin, joint.LengthMin = True, stands + 6.0
    asf.solve(edited.document).require()
    assert abs(seen(joint).Base.z - stands - 6.0) < 1e-8


def test_a_joint_is_flipped_by_us_named_and_switched_off(two: tuple[Bench, Bench]) -> None:
    edited, _ = two
    edited.assembly.Type = "Assembly"  # as FreeCAD's command makes it
    joint, undo = jointed(edited, "Revolute"), edited.document.UndoCount
    asf.solve(edited.document).require()
    sense = seen(joint).Rotation.multVec(Vector(0, 0, 1)).z
    asf.flip(joint)
    turned = seen(joint).Rotation.multVec(Vector(0, 0, 1)).z
    assert (abs(sense), round(turned * sense, 9)) == (pytest.approx(1.0), -1.0)
    assert edited.document.UndoCount - undo == 2  # the solve and the flip
    live = asf.read(edited.document)
    assert title(live, "Revolute") == "Base - Part (Revolute)"
    asf.suppress(joint)
    assert (getattr(joint, OFF[0]), suppressed(joint)) == (OFF[1], True)

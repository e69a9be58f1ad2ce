"""Driving joints that hold a value, a distance or an angle: the document holds the new one."""

from __future__ import annotations

from collections.abc import Iterator

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, OFF, PREFERENCES, Bench, all_numbers, between, numbers, seen, valued

CLOSE = 1e-8
"""mm and degrees, as in test_native_joints."""


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    made.ground(made.box("Base"))
    made.box("Part", (15, 25, 8)).Placement = AWRY
    made.box("Lid", (4, 4, 4))
    yield made
    PREFERENCES.SetBool("SolveInJointCreation", False)
    FreeCAD.closeDocument(made.document.Name)


@pytest.mark.parametrize("freecad_solves", [False, True])
@pytest.mark.parametrize(("kind", "value"), [("Distance", 12.5), ("Angle", 30.0), ("Angle", 0.0)])
def test_driving_a_value_is_one_undo_step_that_the_document_keeps(
    bench: Bench, kind: str, value: float, freecad_solves: bool
) -> None:
    joint = bench.joint(kind, "Base.Face6", "Part.Face2", "Gap", Distance=40.0)
    asf.solve(bench.document).require()
    before, steps = all_numbers(bench.document), bench.document.UndoCount
    PREFERENCES.SetBool("SolveInJointCreation", freecad_solves)
    asf.drive(bench.document, "Gap", value).require()
    assert PREFERENCES.GetBool("SolveInJointCreation") is freecad_solves
    measured = between(joint) if kind == "Angle" else abs(seen(joint).Base.z)
    assert abs(measured - value) < CLOSE or abs(measured - 180.0) < CLOSE
    assert (float(getattr(joint, valued(kind))), bench.document.UndoCount) == (value, steps + 1)
    held = all_numbers(bench.document)
    asf.solve(bench.document).require()
    assert all_numbers(bench.document) == held
    bench.document.undo()
    assert (float(getattr(joint, valued(kind))), all_numbers(bench.document)) == (40.0, before)


def test_radii_count_as_they_do_in_the_joint(bench: Bench) -> None:
    ball = bench.round("Sphere", "Ball", Radius=5)
    joint = bench.joint("Distance", "Base.Face6", "Ball.Face1", "Gap", Distance=2.0)
    asf.drive(bench.document, "Gap", 3.0).require()
    assert abs(ball.Placement.Base.z - joint.Placement1.Base.z - 8.0) < CLOSE


def test_several_values_are_brought_at_once(bench: Bench) -> None:
    gap = bench.joint("Distance", "Base.Face6", "Part.Face2", "Gap", Distance=40.0)
    slide = bench.joint("Slider", "Base.Face6 Base.Vertex7", "Lid.Face6 Lid.Vertex7", "Slide")
    asf.drive(bench.document, "Slide", 21.0, holding={"Gap": 7.0}).require()
    assert abs(seen(slide).Base.z - 21.0) < CLOSE
    assert abs(abs(seen(gap).Base.z) - 7.0) < CLOSE and float(gap.Distance) == 7.0


def test_a_value_that_cannot_hold_changes_nothing(bench: Bench) -> None:
    first = bench.joint("Distance", "Base.Face6", "Part.Face5", "Gap", Distance=4.0)
    bench.joint("Distance", "Base.Face6", "Part.Face5", "Stop", Distance=4.0)
    asf.solve(bench.document).require()
    before, still = all_numbers(bench.document), numbers(bench.document.Part.Placement)
    found = asf.drive(bench.document, "Gap", 9.0)
    assert {name for c in found.conflicts for name in c["mates"]} == {"Gap", "Stop"}
    assert (float(first.Distance), all_numbers(bench.document)) == (4.0, before)
    assert numbers(bench.document.Part.Placement) == still


def test_why_a_joint_cannot_be_driven_is_told_in_a_line(bench: Bench) -> None:
    bench.joint("Ball", "Base.Face6 Base.Vertex7", "Part.Face6 Part.Vertex7", "Knob")
    gap = bench.joint("Distance", "Base.Face6", "Lid.Face5", "Gap", Distance=4.0)
    bench.joint("Revolute", "Part.Face6 Part.Vertex2", "Lid.Face6 Lid.Vertex7", "Pin")
    known = "these can be driven: Gap, Pin"
    lines = {
        "Knob": f"Knob has no value, and no one axis to turn about or to slide along; {known}",
        "Pinn": "drivers.Pinn: no joint 'Pinn'; did you mean 'Pin'?",
    }
    for label, line in lines.items():
        with pytest.raises(asf.NotDriven if label == "Knob" else Exception) as told:
            asf.drive(bench.document, label, 5.0)
        assert str(told.value) == line
    with pytest.raises(asf.NotDriven, match="Gap holds its value, and no motion leads it; drive"):
        asf.sweep(bench.document, "Gap", 0.0, 5.0)
    gap.setExpression("Distance", "2 + 3")
    with pytest.raises(asf.NotDriven, match=r"Gap takes its Distance from the formula 2 \+ 3"):
        asf.drive(bench.document, "Gap", 5.0)
    setattr(gap, *OFF)
    with pytest.raises(asf.NotDriven, match=r"Gap is switched off; these can be driven: Pin"):
        asf.drive(bench.document, "Gap", 5.0)

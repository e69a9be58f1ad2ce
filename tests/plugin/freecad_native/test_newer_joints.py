"""What FreeCAD 1.1 and 1.2 write, in a live document; in 1.0 with the properties that those add."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, NEWER, Bench, between, numbers, off

CLOSE = 1e-8
"""mm and degrees, as in test_native_joints."""

FACES = ("Base.Face6 Base.Vertex7", "Part.Face6 Part.Vertex7")


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    made.ground(made.box("Base"))
    made.box("Part", (15, 25, 8)).Placement = AWRY
    yield made
    FreeCAD.closeDocument(made.document.Name)


def rigid_group(bench: Bench, *parts: Any) -> Any:
    found = bench.joints.newObject("App::FeaturePython", "RigidGroupJoint")
    found.Label = "Kit"
    found.addProperty("App::PropertyLinkList", "ObjectsToRigidGroup", "RigidGroup", "")
    found.addProperty("App::PropertyBool", "Suppressed", "RigidGroup", "")
    found.ObjectsToRigidGroup = list(parts)
    return found


def test_a_rigid_group_keeps_its_parts_together(bench: Bench) -> None:
    lid = bench.box("Lid", (4, 4, 4))
    lid.Placement = FreeCAD.Placement(FreeCAD.Vector(50, 3, 7), FreeCAD.Rotation(30, 10, 0))
    group = rigid_group(bench, bench.document.Part, lid)
    joint = bench.joint("Revolute", *FACES)
    apart = bench.document.Part.Placement.inverse().multiply(lid.Placement)
    found = asf.solve(bench.document).require()
    now = bench.document.Part.Placement.inverse().multiply(lid.Placement)
    assert off(joint) < CLOSE and now.isSame(apart, CLOSE)
    assert (found.dof, asf.read(bench.document).joints["Kit"].Name) == (1, group.Name)
    group.Suppressed = True
    assert asf.diagnose(bench.document).suppressed == ["Kit"]


def test_an_angle_stands_in_a_property_of_its_own(bench: Bench) -> None:
    joint = bench.joint("Angle", *FACES, Distance=0.0)
    if not NEWER:
        joint.addProperty("App::PropertyAngle", "Angle", "Joint", "")
    joint.Angle = 35.0
    asf.solve(bench.document).require()
    assert abs(between(joint) - 35.0) < CLOSE


def test_lengths_are_quantities_and_references_begin_at_the_parts(bench: Bench) -> None:
    part = bench.document.Part
    joint = bench.joint("Distance", "Base.Face6", "Part.Vertex7")
    if not NEWER:
        joint.removeProperty("Distance")
        joint.addProperty("App::PropertyLength", "Distance", "Joint", "")
        joint.Reference1 = (bench.document.Base, ["Face6", "Face6"])
        joint.Reference2 = (part, ["Vertex7", "Vertex7"])
    joint.Distance = 12.5
    still = numbers(bench.document.Base.Placement)
    frames = numbers(joint.Placement1), numbers(joint.Placement2)
    asf.solve(bench.document).require()
    assert numbers(bench.document.Base.Placement) == still
    assert (numbers(joint.Placement1), numbers(joint.Placement2)) == frames
    gap = part.Placement.multVec(joint.Placement2.Base) - joint.Placement1.Base
    assert abs(abs(gap.z) - 12.5) < CLOSE


def test_a_suppressed_joint_holds_nothing_and_is_named(bench: Bench) -> None:
    joint = bench.joint("Fixed", *FACES)
    if not NEWER:
        joint.removeProperty("Activated")
        joint.addProperty("App::PropertyBool", "Suppressed", "Joint", "")
    joint.Suppressed = True
    before = numbers(bench.document.Part.Placement)
    assert asf.solve(bench.document).require().suppressed == ["Fixed"]
    assert numbers(bench.document.Part.Placement) == before


def test_a_simulation_is_run_by_its_formulas(bench: Bench) -> None:
    """Objects as FreeCAD 1.1 makes them, but in a plain group: 1.0 has no type for theirs."""
    joint = bench.joint("Slider", *FACES)
    asf.solve(bench.document).require()
    asf.drive(bench.document, "Slider", 4.0).require()
    before = numbers(bench.document.Part.Placement)
    motion = bench.document.addObject("App::FeaturePython", "Motion")
    motion.addProperty("App::PropertyXLinkSubHidden", "Joint", "Motion", "")
    motion.addProperty("App::PropertyString", "Formula", "Motion", "")
    motion.addProperty("App::PropertyEnumeration", "MotionType", "Motion", "")
    motion.MotionType = ["Angular", "Linear"]
    motion.MotionType, motion.Joint, motion.Formula = "Linear", joint, "initialValue + 3*time"
    made = bench.document.addObject("App::FeaturePython", "Simulation")
    made.addExtension("App::GroupExtensionPython")
    for key, value in (("aTimeStart", 0.0), ("bTimeEnd", 2.0), ("cTimeStepOutput", 0.5)):
        made.addProperty("App::PropertyTime", key, "Simulation", "")
        setattr(made, key, value)
    made.addObject(motion)
    live = asf.read(bench.document)
    with pytest.raises(Exception, match="no one simulation; there is none in it"):
        live.simulate()
    folder = bench.assembly.newObject("App::DocumentObjectGroup", "Simulations")
    folder.addObject(made)
    found = asf.simulate(bench.document, "Simulation")
    assert found, found.sentence
    assert found.t.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    slid = found.joint("Slider", "length").value
    assert slid == pytest.approx([4.0, 5.5, 7.0, 8.5, 10.0], abs=CLOSE)
    assert numbers(bench.document.Part.Placement) == before


def test_a_locked_placement_grounds_a_part_where_grounding_locks(bench: Bench) -> None:
    part = bench.document.Part
    bench.joint("Ball", *FACES)
    part.setPropertyStatus("Placement", "ReadOnly")
    assert asf.diagnose(bench.document).grounded == ["Base"]
    bench.document.Base.setPropertyStatus("Placement", "ReadOnly")
    before = numbers(part.Placement)
    found = asf.solve(bench.document)
    assert found.grounded == ["Base", "Part"] and "Ball" in found.explanation
    assert numbers(part.Placement) == before

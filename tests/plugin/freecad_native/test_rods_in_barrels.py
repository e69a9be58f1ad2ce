"""A cylinder under a lid: a joint that could turn and slide, where only its way can change."""

from __future__ import annotations

from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from FreeCAD import Placement, Rotation, Vector
from making import Bench, all_numbers, off, seen

CLOSE = 1e-8
"""mm and share of a unit vector, as in test_native_joints."""

ALONG_X = Rotation(Vector(0, 1, 0), 90)
"""z along x: the way of the rod."""


@pytest.fixture
def cylinder(bench: Bench) -> Any:
    """A lid hinged at the origin, held 100 mm from there by a rod in a barrel at (0, -100, 0).

    The lid lies along x, so that pin to pin it is 100 root 2 mm.
    """
    for name in ("Base", "Lid", "Barrel", "Rod"):
        bench.box(name)
    bench.ground(bench.document.Base)
    pins = {
        "Lid hinge": ("Base", "Lid", (0, 0, 0), (0, 0, 0)),
        "Barrel pin": ("Base", "Barrel", (0, -100, 0), (0, 0, 0)),
        "Rod pin": ("Lid", "Rod", (100, 0, 0), (0, 0, 0)),
    }
    for label, (one, two, a, b) in pins.items():
        jointed(
            bench,
            "Revolute",
            one,
            two,
            label,
            Placement(Vector(*a), Rotation()),
            Placement(Vector(*b), Rotation()),
        )
    turn = Rotation(Vector(0, 0, 1), 45)
    bench.document.Barrel.Placement = Placement(Vector(0, -100, 0), turn)
    bench.document.Rod.Placement = Placement(Vector(100, 0, 0), turn)
    ends = (Placement(Vector(), ALONG_X),) * 2
    return jointed(bench, "Cylindrical", "Barrel", "Rod", "Boom cylinder", *ends)


def jointed(
    bench: Bench, kind: str, one: str, two: str, label: str, first: Any, second: Any
) -> Any:
    """A joint whose frames are where they are told to be."""
    ends = (f"{one}.Face6 {one}.Vertex7", f"{two}.Face6 {two}.Vertex7")
    joint = bench.joint(kind, *ends, label, Detach1=True, Detach2=True)
    joint.Placement1, joint.Placement2 = first, second
    return joint


def test_a_cylinder_is_driven_by_its_label_alone(bench: Bench, cylinder: Any) -> None:
    assert asf.solve(bench.document).dof == 1
    for way in (120.0, 150.0):
        asf.drive(bench.document, "Boom cylinder", way).require()
        assert seen(cylinder).Base.z == pytest.approx(way, abs=CLOSE) and off(cylinder) < CLOSE


def test_its_way_is_swept_by_its_label_alone(bench: Bench, cylinder: Any) -> None:
    before = all_numbers(bench.document)
    motion = asf.sweep(bench.document, "Boom cylinder", 120.0, 150.0, steps=6)
    assert motion.valid.all()
    assert all_numbers(bench.document) == before


def test_it_is_held_by_its_label_alone_beside_another_joint(bench: Bench, cylinder: Any) -> None:
    root = 100.0 * 2.0**0.5
    found = asf.drive(bench.document, "Lid hinge", 0.0, holding={"Boom cylinder": root}).require()
    assert [*found.given.drivers] == ["Boom cylinder", "Lid hinge"]
    assert found.given.drivers["Boom cylinder"].coordinate == "length"


def test_a_rod_that_turns_and_slides_is_held_by_a_value_and_its_coordinate(bench: Bench) -> None:
    for name in ("Base", "Rod", "Lid"):
        bench.box(name)
    bench.ground(bench.document.Base)
    rod = bench.joint("Cylindrical", "Base.Face6 Base.Vertex7", "Rod.Face5 Rod.Vertex5", "Sleeve")
    bench.joint("Revolute", "Base.Face6 Base.Vertex1", "Lid.Face5 Lid.Vertex5", "Lid hinge")
    with pytest.raises(asf.WhichCoordinate, match="Sleeve can both turn and slide"):
        asf.drive(bench.document, "Lid hinge", 5.0, holding={"Sleeve": 7.0})
    held = {"Sleeve": (7.0, "length")}
    asf.drive(bench.document, "Lid hinge", 5.0, holding=held).require()
    assert seen(rod).Base.z == pytest.approx(7.0, abs=CLOSE)


def test_a_joint_that_cannot_be_read_is_told_before_any_is_driven(
    bench: Bench, cylinder: Any
) -> None:
    cylinder.Reference2 = bench.reference("Rod.Face17")
    cylinder.Detach2 = False
    said = "Boom cylinder: Face17 of Rod is gone; deactivate or suppress them"
    with pytest.raises(asf.NotHeld, match=said):
        asf.drive(bench.document, "Boom cylinder", 120.0)
    with pytest.raises(asf.NotHeld, match="Face17 of Rod is gone"):
        asf.sweep(bench.document, "Lid hinge", 0.0, 10.0, steps=2)
    with pytest.raises(asf.NotHeld, match="Face17 of Rod is gone"):
        asf.check(bench.document, {"Lid hinge": (0.0, 10.0)})


def test_a_label_that_several_joints_have_drives_none_of_them(bench: Bench, cylinder: Any) -> None:
    allowed = FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Document")
    allowed.SetBool("DuplicateLabels", True)
    try:
        cylinder.Label = "Rod pin"
    finally:
        allowed.SetBool("DuplicateLabels", False)
    with pytest.raises(asf.NotDriven, match="Rod pin is the label of several joints, rename one"):
        asf.drive(bench.document, "Rod pin", 45.0)

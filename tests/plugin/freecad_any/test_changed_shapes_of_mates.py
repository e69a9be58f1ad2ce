"""Own mates whose shapes were changed: the same hole under another name, or told."""

from __future__ import annotations

from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import Part
import pytest
from shop import AWAY, Shop, all_numbers, shop as shop

import assembly_solver as asm

CLOSE = 1e-8
"""mm: a normal solve reaches 1e-9."""

AWRY = FreeCAD.Placement(FreeCAD.Vector(3, 4, 5), FreeCAD.Rotation(9, 8, 7))
HOLES = {"left": (10, 3), "middle": (30, 3), "right": (50, 3)}
"""x and radius, mm."""


def plate(*holes: tuple[float, float], fillet: bool = False) -> Any:
    """A plate of 60 x 20 x 5 mm with holes across it at x, with a radius."""
    made = Part.makeBox(60, 20, 5)
    if fillet:
        upright = [e for e in made.Edges if abs(e.Vertexes[0].Z - e.Vertexes[1].Z) > 1]
        made = made.makeFillet(2, upright)
    for x, radius in holes:
        made = made.cut(Part.makeCylinder(radius, 9, FreeCAD.Vector(x, 10, -2)))
    return made


def bored(sheet: Any, x: float) -> str:
    """Name of the hole at x."""
    return face_at(sheet, x, "Cylinder")


def face_at(sheet: Any, x: float, kind: str) -> str:
    """Name of the face of a kind whose middle is at x, in the coordinates of the plate."""
    shape = sheet.Shape.copy()
    shape.Placement = FreeCAD.Placement()
    return next(
        f"Face{number}"
        for number, face in enumerate(shape.Faces, 1)
        if type(face.Surface).__name__ == kind and abs(face.CenterOfMass.x - x) < 1e-6
    )


@pytest.fixture
def bolted(shop: Shop) -> tuple[Shop, Any, Any]:
    """A pin in the middle hole of a plate."""
    sheet = shop.add("sheet", plate(*HOLES.values()), AWRY)
    shop.document.recompute()
    asf.ground([sheet])
    mate = asf.mate([(sheet, bored(sheet, 30)), (shop.pin, "Face1")], "coaxial", "Bolt")
    asf.solve(shop.document).require()
    return shop, sheet, mate


def change(shop: Shop, sheet: Any, shape: Any) -> None:
    place = sheet.Placement
    sheet.Shape, sheet.Placement = shape, place
    shop.document.recompute()
    shop.pin.Placement = AWAY


def beside(shop: Shop, sheet: Any, x: float) -> float:
    """How far the pin is from the axis across the plate at x, mm."""
    at = sheet.Placement.inverse().multVec(shop.pin.Placement.Base)
    return float(FreeCAD.Vector(at.x - x, at.y - 10, 0).Length)


def test_a_hole_keeps_its_mate_where_the_one_before_it_is_taken_away(
    bolted: tuple[Shop, Any, Any],
) -> None:
    shop, sheet, mate = bolted
    change(shop, sheet, plate(HOLES["middle"], HOLES["right"]))
    name = bored(sheet, 30)
    assert mate.Reference1[1] != [name]
    asf.diagnose(shop.document)
    assert mate.Reference1[1] != [name]
    asf.solve(shop.document).require()
    assert beside(shop, sheet, 30) < CLOSE and mate.Reference1[1] == [name]
    assert mate.ElementNames[0] == f"{name} of sheet"
    shop.document.undo()
    assert mate.Reference1[1] != [name]


def test_faces_that_fillets_have_made_smaller_are_known_again(
    bolted: tuple[Shop, Any, Any],
) -> None:
    shop, sheet, _ = bolted
    asf.mate([(sheet, face_at(sheet, 60, "Plane")), (shop.box, "Face1")], "coplanar", "Flush")
    change(shop, sheet, plate(*HOLES.values(), fillet=True))
    asf.solve(shop.document).require()
    assert beside(shop, sheet, 30) < CLOSE
    face = shop.box.getSubObject("Face1")
    at = sheet.Placement.inverse().multVec(face.CenterOfMass)
    assert at.x == pytest.approx(60.0, abs=CLOSE)


def test_a_hole_that_was_moved_or_widened_takes_its_mate_along(
    bolted: tuple[Shop, Any, Any],
) -> None:
    shop, sheet, _ = bolted
    for x, radius in ((33, 3), (33, 5), (36, 4)):
        change(shop, sheet, plate(HOLES["left"], (x, radius), HOLES["right"]))
        asf.solve(shop.document).require()
        assert beside(shop, sheet, x) < CLOSE


def test_the_marks_follow_what_was_changed_in_place(bolted: tuple[Shop, Any, Any]) -> None:
    """The hole is moved first, then its name shifts."""
    shop, sheet, _ = bolted
    change(shop, sheet, plate(HOLES["left"], (33, 3), HOLES["right"]))
    asf.solve(shop.document).require()
    change(shop, sheet, plate((33, 3), HOLES["right"]))
    asf.solve(shop.document).require()
    assert beside(shop, sheet, 33) < CLOSE


def test_a_hole_that_is_gone_is_told_although_another_has_its_name(
    bolted: tuple[Shop, Any, Any],
) -> None:
    shop, sheet, mate = bolted
    name = mate.Reference1[1][0]
    change(shop, sheet, plate(HOLES["left"], HOLES["right"]))
    assert bored(sheet, 50) == name
    before = all_numbers(shop.document)
    with pytest.raises(asf.NotHeld, match=f"Bolt: {name} of sheet is not known again"):
        asf.solve(shop.document)
    assert all_numbers(shop.document) == before


def test_a_hole_that_came_to_where_the_chosen_one_was_is_told(
    bolted: tuple[Shop, Any, Any],
) -> None:
    """A row of holes whose pitch was doubled."""
    shop, sheet, mate = bolted
    name = mate.Reference1[1][0]
    change(shop, sheet, plate((30, 3), (50, 3), (55, 1)))
    first = bored(sheet, 30)
    said = f"Bolt: {name} of sheet has moved, and {first} of sheet is where it was"
    with pytest.raises(asf.NotHeld, match=said):
        asf.solve(shop.document)
    asf.rechoose(mate)
    asf.solve(shop.document).require()
    assert beside(shop, sheet, 50) < CLOSE


def test_a_mate_can_be_given_other_elements_of_its_kind(bolted: tuple[Shop, Any, Any]) -> None:
    shop, sheet, mate = bolted
    asf.rechoose(mate, [(sheet, bored(sheet, 10)), (shop.pin, "Face1")])
    asf.solve(shop.document).require()
    assert beside(shop, sheet, 10) < CLOSE and mate.MateKind == "coaxial"
    kept = mate.Reference1
    with pytest.raises(asm.AssemblySolverError, match="coaxial"):
        asf.rechoose(mate, [(sheet, "Vertex1"), (shop.pin, "Vertex1")])
    assert mate.Reference1 == kept


def test_solving_again_writes_nothing(bolted: tuple[Shop, Any, Any]) -> None:
    shop, sheet, mate = bolted
    change(shop, sheet, plate(HOLES["middle"], HOLES["right"]))
    asf.solve(shop.document).require()
    steps, marks = shop.document.UndoCount, mate.ElementMarks
    asf.solve(shop.document).require()
    assert (shop.document.UndoCount, mate.ElementMarks) == (steps, marks)

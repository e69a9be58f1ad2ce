"""Own mates as objects of a document: saved and opened, renamed, deleted, undone, in containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import Part
import pytest
from FreeCAD import Placement, Rotation, Vector
from shop import AWAY, BORE, Shop, all_numbers, aside, cosine, gap, height, shop as shop

import assembly_solver as asm

CLOSE = 1e-8
"""mm and cosines, as in test_own_mates."""


def seat(shop: Shop) -> tuple[Any, Any]:
    """The pin in the bore, its end 3 mm over the face of the block; the block is grounded."""
    fit = asf.mate(shop.pick("block bore", "pin Face1"), label="Fit")
    seat = asf.mate(shop.pick("block Face5", "pin Face2"), "distance", "Seat", value=3.0)
    return fit, seat


def off(shop: Shop) -> float:
    bore, shaft, top, end = map(shop.shape, ("block bore", "pin Face1", "block Face5", "pin Face2"))
    return max(aside(bore, shaft), abs(abs(height(top, end)) - 3.0), abs(cosine(top, end) + 1.0))


def told(document: Any) -> str:
    """Why nothing was solved."""
    before = all_numbers(document)
    with pytest.raises(asf.NotHeld) as caught:
        asf.solve(document)
    assert all_numbers(document) == before
    return str(caught.value)


def flat(shop: Shop) -> None:
    """The face of the block that the seat is on is its top: a bore makes two rings of edges."""
    assert len(shop.block.Shape.getElement("Face5").Wires) == 2


def test_mates_are_as_they_were_when_the_document_is_opened_again(
    shop: Shop, tmp_path: Path
) -> None:
    flat(shop)
    fit, seat_ = seat(shop)
    assert asf.solve(shop.document)
    assert off(shop) < CLOSE
    file = str(tmp_path / "shop.FCStd")
    shop.document.saveAs(file)
    names = (fit.Name, seat_.Name)
    FreeCAD.closeDocument(shop.document.Name)
    document = FreeCAD.openDocument(file)
    fit, seat_ = map(document.getObject, names)
    assert [type(m.Proxy).__name__ for m in (fit, seat_)] == ["MateProxy"] * 2
    assert (fit.MateKind, seat_.MateKind, seat_.Distance.Value) == ("coaxial", "distance", 3.0)
    before = all_numbers(document)
    solution = asf.solve(document)
    assert solution and list(asf.read(document).joints) == ["Fit", "Seat"]
    assert all_numbers(document) == before
    seat_.MateKind = "coplanar"
    assert seat_.Sense == "opposed"


def test_mates_are_read_where_the_add_on_was_not_there_to_restore_them(shop: Shop) -> None:
    for made in seat(shop):
        made.Proxy = None
    assert asf.solve(shop.document)
    assert off(shop) < CLOSE


def test_labels_name_parts_and_mates_also_after_they_were_changed(shop: Shop) -> None:
    fit, _ = seat(shop)
    shop.pin.Label, fit.Label = "plunger", "Guide"
    assert asf.solve(shop.document)
    live = asf.read(shop.document)
    assert {"plunger", "block"} < set(live.parts) and set(live.joints) == {"Guide", "Seat"}
    assert live.joints["Guide"] is fit and live.parts["plunger"] is shop.pin
    assert str(live.assembly.mates["Guide"].b) == "plunger.Face1"


def test_a_mate_of_a_deleted_part_is_named_and_works_again_when_that_is_undone(shop: Shop) -> None:
    seat(shop)
    shop.document.openTransaction("Delete")
    shop.document.removeObject(shop.pin.Name)
    shop.document.commitTransaction()
    assert "Fit: Face1 of pin is gone: its part was deleted; choose another" in told(shop.document)
    shop.document.undo()
    shop.pin = shop.document.getObject("pin")
    assert asf.solve(shop.document)
    assert off(shop) < CLOSE


def test_a_face_that_is_not_there_any_more_is_named(shop: Shop) -> None:
    seat(shop)
    shop.block.Shape = Part.makeBox(20, 20, 30)
    shop.document.recompute()
    words = told(shop.document)
    assert f"Fit: {BORE} of block is gone (there is no {BORE} of block); choose another" in words
    assert "Seat" not in words


def test_a_face_that_became_another_one_is_named(shop: Shop) -> None:
    seat(shop)
    shop.pin.Shape = Part.makeBox(4, 4, 40)
    shop.document.recompute()
    words = told(shop.document)
    assert "Fit: Face1 of pin was a cylinder when it was chosen and is a plane" in words


def test_a_suppressed_mate_is_left_out_by_name(shop: Shop) -> None:
    fit, _ = seat(shop)
    fit.Suppressed = True
    solution = asf.solve(shop.document)
    assert solution and solution.suppressed == ["Fit"]
    assert aside(shop.shape("block bore"), shop.shape("pin Face1")) > 1.0
    fit.Suppressed = False
    assert asf.solve(shop.document)
    assert off(shop) < CLOSE


def test_each_act_is_one_undo_step(shop: Shop) -> None:
    before = all_numbers(shop.document)
    seat(shop)
    assert asf.solve(shop.document)
    asf.ground(shop.box)
    names = ["Ground parts", "Solve assembly", "Mate distance", "Mate coaxial"]
    assert shop.document.UndoNames == names
    shop.document.undo()
    assert not asf.read(shop.document).assembly.parts["box"].grounded
    shop.document.undo()
    assert all_numbers(shop.document) == before
    shop.document.undo()
    shop.document.undo()
    assert [o.Name for o in shop.document.Objects if o.TypeId != "Part::Feature"] == []
    for _ in names:
        shop.document.redo()
    assert off(shop) < CLOSE
    assert asf.read(shop.document).assembly.parts["box"].grounded


def test_elements_in_containers_and_links_are_named_from_the_top(shop: Shop) -> None:
    document = shop.document
    arm = document.addObject("App::Part", "Arm")
    arm.addObject(shop.ball)
    copy = document.addObject("App::Link", "Copy")
    copy.LinkedObject = arm
    copy.Placement = Placement(Vector(5, 60, -9), Rotation(Vector(0, 1, 1), 50))
    document.recompute()
    with pytest.raises(asm.AssemblySolverError, match=r"several places.*Arm .ball.Face1.*Copy"):
        asf.mate([(shop.ball, "Face1"), shop.element("block Face6")])
    asf.ground(shop.block)
    one = asf.mate([(copy, "ball.Face1"), (arm, "ball.Face1")], "distance", value=17.0)
    asf.mate([(arm, "ball.Face1"), shop.element("block Vertex1")], "coincident")
    assert one.ElementNames == ["Face1 of ball", "Face1 of ball"]
    assert asf.selection_of(one) == [(copy, "ball.Face1"), (arm, "ball.Face1")]
    inside = shop.ball.Placement
    assert asf.solve(document)
    ends = [o.getSubObject("ball.Face1") for o in (copy, arm)]
    assert gap(*ends) == pytest.approx(17.0, abs=CLOSE)
    assert gap(ends[1], shop.shape("block Vertex1")) == pytest.approx(0.0, abs=CLOSE)
    assert shop.ball.Placement == inside == AWAY  # the containers moved


def test_planes_and_axes_of_an_origin_are_elements_too(shop: Shop) -> None:
    arm = shop.document.addObject("App::Part", "Arm")
    arm.Placement = AWAY
    shop.document.recompute()
    planes = {p.Role: p.Name for p in arm.Origin.OriginFeatures}
    asf.ground(shop.block)
    made = asf.mate([shop.element("block Face5"), (arm, f"Origin.{planes['XY_Plane']}.")])
    axis = asf.mate([shop.element("block bore"), (arm, f"Origin.{planes['X_Axis']}.")], "parallel")
    assert (made.MateKind, made.Sense, axis.ElementKinds) == (
        *("coplanar", "nearest"),
        ["hole", "line"],
    )
    asm_ = asf.read(shop.document).assembly
    features = asm_.parts["Arm"].features
    x, z = (features[f"Origin.{planes[k]}"].frame[9:] for k in ("X_Axis", "XY_Plane"))
    assert (x, z) == (pytest.approx((1, 0, 0)), pytest.approx((0, 0, 1)))


def test_a_part_that_is_grounded_and_moved_into_a_container_is_named(shop: Shop) -> None:
    asf.ground(shop.box)
    arm = shop.document.addObject("App::Part", "Arm")
    arm.addObject(shop.box)
    assert "Mates: box: box is grounded and is no part of it any more" in told(shop.document)


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [("distance", "Distance", 11.0), ("coplanar", "Offset", 5.0), ("angle", "Angle", 35.0)],
)
def test_driving_a_mate_with_a_value_changes_it_in_one_undo_step(
    shop: Shop, kind: str, key: str, value: float
) -> None:
    mate = asf.mate(shop.pick("block Face6", "box Face5"), kind, label="Gap")
    asf.solve(shop.document).require()
    before, steps = getattr(mate, key).Value, shop.document.UndoCount
    asf.drive(shop.document, "Gap", value).require()
    assert (getattr(mate, key).Value, shop.document.UndoCount) == (value, steps + 1)
    assert asf.diagnose(shop.document).mates[0].holds
    shop.document.undo()
    assert getattr(mate, key).Value == before != value


def test_what_no_mate_can_be_between_is_told(shop: Shop) -> None:
    for selection, said in (
        ([shop.pin, shop.box], r"pin alone is no element; give the pair \(pin, \"Face6\"\)"),
        ([(shop.pin, "Face1"), (shop.box, "Nix")], "there is no 'Nix' in box"),
        ([(shop.pin, "Face1"), (shop.document, "Face1")], "'Shop' is no object of a document"),
        ([(shop.pin, "Face1"), (shop.box, "")], "box is a whole object; choose a face"),
    ):
        with pytest.raises(asm.AssemblySolverError, match=said):
            asf.mate(selection)
    with pytest.raises(asm.AssemblySolverError, match="'Shop' is no object of a document"):
        asf.ground([shop.document])

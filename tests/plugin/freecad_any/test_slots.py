"""A pin in a slot, chosen by the two round ends of the slot and the pin."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import assembly_solver_freecad as asf
import Part
import pytest
from FreeCAD import Placement, Rotation, Vector
from shop import Shop, shop as shop

import assembly_solver as asm

CLOSE = 1e-8
"""mm, as in test_own_mates."""
AT = Placement(Vector(5, -8, 3), Rotation(Vector(1, -2, 1), 30))
ENDS, LENGTH = (Vector(20, 15, 0), Vector(50, 35, 0)), 1300.0**0.5


@pytest.fixture
def picked(shop: Shop) -> list[tuple[Any, str]]:
    """A plate with a slot of 10 mm across that runs aslant, and a pin of 8 mm."""
    across = Vector(-2, 3, 0).normalize() * 5
    corners = [ENDS[0] - across, ENDS[1] - across, ENDS[1] + across, ENDS[0] + across]
    bar = Part.Face(Part.makePolygon([*corners, corners[0]])).extrude(Vector(0, 0, 10))
    cut = bar.fuse([Part.makeCylinder(5, 10, end) for end in ENDS]).removeSplitter()
    plate = shop.add("plate", Part.makeBox(70, 50, 10).cut(cut), AT)
    asf.ground(plate)
    round_ = [
        (plate, f"Face{k}")
        for k, face in enumerate(plate.Shape.Faces, 1)
        if type(face.Surface).__name__ == "Cylinder"
    ]
    assert len(round_) == 2
    return [*round_, (shop.pin, "Face1")]


def seen(shop: Shop) -> tuple[float, float, float]:
    """Where the pin's axis is from the slot's middle: along, across and out of line, mm."""
    to_plate = AT.inverse().multiply(shop.pin.Placement)
    along = (ENDS[1] - ENDS[0]).normalize()
    off = to_plate.Base - 0.5 * (ENDS[0] + ENDS[1])
    axis = to_plate.Rotation.multVec(Vector(0, 0, 1))
    off -= axis * (off.z / axis.z)
    return off.dot(along), off.dot(Vector(0, 0, 1).cross(along)), Vector(axis.x, axis.y, 0).Length


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_slot_is_chosen_by_its_ends_and_its_pin_in_any_order(
    shop: Shop, picked: list[tuple[Any, str]], order: tuple[int, ...]
) -> None:
    selection = [picked[k] for k in order]
    found = asf.choices(selection)
    assert [choice.kind for choice in found[:2]] == ["slot", "pin_slot"]
    assert found[0].parameters == {"length": pytest.approx(LENGTH, abs=CLOSE)}
    made = asf.mate(selection, label="Groove")
    assert made.MateKind == "slot"
    asf.solve(shop.document).require()
    along, across, crooked = seen(shop)
    assert abs(along) <= LENGTH / 2 + CLOSE
    assert max(abs(across), crooked) < CLOSE


@pytest.mark.parametrize(("kind", "dof"), [("slot", 3), ("pin_slot", 2)])
def test_the_pin_goes_from_end_to_end_and_no_further(
    shop: Shop, picked: list[tuple[Any, str]], kind: str, dof: int
) -> None:
    asf.mate(picked, kind, label="Groove")
    found = asf.drive(shop.document, "Groove", 10.0, "length").require()
    along, across, crooked = seen(shop)
    assert (found.dof, abs(abs(along) - 10.0) < CLOSE) == (dof, True)
    assert max(abs(across), crooked) < CLOSE
    far = asf.drive(shop.document, "Groove", 18.1, "length")
    assert not far and "18.0278" in far.explanation


def test_ends_that_are_no_slot_are_told(shop: Shop, picked: list[tuple[Any, str]]) -> None:
    with pytest.raises(asm.AssemblySolverError, match="slot has no meaning for hole"):
        asf.mate([picked[0], (shop.block, "Face7"), picked[2]], "slot")

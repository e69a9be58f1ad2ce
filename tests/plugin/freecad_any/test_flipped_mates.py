"""Mates that are there: what they join, switched off and on, turned over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import Part  # noqa: F401  # registers the types of solids
import pytest
from assembly_solver_freecad.editing import suppressed, title

import assembly_solver as asm


@pytest.fixture
def document() -> Iterator[Any]:
    """A plate, and a lid on it face to face."""
    found = FreeCAD.newDocument("Flips")
    found.UndoMode = 1
    for name, height in (("Plate", 10), ("Lid", 4)):
        found.addObject("Part::Box", name).Height = height
    found.Lid.Placement.Base.z = 30
    found.recompute()
    asf.mate([(found.Plate, "Face6"), (found.Lid, "Face5")], "coplanar", "Seat")
    asf.solve(found).require()
    yield found
    FreeCAD.closeDocument(found.Name)


def up(document: Any) -> float:
    """Where the upper side of the lid looks to."""
    return float(document.Lid.Placement.Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z)


@pytest.mark.parametrize("sense", ["opposed", "nearest"])
def test_a_flipped_mate_turns_its_part_over_in_one_undo_step(document: Any, sense: str) -> None:
    seat = document.getObjectsByLabel("Seat")[0]
    seat.Sense = sense
    before, undo = up(document), document.UndoCount
    asf.flip(seat)
    assert (round(before, 9), round(up(document), 9)) == (1.0, -1.0)
    assert (str(seat.Sense), document.UndoCount - undo) == ("aligned", 1)
    asf.flip(seat)
    assert (round(up(document), 9), str(seat.Sense)) == (1.0, "opposed")
    document.undo()
    document.undo()
    assert (round(up(document), 9), str(seat.Sense)) == (1.0, sense)


def test_a_flip_that_the_others_do_not_let_changes_nothing(document: Any) -> None:
    asf.mate([(document.Plate, "Face1"), (document.Lid, "Face1")], "fixed", "Weld")
    asf.suppress(document.getObjectsByLabel("Seat")[0])
    asf.solve(document).require()
    asf.mate([(document.Plate, "Face2"), (document.Lid, "Face2")], "parallel", "Along")
    along, undo = document.getObjectsByLabel("Along")[0], document.UndoCount
    asf.solve(document).require()
    before, sense = document.Lid.Placement, str(along.Sense)
    with pytest.raises(asm.Unsolved, match="Along"):
        asf.flip(along)
    assert (document.Lid.Placement == before, str(along.Sense)) == (True, sense)
    assert document.UndoCount == undo


def test_a_mate_is_switched_off_and_on(document: Any) -> None:
    seat = document.getObjectsByLabel("Seat")[0]
    asf.suppress(seat)
    assert (suppressed(seat), [*asf.read(document).assembly.mates]) == (True, [])
    asf.suppress(seat, False)
    assert (suppressed(seat), [*asf.read(document).assembly.mates]) == (False, ["Seat"])
    with pytest.raises(asm.AssemblySolverError, match="Lid is no joint and no mate"):
        asf.suppress(document.Lid)


def test_a_mate_is_named_by_what_it_joins(document: Any) -> None:
    live = asf.read(document)
    assert [title(live, name) for name in live.joints] == ["Plate - Lid (Seat)"]
    document.getObjectsByLabel("Seat")[0].Label = "Lid on Plate"
    assert [title(asf.read(document), n) for n in ("Lid on Plate",)] == ["Lid on Plate"]

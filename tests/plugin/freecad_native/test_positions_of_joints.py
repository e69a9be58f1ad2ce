"""Positions of FreeCAD's own joints: kept in a property of their assembly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, Bench, all_numbers, seen, turned

import assembly_solver as asm


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench("Positions")
    made.ground(made.box("Base"))
    for name in ("Door", "Drawer"):
        made.box(name, (15, 25, 8)).Placement = AWRY
    yield made
    FreeCAD.closeDocument(made.document.Name)


def test_a_position_of_native_joints_is_taken_again_from_the_saved_document(
    bench: Bench, tmp_path: Path
) -> None:
    hinge = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Door.Face6 Door.Vertex7", "Hinge")
    slide = bench.joint("Slider", "Base.Face2 Base.Vertex7", "Drawer.Face2 Drawer.Vertex7", "Way")
    document, assembly = bench.document, bench.assembly
    asf.drive(document, "Hinge", 40, holding={"Way": 12}).require()
    there = all_numbers(document)
    document.recompute()
    asf.keep_position(assembly, "open")
    assert "Touched" not in assembly.State
    values = json.loads(assembly.Positions)["open"]["values"]
    assert {k: round(v, 9) for k, v in values.items()} == {
        f"{hinge.Name}.angle": 40.0,
        f"{slide.Name}.length": 12.0,
    }
    asf.drive(document, "Hinge", 0, holding={"Way": 0}).require()
    assert max(abs(turned(hinge)), abs(seen(slide).Base.z)) < 1e-8  # degrees, mm
    file = tmp_path / "Positions.FCStd"
    document.saveCopy(str(file))
    stored = asm.read(file)  # as commands do, without FreeCAD
    assert stored.positions["open"].values == asf.positions(document)["open"].values
    again = FreeCAD.openDocument(str(file))
    try:
        assert asf.take_position(again, "open")
        found = all_numbers(again)
    finally:
        FreeCAD.closeDocument(again.Name)
    off = [abs(a - b) for n in there for a, b in zip(found[n], there[n], strict=True)]
    assert max(off) < 1e-8


def test_a_snapshot_is_kept_as_a_position(bench: Bench) -> None:
    """Objects as FreeCAD 1.2 makes them, but in a plain group: 1.0 has no type for theirs."""
    hinge = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Door.Face6 Door.Vertex7", "Hinge")
    bench.joint("Slider", "Base.Face2 Base.Vertex7", "Drawer.Face2 Drawer.Vertex7", "Way")
    document = bench.document
    asf.drive(document, "Hinge", 40, holding={"Way": 12}).require()
    with pytest.raises(Exception, match="no one snapshot 'Snapshot'; there is none in it"):
        asf.keep_snapshot(document, "Snapshot")
    group = bench.assembly.newObject("App::DocumentObjectGroup", "Snapshots")
    made = document.addObject("App::FeaturePython", "Snapshot")
    made.addProperty("App::PropertyString", "CapturedState", "Snapshot", "")
    made.CapturedState = json.dumps({o.Name: _state(o) for o in (document.Door, document.Drawer)})
    group.addObject(made)
    asf.drive(document, "Hinge", 0, holding={"Way": 0}).require()
    kept = asf.keep_snapshot(document, "Snapshot")
    assert {k: round(v, 6) for k, v in kept.values.items()} == {
        "Hinge.angle": 40.0,
        "Way.length": 12.0,
    }
    assert abs(turned(hinge)) < 1e-8  # nothing was moved
    assert asf.take_position(document, "Snapshot") and abs(turned(hinge) - 40.0) < 1e-6
    made.CapturedState = "{"
    with pytest.raises(Exception, match="it is no snapshot as FreeCAD writes them"):
        asf.keep_snapshot(document, "Snapshot")


def _state(part: Any) -> dict[str, Any]:
    """The state of a part in a snapshot."""
    where = part.Placement
    placed = {"pos": list(where.Base), "rot": list(where.Rotation.Q)}
    return {"placement": placed, "visibility": True}

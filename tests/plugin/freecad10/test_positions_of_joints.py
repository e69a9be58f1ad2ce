"""Positions of FreeCAD's own joints: kept in a property of their assembly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, Bench, all_numbers, seen, turned


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
    again = FreeCAD.openDocument(str(file))
    try:
        assert asf.take_position(again, "open")
        found = all_numbers(again)
    finally:
        FreeCAD.closeDocument(again.Name)
    off = [abs(a - b) for n in there for a, b in zip(found[n], there[n], strict=True)]
    assert max(off) < 1e-8

"""The solids inside a FreeCAD file, in the frames of the parts, as the viewer draws them."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from freecad_files import Thing, assembly, at, document, group, joint, link, matrix, shaped, solid

import assembly_solver as asm
from assembly_solver.report.viewer import part_shapes

cq = pytest.importorskip("cadquery")

SIZES = {"Base": (10, 20, 30), "Lid": (4, 5, 6), "Knob": (1, 2, 3), "Hidden": (99, 99, 99)}
PLACES = {
    "Base": at(1, 2, 3),
    "Lid": at(7, -8, 9, axis=(1, 2, 3), angle=40),
    "Knob": at(0, 0, 12, axis=(0, 1, 0), angle=90),
    "Hidden": at(5, 5, 5),
    "Cart": at(100, 0, 0, axis=(0, 0, 1), angle=30),
    "Twin": at(0, 60, 0, axis=(1, 0, 0), angle=90),
}


def brep(name: str) -> bytes:
    """A box from its corner at the origin, located as its object is."""
    (x, y, z), axis, angle = PLACES[name]
    box = cq.Workplane().box(*SIZES[name], centered=False).val()
    out = BytesIO()
    box.located(cq.Location((x, y, z), tuple(axis), angle)).exportBrep(out)
    return out.getvalue()


def things() -> list[Thing]:
    """A base, a part with a visible knob and a hidden block, a link to a lid, all jointed."""
    boxes = {name: shaped(solid(name, PLACES[name])) for name in SIZES}
    boxes["Hidden"].properties["Visibility"] = '<Bool value="false"/>'
    cart = group("App::Part", "Cart", ["Knob", "Hidden"], PLACES["Cart"])
    twin = link("Twin", "Lid", PLACES["Twin"])
    inside = [boxes["Base"], cart, twin]
    joints = [joint("Distance", "Base.Face1", "Cart.Knob.Face1", Distance=0.0)]
    return [*assembly(inside, joints), boxes["Knob"], boxes["Hidden"], boxes["Lid"]]


@pytest.fixture
def read(tmp_path: Path) -> asm.Assembly:
    path = tmp_path / "cart.FCStd"
    with ZipFile(path, "w") as archive:
        archive.writestr("Document.xml", document(things()))
        for name in SIZES:
            archive.writestr(f"{name}.brp", brep(name))
    return asm.read(path)


def corners(name: str) -> Any:
    signs = np.array(np.meshgrid(*([(0, 1)] * 3))).T.reshape(-1, 3)
    return signs * SIZES[name]


def moved(points: Any, *names: str) -> Any:
    for name in reversed(names):
        frame = matrix(PLACES[name])
        points = points @ frame[:3, :3].T + frame[:3, 3]
    return points


def box(points: Any) -> Any:
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_parts_are_drawn_by_their_solids_where_they_stand(read: asm.Assembly) -> None:
    shapes, note = part_shapes.shapes_of(read, 100.0)
    wanted = {
        "Base": moved(corners("Base"), "Base"),
        "Cart": moved(corners("Knob"), "Cart", "Knob"),
        "Twin": moved(corners("Lid"), "Twin"),
    }
    assert shapes.keys() == wanted.keys() and note == ""
    for name, points in wanted.items():
        drawn = shapes[name].moved(read.parts[name].pose.frame).corners
        assert box(drawn) == pytest.approx(box(points), abs=1e-9)
        assert len(shapes[name].triangles) == 12 and len(shapes[name].edges) == 24


def test_without_cadquery_features_are_drawn_and_it_is_said(
    read: asm.Assembly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cadquery", None)
    _, note = part_shapes.shapes_of(read, 100.0)
    assert note.startswith("Parts are drawn by their features; their solids need: pip install")
    _, note = part_shapes.shapes_of(read, 100.0, solid=False)
    assert note == "Parts without geometry are drawn by their features."


def test_a_solid_that_is_not_in_the_file_leaves_the_part_to_its_features(
    read: asm.Assembly, tmp_path: Path
) -> None:
    with ZipFile(tmp_path / "cart.FCStd", "w") as archive:
        archive.writestr("Document.xml", document(things()))
        for name in ("Base", "Lid"):
            archive.writestr(f"{name}.brp", brep(name))
    shapes, note = part_shapes.shapes_of(read, 100.0)
    assert note == "Parts without geometry are drawn by their features."
    assert len(shapes["Base"].triangles) == len(shapes["Twin"].triangles) == 12


def test_a_file_that_is_gone_or_changed_leaves_features(read: asm.Assembly, tmp_path: Path) -> None:
    (tmp_path / "cart.FCStd").write_bytes(b"no zip")
    assert part_shapes.stored_solids(read) == {}
    (tmp_path / "cart.FCStd").unlink()
    assert part_shapes.stored_solids(read) == {}
    asm.write(read, tmp_path / "cart.assembly.json")
    assert part_shapes.stored_solids(asm.read(tmp_path / "cart.assembly.json")) == {}

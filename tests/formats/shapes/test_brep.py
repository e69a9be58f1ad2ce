"""Kinds, radii and numbers of faces and edges, against OpenCASCADE reading the same text."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from facts import original, originals
from freecad_files import CURVES, SURFACES, VERTEX, brep, element

from assembly_solver.errors import FormatError
from assembly_solver.formats.shapes.brep import Solid

pytestmark = pytest.mark.quick

RADII = {"cylinder": 2.0, "sphere": 3.0, "circle": 1.5}


def test_elements_of_a_shape_made_by_hand_have_their_kinds_radii_and_frames() -> None:
    solid = Solid(brep(), "Shape.brp")
    own = (0, 0, 0, *np.eye(3).ravel())
    for kind in (*SURFACES, *CURVES):
        said = {"extruded": "other", "ellipse": "other"}.get(kind, kind)
        frame = () if said == "other" else own
        assert solid.element(element(kind)) == (said, RADII.get(kind, 0.0), frame)
    assert solid.element("Vertex1") == ("vertex", 0.0, (*VERTEX, *own[3:]))
    with pytest.raises(FormatError, match=r"^Shape\.brp: 'Wire1' names no face, edge or vertex"):
        solid.element("Wire1")
    with pytest.raises(FormatError, match=r"there is no Vertex2, only 1"):
        solid.element("Vertex2")


def test_a_place_is_told_of_elements_but_not_of_the_whole() -> None:
    """A quarter turn about x and (1, 2, 3), once, undone and squared; the whole is at it too."""
    turned = "1\n1 0 0 1\n0 0 -1 2\n0 1 0 3\n"
    places = f"Locations 3\n{turned}2 1 -1 0\n2 1 2 0\n"
    text = brep().replace("Locations 0\n", places).replace("+1 0 ", "+1 1 ")
    once, undone, twice = (
        Solid(text.replace("+11 0 +10 0", f"+11 {k} +10 0"), "Shape.brp").element("Face1")
        for k in (1, 2, 3)
    )
    x = (1.0, 0.0, 0.0)
    assert once.frame == (1, 2, 3, *x, 0, 0, 1, 0, -1, 0)
    assert undone.frame == (-1, -3, 2, *x, 0, 0, -1, 0, 1, 0)
    assert twice.frame == (2, -1, 5, *x, 0, -1, 0, 0, 0, -1)
    assert Solid(text, "Shape.brp").element("Face1").frame[:3] == (0, 0, 0)


def test_elements_of_a_scaled_shape_are_refused() -> None:
    text = brep().replace("Locations 0\n", "Locations 1\n1\n2 0 0 0\n0 2 0 0\n0 0 2 0\n")
    solid = Solid(text.replace("+11 0 +10 0", "+11 1 +10 0"), "Shape.brp")
    with pytest.raises(FormatError, match=r"Face1: its location: no rotation: .* by 100 % \("):
        solid.element("Face1")


def test_locations_that_are_nearly_rotations_mean_the_nearest_one() -> None:
    """A quarter turn about x, scaled by 1.0005: the plane of Face1 has its normal along -y."""
    turned = "1\n1.0005 0 0 1\n0 0 -1.0005 2\n0 1.0005 0 3\n"
    text = brep().replace("Locations 0\n", f"Locations 1\n{turned}")
    found = Solid(text.replace("+11 0 +10 0", "+11 1 +10 0"), "Shape.brp").element("Face1")
    assert found.frame == (1, 2, 3, 1, 0, 0, 0, 0, 1, 0, -1, 0)


@pytest.mark.parametrize("letter", "+-ie")
def test_parts_of_a_shape_are_found_in_every_orientation(letter: str) -> None:
    turned = brep().replace("+11 0 +10 0", f"{letter}11 0 {letter}10 0")
    assert turned.count(f"{letter}11 0") == 1
    plain, other = (Solid(text, "Shape.brp") for text in (brep(), turned))
    assert other.element("Face2") == plain.element("Face2")
    with pytest.raises(FormatError, match="'x11' names no part of a shape"):
        Solid(brep().replace("+11 0", "x11 0"), "Shape.brp")


def test_shapes_with_internal_and_external_edges_are_read_as_opencascade_does(
    tmp_path: Path,
) -> None:
    """A face, an edge that borders nothing inside it, and one outside."""
    pytest.importorskip("OCP", reason="needs cadquery")
    from OCP.BRep import BRep_Builder
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.BRepTools import BRepTools
    from OCP.gp import gp_Pnt
    from OCP.TopAbs import TopAbs_EXTERNAL, TopAbs_FACE, TopAbs_INTERNAL
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS_Compound

    builder, whole = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(whole)
    face = TopExp_Explorer(BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Shape(), TopAbs_FACE).Current()
    for x, orientation in ((5.0, TopAbs_INTERNAL), (40.0, TopAbs_EXTERNAL)):
        edge = BRepBuilderAPI_MakeEdge(gp_Pnt(0, x, 1), gp_Pnt(0, x, 9)).Edge()
        builder.Add(whole, edge.Oriented(orientation))
    builder.Add(whole, face)
    file = tmp_path / "marks.brp"
    BRepTools.Write_s(whole, str(file))
    parts = file.read_text().split("Co\n")[-1]
    assert ("i" in parts, "e" in parts) == (True, True)
    assert compared(file) == 1 + 6


def compared(file: Path) -> int:
    """Faces, edges and vertices of a file that are what OpenCASCADE says; asserts that all are."""
    pytest.importorskip("OCP", reason="needs cadquery")
    from OCP import GeomAbs
    from OCP.BRep import BRep_Builder, BRep_Tool
    from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
    from OCP.BRepTools import BRepTools
    from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_VERTEX
    from OCP.TopExp import TopExp
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS, TopoDS_Shape
    from OCP.TopTools import TopTools_IndexedMapOfShape

    whole = TopoDS_Shape()
    BRepTools.Read_s(whole, str(file), BRep_Builder())
    whole.Location(TopLoc_Location())
    solid = Solid(file.read_text(), file.name)
    faces, edges = ("Plane", "Cylinder", "Cone", "Sphere", "Torus"), ("Line", "Circle")
    ways: list[Any] = [
        ("Face", TopAbs_FACE, faces, lambda s: BRepAdaptor_Surface(TopoDS.Face_s(s))),
        ("Edge", TopAbs_EDGE, edges, lambda s: BRepAdaptor_Curve(TopoDS.Edge_s(s))),
    ]
    count = 0
    for word, kind, known, adapt in ways:
        kinds = {getattr(GeomAbs, f"GeomAbs_{name}"): name for name in known}
        shapes = TopTools_IndexedMapOfShape()
        TopExp.MapShapes_s(whole, kind, shapes)
        for k in range(1, shapes.Extent() + 1):
            surface = adapt(shapes.FindKey(k))
            name = kinds.get(surface.GetType(), "other")
            round_ = name in ("Cylinder", "Sphere", "Circle")
            radius = getattr(surface, name)().Radius() if round_ else 0.0
            found = solid.element(f"{word}{k}")
            assert found.kind == name.lower()
            assert found.radius == pytest.approx(radius, rel=1e-14)  # rounding of its own
            if name != "other":
                carrier = getattr(surface, name)()
                axis = carrier.Position()
                np.testing.assert_allclose(found.frame[:3], xyz(axis.Location()), atol=1e-12)
                np.testing.assert_allclose(found.frame[9:], xyz(axis.Direction()), atol=1e-14)
            count += 1
        with pytest.raises(FormatError, match=f"there is no {word}{k + 1}"):
            solid.element(f"{word}{k + 1}")
    corners = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(whole, TopAbs_VERTEX, corners)
    for k in range(1, corners.Extent() + 1):
        at = xyz(BRep_Tool.Pnt_s(TopoDS.Vertex_s(corners.FindKey(k))))
        np.testing.assert_allclose(solid.element(f"Vertex{k}").frame[:3], at, atol=1e-12)
    return count


def xyz(found: Any) -> tuple[float, float, float]:
    return (found.X(), found.Y(), found.Z())


@originals
def test_freecads_own_solids_are_read_as_opencascade_reads_them(tmp_path: Path) -> None:
    with ZipFile(original("cases", "fcstd", "AssemblyExample.FCStd")) as archive:
        counts = {}
        for name in ("Shape.Shape.brp", "Shape015.Shape.brp"):
            (tmp_path / name).write_bytes(archive.read(name))
            counts[name] = compared(tmp_path / name)
    # an edge between two faces counts once, also where places are products of several motions
    assert counts == {"Shape.Shape.brp": 31 + 87, "Shape015.Shape.brp": 97 + 247}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_splines_extrusions_and_copies_in_every_version_of_the_format(
    version: int, tmp_path: Path
) -> None:
    cq = pytest.importorskip("cadquery")
    from OCP.BRepTools import BRepTools
    from OCP.TopTools import TopTools_FormatVersion

    box = cq.Workplane().box(5, 5, 5).edges().fillet(0.7)
    twisted = cq.Workplane().polyline([(0, 0), (3, 1), (4, 4)]).close().twistExtrude(5, 40)
    copies = [
        cq.Workplane().ellipse(3, 2).extrude(4).val().moved(cq.Location((9 * k, 0, 0)))
        for k in range(3)
    ]
    whole = cq.Compound.makeCompound([box.val(), twisted.val(), *copies])
    file = tmp_path / "whole.brp"
    wanted = list(TopTools_FormatVersion.__members__.values())[version - 1]
    BRepTools.Write_s(whole.wrapped, str(file), True, False, wanted)
    assert f"V{version}," in file.read_text()[:80]
    # the box has 26 faces and 48 edges, and 8 of no length at its round corners
    assert compared(file) == 26 + 56 + 5 + 9 + 3 * (3 + 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\nTShapes 2\n",
        brep().replace("TShapes 11", "TShapes 12"),
        brep().replace("+11 0", "+1 0"),
        brep().replace("Locations 0", "Locations 1\n2 1 1 0"),
        brep().replace("Locations 0", "Locations 2\n1 " + "0 " * 12 + "\n2 1 99999999 0"),
    ],
)
def test_a_text_that_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^Shape\.brp: the geometry cannot be read"):
        Solid(text, "Shape.brp")


def doubled(places: str) -> str:
    """A face in a compound twice, at two places, that compound in one twice, 40 times over."""
    moved = "1\n1 0 0 1\n0 1 0 0\n0 0 1 0\n"
    rows = [f"\nLocations 2\n{moved}{moved}Surfaces 1\n{SURFACES['plane']}\nTShapes 42\n"]
    rows.append("Fa\n0  1e-07 1 0\n\n0101000\n*\n")
    one, two = places
    for k in range(41):
        parts = f"+{42 - k} {one} +{42 - k} {two}"
        rows.append(f"Co\n\n1100000\n{parts} *\n")
    return "".join(rows)


def test_a_shape_that_holds_itself_twice_over_again_and_again_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assembly_solver.formats.shapes.brep.MOST", 10_000)
    with pytest.raises(FormatError, match="too many parts"):
        Solid(doubled("12"), "Shape.brp")


def test_a_shape_that_is_met_again_at_the_same_place_counts_once() -> None:
    solid = Solid(doubled("11"), "Shape.brp")
    assert solid.element("Face1").frame[:3] == (41, 0, 0)
    with pytest.raises(FormatError, match="there is no Face2, only 1"):
        solid.element("Face2")

"""Picking features of solids: what faces and edges are, selectors, and files that use them."""

from __future__ import annotations

import json
from math import atan, degrees, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.errors import BadValue, FeatureTypeError, FormatError, UnknownName
from assembly_solver.formats.native.schema import schema
from assembly_solver.formats.shapes.offers import inventory
from assembly_solver.formats.shapes.picks import fitting
from assembly_solver.formats.shapes.selecting import pick, pick_in_file, shape_in
from assembly_solver.model.curve import Curve
from assembly_solver.model.feature import Axis, Cone, Frame, Plane, Point, Sphere, Torus

cq = pytest.importorskip("cadquery")

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def plate() -> Any:
    """60 x 40 x 10 about the origin: three holes of radius 4 along x, one of 2 beside them."""
    top = cq.Workplane().box(60, 40, 10).faces(">Z").workplane()
    holes = top.pushPoints([(-20, 0), (0, 0), (20, 0)]).hole(8)
    return holes.faces(">Z").workplane(origin=(10, 10, 5)).hole(4)


# --------------------------------------------------------------------------------- what things are
def test_the_top_face_is_a_plane_with_its_normal_out_of_the_material(plate: Any) -> None:
    for select, normal in (("faces@>Z", (0, 0, 1)), ("faces@<X", (-1, 0, 0))):
        face = pick(plate, select).feature
        assert isinstance(face, Plane) and face.normal == pytest.approx(normal, abs=1e-15)


def test_a_hole_is_an_axis_with_a_radius_whose_point_is_in_the_middle_of_its_depth(
    plate: Any,
) -> None:
    found = pick(plate, "faces@%CYLINDER@radius=2")
    assert (found.kind, found.count, found.radius) == ("hole", 1, 2.0)
    assert isinstance(found.feature, Axis) and found.feature.radius == 2.0
    assert found.feature.point == pytest.approx((10, 10, 0), abs=1e-12)
    assert found.size == pytest.approx(2 * pi * 2 * 10, rel=1e-12)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_sense_of_an_axis_does_not_depend_on_how_it_was_modelled(plate: Any, turn: int) -> None:
    turned = plate.rotate((0, 0, 0), (1, 0, 0), turn)
    for select in ("faces@%CYLINDER@radius=2", "edges@%CIRCLE@radius=2@>Y@>Z"):
        way = pick(turned, select).feature.frame[9:]
        assert max(way) == pytest.approx(1, abs=1e-15)


def test_a_pin_is_no_hole_and_both_halves_of_a_split_one_are_one() -> None:
    half = cq.Workplane().circle(3).extrude(20)
    pin = half.cut(cq.Workplane().box(9, 9, 2).translate((0, 0, 10)))
    found = pick(pin, "faces@%CYLINDER")
    assert (found.kind, found.count) == ("cylinder", 2)
    assert found.feature.frame[:3] == pytest.approx((0, 0, 10), abs=1e-12)


def test_a_mirrored_hole_is_a_hole_still() -> None:
    bracket = cq.Workplane().box(10, 10, 10).faces(">Z").workplane(origin=(3, 1, 5)).hole(2)
    mirrored = pick(bracket.mirror("YZ"), "faces@%CYLINDER")
    assert mirrored.kind == "hole"
    assert mirrored.feature.frame[:3] == pytest.approx((-3, 1, 0), abs=1e-12)
    top = pick(bracket.mirror("XY"), "faces@>Z").feature
    assert isinstance(top, Plane) and top.normal == pytest.approx((0, 0, 1), abs=1e-15)


def test_cones_lead_from_their_apex_into_themselves_whichever_way_they_are_modelled() -> None:
    for radii, apex, way in (((5, 2), (0, 0, 10), -1), ((2, 5), (0, 0, -4), 1), ((0, 3), None, 1)):
        cone = pick(cq.Solid.makeCone(*radii, 6), "faces@%CONE").feature
        assert isinstance(cone, Cone)
        assert cone.point == pytest.approx(apex or (0, 0, 0), abs=1e-12)
        assert cone.direction == pytest.approx((0, 0, way), abs=1e-15)
        assert cone.angle == pytest.approx(degrees(atan(0.5)), rel=1e-12)


def test_spheres_tori_circles_lines_and_vertices_are_read_with_their_sizes() -> None:
    ball = pick(cq.Workplane().sphere(3), "faces").feature
    assert ball == Sphere((0.0, 0.0, 0.0), radius=3.0)
    ring = pick(cq.Solid.makeTorus(5, 2), "faces").feature
    assert isinstance(ring, Torus) and (ring.radius, ring.tube) == (5.0, 2.0)
    drum = cq.Workplane().circle(10).extrude(5)
    circle = pick(drum, "edges@>Z")
    assert (circle.kind, circle.radius) == ("circle", 10.0)
    assert isinstance(circle.feature, Axis) and circle.feature.radius is None
    assert circle.reading(Point) == Point((0.0, 0.0, 5.0))
    box = cq.Workplane().box(2, 4, 6)
    line = pick(box, "edges@|Z and >X and >Y").feature
    assert isinstance(line, Axis) and line.point == pytest.approx((1, 2, 0))
    corner = pick(box, "vertices@>X and >Y and >Z")
    assert corner.feature == Point((1.0, 2.0, 3.0))
    assert pick(box, "solids").feature.frame[:3] == pytest.approx((0, 0, 0), abs=1e-12)


def test_a_planar_face_that_is_stored_as_a_spline_is_a_plane() -> None:
    """As many STEP files have them."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

    box = cq.Workplane().box(2, 4, 6).val()
    splines = cq.Shape.cast(BRepBuilderAPI_NurbsConvert(box.wrapped).Shape())
    found = pick(splines, "faces@>X")
    assert found.kind == "plane"
    assert isinstance(found.feature, Plane)
    assert found.feature.normal == pytest.approx((1, 0, 0), abs=1e-9)


def test_a_part_that_stands_elsewhere_in_its_shape_is_read_where_it_stands() -> None:
    moved = cq.Workplane().box(2, 4, 6).val().moved(cq.Location((7, 0, 0), (0, 1, 0), 90))
    top = pick(moved, "faces@>X").feature
    assert isinstance(top, Plane) and top.point == pytest.approx((10, 0, 0), abs=1e-9)
    assert top.normal == pytest.approx((1, 0, 0), abs=1e-12)


@pytest.mark.parametrize("turn", [0, 35, 180])
def test_angles_about_what_is_picked_count_from_the_x_of_the_part(turn: int) -> None:
    """However its round faces were drawn: the seam of a cylinder is anywhere."""
    turned = cq.Plane((5, 0, 0), xDir=(1, 0, 0), normal=(0, 0, 1)).rotated((0, 0, turn))
    disc = cq.Workplane(turned).circle(9).circle(4).extrude(6).edges(">Z").chamfer(1)
    for select in ("faces@radius=4", "faces@%CONE@>>Z[-1]", "faces@>Z", "edges@radius=4@<Z"):
        for reading in pick(disc, select).readings[:2]:
            assert reading.frame[3:6] == pytest.approx((1, 0, 0), abs=1e-15), select
    along = pick(cq.Workplane("YZ").circle(4).extrude(6), "faces@%CYLINDER").feature
    assert along.frame[3:6] == pytest.approx((0, 1, 0), abs=1e-15)  # y where x is along it


def test_wires_are_curves_exact_where_straight_and_followed_closely_where_bent() -> None:
    straight = pick(cq.Workplane().rect(4, 5).val()).reading(Curve)
    assert isinstance(straight, Curve)
    assert (len(straight.points), straight.closed) == (4, True)
    assert straight.length == pytest.approx(18.0, rel=1e-14)
    circle = pick(cq.Workplane().circle(10).extrude(5), "edges@>Z").reading(Curve)
    assert isinstance(circle, Curve) and circle.closed and circle.smooth
    knots = np.array(circle.points)
    assert np.hypot(knots[:, 0], knots[:, 1]) == pytest.approx(10.0, abs=1e-12)
    assert circle.length == pytest.approx(20 * pi, abs=1e-3)  # keeps within 1e-4 mm of it


def test_a_wire_of_lines_and_arcs_is_followed_and_one_with_a_corner_is_a_plane_only() -> None:
    """A track: its length to what a curve 1e-4 mm off it may be longer, and its points on it."""
    track = pick(cq.Workplane().rect(400, 200).extrude(5).edges("|Z").fillet(10), "faces@>Z@wires")
    curve = track.reading(Curve)
    assert isinstance(curve, Curve) and curve.closed
    assert curve.length == pytest.approx(2 * (380 + 180) + 20 * pi, abs=1e-3)
    x, y = np.abs(np.array(curve.points)[:, :2]).T
    outside = np.hypot(np.maximum(x - 190, 0), np.maximum(y - 90, 0))
    assert outside == pytest.approx(10.0, abs=1e-9)
    cut = cq.Workplane().moveTo(0, -10).threePointArc((10, 0), (0, 10)).close()
    assert isinstance(pick(cut.wires().val()).feature, Plane)


# -------------------------------------------------------------------------------------- selectors
def test_selectors_follow_each_other_and_go_on_to_the_edges_of_faces(plate: Any) -> None:
    assert pick(plate, "faces@%CYLINDER@>X").feature.frame[0] == pytest.approx(20)
    assert pick(plate, "faces@%CYLINDER@radius=4@>>X[1]").feature.frame[0] == pytest.approx(0)
    circle = pick(plate, "faces@<Z@edges@%CIRCLE@radius=4@<X")
    assert circle.feature.frame[:3] == pytest.approx((-20, 0, -5), abs=1e-12)


@pytest.mark.parametrize(
    ("select", "error", "words"),
    [
        ("faces@%CYLINDER", FormatError, "picks 4 things that are not one: hole of radius 4 mm"),
        ("faces@%CONE", FormatError, "'faces@%CONE' picks nothing"),
        ("faces@>Z[7]", FormatError, "picks nothing"),
        ("faces@upwards", BadValue, "'upwards' is not possible here, it must be a selector"),
        ("faces@radius=big", BadValue, "a radius in mm"),
        ("face@>Z", UnknownName, "no kind of selector 'face'; did you mean 'faces'?"),
    ],
)
def test_what_picks_nothing_or_not_one_thing_is_an_error_with_its_place(
    plate: Any, select: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        pick(plate, select, "parts.plate.features.pin")
    assert words in str(caught.value)
    assert str(caught.value).startswith("parts.plate.features.pin: ")


@pytest.mark.parametrize(
    ("select", "told"),
    [
        ("faces@%CYLINDER", "faces@%CYLINDER@radius=2"),
        ("faces@>Z or <Z", "faces@>Z or <Z@>Z"),
        ("faces@%CYLINDER@radius=4", "faces@%CYLINDER@radius=4@>X"),
    ],
)
def test_of_several_things_the_error_tells_a_selector_that_picks_one(
    plate: Any, select: str, told: str
) -> None:
    with pytest.raises(FormatError) as caught:
        pick(plate, select)
    assert str(caught.value).endswith(f"pick one of them, as {told}")
    assert pick(plate, told).words in str(caught.value) or pick(plate, told).count == 1


@pytest.mark.parametrize("name", ["bad_lid/box", "four_bar/ground", "slider_crank/crankshaft"])
@pytest.mark.parametrize("kind", ["faces", "edges"])
def test_every_offered_selector_picks_the_thing_that_it_was_offered_for(
    name: str, kind: str
) -> None:
    shape = shape_in(SAMPLES / f"{name}.step", "part")
    offered = inventory(shape, kind)
    assert len({select for select, _ in offered}) == len(offered)
    for select, wanted in offered if kind == "faces" else offered[::5]:
        assert pick(shape, select).joined(wanted) is not None, select


# -------------------------------------------------------------------- which reading a mate takes
@pytest.mark.parametrize(
    ("kind", "a", "b", "types"),
    [
        ("coaxial", "faces@%CYLINDER@radius=2", "faces@%CYLINDER@>X", (Axis, Axis)),
        ("coplanar", "faces@>Z", "faces@<Z", (Plane, Plane)),
        ("coincident", "vertices@>X and >Y and >Z", "faces@>Z", (Point, Frame)),
        ("fixed", "faces@>Z", "faces@<Z", (Frame, Frame)),
        ("revolute", "faces@%CYLINDER@>X", "faces@%CYLINDER@<X", (Axis, Axis)),
        ("point_on_line", "vertices@>X and >Y and >Z", "faces@%CYLINDER@<X", (Point, Axis)),
        ("path", "edges@%CIRCLE@radius=2@>Z", "vertices@>X and >Y and >Z", (Curve, Point)),
        ("distance", "faces@>Z", "vertices@>X and >Y and >Z", (Plane, Point)),
    ],
)
def test_a_mate_takes_the_likeliest_reading_that_it_has_a_meaning_for(
    plate: Any, kind: str, a: str, b: str, types: tuple[type, type]
) -> None:
    found = fitting(asm.MATES[kind], pick(plate, a), pick(plate, b), kind)
    assert (type(found[0]), type(found[1])) == types


def test_a_pair_that_no_reading_fits_is_named(plate: Any) -> None:
    corner, top = pick(plate, "vertices@>X and >Y and >Z"), pick(plate, "faces@>Z")
    with pytest.raises(FeatureTypeError, match=r"vertex at \(30, 20, 5\) is of type Point"):
        fitting(asm.MATES["coaxial"], corner, top, "mates.pin")


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("edges@%CIRCLE@radius=2@>Z", "circle of radius 2 mm at (10, 10, 5) is of type circle"),
        ("solids", "solid at"),
        ("faces@>Z@wires@>Z", "is of type wire"),
    ],
)
def test_nothing_is_tangent_to_what_is_read_as_its_centre_or_axis_only(
    select: str, words: str
) -> None:
    top = cq.Workplane().box(60, 40, 10).edges("|Z").fillet(3).faces(">Z").workplane()
    solid = top.center(10, 10).hole(4)
    ball = pick(cq.Workplane().sphere(3), "faces")
    chosen = "faces@>Z@wires@>>X[0]" if "wires" in select else select
    with pytest.raises(FeatureTypeError) as caught:
        fitting(asm.MATES["tangent"], pick(solid, chosen), ball, "mates.touch")
    assert words in str(caught.value) and str(caught.value).startswith("mates.touch.a: tangent: ")
    with pytest.raises(FeatureTypeError):
        fitting(asm.MATES["distance"], ball, pick(solid, chosen), "gap", surfaces=True)
    fitting(asm.MATES["distance"], ball, pick(solid, "edges@%CIRCLE@radius=2@>Z"), "gap")


def test_nothing_is_tangent_to_the_middle_of_a_free_form_face() -> None:
    drawn = cq.Workplane().moveTo(0, 0).spline([(10, 5), (20, 0), (30, 10)]).lineTo(30, -10)
    solid = drawn.lineTo(0, -10).close().extrude(4)
    ball = pick(cq.Workplane().sphere(3), "faces")
    words = "extrusion surface, it must be plane or cylinder or cone or sphere or torus or line or"
    with pytest.raises(FeatureTypeError, match=words):
        fitting(asm.MATES["tangent"], pick(solid, "faces@not %PLANE"), ball, "mates.touch")


# ------------------------------------------------------------------------------------------ files
def _file(folder: Path, plate: Any, features: dict[str, Any], **part: Any) -> Path:
    """An assembly of a plate with its geometry and these features."""
    cq.exporters.export(plate, str(folder / "plate.step"))
    tree = {
        "format": "assembly-solver/1",
        "parts": {"plate": {"geometry": "plate.step", "features": features, **part}},
    }
    path = folder / "plate.assembly.json"
    path.write_text(json.dumps(tree))
    return path


def test_a_file_picks_features_of_its_geometry_and_is_written_as_it_was_given(
    tmp_path: Path, plate: Any
) -> None:
    features = {
        "pin": {"select": "faces@%CYLINDER@radius=2"},
        "seat": {"select": "faces@>Z", "as": "frame"},
        "tip": {"point": [1, 2, 3]},
    }
    assembly = asm.read(_file(tmp_path, plate, features))
    known = assembly.parts["plate"].features
    assert isinstance(known["pin"], Axis) and known["pin"].radius == pytest.approx(2, rel=1e-12)
    assert isinstance(known["seat"], Frame)
    asm.write(assembly, tmp_path / "again.assembly.json")
    tree = json.loads((tmp_path / "again.assembly.json").read_text())
    assert tree["parts"]["plate"]["features"] == features
    assert asm.read(tmp_path / "again.assembly.json").parts == assembly.parts


def test_the_schema_takes_what_the_reader_takes(tmp_path: Path, plate: Any) -> None:
    import jsonschema

    path = _file(tmp_path, plate, {"pin": {"select": "faces@>Z", "as": "point"}})
    jsonschema.validate(json.loads(path.read_text()), schema())
    with pytest.raises(jsonschema.ValidationError):
        bad = _file(tmp_path, plate, {"pin": {"select": "faces@>Z", "as": "ball"}})
        jsonschema.validate(json.loads(bad.read_text()), schema())


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ({"pin": {"select": "faces@%CONE"}}, "pin.select: 'faces@%CONE' picks nothing"),
        ({"pin": {"select": "faces@>Z", "as": "ball"}}, "pin.as: 'ball' is not possible here"),
        (
            {"pin": {"select": "vertices@>X and >Y and >Z", "as": "plane"}},
            "one of 'point': it is a vertex at (30, 20, 5)",
        ),
        ({"pin": {"select": "faces@>Z", "axis": {}}}, "no key 'axis'"),
    ],
)
def test_a_file_that_picks_wrongly_names_the_place(
    tmp_path: Path, plate: Any, features: dict[str, Any], words: str
) -> None:
    with pytest.raises(asm.AssemblySolverError) as caught:
        asm.read(_file(tmp_path, plate, features))
    assert str(caught.value).startswith("parts.plate.features.pin") and words in str(caught.value)


def test_a_part_without_geometry_has_nothing_to_pick_in(tmp_path: Path, plate: Any) -> None:
    path = _file(tmp_path, plate, {"pin": {"select": "faces@>Z"}})
    tree = json.loads(path.read_text())
    del tree["parts"]["plate"]["geometry"]
    path.write_text(json.dumps(tree))
    with pytest.raises(asm.AssemblySolverError, match="needs 'geometry'"):
        asm.read(path)
    (tmp_path / "plate.step").unlink()
    with pytest.raises(FormatError, match=r"parts\.plate\.geometry: there is no file"):
        pick_in_file(tmp_path / "plate.step", "faces@>Z", "plate", "")


def test_the_command_lists_holes_and_faces_with_their_selectors(
    tmp_path: Path, plate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plate.step"
    cq.exporters.export(plate, str(file))
    assert main(["features", str(file), "--json"]) == 0
    found = {e["select"]: e for e in json.loads(capsys.readouterr().out)["features"]}
    assert len(found) == 10
    assert found["faces@%CYLINDER@radius=2"] == {
        "select": "faces@%CYLINDER@radius=2",
        "kind": "hole",
        "radius": pytest.approx(2),
        "point": pytest.approx([10, 10, 0]),
        "direction": pytest.approx([0, 0, 1]),
        "pieces": 1,
    }
    assert main(["features", str(file), "--edges"]) == 0
    shown = capsys.readouterr().out
    assert "faces@>Z  " in shown and "circle, radius 4 at -20, 0, 5" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert main(["features", str(tmp_path / "plat.step")]) == 2


def test_without_cadquery_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cadquery", None)
    with pytest.raises(asm.AssemblySolverError, match=r"pip install 'assembly-solver\[cadquery\]'"):
        pick(object(), "faces@>Z")

"""Faces, edges and vertices of FreeCAD's shapes as features, against their closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, isclose, sqrt
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import Part
import pytest
from FreeCAD import Placement, Rotation, Vector

import assembly_solver as asm

CLOSE = 1e-9
"""mm: coordinates of tens of mm, through two placements."""

HERE = Placement()
MOVED = Placement(Vector(5, -8, 13), Rotation(Vector(1, 2, -2), 70))
FRAME = Placement(Vector(-40, 7, 9), Rotation(Vector(0, 3, 4), 25))


def carried(placement: Any, point: tuple[float, ...]) -> tuple[float, ...]:
    """A point of a solid in the coordinates of FRAME, where the solid is at a placement."""
    return tuple(FRAME.inverse().multVec(placement.multVec(Vector(*point))))


def pick(shape: Any, element: str) -> asm.Pick:
    """An element of a solid at MOVED, told in FRAME."""
    own = shape.copy()
    own.Placement = MOVED.multiply(own.Placement)
    return asf.pick(own.getElement(element), FRAME)


@pytest.mark.parametrize("number", range(1, 7))
def test_normals_of_a_box_point_out_of_it(number: int) -> None:
    found = pick(Part.makeBox(10, 20, 30), f"Face{number}")
    plane = found.reading(asm.Plane)
    assert isinstance(plane, asm.Plane) and found.kind == "plane"
    middle = carried(MOVED, (5, 10, 15))
    out = sum(n * (p - m) for n, p, m in zip(plane.normal, plane.point, middle, strict=True))
    half = (5, 10, 15)[(number - 1) // 2]
    assert isclose(out, half, abs_tol=CLOSE)


def test_a_bore_is_a_hole_and_a_shaft_a_cylinder_with_the_axis_in_the_middle() -> None:
    block = Part.makeBox(20, 20, 30).cut(Part.makeCylinder(4, 30, Vector(10, 10, 0)))
    bore = next(f"Face{k}" for k, f in enumerate(block.Faces, 1) if len(f.Edges) == 3)
    for shape, element, kind, at in (
        (block, bore, "hole", (10, 10, 15)),
        (Part.makeCylinder(4, 12), "Face1", "cylinder", (0, 0, 6)),
    ):
        found = pick(shape, element)
        axis = found.feature
        assert isinstance(axis, asm.Axis) and found.kind == kind
        assert axis.radius == pytest.approx(4.0, abs=CLOSE)
        assert axis.point == pytest.approx(carried(MOVED, at), abs=CLOSE)


def test_a_cone_leads_from_its_apex_into_it() -> None:
    found = pick(Part.makeCone(6, 2, 8), "Face1").feature
    assert isinstance(found, asm.Cone)
    assert found.point == pytest.approx(carried(MOVED, (0, 0, 12)), abs=CLOSE)
    foot = carried(MOVED, (0, 0, 0))
    into = [f - p for f, p in zip(foot, found.point, strict=True)]
    assert found.direction == pytest.approx([v / 12.0 for v in into], abs=CLOSE)
    assert isclose(found.angle, degrees(0.4636476090008061), abs_tol=CLOSE)  # atan(1/2)


def test_a_ball_and_a_ring_have_their_radii() -> None:
    ball = pick(Part.makeSphere(7), "Face1").feature
    ring = pick(Part.makeTorus(9, 2), "Face1").feature
    assert isinstance(ball, asm.Sphere) and isinstance(ring, asm.Torus)
    sizes = (ball.radius, ring.radius, ring.tube)
    assert sizes == pytest.approx((7.0, 9.0, 2.0), abs=CLOSE)
    middle = carried(MOVED, (0, 0, 0))
    assert ball.point == pytest.approx(middle, abs=CLOSE)
    assert ring.point == pytest.approx(middle, abs=CLOSE)


def test_edges_and_vertices_are_lines_circles_and_points() -> None:
    line = asf.pick(Part.makeLine(Vector(1, 2, 3), Vector(1, 2, 11)), HERE)
    assert isinstance(line.feature, asm.Axis) and line.span == (-4.0, 4.0)
    assert line.feature.point == (1.0, 2.0, 7.0) and line.feature.direction == (0.0, 0.0, 1.0)
    circle = asf.pick(Part.makeCircle(3, Vector(1, 1, 1), Vector(1, 0, 0)), HERE)
    assert (circle.kind, circle.radius) == ("circle", 3.0)
    plane = circle.reading(asm.Plane)
    assert isinstance(plane, asm.Plane) and abs(plane.normal[0]) == 1.0
    assert asf.pick(Part.Vertex(4, 5, 6), HERE).feature == asm.Point((4.0, 5.0, 6.0))


def test_an_arc_has_the_middle_of_its_circle_not_of_itself() -> None:
    arc = Part.makeCircle(2, Vector(3, 0, 0), Vector(0, 0, 1), 0, 90)
    found = asf.pick(arc, HERE)
    assert found.feature.frame[:3] == (3.0, 0.0, 0.0)
    away = sqrt(sum((c - p) ** 2 for c, p in zip(found.centre, (3, 0, 0), strict=True)))
    assert isclose(away, 2 * sqrt(8) / 3.141592653589793, abs_tol=CLOSE)  # 2 r sqrt(2) / pi


def test_a_solid_as_a_whole_is_refused_in_words() -> None:
    with pytest.raises(asm.AssemblySolverError, match="a solid cannot be mated; choose a face"):
        asf.pick(Part.makeBox(1, 1, 1), HERE)


@pytest.fixture
def document() -> Iterator[Any]:
    made = FreeCAD.newDocument("Plain")
    yield made
    FreeCAD.closeDocument(made.Name)


def test_a_document_without_assemblies_is_one_of_what_stands_at_its_top(document: Any) -> None:
    box, tool = document.addObject("Part::Box", "Box"), document.addObject("Part::Box", "Tool")
    cut = document.addObject("Part::Cut", "Plate")
    cut.Base, cut.Tool = box, tool
    part = document.addObject("App::Part", "Frame")
    part.newObject("Part::Box", "Inside")
    user = document.addObject("Part::Box", "Other")
    user.setExpression("Length", "Box.Length * 2")
    copy = document.addObject("App::Link", "Copy")
    copy.setLink(part)
    copy.Placement = MOVED
    document.recompute()
    live = asf.read(document)
    assert list(live.parts) == ["Plate", "Frame", "Other", "Copy"]
    assert asf.assemblies(document) == [document] and live.assembly.name == "Plain"
    at = live.assembly.parts["Copy"].pose
    assert at.position == tuple(MOVED.Base)


def test_placements_are_given_back_as_they_were(document: Any) -> None:
    box = document.addObject("Part::Box", "Box")
    document.recompute()
    live = asf.read(document)
    before = live.placements
    live.place({"Box": asm.Pose((1.0, 2.0, 3.0))})
    assert tuple(box.Placement.Base) == (1.0, 2.0, 3.0) and "Touched" not in box.State
    live.restore(before)
    assert tuple(box.Placement.Base) == (0.0, 0.0, 0.0)


def test_nothing_open_is_said_in_words() -> None:
    with pytest.raises(asm.AssemblySolverError, match="no document is open"):
        asf.read()


# ------------------------------------------------------------- beside what STEP files are read by
def _screw_face() -> Any:
    """A face that is turned out of a spline, between two planes that are splines themselves."""
    spline = Part.BSplineCurve()
    spline.interpolate([Vector(4, 0, 0), Vector(6, 0, 3), Vector(3, 0, 8)])
    return spline.toShape().revolve(Vector(), Vector(0, 0, 1), 200)


def _bent_sheet() -> Any:
    """A face that is a spline surface, and one that is a flat spline surface."""
    bent = Part.BSplineSurface()
    bent.interpolate([[Vector(x, y, 0.1 * x * y) for y in range(4)] for x in range(4)])
    flat = Part.BSplineSurface()
    flat.interpolate([[Vector(x, y, 0.0) for y in range(4)] for x in range(4)])
    return Part.makeCompound([bent.toShape(), flat.toShape()])


SOLIDS = {
    "block with a hole": lambda: Part.makeBox(20, 20, 30).cut(
        Part.makeCylinder(4, 30, Vector(10, 10, 0))
    ),
    "hole drilled from above": lambda: Part.makeBox(20, 20, 30).cut(
        Part.makeCylinder(4, 30, Vector(10, 10, 30), Vector(0, 0, -1))
    ),
    "cone": lambda: Part.makeCone(6, 2, 8),
    "ball": lambda: Part.makeSphere(7),
    "ring": lambda: Part.makeTorus(9, 2, Vector(), Vector(0, 0, -1)),
    "half an elliptic disc": lambda: Part.Face(
        Part.Wire(
            [
                Part.ArcOfEllipse(Part.Ellipse(Vector(), 5, 3), 0, 3.0).toShape(),
                Part.makeLine(Part.Ellipse(Vector(), 5, 3).value(3.0), Vector(5, 0, 0)),
            ]
        )
    ),
    "turned": _screw_face,
    "sheets": _bent_sheet,
}


@pytest.mark.parametrize("name", SOLIDS)
def test_elements_are_read_as_those_of_a_step_file_are(name: str, tmp_path: Any) -> None:
    """The same shape in FreeCAD and by the modeller under CadQuery: every face and every edge."""
    cadquery = pytest.importorskip("cadquery")
    shape = SOLIDS[name]()
    shape.Placement = MOVED
    file = str(tmp_path / "shape.brep")
    shape.exportBrep(file)
    other = cadquery.Shape.importBrep(file)
    edges = [edge for edge in shape.Edges if not edge.Degenerated]
    for ours, theirs in ((shape.Faces, other.Faces()), (edges, other.Edges())):
        for element, like in zip(ours, theirs, strict=True):
            found, wanted = asf.pick(element, HERE), asm.pick(like)
            assert (found.kind, found.span) == (wanted.kind, pytest.approx(wanted.span, abs=CLOSE))
            assert found.centre == pytest.approx(wanted.centre, abs=1e-6)  # by quadrature
            assert found.size == pytest.approx(wanted.size, rel=1e-4)  # by quadrature
            assert found.radius == pytest.approx(wanted.radius, abs=CLOSE)
            assert [type(f) for f in found.readings] == [type(f) for f in wanted.readings]
            for f, g in zip(found.readings, wanted.readings, strict=True):
                told = 3 if name == "sheets" else 12  # directions of splines in a line are any
                assert f.frame[:told] == pytest.approx(g.frame[:told], abs=1e-6), (found.words, f)

"""Shapes of parts: closed surfaces of the right size, from files and from features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.foundations.geometry.pose import Pose
from assembly_solver.model.feature import Axis, Plane, Point
from assembly_solver.report.viewer import part_shapes, triangles
from assembly_solver.report.viewer.triangles import TriangleMesh

SAMPLES = Path(__file__).parents[3] / "samples"


def volume(shape: TriangleMesh) -> float:
    """Of a closed surface whose triangles all turn outward, by the divergence theorem."""
    a, b, c = (shape.corners[shape.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def test_a_pin_is_a_closed_prism_of_twenty_sides() -> None:
    begin = np.array([5.0, -7.0, 3.0])
    pin = triangles.pin(begin, begin + np.array([2.0, 3.0, 6.0]), 1.5)  # of length 7
    base = 0.5 * 20 * np.sin(2 * np.pi / 20) * 1.5**2
    assert volume(pin) == pytest.approx(7.0 * base, rel=1e-12)
    assert len(pin.edges) == 40  # two circles; the sides of the wall are no edges


def test_a_plate_and_a_ball_turn_their_faces_outward() -> None:
    frame = Plane((1, 2, 3), (1, 2, 2)).frame
    assert volume(triangles.plate(np.array(frame), 10.0)) == pytest.approx(100.0 * 0.4, rel=1e-12)
    ball = volume(triangles.ball(np.array([9.0, 9.0, 9.0]), 2.0))
    assert 0.93 < ball / (4 / 3 * np.pi * 8) < 1.0  # a polyhedron inside the sphere


def test_the_border_of_triangles_has_the_sides_of_one_triangle_only() -> None:
    square = np.array([(0, 1, 2), (0, 2, 3)])
    assert triangles.border(square).tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]


def test_a_part_without_geometry_is_drawn_from_the_features_that_mates_hold() -> None:
    a = asm.Assembly("bare")
    far = {"pin": Axis((0, 0, 0), "z"), "unused": Point((1e6, 0, 0))}
    a.add("frame", grounded=True, features=far)
    a.add("door", features={"pin": Axis((0, 0, 0), "z"), "edge": Point((0, 800, 0))})
    a.mate("revolute", "frame.pin", "door.pin")
    found, drawn = part_shapes.shapes_of(a, 1000.0)
    assert drawn and list(found) == ["frame", "door"]
    low, high = found["frame"].corners.min(axis=0), found["frame"].corners.max(axis=0)
    assert (high - low) == pytest.approx([24.0, 24.0, 60.0])  # radius 12, 5 radii long


def test_links_are_bars_between_their_pins() -> None:
    link = part_shapes.skeleton([Axis((0, 0, 0), "z"), Axis((100, 0, 0), "z")], 2.0)
    bar = triangles.pin(np.zeros(3), np.array([100.0, 0, 0]), 1.5)
    pins = 2 * triangles.pin(np.zeros(3), np.array([0, 0, 10.0]), 2.0).corners.shape[0]
    assert len(link.corners) == pins + len(bar.corners)
    assert np.ptp(link.corners[:, 0]) == pytest.approx(104.0)


def test_a_step_file_becomes_triangles_and_alike_parts_share_them() -> None:
    pytest.importorskip("cadquery")
    a = asm.read(SAMPLES / "stewart_platform.assembly.json")
    found, drawn = part_shapes.shapes_of(a, 1000.0)
    assert not drawn and len(found) == 14
    assert len({id(shape) for shape in found.values()}) == 4  # base, platform, cylinder, rod
    assert found["cylinder 1"] is found["cylinder 6"]
    assert all(volume(shape) > 0 and len(shape.edges) > 0 for shape in found.values())


def test_the_triangles_of_a_box_have_its_volume_and_its_twelve_edges(tmp_path: Path) -> None:
    cq = pytest.importorskip("cadquery")
    file = tmp_path / "box.step"
    cq.exporters.export(cq.Workplane().box(10, 20, 30), str(file))
    box = part_shapes.tessellated(file, "box")
    assert volume(box) == pytest.approx(6000.0, rel=1e-9)
    ends = np.sort(np.round(box.corners[box.edges].reshape(-1, 6), 6), axis=0)
    assert len(box.triangles) == 12 and len(ends) == 24  # each edge by the two faces beside it


def test_the_triangles_of_a_mesh_have_edges_where_it_is_sharp() -> None:
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    cells = np.array([c for q in quads for c in (q[:3], (q[0], q[2], q[3]))])
    cube = triangles.faceted(corners, cells)
    assert volume(cube) == pytest.approx(1.0)
    lengths = np.linalg.norm(np.diff(cube.corners[cube.edges], axis=1)[:, 0], axis=1)
    assert len(lengths) == 24 and set(lengths.round(9)) == {1.0}  # no diagonal is an edge


def test_the_parts_of_a_rigid_sub_assembly_stand_where_they_stand_in_it() -> None:
    pytest.importorskip("cadquery")
    inner = asm.read(SAMPLES / "hinge.assembly.json")
    asm.solve(inner).require().apply()
    alone = part_shapes.shapes_of(inner, 1000.0)[0]
    a = asm.Assembly("outer", folder=SAMPLES)
    a.add_assembly("hinge", inner, pose=Pose((100.0, 0.0, 0.0)))
    whole = part_shapes.shapes_of(a, 1000.0)[0]["hinge"]
    placed = [alone[name].moved(part.pose.frame) for name, part in inner.parts.items()]
    # in the sub-assembly's coordinates: its own pose is put on where it is drawn
    expected = np.vstack([shape.corners for shape in placed])
    np.testing.assert_allclose(whole.corners, expected, atol=1e-9)

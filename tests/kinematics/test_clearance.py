"""The distance of the geometry of two parts, against boxes and spheres."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError, MissingExtra, NoShape
from assembly_solver.formats.shapes.meshes import DEVIATION, part_mesh
from assembly_solver.kinematics.contact import geometry as module
from assembly_solver.kinematics.contact.geometry import winding
from assembly_solver.kinematics.contact.part_clearance import PartClearance

pytestmark = pytest.mark.quick

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")


def frame(position: tuple[float, float, float], rotation: Rotation | None = None) -> np.ndarray:
    axes = (rotation or Rotation.identity()).as_matrix().T
    return np.concatenate([position, axes.ravel()])


def assembly(folder: Path, **meshes: object) -> asm.Assembly:
    out = asm.Assembly("pair", folder=folder)
    for name, mesh in meshes.items():
        mesh.export(folder / f"{name}.stl")
        out.add(name, geometry=f"{name}.stl")
    return out


def distances(a: asm.Assembly, *places: np.ndarray) -> list[float]:
    frames = np.array([[frame((0, 0, 0)), p] for p in places])
    names = list(a.parts)
    return PartClearance(a, (names[0], names[1]), "").along(frames).tolist()


def test_boxes_are_as_far_apart_as_their_faces_edges_and_corners(tmp_path: Path):
    a = assembly(
        tmp_path, one=trimesh.creation.box((10, 10, 10)), two=trimesh.creation.box((4, 4, 4))
    )
    upright = Rotation.from_euler("z", 45, degrees=True)
    found = distances(
        a, frame((20, 1, 2)), frame((17, 20, 0)), frame((10, 11, 12)), frame((20, 0, 0), upright)
    )
    corner = math.sqrt(3**2 + 4**2 + 5**2)
    # single precision is what the file has: 24 bits of 20 mm
    wanted = [13.0, math.hypot(10, 13), corner, 15.0 - 2 * math.sqrt(2)]
    assert found == pytest.approx(wanted, abs=2e-6)


def test_spheres_are_as_far_apart_as_their_centres_less_their_radii(tmp_path: Path):
    ball = trimesh.creation.icosphere(3, 10.0)
    a = assembly(tmp_path, one=ball, two=ball)
    inside = 10.0 * (1 - math.cos(math.radians(5.3)))  # of a chord's middle, edges 10.5 degrees
    for gap, found in zip(
        (1.0, 7.0), distances(a, frame((21, 0, 0)), frame((0, 19, 19))), strict=True
    ):
        exact = gap if gap == 1.0 else 19 * math.sqrt(2) - 20
        assert exact - 1e-6 <= found <= exact + 2 * inside


def test_what_touches_overlaps_or_lies_inside_has_no_clearance(tmp_path: Path):
    a = assembly(
        tmp_path, one=trimesh.creation.box((10, 10, 10)), two=trimesh.creation.box((4, 4, 4))
    )
    found = distances(a, frame((7, 0, 0)), frame((5, 3, 0)), frame((0.5, 0, 0)))
    assert found == [0.0, 0.0, 0.0]


def test_each_body_of_a_part_is_looked_for_inside_the_other(tmp_path: Path):
    """The first body of the part is far away, the second one in the middle of the other part."""
    away, inside = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1))
    away.apply_translation((40, 0, 0))
    pair = trimesh.util.concatenate([away, inside])
    a = assembly(tmp_path, one=trimesh.creation.box((10, 10, 10)), two=pair)
    assert len(module.one_of_each(part_mesh(a.parts["two"], tmp_path))) == 2
    assert distances(a, frame((0.5, 0, 0)), frame((8, 0, 0))) == pytest.approx([0.0, 2.5])


def test_a_state_that_is_not_there_has_no_clearance_either(tmp_path: Path):
    box = trimesh.creation.box((4, 4, 4))
    a = assembly(tmp_path, one=box, two=box)
    assert np.isnan(distances(a, np.full(12, np.nan))[0])


def test_triangles_go_once_around_what_is_inside():
    box = trimesh.creation.box((2, 2, 2))
    mesh = module.Mesh(np.array(box.vertices), np.array(box.faces))
    assert winding(mesh, np.array([0.3, -0.9, 0.5])) == pytest.approx(1.0, abs=1e-12)
    assert winding(mesh, np.array([0.3, -1.1, 0.5])) == pytest.approx(0.0, abs=1e-12)


def test_a_solid_is_as_far_as_its_faces(tmp_path: Path):
    cq = pytest.importorskip("cadquery")
    cq.exporters.export(cq.Workplane().box(10, 10, 10), str(tmp_path / "box.step"))
    cq.exporters.export(cq.Workplane().sphere(5), str(tmp_path / "ball.step"))
    a = asm.Assembly("pair", folder=tmp_path)
    a.add("box", geometry="box.step")
    inner = asm.Assembly("inner", folder=tmp_path)
    inner.add("ball", geometry="ball.step", pose=asm.Pose((1, 0, 0)), grounded=True)
    a.add_assembly("group", inner, rigid=True)
    (found,) = distances(a, frame((20, 0, 0)))
    assert found == pytest.approx(20 + 1 - 5 - 5, abs=DEVIATION)


def test_what_has_no_shape_is_named(tmp_path: Path):
    a = assembly(tmp_path, one=trimesh.creation.box((4, 4, 4)))
    a.add("two")
    assert part_mesh(a.parts["two"], tmp_path) is None
    with pytest.raises(NoShape) as error:
        PartClearance(a, ("one", "two"), "checks[0]")
    assert str(error.value) == ("checks[0]: part 'two' has no shape; give it a \"geometry\" file")


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("none.stl", "parts.p.geometry: there is no file none.stl"),
        ("none.step", "parts.p.geometry: there is no file none.step"),
        ("p.dwg", "parts.p.geometry: no geometry format '.dwg'; did you mean '.glb'?"),
    ],
)
def test_geometry_that_cannot_be_read_is_named_with_its_place(file: str, words: str):
    a = asm.Assembly("one")
    a.add("p", geometry=file)
    with pytest.raises(AssemblySolverError) as error:
        part_mesh(a.parts["p"], a.folder)
    assert str(error.value).startswith(words.split(";")[0])


def test_a_missing_library_is_said_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "fcl", None)
    with pytest.raises(MissingExtra) as error:
        PartClearance(asm.Assembly(), ("a", "b"), "")
    assert str(error.value) == (
        "the clearance of parts needs an optional program: pip install 'assembly-solver[mesh]'"
    )

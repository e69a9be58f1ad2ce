"""Documents of Assembly2 and A2plus: every type of constraint, what is told of it, what is written.

Each type is judged by what its workbench asks for, told here in points and directions of two
solids: all their elements have the frame of the solid, but the vertex.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from freecad_files import (
    OTHERS,
    VERTEX,
    Placement,
    Thing,
    assembly,
    at,
    brep,
    constraint,
    document,
    element,
    joint,
    matrix,
    save,
    shaped,
    solid,
)
from numpy.typing import NDArray
from refusals import refusals
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.formats import LEFT_OUT, SUPPRESSED

Array = NDArray[np.float64]
Run = Callable[..., tuple[int, str, str]]

CLOSE = 1e-9
"""mm, and share of a unit vector: a normal solve reaches it."""

FIRST = at(3, -4, 5, axis=(1, 2, -1), angle=40)
SECOND = at(-20, 9, 14, axis=(-2, 1, 3), angle=110)
OLD = "0.19R24276 (Git)"


def fixed(part: Thing, value: bool = True) -> Thing:
    part.properties["fixedPosition"] = f'<Bool value="{str(value).lower()}"/>'
    return part


PLACES = (FIRST, SECOND)


def file_of(
    folder: Path, constraints: Iterable[Thing], places: tuple[Placement, Placement] = PLACES
) -> Path:
    """A document with the parts Base, which is fixed, and Arm."""
    parts = [
        fixed(shaped(solid(name, place, kind="Part::FeaturePython")), name == "Base")
        for name, place in zip(("Base", "Arm"), places, strict=True)
    ]
    shapes = {f"{part.name}.brp": (brep().encode(), ZIP_DEFLATED) for part in parts}
    text = document([*parts, *constraints], OLD)
    return save(folder / "made.fcstd", text, {**OTHERS, **shapes})


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: object) -> tuple[int, str, str]:
        status = cli.main([str(w) for w in words])
        out, err = capsys.readouterr()
        return status, " ".join(out.split()), err

    return call


# ------------------------------------------------------------------------- every type
class Ends(NamedTuple):
    """Where the elements of both ends are: middles, vertices, z axes, rotations."""

    p: tuple[Array, Array]
    v: tuple[Array, Array]
    z: tuple[Array, Array]
    R: tuple[Array, Array]

    @property
    def gap(self) -> Array:
        """From the second middle to the first."""
        return self.p[0] - self.p[1]

    @property
    def dot(self) -> float:
        return float(self.z[0] @ self.z[1])

    def aside(self, gap: Array, k: int = 0) -> float:
        return float(np.linalg.norm(np.cross(gap, self.z[k])))


def ends(poses: Iterable[asm.Pose]) -> Ends:
    both = [*poses]
    R = tuple(pose.rotation for pose in both)
    p = tuple(np.array(pose.position) for pose in both)
    v = tuple(pose.apply(VERTEX) for pose in both)
    return Ends(p, v, tuple(r[:, 2] for r in R), R)  # type: ignore[arg-type]


def angle_off(e: Ends, degrees: float) -> float:
    return float(np.degrees(np.arccos(np.clip(e.dot, -1.0, 1.0)))) - degrees


S = "directionConstraint"
ROWS = """
plane plane plane aligned offset=5.0           | coplanar 3       | e.dot - 1, e.gap @ e.z[0] - 5
plane plane plane opposed offset=-2.5          | coplanar 3       | e.dot + 1, e.gap @ e.z[0] + 2.5
plane plane plane none                         | coplanar 3       | abs(e.dot) - 1, e.gap @ e.z[0]
plane plane plane opposed planeOffset=4.0      | coplanar 3       | e.dot + 1, e.gap @ e.z[0] - 4
plane plane vertex aligned offset=6.0          | point_in_plane 1 | (e.p[0] - e.v[1]) @ e.z[0] - 6
axial cylinder line opposed                    | coaxial 4        | e.dot + 1, e.aside(e.gap)
axial cone torus                               | coaxial 4        | abs(e.dot) - 1, e.aside(e.gap)
circularEdge circle circle aligned offset=3.0  | revolute 5       | e.dot - 1, *(e.gap - 3 * e.z[0])
circularEdge circle circle opposed offset=-6.0 | revolute 5       | e.dot + 1, *(e.gap + 6 * e.z[0])
angle_between_planes plane line angle=30.0     | angle 1          | angle_off(e, 30)
angle_between_planes plane plane angle=0.0     | angle 2          | e.dot - 1
angle_between_planes plane plane angle=180.0   | angle 2          | e.dot + 1
angle_between_planes plane plane angle=300.0   | angle 1          | angle_off(e, 60)
angle_between_planes plane plane degrees=-75.0 | angle 1          | angle_off(e, 75)
sphericalSurface sphere vertex                 | coincident 3     | tuple(e.p[0] - e.v[1])
pointIdentity vertex circle                    | coincident 3     | tuple(e.v[0] - e.p[1])
sphereCenterIdent sphere sphere                | coincident 3     | tuple(e.gap)
pointOnLine vertex cylinder                    | point_on_line 2  | e.aside(e.v[0] - e.p[1], 1)
pointOnPlane vertex plane offset=-4.0          | point_in_plane 1 | (e.v[0] - e.p[1]) @ e.z[1] + 4
pointOnPlane sphere plane                      | point_in_plane 1 | e.gap @ e.z[1]
axisParallel line cone aligned                 | parallel 2       | e.dot - 1
axisPlaneParallel cylinder plane               | perpendicular 1  | e.dot
axisPlaneAngle line plane angle=20.0 aligned   | angle 1          | angle_off(e, 110)
axisPlaneAngle line plane angle=20.0 opposed   | angle 1          | angle_off(e, 70)
axisPlaneNormal line plane opposed             | parallel 2       | e.dot + 1
axisPlaneVertical line plane aligned           | parallel 2       | e.dot - 1
planesParallel plane plane opposed             | parallel 2       | e.dot + 1
angledPlanes plane plane angle=45.0            | angle 1          | angle_off(e, 45)
CenterOfMass circle circle opposed offset=7.0  | revolute 5       | e.dot + 1, *(e.gap - 7 * e.z[0])
"""
"""Its kind, ends and properties | the mate, and the freedoms that it removes | what is then 0."""


@pytest.mark.parametrize("row", ROWS.strip().split("\n"))
def test_a_constraint_holds_what_its_workbench_asks_for(row: str, tmp_path: Path) -> None:
    asked, says, off = row.split("|")
    kind, one, two, *words = asked.split()
    more = dict(w.split("=") if "=" in w else (S, w) for w in words)
    more = {key: value if key == S else float(value) for key, value in more.items()}
    said, removed = says.split()
    path = file_of(
        tmp_path, [constraint(kind, f"Base.{element(one)}", f"Arm.{element(two)}", **more)]
    )
    read = asm.read(path)
    assert read.notes.get(LEFT_OUT) is None
    assert [(name, mate.kind) for name, mate in read.mates.items()] == [(kind, said)]
    found = asm.solve(read)
    assert found, found.sentence
    assert found.dof == 6 - int(removed)
    here = ends(found.poses[name] for name in ("Base", "Arm"))
    assert np.abs(eval(f"({off})", {"e": here, "angle_off": angle_off})).max() < CLOSE
    np.testing.assert_allclose(read.parts["Base"].pose.rotation, matrix(FIRST)[:3, :3], atol=1e-15)
    assert found.poses["Base"] == read.parts["Base"].pose


def test_a_direction_that_is_not_known_is_named(tmp_path: Path) -> None:
    """A later version might list further words."""
    plane = constraint("plane", "Base.Face1", "Arm.Face1", directionConstraint="opposed")
    told = plane.properties["directionConstraint"].replace('"opposed"', '"sideways"')
    plane.properties["directionConstraint"] = told
    assert asm.read(file_of(tmp_path, [plane])).notes[LEFT_OUT] == {
        "plane": "its direction is 'sideways'; known: aligned, opposed, none"
    }


LOCKED = {("axial", "cylinder"): "prismatic", ("circularEdge", "circle"): "fixed"}
TURNS = {"askew": 110.0, "aligned": 0.0, "opposed": 180.0}


@pytest.mark.parametrize("sense", ["none", "aligned", "opposed"])
@pytest.mark.parametrize("start", TURNS)
@pytest.mark.parametrize("of", LOCKED)
def test_a_locked_rotation_keeps_the_turn_of_the_start(
    of: tuple[str, str], start: str, sense: str, tmp_path: Path
) -> None:
    """The arm is turned the shortest way until the axes agree; about the axis it does not turn."""
    kind, at_ = of
    end, offset = element(at_), 0.0 if kind == "axial" else 2.0
    places = (at(1, 2, 3), at(-20, 9, 14, axis=(2, 1, 0), angle=TURNS[start]))
    more = {S: sense, "lockRotation": True, **({"offset": offset} if offset else {})}
    read = asm.read(
        file_of(tmp_path, [constraint(kind, f"Base.{end}", f"Arm.{end}", **more)], places)
    )
    assert read.mates[kind].kind == LOCKED[of]
    found = asm.solve(read)
    assert (bool(found), found.dof) == (True, 1 if kind == "axial" else 0), found.sentence
    here, before = (
        ends(p[name] for name in ("Base", "Arm"))
        for p in (found.poses, {n: part.pose for n, part in read.parts.items()})
    )
    wanted = 1.0 if sense == "aligned" or (sense == "none" and before.dot > 0) else -1.0
    assert abs(here.dot - wanted) < CLOSE
    assert here.aside(here.gap) < CLOSE
    if kind == "circularEdge":
        assert abs(here.gap @ here.z[0] - offset) < CLOSE
    turn = (Rotation.from_matrix(here.R[1]) * Rotation.from_matrix(before.R[1]).inv()).magnitude()
    least = np.arccos(np.clip(wanted * before.dot, -1.0, 1.0))
    assert abs(turn - least) < 1e-7  # an angle near half a turn is known to the root of rounding


def test_the_centre_of_area_of_faces_is_that_of_their_borders(tmp_path: Path) -> None:
    """An L of two squares of 10 mm and one between them: its centre is by hand at 25/3."""
    cq = pytest.importorskip("cadquery")
    from OCP.BRepTools import BRepTools

    corners = [(0, 0), (20, 0), (20, 10), (10, 10), (10, 20), (0, 20)]
    plate = cq.Workplane().polyline(corners).close().extrude(5)
    BRepTools.Write_s(plate.val().wrapped, str(tmp_path / "plate.brp"))
    tops = [k for k, f in enumerate(plate.faces().vals(), 1) if f.Center().z > 4.9]
    made = [
        constraint(
            "CenterOfMass",
            f"Base.Face{tops[0]}",
            f"Arm.Face{tops[0]}",
            offset=1.0,
            directionConstraint="opposed",
            name="lid",
        )
    ]
    parts = [fixed(shaped(solid("Base", FIRST))), shaped(solid("Arm", SECOND))]
    text = (tmp_path / "plate.brp").read_bytes()
    shapes = {f"{name}.brp": (text, ZIP_DEFLATED) for name in ("Base", "Arm")}
    read = asm.read(save(tmp_path / "made.fcstd", document([*parts, *made], OLD), shapes))
    found = asm.solve(read)
    assert (bool(found), found.dof) == (True, 1), (found.sentence, read.notes)
    middle = (25 / 3, 25 / 3, 5)
    one, two = (found.poses[name].apply(middle) for name in ("Base", "Arm"))
    z = found.poses["Base"].rotation[:, 2]
    np.testing.assert_allclose(one - two, 1.0 * z, atol=CLOSE)
    np.testing.assert_allclose(found.poses["Arm"].rotation[:, 2], -z, atol=CLOSE)


def test_without_the_modeller_the_centre_of_a_face_is_left_out_with_the_way_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "OCP.TopExp", None)
    read = asm.read(file_of(tmp_path, [constraint("CenterOfMass", "Base.Face1", "Arm.Face1")]))
    assert read.notes[LEFT_OUT] == {
        "CenterOfMass": "the geometry of Face1 of Base: the centre of a face needs an optional "
        "program: pip install 'assembly-solver[cadquery]'"
    }


# ------------------------------------------------------------------------- the rest
WRONG = refusals("""
weld Base.Face1 Arm.Face1
    constraints of type 'weld' are not known
plane Base.Face1 Lid.Face1
    there is no object 'Lid' in the file
plane Base.Face9 Arm.Face1
    the geometry of Face9 of Base: Base.brp: there is no Face9, only 6
plane Base Arm.Face1
    it names '' of Base, no face, edge or vertex
plane Arm.Face1 Arm.Face1
    both its ends are on Arm
plane Base.Face6 Arm.Face1
    Face6 of Base is a shape of another kind; it has to be a plane
axial Base.Face1 Arm.Face2
    the geometry of Face1 of Base: Base.brp: Face1 has no borders
circularEdge Base.Edge2 Arm.Edge3
    Edge3 of Arm is a shape of another kind; it has to be a circle
axisPlaneAngle Base.Edge1 Arm.Face1
    it asks for 95 degrees between an axis and a plane
""")


@pytest.mark.parametrize(("case", "words"), WRONG)
def test_a_constraint_that_cannot_be_read_is_named_with_the_reason(
    case: str, words: str, tmp_path: Path, run: Run
) -> None:
    made = constraint(*case.split(), angle=95.0)
    right = constraint("planesParallel", "Base.Face1", "Arm.Face1", name="right")
    path = file_of(tmp_path, [right, made])
    read = asm.read(path)
    assert read.notes[LEFT_OUT] == {made.name: words}
    assert [*read.mates] == ["right"]
    status, out, _ = run("diagnose", path)
    assert (status, made.name in out and words in out) == (1, True)


def test_copies_that_only_show_in_the_tree_are_not_read_and_suppressed_ones_are_named(
    tmp_path: Path,
) -> None:
    kept = constraint("plane", "Base.Face1", "Arm.Face1", "kept")
    copied = constraint("plane", "Base.Face1", "Arm.Face1", "kept_mirror", "ConstraintNfo")
    off = constraint("axial", "Base.Face2", "Arm.Face2", "off", Suppressed=True)
    read = asm.read(file_of(tmp_path, [kept, copied, off]))
    assert [*read.mates] == ["kept"]
    assert read.notes[SUPPRESSED] == ["off"]
    assert LEFT_OUT not in read.notes


def test_parts_are_what_constraints_name_and_what_can_be_fixed(tmp_path: Path) -> None:
    things = [
        shaped(solid("Pin", FIRST)),
        fixed(shaped(solid("Base"))),
        fixed(solid("Spare"), False),
        solid("Scribble"),
        constraint("axial", "Base.Face2", "Pin.Face2"),
    ]
    shapes = {f"{name}.brp": (brep().encode(), ZIP_DEFLATED) for name in ("Pin", "Base")}
    path = save(tmp_path / "made.fcstd", document(things, OLD), shapes)
    read = asm.read(path)
    assert {n: part.grounded for n, part in read.parts.items()} == {
        "Pin": False,
        "Base": True,
        "Spare": False,
    }
    assert read.name == "made.fcstd"


def test_constraints_on_parts_of_an_assembly_of_freecads_own_are_named(tmp_path: Path) -> None:
    parts = [solid("Base"), solid("Arm")]
    things = assembly(parts, [joint("Fixed", "Base.Face1", "Arm.Face1")])
    things += [solid("Other"), solid("Third"), constraint("plane", "Other.Face1", "Third.Face1")]
    assert LEFT_OUT not in asm.read(save(tmp_path / "both.FCStd", document(things))).notes
    things += [constraint("plane", "Base.Face1", "Other.Face1", "lid")]
    read = asm.read(save(tmp_path / "both.FCStd", document(things)))
    assert (
        "constraint of Assembly2 or A2plus on a part of an assembly with"
        in (read.notes[LEFT_OUT]["lid"])
    )
    assert ([*read.notes[LEFT_OUT]], [*read.mates]) == (["lid"], ["Fixed"])


# ------------------------------------------------------------------------- written back
def test_solved_placements_are_written_back_and_nothing_else(tmp_path: Path, run: Run) -> None:
    path = file_of(tmp_path, [constraint("circularEdge", "Base.Edge2", "Arm.Edge2", offset=3.0)])
    out = tmp_path / "solved.fcstd"
    assert run("solve", path, "-o", out)[0] == 0
    found = asm.solve(asm.read(path))
    again = asm.read(out)
    assert again.parts["Base"].pose == asm.read(path).parts["Base"].pose
    assert again.parts["Arm"].pose == found.poses["Arm"]
    solved = asm.solve(again)
    assert solved.poses["Arm"] == again.parts["Arm"].pose
    with ZipFile(path) as one, ZipFile(out) as two:
        assert one.namelist() == two.namelist()
        changed = [n for n in one.namelist() if one.read(n) != two.read(n)]
        assert changed == ["Document.xml", "Arm.brp"]
        lines = [archive.read("Document.xml").splitlines() for archive in (one, two)]
    assert len(lines[0]) == len(lines[1])
    assert sum(a != b for a, b in zip(*lines, strict=True)) == 1


def test_a_file_that_lost_its_constraints_is_not_written_to(tmp_path: Path, run: Run) -> None:
    path = file_of(tmp_path, [constraint("plane", "Base.Face1", "Arm.Face1")])
    read = asm.read(path)
    save(path, document([solid("Base"), solid("Arm")], OLD))
    with pytest.raises(asm.AssemblySolverError) as caught:
        asm.write(read, tmp_path / "out.fcstd")
    assert str(caught.value) == "made.fcstd: an assembly of constraints is no longer in it"
    status, _, err = run("solve", f"{file_of(tmp_path, [constraint('x', 'a', 'b')])}#Base")
    assert status == 2
    assert "it is one assembly of Assembly2 or A2plus, without a name to choose it by" in err

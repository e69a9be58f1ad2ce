"""FreeCAD files: what is read of them, what is written back, and what is said of the rest."""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from facts import known_assembly, original, originals
from freecad_files import (
    HERE,
    OTHERS,
    Placement,
    Thing,
    assembly,
    at,
    brep,
    document,
    element,
    grounded,
    group,
    joint,
    link,
    matrix,
    placement_xml,
    save,
    shaped,
    solid,
)
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver import formats
from assembly_solver.errors import AssemblySolverError, FormatError
from assembly_solver.formats import LEFT_OUT, READ_AS, SUPPRESSED

Array = NDArray[np.float64]
Run = Callable[..., tuple[int, str, str]]
Made = Callable[[], asm.Assembly]

CLOSE = 1e-9
"""mm, and share of a unit vector: a normal solve reaches it (numbers stand with 16 decimals)."""


def example() -> Path:
    """The excavator that FreeCAD 1.0 brings along."""
    return original("cases", "fcstd", "AssemblyExample.FCStd")


EXCAVATOR = [
    pytest.param(lambda: known_assembly("freecad/excavator"), id="facts"),
    pytest.param(lambda: formats.read(example()), id="original", marks=originals),
]
CARDAN = [
    pytest.param(lambda: known_assembly("freecad/cardan"), id="facts"),
    pytest.param(
        lambda: formats.read(original("cases", "fcstd", "universal_joint_assembly.FCStd")),
        id="original",
        marks=originals,
    ),
]


def file_of(folder: Path, things: Iterable[Thing], name: str = "made.FCStd") -> Path:
    things = [*things]
    solids = [t.name for t in things if "Shape" in t.properties]
    shapes = {f"{n}.brp": (brep().encode(), ZIP_DEFLATED) for n in solids}
    return save(folder / name, document(things), {**OTHERS, **shapes})


def placements(path: Path) -> dict[str, Array]:
    """Placement of every object by name, 4 x 4, read with a regular expression."""
    with ZipFile(path) as archive:
        text = archive.read("Document.xml").decode()
    out = {}
    for name, body in re.findall(r'<Object name="([^"]+)".*?>(.*?)</Object>', text, re.S):
        found = re.search(r'<Property name="Placement".*?<PropertyPlacement ([^>]*)/>', body, re.S)
        if found:
            v = {k: float(n) for k, n in re.findall(r'(\w+)="([^"]+)"', found[1])}
            axis = (v["Ox"], v["Oy"], v["Oz"])  # what FreeCAD itself reads back
            position = (v["Px"], v["Py"], v["Pz"])
            out[name] = matrix((position, axis, np.degrees(v["A"])))
    return out


def solved(path: Path) -> asm.Solution:
    return asm.solve(formats.read(path))


# ------------------------------------------------------------------------------ FreeCAD's files
@pytest.mark.parametrize("made", EXCAVATOR)
def test_freecads_excavator_has_four_freedoms_and_eight_redundant_equations(made: Made) -> None:
    found = asm.solve(made())
    what = found.diagnosis
    assert found, found.sentence
    assert (len(found.plan.system.parts), len(found.mates)) == (13, 16)
    assert (what.unknowns, what.equations, what.rank) == (72, 76, 68)
    assert (found.dof, found.redundant_equations) == (4, 8)
    assert found.residual < 1e-12  # mm: the stored placements satisfy the joints to 5e-13
    kinds = [m.kind for m in found.mates]
    assert [kinds.count(k) for k in ("revolute", "prismatic", "cylindrical")] == [9, 3, 4]


@originals
def test_diagnose_prints_the_excavator_with_the_labels_of_its_joints(run: Run) -> None:
    status, out, _ = run("diagnose", example())
    words = " ".join(out.split())
    assert status == 0
    assert "13 parts" in words and "4 degrees of freedom" in words
    assert "8 redundant equations" in words
    assert "Stick001 turns about Revolute004" in words
    status, out, _ = run("diagnose", example(), "--json")
    found = json.loads(out)
    assert (status, found["dof"], found["redundant_equations"]) == (0, 4, 8)
    assert found["mates"][3]["name"] == "Slider"
    assert found["grounded"] == ["BasePin001"]


@pytest.mark.parametrize("made", CARDAN)
def test_the_cardan_joint_of_three_revolutes_has_three_freedoms(made: Made) -> None:
    found = asm.solve(made())
    assert (found.dof, found.redundant_equations) == (3, 0)
    assert [m.name for m in found.mates] == ["Revolute", "Revolute001", "Revolute002"]


@originals
def test_an_assembly_that_holds_is_written_back_bit_for_bit(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.fcstd"
    assert run("solve", example(), "-o", out)[0] == 0
    assert out.read_bytes() == example().read_bytes()


@originals
def test_a_displaced_excavator_is_solved_and_only_placements_are_other_text(tmp_path: Path) -> None:
    a = formats.read(example())
    start = a.pose("Bucket001")
    a.move({"Bucket001": asm.Pose((start.position[0] + 20, *start.position[1:]))})
    displaced, out = tmp_path / "displaced.FCStd", tmp_path / "out.FCStd"
    formats.write(a, displaced)
    found = solved(displaced)
    assert found and found.residual < CLOSE
    found.apply()
    formats.write(found.assembly, out)
    assert placement_texts_differ_alone(example(), out) >= {"Bucket"}
    again = solved(out)
    assert again.residual < CLOSE
    assert again.best_poses == {p.name: p.pose for p in again.assembly.parts.values()}


def placement_texts_differ_alone(before: Path, after: Path, *solids: str) -> set[str]:
    """Names of the objects whose placements differ; asserts that nothing else does.

    Geometry of `solids` may differ as well.
    """
    with ZipFile(before) as x, ZipFile(after) as y:
        assert x.comment == y.comment
        for one, two in zip(x.infolist(), y.infolist(), strict=True):
            assert (one.filename, one.date_time, one.compress_type, one.extra) == (
                two.filename,
                two.date_time,
                two.compress_type,
                two.extra,
            )
            if one.filename not in ("Document.xml", *solids):
                assert packed(before, one.header_offset) == packed(after, two.header_offset)
        texts = [z.read("Document.xml").decode() for z in (x, y)]
    rows = [re.split(r"(<PropertyPlacement [^>]*>)", text) for text in texts]
    name, names = "", set()
    for one, two in zip(*rows, strict=True):
        if not one.startswith("<PropertyPlacement"):
            assert one == two
            name = [name, *re.findall(r'<Object name="([^"]+)"', one)][-1]
        elif one != two:
            names.add(name)
    return names


def packed(path: Path, offset: int) -> bytes:
    """Header and packed data of a member of a zip."""
    raw = path.read_bytes()
    size, name, extra = struct.unpack_from("<18xL4xHH", raw, offset)
    return raw[offset : offset + 30 + name + extra + size]


def test_every_number_that_is_written_reads_back_as_it_was(tmp_path: Path) -> None:
    turn = asm.Pose.from_axis((1e-9, -1234567.891, 1 / 3), (1, 2, 3), 250)
    path = file_of(tmp_path, assembly([solid("Box")], []))
    a = formats.read(path)
    a.move({"Box": turn})
    formats.write(a, path)
    assert formats.read(path).pose("Box") == turn
    expected = matrix(((1e-9, -1234567.891, 1 / 3), (1, 2, 3), 250))
    np.testing.assert_allclose(placements(path)["Box"], expected, atol=1e-15)


def test_a_part_that_is_a_solid_has_its_geometry_placed_too(tmp_path: Path) -> None:
    """FreeCAD puts a solid where its geometry is, whatever its placement says."""
    source, out = two("Ball", tmp_path, NEAR), tmp_path / "out.FCStd"
    a = formats.read(source)
    asm.solve(a).require().apply()
    formats.write(a, out)
    assert placement_texts_differ_alone(source, out, "Lid.brp") == {"Lid"}
    with ZipFile(out) as archive:
        text = archive.read("Lid.brp").decode()
    head, table, rest = re.split(r"Locations 1\n1\n|(?=Curve2ds)", text)
    rows = np.array([row.split() for row in table.splitlines()], float)
    np.testing.assert_allclose(rows, placements(out)["Lid"][:3], atol=1e-14)
    assert rest.endswith("+1 1 ")
    assert head + "Locations 0\n" + rest[:-2] + "0 " == brep()
    again = formats.read(out)
    again.move({"Lid": asm.Pose((1, 2, 3))})
    formats.write(again, out)
    with ZipFile(out) as archive:  # the place before it stays in the table
        text = archive.read("Lid.brp").decode()
    assert "Locations 2\n1\n" in text and text.endswith("+1 2 ")
    assert "1\n1.0 0.0 0.0 1.0 \n0.0 1.0 0.0 2.0 \n0.0 0.0 1.0 3.0 \nCurve2ds" in text


def motion(values: Array) -> bytes:
    """A motion in the table of a binary solid."""
    return b"\x01" + struct.pack("<12d", *values[:3].ravel())


COMPOSED = b"\x02" + struct.pack("<5i", 1, 2, 1, 1, 0)
"""A motion made of powers of others, in the table of a binary solid."""


def binary(motions: Sequence[bytes], at_: int) -> bytes:
    """A solid as FreeCAD stores it; what is between the motions and the end is made up."""
    head = f"\nOpen CASCADE Topology V3 (c)\nLocations {len(motions)}\n".encode()
    return b"".join([head, *motions, b"Curve2ds 0\n ...", struct.pack("<3i", 34, at_, 1)])


def test_a_solid_that_is_stored_as_binary_is_placed_by_one_motion_more(tmp_path: Path) -> None:
    path, out = two("Ball", tmp_path, NEAR), tmp_path / "out.FCStd"
    text = ZipFile(path).read("Document.xml").replace(b"Lid.brp", b"Lid.bin")
    before = [motion(matrix(NEAR)), COMPOSED]
    save(path, text, {"Lid.bin": (binary(before, 2), ZIP_DEFLATED)})
    a = formats.read(path)
    asm.solve(a).require().apply()
    formats.write(a, out)
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = a.parts["Lid"].pose.rotation, a.parts["Lid"].pose.position
    assert ZipFile(out).read("Lid.bin") == binary([*before, motion(place)], 3)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x01\x02", "Lid.bin: the geometry cannot be read: it is cut off"),
        (b"other" * 9, "Lid.bin: the geometry cannot be moved: it is not as FreeCAD writes it"),
        (binary([b"\x03"], 0), "Lid.bin: the geometry cannot be moved"),
    ],
)
def test_a_binary_solid_that_is_damaged_is_not_moved(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    path = two("Ball", tmp_path, NEAR)
    text = ZipFile(path).read("Document.xml").replace(b"Lid.brp", b"Lid.bin")
    save(path, text, {"Lid.bin": (data, ZIP_DEFLATED)})
    a = formats.read(path)
    asm.solve(a).require().apply()
    with pytest.raises(FormatError, match=reason):
        formats.write(a, path)


def test_a_distance_of_faces_that_are_stored_as_binary_needs_the_modeller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = one_bad(tmp_path)
    text = ZipFile(path).read("Document.xml").replace(b"Base.brp", b"Base.bin")
    save(path, text, {"Base.bin": (binary([], 0), ZIP_DEFLATED)})
    told = formats.read(path).notes[LEFT_OUT]["Spalt"]
    assert told == "the geometry of Face1 of Base: Base.bin: the geometry cannot be read"
    monkeypatch.setitem(sys.modules, "OCP.BinTools", None)
    told = formats.read(path).notes[LEFT_OUT]["Spalt"]
    assert "geometry that is stored as binary needs an optional program" in told


# ------------------------------------------------------------------------------------- joints
A_FRAME, B_FRAME = at(10, 0, 5, axis=(1, 1, 0), angle=40), at(-3, 4, 0, axis=(0, 1, 2), angle=70)


def two(
    kind: str,
    folder: Path,
    start: Placement = HERE,
    elements: tuple[str, str] = ("Face1", "Face1"),
    **more: Any,
) -> Path:
    """A base, and a lid joined to it; the frames are in general position."""
    one, other = elements
    made = joint(kind, f"Base.{one}", f"Lid.{other}", frames=(A_FRAME, B_FRAME), **more)
    parts = [shaped(solid("Base")), shaped(solid("Lid", start))]
    return file_of(folder, assembly(parts, [grounded("Base"), made]))


def relative(path: Path) -> Array:
    """The second frame of the joint as seen from the first one, as solved and written, 4 x 4."""
    a = formats.read(path)
    asm.solve(a).apply()
    formats.write(a, path)
    found = placements(path)
    first, second = found["Base"] @ matrix(A_FRAME), found["Lid"] @ matrix(B_FRAME)
    out: Array = np.linalg.inv(first) @ second
    return out


NEAR = at(8, 3, 2, axis=(3, -1, 2), angle=35)

KINDS: dict[str, tuple[int, Callable[[Array], list[float]]]] = {
    "Fixed": (0, lambda m: [*m[:3, 3], m[0, 0] - 1, m[1, 1] - 1, m[2, 2] - 1]),
    "Revolute": (1, lambda m: [*m[:3, 3], m[0, 2], m[1, 2]]),
    "Cylindrical": (2, lambda m: [m[0, 3], m[1, 3], m[0, 2], m[1, 2]]),
    "Slider": (1, lambda m: [m[0, 3], m[1, 3], m[0, 0] - 1, m[1, 1] - 1, m[2, 2] - 1]),
    "Ball": (3, lambda m: [*m[:3, 3]]),
    "Parallel": (4, lambda m: [m[0, 2], m[1, 2]]),
    "Perpendicular": (5, lambda m: [m[2, 2]]),
}
"""Freedoms that a joint leaves, and what vanishes in the relative motion when it holds."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_leaves_its_freedoms_and_brings_its_frames_together(
    kind: str, tmp_path: Path
) -> None:
    path = two(kind, tmp_path, NEAR)
    dof, zeros = KINDS[kind]
    assert solved(path).dof == dof
    assert np.abs(zeros(relative(path))).max() < CLOSE


@pytest.mark.parametrize(("asked", "taken"), [(30, 30), (-30, 30), (200, 160), (180, 180)])
def test_an_angle_is_between_the_z_axes(asked: float, taken: float, tmp_path: Path) -> None:
    path = two("Angle", tmp_path, NEAR, Distance=float(asked))
    cosine = relative(path)[2, 2]
    assert cosine == pytest.approx(np.cos(np.radians(taken)), abs=CLOSE)
    assert solved(path).dof == (4 if taken == 180 else 5)


def test_an_angle_of_zero_is_two_parallel_axes_and_later_versions_name_it_angle(
    tmp_path: Path,
) -> None:
    assert solved(two("Angle", tmp_path, NEAR, Distance=0.0)).mates[0].kind == "parallel"
    later = two("Angle", tmp_path, NEAR, Distance=7.0, Angle=90.0)
    assert relative(later)[2, 2] == pytest.approx(0, abs=CLOSE)


@pytest.mark.parametrize("asked", [12.5, 0.0])
def test_a_distance_of_vertices_is_between_points(asked: float, tmp_path: Path) -> None:
    path = two("Distance", tmp_path, NEAR, ("Vertex3", "Vertex7"), Distance=asked)
    assert np.linalg.norm(relative(path)[:3, 3]) == pytest.approx(asked, abs=CLOSE)
    assert solved(path).dof == (5 if asked else 3)


def across(m: Array) -> float:
    return float(np.hypot(m[0, 3], m[1, 3]))


def tilt(m: Array) -> float:
    return float(np.hypot(m[0, 2], m[1, 2]))


D = 7.25

DISTANCES: dict[tuple[str, str], tuple[int, Callable[[Array], list[float]]]] = {
    ("plane", "plane"): (3, lambda m: [m[2, 3] - D, tilt(m)]),
    ("plane", "cylinder"): (4, lambda m: [m[2, 3] - D - 2, m[2, 2]]),
    ("plane", "sphere"): (5, lambda m: [m[2, 3] - D - 3]),
    ("plane", "torus"): (3, lambda m: [m[2, 3] - D, tilt(m)]),
    ("cylinder", "cylinder"): (3, lambda m: [across(m) - D - 4, tilt(m)]),
    ("cylinder", "sphere"): (5, lambda m: [across(m) - D - 5]),
    ("cylinder", "torus"): (3, lambda m: [across(m) - D - 2, tilt(m)]),
    ("torus", "torus"): (3, lambda m: [m[2, 3] - D, tilt(m)]),
    ("torus", "sphere"): (5, lambda m: [across(m) - D - 3]),
    ("sphere", "sphere"): (5, lambda m: [float(np.linalg.norm(m[:3, 3])) - D - 6]),
    ("plane", "vertex"): (5, lambda m: [m[2, 3] - D]),
    ("cylinder", "vertex"): (5, lambda m: [across(m) - D - 2]),
    ("sphere", "vertex"): (5, lambda m: [float(np.linalg.norm(m[:3, 3])) - D - 3]),
    ("line", "line"): (3, lambda m: [across(m) - D, tilt(m)]),
    ("line", "circle"): (3, lambda m: [across(m) - D - 1.5, tilt(m)]),
    ("circle", "circle"): (3, lambda m: [across(m) - D - 3, tilt(m)]),
    ("line", "vertex"): (5, lambda m: [across(m) - D]),
    ("circle", "vertex"): (5, lambda m: [m[2, 3] - D]),
    ("ellipse", "vertex"): (5, lambda m: [m[2, 3] - D]),
    ("plane", "line"): (4, lambda m: [m[2, 3] - D, m[2, 2]]),
}
"""Freedoms left, and what vanishes: FreeCAD's table, in the frame of the first element."""


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("pair", DISTANCES)
def test_a_distance_is_between_what_the_elements_are(
    pair: tuple[str, str], swapped: bool, tmp_path: Path
) -> None:
    one, other = map(element, reversed(pair) if swapped else pair)
    path = two("Distance", tmp_path, NEAR, (one, other), Distance=D)
    dof, zeros = DISTANCES[pair]
    assert solved(path).dof == dof
    m = relative(path)
    found = zeros(np.linalg.inv(m) if swapped and pair[0] != pair[1] else m)
    assert np.abs(found).max() < CLOSE


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("plane", "cone"), "a distance of Face1 of Base (plane) and Face3 of Lid (cone) has no"),
        (("line", "cylinder"), "Edge1 of Base (line) and Face2 of Lid (cylinder) has no meaning"),
        (("extruded", "vertex"), "Face6 of Base (surface)"),
        (("line", "ellipse"), "Edge3 of Lid (curve)"),
    ],
)
def test_a_pair_that_has_no_meaning_is_named(
    pair: tuple[str, str], words: str, tmp_path: Path
) -> None:
    path = two("Distance", tmp_path, NEAR, (element(pair[0]), element(pair[1])), Distance=D)
    assert words in formats.read(path).notes[LEFT_OUT]["Distance"]


def test_what_is_wrong_with_the_geometry_of_a_distance_is_said(tmp_path: Path) -> None:
    path = two("Distance", tmp_path, NEAR, ("Face1", "Face9"), Distance=D)
    said = formats.read(path).notes[LEFT_OUT]["Distance"]
    assert said == "the geometry of Face9 of Lid: Lid.brp: there is no Face9, only 6"
    text = ZipFile(path).read("Document.xml")
    faults = {
        "there is no Base.brp in it": {},
        "it has no Locations": {"Base.brp": (b"\xff", ZIP_DEFLATED)},
        "3 shapes are announced": {"Base.brp": (b"\nLocations 0\nTShapes 3\n", ZIP_DEFLATED)},
    }
    for words, shape in faults.items():
        save(path, text, {**OTHERS, **shape})
        reason = formats.read(path).notes[LEFT_OUT]["Distance"]
        assert reason.startswith("the geometry of Face1 of Base") and words in reason


def test_a_distance_below_what_radii_take_up_is_refused_and_none_is_contact(tmp_path: Path) -> None:
    pair = (element("cylinder"), element("cylinder"))
    path = two("Distance", tmp_path, NEAR, pair, Distance=-5.0)
    assert "asks for -1 mm" in formats.read(path).notes[LEFT_OUT]["Distance"]
    path = two("Distance", tmp_path, NEAR, pair, Distance=-4.0)
    assert across(relative(path)) < CLOSE  # on one axis
    path = two("Distance", tmp_path, NEAR, (element("plane"),) * 2, Distance=-4.0)
    assert relative(path)[2, 3] == pytest.approx(-4, abs=CLOSE)


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Cylindrical", "Slider", "Parallel"])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0)])
def test_faces_joined_face_to_face_hold_as_they_are(
    kind: str, axis: tuple[int, ...], tmp_path: Path
) -> None:
    """FreeCAD's equations do not tell a frame from one that is half a turn away."""
    opposed = matrix(A_FRAME) @ matrix(((0, 0, 0), axis, 180)) @ np.linalg.inv(matrix(B_FRAME))
    path = two(kind, tmp_path, placement_of(opposed))
    found = solved(path)
    assert found and found.residual < 1e-12  # mm: rounding of 16 decimals
    assert found.best_poses["Lid"] == found.assembly.pose("Lid")


@pytest.mark.parametrize(("axis", "word"), [((1, 0, 0), "x"), ((0, 1, 0), "y"), ((0, 0, 1), "z")])
def test_a_fixed_joint_that_is_stored_half_a_turn_apart_stays_so_and_is_told(
    axis: tuple[int, ...], word: str, tmp_path: Path
) -> None:
    """Up to 45 degrees beside it; farther off it means equal frames, as it does beside those."""
    half = matrix(((0, 0, 0), axis, 180))
    for aside, left in ((0, 180), (20, 180), (44, 180), (46, 0), (70, 0)):
        beside = matrix(((0, 0, 0), (axis[1], axis[2], axis[0]), aside))
        stored = matrix(A_FRAME) @ beside @ half @ np.linalg.inv(matrix(B_FRAME))
        path = two("Fixed", tmp_path, placement_of(stored))
        told = formats.read(path).notes.get(READ_AS, {})
        kept = {"Fixed": f"its frames are stored half a turn about {word} apart, and stay so"}
        assert told == (kept if left else {})
        expected = half if left else np.eye(4)
        np.testing.assert_allclose(relative(path), expected, atol=CLOSE)


def placement_of(m: Array) -> Placement:
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_matrix(m[:3, :3]).as_rotvec()
    angle = float(np.linalg.norm(turn))
    return (m[:3, 3].tolist(), (turn / angle).tolist(), float(np.degrees(angle)))


def test_offsets_are_in_the_placements_already(tmp_path: Path) -> None:
    """FreeCAD stores `Placement1` with `Offset1` applied; its solver reads the former alone."""
    ball = joint("Ball", "Base.Vertex1", "Lid.Vertex1", frames=(A_FRAME, B_FRAME))
    ball.properties["Offset1"] = placement_xml(at(9, 9, 9))
    things = assembly([solid("Base"), solid("Lid", NEAR)], [grounded("Base"), ball])
    assert np.abs(relative(file_of(tmp_path, things))[:3, 3]).max() < CLOSE


# -------------------------------------------------------------------------------------- limits
@pytest.mark.parametrize("made", EXCAVATOR)
def test_the_limits_of_freecads_excavator_are_read_and_do_not_move_it(made: Made) -> None:
    a = made()
    found = asm.solve(a).require()
    bounds = {(x.joint, x.coordinate): (x.min, x.max) for x in a.limits.values()}
    assert bounds["Slider", "length"] == (None, 80)
    assert bounds["Revolute001", "angle"] == (-45, 45)
    assert len(bounds) == 6
    assert found.best_poses == {p.name: p.pose for p in a.parts.values()}


@pytest.mark.parametrize("opposed", [False, True])
def test_a_limited_cylinder_stops_at_the_length_and_the_angle_that_freecad_shows(
    opposed: bool, tmp_path: Path
) -> None:
    """FreeCAD tells the second frame in the first: its height, and where its x axis points."""
    inside = matrix(at(0, 0, 50, angle=100)) @ (matrix(FLIP) if opposed else np.eye(4))
    start = matrix(A_FRAME) @ inside @ np.linalg.inv(matrix(B_FRAME))
    more = {"EnableLengthMax": True, "EnableAngleMin": True, "EnableAngleMax": True}
    more |= {"LengthMax": 40.0, "AngleMin": 80.0, "AngleMax": -30.0}  # swapped, as it may be
    path = two("Cylindrical", tmp_path, placement_of(start), **more)
    m = relative(path)
    assert m[2, 3] == pytest.approx(40, abs=CLOSE)
    assert np.degrees(np.arctan2(m[1, 0], m[0, 0])) == pytest.approx(80, abs=1e-7)
    assert solved(path).dof == 2


# ----------------------------------------------------------------------------------- couplings
FLIP = ((0, 0, 0), (1, 0, 0), 180)


def flipped(frame: Placement, yes: bool) -> Placement:
    return placement_of(matrix(frame) @ matrix(FLIP)) if yes else frame


def turned(pose: asm.Pose, axis: Array) -> float:
    """By how much a pose is turned about an axis, degrees, up to half a turn."""
    w, *v = pose.quaternion_wxyz
    return float(np.degrees(2 * np.arctan2(np.dot(v, axis), w)))


Z, DOWN = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])
WAYS = [(swap, flip, other) for swap in (0, 1) for flip in (0, 1) for other in (0, 1)]
"""The joint names the wheel second, its axis points down, the coupling's own frame points down."""


def wheels(kind: str, folder: Path, way: tuple[int, int, int], **more: Any) -> Path:
    """Two wheels on a base, 30 mm apart, on axes along z; the second in one of the `WAYS`."""
    swap, flip, other = way
    first = joint("Revolute", "Base.Edge1", "One.Edge1", name="R1", frames=(HERE, HERE))
    ends = [("Base.Edge2", flipped(at(30, 0, 0), bool(flip))), ("Two.Edge1", HERE)]
    (a, fa), (b, fb) = ends[::-1] if swap else ends
    second = joint("Revolute", a, b, name="R2", frames=(fa, fb))
    own = (at(0, 0, 4), flipped(at(0, 0, 5), bool(other)))
    made = joint(kind, "One.Face1", "Two.Face1", frames=own, **more)
    parts = [solid("Base"), solid("One"), solid("Two", at(30, 0, 0))]
    return file_of(folder, assembly(parts, [grounded("Base"), made, first, second]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "ratio"), [("Gears", -0.5), ("Belt", 0.5)])
def test_wheels_turn_by_their_radii_however_their_joints_are_made(
    kind: str, ratio: float, way: tuple[int, int, int], tmp_path: Path
) -> None:
    path = wheels(kind, tmp_path, way, Distance=10.0, Distance2=20.0)
    a = formats.read(path)
    a.drive("turn", "R1", value=40)
    found = asm.solve(a).require()
    assert found.dof == 1
    assert turned(found.best_poses["One"], Z) == pytest.approx(40, abs=1e-6)  # degrees
    own = DOWN if way[2] else Z  # FreeCAD tells each turn about z of the coupling's own frame
    assert turned(found.best_poses["Two"], own) == pytest.approx(40 * ratio, abs=1e-6)


def slide_and_turn(kind: str, folder: Path, way: tuple[int, int, int], **more: Any) -> Path:
    """A slide along x (of a screw: z) and a wheel about z, both on a base."""
    swap, flip, other = way
    along = HERE if kind == "Screw" else at(0, 0, 0, axis=(0, 1, 0), angle=90)
    ends = [("Base.Edge1", flipped(along, bool(flip))), ("Slide.Edge1", flipped(along, bool(flip)))]
    (a, fa), (b, fb) = ends[::-1] if swap else ends
    rail = joint("Slider", a, b, name="S", frames=(fa, fb))
    pin = joint("Revolute", "Base.Edge2", "Wheel.Edge1", name="R", frames=(HERE, HERE))
    made = joint(
        kind, "Slide.Face1", "Wheel.Face1", frames=(flipped(along, bool(other)), HERE), **more
    )
    parts = [solid("Base"), solid("Slide"), solid("Wheel")]
    return file_of(folder, assembly(parts, [grounded("Base"), rail, pin, made]))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("way", WAYS)
def test_a_rack_moves_by_the_radius_however_its_joints_are_made(
    way: tuple[int, int, int], sign: int, tmp_path: Path
) -> None:
    """FreeCAD after 1.0 lets the radius be negative: the rack then goes the other way."""
    a = formats.read(slide_and_turn("RackPinion", tmp_path, way, Distance=12.0 * sign))
    a.drive("turn", "R", value=60)
    found = asm.solve(a).require()
    assert found.dof == 1
    moved = found.best_poses["Slide"].position[0]
    # x of the rack - radius x turn stays, with x along z of the coupling's frame in the rack
    assert moved == pytest.approx(sign * (-1 if way[2] else 1) * 12 * np.radians(60), abs=1e-6)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("way", WAYS)
def test_a_nut_moves_against_a_turning_screw_by_its_pitch(
    way: tuple[int, int, int], sign: int, tmp_path: Path
) -> None:
    """A negative pitch, of FreeCAD after 1.0, is that of a left-handed thread."""
    a = formats.read(slide_and_turn("Screw", tmp_path, way, Distance=3.0 * sign))
    a.drive("turn", "R", value=90)
    found = asm.solve(a).require()
    assert found.dof == 1
    assert found.best_poses["Slide"].position[2] == pytest.approx(-sign * 3 / 4, abs=1e-6)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("flip", [False, True])
def test_a_screw_on_a_cylindrical_joint_moves_by_its_pitch(
    swapped: bool, flip: bool, tmp_path: Path
) -> None:
    ends = ("Base.Edge1", "Bolt.Edge1")
    frame = flipped(HERE, flip)
    hole = joint("Cylindrical", *(ends[::-1] if swapped else ends), name="C", frames=(frame, frame))
    made = joint("Screw", "Base.Face1", "Bolt.Face1", Distance=3.0)
    path = file_of(
        tmp_path, assembly([solid("Base"), solid("Bolt")], [grounded("Base"), hole, made])
    )
    a = formats.read(path)
    a.drive("turn", "C", "angle", value=-90 if flip != swapped else 90)
    found = asm.solve(a).require()
    assert found.dof == 1
    assert turned(found.best_poses["Bolt"], Z) == pytest.approx(90, abs=1e-6)
    assert found.best_poses["Bolt"].position[2] == pytest.approx(3 / 4, abs=1e-6)


def test_a_gear_fixed_to_a_shaft_turns_on_the_joint_of_the_shaft(tmp_path: Path) -> None:
    path = wheels("Gears", tmp_path, (0, 0, 0), Distance=10.0, Distance2=20.0)
    text = ZipFile(path).read("Document.xml").decode().replace("One.Edge1", "Shaft.Edge1")
    key = joint("Fixed", "Shaft.Face1", "One.Face1", name="Key")
    text = text.replace("</ObjectData>", solid("Shaft").xml() + key.xml() + "</ObjectData>")
    text = text.replace(
        "</Objects>",
        '<Object type="Part::Box" name="Shaft"/>'
        '<Object type="App::FeaturePython" name="Key"/></Objects>',
    )
    text = text.replace('<Link value="One"/>', '<Link value="One"/><Link value="Shaft"/>')
    text = text.replace('<Link value="R1"/>', '<Link value="R1"/><Link value="Key"/>')
    a = formats.read(save(path, text))
    a.drive("turn", "R1", value=40)
    found = asm.solve(a).require()
    assert turned(found.best_poses["Two"], Z) == pytest.approx(-20, abs=1e-6)


@pytest.mark.parametrize("flip", [False, True])
def test_gears_that_slide_on_their_shafts_turn_by_their_radii(flip: bool, tmp_path: Path) -> None:
    """Base - shaft (hinge) - sleeve (slide along it) - wheel (fixed), and a wheel on a post.

    The post turns on the base about the second wheel's axis: both turns count.
    """
    own = flipped(HERE, flip)
    beside = at(30, 0, 0)
    joints = [
        joint("Revolute", "Base.Edge1", "Shaft.Edge1", name="R1"),
        joint("Slider", "Sleeve.Edge1", "Shaft.Edge2", name="S", frames=(own, own)),
        joint("Fixed", "Sleeve.Face1", "One.Face1", name="Key"),
        joint(
            "Revolute", "Post.Edge1", "Base.Edge2", name="R2", frames=(own, flipped(beside, flip))
        ),
        joint("Revolute", "Post.Edge2", "Two.Edge1", name="R3"),
        joint("Gears", "One.Face2", "Two.Face2", name="G", Distance=10.0, Distance2=20.0),
    ]
    parts = [
        solid(n, beside if n in ("Post", "Two") else HERE)
        for n in ("Base", "Shaft", "Sleeve", "One", "Post", "Two")
    ]
    path = file_of(tmp_path, assembly(parts, [grounded("Base"), *joints]))
    a = formats.read(path)
    assert LEFT_OUT not in a.notes
    a.drive("first", "R1", value=40)
    a.drive("post", "R2", value=7)
    a.drive("along", "S", value=3)
    found = asm.solve(a).require()
    assert (found.dof, found.dof_left) == (3, 0)
    assert turned(found.best_poses["One"], Z) == pytest.approx(40, abs=1e-6)
    # against the base, whatever the post does
    assert turned(found.best_poses["Two"], Z) == pytest.approx(-20, abs=1e-6)


def test_a_coupling_without_its_joints_is_named(tmp_path: Path) -> None:
    made = joint("Gears", "Base.Face1", "Lid.Face1", Distance=10.0, Distance2=20.0)
    path = file_of(tmp_path, assembly([solid("Base"), solid("Lid")], [made]))
    said = formats.read(path).notes[LEFT_OUT]["Gears"]
    assert said.startswith("no joints are there on which Face1 of Base and Face1 of Lid both turn")
    path = wheels("Gears", tmp_path, (0, 0, 0), Distance=0.0, Distance2=20.0)
    assert formats.read(path).notes[LEFT_OUT]["Gears"] == "its radii are 0 and 20 mm"


# ---------------------------------------------------------------------------------- references
INNER, DEEPER, PLACE = (
    at(5, -2, 7, axis=(1, 2, 2), angle=50),
    at(1, 2, 3, axis=(0, 1, 0), angle=-25),
    at(30, 10, -5, axis=(1, 0, 1), angle=80),
)


def pivot(folder: Path, parts: Iterable[Thing], others: Iterable[Thing], reference: str) -> Path:
    """A base with a ball joint to something: the path and what it leads to are the test's."""
    ball = joint("Ball", "Base.Vertex1", reference, frames=(A_FRAME, B_FRAME))
    parts = [solid("Base"), *parts]
    return file_of(folder, [*assembly(parts, [grounded("Base"), ball]), *others])


def meets(path: Path, *chain: str) -> tuple[list[str], float]:
    """Parts, and how far the ball's ends are apart after solving and writing, mm.

    The second end is in the last object of a chain of placements that begins at the assembly.
    """
    a = formats.read(path)
    asm.solve(a).require().apply()
    formats.write(a, path)
    found = placements(path)
    end = np.eye(4)
    for name in chain:
        end = end @ found[name]
    gap = (end @ matrix(B_FRAME))[:3, 3] - (found["Base"] @ matrix(A_FRAME))[:3, 3]
    return [*a.parts], float(np.linalg.norm(gap))


def test_a_body_in_a_part_moves_with_the_part(tmp_path: Path) -> None:
    body = group("PartDesign::Body", "Body", ["Pad"], INNER)
    part = group("App::Part", "Part", ["Body"], PLACE)
    others = [body, solid("Pad", DEEPER, kind="PartDesign::Pad")]
    path = pivot(tmp_path, [part], others, "Part.Body.Pad.Vertex2")
    names, gap = meets(path, "Part", "Body")
    assert names == ["Base", "Part"] and gap < CLOSE
    with ZipFile(path) as archive:  # what is in the part has not moved
        assert placement_xml(INNER) in archive.read("Document.xml").decode()


def test_a_coordinate_system_in_a_body_has_a_place_of_its_own(tmp_path: Path) -> None:
    body = group("PartDesign::Body", "Body", ["LCS"], INNER)
    system = solid("LCS", DEEPER, kind="PartDesign::CoordinateSystem")
    path = pivot(tmp_path, [body], [system], "Body.LCS.")
    names, gap = meets(path, "Body", "LCS")
    assert names == ["Base", "Body"] and gap < CLOSE


@pytest.mark.parametrize(
    ("version", "chain"), [("1.0.0R39109", ["Body"]), ("1.1.0R44000", ["Body", "Origin", "Y_Axis"])]
)
def test_a_frame_on_the_origin_of_a_body_is_told_in_the_body_before_freecad_1_1(
    tmp_path: Path, version: str, chain: list[str]
) -> None:
    body = group("PartDesign::Body", "Body", ["Origin"], INNER)
    axis = solid("Y_Axis", DEEPER, kind="App::Line")
    ball = joint("Ball", "Base.Vertex1", "Body.Origin.Y_Axis.", frames=(A_FRAME, B_FRAME))
    things = assembly([solid("Base"), body], [grounded("Base"), ball])
    others = [group("App::Origin", "Origin", ["Y_Axis"]), axis]
    path = save(tmp_path / "made.FCStd", document([*things, *others], version))
    assert meets(path, *chain)[1] < CLOSE


def test_a_document_with_mates_of_the_add_on_alone_is_sent_to_freecad(tmp_path: Path) -> None:
    mate = Thing("App::FeaturePython", "Mate", {"MateKind": '<Integer value="0"/>'})
    path = save(tmp_path / "made.FCStd", document([solid("Box"), mate], "0.20R29177"))
    with pytest.raises(FormatError, match="its mates are those of the add-on for FreeCAD; solve"):
        formats.read(path)


def test_an_element_that_freecad_marked_as_lost_is_told(tmp_path: Path) -> None:
    path = pivot(tmp_path, [solid("Box")], [], "Box.?Vertex2")
    notes = formats.read(path).notes[LEFT_OUT]
    assert notes == {"Ball": "Vertex2 of Box is gone: the shape was changed"}


def test_a_link_to_a_part_leads_to_the_bodies_in_it(tmp_path: Path) -> None:
    part = group("App::Part", "Part", ["Body"], at(900, 0, 0))
    others = [part, group("PartDesign::Body", "Body", [], INNER)]
    path = pivot(tmp_path, [link("Copy", "Part", PLACE)], others, "Copy.Body.Vertex2")
    names, gap = meets(path, "Copy", "Body")
    assert names == ["Base", "Copy"] and gap < CLOSE


def test_a_link_that_adds_the_placement_of_its_part_is_told(tmp_path: Path) -> None:
    """FreeCAD draws it there, and neither its joints nor its solver see that."""
    copy = link("Copy", "Part", PLACE)
    copy.properties["LinkTransform"] = '<Bool value="true"/>'
    for own, told in ((at(900, 0, 0), 1), (at(0, 0, 0), 0)):
        part = group("App::Part", "Part", ["Body"], own)
        others = [part, group("PartDesign::Body", "Body", [], INNER)]
        path = pivot(tmp_path, [copy], others, "Copy.Body.Vertex2")
        left_out = formats.read(path).notes.get(LEFT_OUT, {})
        assert len(left_out) == told
        assert all("'Copy' adds the placement of Part" in why for why in left_out.values())


def test_a_link_to_a_link_to_a_body_moves_alone(tmp_path: Path) -> None:
    others = [link("First", "Body", at(7, 7, 7)), group("PartDesign::Body", "Body", [], INNER)]
    path = pivot(tmp_path, [link("Second", "First", PLACE)], others, "Second.Vertex2")
    names, gap = meets(path, "Second")
    assert names == ["Base", "Second"] and gap < CLOSE
    with ZipFile(path) as archive:
        text = archive.read("Document.xml").decode()
    body = text[text.rindex('<Object name="Second"') :].split("</Object>")[0]
    one, two = re.findall("<PropertyPlacement .*?/>", body)
    assert one == two != placement_xml(PLACE)  # Placement and LinkPlacement say the same


def test_groups_are_passed_through(tmp_path: Path) -> None:
    outer = group("App::DocumentObjectGroup", "Outer", ["Inner"], None)
    inner = group("App::DocumentObjectGroup", "Inner", ["Box"], None)
    path = pivot(tmp_path, [outer], [inner, solid("Box", PLACE)], "Outer.Inner.Box.Vertex2")
    names, gap = meets(path, "Box")
    assert names == ["Base", "Box"] and gap < CLOSE


def test_a_sketch_is_a_part_where_a_joint_names_it_and_is_written(tmp_path: Path) -> None:
    sketches = [solid(n, PLACE, kind="Sketcher::SketchObject") for n in ("Lines", "Other")]
    path = pivot(tmp_path, sketches, [], "Lines.Vertex2")
    names, gap = meets(path, "Lines")
    assert names == ["Base", "Lines"] and gap < CLOSE


def test_joints_in_a_group_of_the_joint_group_count(tmp_path: Path) -> None:
    path = pivot(tmp_path, [solid("Box", PLACE)], [], "Box.Vertex2")
    text = ZipFile(path).read("Document.xml").decode()
    inner = group("App::DocumentObjectGroup", "Inner", ["Ball"], None)
    text = text.replace('<Link value="Ball"/>', '<Link value="Inner"/>')
    text = text.replace("</Objects>", f'<Object type="{inner.type}" name="Inner"/></Objects>')
    save(path, text.replace("</ObjectData>", inner.xml() + "</ObjectData>"))
    assert [*formats.read(path).mates] == ["Ball"]


def array(placement: Placement, copies: Iterable[str]) -> Thing:
    found = link("Array", "Box", placement)
    members = group("", "", copies).properties["Group"]
    found.properties |= {"ElementCount": '<Integer value="2"/>', "ElementList": members}
    return found


def test_copies_of_a_link_array_move_one_by_one(tmp_path: Path) -> None:
    copies = [link(f"Array_i{k}", "Box", PLACE) for k in range(2)]
    for copy in copies:
        copy.type = "App::LinkElement"
    things = [array(INNER, [c.name for c in copies])]
    path = pivot(tmp_path, things, [*copies, solid("Box")], "Array.Array_i1.Vertex2")
    names, gap = meets(path, "Array", "Array_i1")
    assert names == ["Base", "Array_i0", "Array_i1"] and gap < CLOSE


def sub_assembly(folder: Path, rigid: bool, root: str) -> Path:
    """A file with a sub-assembly of another one, whose joint is told from a root."""
    sub = group("Assembly::AssemblyLink", "Sub", ["SubJoints", "Arm", "Hand"], INNER)
    sub.properties["Rigid"] = f'<Bool value="{str(rigid).lower()}"/>'
    sub.properties["LinkedObject"] = '<XLink file="elsewhere.FCStd" stamp="" name="Assembly"/>'
    others = [
        group("Assembly::JointGroup", "SubJoints", ["Wrist"], None),
        link("Arm", "Box", PLACE),
        link("Hand", "Box", PLACE),
        solid("Box"),
        joint("Revolute", "Arm.Face1", "Hand.Face1", name="Wrist", root=root),
    ]
    return pivot(folder, [sub], others, "Sub.Arm.Vertex2")


@pytest.mark.parametrize("rigid", [True, False])
def test_a_flexible_sub_assembly_gives_its_parts_and_joints(rigid: bool, tmp_path: Path) -> None:
    path = sub_assembly(tmp_path, rigid, "Sub")
    names, gap = meets(path, "Sub", "Arm")
    assert gap < CLOSE
    assert names == (["Base", "Sub"] if rigid else ["Base", "Arm", "Hand"])
    assert solved(path).dof == (3 if rigid else 4)


def test_a_sub_assembly_of_a_file_that_cannot_be_read_leaves_out_its_joint_alone(
    tmp_path: Path,
) -> None:
    """The joint still refers to the linked assembly, which the file would have to tell."""
    (tmp_path / "elsewhere.FCStd").write_bytes(b"no zip")
    a = formats.read(sub_assembly(tmp_path, False, "Linked"))
    assert [*a.mates] == ["Ball"]
    why = a.notes[LEFT_OUT]["Wrist"]
    assert why.startswith("it leads into another file: elsewhere.FCStd: this is no FreeCAD file")


def test_the_origin_of_the_assembly_stands_still(tmp_path: Path) -> None:
    ball = joint("Ball", "Origin.XY_Plane.", "Box.Vertex1", frames=(A_FRAME, B_FRAME))
    things = assembly([solid("Box", PLACE)], [ball])
    things[0].properties["Origin"] = '<Link value="Origin"/>'
    things += [
        group("App::Origin", "Origin", ["XY_Plane"], None),
        solid("XY_Plane", kind="App::Plane"),
    ]
    found = solved(file_of(tmp_path, things))
    assert (found.dof, found.grounded) == (3, ["Origin"])


def test_what_a_later_freecad_puts_among_the_joints_is_named_and_not_passed_over(
    tmp_path: Path,
) -> None:
    unknown = Thing("App::FeaturePython", "Magnet", {"Label": '<String value="Kit"/>'})
    things = assembly([solid("A"), solid("B")], [grounded("A"), unknown])
    found = asm.diagnose(formats.read(file_of(tmp_path, things)))
    assert found.left_out == {"Kit": "it is no joint and grounds nothing: of a later FreeCAD"}
    assert "left out of the file and not held: Kit" in found.sentence


def test_a_link_may_lead_into_another_file(tmp_path: Path) -> None:
    part = group("App::Part", "Part", ["Body"], at(900, 0, 0))
    body = group("PartDesign::Body", "Body", [], INNER)
    file_of(tmp_path, [part, body], "other.FCStd")
    copy = link("Copy", "Part", PLACE, file="other.FCStd")
    path = pivot(tmp_path, [copy], [], "Copy.Body.Vertex2")
    with_inner = formats.read(path).parts["Copy"].features["Ball"].frame[:3]
    expected = matrix(INNER) @ matrix(B_FRAME)
    np.testing.assert_allclose(with_inner, expected[:3, 3], atol=1e-12)  # mm, rounding
    (tmp_path / "other.FCStd").unlink()
    assert "other.FCStd, which is not there" in formats.read(path).notes[LEFT_OUT]["Ball"]


# --------------------------------------------------------------------------------------- names
def test_labels_name_parts_and_joints_and_are_made_unique(tmp_path: Path) -> None:
    parts = [solid("Box", label="Träger & <Süd>"), solid("Box001", NEAR, label="Träger & <Süd>")]
    pins = [
        joint("Ball", "Box.Vertex1", "Box001.Vertex1", name="J1", label="Zapfen links"),
        joint("Ball", "Box.Vertex2", "Box001.Vertex2", name="J2", label="Zapfen links"),
    ]
    a = formats.read(file_of(tmp_path, assembly(parts, [grounded("Box"), *pins], label="Kran")))
    assert a.name == "Kran"
    assert [*a.parts] == ["Träger & <Süd>", "Träger & <Süd> (Box001)"]
    assert [*a.mates] == ["Zapfen links", "Zapfen links (J2)"]


def test_a_converted_file_gives_the_same_diagnosis_and_can_still_be_written(
    tmp_path: Path, run: Run
) -> None:
    source, native = two("Revolute", tmp_path, NEAR, label="Gelenk"), tmp_path / "x.assembly.json"
    assert run("convert", source, native)[0] == 0
    one, two_ = (json.loads(run("diagnose", p, "--json")[1]) for p in (source, native))
    for found in (one, two_):
        del found["seconds"]
    assert one == two_
    out = tmp_path / "out.FCStd"
    assert run("solve", native, "-o", out)[0] == 0
    assert placement_texts_differ_alone(source, out, "Lid.brp") == {"Lid"}


# ------------------------------------------------------------------------------ what is not held
def test_a_joint_that_is_switched_off_is_left_out_and_said(tmp_path: Path) -> None:
    for key, value in (("Activated", False), ("Suppressed", True)):
        path = two("Fixed", tmp_path, NEAR, label="Schloss", **{key: value})
        found = solved(path)
        assert (found.held, found.suppressed) == (["Lid"], ["Schloss"])
        assert "switched off in the file: Schloss" in found.sentence
        assert formats.read(path).notes[SUPPRESSED] == ["Schloss"]


def one_bad(folder: Path) -> Path:
    """A hinge that is understood and a distance that is not."""
    made = [
        joint("Revolute", "Base.Edge1", "Lid.Edge1", frames=(A_FRAME, B_FRAME)),
        joint("Distance", "Base.Face1", "Lid.Face3", label="Spalt"),
    ]
    parts = [shaped(solid("Base")), shaped(solid("Lid", NEAR, label="Deckel"))]
    return file_of(folder, assembly(parts, [grounded("Base"), *made]))


def test_a_joint_that_is_not_understood_is_told_and_stops_a_write(tmp_path: Path, run: Run) -> None:
    path, out = one_bad(tmp_path), tmp_path / "out.FCStd"
    status, text, _ = run("diagnose", path)
    words = " ".join(text.split())
    assert status == 1
    assert "1 degree of freedom" in words
    assert "Spalt: a distance of Face1 of Base (plane) and Face3 of Deckel (cone) has no" in words
    status, text, err = run("solve", path, "-o", out, "--json")
    assert (status, out.exists()) == (1, False) and "nothing written" in err
    assert json.loads(text)["left_out"][0]["name"] == "Spalt"
    assert run("solve", path, "-o", out, "--keep-going")[0] == 1
    assert placement_texts_differ_alone(path, out, "Lid.brp") == {"Lid"}


@pytest.mark.parametrize(
    ("kind", "first", "second", "reason"),
    [
        ("Ball", "Base.Vertex1", "Gone.Vertex1", "there is no object 'Gone'"),
        ("Ball", "Base.Vertex1", "Loose.Vertex1", "'Loose' is not in the assembly"),
        ("Ball", "Base.Vertex1", "Base.Vertex2", "both its ends are on Base"),
        ("Ball", "Base.Vertex1", "Text.Vertex1", "'Text' is no part that could move"),
        ("Ball", "Base.Vertex1", "", "it names no part of the assembly"),
        ("Distance", "Base.", "Lid.", "a distance of Base (whole object) and Lid (whole"),
    ],
)
def test_what_is_wrong_with_a_joint_is_said(
    kind: str, first: str, second: str, reason: str, tmp_path: Path
) -> None:
    made = joint(kind, first, second, label="J")
    text = group("App::TextDocument", "Text", [], None)
    parts = [solid("Base"), solid("Lid"), text]
    things = [*assembly(parts, [grounded("Base"), made]), solid("Loose")]
    assert formats.read(file_of(tmp_path, things)).notes[LEFT_OUT]["J"].startswith(reason)


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    path = pivot(tmp_path, [link("A", "B"), link("B", "A")], [], "A.X.Vertex2")
    assert "go round in a circle" in formats.read(path).notes[LEFT_OUT]["Ball"]


# --------------------------------------------------------------------------- several assemblies
def test_of_several_assemblies_one_is_chosen_by_name_or_label(tmp_path: Path, run: Run) -> None:
    first = assembly([solid("Box")], [])
    second = assembly([solid("Cone"), solid("Ball")], [], "Assembly001", "Getriebe")
    path = file_of(tmp_path, [*first, *second])
    status, _, err = run("diagnose", path)
    assert status == 2
    assert "Assembly, Assembly001 (Getriebe)" in err and "made.FCStd#Assembly" in err
    for choice in ("Assembly001", "Getriebe"):
        assert [*formats.read(f"{path}#{choice}").parts] == ["Cone", "Ball"]
    assert [*formats.read(f"{path}#Assembly").parts] == ["Box"]
    assert run("diagnose", f"{path}#Getrieb")[0] == 2


def test_an_assembly_in_an_assembly_is_a_part_of_it(tmp_path: Path) -> None:
    inner = assembly([solid("Cone")], [], "Inner")
    outer = assembly([solid("Box")], [])
    outer[0] = group("Assembly::AssemblyObject", "Assembly", ["Joints_Assembly", "Box", "Inner"])
    path = file_of(tmp_path, [*inner, *outer])
    assert [*formats.read(path).parts] == ["Box", "Inner"]


# -------------------------------------------------------------------------------------- bad files
BOMB = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><Document>&b;</Document>"
BAD: dict[str, tuple[bytes | str, str]] = {
    "not a zip": (b"PK but no more", "it is not a sound zip"),
    "broken XML": ("<Document><Objects></Document>", "line 1, column 22: this is not XML"),
    "no XML": (b"\xff\xfe\x00", "this is not XML"),
    "an entity": (BOMB, "a document type is declared"),
    "not a document": ("<html/>", "this is no document but <html>"),
    "no assembly": (document([solid("Box")], "0.20R1"), "there is no assembly in it"),
    "another workbench": (
        document([Thing("App::FeaturePython", "c", {"SubElement1": "<String/>"})]),
        "Assembly2",
    ),
    "not a number": (
        document(assembly([solid("Box")], [])).replace('Pz="0.0000000000000000"', 'Pz="nan"'),
        "Box.Placement.Pz: 'nan' is not possible here",
    ),
    "half a placement": (
        document(assembly([solid("Box")], [])).replace('Pz="0.0000000000000000"', ""),
        "Box.Placement: the placement has no Pz",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_file_is_one_line(fault: str, tmp_path: Path, run: Run) -> None:
    content, words = BAD[fault]
    path = tmp_path / "bad.FCStd"
    if fault == "not a zip":
        path.write_bytes(bytes(content))
    else:
        save(path, content)
    status, out, err = run("solve", path, "-o", tmp_path / "out.FCStd")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert not (tmp_path / "out.FCStd").exists()


def test_a_zip_without_a_document_and_one_that_unpacks_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bad.FCStd"
    with ZipFile(path, "w") as archive:
        archive.writestr("Other.xml", "")
    with pytest.raises(FormatError, match=r"no Document\.xml in it"):
        formats.read(path)
    monkeypatch.setattr("assembly_solver.formats.freecad.stored_document.LARGEST", 10_000)
    save(path, " " * 10_001)
    with pytest.raises(FormatError, match="larger than"):
        formats.read(path)


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, assembly([solid("Box")], []))
    raw = bytearray(path.read_bytes())
    raw[80:90] = b"\xff" * 10
    path.write_bytes(bytes(raw))
    with pytest.raises(FormatError, match=r"made\.FCStd"):
        formats.read(path)


def test_cut_and_changed_files_give_an_error_or_an_assembly(tmp_path: Path) -> None:
    whole = two("Slider", tmp_path, NEAR).read_bytes()
    text = ZipFile(tmp_path / "made.FCStd").read("Document.xml")
    rng = np.random.default_rng(3)
    path, read = tmp_path / "bad.FCStd", 0
    for k in range(120):
        raw = bytearray(whole if k % 2 else text)
        for at_ in rng.integers(0, len(raw), 3):
            raw[at_] = rng.integers(32, 127)
        if k % 2:
            path.write_bytes(bytes(raw))
        else:
            save(path, bytes(raw))
        try:
            read += len(formats.read(path).parts)
        except AssemblySolverError as error:
            assert "\n" not in str(error)
    assert read > 0


# ---------------------------------------------------------------------------------------- writing
def test_only_what_was_read_from_a_freecad_file_is_written_to_one(tmp_path: Path) -> None:
    a = asm.Assembly("own")
    a.add("part")
    with pytest.raises(FormatError, match="'own' was not read from one"):
        formats.write(a, tmp_path / "out.FCStd")
    a = formats.read(file_of(tmp_path, assembly([solid("Box")], [])))
    a.add("new")
    with pytest.raises(FormatError, match=r"part 'new' is not in made\.FCStd"):
        formats.write(a, tmp_path / "out.FCStd")
    (tmp_path / "made.FCStd").unlink()
    with pytest.raises(FormatError, match="is needed and not there"):
        formats.write(a, tmp_path / "out.FCStd")
    assert [*tmp_path.iterdir()] == []


def test_a_zip_whose_list_of_members_is_damaged_is_read_and_not_written(tmp_path: Path) -> None:
    path = file_of(tmp_path, assembly([solid("Box")], []))
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(b"PK\x01\x02")
    raw[entry + 32 : entry + 34] = b"\xff\x00"  # the last entry says that a comment follows
    path.write_bytes(bytes(raw))
    a = formats.read(path)
    a.move({"Box": asm.Pose((1, 2, 3))})
    with pytest.raises(FormatError, match="damaged"):
        formats.write(a, path)
    assert path.read_bytes() == bytes(raw)


def test_a_file_may_be_written_onto_itself(tmp_path: Path, run: Run) -> None:
    path = two("Ball", tmp_path, NEAR)
    assert run("solve", path, "-o", path)[0] == 0
    first = path.read_bytes()
    assert run("solve", path, "-o", path)[0] == 0
    assert path.read_bytes() == first  # what is solved stays as it is
    assert run("diagnose", path)[0] == 0


def test_a_member_in_the_middle_and_sizes_behind_the_data_are_replaced_too(tmp_path: Path) -> None:
    source, path = two("Ball", tmp_path, NEAR), tmp_path / "streamed.FCStd"
    with (
        ZipFile(source) as archive,
        open(path, "wb") as stream,
        ZipFile(Unseekable(stream), "w") as streamed,
    ):
        for name in reversed(archive.namelist()):
            streamed.writestr(name, archive.read(name), ZIP_DEFLATED)
    a = formats.read(path)
    asm.solve(a).require().apply()
    formats.write(a, tmp_path / "out.FCStd")
    with ZipFile(tmp_path / "out.FCStd") as archive:
        assert archive.testzip() is None
        assert archive.read("GuiDocument.xml") == OTHERS["GuiDocument.xml"][0]
    assert solved(tmp_path / "out.FCStd").residual < CLOSE


class Unseekable:
    """A stream that cannot go back: a zip written to it tells sizes behind the data."""

    def __init__(self, stream: Any) -> None:
        self.write, self.flush = stream.write, stream.flush


def test_a_freecad_file_is_a_sub_assembly_of_an_assembly_file(tmp_path: Path) -> None:
    box, arm = solid("Box"), solid("Arm", at(3, 4, 5))
    hinge = joint("Revolute", "Box.Face1", "Arm.Face1", frames=(at(10, 0, 0), at(0, 0, 2)))
    file_of(tmp_path, assembly([box, arm], [hinge, grounded("Box")]))
    parts = {
        "floor": {"grounded": True},
        "unit": {"assembly": "made.FCStd"},
        "loose": {"assembly": "made.FCStd", "rigid": False},
    }
    mates = [
        {"kind": "fixed", "a": "floor.origin", "b": "unit.Arm.origin"},
        {"kind": "fixed", "a": "floor.origin", "b": "loose.Box.origin"},
    ]
    tree = {"format": "assembly-solver/1", "parts": parts, "mates": mates}
    path = tmp_path / "whole.assembly.json"
    path.write_text(json.dumps(tree))
    solution = asm.solve(asm.read(path)).require()
    assert solution.dof == 1  # the hinge of the loose one
    # the hinge's frames coincide: the arm's origin is at (10, 0, -2) of the box
    assert solution.poses["unit"].apply((10, 0, -2)) == pytest.approx((0, 0, 0), abs=1e-9)
    assert solution.poses["loose.Arm"].position == pytest.approx((10, 0, -2), abs=1e-9)


def test_a_freecad_file_with_joints_left_out_is_no_sub_assembly(tmp_path: Path) -> None:
    one_bad(tmp_path)
    tree = {"format": "assembly-solver/1", "parts": {"unit": {"assembly": "made.FCStd"}}}
    path = tmp_path / "whole.assembly.json"
    path.write_text(json.dumps(tree))
    with pytest.raises(FormatError) as caught:
        asm.read(path)
    wanted = "parts.unit.assembly: made.FCStd: no mate stands for Spalt"
    assert str(caught.value) == wanted

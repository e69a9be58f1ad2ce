"""Documents as FreeCAD 1.1 and 1.2 write them: what changed since 1.0, made by hand."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from freecad_files import (
    Thing,
    assembly,
    at,
    document,
    grounded,
    group,
    joint,
    link,
    matrix,
    placement_xml,
    save,
    solid,
)

import assembly_solver as asm
from assembly_solver import formats
from assembly_solver.errors import FormatError
from assembly_solver.formats import LEFT_OUT, READ_AS, SUPPRESSED
from assembly_solver.formats.freecad import stored_document

pytestmark = pytest.mark.quick

BOX, LID, PIN = at(0, 0, 0), at(40, 5, 0, axis=(1, 2, 3), angle=25), at(3, -60, 9)
A_FRAME, B_FRAME = at(5, 10, 15, axis=(1, 0, 2), angle=40), at(-2, 4, 6, axis=(0, 3, 1), angle=70)
CLOSE = 1e-9
"""mm, and share of a unit vector: a normal solve reaches it."""


def file_of(folder: Path, things: list[Thing]) -> Path:
    return save(folder / "made.FCStd", document(things, "1.2.0R46661 (Git)"))


def rigid(*members: str, label: str = "Kit", suppressed: bool = False) -> Thing:
    """A rigid group as FreeCAD 1.2 writes one."""
    links = "".join(f'<Link value="{m}"/>' for m in members)
    found = {
        "Label": f'<String value="{label}"/>',
        "ObjectsToRigidGroup": f'<LinkList count="{len(members)}">{links}</LinkList>',
        "RigidSnapshot": '<String value="{}"/>',
        "Suppressed": f'<Bool value="{str(suppressed).lower()}"/>',
    }
    return Thing("App::FeaturePython", "RigidGroupJoint", found)


def newer(kind: str, first: str, second: str, **more: float | bool) -> Thing:
    """A joint whose references begin at the components: "Lid:Face1" is Face1 of Lid."""
    found = joint(kind, "", "", frames=(A_FRAME, B_FRAME), Suppressed=False, **more)
    for number, reference in zip("12", (first, second), strict=True):
        root, _, path = reference.partition(":")
        subs = f'<Sub value="{path}"/>' * 2
        found.properties[f"Reference{number}"] = (
            f'<XLink file="" stamp="" name="{root}" count="2">{subs}</XLink>'
        )
    return found


def three(folder: Path, *joints: Thing) -> Path:
    parts = [solid("Box", BOX), solid("Lid", LID), solid("Pin", PIN)]
    return file_of(folder, assembly(parts, [grounded("Box"), *joints]))


def seen(solution: asm.Solution, one: str, other: str) -> np.ndarray:
    """Pose of one part as seen from another, 4 x 4."""
    poses = (solution.poses[n] for n in (one, other))
    out = []
    for pose in poses:
        full = np.eye(4)
        full[:3, :3], full[:3, 3] = pose.rotation, pose.position
        out.append(full)
    return np.linalg.inv(out[0]) @ out[1]


# ---------------------------------------------------------------------------------- rigid groups
def test_a_rigid_group_moves_as_one_part(tmp_path: Path) -> None:
    before = np.linalg.inv(matrix(LID)) @ matrix(PIN)
    found = asm.solve(
        formats.read(three(tmp_path, rigid("Lid", "Pin"), newer("Ball", "Box:", "Lid:")))
    )
    assert (found.dof, [m.kind for m in found.mates]) == (3, ["fixed", "spherical"])
    assert np.abs(seen(found, "Lid", "Pin") - before).max() < CLOSE
    ball = np.linalg.inv(matrix(A_FRAME)) @ seen(found, "Box", "Lid") @ matrix(B_FRAME)
    assert np.abs(ball[:3, 3]).max() < CLOSE


def test_parts_in_a_rigid_group_with_a_grounded_one_stand_still(tmp_path: Path) -> None:
    found = asm.diagnose(formats.read(three(tmp_path, rigid("Box", "Lid", "Pin"))))
    assert (found.dof, found.redundant_equations) == (0, 0)
    assert [m.name for m in found.mates] == ["Kit (Lid)", "Kit (Pin)"]


def test_a_joint_between_parts_of_a_rigid_group_that_does_not_hold_contradicts_it(
    tmp_path: Path,
) -> None:
    found = asm.solve(
        formats.read(three(tmp_path, rigid("Lid", "Pin"), newer("Ball", "Lid:", "Pin:")))
    )
    assert found.conflicts[0]["mates"] == ["Kit", "Ball"]


def test_a_suppressed_rigid_group_holds_nothing(tmp_path: Path) -> None:
    a = formats.read(three(tmp_path, rigid("Lid", "Pin", suppressed=True)))
    assert (a.notes[SUPPRESSED], asm.diagnose(a).held) == (["Kit"], ["Lid", "Pin"])


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        (["Lid"], "it is a rigid group of fewer than two parts"),
        (["Lid", "Lid"], "it is a rigid group of fewer than two parts"),
        (["Lid", "Note"], "'Note' is no part of the assembly that could move"),
    ],
)
def test_a_rigid_group_that_cannot_be_held_is_named(
    members: list[str], reason: str, tmp_path: Path
) -> None:
    path = three(tmp_path, rigid(*members))
    assert formats.read(path).notes[LEFT_OUT] == {"Kit": reason}


def test_two_parts_of_one_label_in_a_rigid_group_are_told_apart(tmp_path: Path) -> None:
    parts = [solid(n, label="Bolt") for n in ("Bolt", "Bolt001", "Bolt002")]
    things = assembly(parts, [grounded("Bolt"), rigid("Bolt", "Bolt001", "Bolt002")])
    found = formats.read(file_of(tmp_path, things))
    assert [*found.mates] == ["Kit (Bolt)", "Kit (Bolt002)"]


# ------------------------------------------------------------------------- properties of joints
JOINT = {
    *("JointType", "Reference1", "Placement1", "Detach1", "Offset1", "Reference2", "Placement2"),
    *("Detach2", "Offset2", "Angle", "Distance", "Distance2", "Suppressed", "LengthMin"),
    *("LengthMax", "AngleMin", "AngleMax", "EnableLengthMin", "EnableLengthMax"),
    *("EnableAngleMin", "EnableAngleMax"),
}
"""All that JointObject.py of FreeCAD after 1.0 adds to a joint (`Joint.createProperties`)."""

IN_THE_PLACEMENTS = {"Detach1", "Detach2", "Offset1", "Offset2"}
"""What is not read: FreeCAD stores placements that have it in them already."""


def test_every_property_of_a_joint_is_read_or_named_as_not_read() -> None:
    assert JOINT - stored_document.WANTED == IN_THE_PLACEMENTS
    page = (Path(__file__).parents[3] / "docs/other_formats.md").read_text("utf-8")
    told = page[page.index("## What is read of FreeCAD") :]
    assert [name for name in sorted(JOINT) if f"`{name}`" not in told] == []


def test_offsets_are_in_the_placements_and_are_not_added_again(tmp_path: Path) -> None:
    plain, moved = (newer("Revolute", "Box:Edge1", "Lid:Edge1") for _ in range(2))
    for number in "12":
        moved.properties[f"Offset{number}"] = placement_xml(at(7, 8, 9, angle=30))
        moved.properties[f"Detach{number}"] = '<Bool value="true"/>'
    one, other = (asm.solve(formats.read(three(tmp_path, made))) for made in (plain, moved))
    assert one.poses == other.poses


@pytest.mark.parametrize(("value", "kind"), [(35.0, "angle"), (0.0, "parallel")])
def test_an_angle_stands_in_a_property_of_its_own(value: float, kind: str, tmp_path: Path) -> None:
    """Joints after 1.0 all have an Angle and a Distance; only an angle joint means the first."""
    angle = newer("Angle", "Box:Face1", "Lid:Face1", Angle=value, Distance=50.0)
    a = formats.read(three(tmp_path, angle))
    (mate,) = a.mates.values()
    assert (mate.kind, getattr(mate, "value", 0.0)) == (kind, value)
    hinge = newer("Revolute", "Box:Edge1", "Lid:Edge1", Angle=20.0, Distance=50.0)
    assert [m.kind for m in formats.read(three(tmp_path, hinge)).mates.values()] == ["revolute"]


def test_a_suppressed_joint_holds_nothing_and_its_limits_bound_nothing(tmp_path: Path) -> None:
    slide = newer("Slider", "Box:Edge1", "Lid:Edge1", EnableLengthMax=True, LengthMax=-5.0)
    a = formats.read(three(tmp_path, slide))
    assert [(x.min, x.max) for x in a.limits.values()] == [(None, -5.0)]
    slide.properties["Suppressed"] = '<Bool value="true"/>'
    off = formats.read(three(tmp_path, slide))
    assert (off.notes[SUPPRESSED], dict(off.limits)) == (["Slider"], {})


# ------------------------------------------------------------------------------------- references
@pytest.mark.parametrize("place", ["Lid:Face1", "Lid:"])
def test_a_reference_may_begin_at_the_part_itself(place: str, tmp_path: Path) -> None:
    found = asm.solve(formats.read(three(tmp_path, newer("Revolute", "Box:Edge1", place))))
    assert (found.dof, found.held) == (1, ["Pin"])
    hinge = np.linalg.inv(matrix(A_FRAME)) @ seen(found, "Box", "Lid") @ matrix(B_FRAME)
    assert np.abs(hinge[:3, 3]).max() < CLOSE and abs(abs(hinge[2, 2]) - 1) < CLOSE


def test_a_reference_may_begin_at_a_part_in_a_group_or_in_a_flexible_sub_assembly(
    tmp_path: Path,
) -> None:
    sub = group("Assembly::AssemblyLink", "Sub", ["Arm"])
    sub.properties["Rigid"] = '<Bool value="false"/>'
    folder = group("App::DocumentObjectGroup", "Folder", ["Part"], None)
    inside = group("App::Part", "Part", ["Body"], LID)
    joints = [newer("Ball", "Box:", "Part:Body.Vertex1"), newer("Fixed", "Part:Body.", "Arm:Face1")]
    things = assembly([solid("Box"), folder, sub], [grounded("Box"), *joints])
    things += [inside, group("PartDesign::Body", "Body", [], PIN), link("Arm", "Base", PIN)]
    things += [solid("Base")]
    found = asm.solve(formats.read(file_of(tmp_path, things)))
    assert (found.dof, found.left_out) == (3, {})
    ball = seen(found, "Box", "Part") @ matrix(PIN) @ matrix(B_FRAME)
    assert np.abs(ball[:3, 3] - matrix(A_FRAME)[:3, 3]).max() < CLOSE


# --------------------------------------------------------------------------------- grounded parts
def locked(thing: Thing) -> Thing:
    """A part whose placement may not be changed, as FreeCAD 1.2 leaves what it grounds."""
    thing.locked = ("Placement",)
    return thing


@pytest.mark.parametrize("newer_", [False, True])
def test_a_locked_placement_grounds_a_part_where_grounding_locks(
    newer_: bool, tmp_path: Path
) -> None:
    base = solid("Box", BOX)
    parts = [locked(base) if newer_ else base, locked(solid("Lid", LID))]
    things = assembly(parts, [grounded("Box"), newer("Ball", "Box:", "Lid:")])
    found = asm.diagnose(formats.read(file_of(tmp_path, things)))
    assert found.grounded == (["Box", "Lid"] if newer_ else ["Box"])


# --------------------------------------------------------------- what holds no part in its place
def test_bills_of_materials_views_and_snapshots_are_left_alone(tmp_path: Path) -> None:
    """Lists and views of 1.0 and 1.1, and a snapshot of 1.2, which has placements as JSON."""
    lists = [
        ("Assembly::BomGroup", Thing("Assembly::BomObject", "Bill")),
        ("Assembly::ViewGroup", Thing("App::FeaturePython", "Exploded_View")),
        ("Assembly::SnapshotGroup", Thing("App::FeaturePython", "Snapshot")),
    ]
    state = '{"Lid": {"placement": {"pos": [9, 9, 9], "rot": [0, 0, 0, 1]}, "visibility": true}}'
    lists[2][1].properties["CapturedState"] = f"<String value={quoteattr(state)}/>"
    lists[1][1].properties["Group"] = '<LinkList count="1"><Link value="Exploded_Move"/></LinkList>'
    folders = [group(kind, f"{thing.name}s", [thing.name], None) for kind, thing in lists]
    parts = [solid("Box", BOX), solid("Lid", LID)]
    things = assembly([*parts, *folders], [grounded("Box"), newer("Revolute", "Box:", "Lid:")])
    things += [thing for _, thing in lists] + [Thing("App::FeaturePython", "Exploded_Move")]
    a = formats.read(file_of(tmp_path, things))
    assert [*a.parts] == ["Box", "Lid"] and a.notes.keys() == {"x-freecad"}
    found = asm.solve(a)
    assert (found.dof, found.left_out, found.suppressed) == (1, {}, [])


def test_a_fastener_is_held_by_the_origin_of_its_link(tmp_path: Path) -> None:
    """As 1.2 puts one in: fixed to an edge by a reference without an element."""
    screw, source = link("Screw", "Source", PIN), solid("Source", kind="Part::FeaturePython")
    things = assembly(
        [solid("Box", BOX), screw], [grounded("Box"), newer("Fixed", "Box:Edge1", "Screw:")]
    )
    found = asm.solve(formats.read(file_of(tmp_path, [*things, source])))
    assert (found.dof, found.left_out) == (0, {})
    met = np.linalg.inv(matrix(A_FRAME)) @ seen(found, "Box", "Screw") @ matrix(B_FRAME)
    assert np.abs(met[:3, 3]).max() < CLOSE


# ------------------------------------------------------------------------ positions of the add-on
def kept(folder: Path, text: str, heading: str = "Assembly Solver") -> asm.Assembly:
    """A box with a lid on a hinge, and what the add-on keeps in the assembly."""
    parts = [solid("Box", BOX), solid("Lid", LID)]
    hinge = newer("Revolute", "Box:Edge1", "Lid:Edge1")
    things = assembly(parts, [grounded("Box"), hinge])
    things[0].group = heading
    things[0].properties["Positions"] = f"<String value={quoteattr(text)}/>"
    return formats.read(file_of(folder, things))


def test_positions_of_the_add_on_are_read_by_the_labels_of_their_joints(tmp_path: Path) -> None:
    a = kept(tmp_path, '{"open": {"values": {"Revolute.angle": 70}, "mode": null}}')
    (name,) = a.mates
    assert a.positions["open"] == asm.Position("open", {f"{name}.angle": 70.0})
    a.take_position("open")
    assert asm.standing(a).values == {f"{name}.angle": 70.0}
    copy = tmp_path / "copy.assembly.json"
    asm.write(a, copy)
    assert asm.read(copy).positions == a.positions


def test_positions_of_another_program_are_left_alone(tmp_path: Path) -> None:
    assert not kept(tmp_path, "1; 2; 3", "Someone else").positions


def test_a_position_of_a_joint_that_is_gone_is_named_and_others_are_read(tmp_path: Path) -> None:
    good, gone = '"values": {"Revolute.angle": 70}', '"values": {"Slider.length": 7}'
    a = kept(tmp_path, f'{{"open": {{{good}, "mode": null}}, "out": {{{gone}, "mode": null}}}}')
    assert list(a.positions) == ["open"]
    told = a.notes[READ_AS]["position out"]
    assert told.startswith("it is not read: positions.out.Slider.length: no driver 'Slider.length'")


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"open": 3}', '{"open": {"values": {}}}', '{"a": {}}']
)
def test_positions_that_the_add_on_did_not_write_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="its positions are not as the add-on writes them"):
        kept(tmp_path, text)

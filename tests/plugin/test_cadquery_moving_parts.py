"""The CadQuery plugin: patterns from selections, flexible sub-assemblies, frames of a motion."""

from __future__ import annotations

import copy
import json
import pickle
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")

import assembly_solver_cadquery as mates  # noqa: E402
from assembly_solver_cadquery.places import pose_of  # noqa: E402

TILTED = cq.Location((10, 20, 30), (1, 1, 0), 30)


def plate() -> Any:
    """100 x 60 x 8 with four holes of radius 4.5 and one of radius 10 in the middle."""
    made = cq.Workplane().box(100, 60, 8).faces(">Z").workplane()
    made = made.rect(80, 40, forConstruction=True).vertices().hole(9)
    return made.faces(">Z").workplane().hole(20)


def bolt() -> Any:
    """A head of radius 8 on a shank of radius 4.5, whose seat is at z = 0."""
    return cq.Workplane().circle(8).extrude(5).faces("<Z").workplane().circle(4.5).extrude(20)


def bolted(seated: bool = True) -> Any:
    assy = cq.Assembly(name="bolted").add(plate(), name="plate", loc=TILTED)
    assy.add(bolt(), name="bolt", loc=cq.Location((0, 0, 90)), color=cq.Color("orange"))
    mates.ground(assy, "plate")
    if seated:
        mates.mate(assy, *SEAT, "coplanar", name="seat", sense="opposed")
    return assy


SEAT = ("plate@faces@>Z", "bolt@faces@>Z[-2]")
SHANK = "bolt@faces@%CYLINDER@radius=4.5"
HOLES = "plate@faces@>Z@edges@%CIRCLE@radius=4.5"
AT = {(-40, -20, 4), (40, -20, 4), (-40, 20, 4), (40, 20, 4)}


def in_plate(assy: Any, name: str) -> tuple[float, ...]:
    """Where a part is in the coordinates of the plate, mm."""
    at = pose_of(assy.objects["plate"].loc).to(pose_of(assy.objects[name].loc)).position
    return tuple(round(x, 9) for x in at)


# ------------------------------------------------------------------------------------ patterns
@pytest.mark.parametrize("seated", ["before", "after"])
def test_a_bolt_in_every_hole_of_a_radius_in_one_call(seated: str) -> None:
    assy = bolted(seated == "before")
    names = mates.pattern(assy, SHANK, HOLES, sense="aligned")
    assert names == ["bolt", "bolts[1]", "bolts[2]", "bolts[3]"]
    if seated == "after":
        mates.mate(assy, *SEAT, "coplanar", name="seat", sense="opposed")
    solution = mates.solve(assy).require()
    assert {in_plate(assy, name) for name in names} == AT
    assert solution.dof == 4  # each turns in its hole
    assert {m.name for m in solution.mates} >= {"seat[3]", "bolt in plate", "bolt in plate[2]"}
    looks = {assy.objects[name].color.toTuple() for name in names}
    assert len(looks) == 1 and len({assy.objects[name].obj for name in names}) == 1


def test_holes_are_cylinders_too_and_the_name_is_chosen() -> None:
    assy = bolted()
    holes = "plate@faces@%CYLINDER@radius=4.5"
    names = mates.pattern(assy, SHANK, holes, name="screw", sense="aligned")
    assert names == ["bolt", "screw[1]", "screw[2]", "screw[3]"]
    mates.solve(assy).require()
    assert {in_plate(assy, name) for name in names} == AT


def test_a_selection_of_one_repeats_nothing() -> None:
    assy = bolted()
    names = mates.pattern(assy, SHANK, "plate@faces@>Z@edges@%CIRCLE@radius=10")
    assert names == ["bolt"] and mates.solve(assy)
    assert in_plate(assy, "bolt") == (0, 0, 4)


def test_holes_that_no_displacement_carries_over_are_named_and_nothing_is_added() -> None:
    bent = plate().faces(">X").workplane().hole(9, 15)
    deep = plate().pushPoints([(0, 20)]).hole(9, 3)
    for shape, told in ((bent, "are not parallel"), (deep, "differ in length")):
        assy = cq.Assembly(name="a").add(shape, name="plate").add(bolt(), name="bolt")
        with pytest.raises(asm.AssemblySolverError, match=told):
            mates.pattern(assy, SHANK, "plate@faces@%CYLINDER@radius=4.5")
        assert [c.name for c in assy.children] == ["plate", "bolt"]
        assert not mates.to_assembly(assy).mates


def test_a_taken_name_leaves_no_mate_behind() -> None:
    assy = bolted()
    with pytest.raises(asm.AssemblySolverError, match=r"already a .*'plate'"):
        mates.pattern(assy, SHANK, HOLES, name="plate")
    assert list(mates.to_assembly(assy).mates) == ["seat"]


def test_picks_are_all_things_of_a_selection() -> None:
    found = asm.picks(plate(), "faces@%CYLINDER")
    assert sorted(round(p.radius, 9) for p in found) == [4.5] * 4 + [10.0]
    with pytest.raises(asm.AssemblySolverError, match="picks nothing"):
        asm.picks(plate(), "faces@%SPHERE")


# ------------------------------------------------------------------------------------ flexible
def bar() -> Any:
    """60 x 20 x 4 with a hole of radius 3 at each end."""
    made = cq.Workplane().box(60, 20, 4).faces(">Z").workplane()
    return made.pushPoints([(-20, 0), (20, 0)]).hole(6)


def arm() -> Any:
    """Two bars with a hinge between them, driven to 30 degrees."""
    assy = cq.Assembly(name="arm").add(bar(), name="low")
    assy.add(bar(), name="high", loc=cq.Location((7, -30, 12), (1, 2, 3), 40))
    mates.ground(assy, "low")
    hinge(assy, "low", "high", "elbow")
    mates.drive(assy, "bend", "elbow", "angle", value=30)
    return assy


def hinge(assy: Any, one: str, two: str, name: str) -> None:
    holes = f"{one}@faces@%CYLINDER@>X", f"{two}@faces@%CYLINDER@<X"
    mates.mate(assy, *holes, "coaxial", name=name, sense="aligned")
    faces = f"{one}@faces@>Z", f"{two}@faces@<Z"
    mates.mate(assy, *faces, "coplanar", name=f"{name} seat", sense="opposed")


def robot() -> Any:
    """Two arms of one make on a base, one after the other."""
    assy = cq.Assembly(name="robot").add(bar(), name="base")
    mates.ground(assy, "base")
    for k in (1, 2):
        mates.add_flexible(assy, arm(), f"arm {k}", cq.Location((50 * k, 0, 30)))
    hinge(assy, "base", "arm 1/low", "shoulder")
    hinge(assy, "arm 1/high", "arm 2/low", "wrist")
    for joint in ("shoulder", "wrist"):
        mates.drive(assy, f"{joint} turn", joint, "angle", value=0)
    return assy


def tip(assy: Any) -> tuple[float, ...]:
    """The middle of the last bar."""
    found = assy.objects["arm 2"].loc * assy.objects["arm 2/high"].loc
    return tuple(found.toTuple()[0])


def chain(*bends: float) -> tuple[float, ...]:
    """The middle of the last of four bars that turn by these angles about pins 40 mm apart."""
    x, y, turn, z = 20.0, 0.0, 0.0, 0.0
    for k, bend in enumerate(bends):
        turn += radians(bend)
        long = 40.0 if k + 1 < len(bends) else 20.0
        x, y, z = x + long * cos(turn), y + long * sin(turn), z + 4.0
    return (x, y, z)


def test_a_flexible_sub_assembly_brings_its_mates_and_drivers_and_its_parts_move() -> None:
    assy = robot()
    solution = mates.solve(assy).require()
    assert (solution.dof, solution.dof_left) == (4, 0)
    assert tip(assy) == pytest.approx(chain(0, 30, 0, 30), abs=1e-9)
    mates.drive(assy, "arm 2.bend", value=60)
    mates.solve(assy).require()
    assert tip(assy) == pytest.approx(chain(0, 30, 0, 60), abs=1e-9)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_it_stays_flexible_in_copies(copied: Any) -> None:
    assy = copied(robot())
    mates.drive(assy, "arm 1.bend", value=45)
    mates.solve(assy).require()
    assert tip(assy) == pytest.approx(chain(0, 45, 0, 30), abs=1e-9)


def test_it_is_held_in_its_place_where_it_is_grounded() -> None:
    assy = cq.Assembly(name="a").add(bar(), name="base")
    mates.add_flexible(assy, arm(), "arm", cq.Location((5, 6, 7)), grounded=True)
    solution = mates.solve(assy).require()
    assert "arm.low" in solution.grounded
    low = assy.objects["arm"].loc * assy.objects["arm/low"].loc
    assert low.toTuple()[0] == pytest.approx((5, 6, 7))


def test_what_cannot_be_flexible_is_refused_and_not_added() -> None:
    assy = cq.Assembly(name="a").add(bar(), name="base")
    shaped = cq.Assembly(bar(), name="shaped")
    bent = cq.Assembly(name="bent")
    mates.add_flexible(bent, arm(), "inner")
    for sub, told in ((shaped, "one of its children"), (bent, "inner.low"), (arm(), "'base'")):
        with pytest.raises(asm.AssemblySolverError, match=told):
            mates.add_flexible(assy, sub, "base" if sub.name == "arm" else None)
    assert [c.name for c in assy.children] == ["base"]
    mates.add_flexible(assy, arm())
    with pytest.raises(
        asm.AssemblySolverError, match=r"'arm' is flexible; of its parts .*arm\.low"
    ):
        mates.mate(assy, "base@faces@>Z", ("arm", cq.Location()), "fixed")


def test_its_files_are_read_as_what_was_written(tmp_path: Path) -> None:
    assy = robot()
    solution = mates.solve(assy).require()
    asm.write(mates.to_assembly(assy, tmp_path), tmp_path / "robot.assembly.json")
    again = asm.read(tmp_path / "robot.assembly.json")
    assert (again.folder / again.parts["arm 1.low"].geometry).is_file()
    found = asm.solve(again).require().poses
    for name, pose in solution.poses.items():
        assert found[name].position == pytest.approx(pose.position, abs=1e-9)


# -------------------------------------------------------------------------------------- frames
def test_frames_stand_where_the_motion_is_and_nothing_is_solved_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Angles of frame after frame are those asked for, as CadQuery's issue 1651 wants them."""
    assy = robot()
    mates.solve(assy).require()
    stood = tip(assy)
    motion = mates.sweep(assy, "arm 2.bend", angle=(0, 180), steps=12)
    monkeypatch.setattr(asm, "solve", None)
    frames = list(mates.animate(assy, motion))
    assert len(frames) == 13 and tip(assy) == stood
    for k, frame in enumerate(frames):
        assert tip(frame) == pytest.approx(chain(0, 30, 0, 15.0 * k), abs=1e-9)
        assert [*frame.objects] == [*assy.objects]
    assert frames[0].objects["base"].obj is assy.objects["base"].obj


def test_frames_are_chosen_by_number_and_a_state_that_does_not_hold_is_named() -> None:
    assy = robot()
    motion = mates.sweep(assy, "arm 1.bend", angle=(0, 90), steps=3)
    (last,) = mates.animate(assy, motion, [-1])
    assert tip(last) == pytest.approx(chain(0, 90, 0, 30), abs=1e-9)
    with pytest.raises(asm.AssemblySolverError, match="animate: no state 4; there are 0 to 3"):
        mates.animate(assy, motion, [0, 4])


def test_frames_keep_colours_and_are_exported(tmp_path: Path) -> None:
    assy = bolted()
    mates.pattern(assy, SHANK, HOLES, sense="aligned")
    motion = mates.sweep(assy, "bolt in plate", angle=(0, 90), steps=2)
    *_, last = mates.animate(assy, motion)
    assert last.objects["bolt"].color.toTuple() == cq.Color("orange").toTuple()
    turned = pose_of(last.objects["plate"].loc).to(pose_of(last.objects["bolt"].loc))
    still = pose_of(last.objects["plate"].loc).to(
        pose_of(next(iter(mates.animate(assy, motion))).objects["bolt"].loc)
    )
    assert abs(np.dot(turned.quaternion_wxyz, still.quaternion_wxyz)) == pytest.approx(0.5**0.5)
    last.export(str(tmp_path / "last.step"))
    assert (tmp_path / "last.step").stat().st_size > 10_000


def test_a_sweep_of_what_was_written_plays_with_the_shapes(tmp_path: Path) -> None:
    given = mates.to_assembly(robot(), tmp_path)
    content = asm.glb_animation(asm.sweep(given, "arm 1.bend", angle=(0, 90), steps=3))
    document = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
    nodes = {node["name"]: node for node in document["nodes"]}
    assert set(nodes) == {"robot", "base", "arm 1.low", "arm 1.high", "arm 2.low", "arm 2.high"}
    corners = document["meshes"][nodes["base"]["mesh"]]["primitives"][0]["attributes"]["POSITION"]
    assert document["accessors"][corners]["max"] == pytest.approx([0.03, 0.01, 0.002])

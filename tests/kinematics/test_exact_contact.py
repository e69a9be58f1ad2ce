"""Where solids of exact distance first touch, against closed forms: boxes, cylinders, spheres."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")
pytest.importorskip("fcl")

PLACE = 1e-6
"""What a place of contact is found to, mm or degrees of the driver."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ball of 8 mm, a cube of 20 mm, a rod of 3 mm along x and posts of 5 mm along y and z."""
    out = tmp_path_factory.mktemp("solids")
    shapes = {
        "ball": cq.Workplane().sphere(8.0),
        "cube": cq.Workplane().box(20, 20, 20),
        "rod": cq.Workplane("YZ").circle(3).extrude(20, both=True),
        "post": cq.Workplane().circle(5).extrude(30, both=True),
        "beam": cq.Workplane("XZ").circle(5).extrude(30, both=True),
        "shaft": cq.Workplane().circle(9).extrude(6).faces(">Z").workplane().circle(4).extrude(30),
    }
    for name, shape in shapes.items():
        cq.exporters.export(shape, str(out / f"{name}.step"))
    return out


def door(folder: Path, joint: str, arm: str, wall: str, at: asm.Pose, out: float) -> asm.Assembly:
    """An arm, `out` mm along x from a hinge about z or on a slide along x, and a wall."""
    a = asm.Assembly("door", folder=folder)
    along = "z" if joint == "revolute" else "x"
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), along)})
    a.add("wall", grounded=True, geometry=f"{wall}.step", pose=at)
    a.add("arm", geometry=f"{arm}.step", features={"pin": asm.Axis((-out, 0, 0), along)})
    a.mate(joint, "base.pin", "arm.pin", name="joint")
    a.drive("turn", "joint")
    return a


def root(x: float) -> float:
    return math.sqrt(x)


TILTED = asm.Pose.from_axis((100, 0, 0), (0, 1, 0), 30)
"""At 100 mm, turned by 30 degrees about y."""

SLIDES: list[tuple[str, str, object, float]] = [
    ("cube", "cube", (100, 7, 3), 100 - 20),
    ("cube", "cube", asm.Pose.from_axis((100, 0, 0), (0, 0, 1), 45), 100 - 10 - 10 * root(2)),
    ("ball", "ball", (100, 6, 5), 100 - root(16**2 - 6**2 - 5**2)),
    ("ball", "cube", (100, 4, 5), 100 - 10 - 8),
    ("ball", "cube", (100, 14, 5), 100 - 10 - root(8**2 - 4**2)),  # an edge
    ("ball", "cube", (100, 14, 15), 100 - 10 - root(8**2 - 4**2 - 5**2)),  # a corner
    ("ball", "post", (100, 5, 9), 100 - root(13**2 - 5**2)),  # a side
    ("ball", "post", (100, 0, -34), 100 - 5 - root(8**2 - 4**2)),  # a rim
    ("ball", "rod", (100, 2, 1), 100 - 20 - 8),  # an end
    ("rod", "cube", (100, 9, 3), 100 - 20 - 10),  # an end and a face
    ("rod", "cube", (100, 12, 0), 100 - 20 - 10),  # its rim and an edge
    ("post", "cube", (100, 3, 2), 100 - 5 - 10),  # a side and a face
    ("post", "cube", (100, 13, 2), 100 - 10 - root(5**2 - 3**2)),  # a side and an edge
    ("rod", "cube", TILTED, 100 - 20 - (10 + 3 * 0.5) / (root(3) / 2)),  # a rim and a tilted face
    ("rod", "post", (100, 2, 1), 100 - 20 - 5),  # an end and a side
    ("rod", "post", (100, 6, 1), 100 - 20 - root(5**2 - 3**2)),  # a rim and a side
    ("rod", "rod", (100, 3, 4), 100 - 40),  # two ends
    ("post", "post", (100, 6, 7), 100 - root(10**2 - 6**2)),  # sides along each other
    ("post", "beam", (100, 4, 3), 100 - 10),  # sides that cross
    ("ball", "shaft", (100, 6, -16), 100 - root(12**2 - 6**2)),  # the thinner bar of a shaft
    ("cube", "shaft", (100, 3, -7), 100 - 10 - 9),  # the thicker one
]


@pytest.mark.parametrize(("arm", "wall", "at", "wanted"), SLIDES)
def test_solids_on_a_slide_touch_where_the_formula_says(
    folder: Path, arm: str, wall: str, at: object, wanted: float
):
    pose = at if isinstance(at, asm.Pose) else asm.Pose(at)
    a = door(folder, "prismatic", arm, wall, pose, 0.0)
    motion = asm.sweep(a, {"turn": (0, 130)}, steps=4, contact="stop")
    assert motion.contacts.exact == motion.contacts.bounded == {("wall", "arm")}
    assert motion.events[0].value == pytest.approx(wanted, abs=PLACE)


REACH = math.hypot(60, 80)
"""Of the middle of the wall of a hinge, mm: it is at 53.13 degrees."""

HINGES: list[tuple[str, str, float, Callable[[float], float]]] = [
    ("rod", "ball", 85, lambda at: at - math.asin((3 + 8) / REACH)),
    ("rod", "post", 85, lambda at: at - math.asin((3 + 5) / REACH)),
    ("ball", "ball", 100, lambda at: at - 2 * math.asin(8 / REACH)),
    ("ball", "post", 100, lambda at: at - 2 * math.asin(13 / 2 / REACH)),
    # the corner (70, 70) of the cube comes onto the side of the rod
    ("rod", "cube", 85, lambda at: math.pi / 4 - math.asin(3 / math.hypot(70, 70))),
]


@pytest.mark.parametrize(("arm", "wall", "out", "wanted"), HINGES)
def test_a_hinged_arm_is_told_at_the_angle_of_contact(
    folder: Path, arm: str, wall: str, out: float, wanted: Callable[[float], float]
):
    a = door(folder, "revolute", arm, wall, asm.Pose((60, 80, 0)), out)
    motion = asm.sweep(a, {"turn": (0, 90)}, steps=3, contact="stop")
    angle = math.degrees(wanted(math.atan2(80, 60)))
    assert motion.contacts.exact == {("wall", "arm")}
    assert motion.events[0].value == pytest.approx(angle, abs=PLACE)
    assert f"wall and arm touch at turn {angle:.6g} deg" in motion.sentence


BORES: list[tuple[str, str, object, float]] = [
    ("pin", "sleeve", (0, 0, 0), 6 - 5),  # play of 1 mm all round
    ("pin", "sleeve", (0, 0.6, 3), 0.8),  # 0.6 mm beside the middle: of 1 mm in all
    ("pin", "sleeve", (24, 0, 3), 24 - 9 - 5),  # from outside
    ("bush", "sleeve", (0, 0, 0), 6 - 5.5),  # a tube in a tube
    ("bush", "post", (0, 0, 0), 5.2 - 5),  # a tube round a bar
    ("bead", "sleeve", (0, 0, 0), 6 - 2),  # a ball in a bore
    ("bead", "sleeve", (0, 0, 11), 6 - root(2**2 - 1**2)),  # at its rim
    ("block", "sleeve", (0, 0, 0), root(6**2 - 2**2) - 3),  # two edges of a block, along the bore
    ("tilted", "sleeve", (0, 0, 0), 6 - 2 * root(2)),  # one edge of it
    ("stepped", "sleeve", (0, 0, 0), 6 - 4),  # the thin end of a shaft is in the bore
    ("cup", "bead", (0, 0, 0), 7 - 2),  # a blind bore
]


@pytest.mark.parametrize(("arm", "wall", "at", "wanted"), BORES)
def test_what_is_in_a_bore_with_play_touches_where_the_formula_says(
    folder: Path, arm: str, wall: str, at: object, wanted: float
):
    shapes = {
        "pin": cq.Workplane().circle(5).extrude(30, both=True),
        "sleeve": cq.Workplane().circle(9).circle(6).extrude(10, both=True),
        "bush": cq.Workplane().circle(5.5).circle(5.2).extrude(10, both=True),
        "bead": cq.Workplane().sphere(2.0),
        "block": cq.Workplane().box(6, 4, 50),
        "tilted": cq.Workplane().box(4, 4, 50).rotate((0, 0, 0), (0, 0, 1), 45),
        "stepped": cq.Workplane(origin=(0, 0, -28)).circle(4).extrude(40).faces(">Z").workplane(),
        "cup": cq.Workplane().circle(9).extrude(10, both=True).faces(">Z").hole(14, 15),
    }
    shapes["stepped"] = shapes["stepped"].circle(8).extrude(20)
    for name in {arm, wall} & set(shapes):
        cq.exporters.export(shapes[name], str(folder / f"{name}.step"))
    a = door(folder, "prismatic", arm, wall, asm.Pose(at), 0.0)
    motion = asm.sweep(a, {"turn": (0, 12)}, steps=3, contact="stop")
    assert motion.contacts.exact == motion.contacts.bounded == {("wall", "arm")}
    assert motion.events[0].value == pytest.approx(wanted, abs=PLACE)


def test_a_tube_is_exact_from_outside_too(folder: Path):
    cq.exporters.export(cq.Workplane().circle(9).circle(6).extrude(20), str(folder / "tube.step"))
    a = door(folder, "prismatic", "cube", "tube", asm.Pose((100, 3, -7)), 0.0)
    motion = asm.sweep(a, {"turn": (0, 130)}, steps=4, contact="stop")
    assert motion.contacts.exact == {("wall", "arm")}
    assert motion.events[0].value == pytest.approx(81.0, abs=PLACE)
    a = door(folder, "prismatic", "rod", "tube", asm.Pose((0, 0, -7)), 0.0)
    assert "in contact" in str(
        asm.sweep(a, {"turn": (0, 1)}, steps=1, contact="tell").contacts.left_out
    )


def test_a_tube_with_a_hole_across_is_not_said_to_be_exact(folder: Path):
    tube = cq.Workplane().circle(9).circle(6).extrude(20)
    cross = cq.Workplane("YZ", origin=(-20, 0, 10)).circle(2).extrude(40)
    cq.exporters.export(tube.cut(cross), str(folder / "holed.step"))
    a = door(folder, "prismatic", "cube", "holed", asm.Pose((100, 3, -7)), 0.0)
    motion = asm.sweep(a, {"turn": (0, 130)}, steps=4, contact="stop")
    assert motion.contacts.exact == set()
    assert motion.events[0].value == pytest.approx(81.0, abs=0.06)  # the deviation of its triangles


def test_tubes_that_cross_deep_in_each_other_are_in_contact_where_the_motion_begins(folder: Path):
    """No rim of one is in the other; and the axis of neither is in the other's wall."""
    for name, plane in (("along", "YZ"), ("upright", "XY")):
        tube = cq.Workplane(plane).circle(9).circle(8.98).extrude(30, both=True)
        cq.exporters.export(tube, str(folder / f"{name}.step"))
    a = door(folder, "prismatic", "along", "upright", asm.Pose((0, 3, 0)), 0.0)
    seen = asm.sweep(a, {"turn": (0, 1)}, steps=1, contact="tell").contacts
    assert seen.left_out == {("wall", "arm"): "in contact where the motion begins"}
    a.move({"wall": asm.Pose((0, 18.5, 0))})
    seen = asm.sweep(a, {"turn": (0, 1)}, steps=1, contact="tell").contacts
    assert seen.exact == {("wall", "arm")} and seen.found == ()

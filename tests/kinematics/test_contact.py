"""Where parts first touch in a motion, against closed forms and against dense sampling."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.shapes.meshes import Mesh
from assembly_solver.kinematics.contact.geometry import TriangleBody, separation

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")

RESOLUTION = 1e-6
"""What a place of contact is found to, mm or degrees of the driver."""


def saved(folder: Path, **meshes: object) -> Path:
    for name, mesh in meshes.items():
        mesh.export(folder / f"{name}.ply")
    return folder


def hinged(folder: Path, arm: object, wall: object, at: tuple[float, ...]) -> asm.Assembly:
    """An arm on a hinge about z in the origin, and a wall that stands at a place."""
    a = asm.Assembly("door", folder=saved(folder, arm=arm, wall=wall))
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("wall", grounded=True, geometry="wall.ply", pose=asm.Pose(at))
    a.add("arm", geometry="arm.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "arm.pin", name="hinge")
    a.drive("turn", "hinge")
    return a


def bar(length: float, width: float) -> object:
    out = trimesh.creation.box((length, width, width))
    out.apply_translation((length / 2, 0, 0))
    return out


@pytest.mark.parametrize("steps", [1, 2, 9, 80])
def test_a_hinged_arm_touches_the_corner_of_a_wall(tmp_path: Path, steps: int):
    a = hinged(tmp_path, bar(100, 4), trimesh.creation.box((10, 100, 100)), (90, 80, 0))
    motion = asm.sweep(a, {"turn": (0, 80)}, steps=steps, contact="stop")
    (event,) = motion.events
    # the corner (95, 30) comes onto the upper side of the arm, 2 mm from its middle
    wanted = math.degrees(math.atan2(30, 95) - math.asin(2 / math.hypot(95, 30)))
    assert event.kind == "contact" and event.stops and event.parts == ("wall", "arm")
    assert event.value == pytest.approx(wanted, abs=RESOLUTION)
    assert event.at == {"turn": event.value} and event.depth_mm == 0.0
    assert event.point[:2] == pytest.approx((95, 30), abs=1e-5)  # 100 mm times 1e-6 degrees
    side = math.radians(wanted)
    assert event.normal == pytest.approx(
        (-math.sin(side), math.cos(side), 0), abs=3e-5
    )  # of 6e-6 of the size
    assert motion.valid.sum() == math.floor(wanted / (80 / steps)) + 1
    assert not motion and "wall and arm touch at turn 16.3753 deg" in motion.sentence
    assert motion.contacts.bounded == {("wall", "arm")} and motion.contacts.depth_mm <= 0.5


def test_a_contact_is_told_and_the_motion_goes_on(tmp_path: Path):
    a = hinged(tmp_path, bar(100, 4), trimesh.creation.box((10, 100, 100)), (90, 80, 0))
    motion = asm.sweep(a, {"turn": (0, 80)}, steps=8, contact="tell")
    assert motion and len(motion.events) == 1 and not motion.events[0].stops
    assert motion.contacts.found == (("wall", "arm"),)
    told = motion.to_dict()
    assert told["events"][0]["parts"] == ("wall", "arm")
    assert told["contact"] == {
        "pairs": [["wall", "arm"]],
        "left_out": [],
        "sampled": [],
        "exact": [],
        "depth_mm": motion.contacts.depth_mm,
    }
    json.dumps(told)


def test_a_round_arm_meets_a_sphere_where_its_facets_do(tmp_path: Path):
    """Within the deviation of the meshes: of chords 10 mm and 20 mm from the middle."""
    ball = trimesh.creation.icosphere(4, 20.0)
    rod = trimesh.creation.cylinder(10.0, 300.0, sections=256)
    rod.apply_transform(trimesh.transformations.rotation_matrix(math.pi / 2, (0, 1, 0)))
    rod.apply_translation((150, 0, 0))
    a = hinged(tmp_path, rod, ball, (120, 90, 0))
    motion = asm.sweep(a, {"turn": (-30, 60)}, steps=30, contact="stop")
    exact = math.degrees(math.atan2(90, 120) - math.asin(30 / 150))
    lack = 20 * (1 - math.cos(math.radians(2.7))) + 10 * (1 - math.cos(math.pi / 256))
    assert exact - RESOLUTION <= motion.events[0].value <= exact + math.degrees(lack / 140)
    axis = math.radians(exact)  # at right angles to the rod
    assert motion.events[0].normal == pytest.approx(
        (-math.sin(axis), math.cos(axis), 0),
        abs=0.03,  # of the facets
    )


def test_boxes_and_spheres_of_solids_touch_where_they_really_do(tmp_path: Path):
    """A ball at the end of an arm of 100 mm comes down on a block 30 mm high, a square and a round
    bar on a ball."""
    cq = pytest.importorskip("cadquery")
    for name, shape in (
        ("ball", cq.Workplane().sphere(8.0)),
        ("block", cq.Workplane().box(10, 100, 100)),
        ("bar", cq.Workplane().box(100, 4, 4).translate((50, 0, 0))),
        ("rod", cq.Workplane("YZ").circle(2).extrude(100)),
    ):
        cq.exporters.export(shape, str(tmp_path / f"{name}.step"))
    side = math.degrees(math.atan2(80, 60) - math.asin((8 + 2) / 100))
    for arm, wall, out, at, wanted, normal in (
        ("ball", "block", -100, (95, 80, 0), math.degrees(math.asin((30 - 8) / 100)), 90.0),
        ("bar", "ball", 0, (60, 80, 0), side, side + 90.0),
        ("rod", "ball", 0, (60, 80, 0), side, side + 90.0),
    ):
        a = asm.Assembly("door", folder=tmp_path)
        a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
        a.add("wall", grounded=True, geometry=f"{wall}.step", pose=asm.Pose(at))
        a.add("arm", geometry=f"{arm}.step", features={"pin": asm.Axis((out, 0, 0), "z")})
        a.mate("revolute", "base.pin", "arm.pin", name="hinge")
        a.drive("turn", "hinge")
        motion = asm.sweep(a, {"turn": (0, 80)}, steps=8, contact="stop")
        assert motion.contacts.exact == {("wall", "arm")}
        assert motion.to_dict()["contact"]["exact"] == [["wall", "arm"]]
        (event,) = motion.events
        assert event.value == pytest.approx(wanted, abs=RESOLUTION)
        up = math.radians(normal)
        assert event.normal == pytest.approx((math.cos(up), math.sin(up), 0), abs=3e-5)


def test_the_gap_of_an_assembly_counts_as_contact(tmp_path: Path):
    a = slide(tmp_path)
    a.contact = {"gap": 2.5}
    motion = asm.sweep(a, {"way": (0, 50)}, steps=3, contact="stop")
    assert motion.events[0].value == pytest.approx(30 - 2.5, abs=RESOLUTION)
    assert motion.events[0].normal == pytest.approx((1, 0, 0), abs=1e-9)


def slide(folder: Path) -> asm.Assembly:
    """A cube of 10 mm on a slide along x, with a stop of 10 mm whose middle is at 40 mm."""
    cube = trimesh.creation.box((10, 10, 10))
    a = asm.Assembly("slide", folder=saved(folder, cube=cube))
    a.add("base", grounded=True, features={"way": asm.Axis((0, 0, 0), "x")})
    a.add("stop", grounded=True, geometry="cube.ply", pose=asm.Pose((40, 2, 1)))
    a.add("block", geometry="cube.ply", features={"way": asm.Axis((0, 0, 0), "x")})
    a.mate("prismatic", "base.way", "block.way", name="guide")
    a.drive("way", "guide")
    return a


def test_a_thin_part_is_not_jumped_over(tmp_path: Path):
    """In one step from far on one side to far on the other side."""
    a = slide(tmp_path)
    motion = asm.sweep(a, {"way": (0, 500)}, steps=1, contact="stop")
    assert motion.events[0].value == pytest.approx(30.0, abs=RESOLUTION)
    assert motion.contacts.bounded == {("stop", "block")}


@pytest.mark.parametrize("steps", [1, 2, 50])
def test_a_nut_touches_a_stop_after_the_turns_of_its_screw(tmp_path: Path, steps: int):
    """30 mm away, with a pitch of 9 mm: more than half a turn from the start, and from the end."""
    a = slide(tmp_path)
    a.remove("guide")
    a.mate("screw", "base.way", "block.way", name="thread", pitch=9.0)
    a.drive("turn", "thread", coordinate="angle")
    motion = asm.sweep(a, {"turn": (0, 3600)}, steps=steps, contact="tell")
    assert motion.events[0].value == pytest.approx(30 / 9 * 360, abs=RESOLUTION)
    (near,) = asm.sweep(a, {"turn": (0, 990)}, steps=steps, clearance="all").clearances
    assert near.least_mm == pytest.approx(30 - 990 / 360 * 9, abs=1e-9)


@pytest.mark.parametrize("steps", [1, 30])
def test_a_geared_arm_touches_a_wall_after_the_turns_of_its_pinion(tmp_path: Path, steps: int):
    a = hinged(tmp_path, bar(100, 4), trimesh.creation.box((10, 100, 100)), (-90, 80, 0))
    a.remove_driver("turn")
    a.add("pinion", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "pinion.pin", name="shaft")
    a.mate("gear", "shaft", "hinge", name="gears", ratio=1 / 6.5)
    a.drive("turn", "shaft")
    motion = asm.sweep(a, {"turn": (0, 1700)}, steps=steps, contact="stop")
    # the corner (100, 2) of the arm comes onto the plane x = -85
    found = math.degrees(math.acos(-85 / math.hypot(100, 2)) - math.atan2(2, 100))
    assert motion.events[0].value == pytest.approx(6.5 * found, abs=6.5 * RESOLUTION)


def test_parts_beside_each_other_do_not_touch(tmp_path: Path):
    """A gap of 0.01 mm along which they slide past each other needs few distances."""
    a = slide(tmp_path)
    a.move({"stop": asm.Pose((40, 0, 10.01))})
    motion = asm.sweep(a, {"way": (0, 500)}, steps=5, contact="stop")
    assert motion and motion.events == ()
    assert motion.contacts.depth_mm <= 0.01 * math.sqrt(75)
    assert "no contact of 1 pair of parts" in motion.sentence


def test_which_pairs_are_left_out_is_told_with_the_reason(tmp_path: Path):
    a = slide(tmp_path)
    cube = trimesh.creation.box((10, 10, 10))
    cube.export(tmp_path / "cube.ply")
    a.add("touching", grounded=True, geometry="cube.ply", pose=asm.Pose((0, 10, 0)))
    a.add(
        "foot",
        grounded=True,
        geometry="cube.ply",
        pose=asm.Pose((0, 0, -40)),
        features={"way": asm.Axis((0, 0, 40), "x")},
    )
    a.mate("parallel", "foot.way", "block.way")
    seen = asm.sweep(a, {"way": (0, 20)}, steps=2, contact="tell").contacts
    assert seen.pairs == (("stop", "block"),)
    assert seen.left_out == {
        ("block", "foot"): "a mate joins them",
        ("block", "touching"): "in contact where the motion begins",
    }
    a.contact = {"pairs": [("block", "foot"), ("block", "base")], "exclude": [("block", "stop")]}
    seen = asm.sweep(a, {"way": (0, 20)}, steps=2, contact="tell").contacts
    assert seen.pairs == (("block", "foot"),)
    assert seen.left_out == {("base", "block"): "no geometry"}
    a.contact = {"pairs": [("stop", "touching")]}
    seen = asm.sweep(a, {"way": (0, 20)}, steps=2, contact="tell").contacts
    assert seen.pairs == () and seen.left_out == {("stop", "touching"): "they are one rigid body"}
    assert seen.words == "no pair of parts to watch for contact (1 pair left out)"
    a.contact = {"exclude": [("block", "stop")]}
    assert asm.sweep(a, {"way": (0, 50)}, steps=2, contact="stop")


def test_loops_are_sampled_and_said_to_be(tmp_path: Path):
    a = asm.read(Path(asm.__file__).parents[1] / "samples" / "four_bar.assembly.json")
    crank, *_ = a.drivers
    a.folder = saved(tmp_path, block=trimesh.creation.box((1, 1, 1)))
    for name, part in list(a.parts.items()):
        a.set_geometry(name, None if part.grounded else "block.ply")
    seen = asm.sweep(a, crank, steps=12, contact="tell").contacts
    assert seen.bounded == frozenset()


@pytest.mark.parametrize("seed", range(12))
def test_random_convex_parts_touch_where_dense_sampling_finds_it(tmp_path: Path, seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        hulls = [trimesh.convex.convex_hull(rng.normal(size=(20, 3)) * 12) for _ in "ab"]
        hulls[0].apply_translation((60, 0, 0))
        a = hinged(tmp_path, *hulls, tuple(rng.uniform((-60, -60, -8), (60, 60, 8))))
        motion = asm.sweep(a, {"turn": (0, 360)}, steps=24, contact="stop")
        arm, wall = (TriangleBody(Mesh(h.vertices, h.faces)) for h in hulls)
        still = np.concatenate([a.parts["wall"].pose.frame])
        values = np.linspace(0, 360, 1441)
        turns = np.radians(values)
        apart = [separation(arm, turned(x), wall, still).distance for x in turns]
        touching = np.flatnonzero(np.array(apart) <= 0.0)
        if "in contact" in str(motion.contacts.left_out):
            assert apart[0] == 0.0
        elif len(touching):
            k = touching[0]
            assert values[k - 1] - RESOLUTION <= motion.events[0].value <= values[k] + RESOLUTION
        elif motion.events:  # a contact between two samples, less deep than their arc
            assert min(apart) < np.radians(0.25) * 100
        else:
            assert motion


def turned(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([0, 0, 0, c, s, 0, -s, c, 0, 0, 0, 1.0])


def test_contact_of_files_and_of_python_is_one_thing(tmp_path: Path):
    a = slide(tmp_path)
    a.contact = asm.ContactPairs(pairs=(("stop", "block"),), exclude=(("base", "stop"),), gap=0.5)
    asm.write(a, tmp_path / "slide.assembly.json")
    tree = json.loads((tmp_path / "slide.assembly.json").read_text())
    assert tree["contact"] == {
        "pairs": [["stop", "block"]],
        "except": [["base", "stop"]],
        "gap": 0.5,
    }
    assert asm.read(tmp_path / "slide.assembly.json").contact == a.contact
    a.remove_part("stop")
    assert a.contact == asm.ContactPairs(pairs=(), gap=0.5)
    a.contact = None
    assert a.contact is None


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ({"pairs": "some"}, 'it must be "all" or a list of pairs of parts'),
        (
            {"pairs": [["block", "stopp"]]},
            "contact.pairs[0]: no part 'stopp'; did you mean 'stop'?",
        ),
        ({"except": [["block", "block"]]}, "contact.except[0]: contact 'block - block' joins"),
        ({"gap": -1}, "contact.gap: -1"),
        ({"gaps": 1}, "contact: no key 'gaps'; did you mean 'gap'?"),
        ([], "contact: [] is not"),
    ],
)
def test_a_contact_that_cannot_be_is_refused_with_its_place(
    tmp_path: Path, contact: object, message: str
):
    asm.write(slide(tmp_path), tmp_path / "slide.assembly.json")
    tree = json.loads((tmp_path / "slide.assembly.json").read_text()) | {"contact": contact}
    (tmp_path / "bad.assembly.json").write_text(json.dumps(tree))
    with pytest.raises(AssemblySolverError) as caught:
        asm.read(tmp_path / "bad.assembly.json")
    assert message in str(caught.value)


def test_parts_that_nearly_touch_at_the_start_are_in_contact_there(tmp_path: Path):
    a = slide(tmp_path)
    for apart, left_out in ((1e-9, 0), (0.0, 1)):
        a.move({"stop": asm.Pose((10 + apart, 2, 1))})
        with warnings.catch_warnings(action="error"):
            motion = asm.sweep(a, {"way": (0, 30)}, steps=3, contact="stop")
        assert len(motion.contacts.left_out) == left_out
        assert [e.value for e in motion.events] == [0.0] * (1 - left_out)


def test_contact_without_geometry_or_of_another_word_is_refused(tmp_path: Path):
    a = slide(tmp_path)
    with pytest.raises(AssemblySolverError, match=r'contact.*"tell" or "stop"'):
        asm.sweep(a, {"way": (0, 50)}, contact="yes")
    for name in list(a.parts):
        a.set_geometry(name, None)
    with pytest.raises(AssemblySolverError, match="part 'base' has no shape"):
        asm.sweep(a, {"way": (0, 50)}, contact="tell")


def test_a_check_of_contact_names_the_pair_and_the_place(tmp_path: Path):
    a = slide(tmp_path)
    a.remove_driver("way")
    a.drive("way", "guide", range=(0, 50), value=0.0)
    a.check("contact", name="free")
    a.check("contact", name="before", over=(0, 20))
    a.check("contact", name="two", parts=("block", "stop"), driver="way")
    found = {f.name: f for f in asm.check(a).findings}
    assert [found[n].passes for n in ("free", "before", "two")] == [False, True, False]
    assert found["free"].found == 1.0 and found["free"].element == "stop - block"
    assert found["free"].place.value == pytest.approx(30.0, abs=RESOLUTION)
    assert found["before"].words.startswith("none there; stop and block touch at way 30 mm")


def test_the_command_tells_contacts_and_ends_with_1_where_one_stops_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    a = slide(tmp_path)
    a.remove_driver("way")
    a.drive("way", "guide", range=(0, 50))
    asm.write(a, tmp_path / "slide.assembly.json")
    for how, status in (("tell", 0), ("stop", 1)):
        words = ["--driver", "way", "--steps", "5", "--contact", how, "--json"]
        assert cli.main(["sweep", str(tmp_path / "slide.assembly.json"), *words]) == status
        event = json.loads(capsys.readouterr().out)["events"][0]
        assert event["parts"] == ["stop", "block"] and event["stops"] == (how == "stop")


def test_the_command_names_the_pairs_that_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    a = slide(tmp_path)
    for name, y in (("left", 10), ("right", -10)):
        a.add(name, grounded=True, geometry="cube.ply", pose=asm.Pose((0, y, 0)))
    asm.write(a, tmp_path / "slide.assembly.json")
    words = ["sweep", str(tmp_path / "slide.assembly.json"), "--driver", "way=0:20"]
    assert cli.main([*words, "--steps", "2", "--contact", "tell"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "- in contact where the motion begins: block - left, block - right" in said


def test_a_dragged_part_stops_before_a_wall_and_comes_back(tmp_path: Path):
    a = slide(tmp_path)
    a.remove_driver("way")
    session = asm.Session(a, contact=True)
    places = []
    for x in (10, 20, 29, 33, 60, 200, 25):  # mm, of the block's middle; it may come to 30
        step = session.drag("block", point=(0, 0, 0), to=(x, 0, 0))
        places.append(session.poses["block"].position[0])
        assert step.holds and step.contacts == (("stop - block",) if x > 30 else ())
    assert places[:3] == pytest.approx([10, 20, 29]) and places[-1] == pytest.approx(25)
    assert all(29 <= x < 30 for x in places[3:6]) and places[5] > 29.9
    assert "stopped before contact of stop - block" in str(
        session.drag("block", point=(0, 0, 0), to=(500, 0, 0))
    )


def test_a_drag_that_watches_no_contact_goes_through(tmp_path: Path):
    a = slide(tmp_path)
    a.remove_driver("way")
    step = asm.Session(a).drag("block", point=(0, 0, 0), to=(60, 0, 0))
    assert step.contacts == () and step.away_mm == pytest.approx(0.0, abs=1e-9)


def test_a_drag_of_the_reference_part_says_that_it_is_not_watched(tmp_path: Path):
    """Of two cubes on a slide without ground, the first is fixed as reference."""
    cube = trimesh.creation.box((10, 10, 10))
    a = asm.Assembly("loose", folder=saved(tmp_path, cube=cube))
    for name, x in (("one", 0), ("two", 40)):
        way = {"way": asm.Axis((0, 0, 0), "x")}
        a.add(name, geometry="cube.ply", features=way, pose=asm.Pose((x, 0, 0)))
    a.mate("prismatic", "one.way", "two.way", name="guide")
    for contact in (True, False):
        session = asm.Session(a, contact=contact)
        steps = [session.drag(n, point=(0, 0, 0), to=(0, 5, 0)) for n in ("one", "two")]
        assert [s.unwatched for s in steps] == [contact, False]
        assert ("not watched for contact" in str(steps[0])) == contact


@pytest.mark.parametrize("limit", [16.0, 18.0])
def test_a_contact_between_the_last_state_and_a_limit_is_found(tmp_path: Path, limit: float):
    a = hinged(tmp_path, bar(100, 4), trimesh.creation.box((10, 100, 100)), (90, 80, 0))
    a.limit("hinge", "angle", max=limit)
    motion = asm.sweep(a, {"turn": (0, 80)}, steps=8, contact="stop")
    assert motion.contacts.bounded == {("wall", "arm")}
    (event,) = motion.events
    assert event.kind == ("limit" if limit == 16.0 else "contact")
    wanted = math.degrees(math.atan2(30, 95) - math.asin(2 / math.hypot(95, 30)))
    assert event.value == pytest.approx(min(limit, wanted), abs=RESOLUTION)


@pytest.mark.parametrize("steps", [2, 3, 5, 8, 60])
def test_a_loop_in_coarse_steps_touches_where_it_does_in_fine_ones(steps: int):
    a = asm.read(Path(asm.__file__).parents[1] / "samples" / "four_bar.assembly.json")
    (event,) = asm.sweep(a, "crank", steps=steps, contact="tell").events
    assert event.parts == ("ground", "coupler")
    # of 400 steps; the geometry is within 0.05 mm, and the same triangles in each
    assert event.value == pytest.approx(193.826586, abs=RESOLUTION)


@pytest.mark.parametrize("steps", [60, 100])
def test_a_contact_between_the_last_state_and_a_dead_point_is_found(steps: int):
    """The boom's rods are in line at 2030.927 mm; the last states are at 2013.3 and 2028 mm."""
    pytest.importorskip("cadquery")
    a = asm.read(Path(asm.__file__).parents[1] / "samples" / "excavator_long_stroke.assembly.json")
    a.contact = {"pairs": [("base", "bucket rocker"), ("base", "boom rod left")]}
    motion = asm.sweep(a, {"boom cylinder": (950, 2050)}, steps=steps, contact="tell")
    found = {e.parts: e.value for e in motion.events if e.kind == "contact"}
    assert found == {
        ("base", "boom rod left"): pytest.approx(2023.717, abs=1e-3),
        ("base", "bucket rocker"): pytest.approx(2029.786, abs=1e-3),
    }

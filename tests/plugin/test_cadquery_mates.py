"""The functions of the CadQuery plugin: queries, mates, solving, diagnosing, moving."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")

import assembly_solver_cadquery as mates  # noqa: E402
from assembly_solver_cadquery.places import location_of, pose_of  # noqa: E402

ROOT = Path(__file__).parents[2]
THROWN = cq.Location((7, -30, 12), (1, 2, 3), 40)


def plate() -> Any:
    """60 x 20 x 4 with a hole of radius 3 at each end; the faces of one are tagged."""
    made = cq.Workplane().box(60, 20, 4).faces(">Z").workplane()
    made = made.pushPoints([(-20, 0), (20, 0)]).hole(6)
    made.faces(">Z").tag("top")
    return made


def pair() -> Any:
    """Two plates, one thrown somewhere."""
    return cq.Assembly(name="pair").add(plate(), name="base").add(plate(), name="arm", loc=THROWN)


def shape_of(assy: Any, name: str) -> Any:
    """The shape of a child where it is."""
    return assy.objects[name].toCompound()


def hinged() -> Any:
    """The arm lies on the base and turns about the right hole of the base."""
    assy = pair()
    mates.ground(assy, "base")
    holes = "base@faces@%CYLINDER@>X", "arm@faces@%CYLINDER@<X"
    mates.mate(assy, *holes, "coaxial", name="pin", sense="aligned")
    mates.mate(assy, "base?top", "arm@faces@<Z", "coplanar", name="seat", sense="opposed")
    return assy


def test_importing_it_changes_nothing_in_cadquery() -> None:
    ask = "import cadquery as c; b = dict(vars(c.Assembly)); import assembly_solver_cadquery; "
    ask += "print(b == dict(vars(c.Assembly)))"
    path = f"{ROOT}:{ROOT / 'plugin' / 'cadquery'}"
    got = subprocess.run(
        [sys.executable, "-c", ask], env={"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert got.stdout.strip() == "True", got.stderr


def test_the_script_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    readme = (ROOT / "plugin" / "cadquery" / "README.md").read_text(encoding="utf-8")
    script = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    output = re.findall(r"```text\n(.*?)```", readme, re.DOTALL)[0]
    path = os.pathsep.join([str(ROOT), str(ROOT / "plugin" / "cadquery")])
    got = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    small = re.compile(r"\d\.\de[-+]\d\d")  # what is off no more than by rounding
    assert small.sub("tiny", got.stdout) == small.sub("tiny", output), got.stderr
    assert (tmp_path / "arms.step").stat().st_size > 10_000
    assert len([line for line in script.splitlines() if line]) <= 10


def test_without_cadquery_the_plugin_tells_the_install_line() -> None:
    ask = "import sys; sys.modules['cadquery'] = None; import assembly_solver_cadquery"
    path = os.pathsep.join([str(ROOT), str(ROOT / "plugin" / "cadquery")])
    got = subprocess.run(
        [sys.executable, "-c", ask],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert "pip install 'assembly-solver[cadquery]'" in got.stderr


def test_the_doctest_of_the_package_holds() -> None:
    import doctest

    assert doctest.testmod(mates).failed == 0 and mates.__doc__


def test_a_hinge_by_selectors_and_tags_stands_where_its_mates_put_it() -> None:
    assy = hinged()
    solution = mates.solve(assy).require()
    assert (solution.dof, solution.grounded) == (1, ["base"])
    hole = mates_of(assy, "arm", "faces@%CYLINDER@<X")
    assert hole[:2] == pytest.approx((20, 0), abs=1e-9)
    assert shape_of(assy, "arm").BoundingBox().zmin == pytest.approx(2, abs=1e-6)
    assert "arm turns about pin" in str(solution)


def mates_of(assy: Any, name: str, select: str) -> Any:
    """The origin of what is picked of a child, in the assembly."""
    picked = asm.pick(assy.objects[name].obj, select).feature
    return pose_of(assy.objects[name].loc).apply(picked.frame[:3])


def test_what_is_solved_stands_still_bit_for_bit() -> None:
    assy = hinged()
    mates.solve(assy).require()
    places = {child.name: child.loc for child in assy.children}
    mates.solve(assy).require()
    assert all(child.loc is places[child.name] for child in assy.children)


def test_parts_move_no_farther_than_their_mates_ask() -> None:
    """The nearest solution: a plate 1 mm over its seat goes down 1 mm and nowhere else."""
    assy = cq.Assembly().add(plate(), name="base")
    assy.add(plate(), name="lid", loc=cq.Location((3, 5, 5), (0, 0, 1), 17))
    mates.ground(assy, "base")
    mates.mate(assy, "base@faces@>Z", "lid@faces@<Z", "coplanar", sense="opposed")
    mates.solve(assy).require()
    found = pose_of(assy.objects["lid"].loc)
    assert found.position == pytest.approx((3, 5, 4), abs=1e-12)
    assert found.quaternion_wxyz == pytest.approx(
        (cos(radians(8.5)), 0, 0, sin(radians(8.5))), abs=1e-12
    )


def test_a_contradiction_moves_nothing_and_says_which_mates_and_by_how_much() -> None:
    assy = hinged()
    mates.mate(assy, "base@faces@>Z", "arm@faces@>Z", "distance", name="gap", value=9)
    before = assy.objects["arm"].loc
    solution = mates.solve(assy)
    assert not solution and assy.objects["arm"].loc is before
    words = r"seat and gap cannot hold together: .*changing gap from 9 to 4 mm solves it"
    with pytest.raises(asm.Unsolved, match=words):
        solution.require()


def test_nested_objects_are_one_rigid_part_read_at_their_place_in_it() -> None:
    inner = cq.Assembly(name="inner").add(plate(), name="deep", loc=cq.Location((5, 6, 7)))
    cart = cq.Assembly(name="cart").add(
        inner, name="inner", loc=cq.Location((0, 0, 3), (0, 0, 1), 90)
    )
    assy = cq.Assembly(name="all").add(plate(), name="base").add(cart, name="cart", loc=THROWN)
    mates.ground(assy, "base")
    mates.mate(assy, "base@faces@>Z", "cart/inner/deep@faces@>Z", "fixed")
    mates.solve(assy).require()
    deep = assy.objects["cart/inner/deep"]
    whole = assy.objects["cart"].loc * assy.objects["cart/inner"].loc * deep.loc
    assert pose_of(whole).position == pytest.approx((0, 0, 0), abs=1e-9)
    assert pose_of(whole).quaternion_wxyz == pytest.approx((1, 0, 0, 0), abs=1e-9)
    assert deep.loc.toTuple()[0] == (5, 6, 7)


def test_the_root_shape_is_a_part_that_stands_wherever_the_assembly_is_placed() -> None:
    assy = cq.Assembly(plate(), name="base", loc=cq.Location((100, 0, 0), (0, 0, 1), 30))
    assy.add(plate(), name="arm", loc=THROWN)
    mates.mate(assy, "base@faces@%CYLINDER@>X", "arm@faces@%CYLINDER@<X", "revolute")
    solution = mates.solve(assy).require()
    assert solution.grounded == ["base"] and not solution.held
    assert mates_of(assy, "arm", "faces@%CYLINDER@<X") == pytest.approx((20, 0, 0), abs=1e-9)
    assert assy.loc.toTuple()[0] == (100, 0, 0)


def test_queries_take_shapes_locations_planes_features_and_what_every_part_has() -> None:
    assy = pair()
    mates.ground(assy, "base")
    edge = plate().edges("|Z").val()
    for one, two, kind in (
        (("base", edge), ("arm", edge), "coaxial"),
        (("base", cq.Location((1, 2, 3))), ("arm", cq.Plane.XY()), "fixed"),
        (("base", asm.Axis((0, 0, 0), "z")), "arm.z", "parallel"),
        ("base.xy", ("arm", cq.Vector(0, 0, 1)), "point_in_plane"),
        ("base@vertices@>X and >Y and >Z", "arm@faces@>Z", "point_in_plane"),
    ):
        assert mates.mate(assy, one, two, kind).kind == kind
    given = mates.to_assembly(assy)
    assert len(given.mates) == 5 and given.parts["base"].features["location"].frame[0] == 1.0


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("bas@faces@>Z", "no object 'bas'; did you mean 'base'?"),
        ("lid@faces@>Z", "no object 'lid'; there is 'pair', 'base', 'arm'"),
        ("base?lid", "no tag on 'base' 'lid'; there is 'top'"),
        ("base@faces@%CYLINDER", "(20, 0, 0); pick one of them, as faces@%CYLINDER@>X"),
        ("base", "mate.a: coplanar: base as a whole at (0, 0, 0) is of type Point, it must be "),
        ("base@faces@%SPHERE", "query 'base@faces@%SPHERE': 'faces@%SPHERE' picks nothing"),
        ("base@sides@>Z", "no kind of selector 'sides'"),
        ("pair@faces@>Z", "object 'pair' has no shape of its own; there is 'base', 'arm'"),
        (("base", 3), "3 is not possible in a query"),
        (7, "7 is no query"),
        ("arm@faces@>Z", "are both in 'arm', which is one rigid part here"),
    ],
)
def test_a_query_that_means_nothing_says_what_was_possible(query: Any, words: str) -> None:
    with pytest.raises(asm.AssemblySolverError) as caught:
        mates.mate(pair(), query, "arm@faces@<Z", "coplanar")
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_what_a_mate_does_not_take_is_named_and_nothing_is_entered() -> None:
    assy = pair()
    with pytest.raises(asm.AssemblySolverError, match="no mate kind 'coaxal'; did you mean"):
        mates.mate(assy, "base@faces@>Z", "arm@faces@>Z", "coaxal")
    with pytest.raises(asm.AssemblySolverError, match="after the two queries comes its kind"):
        mates.mate(assy, "base@faces@>Z", "arm@faces@>Z")
    with pytest.raises(asm.AssemblySolverError, match="it takes assy, joint, coordinate, more by"):
        mates.limit(assy, "pin", "angle", 0, 90)
    with pytest.raises(asm.AssemblySolverError, match=r"vertex at .* is of type Point"):
        mates.mate(assy, "base@vertices@>X and >Y and >Z", "arm@faces@>Z", "coaxial")
    assert not mates.to_assembly(assy).mates


@pytest.mark.parametrize("kind", sorted(k for k, c in asm.MATES.items() if c.takes))
def test_every_kind_of_the_registry_can_be_asked_for(kind: str) -> None:
    """Of a block, a drum and frames the queries are found that the kind takes, and it holds."""
    if not asm.MATES[kind].__module__.startswith("assembly_solver."):
        pytest.skip("defined by a test")
    more: dict[str, Any] = {
        "angle": {"value": 30.0},
        "distance": {"value": 40.0},
        "screw": {"pitch": 2.0},
        "symmetric": {"about": "mirror.yz"},
        "equal_distance": {"a2": "mirror.origin", "b2": "mirror.origin"},
        "width": {"a2": "base@faces@<Y"},
    }
    first = {"path": "base@edges@>Z and >Y", "tangent": "base@faces@>Z", "slot": "base.origin"}
    first |= {"pin_slot": "base.origin", "width": "base@faces@>Y", "line_in_plane": "base.xy"}
    first |= {"coplanar": "base.xy", "point_in_plane": "base.xy", "equal_distance": "base.origin"}
    second = {"line_in_plane": "arm.z", "coplanar": "arm.xy", "equal_distance": "arm.origin"}
    assy = pair().add(cq.Workplane().box(1, 1, 1), name="mirror", loc=cq.Location((50, 0, 0)))
    for name in ("base", "mirror"):
        mates.ground(assy, name)
    drum = "arm@faces@%CYLINDER@<X"
    point = "arm@vertices@>X and >Y and >Z"
    pointed = ("coincident", "point_on_line", "point_in_plane", "symmetric", "path")
    two = second.get(kind, point if kind in pointed else drum)
    one = first.get(kind, "base@faces@%CYLINDER@>X")
    if kind in ("coincident", "symmetric"):
        one = "base@vertices@>X and >Y and >Z"
    made = mates.mate(assy, one, two, kind, **more.get(kind, {}))
    assert made.kind == kind
    solution = mates.solve(assy).require()
    assert solution.residual < 1e-6 and {m.kind for m in solution.mates} == {kind}


def test_a_joint_can_be_placed_once_in_the_frame_of_the_assembly() -> None:
    assy = pair()
    mates.ground(assy, "base")
    at = cq.Location((1, 2, 3))
    mates.mate(assy, "base", "arm", "revolute", name="pin", at=at)
    before = pose_of(assy.objects["arm"].loc)
    solution = mates.solve(assy).require()
    assert pose_of(assy.objects["arm"].loc) == before and solution.dof == 1


def train(ratio: float) -> Any:
    """Two wheels on a frame, geared; the motor turns the first."""
    wheel = cq.Workplane().circle(10).extrude(4)
    assy = cq.Assembly(name="train").add(cq.Workplane().box(90, 50, 2), name="frame")
    for k, x in enumerate((0, 20)):
        assy.add(wheel, name=f"wheel{k}", loc=cq.Location((x, 0, 5)))
        axis = ("frame", asm.Axis((x, 0, 5), "z"))
        mates.mate(assy, axis, f"wheel{k}@faces@<Z", "revolute", name=f"pin{k}", sense="opposed")
    mates.ground(assy, "frame")
    mates.mate(assy, "pin0", "pin1", "gear", name="mesh", ratio=ratio)
    mates.drive(assy, "motor", "pin0", "angle", value=0)
    return assy


def test_a_gear_keeps_its_mesh_over_whole_turns_from_solve_to_solve() -> None:
    """Half as fast: after 200 and 400 degrees of the motor the other wheel stands at 200."""
    assy = train(0.5)
    for value in (0, 200, 400):
        mates.drive(assy, "motor", value=value)
        solution = mates.solve(assy).require()
    assert (solution.dof, solution.dof_left) == (1, 0)
    x = [pose_of(assy.objects[f"wheel{k}"].loc).rotation[:, 0] for k in (0, 1)]
    start = [pose_of(train(0.5).objects[f"wheel{k}"].loc).rotation[:, 0] for k in (0, 1)]
    assert x[0] @ start[0] == pytest.approx(cos(radians(400)), abs=1e-9)
    assert x[1] @ start[1] == pytest.approx(cos(radians(200)), abs=1e-9)


def test_a_sweep_moves_nothing_until_a_state_is_asked_for() -> None:
    assy = hinged()
    mates.solve(assy).require()
    mates.drive(assy, "swing", "pin", "angle", range=(0, 90))
    before = pose_of(assy.objects["arm"].loc)
    motion = mates.sweep(assy, "swing", steps=9)
    assert bool(motion) and pose_of(assy.objects["arm"].loc) == before
    mates.move(assy, motion, 9)
    now = pose_of(assy.objects["arm"].loc)
    assert now.position == pytest.approx(motion.part("arm").position[9], abs=1e-12)
    x = now.rotation[:, 0]
    assert x == pytest.approx((0, 1, 0), abs=1e-9)
    with pytest.raises(asm.AssemblySolverError, match="give the number of one"):
        mates.move(assy, motion)


def test_a_check_follows_the_drivers_and_holds_what_is_asked() -> None:
    assy = hinged()
    mates.drive(assy, "swing", "pin", "angle", range=(0, 60))
    mates.limit(assy, "pin", "angle", min=-10, max=45)
    report = mates.check(assy, {"kind": "dof", "equals": 1})
    found = {finding.name: finding for finding in report.findings}
    assert not report and any("45" in str(f) for f in report.findings if not f), found


def test_a_distance_between_queries_is_driven() -> None:
    assy = hinged()
    ends = ("base@faces@%CYLINDER@<X", "arm@faces@%CYLINDER@>X")
    mates.drive(assy, "reach", separation=ends, value=60)
    mates.solve(assy).require()
    two = mates_of(assy, "base", ends[0][5:]), mates_of(assy, "arm", ends[1][4:])
    assert np.linalg.norm(two[1] - two[0]) == pytest.approx(60, abs=1e-9)


# ------------------------------------------------------------------------- where mates are kept
def test_constraints_that_are_added_after_a_solve_are_seen() -> None:
    assy = hinged()
    assert mates.solve(assy).dof == 1
    assy.constrain("base@faces@>X", "arm@faces@>X", "Axis", param=0)
    solution = mates.solve(assy).require()
    assert solution.dof == 0 and len(solution.mates) == 3
    assert pose_of(assy.objects["arm"].loc).rotation == pytest.approx(np.eye(3), abs=1e-9)


# ------------------------------------------------------------------------------------------ files
def test_the_assembly_is_written_with_geometry_and_read_and_solved_again(tmp_path: Path) -> None:
    assy = hinged()
    given = mates.to_assembly(assy, tmp_path)
    asm.write(given, tmp_path / "pair.assembly.json")
    again = asm.read(tmp_path / "pair.assembly.json")
    solution = asm.solve(again).require()
    mates.solve(assy).require()
    here = pose_of(assy.objects["arm"].loc).position
    assert solution.poses["arm"].position == pytest.approx(here, abs=1e-9)
    box = cq.importers.importStep(str(tmp_path / "arm.step")).val().BoundingBox()
    assert (box.xmin, box.xmax) == pytest.approx((-30, 30), abs=1e-6)


def test_parts_keep_the_colours_in_which_cadquery_shows_them(tmp_path: Path) -> None:
    block = cq.Workplane().box(1, 1, 1)
    group = cq.Assembly(color=cq.Color("#102030")).add(block, name="same").add(block, name="too")
    mixed = cq.Assembly().add(block, color=cq.Color("red")).add(block, color=cq.Color("#00ff00"))
    assy = cq.Assembly(block, name="root", color=cq.Color(1.0, 0.5, 0.0, 0.3))
    assy.add(block, name="own", color=cq.Color("#4080c0")).add(block, name="of the root")
    assy.add(group, name="group").add(mixed, name="mixed")
    given = mates.to_assembly(assy, tmp_path)
    asm.write(given, tmp_path / "coloured.assembly.json")
    again = asm.read(tmp_path / "coloured.assembly.json")
    assert {name: part.colour for name, part in again.parts.items()} == {
        "root": "#ff8000",
        "own": "#4080c0",
        "of the root": "#ff8000",
        "group": "#102030",
        "mixed": None,
    }


def test_the_solved_assembly_is_exported_and_shown_as_cadquery_does(tmp_path: Path) -> None:
    from cadquery.occ_impl.assembly import toJSON

    assy = hinged()
    mates.solve(assy).require()
    assy.export(str(tmp_path / "pair.step"))
    assy.export(str(tmp_path / "pair.glb"))
    bounds = cq.importers.importStep(str(tmp_path / "pair.step")).val().BoundingBox()
    assert (bounds.zmin, bounds.zmax) == pytest.approx((-2, 6), abs=1e-6)
    assert (tmp_path / "pair.glb").read_bytes()[:4] == b"glTF"
    shown = toJSON(assy)  # what a notebook draws
    arm = next(entry for entry in shown if any(entry["position"]))
    assert arm["position"] == pytest.approx(assy.objects["arm"].loc.toTuple()[0], abs=1e-12)
    assert repr(mates.diagnose(assy)).startswith("Solution(2 parts, 2 mates hold")


def test_poses_and_locations_are_told_into_each_other() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        q = random.normal(size=4)
        pose = asm.Pose(tuple(random.normal(size=3) * 100), tuple(q / np.linalg.norm(q)))
        again = pose_of(location_of(pose))
        assert again.position == pytest.approx(pose.position, abs=1e-12)
        sign = np.sign(np.dot(again.quaternion_wxyz, pose.quaternion_wxyz))
        assert np.multiply(sign, again.quaternion_wxyz) == pytest.approx(
            pose.quaternion_wxyz, abs=1e-14
        )

"""Sub-assemblies equal the flat assembly, and come back from their files as they went in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mechanisms import pose_gap, turned
from refusals import refusals

import assembly_solver as asm
from assembly_solver import formats
from assembly_solver.errors import AssemblySolverError, BadValue, DoesNotStand, DuplicateName
from assembly_solver.formats.native import assembly_json

POINT = {"point": [0, 0, 0]}
PIN = {"axis": {"point": [0, 0, 0], "direction": "y", "x": "x"}}
TIP = {"point": [100, 0, 0]}
FOOT = {"frame": {"origin": [0, 0, -20], "z": "z", "x": "x"}}

ARM: dict[str, Any] = {
    "format": "assembly-solver/1",
    "name": "arm",
    "parts": {
        "base": {"grounded": True, "features": {"pin": PIN, "foot": FOOT}},
        "rod": {"pose": {"position": [4, 1, 3]}, "features": {"pin": PIN, "tip": TIP}},
    },
    "mates": [{"name": "elbow", "kind": "revolute", "a": "base.pin", "b": "rod.pin"}],
    "drivers": {"lift": {"joint": "elbow", "coordinate": "angle", "value": -30}},
}
"""A rod on a stand; at its start it is off."""

AT = {"position": [10, 20, 30], "axis": "z", "angle": 90}


def crane(**arm: Any) -> dict[str, Any]:
    """A floor with an arm on it, and a load at the arm's tip."""
    return {
        "format": "assembly-solver/1",
        "name": "crane",
        "parts": {
            "floor": {
                "grounded": True,
                "features": {"spot": {"frame": {"origin": [500, 0, 0], "z": "z", "x": "y"}}},
            },
            "arm": {"assembly": "arm.assembly.json", **arm},
            "load": {"features": {"ring": POINT}},
        },
        "mates": [
            {"name": "feet", "kind": "fixed", "a": "floor.spot", "b": "arm.base.foot"},
            {"name": "rope", "kind": "coincident", "a": "arm.rod.tip", "b": "load.ring"},
        ],
    }


def written(folder: Path, **trees: dict[str, Any]) -> Path:
    """Files with these trees; the first one is told."""
    for name, tree in trees.items():
        (folder / f"{name}.assembly.json").write_text(json.dumps(tree))
    return folder / f"{next(iter(trees))}.assembly.json"


def flat() -> asm.Assembly:
    """The crane written without a sub-assembly."""
    a = asm.Assembly("crane")
    y = asm.Axis((0, 0, 0), "y", "x")
    a.add("floor", grounded=True, features={"spot": asm.Frame((500, 0, 0), "z", "y")})
    a.add("arm.base", features={"pin": y, "foot": asm.Frame((0, 0, -20), "z", "x")})
    a.add("arm.rod", pose=asm.Pose((4, 1, 3)), features={"pin": y, "tip": asm.Point((100, 0, 0))})
    a.add("load", features={"ring": asm.Point((0, 0, 0))})
    a.mate("fixed", "floor.spot", "arm.base.foot", name="feet")
    a.mate("coincident", "arm.rod.tip", "load.ring", name="rope")
    a.mate("revolute", "arm.base.pin", "arm.rod.pin", name="arm.elbow")
    a.drive("arm.lift", "arm.elbow", "angle", value=-30)
    return a


def again(a: asm.Assembly, folder: Path) -> str:
    """The text of an assembly in a folder, the same after reading it again."""
    path = folder / "again.assembly.json"
    formats.write(a, path)
    text = path.read_text()
    assert assembly_json.dump(asm.read(path), folder) == text
    return text


# ------------------------------------------------------------------------------------- rigid
def test_a_rigid_sub_assembly_is_one_part_where_its_flat_parts_are(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(pose=AT), arm=ARM))
    assert list(a.parts) == ["floor", "arm", "load"]
    found, wanted = asm.solve(a).require(), asm.solve(flat()).require()
    for here, there in (("arm", "arm.base"), ("load", "load")):
        assert max(pose_gap(found.poses[here], wanted.poses[there])) < 1e-9
    rod = found.poses["arm"] @ a.parts["arm"].inner["rod"].pose
    assert max(pose_gap(rod, wanted.poses["arm.rod"])) < 1e-9
    assert found.dof == 3  # the load about its ring


def test_a_rigid_sub_assembly_is_solved_when_it_is_read_and_otherwise_refused(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, crane=crane(), arm=ARM)
    with pytest.raises(DoesNotStand) as caught:
        formats.read(path)  # without a solver: the rod is off by (4, 1, 3), its angle by 30
    assert str(caught.value) == (
        "parts.arm: arm.assembly.json cannot be rigid: at its poses its mate 'elbow' is off by "
        '5.1 mm; solve it by itself first, or include it with "rigid": false'
    )
    rod = asm.read(path).parts["arm"].inner["rod"].pose
    assert max(pose_gap(rod, turned((0, 1, 0), -30))) < 1e-9
    asm.solve(asm.read(tmp_path / "arm.assembly.json")).require().apply()
    stood = asm.read(tmp_path / "arm.assembly.json")
    asm.solve(stood).apply()
    formats.write(stood, tmp_path / "arm.assembly.json")
    assert formats.read(path).parts["arm"].inner["rod"].pose == stood.parts["rod"].pose


def test_a_rigid_sub_assembly_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    stop = {"name": "stop", "kind": "angle", "a": "base.pin", "b": "rod.pin", "value": 5}
    path = written(tmp_path, crane=crane(), arm=ARM | {"mates": [*ARM["mates"], stop]})
    with pytest.raises(DoesNotStand, match=r"arm\.assembly\.json cannot be rigid"):
        asm.read(path)


def test_all_features_of_inner_parts_are_found_and_more_can_be_given(tmp_path: Path) -> None:
    own = {"hook": {"point": [1, 2, 3]}}
    a = asm.read(written(tmp_path, crane=crane(pose=AT, features=own), arm=ARM))
    part = a.parts["arm"]
    assert list(part.feature_names()) == ["hook", "base.pin", "base.foot", "rod.pin", "rod.tip"]
    assert str(a.reference("arm.rod.xy")) == "arm.rod.xy"
    tip = part.feature("rod.tip")
    wanted = turned((0, 1, 0), -30).apply((100, 0, 0))
    assert tip.frame[:3] == pytest.approx(wanted, abs=1e-9)
    with pytest.raises(AssemblySolverError, match=r"'rod\.tap' of part 'arm'; did you"):
        a.reference(("arm", "rod.tap"))
    twice = crane(features={"rod.tip": POINT})
    with pytest.raises(DuplicateName, match=r"already a feature 'arm\.rod\.tip'"):
        asm.read(written(tmp_path, crane=twice))


# ---------------------------------------------------------------------------------- flexible
def test_a_flexible_sub_assembly_is_the_flat_assembly(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(rigid=False, pose={"position": [0, 0, 0]}), arm=ARM))
    b = flat()
    assert set(a.parts) == set(b.parts) and set(a.mates) == set(b.mates)
    assert {d.name: d.value for d in a.drivers.values()} == {"arm.lift": -30}
    found, wanted = asm.solve(a).require(), asm.solve(b).require()
    assert (found.dof, found.redundant_equations) == (wanted.dof, wanted.redundant_equations)
    for name in b.parts:
        assert max(pose_gap(found.poses[name], wanted.poses[name])) < 1e-9
    a.set_driver("arm.lift", 20)
    rod = asm.solve(a).require().poses["arm.rod"]
    base = found.poses["arm.base"]
    assert max(pose_gap(rod, base @ turned((0, 1, 0), 20))) < 1e-9


def test_a_flexible_sub_assembly_starts_at_its_pose(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(rigid=False, pose=AT), arm=ARM))
    at = turned((0, 0, 1), 90, (10, 20, 30))
    assert max(pose_gap(a.pose("arm.base"), at)) < 1e-12
    assert max(pose_gap(a.pose("arm.rod"), at @ asm.Pose((4, 1, 3)))) < 1e-12
    assert not a.parts["arm.base"].grounded
    held = asm.read(written(tmp_path, crane=crane(rigid=False, grounded=True)))
    assert held.parts["arm.base"].grounded and not held.parts["arm.rod"].grounded


def test_grounded_parts_of_a_flexible_sub_assembly_stay_together(tmp_path: Path) -> None:
    rail = {"grounded": True, "pose": {"position": [0, 300, 7], "axis": "z", "angle": 30}}
    arm = ARM | {"parts": ARM["parts"] | {"rail": rail}}
    a = asm.read(written(tmp_path, crane=crane(rigid=False, pose=AT), arm=arm))
    assert [n for n in a.mates if a.mates[n].kind == "fixed"] == [
        "arm.base and rail grounded",
        "feet",
    ]
    solution = asm.solve(a).require()
    assert solution.dof == 4 and solution.grounded == ["floor"]
    base, rail_pose = solution.poses["arm.base"], solution.poses["arm.rail"]
    assert max(pose_gap(base.to(rail_pose), turned((0, 0, 1), 30, (0, 300, 7)))) < 1e-9
    held = asm.read(written(tmp_path, crane=crane(rigid=False, grounded=True)))
    assert "arm.base and rail grounded" not in held.mates
    assert held.parts["arm.rail"].grounded


# ------------------------------------------------------------------------------------ nested
def wagon(**crane_entry: Any) -> dict[str, Any]:
    """A wagon that carries two cranes."""
    entry = {"assembly": "sub/crane.assembly.json", **crane_entry}
    return {
        "format": "assembly-solver/1",
        "name": "wagon",
        "parts": {
            "bed": {"grounded": True, "features": {"mid": FOOT}},
            "front": entry,
            "back": entry,
        },
        "mates": [
            {"name": "one", "kind": "fixed", "a": "bed.mid", "b": "front.floor.spot"},
            {"name": "two", "kind": "fixed", "a": "front.floor.origin", "b": "back.floor.spot"},
        ],
    }


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_two_levels_rigid_or_flexible_stand_where_the_flat_parts_stand(
    outer: bool, inner: bool, tmp_path: Path
) -> None:
    sub = tmp_path / "sub"
    sub.mkdir()
    written(sub, crane=crane(rigid=inner), arm=ARM)
    path = written(tmp_path, wagon=wagon(rigid=outer))
    a = asm.read(path)
    crane_parts = ["floor", "arm", "load"] if inner else ["floor", "arm.base", "arm.rod", "load"]
    inside = [f"{side}.{p}" for side in ("front", "back") for p in crane_parts]
    assert list(a.parts) == ["bed", *(["front", "back"] if outer else inside)]
    solution = asm.solve(a).require()
    # by hand: the spot of the front floor is on the bed's foot, its x axis along the spot's x
    spot = asm.Frame((500, 0, 0), "z", "y")
    to_spot = asm.Pose.from_frame(spot.frame)
    floor = asm.Pose((0, 0, -20)) @ to_spot.inverse()
    behind = floor @ to_spot.inverse()
    arm = to_spot @ asm.Pose((0, 0, 20))
    for side, where in (("front", floor), ("back", behind)):
        tip = (where @ arm @ turned((0, 1, 0), -30)).apply((100, 0, 0))
        name = "rod.tip" if outer or inner else "tip"
        part = side if outer else (f"{side}.arm" if inner else f"{side}.arm.rod")
        name = "arm.rod.tip" if outer else name
        feature = a.parts[part].feature(name)
        found = solution.poses[part].apply(feature.frame[:3])
        assert found == pytest.approx(tip, abs=1e-9)
    assert again(solution_applied(a), tmp_path).count('"sub/crane.assembly.json"') == 2


def solution_applied(a: asm.Assembly) -> asm.Assembly:
    asm.solve(a).require().apply()
    return a


# ------------------------------------------------------------------------------------- files
def test_what_became_of_a_flexible_sub_assembly_is_written_and_read_again(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(rigid=False, pose=AT), arm=ARM))
    before = json.loads(again(a, tmp_path))["parts"]["arm"]
    assert set(before) == {"assembly", "rigid", "pose"}
    a.set_driver("arm.lift", 12.5)
    a.add_features("arm.rod", {"eye": asm.Point((50, 0, 0))})
    asm.solve(a).apply()
    a.ground("arm.rod")
    a.remove("arm.elbow")
    a.mate("cylindrical", "arm.base.pin", "arm.rod.pin", name="arm.elbow")
    text = again(a, tmp_path)
    entry = json.loads(text)["parts"]["arm"]
    assert set(entry["parts"]["rod"]) == {"grounded", "pose", "features"}
    assert entry["without"] == ["elbow"]
    b = asm.read(tmp_path / "again.assembly.json")
    assert b.mates["arm.elbow"].kind == "cylindrical" and list(b.drivers) == []
    for name in a.parts:
        assert max(pose_gap(a.pose(name), b.pose(name))) < 1e-12
    assert b.parts["arm.rod"].grounded
    assert b.parts["arm.rod"].features["eye"] == asm.Point((50, 0, 0))


def test_limits_enter_with_a_flexible_sub_assembly_and_are_left_out_by_name(tmp_path: Path) -> None:
    elbow = {"joint": "elbow", "coordinate": "angle"}
    limits = [elbow | {"min": -10, "max": 80, "name": "elbow"}, elbow | {"max": 90, "name": "wide"}]
    arm = ARM | {"limits": limits, "drivers": {}}
    a = asm.read(written(tmp_path, crane=crane(rigid=False), arm=arm))
    assert list(a.limits) == ["arm.elbow", "arm.wide"]
    a.drive("lift", "arm.elbow", "angle", value=85)
    (conflict,) = asm.solve(a).to_dict()["conflicts"]
    assert len(conflict["mates"]) == 2 and "lift" in conflict["mates"]
    a.remove_limit("arm.elbow")
    assert asm.solve(a)
    assert json.loads(again(a, tmp_path))["parts"]["arm"]["without"] == ["limit elbow"]
    b = asm.read(tmp_path / "again.assembly.json")
    assert (list(b.limits), list(b.mates)) == (["arm.wide"], list(a.mates))
    b.remove_limit("arm.wide")
    left_out = json.loads(again(b, tmp_path))["parts"]["arm"]["without"]
    assert left_out == ["limit elbow", "wide"]


def test_a_solved_flexible_sub_assembly_is_found_solved_again(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(rigid=False, pose=AT), arm=ARM))
    a.set_driver("arm.lift", 12.5)
    text = again(solution_applied(a), tmp_path)
    assert json.loads(text)["parts"]["arm"]["drivers"] == {"lift": 12.5}
    b = asm.read(tmp_path / "again.assembly.json")
    solution = asm.solve(b).require()
    assert solution.counts.iterations == 0
    assert all(solution.poses[name] == b.pose(name) for name in b.parts)


def test_writing_elsewhere_keeps_the_way_to_the_file(tmp_path: Path) -> None:
    a = asm.read(written(tmp_path, crane=crane(), arm=ARM))
    (tmp_path / "out").mkdir()
    formats.write(a, tmp_path / "out" / "crane.assembly.json")
    tree = json.loads((tmp_path / "out" / "crane.assembly.json").read_text())
    assert tree["parts"]["arm"] == {"assembly": "../arm.assembly.json"}
    assert list(asm.read(tmp_path / "out" / "crane.assembly.json").parts["arm"].inner) == [
        "base",
        "rod",
    ]


def test_an_assembly_that_no_file_holds_cannot_be_named_in_one() -> None:
    a, other = asm.Assembly(), asm.Assembly("other")
    other.add("block")
    a.add_assembly("box", other)
    with pytest.raises(AssemblySolverError, match=r"parts\.box: no file holds this sub-assembly"):
        assembly_json.dump(a)
    a = asm.Assembly()
    a.add_assembly("box", other, file="box.assembly.json", rigid=False)
    assert json.loads(assembly_json.dump(a))["parts"] == {
        "box": {"assembly": "box.assembly.json", "rigid": False}
    }


def test_geometry_of_inner_parts_is_exported_where_it_stands(tmp_path: Path) -> None:
    cadquery = pytest.importorskip("cadquery")
    (tmp_path / "sub").mkdir()
    cadquery.exporters.export(
        cadquery.Workplane().box(100, 10, 10, centered=(False, True, True)),
        str(tmp_path / "sub" / "rod.step"),
    )
    parts = ARM["parts"] | {"rod": ARM["parts"]["rod"] | {"geometry": "rod.step"}}
    written(tmp_path / "sub", arm=ARM | {"parts": parts})
    for rigid in (True, False):
        tree = crane(assembly="sub/arm.assembly.json", rigid=rigid, **{"x-colour": "#ff0000"})
        a = solution_applied(asm.read(written(tmp_path, crane=tree)))
        formats.write(a, tmp_path / "out.step")
        (child,) = cadquery.Assembly.importStep(str(tmp_path / "out.step")).children
        assert child.name == "arm.rod"
        assert child.color.toTuple() == pytest.approx((1, 0, 0, 1), abs=1e-6)
        found = child.toCompound().Center().toTuple()
        at = asm.Pose.from_frame(asm.Frame((500, 0, 0), "z", "y").frame) @ asm.Pose((0, 0, 20))
        wanted = (at @ turned((0, 1, 0), -30)).apply((50, 0, 0))
        assert found == pytest.approx(wanted, abs=1e-6)


REFUSED = refusals("""
{"assembly": "amr.assembly.json"}
    parts.arm.assembly: amr.assembly.json: there is no such file; did you mean 'arm.assembly.json'
    or 'crane.assembly.json'?
{"assembly": "crane.assembly.json"}
    parts.arm.assembly: crane.assembly.json is part of itself: crane.assembly.json ->
    crane.assembly.json
{"assembly": "bad.assembly.json"}
    parts.arm.assembly: bad.assembly.json: parts.arm.assembly: worse.assembly.json: parts.base: no
    key 'poze'; did you mean 'pose'?
{"assembly": "ring.assembly.json"}
    parts.arm.assembly: ring.assembly.json: parts.arm.assembly: crane.assembly.json is part of
    itself: crane.assembly.json -> ring.assembly.json -> crane.assembly.json
{"geometry": "x.step"}
    parts.arm: 'assembly' and 'geometry' exclude each other; give one of them
{"rigid": 1}
    parts.arm.rigid: 1 is not possible here, it must be true or false
{"rigit": true}
    parts.arm: no key 'rigit'; did you mean 'rigid'?
{"drivers": {}}
    parts.arm: 'assembly' and 'drivers' exclude each other; give one of them
{"rigid": false, "drivers": {"lfit": 3}}
    parts.arm.drivers.lfit: no driver 'arm.lfit'; did you mean 'arm.lift'?
{"rigid": false, "without": ["elbo"]}
    parts.arm.without: no entry 'elbo'; did you mean 'elbow'?
{"rigid": false, "without": ["driver lfit"]}
    parts.arm.without: no entry 'driver lfit'; did you mean 'driver lift'?
{"rigid": false, "parts": {"rot": {}}}
    parts.arm.parts: no part 'rot'; did you mean 'rod'?
{"rigid": false, "parts": {"rod": {"poze": {}}}}
    parts.arm.parts.rod: no key 'poze'; did you mean 'pose'?
{"rigid": false, "grounded": true, "assembly": "loose.assembly.json"}
    parts.arm: 'loose.assembly.json' is not possible here, it must be an assembly with a grounded
    part
{"assembly": "empty.assembly.json"}
    parts.arm: 'empty.assembly.json' is not possible here, it must be another assembly, with a part
""")


@pytest.mark.parametrize(("arm", "message"), REFUSED, ids=[m[:60] for _, m in REFUSED])
def test_what_is_wrong_is_one_line_with_its_place_and_the_files_on_the_way(
    arm: str, message: str, tmp_path: Path
) -> None:
    worse = ARM | {"parts": {"base": {"poze": {}}}}
    loose = {"format": "assembly-solver/1", "parts": {"block": {}}}
    path = written(
        tmp_path,
        crane=crane(**json.loads(arm)),
        arm=ARM,
        bad=crane(assembly="worse.assembly.json"),
        worse=worse,
        ring=crane(assembly="crane.assembly.json"),
        loose=loose,
        empty=loose | {"parts": {}},
    )
    if "did you mean 'arm.assembly.json'" in message:
        for name in ("bad", "worse", "ring", "loose", "empty"):
            (tmp_path / f"{name}.assembly.json").unlink()
    with pytest.raises(AssemblySolverError) as caught:
        asm.read(path)
    assert str(caught.value) == message


def test_an_assembly_that_does_not_enter_leaves_nothing_behind() -> None:
    arm = assembly_json.read_text(json.dumps(ARM))
    a = asm.Assembly()
    a.add("arm.rod")
    with pytest.raises(DuplicateName):
        a.add_assembly("arm", arm, rigid=False)
    assert (list(a.parts), list(a.mates), list(a.groups)) == (["arm.rod"], [], [])
    with pytest.raises(BadValue, match="features"):
        a.add_assembly("arm", arm, rigid=False, features={"p": asm.Point((0, 0, 0))})
    with pytest.raises(BadValue, match="another assembly"):
        a.add_assembly("a", a)


def test_a_pattern_of_a_part_in_a_flexible_sub_assembly(tmp_path: Path) -> None:
    tree = crane(rigid=False, grounded=True)
    del tree["mates"][0]
    pose = {"position": [0, 40, 0]}
    tree["parts"]["rods"] = {"pattern": {"of": "arm.rod", "poses": [pose]}}
    a = asm.read(written(tmp_path, crane=tree, arm=ARM))
    assert str(a.mates["arm.elbow[1]"].a) == "arm.base.pin@rods[1]"
    asm.solve(a).require().apply()
    assert a.pose("rods[1]").position == pytest.approx((0, 40, 0), abs=1e-9)
    text = again(a, tmp_path)
    assert [m["name"] for m in json.loads(text)["mates"]] == ["rope"]
    assert list(asm.read(tmp_path / "again.assembly.json").mates) == list(a.mates)


def test_names_in_a_conflict_are_those_of_the_flat_assembly(tmp_path: Path) -> None:
    tree = crane(rigid=False)
    stop = {"name": "stop", "kind": "point_in_plane", "a": "floor.xy", "offset": 5}
    stop["b"] = "arm.base.foot"
    tree["mates"].append(stop)
    solution = asm.solve(asm.read(written(tmp_path, crane=tree, arm=ARM)))
    (conflict,) = solution.to_dict()["conflicts"]
    assert conflict["mates"] == ["feet", "stop"] and conflict["gap_mm"] == pytest.approx(5)
    assert solution.best_poses.keys() == {"floor", "arm.base", "arm.rod", "load"}


def test_entries_stand_where_a_file_that_is_read_has_them(tmp_path: Path) -> None:
    written(tmp_path, arm=ARM)
    a = asm.Assembly("yard", folder=tmp_path)
    frame = {"way": asm.Frame((0, 0, 0))}
    a.add("post", grounded=True, features=frame)
    a.add("cart", features=frame)
    a.mate("cylindrical", "post.way", "cart.way", name="rail")
    a.drive("travel", "rail", "length", value=5)
    a.limit("rail", "angle", min=-90, max=90)
    a.add_assembly("boom", asm.read(tmp_path / "arm.assembly.json"), rigid=False)
    a.pins(A=(0, 0), B=(0, 30), C=(0, 60))
    a.link("base", "A C", grounded=True)
    a.link("crank", "A B")
    a.link("block", "B")
    a.slot("groove", "A C", "B", link="base")
    a.link("lever", "A")
    path = tmp_path / "yard.assembly.json"
    asm.write(a, path)
    read = asm.read(path)
    for kept in ("parts", "mates", "drivers", "limits"):
        assert list(getattr(a, kept)) == list(getattr(read, kept)), kept
    assert list(a.mates)[-1] == "rail"


def test_limits_that_mates_of_a_sub_assembly_imply_stand_before_others(tmp_path: Path) -> None:
    frame = {"way": asm.Frame((0, 0, 0))}
    arm = asm.Assembly("arm")
    arm.add("base", grounded=True, features=frame)
    arm.add("rod", features=frame)
    arm.mate("slot", "base.way", "rod.way", length=40, name="groove")
    asm.write(arm, tmp_path / "arm.assembly.json")
    a = asm.Assembly("yard", folder=tmp_path)
    a.add("post", grounded=True, features=frame)
    a.add("cart", features=frame)
    a.mate("cylindrical", "post.way", "cart.way", name="rail")
    a.limit("rail", "angle", min=-90, max=90)
    a.add_assembly("boom", asm.read(tmp_path / "arm.assembly.json"), rigid=False)
    path = tmp_path / "yard.assembly.json"
    asm.write(a, path)
    assert list(a.limits) == ["boom.groove length", "rail angle"] == list(asm.read(path).limits)


def test_a_mate_of_a_sub_assembly_that_is_edited_stands_where_its_file_has_it(
    tmp_path: Path,
) -> None:
    way = {"way": asm.Frame((0, 0, 0)), "face": asm.Plane((0, 0, 0), "z")}
    arm = asm.Assembly("arm")
    for name in ("base", "rod", "tip"):
        arm.add(name, grounded=name == "base", features=way)
    arm.mate("slot", "base.way", "rod.way", length=40, name="groove")
    arm.mate("coplanar", "rod.face", "tip.face", offset=2, name="seat")
    arm.mate("revolute", "base.way", "tip.way", name="pin")
    arm.mate("gear", joints=("pin", "groove"), ratio=2, name="gears")
    arm.limit("pin", "angle", min=-90, max=90, name="stop")
    asm.write(arm, tmp_path / "arm.assembly.json")
    a = asm.Assembly("yard", folder=tmp_path)
    a.add("post", grounded=True, features=way)
    a.add_assembly("boom", asm.read(tmp_path / "arm.assembly.json"), rigid=False)
    a.mate("coaxial", "post.way", "boom.base.way", name="mast")

    def order(change: Any) -> list[str]:
        change()
        asm.write(a, tmp_path / "yard.assembly.json")
        read = asm.read(tmp_path / "yard.assembly.json")
        assert list(read.limits) == list(a.limits)
        assert list(read.mates) == list(a.mates)
        return [name.removeprefix("boom.") for name in a.mates]

    entered = ["groove", "seat", "pin", "gears", "mast"]
    last = ["seat", "pin", "groove", "gears", "mast"]
    assert order(lambda: None) == entered
    seat_last = ["groove", "pin", "gears", "seat", "mast"]
    assert order(lambda: a.change("boom.seat", offset=3)) == seat_last
    assert order(lambda: a.change("boom.seat", offset=4)) == seat_last
    assert order(lambda: a.change("boom.seat", offset=2)) == entered
    assert order(lambda: a.change("boom.groove", length=50)) == last  # with what couples it
    assert order(lambda: a.keep_constants({"boom.gears": 7.0})) == last
    a.remove("boom.seat", alone=True)
    seat = {"offset": 2, "name": "boom.seat"}
    again = order(lambda: a.mate("coplanar", "boom.rod.face", "boom.tip.face", **seat))
    assert again == last


def arm_with_a_groove(folder: Path, limit: str, turned: bool = False) -> None:
    """Write a slot with a driver, a limit of this name, a measure and tolerances; its angle driven,
    too."""
    arm = asm.Assembly("arm")
    for name in ("base", "rod"):
        arm.add(name, grounded=name == "base", features={"way": asm.Frame((0, 0, 0))})
    arm.mate("slot", "base.way", "rod.way", length=40, name="groove")
    arm.drive("push", "groove", "length", value=7)
    if turned:
        arm.drive("turn", "groove", "angle", value=5)
    arm.limit("groove", "angle", min=-9, max=9, name=limit)
    arm.measure("far", joint="groove", coordinate="length", max=20)
    arm.tolerate("travel", driver="push", plus=0.1, minus=0.1)
    arm.tolerate("size", mate="groove", value="length", plus=0.1, minus=0.2)
    asm.write(arm, folder / "arm.assembly.json")


def test_what_is_about_a_changed_mate_of_a_sub_assembly_is_in_the_file(tmp_path: Path) -> None:
    """A driver, a limit, a measure and tolerances of it were lost without a word."""
    arm_with_a_groove(tmp_path, "stop")
    a = asm.Assembly("yard", folder=tmp_path)
    a.add("post", grounded=True, features={"way": asm.Frame((0, 0, 0))})
    a.add_assembly("boom", asm.read(tmp_path / "arm.assembly.json"), rigid=False)
    a.mate("coaxial", "post.way", "boom.base.way", name="mast")
    for length in (50, 40):  # changed, and as it was
        a.change("boom.groove", length=length)
        a.set_driver("boom.push", length / 2)
        asm.write(a, tmp_path / "yard.assembly.json")
        read = asm.read(tmp_path / "yard.assembly.json")
        for kept in ("mates", "drivers", "limits", "measures", "tolerances"):
            assert list(getattr(read, kept)) == list(getattr(a, kept)), kept
            assert getattr(a, kept), kept
        assert read.drivers["boom.push"].value == length / 2
        assert assembly_json.dump(read) == assembly_json.dump(a)


@pytest.mark.parametrize("again", (False, True))
def test_what_was_removed_from_a_sub_assembly_does_not_come_back(
    tmp_path: Path, again: bool
) -> None:
    """A driver, a measure and tolerances did, as the file has them, also in place of others."""
    arm_with_a_groove(tmp_path, "turn", turned=True)
    a = asm.Assembly("yard", folder=tmp_path)
    a.add_assembly("boom", asm.read(tmp_path / "arm.assembly.json"), rigid=False)
    a.remove_driver("boom.push")
    assert list(a.tolerances) == ["boom.size"]
    a.remove_measure("boom.far")
    a.remove_tolerance("boom.size")
    if again:
        a.drive("boom.push", "boom.groove", "length", value=7, range=(0, 9))
        a.measure("boom.far", joint="boom.groove", coordinate="length", max=30)
        a.tolerate("boom.travel", driver="boom.push", plus=0.3, minus=0.1)
    asm.write(a, tmp_path / "yard.assembly.json")
    tree = json.loads((tmp_path / "yard.assembly.json").read_text())
    assert tree["parts"]["boom"]["without"] == ["driver push", "measure far", "tolerance size"]
    read = asm.read(tmp_path / "yard.assembly.json")
    assert assembly_json.dump(read) == assembly_json.dump(a)
    assert sorted(read.drivers) == ["boom.push", "boom.turn"][not again :]
    assert list(read.limits) == list(a.limits)
    assert [m.max for m in read.measures.values()] == [30.0] * again
    assert [t.plus for t in read.tolerances.values()] == [0.3] * again
    if again:
        assert read.drivers["boom.push"].range == (0.0, 9.0)

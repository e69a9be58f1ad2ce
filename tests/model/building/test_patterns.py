"""Patterns: a part and its mates, many times, from one entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import pose_gap, turned
from refusals import refusals

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError, DuplicateName
from assembly_solver.formats.native import assembly_json
from assembly_solver.structure import clusters

HOLE = {"axis": {"point": [10, 5, 0], "direction": "z", "x": "x"}}
TOP = {"plane": {"point": [0, 0, 12], "normal": "z"}}
SHANK = {"axis": {"point": [0, 0, 0], "direction": "z", "x": "x"}}
HEAD = {"plane": {"point": [0, 0, 4], "normal": "-z"}}


def flange(poses: list[Any], **parts: Any) -> dict[str, Any]:
    """A plate with a bolt in a hole, and the same at some poses."""
    return {
        "format": "assembly-solver/1",
        "name": "flange",
        "parts": {
            "plate": {"grounded": True, "features": {"hole": HOLE, "top": TOP}},
            "bolt": {
                "pose": {"position": [3, 2, 40], "axis": "x", "angle": 20},
                "features": {"shank": SHANK, "head": HEAD},
            },
            "bolts": {"pattern": {"of": "bolt", "poses": poses}},
        }
        | parts,
        "mates": [
            {"name": "in", "kind": "coaxial", "a": "plate.hole", "b": "bolt.shank"},
            {"name": "on", "kind": "coplanar", "a": "plate.top", "b": "bolt.head"},
        ],
    }


def read(tree: dict[str, Any]) -> asm.Assembly:
    return assembly_json.read_text(json.dumps(tree))


def row(count: int, step: float = 25.0) -> list[Any]:
    """Poses of a row along x, a little askew in y."""
    return [{"position": [step * k, 0.1 * k * k, 0]} for k in range(1, count + 1)]


def at(entry: dict[str, Any]) -> asm.Pose:
    turn = turned((0, 0, 1), entry.get("angle", 0.0))
    return asm.Pose(tuple(entry.get("position", (0, 0, 0)))) @ turn


# ------------------------------------------------------------------------------- what it is
def test_a_thousand_bolts_are_one_entry_and_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    true = clusters.analyse_pairs

    def count(*args: Any) -> None:
        calls.append(len(args[3]))
        true(*args)

    monkeypatch.setattr(clusters, "analyse_pairs", count)
    poses = row(999)
    a = read(flange(poses))
    assert len(a.parts) == 1001 and len(a.mates) == 2000
    assert a.parts["bolts[7]"].features is a.parts["bolt"].features
    solution = asm.solve(a).require()
    assert sum(calls) == 0  # a bolt in its hole is a pair that is recognised, not closed
    assert solution.dof == 1000  # each bolt turns
    assert solution.redundant_equations == 2000  # an axis and a plane share two tilts
    seed = solution.poses["bolt"]
    for k in (1, 2, 500, 999):
        found = solution.poses[f"bolts[{k}]"]
        assert max(pose_gap(found, at(poses[k - 1]) @ seed)) < 1e-9
        # the shank is in the hole, the head on the top
        assert found.apply((0, 0, 4)) == pytest.approx(
            np.array([10, 5, 12]) + poses[k - 1]["position"], abs=1e-9
        )


def test_poses_are_told_in_the_frame_of_the_part_that_the_seed_is_mated_with() -> None:
    tree = flange([{"axis": "z", "angle": 120}, {"axis": "z", "angle": 240}])
    tree["parts"]["plate"]["pose"] = {"position": [100, 7, -3], "axis": [1, 2, 3], "angle": 77}
    a = read(tree)
    plate = a.pose("plate")
    start = a.pose("bolt")
    for k, angle in enumerate((120, 240), 1):
        wanted = plate @ turned((0, 0, 1), angle) @ plate.inverse() @ start
        assert max(pose_gap(a.pose(f"bolts[{k}]"), wanted)) < 1e-12
    solution = asm.solve(a).require()
    for k, angle in enumerate((0, 120, 240)):
        bolt = solution.poses[f"bolts[{k}]" if k else "bolt"]
        hole = turned((0, 0, 1), angle).apply((10, 5, 12))
        assert bolt.apply((0, 0, 4)) == pytest.approx(plate.apply(hole), abs=1e-9)
        assert bolt.rotation[:, 2] == pytest.approx(plate.rotation[:, 2], abs=1e-12)


def test_names_of_repeated_mates_and_features_tell_where_they_come_from() -> None:
    a = read(flange(row(2)))
    assert list(a.mates) == ["in", "in[1]", "in[2]", "on", "on[1]", "on[2]"]
    assert str(a.mates["in[2]"].a) == "plate.hole@bolts[2]"
    assert str(a.mates["in[2]"].b) == "bolts[2].shank"
    assert a.reference("plate.hole@bolts[2]").part == "plate"
    hole = a.parts["plate"].feature("hole@bolts[2]")
    assert hole.frame[:3] == pytest.approx((60, 5.4, 0), abs=1e-12)


def test_a_second_pattern_of_a_seed_has_names_of_its_own() -> None:
    more = {"pattern": {"of": "bolt", "poses": [{"position": [0, 50, 0]}]}}
    a = read(flange(row(1), more=more))
    assert list(a.mates) == ["in", "in[1]", "in more[1]", "on", "on[1]", "on more[1]"]
    assert asm.solve(a).require().poses["more[1]"].position[1] == pytest.approx(55, abs=1e-9)


def test_seeds_of_alike_patterns_are_joined_pair_by_pair() -> None:
    ring = {"features": {"bore": SHANK, "under": {"plane": {"point": [0, 0, 0], "normal": "-z"}}}}
    tree = flange(row(3), washer=ring, washers={"pattern": {"of": "washer", "poses": row(3)}})
    tree["mates"] += [
        {"name": "round", "kind": "coaxial", "a": "bolt.shank", "b": "washer.bore"},
        {"name": "flat", "kind": "coplanar", "a": "plate.top", "b": "washer.under"},
    ]
    a = read(tree)
    assert str(a.mates["round[3]"].a) == "bolts[3].shank"
    assert str(a.mates["round[3]"].b) == "washers[3].bore"
    solution = asm.solve(a).require()
    assert solution.dof == 8
    for k, p in enumerate(row(3), 1):
        wanted = np.array([10, 5, 12]) + p["position"]
        assert solution.poses[f"washers[{k}]"].apply((0, 0, 0)) == pytest.approx(wanted, abs=1e-9)
    tree["parts"]["washers"]["pattern"]["poses"] = row(2)
    with pytest.raises(AssemblySolverError) as caught:
        read(tree)
    assert str(caught.value) == (
        "mates.round: 'round (bolts, washers)' is not possible here, it must be a mate of parts "
        "whose patterns have the same poses"
    )


def test_couplings_of_repeated_joints_are_repeated() -> None:
    """Three planets on one sun: one freedom, each planet follows by its own ratio."""
    z = {"axis": {"point": [0, 0, 0], "direction": "z", "x": "x"}}
    tree = {
        "format": "assembly-solver/1",
        "parts": {
            "carrier": {
                "grounded": True,
                "features": {
                    "mid": {"frame": {"origin": [0, 0, 0]}},
                    "pin": {"frame": {"origin": [30, 0, 0]}},
                },
            },
            "sun": {"features": {"bore": z}},
            "planet": {"features": {"bore": z}, "pose": {"position": [30, 0, 0]}},
            "planets": {
                "pattern": {
                    "of": "planet",
                    "poses": [{"axis": "z", "angle": 120}, {"axis": "z", "angle": 240}],
                }
            },
        },
        "mates": [
            {"name": "s", "kind": "revolute", "a": "carrier.mid", "b": "sun.bore"},
            {"name": "p", "kind": "revolute", "a": "carrier.pin", "b": "planet.bore"},
            {"name": "mesh", "kind": "gear", "joints": ["s", "p"], "ratio": -2},
        ],
        "drivers": {"motor": {"joint": "s", "coordinate": "angle", "value": 10}},
    }
    a = read(tree)
    assert list(a.mates)[-3:] == ["mesh", "mesh[1]", "mesh[2]"]
    solution = asm.solve(a).require()
    for k, name in enumerate(("planet", "planets[1]", "planets[2]")):
        wanted = turned((0, 0, 1), 120 * k) @ asm.Pose((30, 0, 0)) @ turned((0, 0, 1), -20)
        assert max(pose_gap(solution.poses[name], wanted)) < 1e-9
    assert json.loads(assembly_json.dump(a))["mates"][-1]["name"] == "mesh"


# ---------------------------------------------------------------------------------- editing
def test_a_pattern_follows_what_its_seed_gets_and_loses() -> None:
    a = read(flange(row(2)))
    a.remove("on")
    assert list(a.mates) == ["in", "in[1]", "in[2]"]
    a.mate("coplanar", "plate.top", "bolt.head", name="on", offset=1)
    assert a.mates["on[2]"].parameters() == {"offset": 1}
    b = asm.Assembly()
    b.add("plate", grounded=True, features={"hole": asm.Axis((10, 5, 0), "z", "x")})
    b.add("bolt", features={"shank": asm.Axis((0, 0, 0), "z", "x")})
    b.mate("coaxial", "plate.hole", "bolt.shank", name="in")
    b.add_pattern("bolts", "bolt", [asm.Pose((25, 0, 0))])
    assert list(b.mates) == ["in", "in[1]"]
    assert asm.solve(b).require().poses["bolts[1]"].position[:2] == pytest.approx((35, 5))


def test_repeats_stand_where_a_file_that_is_read_has_them() -> None:
    """The order of mates decides what is said first, and where a search begins."""
    a = read(flange(row(2)))
    a.change("in", sense="aligned")
    a.add_pattern("more", "bolt", [asm.Pose((0, 60, 0))])
    a.change("in", sense="nearest")
    names = ["in", "in[1]", "in[2]", "in more[1]", "on", "on[1]", "on[2]", "on more[1]"]
    assert list(a.mates) == names == list(assembly_json.read_text(assembly_json.dump(a)).mates)


def test_a_feature_that_a_seed_gets_is_one_of_its_instances() -> None:
    """As where the file is read: how far parts reach decides how far a search steps aside."""
    a = read(flange(row(2)))
    a.add_features("bolt", {"tip": asm.Point((0, 0, -30))})
    b = read(again(a))
    assert a.parts["bolts[2]"].find("tip") == asm.Point((0, 0, -30))
    assert {n: p.features for n, p in a.parts.items()} == {
        n: p.features for n, p in b.parts.items()
    }
    assert set(again(a)["parts"]["bolts"]) == {"pattern"}
    a.add_features("bolts[1]", {"slit": asm.Point((0, 4, 0))})
    with pytest.raises(DuplicateName, match=r"bolts\[1\]\.slit"):
        a.add_features("bolt", {"slit": asm.Point((0, 5, 0))})


@pytest.mark.parametrize("by", ["set", "set_feature"])
def test_repeats_follow_a_feature_that_is_moved(by: str) -> None:
    """The hole that the bolts are in, with what else refers to a repeat of it."""
    given = flange(row(2), shaft={"features": {"hole": HOLE}}) | {"parameters": {"x": 10}}
    given["parts"]["plate"]["features"]["hole"] = {"axis": {**HOLE["axis"], "point": ["=x", 5, 0]}}
    given["drivers"] = {"height": {"joint": "in[1]", "coordinate": "length", "value": 16}}
    given["mates"][1] = {"name": "at", "kind": "coaxial", "a": "shaft.hole", "b": "plate.hole"}
    a = read(given)
    a.load("plate.hole@bolts[2]", force=(0, 0, 1), name="weight")
    if by == "set":
        a.set("x", 30.0)
    else:
        a.set_feature("plate", "hole", asm.Axis((30, 5, 0), "z", "x"))
    b = read({**given, "parameters": {"x": 30}})
    assert a.parts["plate"].derived == b.parts["plate"].derived
    assert a.loads["weight"].point == pytest.approx((80, 5.4, 0))
    one, two = asm.solve(a).require(), asm.solve(b).require()
    assert one.poses == two.poses
    assert one.poses["bolts[2]"].position[:2] == pytest.approx((80, 5.4))


def test_a_mate_that_is_taken_away_alone_comes_back_with_its_repeats() -> None:
    a = read(flange(row(2)))
    a.remove("in", alone=True)
    a.mate("coaxial", "plate.hole", "bolt.shank", name="in", sense="opposed")
    assert a.mates["in[2]"].parameters() == {"sense": "opposed"}
    assert again(a) == json.loads(assembly_json.dump(a))


def test_patterns_and_sub_assemblies_enter_a_session() -> None:
    session = asm.Session(read(flange(row(1))))
    found = session.add_pattern("more", "bolt", [asm.Pose((0, 60, 0))])
    assert found.poses["more[1]"].apply((0, 0, 4)) == pytest.approx((10, 65, 12), abs=1e-9)
    assert session.add_assembly("spare", read(flange(row(1))), rigid=False, grounded=True)
    assert session.poses["spare.bolts[1]"].apply((0, 0, 4)) == pytest.approx((35, 5.1, 12))
    session.undo()
    assert list(session.assembly.groups) == ["bolts", "more"]


def test_a_mate_that_cannot_be_repeated_leaves_nothing_behind() -> None:
    a = read(flange(row(2)))
    a.mate("parallel", "plate.top", "bolts[1].head", name="level[2]")
    before = (list(a.mates), dict(a.parts["plate"].derived), a.groups["bolts"])
    with pytest.raises(AssemblySolverError, match=r"already a mate 'level\[2\]'"):
        a.mate("parallel", "plate.xy", "bolt.head", name="level")
    assert (list(a.mates), dict(a.parts["plate"].derived), a.groups["bolts"]) == before


def test_subsets_of_a_contradiction_take_repeated_mates_one_by_one() -> None:
    tree = flange(row(2))
    stop = {"name": "stop", "kind": "point_in_plane", "a": "plate.top", "b": "bolts[2].origin"}
    a = read(tree | {"mates": [*tree["mates"], stop]})
    (conflict,) = asm.solve(a).to_dict()["conflicts"]
    assert conflict["mates"] == ["on[2]", "stop"]
    assert conflict["gap_mm"] == pytest.approx(4, abs=1e-6)


# ------------------------------------------------------------------------------------ files
def again(a: asm.Assembly) -> dict[str, Any]:
    """What is written of an assembly, the same after reading it again."""
    text = assembly_json.dump(a)
    assert assembly_json.dump(assembly_json.read_text(text)) == text
    tree: dict[str, Any] = json.loads(text)
    return tree


def test_a_pattern_that_follows_is_written_as_its_entry() -> None:
    a = read(flange(row(2)))
    wanted = again(a)["parts"]["bolts"]
    asm.solve(a).apply()
    tree = again(a)
    assert tree["parts"]["bolts"] == wanted and set(wanted) == {"pattern"}
    assert [p["position"] for p in wanted["pattern"]["poses"]] == [[25, 0.1, 0], [50, 0.4, 0]]
    assert [m["name"] for m in tree["mates"]] == ["in", "on"]
    assert list(tree["parts"]["plate"]["features"]) == ["hole", "top"]
    b = read(tree)
    assert asm.solve(b).counts.iterations == 0


def test_what_became_of_instances_is_written_and_read_again() -> None:
    a = read(flange(row(3)))
    asm.solve(a).apply()
    there = turned((0, 0, 1), 40, (60, 5.4, 8))
    a.move({"bolts[2]": there})
    a.ground("bolts[3]")
    a.remove("in[1]")
    a.add_features("bolts[1]", {"tip": asm.Point((0, 0, -30))})
    entry = again(a)["parts"]["bolts"]
    assert entry["without"] == ["in[1]"]
    assert {name: set(p) for name, p in entry["parts"].items()} == {
        "bolts[1]": {"features"},
        "bolts[2]": {"pose"},
        "bolts[3]": {"grounded"},
    }
    b = read(again(a))
    assert list(b.mates) == [name for name in a.mates if name != "in[1]"]
    assert b.pose("bolts[2]") == there and b.parts["bolts[3]"].grounded
    assert asm.solve(b).require().dof == asm.solve(a).require().dof


def test_a_pattern_may_stand_before_its_seed() -> None:
    tree = flange(row(2))
    parts = tree["parts"]
    tree["parts"] = {name: parts[name] for name in ("bolts", "plate", "bolt")}
    assert list(read(tree).parts) == ["plate", "bolt", "bolts[1]", "bolts[2]"]


def test_patterns_of_and_in_sub_assemblies(tmp_path: Path) -> None:
    (tmp_path / "flange.assembly.json").write_text(json.dumps(flange(row(2))))
    tree = {
        "format": "assembly-solver/1",
        "parts": {
            "wall": {"grounded": True},
            "left": {"assembly": "flange.assembly.json"},
            "lefts": {"pattern": {"of": "left", "poses": [{"position": [0, 200, 0]}]}},
            "loose": {"assembly": "flange.assembly.json", "rigid": False},
        },
        "mates": [
            {"name": "l", "kind": "fixed", "a": "wall.origin", "b": "left.plate.origin"},
            {"name": "r", "kind": "fixed", "a": "wall.origin", "b": "loose.plate.origin"},
        ],
    }
    path = tmp_path / "wall.assembly.json"
    path.write_text(json.dumps(tree))
    a = asm.read(path)
    solution = asm.solve(a).require()
    assert solution.dof == 3
    assert solution.poses["lefts[1]"].position == pytest.approx((0, 200, 0), abs=1e-9)
    assert solution.poses["loose.bolts[2]"].apply((0, 0, 4)) == pytest.approx(
        (60, 5.4, 12), abs=1e-9
    )
    text = assembly_json.dump(a, tmp_path)
    path.write_text(text)
    assert assembly_json.dump(asm.read(path), tmp_path) == text
    assert set(json.loads(text)["parts"]) == {"wall", "left", "lefts", "loose"}


REFUSED = refusals("""
{"pattern": {"of": "blt", "poses": [{"position": [25.0, 0.1, 0]}]}}
    parts.bolts.pattern.of: no part 'blt'; did you mean 'bolt'?
{"pattern": {"poses": [{"position": [25.0, 0.1, 0]}]}}
    parts.bolts.pattern: a pattern needs 'of'
{"pattern": {"of": "bolt"}}
    parts.bolts.pattern: a pattern needs 'poses'
{"pattern": {"of": "bolt", "poses": []}}
    parts.bolts.pattern.poses: [] is not possible here, it must be one pose or more
{"pattern": {"of": "bolt", "poses": [{"position": [1, 2]}]}}
    parts.bolts.pattern.poses[0].position: [1, 2] is not possible here, it must be a list of 3
    numbers
{"pattern": {"of": "bolt", "pose": [{"position": [25.0, 0.1, 0]}]}}
    parts.bolts.pattern: no key 'pose'; did you mean 'poses'?
{"pattern": {"of": "bolt", "poses": [{"position": [25.0, 0.1, 0]}]}, "features": {}}
    parts.bolts: 'pattern' and 'features' exclude each other; give one of them
{"pattern": {"of": "bolt", "poses": [{"position": [25.0, 0.1, 0]}]}, "without": ["in[2]"]}
    parts.bolts.without: no mate 'in[2]'; did you mean 'in[1]' or 'on[1]'?
{"pattern": {"of": "bolt", "poses": [{"position": [25.0, 0.1, 0]}]}, "parts": {"bolts[2]": {}}}
    parts.bolts.parts: no part 'bolts[2]'; did you mean 'bolts[1]'?
{"pattern": 3}
    parts.bolts.pattern: 3 is not possible here, it must be an object with 'of', 'poses'
{"without": []}
    parts.bolts: a part with 'without' needs 'assembly' or 'pattern'
""")


@pytest.mark.parametrize(("entry", "message"), REFUSED, ids=[m[:60] for _, m in REFUSED])
def test_what_is_wrong_is_refused_with_its_place(entry: str, message: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        read(flange([], bolts=json.loads(entry)))
    assert str(caught.value) == message


def test_an_instance_is_no_seed() -> None:
    tree = flange(row(1), more={"pattern": {"of": "bolts[1]", "poses": row(1)}})
    with pytest.raises(AssemblySolverError) as caught:
        read(tree)
    assert str(caught.value) == (
        "parts.more.pattern.of: 'bolts[1]' is not possible here, it must be a part that is no "
        "instance, as 'bolt'"
    )


@pytest.mark.parametrize("gone", ["plate", "hole"])
def test_a_pattern_without_its_first_mate_is_written_and_read(gone: str, tmp_path: Path) -> None:
    a, axis = asm.Assembly("bolts"), asm.Axis((0, 0, 0), "z")
    a.add("frame", grounded=True, features={"rim": asm.Plane((0, 0, 0), "z"), "pin": axis})
    turned = asm.Pose.from_axis((5, 0, 0), (0, 0, 1), 30)
    a.add("plate", features={"hub": axis, "hole": asm.Axis((30, 0, 0), "z")}, pose=turned)
    a.add("bolt", features={"shank": axis, "head": asm.Plane((0, 0, 2), "z")})
    a.mate("revolute", "frame.pin", "plate.hub", name="hub")
    a.mate("coaxial", "plate.hole", "bolt.shank", name="hole")
    a.mate("coplanar", "frame.rim", "bolt.head", name="seat")
    a.add_pattern("bolts", "bolt", [asm.Pose((0, 20, 0)), asm.Pose((0, 40, 0))])
    (a.remove_part if gone == "plate" else a.remove)(gone)
    asm.write(a, tmp_path / "bolts.assembly.json")
    b = asm.read(tmp_path / "bolts.assembly.json")
    assert [*b.mates] == [*a.mates]
    assert "hole[1]" not in b.mates and "seat[2]" in b.mates
    for name, part in a.parts.items():
        assert max(pose_gap(b.parts[name].pose, part.pose)) < 1e-9

"""Freedoms, redundancy and free motions at the solved pose, against mechanisms known by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from facts import facts
from mechanisms import (
    O,
    angle_about,
    bennett,
    disturb,
    four_bar,
    hinge,
    linkage,
    place,
    random_pose,
    rssr,
    sarrus,
    stewart_ups,
    turned,
)

import assembly_solver as asm
from benchmarks import families

Z = (0.0, 0.0, 1.0)


def single(kind: str, **parameters: Any) -> asm.Assembly:
    """One free part on a grounded one, by one joint."""
    a = asm.Assembly(kind)
    rng = np.random.default_rng(1)
    for name in ("base", "part"):
        frame = asm.Frame(tuple(rng.uniform(-30, 30, 3)), tuple(rng.normal(size=3)))
        a.add(name, grounded=name == "base", pose=random_pose(rng, 50), features={"f": frame})
    a.mate(kind, "base.f", "part.f", name="joint", **parameters)
    return a


def upright_four_bars() -> asm.Assembly:
    """Two parallel four-bars on one frame and one coupler: five hinged parts, three legs."""
    names = ("frame", "left", "middle", "right", "bar 1", "bar 2")
    low = [np.array([x, 0.0, 0.0]) for x in (0, 200, 400)]
    high = [p + np.array([30.0, 100, 0]) for p in low]
    legs = ("left", "middle", "right")
    hinges: list[Any] = [("revolute", "frame", leg, p, Z) for leg, p in zip(legs, low, strict=True)]
    hinges += [
        ("revolute", "left", "bar 1", high[0], Z),
        ("revolute", "bar 1", "middle", high[1], Z),
        ("revolute", "middle", "bar 2", high[1], Z),
        ("revolute", "bar 2", "right", high[2], Z),
    ]
    return linkage("N = 2", dict.fromkeys(names, asm.Pose()), hinges)


class Known:
    """What is known of a mechanism: unknowns, equations, rank, idle freedoms."""

    def __init__(
        self, make: Callable[[], asm.Assembly], unknowns: int, equations: int, rank: int, idle: int
    ) -> None:
        self.make, self.idle = make, idle
        self.sizes = (unknowns, equations, rank)


KNOWN = {
    "free ball": Known(lambda: single("spherical"), 6, 3, 3, 0),
    "hinge": Known(lambda: single("revolute"), 6, 5, 5, 0),
    "slider": Known(lambda: single("prismatic"), 6, 5, 5, 0),
    "sleeve": Known(lambda: single("cylindrical"), 6, 4, 4, 0),
    "part on a plane": Known(lambda: single("planar"), 6, 3, 3, 0),
    "welded part": Known(lambda: single("fixed"), 6, 6, 6, 0),
    "hinge of coaxial and coplanar": Known(hinge, 6, 7, 5, 0),
    "planar 4R in space": Known(four_bar, 18, 20, 17, 0),
    "planar 4R of sleeves": Known(lambda: four_bar("cylindrical"), 18, 16, 14, 3),
    "two parallel four-bars": Known(upright_four_bars, 30, 35, 29, 0),
    "RSSR": Known(rssr, 18, 16, 16, 1),
    "Bennett": Known(bennett, 18, 20, 17, 0),
    "Sarrus": Known(sarrus, 30, 30, 29, 0),
    "Stewart 6-UPS": Known(stewart_ups, 78, 72, 72, 0),
    "Stewart with sleeves": Known(
        lambda: families.assembly(families.stewart(driven=False)), 78, 60, 60, 12
    ),
    "Stewart with locked legs": Known(
        lambda: families.assembly(families.stewart()), 78, 66, 66, 12
    ),
}
"""Mobility: Kutzbach counts unknowns less equations; the truth is unknowns less rank.

The planar 4R of sleeves: in its plane 8 equations of 9 unknowns; each sleeve leaves its part free
along the axis, so the three heights are free, idly; its tilts (8 equations) have rank 6.
"""


@pytest.mark.parametrize("name", KNOWN)
def test_freedoms_and_redundancy_are_those_known(name: str) -> None:
    known = KNOWN[name]
    solution = asm.solve(known.make()).require()
    d = solution.diagnosis
    unknowns, equations, rank = known.sizes
    assert (d.unknowns, d.equations, d.rank) == known.sizes
    assert solution.dof == unknowns - rank
    assert solution.redundant_equations == equations - rank
    assert sum(r["equations"] for r in solution.redundant) == equations - rank
    assert d.gap < 1e-6
    motions = solution.free_motions
    assert len(motions) == solution.dof
    assert sum(m["idle"] for m in motions) == known.idle


@pytest.mark.parametrize(
    "name",
    ["planar 4R in space", "RSSR", "Bennett", "Sarrus", "Stewart 6-UPS", "two parallel four-bars"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_from_a_disturbed_start_they_are_the_same(name: str, seed: int) -> None:
    known = KNOWN[name]
    solution = asm.solve(disturb(known.make(), seed, 4, 3)).require()
    assert solution.residual < 1e-9
    assert (solution.diagnosis.rank, solution.dof) == (
        known.sizes[2],
        known.sizes[0] - known.sizes[2],
    )
    assert sum(m["idle"] for m in solution.free_motions) == known.idle


def test_a_rational_bennett_linkage_has_one_freedom_in_every_position() -> None:
    """Its four axes are given at home, its links' poses along the motion; lengths below 1."""
    axes = facts("bennett.json")["axes"]
    names = ("frame", "one", "two", "three")
    a = linkage(
        "bennett",
        dict.fromkeys(names, asm.Pose()),
        [("revolute", names[k - 1], names[k], axes[k]["point"], axes[k]["dir"]) for k in range(4)],
    )
    a.tolerance = 1e-9
    solution = asm.solve(a).require()
    assert (solution.dof, solution.redundant_equations) == (1, 3)


# ------------------------------------------------------------------ free motions


def test_the_motion_of_a_hinge_is_a_rotation_about_its_axis() -> None:
    a = single("revolute")
    solution = asm.solve(a)
    (motion,) = solution.free_motions
    origin, _, _, z = place(a, solution.poses, "base.f")
    assert (motion["kind"], motion["parts"], motion["pitch_mm"]) == ("rotation", ["part"], 0)
    direction, point = np.array(motion["axis"]["direction"]), np.array(motion["axis"]["point"])
    assert abs(direction @ z) == pytest.approx(1, abs=1e-9)
    assert np.linalg.norm(np.cross(point - origin, z)) < 1e-6
    assert motion["words"] == "part turns about joint"
    assert motion["removed_by"]["driver"] == {"joint": "joint", "coordinate": "angle"}


def test_the_motion_of_a_slider_is_a_translation_along_its_axis() -> None:
    a = single("prismatic")
    solution = asm.solve(a)
    (motion,) = solution.free_motions
    z = place(a, solution.poses, "base.f")[3]
    assert motion["kind"] == "translation"
    assert abs(np.array(motion["axis"]["direction"]) @ z) == pytest.approx(1, abs=1e-9)
    assert motion["words"].startswith("part slides along (")


def test_the_motions_of_a_sleeve_a_ball_and_a_plane_are_those_of_their_joints() -> None:
    kinds = {
        k: [m["kind"] for m in asm.solve(single(k)).free_motions]
        for k in ("cylindrical", "spherical", "planar")
    }
    assert sorted(kinds["cylindrical"]) == ["rotation", "translation"]
    assert kinds["spherical"] == ["rotation"] * 3
    assert sorted(kinds["planar"]) == ["rotation", "translation", "translation"]


@pytest.mark.parametrize(
    "name",
    [
        "hinge",
        "planar 4R in space",
        "RSSR",
        "Bennett",
        "Sarrus",
        "Stewart 6-UPS",
        "Stewart with sleeves",
    ],
)
def test_following_a_free_motion_a_little_keeps_the_mates_of_its_first_part(name: str) -> None:
    """A free motion is a screw of the part named first: its grounded mates hold along it."""
    a = KNOWN[name].make()
    solution = asm.solve(a).require()
    grounded = set(solution.grounded)
    for motion in solution.free_motions:
        part = motion["parts"][0]
        w = np.array(motion["axis"]["direction"])
        at = np.array(motion["axis"]["point"])
        for mate in a.mates.values():
            if {mate.a.part, mate.b.part} - grounded != {part}:
                continue
            if mate.kind not in ("revolute", "spherical", "coincident", "coaxial"):
                continue
            ref = mate.a if mate.a.part == part else mate.b
            origin, _, _, z = place(a, solution.poses, ref)
            turns = motion["kind"] != "translation"
            velocity = np.cross(w, origin - at) + motion["pitch_mm"] / (2 * np.pi) * w
            if not turns:
                velocity = w
            if mate.kind == "coaxial":
                velocity = velocity - (velocity @ z) * z
            reach = 1 + np.linalg.norm(origin - at)
            assert np.linalg.norm(velocity) < 1e-6 * reach, (motion["words"], mate.name)
            if turns and mate.kind in ("revolute", "coaxial"):
                assert np.linalg.norm(np.cross(w, z)) < 1e-6


def test_the_idle_spin_of_a_coupler_is_told_apart_from_the_motion_of_the_crank() -> None:
    a = rssr()
    solution = asm.solve(a)
    idle = [m for m in solution.free_motions if m["idle"]]
    working = [m for m in solution.free_motions if not m["idle"]]
    assert [m["parts"] for m in idle] == [["coupler"]]
    assert idle[0]["words"].startswith("coupler turns about ")
    assert idle[0]["words"].endswith("and nothing else moves (idle)")
    balls = np.array([[60, 30, 0], [250, 40, 150.0]])
    along = (balls[1] - balls[0]) / np.linalg.norm(balls[1] - balls[0])
    assert abs(along @ idle[0]["axis"]["direction"]) == pytest.approx(1, abs=1e-9)
    assert len(working) == 1
    assert set(working[0]["parts"]) == {"crank", "coupler", "rocker"}
    assert working[0]["words"].startswith("crank turns about revolute 1; ")


def test_twelve_halves_of_legs_spin_idly_in_a_stewart_platform() -> None:
    a = families.assembly(families.stewart())
    solution = asm.solve(a)
    idle = [m["parts"] for m in solution.free_motions if m["idle"]]
    assert sorted(idle) == sorted([[f"{half}{i}"] for half in ("cyl", "rod") for i in range(6)])
    assert solution.dof == 12
    text = asm.analyse(a).mobility
    assert "12 of the freedoms are idle spins, 0 move the mechanism" in text


def test_parts_that_hang_on_a_moving_part_move_with_it() -> None:
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, "z"), "eye": asm.Axis((50, 0, 0), "z")}
    for k, name in enumerate(("frame", "arm", "hand", "finger")):
        a.add(name, grounded=k == 0, pose=turned(Z, 30 * k), features=features)
    for first, second in (("frame", "arm"), ("arm", "hand"), ("hand", "finger")):
        a.mate("revolute", f"{first}.eye", f"{second}.pin", name=f"{second} joint")
    motions = asm.solve(a).free_motions
    assert [m["words"] for m in motions] == [
        "arm turns about arm joint; hand and finger move with it",
        "hand turns about hand joint; finger moves with it",
        "finger turns about finger joint",
    ]


# ------------------------------------------------------------------ nothing grounded


def test_without_ground_the_part_with_most_mates_is_held_and_named() -> None:
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, "z"), "eye": asm.Axis((50, 0, 0), "z")}
    for name in ("left", "hub", "right"):
        a.add(name, pose=turned((1, 2, 3), 30, (5, 6, 7)), features=features)
    a.mate("revolute", "left.eye", "hub.pin")
    a.mate("revolute", "hub.eye", "right.pin")
    solution = asm.solve(a)
    assert (solution.grounded, solution.held) == (["hub"], ["hub"])
    assert solution.poses["hub"] is a.pose("hub")
    assert (solution.dof, solution.diagnosis.unknowns) == (2, 12)  # without the 6 of the whole
    assert "hub held, as nothing there is grounded" in solution.sentence
    assert solution.to_dict()["grounded"] == ["hub"]


def test_every_component_without_ground_has_its_own_held_part() -> None:
    a = asm.Assembly()
    for name in ("frame", "door", "x", "y", "z"):
        a.add(name, grounded=name == "frame")
    a.mate("revolute", "frame.z", "door.z")
    a.mate("revolute", "x.z", "y.z")
    a.mate("revolute", "y.x", "z.x")
    solution = asm.solve(a)
    assert solution.grounded == ["frame", "y"]
    assert solution.held == ["y"]
    assert solution.dof == 3


def test_grounding_the_held_part_changes_neither_poses_nor_freedoms() -> None:
    a = disturb(rssr(), 2, 5, 3)
    a.ground("frame", False)
    free = asm.solve(a)
    (held,) = free.held
    a.ground(held)
    fixed = asm.solve(a)
    assert fixed.held == []
    assert free.dof == fixed.dof == 2
    assert {n: p.position for n, p in free.poses.items()} == {
        n: p.position for n, p in fixed.poses.items()
    }


# ------------------------------------------------------------------ redundancy


def test_redundant_groups_name_the_mates_that_repeat_each_other() -> None:
    """The second of two dowels says anew where the axis points and how far it is; a face, only
    where it points."""
    solution = asm.solve(families.assembly(families.stack(3, seed=1)))
    assert solution.redundant_equations == 15
    groups = solution.redundant
    assert [r["equations"] for r in groups] == [3, 2] * 3
    for dowels, face in zip(groups[::2], groups[1::2], strict=True):
        assert [n.split()[0] for n in dowels["mates"]] == ["coaxial", "coaxial"]
        assert dowels["repeating"] == dowels["mates"][1:]
        assert dowels["about"][0] == face["about"][0] == "direction"
        assert dowels["about"][1].startswith("position along (") and len(face["about"]) == 1
        assert len(face["mates"]) == 2 and face["repeating"][0].startswith("coplanar")
        assert max(dowels["disagreement_mm"], face["disagreement_mm"]) < 1e-9


def test_redundancy_around_a_loop_names_the_loop_only() -> None:
    """A hinged part that hangs on the four-bar says nothing twice."""
    a = four_bar()
    a.add("flag")
    a.mate("revolute", "coupler.origin", "flag.origin", name="flag joint")
    (group,) = asm.solve(a).redundant
    assert set(group["mates"]) == {f"revolute {k}" for k in (1, 2, 3, 4)}
    assert group["equations"] == 3
    assert group["why"] == "because their axes are parallel"
    assert "3 equations repeat around their loop" in group["words"]


def test_ranks_are_taken_at_the_solved_pose_and_not_at_the_start() -> None:
    """Open, the four-bar in space has rank 18 of 18: it would look rigid; closed it has 17."""
    solution = asm.solve(disturb(four_bar(), 5, 20, 15))
    assert (solution.diagnosis.rank, solution.dof) == (17, 1)


def test_mobility_states_kutzbach_and_the_truth() -> None:
    lines = asm.analyse(four_bar()).mobility
    assert lines[0] == "18 unknowns (6 for each of 3 moving parts), 20 equations, rank 17"
    assert lines[1] == "Kutzbach, joint by joint: 18 - 20 = -2"
    assert lines[2] == "true at this pose: 1; 3 equations are redundant"


def test_at_a_dead_point_the_rank_is_that_of_the_pose() -> None:
    """A folded parallelogram has two freedoms there: it may go on in either branch."""
    names = ("frame", "one", "coupler", "two")
    a = linkage(
        "parallelogram",
        dict.fromkeys(names, asm.Pose()),
        [
            ("revolute", "frame", "one", O, Z),
            ("revolute", "one", "coupler", (50, 0, 0), Z),
            ("revolute", "coupler", "two", (150, 0, 0), Z),
            ("revolute", "frame", "two", (100, 0, 0), Z),
        ],
    )
    solution = asm.solve(a)
    assert (solution.dof, solution.redundant_equations) == (2, 4)
    assert math.isclose(solution.diagnosis.gap, 0, abs_tol=1e-6)


def test_what_is_flat_by_its_mates_moves_in_those_planes_by_the_numbers() -> None:
    """The numerical test behind the recognition: spins along the normal, velocities across it."""
    a = disturb(four_bar(), 3, 8, 5)
    (loop,) = asm.analyse(a).components
    assert loop["planar"]
    assert abs(np.dot(loop["moves_in_plane_of"], loop["normal"])) == pytest.approx(1, abs=1e-9)


def test_a_platform_in_space_moves_in_no_planes() -> None:
    (loop,) = [c for c in asm.analyse(stewart_ups()).components if c["kind"] == "loop"]
    assert not loop["planar"]
    assert loop["moves_in_plane_of"] is None


def test_a_rod_that_carries_something_does_not_spin_idly() -> None:
    """An arm welded to nothing else hangs on a leg's rod by a hinge: it is carried around."""
    a = families.assembly(families.stewart(seed=1))
    a.add("arm", pose=a.pose("rod2"))
    a.mate("revolute", "rod2.x", "arm.x", name="arm hinge")
    turning = [m for m in asm.solve(a).require().free_motions if m["parts"][0] == "rod2"]
    assert [m["idle"] for m in turning] == [False]
    assert turning[0]["parts"] == ["rod2", "arm"]


# ------------------------------------------------------------------ what would stop a motion


def directions(a: asm.Assembly, found: asm.Solution, mate: dict[str, str]) -> list[Any]:
    """Origins and z of the two features of a proposed mate at the solved pose."""
    return [place(a, found.poses, mate[end]) for end in "ab"]


def with_mate(a: asm.Assembly, found: asm.Solution, mate: dict[str, str]) -> asm.Assembly:
    """The assembly with a proposed mate added at the value that it has now."""
    (p, _, _, u), (q, _, _, v) = directions(a, found, mate)
    out = a.copy()
    out.move(found.poses)
    value: dict[str, float] = {}
    if mate["kind"] == "angle":
        value["value"] = math.degrees(math.acos(max(-1.0, min(1.0, float(u @ v)))))
    elif mate["kind"] == "distance":
        value["value"] = float(np.linalg.norm(q - p))
    elif mate["kind"] == "point_in_plane":
        ref = a.reference(mate["a"])
        plane = isinstance(a.parts[ref.part].feature(ref.feature), asm.Plane)
        value["offset"] = float((q - p) @ u) if plane else float((p - q) @ v)
    out.mate(mate["kind"], mate["a"], mate["b"], name="added", **value)
    return out


def coordinate_now(a: asm.Assembly, found: asm.Solution, driver: dict[str, str]) -> float:
    """The angle, degrees, or the length that a joint has at the solved pose."""
    mate = a.mates[driver["joint"]]
    p, q = (place(a, found.poses, ref) for ref in (mate.a, mate.b))
    if driver["coordinate"] == "length":
        return float((q[0] - p[0]) @ p[3])
    return math.degrees(angle_about(p[3], p[1], q[1]))


@pytest.mark.parametrize(
    "name",
    [
        "hinge",
        "slider",
        "sleeve",
        "free ball",
        "part on a plane",
        "planar 4R in space",
        "planar 4R of sleeves",
        "RSSR",
        "Bennett",
        "Sarrus",
        "Stewart 6-UPS",
    ],
)
def test_what_is_said_to_stop_a_motion_takes_one_freedom_away_when_tried(name: str) -> None:
    """Drivers and mates that are proposed are added at their present value and counted."""
    a = KNOWN[name].make()
    solution = asm.solve(a).require()
    for motion in solution.free_motions:
        found = motion["removed_by"]
        assert found["drivers"] == []
        assert found["mate"] or found["driver"], motion["words"]
        if found["mate"]:
            more = asm.solve(with_mate(a, solution, found["mate"])).require()
            assert more.dof == solution.dof - 1, (motion["words"], more.sentence)
        if found["driver"]:
            driven = a.copy()
            driven.move(solution.poses)
            value = coordinate_now(a, solution, found["driver"])
            driven.drive("motor", **found["driver"], value=value)
            after = asm.solve(driven).require()
            held = [m for m in after.free_motions if m["removed_by"]["drivers"] == ["motor"]]
            assert (after.dof_left, solution.dof) == (solution.dof - 1, after.dof)
            assert len(held) == ("would stop it" in found["words"])


def test_a_driver_that_holds_a_motion_is_named_with_it() -> None:
    a = four_bar()
    a.drive("motor", "revolute 1", "angle", value=0.0)
    a.drive("free", "revolute 4", "angle")
    (motion,) = asm.solve(a).free_motions
    assert motion["removed_by"]["drivers"] == ["motor"]
    assert motion["removed_by"]["words"] == "held by motor"


def test_two_freedoms_and_one_driver_across_them_hold_neither() -> None:
    """A distance from frame to hand ties arm and hand together: each can still move."""
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, "z"), "eye": asm.Axis((50, 0, 0), "z")}
    for k, name in enumerate(("frame", "arm", "hand")):
        a.add(name, grounded=k == 0, pose=turned(Z, 30 * k), features=features)
    a.mate("revolute", "frame.eye", "arm.pin", name="shoulder")
    a.mate("revolute", "arm.eye", "hand.pin", name="elbow")
    asm.solve(a).require().apply()  # 70 mm apart, the elbow bent
    a.drive("tie", separation=("frame.pin", "hand.eye"), value=130.0)
    motions = asm.solve(a).require().free_motions
    assert [m["removed_by"]["drivers"] for m in motions] == [[], []]
    assert [m["removed_by"]["driver"]["joint"] for m in motions] == ["shoulder", "elbow"]


def test_features_that_are_in_one_place_but_for_rounding_do_not_make_the_reach() -> None:
    """A reach of 1e-14 mm would make every turn look huge: 18 freedoms instead of 2."""
    a = asm.Assembly()
    bore = {"bore": asm.Axis((100, 0, 0), "z"), "eye": asm.Axis((100 + 3e-14, 0, 0), "x")}
    a.add("base", grounded=True, features={"pin": asm.Axis((700, 0, 0), "z")})
    a.add("arm", features=bore, pose=turned(Z, 20, (600, 0, 0)))
    a.mate("coaxial", "base.pin", "arm.bore", name="hinge")
    a.mate("parallel", "base.pin", "arm.z", name="upright")
    a.mate("point_in_plane", "base.xy", "arm.origin", name="level")
    a.mate("perpendicular", "base.pin", "arm.eye", name="square")
    solution = asm.solve(a).require()
    assert solution.plan.system.length > 1
    assert (solution.dof, solution.redundant_equations) == (1, 3)


def test_two_freedoms_of_one_body_are_a_turn_and_a_slide() -> None:
    """A rod hangs by two points on one line, of the base and of an arm that is on the same line."""
    line = (1.0, 2.0, 2.0)
    a = asm.Assembly()
    a.add("base", grounded=True, features={"line": asm.Axis((5, 3, 1), line)})
    rod = {"p": asm.Point((0, 0, 0)), "q": asm.Point((10, 20, 20))}
    a.add("rod", pose=asm.Pose((5, 3, 1)), features=rod)
    a.add("arm", pose=asm.Pose((5, 3, 1)), features={"line": asm.Axis((0, 0, 0), line)})
    a.mate("coaxial", "base.line", "arm.line", name="guide")
    a.mate("point_on_line", "rod.p", "base.line")
    a.mate("point_on_line", "rod.q", "arm.line")
    motions = asm.solve(a).free_motions
    told = sorted((m["parts"], m["kind"], m["pitch_mm"]) for m in motions)
    kinds = ("rotation", "translation")
    assert told == [([part], kind, 0.0) for part in ("arm", "rod") for kind in kinds]
    for m in motions:
        np.testing.assert_allclose(m["axis"]["direction"], np.array(line) / 3, atol=1e-9)


@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_slides_of_any_direction_are_told_along_the_carrier_in_any_order_and_place(
    seed: int, turned_round: bool
) -> None:
    rng = np.random.default_rng(seed)
    whole, start = random_pose(rng), random_pose(rng, 30)
    told = ["base.x", "part.y"], ["base.y", "part.x"]
    a = asm.Assembly("held level")
    a.add("base", grounded=True, pose=whole)
    a.add("part", pose=whole @ start)
    for one, two in told[:: -1 if turned_round else 1]:
        a.mate("perpendicular", one, two)
    found = [m["axis"]["direction"] for m in asm.diagnose(a).require().free_motions]
    local = np.abs(np.array(found) @ whole.rotation)
    assert len(local) == 4
    np.testing.assert_allclose(local[:3], np.eye(3), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_joints_in_a_plane_or_about_a_point_are_told_along_the_carrier_wherever_it_is(
    seed: int,
) -> None:
    """Of a joint alone, and of a ball that two links hold at its centre, which does not move."""
    whole = random_pose(np.random.default_rng(seed))
    at = asm.Point((15, 20, 0))
    pivots = {"o": asm.Axis((0, 0, 0), "z"), "q": asm.Axis((30, 0, 0), "z")}
    a = asm.Assembly("joints")
    held = {**pivots, "slope": asm.Plane((0, 0, 0), (1, 2, 2)), "c": at}
    a.add("base", grounded=True, pose=whole, features=held)
    a.add("plate", pose=whole, features={"face": asm.Plane((0, 0, 0), "z")})
    a.add("knob", pose=whole, features={"c": at})
    for link, pivot in (("one", "o"), ("two", "q")):
        a.add(link, pose=whole, features={pivot: pivots[pivot], "end": at})
        a.mate("revolute", f"base.{pivot}", f"{link}.{pivot}")
    a.add("ball", pose=whole, features={"c": at})
    a.mate("planar", "base.slope", "plate.face")
    for ends in ("base.c - knob.c", "one.end - ball.c", "two.end - ball.c"):
        a.mate("spherical", *ends.split(" - "))
    told: dict[str, list[list[float]]] = {}
    for m in asm.diagnose(a).require().free_motions:
        told.setdefault(m["parts"][0], []).append(m["axis"]["direction"])
    local = {name: np.abs(np.array(ways) @ whole.rotation) for name, ways in told.items()}
    slides = [[8**0.5 / 3, 18**-0.5, 18**-0.5], [0, 0.5**0.5, 0.5**0.5]]
    np.testing.assert_allclose(local["plate"][1:], slides, atol=1e-9)
    for name in ("knob", "ball"):
        np.testing.assert_allclose(local[name], np.eye(3), atol=1e-9)


def hung(whole: asm.Pose) -> asm.Assembly:
    """A plate on two rods with balls at their ends, on a base that stands anywhere."""
    a = asm.Assembly("hung")
    low, high = ((0, 0, 0), (60, 10, 5)), ((5, 7, 80), (50, -4, 90))
    ends = [{"p": asm.Point(low[k]), "q": asm.Point(high[k])} for k in (0, 1)]
    a.add("base", grounded=True, pose=whole, features={f"p{k}": e["p"] for k, e in enumerate(ends)})
    a.add("plate", pose=whole, features={f"q{k}": e["q"] for k, e in enumerate(ends)})
    for k, own in enumerate(ends):
        a.add(f"rod {k}", pose=whole, features=own)
        a.mate("spherical", f"base.p{k}", f"rod {k}.p")
        a.mate("spherical", f"rod {k}.q", f"plate.q{k}")
    return a


@pytest.mark.parametrize("seed", range(4))
def test_motions_of_a_loop_in_space_are_told_along_its_carrier_wherever_the_whole_is(
    seed: int,
) -> None:
    def told(whole: asm.Pose) -> list[Any]:
        seen = []
        for m in asm.diagnose(hung(whole)).require().free_motions:
            axis = m["axis"]
            way = np.array(axis["direction"]) @ whole.rotation
            at = whole.inverse().apply(axis["point"])
            foot = at - (at @ way) * way
            seen.append([*np.abs(way), *foot, abs(m["pitch_mm"])])
        return seen

    here, there = told(asm.Pose()), told(random_pose(np.random.default_rng(seed)))
    assert len(here) == 6
    np.testing.assert_allclose(here, there, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_a_sleeve_in_a_loop_that_slides_and_turns_is_told_to_do_so_one_after_the_other(
    seed: int,
) -> None:
    """Four sleeves in a ring: told were two screws, 4467 mm and 0 mm a turn where the base stood
    along the world, others where not, and neither was stopped alone by what was said to."""
    rng = np.random.default_rng(seed)
    axes = ((0, 0, 0), (1, 0, 0)), ((50, 20, 10), (0.2, 1, 0.3))
    axes += ((80, 50, 60), (0.5, 0.1, 1)), ((20, 90, 40), (1, 0.6, -0.3))
    names = ("base", "a", "b", "c")
    a = asm.Assembly("ring")
    for name in names:
        a.add(name, grounded=name == "base", pose=random_pose(rng))
    for k, (point, way) in enumerate(axes):
        at = asm.Frame(point, way)
        a.mate("cylindrical", name=f"sleeve {k}", parts=(names[k], names[(k + 1) % 4]), at=at)
    motions = asm.diagnose(a).require().free_motions
    assert [(m["parts"][0], m["kind"], m["pitch_mm"]) for m in motions] == [
        ("a", "translation", 0.0),
        ("a", "rotation", 0.0),
    ]
    for m, coordinate in zip(motions, ("length", "angle"), strict=True):
        np.testing.assert_allclose(m["axis"]["direction"], (1, 0, 0), atol=1e-9)
        driver = {"joint": "sleeve 0", "coordinate": coordinate}
        assert m["removed_by"]["driver"] == driver
        assert m["removed_by"]["words"].endswith("would stop it")


@pytest.mark.parametrize(
    ("kind", "a", "b", "more", "freedoms"),
    [
        ("symmetric", "B.p", "C.p", {"about": "A.f"}, 9),
        ("equal_distance", "A.p", "B.p", {"a2": "A.q", "b2": "C.p"}, 11),
    ],
)
def test_parts_that_only_a_mate_of_three_joins(
    kind: str, a: str, b: str, more: dict[str, str], freedoms: int
) -> None:
    assembly = asm.Assembly()
    for name, at in (("A", (0, 0, 0)), ("B", (17, 3, 4)), ("C", (2, 9, 5))):
        points = {"p": asm.Point((1, 2, 3)), "q": asm.Point((5, 2, 3))}
        features = {**points, "f": asm.Plane((0, 0, 0), (0, 0, 1))}
        assembly.add(name, grounded=name == "A", features=features, pose=asm.Pose(at))
    assembly.mate(kind, a, b, **more)
    solution = asm.solve(assembly)
    assert (solution.dof, len(solution.free_motions), solution.singular) == (freedoms, freedoms, [])

"""Pairs that close on either side: their modes have names, are found, reached and kept.

The oracle is the closed form of both closings; lengths in mm.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mechanisms import four_bar, rebuilt

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import UnknownMode
from assembly_solver.solver.modes import enumeration
from assembly_solver.solver.modes.placed import Placed
from assembly_solver.solver.modes.sampling import Sampler
from assembly_solver.structure.dyads import AssurGroup

FEET = {"a": (0.0, 0.0, 0.0), "b": (100.0, 0.0, 0.0), "c": (0.0, 100.0, 0.0)}
RADIUS = 80.0
HIGH = math.sqrt(RADIUS**2 - 2 * 50.0**2)
"""How far a point is off the plane of the feet, at (50, 50)."""
ASIDE = math.sqrt(RADIUS**2 - 50.0**2)
"""How far a point in their plane is off the line between two of them, at x = 50."""

Point = tuple[float, float, float]


def based() -> asm.Assembly:
    """A held part with three points, a frame and directions."""
    a = asm.Assembly()
    points = {name: asm.Point(at) for name, at in FEET.items()}
    more = {"frame": asm.Frame((0, 0, 0)), "top": asm.Plane((0, 0, 0), "z")}
    way = {"x": asm.Axis((0, 0, 0), "x"), "z": asm.Axis((0, 0, 0), "z")}
    a.add("base", grounded=True, features=points | more | way)
    return a


def with_part(at: asm.Pose) -> asm.Assembly:
    """The same and a part."""
    a = based()
    add_part(a, "part", at)
    return a


def add_part(a: asm.Assembly, name: str, at: asm.Pose) -> None:
    """A part with a frame, its axes, and a point 30 mm along x."""
    features = {
        "frame": asm.Frame((0, 0, 0)),
        "p": asm.Point((0, 0, 0)),
        "tip": asm.Point((30, 0, 0)),
        "x": asm.Axis((0, 0, 0), "x"),
        "z": asm.Axis((0, 0, 0), "z"),
        "bottom": asm.Plane((0, 0, 0), "z"),
    }
    a.add(name, pose=at, features=features)


def ball(side: int = 1) -> asm.Assembly:
    """A point on three rods."""
    a = with_part(asm.Pose((40.0, 55.0, 20.0 * side)))
    for foot in FEET:
        a.mate("distance", f"base.{foot}", "part.p", value=RADIUS, name=foot)
    return a


def upright(side: int = 1) -> asm.Assembly:
    """The same on a part that cannot turn: all six freedoms are removed."""
    a = ball(side)
    a.mate("parallel", "base.z", "part.z")
    a.mate("parallel", "base.x", "part.x")
    return a


def in_plane(side: int = 1) -> asm.Assembly:
    """A point in a plane, on two rods."""
    a = with_part(asm.Pose((40.0, 20.0 * side, 3.0)))
    a.mate("point_in_plane", "part.p", "base.top")
    for foot in "ab":
        a.mate("distance", f"base.{foot}", "part.p", value=RADIUS, name=foot)
    return a


def plate(side: int = 1) -> asm.Assembly:
    """A plate on a plane, on two rods."""
    a = with_part(asm.Pose((40.0, 20.0 * side, 3.0)))
    a.mate("coplanar", "base.top", "part.bottom")
    for foot in "ab":
        a.mate("distance", f"base.{foot}", "part.p", value=RADIUS, name=foot)
    return a


def slider(side: int = 1) -> asm.Assembly:
    """A slide along z, a rod to a foot 70 mm aside."""
    a = with_part(asm.Pose((1.0, 2.0, 20.0 * side)))
    a.mate("prismatic", "base.frame", "part.frame")
    a.mate("distance", "base.b", "part.tip", value=RADIUS)
    return a


def hinge(side: int = 1) -> asm.Assembly:
    """A hinge with an angle that has no sign."""
    a = with_part(asm.Pose.from_axis((1.0, 2.0, 0.0), (0, 0, 1), 25.0 * side))
    a.mate("revolute", "base.frame", "part.frame")
    a.mate("angle", "base.x", "part.x", value=40.0, name="angle")
    return a


def strut(side: int = 1) -> asm.Assembly:
    """A hinge with a rod from its arm to a foot."""
    a = with_part(asm.Pose.from_axis((1.0, 2.0, 0.0), (0, 0, 1), 25.0 * side))
    a.mate("revolute", "base.frame", "part.frame")
    a.mate("distance", "base.b", "part.tip", value=RADIUS)
    return a


def tip_at(angle: float) -> tuple[Point, Point]:
    """The point of an arm at an angle, rad, and at its opposite."""
    x, y = 30.0 * math.cos(angle), 30.0 * math.sin(angle)
    return (x, y, 0.0), (x, -y, 0.0)


RISE = math.sqrt(RADIUS**2 - 70.0**2)
TURN = math.acos((100.0**2 + 30.0**2 - RADIUS**2) / (2 * 100.0 * 30.0))
CASES: dict[str, tuple[Callable[[int], asm.Assembly], str, tuple[Point, Point]]] = {
    "point on three rods": (ball, "p", ((50, 50, HIGH), (50, 50, -HIGH))),
    "part on three rods": (upright, "p", ((50, 50, HIGH), (50, 50, -HIGH))),
    "point in a plane": (in_plane, "p", ((50, ASIDE, 0), (50, -ASIDE, 0))),
    "plate on a plane": (plate, "p", ((50, ASIDE, 0), (50, -ASIDE, 0))),
    "slider on a rod": (slider, "tip", ((30, 0, RISE), (30, 0, -RISE))),
    "angle at a hinge": (hinge, "tip", tip_at(math.radians(40.0))),
    "strut at a hinge": (strut, "tip", tip_at(TURN)),
}


def where(a: asm.Assembly, poses: dict[str, asm.Pose], point: str) -> np.ndarray:
    """A point of the part in the world, mm."""
    own = {"p": (0.0, 0.0, 0.0), "tip": (30.0, 0.0, 0.0)}[point]
    return np.asarray(poses["part"].apply(np.array([own]))[0])


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", CASES)
def test_both_closings_are_named_found_and_reached(name: str, side: int) -> None:
    make, point, both = CASES[name]
    a = make(side)
    named = dict(zip("+-", both, strict=True))
    modes = asm.modes(a)
    assert [m.name for m in modes] == list("+-"[::side])
    assert all(m.complete for m in modes)
    for m in modes:
        np.testing.assert_allclose(where(a, m.poses, point), named[m.name], atol=1e-6)
    plain = asm.solve(a).require()
    assert plain.mode == "+-"[side < 0]
    np.testing.assert_allclose(where(a, plain.poses, point), named[plain.mode], atol=1e-6)
    for mode, at in named.items():
        solution = asm.solve(a, mode=mode).require()
        assert solution.mode == mode
        np.testing.assert_allclose(where(a, solution.poses, point), at, atol=1e-6)
        solution.apply()
        np.testing.assert_allclose(where(a, asm.solve(a).require().poses, point), at, atol=1e-6)
        assert asm.solve(a).mode == mode


@pytest.mark.parametrize("name", CASES)
def test_names_do_not_depend_on_the_order_of_entry(name: str) -> None:
    make, point, both = CASES[name]
    given = make(1)
    a = rebuilt(given, [*given.parts][::-1], [*given.mates][::-1])
    assert [m.name for m in asm.modes(a)] == ["+", "-"]
    np.testing.assert_allclose(where(a, asm.modes(a)[1].poses, point), both[1], atol=1e-6)


def test_folds_one_after_another_have_a_sign_each() -> None:
    """Two arms in a chain, each at 40 degrees either way: four modes, at 80, 0, 0 and -80."""
    a = hinge(1)
    add_part(a, "second", asm.Pose.from_axis((0.0, 0.0, 0.0), (0, 0, 1), 70.0))
    a.mate("revolute", "part.frame", "second.frame")
    a.mate("angle", "part.x", "second.x", value=40.0)
    wanted = {"++": 80.0, "+-": 0.0, "-+": 0.0, "--": -80.0}
    found = {m.name: m.poses["second"] for m in asm.modes(a)}
    assert set(found) == set(wanted)
    for mode, angle in wanted.items():
        for pose in (found[mode], asm.solve(a, mode=mode).require().poses["second"]):
            x = pose.apply(np.array([[1.0, 0.0, 0.0]]))[0]
            t = math.radians(angle)
            np.testing.assert_allclose(x, (math.cos(t), math.sin(t), 0.0), atol=1e-6)


def test_a_fold_beside_a_loop_adds_its_sign() -> None:
    a = four_bar()
    loop = {m.name for m in asm.modes(a)}
    for name, part in hinge(1).parts.items():
        a.add(f"own {name}", grounded=part.grounded, pose=part.pose, features=part.features)
    a.mate("revolute", "own base.frame", "own part.frame")
    a.mate("angle", "own base.x", "own part.x", value=40.0)
    assert {m.name for m in asm.modes(a)} == {one + two for one in "+-" for two in loop}
    for mode in ("+-", "-+"):
        pose = asm.solve(a, mode=mode).require().poses["own part"]
        turned = pose.apply(np.array([[30.0, 0.0, 0.0]]))[0]
        up, down = tip_at(math.radians(40.0))
        np.testing.assert_allclose(turned, up if mode[0] == "+" else down, atol=1e-6)


def test_a_pair_that_floats_folds_too() -> None:
    """An arm on a base that nothing holds."""
    a = hinge(1)
    a.ground("base", False)
    solution = asm.solve(a, mode="-").require()
    x, y = (solution.poses[n].apply(np.array([[0.0, 0, 0], [1, 0, 0]])) for n in ("base", "part"))
    turn = np.cross(x[1] - x[0], y[1] - y[0])
    np.testing.assert_allclose(turn, (0, 0, -math.sin(math.radians(40.0))), atol=1e-6)


def test_a_single_closing_has_no_mode() -> None:
    """A part that is fixed: all its equations are linear in the pose."""
    a = with_part(asm.Pose((1.0, 2.0, 3.0)))
    a.mate("fixed", "base.frame", "part.frame")
    assert asm.modes(a) == []
    with pytest.raises(UnknownMode, match="none"):
        asm.solve(a, mode="+")


def test_the_command_line_takes_such_a_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ball.assembly.json"
    asm.write(ball(1), file)
    assert cli.main(["solve", str(file), "--mode", "-", "--json"]) == cli.HOLDS
    assert json.loads(capsys.readouterr().out)["mode"] == "-"
    assert cli.main(["solve", str(file), "--mode", "++"]) == cli.WRONG
    assert capsys.readouterr().err.strip() == "error: no mode '++'; there are +, -"


# ---------------------------------------------------------------- without a side
FIXED_POINTS = 60 * np.random.default_rng(5).normal(size=(3, 3))
MOVING_POINTS = 60 * np.random.default_rng(6).normal(size=(3, 3))


def held_by_distances(kind: str, rods: int) -> asm.Assembly:
    """A part on a cylinder or a plane along z of the base, held there by distances."""
    a, way = asm.Assembly(), asm.Axis((0, 0, 0), "z")
    for part, points in (("base", FIXED_POINTS), ("part", MOVING_POINTS)):
        own = {f"p{k}": asm.Point(tuple(points[k])) for k in range(rods)}
        a.add(part, grounded=part == "base", features={"way": way, **own})
    a.mate(kind, "base.way", "part.way", sense="aligned")
    for k in range(rods):
        far = float(np.linalg.norm(FIXED_POINTS[k] - MOVING_POINTS[k]))
        a.mate("distance", f"base.p{k}", f"part.p{k}", value=far)
    return a


def spun(angles: np.ndarray, k: int) -> np.ndarray:
    """A point of the part turned about z, (angles, 3)."""
    c, s = np.cos(angles), np.sin(angles)
    x, y, z = MOVING_POINTS[k]
    return np.stack([c * x - s * y, s * x + c * y, z + 0 * c], axis=1)


def crossings(off: np.ndarray) -> int:
    """How often values over a whole turn change sign; those that are no number do not."""
    return int(np.sum(off * np.roll(off, -1) < 0))


def far_off(k: int, at: np.ndarray) -> np.ndarray:
    """Square of a distance over what it has to be."""
    far = np.sum((FIXED_POINTS[k] - MOVING_POINTS[k]) ** 2)
    return np.asarray(np.sum((at - FIXED_POINTS[k]) ** 2, axis=1) - far)


def test_a_cylinder_held_by_two_distances_closes_in_all_ways_that_a_turn_shows() -> None:
    """At each angle the first distance leaves two heights."""
    angles, up = 2 * np.pi * (np.arange(100_000) + 0.5) / 100_000, np.array([0.0, 0.0, 1.0])
    apart = spun(angles, 0) - FIXED_POINTS[0]
    room = np.sum((FIXED_POINTS[0] - MOVING_POINTS[0]) ** 2) - np.sum(apart[:, :2] ** 2, axis=1)
    with np.errstate(invalid="ignore"):
        heights = [-apart[:, 2] + side * np.sqrt(room) for side in (1, -1)]
    ways = sum(crossings(far_off(1, spun(angles, 1) + h[:, None] * up)) for h in heights)
    modes = asm.modes(held_by_distances("cylindrical", 2))
    assert len(modes) == ways == 2
    assert all(m.complete and m.solutions == 4 for m in modes)


def test_a_plate_on_a_plane_held_by_three_distances_closes_in_all_ways_that_a_turn_shows() -> None:
    """At each angle the first two distances are circles, which meet twice."""
    angles = 2 * np.pi * (np.arange(100_000) + 0.5) / 100_000
    centre = [(FIXED_POINTS[k] - spun(angles, k))[:, :2] for k in range(3)]
    radius = [float(np.linalg.norm((FIXED_POINTS[k] - MOVING_POINTS[k])[:2])) for k in range(3)]
    way = centre[1] - centre[0]
    far = np.linalg.norm(way, axis=1)
    along = (far**2 + radius[0] ** 2 - radius[1] ** 2) / (2 * far)
    with np.errstate(invalid="ignore"):
        aside = np.sqrt(radius[0] ** 2 - along**2)
    across = np.stack([-way[:, 1], way[:, 0]], axis=1)
    middle = centre[0] + (along / far)[:, None] * way
    ways = 0
    for side in (1, -1):
        at = middle + side * (aside / far)[:, None] * across
        ways += crossings(np.sum((at - centre[2]) ** 2, axis=1) - radius[2] ** 2)
    modes = asm.modes(held_by_distances("planar", 3))
    assert len(modes) == ways == 4
    assert all(m.complete and m.solutions == 6 for m in modes)


def lever_at_a_wall() -> asm.Assembly:
    """A lever on a hinge whose tip is in a plane, on either side of the hinge."""
    a = with_part(asm.Pose.from_axis((10.0, 0.0, 0.0), (0, 0, 1), 50.0))
    a.mate("revolute", "base.frame", "part.frame")
    a.add("wall", grounded=True, features={"face": asm.Plane((20.0, 0, 0), "x")})
    a.mate("point_in_plane", "part.tip", "wall.face")
    return a


def test_a_point_of_a_lever_in_a_plane_is_on_either_side_and_the_list_is_a_sample() -> None:
    a = lever_at_a_wall()
    modes = asm.modes(a)
    tips = sorted(m.poses["part"].apply((30.0, 0, 0))[1] for m in modes)
    assert np.abs(np.array(tips) - [-math.sqrt(500), math.sqrt(500)]).max() <= 1e-6
    assert [m.name for m in modes] == ["1", "2"] and not modes[0].complete
    assert modes[0].why == "such loops are sampled, not counted"


def test_samples_that_hold_roughly_and_are_polished_to_one_mode_are_listed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = lever_at_a_wall()
    found = Sampler.placed

    def rough(sampler: Sampler, poses: np.ndarray, group: AssurGroup) -> list[Placed]:
        own = found(sampler, poses, group)
        off = own[0].poses.copy()
        off[1, :3] += 5e-5  # within the tolerance
        return [*own, Placed(off, 1)]

    monkeypatch.setattr(Sampler, "placed", rough)
    modes = asm.modes(a)
    tips = sorted(m.poses["part"].apply((30.0, 0, 0))[1] for m in modes)
    assert len(tips) == 2
    assert np.abs(np.array(tips) - [-math.sqrt(500), math.sqrt(500)]).max() <= 1e-6


def test_a_line_in_a_plane_has_two_ways_that_a_fold_beside_it_does_not_count() -> None:
    """The list has those with the line as it is; that others may be missing is said."""
    a = with_part(asm.Pose((40.0, 20.0, 0.0)))
    a.add("rail", grounded=True, features={"side": asm.Plane((0, 20.0, 0), "y")})
    a.mate("coplanar", "base.top", "part.bottom", sense="aligned")
    a.mate("line_in_plane", "part.x", "rail.side")
    a.mate("distance", "base.a", "part.p", value=80.0)
    modes = asm.modes(a)
    assert len(modes) == 2 and not modes[0].complete
    assert modes[0].why == "the mates of base and part may hold in other ways, too"


def test_two_pins_that_are_along_each_other_hold_a_plate_in_one_way() -> None:
    a = with_part(asm.Pose((1.0, 2.0, 3.0)))
    pins = {f"pin {k}": asm.Axis((30.0 * k, 0, 0), "z") for k in range(2)}
    a.add("plate", features={**pins, "bottom": asm.Plane((0, 0, 0), "z")})
    a.add("bed", grounded=True, features={**pins, "top": asm.Plane((0, 0, 0), "z")})
    for pin in pins:
        a.mate("coaxial", f"bed.{pin}", f"plate.{pin}", sense="aligned")
    a.mate("coplanar", "bed.top", "plate.bottom", sense="aligned")
    assert asm.modes(a) == []


def test_a_pair_that_is_not_closed_from_far_away_is_searched_where_it_was_solved() -> None:
    """The plan could not close it on its own from there: the list was empty, without a word."""
    a = asm.Assembly("pair")
    base = {"p": asm.Point((-42, 39, 18)), "q": asm.Point((-17, -50, 24))}
    base |= {"a": asm.Axis((-25, 7, -5), (1, 2, 2)), "b": asm.Axis((-29, 46, 57), (2, -1, 2))}
    a.add("base", grounded=True, features=base | {"face": asm.Plane((43, 56, 33), "z")})
    part = {"p": asm.Point((16, -39, 5)), "q": asm.Point((-52, 31, -49))}
    part |= {"a": asm.Axis((6, -36, -10), (3, 0, 4)), "b": asm.Axis((-8, 20, 51), (0, 1, 1))}
    part |= {"on": asm.Point((25, 31, -4)), "ball": asm.Sphere((-57, -53, -42), radius=10.0)}
    turned = (-0.46836607, 0.54644196, -0.01477481, -0.69412975)
    a.add("part", pose=asm.Pose((-411.0, 529.0, 311.0), turned), features=part)
    a.mate("distance", "base.p", "part.p", value=15.0)
    a.mate("distance", "base.q", "part.q", value=45.0)
    a.mate("angle", "base.a", "part.a", value=76.0)
    a.mate("perpendicular", "base.b", "part.b")
    a.mate("tangent", "base.face", "part.ball")
    a.mate("point_in_plane", "base.face", "part.on")
    assert asm.solve(a).plan.bodies.pairs.gap[0] > 1.0
    modes = asm.modes(a)
    assert [m.name for m in modes] == ["1", "2"]
    assert {m.why for m in modes} == {"such loops are sampled, not counted"}


def test_the_solution_is_found_again_where_redundant_values_hold_roughly() -> None:
    """Redundant values that hold by 7e-5 mm: where all are off by as much, one is by too much."""
    a = asm.Assembly("six digits")
    ground: dict[str, asm.Feature] = {"p": asm.Point((-103.7039, 60.66795, 71.97362))}
    slide = (-88.23229, -0.9736102, 146.2509), (-0.4945158, -0.8691686, 0), "z"
    ground |= {"slide": asm.Frame(*slide)}
    ground |= {"rod": asm.Axis((-163.4699, -93.42231, 129.5215), "z", radius=8.465115)}
    at = asm.Pose((66.45427, 78.41181, -66.42849), (0.9772751, 0, 0, 0.211975))
    a.add("ground", grounded=True, pose=at, features=ground)
    part: dict[str, asm.Feature] = {"p": asm.Point((-112.4995, -126.1722, 17.69905))}
    slide = (-76.22824, -32.56637, 91.97637), (0.7178979, -0.6961484, 0), "z"
    part |= {"slide": asm.Frame(*slide)}
    part |= {"ball": asm.Sphere((-37.34874, -86.76744, 114.8662), radius=8.465115)}
    at = asm.Pose((58.23944, -15.17723, -12.15392), (0.9024245, 0, 0, -0.4308481))
    a.add("part", pose=at, features=part)
    a.mate("prismatic", "ground.slide", "part.slide")
    a.mate("distance", "ground.p", "part.p", value=113.374)
    a.mate("distance", "ground.rod", "part.ball", value=18.4468, surfaces=True)
    (own,) = asm.modes(a)
    assert (own.name, own.complete) == ("1", False)
    assert own.why.startswith("their mates are redundant, as where loops close for special")
    solved = asm.solve(a, mode="1").require()
    assert np.abs(own.poses["part"].frame - solved.poses["part"].frame).max() <= 1e-3


def test_a_plan_that_makes_other_bodies_than_a_solution_has_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The list had another pose in place of the solution's, or nothing without a word."""
    a = lever_at_a_wall()
    b = a.copy()
    b.move({"part": asm.Pose.from_axis((10.0, 0.0, 0.0), (0, 0, 1), -50.0)})
    elsewhere = asm.solve(b).plan
    monkeypatch.setattr(enumeration, "make_plan", lambda *_, **__: elsewhere)
    (own,) = asm.modes(a)
    assert own.poses["part"].apply((30.0, 0, 0)) == pytest.approx([20.0, math.sqrt(500), 0.0])
    assert own.why == "base and part and wall were taken for one body"


def test_the_solution_is_listed_where_the_search_does_not_find_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As no case is known where it fails, none of what it finds is said to close."""
    monkeypatch.setattr(enumeration.Modes, "_closed", lambda *_: None)
    (own,) = asm.modes(four_bar())
    assert not own.complete and own.why == "the search did not even find this one again"
    assert own.distance == 0.0

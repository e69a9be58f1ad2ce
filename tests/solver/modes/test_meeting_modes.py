"""Closures that meet are counted with their multiplicity; planted ones are found in random loops,
however these are entered; a search can be interrupted.

Lengths in mm.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kept_loops import ROOTS
from mechanisms import disturb

import assembly_solver as asm
from assembly_solver.errors import Unsolved
from assembly_solver.solver.modes.loop_poses import LoopJoint, loop_poses
from assembly_solver.solver.modes.loop_structure import Structure
from assembly_solver.solver.modes.path_ends import AllEnds, all_ends
from assembly_solver.solver.modes.platform_poses import platform_poses
from assembly_solver.solver.modes.sampling import Sampler
from assembly_solver.structure.dyads import AssurGroup

SAMPLES = Path(__file__).parents[3] / "samples"
STILL = np.array([0.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
"""The motion that is none."""


def at_rest(motions: np.ndarray) -> int:
    """Which motion of all bodies, (k, bodies, 12), is none."""
    away = np.abs(motions - STILL).max(axis=(1, 2))
    assert away.min() <= 1e-6
    return int(away.argmin())


# ------------------------------------------------------------------ closures that meet
@pytest.mark.parametrize("seed", range(2))
def test_a_plate_on_three_bars_that_meet_in_a_point_is_in_a_double_pose(seed: int):
    rng, up = np.random.default_rng(seed), np.array([0.0, 0.0, 1.0])
    centre, own = 20 * rng.normal(size=2), 40 * rng.normal(size=(3, 2))
    others = centre + (own - centre) * rng.uniform(1.3, 3, size=(3, 1))
    joints = []
    for k, (p, q) in enumerate(zip(own, others, strict=True)):
        joints.append(LoopJoint(0, 2 + k, up, np.array([*q, 0.0])))
        joints.append(LoopJoint(2 + k, 1, up, np.array([*p, 0.0])))
    found = loop_poses("plane", joints, [1])
    assert found is not None and found.complete and found.solutions == 6
    assert found.closures[at_rest(found.motions)] == 2
    assert found.closures.sum() == len(found.motions) + 1


def test_six_hinges_that_meet_one_line_are_in_a_double_pose():
    rng, joints = np.random.default_rng(2), []
    for k in range(6):
        foot, way = np.array([0.0, 0.0, 50 * rng.normal()]), rng.normal(size=3)
        way /= np.linalg.norm(way)
        joints.append(LoopJoint(k, (k + 1) % 6, way, foot + 60 * rng.normal() * way))
    found = loop_poses("space", joints, [1, 2, 3, 4, 5])
    assert found is not None and found.complete and found.solutions == 16
    assert found.closures[at_rest(found.motions)] == 2


def test_three_spherical_hinges_in_a_plane_are_at_a_dead_point():
    ways = [np.array([np.cos(t), np.sin(t), 0.0]) for t in (0.0, 0.5, 1.4)]
    joints = [LoopJoint(k, (k + 1) % 3, w, np.ones(3)) for k, w in enumerate(ways)]
    found = loop_poses("sphere", joints, [1, 2])
    assert found is not None and found.complete and found.closures.tolist() == [2]


def test_an_octahedral_platform_has_16_poses_though_a_path_is_lost(monkeypatch: Any):
    """Rounding decides whether one of the 24 that go far away is; it is planted here."""
    rng, rings, tried = np.random.default_rng(1), [], list[int]()

    def with_one_lost(*given: Any) -> AllEnds:
        found = all_ends(*given)
        tried.append(1)
        return found if tried[1:] else found._replace(lost=given[1][:1], whole=False)

    monkeypatch.setattr("assembly_solver.solver.modes.platform_poses.all_ends", with_one_lost)
    for angles, radius, up in (
        ([12, 108, 132, 228, 252, 348], 130, 0),
        ([48, 72, 168, 192, 288, 312], 80, 120),
    ):
        t = np.radians(angles)
        flat = np.stack([radius * np.cos(t), radius * np.sin(t), 0 * t + up], axis=1)
        rings.append(flat + 8 * rng.normal(size=(6, 3)))
    others, own = rings[0][[5, 1, 1, 3, 3, 5]], rings[1][[0, 0, 2, 2, 4, 4]]
    found = platform_poses(own, others, np.linalg.norm(own - others, axis=1))
    assert found.complete and found.complex + found.closures.sum() == 16


def test_six_legs_that_meet_one_line_hold_a_platform_in_a_double_pose():
    rng = np.random.default_rng(1)
    own, feet = 50 * rng.normal(size=(6, 3)), np.zeros((6, 3))
    rng.normal(size=(2, 6))
    feet[:, 2] = 40 * rng.normal(size=6)
    others = own + (feet - own) * rng.uniform(0.4, 2.2, size=(6, 1))
    found = platform_poses(own, others, np.linalg.norm(own - others, axis=1))
    assert found.complete and not found.regular
    assert found.closures[at_rest(found.motions[:, None])] == 2
    assert found.closures.sum() + found.complex == 40


def four_bar(flat: bool) -> asm.Assembly:
    """A parallelogram, of which the crank is in line with the ground at the change point."""
    a, turn = asm.Assembly("parallelogram"), 0.0 if flat else 40.0
    for name, length in (("ground", 180), ("crank", 60), ("coupler", 180), ("rocker", 60)):
        features = {"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((length, 0, 0), "z")}
        a.add(name, features=features, grounded=name == "ground")
    turned = asm.Pose.from_axis((0, 0, 0), (0, 0, 1), turn)
    tip = turned.apply(np.array([[60.0, 0, 0]]))[0]
    a.move({"crank": turned, "coupler": asm.Pose(tuple(tip))})
    a.move({"rocker": asm.Pose((180, 0, 0), turned.quaternion_wxyz)})
    ends = [("ground.a", "crank.a"), ("crank.b", "coupler.a"), ("coupler.b", "rocker.b")]
    for one, two in [*ends, ("ground.b", "rocker.a")]:
        a.mate("revolute", one, two, name=f"{one} {two}")
    a.drive("motor", "ground.a crank.a", value=turn)
    return a


def test_a_four_bar_has_two_closures_at_its_change_point_as_beside_it():
    assert [m.closures for m in asm.modes(four_bar(flat=True))] == [2]
    assert [m.closures for m in asm.modes(four_bar(flat=False))] == [1, 1]


def near_a_double_pose(short: float) -> asm.Assembly:
    """A plate on three links that would meet in a point, were the first not a little too short."""
    rng, a = np.random.default_rng(0), asm.Assembly("plate on three links")
    feet, point = rng.uniform(-100, 100, (3, 2)), rng.uniform(-60, 60, 2)
    turn = np.degrees(rng.uniform(-3, 3))
    at = np.array([foot + (point - foot) * rng.uniform(0.4, 1.6) for foot in feet])
    plate = asm.Pose.from_axis((*at.mean(axis=0), 0.0), (0, 0, 1), turn)
    own = plate.inverse().apply(np.column_stack([at, np.zeros(3)]))
    hinges = {f"{k}": asm.Axis((*foot, 0.0), "z") for k, foot in enumerate(feet)}
    a.add("base", grounded=True, features=hinges)
    hinges = {f"{k}": asm.Axis(tuple(p), "z") for k, p in enumerate(own)}
    a.add("plate", pose=plate, features=hinges)
    for k, (foot, way) in enumerate(zip(feet, at - feet, strict=True)):
        length = float(np.linalg.norm(way)) - (short if k == 0 else 0.0)
        ends = {"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((length, 0, 0), "z")}
        angle = np.degrees(np.arctan2(way[1], way[0]))
        pose = asm.Pose.from_axis((*foot, 0.0), (0, 0, 1), angle)
        a.add(f"link {k}", pose=pose, features=ends)
        a.mate("revolute", f"base.{k}", f"link {k}.a", name=f"foot {k}")
        a.mate("revolute", f"link {k}.b", f"plate.{k}", name=f"head {k}")
    return a


@pytest.mark.parametrize(("short", "closures"), [(1e-4, [1, 1, 1, 1]), (1e-6, [1, 1, 2])])
def test_closures_that_are_hardly_apart_are_one_mode_and_counted(short: float, closures: list[int]):
    """Two that the tolerance does not tell apart were one mode with one closure: the real ones of
    six would have been odd in number."""
    modes = asm.modes(near_a_double_pose(short))
    assert all(m.complete and m.solutions == 6 for m in modes)
    assert sorted(m.closures for m in modes) == closures


def test_a_list_without_a_path_to_the_solution_itself_is_not_complete(
    monkeypatch: pytest.MonkeyPatch,
):
    a, followed = near_a_double_pose(5.0), Sampler._in_loops
    here = {m.name: m.distance for m in asm.modes(a)}

    def fewer(self: Sampler, poses: np.ndarray, group: AssurGroup) -> Any:
        found = followed(self, poses, group)
        away = [np.abs(start.poses - self.base).max() for start in found.starts]
        own = int(np.argmin(away))
        return found._replace(starts=found.starts[:own] + found.starts[own + 1 :])

    monkeypatch.setattr(Sampler, "_in_loops", fewer)
    modes = asm.modes(a)
    assert {m.name: m.distance for m in modes} == pytest.approx(here)
    assert {m.why for m in modes} == {"closures meet, at a dead point or along a motion"}


# ------------------------------------------------------------------ planted
def planted(kind: str, structure: Structure, seed: int) -> list[LoopJoint]:
    """Random hinges of a structure, closed as they stand."""
    rng, pairs, last = np.random.default_rng(seed), [], max(b for _, b, _ in structure)
    for a, b, n in structure:
        pairs += list(pairwise([a, *range(last + 1, last + n), b]))
        last += n - 1
    points, ways = rng.normal(size=(2, len(pairs), 3))
    points = np.tile(points[0], (len(pairs), 1)) if kind == "sphere" else points
    ways = np.tile(ways[0], (len(pairs), 1)) if kind == "plane" else ways
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    return [LoopJoint(*p, w, q) for p, w, q in zip(pairs, ways, points, strict=True)]


@pytest.mark.parametrize(("kind", "structure"), ROOTS)
def test_a_planted_closure_is_found_whatever_the_order_names_unit_and_place(
    kind: str, structure: Structure
):
    joints, rng = planted(kind, structure, 10), np.random.default_rng(1)
    links = sorted({v for j in joints for v in (j.one, j.two)} - {0})
    found = loop_poses(kind, joints, links)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn, shift, unit = turn * np.linalg.det(turn), rng.normal(size=3), 10.0 ** rng.uniform(-2, 2)
    names = dict(zip([0, *links], [0, *(rng.permutation(links) + 50).tolist()], strict=True))
    again = []
    for j in (joints[k] for k in rng.permutation(len(joints))):
        ends = (names[j.one], names[j.two])[:: rng.choice([1, -1])]
        assert j.point is not None
        again.append(LoopJoint(*ends, turn @ j.direction, unit * (turn @ j.point + shift)))
    other = loop_poses(kind, again, [names[v] for v in links])
    assert found is not None and other is not None and found.complete and other.complete
    assert found.solutions == other.solutions == ROOTS[kind, structure]
    assert found.closures[at_rest(found.motions)] == 1
    assert len(found.motions) == len(other.motions)
    # rotations of the bodies, seen from the first place
    one, two = (f.motions[:, :, 3:].reshape(-1, len(links), 3, 3) for f in (found, other))
    apart = np.abs(one[:, None] - (turn.T @ two @ turn)[None]).max(axis=(2, 3, 4))
    assert apart.min(axis=0).max() <= 1e-6 and apart.min(axis=1).max() <= 1e-6


# ------------------------------------------------------------------ asked for, and not
def test_a_search_of_modes_that_is_cancelled_says_so():
    a, calls = asm.read(SAMPLES / "double_butterfly.assembly.json"), [0]

    def late() -> bool:
        calls[0] += 1
        return calls[0] > 40

    with pytest.raises(Unsolved, match="cancelled in search of the assembly modes"):
        asm.modes(a, cancel=late)
    with pytest.raises(Unsolved, match="budget of 0 s"):
        asm.modes(a, budget=0.0)


def test_a_solve_says_how_many_ways_there_are_where_closed_forms_tell():
    four = asm.solve(asm.read(SAMPLES / "four_bar.assembly.json"))
    assert four.to_dict()["ways_to_close"] == "2 ways to close; this is +; all of them"
    many = asm.solve(disturb(asm.read(SAMPLES / "double_butterfly.assembly.json"), 1, 1, 1))
    assert many.ways_to_close.startswith("ways to close: not counted here; `analyse` does")
    assert asm.solve(asm.read(SAMPLES / "hinge.assembly.json")).ways_to_close == ""
    flat = asm.solve(four_bar(flat=True)).ways_to_close
    assert flat == "1 way to close; this is 0; the only one; in 1 of them several closures meet"

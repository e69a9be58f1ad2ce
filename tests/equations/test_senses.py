"""Nearest senses that can hold together: nuts, a flange, corners; what is left as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import O, worst_gap
from solve_counts import counted_solves

import assembly_solver as asm
from assembly_solver.verbs import sense_search, solve_attempts

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -1.0)
BOLTS = 8


def upside_down(rng: np.random.Generator, x: float) -> asm.Pose:
    """A nut that comes in upside down, up to 40 degrees tilted."""
    tilt = asm.Pose.from_axis(O, rng.normal(size=3), float(rng.uniform(0, 40)))
    return asm.Pose.from_axis((x + 5.0, 3.0, 9.0), X, 180.0) @ tilt


def anywhere(rng: np.random.Generator) -> asm.Pose:
    """A pose from any side."""
    place = tuple(rng.uniform(-40, 40, 3).tolist())
    return asm.Pose.from_axis(place, rng.normal(size=3), float(rng.uniform(0, 180)))


def nuts(n: int) -> asm.Assembly:
    """Nuts on a plate, all upside down; their seats are asked for, their axes nearest."""
    a, rng = asm.Assembly(), np.random.default_rng(n)
    bores = {f"bore {k}": asm.Axis((30.0 * k, 0, 0), Z) for k in range(n)}
    a.add("plate", grounded=True, features={**bores, "top": asm.Plane(O, Z)})
    for k in range(n):
        features = {"axis": asm.Axis(O, Z), "seat": asm.Plane(O, DOWN)}
        a.add(f"nut {k}", pose=upside_down(rng, 30.0 * k), features=features)
        a.mate("coaxial", f"plate.bore {k}", f"nut {k}.axis", name=f"axis {k}")
        a.mate("coplanar", "plate.top", f"nut {k}.seat", name=f"seat {k}", sense="opposed")
    return a


def flange(
    seed: int, order: Callable[[list[str]], list[str]] = list, mark: str = ""
) -> asm.Assembly:
    """Two rings with 8 bolts and nuts, all from any side; the seats are asked for.

    Args:
        order: of the parts but the first, and of the mates; mark: before every name.
    """
    rng = np.random.default_rng(seed)
    turn = 2 * np.pi * np.arange(BOLTS) / BOLTS
    holes = {
        f"hole {k}": asm.Axis((60 * np.cos(t), 60 * np.sin(t), 0.0), Z) for k, t in enumerate(turn)
    }
    ring = {**holes, "middle": asm.Axis(O, Z)}
    parts = {"upper": {**ring, "face": asm.Plane(O, DOWN), "back": asm.Plane((0, 0, 12.0), Z)}}
    mates = [
        ("coplanar", "lower.face", "upper.face", {"sense": "opposed"}),
        ("coaxial", "lower.middle", "upper.middle", {}),
    ]
    for k in range(BOLTS):
        parts[f"bolt {k}"] = {"axis": asm.Axis(O, Z), "head": asm.Plane(O, Z)}
        parts[f"nut {k}"] = {"axis": asm.Axis(O, Z), "seat": asm.Plane(O, DOWN)}
        mates += [
            ("coaxial", f"lower.hole {k}", f"bolt {k}.axis", {}),
            ("coplanar", "lower.back", f"bolt {k}.head", {"sense": "opposed"}),
            ("coaxial", f"upper.hole {k}", f"bolt {k}.axis", {}),
            ("coaxial", f"bolt {k}.axis", f"nut {k}.axis", {}),
            ("coplanar", "upper.back", f"nut {k}.seat", {"sense": "opposed"}),
        ]
    start = {name: anywhere(rng) for name in parts}
    a = asm.Assembly()
    below = {**ring, "face": asm.Plane((0, 0, 10.0), Z), "back": asm.Plane(O, DOWN)}
    a.add(f"{mark}lower", grounded=True, features=below)
    for name in order(list(parts)):
        a.add(mark + name, pose=start[name], features=parts[name])
    named = {f"{x} {y}": (kind, x, y, more) for kind, x, y, more in mates}
    for name in order(list(named)):
        kind, x, y, more = named[name]
        a.mate(kind, mark + x, mark + y, name=mark + name, **more)
    return a


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return counted_solves(monkeypatch, solve_attempts, sense_search)


@pytest.mark.quick
@pytest.mark.parametrize("n", [1, 2, 3, 7, 60])
def test_any_number_of_nuts_upside_down_turn_over_in_one_solve(n: int, solves: list[int]) -> None:
    solution = asm.solve(nuts(n)).require()
    assert solution.reversed_senses == tuple(f"axis {k}" for k in range(n))
    ups = [solution.poses[f"nut {k}"].rotation[2, 2] for k in range(n)]
    np.testing.assert_allclose(ups, 1.0, atol=1e-12)
    assert len(solves) == 1


@pytest.mark.parametrize("seed", range(12))
def test_a_flange_closes_with_bolts_and_nuts_from_any_side(seed: int, solves: list[int]) -> None:
    solution = asm.solve(flange(seed)).require()
    ups = {name: pose.rotation[2, 2] for name, pose in solution.poses.items()}
    np.testing.assert_allclose(list(ups.values()), 1.0, atol=1e-9)
    heights = [pose.position[2] for name, pose in solution.poses.items() if "nut" in name]
    np.testing.assert_allclose(heights, 22.0, atol=1e-9)  # 10 mm and 12 mm of ring
    assert len(solves) == 1


def test_order_and_names_of_parts_and_mates_do_not_matter() -> None:
    solution = asm.solve(flange(3)).require()
    for seed, mark in ((1, ""), (2, "a"), (3, "zz ")):
        rng = np.random.default_rng(seed)
        shuffled = flange(3, lambda names, rng=rng: list(rng.permutation(names)), mark)
        other = asm.solve(shuffled).require()
        assert set(other.reversed_senses) == {mark + n for n in solution.reversed_senses}
        here = {n.removeprefix(mark): pose for n, pose in other.poses.items()}
        assert max(worst_gap(here, solution.poses)) < 1e-6


def test_what_holds_at_the_start_does_not_turn() -> None:
    """Of two nearest senses one has to turn: that of the mate that does not hold."""
    for held, names in (("foot", ("pin", "seat")), ("foot", ("seat", "pin"))):
        a = asm.Assembly()
        a.add("base", grounded=True, features={"hole": asm.Axis(O, Z), "top": asm.Plane(O, Z)})
        a.add("foot", features={"pin": asm.Axis(O, Z), "top": asm.Plane(O, Z)})
        a.add("cap", pose=asm.Pose.from_axis((9, 9, 9), X, 170), features={"seat": asm.Plane(O, Z)})
        ends = {"pin": ("base.hole", "foot.pin"), "seat": ("foot.top", "cap.seat")}
        for name in names:
            a.mate("parallel", *ends[name], name=name)
        a.mate("parallel", "base.top", "cap.seat", name="asked", sense="aligned")
        solution = asm.solve(a).require()
        assert solution.reversed_senses == ("seat",)
        assert solution.poses[held] is a.pose(held)


def mirrored_start(rng: np.random.Generator) -> asm.Pose:
    """A pose in which the nearest senses of three planes are those of a reflection."""
    while True:
        pose = asm.Pose.from_axis(O, rng.normal(size=3), float(rng.uniform(0, 180)))
        cosines = pose.rotation.diagonal()
        if np.prod(np.sign(cosines)) < 0 and np.abs(cosines).min() > 0.05:
            return pose


@pytest.mark.parametrize("n", [1, 20])
def test_three_planes_of_a_corner_take_the_nearest_rotation(n: int, solves: list[int]) -> None:
    a, rng = asm.Assembly(), np.random.default_rng(7)
    ways = {"x": X, "y": Y, "z": Z}
    a.add("base", grounded=True, features={w: asm.Plane(O, d) for w, d in ways.items()})
    for k in range(n):
        features = {w: asm.Plane(O, d) for w, d in ways.items()}
        a.add(f"block {k}", pose=mirrored_start(rng), features=features)
        for w in ways:
            a.mate("coplanar", f"base.{w}", f"block {k}.{w}", name=f"{w} {k}")
    solution = asm.solve(a).require()
    assert len(solves) == 1
    assert len(solution.reversed_senses) == n
    for name, pose in solution.poses.items():
        start = a.pose(name).rotation
        corners = [np.diag(s) for s in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
        best = max(corners, key=lambda c: float(np.sum(c * start)))
        np.testing.assert_allclose(pose.rotation, best, atol=1e-9)


def test_frames_that_a_mate_keeps_from_turning_count_as_one() -> None:
    """A bracket fixed to the base carries the seat; the nut's axis is that of the base."""
    a = asm.Assembly()
    a.add("base", grounded=True, features={"at": asm.Frame(O, Z, X), "bore": asm.Axis(O, X)})
    bracket = {"at": asm.Frame(O, X, Y), "seat": asm.Plane(O, Y)}
    a.add("bracket", pose=anywhere(np.random.default_rng(0)), features=bracket)
    nut = {"axis": asm.Axis(O, Z), "seat": asm.Plane(O, Z)}
    a.add("nut", pose=asm.Pose.from_axis((1, 2, 3), Y, -80), features=nut)
    a.mate("fixed", "base.at", "bracket.at", name="fixed")
    a.mate("coplanar", "bracket.seat", "nut.seat", name="seat", sense="aligned")
    a.mate("coaxial", "base.bore", "nut.axis", name="axis")
    solution = asm.solve(a).require()
    assert solution.reversed_senses == ("axis",)
    assert solution.poses["nut"].rotation[0, 2] == pytest.approx(1.0, abs=1e-12)


def test_a_sense_that_was_asked_for_is_never_turned() -> None:
    a = nuts(3)
    for k in range(3):
        mate = a.held[f"axis {k}"].mate
        a.change(mate.name, sense="opposed")
    solution = asm.solve(a)
    assert not solution
    assert solution.reversed_senses == ()
    assert [m.sense for m in solution.mates] == ["opposed"] * 6


@pytest.mark.parametrize("seed", range(6))
def test_senses_that_were_asked_for_and_contradict_are_not_turned_with_others(seed: int) -> None:
    """Two of one plane are asked for, another plane of the same block is free."""
    pose = mirrored_start(np.random.default_rng(seed))
    a, ways = asm.Assembly(), {"x": X, "y": Y, "z": Z}
    a.add("base", grounded=True, features={w: asm.Plane(O, d) for w, d in ways.items()})
    a.add("block", pose=pose, features={w: asm.Plane(O, d) for w, d in ways.items()})
    for way, sense in (("x", "aligned"), ("x", "opposed"), ("y", "nearest"), ("z", "nearest")):
        name = f"{way} {sense}"
        a.mate("coplanar", f"base.{way}", f"block.{way}", name=name, sense=sense)
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert {"x aligned", "x opposed"}.isdisjoint(solution.reversed_senses)
    (told,) = solution.conflicts
    assert told["mates"] == ["x aligned", "x opposed"]


def test_a_start_near_agreeing_senses_is_left_to_the_nearest() -> None:
    a = nuts(2)
    solved = asm.solve(a).require()
    solved.apply()
    again = asm.solve(a).require()
    assert again.reversed_senses == ()
    assert again.poses == {name: part.pose for name, part in a.parts.items()}

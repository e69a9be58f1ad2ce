"""Least motion: nothing moves without need, whatever the order, the names, the unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mechanisms import (
    Array,
    O,
    disturb,
    four_bar,
    hinge,
    moved,
    place,
    random_pose,
    rebuilt,
    rssr,
    sarrus,
    stewart_ups,
    turned,
    worst_gap,
)

import assembly_solver as asm
from assembly_solver.equations.system import System
from assembly_solver.structure import plan
from assembly_solver.structure.plan import make_plan
from benchmarks import families

Z = (0.0, 0.0, 1.0)
SAMPLES = Path(__file__).parents[2] / "samples"

MODELS: dict[str, Callable[[], asm.Assembly]] = {
    "hinge": hinge,
    "four-bar": lambda: disturb(four_bar(), 1, 8, 5),
    "rssr": lambda: disturb(rssr(), 1, 8, 5),
    "sarrus": lambda: disturb(sarrus(), 1, 4, 3),
    "6-UPS": lambda: disturb(stewart_ups(), 1, 8, 5),
    "chain": lambda: families.assembly(families.chain(5, seed=1)),
    "ladder": lambda: families.assembly(families.ladder(3, seed=1)),
    "stack": lambda: families.assembly(families.stack(3, seed=1)),
    "scissor": lambda: families.assembly(families.scissor(2, seed=1)),
    "excavator": lambda: families.assembly(families.excavator(seed=1)),
    "stewart": lambda: families.assembly(families.stewart(seed=1)),
}
EVERY = pytest.mark.parametrize("name", MODELS)


@cache
def model(name: str) -> asm.Assembly:
    return MODELS[name]()


@cache
def solved(name: str) -> dict[str, asm.Pose]:
    return asm.solve(model(name)).poses


def starts(assembly: asm.Assembly) -> dict[str, asm.Pose]:
    return {name: part.pose for name, part in assembly.parts.items()}


def reach(name: str) -> float:
    """How far the parts lie from the origin, mm."""
    return max(1.0, *(math.dist(p.position, O) for p in solved(name).values()))


def assert_same(name: str, found: dict[str, asm.Pose], wanted: dict[str, asm.Pose]) -> None:
    """Equal to 1e-7 of the reach, and 1e-7 rad."""
    shift, turn = worst_gap(found, wanted)
    assert shift / reach(name) < 1e-7
    assert turn < 1e-7


# ------------------------------------------------------------------ what holds stays


@EVERY
def test_solving_the_solved_moves_nothing(name: str) -> None:
    first = model(name).copy()
    asm.solve(first).apply()
    before = starts(first)
    for _ in range(3):
        solution = asm.solve(first)
        assert solution.poses == before  # bit for bit: poses compare by their numbers
        assert solution.counts == (0, 0, 0, 0, 0)
        solution.apply()
        assert starts(first) == before


def test_what_holds_as_it_stands_is_solved_without_a_plan(monkeypatch: Any) -> None:
    first = model("ladder").copy()
    asm.solve(first).apply()
    made: list[System] = []
    monkeypatch.setattr(
        plan, "make_plan", lambda system, **_: made.append(system) or make_plan(system)
    )
    solution = asm.solve(first).require()
    assert made == []
    assert solution.plan.system is made[0]  # it is made when it is asked for, and kept
    assert asm.solve(first).plan is solution.plan
    assert len(made) == 1


@pytest.mark.parametrize("sample", ["excavator", "four_bar", "slider_crank", "stewart_platform"])
def test_solving_the_solved_moves_nothing_with_drivers_held(sample: str) -> None:
    a = asm.read(SAMPLES / f"{sample}.assembly.json")
    first = asm.solve(a)
    assert first.driven > 0
    first.apply()
    again = asm.solve(a)
    assert again.poses == first.poses == starts(a)
    assert again.counts == (0, 0, 0, 0, 0)


def test_a_start_given_to_the_last_digit_is_returned_with_that_digit() -> None:
    third = 1 / 3
    a = hinge()
    a.move({"door": asm.Pose((0, 0, 0), (math.cos(third), 0.0, 0.0, math.sin(third)))})
    before = a.pose("door")
    assert asm.solve(a).poses["door"] is before


def test_grounded_parts_keep_their_numbers() -> None:
    for name in MODELS:
        a = model(name)
        held = [n for n, p in a.parts.items() if p.grounded]
        assert held and all(solved(name)[n] is a.pose(n) for n in held)


def test_a_part_whose_mates_hold_is_not_moved_by_placing_others() -> None:
    """Beside it, behind it, and where it carries the part that is off."""
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, "z"), "eye": asm.Axis((50, 0, 0), "z")}
    a.add("frame", grounded=True, features=features)
    a.add("still", pose=turned(Z, 40), features=features)
    a.add("carried", pose=turned((1, 1, 5), 80, (60, 20, 7)), features=features)
    a.add("beside", pose=turned((1, 0, 5), 20, (55, 3, 4)), features=features)
    a.mate("revolute", "frame.pin", "still.pin")
    a.mate("revolute", "still.eye", "carried.pin")
    a.mate("revolute", "frame.eye", "beside.pin")
    solution = asm.solve(a)
    assert solution.residual < 1e-9
    assert solution.poses["still"] is a.pose("still")
    assert solution.poses["carried"] != a.pose("carried")
    assert solution.poses["beside"] != a.pose("beside")


def test_a_loop_that_holds_is_not_moved_by_a_part_that_hangs_on_it() -> None:
    a = four_bar()
    a.add("flag", pose=turned((1, 1, 5), 80, (160, 20, 7)))
    a.mate("revolute", "coupler.origin", "flag.origin")
    solution = asm.solve(a)
    assert solution.residual < 1e-9
    assert all(solution.poses[n] is a.pose(n) for n in ("frame", "crank", "coupler", "rocker"))
    assert solution.poses["flag"] != a.pose("flag")


# ------------------------------------------------------------------ what solve leaves alone


def content(a: asm.Assembly) -> tuple[Any, ...]:
    return dict(a.parts), dict(a.held), dict(a.drivers), a.tolerance, a.revision, a.name


@EVERY
def test_solving_does_not_change_the_assembly(name: str) -> None:
    a = model(name)
    before = content(a)
    solution = asm.solve(a)
    solution.to_dict()
    str(solution)
    asm.analyse(a).to_dict()
    asm.solve(a, tolerance=1e-3)
    assert content(a) == before


@pytest.mark.compiled_only
def test_a_solve_that_fails_changes_nothing_and_apply_refuses() -> None:
    a = families.assembly(families.stack(2, hole_error=0.5))
    before = content(a)
    solution = asm.solve(a)
    assert not solution
    with pytest.raises(asm.Unsolved):
        solution.apply()
    assert content(a) == before


def test_apply_writes_the_poses_and_counts_as_an_edit() -> None:
    a = hinge()
    before = a.revision
    solution = asm.solve(a)
    solution.apply()
    assert starts(a) == solution.poses
    assert a.revision == before + 1


# ------------------------------------------------------------------ order, names, place, unit


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
@EVERY
def test_the_order_of_parts_and_mates_changes_nothing(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = model(name)
    parts, mates = list(a.parts), list(a.mates)
    rng.shuffle(parts)
    rng.shuffle(mates)
    assert_same(name, asm.solve(rebuilt(a, parts, mates)).poses, solved(name))


@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
@EVERY
def test_names_change_nothing(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    known: dict[str, str] = {}

    def rename(old: str) -> str:
        return known.setdefault(old, f"{rng.integers(10**9)} {old[::-1]}")

    a = model(name)
    found = asm.solve(rebuilt(a, rename=rename)).poses
    assert_same(name, {old: found[known[old]] for old in a.parts}, solved(name))


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
@EVERY
def test_where_the_whole_stands_changes_nothing(name: str, seed: int) -> None:
    by = random_pose(np.random.default_rng(seed))
    found = asm.solve(moved(model(name), by)).poses
    assert_same(name, found, {n: by @ p for n, p in solved(name).items()})


@EVERY
def test_metres_instead_of_millimetres_change_nothing(name: str) -> None:
    a = rebuilt(model(name), scale=1e-3)
    assert a.tolerance == pytest.approx(1e-7)
    solution = asm.solve(a)
    back = {
        n: asm.Pose(tuple(1e3 * v for v in p.position), p.quaternion_wxyz)
        for n, p in solution.poses.items()
    }
    assert_same(name, back, solved(name))
    assert solution.dof == asm.solve(model(name)).dof


# ------------------------------------------------------------------ the nearest on a branch


def twists(kind: str, at: Array) -> list[Array]:
    """Free motions (velocity of the world's origin, spin) of a joint at a frame (4, 3)."""
    o, x, y, z = at
    about = {"revolute": [z], "cylindrical": [z], "planar": [z], "prismatic": []}
    spin = about.get(kind, [x, y, z])
    slide = {"cylindrical": [z], "planar": [x, y], "prismatic": [z], "point_on_line": [z]}
    turns = [np.concatenate([np.cross(o, s), s]) for s in spin]
    return turns + [np.concatenate([s, np.zeros(3)]) for s in slide.get(kind, [])]


def squared_displacement(points: Array, before: Array, after: asm.Pose) -> float:
    return float(np.sum((after.apply(points) - before) ** 2))


def carried(p: asm.Pose, twist: Array, size: float) -> asm.Pose:
    """A pose moved along a finite screw."""
    w = twist[3:] * size
    spin = turned(w, math.degrees(float(np.linalg.norm(w)))) if np.any(w) else asm.Pose()
    if not np.any(w):
        return asm.Pose(tuple(size * twist[:3])) @ p
    centre = np.cross(twist[3:], twist[:3]) / (twist[3:] @ twist[3:])
    shift = asm.Pose(tuple(centre))
    return shift @ spin @ shift.inverse() @ p


STATIONARY = 1e-6
"""Cosine of the displacements with a free motion."""

BRANCHES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "revolute": (asm.Axis((1, 2, 3), (1, 2, 2)), asm.Axis((4, 5, 6), (2, 1, -2)), {}),
    "cylindrical": (asm.Axis((1, 2, 3), (1, 2, 2)), asm.Axis((4, 5, 6), (2, 1, -2)), {}),
    "prismatic": (asm.Frame((1, 2, 3), (1, 2, 2)), asm.Frame((4, 5, 6), (2, 1, -2)), {}),
    "spherical": (asm.Point((1, 2, 3)), asm.Point((4, 5, 6)), {}),
    "planar": (asm.Plane((1, 2, 3), (1, 2, 2)), asm.Plane((4, 5, 6), (2, 1, -2)), {}),
    "point_on_line": (asm.Axis((1, 2, 3), (1, 2, 2)), asm.Point((4, 5, 6)), {}),
    "distance": (asm.Point((1, 2, 3)), asm.Point((4, 5, 6)), {"value": 30.0}),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", BRANCHES)
def test_a_part_on_a_branch_comes_to_rest_nearest_to_its_start(kind: str, seed: int) -> None:
    """The squared displacements of the mate features are stationary along its joint.

    Parts attached to its corners follow them: their origins count as features too.
    """
    rng = np.random.default_rng(seed)
    fa, fb, parameters = BRANCHES[kind]
    a = asm.Assembly()
    a.add("base", grounded=True, pose=random_pose(rng, 20), features={"f": fa})
    corners = rng.uniform(-40, 40, (3, 3))
    corner = {f"p{k}": asm.Point(tuple(c)) for k, c in enumerate(corners)}
    start = random_pose(rng, 20)
    a.add("body", pose=start, features={"f": fb, **corner})
    a.mate(kind, "base.f", "body.f", **parameters)
    for k in range(3):  # parts attached to it make its corners mate features
        a.add(f"tail {k}", pose=asm.Pose(tuple(start.apply(corners[k]))))
        a.mate("coincident", ("body", f"p{k}"), (f"tail {k}", "origin"))
    solution = asm.solve(a)
    after = solution.poses["body"]
    points = np.array([fb.frame[:3], *corners, *corners])
    before = start.apply(points)
    size = squared_displacement(points, before, after)
    assert size > 1  # mm^2: it had to move
    h = 1e-4
    free = twists(kind, place(a, solution.poses, "base.f"))
    if kind in ("spherical", "point_on_line", "distance"):
        free = twists(kind, place(a, solution.poses, "body.f"))
    if kind == "point_on_line":
        z = place(a, solution.poses, "base.f")[3]
        free[-1] = np.concatenate([z, np.zeros(3)])
    if kind == "distance":
        free += twists(kind, place(a, solution.poses, "base.f"))
    for twist in free:
        plus, minus = (
            squared_displacement(points, before, carried(after, twist, s * h)) for s in (1, -1)
        )
        velocity = twist[:3] + np.cross(twist[3:], after.apply(points))
        scale = 2 * math.sqrt(size) * float(np.linalg.norm(velocity))
        assert abs(plus - minus) / (2 * h) < STATIONARY * scale


def test_a_hinge_turns_by_no_more_than_it_must() -> None:
    """A door lifted off and turned returns to its hinge at its angle."""
    for degrees in (0, 50, 100, 179, -120):
        a = hinge()
        lifted = asm.Pose((0, 0, 30)) @ turned(Z, degrees)
        a.move({"door": lifted})
        np.testing.assert_allclose(asm.solve(a).poses["door"].rotation, lifted.rotation, atol=1e-12)

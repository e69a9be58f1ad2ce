"""Senses that only a solve can tell: the number of solves does not grow with that of the nuts."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import O
from solve_counts import counted_solves

import assembly_solver as asm
from assembly_solver.verbs import sense_search
from benchmarks.contradictions import tangled_case

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def studs(n: int, tied: bool) -> asm.Assembly:
    """Studs upside down; which way they point is told by the heights of their two ends.

    Args:
        tied: each is at 30 mm from the one before, which makes all of them one component.
    """
    a, rng = asm.Assembly(), np.random.default_rng(n)
    bores = {f"bore {k}": asm.Axis((30.0 * k, 0, 0), Z) for k in range(n)}
    a.add("plate", grounded=True, features={**bores, "top": asm.Plane(O, Z)})
    for k in range(n):
        tilt = asm.Pose.from_axis(O, rng.normal(size=3), float(rng.uniform(0, 40)))
        pose = asm.Pose.from_axis((30.0 * k + 5.0, 3.0, 9.0), X, 180.0) @ tilt
        features = {"axis": asm.Axis(O, Z), "foot": asm.Point(O), "tip": asm.Point((0, 0, 10.0))}
        a.add(f"stud {k}", pose=pose, features=features)
        a.mate("coaxial", f"plate.bore {k}", f"stud {k}.axis", name=f"axis {k}")
        a.mate("point_in_plane", f"stud {k}.foot", "plate.top", name=f"foot {k}")
        a.mate("point_in_plane", f"stud {k}.tip", "plate.top", name=f"tip {k}", offset=10.0)
        if tied and k:
            ends = f"stud {k - 1}.foot", f"stud {k}.foot"
            a.mate("distance", *ends, name=f"tie {k}", value=30.0)
    return a


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return counted_solves(monkeypatch, sense_search)


@pytest.mark.parametrize(("tied", "most"), [(False, 1), (True, 3)])
@pytest.mark.parametrize("n", [1, 3, 12, 60])
def test_studs_turn_over_in_a_number_of_solves_that_does_not_grow(
    n: int, tied: bool, most: int, solves: list[int]
) -> None:
    solution = asm.solve(studs(n, tied)).require()
    assert set(solution.reversed_senses) == {f"axis {k}" for k in range(n)}
    ups = [solution.poses[f"stud {k}"].rotation[2, 2] for k in range(n)]
    np.testing.assert_allclose(ups, 1.0, atol=1e-9)
    assert len(solves) <= most


def test_a_group_that_nothing_helps_is_given_up_and_the_others_turn_over(solves: list[int]) -> None:
    a = studs(3, tied=False)
    a.change("tip 1", offset=12.0)
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert [set(c["mates"]) for c in solution.conflicts] == [{"foot 1", "tip 1"}]
    assert solution.reversed_senses == ("axis 0", "axis 2")
    assert len(solves) <= 3 * sense_search.PATIENCE


def test_senses_that_contradict_each_other_are_not_solved_with(solves: list[int]) -> None:
    """Six pins of a plate can only turn over together."""
    a = asm.Assembly()
    at = {f"p{k}": asm.Axis((20.0 * k, 7.0 * k**2, 0), Z) for k in range(6)}
    off = {f"p{k}": asm.Axis((20.3 * k, 7.0 * k**2, 0), Z) for k in range(6)}
    a.add("base", grounded=True, features=at)
    a.add("plate", features=off, pose=asm.Pose((1.0, 2.0, 3.0)))
    for name in at:
        a.mate("coaxial", f"base.{name}", f"plate.{name}", name=name)
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert [len(c["mates"]) for c in solution.conflicts] == [2, 2, 2]
    assert solves == []


def test_groups_that_depend_on_each_other_are_closed_one_by_one() -> None:
    solution = tangled_case(2873, unstated=True)[2]
    assert solution.reversed_senses == ("coplanar 15",)
    assert solution.require().residual < 1e-9


@pytest.mark.parametrize(
    ("seed", "turned"), [(916, "coaxial 3"), (1251, "coaxial 8"), (8177, "revolute 1")]
)
def test_a_nearest_sense_that_the_value_of_a_driver_rules_out_is_turned(
    seed: int, turned: str
) -> None:
    """Tilted by 77 degrees and more at the start.

    In the first only a thorough solve closes what one turned sense helped.
    """
    solution = tangled_case(seed, unstated=True)[2].require()
    assert solution.reversed_senses == (turned,)
    assert solution.residual < 1e-9


def test_a_driver_out_of_its_range_turns_nothing() -> None:
    a = asm.Assembly()
    a.add("base", grounded=True, features={"bore": asm.Axis(O, Z)})
    a.add("rod", pose=asm.Pose((0, 0, 4.0)), features={"axis": asm.Axis(O, Z)})
    a.mate("coaxial", "base.bore", "rod.axis", name="bore")
    a.drive("slide", "bore", "length", value=20.0)
    a.limit("bore", "length", max=10.0)
    solution = asm.solve(a)
    assert not solution
    assert solution.reversed_senses == ()


@pytest.mark.parametrize("n", [1, 3])
def test_a_contradiction_elsewhere_leaves_the_studs_turned_over(n: int) -> None:
    a = studs(n, tied=False)
    a.add("base", grounded=True, features={"p": asm.Point(O)})
    a.add("tip", pose=asm.Pose.from_axis((9.0, 0, 0), Z, 0.0), features={"p": asm.Point(O)})
    a.mate("distance", "base.p", "tip.p", name="five", value=5.0)
    a.mate("distance", "base.p", "tip.p", name="seven", value=7.0)
    solution = asm.solve(a)
    assert not solution.solved
    assert [c["mates"] for c in solution.conflicts] == [["five", "seven"]]
    assert solution.conflicts[0]["drop"] == ["five", "seven"]
    assert set(solution.reversed_senses) == {f"axis {k}" for k in range(n)}


def test_a_driver_out_of_its_range_leaves_the_stud_turned_over() -> None:
    """The end of a 10 mm crank is 25 mm from a point that is 20 mm away at 108.2 degrees only."""
    a = studs(1, tied=False)
    pin = asm.Axis(O, Z)
    a.add("frame", grounded=True, features={"pin": pin, "far": asm.Point((20.0, 0, 0))})
    a.add("crank", features={"pin": pin, "end": asm.Point((10.0, 0, 0))})
    a.mate("revolute", "frame.pin", "crank.pin", name="joint")
    a.mate("distance", "frame.far", "crank.end", name="rod", value=25.0)
    a.limit("joint", "angle", min=120.0, name="least")
    solution = asm.solve(a)
    assert not solution.solved
    assert {name for c in solution.conflicts for name in c["mates"]} == {
        "joint",
        "rod",
        "limit least",
    }
    assert solution.reversed_senses == ("axis 0",)

"""Mates are proved impossible from distances alone only where they hold at no poses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.proof.impossible import CERTAIN, MOST_CONSTRAINTS
from assembly_solver.diagnosis.subset_solver import SubsetSolver
from assembly_solver.foundations.watch import Watch

TOLERANCE = 1e-3

APART = 2 * CERTAIN * TOLERANCE
"""Difference of two distances, mm, that two mates do not take up."""

FEATURES = {
    "coincident": lambda x: asm.Point((x, 0, 0)),
    "coaxial": lambda x: asm.Axis((x, 0, 0), "z"),
    "coplanar": lambda x: asm.Plane((x, 0, 0), "x"),
}


def two_apart(kind: str, off: float, others: int = 0) -> asm.Assembly:
    """Two mates of a kind 50 mm apart on one part, and further apart by `off` on the other."""
    make, places = FEATURES[kind], [0.0, 50.0, *(100.0 + k for k in range(others))]
    a = asm.Assembly(kind, tolerance=TOLERANCE)
    a.add("base", grounded=True, features={f"f{k}": make(x) for k, x in enumerate(places)})
    places[1] += off
    start = asm.Pose.from_axis((3, -2, 1), (1, 2, 3), 12)
    a.add("lid", features={f"f{k}": make(x) for k, x in enumerate(places)}, pose=start)
    for k in range(len(places)):
        a.mate(kind, f"base.f{k}", f"lid.f{k}", name=str(k))
    return a


def impossible_pairs(a: asm.Assembly) -> list[frozenset[int]]:
    """The pairs of mates that are proved to contradict each other."""
    subsets = SubsetSolver(a, Watch())
    pairs = combinations(range(len(a.mates)), 2)
    return [frozenset(pair) for pair in pairs if subsets.is_impossible(pair)]


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_off_by_more_than_mates_and_tilt_take_up_is_proved_and_does_not_solve(
    kind: str, sign: int
) -> None:
    a = two_apart(kind, sign * 1.01 * APART)
    assert impossible_pairs(a) == [frozenset((0, 1))]
    assert asm.solve(a).outcome is asm.Outcome.CONFLICTING


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_what_is_off_by_less_is_left_to_a_solve(kind: str, share: float) -> None:
    assert impossible_pairs(two_apart(kind, share * APART)) == []


def test_an_offset_between_planes_proves_nothing_and_skew_axes_farther_apart_do() -> None:
    a = two_apart("coplanar", 5.0)
    a.change("1", offset=5.0)
    assert impossible_pairs(a) == []
    assert asm.solve(a)
    b = asm.Assembly("skew", tolerance=TOLERANCE)
    ends = {"one": asm.Axis((0, 0, 0), "z"), "two": asm.Axis((50, 0, 0), (0, 1, 1))}
    b.add("base", grounded=True, features=ends)
    b.add("lid", features=ends | {"two": asm.Axis((60, 0, 0), (0, 1, 1))})
    for name in ends:
        b.mate("coaxial", f"base.{name}", f"lid.{name}")
    assert impossible_pairs(b) == [frozenset((0, 1))]
    assert asm.solve(b).outcome is asm.Outcome.CONFLICTING


def test_every_set_of_few_mates_is_compared_and_many_are_left_to_solves() -> None:
    few = two_apart("coaxial", 1.0, others=3)
    assert len(impossible_pairs(few)) == 4
    many = two_apart("coaxial", 1.0, others=MOST_CONSTRAINTS)
    assert not SubsetSolver(many, Watch()).is_impossible(range(len(many.mates)))


@pytest.mark.parametrize("seed", range(5))
def test_no_pair_of_an_assembly_that_holds_is_called_impossible(seed: int) -> None:
    draw = np.random.default_rng(seed)
    a = asm.Assembly(tolerance=1e-6)
    at = asm.Pose.from_axis(draw.normal(size=3).tolist(), draw.normal(size=3).tolist(), 70)
    base: dict[str, asm.Feature] = {}
    lid: dict[str, asm.Feature] = {}
    for k in range(8):
        make = list(FEATURES.values())[k % 3]
        base[f"f{k}"] = make(float(draw.uniform(-50, 50)))
        p, z = np.array(base[f"f{k}"].frame)[[0, 1, 2, 9, 10, 11]].reshape(2, 3)
        own = at.inverse()
        point, tip = own.apply(p), own.apply(p + z)
        along = () if k % 3 == 0 else ((tip - point).tolist(),)
        lid[f"f{k}"] = type(base[f"f{k}"])(tuple(point.tolist()), *map(tuple, along))
    a.add("base", grounded=True, features=base)
    a.add("lid", features=lid)
    for k in range(8):
        a.mate(list(FEATURES)[k % 3], f"base.f{k}", f"lid.f{k}", name=str(k))
    assert impossible_pairs(a) == []

"""Contradictions that are proved, with what is said; and none where a solution exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.proof.impossible import impossible
from assembly_solver.diagnosis.proof.no_real_pose import NoRealProof
from assembly_solver.diagnosis.proof.rigid_places import LinearProof
from assembly_solver.results.wording.contradictions import because
from benchmarks import contradictions as families
from benchmarks.adversary.generators.contradictions import CORES
from benchmarks.certified import core_of, drawn

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.quick
@pytest.mark.parametrize("kind", range(len(CORES)), ids=[f.__name__ for f in CORES])
def test_contradictions_by_construction_are_proved(kind: int) -> None:
    for seed in range(kind, 40, len(CORES) + 1):
        assert impossible(core_of(seed)) is not None, seed


def test_of_what_can_be_solved_nothing_is_proved() -> None:
    assert [seed for seed in range(20) if impossible(drawn(seed)) is not None] == []
    for seed in range(10):
        draw = np.random.default_rng(seed)
        made = families.FAMILIES[seed % len(families.FAMILIES)](draw)
        assert impossible(made) is None, seed


def test_an_error_within_the_tolerances_is_not_proved_to_be_a_contradiction() -> None:
    """Plates whose pins are off by up to the tolerance solve, and nothing is proved of them."""
    for seed in range(1, 20, len(families.FAMILIES)):
        draw = np.random.default_rng(seed)
        a = families.FAMILIES[seed % len(families.FAMILIES)](draw)
        (part,) = (n for n, p in a.parts.items() if not p.grounded)
        move = {"feature": f"{part}.hole 1", "by_mm": a.tolerance, "along": (1.0, 0.0, 0.0)}
        off = families.moved_feature(a, move)
        assert impossible(off) is None
        assert asm.solve(off)


def _arm(far: float) -> asm.Assembly:
    """Links of 80 and 100 mm from a foot to a tip that is so far from it."""
    a = asm.Assembly("arm")
    a.add("frame", grounded=True, features={"foot": asm.Axis((0, 0, 0), "z")})
    ends: dict[str, Any] = {"tail": asm.Axis((0, 0, 0), "z")}
    a.add("upper", features=ends | {"head": asm.Axis((80, 0, 0), "z")})
    a.add("fore", features=ends | {"tip": asm.Point((100, 0, 0))})
    a.mate("revolute", "frame.foot", "upper.tail", name="shoulder")
    a.mate("revolute", "upper.head", "fore.tail", name="elbow")
    a.mate("distance", "frame.origin", "fore.tip", name="reach", value=far)
    return a


def test_links_of_180_mm_do_not_reach_200_mm() -> None:
    (conflict,) = asm.solve(_arm(200.0)).conflicts
    assert conflict["proved"] is True
    assert conflict["because"].startswith("the links reach 180 mm at most, 200 mm are asked")
    assert conflict["fact"].startswith("shoulder, elbow and reach cannot hold together")


def test_the_same_links_cannot_fold_to_19_mm() -> None:
    assert impossible(_arm(19.0)) is not None
    assert impossible(_arm(21.0)) is None


def test_what_is_not_proved_is_not_said_to_be_impossible() -> None:
    """A crank that is driven so far that the coupler of another mate cannot follow its rail."""
    a = asm.Assembly("thread")
    frame = {"bore": asm.Frame((0, 0, 0), "z"), "rail": asm.Frame((0, 50, 0), "z")}
    a.add("frame", grounded=True, features=frame)
    a.add("spindle", features={"axis": asm.Frame((0, 0, 0), "z")})
    a.add("nut", pose=asm.Pose((0, 50, 0)), features={"slide": asm.Frame((0, 0, 0), "z")})
    a.mate("revolute", "frame.bore", "spindle.axis", name="bearing")
    a.mate("prismatic", "frame.rail", "nut.slide", name="rail")
    a.mate("rack_and_pinion", joints=("bearing", "rail"), radius=10, constant=0, name="thread")
    a.drive("crank", "bearing", "angle", value=90)
    a.drive("jaw", "rail", "length", value=100)
    (conflict,) = asm.solve(a).conflicts
    assert conflict["proved"] is False and conflict["because"] is None
    assert conflict["fact"].startswith("no solution was found that holds ")


def test_a_mate_of_two_held_parts_is_proved_by_where_these_are() -> None:
    a = asm.Assembly("held")
    a.add("one", grounded=True)
    a.add("two", grounded=True, pose=asm.Pose((30, 40, 0)))
    a.mate("distance", "one.origin", "two.origin", value=20, name="gap")
    found = impossible(a)
    assert found is not None and isinstance(found.proof, LinearProof)
    assert found.proof.off == pytest.approx(30.0, abs=1e-9)  # 50 mm apart, 20 asked


def _platform(seed: int) -> asm.Assembly:
    """Six distances of random points of two parts."""
    draw = np.random.default_rng(0)
    for _ in range(seed + 1):
        ends, lengths = draw.uniform(-60, 60, (2, 6, 3)), draw.uniform(60, 160, 6)
    a = asm.Assembly("platform")
    for name, points in zip(("base", "top"), ends.tolist(), strict=True):
        features = {f"p{k}": asm.Point(tuple(p)) for k, p in enumerate(points)}
        a.add(name, grounded=name == "base", features=features)
    for k, length in enumerate(lengths.tolist()):
        a.mate("distance", f"base.p{k}", f"top.p{k}", value=length, name=f"leg {k}")
    return a


def test_six_legs_of_which_no_solution_is_real_are_proved_by_the_count() -> None:
    found = impossible(_platform(1))
    assert found is not None and isinstance(found.proof, NoRealProof)
    assert found.proof.complex == 40 and found.proof.constraints == (0, 1, 2, 3, 4, 5)
    assert impossible(_platform(0)) is None  # of this one 2 of 40 are real
    assert because(found) == "of all 40 solutions in complex numbers none is real"

"""Measures that equations determine one after the other: threads, gears and couplings in proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.diagnosis import conflicts
from assembly_solver.diagnosis.conflicts import find_conflicts
from assembly_solver.diagnosis.proof.impossible import Impossible, impossible
from assembly_solver.diagnosis.proof.rigid_places import LinearProof
from assembly_solver.diagnosis.subset_solver import SubsetSolver
from assembly_solver.diagnosis.subsets import constraint_names
from assembly_solver.foundations.watch import Watch

PITCH = 10.0


def spindle(turned: float, gap: float, start: float = 0.0) -> asm.Assembly:
    """A nut on a thread, 5 mm up at 0 degrees, turned so far, and the gap asked below it."""
    a = asm.Assembly("spindle")
    features = {"thread": hinge_at(0.0), "face": asm.Plane((3, 0, 0), "z")}
    below = {"thread": hinge_at(0.0), "face": asm.Plane((0, 0, -2), "z")}
    a.add("frame", grounded=True, features=below)
    a.add("nut", features=features, pose=asm.Pose.from_axis((0, 0, 0), (0, 0, 1), start))
    more = {"pitch": PITCH, "constant": 5.0, "sense": "aligned"}
    a.mate("screw", "frame.thread", "nut.thread", name="thread", **more)
    a.drive("motor", joint="thread", coordinate="angle", value=turned)
    a.mate("distance", "frame.face", "nut.face", name="gap", value=gap + 2.0, sense="aligned")
    return a


def wheels(last: float, motor: float = 30.0, start: float = 0.0) -> asm.Assembly:
    """Three wheels, the second geared to the first by 0.4, the third to the second by -1.5 and to
    the first by a ratio of its own."""
    a = asm.Assembly("wheels")
    a.add("frame", grounded=True, features={f"h{k}": hinge_at(100.0 * k) for k in range(3)})
    for k in range(3):
        pose = asm.Pose.from_axis((100.0 * k, 0, 0), (0, 0, 1), start)
        a.add(f"wheel {k}", features={"h": hinge_at(0.0)}, pose=pose)
        a.mate("revolute", f"frame.h{k}", f"wheel {k}.h", name=f"j{k}", sense="aligned")
    for name, joints, ratio in (("g1", "01", 0.4), ("g2", "12", -1.5), ("g3", "02", last)):
        a.mate("gear", name=name, joints=[f"j{k}" for k in joints], ratio=ratio, constant=0.0)
    a.drive("motor", joint="j0", coordinate="angle", value=motor)
    return a


def hinge_at(x: float) -> asm.Frame:
    return asm.Frame((x, 0, 0), "z", "x")


def slides(coefficient: float, gap: float) -> asm.Assembly:
    """Two slides whose lengths add up to 50 mm, one of them at 20 mm; the gap at the other."""
    a, way = asm.Assembly("slides"), asm.Frame((0, 0, 0), "x", "y")
    a.add("frame", grounded=True, features={"way": way, "wall": asm.Plane((-2, 0, 0), "x")})
    for k in range(2):
        a.add(f"block {k}", features={"way": way, "face": asm.Plane((0, 0, 0), "x")})
        a.mate("prismatic", "frame.way", f"block {k}.way", name=f"s{k}")
    more = {"coordinates": ["length", "length"], "coefficients": [1.0, coefficient]}
    a.mate("linear", name="sum", joints=["s0", "s1"], constant=50.0, **more)
    a.drive("push", joint="s0", coordinate="length", value=20.0)
    a.mate("distance", "frame.wall", "block 1.face", name="gap", value=gap + 2.0, sense="aligned")
    return a


def off(found: Impossible | None) -> float:
    assert found is not None
    assert isinstance(found.proof, LinearProof)
    return found.proof.off


@pytest.mark.parametrize("start", [0.0, 170.0, -170.0])
@pytest.mark.parametrize("turned", [90.0, 180.0, 490.0, -300.0])
def test_a_gap_that_a_driven_thread_does_not_leave_is_proved_to_be_impossible(
    turned: float, start: float
) -> None:
    there = 5.0 + PITCH * turned / 360.0
    assert impossible(spindle(turned, there, start)) is None
    for wrong in (-0.01, 3.0, PITCH, -2 * PITCH):  # turns of the motor are told apart
        assert off(impossible(spindle(turned, there + wrong, start))) == pytest.approx(abs(wrong))


@pytest.mark.parametrize("start", [0.0, 120.0, -170.0])
@pytest.mark.parametrize("motor", [30.0, 100.0, 400.0])
def test_gears_whose_ratios_do_not_agree_are_proved_at_every_driven_angle(
    motor: float, start: float
) -> None:
    assert impossible(wheels(-0.6, motor, start)) is None
    found = impossible(wheels(-0.61, motor, start))
    assert found is not None
    assert isinstance(found.proof, LinearProof)
    assert found.proof.constraints == (3, 4, 5, 6)
    assert impossible(wheels(-0.6 + 360 / motor, motor, start)) is not None  # turns count, too


def test_gears_that_no_start_closes_are_not_named_where_they_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two of three gears hold elsewhere: the search goes on to the set that is proved."""
    solved, pair = SubsetSolver.solved, {4, 5}

    def failing(self: SubsetSolver, constraints: Sequence[int], brief: bool = False) -> Any:
        found, holds = solved(self, constraints, brief)
        return found, holds and not pair <= set(constraints)

    monkeypatch.setattr(SubsetSolver, "solved", failing)
    solution = asm.solve(wheels(-0.61))
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert [sorted(c["mates"]) for c in solution.conflicts] == [["g1", "g2", "g3", "motor"]]
    assert solution.conflicts[0]["proved"]


def test_what_is_proved_stands_where_the_value_that_yields_is_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others are off there: it was entered as held, and found again without end."""
    described, told = conflicts._described, list[int]()

    def met(subsets: SubsetSolver, found: list[int], sure: bool) -> Any:
        conflict, poses = described(subsets, found, sure)
        told.append(len(found))
        assert len(told) < 3
        return replace(conflict, gap=0.0), poses

    monkeypatch.setattr(conflicts, "_described", met)
    a = wheels(-0.61)
    every = range(len(constraint_names(a)))
    search = find_conflicts(SubsetSolver(a, Watch()), every, every)
    assert [sorted(c.constraints) for c in search.conflicts] == [["g1", "g2", "g3", "motor"]]
    assert search.explained and search.shown


def test_a_proof_stands_beside_another_set_that_only_seems_contradictory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = wheels(-0.61)
    a.add("lid", features={"h": hinge_at(0.0)})
    a.mate("revolute", "frame.h0", "lid.h", name="hinge", sense="aligned")
    a.drive("lift", joint="hinge", coordinate="angle", value=170.0)
    solved, pair = SubsetSolver.solved, {6, 8}

    def failing(self: SubsetSolver, constraints: Sequence[int], brief: bool = False) -> Any:
        found, holds = solved(self, constraints, brief)
        return found, holds and not pair <= set(constraints)

    monkeypatch.setattr(SubsetSolver, "solved", failing)
    every = range(len(constraint_names(a)))
    search = find_conflicts(SubsetSolver(a, Watch()), every, every)
    assert [sorted(c.constraints) for c in search.conflicts] == [["g1", "g2", "g3", "motor"]]
    assert search.explained


def test_slides_that_add_up_leave_one_gap() -> None:
    assert impossible(slides(1.0, 30.0)) is None
    assert off(impossible(slides(1.0, 30.5))) == pytest.approx(0.5)


def test_what_a_coupling_enlarges_may_be_off_by_as_much() -> None:
    """By a hundredth: a tolerance at the sum and one at the driver are 200 at the slide."""
    tolerance = slides(0.01, 3000.0).tolerance
    assert impossible(slides(0.01, 3000.0 + 200 * tolerance)) is None
    assert off(impossible(slides(0.01, 3001.0))) == pytest.approx(1.0)


@pytest.mark.parametrize("coefficient", [1.0, 0.1, 0.01])
def test_a_limit_is_beyond_only_what_a_coupling_may_enlarge(coefficient: float) -> None:
    """What a tolerance at the sum and one at the driver leave to the slide is solved."""
    for tolerances, proved in ((1.9 / coefficient, False), (30.0 / coefficient, True)):
        a = slides(coefficient, 30.0 / coefficient)
        a.remove("gap")
        a.limit("s1", "length", max=30.0 / coefficient - tolerances * a.tolerance)
        assert (impossible(a) is not None) == proved
        assert bool(asm.solve(a)) == (not proved)


def test_a_thread_that_contradicts_a_gap_is_said_to_be_impossible() -> None:
    (conflict,) = asm.solve(spindle(90.0, 8.0)).conflicts
    assert conflict["proved"]
    assert set(conflict["mates"]) == {"thread", "motor", "gap"}
    assert conflict["because"] == "0.5 mm are left over whatever the poses are"

"""What is proved of poses, against 60 digits; and where nothing is proved, why."""

from __future__ import annotations

import json
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import ctx

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.diagnosis.proof.ball_block import BallBlock
from assembly_solver.diagnosis.proof.balls import PRECISION, arb, middle, precise
from assembly_solver.diagnosis.proof.blocks import blocks_of
from assembly_solver.diagnosis.proof.certificate import Unproved
from assembly_solver.equations.residuals import all_residuals
from assembly_solver.results.wording.phrases import at_least, at_most
from benchmarks.certified import certificate_of, drawn, wrong

SAMPLES = Path(__file__).parents[2] / "samples"


def test_a_door_at_60_degrees_is_the_only_one_near() -> None:
    solution = asm.solve(asm.read(SAMPLES / "hinge.assembly.json"), certify=True)
    found = solution.certified
    assert found is not None and found["unique"] and found["held"] == 0
    # half of the characteristic length is the largest box tried that the rotation lets close
    assert found["within_mm"] > 40
    assert found["radius_mm"] < 1e-13
    assert found["words"] in str(solution)
    assert solution.to_dict()["certified"] == found


def test_the_command_tells_it_in_both_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("solve", str(SAMPLES / "hinge.assembly.json"), "--certify")
    assert cli.main(words) == 0
    assert "proved: exactly one solution" in " ".join(capsys.readouterr().out.split())
    assert cli.main((*words, "--json")) == 0
    assert json.loads(capsys.readouterr().out)["certified"]["unique"] is True


def test_bounds_in_words_lie_outside_of_what_is_proved() -> None:
    solution = asm.solve(asm.read(SAMPLES / "excavator.assembly.json"), certify=True)
    found = solution.certified
    assert found is not None
    radius, within, off = map(Fraction, re.findall(r"([-\d.e]+) mm", found["words"]))
    assert Fraction(found["radius_mm"]) <= radius <= Fraction(found["radius_mm"]) * Fraction(1.1)
    assert Fraction(found["within_mm"]) * Fraction(0.999) <= within <= Fraction(found["within_mm"])
    assert Fraction(found["off_mm"]) <= off <= Fraction(found["off_mm"]) * Fraction(1.1)
    for value in 10.0 ** np.random.default_rng(1).uniform(-20, 20, 500):
        assert Fraction(at_least(value)) <= Fraction(value) <= Fraction(at_most(value))
        assert Fraction(at_most(value)) <= Fraction(value) * Fraction(1.1)
    assert (at_most(0.0), at_least(12.5), at_most(12.5)) == ("0", "12.5", "12.5")


@pytest.mark.parametrize("value", [0.0003, 0.1, 29.3, 1e-7, 0.0001, 8.41])
def test_a_bound_of_few_digits_is_written_as_it_is(value: float) -> None:
    assert at_least(value) == at_most(value) and float(at_least(value)) == value
    assert float(at_least(value * (1 - 1e-15))) < value < float(at_most(value * (1 + 1e-15)))


@pytest.mark.parametrize("name", ["excavator", "stewart_platform", "stack_of_blocks"])
def test_samples_are_certified_with_their_freedoms_held(name: str) -> None:
    solution = asm.solve(asm.read(SAMPLES / f"{name}.assembly.json"), certify=True)
    found = solution.certified
    assert found is not None and found["unique"]
    assert found["held"] == solution.dof_left
    assert found["off_mm"] < 1e-12
    assert sorted(p for b in found["blocks"] for p in b["parts"]) == sorted(
        set(solution.poses) - set(solution.grounded)
    )


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.quick), 1, 2, 5])
def test_the_solution_in_60_digits_is_as_near_as_is_certified(seed: int) -> None:
    solution = asm.solve(drawn(seed))
    found = certificate_of(solution)
    assert found.unique
    assert wrong(solution, found, seed) == ""


def test_without_asking_nothing_is_proved() -> None:
    assert asm.solve(asm.read(SAMPLES / "hinge.assembly.json")).certified is None


def test_a_nut_that_may_stand_a_pitch_farther_is_the_only_one_within_half_a_pitch() -> None:
    a = asm.Assembly("screw")
    a.add("bolt", grounded=True, features={"axis": asm.Axis((0, 0, 0), "z")})
    a.add("nut", pose=asm.Pose((0, 0, 30)), features={"axis": asm.Axis((0, 0, 0), "z")})
    a.mate("screw", "bolt.axis", "nut.axis", pitch=4, constant=0)
    a.mate("parallel", "bolt.x", "nut.x", sense="aligned")
    found = asm.solve(a, certify=True).certified
    assert found is not None and found["unique"] and found["held"] == 0
    assert 0.1 < found["within_mm"] <= 2.0


def test_a_parallelogram_on_one_line_is_told_to_be_singular() -> None:
    a = asm.Assembly("flat parallelogram")
    for name, at, length in (("frame", 0, 30), ("a", 0, 10), ("b", 10, 30), ("c", 30, 10)):
        ends = {"tail": asm.Frame((0, 0, 0)), "head": asm.Frame((length, 0, 0))}
        a.add(name, grounded=name == "frame", pose=asm.Pose((at, 0, 0)), features=ends)
    a.mate("revolute", "frame.tail", "a.tail")
    a.mate("revolute", "a.head", "b.tail")
    a.mate("revolute", "frame.head", "c.tail")
    a.mate("revolute", "c.head", "b.head")
    found = asm.solve(a, certify=True).certified
    assert found is not None and not found["unique"]
    assert found["reason"] == f"a, b and c: {Unproved.SINGULAR.value}"


def test_mates_that_repeat_each_other_wherever_small_parts_move_are_not_singular() -> None:
    """Three parts are one body by two fixed mates, a cylindrical one repeats these, and a ball of
    2.9 mm cannot be left by the 1.6 mm by which the held coordinates were moved."""
    solution = asm.solve(drawn(73))
    found = certificate_of(solution)
    assert [(b.reason, b.held) for b in found.blocks] == [(None, 4)]
    assert wrong(solution, found, 73) == ""


def test_a_point_that_a_limit_stops_at_the_end_of_its_path_is_not_said_to_be_singular() -> None:
    solution = asm.solve(drawn(59))
    (block,) = certificate_of(solution).blocks
    assert block.reason is Unproved.EDGE
    names = [solution.system.constraints[k] for k in block.constraints]
    assert names == ["path 2", "limit path 2 length"]
    assert solution.singular == []


def test_mates_that_repeat_each_other_and_disagree_are_named() -> None:
    """Two pins whose distances differ by 1.5 tolerances: least squares halves that."""
    a = asm.Assembly("pins")
    for name, pitch in (("base", 100.0), ("plate", 100.00015)):
        holes = {"one": asm.Axis((0, 0, 0), "z"), "two": asm.Axis((pitch, 0, 0), "z")}
        a.add(name, grounded=name == "base", features=holes)
    a.mate("coaxial", "base.one", "plate.one", name="pin one")
    a.mate("coaxial", "base.two", "plate.two", name="pin two")
    solution = asm.solve(a, certify=True)
    assert solution and solution.certified is not None
    assert not solution.certified["unique"]
    assert Unproved.OFF.value in solution.certified["reason"]
    (block,) = solution.certified["blocks"]
    assert set(block["mates"]) <= {"pin one", "pin two"} and block["mates"]


@pytest.mark.parametrize("seed", [1, 7, 11])
def test_balls_enclose_the_residuals_and_their_differences(seed: int) -> None:
    a = drawn(seed)
    system = asm.solve(a).system
    f, poses = all_residuals(system, system.start), [p.pose for p in a.parts.values()]
    draw, step = np.random.default_rng(seed), arb(2) ** -70
    with precise():
        for block in blocks_of(system):
            balls = BallBlock(system, block, poses)
            if not balls.size:
                continue
            at_start = middle(balls.evaluate([arb(0)] * balls.size)[0])[:, 0]
            assert at_start == pytest.approx(f[block.rows], abs=1e-10)
            x = [arb(float(v)) for v in draw.normal(size=balls.size)]
            here, slope = balls.evaluate(x)
            k = int(draw.integers(balls.size))
            x[k] = x[k] + step
            there, _ = balls.evaluate(x)
            quotient = middle((there - here) * (1 / step))[:, 0]
            # second derivatives times 2^-70, and 160 bits less 70 of them: below 1e-15
            assert quotient == pytest.approx(middle(slope)[:, k], abs=1e-12)


def test_the_precision_of_the_caller_is_restored() -> None:
    before = ctx.prec
    ctx.prec = 77
    try:
        with precise():
            assert ctx.prec == PRECISION
            with pytest.raises(ZeroDivisionError), precise():
                raise ZeroDivisionError
            assert ctx.prec == PRECISION
        assert ctx.prec == 77
    finally:
        ctx.prec = before


def test_without_python_flint_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in [m for m in sys.modules if m.startswith("assembly_solver.diagnosis.proof.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(asm.AssemblySolverError, match=r"pip install 'assembly-solver\[proof\]'"):
        asm.solve(asm.read(SAMPLES / "hinge.assembly.json"), certify=True)


def test_what_a_budget_leaves_is_said() -> None:
    from assembly_solver.diagnosis.proof.certifying import certified
    from assembly_solver.foundations.watch import Watch

    solution = asm.solve(asm.read(SAMPLES / "hinge.assembly.json"))
    watch = Watch(cancel=lambda: True)
    found = certified(solution.system, [*solution.poses.values()], watch)
    assert [b.reason for b in found.blocks] == [Unproved.STOPPED]


def test_a_proof_is_interrupted_within_a_loop() -> None:
    from assembly_solver.diagnosis.proof.certifying import certified
    from assembly_solver.foundations.watch import Watch

    solution = asm.solve(asm.read(SAMPLES / "excavator.assembly.json"))
    poses, asked = [*solution.poses.values()], []

    def reasons(most: int) -> list[Unproved | None]:
        asked.clear()
        watch = Watch(cancel=lambda: asked.append(1) or len(asked) > most)
        return [b.reason for b in certified(solution.system, poses, watch).blocks]

    assert reasons(10_000) == [None, None]
    whole = len(asked)
    assert whole > 10
    assert reasons(1) == [Unproved.STOPPED, Unproved.STOPPED]
    assert reasons(whole - 1) == [None, Unproved.STOPPED]

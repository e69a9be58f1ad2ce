"""The families of the benchmarks, judged by features alone: solved, the right way round."""

from __future__ import annotations

import pytest

import assembly_solver as asm
from benchmarks import families
from benchmarks.adapters.by_ourselves import solved_poses
from benchmarks.case import BenchmarkCase
from benchmarks.judge import judge

SEEDS = range(10)

SIZES: dict[str, tuple[int, int]] = {
    # name: equations, redundant of them
    "chain(6)": (42, 12),
    "fourbar": (28, 11),
    "ladder(3)": (70, 29),
    "stack(3)": (33, 15),
    "scissor(2)": (48, 19),
    "excavator": (0, 0),
    "stewart": (66, 0),
    "stewart_free": (60, 0),
}
"""Hinges have 7 equations of rank 5; the excavator's are counted from its mates below."""


def assert_right(case: BenchmarkCase, solution: asm.Solution) -> None:
    assert solution.outcome is asm.Outcome.SOLVED, f"{case.name}: {solution.sentence}"
    verdict = judge(case, solved_poses(case, solution.poses))
    assert verdict.mm < 1e-9
    assert verdict.rad < 1e-9
    assert verdict.flips == 0
    assert (verdict.ground_mm, verdict.ground_rad) == (0, 0)
    assert verdict.word == "right"


@pytest.mark.parametrize("noise", [1.0, 3.0, 9.0])
@pytest.mark.parametrize("name", SIZES)
def test_a_family_is_solved_from_every_start_with_its_senses_right(name: str, noise: float) -> None:
    """Starts 10 % of the size and 20 degrees off, 30 % and 60 degrees, 90 % and half a turn."""
    for seed in SEEDS:
        case = families.named(name, seed=seed, noise=noise)
        assert_right(case, asm.solve(families.assembly(case)))


@pytest.mark.parametrize("name", SIZES)
def test_a_family_has_its_freedoms_and_counts_its_redundancy(name: str) -> None:
    for seed in (0, 1):
        case = families.named(name, seed=seed)
        solution = asm.solve(families.assembly(case))
        d = solution.diagnosis
        counts = {"coaxial": 4, "coplanar": 3, "coincident": 3, "distance": 1}
        equations = sum(counts[tie.kind] for tie in case.mates)
        assert solution.dof == case.dof
        assert d.unknowns == 6 * (len(case.parts) - 1)
        assert d.equations == equations
        assert solution.redundant_equations == equations - (d.unknowns - case.dof)
        if name != "excavator":
            assert (equations, solution.redundant_equations) == SIZES[name]


@pytest.mark.parametrize("name", SIZES)
def test_a_family_at_its_solution_is_left_alone(name: str) -> None:
    case = families.named(name, noise=0.0)
    a = families.assembly(case)
    solution = asm.solve(a)
    assert solution.poses == {n: p.pose for n, p in a.parts.items()}
    assert solution.counts.iterations == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_stack_with_a_wrong_hole_is_never_called_right(seed: int) -> None:
    case = families.stack(3, hole_error=0.5, seed=seed)
    solution = asm.solve(families.assembly(case))
    assert solution.outcome is asm.Outcome.CONFLICTING
    verdict = judge(case, solved_poses(case, solution.best_poses))
    assert verdict.mm > 0.05  # the compromise: what 0.5 mm leave when shared
    assert (verdict.ground_mm, verdict.ground_rad) == (0, 0)

"""Budget, cancel, progress: a solve ends in time, reports its progress, changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.errors import BadValue
from assembly_solver.foundations.watch import Watch
from assembly_solver.structure.plan import make_plan
from assembly_solver.verbs.kept_plans import plan_of
from benchmarks import families

Told = list[tuple[int, int, str]]


def scattered(name: str, seed: int = 6) -> asm.Assembly:
    return families.assembly(families.named(name, seed=seed, noise=9.0))


def cancelled_at(n: int, assembly: asm.Assembly) -> asm.Solution:
    """Cancelled at the n-th call of `cancel` after it was planned."""
    plan_of(assembly)
    asked = iter(range(1, n))
    return asm.solve(assembly, cancel=lambda: next(asked, None) is None)


@pytest.mark.parametrize("name", ["chain(100)", "ladder(10)", "excavator", "stewart"])
def test_a_solve_that_is_watched_takes_the_same_way_bit_for_bit(name: str) -> None:
    """Each slice of 20 iterations continues where the one before ended."""
    alone, told = asm.solve(scattered(name)), Told()
    watched = asm.solve(
        scattered(name), budget=1e9, cancel=lambda: False, progress=lambda *at: told.append(at)
    )
    assert watched.counts == alone.counts
    assert watched.poses == alone.poses
    assert told


def test_no_budget_at_all_stops_before_the_plan_and_moves_nothing() -> None:
    given = scattered("chain(10)")
    before = {name: given.pose(name) for name in given.parts}
    solution = asm.solve(given, budget=0.0)
    assert (solution.outcome, solution.stopped) == (asm.Outcome.NOT_CONVERGED, "budget")
    assert not solution
    assert solution.sentence.startswith(
        "11 parts, 20 mates: stopped after the budget of 0 s while the solve was planned; "
        "20 mates still off by up to"
    )
    assert solution.to_dict()["stopped"] == "budget"
    assert {name: given.pose(name) for name in given.parts} == before
    assert solution.best_poses == before
    assert asm.solve(given).stopped is None


@pytest.mark.parametrize("name", ["chain(10)", "ladder(5)", "stewart"])
def test_planning_is_left_wherever_it_is_cancelled(name: str) -> None:
    """A plan that was interrupted is not kept: the next solve makes it anew."""
    asked = [0]

    def count() -> bool:
        asked[0] += 1
        return False

    make_plan(compile_system(scattered(name)), watch=Watch(cancel=count))
    assert asked[0] > 4
    for n in range(1, asked[0] + 1):
        given = scattered(name)
        left = iter(range(1, n))
        solution = asm.solve(given, cancel=lambda left=left: next(left, None) is None)
        assert "cancelled while the solve was planned" in solution.sentence
        assert solution.best_poses == {part: given.pose(part) for part in given.parts}
    assert asm.solve(given)


def test_a_chain_that_is_cancelled_halfway_stands_halfway_and_says_where() -> None:
    given = scattered("chain(100)")
    before = {name: given.pose(name) for name in given.parts}
    solution = cancelled_at(4, given)
    assert solution.stopped == "cancel"
    # a link is two steps, its check and its placing; 16 steps run between two questions
    assert "cancelled in block 25 of 100; 152 mates still off" in solution.sentence
    assert sum(m.holds for m in solution.mates) == 48
    assert {name: given.pose(name) for name in given.parts} == before
    with pytest.raises(asm.errors.Unsolved, match="cancelled in block 25 of 100"):
        solution.require()


def test_a_descent_is_left_after_twenty_iterations() -> None:
    given = scattered("stewart", seed=3)
    assert asm.solve(given).counts.iterations > 20
    solution = cancelled_at(3, given)  # before the block, then before its second slice
    assert solution.stopped == "cancel"
    assert solution.counts.iterations == 20


def test_loops_in_turn_and_minimisation_are_left_too() -> None:
    """The costly fallbacks call `cancel` more often than there are blocks."""
    asked = [0]

    def count() -> bool:
        asked[0] += 1
        return False

    given = scattered("ladder(10)")
    plan_of(given)
    assert asm.solve(given, cancel=count).fallbacks == ("closed loop by loop",)
    last = asked[0]
    for n in (last // 2, last):
        assert cancelled_at(n, scattered("ladder(10)")).stopped == "cancel"
    assert cancelled_at(last + 1, scattered("ladder(10)")).stopped is None


@pytest.mark.parametrize("name", ["chain(10)", "fourbar", "stewart"])
def test_a_solve_that_is_stopped_before_the_least_movement_holds_and_says_so(name: str) -> None:
    asked = [0]

    def count() -> bool:
        asked[0] += 1
        return False

    given = scattered(name)
    plan_of(given)
    least = asm.solve(given, cancel=count).require()
    assert least.notes == []
    solution = cancelled_at(asked[0], given).require()
    assert solution.stopped == "cancel"
    assert solution.residual < 1e-9
    words = "cancelled before the parts were moved as little as the mates let them"
    assert solution.notes[0] == words
    assert f"  {words}" in str(solution).splitlines()


def test_a_search_for_contradictions_is_stopped_and_claims_none() -> None:
    case = families.stack(3, hole_error=1.0)
    told = Told()
    full = asm.solve(families.assembly(case), progress=lambda *at: told.append(at))
    assert full.outcome is asm.Outcome.CONFLICTING
    assert "looking for contradictions" in {words for _, _, words in told}
    searching = [False]

    def watch(done: int, total: int, words: str) -> None:
        searching[0] = words == "looking for contradictions"

    stopped = asm.solve(families.assembly(case), progress=watch, cancel=lambda: searching[0])
    assert (stopped.outcome, stopped.stopped) == (asm.Outcome.NOT_CONVERGED, "cancel")
    assert stopped.conflicts == []
    assert "cancelled while contradictions were looked for" in stopped.sentence


def test_a_search_for_a_mode_that_is_stopped_leaves_the_parts_where_they_hold() -> None:
    """They hold at the start, so that nothing is solved before the search."""
    given = families.assembly(families.fourbar(noise=0.0))
    given.move(asm.solve(given).poses)
    other = asm.modes(given)[1].name
    solution = asm.solve(given, mode=other, cancel=lambda: True)
    assert (solution.outcome, solution.stopped) == (asm.Outcome.NOT_CONVERGED, "cancel")
    assert f"cancelled in search of mode {other}" in solution.sentence
    assert solution.best_poses == {name: given.pose(name) for name in given.parts}
    assert asm.solve(given, mode=other)


def test_progress_counts_blocks_upwards_and_names_the_part() -> None:
    told = Told()
    asm.solve(scattered("chain(100)"), progress=lambda *at: told.append(at))
    done = [d for d, _, _ in told]
    assert done == sorted(done)
    assert {total for _, total, _ in told} == {100}
    assert told[0] == (0, 100, "placing link1")
    assert told[1] == (8, 100, "placing link9")


@pytest.mark.parametrize("verb", [asm.diagnose, asm.analyse])
def test_diagnose_and_analyse_obey_too(verb: type) -> None:
    found = verb(scattered("chain(10)"), budget=0.0)
    assert found.to_dict()["outcome"] == "not_converged"
    assert "stopped after the budget of 0 s" in found.to_dict()["sentence"]


@pytest.mark.parametrize("budget", [-1.0, np.nan, np.inf])
def test_a_budget_that_is_no_time_is_refused(budget: float) -> None:
    with pytest.raises(BadValue, match=r"budget: .* a number of seconds, 0 or more"):
        asm.solve(scattered("fourbar"), budget=budget)

"""Repeated solves of planar loops in one call: the same to the last bit as stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from mechanisms import disturb, four_bar, turned

import assembly_solver as asm
from assembly_solver.errors import UnknownMode
from assembly_solver.solver.least_movement import MovedParts, moved_before
from assembly_solver.solver.modes.choice import ReachedPoses
from assembly_solver.solver.repeated_loop import solved_again
from assembly_solver.structure.plan import PlannedSystem
from assembly_solver.verbs import kept_plans, solve_attempts
from assembly_solver.verbs.kept_plans import plan_of
from benchmarks import changed, families

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(name: str) -> asm.Assembly:
    """A sample whose parts are off, each by some other amount."""
    return disturb(asm.read(SAMPLES / f"{name}.assembly.json"), 1, 3, 2)


LOOPS: dict[str, Callable[[], asm.Assembly]] = {
    "four-bar": lambda: disturb(four_bar(), 1, 8, 5),
    "four-bar with noise": lambda: families.assembly(families.fourbar(seed=3)),
    "ladder": lambda: families.assembly(families.ladder(4, seed=2)),
    "scissor": lambda: families.assembly(families.scissor(3, seed=1)),
    "slider crank": partial(sample, "slider_crank"),
}


@pytest.fixture(name="ends")
def _ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether each solve that was made ended plainly."""
    plainly: list[bool] = []

    def noted(planned: PlannedSystem, eta: float) -> ReachedPoses | None:
        found = solved_again(planned, eta)
        plainly.append(found is not None)
        return found

    for caller in (solve_attempts, kept_plans):
        monkeypatch.setattr(caller, "solved_again", noted)
    return plainly


def by_stages(given: asm.Assembly) -> asm.Solution:
    """A solve stage by stage: of an assembly that was not solved before."""
    return asm.solve(given.copy())


def same(one: asm.Solution, two: asm.Solution) -> None:
    """The poses, the residuals and the work are the same to the last bit."""
    assert one.outcome is two.outcome
    assert np.array_equal(one.frames, two.frames)
    assert one.mates == two.mates
    assert one.counts == two.counts


@pytest.mark.parametrize("name", LOOPS)
def test_a_repeated_solve_is_the_first_one_to_the_last_bit(name: str, ends: list[bool]) -> None:
    given = LOOPS[name]()
    first, again = asm.solve(given), asm.solve(given)
    assert ends == [False, True]
    same(again, first)


@pytest.mark.parametrize("name", [n for n in changed.CHANGES if n.startswith("fourbar")])
def test_a_solve_after_a_change_is_that_of_a_new_assembly(name: str, ends: list[bool]) -> None:
    change = changed.CHANGES[name]()
    asm.solve(change.given)
    for value in (*change.values, *change.values):
        change.put(value)
        ends.clear()
        found = asm.solve(change.given)
        assert ends == [True]
        ends.clear()
        other = by_stages(change.given)
        assert ends == [False]
        off = np.abs(found.frames - other.frames).max()
        assert off <= 1e-12 * change.case.size  # the plan of a changed one reads numbers in turn
        assert found.outcome is other.outcome


def moved_parts(given: asm.Assembly) -> MovedParts:
    """What the last solve prepared."""
    found = moved_before(plan_of(given))
    assert found is not None
    return found


def test_a_mode_that_is_asked_for_is_never_left_to_one_call(ends: list[bool]) -> None:
    """Nor is an empty name, which is that of no mode here."""
    given = LOOPS["four-bar"]()
    asm.solve(given)
    with pytest.raises(UnknownMode):
        asm.solve(given, mode="")
    for mode in asm.modes(given):
        assert asm.solve(given, mode=mode.name).mode == mode.name
    assert ends == [False, True]  # `modes` asks for none


def test_a_start_that_holds_is_left_as_it_is(ends: list[bool]) -> None:
    given = LOOPS["four-bar"]()
    asm.solve(given)
    asm.solve(given).apply()
    one, two = asm.solve(given), asm.solve(given)
    assert ends == [False, True, False, False]
    assert one.poses == two.poses == {name: given.parts[name].pose for name in given.parts}


def test_a_loop_that_turns_far_is_solved_by_stages(ends: list[bool]) -> None:
    """The crank is 120 degrees off: its assembly mode is chosen, and no call is tried twice."""
    given = four_bar()
    given.move({"crank": turned((0, 0, 1), 120)})
    first, second, third = (asm.solve(given) for _ in range(3))
    assert ends == [False, False, False]
    assert moved_parts(given).loop is None
    same(second, first)
    same(third, first)


@pytest.mark.parametrize(
    "name", ["scissor_lift", "excavator", "hinge", "stewart_platform", "sliders_stroke"]
)
def test_others_are_solved_by_stages(name: str, ends: list[bool]) -> None:
    """Limits, clusters, chains, loops in space; and sliders whose steps of least movement fail."""
    given = sample(name)
    same(asm.solve(given), asm.solve(given))
    assert ends == [False, False]


# ------------------------------------------------------------------ moved features, other values
def moving() -> asm.Assembly:
    """A four-bar that was solved, and solved again with a crank whose features moved."""
    given = changed.CHANGES["fourbar, set_feature"]().given
    asm.solve(given)
    lengthened(given, 5.0)
    asm.solve(given)
    return given


def lengthened(given: asm.Assembly, by: float, up: float = 0.0) -> None:
    """The crank longer by so many mm, its features aside by others."""
    for name in changed.CRANK:
        known = given.parts["crank"].features[name]
        x, y, z = known.frame[:3]
        given.set_feature("crank", name, replace(known, point=(x + by, y, z + up)))


def test_a_moved_loop_is_solved_again_to_the_last_bit(ends: list[bool]) -> None:
    """Where it was before, too; and what is read of its plan follows."""
    given = moving()
    first = asm.solve(given)
    for by in (2.0, -2.0):
        lengthened(given, by)
        found = asm.solve(given)
    ends.clear()
    again = asm.solve(given)
    assert ends == [True]
    same(found, first)
    same(again, first)
    built = by_stages(given)
    assert again.dof == built.dof and again.mode == built.mode
    assert again.plan.system.length == pytest.approx(built.plan.system.length, rel=1e-15)


@pytest.mark.parametrize("by", [7.0, 1e4])
def test_a_length_that_is_solved_by_stages_leaves_the_others_to_one_call(
    by: float, ends: list[bool]
) -> None:
    """With the first the crank turns far, with the second the loop does not close at all."""
    given = moving()
    first = asm.solve(given)
    lengthened(given, by)
    ends.clear()
    for _ in range(2):
        found = asm.solve(given)
        assert found.outcome is by_stages(given).outcome
    assert not any(ends)
    lengthened(given, -by)
    ends.clear()
    again = asm.solve(given)
    assert ends == [True]
    same(again, first)


def test_features_that_leave_the_plane_need_another_plan(ends: list[bool]) -> None:
    given = moving()
    lengthened(given, 0.0, up=3.0)
    ends.clear()
    found = asm.solve(given)
    assert ends == [False, False]  # neither with the plan as it is, nor with one that is new
    assert found.outcome is by_stages(given).outcome


def test_two_threads_do_not_share_what_one_call_writes(ends: list[bool]) -> None:
    """While one solves a loop whose features moved, the other goes stage by stage."""
    given = moving()
    first = asm.solve(given)
    (by,) = filter(None, given.kept.base.made.values())
    (known,) = by.prepared.values()
    ends.clear()
    with known.alone:
        other = asm.solve(given)
    assert ends == [False]
    assert np.abs(other.frames - first.frames).max() <= 1e-9
    same(asm.solve(given), first)

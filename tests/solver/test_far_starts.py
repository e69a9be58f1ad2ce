"""From any start: bodies shifted by up to 90 % of the size and turned by up to half a turn."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.pose import frames_of
from assembly_solver.foundations.watch import Watch
from assembly_solver.solver import fallbacks
from assembly_solver.solver.least_movement import movement, with_least_movement
from assembly_solver.solver.modes.choice import ReachedPoses
from assembly_solver.structure.plan import PlannedSystem
from assembly_solver.verbs import solve_attempts
from benchmarks import families
from benchmarks.adapters.by_ourselves import solved_poses
from benchmarks.judge import judge

SCATTERED = 9.0
"""Noise of the starts: 90 % of the size of the case and 180 degrees."""

BY_LOOPS = 6
"""A seed of ladder(10) whose descents all end between loops that close in another mode."""


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "name",
    [
        "fourbar",
        "ladder(3)",
        "ladder(10)",
        "chain(10)",
        "stack(3)",
        "scissor(3)",
        "excavator",
        "stewart",
    ],
)
def test_scattered_parts_come_together_with_right_senses(name: str, seed: int) -> None:
    case = families.named(name, seed=seed, noise=SCATTERED)
    verdict = judge(case, solved_poses(case, asm.solve(families.assembly(case)).poses))
    assert verdict.mm < 1e-6 * case.size
    assert verdict.rad < 1e-6
    assert verdict.flips == 0
    assert verdict.ground_mm == verdict.ground_rad == 0.0


def listed_backwards(assembly: asm.Assembly) -> asm.Assembly:
    """The same assembly with its parts and mates in the opposite order."""
    other = asm.Assembly(assembly.name)
    for name, part in reversed(assembly.parts.items()):
        other.add(name, grounded=part.grounded, pose=part.pose, features=part.features)
    for name, mate in reversed(assembly.mates.items()):
        other.mate(mate.kind, mate.a, mate.b, name=name, sense=mate.sense)
    return other


def test_a_ladder_closes_loop_by_loop_where_no_descent_leads_home() -> None:
    case = families.ladder(10, seed=BY_LOOPS, noise=SCATTERED)
    solution = asm.solve(families.assembly(case)).require()
    assert solution.fallbacks == ("closed loop by loop",)
    assert judge(case, solved_poses(case, solution.poses)).right


def test_of_a_large_ladder_both_closures_of_a_loop_are_tried() -> None:
    # they differ by directions alone, which are small against the length of the ladder, mm
    case = families.ladder(60, seed=2, noise=6.0)
    solution = asm.solve(families.assembly(case)).require()
    assert solution.fallbacks == ("closed loop by loop",)
    assert judge(case, solved_poses(case, solution.poses)).right


def test_a_ladder_of_two_hundred_loops_closes_loop_by_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallbacks, "STEPS", 10)  # of the whole: the loops begin at the start
    case = families.ladder(200, seed=0, noise=6.0)
    solution = asm.solve(families.assembly(case)).require()
    assert solution.fallbacks == ("closed loop by loop",)
    assert judge(case, solved_poses(case, solution.poses)).right


def test_of_a_large_ladder_the_start_is_descended_from_first() -> None:
    # from the poses that the plan reached 300 steps end between the loops
    case = families.ladder(60, seed=0, noise=3.0)
    solution = asm.solve(families.assembly(case)).require()
    assert solution.fallbacks == ("descended",)
    assert solution.counts.iterations < 150
    assert judge(case, solved_poses(case, solution.poses)).right


def test_loop_by_loop_the_order_of_parts_and_mates_decides_nothing() -> None:
    given = families.assembly(families.ladder(10, seed=BY_LOOPS, noise=SCATTERED))
    one, other = asm.solve(given).require(), asm.solve(listed_backwards(given)).require()
    assert one.fallbacks == other.fallbacks
    for name, pose in one.poses.items():
        # mm: 1e-9 of residual through ten loops in a row
        assert np.abs(np.subtract(pose.position, other.poses[name].position)).max() < 1e-5


def test_loop_by_loop_a_rigid_motion_of_the_whole_is_carried_through() -> None:
    given = families.assembly(families.ladder(10, seed=BY_LOOPS, noise=SCATTERED))
    carry = asm.Pose.from_axis((500, -200, 80), (1, 2, 3), 100)
    moved = given.copy()
    moved.move({name: carry @ given.pose(name) for name in given.parts})
    one, other = asm.solve(given).require(), asm.solve(moved).require()
    for name, pose in one.poses.items():
        wanted = (carry @ pose).position
        assert np.abs(np.subtract(wanted, other.poses[name].position)).max() < 1e-5  # mm, as above


def test_easy_starts_need_no_fallback() -> None:
    for name in ("fourbar", "ladder(10)", "excavator", "stewart"):
        assert asm.solve(families.assembly(families.named(name, noise=1.0))).fallbacks == ()


@pytest.mark.parametrize("seed", [5, 7, 13, 63, 89, 94, 134, 167])
def test_a_scissor_does_not_stay_folded_up_where_an_open_pose_is_as_near(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folded up, with slider and pin in one place, it has three freedoms.

    The last one folds up only on the way to the least movement.
    """
    given = families.assembly(families.scissor(3, seed=seed, noise=SCATTERED))
    solution = asm.solve(given).require()
    monkeypatch.setattr(solve_attempts, "REGULAR_TRIES", 0)
    folded = asm.solve(given).require()
    assert (solution.dof, folded.dof) == (1, 3)
    assert "0" in (folded.mode or "") and "0" not in (solution.mode or "")
    planned = PlannedSystem(compile_system(given))
    one, other = (
        movement(ReachedPoses.at(planned, frames_of(s.poses[p] for p in given.parts)))
        for s in (solution, folded)
    )
    assert one <= other


@pytest.mark.parametrize("seed", [72, 102, 106, 111, 118, 124, 161, 177, 190, 198])
def test_a_scissor_ends_folded_up_only_where_no_open_pose_is_as_near(seed: int) -> None:
    """All of seeds 0 to 199 that do: the least movement among open poses, from a known one."""
    given = families.assembly(families.scissor(3, seed=seed, noise=SCATTERED))
    solution = asm.solve(given).require()
    assert solution.dof == 3
    planned = PlannedSystem(compile_system(given))
    ended = ReachedPoses.at(planned, frames_of(solution.poses[p] for p in given.parts))
    open_ = compile_system(families.assembly(families.scissor(3, noise=0.0))).start
    nearest = with_least_movement(ended.moved(open_), False, Watch())
    assert nearest.off < 1e-9  # mm
    assert movement(nearest) > (1 - 1e-9) * movement(ended)  # a descent may end folded up itself


@pytest.mark.parametrize("start", range(-180, 180, 40))
def test_a_nut_that_cannot_turn_holds_at_any_number_of_turns(start: int) -> None:
    """A pin askew to the thread lets it stand in one place only, whatever its angle was before."""
    there = asm.Pose.from_axis((0, 0, 12), (0, 0, 1), 100)
    along = tuple(np.array((0.6, 0.0, 0.8)) @ there.rotation)
    a, thread = asm.Assembly("nut"), asm.Frame((0, 0, 0), "z", "x")
    pins = (asm.Axis((50, 0, 0), (0.6, 0, 0.8)), asm.Axis(there.inverse().apply((50, 0, 0)), along))
    a.add("block", features={"thread": thread, "pin": pins[0]}, grounded=True)
    begin = asm.Pose.from_axis((5, -8, 3), (0.2, 0.1, 1), start)
    a.add("nut", features={"thread": thread, "pin": pins[1]}, pose=begin)
    constant = 12 - 10 * 100 / 360  # mm, at a height of 12 mm and an angle of 100 degrees
    a.mate("screw", "block.thread", "nut.thread", pitch=10, constant=constant, sense="aligned")
    a.mate("coaxial", "block.pin", "nut.pin", sense="aligned")
    found = asm.solve(a).require().poses["nut"]
    np.testing.assert_allclose(found.position, there.position, atol=1e-9)
    np.testing.assert_allclose(found.rotation, there.rotation, atol=1e-11)

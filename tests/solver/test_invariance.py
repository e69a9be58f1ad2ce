"""Random assemblies: what holds stays bit for bit; order, names, position, unit do not matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mechanisms import disturb, moved, random_pose, rebuilt, worst_gap
from test_random_assemblies import draw

import assembly_solver as asm

SEEDS = st.integers(0, 10**6)
SAME = 1e-6
"""rad, and of 100 mm: rounding of 1e-16 that a tie of weight 1e-9 (geometry/nearest) lets through,
and loops that multiply it."""

Told = tuple[asm.Assembly, Callable[[str, asm.Pose], asm.Pose]]
"""The assembly in another description, and the map of its poses back."""

Change = Callable[[asm.Assembly, int], Told]


def reordered(a: asm.Assembly, seed: int) -> Told:
    rng = np.random.default_rng(seed)
    parts, mates = (rng.permutation(list(names)).tolist() for names in (a.parts, a.mates))
    return rebuilt(a, parts=parts, mates=mates), lambda _, p: p


def elsewhere(a: asm.Assembly, seed: int) -> Told:
    by = random_pose(np.random.default_rng(seed), 500)
    return moved(a, by), lambda _, p: by.inverse() @ p


def in_metres(a: asm.Assembly, seed: int) -> Told:
    def back(_: str, p: asm.Pose) -> asm.Pose:
        x, y, z = p.position
        return asm.Pose((1000 * x, 1000 * y, 1000 * z), p.quaternion_wxyz)

    return rebuilt(a, scale=1e-3), back


@pytest.mark.parametrize("change", [reordered, elsewhere, in_metres])
@given(seed=SEEDS, flat=st.booleans())
@settings(max_examples=25)
def test_the_answer_is_the_same_however_the_assembly_is_told(
    change: Change, seed: int, flat: bool
) -> None:
    a = disturb(draw(seed, flat), seed, 4, 4)
    first = asm.solve(a)
    other, back = change(a, seed)
    second = asm.solve(other)
    assert first.outcome is second.outcome
    if first:
        shift, turn = worst_gap({n: back(n, p) for n, p in second.poses.items()}, first.poses)
        assert max(shift / 100, turn) < SAME
        assert first.dof == second.dof


@given(seed=SEEDS, flat=st.booleans())
@settings(max_examples=25)
def test_names_change_nothing_at_all(seed: int, flat: bool) -> None:
    """Names decide only where geometry leaves a tie, so the answer is the same to the bit."""
    a = disturb(draw(seed, flat), seed, 4, 4)
    poses = asm.solve(a).best_poses
    other = asm.solve(rebuilt(a, rename=lambda name: name[::-1])).best_poses
    assert {name: other[name[::-1]] for name in poses} == poses


@given(seed=SEEDS, flat=st.booleans())
@settings(max_examples=40)
def test_a_start_that_holds_comes_back_bit_for_bit(seed: int, flat: bool) -> None:
    a = draw(seed, flat)
    assert asm.solve(a).poses == {name: part.pose for name, part in a.parts.items()}


@given(seed=SEEDS, flat=st.booleans())
@settings(max_examples=25)
def test_solving_twice_is_solving_once(seed: int, flat: bool) -> None:
    a = disturb(draw(seed, flat), seed, 4, 4)
    first = asm.solve(a)
    if first:
        first.apply()
        assert asm.solve(a).poses == first.poses


@given(seed=SEEDS, flat=st.booleans())
@settings(max_examples=25)
def test_what_holds_is_not_moved_by_solving_what_hangs_on_it(seed: int, flat: bool) -> None:
    """A part is attached to a solved assembly by one joint; it alone is off, it alone moves."""
    a = draw(seed, flat)
    rng = np.random.default_rng(seed)
    a.add("late", pose=random_pose(rng))
    a.mate("revolute", f"part {rng.integers(len(a.parts) - 1)}.origin", "late.origin")
    poses = asm.solve(a).poses
    assert {n for n, p in poses.items() if p != a.parts[n].pose} == {"late"}


def nut(size: float) -> asm.Assembly:
    """A nut that has to go eight turns along its thread; turns do not move its feature."""
    a = asm.Assembly("nut")
    a.tolerance = 1e-4 * size

    def at(*p: float) -> tuple[float, ...]:
        return tuple(size * x for x in p)

    spindle = asm.Frame(at(3.5, -3.5, -14), "-z", (-0.9978, -0.0656, 0))
    own = asm.Frame(at(10.5, -10.5, 7), "x", "z")
    pose, start = asm.Pose(at(0, -10.5, 10.5), (0, 1, 0, -1)), at(0.64, 20.45, 8.95)
    a.add("spindle", grounded=True, pose=pose, features={"thread": spindle})
    nut_pose = asm.Pose(start, (0.668, 0.195, 0.699, 0.165))
    a.add("nut", pose=nut_pose, features={"thread": own})
    pitch, constant = 3.5 * size, 3.54 * size
    a.mate("screw", "nut.thread", "spindle.thread", pitch=pitch, constant=constant, sense="aligned")
    return a


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_a_nut_goes_along_many_turns_of_its_thread_to_where_its_feature_moves_least(
    size: float,
) -> None:
    a = nut(size)
    start = a.parts["nut"].pose
    end = asm.solve(a).poses["nut"]
    axis = a.parts["spindle"].pose.rotation @ np.array([0, 0, -1.0])
    p = np.array([10.5, -10.5, 7]) * size
    moved_by = end.rotation @ p + end.position - start.rotation @ p - start.position
    assert moved_by @ axis == pytest.approx(0.0, abs=1e-7 * size)  # no slope left

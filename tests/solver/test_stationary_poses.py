"""Compromises and closest poses to rounding: closed forms, and the slope of the sum of squares."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.many_starts import ManyStarts
from assembly_solver.equations.system import System, compile_system
from assembly_solver.foundations.watch import Watch
from assembly_solver.solver.multistart import Ends, ends_from
from assembly_solver.solver.stationary_poses import stationary_poses
from benchmarks.adversary.generators import contradictions

APART, NEAR, FAR = 100.0, 41.0, 53.0


def between(near: float = NEAR, far: float = FAR) -> System:
    """A point that two others hold at distances whose sum is less than theirs."""
    a = asm.Assembly()
    ends = {"a": asm.Point((0, 0, 0)), "b": asm.Point((APART, 0, 0))}
    a.add("base", features=ends, grounded=True)
    a.add("bead", features={"p": asm.Point((0, 0, 0))}, pose=asm.Pose((40, 9, -5)))
    a.mate("distance", "base.a", "bead.p", value=near)
    a.mate("distance", "base.b", "bead.p", value=far)
    return compile_system(a)


def test_a_compromise_is_known_to_rounding() -> None:
    """Both distances are too short by the same."""
    system = between()
    begun = ends_from(system, system.start[None], Watch()).parts[0]
    assert abs(begun[1, 1]) > 1e-9  # it came to the line only slowly
    parts = stationary_poses(system, begun)
    off = (APART - NEAR - FAR) / 2.0
    np.testing.assert_allclose(parts[1, :3], [NEAR + off, 0.0, 0.0], atol=1e-13 * APART)
    f, j = ManyStarts(system).evaluate(parts[None])
    np.testing.assert_allclose(f[0] @ j[0], 0.0, atol=1e-12)


def test_what_holds_still_holds_where_another_is_closest() -> None:
    system = between()
    yielding = np.array([False, True])
    parts = stationary_poses(system, system.start, yielding, limited=False)
    np.testing.assert_allclose(parts[1, :3], [NEAR, 0.0, 0.0], atol=1e-13 * APART)


def test_a_saddle_point_is_left() -> None:
    """On the far side of the first end the second distance is as long as it can be."""
    system = between()
    parts = system.start.copy()
    parts[1, :3] = -NEAR, 0.0, 0.0
    parts = stationary_poses(system, parts, np.array([False, True]), limited=False)
    np.testing.assert_allclose(parts[1, :3], [NEAR, 0.0, 0.0], atol=1e-13 * APART)


def test_what_holds_stays() -> None:
    system = between(60.0, 50.0)
    parts = ends_from(system, system.start[None], Watch()).parts[0]
    assert np.array_equal(stationary_poses(system, parts)[0], parts[0])
    np.testing.assert_allclose(stationary_poses(system, parts), parts, atol=1e-10)


def test_what_held_is_not_given_up_for_what_cannot_be_met() -> None:
    """A second wall, 19 mm off, cannot be met: half way the distance is nearer, and no wall is."""
    a = asm.Assembly()
    walls = {"wall": asm.Plane((NEAR, 0, 0), "x"), "other": asm.Plane((60, 0, 0), "x")}
    a.add("base", features={"b": asm.Point((APART, 0, 0)), **walls}, grounded=True)
    a.add("bead", features={"p": asm.Point((0, 0, 0))}, pose=asm.Pose((NEAR, 0, 0)))
    for wall in walls:
        a.mate("point_in_plane", "bead.p", f"base.{wall}")
    a.mate("distance", "base.b", "bead.p", value=45.0)
    system = compile_system(a)
    parts = stationary_poses(system, system.start, np.array([False, False, True]), limited=False)
    np.testing.assert_array_equal(parts, system.start)


def test_an_end_that_holds_within_the_tolerance_comes_before_one_that_hardly_does_not() -> None:
    parts, tolerance = np.zeros((4, 1, 12)), 1e-4

    def best(*off: float) -> int:
        return Ends(parts, np.array(off), np.array(off), 1e-10, tolerance).best

    assert best(3.0, 1.05e-4, 0.98e-4, 0.97e-4) == 2
    assert best(3.0, 1.15e-4, 1.05e-4, 1.06e-4) == 1  # none holds: alike
    assert best(3.0, 1e-11, 0.0, 0.0) == 1


@pytest.mark.parametrize("seed", [0, 10, 20, 30, 50, 60, 80])
def test_a_value_is_changed_by_what_it_is_off(seed: int) -> None:
    """Chains that are too short by so much: a value that helps is longer by that, in four digits.

    A descent along a stretched chain would end before, and one may end where links fold back.
    """
    solution = asm.solve(contradictions.drawn(seed)[1].build())
    (found,) = solution.conflicts
    change = found["change"]
    assert change is not None
    by, step = change["to"] - change["from"], 10.0 ** (np.floor(np.log10(change["to"])) - 3)
    assert found["gap_mm"] <= by + solution.system.tolerance
    assert by <= found["gap_mm"] + step

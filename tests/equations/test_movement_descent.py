"""Descents to the least movement from afar, against closed forms; mates told twice from afar."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.movement import FAILED, LEAST, LESS
from assembly_solver.equations.movement_descent import descend_movement
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.types import Array
from assembly_solver.solver.moved_blocks import Whole, part_cloud
from assembly_solver.solver.moved_groups import moved_groups
from assembly_solver.structure.plan import make_plan
from benchmarks.adversary.generators import metamorphic

AFAR = (200.0, 0.0, 0.0)
"""Start of the ball, mm; it may lie at 50 from the origin."""


def ended(angle: float, begin: float, steps: int = 60) -> tuple[int, Array, float]:
    """How a descent ends from an angle in the plane, where the ball lies, and the region's radius.

    Args:
        angle: of the pose that is kept where the descent leads elsewhere, degrees; begin: of the
            pose from which it begins.
    """
    a = asm.Assembly("a ball on a sphere")
    a.add("frame", grounded=True, features={"centre": asm.Point((0.0, 0.0, 0.0))})
    a.add("ball", features={"centre": asm.Point((0.0, 0.0, 0.0))}, pose=asm.Pose(AFAR))
    a.mate("distance", "frame.centre", "ball.centre", value=50.0)
    system = compile_system(a)
    groups = moved_groups(system, ~system.fixed)
    whole = Whole(make_plan(system), groups, 0, False, part_cloud(system))
    ball, poses = int(np.flatnonzero(~system.fixed)[0]), system.start.copy()
    first, region = system.start.copy(), np.zeros(1)
    for frames, degrees in ((poses, angle), (first, begin)):
        turn = math.radians(degrees)
        frames[ball, :3] = 50.0 * math.cos(turn), 50.0 * math.sin(turn), 0.0
    settings = whole.settings._replace(steps=steps)
    status = descend_movement(
        system.table, poses, whole.block, whole.cloud, settings, first, region
    )
    return status, poses[ball, :3], float(region[0])


@pytest.mark.quick
@pytest.mark.parametrize("angle", [5.0, 90.0, 170.0, 179.99])
def test_a_descent_from_the_far_side_of_a_sphere_ends_on_the_near_one(angle: float) -> None:
    status, at, region = ended(angle, angle)
    assert status == LESS
    np.testing.assert_allclose(at, (50.0, 0.0, 0.0), atol=1e-6)  # 1e-10 of the square of 150 mm
    assert region == 0.0


def test_a_descent_stays_where_the_movement_is_least() -> None:
    status, at, region = ended(0.0, 0.0)
    assert status == LEAST
    assert at.tolist() == [50.0, 0.0, 0.0]  # bit for bit
    assert region == 0.0


def test_a_descent_that_ends_farther_off_leaves_the_poses() -> None:
    status, at, _ = ended(10.0, 170.0, steps=1)
    assert status == FAILED
    np.testing.assert_allclose(
        at, 50.0 * np.array([math.cos(math.pi / 18), math.sin(math.pi / 18), 0])
    )


def test_one_step_leaves_a_region_for_the_next() -> None:
    status, at, region = ended(170.0, 170.0, steps=1)
    assert status == LESS
    assert np.linalg.norm(at) == pytest.approx(50.0, rel=1e-12)
    assert region > 0.0


@pytest.mark.parametrize("seed", [1912, 2692, 2764, 3196])
def test_a_mate_told_twice_leads_to_the_same_poses_from_afar(seed: int) -> None:
    """Steps without curvature go round and round there."""
    assert metamorphic.case(seed).wrong == []


def test_the_movement_is_the_least_that_is_known_from_afar() -> None:
    """219.58 mm: where SLSQP ends from poses that moved 331 mm."""
    draft = metamorphic.drawn(2764)[1]
    solution = asm.solve(draft.build()).require()
    assert metamorphic.movement(draft, solution.poses) == pytest.approx(219.5808383, abs=1e-5)

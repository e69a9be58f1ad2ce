"""The half turn between two frames, of which FreeCAD's joints leave any."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import random_pose

import assembly_solver as asm
from assembly_solver.formats.freecad.joints import HALF_TURNS, half_turn

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("axis", "degrees", "nearest"), [((1, 0, 0), 90, 0), ((1, 1, 0), 180, 1), ((0, 1, 1), 180, 2)]
)
def test_of_half_turns_that_are_as_near_it_is_the_first_whatever_the_last_digits(
    seed: int, axis: tuple[float, float, float], degrees: float, nearest: int
) -> None:
    first = random_pose(np.random.default_rng(seed))
    second = first @ asm.Pose.from_axis((1, 2, 3), axis, degrees)
    assert half_turn(first, second) == HALF_TURNS[nearest]


def test_what_is_clearly_nearer_is_taken() -> None:
    near = asm.Pose.from_axis((0, 0, 0), (1, 0, 0), 90 + 1e-6)
    assert half_turn(asm.Pose(), near) == HALF_TURNS[1]


@pytest.mark.parametrize("seed", range(20))
def test_frames_that_are_bent_keep_their_half_turn_however_far_that_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, turn = random_pose(rng), HALF_TURNS[seed % 4]
    bend = asm.Pose.from_axis((0, 0, 0), (*rng.normal(size=2), 0.0), float(rng.uniform(1, 179)))
    assert half_turn(first, first @ bend @ turn, bends=True) == turn

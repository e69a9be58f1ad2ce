"""The nearest rotation: the orthogonal factor of a matrix, and what is no rotation any more."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from assembly_solver.errors import BadValue, NotARotation
from assembly_solver.foundations.geometry.nearest_rotation import STRETCH, nearest_rotation
from assembly_solver.foundations.geometry.pose import Pose

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

ROUNDING = 1e-15
"""Of entries up to 1 after some ten operations."""


def stretched(seed: int, share: float) -> tuple[Array, Array]:
    """A rotation, and the same after a stretch along three axes by up to a share."""
    random = np.random.default_rng(seed)
    turn = Rotation.random(random_state=seed).as_matrix()
    axes = Rotation.random(random_state=seed + 100).as_matrix()
    return turn, turn @ axes @ np.diag(1.0 + share * random.uniform(-1, 1, 3)) @ axes.T


@pytest.mark.parametrize("share", [0.0, 1e-12, 1e-7, 1e-3])
@pytest.mark.parametrize("seed", range(10))
def test_a_stretch_is_taken_off_a_rotation(seed: int, share: float) -> None:
    turn, given = stretched(seed, share)
    np.testing.assert_allclose(nearest_rotation(given, "x"), turn, atol=4 * ROUNDING)


@pytest.mark.parametrize("seed", range(10))
def test_no_rotation_is_nearer(seed: int) -> None:
    """In the Frobenius norm, against turns by 1e-4 to 1e-2 rad of the one that is found."""
    random = np.random.default_rng(seed)
    given = Rotation.random(random_state=seed).as_matrix() + 4e-4 * random.uniform(-1, 1, (3, 3))
    found = nearest_rotation(given, "x")
    best = np.linalg.norm(found - given)
    for size in (1e-4, 1e-3, 1e-2):
        other = found @ Rotation.from_rotvec(size * random.normal(size=3)).as_matrix()
        assert np.linalg.norm(other - given) > best


@pytest.mark.parametrize("scale", [1 - 9e-8, 1 + 9e-8, 1.001, 0.999])
@pytest.mark.parametrize("seed", range(5))
def test_a_scale_turns_no_frame(seed: int, scale: float) -> None:
    """A quaternion read off the scaled matrix is turned by up to half of scale - 1."""
    turn = Rotation.random(random_state=seed).as_matrix()
    pose = Pose.from_frame([1.0, 2.0, 3.0, *(scale * turn.T).ravel()])
    np.testing.assert_allclose(pose.rotation, turn, atol=4 * ROUNDING)
    assert pose.position == (1.0, 2.0, 3.0)


def test_what_is_too_far_from_a_rotation_is_told_by_how_much() -> None:
    with pytest.raises(NotARotation) as caught:
        nearest_rotation(np.diag([1.0, 1.0, 1.0 + 1.01 * STRETCH]), "here")
    assert str(caught.value) == "here: no rotation: it changes a length by 0.101 % (at most 0.1 %)"
    with pytest.raises(NotARotation, match="axes: no rotation: it mirrors"):
        Pose.from_frame([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1])
    with pytest.raises(NotARotation, match="it changes a length by 100 %"):
        Pose.from_frame(np.zeros(12))
    with pytest.raises(BadValue, match="12 finite numbers"):
        Pose.from_frame([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, float("nan")])

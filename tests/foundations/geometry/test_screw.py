"""Sets of twists told as slides and turns."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.geometry.screw import plain_motions, screw_of

ORIGIN, X = np.zeros(3), [1.0, 1.0, 0.0]


def turn(point: list[float], axis: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of the origin and spin of a turn about an axis through a point."""
    spin = np.array(axis) / np.linalg.norm(axis)
    return np.cross(spin, -np.array(point)), spin


def slide(axis: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(axis) / np.linalg.norm(axis), ORIGIN


def screw(point: list[float], axis: list[float], rise: float) -> tuple[np.ndarray, np.ndarray]:
    velocity, spin = turn(point, axis)
    return velocity + rise * spin, spin


CASES = {
    "a turn and a slide along it": ([turn([3, 1, 2], [1, 2, 2]), slide([1, 2, 2])], "st"),
    "a turn and a slide askew": ([turn([3, 1, 2], [1, 2, 2]), slide([1, 0, 1])], "st"),
    "two turns that are skew": ([turn([3, 1, 2], [1, 2, 2]), turn([0, 5, 1], [0, 1, 4])], "tt"),
    "two turns that meet": ([turn([0, 0, 0], [1, 2, 2]), turn([0, 0, 0], [0, 1, 4])], "tt"),
    "two screws of one hand": (
        [screw([0, 0, 0], [1, 0, 0], 2.0), screw([0, 0, 1], [0, 1, 0], 3.0)],
        "hh",
    ),
    "a plane": ([turn([3, 1, 2], [0, 0, 1]), slide([1, 0, 0]), slide([0, 1, 0])], "sst"),
    "a ball": ([turn([3, 1, 2], [*axis]) for axis in np.eye(3)], "ttt"),
    "a plane and a tilt": (
        [turn([3, 1, 2], [0, 0, 1]), *(slide([*way]) for way in np.eye(3)[:2]), turn([9, 1, 2], X)],
        "sstt",
    ),
}
KINDS = {"s": "translation", "t": "rotation", "h": "screw"}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_any_combination_of_motions_is_told_as_slides_and_turns(name: str, seed: int) -> None:
    motions, kinds = CASES[name]
    mixed = np.random.default_rng(seed).normal(size=(len(motions), len(motions)))
    velocity, spin = (mixed @ np.array(part) for part in zip(*motions, strict=True))
    rows = plain_motions(velocity, spin, np.eye(3))
    assert abs(np.linalg.det(rows)) > 1e-6  # they span the same motions
    found = [screw_of(r @ velocity, r @ spin, ORIGIN) for r in rows]
    assert [f.kind for f in found] == [KINDS[k] for k in kinds]


@pytest.mark.parametrize("seed", range(5))
def test_two_skew_turns_are_told_in_the_same_order_of_any_combination(seed: int) -> None:
    """Not by the signs of eigenvectors, which rounding decides."""
    motions, _ = CASES["two turns that are skew"]
    mixed = np.random.default_rng(seed).normal(size=(2, 2))
    velocity, spin = (mixed @ np.array(part) for part in zip(*motions, strict=True))
    axes = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]])
    directions = plain_motions(velocity, spin, axes) @ spin
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    expected = [np.array([1, 2, 2]) / 3, np.array([0, 1, 4]) / np.sqrt(17)]
    np.testing.assert_allclose(np.abs(directions), expected, atol=1e-12)


def test_screws_of_one_hand_are_told_by_their_extreme_pitches() -> None:
    """Principal screws of a cylindroid are square to each other and meet."""
    motions = [screw([0, 0, 0], [1, 0, 0], 2.0), screw([0, 0, 0], [0, 1, 0], 3.0)]
    mixed = np.array([[1.0, 2.0], [-3.0, 1.0]])
    velocity, spin = (mixed @ np.array(part) for part in zip(*motions, strict=True))
    rows = plain_motions(velocity, spin, np.eye(3))
    found = [screw_of(r @ velocity, r @ spin, ORIGIN) for r in rows]
    assert [f.pitch / (2 * np.pi) for f in found] == pytest.approx([2.0, 3.0], abs=1e-12)
    np.testing.assert_allclose(np.abs([f.direction for f in found]), np.eye(3)[:2], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_of_slides_and_turns_of_any_direction_those_nearest_to_the_axes_are_told(seed: int) -> None:
    mixed = np.random.default_rng(seed).normal(size=(3, 3))
    axes = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]])
    velocity = mixed[:2, :2] @ np.array([[1.0, 0, 0], [0, 3, 4]])
    found = plain_motions(velocity, np.zeros((2, 3)), np.eye(3)) @ velocity
    np.testing.assert_allclose(found, [[1, 0, 0], [0, 0.6, 0.8]], atol=1e-12)
    turned = plain_motions(np.zeros((3, 3)), mixed, axes) @ mixed
    np.testing.assert_allclose(turned, axes, atol=1e-12)
    # a point about which a body turns is at rest but for rounding
    turned = plain_motions(1e-15 * mixed[::-1], mixed, axes) @ mixed
    np.testing.assert_allclose(turned, axes, atol=1e-12)
    # beside slides the pitch of a turn is rounding
    slides = np.vstack([7.0 * mixed, np.zeros((2, 3))])
    spins = np.vstack([np.zeros((3, 3)), [[1.0, 0, 0], [0, 3, 4]]])
    rows = plain_motions(slides, spins, np.eye(3))[3:]
    np.testing.assert_allclose(rows @ spins, [[1, 0, 0], [0, 0.6, 0.8]], atol=1e-12)

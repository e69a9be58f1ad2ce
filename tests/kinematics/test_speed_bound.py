"""The bound of the speed of a body on a chain of joints, against sampled speeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from assembly_solver.foundations.types import Array
from assembly_solver.kinematics.contact.speed_bound import speed_bound

CENTRE, RADIUS = np.array([7.0, -2.0, 3.0]), 5.0
"""Of a sphere on the last link, mm."""


def chain(rates: list[float], t: Array) -> dict[int, tuple[Array, Array]]:
    """Frames and twists of the links on joints about skew axes, 40 mm apart, which slide too."""
    rng = np.random.default_rng(len(rates))
    n = len(t)
    turn, place = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    speed, spin = np.zeros((n, 3)), np.zeros((n, 3))
    motions = {0: (np.hstack([place, turn.reshape(n, 9)]), np.hstack([speed, spin]))}
    for k, rate in enumerate(rates, 1):
        axis, arm = Rotation.random(random_state=rng).apply([0, 0, 1]), rng.normal(size=3) * 40
        slide = 0.3 * rate
        out = turn @ arm
        along = turn @ axis
        place = place + out + along * (slide * t)[:, None]
        speed = speed + np.cross(spin, out + along * (slide * t)[:, None]) + slide * along
        spin = spin + rate * along
        turn = turn @ Rotation.from_rotvec(np.outer(rate * t, axis)).as_matrix()
        # the axes of a frame stand one after the other
        frames = np.hstack([place, turn.transpose(0, 2, 1).reshape(n, 9)])
        motions[k] = (frames, np.hstack([speed, spin]))
    return motions


def centres(motions: dict[int, tuple[Array, Array]], link: int, point: Array) -> Array:
    frames = motions[link][0]
    return frames[:, :3] + np.einsum("k,nkr->nr", point, frames[:, 3:].reshape(-1, 3, 3))


@pytest.mark.parametrize("rates", [[2.0], [1.5, -2.0], [0.5, 1.0, -1.5], [1.0, 1.0, 1.0, 1.0]])
@pytest.mark.parametrize("steps", [1, 3])
def test_no_point_of_a_body_is_faster_between_two_states(rates: list[float], steps: int):
    t, last = np.linspace(0.0, 3.0, steps + 1), len(rates)
    motions = chain(rates, t)
    bound = speed_bound([*range(last, -1, -1)], motions, t, centres(motions, last, CENTRE), RADIUS)
    assert bound is not None
    dense = np.linspace(0.0, 3.0, 3001)
    many = chain(rates, dense)
    for direction in np.eye(3):
        points = centres(many, last, CENTRE + RADIUS * direction)
        speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(dense)
        for k in range(steps):
            assert speed[(dense[:-1] >= t[k]) & (dense[1:] <= t[k + 1])].max() <= bound[k]


@pytest.mark.parametrize("rates", [[2.0], [1.5, -2.0], [0.5, 1.0, -1.5], [1.0, 1.0, 1.0, 1.0]])
def test_no_point_of_the_base_is_faster_as_seen_from_the_last_link(rates: list[float]):
    """The same chain from its other end, and with one joint between in which nothing moves."""
    t, last = np.linspace(0.0, 3.0, 3), len(rates) + 1
    motions, many = (chain([*rates[:1], 0.0, *rates[1:]], x) for x in (t, np.linspace(0, 3, 3001)))
    bound = speed_bound([*range(last + 1)], motions, t, centres(motions, 0, CENTRE), RADIUS)
    assert bound is not None
    frames = many[last][0]
    for direction in np.eye(3):
        away = centres(many, 0, CENTRE + RADIUS * direction) - frames[:, :3]
        seen = np.einsum("nkr,nr->nk", frames[:, 3:].reshape(-1, 3, 3), away)
        speed = np.linalg.norm(np.diff(seen, axis=0), axis=1) * 1000.0
        assert speed[:1500].max() <= bound[0] * (1.0 + 1e-12)
        assert speed[1500:].max() <= bound[1] * (1.0 + 1e-12)


def test_on_one_joint_the_bound_is_as_near_for_many_turns_as_for_none():
    found = []
    for end in (1e-3, 100.0):
        t = np.array([0.0, end])
        motions = chain([2.0], t)
        found.append(speed_bound([1, 0], motions, t, centres(motions, 1, CENTRE), RADIUS))
    assert found[0] == pytest.approx(found[1], rel=1e-12)  # rounding

"""All closures of loops of hinges and slides: published counts, and no pose that Newton finds is
missed, wherever the loop stands and whatever its parts are called.

Lengths in mm.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.solver.modes.loop_poses import LoopJoint, loop_poses

CLOSE = 1e-6
"""What poses of a loop of hundreds of mm are compared with, mm."""


# ------------------------------------------------------------------ mechanisms
def link(a: float, d: float, twist: float, angle: float) -> np.ndarray:
    """Denavit and Hartenberg's matrix."""
    ca, sa, ct, st = math.cos(twist), math.sin(twist), math.cos(angle), math.sin(angle)
    rows = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st]]
    return np.array([*rows, [0, sa, ca, d], [0, 0, 0, 1]])


def chain(links: list[tuple[float, float, float]], angles: np.ndarray) -> list[np.ndarray]:
    """The frames of the joints along z, then that of the hand."""
    frames = [np.eye(4)]
    for (a, d, twist), angle in zip(links, angles, strict=True):
        frames.append(frames[-1] @ link(a, d, twist, angle))
    return frames


# R. Manseur and K. L. Doty, A robot manipulator with 16 real inverse kinematic solution sets, Int.
# J. Robotics Research 8 (1989) 75.  No copy was at hand: the numbers are as they are passed on, and
# that they have 16 real solutions is what is tested
MANSEUR_DOTY = [
    (a, d, math.radians(twist))
    for a, d, twist in ((0.3, 0, 90), (1.0, 0, 1), (0, 0.2, 90), (1.5, 0, 1), (0, 0, 90), (0, 0, 1))
]
HAND = np.array(
    [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
        [0, 0, 0, 1],
    ]
)


def as_arm(angles: np.ndarray, order: int = 1) -> list[LoopJoint]:
    """The joints of the arm at some angles, with its hand where it is held."""
    frames = chain(MANSEUR_DOTY, angles)
    left, _, right = np.linalg.svd(HAND[:3, :3])
    hand = HAND.copy()
    hand[:3, :3] = left @ right
    moved = hand @ np.linalg.inv(frames[6])
    end = np.concatenate([moved[:3, 3], moved[:3, :3].T.ravel()])
    joints = []
    for k, frame in enumerate(frames[:6]):
        ends, moves = (k, (k + 1) % 6), (None, end if k == 5 else None)
        joints.append(LoopJoint(*ends[::order], frame[:3, 2], frame[:3, 3], moves[::order]))
    return joints[::order]


def ring(
    seed: int, kinds: list[str], *, names: str = "abcdefgh", shuffled: bool = False, unit: float = 1
) -> asm.Assembly:
    """A loop of such joints that is closed where its parts stand; the first part is fixed."""
    rng = np.random.default_rng(seed)
    n = len(kinds)
    points, ways = 100 * unit * rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    out = asm.Assembly("ring", length=float(100 * unit)) if False else asm.Assembly("ring")
    order = rng.permutation(n) if shuffled else np.arange(n)
    for k in order.tolist():
        features = {
            "i": asm.Axis(tuple(points[k - 1]), tuple(ways[k - 1])),
            "o": asm.Axis(tuple(points[k]), tuple(ways[k])),
        }
        out.add(names[k], features=features, grounded=k == 0)
    for k in order[::-1].tolist():
        ends = f"{names[k]}.o", f"{names[(k + 1) % n]}.i"
        out.mate(kinds[k], *(ends[::-1] if shuffled and k % 2 else ends), name=f"joint {k}")
    return out


def stands(mode: asm.Mode, a: asm.Assembly) -> np.ndarray:
    """Where the features of all parts are, by the parts' names, (features, 3)."""
    every = []
    for name in sorted(a.parts):
        for feature in a.parts[name].features.values():
            every.append(mode.poses[name].apply(np.array(feature.frame[:3])))
    return np.array(every)


def same(one: list[np.ndarray], two: list[np.ndarray], near: float = CLOSE) -> bool:
    """Whether two sets of poses are the same."""
    away = np.array([[np.abs(p - q).max() for q in two] for p in one])
    return len(one) == len(two) and bool((away.min(axis=1) <= near).all())


# ------------------------------------------------------------------ one loop
@pytest.mark.parametrize(("seed", "order"), [(0, 1), (1, -1)])
def test_the_arm_of_manseur_and_doty_has_16_real_solutions_from_any_pose(seed: int, order: int):
    angles = np.random.default_rng(seed).uniform(-3, 3, size=6)
    found = loop_poses("space", as_arm(angles, order), [1, 2, 3, 4, 5])
    assert found is not None and found.complete
    assert (len(found.motions), found.solutions) == (16, 16)
    frames = chain(MANSEUR_DOTY, angles)
    # the axis of the last joint is where the hand holds it
    spun = HAND @ np.linalg.inv(link(*MANSEUR_DOTY[5], 0.0))
    for motion in found.motions[:, 4]:
        way = frames[5][:3, 2] @ motion[3:].reshape(3, 3)
        assert np.abs(way - (HAND @ np.linalg.inv(link(*MANSEUR_DOTY[5], 0)))[:3, 2]).max() <= 2e-6
        at = motion[:3] + frames[5][:3, 3] @ motion[3:].reshape(3, 3)
        assert np.abs(at - spun[:3, 3]).max() <= 2e-6  # the hand is given in six digits


@pytest.mark.parametrize(
    ("kinds", "solutions"),
    [
        (["revolute"] * 6, 16),
        (["revolute"] * 5 + ["prismatic"], 16),
        (["revolute", "prismatic", "revolute", "revolute", "prismatic", "revolute"], 8),
        (["revolute", "prismatic", "revolute", "prismatic", "prismatic", "revolute"], 2),
        (["cylindrical"] + ["revolute"] * 4, 16),
        (["spherical"] + ["revolute"] * 3, 4),
    ],
)
def test_a_loop_has_as_many_closures_as_theory_says(kinds: list[str], solutions: int):
    modes = asm.modes(ring(5, kinds))
    assert {m.solutions for m in modes} == {solutions}
    assert all(m.complete and not m.why for m in modes)
    assert len(modes) % 2 == 0  # complex ones come in pairs

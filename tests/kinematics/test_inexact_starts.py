"""Sweeps that begin folded, with features that are off by less than the tolerance.

The pose holds within the tolerance and two branches leave it: it is not looked for anew.
"""

from __future__ import annotations

import numpy as np
import pytest
from jets import Array

import assembly_solver as asm
from assembly_solver.verbs import sweeping

NAMES = ("frame", "crank", "coupler", "follower")
FLAT = {"crank": (0, 0, 0), "coupler": (50, 0, 0), "follower": (150, 0, 0), "frame": (100, 0, 0)}
"""Feet of the hinges of a parallelogram of 50 and 100 mm, by the part that hangs on each."""

ARCS = np.radians([0.0, 30.0, 80.0, 50.0])
"""Directions of the hinges of a spherical one, all in a plane."""

SIZE = 20.0
"""The characteristic lengths are 40 and 21 mm; poses that hold within the tolerance are as far from
a singular one as its root in these."""

MOST = 1e-2
"""Noise of 1e-5 mm and 1e-7 rad over the sine of the first state, 3 degrees, a hundredfold for the
arms and parts between, mm."""


def folded(shape: str, noise: float, seed: int, backward: bool = False) -> asm.Assembly:
    """A loop of four hinges, all links in line or in a plane; noise: 1 of 100 mm, and of 1 rad."""
    rng, a = np.random.default_rng(seed), asm.Assembly(shape)
    arcs = [np.array([np.cos(t), np.sin(t), 0.0]) for t in ARCS]
    feet = (
        [np.array(p, float) for p in FLAT.values()] if shape == "flat" else [60 * u for u in arcs]
    )
    axes = 4 * [np.array([0.0, 0.0, 1.0])] if shape == "flat" else arcs
    ends: dict[str, dict[str, asm.Frame]] = {n: {} for n in NAMES}
    for k, name in enumerate(NAMES):
        across = np.array([1.0, 0.0, 0.0]) if shape == "flat" else np.array([0.0, 0.0, 1.0])
        for part, end in ((name, "out"), (NAMES[(k + 1) % 4], "in")):
            off = noise * rng.uniform(-1, 1, (3, 3))
            ends[part][end] = asm.Frame(feet[k] + 100 * off[0], axes[k] + off[1], across + off[2])
    order = -1 if backward else 1
    for name in NAMES[::order]:
        a.add(name, grounded=name == "frame", features=ends[name])
    for k in range(4)[::order]:
        a.mate("revolute", f"{NAMES[k]}.out", f"{NAMES[(k + 1) % 4]}.in", name=f"j{k}")
    a.drive("motor", "j0", "angle")
    return a


def closures(shape: str, turn: float) -> Array:
    """The two places (2, 3) of the hinge of coupler and follower, mm, by the crank's turn, rad."""
    if shape == "flat":
        tip, foot = 50 * np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([100.0, 0.0, 0.0])
        gap = foot - tip
        along = 0.5 + (100.0**2 - 50.0**2) / (2 * gap @ gap)
        aside = np.sqrt(max(100.0**2 / (gap @ gap) - along**2, 0.0))
        return np.array([tip + along * gap + s * aside * np.cross((0, 0, 1), gap) for s in (1, -1)])
    u, v = np.array([1.0, 0.0, 0.0]), np.array([np.cos(ARCS[3]), np.sin(ARCS[3]), 0.0])
    low, high = ARCS[1], ARCS[2] - ARCS[1]
    tip = np.cos(low) * u + np.sin(low) * np.array([0.0, np.cos(turn), np.sin(turn)])
    middle = np.linalg.lstsq(np.array([tip, v]), np.cos([high, low]), rcond=None)[0]
    normal = np.cross(tip, v) / np.linalg.norm(np.cross(tip, v))
    aside = np.sqrt(max(1 - middle @ middle, 0.0))
    return np.array([60 * (middle + s * aside * normal) for s in (1, -1)])


@pytest.mark.parametrize("to", [60.0, -60.0])
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("shape", ["flat", "spherical"])
def test_a_sweep_that_begins_folded_stays_there_and_on_one_exact_branch(
    shape: str, seed: int, to: float
) -> None:
    """Of the order of parts and mates, by turns, too."""
    a = folded(shape, 1e-7, seed, backward=seed % 2 == 0)
    assert 1e-6 < asm.solve(a).residual < a.tolerance
    motion = asm.sweep(a, "motor", angle=(0, to), steps=20)
    assert motion.valid.all(), motion.sentence
    stays = np.sqrt(a.tolerance / SIZE)  # all parts were drawn at the origin
    assert np.abs(motion.frames[0, :, :3]).max() < stays * SIZE
    assert np.abs(motion.frames[0, :, 3:] - np.eye(3).ravel()).max() < stays
    arc = 60 * np.array([np.cos(ARCS[2]), np.sin(ARCS[2]), 0.0])
    hinge = np.array(FLAT["follower"]) if shape == "flat" else arc
    frames = motion.frames[1:, motion.parts.index("follower")]
    places = frames[:, :3] + hinge @ frames[:, 3:].reshape(-1, 3, 3)
    exact = np.array([closures(shape, t) for t in np.radians(np.linspace(0, to, 21)[1:])])
    away = np.linalg.norm(places[:, None] - exact, axis=2)
    same = np.sign(away[:, 0] - away[:, 1])
    assert away.min(axis=1).max() < MOST
    assert len(set(same.tolist())) == 1


def test_where_no_smooth_way_is_found_the_change_point_is_told_and_the_first_state_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweeping, "EARLIER", ())
    motion = asm.sweep(folded("flat", 1e-7, 1), "motor", angle=(0, 60), steps=5)
    assert motion.valid.tolist() == [True, *(5 * [False])]
    assert np.abs(motion.frames[0, :, :3]).max() == 0.0
    assert motion.stopped is not None and motion.stopped.kind == "change point"
    assert motion.stopped.words == (
        "the first state is a change point, at motor 0 deg, where branches meet within the "
        "tolerance: coupler and follower are in line at j2; velocities are not defined there, and "
        "no smooth way through it is found: begin a little beside it, on the one that is meant"
    )

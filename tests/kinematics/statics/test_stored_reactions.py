"""Reactions that OndselSolver stored with its motions, against ours in the same states.

It keeps rows until they are independent, so that of forces which share a load it tells one split;
what is compared is what equilibrium determines.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from asmt_cases import Reaction, Stored, read, stored, stored_in_original
from facts import originals
from loaded_linkages import told
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.results.motion import Motion

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

NAMES = ("piston", "fourbar")
MM = 1e3
"""These files are in SI units."""

CLOSE = 1e-9
"""Share of the largest: what is stored has 14 digits, its states closed to about 1e-12."""


Known = tuple[Motion, dict[str, Reaction]]


def states(name: str, known: Stored) -> Motion:
    """The stored motion of a file, its crank at a turn for each second."""
    a, t = read(name), known.times
    frames = np.zeros((len(t), len(a.parts), 12))
    frames[:, :, [3, 7, 11]] = 1.0
    twists, accelerations = (np.zeros((len(t), len(a.parts), 6)) for _ in range(2))
    for k, part in enumerate(a.parts):
        if part in known.parts:
            s = known.parts[part]
            frames[:, k, :3] = MM * s.position
            frames[:, k, 3:] = s.rotation.transpose(0, 2, 1).reshape(-1, 9)
            twists[:, k] = np.hstack([MM * s.velocity, s.spin])
            accelerations[:, k] = np.hstack([MM * s.acceleration, s.spin_rate])
    turns = {driver: 360 * t for driver in a.drivers}
    return told(a, t, frames, twists, accelerations, **turns)


def in_their_states(name: str) -> Known:
    """Forces in the states that stand among the facts."""
    return states(name, stored(name)), stored(name).joints


def in_all_their_states(name: str) -> Known:
    """Forces in every state of the original file."""
    known = stored_in_original(name)
    return states(name, known), known.joints


def in_our_states(name: str) -> Known:
    """Forces of our own motion at the known times."""
    known = stored(name)
    times = (known.start, known.end)
    whole = asm.sweep(read(name), time=times, steps=known.frames - 1)
    n = known.picked
    turns = {driver: 360 * whole.t[n] for driver in whole.assembly.drivers}
    arrays = (whole.frames[n], whole.twists[n], whole.accelerations[n])
    return told(whole.assembly, whole.t[n], *arrays, **turns), known.joints


SOURCES = [in_their_states, in_our_states, pytest.param(in_all_their_states, marks=originals)]


def first_marker(moving: Motion, mate: asm.Mate) -> Array:
    """Where the origin of a mate's first feature is, (n, 3), mm."""
    part = moving.assembly.parts[mate.a.part]
    frames = moving.frames[:, list(moving.assembly.parts).index(part.name)]
    own = np.array(part.feature(mate.a.feature).frame[:3])
    out: Array = frames[:, :3] + own @ frames[:, 3:].reshape(-1, 3, 3)
    return out


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NAMES)
def test_joints_and_motors_carry_what_is_stored(name: str, source: Callable[[str], Known]) -> None:
    moving, theirs = source(name)
    found = asm.forces(moving, inertia=True)
    assert bool(found)
    ((motor, driver),) = found.drivers.items()
    worst = np.abs(theirs[motor].torque).max()
    np.testing.assert_allclose(driver.value / MM, -theirs[motor].torque[:, 2], atol=CLOSE * worst)
    known_ones = 0
    for joint, ours in found.reactions.items():
        reach = first_marker(moving, moving.assembly.mates[joint])
        force, stored_force = -ours.force, theirs[joint].force
        torque = -(ours.torque + np.cross(ours.point - reach, ours.force)) / MM
        for mine, given in ((force, stored_force), (torque, theirs[joint].torque)):
            known = np.isfinite(mine)
            known_ones += int(known.all(axis=0).sum())
            limit = CLOSE * np.abs(stored_force).max()
            np.testing.assert_allclose(mine[known], given[known], atol=limit, rtol=0)
    assert known_ones >= 4 * 3  # of each joint two forces in the plane, and the torque at its pin


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NAMES)
def test_their_motions_balance_in_power(name: str, source: Callable[[str], Known]) -> None:
    power = asm.forces(source(name)[0], inertia=True).power
    assert power is not None
    assert np.abs(power.left).max() <= CLOSE * np.abs(power.inertia).max()

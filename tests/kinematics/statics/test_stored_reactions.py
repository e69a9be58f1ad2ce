"""Reactions that OndselSolver stored with its motions, against ours in the same states.

It keeps rows until they are independent, so that of forces which share a load it tells one split;
what is compared is what equilibrium determines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from asmt_cases import case, read, stored
from loaded_linkages import told
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.results.motion import Motion

Array = NDArray[np.float64]

NAMES = ("piston.asmt", "fourbar.asmt")
MM = 1e3
"""These files are in SI units."""

CLOSE = 1e-9
"""Share of the largest: what is stored has 14 digits, its states closed to about 1e-12."""


class Stored(NamedTuple):
    """What a joint or a motion does to its first marker, in the world's axes: N, N m, (n, 3)."""

    force: Array
    torque: Array


def reactions(name: str) -> dict[str, Stored]:
    """The series of joints and motions of a file."""
    lines = case(name).read_text(encoding="utf-8").split("\n")
    found = {}
    for number in range(lines.index("TimeSeries"), len(lines)):
        if "JointSeries" in lines[number] or "MotionSeries" in lines[number]:
            rows = [line.split()[2:] for line in lines[number + 1 : number + 7]]
            values = np.array(rows, float).T
            found[lines[number].split("/")[-1].strip()] = Stored(values[:, :3], values[:, 3:])
    return found


def states(name: str) -> Motion:
    """The stored motion of a file, its crank at a turn for each second."""
    a = read(name)
    t, series = stored(name)
    frames = np.zeros((len(t), len(a.parts), 12))
    frames[:, :, [3, 7, 11]] = 1.0
    twists, accelerations = (np.zeros((len(t), len(a.parts), 6)) for _ in range(2))
    for k, part in enumerate(a.parts):
        if part in series:
            s = series[part]
            frames[:, k, :3] = MM * s.position
            frames[:, k, 3:] = s.rotation.transpose(0, 2, 1).reshape(-1, 9)
            twists[:, k] = np.hstack([MM * s.velocity, s.spin])
            accelerations[:, k] = np.hstack([MM * s.acceleration, s.spin_rate])
    turns = {driver: 360 * t for driver in a.drivers}
    return told(a, t, frames, twists, accelerations, **turns)


def swept(name: str) -> Motion:
    """Our own motion at the stored times."""
    t, _ = stored(name)
    return asm.sweep(read(name), time=(t[0], t[-1]), steps=len(t) - 1)


def first_marker(moving: Motion, mate: asm.Mate) -> Array:
    """Where the origin of a mate's first feature is, (n, 3), mm."""
    part = moving.assembly.parts[mate.a.part]
    frames = moving.frames[:, list(moving.assembly.parts).index(part.name)]
    own = np.array(part.feature(mate.a.feature).frame[:3])
    out: Array = frames[:, :3] + own @ frames[:, 3:].reshape(-1, 3, 3)
    return out


@pytest.mark.parametrize("motion", [states, swept])
@pytest.mark.parametrize("name", NAMES)
def test_joints_and_motors_carry_what_is_stored(name: str, motion: Callable[[str], Motion]) -> None:
    moving, theirs = motion(name), reactions(name)
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


@pytest.mark.parametrize("motion", [states, swept])
@pytest.mark.parametrize("name", NAMES)
def test_their_motions_balance_in_power(name: str, motion: Callable[[str], Motion]) -> None:
    power = asm.forces(motion(name), inertia=True).power
    assert power is not None
    assert np.abs(power.left).max() <= CLOSE * np.abs(power.inertia).max()

"""Velocities are the differences of positions, accelerations those of velocities, of anything.

Central differences of a fourth-order stencil over five states, half a degree (or mm) of the driver
apart: their error is the fifth derivative times the fourth power of the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from builders import PLANAR
from hypothesis import HealthCheck, given, settings, strategies as st
from jets import Array
from mechanisms import bennett, random_pose, rssr, sarrus
from spatial import Rssr, shaft_line, spatial_slider_crank

import assembly_solver as asm
from benchmarks import families

STEP, SPEED = 0.25, 30.0
FIVE = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12
SMALL = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])


def differences(values: Array, h: float) -> Array:
    """Derivative in the middle of five states."""
    return np.tensordot(FIVE, values, axes=(0, 0)) / h


def assert_rates_are_differences(motion: asm.Motion) -> None:
    """Of origins, of axes (by spin x axis) and of the twists themselves, for all parts."""
    assert motion, motion.sentence
    assert len(motion.t) == 5
    h = float(motion.t[1] - motion.t[0])
    twist, acc = motion.twists[2], motion.accelerations[2]
    frames = motion.frames.reshape(5, -1, 4, 3)
    size = max(1.0, float(np.abs(motion.twists).max()))
    rate = differences(frames, h)
    spin, spin_rate = twist[:, 3:], acc[:, 3:]
    assert np.abs(rate[:, 0] - twist[:, :3]).max() < 1e-5 * size
    for k in (1, 2, 3):
        carried = np.cross(spin, frames[2, :, k])
        assert np.abs(rate[:, k] - carried).max() < 1e-5 * size
    bound = max(size, float(np.abs(motion.accelerations).max()))
    jolt = differences(motion.twists, h)
    assert np.abs(jolt[:, :3] - acc[:, :3]).max() < 1e-5 * bound
    assert np.abs(jolt[:, 3:] - spin_rate).max() < 1e-5 * bound


def near(a: asm.Assembly, middle: float, driver: str = "input") -> asm.Motion:
    """Five states about a value of the driver."""
    values = [middle + k * STEP for k in (-2, -1, 0, 1, 2)]
    return asm.sweep(a, {driver: values}, speed=SPEED)


@pytest.mark.parametrize("name", PLANAR)
@SMALL
@given(share=st.floats(0.1, 0.9))
def test_rates_of_planar_mechanisms_are_differences(name: str, share: float) -> None:
    m = PLANAR[name]
    low, high = m.range
    at = low + share * (high - low)
    assert_rates_are_differences(near(m.build(at), at))


def driven(make: Callable[[], asm.Assembly], joint: str) -> Callable[[float], asm.Assembly]:
    """A mechanism of `mechanisms`, driven at a joint from where it stands."""

    def build(_: float) -> asm.Assembly:
        a = make()
        a.drive("input", joint, "angle")
        return a

    return build


SPATIAL: dict[str, Callable[[float], asm.Assembly]] = {
    "slider-crank": spatial_slider_crank,
    "shafts": lambda at: shaft_line((25.0, 35.0, -20.0), (10.0, 60.0, -30.0), at),
    "rssr": lambda at: Rssr().build(at),
    "rssr of hinges across": driven(rssr, "revolute 1"),
    "bennett": driven(bennett, "revolute 1"),
    "sarrus": driven(sarrus, "revolute 1"),
}


@pytest.mark.parametrize("name", SPATIAL)
@SMALL
@given(turn=st.floats(2.0, 20.0), seed=st.integers(0, 99))
def test_rates_of_spatial_mechanisms_are_differences(name: str, turn: float, seed: int) -> None:
    """Anywhere in the world, with their origins anywhere."""
    a = SPATIAL[name](turn)
    by = random_pose(np.random.default_rng(seed))
    a.move({part: by @ p.pose for part, p in a.parts.items()})
    assert_rates_are_differences(near(a, turn))


@pytest.mark.parametrize("name", ["fourbar", "ladder(3)", "scissor(2)"])
def test_rates_of_assemblies_of_mates_are_differences(name: str) -> None:
    """Made of coaxial and coplanar mates as CAD has them, from a start that is not assembled."""
    a = families.assembly(families.named(name, noise=0.3))
    solved = asm.solve(a).require()
    solved.apply()
    coaxial = next(m for m in a.mates.values() if m.kind == "coaxial")
    a.drive("input", coaxial, "angle")
    assert_rates_are_differences(near(a, start_angle(a, coaxial)))


def start_angle(a: asm.Assembly, coaxial: asm.Mate) -> float:
    """The angle of a joint where the assembly stands, degrees: x of b from x of a about z of a."""
    held = a.held[coaxial.name]
    frames = []
    for ref in (held.mate.a, held.mate.b):
        frame = np.array(a.parts[ref.part].feature(ref.feature).frame).reshape(4, 3)
        frames.append(frame[1:] @ a.parts[ref.part].pose.rotation.T)
    (x, y, _), (xb, _, _) = frames
    return math.degrees(math.atan2(float(xb @ y), float(xb @ x)))

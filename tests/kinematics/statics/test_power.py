"""Work and energy over sweeps: what drivers do is what loads, weights and masses take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from loaded_linkages import bare
from numpy.typing import NDArray
from scipy.integrate import simpson

import assembly_solver as asm
from assembly_solver.results.motion import Motion

Array = NDArray[np.float64]

G = 9.81
TENSOR = ((9e3, 1e3, 0), (1e3, 8e3, 0), (0, 0, 7e3))
BALANCED = 1e-9
"""Share of the largest power: what rounding of velocities and accelerations leaves is less."""


def sample(name: str) -> asm.Assembly:
    """A sample whose parts all have a mass, off their origins."""
    a = bare(name)
    for k, part in enumerate(a.parts):
        a.set_mass(part, asm.Mass(2 + k, (30, 5 * k, -8), TENSOR))
    a.gravity = (1, -G, 3)
    return a


def slider_crank() -> Motion:
    a = sample("slider_crank")
    a.load("piston.wrist pin", force=(-500, 20, 0), torque=(0, 0, 300))
    a.load("connecting rod.big end", force=(0, 70, 0), axes="connecting rod", name="on the rod")
    return asm.sweep(a, "crank", angle=(0, 360), steps=24, speed=900)


def excavator() -> Motion:
    a = sample("excavator")
    a.load("bucket.bracket pin", force=(0, -2000, 0), axes="bucket")
    boom, tilt = np.linspace(1000, 1250, 12), np.linspace(1250, 1500, 12)
    return asm.sweep(a, {"boom cylinder": boom, "bucket cylinder": tilt}, speed=1500)


def four_bar() -> Motion:
    a = sample("four_bar")
    a.spring("ground.x", "coupler.y", stiffness=0.3, length=20, force=5)
    a.load("coupler.x", force=(3, 4, 5), torque=(100, 200, 300), axes="crank")
    return asm.sweep(a, "crank", angle=(20, 380), steps=30, speed=500)


@pytest.mark.parametrize("swept", [slider_crank, excavator, four_bar])
@pytest.mark.parametrize("inertia", [True, False])
def test_power_is_balanced_over_a_sweep(swept: Callable[[], Motion], inertia: bool) -> None:
    motion = swept()
    found = asm.forces(motion, inertia=inertia)
    assert bool(motion) and bool(found)
    power = found.power
    assert power is not None
    largest = max(np.abs(x).max() for x in power)
    assert (np.abs(power.inertia).max() > 1e-2 * largest) == inertia
    assert np.abs(power.left).max() <= BALANCED * largest


def energy(motion: Motion) -> Array:
    """Kinetic and potential energy of all parts in each state, J, from poses and velocities."""
    total = np.zeros(len(motion.t))
    for name, part in motion.assembly.parts.items():
        mass = part.mass
        assert mass is not None
        k = motion.parts.index(name)
        axes = motion.frames[:, k, 3:].reshape(-1, 3, 3)
        arm = np.array(mass.centre) @ axes
        spin = motion.twists[:, k, 3:]
        v = motion.twists[:, k, :3] + np.cross(spin, arm)
        own = np.einsum("nij,nj->ni", axes, spin)
        turning = np.einsum("ni,ij,nj->n", own, mass.tensor, own)
        height = (motion.frames[:, k, :3] + arm) @ np.array(motion.assembly.gravity)
        total += 0.5e-6 * (mass.kg * np.sum(v**2, axis=1) + turning) - 1e-3 * mass.kg * height
    return total


def test_the_work_of_a_crank_is_the_energy_that_the_parts_gain() -> None:
    """Torque integrated over half a turn; Simpson's rule with 360 steps errs by about 1e-8."""
    a = sample("slider_crank")
    motion = asm.sweep(a, "crank", angle=(10, 190), steps=360, speed=900)
    torque = asm.forces(motion, inertia=True).drivers["crank"].value  # N mm
    angle = np.radians(motion.driven["crank"].value)
    work = 1e-3 * np.array([simpson(torque[: k + 1], x=angle[: k + 1]) for k in (120, 240, 360)])
    gained = (energy(motion) - energy(motion)[0])[[120, 240, 360]]
    np.testing.assert_allclose(work, gained, atol=1e-6 * np.ptp(energy(motion)))


def test_what_is_not_driven_and_would_fall_is_told_in_every_state() -> None:
    a = sample("excavator")
    a.set_driver("bucket cylinder", None)
    found = asm.forces(asm.sweep(a, "boom cylinder", separation=(1050, 1100), steps=4))
    assert not found.balanced.any()
    assert found.sentence.startswith("not in equilibrium in all 5 states: ")
    assert "bucket rod" in found.loose[0].parts
    assert np.isnan(found.drivers["boom cylinder"].value).all()

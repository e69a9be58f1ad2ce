"""Inverse dynamics in states that are told: the torque of a motor, what bearings take, power."""

from __future__ import annotations

import numpy as np
import pytest
from loaded_linkages import frame, pin, told, turning
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import assembly_solver as asm

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

G = 9.81
T = np.linspace(0.0, 1.5, 7)
ANGLE = (0.3 + 2 * T + 1.5 * T**2, 2 + 3 * T, np.full_like(T, 3.0))
"""Angle, rate and acceleration of what turns, rad."""
CLOSE = {"rtol": 1e-11, "atol": 1e-9}
"""Rounding: the states are exact."""


def arm(inertia: tuple[float, float, float] = (0, 0, 5000)) -> asm.Assembly:
    """2 kg with its centre 300 mm out on a hinge along z, gravity down y."""
    a = frame(pin=pin(0))
    a.add(
        "arm",
        features={"pin": pin(0), "end": asm.Point((500, 0, 0))},
        mass=asm.Mass(2, (300, 0, 0), inertia),
    )
    a.mate("revolute", "frame.pin", "arm.pin", name="hinge")
    a.drive("motor", "hinge", value=0)
    a.gravity = (0, -G, 0)
    return a


def carried() -> Array:
    """What the hinge gives to the arm, N: mass times acceleration of its centre, less gravity."""
    angle, rate, acc = ANGLE
    out = np.stack([np.cos(angle), np.sin(angle), 0 * T], axis=1)
    across = np.stack([-np.sin(angle), np.cos(angle), 0 * T], axis=1)
    a: Array = 0.3 * (acc[:, None] * across - rate[:, None] ** 2 * out)  # m/s2
    a[:, 1] += G
    return 2 * a


def test_a_motor_lifts_and_accelerates_its_arm() -> None:
    """Torque = m g r cos + (I + m r^2) alpha; hinge = m (a - g) of the centre; N mm and N."""
    found = asm.forces(turning(arm(), "motor", T, ANGLE), inertia=True)
    angle, _, acc = ANGLE
    lift = 2 * G * 300 * np.cos(angle)
    turn = (5000 + 2 * 300**2) * acc * 1e-3
    np.testing.assert_allclose(found.drivers["motor"].value, lift + turn, **CLOSE)
    np.testing.assert_allclose(found.reactions["hinge"].force, carried(), **CLOSE)
    assert found.balanced.all()
    assert found.sentence.startswith("in dynamic equilibrium in all 7 states; motor up to ")


def test_standing_in_each_state_leaves_out_what_is_accelerated() -> None:
    found = asm.forces(turning(arm(), "motor", T, ANGLE))
    np.testing.assert_allclose(
        found.drivers["motor"].value, 2 * G * 300 * np.cos(ANGLE[0]), **CLOSE
    )
    assert found.sentence.startswith("in equilibrium in all 7 states; ")


def test_drivers_loads_gravity_and_inertia_balance_in_power() -> None:
    a = arm()
    a.load("arm.end", force=(0, -40, 0), torque=(0, 0, 900))
    a.load("arm.end", force=(7, 3, 0), axes="arm", name="along the arm")
    found = asm.forces(turning(a, "motor", T, ANGLE), inertia=True)
    assert found.power is not None
    rate = ANGLE[1]
    np.testing.assert_allclose(
        found.power.drivers, found.drivers["motor"].value * rate * 1e-3, **CLOSE
    )
    kinetic = (5000 + 2 * 300**2) * 1e-6 * rate * ANGLE[2]  # d/dt of I w^2 / 2, W
    np.testing.assert_allclose(found.power.inertia, -kinetic, **CLOSE)
    np.testing.assert_allclose(found.power.gravity, -2 * G * 0.3 * rate * np.cos(ANGLE[0]), **CLOSE)
    np.testing.assert_allclose(found.power.left, 0, atol=1e-12 * abs(found.power.drivers).max())


def test_a_spinning_disc_that_is_turned_about_pushes_on_its_bearing() -> None:
    """Spin w about x, turned with W about z: its bearing gives I w W about y; N mm."""
    a = frame(post=pin(0))
    axle = asm.Axis((0, 0, 0), "x")
    a.add("yoke", features={"post": pin(0), "axle": axle})
    a.add("disc", features={"axle": axle}, mass=asm.Mass(3, (0, 0, 0), (8000, 4000, 4000)))
    a.mate("revolute", "frame.post", "yoke.post", name="post")
    a.mate("revolute", "yoke.axle", "disc.axle", name="axle")
    a.drive("turn", "post", value=0)
    a.drive("spin", "axle", value=0)
    t, turn, spin = np.array([0.0, 0.2]), 4.0, 60.0
    frames = np.zeros((2, 3, 12))
    twists, acc = np.zeros((2, 3, 6)), np.zeros((2, 3, 6))
    for k, now in enumerate(t):
        yoke = Rotation.from_rotvec([0, 0, turn * now])
        disc = yoke * Rotation.from_rotvec([spin * now, 0, 0])
        for j, r in enumerate((Rotation.identity(), yoke, disc)):
            frames[k, j, 3:] = r.as_matrix().T.ravel()
        x = yoke.apply([1.0, 0, 0])
        twists[k, 1:, 5] = turn
        twists[k, 2, 3:] += spin * x
        acc[k, 2, 3:] = np.cross([0, 0, turn], spin * x)
    degrees = {"turn": np.degrees(turn * t), "spin": np.degrees(spin * t)}
    found = asm.forces(told(a, t, frames, twists, acc, **degrees), inertia=True)
    across = np.cross([0, 0, 1.0], frames[:, 1, 3:6])  # the axle's own y
    expected = 8000e-3 * spin * turn * across
    np.testing.assert_allclose(found.reactions["axle"].torque, expected, **CLOSE)
    np.testing.assert_allclose(found.drivers["turn"].value, 0, atol=1e-9)
    assert found.place(1) == "turn = 45.8366 deg and spin = 687.549 deg"  # 0.8 and 12 rad


def test_states_that_are_not_closed_have_no_forces_and_spoil_no_others() -> None:
    states = turning(arm(), "motor", T, ANGLE)
    states.valid[3] = False
    for values in (states.frames, states.twists, states.accelerations):
        values[3] = np.nan
    found = asm.forces(states, inertia=True)
    assert np.flatnonzero(np.isnan(found.drivers["motor"].value)).tolist() == [3]
    assert found.balanced.tolist() == [True, True, True, False, True, True, True]
    assert "in dynamic equilibrium in 6 of 7 states" in found.sentence
    assert not found


def test_the_largest_force_is_told_with_the_drivers_value() -> None:
    found = asm.forces(turning(arm(), "motor", T, ANGLE), inertia=True)
    sizes = np.linalg.norm(carried(), axis=1)
    worst = int(np.argmax(sizes))
    assert found.largest == ("hinge", pytest.approx(sizes[worst]), worst)
    assert found.place(worst) == f"motor = {np.degrees(ANGLE[0][worst]):.6g} deg"
    assert f"(hinge, {found.place(worst)})" in found.sentence

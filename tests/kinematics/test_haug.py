"""Examples of E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, chapter 4.

The judge is the book's own way in the plane: coordinates x, y, phi of each body, its equations,
velocities from J v = nu and accelerations from J a = gamma.  One unit of the book is 100 mm.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import frames, ground, pins
from jets import Array, off

import assembly_solver as asm

pytestmark = pytest.mark.quick

UNIT = 100.0
OMEGA = 1.5  # rad/s
STEPS = 40


def spun(a: asm.Assembly, first: float, last: float) -> asm.Motion:
    """The crank driven at the constant speed."""
    speed = math.degrees(OMEGA)
    motion = asm.sweep(a, {"input": (first, last)}, steps=STEPS, speed=speed)
    assert motion, motion.sentence
    return motion


def coordinates(motion: asm.Motion, parts: tuple[str, ...]) -> tuple[Array, Array, Array]:
    """x, y, phi of the parts with their rates and second derivatives, (states, 3 x parts)."""
    values, rates, accs = [], [], []
    for part in parts:
        track = motion.part(part)
        q = track.quaternion_wxyz
        phi = 2 * np.arctan2(q[:, 3], q[:, 0])
        phi = np.angle(np.exp(1j * phi))
        values.append(np.column_stack([track.position[:, :2] / UNIT, phi]))
        rates.append(np.column_stack([track.velocity[:, :2] / UNIT, np.radians(track.spin[:, 2])]))
        spin_rate = np.radians(track.spin_rate[:, 2])
        accs.append(np.column_stack([track.acceleration[:, :2] / UNIT, spin_rate]))
    return np.hstack(values), np.hstack(rates), np.hstack(accs)


def centred(
    name: str,
    bodies: dict[str, tuple[float, float, float]],
    halves: dict[str, float],
    pivots: dict[str, tuple[float, float]],
) -> asm.Assembly:
    """Crank, coupler and rocker, each with its origin in its middle and a pin on either side."""
    a = asm.Assembly(name)
    ground(a, **{k: (UNIT * x, UNIT * y) for k, (x, y) in pivots.items()})
    for part, (x, y, phi) in bodies.items():
        half = UNIT * halves[part]
        pose = asm.Pose.from_axis((UNIT * x, UNIT * y, 0), (0, 0, 1), math.degrees(phi))
        a.add(part, pose=pose, features=frames({"near": (-half, 0.0), "far": (half, 0.0)}))
    pins(a, ("R1", "frame.o", "crank.near"), ("R2", "crank.far", "coupler.near"))
    pins(a, ("R3", "coupler.far", "rocker.far"), ("R4", "frame.d", "rocker.near"))
    a.drive("input", "R1", "angle")
    return a


# ------------------------------------------------------------------ example 4.2.1

AT_60 = (
    0.5,
    0.866025403784,
    1.047197551197,
    2.927050983125,
    2.267283942229,
    0.270918520456,
    3.427050983125,
    1.401258538444,
    0.776279030740,
)
"""The three moving bodies with the crank at 60 degrees."""

PAIRS = (
    # (body or None for the frame, local x of the pin) twice, as in the book: s_i and s_j
    ((None, 0.0), (0, -1.0)),
    ((0, 1.0), (1, -2.0)),
    ((1, 2.0), (2, 2.0)),
    ((2, -2.0), (None, 2.0)),
)


def revolutes(q: Array, v: Array) -> tuple[Array, Array]:
    """Jacobian (9 x 9) and gamma of four revolutes and the driver phi_1 - omega t.

    (4.2.6): for a pin at x_P on the x axis of a body, the row x has 1 and -x_P sin(phi), the row
    y has 1 and x_P cos(phi), negative for the first body; gamma = A_j s_j phi_j'^2 - A_i s_i
    phi_i'^2.
    """
    jacobian, gamma = np.zeros((9, 9)), np.zeros(9)
    for k, pair in enumerate(PAIRS):
        for sign, (body, x) in zip((-1.0, 1.0), pair, strict=True):
            if body is None:
                continue
            c, s = math.cos(q[3 * body + 2]), math.sin(q[3 * body + 2])
            rows, columns = slice(2 * k, 2 * k + 2), slice(3 * body, 3 * body + 3)
            jacobian[rows, columns] = sign * np.array([[1, 0, -x * s], [0, 1, x * c]])
            gamma[rows] += sign * x * v[3 * body + 2] ** 2 * np.array([c, s])
    jacobian[8, 2] = 1.0
    return jacobian, gamma


def test_example_4_2_1_has_the_coordinates_the_velocities_and_the_accelerations_of_the_book() -> (
    None
):
    """Positions as printed (12 digits), then J v = nu and J a = gamma at every state."""
    bodies = {
        name: AT_60[3 * k : 3 * k + 3] for k, name in enumerate(("crank", "coupler", "rocker"))
    }
    halves = {"crank": 1.0, "coupler": 2.0, "rocker": 2.0}
    a = centred("4.2.1", bodies, halves, {"o": (0, 0), "d": (2, 0)})
    q, v, acc = coordinates(spun(a, 40, 80), tuple(bodies))
    assert off(q[STEPS // 2], AT_60) < 1e-12
    for k in range(STEPS + 1):
        jacobian, gamma = revolutes(q[k], v[k])
        nu = np.array([0.0] * 8 + [OMEGA])
        assert off(v[k], np.linalg.solve(jacobian, nu)) < 1e-10
        assert off(acc[k], np.linalg.solve(jacobian, gamma)) < 1e-9


# ------------------------------------------------------------------ example 4.5.3

ROOT = (1.047197551197, 4.949489742783, 4.012289773726, 0.183761866144, 0.863435685052)
"""phi_1, x_2, y_2, phi_2, phi_3 with the crank at 60 degrees; x_2 is 5/2 + the root of 6."""


def loop(q: Array, v: Array) -> tuple[Array, Array]:
    """Jacobian and gamma of the five equations in phi_1, x_2, y_2, phi_2, phi_3.

    x_2 - 4 c_1 - 3 c_2, y_2 - 4 s_1 - 3 s_2, x_2 + 3 c_2 - 6 c_3 - 4, y_2 + 3 s_2 - 6 s_3, and
    phi_1 - omega t.
    """
    (s1, s2, s3), (c1, c2, c3) = np.sin(q[[0, 3, 4]]), np.cos(q[[0, 3, 4]])
    w1, w2, w3 = v[[0, 3, 4]] ** 2
    jacobian = np.array(
        [
            [4 * s1, 1, 0, 3 * s2, 0],
            [-4 * c1, 0, 1, -3 * c2, 0],
            [0, 1, 0, -3 * s2, 6 * s3],
            [0, 0, 1, 3 * c2, -6 * c3],
            [1, 0, 0, 0, 0],
        ]
    )
    gamma = [
        -4 * c1 * w1 - 3 * c2 * w2,
        -4 * s1 * w1 - 3 * s2 * w2,
        3 * c2 * w2 - 6 * c3 * w3,
        3 * s2 * w2 - 6 * s3 * w3,
        0.0,
    ]
    return jacobian, np.array(gamma)


def test_example_4_5_3_has_the_root_and_the_rates_of_its_five_equations() -> None:
    phi1, x2, y2, phi2, phi3 = ROOT
    c3, s3 = math.cos(phi3), math.sin(phi3)
    bodies = {
        "crank": (2 * math.cos(phi1), 2 * math.sin(phi1), phi1),
        "coupler": (x2, y2, phi2),
        "rocker": (4 + 3 * c3, 3 * s3, phi3),
    }
    halves = {"crank": 2.0, "coupler": 3.0, "rocker": 3.0}
    a = centred("4.5.3", bodies, halves, {"o": (0, 0), "d": (4, 0)})
    whole = [each[:, [2, 3, 4, 5, 8]] for each in coordinates(spun(a, 40, 80), tuple(bodies))]
    q, v, acc = whole
    assert off(q[STEPS // 2], ROOT) < 1e-12
    assert abs(q[STEPS // 2][1] - (2.5 + math.sqrt(6))) < 1e-12
    for k in range(STEPS + 1):
        jacobian, gamma = loop(q[k], v[k])
        nu = np.array([0.0, 0.0, 0.0, 0.0, OMEGA])
        assert off(v[k], np.linalg.solve(jacobian, nu)) < 1e-10
        assert off(acc[k], np.linalg.solve(jacobian, gamma)) < 1e-9

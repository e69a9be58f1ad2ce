"""Andrews' squeezer, the seven-body mechanism of the IVP test set, driven at its crank.

Source: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem "Andrews'
squeezing mechanism": geometry, the angles at t = 0 and angles, velocities and accelerations at
t = 0.03 s.  The numbers are of the forward dynamics: with the crank driven as there, the other six
angles follow from geometry alone.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import frames, ground, pins
from jets import Array, off
from mechanisms import worst_gap

import assembly_solver as asm

pytestmark = pytest.mark.quick

A, B = (-69.34, -2.27), (-36.35, 32.73)
D, E, RR, SS, U, ZF, ZT = 28.0, 20.0, 7.0, 35.0, 40.0, 20.0, 40.0  # mm

NAMES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
FIRST = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
END = 0.03
POSITION = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
VELOCITY = (
    1139.920302151208,
    -1424.379294994111,
    11.03291221937134,
    19.29337464421385,
    0.5735699284790808,
    -19.29337464421385,
    0.3231791658026955,
)
ACCELERATION = (
    -24631.76316945196,
    51850.37701610329,
    324102.5686413781,
    566749.3645176213,
    16743.62929479361,
    -566749.3645176222,
    9826.520791458422,
)

JOINTS = {
    "beta": "O",
    "Theta": "F",
    "gamma": "B",
    "Phi": "G",
    "delta": "A5",
    "Omega": "H",
    "epsilon": "A7",
}
"""The joint whose angle each of the seven is."""

BARS = {
    # part: the angle of its x axis, as the sum of these; its pins
    "K1": (("beta",), {"o": (0.0, 0.0), "f": (RR, 0.0)}),
    "K2": (("beta", "Theta"), {"f": (0.0, 0.0), "e": (-D, 0.0)}),
    "K3": (("gamma",), {"b": (0.0, 0.0), "e": (0.0, -SS)}),
    "K4": (("Phi", "delta"), {"g": (0.0, 0.0), "e": (0.0, -E)}),
    "K5": (("delta",), {"a": (0.0, 0.0), "g": (ZT, 0.0)}),
    "K6": (("Omega", "epsilon"), {"h": (0.0, 0.0), "e": (ZF, 0.0)}),
    "K7": (("epsilon",), {"a": (0.0, 0.0), "h": (0.0, -U)}),
}


def law() -> str:
    """The cubic (degrees) from the first angle to the known angle, velocity and acceleration."""
    x, v, a = (n[0] for n in (POSITION, VELOCITY, ACCELERATION))
    c = (x - v * END + a * END**2 / 2 - FIRST[0]) / END**3
    terms = (math.degrees(k) for k in (x, v, a / 2, c))
    return " + ".join(f"({k!r})*(t - {END})^{n}" for n, k in enumerate(terms))


def squeezer() -> asm.Assembly:
    """All seven bodies as they are at t = 0."""
    q = dict(zip(NAMES, FIRST, strict=True))
    turn = {part: sum(q[n] for n in angles) for part, (angles, _) in BARS.items()}

    def spot(part: str, pin: str, origin: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
        (x, y), t = BARS[part][1][pin], turn[part]
        c, s = math.cos(t), math.sin(t)
        return origin[0] + c * x - s * y, origin[1] + s * x + c * y

    f = spot("K1", "f")
    starts = {"K1": (0.0, 0.0), "K2": f, "K3": B, "K4": spot("K5", "g", A), "K5": A}
    starts |= {"K6": spot("K7", "h", A), "K7": A}
    a = asm.Assembly("squeezer")
    ground(a, o=(0.0, 0.0), a=A, b=B)
    for part, (_, spots) in BARS.items():
        at = asm.Pose.from_axis((*starts[part], 0.0), (0, 0, 1), math.degrees(turn[part]))
        a.add(part, pose=at, features=frames(spots))
    pins(a, ("O", "frame.o", "K1.o"), ("F", "K1.f", "K2.f"), ("B", "frame.b", "K3.b"))
    pins(a, ("G", "K5.g", "K4.g"), ("A5", "frame.a", "K5.a"), ("H", "K7.h", "K6.h"))
    pins(a, ("A7", "frame.a", "K7.a"), *((f"E{k}", "K2.e", f"K{k}.e") for k in (3, 4, 6)))
    a.drive("input", "O", "angle", law=law())
    return a


@pytest.fixture(scope="module")
def motion() -> asm.Motion:
    """Two and a half turns of the crank."""
    return asm.sweep(squeezer(), time=(0.0, END), steps=60)


def test_the_squeezer_stands_at_first_as_the_problem_says() -> None:
    """The seven angles at t = 0 have 15 digits: the pins are together to 1e-13 mm of 40."""
    a = squeezer()
    solution = asm.solve(a).require()
    assert solution.dof == 1
    moved = worst_gap(solution.poses, {name: p.pose for name, p in a.parts.items()})
    assert max(moved) < 1e-12


def loops() -> list[tuple[list[tuple[float, int, tuple[int, ...]]], float]]:
    """The six loop equations: terms (length, 0 cos or 1 sin, which angles are added), constant."""
    x = [(RR, 0, (0,)), (-D, 0, (0, 1))]
    y = [(RR, 1, (0,)), (-D, 1, (0, 1))]
    return [
        ([*x, (-SS, 1, (2,))], -B[0]),
        ([*y, (SS, 0, (2,))], -B[1]),
        ([*x, (-E, 1, (3, 4)), (-ZT, 0, (4,))], -A[0]),
        ([*y, (E, 0, (3, 4)), (-ZT, 1, (4,))], -A[1]),
        ([*x, (-ZF, 0, (5, 6)), (-U, 1, (6,))], -A[0]),
        ([*y, (-ZF, 1, (5, 6)), (U, 0, (6,))], -A[1]),
    ]


def exact_rates(q: Array, speed: float, acc: float) -> tuple[float, Array, Array]:
    """What the loop equations leave (mm), and the rates of all seven angles, from the crank's."""
    left, jacobian = np.zeros(6), np.zeros((6, 7))
    for row, (terms, constant) in enumerate(loops()):
        left[row] = constant
        for length, sine, which in terms:
            angle = q[list(which)].sum() - sine * math.pi / 2
            left[row] += length * math.cos(angle)
            jacobian[row, list(which)] -= length * math.sin(angle)
    v = np.append(speed, np.linalg.solve(jacobian[:, 1:], -jacobian[:, 0] * speed))
    gamma = -jacobian[:, 0] * acc
    for row, (terms, _) in enumerate(loops()):
        for length, sine, which in terms:
            angle = q[list(which)].sum() - sine * math.pi / 2
            gamma[row] += length * math.cos(angle) * v[list(which)].sum() ** 2
    return float(np.abs(left).max()), v, np.append(acc, np.linalg.solve(jacobian[:, 1:], gamma))


def test_the_published_rates_satisfy_the_loop_equations_to_what_is_asked_of_ours() -> None:
    """The angles to 1e-14; rates to 1e-9 and second derivatives to 1.1e-7 of the largest.

    That far the integrator that they come from drifted from the derivatives of the equations.
    """
    q, v, a = (np.array(n) for n in (POSITION, VELOCITY, ACCELERATION))
    left, exact_v, exact_a = exact_rates(q, v[0], a[0])
    assert left < 1e-13
    assert 1e-12 < off(v, exact_v) < 1e-9
    assert 1e-9 < off(a, exact_a) < 1.1e-7


def test_the_squeezer_moves_as_the_problem_says(motion: asm.Motion) -> None:
    """Each angle to 1e-12 of itself; rates as published to what those are good for.

    Against the loop equations themselves every single rate and second derivative is right to
    1e-10 of itself.
    """
    assert motion, motion.sentence
    tracks = [motion.joint(JOINTS[name], "angle") for name in NAMES]
    assert [t.unit for t in tracks] == ["deg"] * 7
    np.testing.assert_allclose(np.radians([t.value[0] for t in tracks]), FIRST, atol=1e-12)
    q, v, a = (np.radians([getattr(t, k)[-1] for t in tracks]) for k in ("value", "rate", "acc"))
    np.testing.assert_allclose(q, POSITION, rtol=1e-12)
    assert off(v, VELOCITY) < 1e-9
    assert off(a, ACCELERATION) < 1.1e-7
    _, exact_v, exact_a = exact_rates(np.array(POSITION), VELOCITY[0], ACCELERATION[0])
    np.testing.assert_allclose(v, exact_v, rtol=1e-10)
    np.testing.assert_allclose(a, exact_a, rtol=1e-10)


def test_the_driven_squeezer_falls_apart_into_three_dyads() -> None:
    """(Theta, gamma), then (Phi, delta) and (Omega, epsilon): two bodies each."""
    shown = asm.analyse(squeezer()).steps
    dyads = [frozenset(s["parts"]) for s in shown if s["action"] == "solve" and s["unknowns"] == 6]
    assert dyads[0] == {"K2", "K3"}
    assert dyads[1:] == [{"K4", "K5"}, {"K6", "K7"}] or dyads[1:] == [{"K6", "K7"}, {"K4", "K5"}]
    assert sum(s["equations"] for s in shown if s["action"] != "align") == 3 + 3 * 6

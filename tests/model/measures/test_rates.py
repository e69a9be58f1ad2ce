"""Rates of wrenches against finite differences of the wrenches along a motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from test_measures import DATA, KINDS, random_frame, swung

import assembly_solver as asm
from assembly_solver.equations.system import System, compile_system
from assembly_solver.equations.table import residuals
from assembly_solver.model.measures import many_rates, measure as m
from assembly_solver.model.measures.many import Frames, measures
from assembly_solver.model.measures.rates import wrench_rate
from tests.model.mates.test_registry import Case, assembly_of, cases, closed

Array = NDArray[np.float64]
Kind = tuple[int, int, int]

WITHIN = 1e-8
"""Relative to the rate: what differences of fourth order show of it at a step of 1e-3 and less."""


def screwed(frame: Array, twist: Array, t: float) -> Array:
    """A frame after a time on a constant spatial twist: exp of the twist, by its own formula."""
    v, w = twist[:3], twist[3:]
    rate = float(np.linalg.norm(w))
    turn = Rotation.from_rotvec(t * w)
    out = turn.apply(frame.reshape(4, 3))
    if rate > 0:
        along = (v @ w) * w / rate**2
        centre = np.cross(w, v) / rate**2
        out[0] += centre - turn.apply(centre) + t * along
    else:
        out[0] += t * v
    return np.asarray(out.ravel())


def wrench(kind: Kind, a: Array, b: Array) -> Array:
    out = np.empty(6)
    m.measure(*kind, DATA, a, b, out)
    return out


def rate(kind: Kind, a: Array, b: Array, va: Array, vb: Array) -> Array:
    out = np.empty(6)
    wrench_rate(*kind, DATA, a, b, va, vb, wrench(kind, a, b), out)
    return out


def differences(kind: Kind, a: Array, b: Array, va: Array, vb: Array, h: float) -> Array:
    """Time derivative of the wrench by five-point differences."""

    def at(t: float) -> Array:
        return wrench(kind, screwed(a, va, t), screwed(b, vb, t))

    return np.asarray((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))


def assert_is_the_rate(
    kind: Kind, a: Array, b: Array, va: Array, vb: Array, h: float, within: float = WITHIN
) -> None:
    found = rate(kind, a, b, va, vb)
    size = max(1.0, float(np.abs(found).max()))
    expected = differences(kind, a, b, va, vb, h)
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * size)


def random_twist(rng: np.random.Generator) -> Array:
    return rng.uniform(-1, 1, 6) * [5, 5, 5, 1, 1, 1]


def test_every_kind_of_measure_has_its_rate_tried_here() -> None:
    assert {kind for kind, _, _ in KINDS.values()} == set(range(len(m.IS_ANGLE)))


@pytest.mark.parametrize("name", KINDS)
def test_the_rate_is_the_time_derivative_of_the_wrench_at_random_frames(name: str) -> None:
    """The best of three steps counts: near an edge of a measure a step must be short."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = random_frame(rng), random_frame(rng)
        va, vb = random_twist(rng), random_twist(rng)
        found = rate(KINDS[name], a, b, va, vb)
        size = max(1.0, float(np.abs(found).max()))
        off = [
            np.abs(differences(KINDS[name], a, b, va, vb, h) - found).max() / size
            for h in (2e-3, 5e-4, 1e-4)
        ]
        assert min(off) < WITHIN


def polyline(closed: bool) -> Array:
    points = ((0, 0, 0), (8, 1, 0), (9, 7, 2), (2, 9, 4), (-3, 4, 1))
    return np.array(asm.Curve(points, closed=closed).numbers)


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("kind", [(m.OFF_CURVE, 0), (m.OFF_CURVE, 1), (m.ALONG_CURVE, 0)])
def test_of_a_polyline_the_rate_is_that_of_its_own_evaluation(
    kind: tuple[int, int], closed: bool
) -> None:
    """Between its corners, and on beyond the ends of an open one; near it, where it has feet."""
    rng, data = np.random.default_rng(2), polyline(closed)
    for _ in range(30):
        a, b = random_frame(rng), random_frame(rng)
        axes = a[3:].reshape(3, 3)
        place = rng.uniform(0, 1) * (10 if closed else 1)
        b[:3] = a[:3] + (data[2:5] + place * data[5:8] + rng.uniform(-1, 1, 3)) @ axes
        va, vb = random_twist(rng), random_twist(rng)
        found, w = np.empty(6), np.empty(6)
        m.measure(*kind, 0, data, a, b, w)
        wrench_rate(*kind, 0, data, a, b, va, vb, w, found)
        off = []
        for h in (1e-3, 1e-4, 1e-5):
            w4 = np.empty((4, 6))
            for k, step in enumerate((-2, -1, 1, 2)):
                ends = [screwed(f, v, step * h) for f, v in ((a, va), (b, vb))]
                m.measure(*kind, 0, data, *ends, w4[k])
            slope = (8 * (w4[2] - w4[1]) - (w4[3] - w4[0])) / (12 * h)
            off.append(np.abs(slope - found).max() / max(1.0, float(np.abs(found).max())))
        assert min(off) < 10 * WITHIN  # the foot is found to 1e-13 of a piece: 1e-8 at h = 1e-5


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-6, 9e-4, 1.1e-3, 0.1, math.pi - 0.1])
@pytest.mark.parametrize("i", [0, 1])
def test_tilt_has_its_rate_where_the_directions_agree(i: int, angle: float) -> None:
    """On both sides of the series' border (a sine of 1e-3), and at the root itself."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, angle, rng, about_normal=True)
        assert_is_the_rate((m.TILT, i, 0), a, b, random_twist(rng), random_twist(rng), 1e-4)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 9e-6, 9e-3, 1.1e-2, 0.1, math.pi - 0.1])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_turn_has_its_rate_where_the_frames_agree(i: int, angle: float) -> None:
    """On both sides of the series' border (1e-2), and at the root itself."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, angle, rng, about_normal=False)
        assert_is_the_rate((m.TURN, i, 0), a, b, random_twist(rng), random_twist(rng), 1e-4)


@pytest.mark.parametrize("angle", [-math.pi, -1.0, 0.0, 1e-9, math.pi / 2, 2.5, math.pi])
def test_rotation_has_its_rate_everywhere_about_a_common_axis(angle: float) -> None:
    rng = np.random.default_rng(5)
    a = random_frame(rng)
    axes = Rotation.from_rotvec(angle * a[9:]).apply(a[3:].reshape(3, 3))
    b = np.concatenate([rng.uniform(-10, 10, 3), axes.ravel()])
    assert_is_the_rate((m.ROTATION, 0, 0), a, b, random_twist(rng), random_twist(rng), 1e-4)


@pytest.mark.parametrize("off", [1e-2, 1e-4])
def test_rotation_has_its_rate_where_b_x_nearly_is_the_axis(off: float) -> None:
    """The angle of a short projection: the rate goes with 1 / off squared, the step with off."""
    rng = np.random.default_rng(7)
    a = random_frame(rng)
    own = Rotation.from_rotvec((math.pi / 2 - off) * a[6:9]).apply(a[3:].reshape(3, 3))
    axes = np.array([-own[0], own[1], -own[2]])  # x of b is off by this angle from z of a
    assert abs(np.linalg.norm(np.cross(axes[0], a[9:])) - off) < 1e-3 * off
    b = np.concatenate([rng.uniform(-10, 10, 3), axes.ravel()])
    va, vb = random_twist(rng), random_twist(rng)
    # rounding of directions, 1e-16 / off, over the step and relative to a rate of 1 / off^2
    assert_is_the_rate((m.ROTATION, 0, 0), a, b, va, vb, h=1e-3 * off, within=1e-7)


def spin_about(point: Array, w: Array) -> Array:
    """The twist of a spin about a point of the world."""
    return np.concatenate([np.cross(point, w), w])


def same_point(a: Array, b: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    b[:3] = a[:3]
    return b, spin_about(b[:3], rng.uniform(-1, 1, 3))


def on_the_axis(a: Array, b: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    b[:3] = a[:3] + 4 * a[9:]
    return b, spin_about(b[:3], 0.8 * a[9:]) + np.array([*(2 * a[9:]), 0, 0, 0])


def same_z(a: Array, b: Array, rng: np.random.Generator, opposed: bool = False) -> Array:
    axes = Rotation.from_rotvec(0.7 * a[9:]).apply(a[3:].reshape(3, 3))
    axes = axes * np.array([[1], [-1], [-1]]) if opposed else axes
    return np.concatenate([rng.uniform(-10, 10, 3), axes.ravel()])


def aligned(a: Array, b: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    return same_z(a, b, rng), np.concatenate([rng.uniform(-1, 1, 3), 0.8 * a[9:]])


def opposed(a: Array, b: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    return same_z(a, b, rng, True), np.concatenate([rng.uniform(-1, 1, 3), 0.8 * a[9:]])


STAND_INS: dict[str, tuple[Kind, Callable[..., tuple[Array, Array]]]] = {
    "separation of one point": ((m.SEPARATION, 0, 0), same_point),
    "radius on the axis": ((m.RADIUS, 0, 0), on_the_axis),
    "cone on its axis": ((m.CONE, 0, 0), on_the_axis),
    "ring on its axis": ((m.RING, 0, 3), on_the_axis),
    "inclination 0": ((m.INCLINATION, 2, 2), aligned),
    "inclination 180": ((m.INCLINATION, 2, 2), opposed),
    "sine 0": ((m.SINE, 0, 0), aligned),
    "gap of parallel lines": ((m.GAP, 0, 0), aligned),
    "tilt x of half a turn": ((m.TILT, 0, 0), opposed),
    "tilt y of half a turn": ((m.TILT, 1, 0), opposed),
}


@pytest.mark.parametrize("name", STAND_INS)
def test_where_a_wrench_has_a_stand_in_the_rate_is_that_of_the_stand_in(name: str) -> None:
    """While b moves on a so that the measure stays at its degenerate value, and both move."""
    kind, pose = STAND_INS[name]
    rng, h = np.random.default_rng(6), 1e-3
    for _ in range(10):
        a, va = random_frame(rng), random_twist(rng)
        b, own = pose(a, random_frame(rng), rng)

        def at(t: float, a: Array = a, b: Array = b, va: Array = va, own: Array = own) -> Array:
            return wrench(kind, screwed(a, va, t), screwed(screwed(b, own, t), va, t))

        slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        np.testing.assert_allclose(
            rate(kind, a, b, va, va + own),
            slope,
            rtol=0,
            atol=20 * WITHIN,  # size of the arms
        )


def test_a_mass_point_on_a_circle_has_the_centripetal_acceleration() -> None:
    """By hand: b spins at 2 rad/s about a's z at radius 3: x'' = -12 at angle 0, and r'' = 0."""
    a = np.array([0.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    b = np.array([3.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    still, spin = np.zeros(6), np.array([0.0, 0, 0, 0, 0, 2])
    second = {
        name: float(rate(kind, a, b, still, spin) @ spin)
        for name, kind in {
            "x": (m.DISPLACEMENT, 0, 0),
            "y": (m.DISPLACEMENT, 1, 0),
            "distance": (m.SEPARATION, 0, 0),
            "angle": (m.ROTATION, 0, 0),
            "cosine": (m.COSINE, 0, 0),
        }.items()
    }
    assert second == pytest.approx(
        {"x": -12, "y": 0, "distance": 0, "angle": 0, "cosine": -4}, abs=1e-15
    )


def second_rates(system: System, twists: Array) -> Array:
    """Second derivatives of all residuals while parts keep their twists: the sums over terms."""
    t, out = system.table, np.zeros(len(system.table.target))
    ends, w, dw = np.empty((2, 12)), np.empty(6), np.empty(6)
    for e in range(len(out)):
        for k in range(t.first_term[e], t.first_term[e + 1]):
            n = t.term_measure[k]
            bodies = [t.marker_body[t.marker_a[n]], t.marker_body[t.marker_b[n]]]
            for end, marker in zip(ends, (t.marker_a[n], t.marker_b[n]), strict=True):
                m.compose(system.start[t.marker_body[marker]], t.marker_frame[marker], end)
            what = (t.kind[n], t.axis_i[n], t.axis_j[n], t.data, *ends)
            m.measure(*what, w)
            va, vb = twists[bodies]
            wrench_rate(*what, va, vb, w, dw)
            out[e] += t.coefficient[k] * t.weight[e] * (dw @ (vb - va))
    return out


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.label)
def test_accelerations_of_every_mate_are_second_differences_along_a_screw_motion(
    case: Case,
) -> None:
    """Off the solution and on it; the best step counts: short distances ask for short ones."""
    rng = np.random.default_rng(9)
    model = assembly_of(case, rng)
    for system in (compile_system(model), closed(model)):
        twists = rng.uniform(-0.5, 0.5, (len(system.parts), 6)) * [*[system.length] * 3, 1, 1, 1]
        rows, here = np.arange(len(system.table.target)), np.empty(len(system.table.target))
        turns = system.table.period * system.table.weight
        residuals(system.table, system.start, rows, here)

        def at(time: float, system: System = system, twists: Array = twists) -> Array:
            out = np.empty(len(system.table.target))
            both = zip(system.start, twists, strict=True)
            moved = np.array([screwed(pose, twist, time) for pose, twist in both])
            residuals(system.table, moved, np.arange(len(out)), out)
            return out

        found = second_rates(system, twists)
        size = np.maximum(system.length, np.abs(found))
        worst = []
        for h in (8e-3, 2e-3, 5e-4, 2e-4, 5e-5):
            near, far = [], []
            for share, to in ((1, near), (2, far)):
                for sign in (-1, 1):
                    change = at(sign * share * h) - here
                    to.append(change - turns * np.round(change / np.maximum(turns, 1e-300)))
            expected = (16 * sum(near) - sum(far)) / (12 * h * h)
            worst.append(np.abs(expected - found) / size)
        # rounding: 1e-14 of the size over h squared
        assert np.min(worst, axis=0).max(initial=0.0) < 1e-6


def rates_of_many(kind: Kind, a: Array, b: Array, va: Array, vb: Array) -> Array:
    """`rate` for frames and twists of many states, (states, ...), one measure in each."""
    i = np.array([kind[1]])
    vectors = [np.moveaxis(x.reshape(-1, 4, 3), -1, 0) for x in (a, b)]
    frames = Frames(vectors[0], np.array([0])), Frames(vectors[1], np.array([0]))
    _, *wrench_of = measures(kind[0], i, np.array([kind[2]]), DATA, *frames)
    twists = [(v.T[:3, :, None], v.T[3:, :, None]) for v in (va, vb)]
    args = frames, (twists[0], twists[1]), (wrench_of[0], wrench_of[1])
    return np.concatenate(many_rates.wrench_rates(kind[0], i, *args))[:, :, 0].T


@pytest.mark.parametrize("name", [n for n, k in KINDS.items() if k[0] in many_rates.KINDS])
def test_of_many_states_the_rates_are_those_of_each(name: str) -> None:
    kind, rng = KINDS[name], np.random.default_rng(8)
    others = [pose for k, pose in STAND_INS.values() if k == kind]
    states = []
    for k in range(20):
        a = random_frame(rng)
        b = random_frame(rng)
        if others and k < 5:
            b, _ = others[0](a, b, rng)
        elif k < 10:
            b = swung(a, 10.0**-k, rng, about_normal=True)
        states.append((a, b, random_twist(rng), random_twist(rng)))
    found = rates_of_many(kind, *(np.array(x) for x in zip(*states, strict=True)))
    expected = np.array([rate(kind, *state) for state in states])
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))

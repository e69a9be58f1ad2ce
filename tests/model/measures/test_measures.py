"""Measures: every wrench against finite differences, and numbers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.model.measures import measure as m

Array = NDArray[np.float64]

KINDS: dict[str, tuple[int, int, int]] = {
    "inclination of z": (m.INCLINATION, 2, 2),
    "inclination of x and y": (m.INCLINATION, 0, 1),
    "displacement x": (m.DISPLACEMENT, 0, 0),
    "displacement y": (m.DISPLACEMENT, 1, 0),
    "displacement z": (m.DISPLACEMENT, 2, 0),
    "separation": (m.SEPARATION, 0, 0),
    "radius": (m.RADIUS, 0, 0),
    "gap": (m.GAP, 0, 0),
    "rotation": (m.ROTATION, 0, 0),
    "tilt x": (m.TILT, 0, 0),
    "tilt y": (m.TILT, 1, 0),
    "turn x": (m.TURN, 0, 0),
    "turn y": (m.TURN, 1, 0),
    "turn z": (m.TURN, 2, 0),
    **{f"cosine {i}{j}": (m.COSINE, i, j) for i in range(3) for j in range(3)},
    "sine": (m.SINE, 0, 0),
    "cone": (m.CONE, 0, 0),
    "ring": (m.RING, 0, 3),
    "off a curve, up": (m.OFF_CURVE, 0, 4),
    "off a curve, aside": (m.OFF_CURVE, 1, 4),
    "along a curve": (m.ALONG_CURVE, 0, 4),
}

SPLINE = asm.Curve(((0, 0, 0), (6, 1, 2), (9, 6, 0), (4, 9, -3), (-3, 5, 1)), smooth=True)
DATA = np.array([math.cos(0.5), math.sin(0.5), 1.0, 4.0, *SPLINE.numbers])
"""What the shapes read: a cone, the radius of a ring, a curve; their places are j above."""


def frame(origin: Array, rotation: Rotation) -> Array:
    """12 numbers: origin, then x, y, z."""
    return np.concatenate([origin, rotation.as_matrix().T.ravel()])


def random_frame(rng: np.random.Generator) -> Array:
    return frame(rng.uniform(-10, 10, 3), Rotation.random(random_state=rng))


def displaced(f: Array, twist: Array, size: float) -> Array:
    """A frame after a small motion: velocity of the world's origin, then spin about it."""
    spin = Rotation.from_rotvec(size * twist[3:])
    out = spin.apply(f.reshape(4, 3))
    out[0] += size * twist[:3]
    return np.asarray(out.ravel())


def read(kind: tuple[int, int, int], a: Array, b: Array) -> tuple[float, Array]:
    wrench = np.empty(6)
    return float(m.measure(*kind, DATA, a, b, wrench)), wrench


def differences(kind: tuple[int, int, int], a: Array, b: Array, h: float, on_b: bool) -> Array:
    """The six derivatives by a motion of b (or of a), by central differences of fourth order."""
    zero = read(kind, a, b)[0]

    def change(twist: Array, size: float) -> float:
        if on_b:
            value = read(kind, a, displaced(b, twist, size))[0]
        else:
            value = read(kind, displaced(a, twist, size), b)[0]
        out = value - zero
        return out - 2 * math.pi * round(out / (2 * math.pi)) if kind[0] == m.ROTATION else out

    def slope(twist: Array) -> float:
        near = change(twist, h) - change(twist, -h)
        far = change(twist, 2 * h) - change(twist, -2 * h)
        return (8 * near - far) / (12 * h)

    return np.array([slope(t) for t in np.eye(6)])


def assert_is_the_gradient(
    kind: tuple[int, int, int], a: Array, b: Array, h: float = 1e-4, within: float = 1e-7
) -> None:
    wrench = read(kind, a, b)[1]
    size = max(1.0, float(np.linalg.norm(wrench)))
    np.testing.assert_allclose(differences(kind, a, b, h, True), wrench, rtol=0, atol=within * size)
    np.testing.assert_allclose(
        differences(kind, a, b, h, False), -wrench, rtol=0, atol=within * size
    )


@pytest.mark.quick
def test_every_measure_kind_is_tried_here() -> None:
    assert {kind for kind, _, _ in KINDS.values()} == set(range(len(m.IS_ANGLE)))


@pytest.mark.parametrize("name", KINDS)
def test_a_wrench_is_the_gradient_of_its_measure_at_random_frames(name: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert_is_the_gradient(KINDS[name], random_frame(rng), random_frame(rng), h=2e-4)


@pytest.mark.parametrize("name", KINDS)
def test_a_measure_does_not_change_when_both_frames_move_together(name: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        a, b = random_frame(rng), random_frame(rng)
        spin, shift = Rotation.random(random_state=rng), rng.uniform(-10, 10, 3)
        before, wrench = read(KINDS[name], a, b)
        both = [spin.apply(f.reshape(4, 3)) for f in (a, b)]
        for f in both:
            f[0] += shift
        after, carried = read(KINDS[name], both[0].ravel(), both[1].ravel())
        assert after == pytest.approx(before, abs=1e-11)
        force = spin.apply(wrench[:3])
        torque = spin.apply(wrench[3:]) + np.cross(shift, force)
        size = max(1.0, float(np.abs(wrench).max()))
        np.testing.assert_allclose(carried, [*force, *torque], rtol=0, atol=1e-10 * size)


def swung(a: Array, angle: float, rng: np.random.Generator, *, about_normal: bool) -> Array:
    """A frame turned from a by an angle: about an axis across its z, or about any axis."""
    axes = a[3:].reshape(3, 3)
    u = rng.normal(size=3)
    if about_normal:
        u -= (u @ axes[2]) * axes[2]
    u /= np.linalg.norm(u)
    turn = Rotation.from_rotvec(angle * u)
    spin = Rotation.from_rotvec(rng.uniform(-3, 3) * axes[2] if about_normal else np.zeros(3))
    out = turn.apply(spin.apply(axes))
    return np.concatenate([rng.uniform(-10, 10, 3), out.ravel()])


@pytest.mark.quick
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-6, 9e-5, 1.1e-4, 1e-3, 0.1])
@pytest.mark.parametrize("i", [0, 1])
def test_tilt_has_its_gradient_where_the_directions_agree(i: int, angle: float) -> None:
    """On both sides of the series' border (a sine of 1e-4), and at the root itself."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, angle, rng, about_normal=True)
        assert_is_the_gradient((m.TILT, i, 0), a, b, h=1e-3)


@pytest.mark.parametrize("short", [0.1, 1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("i", [0, 1])
def test_tilt_has_its_gradient_up_to_opposed_directions(i: int, short: float) -> None:
    """The step stays well within the distance from the ridge, where the axis is undefined.

    Across the ridge the derivative is the angle over the distance, and the sine of the angle is
    known to 1e-16 only: hence the tolerance relative to the wrench.
    """
    rng = np.random.default_rng(4)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, math.pi - short, rng, about_normal=True)
        assert_is_the_gradient((m.TILT, i, 0), a, b, h=min(1e-3, 0.004 * short))


@pytest.mark.quick
def test_tilt_of_opposed_directions_is_half_a_turn_about_x() -> None:
    a = random_frame(np.random.default_rng(5))
    b = a.copy()
    b[6:] *= -1
    assert [read((m.TILT, i, 0), a, b)[0] for i in (0, 1)] == [math.pi, 0.0]


@pytest.mark.parametrize("angle", [0.0, 1e-9, 9e-6, 1.1e-5, 9e-4, 1.1e-3, 0.1])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_turn_has_its_gradient_where_the_frames_agree(i: int, angle: float) -> None:
    """On both sides of each series' border (1e-5 and 1e-3), and at the root itself."""
    rng = np.random.default_rng(6)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, angle, rng, about_normal=False)
        assert_is_the_gradient((m.TURN, i, 0), a, b, h=1e-3)


@pytest.mark.parametrize("short", [0.1, 1e-2, 1e-3, 2e-5, 3e-6])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_turn_has_its_gradient_up_to_half_a_turn(i: int, short: float) -> None:
    """Differences must stay on this side of half a turn, so h is below the distance from it.

    Where the axis comes from the skew half (sine above 1e-5) its rounding, 1e-16 / distance,
    divided by h bounds what differences can show.
    """
    rng = np.random.default_rng(7)
    within = 1e-7 + (2e-15 / short**2 if short > 1e-5 else 0.0)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, math.pi - short, rng, about_normal=False)
        assert_is_the_gradient((m.TURN, i, 0), a, b, h=min(1e-3, 0.3 * short), within=within)


@pytest.mark.parametrize(
    "name, near",
    [
        ("separation", lambda a, u, s: a[:3] + s * u),
        ("radius", lambda a, u, s: a[:3] + 4 * a[9:] + s * np.cross(a[9:], u)),
    ],
)
def test_distances_have_their_gradient_down_to_a_thousandth_of_a_millimetre(
    name: str, near: Callable[[Array, Array, float], Array]
) -> None:
    """At zero there is none: a distance of zero is another mate."""
    rng = np.random.default_rng(8)
    for s in (1.0, 1e-2, 1e-3):
        a, b = random_frame(rng), random_frame(rng)
        u = rng.normal(size=3)
        b[:3] = near(a, u / np.linalg.norm(u), s)
        assert_is_the_gradient(KINDS[name], a, b, h=1e-4 * s)


@pytest.mark.parametrize("sine", [0.1, 1e-2, 1e-3])
def test_gap_has_its_gradient_near_parallel_axes(sine: float) -> None:
    rng = np.random.default_rng(9)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, math.asin(sine), rng, about_normal=True)
        assert_is_the_gradient((m.GAP, 0, 0), a, b, h=5e-3 * sine)


@pytest.mark.parametrize("angle", [0.05, 1.0, math.pi / 2, math.pi - 0.05])
def test_inclination_has_its_gradient_away_from_its_ends(angle: float) -> None:
    """At 0 and at half a turn it has none, the angle being a cone there: excluded; such an angle
    is entered as a parallel mate."""
    rng = np.random.default_rng(10)
    for _ in range(5):
        a = random_frame(rng)
        b = swung(a, angle, rng, about_normal=True)
        assert read((m.INCLINATION, 2, 2), a, b)[0] == pytest.approx(angle, abs=1e-12)
        assert_is_the_gradient((m.INCLINATION, 2, 2), a, b, h=5e-4)


@pytest.mark.parametrize("angle", [-math.pi + 1e-9, -1.0, 0.0, 1e-9, 2.5, math.pi])
def test_rotation_has_its_gradient_everywhere_about_a_common_axis(angle: float) -> None:
    rng = np.random.default_rng(11)
    a = random_frame(rng)
    axes = Rotation.from_rotvec(angle * a[9:]).apply(a[3:].reshape(3, 3))
    b = np.concatenate([rng.uniform(-10, 10, 3), axes.ravel()])
    value = read((m.ROTATION, 0, 0), a, b)[0]
    assert math.remainder(value - angle, 2 * math.pi) == pytest.approx(0, abs=1e-12)
    assert_is_the_gradient((m.ROTATION, 0, 0), a, b, h=1e-3)


def test_turn_is_the_rotation_vector_for_every_angle_up_to_half_a_turn() -> None:
    """So its only root is the identity: no other frame reads zero (fault F1)."""
    rng = np.random.default_rng(12)
    for degrees in [*range(0, 180), 179.9999, 180 - 1e-7]:
        a = random_frame(rng)
        u = rng.normal(size=3)
        vector = math.radians(degrees) * u / np.linalg.norm(u)
        own = a[3:].reshape(3, 3)
        b = np.concatenate([a[:3], Rotation.from_rotvec(vector @ own).apply(own).ravel()])
        found = [read((m.TURN, i, 0), a, b)[0] for i in range(3)]
        # rounding of the skew half: 1e-16 over the sine, where that is above 1e-5
        np.testing.assert_allclose(
            found, vector, atol=3e-15 + 4e-16 / max(math.sin(math.radians(degrees)), 1e-5)
        )


def test_numbers_of_two_frames_worked_out_by_hand() -> None:
    """docs/theory/equations.md, 8: P on a body turned 30 degrees about z,
    Q on one turned 45 about x.

    B.4 states equations of the line through Q seen from P; here that line's frame is marker a.
    Its cosines e_1.a, e_2.a are cosines of our frame; its e.(P - Q) are our displacements; the
    squared distance less 4, and the line gap less 2, are our separation and our gap.
    """
    turn_i, turn_j = Rotation.from_euler("z", 30, True), Rotation.from_euler("x", 45, True)
    p = np.array([1.0, 2, 3]) + turn_i.apply([0.1, 0.2, 0.3])
    q = np.array([-1, 0, 0.5]) + turn_j.apply([0, 0.5, 0])
    i, j = frame(p, turn_i), frame(q, turn_j)
    half = math.sqrt(0.5)
    assert [read((m.COSINE, k, 2), j, i)[0] for k in (0, 1)] == pytest.approx(
        [0, 0.707106781187], abs=1e-12
    )
    found = [read((m.DISPLACEMENT, k, 0), j, i)[0] for k in range(3)]
    assert found == pytest.approx([1.986602540378, 3.051942375894, 0.407855598751], abs=1e-12)
    distance = read((m.SEPARATION, 0, 0), i, j)[0]
    assert distance**2 - 4 == pytest.approx(9.427288108647, abs=1e-12)
    # (P - Q).c - 2 |c| with c = a x b, |c| = sin 45; our gap is (Q - P).c / |c|
    gap = read((m.GAP, 0, 0), i, j)[0]
    assert -gap * half - 2 * half == pytest.approx(-0.009473434549, abs=1e-12)
    # by hand: z_j = (0, -1, 1) / sqrt 2 swings onto z by 45 degrees about -x
    tilt = [read((m.TILT, k, 0), j, i)[0] for k in (0, 1)]
    assert tilt == pytest.approx([-math.pi / 4, 0], abs=1e-15)
    assert read((m.INCLINATION, 2, 2), i, j)[0] == pytest.approx(math.pi / 4, abs=1e-15)
    assert read((m.ROTATION, 0, 0), i, j)[0] == pytest.approx(-math.pi / 6, abs=1e-15)
    assert read((m.RADIUS, 0, 0), j, i)[0] == pytest.approx(math.hypot(*found[:2]), abs=1e-15)


def test_lengths_and_angles_are_told_apart() -> None:
    lengths = {m.DISPLACEMENT, m.SEPARATION, m.RADIUS, m.GAP}
    lengths |= {m.CONE, m.RING, m.OFF_CURVE, m.ALONG_CURVE}
    assert {k for k in range(len(m.IS_ANGLE)) if not m.IS_ANGLE[k]} == lengths


@pytest.mark.parametrize("closed", [True, False])
def test_a_point_is_never_told_nearer_to_a_polyline_than_it_is(closed: bool) -> None:
    """Nor on it where it is not, whether it has a foot by the turning planes or none."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        points = rng.uniform(-50, 50, (int(rng.integers(3, 8)), 3))
        curve = asm.Curve(tuple(map(tuple, points.tolist())), closed=closed)
        ends = np.vstack([points, points[:1]]) if closed else points
        from_, along = ends[:-1], np.diff(ends, axis=0)
        if not closed:  # straight on at the ends
            from_, along = from_.copy(), along.copy()
            from_[0], along[0] = from_[0] - 50 * along[0], 51 * along[0]
            along[-1] = 51 * along[-1]
        data, a = np.array(curve.numbers), np.array(curve.frame)
        for p in rng.uniform(-120, 120, (40, 3)):
            share = np.clip(np.sum((p - from_) * along, 1) / np.sum(along**2, 1), 0, 1)
            nearest = np.linalg.norm(from_ + share[:, None] * along - p, axis=1).min()
            b, w = np.concatenate([p, a[3:]]), np.empty(6)
            off = [m.measure(m.OFF_CURVE, i, 0, data, a, b, w) for i in (0, 1)]
            assert math.hypot(*off) > nearest - 1e-9, seed

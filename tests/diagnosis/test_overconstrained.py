"""Closed loops that move by special dimensions, derived here: each has exactly one freedom.

Why each loop moves is said with its geometry, no dimension is taken from a table: Bricard's kinds
(by half a turn, by a mirror, trihedral, an octahedron), Schatz's, two of Bennett's in one, and
four-bars of parallel screws.  With a hinge tilted, or another pitch, none moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from mechanisms import Array, moved, step, turned
from scipy.spatial.transform import Rotation
from test_noisy_mobility import with_digits

import assembly_solver as asm

pytestmark = pytest.mark.quick

Axes = Sequence[tuple[Array, Array]]
"""A point, mm, and a direction of each axis of a loop, in the order of the loop."""

X, Y, Z = np.eye(3)
HALF_TURN = np.diag([-1.0, -1.0, 1.0])  # about z
MIRROR = np.diag([1.0, 1.0, -1.0])  # in the plane z = 0


def line_symmetric() -> Axes:
    """Three hinges anywhere, and their images by half a turn about one line.

    The links between the first and the fourth, its image, have two angles.  Half a turn takes one
    of two lines, each with a mark, to the other where one equation holds: that the way between the
    marks is across the sum of the directions.  One of the two angles is left.
    """
    points = np.array([(80.0, 10, -30), (40, 70, 20), (-20, 90, -15)])
    ways = np.array([(0.3, 0.2, 1.0), (1, -0.4, 0.5), (0.2, 1, -0.7)])
    return [
        *zip(points, ways, strict=True),
        *zip(points @ HALF_TURN, ways @ HALF_TURN, strict=True),
    ]


def plane_symmetric() -> Axes:
    """Two hinges in a plane, two on one side of it and their images on the other.

    The links on one side have two angles, and that the first and the last hinge stay in one plane
    is one equation.
    """
    (p1, w1), (p4, w4) = ((90.0, 0, 0), (0.3, 1.0, 0)), ((-70.0, 20, 0), (1.0, 0.4, 0))
    points = np.array([(50.0, 60, 40), (-30, 80, 70)])
    ways = np.array([(0.4, -0.2, 1.0), (1, 0.5, 0.3)])
    (p2, p3), (w2, w3) = points, ways
    return [
        (np.array(p1), np.array(w1)),
        (p2, w2),
        (p3, w3),
        (np.array(p4), np.array(w4)),
        (p3 @ MIRROR, w3 @ MIRROR),
        (p2 @ MIRROR, w2 @ MIRROR),
    ]


def trihedral() -> Axes:
    """Hinges through two points by turns, each across the next.

    With D from one point to the other, the square of a link's length is D^2 - (D u)^2 - (D w)^2, u
    and w the directions of its hinges, and its foot on a hinge is that of the other point: no
    offsets.  Six directions, each across the next, and |D| are six numbers but for a spin about D;
    the lengths are five, as the squares of every other one have the sum of the rest.
    """
    ends = np.array([(0.0, 0, 0), (10, 20, 120)])
    ways = [np.array([0.9, 0.2, 0.3])]
    for angle in (0.4, 1.1, -0.5, 0.8):
        u = ways[-1] / np.linalg.norm(ways[-1])
        across = np.cross(u, (0.1, 0.7, -0.3))
        across /= np.linalg.norm(across)
        ways.append(math.cos(angle) * across + math.sin(angle) * np.cross(u, across))
    ways.append(np.cross(ways[-1], ways[0]))
    # foot of the other point, where the links are
    out = []
    for k, w in enumerate(ways):
        here, there, u = ends[k % 2], ends[1 - k % 2], w / np.linalg.norm(w)
        out.append((here + u * (u @ (there - here)), u))
    return out


def octahedron() -> Axes:
    """A belt of six triangles between two faces of an octahedron that half a turn takes to itself.

    Its edges, hinges here, are line symmetric, and each meets the next.
    """
    p = np.array([(60.0, 20, -40), (-30, 50, -10), (10, -70, -25)])
    q = p @ HALF_TURN
    belt = np.array([p[0], q[1], p[2], q[0], p[1], q[2]])
    return [(v, np.roll(belt, -1, axis=0)[k] - v) for k, v in enumerate(belt)]


def schatz() -> Axes:
    """Three links of a cube, one edge long, and two forks on parallel shafts a diagonal apart.

    Opposite corners of the reversible cube of P. Schatz stay one diagonal apart; a mixer has three
    of its links, the outer ones driven.  With the middle link along x from 0, and the angles p and
    q of its neighbours, the outer corners are at (cos p, sin p, 0) and (1 + cos q, 0, sin q), their
    hinges, across the links, along (-sin p, cos p, 0) and (-sin q, 0, cos q).  Shafts across both,
    and across the way between the corners, need the three in one plane; their triple product is
    cos p cos q + cos p - cos q, and 3 less twice that is the square of the way.  So it is a
    diagonal, sqrt 3, just where the shafts are parallel: one equation for two angles.
    """
    p = math.radians(112.0)
    q = math.acos(math.cos(p) / (1.0 - math.cos(p)))
    one, two = np.array([math.cos(p), math.sin(p), 0]), np.array([1 + math.cos(q), 0, math.sin(q)])
    h1, h2 = np.array([-math.sin(p), math.cos(p), 0]), np.array([-math.sin(q), 0, math.cos(q)])
    assert np.linalg.norm(two - one) == pytest.approx(math.sqrt(3.0), abs=1e-12)
    shaft = np.cross(h1, h2)
    assert abs(shaft @ (two - one)) < 1e-12
    edge = 60.0
    points = [one, one, 0 * X, X, two, two]
    ways = [shaft, h1, Z, Y, h2, shaft]
    return [(edge * p, w) for p, w in zip(points, ways, strict=True)]


def bennett(shared: float, other: float, first: float) -> list[tuple[Array, Array]]:
    """Axes of Bennett's linkage; the first two are z and one across x, 100 mm on.

    Args:
        shared, other: twists of the first link, of 100 mm, and of the second, rad.
        first: angle at the first hinge, rad.
    """
    length = 100.0 * math.sin(other) / math.sin(shared)
    product = math.sin((other + shared) / 2) / math.sin((other - shared) / 2)
    second = 2 * math.atan(product / math.tan(first / 2))  # Bennett 1914
    at = [np.eye(4)]
    links = [(100.0, shared, first), (length, other, second), (100.0, shared, -first)]
    for values in links:
        at.append(at[-1] @ step(*values))
    back = np.linalg.inv(step(0.0, 0.0, first))
    return [((back @ f)[:3, 3], (back @ f)[:3, 2]) for f in at]


def two_bennetts(twist: float, others: tuple[float, float], firsts: tuple[float, float]) -> Axes:
    """Two linkages of Bennett with a link in common, which is left out.

    The links beside it at its second hinge are one; so the angles there differ by a constant, and
    each linkage has the one freedom of that angle.
    """
    (d, _, b, a), (_, _, f, e) = (bennett(twist, w, v) for w, v in zip(others, firsts, strict=True))
    return [d, a, b, f, e]


def two_bennetts_mirrored() -> Axes:
    """The second is the first one's image in the plane of the first hinge across the second.

    A mirror turns a twist over: the link in common is twisted by a right angle.
    """
    d, c, b, a = bennett(math.pi / 2, math.radians(55), math.radians(80))
    normal = c[1]
    images = [
        (p - 2 * normal * (normal @ (p - d[0])), w - 2 * normal * (normal @ w)) for p, w in (a, b)
    ]
    return [d, a, b, images[1], images[0]]


LOOPS: dict[str, Callable[[], Axes]] = {
    "line symmetric": line_symmetric,
    "plane symmetric": plane_symmetric,
    "trihedral": trihedral,
    "octahedron": octahedron,
    "Schatz": schatz,
    "two Bennetts": lambda: two_bennetts(
        math.radians(50),
        (math.radians(75), math.radians(35)),
        (math.radians(70), math.radians(-95)),
    ),
    "two Bennetts mirrored": two_bennetts_mirrored,
}


def ring(axes: Axes, order: Sequence[int] = (), digits: int | None = None) -> asm.Assembly:
    """The loop of hinges, its first link grounded, parts and mates in some order."""
    n = len(axes)
    order = [k for k in order if k < n] or range(n)
    out = asm.Assembly("ring")
    frames: dict[str, dict[str, asm.Frame]] = {f"link {k}": {} for k in range(n)}
    for k, (point, way) in enumerate(axes):
        values = [point, np.asarray(way, float) / np.linalg.norm(way)]
        if digits is not None:
            values = [np.round(v, digits) for v in values]
        for part in (f"link {(k - 1) % n}", f"link {k}"):
            frames[part][f"hinge {k}"] = asm.Frame(*(tuple(v.tolist()) for v in values))
    for k in order:
        out.add(f"link {k}", features=frames[f"link {k}"], grounded=k == 0)
    for k in reversed(order):
        ends = [f"link {(k - 1) % n}.hinge {k}", f"link {k}.hinge {k}"]
        out.mate("revolute", *(ends if k % 2 else ends[::-1]), name=f"hinge {k}")
    return out


def anywhere(axes: Axes, seed: int) -> Axes:
    """The axes, moved as a whole to some place, so that rounding has no regard for symmetry."""
    rng = np.random.default_rng(seed)
    turn = Rotation.random(random_state=seed)
    at = rng.uniform(-50.0, 50.0, 3)
    return [(turn.apply(p) + at, turn.apply(w / np.linalg.norm(w))) for p, w in axes]


VARIANTS: dict[str, Callable[[Axes], asm.Assembly]] = {
    "as it is": ring,
    "in another order": lambda axes: ring(axes, [3, 1, 4, 0, 2, 5]),
    "moved": lambda axes: moved(ring(axes), turned((3, -1, 2), 170, (10, 2000, -30))),
    "poses of six digits": lambda axes: with_digits(ring(axes)),
    "upside down": lambda axes: ring([(p, -np.asarray(w)) for p, w in axes]),
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_loop_of_special_dimensions_has_one_finite_freedom(name: str, variant: str) -> None:
    axes = LOOPS[name]()
    found = asm.mobility(VARIANTS[variant](axes))
    counts = (found.kutzbach, found.generic, found.here, found.finite)
    assert counts == (len(axes) - 6, 0, 1, 1)
    assert "special dimensions make 1 equation redundant" in found.sentence
    (entry,) = found.solution.special
    assert len(entry["mates"]) == len(axes)


@pytest.mark.parametrize("name", LOOPS)
def test_it_closes_along_the_motion(name: str) -> None:
    a = ring(LOOPS[name]())
    a.drive("motor", "hinge 0", "angle")
    motion = asm.sweep(a, "motor", angle=(0, 10), steps=10)
    assert motion, motion.sentence
    assert max(motion.residual_mm) < 1e-9


@pytest.mark.parametrize("name", LOOPS)
def test_with_axes_of_six_digits_in_one_frame_it_moves_within_the_tolerance(name: str) -> None:
    """Mates hold exactly, and the rank is full in most cases: it was called rigid beyond doubt."""
    for seed in range(4):
        found = asm.mobility(ring(anywhere(LOOPS[name](), seed), digits=6))
        assert (found.generic, found.finite) == (0, 1)
        if found.here == 0:
            assert found.sentence.endswith(
                "no degree of freedom, but 1 within the tolerance; "
                "not beyond doubt, dimensions are special, or nearly so"
            )
            (entry,) = found.solution.singular
            assert not entry["certain"] and entry["words"] == (
                "0 degrees of freedom, but 1 within the tolerance: "
                "dimensions are special, or nearly so"
            )


@pytest.mark.parametrize("name", LOOPS)
def test_with_one_hinge_tilted_it_does_not_move(name: str) -> None:
    """By 0.1 degree, on both links: it stays closed, and has more than noise."""
    axes = list(LOOPS[name]())
    point, way = axes[2]
    aside = np.cross(way, (0.3, -0.5, 0.8))
    turn = Rotation.from_rotvec(math.radians(0.1) * aside / np.linalg.norm(aside))
    axes[2] = (point, turn.apply(way))
    found = asm.mobility(ring(axes))
    assert (found.here, found.finite, found.solution.singular) == (0, 0, [])


# ------------------------------------------------------------------ parallel screws

SQUARE = {"A": (0.0, 0.0), "B": (12.0, 40.0), "C": (70.0, 55.0), "D": (90.0, -4.0)}
PARALLELOGRAM = {"A": (0.0, 0.0), "B": (30.0, 50.0), "C": (120.0, 50.0), "D": (90.0, 0.0)}
KITE = {"A": (0.0, 0.0), "B": (30.0, 40.0), "C": (130.0, 0.0), "D": (30.0, -40.0)}


def screws(corners: dict[str, tuple[float, float]], pitches: Sequence[float]) -> asm.Assembly:
    """A four-bar in a plane with threads across it for pins; a pitch of 0 is a hinge.

    The angles of a four-bar sum up to a constant; so do the ways along the axes, pitch times angle,
    if all pitches are one.  In a parallelogram opposite angles are alike and neighbours opposed: it
    is enough that opposite pitches have one sum.  In a kite two opposite angles are alike, and the
    sum of the others is twice that, the other way: the pitches of these are the mean of those.
    """
    names = ("frame", "crank", "coupler", "rocker")
    out = asm.Assembly("screws")
    for name in names:
        out.add(name, grounded=name == "frame")
    for k, (place, pitch) in enumerate(zip(corners.values(), pitches, strict=True)):
        at = asm.Frame((*place, 0.0), (0.0, 0.0, 1.0))
        kind = {"kind": "screw", "pitch": pitch} if pitch else {"kind": "revolute"}
        out.mate(**kind, name="ABCD"[k], parts=(names[k - 1], names[k]), at=at)
    return out


@pytest.mark.parametrize(
    ("corners", "pitches", "finite"),
    [
        (SQUARE, (5, 5, 5, 5), 1),
        (SQUARE, (5, 5, 5, 5.1), 0),
        (SQUARE, (5, 8, 7, 4), 0),
        (PARALLELOGRAM, (5, 8, 7, 4), 1),
        (PARALLELOGRAM, (0, 8, 8, 0), 1),
        (PARALLELOGRAM, (5, 8, 7, 4.1), 0),
        (KITE, (6, 4, 6, 8), 1),
        (KITE, (5, 4, 7, 8), 0),
        (KITE, (0, 4, 0, -4), 1),
    ],
)
@pytest.mark.parametrize("tilted", [False, True])
def test_four_parallel_screws_move_where_their_pitches_agree_with_the_angles(
    corners: dict[str, tuple[float, float]], pitches: Sequence[float], finite: int, tilted: bool
) -> None:
    a = screws(corners, pitches)
    found = asm.mobility(moved(a, turned((3, -1, 2), 50, (10, 20, -30))) if tilted else a)
    assert (found.kutzbach, found.here, found.finite) == (-2, finite, finite)

"""All closures of loops of hinges and slides: published counts, and no pose that Newton finds is
missed, wherever the loop stands and whatever its parts are called.

Lengths in mm.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from kept_loops import ROOTS

import assembly_solver as asm
from assembly_solver.solver.modes.loop_poses import LoopJoint, loop_poses
from assembly_solver.solver.modes.loop_structure import Structure

CLOSE = 1e-6
"""What poses of a loop of hundreds of mm are compared with, mm."""


# ------------------------------------------------------------------ mechanisms
def link(a: float, d: float, twist: float, angle: float) -> np.ndarray:
    """Denavit and Hartenberg's matrix."""
    ca, sa, ct, st = math.cos(twist), math.sin(twist), math.cos(angle), math.sin(angle)
    rows = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st]]
    return np.array([*rows, [0, sa, ca, d], [0, 0, 0, 1]])


def chain(links: list[tuple[float, float, float]], angles: np.ndarray) -> list[np.ndarray]:
    """The frames of the joints along z, then that of the hand."""
    frames = [np.eye(4)]
    for (a, d, twist), angle in zip(links, angles, strict=True):
        frames.append(frames[-1] @ link(a, d, twist, angle))
    return frames


# D. Manocha and J. F. Canny, Efficient inverse kinematics for general 6R manipulators, IEEE Trans.
# Robotics and Automation 10 (1994) 648, table I: problem 6 of Wampler and Morgan (1991), a slight
# variation of the arm of Manseur and Doty (1989).  The place of its hand has four digits there.
ARM = [
    (a, d, math.radians(twist))
    for a, d, twist in ((0.3, 0, 90), (1.0, 0, 1), (0, 0.2, 90), (1.5, 0, 1), (0, 0, 90), (0, 0, 1))
]
HAND = np.array(
    [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
        [0, 0, 0, 1],
    ]
)

# its table III: the angles in the 16 solutions, degrees
ARM_ANGLES = [
    (-96.28, -6.27, 179.96, 38.48, 52.55, -39.40),
    (-120.78, 172.33, -179.07, 31.33, -146.71, 142.82),
    (88.67, -176.72, -176.72, -63.24, 157.19, 140.43),
    (113.84, 5.30, -177.74, -55.92, -62.98, -43.37),
    (-178.12, 108.19, -147.73, -5.69, -164.67, 179.58),
    (168.32, -103.89, 146.60, -17.24, -171.87, 98.16),
    (-12.94, -105.09, -114.97, 3.02, 7.41, -79.42),
    (2.51, 108.07, 112.04, -10.52, 0.00, -0.10),
    (2.51, 108.07, -67.95, -169.47, 179.99, 179.89),
    (-12.94, -105.09, 65.02, 176.97, 172.58, 100.57),
    (168.32, -103.89, -33.39, -162.75, -8.12, -81.83),
    (-178.12, 108.19, 32.26, -174.30, -15.32, -0.41),
    (88.67, -176.72, 3.27, -116.75, 22.80, -39.56),
    (-96.28, -6.27, -0.03, 141.51, 127.44, 140.59),
    (-120.78, 172.33, 0.92, 148.66, -33.28, -37.17),
    (113.84, 5.30, 2.25, -124.07, -117.01, 136.62),
]


def as_arm(angles: np.ndarray, order: int = 1) -> list[LoopJoint]:
    """The joints of the arm at some angles, with its hand where it is held."""
    frames = chain(ARM, angles)
    left, _, right = np.linalg.svd(HAND[:3, :3])
    hand = HAND.copy()
    hand[:3, :3] = left @ right
    moved = hand @ np.linalg.inv(frames[6])
    end = np.concatenate([moved[:3, 3], moved[:3, :3].T.ravel()])
    joints = []
    for k, frame in enumerate(frames[:6]):
        ends, moves = (k, (k + 1) % 6), (None, end if k == 5 else None)
        joints.append(LoopJoint(*ends[::order], frame[:3, 2], frame[:3, 3], moves[::order]))
    return joints[::order]


class Drawn:
    """How an assembly is entered: the same, in another order under other names, elsewhere."""

    def __init__(self, seed: int | None, unit: float = 1.0) -> None:
        self.rng = None if seed is None else np.random.default_rng(seed)
        self.unit = unit
        self.place = np.eye(4)
        if self.rng is not None:
            turn = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
            self.place[:3, :3] = turn * np.linalg.det(turn)
            self.place[:3, 3] = 300 * unit * self.rng.normal(size=3)

    def order(self, n: int) -> list[int]:
        """In which order so many things are entered."""
        out: list[int] = (np.arange(n) if self.rng is None else self.rng.permutation(n)).tolist()
        return out

    def pose(self, first: bool) -> asm.Pose:
        """Where a part stands: the fixed one at its place, others somewhere near."""
        frame = np.concatenate([self.place[:3, 3], self.place[:3, :3].T.ravel()])
        pose = asm.Pose.from_frame(frame)
        if self.rng is None or first:
            return pose
        way, off = self.rng.normal(size=(2, 3))
        near = asm.Pose.from_axis(
            tuple(self.place[:3, 3] + 10 * self.unit * off), tuple(way), self.rng.uniform(0, 0.3)
        )
        return asm.Pose(
            near.position, (near @ asm.Pose((0, 0, 0), pose.quaternion_wxyz)).quaternion_wxyz
        )


def ring(seed: int, kinds: list[str], entered: Drawn | None = None) -> asm.Assembly:
    """A loop of such joints that is closed where its parts stand; the first part is fixed."""
    entered = entered or Drawn(None)
    n, rng = len(kinds), np.random.default_rng(seed)
    points, ways = 100 * entered.unit * rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    names = [f"part {k}" for k in range(n)] if entered.rng is None else list("zyxwvuts")[:n]
    out = asm.Assembly("ring")
    for k in entered.order(n):
        features = {
            "i": asm.Axis(tuple(points[k - 1]), tuple(ways[k - 1])),
            "o": asm.Axis(tuple(points[k]), tuple(ways[k])),
        }
        out.add(names[k], features=features, grounded=k == 0, pose=entered.pose(k == 0))
    for k in entered.order(n):
        out.mate(kinds[k], f"{names[k]}.o", f"{names[(k + 1) % n]}.i", name=f"joint {k}")
    return out


def shapes(modes: list[asm.Mode], n: int, entered: Drawn | None = None) -> list[np.ndarray]:
    """Where points of the parts of a ring of n are in each mode, with the fixed part at rest and in
    units of the assembly, (3 n, 3)."""
    entered = entered or Drawn(None)
    names = [f"part {k}" for k in range(n)] if entered.rng is None else list("zyxwvuts")[:n]
    points = 100 * entered.unit * np.vstack([np.zeros(3), np.eye(3)[:2]])
    back = np.linalg.inv(entered.place)
    out = []
    for mode in modes:
        world = np.concatenate([mode.poses[name].apply(points) for name in names])
        out.append((world @ back[:3, :3].T + back[:3, 3]) / entered.unit)
    return out


def same(one: list[np.ndarray], two: list[np.ndarray], near: float = CLOSE) -> bool:
    """Whether two sets of poses are the same."""
    away = np.array([[np.abs(p - q).max() for q in two] for p in one])
    return len(one) == len(two) and bool((away.min(axis=1) <= near).all())


# ------------------------------------------------------------------ one loop
@pytest.mark.parametrize(("seed", "order"), [(0, 1), (1, -1)])
def test_an_arm_has_16_real_solutions_from_any_pose(seed: int, order: int):
    angles = np.random.default_rng(seed).uniform(-3, 3, size=6)
    found = loop_poses("space", as_arm(angles, order), [1, 2, 3, 4, 5])
    assert found is not None and found.complete
    assert (len(found.motions), found.solutions) == (16, 16)
    last = chain(ARM, angles)[5]
    held = HAND @ np.linalg.inv(link(*ARM[5], 0.0))  # its axis is that of the last joint
    for motion in found.motions[:, 4]:
        turn = motion[3:].reshape(3, 3)
        assert np.abs(last[:3, 2] @ turn - held[:3, 2]).max() <= 2e-6  # the hand has six digits
        assert np.abs(motion[:3] + last[:3, 3] @ turn - held[:3, 3]).max() <= 2e-6


@pytest.mark.parametrize(
    ("kinds", "solutions"),
    [
        (["revolute"] * 6, 16),
        (["revolute"] * 5 + ["prismatic"], 16),
        (["revolute", "prismatic", "revolute", "revolute", "prismatic", "revolute"], 8),
        (["revolute", "prismatic", "revolute", "prismatic", "prismatic", "revolute"], 2),
        (["cylindrical"] + ["revolute"] * 4, 16),
        (["spherical"] + ["revolute"] * 3, 4),
    ],
)
def test_a_loop_has_as_many_closures_as_theory_says(kinds: list[str], solutions: int):
    modes = asm.modes(ring(5, kinds))
    assert {m.solutions for m in modes} == {solutions}
    assert all(m.complete and not m.why for m in modes)
    assert len(modes) % 2 == 0  # complex ones come in pairs


def test_the_16_solutions_of_an_arm_are_the_published_ones():
    angles = np.random.default_rng(0).uniform(-3, 3, size=6)
    found = loop_poses("space", as_arm(angles), [1, 2, 3, 4, 5])
    assert found is not None
    frames = np.array(chain(ARM, angles)[1:6])
    turns = found.motions[:, :, 3:].reshape(-1, 5, 3, 3)
    axes = np.einsum("ni,knij->knj", frames[:, :3, 2], turns)
    points = found.motions[:, :, :3] + np.einsum("ni,knij->knj", frames[:, :3, 3], turns)
    printed = np.array([chain(ARM, row)[1:6] for row in np.radians(ARM_ANGLES)])
    apart = np.abs(printed[:, None, :, :3, 2] - axes).max(axis=(2, 3))
    apart += np.abs(printed[:, None, :, :3, 3] - points).max(axis=(2, 3))
    assert apart.min(axis=1).max() <= 1e-3  # the table has hundredths of a degree
    assert sorted(apart.argmin(axis=1).tolist()) == list(range(16))


def arm_with_hand(order: int, place: asm.Pose) -> asm.Assembly:
    """The published arm in its third solution as an assembly, its hand held, mm; its parts and
    joints entered from the base on or from the hand on."""
    frames, a = chain(ARM, np.radians(ARM_ANGLES[2])), asm.Assembly("arm")
    left, _, right = np.linalg.svd(HAND[:3, :3])
    hand = np.column_stack([left @ right, HAND[:3, 3]])
    names = ["base", *(f"link {k}" for k in range(1, 7))]
    features = dict[str, dict[str, asm.Feature]]()
    for k, name in enumerate(names):
        features[name] = {"o": asm.Axis((0, 0, 0), "z")}
        if k:
            before = np.linalg.inv(frames[k]) @ frames[k - 1]
            features[name]["i"] = asm.Axis(tuple(100 * before[:3, 3]), tuple(before[:3, 2]))
    held = tuple(100 * hand[:, 3]), tuple(hand[:, 2]), tuple(hand[:, 0])
    features["base"]["hand"] = asm.Frame(*held)
    features["link 6"]["hand"] = asm.Frame((0, 0, 0))
    for k, name in [*enumerate(names)][::order]:
        at = np.concatenate([100 * frames[k][:3, 3], frames[k][:3, :3].T.ravel()])
        pose = place @ asm.Pose.from_frame(at)
        a.add(name, grounded=k == 0, pose=pose, features=features[name])
    for one, two in [*pairwise(names)][::order]:
        a.mate("revolute", f"{one}.o", f"{two}.i", name=f"hinge of {two}")
    a.mate("fixed", "base.hand", "link 6.hand")
    return a


def test_names_of_closures_of_an_arm_do_not_depend_on_rounding():
    """Links along the axes of their hinges are on no side of them: the rest across is rounding."""
    wanted = {m.name: m.distance for m in asm.modes(arm_with_hand(1, asm.Pose()))}
    assert len(wanted) == 16
    for order, turn in ((-1, 0.0), (1, 180.0), (-1, 37.0)):
        place = asm.Pose.from_axis((10.0, -20.0, 5.0), (1.0, 0.2, -0.3), turn)
        modes = asm.modes(arm_with_hand(order, place))
        assert all(m.complete and m.solutions == 16 for m in modes)
        found = {m.name: m.distance for m in modes}
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-3)


def tip_of_cuspidal(q: np.ndarray) -> np.ndarray:
    """Where the arm below has its tip, (..., 3), mm, for three angles (..., 3), rad."""
    reach, (a, b, c) = 200.0 + 150.0 * np.cos(q[..., 2]), np.moveaxis(q, -1, 0)
    out, aside = 100.0 + np.cos(b) * reach, 100.0 + 150.0 * np.sin(c)
    x, y = np.cos(a) * out - np.sin(a) * aside, np.sin(a) * out + np.cos(a) * aside
    return np.stack([x, y, -np.sin(b) * reach], axis=-1)


def test_two_modes_of_a_cuspidal_arm_are_joined_without_a_singular_pose():
    """Other modes are no other side of a singular pose: so `modes` does not tell that they are.

    d2 = 1, d3 = 2, d4 = 1.5, r2 = 1 with axes at right angles: the cuspidal arm in the code
    (rpiRobotics) to *Path planning and optimization for cuspidal 6R manipulators*.
    """
    a, at = asm.Assembly("cuspidal arm"), ((100.0, 0, 0), (300.0, 100.0, 0), (450.0, 100.0, 0))
    hinges = asm.Axis((0, 0, 0), "z"), asm.Axis(at[0], "y"), asm.Axis(at[1], "z")
    goal = (250.0, 0.0, 50.0)
    a.add("base", grounded=True, features={"o": hinges[0], "goal": asm.Point(goal)})
    a.add("one", features={"i": hinges[0], "o": hinges[1]})
    a.add("two", features={"i": hinges[1], "o": hinges[2]})
    a.add("three", features={"i": hinges[2], "tip": asm.Point(at[2])})
    for before, behind in pairwise(("base", "one", "two", "three")):
        a.mate("revolute", f"{before}.o", f"{behind}.i", name=behind)
    a.mate("spherical", "three.tip", "base.goal")
    modes = asm.modes(a)
    assert len(modes) == 4 and all(m.complete and m.solutions == 4 for m in modes)
    ends = np.radians([(-49.5, -398.7, 143.1), (-165.3, -171.7, -14.1)])  # found by Newton
    for q in ends:
        for _ in range(4):
            slopes = (tip_of_cuspidal(q + 1e-6 * np.eye(3)) - tip_of_cuspidal(q)) / 1e-6
            q -= np.linalg.solve(slopes.T, tip_of_cuspidal(q) - goal)
        places = np.array([m.poses["two"].apply(at[1]) for m in modes])
        elbow = [np.cos(q[1]), 0.0, -np.sin(q[1])]
        x, y = 100.0 + 200.0 * elbow[0], 100.0
        turned = np.cos(q[0]) * x - np.sin(q[0]) * y, np.sin(q[0]) * x + np.cos(q[0]) * y
        assert np.abs(places - [*turned, 200.0 * elbow[2]]).max(axis=1).min() <= 1e-4
    way = ends[0] + np.linspace(0.0, 1.0, 400)[:, None] * (ends[1] - ends[0])
    steps = 1e-4 * np.eye(3)
    slopes = (tip_of_cuspidal(way[:, None] + steps) - tip_of_cuspidal(way[:, None])) / 1e-4
    assert np.linalg.det(slopes).min() > 1e6  # mm3; nowhere 0


# ------------------------------------------------------------------ an oracle
Motions = dict[int, np.ndarray]
"""How each link has moved in some closures, (closures, 4, 4)."""


def hinges_of(structure: Structure) -> list[tuple[int, int]]:
    """Pairs of links with a hinge between them, chain after chain of a structure."""
    out, last = [], max(b for _, b, _ in structure)
    for a, b, n in structure:
        own = [a, *range(last + 1, last + n), b]
        last += n - 1
        out += list(pairwise(own))
    return out


def turns(points: np.ndarray, ways: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotations about axes, (starts, hinges, 4, 4)."""
    k = np.array([np.cross(np.eye(3), w).T for w in ways])
    out = np.zeros((*angles.shape, 4, 4))
    s, c = (f(angles)[..., None, None] for f in (np.sin, np.cos))
    out[..., :3, :3] = np.eye(3) + s * k + (1 - c) * k @ k
    out[..., :3, 3] = points - np.einsum("mnij,nj->mni", out[..., :3, :3], points)
    out[..., 3, 3] = 1.0
    return out


def moved_links(pairs: list[tuple[int, int]], turned: np.ndarray) -> tuple[Motions, np.ndarray]:
    """The motions of the links, and by how much links that are reached twice are apart."""
    at: Motions = {0: np.broadcast_to(np.eye(4), (len(turned), 4, 4))}
    left, off = list(range(len(pairs))), []
    while left:
        n = next(n for n in left if {*pairs[n]} & {*at})
        left.remove(n)
        a, b = pairs[n]
        if a in at and b in at:
            off.append((at[a] @ turned[:, n] - at[b])[:, :3].reshape(len(turned), 12))
        elif a in at:
            at[b] = at[a] @ turned[:, n]
        else:
            at[a] = at[b] @ np.linalg.inv(turned[:, n])
    return at, np.concatenate(off, axis=1)


def by_newton(
    pairs: list[tuple[int, int]], points: np.ndarray, ways: np.ndarray, starts: int
) -> Motions:
    """Closures that are reached from random angles."""
    n = len(pairs)
    angles = np.random.default_rng(99).uniform(-np.pi, np.pi, size=(starts, n))

    def off(at: np.ndarray) -> np.ndarray:
        return moved_links(pairs, turns(points, ways, at))[1]

    for _ in range(40):
        here, h = off(angles), 1e-7
        slopes = np.stack([(off(angles + h * e) - here) / h for e in np.eye(n)], axis=2)
        step = np.einsum("mij,mj->mi", np.linalg.pinv(slopes, rcond=1e-6), here)
        angles = angles - step / np.maximum(1.0, 2.0 * np.abs(step).max(axis=1))[:, None]
    closed = angles[np.abs(off(angles)).max(axis=1) <= 1e-9]
    return moved_links(pairs, turns(points, ways, closed))[0]


@pytest.mark.parametrize(("kind", "structure"), ROOTS)
def test_no_closure_that_newton_finds_is_missed(kind: str, structure: Structure):
    rng, pairs = np.random.default_rng(3), hinges_of(structure)
    points, ways = rng.normal(size=(2, len(pairs), 3))
    if kind == "sphere":
        points[:] = [1.0, 2.0, 3.0]
    if kind == "plane":
        ways[:] = [2.0, -1.0, 2.0]  # and the hinges are at any heights
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    if structure == ((0, 0, 6),) or (kind == "sphere" and len(structure) == 1):
        pairs = [(k, (k + 1) % len(pairs)) for k in range(len(pairs))]
    found = by_newton(pairs, points, ways, 150)
    links = [link for link in found if link]
    joints = [LoopJoint(*own, w, p) for own, w, p in zip(pairs, ways, points, strict=True)]
    every = loop_poses(kind, joints, links)
    assert every is not None and every.complete
    assert every.solutions == ROOTS[kind, structure]
    place, turn = every.motions[:, :, :3], every.motions[:, :, 3:].reshape(-1, len(links), 3, 3)
    now = np.stack([found[link] for link in links], axis=1)
    apart = np.abs(now[:, None, :, :3, 3] - place).max(axis=(2, 3))
    apart += np.abs(now[:, None, :, :3, :3].swapaxes(-1, -2) - turn).max(axis=(2, 3, 4))
    assert len(now) >= 20 and apart.min(axis=1).max() <= 1e-6
    assert len(np.unique(apart.argmin(axis=1))) >= 2  # and they are not all the same


# ------------------------------------------------------------------ crosses and balls in rings
HINGES = {"R": 1, "U": 2, "S": 3}
JOINTS = {"R": "revolute", "U": "universal", "S": "spherical"}


def ring_of(word: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres of joints, (n, 3), and the three axes of each, square to each other, (n, 3, 3)."""
    rng = np.random.default_rng(seed)
    points = 100 * rng.normal(size=(len(word), 3))
    return points, np.linalg.qr(rng.normal(size=(len(word), 3, 3)))[0]


def entered_ring(
    word: str, seed: int, entered: Drawn, digits: int = 15, noise: float = 0.0
) -> asm.Assembly:
    """The ring with its first hinge driven where the others alone hold all parts."""
    (points, axes), n, rng = ring_of(word, seed), len(word), np.random.default_rng(7)

    def frame(k: int, z: int, x: int) -> asm.Frame:
        every = np.array([points[k], axes[k, z], axes[k, x]])
        every += noise * np.array([[100.0], [1.0], [1.0]]) * rng.normal(size=(3, 3))
        return asm.Frame(*(tuple(float(f"{v:.{digits}g}") for v in row) for row in every))

    out, names = asm.Assembly(word), [f"part {k}" for k in range(n)]
    if entered.rng is not None:
        names = list("zyxwvuts")[:n]
    for k in entered.order(n):
        i, o = frame(k - 1, 1 if word[k - 1] == "U" else 0, 2), frame(k, 0, 2)
        pose = entered.pose(k == 0)
        out.add(names[k], features={"i": i, "o": o}, grounded=k == 0, pose=pose)
    for k in entered.order(n):
        ends = f"{names[k]}.o", f"{names[(k + 1) % n]}.i"
        out.mate(JOINTS[word[k]], *ends, name=f"joint {k}")
    if sum(HINGES[k] for k in word) == 7:
        out.drive("motor", "joint 0", value=0.0)
    return out


def newton_of(word: str, seed: int) -> list[np.ndarray]:
    """The different closures of the ring that Newton's iteration finds, as `shapes`."""
    (points, axes), n = ring_of(word, seed), len(word)
    first = sum(HINGES[k] for k in word) - 6
    hinges = [(k, way) for k in range(first, n) for way in axes[k, : HINGES[word[k]]]]
    pairs = [(m, (m + 1) % 6) for m in range(6)]
    places, ways = np.array([points[k] for k, _ in hinges]), np.array([way for _, way in hinges])
    motions = by_newton(pairs, places, ways, 400)
    behind = [0, *([0] if first else []), *np.cumsum([HINGES[k] for k in word[first:-1]])]
    own = np.vstack([np.zeros(3), 100 * np.eye(3)[:2]])
    out: list[np.ndarray] = []
    for c in range(len(motions[0])):
        parts = [motions[m][c] for m in behind]
        here = np.concatenate([own @ m[:3, :3].T + m[:3, 3] for m in parts])
        if all(np.abs(here - other).max() > 1e-3 for other in out):
            out.append(here)
    return out


ENTERED = {
    "as drawn": (None, 15, 0.0, CLOSE),
    "elsewhere in another order": (1, 15, 0.0, CLOSE),
    "six digits": (None, 6, 0.0, 0.5),
    "noise": (None, 15, 1e-7, 1e-2),
}
"""The draw, the digits of features, their relative noise, and what these move the poses by, mm."""


@pytest.mark.parametrize("how", ENTERED)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("word", ["RSUR", "RUSR", "RRUS", "USR", "URUR", "URRRR", "RURRRR"])
def test_no_closure_of_a_ring_with_crosses_is_missed(word: str, seed: int, how: str):
    draw, digits, noise, near = ENTERED[how]
    entered = Drawn(draw)
    modes = asm.modes(entered_ring(word, seed, entered, digits, noise))
    found, listed = newton_of(word, seed), shapes(modes, len(word), entered)
    assert all(m.complete for m in modes) and 2 <= len(found) <= len(modes)
    for pose in found:
        assert min(np.abs(pose - own).max() for own in listed) <= near
    assert {m.closures for m in modes} == {1}  # a ball as three hinges has two sets of angles


# ------------------------------------------------------------------ from any start
SIX = ["revolute"] * 6


@pytest.fixture(scope="module")
def six() -> list[np.ndarray]:
    modes = asm.modes(ring(3, SIX))
    assert all(m.complete for m in modes)
    return shapes(modes, 6)


@pytest.mark.parametrize("seed", range(10))
def test_the_same_closures_from_any_start_order_place_and_unit(seed: int, six: list[np.ndarray]):
    entered = Drawn(seed, unit=10.0 ** (seed % 4 - 1))
    modes = asm.modes(ring(3, SIX, entered))
    assert all(m.complete and m.solutions == 16 for m in modes)
    assert same(shapes(modes, 6, entered), six)


# ------------------------------------------------------------------ in a plane but for noise
def plate_on(word: str, driven: int, noise: float) -> asm.Assembly:
    """A plate on three legs in a plane, each with a driven joint; directions off by the noise."""
    rng, a = np.random.default_rng(0), asm.Assembly(f"3-{word}")
    features = dict[str, dict[str, asm.Feature]]()
    for leg in range(3):
        turn = 2 * np.pi * leg / 3
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        names = "base", f"a{leg}", f"b{leg}", "plate"
        for k, reach in enumerate((100.0, 70.0, 35.0)):
            aside = np.append(15 * rng.normal(size=2), 0.0)
            way = np.append(rng.normal(size=2), 0.0) if word[k] == "P" else np.array([0, 0, 1.0])
            for end in names[k : k + 2]:
                off = way + noise * rng.uniform(-1, 1, 3)
                at = asm.Axis(tuple(reach * out + aside), tuple(off))
                features.setdefault(end, {})[f"j{leg}{k}"] = at
    for part, own in features.items():
        a.add(part, features=own, grounded=part == "base")
    for leg in range(3):
        names = "base", f"a{leg}", f"b{leg}", "plate"
        for k, (one, two) in enumerate(pairwise(names)):
            kind = "prismatic" if word[k] == "P" else "revolute"
            a.mate(kind, f"{one}.j{leg}{k}", f"{two}.j{leg}{k}", name=f"j{leg}{k}")
        a.drive(f"motor {leg}", f"j{leg}{driven}", value=0.0)
    return a


@pytest.mark.parametrize("noise", [0.0, 1e-7])
@pytest.mark.parametrize(
    ("word", "driven", "solutions"),
    [("RRR", 0, 6), ("RPR", 1, 6), ("PRR", 0, 6), ("PRP", 0, 2), ("PPR", 0, 2)],
)
def test_a_plate_on_three_legs_in_a_plane_is_counted_whatever_holds_the_base(
    word: str, driven: int, solutions: int, noise: float
) -> None:
    """Slides on the base tell no normal, and directions that are off are in no plane: both were
    sampled."""
    modes = asm.modes(plate_on(word, driven, noise))
    assert len(modes) == 2
    assert all(m.complete and m.solutions == solutions for m in modes)

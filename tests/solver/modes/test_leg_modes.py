"""All closures of a body on legs of several kinds, several loops in space: counts, and no pose that
Newton's iteration from many starts finds is missed.

Lengths in mm.
"""

from __future__ import annotations

import numpy as np
import pytest
from kept_loops import ROOTS_ON_LEGS
from mechanisms import disturb, moved, random_pose, worst_gap

import assembly_solver as asm
from assembly_solver.solver.modes.loop_factors import RandomComplexes, drawn_joints
from assembly_solver.solver.modes.loop_paths import LoopPath
from assembly_solver.solver.modes.loop_starts import generic_member
from assembly_solver.solver.modes.loop_structure import loops_of
from assembly_solver.solver.modes.monodromy import generic_loops, loop_trace_defect
from assembly_solver.solver.modes.start_files import LEGS, of_legs

Legs = tuple[str, ...]


# ------------------------------------------------------------------ mechanisms
class OnLegs:
    """A body on legs, assembled where its parts stand: S a ball on the base, RS a link on a hinge
    with a ball, D a distance.

    Attributes:
        own: where each leg holds the body, (legs, 3); base: its distance's other end, or a point on
            the axis of its hinge; ways: directions of these axes.
    """

    def __init__(self, seed: int, legs: Legs) -> None:
        rng, n = np.random.default_rng(seed), len(legs)
        self.legs = legs
        turns = 2 * np.pi * np.arange(n) / n
        ring = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
        self.base = 100 * ring + 15 * rng.normal(size=(n, 3))
        self.own = 60 * ring + [0, 0, 100] + 15 * rng.normal(size=(n, 3))
        self.ways = np.cross([0, 0, 1], ring) + 0.4 * rng.normal(size=(n, 3))
        self.ways /= np.linalg.norm(self.ways, axis=1)[:, None]

    def assembly(self, rods: bool = False) -> asm.Assembly:
        """It; with distances as bodies between balls if there are `rods`."""
        a, features = asm.Assembly("on legs"), dict[str, dict[str, asm.Feature]]()
        mates = list[tuple[str, str, str, str, dict[str, float]]]()

        def join(kind: str, one: str, two: str, name: str, *at: asm.Feature, **of: float) -> None:
            features.setdefault(one, {})[name] = at[0]
            features.setdefault(two, {})[name] = at[-1]
            mates.append((kind, one, two, name, of))

        for k, leg in enumerate(self.legs):
            foot, head = asm.Point(tuple(self.base[k])), asm.Point(tuple(self.own[k]))
            if leg == "D" and rods:
                join("spherical", "base", f"rod {k}", f"f{k}", foot)
                join("spherical", f"rod {k}", "body", f"h{k}", head)
            elif leg == "D":
                length = float(np.linalg.norm(self.own[k] - self.base[k]))
                join("distance", "base", "body", f"d{k}", foot, head, value=length)
            else:
                below = "base" if leg == "S" else f"link {k}"
                join("spherical", below, "body", f"s{k}", head)
            if leg == "RS":
                axis = asm.Axis(tuple(self.base[k]), tuple(self.ways[k]))
                join("revolute", "base", f"link {k}", f"r{k}", axis)
        for part, own in features.items():
            a.add(part, features=own, grounded=part == "base")
        for kind, one, two, name, of in mates:
            a.mate(kind, f"{one}.{name}", f"{two}.{name}", name=name, **of)
        return a

    def off(self, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """By how much poses of the body do not hold, (m, 6), mm and mm2 over 100 mm."""
        out = []
        for leg, p, q, way in zip(self.legs, self.own, self.base, self.ways, strict=True):
            at = turn @ p + shift
            if leg == "S":
                out += [*(at - p).T]
            else:
                out.append((np.sum((at - q) ** 2, axis=1) - np.sum((p - q) ** 2)) / 100)
            if leg == "RS":
                out.append((at - p) @ way)
        return np.stack(out, axis=1)

    def by_newton(self, starts: int) -> list[np.ndarray]:
        """Different poses of the body, (3, 4) each, at which iterations from random ones end."""
        rng = np.random.default_rng(1)
        turn = np.linalg.qr(rng.normal(size=(starts, 3, 3)))[0]
        turn *= np.linalg.det(turn)[:, None, None]
        shift = 120 * rng.normal(size=(starts, 3))
        for _ in range(60):
            r, h = self.off(turn, shift), 1e-6
            slopes = [self.off(rotated(h * e) @ turn, shift) - r for e in np.eye(3)]
            slopes += [self.off(turn, shift + 100 * h * e) - r for e in np.eye(3)]
            step = np.linalg.pinv(np.stack(slopes, axis=2) / h) @ r[..., None]
            step = step[..., 0] / np.maximum(1.0, np.abs(step[..., 0]).max(axis=1))[:, None]
            turn = rotated(-step[:, :3]) @ turn
            shift = shift - 100 * step[:, 3:]
        found: list[np.ndarray] = []
        held = np.abs(self.off(turn, shift)).max(axis=1) <= 1e-7
        for pose in np.concatenate([turn, shift[..., None]], axis=2)[held]:
            if all(np.abs(pose - f).max() > 1e-3 for f in found):
                found.append(pose)
        return found


def rotated(vectors: np.ndarray) -> np.ndarray:
    """Rotations by vectors (..., 3)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None] + 1e-300
    k = np.cross(vectors[..., None, :] / angle, np.eye(3)).swapaxes(-1, -2)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def missed(own: OnLegs, modes: list[asm.Mode], starts: int) -> tuple[int, float]:
    """How many poses Newton's iteration finds, and how far the worst is from all modes, mm."""
    poses = np.array([m.poses["body"].frame for m in modes])
    known = np.concatenate([poses[:, 3:].reshape(-1, 3, 3).swapaxes(1, 2), poses[:, :3, None]], 2)
    found = own.by_newton(starts)
    away = [np.abs(known - f).max(axis=(1, 2)).min() for f in found]
    return len(found), max(away)


# ------------------------------------------------------------------ families
@pytest.mark.parametrize("legs", LEGS)
def test_the_closures_that_are_kept_of_legs_are_all_by_the_trace_test(legs: Legs):
    """Three circles have no distance to test by; their 16 are as many as there can be."""
    structure, kinds = of_legs(legs)
    own = generic_member("space", structure, kinds)
    assert own is not None and len(own.solutions) == ROOTS_ON_LEGS[legs]
    between = drawn_joints(own.loops, RandomComplexes(1))
    path = LoopPath(own.loops, own.joints, drawn_joints(own.loops, RandomComplexes(2)), between)
    r, j, _ = path.system(own.solutions, np.zeros(len(own.solutions)))
    assert np.abs(np.linalg.solve(j, r[..., None])).max() <= 1e-4  # kept in single precision
    if own.loops.bars:
        every = loop_trace_defect(own.loops, own.joints, own.solutions, structure)
        others = loop_trace_defect(own.loops, own.joints, own.solutions[1:], structure)
        assert every <= 9e-10 and others >= 2e-9 and others >= 10 * every


def test_monodromy_finds_all_closures_of_an_arm_held_by_two_distances():
    loops = loops_of("space", *of_legs(("RR", "D", "D")))
    assert len(generic_loops(loops, seed=6)[1]) == ROOTS_ON_LEGS["RR", "D", "D"]


@pytest.mark.parametrize("legs", [("RS",) * 3, ("E", "D", "D", "D"), ("C", "U", "U", "D", "D")])
def test_paths_of_joints_have_the_derivatives_of_their_systems(legs: Legs):
    loops, drawn = loops_of("space", *of_legs(legs)), RandomComplexes(3)
    path = LoopPath(loops, *(drawn_joints(loops, drawn) for _ in range(3)))
    x, s = drawn(2, loops.joints * loops.width), np.array([0.3, 0.6])
    _, j, rate = path.system(x, s)
    local, h = drawn(2, j.shape[2]), 1e-6
    across = path.lifted(x, local)
    ahead, back = (path.system(x + d * across, s)[0] for d in (h, -h))
    assert np.abs((ahead - back) / (2 * h) - (j @ local[..., None])[..., 0]).max() <= 1e-5
    ahead, back = (path.system(x, s + d)[0] for d in (h, -h))
    assert np.abs((ahead - back) / (2 * h) - rate).max() <= 1e-4


# ------------------------------------------------------------------ closures
FIVE = [
    ("RS", "RS", "RS"),
    ("S", "D", "D", "D"),
    ("S", "RS", "D"),
    ("RS", "RS", "D", "D"),
    ("RS", "D", "D", "D", "D"),
]


@pytest.mark.parametrize("legs", FIVE)
def test_no_pose_on_legs_that_newton_finds_is_missed(legs: Legs):
    own = OnLegs(0, legs)
    modes = asm.modes(own.assembly())
    assert all(m.complete and m.solutions == ROOTS_ON_LEGS[legs] for m in modes)
    found, away = missed(own, modes, 200)
    assert found >= 2 and away <= 1e-6


def test_three_rockers_tied_by_distances_close_in_as_many_ways_as_newton_finds():
    rng, a = np.random.default_rng(2), asm.Assembly("rockers")
    at, ways, tips = (
        100 * rng.normal(size=(3, 3)),
        rng.normal(size=(3, 3)),
        rng.normal(size=(3, 2, 3)),
    )
    tips = at[:, None] + 80 * tips
    pairs = [((0, 0), (1, 0)), ((1, 1), (2, 0)), ((2, 1), (0, 1))]
    axes = {f"r{k}": asm.Axis(tuple(at[k]), tuple(ways[k])) for k in range(3)}
    a.add("base", grounded=True, features=axes)
    for k in range(3):
        points = {f"t{n}": asm.Point(tuple(tips[k, n])) for n in range(2)}
        a.add(f"rocker {k}", features={"r": axes[f"r{k}"], **points})
        a.mate("revolute", f"base.r{k}", f"rocker {k}.r", name=f"r{k}")
    for k, ((p, m), (q, n)) in enumerate(pairs):
        length = float(np.linalg.norm(tips[p, m] - tips[q, n]))
        a.mate("distance", f"rocker {p}.t{m}", f"rocker {q}.t{n}", value=length, name=f"d{k}")
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == 16 for m in modes)

    def off(angles: np.ndarray) -> np.ndarray:
        spin = ways / np.linalg.norm(ways, axis=1)[:, None]
        turn = rotated(angles[..., None] * spin)
        moved_tips = at[:, None] + np.einsum("mkij,knj->mkni", turn, tips - at[:, None])
        gaps = [
            np.sum((moved_tips[:, p, m] - moved_tips[:, q, n]) ** 2, axis=1)
            - np.sum((tips[p, m] - tips[q, n]) ** 2)
            for (p, m), (q, n) in pairs
        ]
        return np.stack(gaps, axis=1) / 1e4

    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (300, 3))
    for _ in range(50):
        r = off(angles)
        slopes = np.stack([(off(angles + 1e-7 * e) - r) / 1e-7 for e in np.eye(3)], axis=2)
        step = (np.linalg.pinv(slopes) @ r[..., None])[..., 0]
        angles = angles - step / np.maximum(1.0, 2 * np.abs(step).max(axis=1))[:, None]
    closed = angles[np.abs(off(angles)).max(axis=1) <= 1e-9]
    poses = np.stack([[m.poses[f"rocker {k}"].frame[3:] for k in range(3)] for m in modes])
    spin = ways / np.linalg.norm(ways, axis=1)[:, None]
    turns = rotated(closed[..., None] * spin).swapaxes(-1, -2).reshape(-1, 1, 3, 9)
    away = np.abs(turns - poses).max(axis=(2, 3))
    assert away.min(axis=1).max() <= 1e-6
    assert len({*away.argmin(axis=1).tolist()}) == len(modes) >= 2


@pytest.fixture(scope="module")
def on_circles() -> list[asm.Mode]:
    return asm.modes(OnLegs(0, FIVE[0]).assembly())


@pytest.mark.parametrize("seed", range(3))
def test_the_same_closures_on_legs_from_any_start_and_place(seed: int, on_circles: list[asm.Mode]):
    by = random_pose(np.random.default_rng(seed))
    found = asm.modes(moved(disturb(OnLegs(0, FIVE[0]).assembly(), seed, 10, 15), by))
    assert all(m.complete for m in found) and len(found) == len(on_circles)
    back = by.inverse()
    for m in found:
        here = {part: back @ pose for part, pose in m.poses.items()}
        assert min(worst_gap(here, k.poses)[0] for k in on_circles) <= 1e-5


def test_a_rod_between_two_balls_is_a_distance():
    own = OnLegs(0, ("S", "D", "D", "D"))
    plain, rods = (asm.modes(own.assembly(rods)) for rods in (False, True))
    assert {m.solutions for m in [*plain, *rods]} == {8} and all(m.complete for m in rods)
    there = [m.poses["body"].frame for m in plain]
    assert len(rods) == len(plain)
    assert all(min(np.abs(m.poses["body"].frame - f).max() for f in there) <= 1e-6 for m in rods)


def test_a_body_on_too_few_legs_moves_and_is_not_counted():
    modes = asm.modes(OnLegs(0, ("RS", "RS", "D")).assembly())
    assert {m.why for m in modes} == {"they move: what moves has no closures to count"}


def test_legs_with_strokes_that_drivers_hold_are_legs_with_a_hinge_and_a_ball():
    own = OnLegs(0, FIVE[0])
    a, features = asm.Assembly("3-RPS"), dict[str, dict[str, asm.Feature]]()
    for k, (foot, head, way) in enumerate(zip(own.base, own.own, own.ways, strict=True)):
        axis, ball = asm.Axis(tuple(foot), tuple(way)), asm.Point(tuple(head))
        stroke = asm.Axis(tuple(foot), tuple(head - foot))
        features.setdefault("base", {})[f"r{k}"] = axis
        features[f"low {k}"] = {"r": axis, "p": stroke}
        features[f"up {k}"] = {"p": stroke, "s": ball}
        features.setdefault("body", {})[f"s{k}"] = ball
    for part, held in features.items():
        a.add(part, features=held, grounded=part == "base")
    for k in range(3):
        a.mate("revolute", f"base.r{k}", f"low {k}.r", name=f"r{k}")
        a.mate("prismatic", f"low {k}.p", f"up {k}.p", name=f"p{k}")
        a.mate("spherical", f"up {k}.s", f"body.s{k}", name=f"s{k}")
    assert {m.complete for m in asm.modes(a)} == {False}
    for k in range(3):
        a.drive(f"cylinder {k}", f"p{k}", value=0.0)
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == 16 for m in modes)
    plain = [m.poses["body"].frame for m in asm.modes(own.assembly())]
    assert len(modes) == len(plain)
    assert all(min(np.abs(m.poses["body"].frame - f).max() for f in plain) <= 1e-6 for m in modes)

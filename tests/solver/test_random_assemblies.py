"""Assemblies drawn at random where they hold: from near there they are solved, whatever they are.

Parts are placed first, then features are put on two parts at a time so that a mate of some kind
holds between them.  So a solution is known to exist, and "conflicting" would be a false claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mechanisms import Array, disturb, random_pose, turned

import assembly_solver as asm
from assembly_solver.model import assembly as _defines_every_kind  # noqa: F401
from assembly_solver.model.mate import MATES
from assembly_solver.model.mates.couplings import Coupling

Z = np.array([0.0, 0, 1])


class Draw:
    """Features of one mate in the world: a point, a direction, one across it, and a sense.

    `flat` draws directions along z or across it only, so that many assemblies move in a plane.
    """

    def __init__(self, rng: np.random.Generator, flat: bool) -> None:
        self.rng, self.flat = rng, flat
        self.p = rng.uniform(-100, 100, 3)
        self.u = self.direction()
        across = np.cross(self.u, rng.normal(size=3))
        if flat:
            across = Z if abs(self.u[2]) < 0.5 else np.cross(self.u, self._level())
        self.v = across / np.linalg.norm(across)
        self.w = np.cross(self.u, self.v)
        self.sense = 1 if rng.random() < 0.5 else -1

    def _level(self) -> Array:
        t = self.rng.uniform(0, 2 * math.pi)
        return np.array([math.cos(t), math.sin(t), 0.0])

    def direction(self) -> Array:
        """Any direction; of a planar assembly mostly z."""
        if self.flat:
            return Z if self.rng.random() < 0.75 else self._level()
        v = self.rng.normal(size=3)
        return np.asarray(v / np.linalg.norm(v))

    def some(self) -> float:
        return float(self.rng.uniform(-50, 50))

    def axis(self, point: Array, direction: Array) -> asm.Axis:
        return asm.Axis(tuple(point), tuple(direction))

    def plane(self, point: Array, normal: Array) -> asm.Plane:
        return asm.Plane(tuple(point), tuple(normal))

    def point(self, point: Array) -> asm.Point:
        return asm.Point(tuple(point))

    def frame(self, point: Array) -> asm.Frame:
        return asm.Frame(tuple(point), tuple(self.u), tuple(self.v))

    @property
    def sensed(self) -> dict[str, Any]:
        return {"sense": "aligned" if self.sense > 0 else "opposed"}


Made = tuple[Any, Any, dict[str, Any]]


def _distance(d: Draw) -> Made:
    other = d.p + 60 * d.v + d.some() * d.w
    return d.point(d.p), d.point(other), {"value": float(np.linalg.norm(other - d.p))}


def _angle(d: Draw) -> Made:
    """Between 20 and 160 degrees, in the plane of u and v."""
    t = d.rng.uniform(20, 160)
    other = math.cos(math.radians(t)) * d.u + math.sin(math.radians(t)) * d.v
    return d.axis(d.p, d.u), d.axis(d.p + d.some() * d.w, other), {"value": float(t)}


MAKERS: dict[str, Callable[[Draw], Made]] = {
    "angle": _angle,
    "coaxial": lambda d: (d.axis(d.p, d.u), d.axis(d.p + d.some() * d.u, d.sense * d.u), d.sensed),
    "coincident": lambda d: (d.point(d.p), d.point(d.p), {}),
    "coplanar": lambda d: (
        d.plane(d.p, d.u),
        d.plane(d.p + d.some() * d.v, d.sense * d.u),
        d.sensed,
    ),
    "cylindrical": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.u), {}),
    "distance": _distance,
    "fixed": lambda d: (d.frame(d.p), d.frame(d.p), {}),
    "line_in_plane": lambda d: (d.plane(d.p, d.u), d.axis(d.p + d.some() * d.w, d.v), {}),
    "parallel": lambda d: (d.axis(d.p, d.u), d.axis(d.p + 30, d.sense * d.u), d.sensed),
    "perpendicular": lambda d: (d.axis(d.p, d.u), d.axis(d.p + 30, d.v), {}),
    "planar": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.v), {}),
    "point_in_plane": lambda d: (d.plane(d.p, d.u), d.point(d.p + d.some() * d.v), {}),
    "point_on_line": lambda d: (d.axis(d.p, d.u), d.point(d.p + d.some() * d.u), {}),
    "prismatic": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.u), {}),
    "revolute": lambda d: (d.frame(d.p), d.frame(d.p), {}),
    "spherical": lambda d: (d.point(d.p), d.point(d.p), {}),
}


def _swung(d: Draw) -> Made:
    """Shafts at up to 60 degrees about v, which does not change."""
    t = d.rng.uniform(-1, 1)
    z = math.cos(t) * d.u + math.sin(t) * d.w
    return d.frame(d.p), asm.Frame(tuple(d.p), tuple(z), tuple(d.v)), {}


def _touching(d: Draw) -> Made:
    """A cylinder on a plane, in a bore or across another one; a ball on a plane."""
    r = float(d.rng.uniform(3, 12))
    rod = asm.Axis(tuple(d.p + r * d.u + d.some() * d.w), tuple(d.v), radius=r)
    return [
        lambda: (d.plane(d.p, d.u), rod, {}),
        lambda: (d.plane(d.p, d.u), asm.Sphere(rod.point, radius=r), {}),
        lambda: (
            asm.Axis(tuple(d.p), tuple(d.u), radius=r),
            asm.Axis(tuple(d.p + 4 * r * d.v), tuple(d.sense * d.u), radius=5 * r),
            {"side": "inside"} | d.sensed,
        ),
        lambda: (
            asm.Axis(tuple(d.p + 2 * r * d.w), tuple(d.u), radius=r),
            asm.Axis(tuple(d.p + d.some() * d.v), tuple(d.v), radius=r),
            {"skew": True},
        ),
    ][int(d.rng.integers(4))]()


def _threaded(d: Draw) -> Made:
    """A nut at some height on its thread, rotated accordingly."""
    pitch, way, t = float(d.rng.uniform(2, 30)), d.some(), d.rng.uniform(-3, 3)
    x = math.cos(t) * d.v + math.sin(t) * d.w
    nut = asm.Frame(tuple(d.p + way * d.u), tuple(d.u), tuple(x))
    return d.frame(d.p), nut, {"pitch": pitch, "constant": way - pitch * t / (2 * math.pi)}


def _along(d: Draw) -> Made:
    """A point on a polyline in the plane across u, at a fifth of a side."""
    corners = [d.p, d.p + 40 * d.v, d.p + 40 * d.v + 30 * d.w, d.p - 10 * d.v + 50 * d.w]
    at = 0.8 * corners[1] + 0.2 * corners[2]
    closed = bool(d.rng.integers(2))
    return asm.Curve(tuple(tuple(c) for c in corners), closed=closed), d.point(at), {}


SURFACES_AND_GUIDES: dict[str, Callable[[Draw], Made]] = {
    "constant_velocity": _swung,
    "path": _along,
    "pin_slot": lambda d: (d.frame(d.p), d.axis(d.p + d.some() * d.v, d.sense * d.u), d.sensed),
    "screw": _threaded,
    "slot": lambda d: (
        d.frame(d.p),
        d.axis(d.p + d.some() * d.v + 9 * d.u, d.sense * d.u),
        d.sensed,
    ),
    "tangent": _touching,
    "universal": lambda d: (d.frame(d.p), asm.Frame(tuple(d.p), tuple(d.v), tuple(d.w)), {}),
}


def seen_from(pose: asm.Pose, feature: Any) -> Any:
    """A feature of the world in the coordinates of a part."""
    back = pose.inverse()
    if isinstance(feature, asm.Curve):
        return replace(feature, points=tuple(tuple(back.apply(p)) for p in feature.points))
    frame = np.array(feature.frame).reshape(4, 3)
    origin = tuple(back.apply(frame[0]))
    if isinstance(feature, asm.Point):
        return replace(feature, point=origin)
    x, z = frame[1] @ pose.rotation, frame[3] @ pose.rotation
    if isinstance(feature, asm.Axis):
        return replace(feature, point=origin, direction=tuple(z), x=tuple(x))
    return type(feature)(origin, tuple(z), tuple(x))


def draw(
    seed: int, flat: bool, makers: Mapping[str, Callable[[Draw], Made]] = MAKERS
) -> asm.Assembly:
    """Three to six parts in a tree of mates, with up to four mates more."""
    rng = np.random.default_rng(seed)
    count, more = int(rng.integers(3, 7)), int(rng.integers(0, 5))
    names = [f"part {k}" for k in range(count)]
    spot = (
        (lambda: turned(Z, rng.uniform(-180, 180), rng.uniform(-100, 100, 3)))
        if flat
        else (lambda: random_pose(rng))
    )
    poses = {name: spot() for name in names}
    features: dict[str, dict[str, Any]] = {name: {} for name in names}
    pairs = [(int(rng.integers(k)), k) for k in range(1, count)]
    pairs += [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(more)]
    ties = []
    for n, (i, j) in enumerate(pairs):
        kind = str(rng.choice(sorted(makers)))
        a, b, parameters = makers[kind](Draw(rng, flat))
        for k, feature in ((i, a), (j, b)):
            features[names[k]][f"f{n}"] = seen_from(poses[names[k]], feature)
        ties.append((kind, (names[i], f"f{n}"), (names[j], f"f{n}"), parameters))
    out = asm.Assembly(f"random {seed}")
    for k, name in enumerate(names):
        out.add(name, grounded=k == 0, pose=poses[name], features=features[name])
    for kind, ref_a, ref_b, parameters in ties:
        out.mate(kind, ref_a, ref_b, **parameters)
    return out


def test_every_mate_kind_of_two_features_is_drawn() -> None:
    two = {
        kind
        for kind, cls in MATES.items()
        if not issubclass(cls, Coupling)
        and not set(cls.takes_more) & set(cls.required_parameters())
    }
    assert {*MAKERS, *SURFACES_AND_GUIDES} == two


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_surfaces_and_guides_among_other_mates_are_solved_from_a_start_near_by(flat: bool) -> None:
    for seed in range(25):
        a = draw(seed, flat, MAKERS | SURFACES_AND_GUIDES)
        held = asm.solve(a)
        assert held.residual < 1e-10, seed  # rounding of features 100 mm away
        solution = asm.solve(disturb(a, seed, mm=2, degrees=2))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"
        assert solution.residual < 1e-9


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_where_it_was_drawn_an_assembly_holds_and_stays(flat: bool) -> None:
    for seed in range(40):
        a = draw(seed, flat)
        solution = asm.solve(a)
        assert solution.residual < 1e-10, seed  # rounding of features 100 mm away
        assert solution.poses == {n: p.pose for n, p in a.parts.items()}


@pytest.mark.parametrize("first", range(0, 120, 20))
@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_a_random_assembly_is_solved_from_a_start_near_by(flat: bool, first: int) -> None:
    """Every part shifted by up to 4 mm and turned by up to 4 degrees about each axis."""
    for seed in range(first, first + 20):
        solution = asm.solve(disturb(draw(seed, flat), seed, mm=4, degrees=4))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"
        assert solution.residual < 1e-9
        assert all(m.holds for m in solution.mates)


def test_a_part_that_two_near_roots_hold_is_put_at_the_one_that_fits() -> None:
    """Ball, right angle and point on line hold part 1 at two places 0.1 mm apart; one of them
    lets the others close."""
    a = draw(601, flat=False)
    for seed in range(600, 608):
        solution = asm.solve(disturb(a, seed, mm=4, degrees=4))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_its_freedoms_are_unknowns_less_rank_and_its_motions_are_as_many(flat: bool) -> None:
    for seed in range(40):
        solution = asm.solve(draw(seed, flat))
        d = solution.diagnosis
        assert solution.dof == d.unknowns - d.rank == len(solution.free_motions)
        assert solution.redundant_equations == d.equations - d.rank
        assert sum(r["equations"] for r in solution.redundant) == solution.redundant_equations

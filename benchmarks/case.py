"""A case: an assembly as plain data, with one exact solution and disturbed start poses.

Independent of any engine: parts with their features, mates with their senses, one grounded part,
the true poses and the start poses.  The product and the peers' adapters convert it into their
models; `judge` reads the same data.

Lengths in mm.  Every case stands in an oblique base pose, so no engine profits from zeros.
Start poses: each moving part is shifted by up to 10 % of the case's size in a random direction and
rotated by up to 20 degrees about a random axis through the centre of its box; `noise` scales both.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
Spot = tuple[float, float]
Reference = tuple[str, str]

SHIFT = 0.10  # largest shift of a start pose, as a part of the case's size
TURN = 20.0  # largest turn of a start pose, degrees


class CaseFeature(NamedTuple):
    """A point, axis or plane of a part, part coordinates, mm; points have no direction."""

    kind: str
    point: Vector
    direction: Vector | None = None


class Body(NamedTuple):
    """Features of one part, and the box (size and middle, mm) that stands for its shape."""

    features: Mapping[str, CaseFeature]
    box: Vector
    middle: Vector


class Tie(NamedTuple):
    """One mate: sense +1 aligned or -1 opposed (coaxial, coplanar), value mm (distance)."""

    kind: str
    a: Reference
    b: Reference
    sense: int = 1
    value: float = 0.0


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses of the parts of a case in its order: positions (n, 3) mm, quaternions (n, 4) wxyz."""

    position: Array
    quaternion: Array

    @cached_property
    def rotation(self) -> Array:
        """Rotation matrices, shape (n, 3, 3)."""
        return np.asarray(Rotation.from_quat(self.quaternion, scalar_first=True).as_matrix())


@dataclass(frozen=True, eq=False)
class BenchmarkCase:
    """An assembly with its freedoms, its true poses and its start poses (see the module)."""

    name: str
    size: float
    dof: int
    parts: Mapping[str, Body]
    mates: tuple[Tie, ...]
    ground: str
    truth: Poses
    guess: Poses = field(repr=False)

    def feature(self, reference: Reference) -> CaseFeature:
        """The feature that a mate refers to."""
        return self.parts[reference[0]].features[reference[1]]


# ------------------------------------------------------------------ small pose algebra, 4 x 4


def shift(x: float, y: float, z: float) -> Array:
    """Homogeneous matrix of a translation, mm."""
    out = np.eye(4)
    out[:3, 3] = x, y, z
    return out


def turn(axis: Vector, degrees: float) -> Array:
    """Homogeneous matrix of a rotation about an axis through the origin."""
    unit = np.asarray(axis, float) / math.hypot(*axis)
    out = np.eye(4)
    out[:3, :3] = Rotation.from_rotvec(math.radians(degrees) * unit).as_matrix()
    return out


X: Vector = (1.0, 0.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
BASE = shift(50, -20, 10) @ turn((1, 2, 3), 30)


def rotated(spot: Spot, degrees: float) -> Spot:
    """A point of the plane rotated about the origin."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return spot[0] * c - spot[1] * s, spot[0] * s + spot[1] * c


def from_to(start: Spot, end: Spot, height: float) -> Array:
    """Pose of a flat link whose x axis runs from one point of the plane to another."""
    heading = math.atan2(end[1] - start[1], end[0] - start[0])
    return shift(*start, height) @ turn(Z, math.degrees(heading))


# ------------------------------------------------------------------ features and mates


def point(x: float, y: float, z: float) -> CaseFeature:
    """A point feature, mm."""
    return CaseFeature("point", (float(x), float(y), float(z)))


def axis(spot: Iterable[float], direction: Iterable[float]) -> CaseFeature:
    """An axis feature; the direction is scaled to length 1."""
    return _directed("axis", spot, direction)


def plane(spot: Iterable[float], normal: Iterable[float]) -> CaseFeature:
    """A plane feature; the normal is scaled to length 1."""
    return _directed("plane", spot, normal)


def _directed(kind: str, spot: Iterable[float], direction: Iterable[float]) -> CaseFeature:
    x, y, z = (float(v) for v in spot)
    d = [float(v) for v in direction]
    length = math.hypot(*d)
    return CaseFeature(kind, (x, y, z), (d[0] / length, d[1] / length, d[2] / length))


def coaxial(a: str, fa: str, b: str, fb: str, sense: int = 1) -> Tie:
    """Two axes on one line."""
    return Tie("coaxial", (a, fa), (b, fb), sense)


def coplanar(a: str, fa: str, b: str, fb: str) -> Tie:
    """Two faces in one plane, face to face."""
    return Tie("coplanar", (a, fa), (b, fb), -1)


def coincident(a: str, fa: str, b: str, fb: str) -> Tie:
    """Two points in one place."""
    return Tie("coincident", (a, fa), (b, fb))


def distance(a: str, fa: str, b: str, fb: str, value: float) -> Tie:
    """Two points `value` mm apart."""
    return Tie("distance", (a, fa), (b, fb), 1, float(value))


def hinge(a: str, pin_a: str, face_a: str, b: str, pin_b: str, face_b: str) -> list[Tie]:
    """A hinge as it is modelled in CAD: the pins coaxial and the faces beside them touching."""
    return [coaxial(a, pin_a, b, pin_b), coplanar(a, face_a, b, face_b)]


def plate(pins: list[Spot], thickness: float = 10.0) -> Body:
    """A flat link with a pin axis along z, a lower and an upper face at each of its pins."""
    features: dict[str, CaseFeature] = {}
    for i, (x, y) in enumerate(pins):
        features[f"pin{i}"] = axis((x, y, 0), Z)
        features[f"bottom{i}"] = plane((x, y, 0), (0, 0, -1))
        features[f"top{i}"] = plane((x, y, thickness), Z)
    low, high = np.min(pins, axis=0), np.max(pins, axis=0)
    (wide, deep), (mx, my) = high - low + 20.0, (high + low) / 2
    return Body(
        features, (float(wide), float(deep), thickness), (float(mx), float(my), thickness / 2)
    )


# ------------------------------------------------------------------ start poses


def restart(case: BenchmarkCase, seed: int, noise: float = 1.0) -> BenchmarkCase:
    """The same case with other start poses; noise 0 starts at the solution."""
    return replace(case, guess=_disturbed(case, seed, noise))


def _disturbed(case: BenchmarkCase, seed: int, noise: float) -> Poses:
    """The true poses with every moving part shifted, and rotated about the centre of its box."""
    draw = random.Random(f"{case.name}/{seed}")
    shifts, turns = np.zeros((2, len(case.parts), 3))
    for i, name in enumerate(case.parts):
        if name != case.ground and noise:
            shifts[i] = _direction(draw) * draw.uniform(0, SHIFT * case.size * noise)
            turns[i] = _direction(draw) * math.radians(draw.uniform(0, TURN * noise))
    middle = np.array([body.middle for body in case.parts.values()])
    moved = Rotation.from_matrix(case.truth.rotation) * Rotation.from_rotvec(turns)
    held = np.einsum("nij,nj->ni", case.truth.rotation, middle)
    position = case.truth.position + shifts + held - moved.apply(middle)
    still = np.all(turns == 0, axis=1)  # the grounded part starts at its pose, bit for bit
    quaternion = moved.as_quat(canonical=True, scalar_first=True)
    return Poses(
        np.where(still[:, None], case.truth.position, position),
        np.where(still[:, None], case.truth.quaternion, quaternion),
    )


def _direction(draw: random.Random) -> Array:
    """A direction, evenly spread over the sphere."""
    while True:
        v = np.array([draw.uniform(-1, 1) for _ in range(3)])
        length = math.sqrt(v @ v)
        if 0.1 < length <= 1:
            return np.asarray(v / length)


def make_case(
    name: str,
    size: float,
    dof: int,
    placed: Mapping[str, tuple[Body, Array]],
    mates: list[Tie],
    start: tuple[int, float],
) -> BenchmarkCase:
    """A case in the base pose with disturbed start poses; the first part is grounded."""
    world = BASE @ np.array([pose for _, pose in placed.values()])
    turned = Rotation.from_matrix(world[:, :3, :3]).as_quat(canonical=True, scalar_first=True)
    truth = Poses(world[:, :3, 3].copy(), turned)
    parts = {part: body for part, (body, _) in placed.items()}
    bare = BenchmarkCase(name, size, dof, parts, tuple(mates), next(iter(parts)), truth, truth)
    return restart(bare, *start)

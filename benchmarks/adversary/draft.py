"""A draft: an assembly as plain entries that are edited, told otherwise and judged.

The engine gets the assembly that `build` enters; the judge reads the draft, so that neither
depends on how the other keeps it.  mm and degrees.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import assembly_solver as asm

Array = NDArray[Any]
Rng = np.random.Generator
Ref = tuple[str, str]
"""Names of a part and of its feature."""


class Tie(NamedTuple):
    """A mate: its kind, its two features (None of a coupling) and its parameters."""

    kind: str
    a: Ref | None
    b: Ref | None
    parameters: dict[str, Any]


@dataclass
class Body:
    """A part: its start pose, features by name, and whether it is grounded."""

    pose: asm.Pose
    features: dict[str, Any] = field(default_factory=dict)
    grounded: bool = False


@dataclass
class Draft:
    """Parts, mates, drivers and limits by name.

    Attributes:
        drivers, limits: arguments of `Assembly.drive` and of `Assembly.limit`, by name.
        spared: mates that are there for their coordinates only, and not judged.
    """

    bodies: dict[str, Body] = field(default_factory=dict)
    ties: dict[str, Tie] = field(default_factory=dict)
    drivers: dict[str, dict[str, Any]] = field(default_factory=dict)
    limits: dict[str, dict[str, Any]] = field(default_factory=dict)
    tolerance: float = 1e-4
    spared: set[str] = field(default_factory=set)

    def build(self) -> asm.Assembly:
        """The assembly that the engine is asked about."""
        a = asm.Assembly("draft", tolerance=self.tolerance)
        for name, body in self.bodies.items():
            a.add(name, features=body.features, pose=body.pose, grounded=body.grounded)
        for name, tie in self.ties.items():
            a.mate(tie.kind, tie.a, tie.b, name=name, **tie.parameters)
        for name, driver in self.drivers.items():
            a.drive(name, **driver)
        for name, limit in self.limits.items():
            a.limit(name=name, **limit)
        return a

    def copy(self) -> Draft:
        """An independent draft; features and poses, which never change, are shared."""
        memo = {id(b.pose): b.pose for b in self.bodies.values()}
        memo |= {id(f): f for b in self.bodies.values() for f in b.features.values()}
        return copy.deepcopy(self, memo)

    @property
    def starts(self) -> dict[str, asm.Pose]:
        """Start poses by part."""
        return {name: body.pose for name, body in self.bodies.items()}

    def feature(self, ref: Ref) -> Any:
        """A feature by reference, or one that every part has."""
        return self.bodies[ref[0]].features.get(ref[1]) or OWN[ref[1]]

    def disturb(self, draw: Rng, mm: float, degrees: float) -> None:
        """Shift and turn the starts of the parts that are not grounded by up to so much."""
        for body in self.bodies.values():
            if not body.grounded:
                body.pose = body.pose @ displacement(draw, mm, degrees)


OWN = {
    "origin": asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0)),
    "x": asm.Axis((0, 0, 0), (1, 0, 0)),
    "y": asm.Axis((0, 0, 0), (0, 1, 0)),
    "z": asm.Axis((0, 0, 0), (0, 0, 1)),
    "xy": asm.Plane((0, 0, 0), (0, 0, 1)),
    "yz": asm.Plane((0, 0, 0), (1, 0, 0)),
    "zx": asm.Plane((0, 0, 0), (0, 1, 0)),
}
"""The features of every part."""


def displacement(draw: Rng, mm: float, degrees: float) -> asm.Pose:
    """A displacement of up to so much along each axis and about a random one."""
    at, axis = draw.uniform(-mm, mm, 3), draw.normal(size=3)
    return asm.Pose.from_axis(at.tolist(), axis.tolist(), float(draw.uniform(-degrees, degrees)))


def anywhere(draw: Rng, reach: float = 100.0) -> asm.Pose:
    """Any orientation, and a position within a cube of so many mm to each side."""
    q = Rotation.random(random_state=draw).as_quat(scalar_first=True)
    x, y, z = draw.uniform(-reach, reach, 3).tolist()
    qw, qx, qy, qz = q.tolist()
    return asm.Pose((x, y, z), (qw, qx, qy, qz))

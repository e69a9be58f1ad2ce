"""Applied loads: forces, springs, weights, and the inertia of accelerated parts.

Units: N, N mm, mm, s, kg.  A mass of 1 kg accelerated by 1 mm/s2 has an inertial force of 0.001 N,
an inertia of 1 kg mm2 at 1 rad/s2 an inertial torque of 0.001 N mm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.load import Load
from ...model.mass import Mass

MILLI = 0.001
"""1 kg mm/s2 in N; 1 N mm/s in W."""


class PartMotion(NamedTuple):
    """Motion of the parts in n states, world axes.

    Attributes:
        frames: (n, parts, 12), mm.
        twists: (n, parts, 6), velocity of the part's origin, mm/s, and spin, rad/s; or None.
        accelerations: (n, parts, 6), their derivatives; or None.
    """

    frames: Array
    twists: Array | None = None
    accelerations: Array | None = None


class Action(NamedTuple):
    """A force (N) at a point of a part and a torque (N mm), (n, 3) each, world axes."""

    part: int
    arm: Array
    """From the part's origin to the point, mm."""
    force: Array
    torque: Array

    @property
    def size(self) -> float:
        """The largest force, N; torques at an arm of 1 m."""
        both = (np.nan_to_num(np.abs(x)) for x in (self.force, self.torque))
        force, torque = (float(x.max(initial=0.0)) for x in both)
        return max(force, MILLI * torque)

    def power(self, twists: Array) -> Array:
        """Power on the part, (n,), W; twists: (n, parts, 6), mm/s and rad/s."""
        twist = twists[:, self.part]
        velocity = twist[:, :3] + np.cross(twist[:, 3:], self.arm)
        found: Array = np.sum(self.force * velocity + self.torque * twist[:, 3:], axis=1)
        return MILLI * found


def loads(assembly: Assembly, moving: PartMotion) -> list[Action]:
    """The loads of an assembly."""
    index = {name: k for k, name in enumerate(assembly.parts)}
    return [_load(load, index, moving.frames) for load in assembly.loads.values()]


def springs(assembly: Assembly, moving: PartMotion) -> list[Action]:
    """Spring forces at both ends; NaN where the ends coincide."""
    index = {name: k for k, name in enumerate(assembly.parts)}
    out = []
    for spring in assembly.springs.values():
        parts = [index[end.part] for end in spring.ends]
        ends = zip(parts, spring.points, strict=True)
        a, b = (_turned(moving.frames, k, point) for k, point in ends)
        between = (b + moving.frames[:, parts[1], :3]) - (a + moving.frames[:, parts[0], :3])
        distance = np.linalg.norm(between, axis=1, keepdims=True)
        pull = spring.force + spring.stiffness * (distance - spring.length)
        force = pull * between / np.where(distance > 0.0, distance, np.nan)
        none = np.zeros_like(force)
        out += [Action(parts[0], a, force, none), Action(parts[1], b, -force, none)]
    return out


def _load(load: Load, index: dict[str, int], frames: Array) -> Action:
    part = index[load.at.part]
    axes = None if load.axes is None else index[load.axes]
    force, torque = (_turned(frames, axes, v) for v in (load.force, load.torque))
    return Action(part, _turned(frames, part, load.point), force, torque)


def _turned(frames: Array, part: int | None, vector: tuple[float, ...]) -> Array:
    """A vector in axes of a part, or of the world, in world axes, (n, 3)."""
    if part is None:
        return np.tile(np.array(vector), (len(frames), 1))
    out: Array = np.array(vector) @ frames[:, part, 3:].reshape(-1, 3, 3)
    return out


def weights(assembly: Assembly, moving: PartMotion) -> list[Action]:
    """Weights of the parts with a mass; none without gravity."""
    gravity = np.array(assembly.gravity)
    if not gravity.any():
        return []
    none = np.zeros((len(moving.frames), 3))
    return [
        Action(part, _turned(moving.frames, part, mass.centre), none + mass.kg * gravity, none)
        for part, mass in _masses(assembly)
    ]


def resistances(assembly: Assembly, moving: PartMotion) -> list[Action]:
    """Inertial forces and torques of the parts with a mass; none without accelerations.

    Source: Newton and Euler, d'Alembert's form: -m a at the centre of mass, and the torque
    -(I alpha + omega x I omega).
    """
    if moving.twists is None or moving.accelerations is None:
        return []
    return [_resistance(part, mass, moving) for part, mass in _masses(assembly)]


def _resistance(part: int, mass: Mass, moving: PartMotion) -> Action:
    assert moving.twists is not None and moving.accelerations is not None
    spin = moving.twists[:, part, 3:]
    linear, angular = moving.accelerations[:, part, :3], moving.accelerations[:, part, 3:]
    arm = _turned(moving.frames, part, mass.centre)
    at_centre = linear + np.cross(angular, arm) + np.cross(spin, np.cross(spin, arm))
    axes = moving.frames[:, part, 3:].reshape(-1, 3, 3)  # rows are the part's axes
    inertia = axes.transpose(0, 2, 1) @ mass.tensor @ axes
    turned = np.einsum("nij,nj->ni", inertia, angular)
    turned += np.cross(spin, np.einsum("nij,nj->ni", inertia, spin))
    return Action(part, arm, -MILLI * mass.kg * at_centre, -MILLI * turned)


def _masses(assembly: Assembly) -> list[tuple[int, Mass]]:
    found = ((k, part.whole_mass) for k, part in enumerate(assembly.parts.values()))
    return [(k, mass) for k, mass in found if mass is not None]


def gathered(actions: list[Action], frames: Array, centre: Array) -> Array:
    """Wrench on each part about its centre, (n, parts, 6), N and N mm, world axes.

    Args:
        frames: (n, parts, 12), mm; centre: (parts, 3), part coordinates, mm.
    """
    out = np.zeros((*frames.shape[:2], 6))
    for action in actions:
        to_centre = _turned(frames, action.part, tuple(centre[action.part]))
        out[:, action.part, :3] += action.force
        out[:, action.part, 3:] += action.torque
        out[:, action.part, 3:] += np.cross(action.arm - to_centre, action.force)
    return out

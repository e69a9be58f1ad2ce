"""Guides: parts whose frame is prescribed over time, as on a shaker table or a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...errors import BadValue
from ...foundations.geometry.pose import STILL, Pose, compose_all
from ...foundations.numerics.taylor import Jet
from ...foundations.types import Array
from ..laws.law import Law, law_of
from ..mate import Equation, Reference, together, unturned
from ..measures.measure import Marker
from ..numbers import finite, several
from .driver import Driver

AXES = "xyz"


class GuideMotion(NamedTuple):
    """A moving frame at n times, in the coordinates of the frame that it is relative to.

    `frames` are (n, 12), mm; `twists`, (n, 6), velocity of the origin, mm/s, and spin, rad/s;
    `accelerations` their derivatives, (n, 6).
    """

    frames: Array
    twists: Array
    accelerations: Array


@dataclass(frozen=True, kw_only=True)
class Guide(Driver):
    """The frame of a part, as six laws over time.

    Attributes:
        part: the guided part; feature: the guided frame on it, None for its coordinate system.
        relative_to: the feature in whose frame position and angles are, None for the world.
        position: laws of the coordinates of the guided frame's origin, mm.
        angles: laws of three rotations, degrees; order: their axes, as "xyz": about x, then about
            the rotated y, then about the z rotated by both; "zxz" are Euler angles.
        value: the time at which `solve` prescribes the frame, s; None leaves it free.
        base: the frame that it is relative to, as a marker; of the world, on a grounded part.
        own: the guided frame, as a marker.
        world: the pose of the world's frame, where it is relative to the world.
    """

    part: str
    feature: str | None = None
    relative_to: Reference | None = None
    position: tuple[Law, Law, Law]
    angles: tuple[Law, Law, Law]
    order: str = AXES
    base: Marker
    own: Marker
    world: Pose = STILL

    @property
    def words(self) -> str:
        return f"motion of {self.part}" + (f".{self.feature}" if self.feature else "")

    @property
    def kind(self) -> str:
        return "motion"

    @property
    def unit(self) -> str:
        return "s"

    @property
    def moves(self) -> bool:
        """True: a guide leads its part over time."""
        return True

    def over(self, span: tuple[float, float]) -> Guide:
        """The guide over a span of time (s): ramps without times use these."""
        x, y, z = (law.over(span) for law in self.position)
        a, b, c = (law.over(span) for law in self.angles)
        return replace(self, position=(x, y, z), angles=(a, b, c))

    def checked(self, value: float | None, place: str) -> float | None:
        """A time, s; None for None.  Raises BadValue: no number, or a time outside a table;
        NotFinite: a law has no value there."""
        if value is None:
            return None
        time = finite(value, place, "a time in seconds")
        for law in (*self.position, *self.angles):
            law.at(time)
        return time

    def at(self, value: float) -> tuple[Equation, ...]:
        """The equations that prescribe the frame at a time, s: two frames coincide."""
        frame = compose_all(np.array([self.base.frame]), self.motion([value]).frames)[0]
        there = Marker(self.base.part, tuple(frame.tolist()))
        return together(there, self.own) + unturned(there, self.own)

    def motion(self, t: Any) -> GuideMotion:
        """The prescribed frame at times (s), shape (n,), in the coordinates of `base`.

        Raises BadValue: a time outside a table; NotFinite: a law without a finite value.

        Source: the rotation is the product R1 R2 R3; the spin is the sum of the three rates about
        their axes, and each axis is rotated by those before it.
        """
        times = np.asarray(t, float)
        p = [Jet(*law.at(times)) for law in self.position]
        rotations = [Jet(*(np.radians(x) for x in law.at(times))) for law in self.angles]
        rotation = np.broadcast_to(np.eye(3), (len(times), 3, 3))
        spin, spin_rate = np.zeros((len(times), 3)), np.zeros((len(times), 3))
        for axis, angle in zip(self.order, rotations, strict=True):
            k = AXES.index(axis)
            along = rotation[:, :, k]
            spin_rate = spin_rate + angle.acc[:, None] * along
            spin_rate = spin_rate + angle.rate[:, None] * np.cross(spin, along)
            spin = spin + angle.rate[:, None] * along
            rotation = rotation @ _about_axis(k, angle.value)
        columns = rotation.transpose(0, 2, 1).reshape(-1, 9)
        return GuideMotion(
            np.concatenate([np.stack([x.value for x in p], axis=1), columns], axis=1),
            np.concatenate([np.stack([x.rate for x in p], axis=1), spin], axis=1),
            np.concatenate([np.stack([x.acc for x in p], axis=1), spin_rate], axis=1),
        )


def _about_axis(k: int, angle: Array) -> Array:
    """Rotation matrices about axis k, shape (n, 3, 3); angles in rad, shape (n,)."""
    i, j = (k + 1) % 3, (k + 2) % 3
    out = np.zeros((len(angle), 3, 3))
    out[:, k, k] = 1.0
    out[:, i, i] = out[:, j, j] = np.cos(angle)
    out[:, j, i] = np.sin(angle)
    out[:, i, j] = -out[:, j, i]
    return out


def laws_of(
    given: Sequence[Any], place: str, parameters: Mapping[str, float]
) -> tuple[Law, Law, Law]:
    """Three laws, one for each coordinate: see `law_of`.

    Raises BadValue: not three; and the errors of `law_of`.
    """
    laws = several(given, 3, place, "three numbers, or expressions in t")
    x, y, z = (law_of(spec, f"{place}[{k}]", parameters) for k, spec in enumerate(laws))
    return (x, y, z)


def checked_order(order: Any, place: str) -> str:
    """The axes of three rotations, no two equal in a row; BadValue otherwise."""
    wanted = 'three of the axes x, y, z, no two alike in a row, as "xyz" or "zxz"'
    axes = isinstance(order, str) and len(order) == 3 and set(order) <= set(AXES)
    if not axes or order[0] == order[1] or order[1] == order[2]:
        raise BadValue(place, order, wanted)
    return str(order)


def base_of(part: str, pose: Pose, world: Pose) -> Marker:
    """The frame at the pose `world`, as a marker on a part at `pose`."""
    return Marker(part, tuple(pose.to(world).frame.tolist()))

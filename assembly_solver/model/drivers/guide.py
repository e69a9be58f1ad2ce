"""Guides: parts whose frame is prescribed over time, as on a shaker or in a robot's hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...errors import BadValue
from ...foundations.geometry.pose import STILL, Pose, compose_all
from ...foundations.types import Array
from ..laws.law import Law, law_of
from ..laws.taylor import Jet
from ..mate import Equation, Reference, together, unturned
from ..measures.measure import Marker
from ..numbers import finite
from .driver import Driver

AXES = "xyz"


class Moving(NamedTuple):
    """A moving frame at n times, in the frame that it is told in.

    Attributes:
        frames: origin, x, y, z, shape (n, 12), mm.
        twists: velocity of the origin, mm/s, and spin, rad/s, shape (n, 6).
        accelerations: their derivatives, mm/s2 and rad/s2, shape (n, 6).
    """

    frames: Array
    twists: Array
    accelerations: Array


@dataclass(frozen=True, kw_only=True)
class Guide(Driver):
    """The frame of a part, as six laws over time.

    Attributes:
        part: what is guided; feature: the frame on it that is meant, None for its own.
        relative_to: the feature in whose frame, None for the world.
        position: laws of the coordinates of that frame's origin, mm.
        angles: laws of three turns, degrees; order: their axes, as "xyz": first about x, then
            about the y that this gave, then about the z that both gave; "zxz" are Euler's angles.
        value: the time at which `solve` holds it, s; None leaves it free.
        base: that frame on its part: for the world, on a grounded part; own: the guided frame.
        world: the pose of the frame that counts as the world.
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
        """What it is, in the user's names."""
        return f"motion of {self.part}" + (f".{self.feature}" if self.feature else "")

    @property
    def kind(self) -> str:
        """What it is, in a word."""
        return "motion"

    @property
    def unit(self) -> str:
        """Unit of its value, which is a time."""
        return "s"

    @property
    def moves(self) -> bool:
        """Whether time moves it."""
        return True

    def over(self, span: tuple[float, float]) -> Guide:
        """The guide over a span of time (s): ramps without times of their own take these."""
        x, y, z = (law.over(span) for law in self.position)
        a, b, c = (law.over(span) for law in self.angles)
        return replace(self, position=(x, y, z), angles=(a, b, c))

    def checked(self, value: float | None, place: str) -> float | None:
        """A time at which its laws say something, or the error."""
        if value is None:
            return None
        time = finite(value, place, "a time in seconds")
        for law in (*self.position, *self.angles):
            law.at(time)
        return time

    def at(self, value: float) -> tuple[Equation, ...]:
        """What holds the part where it is at a time (s): two frames are one."""
        frame = compose_all(np.array([self.base.frame]), self.motion([value]).frames)[0]
        there = Marker(self.base.part, tuple(frame.tolist()))
        return together(there, self.own) + unturned(there, self.own)

    def motion(self, t: Any) -> Moving:
        """The prescribed frame at times (s), shape (n,), as seen in the frame `base`.

        Source: the rotation is the product of three turns, R1 R2 R3; the spin is the sum of their
        rates about their axes, and each axis is carried by the turns before it.
        """
        times = np.asarray(t, float)
        p = [Jet(*law.at(times)) for law in self.position]
        turns = [Jet(*(np.radians(x) for x in law.at(times))) for law in self.angles]
        rotation = np.broadcast_to(np.eye(3), (len(times), 3, 3))
        spin, swing = np.zeros((len(times), 3)), np.zeros((len(times), 3))
        for axis, turn in zip(self.order, turns, strict=True):
            k = AXES.index(axis)
            along = rotation[:, :, k]
            swing = swing + turn.acc[:, None] * along
            swing = swing + turn.rate[:, None] * np.cross(spin, along)
            spin = spin + turn.rate[:, None] * along
            rotation = rotation @ _turned(k, turn.value)
        columns = rotation.transpose(0, 2, 1).reshape(-1, 9)
        return Moving(
            np.concatenate([np.stack([x.value for x in p], axis=1), columns], axis=1),
            np.concatenate([np.stack([x.rate for x in p], axis=1), spin], axis=1),
            np.concatenate([np.stack([x.acc for x in p], axis=1), swing], axis=1),
        )


def _turned(k: int, angle: Array) -> Array:
    """Turns about axis k, shape (n, 3, 3), rad."""
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
    """Three laws, one for each coordinate."""
    if not isinstance(given, (list, tuple)) or len(given) != 3:
        raise BadValue(place, given, "three numbers, or expressions in t")
    x, y, z = (law_of(spec, f"{place}[{k}]", parameters) for k, spec in enumerate(given))
    return (x, y, z)


def checked_order(order: Any, place: str) -> str:
    """The axes of three turns, no two alike in a row."""
    wanted = 'three of the axes x, y, z, no two alike in a row, as "xyz" or "zxz"'
    if not isinstance(order, str) or len(order) != 3 or not set(order) <= set(AXES):
        raise BadValue(place, order, wanted)
    if order[0] == order[1] or order[1] == order[2]:
        raise BadValue(place, order, wanted)
    return order


def base_of(part: str, pose: Pose, world: Pose) -> Marker:
    """The frame that counts as the world on a part at a pose."""
    return Marker(part, tuple(pose.to(world).frame.tolist()))

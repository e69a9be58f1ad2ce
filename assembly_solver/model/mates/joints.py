"""Joints between two frames (or axes), z the joint axis: lower pairs, screws, shaft joints."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..feature import Frame
from ..mate import (
    AXES,
    DIRECTIONS,
    FRAMES,
    POINTS,
    End,
    Equation,
    Mate,
    SensedMate,
    holds,
    in_plane,
    inclined,
    on_axis,
    parallel,
    together,
    unturned,
)
from ..measures import measure as m
from ..measures.measure import Measure
from ..numbers import finite, not_zero


class Joint(Mate):
    """A mate that is a complete joint."""


@dataclass(frozen=True, kw_only=True)
class Revolute(Joint, SensedMate):
    """A hinge: origins together, z axes parallel.  Removes 5 freedoms, leaves the angle."""

    kind = "revolute"
    by_markers = True
    removes = 5
    takes = ((FRAMES, FRAMES),)
    coordinates = ("angle",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + together(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Prismatic(Joint):
    """A slide along z without any turn: removes 5 freedoms, leaves the length."""

    kind = "prismatic"
    by_markers = True
    removes = 5
    takes = ((FRAMES, FRAMES),)
    coordinates = ("length",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return unturned(a.marker, b.marker) + on_axis(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Joint, SensedMate):
    """Slide along and turn about one axis: removes 4 freedoms, leaves angle and length."""

    kind = "cylindrical"
    by_markers = True
    removes = 4
    takes = ((FRAMES, FRAMES),)
    coordinates = ("angle", "length")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + on_axis(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """A ball: origins together.  Removes 3 freedoms."""

    kind = "spherical"
    by_markers = True
    removes = 3
    takes = ((POINTS + AXES, POINTS + AXES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Planar(Joint, SensedMate):
    """xy planes together: removes 3 freedoms, leaves two slides and the turn about z."""

    kind = "planar"
    by_markers = True
    removes = 3
    takes = ((DIRECTIONS, DIRECTIONS),)
    coordinates = ("angle",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + in_plane(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Screw(Joint, SensedMate):
    """A nut on a thread: removes 5 freedoms, leaves the turn that is also the way.

    Axes on one line, and length = constant + `pitch` (mm per turn; right-handed above 0) x turns of
    the angle; a `constant` (mm) of None is that of the start pose.
    """

    pitch: float
    constant: float | None = None

    kind = "screw"
    removes = 5
    takes = ((FRAMES, FRAMES),)
    coordinates = ("angle", "length")

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        not_zero(self.pitch, f"{place}.pitch", "mm a turn, not 0")
        if self.constant is not None:
            finite(self.constant, f"{place}.constant", "a length in mm")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        length, angle = self.coordinate("length", a, b), self.coordinate("angle", a, b)
        thread = Equation(((1.0, length), (-self.pitch / (2 * pi), angle)), self.constant)
        return (*parallel(a.marker, b.marker), *on_axis(a.marker, b.marker), thread)


@dataclass(frozen=True, kw_only=True)
class Universal(Joint):
    """A Cardan joint: origins together, z axes (those of the cross) at a right angle.

    Removes 4 freedoms.  If given by one frame, its z is the pin of the first part and its x that of
    the second.
    """

    kind = "universal"
    removes = 4
    takes = ((FRAMES, FRAMES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker) + inclined(a.marker, b.marker, 0.5 * pi)

    @classmethod
    def frame_on_second(cls, at: Frame) -> Frame:
        f = at.frame
        return Frame(at.origin, (f[3], f[4], f[5]), (f[9], f[10], f[11]))


@dataclass(frozen=True, kw_only=True)
class ConstantVelocity(Joint):
    """Shafts along z that meet and turn alike at any bend: removes 4 freedoms.

    Origins together, and the rotation from a to b is about an axis normal to a's shaft.
    """

    kind = "constant_velocity"
    removes = 4
    takes = ((FRAMES, FRAMES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        swing = holds(Measure(m.TURN, 2, 0, a.marker, b.marker))
        return (*together(a.marker, b.marker), swing)

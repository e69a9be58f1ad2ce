"""The lower pairs as joints between two frames (or axes), z the joint axis."""

from __future__ import annotations

from dataclasses import dataclass

from .mate import (
    AXES,
    DIRECTIONS,
    FRAMES,
    POINTS,
    End,
    Equation,
    Mate,
    SensedMate,
    in_plane,
    on_axis,
    parallel,
    together,
    unturned,
)


class Joint(Mate):
    """A mate that stands for a whole lower pair."""


@dataclass(frozen=True, kw_only=True)
class Revolute(Joint, SensedMate):
    """A hinge: origins together, z axes parallel.  Removes 5 freedoms, leaves the angle."""

    kind = "revolute"
    removes = 5
    takes = ((FRAMES, FRAMES),)
    coordinates = ("angle",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + together(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Prismatic(Joint):
    """A slide along z without any turn: removes 5 freedoms, leaves the length."""

    kind = "prismatic"
    removes = 5
    takes = ((FRAMES, FRAMES),)
    coordinates = ("length",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return unturned(a.marker, b.marker) + on_axis(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Joint, SensedMate):
    """Slide along and turn about one axis: removes 4 freedoms, leaves angle and length."""

    kind = "cylindrical"
    removes = 4
    takes = ((FRAMES, FRAMES),)
    coordinates = ("angle", "length")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + on_axis(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """A ball: origins together.  Removes 3 freedoms."""

    kind = "spherical"
    removes = 3
    takes = ((POINTS + AXES, POINTS + AXES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Planar(Joint, SensedMate):
    """xy planes together: removes 3 freedoms, leaves two slides and the turn about z."""

    kind = "planar"
    removes = 3
    takes = ((DIRECTIONS, DIRECTIONS),)
    coordinates = ("angle",)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + in_plane(a.marker, b.marker)

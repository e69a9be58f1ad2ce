"""Scalars, points and parts over the states of a motion."""

from __future__ import annotations

from dataclasses import dataclass

from ..foundations.types import Array


@dataclass(frozen=True, eq=False)
class JointTrack:
    """One scalar over the states of a motion.

    Attributes:
        name: of the coordinate; unit: "deg" or "mm".
        value, rate, acc: (states,), in the unit, per second and per second squared.
    """

    name: str
    unit: str
    value: Array
    rate: Array
    acc: Array


@dataclass(frozen=True, eq=False)
class PointTrack:
    """A point over the states of a motion: (states, 3) each, world axes, mm and s."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class PartTrack:
    """A part over the states of a motion, world axes.

    Attributes:
        position, velocity, acceleration: of its origin, (states, 3), mm and s.
        quaternion_wxyz: (states, 4), without jumps of sign.
        spin, spin_rate: angular velocity and acceleration, (states, 3), degrees and s.
    """

    position: Array
    quaternion_wxyz: Array
    velocity: Array
    spin: Array
    acceleration: Array
    spin_rate: Array

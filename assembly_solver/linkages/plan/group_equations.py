"""The equations of a zero-freedom group, and how they are laid out for compiled code.

An equation reads points p_a + z (p_b - p_a): points of a link by two of its points.  Residuals are
lengths, mm, and not squared: Newton's method then takes a few steps where links are thousands of
times as long as others (docs/theory/dyads.md, 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Ints
from .link_length import Radius, constant

LENGTH, ON_LINE, ANGLE, ALONG_LINE, SAME_X, SAME_Y = range(6)
"""Kinds of equations."""

KIND, RADIUS, ACTUATOR, POINTS = range(4)
"""Columns of a row of integers; from POINTS on two points, a and b, for each of three points,
numbered within the group, the unknown ones first."""

FIRST, SECOND, OFFSET = 6, 8, 10
"""Columns of a row of numbers after z of three points: the two numbers of a radius; a length."""

WIDTH = 12
"""Columns of both."""


class LinkPoint(NamedTuple):
    """The point p_a + z (p_b - p_a) of a link."""

    a: int
    b: int
    z: complex


def point(a: int) -> LinkPoint:
    """A point by itself."""
    return LinkPoint(a, a, 0j)


NO_RADIUS = constant(0.0)


@dataclass(frozen=True)
class GroupEquation:
    """One equation of a group.

    Attributes:
        kind: see the functions below; points: two or three.
        radius: of LENGTH; actuator: of ANGLE and ALONG_LINE.
        offset: of ON_LINE and ANGLE, mm.
    """

    kind: int
    points: tuple[LinkPoint, ...]
    radius: Radius = NO_RADIUS
    actuator: int = 0
    offset: float = 0.0

    @property
    def turning(self) -> tuple[int, ...]:
        """Actuators whose e^{i value} is read."""
        return (self.actuator,) if self.kind == ANGLE else self.radius.turning


def length(m: LinkPoint, n: LinkPoint, radius: Radius) -> GroupEquation:
    """|m - n| is the radius."""
    return GroupEquation(LENGTH, (m, n), radius, radius.actuator)


def on_line(q: LinkPoint, a: LinkPoint, b: LinkPoint, w: float) -> GroupEquation:
    """Point q lies w to the left of the line from a to b, mm: Im((q - a) conj(b - a)) / |b - a|."""
    return GroupEquation(ON_LINE, (q, a, b), offset=w)


def angle(i: LinkPoint, j: LinkPoint, k: LinkPoint, actuator: int, arm: float) -> GroupEquation:
    """The angle from the ray j -> i to the ray j -> k is the actuator's value.

    Im((k - j) conj((i - j) e^{i value})) / arm = 0; of its two roots the one where the real part
    is positive.

    Args:
        arm: |i - j|, mm: both are points of one link.
    """
    return GroupEquation(ANGLE, (i, j, k), actuator=actuator, offset=arm)


def along_line(q: LinkPoint, p: LinkPoint, r: LinkPoint, actuator: int) -> GroupEquation:
    """The distance of q from p toward r, Re((q - p) conj(r - p)) / |r - p|, is the value."""
    return GroupEquation(ALONG_LINE, (q, p, r), actuator=actuator)


def coincide(m: LinkPoint, n: LinkPoint) -> tuple[GroupEquation, GroupEquation]:
    """Two points coincide."""
    return GroupEquation(SAME_X, (m, n)), GroupEquation(SAME_Y, (m, n))


@dataclass(frozen=True)
class PointGroup:
    """Points that are solved together: two equations for each of them, else ValueError."""

    unknowns: tuple[int, ...]
    equations: tuple[GroupEquation, ...]

    def __post_init__(self) -> None:
        wanted, found = 2 * len(self.unknowns), len(self.equations)
        if wanted != found:
            raise ValueError(f"{len(self.unknowns)} points need {wanted} equations, not {found}")

    @property
    def members(self) -> tuple[int, ...]:
        """The unknown points, then the known ones that the equations read."""
        read = {k for e in self.equations for p in e.points for k in (p.a, p.b)}
        return (*self.unknowns, *sorted(read - set(self.unknowns)))


class PackedGroups(NamedTuple):
    """All groups of a program in flat arrays."""

    table: Ints
    """(groups, 5): first member, first known member, last; first and last equation."""
    member: Ints
    equation: Ints
    """(equations, WIDTH)"""
    given: Array
    """(equations, WIDTH)"""


def pack_groups(groups: Sequence[PointGroup]) -> PackedGroups:
    """Lay out groups for compiled code."""
    table: list[tuple[int, ...]] = []
    member: list[int] = []
    rows: list[list[int]] = []
    values: list[list[float]] = []
    for g in groups:
        first, begun = len(member), len(rows)
        member += g.members
        local = {k: n for n, k in enumerate(g.members)}
        for e in g.equations:
            rows.append(_row(e, local))
            values.append(_values(e))
        table.append((first, first + len(g.unknowns), len(member), begun, len(rows)))
    return PackedGroups(
        np.array(table, np.int64).reshape(-1, 5),
        np.array(member, np.int64),
        np.array(rows, np.int64).reshape(-1, WIDTH),
        np.array(values, float).reshape(-1, WIDTH),
    )


def _row(e: GroupEquation, local: dict[int, int]) -> list[int]:
    points = [local[k] for p in e.points for k in (p.a, p.b)]
    row = [e.kind, e.radius.kind, e.actuator, *points]
    return row + [0] * (WIDTH - len(row))


def _values(e: GroupEquation) -> list[float]:
    z = [n for p in e.points for n in (p.z.real, p.z.imag)]
    z += [0.0] * (FIRST - len(z))
    return [*z, *e.radius.numbers, e.offset, 0.0]

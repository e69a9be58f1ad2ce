"""The scheme of a planar linkage: its points, links, slots and actuators, in numbers.

It contains what the matrices of MotionGen do: which points lie on which link (B), where they start
(D), which slide in which slot (S), what is driven (I).  Links of two points are bars.

Source: MotionGen, section 2; docs/theory/dyads.md, 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...foundations.types import Array

ROTARY, LINEAR, SPAN = "R", "P", "L"
"""Kinds of actuators: an angle at a joint, a displacement in a slot, a distance of points."""


@dataclass(frozen=True)
class SchemeLink:
    """A rigid link by the numbers of its points.

    Attributes:
        loose: a point that other links hold at its distance; then the link keeps its shape only.
    """

    name: str
    points: tuple[int, ...]
    loose: int | None = None

    @property
    def sized(self) -> bool:
        """Whether it holds the distances of its points."""
        return self.loose is None


@dataclass(frozen=True)
class SchemeSlot:
    """A point on the line through two points of a link.

    Attributes:
        name: of the joint; point: that slides; ends: two points of the link that has the slot.
        low, high: limits of the distance from the first end, mm; None where there is none.
    """

    name: str
    point: int
    ends: tuple[int, int]
    link: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Actuator:
    """A driven coordinate: its value is factor x input + offset, rad or mm.

    Attributes:
        name: of the driver; kind: ROTARY, LINEAR or SPAN.
        points: ROTARY (i, j, k): the angle from the ray j -> i to the ray j -> k; LINEAR (p, q, r):
            the distance of q from p toward r; SPAN (p, q, -1): the distance of p and q.
    """

    name: str
    kind: str
    points: tuple[int, int, int]
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Scheme:
    """A planar linkage.

    Attributes:
        points: their names; at: (points, 2), where they start, assembled, mm.
        links: the ground first; slots; actuators: one for each input.
    """

    points: tuple[str, ...]
    at: Array
    links: tuple[SchemeLink, ...]
    slots: tuple[SchemeSlot, ...] = ()
    actuators: tuple[Actuator, ...] = ()

    @cached_property
    def start(self) -> list[complex]:
        """Where the points start, x + iy, mm."""
        return [complex(x, y) for x, y in self.at.tolist()]

    @cached_property
    def links_at(self) -> list[tuple[int, ...]]:
        """The links of each point."""
        found: list[list[int]] = [[] for _ in self.points]
        for number, link in enumerate(self.links):
            for point in link.points:
                found[point].append(number)
        return [tuple(links) for links in found]

    @cached_property
    def size(self) -> float:
        """Extent of the points, mm: the scale of tolerances."""
        return float(np.ptp(self.at, axis=0).max()) if len(self.at) else 0.0

    def carriers(self, *points: int) -> list[int]:
        """The links that contain all of some points."""
        return sorted(set.intersection(*(set(self.links_at[p]) for p in points)))

    def turned_links(self, actuator: Actuator) -> tuple[int, int] | None:
        """The two links between which an actuator is an angle; None where there are none."""
        i, j, k = actuator.points
        pairs = ((a, b) for a in self.carriers(i, j) for b in self.carriers(j, k) if a != b)
        return next(pairs, None)

    def farthest(self, point: int, among: Iterable[int]) -> int:
        """The point, among some, that is farthest from another one where the linkage starts."""
        return max(among, key=lambda p: abs(self.start[p] - self.start[point]))

"""The reach of each constraint: what its angle is multiplied with in verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from ..foundations.altered import altered
from ..foundations.geometry.pose import placed_points
from ..foundations.graphs.connected import connected
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.packed import packed
from ..foundations.numerics.rounding import AGREEMENT, DIGITS
from ..foundations.remembered import remembered
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from .table import EquationTable

LEAST_EXTENT = 10.0 * DIGITS
"""Extents below this share of the whole assembly's count as none: features that coincide, but for
the digits of a file, have no reach that could scale angles."""


def most_reach(outermost: float, origins: float) -> float:
    """A length that no reach exceeds, of points and markers so far out on parts with their origins
    so far out, mm: see `Reaches.most`."""
    return 8.0 * (outermost + origins)


FEW = 256
"""Features of one rigid body that are compared with all others at once."""


class PartPoints(NamedTuple):
    """Origins of all features, with or without a mate.

    Attributes:
        part: of each, ascending; at: in part coordinates, (n, 3), mm.
    """

    part: Ints
    at: Array


def part_points(assembly: Assembly) -> PartPoints:
    """The points of an assembly."""
    own = [part.features for part in assembly.parts.values()]
    part = np.arange(len(own)).repeat([*map(len, own)])
    return PartPoints(part, packed([f.frame[:3] for each in own for f in each.values()], 3))


@dataclass(frozen=True, eq=False)
class Reaches:
    """What the reaches of the constraints are computed from when they are first asked for.

    A solve of parts that merge asks for those over the merged bodies alone.

    Attributes:
        table: the equations; first: of each constraint; points: of all features.
        body: the rigid body of each part, (parts,), see `welds` and `structure.clusters`; placed:
            its pose there, (parts, 12); start: its pose in the world, (parts, 12).
        links: pairs of parts that share a constraint.
    """

    table: EquationTable
    first: Ints
    points: PartPoints
    body: Ints
    placed: Array
    start: Array
    links: Ints

    @remembered
    def found(self) -> Array:
        """The reach of each constraint, see `System.reach`."""
        table, first = self.table, self.first
        far = self._far()
        each = np.maximum(far[table.marker_a], far[table.marker_b])[table.term_measure]
        of_term = np.arange(len(first) - 1).repeat(np.diff(table.first_term[first]))
        reach = np.zeros(len(first) - 1)
        np.maximum.at(reach, of_term, each)
        return self._with_extents(of_term, reach)

    @remembered
    def most(self) -> float:
        """A length that no reach exceeds, mm: found in no time, for what is far from its limit.

        Lengths are at most the square root of 3 times the largest coordinate, and distances and
        extents twice that of the origins of parts and of points on them.
        """
        return max(self.most_with(self.outermost), 1.0)

    def most_with(self, outermost: float) -> float:
        """The same for what is at most so far out on its part, mm."""
        return most_reach(outermost, self.origins)

    @remembered
    def outermost(self) -> float:
        """A coordinate on its part that no point and no marker exceeds, mm."""
        return _largest(self.points.at, self.table.marker_frame)

    @remembered
    def origins(self) -> float:
        """The largest coordinate of an origin of a part, mm."""
        return _largest(self.placed, self.start)

    def moved(self, table: EquationTable, at: Array, farthest: float) -> Reaches:
        """The same where points and markers are elsewhere on their parts, at most so far, mm."""
        outermost, points = max(self.outermost, farthest), PartPoints(self.points.part, at)
        out = altered(self, table=table, points=points, outermost=outermost)
        for made in ("found", "most"):
            out.__dict__.pop(made, None)
        return out

    def _far(self) -> Array:
        """How far each marker is away from the farthest feature of its body, mm, (markers,)."""
        points, part, origins = self.points, self.table.marker_body, self.table.marker_frame[:, :3]
        order = self.body[points.part].argsort(kind="stable")
        home = points.part[order]
        at = placed_points(self.placed[home], points.at[order])
        here, body, of = placed_points(self.placed[part], origins), self.body[home], self.body[part]
        far = np.zeros(len(of))
        low, high = (body.searchsorted(of, side) for side in ("left", "right"))
        size = high - low
        few = ((size <= FEW) & (size > 0)).nonzero()[0]
        count = size[few]
        begin = count.cumsum() - count
        row = few.repeat(count)
        steps = here[row] - at[np.arange(len(row)) + (low[few] - begin).repeat(count)]
        if len(few):
            squares = np.einsum("ij,ij->i", steps, steps)
            far[few] = np.sqrt(np.maximum.reduceat(squares, begin))
        for one in distinct(of[size > FEW]).tolist():
            mine = (of == one).nonzero()[0]
            far[mine] = farthest(here[mine], at[body == one])
        return far

    def _with_extents(self, of_term: Ints, reach: Array) -> Array:
        """Reaches, with the extent of the connected component where there is none."""
        table, part = self.table, self.table.marker_body
        world = placed_points(self.start[part], table.marker_frame[:, :3])
        whole = float(np.linalg.norm(np.ptp(world, axis=0))) if len(world) else 0.0
        if reach.min(initial=np.inf) > max(LEAST_EXTENT * whole, AGREEMENT):
            return reach
        count, label = connected(len(self.start), *self.links.T)
        of = label[part]
        low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        np.minimum.at(low, of, world)
        np.maximum.at(high, of, world)
        with np.errstate(invalid="ignore"):
            extent = np.linalg.norm(high - low, axis=1)
        home = np.zeros(len(reach), np.int64)
        home[of_term] = of[table.marker_a[table.term_measure]]
        least = LEAST_EXTENT * extent[home]
        found = np.where(reach > least, reach, extent[home])
        return np.where(np.isfinite(found) & (found > AGREEMENT), found, 1.0)


def _largest(*frames: Array) -> float:
    """The largest coordinate of the origins of frames, shape (n, 3 or 12)."""
    return max(float(np.abs(own[:, :3]).max(initial=0.0)) for own in frames)


def farthest(places: Array, points: Array) -> Array:
    """Distance from each of many places to the farthest of many points, (n,), mm.

    One of the points that are extreme in a few directions gives a least distance, and with it how
    far from their middle a farther point must be: mostly a few points are.
    """
    points = np.unique(points, axis=0)
    middle = points.mean(axis=0)
    away = np.linalg.norm(points - middle, axis=1)
    points, away = points[order := np.argsort(-away)], away[order]
    ways = np.array(list(product((-1.0, 0.0, 1.0), repeat=3)))
    extreme = points[np.argmax(points @ ways.T, axis=0)]
    least = np.linalg.norm(places[:, None] - extreme, axis=2).max(axis=1)
    needed = (least - np.linalg.norm(places - middle, axis=1)) * (1.0 - AGREEMENT)
    count = np.searchsorted(-away, -needed, side="right")
    far = np.empty(len(places))
    for some in np.array_split(count.argsort(), len(places) // FEW + 1):
        step = places[some][:, None] - points[: max(count[some].max(initial=0), 1)]
        far[some] = np.sqrt(np.einsum("nij,nij->ni", step, step).max(axis=1))
    found: Array = np.maximum(far, least)
    return found

"""The reach of each constraint: what its angle is multiplied with in verdicts."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.connected import connected
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.rounding import AGREEMENT, DIGITS
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from .table import EquationTable

LEAST_EXTENT = 10.0 * DIGITS
"""Extents below this share of the whole assembly's count as none: features that coincide, but for
the digits of a file, have no reach that could scale angles."""

FEW = 256
"""Features of one rigid body that are compared with all others at once."""


class PartPoints(NamedTuple):
    """Origins of all features, with or without a mate.

    Attributes:
        part: of each, ascending; at: in part coordinates, (n, 3), mm.
    """

    part: Ints
    at: Array


class FeaturePoints(NamedTuple):
    """The same by rigid bodies: what is rigid with a part, see `welds` and `structure.clusters`.

    Attributes:
        own: the points in part coordinates.
        body: of each part, (parts,); placed: its pose there, (parts, 12).
        at: the points, (n, 3), in the frames of the bodies, mm; of: the body of each, ascending.
    """

    own: PartPoints
    body: Ints
    placed: Array
    at: Array
    of: Ints

    @classmethod
    def on(cls, points: PartPoints, body: Ints, placed: Array) -> FeaturePoints:
        """The points of all parts, in bodies."""
        order = np.argsort(body[points.part], kind="stable")
        part = points.part[order]
        axes = placed[part, 3:].reshape(-1, 3, 3)
        at = placed[part, :3] + np.einsum("nk,nkr->nr", points.at[order], axes)
        return cls(points, body, placed, at, body[part])


def part_points(assembly: Assembly) -> PartPoints:
    """The points of an assembly."""
    own = [[f.frame for f in part.features.values()] for part in assembly.parts.values()]
    part = np.repeat(np.arange(len(own)), [len(features) for features in own])
    frames = np.array([f for features in own for f in features], float).reshape(-1, 12)
    return PartPoints(part, frames[:, :3])


def reaches(
    table: EquationTable, first: Ints, points: FeaturePoints, start: Array, links: Ints
) -> Array:
    """Reach of each constraint, see `System.reach`."""
    part, of = table.marker_body, points.body[table.marker_body]
    world = compose_all(start[part], table.marker_frame)[:, :3]
    here = compose_all(points.placed[part], table.marker_frame)[:, :3]
    far = np.zeros(len(of))
    low, high = (np.searchsorted(points.of, of, side) for side in ("left", "right"))
    few = np.flatnonzero((high - low <= FEW) & (high > low))
    row = np.repeat(few, (high - low)[few])
    at = np.arange(len(row)) - np.repeat(
        np.cumsum((high - low)[few]) - (high - low)[few], (high - low)[few]
    )
    np.maximum.at(far, row, np.linalg.norm(here[row] - points.at[low[row] + at], axis=1))
    for body in distinct(of[high - low > FEW]).tolist():
        mine = np.flatnonzero(of == body)
        far[mine] = farthest(here[mine], points.at[points.of == body])
    of_term = np.repeat(np.arange(len(first) - 1), np.diff(table.first_term[first]))
    reach = np.zeros(len(first) - 1)
    for marker in (table.marker_a, table.marker_b):
        np.maximum.at(reach, of_term, far[marker[table.term_measure]])
    return _with_extents(table, of_term, reach, world, links, len(start))


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
    for some in np.array_split(np.argsort(count), len(places) // FEW + 1):
        step = places[some][:, None] - points[: max(count[some].max(initial=0), 1)]
        far[some] = np.sqrt(np.einsum("nij,nij->ni", step, step).max(axis=1))
    found: Array = np.maximum(far, least)
    return found


def _with_extents(
    table: EquationTable, of_term: Ints, reach: Array, world: Array, links: Ints, n: int
) -> Array:
    """Reaches, with the extent of the connected component where there is none."""
    whole = float(np.linalg.norm(np.ptp(world, axis=0))) if len(world) else 0.0
    if reach.min(initial=np.inf) > max(LEAST_EXTENT * whole, AGREEMENT):
        return reach
    count, label = connected(n, *links.T)
    of = label[table.marker_body]
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

"""The reach of each constraint: what its angle is multiplied with in verdicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.connected import connected
from ..foundations.numerics.rounding import AGREEMENT, DIGITS
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from .table import EquationTable

LEAST_EXTENT = 10.0 * DIGITS
"""Extents below this share of the whole assembly's count as none: features that coincide, but for
the digits of a file, have no reach that could scale angles."""

FEW = 256
"""Features of one rigid body that are compared with all others at once."""


class FeaturePoints(NamedTuple):
    """Origins of all features of rigid bodies; the grounded parts are one body, 0.

    Attributes:
        body: of each part, (parts,); at: the points, (n, 3), of body 0 in the world, else on the
            part, mm; of: the body of each, ascending.
    """

    body: Ints
    at: Array
    of: Ints


def all_points(assembly: Assembly, start: Array, grounded: NDArray[np.bool_]) -> FeaturePoints:
    """The points of an assembly with its parts at `start`, (parts, 12)."""
    body = np.where(grounded, 0, np.arange(1, len(start) + 1))
    own = [[f.frame for f in part.features.values()] for part in assembly.parts.values()]
    part = np.repeat(np.arange(len(start)), [len(features) for features in own])
    frames = np.array([f for features in own for f in features], float).reshape(-1, 12)
    world = compose_all(start[part], frames)[:, :3]
    at = np.where(grounded[part][:, None], world, frames[:, :3])
    order = np.argsort(body[part], kind="stable")
    return FeaturePoints(body, at[order], body[part][order])


def reaches(
    table: EquationTable, first: Ints, points: FeaturePoints, start: Array, links: Ints
) -> Array:
    """Reach of each constraint, see `System.reach`."""
    part, of = table.marker_body, points.body[table.marker_body]
    world = compose_all(start[part], table.marker_frame)[:, :3]
    here = np.where((of == 0)[:, None], world, table.marker_frame[:, :3])
    far = np.zeros(len(of))
    low, high = (np.searchsorted(points.of, of, side) for side in ("left", "right"))
    few = np.flatnonzero((high - low <= FEW) & (high > low))
    row = np.repeat(few, (high - low)[few])
    at = np.arange(len(row)) - np.repeat(
        np.cumsum((high - low)[few]) - (high - low)[few], (high - low)[few]
    )
    np.maximum.at(far, row, np.linalg.norm(here[row] - points.at[low[row] + at], axis=1))
    for body in np.unique(of[high - low > FEW]).tolist():
        spots, mine = np.unique(points.at[points.of == body], axis=0), np.flatnonzero(of == body)
        for some in np.array_split(mine, len(mine) // FEW + 1):
            step = here[some][:, None] - spots
            far[some] = np.sqrt(np.einsum("nij,nij->ni", step, step).max(axis=1))
    of_term = np.repeat(np.arange(len(first) - 1), np.diff(table.first_term[first]))
    reach = np.zeros(len(first) - 1)
    for marker in (table.marker_a, table.marker_b):
        np.maximum.at(reach, of_term, far[marker[table.term_measure]])
    return _with_extents(table, of_term, reach, world, links, len(start))


def _with_extents(
    table: EquationTable, of_term: Ints, reach: Array, world: Array, links: Ints, n: int
) -> Array:
    """Reaches, with the extent of the connected component where there is none."""
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

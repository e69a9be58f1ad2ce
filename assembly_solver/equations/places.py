"""Where parts and constraints are at the start, and their order by that alone.

What is drawn at random for them is drawn in this order, so that neither their names nor the order
in which they were listed, a motion of the whole assembly or its unit change the answer.
"""

from __future__ import annotations

import numpy as np

from ..foundations.geometry.pose import compose_all, placed_points
from ..foundations.types import Array, Ints
from .system import System


def places(system: System, frames: Array) -> Array:
    """Mean of the places of the features of each constraint, (constraints, 3), mm."""
    t = system.table
    at = compose_all(frames[t.marker_body], t.marker_frame)[:, :3]
    count = np.diff(t.first_term[system.first_equation])
    of = np.repeat(np.arange(len(count)), count)
    out = np.zeros((len(count), 3))
    for marker in (t.marker_a, t.marker_b):
        np.add.at(out, of, at[marker[t.term_measure]] / (2 * count[of, None]))
    return out


def parts_by_place(system: System) -> Ints:
    """Parts by how far the middle of their mate features is from that of all, then their origin."""
    at = placed_points(system.start, system.centre)
    middle = at.mean(axis=0)
    away, origin = (_away(system, x, middle) for x in (at, system.start[:, :3]))
    order: Ints = np.lexsort((origin, away))
    return order


def constraints_by_place(system: System) -> Ints:
    """Constraints by how far they are from the middle of all, then by kind."""
    at = places(system, system.start)
    kind = np.unique(np.array(system.kinds), return_inverse=True)[1]
    middle = at.sum(axis=0) / max(len(at), 1)  # there may be limits alone
    order: Ints = np.lexsort((kind, _away(system, at, middle)))
    return order


def _away(system: System, at: Array, middle: Array) -> Array:
    """Distances from a point, of which those that rounding tells apart are equal."""
    away: Array = np.round(np.linalg.norm(at - middle, axis=1) / system.same_place)
    return away

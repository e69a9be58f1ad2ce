"""Where parts and constraints are at the start, and their order by that alone.

What is drawn at random for them is drawn in this order, so that neither their names nor the order
in which they were listed, a motion of the whole assembly or its unit change the answer.  Those that
symmetry leaves equal stay as they were listed.
"""

from __future__ import annotations

import numpy as np

from ..foundations.geometry.pose import compose_all, placed_points
from ..foundations.types import Array, Ints
from .system import System

LANDMARKS = 8
"""Parts from which distances are looked at: four that are not in a plane would be enough."""


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
    """Parts by how far the middle of their mate features is from that of all, then from those that
    are held; then by their origins alike."""
    at, held = placed_points(system.start, system.centre), system.fixed
    of_all, of_held = at.mean(axis=0), at[held if held.any() else slice(None)].mean(axis=0)
    keys = [(x, middle) for x in (at, system.start[:, :3]) for middle in (of_all, of_held)]
    order: Ints = np.lexsort([_away(system, *key) for key in reversed(keys)])
    return order


def constraints_by_place(system: System) -> Ints:
    """Constraints by how far they are from the middle of all, then by kind, then by how far they
    are from the origins of the first parts."""
    at = places(system, system.start)
    kind = np.unique(np.array(system.kinds), return_inverse=True)[1]
    middle = at.sum(axis=0) / max(len(at), 1)  # there may be limits alone
    origins = system.start[parts_by_place(system)[:LANDMARKS], :3]
    keys = [_away(system, at, middle), kind, *(_away(system, at, origin) for origin in origins)]
    order: Ints = np.lexsort(keys[::-1])
    return order


def constraints_by_tilt(system: System, turns: Array) -> Ints:
    """Constraints by how far they are tilted, rad, the most tilted first; then by place."""
    tilts, order = np.round(turns / system.same_direction), constraints_by_place(system)
    found: Ints = order[np.argsort(-tilts[order], kind="stable")]
    return found


def ranks(values: Array, equal: float) -> Ints:
    """The place of each value among the others; values within `equal` of a next one share it."""
    order = np.argsort(values)
    out = np.zeros(len(values), np.int64)
    out[order[1:]] = np.cumsum(np.diff(values[order]) > equal)
    return out


def _away(system: System, at: Array, middle: Array) -> Ints:
    """The order of distances from a point; those that are one within rounding are equal."""
    return ranks(np.linalg.norm(at - middle, axis=1), system.same_place)

"""The parts that a solve moved, in groups that move apart from each other.

Source: docs/theory/least_movement.md, 1.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.system import System
from ..foundations.graphs.connected import connected
from ..foundations.types import Ints


class MovedGroups(NamedTuple):
    """Groups of parts that moved: no mate, driver or limit connects two of them.

    Attributes:
        parts, constraints: those of each; of_constraint, of_limit: the group of each, or -1.
        of_part: the group of each part, or -1 where it stayed; of a last one that is none: -1.
    """

    parts: list[Ints]
    constraints: list[Ints]
    of_part: Ints
    of_constraint: Ints
    of_limit: Ints


def moved_groups(system: System, moved: NDArray[np.bool_]) -> MovedGroups:
    """The groups of the parts that moved, in the order of their first parts."""
    limits = _parts_of_limits(system)
    more = [pair for parts in (*system.wide.values(), *limits) for pair in combinations(parts, 2)]
    links = np.concatenate([system.ends, np.array(more, np.int64).reshape(-1, 2)])
    which, number = moved.nonzero()[0], np.full(len(moved), -1)
    number[which] = np.arange(len(which))
    a, b = number[links].T
    both = (a >= 0) & (b >= 0)
    count, label = connected(len(which), a[both], b[both])
    of_part = np.full(len(moved) + 1, -1)
    of_part[which] = label
    of_constraint = np.maximum(*of_part[system.ends.T])
    for k, ends in system.wide.items():
        of_constraint[k] = of_part[list(ends)].max()
    of_limit = np.array([of_part[list(parts)].max() for parts in limits], np.int64)
    parts, constraints = (_by_group(count, x) for x in (of_part, of_constraint))
    return MovedGroups(parts, constraints, of_part, of_constraint, of_limit)


def _parts_of_limits(system: System) -> list[tuple[int, ...]]:
    """The parts of the coordinate of each limit."""
    if system.bounds is None:
        return []
    t = system.bounds.table
    ends = np.stack([t.marker_body[t.marker_a], t.marker_body[t.marker_b]], axis=1)[t.term_measure]
    return [tuple(set(ends[a:b].ravel().tolist())) for a, b in pairwise(t.first_term.tolist())]


def _by_group(count: int, of: Ints) -> list[Ints]:
    """What is in each group, ascending."""
    order = of.argsort(kind="stable")
    cuts = of[order].searchsorted(np.arange(count + 1)).tolist()
    return [order[i:j] for i, j in pairwise(cuts)]

"""Dyads that can be mirrored without changing where their linkage exists.

A sign decides on which side of a dyad its points are.  How far a dyad is from its dead point does
not depend on its own sign; where no other dyad, limit or redundant link stands on its points,
nothing else does.
"""

from __future__ import annotations

from ...foundations.types import Ints
from ..plan.placement_program import (
    ALONG,
    AT,
    BRANCH,
    FIRST,
    LAST,
    PUSH,
    SHAPE,
    TURN,
    PlacementProgram,
)
from ..plan.planning import LinkagePlan
from ..scheme.scheme import SchemeLink, SchemeSlot

POINTS_READ = (2, 3, 3, 2, 2, 3, 4, 2, 0, 3)
"""How many of the first operands are points, by the kind of an operation; a group lists its own."""

CARRIED = (TURN, PUSH, ALONG, SHAPE)
"""Operations whose points exist wherever those do that they read."""


def mirrored_dyads(planned: LinkagePlan) -> list[int]:
    """The branches of such dyads; none for a linkage with groups."""
    if len(planned.program.group):
        return []
    checked = {p for x in planned.checked for p in _points_of(x)}
    code = planned.program.code
    dyads = [o for o in range(len(code)) if code[o, BRANCH] >= 0]
    return [int(code[o, BRANCH]) for o in dyads if _stands_alone(planned.program, o, checked)]


def _stands_alone(q: PlacementProgram, dyad: int, checked: set[int]) -> bool:
    """Whether the points of an operation are read by those only that carry them along."""
    moved = set(_written(q, q.code[dyad]))
    for row in q.code[dyad + 1 :]:
        if moved.intersection(row[AT : AT + POINTS_READ[row[0]]].tolist()):
            if row[0] not in CARRIED:
                return False
            moved.update(_written(q, row))
    return not moved & checked


def _points_of(checked: SchemeLink | SchemeSlot) -> tuple[int, ...]:
    """The points of a redundant link or slot."""
    if isinstance(checked, SchemeSlot):
        return (checked.point, *checked.ends)
    return checked.points


def _written(q: PlacementProgram, row: Ints) -> list[int]:
    """The points that an operation computes."""
    points: list[int] = q.written[row[FIRST] : row[LAST]].tolist()
    return points

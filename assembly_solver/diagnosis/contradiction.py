"""A contradiction that was found, and the end of the search for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..equations.bounds import TravelLimit
from ..foundations.types import Array
from .spacing import Spacing


class ReachedLimit(NamedTuple):
    """A limit that takes part in a contradiction: constraint name, bound, unit of the bound."""

    constraint: str
    bound: TravelLimit
    unit: str


@dataclass(frozen=True)
class Conflict:
    """Constraints that cannot hold together.

    Attributes:
        constraints: names of mates, drivers and limits; irreducible: whether all are needed.
        reported: the constraint whose values are reported; required: the value it prescribes;
            actual: the closest value the other constraints allow, both in `unit` ("mm", "deg").
        gap: residual of the reported constraint at the closest value, mm.
        closest: whether a closer value was tried, and not found.
        noise: where the contradiction is noise, the tolerance at which all of them hold, mm.
        spacing: where two mates join the same two parts, the distances of their features; these
            are then `required` and `actual`.
        limits: those among the constraints; stops: others, at the bound at which they stop the
            closest value.
    """

    constraints: tuple[str, ...]
    irreducible: bool
    reported: str
    required: float
    actual: float
    unit: str
    gap: float
    closest: bool
    noise: float | None = None
    spacing: Spacing | None = None
    limits: tuple[ReachedLimit, ...] = ()
    stops: tuple[ReachedLimit, ...] = ()


@dataclass(frozen=True)
class ConflictSearch:
    """The contradictions of an assembly, and whether they explain why it is not solved.

    Attributes:
        start: poses of the parts, (parts, 12), at which constraints hold that seemed contradictory.
        shown: whether a contradiction is proved, or all compromises are known that starts anywhere
            end at.
    """

    conflicts: tuple[Conflict, ...]
    explained: bool
    start: Array | None = None
    shown: bool = False

"""The edits of an assembly that only move features or change values, recorded as they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..drivers.driver import Driver
from ..feature import Feature
from ..mate import Reference


class FeatureUsers(NamedTuple):
    """The mates that refer to a feature, and whether they read of it where it is and no more."""

    ref: Reference
    mates: dict[str, None]
    by_markers: bool


class FormulaPlace(NamedTuple):
    """A formula for a coordinate of a feature: its position in the file, the axis, its text."""

    path: tuple[str | int, ...]
    own: FeatureUsers
    axis: int
    given: str


class Placing(NamedTuple):
    """What follows from a parameter that does nothing but move features.

    Attributes:
        formulas: those of the assembly; given: those with the parameter, each with a position where
            it stands, for errors; parts: the positions of all in each part.
    """

    formulas: dict[Any, Any]
    given: dict[str, str]
    parts: dict[str, list[FormulaPlace]]


@dataclass(eq=False)
class Moves:
    """The edits since a revision that did nothing but move features on their parts, and change the
    values of drivers and parameters of mates.

    Attributes:
        since, now: revisions; features, drivers: what those that were edited have become; mates:
            names of those that were edited.
        users: those of a feature; None where anything else refers to it, or to these mates.
        placing: what follows from a parameter that was set and did nothing but move features.
        alone: whether nothing refers to a mate, and it implies nothing.
    """

    since: int = -1
    now: int = -1
    features: dict[Reference, Feature] = field(default_factory=dict)
    drivers: dict[str, Driver] = field(default_factory=dict)
    mates: dict[str, None] = field(default_factory=dict)
    users: dict[tuple[str, str], FeatureUsers | None] = field(default_factory=dict)
    placing: dict[str, Placing] = field(default_factory=dict)
    alone: dict[str, bool] = field(default_factory=dict)

    def covers(self, before: int, after: int) -> bool:
        """Whether nothing else was edited between two revisions."""
        return self.since <= before and self.now == after


UNMOVED = Moves()
"""Those of an assembly that was not edited: they cover nothing, and nothing is noted in them."""

"""The edits of an assembly that only move features or change values, recorded as they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..drivers.driver import Driver
from ..feature import Feature
from ..laws.arithmetic import Instruction
from ..mate import Reference, ResolvedMate

Moved = Feature | tuple[float, ...]
"""What a feature that only moved has become: given as such, or by its position alone, mm."""


class FeatureUsers(NamedTuple):
    """The mates that refer to a feature.

    Attributes:
        by_markers: whether they read of it where it is and no more.
        single: whether no part of the assembly is of a drawing, flexible sub-assembly or pattern.
        kind, axes: its type and its axes, which stay where it only moves.
    """

    ref: Reference
    mates: dict[str, None]
    by_markers: bool
    single: bool
    kind: type[Feature]
    axes: tuple[float, ...]

    def moved(self, feature: Feature) -> bool:
        """Whether the feature only moves where this one replaces it."""
        return type(feature) is self.kind and feature.frame[3:] == self.axes


class FormulaPlaces(NamedTuple):
    """Where one formula stands for coordinates of features.

    Attributes:
        text: of it; instructions: what it was read as.
        ends: its positions in the file, each with the feature and the axis.
    """

    text: str
    instructions: tuple[Instruction, ...]
    ends: list[tuple[tuple[str | int, ...], Reference, int]]


class Placing(NamedTuple):
    """What follows from a parameter that does nothing but move features.

    Attributes:
        places: of the formulas with the parameter; mates: those that refer to the features.
    """

    places: list[FormulaPlaces]
    mates: dict[str, None]


@dataclass(eq=False)
class Moves:
    """The edits since a revision that did nothing but move features on their parts, and change the
    values of drivers and parameters of mates.

    Attributes:
        since, now: the revisions between which nothing else was edited.
        features, mates, drivers: what those that were edited have become; the mates may refer to
            features that moved after that.
        users: those of a feature; None where anything else refers to it, or to these mates.
        placing: what follows from a parameter that was set and did nothing but move features.
        alone: whether nothing refers to a mate, and it implies nothing.
    """

    since: int = -1
    now: int = -1
    features: dict[Reference, Moved] = field(default_factory=dict)
    mates: dict[str, ResolvedMate] = field(default_factory=dict)
    drivers: dict[str, Driver] = field(default_factory=dict)
    users: dict[tuple[str, str], FeatureUsers | None] = field(default_factory=dict)
    placing: dict[str, Placing] = field(default_factory=dict)
    alone: dict[str, bool] = field(default_factory=dict)


class EditedEntries(NamedTuple):
    """What entries of an assembly have become by moves, and its parameters and formulas.

    Attributes: as of `Moves`.
    """

    features: dict[Reference, Moved]
    users: dict[tuple[str, str], FeatureUsers | None]
    mates: dict[str, ResolvedMate]
    drivers: dict[str, Driver]
    parameters: dict[str, float]
    formulas: dict[Any, Any]


NONE: dict[Any, Any] = {}
"""Entries of which there are none: nothing is written in it."""

UNMOVED = Moves()
"""Those of an assembly that was not edited: they cover nothing, and nothing is noted in them."""

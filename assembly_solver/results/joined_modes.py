"""Which assembly modes a motion joins without a singular pose: the paths found, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..foundations.types import Array
from .wording.phrases import at_least, count, listed

STEPS = 24
"""Steps between two way points: for a whole turn 15 degrees each."""


@dataclass(frozen=True, eq=False)
class JoiningPath:
    """A closed path of the drivers that leads from one mode to another.

    Attributes:
        start, end: names of the modes; way_points: values of each driver, mm or degrees, from the
            present ones to these again, or to angles whole turns from them.
        regularity: the smallest singular value of the closing Jacobian over the largest, where it
            is least on the path; 0 at a singular pose.
        certified: whether each step is proved to stay on its branch.
    """

    start: str
    end: str
    way_points: Mapping[str, tuple[float, ...]]
    regularity: float
    certified: bool

    @property
    def values(self) -> dict[str, Array]:
        """Values of each driver along the path, for `sweep`: straight between way points."""
        return {name: values_through(np.array(v)) for name, v in self.way_points.items()}

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name."""
        points = {name: list(v) for name, v in self.way_points.items()}
        return {**vars(self), "way_points": points, "words": self.words}

    @property
    def words(self) -> str:
        """As "1 to 3 by a path of certified steps, regularity 0.02"."""
        how = "of certified steps" if self.certified else "followed numerically"
        return f"{self.start} to {self.end} by a path {how}, regularity {at_least(self.regularity)}"


def values_through(points: Array) -> Array:
    """Values straight from point to point in `STEPS` steps each: (points, ...) to (states, ...)."""
    parts = [points[:1]]
    share = np.arange(1, STEPS + 1) / STEPS
    for a, b in pairwise(points):
        parts.append(a + np.multiply.outer(share, b - a))
        parts[-1][-1] = b
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class JoinedModes:
    """The answer to `joined_modes`; true in a condition when some modes are joined.

    Attributes:
        classes: names of the assembly modes; those of a class are joined with each other.
        paths: for each class one from its first mode to every other.
        drivers: that went along paths; followed: paths between two way points that were.
        unlisted: ways to close at the present values that paths led to and the list of modes lacks.
        complete: whether that list is.
        apart: why no other modes are joined, as proved; "" where that is not known.
    """

    classes: tuple[tuple[str, ...], ...]
    paths: tuple[JoiningPath, ...]
    drivers: tuple[str, ...]
    followed: int
    unlisted: int
    complete: bool
    apart: str

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def sentence(self) -> str:
        """Which modes are joined, how that is known, and what is not."""
        modes = sum(map(len, self.classes))
        told = []
        if self.paths:
            sets = [listed(list(c)) for c in self.classes if len(c) > 1]
            told.append(f"cuspidal: {'; '.join(sets)} are joined without a singular pose")
            told.append(listed([p.words for p in self.paths]))
        if len(self.classes) > 1 and self.apart:
            told.append(f"no {'other ' * bool(self.paths)}modes are joined, by proof: {self.apart}")
        elif len(self.classes) > 1:
            more = " others" if self.paths else f" two of the {modes} modes"
            told.append(f"none of {count(self.followed, 'path')} that were followed joined{more}")
        elif not self.paths:
            told.append("there are no two modes to join")
        if self.unlisted:
            told.append(f"paths led to {count(self.unlisted, 'way')} to close that are not listed")
        return "; ".join(told)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"JoinedModes({self.sentence})"

    def to_dict(self) -> dict[str, Any]:
        """The entry `joined` of the modes in the result of an analysis."""
        return {
            "classes": [list(c) for c in self.classes],
            "paths": [p.to_dict() for p in self.paths],
            "drivers": list(self.drivers),
            "followed": self.followed,
            "unlisted": self.unlisted,
            "complete": self.complete,
            "apart": self.apart,
            "words": self.sentence,
        }

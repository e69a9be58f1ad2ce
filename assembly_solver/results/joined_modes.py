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
        certified: whether each step is proved to stay on its branch; proof: how many of them are,
            and why others are not, in words; "" where it was not tried.
    """

    start: str
    end: str
    way_points: Mapping[str, tuple[float, ...]]
    regularity: float
    certified: bool = False
    proof: str = ""

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
        told = f"{self.start} to {self.end} by a path {how}, regularity {at_least(self.regularity)}"
        return f"{told} ({self.proof})" if self.proof and not self.certified else told


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
        drivers: that went along paths; asked, followed: paths between two way points that were to
            be followed at most, and that were.
        unlisted: ways to close at the present values that paths led to and the list of modes lacks.
        unconfirmed: modes that such paths led to, but no sweep from one mode to the other did.
        complete: whether the list of modes is.
        apart: why no other modes are joined, as proved; "" where that is not known.
        stopped: why and where the search was cut off; "" where it was not.
    """

    classes: tuple[tuple[str, ...], ...]
    paths: tuple[JoiningPath, ...]
    drivers: tuple[str, ...]
    asked: int
    followed: int
    unlisted: int
    unconfirmed: int
    complete: bool
    apart: str
    stopped: str

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
        elif self.unconfirmed:
            more = count(self.unconfirmed, "more mode")
            told.append(f"paths led to {more}, no sweep from mode to mode did")
        elif len(self.classes) > 1 and self.followed:
            more = " others" if self.paths else f" two of the {modes} modes"
            told.append(f"none of {count(self.followed, 'path')} that were followed joined{more}")
        elif not self.paths and not self.stopped:
            told.append("there are no two modes to join")
        if self.unlisted:
            told.append(f"paths led to {count(self.unlisted, 'way')} to close that no mode has")
        if self.stopped:
            told.append(f"{self.stopped}{self._left_out}")
        return "; ".join(told)

    @property
    def _left_out(self) -> str:
        """What was, where the search was cut off."""
        if not self.classes:
            return ": no modes were compared"
        if len(self.classes) == 1 or self.apart or self.followed == self.asked:
            return ""
        return f": {self.asked - self.followed} of {count(self.asked, 'path')} were not followed"

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
            "asked": self.asked,
            "followed": self.followed,
            "unlisted": self.unlisted,
            "unconfirmed": self.unconfirmed,
            "complete": self.complete,
            "apart": self.apart,
            "stopped": self.stopped,
            "words": self.sentence,
        }

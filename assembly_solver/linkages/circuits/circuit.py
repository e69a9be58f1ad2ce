"""A circuit of a linkage and its branches, with the intervals of the input where each exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Any, overload

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array

ALL = "these are all circuits, by proof"


@dataclass(frozen=True)
class BranchEnd:
    """What ends a branch.

    Attributes:
        value: of the input, mm or degrees.
        kind: "dead point", "change point" (a dead point that the input passes through), "limit" of
            a slot, "end of the branch" (redundant links no longer fit), or "" where the search
            ends.
        joint: where it occurs; words: a sentence.
        meets: numbers of the branches that begin or end in the same position.
        within: how far the end is from the value at most, as proved, mm or degrees; None where
            it is not.
    """

    value: float
    kind: str
    joint: str
    words: str
    meets: tuple[int, ...] = ()
    within: float | None = None


@dataclass(frozen=True, eq=False)
class Branch:
    """A branch: an interval of the input with one choice of dyad signs.

    Attributes:
        number: from 1, unique among all circuits; circuit: number of its circuit.
        signs: of each dyad by its inner joint, +1 or -1.
        low, high: of the input, mm or degrees; one turn apart where the input turns fully.
        ends: at low and high; none where the input turns fully.
        start: whether the drawn position of the linkage lies on it.
        values: of the input, (states,), from low to high, mm or degrees.
        positions: of the points of the linkage there, (points, 2, states), mm.
    """

    number: int
    circuit: int
    signs: Mapping[str, int]
    low: float
    high: float
    ends: tuple[BranchEnd, ...]
    start: bool
    values: Array
    positions: Array

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) of the input, mm or degrees."""
        return self.low, self.high

    @property
    def sides(self) -> str:
        """The sign of each dyad: "C +, E -"."""
        return ", ".join(f"{joint} {'+' if s > 0 else '-'}" for joint, s in self.signs.items())

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, without values and positions."""
        out = {k: v for k, v in vars(self).items() if k not in ("values", "positions")}
        return {**out, "ends": [vars(end) for end in self.ends]}


@dataclass(frozen=True, eq=False)
class Circuit:
    """Branches between which a linkage can move without being taken apart.

    Attributes:
        number: from 1, that of the start first; input: name of the driver; unit: deg or mm.
        branches: ordered by their lowest values, that of the start first.
        start: whether the drawn position lies on it; words: a sentence.
    """

    number: int
    input: str
    unit: str
    branches: tuple[Branch, ...]
    start: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, the branches as dictionaries."""
        return {**vars(self), "branches": [b.to_dict() for b in self.branches]}

    def __str__(self) -> str:
        return self.words


def gap(branches: Iterable[Branch], low: float, high: float, turns: bool) -> float | None:
    """The first value, mm or degrees, from low to high from which no branch exists, or None.

    Args:
        turns: whether values that differ by 360 degrees are the same.
    """
    near, at = AGREEMENT * (1.0 + max(abs(low), abs(high))), low
    while True:
        ends = []
        for b in branches:
            begin = b.low + (360.0 * floor((at + near - b.low) / 360.0) if turns else 0.0)
            far = b.high - b.low if b.ends else inf
            if begin <= at + near and begin + far > at + near:
                ends.append(begin + far)
        if at >= high - near or max(ends, default=at) >= high - near:
            return None
        if not ends:
            return at
        at = max(ends)


@dataclass(frozen=True, eq=False)
class Circuits(Sequence[Circuit]):
    """The circuits of a linkage, that of the start first.

    Attributes:
        complete: whether it is proved that none is missing, but within rounding of the ends found.
        words: what was not searched, or "".
    """

    found: tuple[Circuit, ...]
    complete: bool
    words: str

    @overload
    def __getitem__(self, k: int) -> Circuit: ...

    @overload
    def __getitem__(self, k: slice) -> tuple[Circuit, ...]: ...

    def __getitem__(self, k: int | slice) -> Circuit | tuple[Circuit, ...]:
        return self.found[k]

    def __len__(self) -> int:
        return len(self.found)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.found), self.words or ALL])

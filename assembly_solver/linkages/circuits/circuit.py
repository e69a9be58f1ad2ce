"""A circuit of a linkage and its branches, with the intervals of the input where each exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import floor, inf
from typing import Any, overload

from ...foundations.types import Array

SAME = 1e-9
"""Share of values of an input within which they are one."""


@dataclass(frozen=True)
class End:
    """What ends a branch.

    Attributes:
        value: of the input, mm or degrees.
        kind: "dead point", "change point" (a dead point that the input passes), "limit" of a slot,
            or "" where the search ends.
        joint: at which it shows; words: a sentence; meets: numbers of the branches that begin or
            end in the same position.
    """

    value: float
    kind: str
    joint: str
    words: str
    meets: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Branch:
    """A branch, and where it exists.

    Attributes:
        number: from 1, unique among all circuits; circuit: the number of its own.
        signs: of each dyad by its inner joint, +1 or -1.
        low, high: of the input, mm or degrees; a turn apart where it turns fully.
        ends: at low and high; none where the input turns fully.
        start: whether the linkage stands on it as it was drawn.
        values: of the input, (states,), from low to high; positions: of the points of the linkage
            there, (points, 2, states), mm.
    """

    number: int
    circuit: int
    signs: Mapping[str, int]
    low: float
    high: float
    ends: tuple[End, ...]
    start: bool
    values: Array
    positions: Array

    @property
    def interval(self) -> tuple[float, float]:
        """From low to high."""
        return self.low, self.high

    @property
    def sides(self) -> str:
        """On which side each dyad stands: "C +, E -"."""
        return ", ".join(f"{joint} {'+' if s > 0 else '-'}" for joint, s in self.signs.items())

    def to_dict(self) -> dict[str, Any]:
        """Its attributes by name but the positions."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        del out["values"], out["positions"]
        return {**out, "ends": [vars(end) for end in self.ends]}


@dataclass(frozen=True, eq=False)
class Circuit:
    """Branches between which a linkage can go without being taken apart.

    Attributes:
        number: from 1, that of the start first; input: what leads it; unit: deg or mm.
        branches; start: whether the linkage stands on it; words: a sentence.
    """

    number: int
    input: str
    unit: str
    branches: tuple[Branch, ...]
    start: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Its attributes by name, as those of its branches."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**out, "branches": [b.to_dict() for b in self.branches]}

    def __str__(self) -> str:
        return self.words


def gap(branches: Iterable[Branch], low: float, high: float, turns: bool) -> float | None:
    """The first value from low to high from which on none of some branches exists.

    Args:
        turns: whether values a turn of 360 degrees apart are one.
    """
    near, whole = SAME * (1.0 + max(abs(low), abs(high))), 360.0
    at = low
    while True:
        ends = []
        for b in branches:
            begin = b.low + (whole * floor((at + near - b.low) / whole) if turns else 0.0)
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
    """All circuits that were found, that of the start first.

    Attributes:
        found: they; complete: whether every choice of signs was looked at, and no solutions had to
            be sampled: then none is missing but intervals shorter than half a degree, or than a
            thousandth of what the input can go through.
        words: what was not looked at, or "".
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
        return "\n".join([*map(str, self.found), *([self.words] if self.words else [])])

"""The points of a linkage while its scheme is built: positions, links, names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...foundations.numerics.rounding import AGREEMENT

SOLVE_FACTOR = 10.0
"""The same in units of the solver's tolerance."""


def distance_from_line(position: complex, through: complex, direction: complex) -> float:
    """Distance from the line through a point along a unit direction."""
    return abs(((position - through) * direction.conjugate()).imag)


class PointMerger:
    """Points that links share.  Links may be numbered in any way.

    Args:
        reach: of the features, mm; left: residual of mates where they were solved, mm.
        tolerance: distance of features that count as equal, mm.
    """

    def __init__(self, reach: float, left: float, tolerance: float = 0.0) -> None:
        self.reach, self.same = reach, max(AGREEMENT * reach, SOLVE_FACTOR * left, tolerance)
        self.at: list[complex] = []
        self.links: list[set[int]] = []
        self.names: list[str] = []

    def add_pin(self, at: complex, links: Iterable[int], names: Sequence[str]) -> None:
        """Add a pin, merged with the points at its position on a link of it.

        Renumbers points: only while no number of a point is in use.
        """
        members, known, place = set(links), list(names), len(self.at)
        for k in reversed(range(len(self.at))):
            if members & self.links[k] and abs(self.at[k] - at) < self.same:
                at, members, place = self.at[k], members | self.links[k], k
                known.insert(0, self.names[k])
                del self.at[k], self.links[k], self.names[k]
        self._insert(place, at, members, known)

    def add(self, link: int, at: complex, names: Sequence[str]) -> int:
        """Number of the point of a link at a position, which is added where there is none."""
        for k in self.on_links(link):
            if abs(self.at[k] - at) < self.same:
                return k
        self._insert(len(self.at), at, {link}, names)
        return len(self.at) - 1

    def on_links(self, *links: int) -> list[int]:
        """Numbers of the points that some links share."""
        return [k for k, own in enumerate(self.links) if own.issuperset(links)]

    def on_line(self, link: int, through: complex, direction: complex, off: float) -> list[int]:
        """Points of a link within `off` (mm) of the line through a point along a unit direction."""
        return [
            k
            for k in self.on_links(link)
            if distance_from_line(self.at[k], through, direction) <= off
        ]

    def farthest(self, link: int, point: int) -> int:
        """The point of a link that is farthest from one of its points."""
        return max(self.on_links(link), key=lambda k: abs(self.at[k] - self.at[point]))

    def _insert(self, place: int, at: complex, links: set[int], names: Sequence[str]) -> None:
        free = [name for name in names if name not in self.names]
        n, name = 2, (*free, names[0])[0]
        while name in self.names:
            name, n = f"{names[0]} {n}", n + 1
        self.at.insert(place, at)
        self.links.insert(place, links)
        self.names.insert(place, name)

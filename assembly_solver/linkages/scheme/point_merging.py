"""The points of a linkage while they are gathered: places, links that have them, names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SAME = 1e-9
"""Distance, relative to the reach of the features, below which two places on a link are one."""

OFF = 10.0
"""The same in units of what a solve leaves open."""


class Places:
    """Points that links share.  Links are told by numbers of any kind.

    Args:
        reach: of the features, mm; left: what mates may be off where they were solved, mm.
    """

    def __init__(self, reach: float, left: float) -> None:
        self.reach, self.same = reach, max(SAME * reach, OFF * left)
        self.at: list[complex] = []
        self.links: list[set[int]] = []
        self.names: list[str] = []

    def join(self, at: complex, links: Iterable[int], names: Sequence[str]) -> None:
        """Add a pin; it becomes one with those that have its place on a link of it.

        Only while nothing has asked for the number of a point yet.
        """
        members, known, place = set(links), list(names), len(self.at)
        for k in reversed(range(len(self.at))):
            if members & self.links[k] and abs(self.at[k] - at) < self.same:
                at, members, place = self.at[k], members | self.links[k], k
                known.insert(0, self.names[k])
                del self.at[k], self.links[k], self.names[k]
        self._add(place, at, members, known)

    def put(self, link: int, at: complex, names: Sequence[str]) -> int:
        """Number of the point at a place of a link, which is added where there is none."""
        for k in self.of(link):
            if abs(self.at[k] - at) < self.same:
                return k
        self._add(len(self.at), at, {link}, names)
        return len(self.at) - 1

    def of(self, *links: int) -> list[int]:
        """Numbers of the points that some links share."""
        return [k for k, own in enumerate(self.links) if own.issuperset(links)]

    def on_line(self, link: int, through: complex, way: complex, off: float) -> list[int]:
        """Points of a link no more than `off` (mm) from the line through a place along a unit."""
        return [
            k for k in self.of(link) if abs(((self.at[k] - through) * way.conjugate()).imag) <= off
        ]

    def farthest(self, link: int, point: int) -> int:
        """The point of a link that is farthest from one of its points."""
        return max(self.of(link), key=lambda k: abs(self.at[k] - self.at[point]))

    def _add(self, place: int, at: complex, links: set[int], names: Sequence[str]) -> None:
        free = [name for name in names if name not in self.names]
        n, name = 2, (*free, names[0])[0]
        while name in self.names:
            name, n = f"{names[0]} {n}", n + 1
        self.at.insert(place, at)
        self.links.insert(place, links)
        self.names.insert(place, name)

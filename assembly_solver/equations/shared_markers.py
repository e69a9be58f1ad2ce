"""The markers of equations: their parts and frames, numbered as equations name them first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter

import numpy as np

from ..foundations.numerics.packed import packed_bytes
from ..foundations.types import Array, Ints
from ..model.equation_set import EquationSet
from ..model.mate import ResolvedMate
from ..model.measures.measure import Marker
from .table import EquationTable

_MARKERS = itemgetter(1)  # of sets: faster than by their name


class NamedMarkers:
    """The markers of equation sets, set after set.

    Args:
        index: of each part by name.

    Attributes:
        every: the markers; body: the parts of these; frames: their frames, 12 numbers each.
    """

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = index
        self.every: list[Marker] = []
        self.body: list[int] = []
        self.frames = bytearray()

    def enter(self, sets: Iterable[EquationSet]) -> None:
        """Add those of further sets."""
        named = [*chain.from_iterable(map(_MARKERS, sets))]
        if named:
            parts, frames = zip(*named, strict=True)
            self.every += named
            self.body += map(self._index.__getitem__, parts)
            self.frames += packed_bytes(frames, 12)


class SharedMarkers:
    """Markers numbered as they are named first.

    Args:
        named: of the sets that a table begins with; more: its other sets; others: those of a second
            table.

    Attributes:
        every: the markers; body, frame: as those of a table.
        of: the numbers of those that are named by the first table, and by the second one.
    """

    def __init__(
        self, named: NamedMarkers, more: Iterable[EquationSet], others: Iterable[EquationSet]
    ) -> None:
        named.enter(more)
        first = len(named.every)
        named.enter(others)
        ids = [*map(id, named.every)]
        self.every, self.body = named.every, np.array(named.body, np.int64)
        self.frame: Array = np.frombuffer(named.frames).reshape(-1, 12)
        number: Ints = np.arange(len(ids))
        if len(set(ids)) < len(ids):
            place: dict[int, int] = {}
            for k, x in enumerate(ids):
                place.setdefault(x, k)
            places, numbers = [*place.values()], dict(zip(place, range(len(place)), strict=True))
            number = np.array([*map(numbers.__getitem__, ids)], np.int64)
            self.every = [named.every[k] for k in places]
            self.body, self.frame = self.body[places], self.frame[places]
        self.of = number[:first], number[first:]


def oppose(
    table: EquationTable, markers: Ints, resolved: Sequence[ResolvedMate], sense: Ints, before: Ints
) -> None:
    """Rotate marker b of opposed mates by half a turn about its x axis.

    Args:
        markers: of each equation set, one after the other; before: how many those before have.
    """
    opposed = (sense < 0).nonzero()[0]
    if len(opposed):
        some = map(resolved.__getitem__, opposed.tolist())
        at = [_number(s.markers, b.marker) for _, _, b, s, _ in some]
        table.marker_frame[markers[before[opposed] + at], 6:] *= -1.0


def _number(markers: Sequence[Marker], of: Marker) -> int:
    """The number of one of some markers."""
    if markers[1] is of:  # of most kinds
        return 1
    return next(n for n, marker in enumerate(markers) if marker is of)

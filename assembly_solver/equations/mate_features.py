"""The features of the mates of an assembly: where they are on their parts, and their extent."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.placing import means
from ..foundations.jit.decorators import borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.packed import packed
from ..foundations.numerics.rounding import DIGITS
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.equation_set import EquationSet
from ..model.mate import Mate, Reference
from .reaches import LEAST_EXTENT, PartPoints
from .shared_markers import NamedMarkers

_PART = itemgetter(0)  # of references: faster than by its name

ONE_POINT = 100.0 * DIGITS
"""Extent, mm, up to which there is none: it is what the features of one point are off by."""

AT_ONCE = 256
"""Mates that are read together."""


class MateNumbers:
    """What the equations need of mates, as lists, in their order.

    A few mates are read at a time: those of a large assembly are not in the cache of the processor
    when they are looked at again.

    Attributes:
        index: of each part by name; resolved, mates, sets: of each mate.
        parts: of its first two features, (mates, 2); points: all features on their parts, mm, each
            once; as_named: whether these are the first two of each mate, one after the other.
        markers: those of the sets.
    """

    def __init__(self, assembly: Assembly) -> None:
        self.index = {name: k for k, name in enumerate(assembly.parts)}
        self.resolved = list(assembly.held.values())
        self.mates: list[Mate] = []
        self.sets: list[EquationSet] = []
        self.points: dict[Reference, Sequence[float]] = {}
        self.markers = NamedMarkers(self.index)
        ends: list[int] = []
        for first in range(0, len(self.resolved), AT_ONCE):
            mates, a, b, sets, _ = zip(*self.resolved[first : first + AT_ONCE], strict=True)
            refs = [ref for mate in mates for ref in (mate.a, mate.b)]
            ends += map(self.index.__getitem__, map(_PART, refs))
            points = [end.feature.frame[:3] for both in zip(a, b, strict=True) for end in both]
            self.points.update(zip(refs, points, strict=True))
            self.mates += mates
            self.sets += sets
            self.markers.enter(sets)
        self.parts: Ints = np.array(ends, np.int64).reshape(-1, 2)
        self.as_named = len(self.points) == self.parts.size
        if any(kind.takes_more for kind in {type(mate) for mate in self.mates}):
            self.as_named = False
            self.points = {ref: x.frame[:3] for h in self.resolved for ref, x in h.features()}


class MateFeatures(NamedTuple):
    """The mate features of an assembly and their extent: attributes of `System`."""

    cloud: Array
    cloud_part: Ints
    centre: Array
    length: float


def mate_features(known: MateNumbers, start: Array, every: PartPoints) -> MateFeatures:
    """The distinct features of the mates, of all features of the parts."""
    cloud, cloud_part = packed(known.points.values(), 3), known.parts.ravel()
    if not known.as_named:
        named = map(known.index.__getitem__, map(_PART, known.points))
        cloud_part = np.fromiter(named, np.int64, len(cloud))
    return MateFeatures(cloud, cloud_part, *extent(cloud, cloud_part, start, every))


def extent(cloud: Array, cloud_part: Ints, start: Array, every: PartPoints) -> tuple[Array, float]:
    """Mean of each part's mate features, and a root mean square distance from it, mm.

    The larger of that of the mate features and that of all features of these parts: with angles
    scaled by less than they move at the reach of their mates, what is off would count as noise.
    Where no part has two distinct features it is the extent of the origins of the parts, else the
    largest coordinate of a feature, else 1, as where all is one point.
    """
    n = len(start)
    centre, count = np.zeros((n, 3)), np.zeros(n, np.int64)
    return centre, characteristic_length(cloud, cloud_part, start, every, centre, count)


@on_lists(4, 5)
def characteristic_length(
    cloud: Array, cloud_part: Ints, start: Array, every: PartPoints, centre: Array, count: Ints
) -> float:
    """The length of `extent`, mm.

    Args:
        centre, count: 0 at first, (parts, 3) and (parts,), overwritten by those of each part.
    """
    means(cloud, cloud_part, count, centre)
    length = _arm(cloud, cloud_part, centre, count, 1)
    length = max(length, _arm(every.at, every.part, centre, count, 0))
    square = far = 0.0
    for k in range(3):
        low, high = inf, -inf
        for p in range(len(start)):
            low, high = min(low, start[p][k]), max(high, start[p][k])
        square += (high - low) * (high - low) if len(start) else 0.0
        for n in range(len(cloud)):
            far = max(far, abs(cloud[n][k]))
    origins = sqrt(square)
    least = LEAST_EXTENT * max(origins, far)
    if not length > least:  # one feature per part
        length = origins
    if not length > least:
        length = far
    return length if length > ONE_POINT else 1.0


@borrowing
def _arm(points: Array, of: Ints, centre: Array, count: Ints, beyond: int) -> float:
    """Root mean square distance from the centre of its part, of points of parts with more than so
    many mate features, mm; 0 where there are none."""
    square, several = 0.0, 0
    for n in range(len(of)):
        if count[of[n]] > beyond:
            several += 1
            for k in range(3):
                off = points[n][k] - centre[of[n]][k]
                square += off * off
    return sqrt(square / max(several, 1))

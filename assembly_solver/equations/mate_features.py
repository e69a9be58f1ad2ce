"""The features of the mates of an assembly: where they are on their parts, and their extent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf, sqrt
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.placing import means
from ..foundations.jit.decorators import borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.packed import packed
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.mate import Reference
from .reaches import LEAST_EXTENT, PartPoints


class MateEnds:
    """The first two features of each mate by name: read once, as the mates of a large assembly are
    not at hand again a moment later.

    Attributes:
        index: of each part by name; resolved, mates: one for each.
        refs: of the mates one after the other; parts: of these, (mates, 2).
    """

    def __init__(self, assembly: Assembly) -> None:
        self.index = {name: k for k, name in enumerate(assembly.parts)}
        self.resolved = list(assembly.held.values())
        self.mates = [found.mate for found in self.resolved]
        self.refs = [ref for mate in self.mates for ref in (mate.a, mate.b)]
        self.parts = self.parts_of(self.refs).reshape(-1, 2)

    def parts_of(self, refs: Collection[Reference]) -> Ints:
        """The part of each, (refs,)."""
        named = map(itemgetter(0), refs)
        return np.fromiter(map(self.index.__getitem__, named), np.int64, len(refs))


class MateFeatures(NamedTuple):
    """The mate features of an assembly and their extent: attributes of `System`."""

    cloud: Array
    cloud_part: Ints
    centre: Array
    length: float


def mate_features(ends: MateEnds, start: Array, every: PartPoints) -> MateFeatures:
    """The distinct features of the mates, of all features of the parts."""
    at: dict[Reference, Sequence[float]]
    if any(kind.takes_more for kind in {type(mate) for mate in ends.mates}):
        at = {ref: x.frame[:3] for found in ends.resolved for ref, x in found.features()}
    else:
        frames = [end.feature.frame[:3] for _, a, b, _, _ in ends.resolved for end in (a, b)]
        at = dict(zip(ends.refs, frames, strict=True))
    cloud, cloud_part = packed(at.values(), 3), ends.parts.ravel()
    if len(at) != len(cloud_part):
        cloud_part = ends.parts_of(at)
    return MateFeatures(cloud, cloud_part, *extent(cloud, cloud_part, start, every))


def extent(cloud: Array, cloud_part: Ints, start: Array, every: PartPoints) -> tuple[Array, float]:
    """Mean of each part's mate features, and a root mean square distance from it, mm.

    The larger of that of the mate features and that of all features of these parts: with angles
    scaled by less than they move at the reach of their mates, what is off would count as noise.
    Where no part has two distinct features it is the extent of the origins of the parts, else the
    largest coordinate of a feature, else 1.
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
    return length if length > AGREEMENT else 1.0


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

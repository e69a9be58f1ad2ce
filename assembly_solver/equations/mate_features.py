"""The features of the mates of an assembly: where they are on their parts, and their extent."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from ..model.mate import Reference, ResolvedMate
from .reaches import LEAST_EXTENT, PartPoints


class MateFeatures(NamedTuple):
    """The mate features of an assembly and their extent: attributes of `System`."""

    cloud: Array
    cloud_part: Ints
    centre: Array
    length: float


def mate_features(
    resolved: list[ResolvedMate], index: Mapping[str, int], start: Array, every: PartPoints
) -> MateFeatures:
    """The distinct features of the mates, of all features of the parts."""
    frames: dict[Reference, tuple[float, ...]] = {}
    for found in resolved:
        for ref, feature in found.features():
            frames[ref] = feature.frame
    cloud = np.array([f[:3] for f in frames.values()], float).reshape(-1, 3)
    cloud_part = np.array([index[ref.part] for ref in frames], np.int64)
    return MateFeatures(cloud, cloud_part, *extent(cloud, cloud_part, start, every))


def extent(cloud: Array, cloud_part: Ints, start: Array, every: PartPoints) -> tuple[Array, float]:
    """Mean of each part's mate features, and a root mean square distance from it, mm.

    The larger of that of the mate features and that of all features of these parts: with angles
    scaled by less than they move at the reach of their mates, what is off would count as noise.
    Where no part has two distinct features it is the extent of the origins of the parts, else the
    largest coordinate of a feature, else 1.
    """
    n = len(start)
    count = np.bincount(cloud_part, minlength=n)
    sums = [np.bincount(cloud_part, axis, n) for axis in cloud.T]
    centre = np.stack(sums, axis=1) / np.maximum(count, 1)[:, None]
    several, mated = count[cloud_part] > 1, count[every.part] > 0
    arms = (cloud - centre[cloud_part])[several], (every.at - centre[every.part])[mated]
    length = max((sqrt(np.vdot(x, x) / len(x)) for x in arms if len(x)), default=0.0)
    own = start[:, :3]
    origins = float(np.linalg.norm(own.max(axis=0) - own.min(axis=0))) if n else 0.0
    far = float(np.abs(cloud).max(initial=0.0))
    least = LEAST_EXTENT * max(origins, far)
    for other in (origins, far):  # one feature per part
        length = length if length > least else other
    return centre, length if length > AGREEMENT else 1.0

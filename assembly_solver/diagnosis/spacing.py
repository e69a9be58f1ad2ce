"""Distances of the features of two mates that join the same two parts: both parts have to agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.feature import Axis, Feature, Plane, Point, basic_type
from ..model.mate import ResolvedMate


class Spacing(NamedTuple):
    """Distance of two features of a part, and of the features mated with them, mm."""

    part: str
    here: float
    other: str
    there: float


def spacing(one: ResolvedMate, two: ResolvedMate, tolerance: float, same: float) -> Spacing | None:
    """Distances of the features of two mates on either part, where they differ; None elsewhere.

    Args:
        tolerance: difference of two distances that is none, mm; same: of two directions, rad.
    """
    if {one.mate.a.part, one.mate.b.part} != {two.mate.a.part, two.mate.b.part}:
        return None
    if any(target for held in (one, two) for target in held.written.form.target):
        return None  # a distance is part of it
    ends = (two.a, two.b) if one.mate.a.part == two.mate.a.part else (two.b, two.a)
    here = _offset(one.a.feature, ends[0].feature, same)
    there = _offset(one.b.feature, ends[1].feature, same)
    if here is None or there is None or abs(here - there) <= tolerance:
        return None
    return Spacing(one.mate.a.part, here, one.mate.b.part, there)


def _offset(one: Feature, two: Feature, same: float) -> float | None:
    """Distance of two points, parallel axes or parallel planes of one part; None for others."""
    if basic_type(one) is not basic_type(two):
        return None
    p, q = np.array(one.frame), np.array(two.frame)
    between, z = q[:3] - p[:3], p[9:12]
    if isinstance(one, Point):
        return float(np.linalg.norm(between))
    if np.linalg.norm(np.cross(z, q[9:12])) > same or not isinstance(one, (Axis, Plane)):
        return None
    along = float(between @ z)
    return abs(along) if isinstance(one, Plane) else float(np.linalg.norm(between - along * z))

"""Distances of the features of two mates that join the same two parts: both parts have to agree.

Where they differ by more than the tolerance can take up, the two mates hold together at no poses:
this needs no solve.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..model.assembly import Assembly
from ..model.feature import Axis, Feature, Plane, Point, basic_type
from ..model.mate import ResolvedMate

TOGETHER = frozenset({"coincident", "spherical", "coaxial", "cylindrical", "revolute", "coplanar"})
"""Kinds of mates that put two points, axes or planes into one place, where no offset is asked."""

CERTAIN = 4.0
"""Tolerances by which two distances have to differ to prove a contradiction: each mate may be off
by one, and a tilt within the tolerance changes a distance by one more."""

MOST_MATES = 40
"""Most mates of two parts that are compared with each other."""


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


def impossible_pairs(assembly: Assembly) -> list[frozenset[int]]:
    """Pairs of mates, by number, that are proved to hold together at no poses."""
    between: dict[frozenset[str], list[tuple[int, ResolvedMate]]] = {}
    for k, held in enumerate(assembly.held.values()):
        if held.mate.kind in TOGETHER and basic_type(held.a.feature) is basic_type(held.b.feature):
            between.setdefault(frozenset((held.mate.a.part, held.mate.b.part)), []).append(
                (k, held)
            )
    least = CERTAIN * assembly.tolerance
    return [
        frozenset((k, n))
        for mates in between.values()
        if len(mates) <= MOST_MATES
        for (k, one), (n, two) in combinations(mates, 2)
        if spacing(one, two, least, AGREEMENT) is not None
    ]


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

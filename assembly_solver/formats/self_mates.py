"""Mates between two features of one part, which other programs allow.

Nothing that moves can change them: such a mate holds always, and is redundant, or never, and is a
contradiction by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees
from typing import Any, NamedTuple

import numpy as np

from ..foundations.geometry.pose import STILL
from ..foundations.numerics.rounding import AGREEMENT
from ..model.assembly import Assembly
from ..model.mate import MATES, Equation, ResolvedMate, resolved_sense
from ..model.measures.measure import IS_ANGLE, opposed, read

Sides = tuple[tuple[str, str], tuple[str, str]]

ONE, TWO = "1", "2"
"""The names of a part and of its copy."""


class OwnGap(NamedTuple):
    """By how much such a mate is off: mm, rad, and what the angle moves at the part's reach, mm."""

    length: float
    angle: float
    reach_mm: float

    @property
    def words(self) -> str:
        both = ((self.length, "mm"), (degrees(self.angle), "degrees"))
        return " and ".join(f"{value:.4g} {unit}" for value, unit in both if value > AGREEMENT)


def own_gap(assembly: Assembly, kind: str, sides: Sides, parameters: Mapping[str, Any]) -> OwnGap:
    """By how much a mate between two features of one part is off.

    Args:
        kind, sides, parameters: as of `Assembly.mate`, and its errors.
    """
    (part, a), (_, b) = sides
    features = assembly.parts[part].features
    both = Assembly()
    both.add(ONE, features=features)
    both.add(TWO, features=features)
    more = {key: (ONE, parameters[key][1]) for key in MATES[kind].takes_more if key in parameters}
    made = both.mate(kind, (ONE, a), (TWO, b), **{**parameters, **more})
    found = both.held[made.name]
    off = {True: 0.0, False: 0.0}
    for equation in found.equations:
        is_angle = bool(IS_ANGLE[equation.terms[0][1].kind])
        off[is_angle] = max(off[is_angle], abs(_residual(found, equation)))
    origins = np.array([feature.frame[:3] for feature in features.values()])
    reach = float(np.linalg.norm(origins[:, None] - origins[None], axis=2).max())
    return OwnGap(off[False], off[True], max(off[False], off[True] * reach))


def _residual(found: ResolvedMate, equation: Equation) -> float:
    """Left side less right side of an equation of a mate, mm or rad, in its sense."""
    still, reversed_marker = STILL.frame, found.b.marker
    sign = resolved_sense(found, still, still)
    total = 0.0
    for factor, measure in equation.terms:
        turned = sign < 0 and measure.b is reversed_marker
        seen = measure._replace(b=opposed(measure.b)) if turned else measure
        total += factor * read(seen, still, still)
    return total - (total if equation.target is None else equation.target)

"""The extremes of a measure within the bounds of all tolerances, searched on the true assembly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from .deviations import Spread

ROUNDS = 20
"""Most rounds of the search."""


class Extreme(NamedTuple):
    """The largest or the smallest value that was found.

    Attributes:
        value: mm or degrees; NaN where nothing closes.
        deviations: of all variables, (variables,).
        tried: number of samples solved; open: number of those that did not close.
    """

    value: float
    deviations: Array
    tried: int
    open: int


def linear_extreme(nominal: float, slopes: Array, spreads: Sequence[Spread], sign: float) -> float:
    """The largest (sign +1) or smallest (-1) value of the linear model, mm or degrees."""
    out = nominal
    for s in spreads:
        own = slopes[s.own]
        out += float(own.sum()) * s.middle + sign * s.radius * float(np.linalg.norm(own))
    return out


def first_corner(slopes: Array, spreads: Sequence[Spread], sign: float) -> Array:
    """The deviations at which the linear model has its extreme, (variables,)."""
    out = np.zeros(len(slopes))
    for s in spreads:
        own = slopes[s.own]
        size = float(np.linalg.norm(own))
        unit = own / size if size > 0.0 else np.zeros(len(own))
        out[s.own] = s.middle + sign * s.radius * unit
    return out


def search_extreme(
    values: Callable[[Array], Array], slopes: Array, spreads: Sequence[Spread], sign: float
) -> Extreme:
    """The extreme from the corner of the linear model on: one tolerance after the other is set
    where the value is best, of all extremes of its own and places between them, until none helps.

    Args:
        values: of samples, from their deviations, (samples, variables); NaN where open.
        slopes: of the linear model, (variables,); sign: +1 the largest, -1 the smallest.
    """
    best = first_corner(slopes, spreads, sign)
    at = float(values(best[None])[0])
    tried, missed = 1, int(np.isnan(at))
    for _ in range(ROUNDS):
        trials = [best]
        for s in spreads:
            for place in s.extremes(slopes[s.own]):
                trial = best.copy()
                trial[s.own] = place
                trials.append(trial)
        found = values(np.array(trials))
        tried, missed = tried + len(trials), missed + int(np.isnan(found).sum())
        if np.isnan(found).all():
            break
        k = int(np.nanargmax(sign * found))
        gain = sign * (found[k] - at)
        if not (np.isnan(at) or gain > FAINT * FAINT * max(abs(at), 1.0)):
            break
        best, at = np.array(trials)[k], float(found[k])
    return Extreme(at, best, tried, missed)

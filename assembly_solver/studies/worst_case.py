"""The extremes of a measure within the bounds of all tolerances, searched on the true assembly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import FAINT, ROOT
from ..foundations.types import Array
from .deviations import Spread

ROUNDS = 60
"""Most rounds of the search: that of places nearer and nearer takes some 30."""

WHOLE = 0.5
"""Share of a zone within which places beside the best one lie: between those of its extremes."""


ON_THE_WAY = np.array([0.25, 0.5, 0.75, 1.0])
"""Places at which a measure is looked at on the way to a corner."""

BENT = 0.5
"""Part of a slope by which it may be another one elsewhere: then the measure goes one way."""


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


class Searched(NamedTuple):
    """A measure whose extremes are searched.

    Attributes:
        values: of samples, from their deviations, (samples, variables); NaN where open.
        at: its value and its derivatives by all variables, (variables,), at deviations; NaN where
            unknown.
        known: derivatives at the nominal assembly and at others, (places, variables).
    """

    values: Callable[[Array], Array]
    at: Callable[[Array], tuple[float, Array]]
    known: Array


def search_extreme(of: Searched, spreads: Sequence[Spread], sign: float) -> Extreme:
    """The extreme from the corner of the linear model on: along the slopes, which lead to another
    corner, and then for the tolerances by which the measure bends one after the other: each is set
    where the value is best, of all extremes of its own and places between them, and when none helps
    any more of places about the best one, nearer and nearer, where the slope does not end there.

    Args:
        sign: +1 the largest, -1 the smallest.
    """
    found, here = _along_slopes(of, spreads, sign)
    bent = _bent(np.vstack([of.known, here]), spreads)
    at, best, tried, missed = found
    share = WHOLE
    for _ in range(ROUNDS if bent else 0):
        trials = [best]
        for s in bent:
            wide = share == WHOLE
            for place in s.extremes(of.known[0, s.own]) if wide else s.about(best[s.own], share):
                trial = best.copy()
                trial[s.own] = place
                trials.append(trial)
        values = of.values(np.array(trials))
        tried, missed = tried + len(trials), missed + int(np.isnan(values).sum())
        if np.isnan(values).all():
            break
        k = int(np.nanargmax(sign * values))
        if np.isnan(at) or _helps(sign * (float(values[k]) - at), at):
            best, at = trials[k], float(values[k])
            continue
        if share == WHOLE:
            here = sign * of.at(best)[1]
            bent = [s for s in bent if not s.is_end(best[s.own], here[s.own])]
        share /= 2.0
        if not bent or share < ROOT:
            break
    return Extreme(at, best, tried, missed)


def _helps(gain: float, at: float) -> bool:
    return gain > FAINT * FAINT * max(abs(at), 1.0)


def _along_slopes(of: Searched, spreads: Sequence[Spread], sign: float) -> tuple[Extreme, Array]:
    """The best place on the way from corner to corner of the slopes, and the slopes there.

    Source: the method of conditional gradients, of M. Frank and P. Wolfe.
    """
    best = first_corner(of.known[0], spreads, sign)
    at, here = of.at(best)
    if np.isnan(at):
        at = float(of.values(best[None])[0])
    tried, missed = 1, int(np.isnan(at))
    for _ in range(ROUNDS):
        if not np.isfinite([at, *here]).all():
            break
        step = first_corner(here, spreads, sign) - best
        gains = [sign * float(here[s.own] @ step[s.own]) for s in spreads]
        for s, gain in zip(spreads, gains, strict=True):
            if not gain > FAINT * sum(gains):
                step[s.own] = 0.0
        if not _helps(sum(gains), at):
            break
        trials = best + ON_THE_WAY[:, None] * step
        values = of.values(trials)
        tried, missed = tried + len(trials), missed + int(np.isnan(values).sum())
        k = int(np.argmax(np.where(np.isnan(values), -np.inf, sign * values)))
        if not _helps(sign * (float(values[k]) - at), at):
            break
        best, at = trials[k], float(values[k])
        _, here = of.at(best)
    return Extreme(at, best, tried, missed), here


def _bent(slopes: Array, spreads: Sequence[Spread]) -> list[Spread]:
    """By what a measure may have an extreme elsewhere than its slopes say.

    Args:
        slopes: at some places, (places, variables); those of the nominal assembly first.
    """
    if not np.isfinite(slopes).all():
        return list(spreads)
    sizes = [np.linalg.norm(slopes[:, s.own], axis=1) for s in spreads]
    acts = FAINT * sum(float(size.max()) * s.radius for s, size in zip(spreads, sizes, strict=True))
    out = []
    for s, size in zip(spreads, sizes, strict=True):
        turned = np.linalg.norm(slopes[:, s.own] - slopes[0, s.own], axis=1)
        if size.max() * s.radius > acts and turned.max() > BENT * size.min():
            out.append(s)
    return out

"""Minima of a function between two places where it and its rate are known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from math import inf, isnan, nan, sqrt
from typing import NamedTuple

from .rounding import ROOT


class Place(NamedTuple):
    """A place t, the value there and its rate; the rate is NaN where it is not known."""

    t: float
    value: float
    rate: float


def depth(a: Place, b: Place) -> float:
    """How far a convex function may fall below its lower value at two places, a before b.

    Down to where the tangents cross; 0 if none is between, infinite if a rate is not known.
    """
    if a.rate >= 0.0 or b.rate <= 0.0:
        return 0.0
    where = _crossing(a, b)
    inner = 0.0 <= where <= b.t - a.t  # false also of NaN
    return min(a.value, b.value) - a.value - a.rate * where if inner else inf


def look_into_dip(
    at: Callable[[float], Place], a: Place, b: Place, deep: Callable[[Place, Place], bool]
) -> None:
    """Evaluate a function ever nearer to its minimum between two places, a before b.

    The next place is in turn the minimum of the cubic polynomial of values and rates, where the
    tangents cross, as at a corner, and the middle.

    Args:
        at: the function; deep: whether it may still fall as far as is asked between two places.
    """
    least, steps = ROOT * (b.t - a.t), cycle((_lowest, _crossing, _middle))
    while b.t - a.t > least and deep(a, b):
        where, edge = next(steps)(a, b), 0.5 * ROOT * (b.t - a.t)
        if not 0.0 <= where <= b.t - a.t:  # also of NaN
            where = _middle(a, b)
        found = at(a.t + min(max(where, edge), b.t - a.t - edge))
        rises = found.rate > 0.0 or (isnan(found.rate) and a.value < b.value)
        a, b = (a, found) if rises else (found, b)


def _middle(a: Place, b: Place) -> float:
    return 0.5 * (b.t - a.t)


def _crossing(a: Place, b: Place) -> float:
    """Where the tangents cross, from a; NaN where they are parallel."""
    bend = b.rate - a.rate
    return (a.value - b.value + b.rate * (b.t - a.t)) / bend if bend != 0.0 else nan


def _lowest(a: Place, b: Place) -> float:
    """Where the cubic polynomial between two places is lowest, from a; NaN without a minimum."""
    if not a.rate < 0.0 < b.rate:  # also of NaN
        return nan
    width = b.t - a.t
    mean = a.rate + b.rate - 3.0 * (b.value - a.value) / width
    root = sqrt(mean * mean - a.rate * b.rate)
    return width * (1.0 - (b.rate + root - mean) / (b.rate - a.rate + 2.0 * root))

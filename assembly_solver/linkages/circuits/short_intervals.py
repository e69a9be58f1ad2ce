"""Intervals of an input so short that they lie between two of its samples.

Where a dyad of constant lengths cannot be built, its two circles, or its circle and its line, are
apart by a gap that is known and smooth.  Where the gap is least between samples, it is looked at
closer and closer: where it is none, there is a short interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...foundations.types import Array
from ..plan.link_length import CONSTANT
from ..plan.program import AT, CIRCLES, LINE_CIRCLE
from .driven_linkage import Led, States

Look = Callable[[Array], States]

PARTS = 8
"""Places in which a stretch about a least gap is divided, time after time."""

ROUNDS = 12
"""Times that it is divided: to 1e-7 of it, where a least gap is known to rounding."""


def missed(led: Led, look: Look, at: Array) -> Array:
    """Values between samples at which the linkage can be built, though beside them it cannot.

    Args:
        at: successive values, (states,), those beyond the first and the last not among them.
    """
    states = look(at)
    found: list[float] = []
    for operation in np.unique(states.failed[states.failed > 0] - 1).tolist():
        here = states.failed == operation + 1
        gap = np.where(here, _gap(led, states, operation), np.nan)
        least = (gap[1:-1] <= gap[:-2]) & (gap[1:-1] <= gap[2:])  # not where one is not known
        for k in (1 + np.flatnonzero(least)).tolist():
            found += _closer(led, look, operation, float(at[k - 1]), float(at[k + 1]))
    return np.array(found, np.float64)


def _closer(led: Led, look: Look, operation: int, low: float, high: float) -> Iterator[float]:
    """The places in a stretch at which the gap about its least one is none."""
    for _ in range(ROUNDS):
        at = np.linspace(low, high, PARTS + 1)
        states = look(at)
        if states.valid.any():
            yield from at[states.valid].tolist()
            return
        gap = np.where(states.failed == operation + 1, _gap(led, states, operation), np.inf)
        k = int(np.argmin(gap))
        low, high = float(at[max(k - 1, 0)]), float(at[min(k + 1, PARTS)])


def _gap(led: Led, states: States, operation: int) -> Array:
    """How far what a dyad intersects is apart, (states,), mm; NaN for other operations."""
    program = led.planned.program
    code, by, P = program.code[operation], program.numbers[operation], states.P
    if code[0] == CIRCLES and code[AT + 2] == code[AT + 4] == CONSTANT:
        one, two = abs(complex(*by[0:2])), abs(complex(*by[4:6]))
        far = np.hypot(*(P[code[AT + 1]] - P[code[AT]]))
        apart: Array = np.maximum(far - (one + two), abs(one - two) - far)
        return apart
    if code[0] == LINE_CIRCLE and code[AT + 3] == CONSTANT:
        along, to = P[code[AT + 2]] - P[code[AT + 1]], P[code[AT]] - P[code[AT + 1]]
        across = (along[0] * to[1] - along[1] * to[0]) / np.hypot(*along)
        beyond: Array = np.abs(across - by[4] * np.hypot(*along)) - abs(complex(*by[0:2]))
        return beyond
    return np.full(P.shape[-1], np.nan)

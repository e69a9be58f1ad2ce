"""Intervals of an input that are shorter than the distance of its coarse states.

Where a dyad of constant lengths cannot be built, its two loci are separated by a gap that is a
smooth function of the input.  Least gaps are refined; where one becomes 0 is a short interval.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...foundations.types import Array
from ..plan.link_length import CONSTANT
from ..plan.placement_program import AT, CIRCLES, LINE_CIRCLE
from .driven_linkage import ChosenStates, DrivenLinkage, InputStates

PARTS = 8
"""Parts into which the surroundings of a least gap are divided, repeatedly."""

ROUNDS = 12
"""Number of divisions: to 1e-7 of the first interval, where rounding limits a least gap."""


def buildable_between(chosen: ChosenStates, at: Array) -> Array:
    """Values at which the linkage can be built, between successive ones at which it cannot."""
    states = chosen.evaluate(at)
    found: list[float] = []
    for operation in np.unique(states.failed[states.failed > 0] - 1).tolist():
        here = states.failed == operation + 1
        gap = np.where(here, _gap(chosen.linkage, states, operation), np.nan)
        least = (gap[1:-1] <= gap[:-2]) & (gap[1:-1] <= gap[2:])  # not where one is not known
        for k in (1 + np.flatnonzero(least)).tolist():
            found += _closer(chosen, operation, float(at[k - 1]), float(at[k + 1]))
    return np.array(found, np.float64)


def _closer(chosen: ChosenStates, operation: int, low: float, high: float) -> Iterator[float]:
    """The values in an interval at which the gap of an operation vanishes, about its least one."""
    for _ in range(ROUNDS):
        at = np.linspace(low, high, PARTS + 1)
        states = chosen.evaluate(at)
        if states.valid.any():
            yield from at[states.valid].tolist()
            return
        here = states.failed == operation + 1
        gap = np.where(here, _gap(chosen.linkage, states, operation), np.inf)
        k = int(np.argmin(gap))
        low, high = float(at[max(k - 1, 0)]), float(at[min(k + 1, PARTS)])


def _gap(linkage: DrivenLinkage, states: InputStates, operation: int) -> Array:
    """Gap between the two loci of a dyad, (states,), mm; NaN for other operations."""
    program = linkage.planned.program
    code, by, P = program.code[operation], program.numbers[operation], states.P
    if code[0] == CIRCLES and code[AT + 2] == code[AT + 4] == CONSTANT:
        one, two = abs(complex(*by[0:2])), abs(complex(*by[4:6]))
        far = np.hypot(*(P[code[AT + 1]] - P[code[AT]]))
        between: Array = np.maximum(far - (one + two), abs(one - two) - far)
        return between
    if code[0] == LINE_CIRCLE and code[AT + 3] == CONSTANT:
        along, to = P[code[AT + 2]] - P[code[AT + 1]], P[code[AT]] - P[code[AT + 1]]
        across = (along[0] * to[1] - along[1] * to[0]) / np.hypot(*along)
        outside: Array = np.abs(across - by[4] * np.hypot(*along)) - abs(complex(*by[0:2]))
        return outside
    return np.full(P.shape[-1], np.nan)

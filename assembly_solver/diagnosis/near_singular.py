"""Freedoms that only the noise of the features takes away: they are told with that doubt.

What is left of dependent equations grows with the square of the way from a singular pose: where it
is the noise of the features, the pose at which they hold is the root of that away, and its rank is
full.  Special dimensions that were read with few digits leave a rank that is full everywhere,
though all mates hold within the tolerance while it moves.

Source: docs/theory/higher_order.md, 7.
"""

from __future__ import annotations

import numpy as np

from ..foundations.numerics.linear import OFF_SHARE
from ..foundations.numerics.rounding import DIGITS, ROUNDING
from ..structure.poses import part_poses
from .freedoms import Diagnosis
from .reduced_equations import LONGEST, ReducedEquations

STEPS = 4
"""Gauss-Newton steps to where the rates of the nearly dependent equations vanish."""


def singular_within_tolerance(d: Diagnosis, k: int) -> Diagnosis | None:
    """The diagnosis at a singular pose of a component near by; None where there is none."""
    c, system = d.plan.components[k], d.plan.system
    values = d.ranks[k].singular_values
    farthest = float(np.sqrt(OFF_SHARE * system.tolerance / system.length))
    if not len(values) or farthest > LONGEST:
        return None
    small = values[(values > d.cut * values[0]) & (values <= farthest * values[0])]
    if not len(small):
        return None
    reduced = ReducedEquations(d, c, farthest)
    way, step = np.zeros(reduced.free), float(small[0] / values[0])
    for _ in range(STEPS):
        turns = [reduced.with_rates(way + step * one) for one in np.eye(reduced.free)]
        here = reduced.with_rates(way)
        if here is None or any(t is None for t in turns):
            return None
        slopes = np.array([(t[1] - here[1]).ravel() / step for t in turns if t is not None])
        way = way - np.linalg.lstsq(slopes.T, here[1].ravel(), rcond=step)[0]
    found = reduced.closed(way)
    if found is None:
        return None
    there = Diagnosis(d.plan, part_poses(d.plan, found.poses, d.poses), found.poses, d.watch)
    by_noise = OFF_SHARE * np.sqrt(there.off / system.length)  # else it is another pose
    holds = there.off <= system.tolerance and float(np.abs(way).max()) <= by_noise
    return there if holds and there.ranks[k].rank < d.ranks[k].rank else None


def special_within_digits(d: Diagnosis, k: int) -> bool:
    """Whether more equations of a component than at the pose are dependent to six digits, within
    the tolerance."""
    values = d.ranks[k].singular_values
    small = values[values <= _within(d) * values[0]] if len(values) else values
    return bool(np.any(small > ROUNDING * values[:1]))


def within_digits(d: Diagnosis) -> Diagnosis:
    """The diagnosis in which equations count as dependent that are so to six digits."""
    loose = Diagnosis(d.plan, d.parts, d.poses, d.watch)
    loose.off, loose.cut = _within(d) * d.plan.system.length, _within(d)
    return loose


def _within(d: Diagnosis) -> float:
    """Six digits, or the tolerance over the length where that is less."""
    return min(d.plan.system.tolerance / d.plan.system.length, DIGITS)

"""The tolerance at which contradictory constraints are accepted, found by solving with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, log10, sqrt

import numpy as np

from ..equations.residuals import all_residuals, worst_off
from ..equations.system import System
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array
from ..solver.active_set import worst_violation
from ..solver.refinement import refined
from .subset_solver import SolvedSubset, SubsetSolver, is_solved
from .subsets import subset

MOST = 0.01
"""Largest tolerance that is proposed, as a share of the largest reach."""

NOISE = 1e-5
"""A setting: tolerance, as a share of the largest reach, up to which a contradiction counts as
noise."""

MARGINS = (1.02, 1.05, 1.1, 1.2, 1.5, 2.0)
"""Tolerances that are tried, relative to the least largest residual that was found."""

REFINED = (1.0, 0.03, 0.001)
"""Assumed tolerances of a refinement relative to the residual: its steps are damped by them."""


def least_largest(system: System, parts: Array) -> Array:
    """Poses near some others with a smaller largest residual, where that is found."""
    best = parts
    for share in REFINED:
        off = worst_off(system, best)
        if off <= system.convergence_tolerance:
            return best
        best = refined(replace(system, tolerance=max(0.5 * share * off, off / 99)), best)
    return best


def accepting_tolerance(subsets: SubsetSolver, constraints: Sequence[int]) -> float | None:
    """A tolerance, mm, in three digits, at which some constraints hold, and are found to.

    None where none of at most `MOST` of the largest reach is found.  Memoised.
    """
    key = frozenset(constraints)
    if key not in subsets.accepting:
        subsets.accepting[key] = _accepting(subsets, constraints)
    return subsets.accepting[key]


def least_off(subsets: SubsetSolver, constraints: Sequence[int]) -> float:
    """The least largest residual of some constraints that is found, mm.  Memoised.

    Where no less than what is proposed at most can be found nearby, it is the largest residual of
    the compromise of least squares.
    """
    key = frozenset(constraints)
    if key not in subsets.least:
        closed = subsets.solved(constraints)[0]
        system, parts = closed.system, closed.parts
        if not (subsets.descends(closed.compiled) and _no_less(closed) > _most(system)):
            parts = least_largest(system, parts)
        subsets.least[key] = worst_violation(system, parts)
    return subsets.least[key]


def _no_less(closed: SolvedSubset) -> float:
    """What the largest residual near a compromise of descents cannot fall below, mm.

    There the sum of squares is least, with angles times the characteristic length; with all
    residuals up to t it is at most t^2 for the length and (t length / reach)^2 for the angle of
    each mate, and t^2 for each limit.
    """
    system, limits = closed.compiled, closed.assembly.limits
    squares = float(np.square(all_residuals(system, closed.parts)).sum())
    most = float((1.0 + np.square(system.length / system.reach)).sum()) + len(limits)
    return sqrt(squares / max(most, 1.0))


def _most(system: System) -> float:
    """The largest tolerance that is proposed, mm."""
    return MOST * float(system.reach.max(initial=0.0))


def _accepting(subsets: SubsetSolver, constraints: Sequence[int]) -> float | None:
    most = _most(subsets.solved(constraints)[0].system)
    least = least_off(subsets, constraints)
    tried = subsets.assembly.tolerance  # with it they were not found to hold
    for margin in MARGINS:
        tolerance = rounded_up(margin * least)
        if tolerance > most:
            return None
        if tolerance > tried:
            assembly = subset(subsets.assembly, constraints)
            assembly.tolerance = tolerance
            if is_solved(assembly, subsets.watch):
                return tolerance
            tried = tolerance
    return None


def is_noise(system: System, tolerance: float | None) -> bool:
    """Whether a tolerance is so small that the contradiction it removes is noise."""
    return tolerance is not None and tolerance <= NOISE * float(system.reach.max(initial=0.0))


def rounded_up(value: float) -> float:
    """The least number of three digits that is not below a positive value."""
    digits = 2 - floor(log10(value))
    up = float(np.ceil(value * 10.0**digits * (1 - ROUNDING))) / 10.0**digits
    return round(up, digits)

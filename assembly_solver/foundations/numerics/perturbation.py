"""Escape from a singular point by small changes of single unknowns that raise the rank.

Source: the six perturbation steps of Ding and others, in greedy form: a change is kept as soon as
it raises the rank, so independent singularities are removed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..types import Array
from .linear import pivoted_rank
from .rounding import RANK

AMOUNTS = tuple(
    sign * size
    for size in (1e-5, 1e-4, 1e-3, *(1e-3 * 2**k for k in range(1, 8)))
    for sign in (1.0, -1.0)
)
"""A setting: trial changes of an unknown x, in units of max(1, |x|), in order."""

TRIALS = 4000
"""Largest number of Jacobians in one call."""


class Perturbed(NamedTuple):
    """Result of a perturbation."""

    x: Array
    reached: bool
    """Whether the deficiency fell to the target."""
    kept: tuple[tuple[int, float], ...]
    """Changes that raised the rank: (unknown, what was added to it)."""
    trials: int
    """Jacobians evaluated."""


def deficiency(jacobian: Array) -> int:
    """Number of rows of `jacobian`, shape (m, n), minus its rank.

    The threshold is absolute below 1, so that a Jacobian of rounding errors has rank 0.
    """
    m = int(jacobian.shape[0])
    longest = float(np.sqrt(np.square(jacobian).sum(axis=1).max(initial=0.0)))
    if longest <= RANK:
        return m
    columns = np.array(jacobian.T, dtype=float, order="C")  # a copy: it is overwritten
    return m - int(pivoted_rank(columns, RANK * max(1.0, 1.0 / longest)))


def perturb(
    jacobian: Callable[[Array], Array], x: Array, target: int, trials: int = TRIALS
) -> Perturbed:
    """Change unknowns one at a time until the row deficiency is at most `target`.

    Changes that raised the rank are kept even where the target is not reached.

    Args:
        jacobian: of x, shape (m, n); x: shape (n,), not changed.
        target: that of the pattern, or that of a generic solution where equations are redundant
            everywhere.  A target that no point reaches costs all trials.
    """
    x = np.array(x, dtype=float)
    kept: list[tuple[int, float]] = []
    lacking, used = deficiency(jacobian(x)), 1
    while lacking > target:
        found = False
        for i, change in ((i, a * max(1.0, abs(x[i]))) for a in AMOUNTS for i in range(len(x))):
            if used == trials:
                break
            before = x[i]
            x[i] = before + change
            now, used = deficiency(jacobian(x)), used + 1
            if now < lacking:
                lacking, found = now, True
                kept.append((i, change))
                break
            x[i] = before
        if not found:
            return Perturbed(x, False, tuple(kept), used)
    return Perturbed(x, True, tuple(kept), used)

"""Who contributes what to the variance of a measure: Shapley's shares and Sobol's indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT, TINY
from ..foundations.types import Array, Ints

Values = Callable[[Array], Array]
"""Values of samples from their deviations, (samples, variables); NaN where one does not close."""


class Indices(NamedTuple):
    """Sobol's indices of some measures.

    Attributes:
        first: share of the variance that a group of variables explains alone, (groups, asked).
        total: share that is left to it when all others are known, (groups, asked).
        error: the largest standard error of both, (asked,).
    """

    first: Array
    total: Array
    error: Array


def sobol_indices(of: Values, x: Array, y: Array, groups: Sequence[Ints]) -> Indices:
    """Sobol's indices, from samples in which one group at a time is exchanged.

    With z that is x but for one group, which is from y: the mean of f(y) (f(z) - f(x)) is what the
    group explains alone (Saltelli's estimator, f less its mean), half the mean of (f(x) - f(z))^2
    what it explains in all (Jansen's).  Rows in which one of them does not close are left out; NaN
    where none is left.

    Args:
        of: values, (samples, asked); x, y: two independent samples, (samples, variables).
        groups: variables of each group.
    """
    mixed = np.tile(x, (len(groups), 1, 1))
    for z, group in zip(mixed, groups, strict=True):
        z[:, group] = y[:, group]
    every = np.concatenate([x, y, *mixed])
    fx, fy, *others = of(every).reshape(len(groups) + 2, len(x), -1)
    fz = np.array(others)
    known = np.isfinite(fx + fy + fz.sum(axis=0)).all(axis=1)
    fx, fy, fz = fx[known], fy[known], fz[:, known]
    if not len(fx):
        unknown = np.full((len(groups), fx.shape[1]), np.nan)
        return Indices(unknown, unknown, unknown[0])
    both = np.concatenate([fx, fy])
    variance, middle = both.var(axis=0), both.mean(axis=0)
    noise = AGREEMENT * np.abs(both).max(axis=0, initial=1.0)  # mm or degrees
    safe = np.where(variance > noise**2, variance, np.inf)  # what does not vary has no shares
    alone, whole = (fy - middle) * (fz - fx) / safe, 0.5 * (fx - fz) ** 2 / safe
    spread = np.maximum(alone.std(axis=1), whole.std(axis=1)).max(axis=0)
    return Indices(alone.mean(axis=1), whole.mean(axis=1), spread / np.sqrt(len(fx)))


def linear_indices(linear: Array, values: Array, told: Array) -> Indices:
    """The shares of a linear model as Sobol's indices, with the most by which these may differ.

    Where f is the model and a rest with the share r of its variance, the root of what a group
    explains of f, alone or in all, is within the root of r of that of the model: the index is
    within 2 root(r) + r.

    Args:
        linear: variances of the model by group, (groups, asked).
        values: of samples that close, (samples, asked); told: by the model.
    """
    shares = linear / np.maximum(linear.sum(axis=0), TINY)
    if len(values) < 2:
        return Indices(shares, shares, np.full(len(shares[0]), np.inf))
    noise = AGREEMENT * np.abs(values).max(axis=0, initial=1.0)  # mm or degrees
    rest = (values - told).var(axis=0) / np.maximum(values.var(axis=0), noise**2)
    return Indices(shares, shares, 2.0 * np.sqrt(rest) + rest)


def shapley_shares(
    of: Values, x: Array, y: Array, groups: Sequence[Ints], rng: np.random.Generator
) -> Array:
    """The Shapley shares of the variance of one measure, (groups,), mm^2 or degrees^2.

    In a random order the groups of a sample are exchanged for those of another one.  f(x) times
    the fall of f at each exchange sums to the variance in the mean, and each term is what its group
    adds to the variance that those after it explain; half the fall of f squared, whose mean is 0,
    is taken off.

    Args:
        of: values, (samples,); x, y: two independent samples, (samples, variables).
        groups: variables of each group; rng: of the orders.
    """
    orders = np.argsort(rng.random((len(x), len(groups))), axis=1)
    out = np.zeros(len(groups))
    first = before = of(x)
    mixed = x.copy()
    for place in range(len(groups)):
        for k, group in enumerate(groups):
            here = np.flatnonzero(orders[:, place] == k)
            mixed[np.ix_(here, group)] = y[np.ix_(here, group)]
        now = of(mixed)
        fall = (first - 0.5 * (before + now)) * (before - now)
        for k in range(len(groups)):
            out[k] += np.nansum(np.where(orders[:, place] == k, fall, 0.0)) / len(x)
        before = now
    return np.maximum(out, 0.0)

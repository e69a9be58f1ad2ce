"""What is told of the values of samples: mean, spread, quantiles, histogram, what meets bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..model.tolerances.named_measure import NamedMeasure
from .tolerance_band import QUANTILES

BINS = 40
"""Intervals of a histogram, from the least to the largest sample."""


def sure_variance(values: Array) -> float:
    """The variance of samples less twice its standard error, not below 0.

    Source: var(s^2) is (m4 - s^4) / n for many samples, with m4 the fourth central moment.
    """
    if not len(values):
        return 0.0
    squares = (values - values.mean()) ** 2
    return max(float(squares.mean() - 2.0 * squares.std() / np.sqrt(len(values))), 0.0)


def repeated(values: Array) -> dict[str, float]:
    """Mean, spread, and error of the mean of quasi-random samples, mm or degrees.

    NaN where fewer than two of the repeats have a sample that closes.

    Args:
        values: (repeats, samples); NaN where one does not close.
    """
    closed = values[np.isfinite(values).any(axis=1)]
    if len(closed) < 2:
        return dict.fromkeys(("mean", "std", "std_error"), float("nan"))
    means = np.nanmean(closed, axis=1)
    error = float(means.std(ddof=1) / np.sqrt(len(means)))
    return {"mean": float(means.mean()), "std": float(np.nanstd(closed)), "std_error": error}


def statistics(measure: NamedMeasure, values: Array) -> dict[str, Any]:
    """Mean, spread, quantiles and what meets the bounds, of the values of samples, mm or degrees.

    Without two samples they are None.
    """
    n = len(values)
    if n < 2:
        return {"mean": None, "std": None, "std_error": None, "quantiles": {}, "meets": None}
    mean, std = float(values.mean()), float(values.std(ddof=1))
    levels = np.quantile(values, QUANTILES).tolist()
    out: dict[str, Any] = {"mean": mean, "std": std, "std_error": std / float(np.sqrt(n))}
    out["quantiles"] = {f"{q:g}": v for q, v in zip(QUANTILES, levels, strict=True)}
    ends = np.array([values.min(), values.max()])
    room = AGREEMENT * max(*np.abs(ends).tolist(), 1.0)  # equal values have a width, too
    counts, edges = np.histogram(values, BINS, (float(ends[0]) - room, float(ends[1]) + room))
    out["histogram"] = {"edges": edges.tolist(), "counts": counts.tolist()}
    low, high = measure.min, measure.max
    if low is None and high is None:
        return out
    good = np.ones(n, bool)
    good &= values >= low if low is not None else True
    good &= values <= high if high is not None else True
    share = float(good.mean())
    spread = max(share * (1.0 - share), 1.0 / n)  # none of n is no proof that there is none
    out |= {"meets": share, "meets_error": float(np.sqrt(spread / n))}
    if std > 0.0:
        below = np.inf if low is None else mean - low
        above = np.inf if high is None else high - mean
        out["cpk"] = float(min(below, above)) / (3.0 * std)
        if low is not None and high is not None:
            out["cp"] = (high - low) / (6.0 * std)
    return out

"""The values of constraints that a remedy may change: what they do, whether they are valid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any, NamedTuple

import numpy as np

from ..errors import AssemblySolverError
from ..foundations.types import Array
from ..model.drivers.driver import Driver
from ..model.drivers.limit import Limit
from ..model.mate import Mate, ResolvedMate

DIGITS = (4, 6, 9, 12)
"""Digits to which a new value is rounded: the fewest that suffice."""

STEP = 1e-3
"""A setting: step of a difference quotient of targets, mm or degrees; most are linear."""


class ConstraintValue(NamedTuple):
    """A value of a constraint that may be changed.

    `rates` are the derivatives of the targets of its equations; `given` is False for a default.
    """

    constraint: int
    parameter: str
    value: float
    unit: str
    rates: Array
    given: bool


def with_parameter(held: ResolvedMate, parameter: str, value: float) -> Mate:
    """A mate with another value, checked; raises `AssemblySolverError` where that is invalid."""
    new: dict[str, Any] = {parameter: value}
    mate = replace(held.mate, **new)
    mate.check("")
    return mate


def is_allowed(quantity: Driver | Limit, parameter: str, value: float) -> bool:
    """Whether a value is valid for a driver or a limit."""
    least, most = quantity.range_of_values
    if not least < value < most:
        return False
    if isinstance(quantity, Driver):
        return quantity.range is None or quantity.range[0] <= value <= quantity.range[1]
    low, high = (value, quantity.max) if parameter == "min" else (quantity.min, value)
    return low is None or high is None or low <= high


def rounded_values(value: float, before: float) -> Iterator[float]:
    """A value with few digits, then with more: the closest, then the next one away; 0, not -0."""
    away = ceil if value > before else floor
    larger = max(abs(value), abs(value - before))
    for digits in DIGITS if larger else ():
        decimals = digits - 1 - floor(log10(larger))
        yield round(value, decimals) + 0.0
        yield round(away(value * 10.0**decimals) / 10.0**decimals, decimals) + 0.0


def rates_of_targets(held: ResolvedMate, parameter: str) -> Array | None:
    """Derivatives of the targets of a mate's equations with respect to a parameter, (equations,).

    None where the targets do not depend on it, or more than the targets does.
    """
    value = getattr(held.mate, parameter)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not held.mate.takes:
        return None
    step = STEP * max(1.0, abs(value))
    for sign in (1.0, -1.0):
        try:
            other = with_parameter(held, parameter, value + sign * step)
            equations = other.equations(held.a, held.b)
        except AssemblySolverError:
            continue
        same = len(equations) == len(held.equations) and all(
            x.terms == y.terms for x, y in zip(equations, held.equations, strict=True)
        )
        targets = [(x.target, y.target) for x, y in zip(equations, held.equations, strict=False)]
        if same and all(x is not None and y is not None for x, y in targets):
            rates = np.array([(x - y) / (sign * step) for x, y in targets])  # type: ignore[operator]
            return rates if rates.any() else None
    return None

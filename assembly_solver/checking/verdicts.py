"""Findings in words, from a value, its threshold and its position."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan
from typing import Any, NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Bools
from ..model.check import Check
from ..model.checks import AlongTheWay
from ..results.wording.forces import amount
from ..results.wording.phrases import coordinate
from .driver_study import Study
from .findings import DriverPosition, Finding


def shown(value: float, unit: str) -> str:
    """A value with its unit: "31.2 deg", "84 kN"."""
    if unit in ("N", "N mm") and isfinite(value):
        return amount(value, unit)
    number = coordinate(value) if unit in ("mm", "deg") else f"{value:.6g}"
    return f"{number} {unit}".rstrip()


def asked_words(low: float | None, high: float | None, unit: str) -> str:
    """A threshold in words."""
    if low is not None and high is not None:
        if low == high:
            return f"exactly {shown(low, unit)}"
        return f"{shown(low, unit)} to {shown(high, unit)}"
    if low is not None:
        return f"at least {shown(low, unit)}"
    return f"at most {shown(high, unit)}" if high is not None else ""


class ComparedValue(NamedTuple):
    """A quantity that a check compares.

    Attributes:
        subject: its name in words; value: a number, or one per state, (n,); unit: of it.
        verb: of the subject, "is" or "are".
    """

    subject: str
    value: float | Array
    unit: str
    verb: str = "is"


def finding(
    check: Check, passes: bool, quantity: ComparedValue, asked: str, words: str, **more: Any
) -> Finding:
    """The finding of a check about one number; the rest as of `Finding`."""
    subject, value, unit, _ = quantity
    name, kind = check.name, check.kind
    return Finding(name, kind, passes, subject, asked, float(value), unit, words, **more)


def missing(check: Check, subject: str, why: str, driver: str | None = None) -> Finding:
    """The finding of a check that was not evaluated: it does not pass."""
    low, high = getattr(check, "min", None), getattr(check, "max", None)
    asked, words = asked_words(low, high, ""), f"{subject}: {why}"
    nothing = ComparedValue(subject, float("nan"), "")
    return finding(check, False, nothing, asked, words, low=low, high=high, driver=driver)


def compared(
    check: Check,
    quantity: ComparedValue,
    low: float | None,
    high: float | None,
    place: DriverPosition | None = None,
    element: str = "",
    aside: str = "",
) -> Finding:
    """A finding that compares a value with a threshold; `aside` is a note in its words."""
    subject, unit, value = quantity.subject, quantity.unit, float(quantity.value)
    driver = place.driver if place is not None else None
    if isnan(value):
        return missing(check, subject, aside or "there is no value", driver)
    side, asked = _violation(value, low, high), asked_words(low, high, unit)
    at = f" at {place.words}" if place is not None else ""
    bound = high if side > 0 else low
    words = f"{subject} {quantity.verb} {shown(value, unit)}"
    if side and bound is not None:
        words += f" {'>' if side > 0 else '<'} {shown(bound, unit)}{at}"
    else:
        words += f"{at}, asked is {asked}"
    words += f"; {aside}" if aside else ""
    where = {"low": low, "high": high, "driver": driver, "place": place, "element": element}
    return finding(check, not side, quantity, asked, words, **where)


def _violation(value: float, low: float | None, high: float | None) -> int:
    """-1 below, +1 above, 0 within bounds."""
    rounding = AGREEMENT * max(abs(v) for v in (low, high, 0.0) if v is not None)
    if low is not None and value < low - rounding:
        return -1
    return int(high is not None and value > high + rounding)


def along(
    check: AlongTheWay,
    study: Study,
    quantity: ComparedValue,
    low: float | None,
    high: float | None,
    element: str = "",
) -> Finding:
    """A finding about the worst value over the range of a driver that the check covers.

    For a force bounded in both directions that is the largest ratio to its bound; else the value
    with the largest violation, or the one nearest to its bound; of equal ones that nearest to the
    driver's present value, such as where two parts begin to touch.
    """
    subject, values, unit = quantity.subject, np.asarray(quantity.value), quantity.unit
    sweep, (first, last), inside = study.sweep, study.part(check), study.states_in(check)
    aside = study.coverage_note(check)
    if not inside.any():
        words = f"{sweep.driver} does not come to {first:.6g} .. {last:.6g} {sweep.unit}"
        return missing(check, subject, words, sweep.driver)
    if np.isnan(values[inside]).any():
        k = int(np.argmax(inside & np.isnan(values)))
        words = f"it is not determined at {sweep.place(float(sweep.at[k])).words}"
        return missing(check, subject, words, sweep.driver)
    worst_ones = inside & _is_worst(values, inside, unit, low, high)
    k = int(np.argmin(np.where(worst_ones, np.abs(sweep.at - sweep.start), np.inf)))
    worst = quantity._replace(value=float(values[k]))
    found = compared(check, worst, low, high, sweep.place(float(sweep.at[k])), element, aside)
    lacks = bool(aside) and check.over is not None
    return replace(found, over=check.over, passes=found.passes and not lacks)


def _is_worst(
    values: Array, inside: Bools, unit: str, low: float | None, high: float | None
) -> Bools:
    """Which values are as bad as the worst one inside, up to the rounding of their poses, (n,)."""
    if unit in ("N", "N mm") and low is not None and high is not None and low < 0.0 < high:
        excess, size = np.maximum(values / low, values / high), 1.0
    else:
        below = -np.inf if low is None else low - values
        excess = np.maximum(below, -np.inf if high is None else values - high)
        size = float(np.abs(values[inside & np.isfinite(values)]).max(initial=0.0))
    out: Bools = np.isclose(excess, excess[inside].max(), rtol=0.0, atol=AGREEMENT * size)
    return out

"""Findings put together from a value, its threshold and its place, in the words of a colleague."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan

import numpy as np

from ..foundations.types import Array
from ..model.check import Check
from ..model.checks import AlongTheWay
from ..results.wording.forces import amount
from .driver_study import Study
from .findings import Finding, Place

ROUNDING = 1e-9
"""Share of a threshold by which a value may be off it: what is equal but for rounding passes."""


def shown(value: float, unit: str) -> str:
    """A value with its unit: "31.2 deg", "84 kN"."""
    if unit in ("N", "N mm") and isfinite(value):
        return amount(value, unit)
    return f"{value:.6g} {unit}".rstrip()


def asked_words(low: float | None, high: float | None, unit: str) -> str:
    """A threshold in words."""
    if low is not None and high is not None:
        if low == high:
            return f"exactly {shown(low, unit)}"
        return f"{shown(low, unit)} to {shown(high, unit)}"
    if low is not None:
        return f"at least {shown(low, unit)}"
    return f"at most {shown(high, unit)}" if high is not None else ""


def missing(check: Check, subject: str, why: str, driver: str | None = None) -> Finding:
    """A check that could not be made does not pass."""
    low, high = getattr(check, "min", None), getattr(check, "max", None)
    return Finding(
        check.name,
        check.kind,
        False,
        subject,
        asked_words(low, high, ""),
        float("nan"),
        "",
        f"{subject}: {why}",
        low,
        high,
        driver,
    )


def compared(
    check: Check,
    subject: str,
    value: float,
    unit: str,
    low: float | None,
    high: float | None,
    place: Place | None = None,
    element: str = "",
    aside: str = "",
    verb: str = "is",
) -> Finding:
    """A value held against a threshold."""
    driver = place.driver if place is not None else None
    if isnan(value):
        return missing(check, subject, aside or "there is no value", driver)
    beyond = _beyond(value, low, high)
    at = f" at {place.words}" if place is not None else ""
    bound = high if beyond > 0 else low
    if beyond and bound is not None:
        sign = ">" if beyond > 0 else "<"
        words = f"{subject} {verb} {shown(value, unit)} {sign} {shown(bound, unit)}{at}"
    else:
        asked = asked_words(low, high, unit)
        words = f"{subject} {verb} {shown(value, unit)}{at}, asked is {asked}"
    return Finding(
        check.name,
        check.kind,
        not beyond,
        subject,
        asked_words(low, high, unit),
        value,
        unit,
        words + (f"; {aside}" if aside else ""),
        low,
        high,
        driver,
        place,
        element,
    )


def _beyond(value: float, low: float | None, high: float | None) -> int:
    """-1 below, +1 above, 0 within."""
    slack = ROUNDING * max(abs(v) for v in (low, high, 0.0) if v is not None)
    if low is not None and value < low - slack:
        return -1
    return int(high is not None and value > high + slack)


def along(
    check: AlongTheWay,
    subject: str,
    study: Study,
    values: Array,
    unit: str,
    low: float | None,
    high: float | None,
    element: str = "",
) -> Finding:
    """The worst value on the way of a driver, in the window that the check looks at.

    Of a force with a bound either way that is the largest share of what it may be, else the value
    farthest beyond its bound, or nearest to it.

    Args:
        values: in each state of the way, (n,).
    """
    way, (first, last), inside = study.way, study.part(check), study.seen(check)
    aside = study.partly(check)
    if not inside.any():
        words = f"{way.driver} does not come to {first:.6g} .. {last:.6g} {way.unit}"
        return missing(check, subject, words, way.driver)
    if np.isnan(values[inside]).any():
        k = int(np.argmax(inside & np.isnan(values)))
        words = f"it is not determined at {way.place(float(way.at[k])).words}"
        return missing(check, subject, words, way.driver)
    excess = np.maximum(
        -np.inf if low is None else low - values, -np.inf if high is None else values - high
    )
    if unit in ("N", "N mm") and low is not None and high is not None and low < 0.0 < high:
        excess = np.maximum(values / low, values / high)
    k = int(np.argmax(np.where(inside, excess, -np.inf)))
    found = compared(
        check,
        subject,
        float(values[k]),
        unit,
        low,
        high,
        way.place(float(way.at[k])),
        element,
        aside,
    )
    return replace(found, passes=False) if aside and check.over is not None else found

"""What changes over a motion: its coordinates as charts, and their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.markup.svg_axes import COLOURS, Chart, PlottedCurve, VerticalLine
from ..foundations.numerics.rounding import FAINT
from ..foundations.numerics.ties import first_largest
from ..foundations.types import Array
from .wording.phrases import fixed


class OverStates(NamedTuple):
    """A scalar over the states of a motion: its name, its unit and its values, (states,)."""

    name: str
    unit: str
    values: Array


def extremes(scalar: OverStates) -> tuple[int, int] | None:
    """The states of its smallest and its largest value; None where it is not known or is still."""
    values = scalar.values
    if not np.isfinite(values).any():
        return None
    size = float(np.nanmax(np.abs(values)))
    low, high = first_largest(-values, size), first_largest(values, size)
    return (low, high) if values[high] - values[low] >= FAINT else None


def charts_over(
    over: OverStates, scalars: Sequence[OverStates], lines: Sequence[VerticalLine]
) -> list[Chart]:
    """A chart for each unit, of the first of the scalars that change."""
    moving = [s for s in scalars if extremes(s) is not None]
    out = []
    for unit in dict.fromkeys(s.unit for s in moving):
        shown = [s for s in moving if s.unit == unit][:COLOURS]
        curves = [PlottedCurve(s.name, over.values, s.values) for s in shown]
        title = f"{'Angles' if unit == 'deg' else 'Lengths'} over {over.name}"
        kind = "angle" if unit == "deg" else "length"
        across = f"{over.name}, {over.unit}"
        out.append(Chart(title, across, f"{kind}, {unit}", curves, lines))
    return out


def extreme_rows(over: OverStates, scalars: Sequence[OverStates]) -> list[list[str]]:
    """Name, unit, and smallest and largest value with where it is, of the scalars that change."""
    rows = []
    for scalar in scalars:
        ends = extremes(scalar)
        if ends is not None:
            told = [x for k in ends for x in (fixed(scalar.values[k], 4), f"{over.values[k]:.6g}")]
            rows.append([scalar.name, scalar.unit, *told])
    return rows

"""Where names stand in a drawing: beside their points, clear of what is drawn already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from math import cos, pi, sin

import numpy as np

from ...foundations.types import Array

DIRECTIONS = 16
"""Directions from a point in which its name is tried, the first up to the right."""

WIDE = 0.6
"""Mean width of a letter as a share of its height."""

NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
"""A name such as j10, whose number is set lower."""


def places(
    points: Array, words: Sequence[str], taken: Array, size: float, away: float, box: Array
) -> list[Array]:
    """The middles of names, each where it covers least of what is there.

    Args:
        points: what is named, (n, 2) px; words: (n).
        taken: places that lines pass, (m, 2) px, near enough to each other.
        size: height of the letters, px; away: from a point to the nearest edge of its name, px.
        box: corners of the drawing, (2, 2) px, which names do not leave.
    """
    found: list[Array] = []
    for point, word in zip(points, words, strict=True):
        half = np.array([0.5 * WIDE * size * max(len(word), 1), 0.42 * size])
        middles = [middle for r in (1.0, 1.5, 2.2) for middle in _round(point, half, r * away)]
        costs = [_cost(middle, half, taken, box) for middle in middles]
        best = middles[int(np.argmin(costs))]
        found.append(best)
        taken = np.vstack([taken, _filled(best, half)])
    return found


def _round(point: Array, half: Array, away: float) -> list[Array]:
    """Middles of a name around its point, at one distance from it."""
    out = []
    for k in range(DIRECTIONS):
        turn = -0.25 * pi + 2.0 * pi * k / DIRECTIONS
        unit = np.array([cos(turn), sin(turn)])
        reach = min(half[0] / max(abs(unit[0]), 1e-9), half[1] / max(abs(unit[1]), 1e-9))
        out.append(point + (away + reach) * unit)
    return out


def _cost(middle: Array, half: Array, taken: Array, box: Array) -> int:
    """Lines that pass near a name, those through it counted more; outside is worst."""
    low, high = middle - half, middle + half
    if (low < box[0]).any() or (high > box[1]).any():
        return 10**6
    off = np.abs(taken - middle)
    inside = int((off < half + 1.0).all(axis=1).sum())
    near = int((off < half + 4.0).all(axis=1).sum())
    return 8 * inside + near


def _filled(middle: Array, half: Array) -> Array:
    """Places all over a name, so that the next one does not stand on it."""
    steps = np.linspace(-1.0, 1.0, 5)
    grid = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    many: Array = np.repeat(middle + half * grid, 4, axis=0)
    return many


def along(a: Array, b: Array, step: float = 3.0) -> Array:
    """Places on a straight line, px apart as given, both ends among them."""
    count = max(2, int(np.hypot(*(b - a)) / step) + 1)
    line: Array = a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)
    return line


def set_name(kind: str, at: Array, words: str) -> str:
    """A name as an element of text; the number of j10 stands lower."""
    split = NUMBERED.fullmatch(words)
    told = escape(words)
    if split is not None:
        told = f'{split[1]}<tspan class="low" dy="3">{split[2]}</tspan>'
    x, y = at
    return f'<text class="{kind}" x="{x:.1f}" y="{y + 4.5:.1f}">{told}</text>'

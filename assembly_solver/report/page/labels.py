"""Positions of labels in a drawing: next to their points, clear of other lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import cos, pi, sin

import numpy as np

from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array

DIRECTIONS = 16
"""Number of directions from a point in which its label is tried, the first up and right."""

WIDE = 0.6
"""Mean width of a letter, relative to its height."""

INSIDE = 8
"""Cost of a point that a label covers, or that reads as the label's own, over that of one near."""

FILLED = 3.0
"""Distance of the points that fill a label, px: as close as those on the lines it avoids."""

NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
"""A name such as j10, whose number is a subscript."""


def label_positions(
    points: Array, words: Sequence[str], taken: Array, size: float, away: float, box: Array
) -> list[Array]:
    """The centres of labels, (2,) px each, where they overlap least.

    Args:
        points: the labelled points, (n, 2) px; words: (n).
        taken: points on the lines to avoid, (m, 2) px, closely spaced.
        size: height of the letters, px; away: from a point to the nearest edge of its label, px.
        box: low and high corner of the area for labels, (2, 2) px.
    """
    found: list[Array] = []
    for point, word in zip(points, words, strict=True):
        half = np.array([0.5 * WIDE * size * max(len(word), 1), 0.42 * size])
        middles = [middle for r in (1.0, 1.5, 2.2) for middle in _round(point, half, r * away)]
        costs = [
            _cost(middle, half, taken, box) + INSIDE * _nearer(middle, half, point, points)
            for middle in middles
        ]
        best = middles[int(np.argmin(costs))]
        found.append(best)
        taken = np.vstack([taken, _filled(best, half)])
    return found


def _round(point: Array, half: Array, away: float) -> list[Array]:
    """Candidate centres of a label around its point, at one distance."""
    out = []
    for k in range(DIRECTIONS):
        turn = -0.25 * pi + 2.0 * pi * k / DIRECTIONS
        unit = np.array([cos(turn), sin(turn)])
        reach = min(half[0] / max(abs(unit[0]), AGREEMENT), half[1] / max(abs(unit[1]), AGREEMENT))
        out.append(point + (away + reach) * unit)
    for side in (-1.0, 1.0):  # above and below, where it ends or begins
        out += [point + np.array([k * half[0], side * (away + half[1])]) for k in (-1.0, 1.0)]
    return out


def _cost(middle: Array, half: Array, taken: Array, box: Array) -> int:
    """Points near a label, those inside weighted more; outside the box is worst."""
    low, high = middle - half, middle + half
    if (low < box[0]).any() or (high > box[1]).any():
        return 10**6
    off = np.abs(taken - middle)
    inside = int((off < half + 1.0).all(axis=1).sum())
    near = int((off < half + 4.0).all(axis=1).sum())
    return INSIDE * inside + near


def _nearer(middle: Array, half: Array, point: Array, points: Array) -> int:
    """The number of points that are nearer to a label than its own point is."""
    own, *gaps = np.hypot(*np.maximum(np.abs(np.vstack([point, points]) - middle) - half, 0.0).T)
    return int((np.array(gaps) < own - 0.5).sum())


def _filled(middle: Array, half: Array) -> Array:
    """Points all over a label, so that the next one avoids it."""
    across, upward = (np.linspace(-h, h, max(2, int(2.0 * h / FILLED) + 1)) for h in half)
    many: Array = middle + np.stack(np.meshgrid(across, upward), -1).reshape(-1, 2)
    return many


def along(a: Array, b: Array, step: float = 3.0) -> Array:
    """Points on a straight line at most `step` px apart, with both ends, (n, 2)."""
    count = max(2, int(np.hypot(*(b - a)) / step) + 1)
    line: Array = a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)
    return line


def set_name(at: Array, words: str) -> str:
    """The label of a pin as a `<text>` element; the number of a name such as j10 is a subscript."""
    split = NUMBERED.fullmatch(words)
    content = escape(words)
    if split is not None:
        content = f'{split[1]}<tspan class="low" dy="3">{split[2]}</tspan>'
    x, y = at
    return f'<text class="pin" x="{x:.1f}" y="{y + 4.5:.1f}">{content}</text>'

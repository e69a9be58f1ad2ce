"""A picture of a mechanism in two poses, over each other and to scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...checking.findings import ExtremePose
from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array
from . import outlines

WIDTH, TALLEST, MARGIN = 560.0, 420.0, 16.0
UNIT = 5.0
"""Half the width of a bar, px."""


def pose_picture(poses: Sequence[ExtremePose], name: str, words: Sequence[str]) -> str:
    """Two poses as an `<svg>`: the grounded parts once, the others filled and with a dashed border.

    Args:
        name: an id, unique in its page; words: for each pose.
    """
    every = np.concatenate([at for pose in poses for at in pose.points.values()])
    low, high = every.min(axis=0), every.max(axis=0)
    room = np.array([WIDTH, TALLEST]) - 2 * (MARGIN + 2 * UNIT)
    scale = float(np.min(room / np.maximum(high - low, DIGITS * np.ptp(every))))
    height = float(scale * (high[1] - low[1]) + 2 * (MARGIN + 2 * UNIT))

    def px(at: Array) -> Array:
        centre = np.array([0.5 * WIDTH, 0.5 * height])
        placed: Array = centre + scale * (at - 0.5 * (low + high)) * (1.0, -1.0)
        return placed

    drawn = []
    for number, pose in enumerate(poses):
        moving = [part for part in pose.points if part not in pose.held]
        for part in [*(pose.held if number == 0 else ()), *moving]:
            kind = "held" if part in pose.held else f"pose e{number}"
            drawn += _part(px(pose.points[part]), kind, part, words[number])
    title = escape(" and ".join(words))
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {height:.0f}" role="img" aria-labelledby="{name}">'
        f'<title id="{name}">{title}</title>' + "".join(drawn) + "</svg>\n"
    )


def _part(at: Array, kind: str, part: str, words: str) -> list[str]:
    """A bar between two places, a plate around more, and a pin at each."""
    told = f"<title>{escape(part)}, {escape(words)}</title>"
    pins = [outlines.circle(pin, 0.4 * UNIT) for pin in at]
    return [
        f'<path class="{kind}" d="{outlines.rounded(at, UNIT)}">{told}</path>',
        f'<path class="pin" d="{"".join(pins)}"/>',
    ]

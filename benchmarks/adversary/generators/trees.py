"""Trees: every part hangs by one mate of any kind on an earlier one; solvable from any start."""

from __future__ import annotations

import numpy as np

from ..draft import Draft, Rng
from ..verdict import Verdict, solvable
from .drawing import grounds, tie, with_coordinates

STARTS = ((4.0, 4.0), (30.0, 30.0), (100.0, 180.0))
"""Shifts (mm) and turns (degrees) of the starts."""


def tree(draw: Rng, flat: bool) -> Draft:
    """Two to eight parts where they hold."""
    count = int(draw.integers(2, 9))
    out = grounds(draw, count, flat)
    for k in range(1, count):
        own, other = f"part {k}", f"part {draw.integers(k)}"
        third = f"part {draw.integers(k)}"
        pair = (other, own) if draw.random() < 0.7 else (own, other)
        tie(out, draw, (*pair, third), flat)
    with_coordinates(out, draw, int(draw.integers(3)), 0.4)
    return out


def drawn(seed: int) -> tuple[str, Draft]:
    """The tree of a number, at its start."""
    draw = np.random.default_rng([seed, 1])
    flat = bool(draw.random() < 0.4)
    out = tree(draw, flat)
    start = int(draw.integers(len(STARTS)))
    out.disturb(draw, *STARTS[start])
    return f"{'flat' if flat else 'in space'}, start {STARTS[start][1]:g} deg", out


def case(seed: int) -> Verdict:
    """Solve and judge the tree of a number."""
    return solvable(*drawn(seed))

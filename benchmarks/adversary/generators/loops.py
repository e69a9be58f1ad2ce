"""Loops: parts at poses that are chosen first, and more mates made true there than a tree has."""

from __future__ import annotations

import numpy as np

from ..draft import Draft, Rng
from ..verdict import Verdict, solvable
from .drawing import grounds, tie, with_coordinates
from .mates import EVERY, MAKERS

STARTS = ((1.0, 1.0), (4.0, 4.0), (12.0, 12.0))
"""Shifts (mm) and turns (degrees) of the starts: a loop closes in the mode that is near."""

HINGES = {k: MAKERS[k] for k in ("revolute", "prismatic", "coaxial", "coplanar", "cylindrical")}
FAMILIES = {"any": EVERY, "joints": HINGES, "basic": MAKERS}


def loops(draw: Rng, flat: bool, kinds: str) -> Draft:
    """Three to seven parts in a tree, and one to five mates more, redundant ones among them."""
    count, more = int(draw.integers(3, 8)), int(draw.integers(1, 6))
    out = grounds(draw, count, flat)
    pairs = [(int(draw.integers(k)), k) for k in range(1, count)]
    pairs += [tuple(draw.choice(count, 2, replace=False).tolist()) for _ in range(more)]
    for i, j in pairs:
        third = int(draw.integers(count))
        while third in (i, j) and count > 3:
            third = int(draw.integers(count))
        names = (f"part {i}", f"part {j}", f"part {i if third == j else third}")
        tie(out, draw, names, flat, FAMILIES[kinds])
    with_coordinates(out, draw, int(draw.random() < 0.3), 0.15, stated=True)
    return out


def drawn(seed: int) -> tuple[str, Draft]:
    """The loops of a number, at their start."""
    draw = np.random.default_rng([seed, 2])
    flat, kinds = bool(draw.random() < 0.5), str(draw.choice(list(FAMILIES)))
    out = loops(draw, flat, kinds)
    start = int(draw.choice(len(STARTS), p=[0.4, 0.4, 0.2]))
    out.disturb(draw, *STARTS[start])
    return f"{kinds}, {'flat' if flat else 'in space'}, start {STARTS[start][1]:g} deg", out


def case(seed: int) -> Verdict:
    """Solve and judge the loops of a number."""
    return solvable(*drawn(seed))

"""The generic loops from which others are followed, and in how many ways each closes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...foundations.types import Complexes
from .loop_paths import LoopJoints, Loops
from .loop_structure import Structure, loops_of

LOOP_STARTS = Path(__file__).with_name("loop_starts.npz")
"""Generic joints of each family, and all their closures."""


class Family(NamedTuple):
    """The name of a family in the file, and its number of closures in complex numbers."""

    name: str
    roots: int


class GenericLoops(NamedTuple):
    """The joints of generic loops, and all their closures, (roots, 2 joints)."""

    loops: Loops
    joints: LoopJoints
    solutions: Complexes


FAMILIES: dict[tuple[str, Structure], Family] = {
    ("space", ((0, 0, 6),)): Family("six hinges", 16),
    ("sphere", ((0, 0, 3),)): Family("spherical dyad", 2),
    ("sphere", ((0, 1, 2),) * 3): Family("spherical triad", 8),
    ("plane", ((0, 1, 2),) * 3): Family("planar triad", 6),
    ("plane", ((0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 2, 2), (1, 3, 2), (2, 3, 2))): Family(
        "planar, three loops, a", 14
    ),
    ("plane", ((0, 1, 1), (0, 2, 1), (0, 3, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2))): Family(
        "planar, three loops, b", 16
    ),
    ("plane", ((0, 1, 1), (0, 2, 2), (0, 2, 2), (1, 2, 2), (1, 2, 2))): Family(
        "planar, three loops, c", 18
    ),
}
"""Where there are as many joints as one loop in space, two on a sphere or three in a plane ask for.

The numbers are those that monodromy finds.  Those in a plane are confirmed by `trace_defect`, with
which the file is written; on a sphere there are no more, for links are quadrics in the parameters
of a rotation, of which three meet in 8 points; the 16 are published (docs/modes.md).
"""


@cache
def generic_member(kind: str, structure: Structure) -> GenericLoops | None:
    """The generic loops of a structure; None of one that is not kept."""
    family = FAMILIES.get((kind, structure))
    if family is None:
        return None
    with np.load(LOOP_STARTS) as stored:
        joints, solutions = (stored[f"{family.name} {what}"] for what in ("joints", "solutions"))
    return GenericLoops(loops_of(kind, structure), LoopJoints(*joints), solutions)

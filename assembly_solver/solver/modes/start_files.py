"""The files of generic loops and platforms with all their closures.  They are written by

python -m assembly_solver.solver.modes.start_files
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Complexes
from .loop_starts import LOOP_STARTS, name_of
from .loop_structure import Structure, links_of, loops_of, ordered
from .monodromy import generic_distances, generic_hinges, generic_loops, loop_trace_defect
from .platform_poses import PLATFORM_STARTS
from .trusses import trusses
from .turn_paths import TurnLoops

ROOTS = 40
"""Number of poses by six distances.  Source: F. Ronga and T. Vust, Stewart platforms without
computer?, 1995."""

ROOTS_OF_LOOPS = {
    ("space", ((0, 0, 6),)): 16,
    ("sphere", ((0, 0, 3),)): 2,
    ("sphere", ((0, 1, 2),) * 3): 8,
}
"""Numbers of closures of loops in space and on a sphere.

The 16 are published (docs/modes.md); on a sphere links are quadrics in the parameters of a
rotation, of which three meet in 8 points.
"""

THREE_CIRCLES = ("RS", "RS", "RS")
"""A link on three legs of a hinge and a ball each: points on circles at given distances.

In tan of half the angles these are three equations of degree 2 in two of three unknowns each, that
have at most 16 solutions: the coefficient of abc in (2a + 2b)(2b + 2c)(2c + 2a).
"""

LEGS = (
    THREE_CIRCLES,
    ("S", "D", "D", "D"),
    ("U", "D", "D"),
    ("C", "D", "D"),
    ("RR", "D", "D"),
    ("RS", "RS", "D", "D"),
    ("RS", "D", "D", "D", "D"),
    ("S", "RS", "D"),
    ("E", "D", "D", "D"),
    ("E", "RS", "D"),
    ("UR", "D", "D", "D"),
    ("UR", "RS", "D"),
    ("RRR", "D", "D", "D"),
    ("RRR", "RS", "D"),
    ("RRS", "RS", "RS", "D"),
)
"""Legs between two links of which the closures are kept, by the letters of their joints."""

ROCKERS = (((0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1)), "DDRDRR")
"""Three links, each on a hinge, with a distance between each two of them."""

KEPT_LOOPS = 4
"""Loops in a plane up to which all structures are kept: those of five would be 2 MB."""


def of_legs(legs: tuple[str, ...]) -> tuple[Structure, str]:
    """The structure of legs between two links, and the letters of its joints."""
    order = ordered(links_of(tuple((0, 1, len(leg)) for leg in legs)), "".join(legs))
    assert order is not None
    return order.structure, order.kinds


def write_starts() -> None:
    """Write the files of start systems."""
    out: dict[str, Any] = {}
    parameters, found = generic_distances(seed=1)
    assert len(found) == ROOTS
    np.savez_compressed(PLATFORM_STARTS, parameters=parameters, solutions=found)
    for (kind, structure), roots in ROOTS_OF_LOOPS.items():
        joints, found = generic_loops(loops_of(kind, structure), seed=1)
        assert len(found) == roots
        name = name_of(kind, structure)
        out[f"{name} joints"], out[f"{name} closures"] = np.array(joints[:2]), _single(found)
    for order in (*map(of_legs, LEGS), ROCKERS):
        loops, name = loops_of("space", *order), name_of("space", *order)
        joints, found = generic_loops(loops, seed=1)
        if not loops.bars:
            assert len(found) == 16
        else:
            assert loop_trace_defect(loops, joints, found) <= AGREEMENT
        single = loops.width == 2
        out[f"{name} joints"], out[f"{name} bars"] = np.array(joints[:2]), joints.bars
        out[f"{name} closures"] = _single(found) if single else found.astype(np.complex64)
    for structure in (s for loops in range(2, KEPT_LOOPS + 1) for s in trusses(loops)):
        name = name_of("plane", structure)
        places, found = generic_hinges(TurnLoops.of(structure), seed=1)
        out[f"{name} joints"], out[f"{name} closures"] = places, _single(found)
    np.savez_compressed(LOOP_STARTS, **out)


def _single(points: Complexes) -> Any:
    """The ratios of pairs of coordinates, in few digits."""
    return (points[:, 0::2] / points[:, 1::2]).astype(np.complex64)


if __name__ == "__main__":
    write_starts()

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
from .monodromy import (
    generic_arcs,
    generic_distances,
    generic_hinges,
    generic_loops,
    loop_trace_defect,
)
from .platform_poses import PLATFORM_STARTS
from .trusses import trusses
from .turn_paths import TurnLoops

ROOTS = 40
"""Number of poses by six distances.  Source: B. Mourrain, The 40 "generic" positions of a parallel
robot (abstract)."""

RINGS = ("space", 6, 16), ("sphere", 3, 2)
"""Hinges of one loop, and its closures: in space the number is published (docs/modes.md)."""

TWO_DYADS = ((0, 1, 1), (0, 1, 2), (0, 1, 3))
"""Two loops of which one closes alone: those of six links with a driven one next to the frame."""

KEPT_ON_SPHERE = 3
"""Loops on a sphere up to which those are kept of which none closes before the others."""

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
    for kind, hinges, roots in RINGS:
        structure: Structure = ((0, 0, hinges),)
        joints, found = generic_loops(loops_of(kind, structure), seed=1)
        assert len(found) == roots
        name = name_of(kind, structure)
        out[f"{name} joints"], out[f"{name} closures"] = np.array(joints[:2]), _single(found)
    out |= on_sphere()
    for order in (*map(of_legs, LEGS), ROCKERS):
        loops, name = loops_of("space", *order), name_of("space", *order)
        joints, found = generic_loops(loops, seed=1)
        if not loops.bars:
            assert len(found) == 16
        else:
            assert loop_trace_defect(loops, joints, found, order[0]) <= AGREEMENT
        single = loops.width == 2
        out[f"{name} joints"], out[f"{name} bars"] = np.array(joints[:2]), joints.bars
        out[f"{name} closures"] = _single(found) if single else found.astype(np.complex64)
    for structure in (s for loops in range(2, KEPT_LOOPS + 1) for s in trusses(loops)):
        name = name_of("plane", structure)
        places, found = generic_hinges(TurnLoops.of(structure), seed=1)
        out[f"{name} joints"], out[f"{name} closures"] = places, _single(found)
    np.savez_compressed(LOOP_STARTS, **out)


def on_sphere() -> dict[str, Any]:
    """What is kept of several loops on a sphere."""
    out: dict[str, Any] = {}
    whole = (s for loops in range(2, KEPT_ON_SPHERE + 1) for s in trusses(loops))
    for structure in (TWO_DYADS, *whole):
        name = name_of("sphere", structure)
        joints, found = generic_arcs(structure)
        out[f"{name} joints"], out[f"{name} closures"] = np.array(joints[:2]), _single(found)
    return out


def _single(points: Complexes) -> Any:
    """The ratios of pairs of coordinates, in few digits."""
    return (points[:, 0::2] / points[:, 1::2]).astype(np.complex64)


if __name__ == "__main__":
    write_starts()

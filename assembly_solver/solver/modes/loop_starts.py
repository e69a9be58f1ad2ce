"""The generic loops from which others are followed, and in how many ways each closes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...foundations.types import Complexes
from .homotopy import unit
from .loop_paths import LoopJoints, Loops
from .loop_structure import Structure, loops_of
from .turn_paths import TurnLoops, hinge_joints, hinge_points

LOOP_STARTS = Path(__file__).with_name("loop_starts.npz")
"""Generic joints of each structure that is kept, and all its closures.

Those of planar loops are confirmed by the trace test, with which the file is written
(`monodromy`), those of others by published numbers.
"""


class GenericLoops(NamedTuple):
    """The joints of generic loops, and all their closures, (roots, 2 joints)."""

    loops: Loops
    joints: LoopJoints
    solutions: Complexes


def name_of(kind: str, structure: Structure) -> str:
    """The name of loops in the file: as "plane 0-1-2 0-1-2 0-1-2"."""
    return " ".join([kind, *("-".join(map(str, chain)) for chain in structure)])


class Kept(NamedTuple):
    """What the file has of a structure.

    Attributes:
        joints: G and L of each joint, (2, joints, 8); of hinges in a plane their places x + i y and
            x - i y on both links, (2, hinges, 2).
        closures: the ratio c / s of each joint, (roots, joints), in few digits: the first step
            along a path has all again.  Of hinges in a plane the turns of the links but the first.
    """

    joints: Complexes
    closures: Complexes


def kept(kind: str, structure: Structure) -> Kept | None:
    """What the file has of a structure; None of one that is not kept."""
    name = name_of(kind, structure)
    with np.load(LOOP_STARTS) as stored:
        if f"{name} joints" not in stored:
            return None
        return Kept(stored[f"{name} joints"], stored[f"{name} closures"].astype(complex))


@cache
def generic_member(kind: str, structure: Structure) -> GenericLoops | None:
    """The generic loops of a structure; None of one that is not kept."""
    own = kept(kind, structure)
    if own is None:
        return None
    loops = loops_of(kind, structure)
    if kind == "plane":
        points = hinge_points(TurnLoops.of(structure), own.closures)
        return GenericLoops(loops, hinge_joints(own.joints), unit(points, 2))
    return GenericLoops(loops, LoopJoints(*own.joints), unit(with_ones(own.closures), 2))


def with_ones(ratios: Complexes) -> Complexes:
    """Ratios of pairs of coordinates, (m, n), as pairs, (m, 2 n)."""
    return np.stack([ratios, np.ones_like(ratios)], axis=2).reshape(len(ratios), -1)

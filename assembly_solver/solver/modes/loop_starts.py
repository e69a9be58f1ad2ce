"""The generic loops from which others are followed, and in how many ways each closes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import UNWATCHED, unit
from ...foundations.types import Complexes
from ...foundations.watch import Watch
from .loop_factors import LoopJoints, Loops
from .loop_structure import TURN, Structure, loops_of
from .monodromy import generic_arcs, generic_hinges
from .turn_paths import TurnLoops, hinge_joints, hinge_points

LOOP_STARTS = Path(__file__).with_name("loop_starts.npz")
"""Generic joints of each structure that is kept, and all its closures.

As many as `closure_count` tells of planar loops, published numbers of single ones, and of those
with distances and of several on a sphere the trace test, all while the file is written
(`start_files`).
"""


class GenericLoops(NamedTuple):
    """The joints of generic loops, and all their closures, (roots, 2 joints)."""

    loops: Loops
    joints: LoopJoints
    solutions: Complexes


def name_of(kind: str, structure: Structure, kinds: str = "") -> str:
    """The name of loops in the file: as "space 0-1-2 0-1-2 0-1-2 RSRSRS"; turns have no letters."""
    chains, letters = ("-".join(map(str, chain)) for chain in structure), kinds.strip(TURN)
    return " ".join([kind, *chains, *([kinds] if letters else [])])


class Kept(NamedTuple):
    """What the file has of a structure.

    Attributes:
        joints: G and L of each factor, (2, factors, 8); of hinges in a plane their places x + i y
            and x - i y on both links, (2, hinges, 2).
        closures: the ratio c / s of each joint, (roots, joints), in few digits: the first step
            along a path has all again.  Of hinges in a plane the turns of the links but the first;
            with balls all coordinates of the factors.
        bars: the distances.
    """

    joints: Complexes
    closures: Complexes
    bars: Complexes


def kept(kind: str, structure: Structure, kinds: str = "") -> Kept | None:
    """What the file has of a structure; None of one that is not kept."""
    name = name_of(kind, structure, kinds)
    with np.load(LOOP_STARTS) as stored:
        if f"{name} joints" not in stored:
            return None
        bars = stored[f"{name} bars"] if f"{name} bars" in stored else np.zeros((0, 7), complex)
        closures = stored[f"{name} closures"].astype(complex)
        return Kept(stored[f"{name} joints"], closures, bars)


_SEARCHED: dict[tuple[str, Structure], GenericLoops | None] = {}
"""Loops in a plane and on a sphere that are not in the file: searched when first asked for."""


def generic_member(
    kind: str, structure: Structure, kinds: str = "", watch: Watch = UNWATCHED
) -> GenericLoops | None:
    """The generic loops of a structure; None of one of which not all closures are known.

    Raises:
        Stopped: the watch interrupted it.
    """
    own, name = _from_file(kind, structure, kinds), (kind, structure)
    if own is not None or kind == "space":
        return own
    if name not in _SEARCHED:
        try:
            _SEARCHED[name] = _searched(kind, structure, watch)
        except RuntimeError:
            _SEARCHED[name] = None
    return _SEARCHED[name]


def _searched(kind: str, structure: Structure, watch: Watch) -> GenericLoops:
    if kind == "sphere":
        return GenericLoops(loops_of(kind, structure), *generic_arcs(structure, watch))
    places, points = generic_hinges(TurnLoops.of(structure), 1, watch)
    return _hinged(structure, places, points[:, 0::2] / points[:, 1::2])


@cache
def _from_file(kind: str, structure: Structure, kinds: str) -> GenericLoops | None:
    """The generic loops of a structure that is kept; None of another one."""
    own, loops = kept(kind, structure, kinds), loops_of(kind, structure, kinds)
    if own is None:
        return None
    if kind == "plane":
        return _hinged(structure, own.joints, own.closures)
    points = own.closures if loops.width > 2 else with_ones(own.closures)
    return GenericLoops(
        loops, LoopJoints(own.joints[0], own.joints[1], own.bars), unit(points, loops.width)
    )


def _hinged(structure: Structure, places: Complexes, turns: Complexes) -> GenericLoops:
    """Planar loops by the places of their hinges and the turns of their links but the first."""
    points = unit(hinge_points(TurnLoops.of(structure), turns), 2)
    return GenericLoops(loops_of("plane", structure), hinge_joints(places), points)


def with_ones(ratios: Complexes) -> Complexes:
    """Ratios of pairs of coordinates, (m, n), as pairs, (m, 2 n)."""
    return np.stack([ratios, np.ones_like(ratios)], axis=2).reshape(len(ratios), -1)

"""Six distances of two bodies that no pose has: of all complex solutions none is real."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...solver.modes.platform_poses import platform_poses
from .rigid_places import Places
from .stated_facts import Facts, OwnVector, Stated

LEGS = 6
"""Distances that hold a body in space."""

CLEAR = 4.0
"""Imaginary parts over the root of what the margin is of the lengths: a real solution appears in
pairs, of which the imaginary part is that root."""


@dataclass(frozen=True)
class NoRealProof:
    """Distances of two bodies by `constraints`: the number of complex solutions, none real."""

    complex: int
    constraints: tuple[int, ...]


def no_real_pose(facts: Facts, places: Places, margin: float) -> NoRealProof | None:
    """A proof by a complete count of the poses of two bodies.

    Args:
        margin: by how much lengths may be off, mm.
    """
    between: dict[tuple[int, int], list[Stated]] = {}
    for d in facts.distances:
        one, other = sorted((places.body[d.a.part], places.body[d.b.part]))
        if one != other:
            between.setdefault((one, other), []).append(d)
    for (one, _), legs in between.items():
        if len(legs) < LEGS:
            continue
        legs = legs[:LEGS]
        ends = [(d.a, d.b) if places.body[d.a.part] == one else (d.b, d.a) for d in legs]
        own, others = (np.array([_at(places, e[k]) for e in ends]) for k in (0, 1))
        lengths = np.array([d.value for d in legs])
        found = platform_poses(own, others, lengths)
        clear = found.regular and found.apart > CLEAR * sqrt(margin / float(lengths.max()))
        if found.complete and found.complex and not len(found.motions) and clear:
            return NoRealProof(found.complex, tuple(sorted(d.constraint for d in legs)))
    return None


def _at(places: Places, spot: OwnVector) -> list[float]:
    at: list[float] = places.at(spot).tolist()
    return at

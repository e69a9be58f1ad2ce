"""Which pairs of parts a motion is watched for contact of, and which are left out, and why."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from ...model.assembly import Assembly
from ...model.contact import ContactPairs, Pair
from ...model.mates.couplings import Coupling

MATED, NO_GEOMETRY, RIGID = "a mate joins them", "no geometry", "they are one rigid body"


class WatchedPairs(NamedTuple):
    """The watched pairs of parts, and those that are not, with the reason."""

    pairs: tuple[Pair, ...]
    left_out: Mapping[Pair, str]


def watched_pairs(assembly: Assembly, solid: set[str], rigid: Mapping[str, int]) -> WatchedPairs:
    """The pairs of an assembly that are watched.

    Args:
        solid: parts with geometry; rigid: number of the rigid body of each part.
    """
    settings = assembly.contact or ContactPairs()
    mated = {
        frozenset((h.mate.a.part, h.mate.b.part))
        for h in assembly.held.values()
        if not isinstance(h.mate, Coupling)
    }
    pairs: list[Pair] = []
    left_out: dict[Pair, str] = {}
    everything = isinstance(settings.pairs, str)
    for a, b in combinations(assembly.parts, 2):
        if not settings.watches(a, b):
            continue
        if rigid[a] == rigid[b] or not {a, b} <= solid:
            if not everything:
                left_out[a, b] = NO_GEOMETRY if rigid[a] != rigid[b] else RIGID
        elif everything and frozenset((a, b)) in mated:
            left_out[a, b] = MATED
        else:
            pairs.append((a, b))
    return WatchedPairs(tuple(pairs), left_out)

"""Contradictions in words: who contradicts whom, with both numbers, and what would help."""

from __future__ import annotations

from ..conflicts import Conflict
from .plain import listed, short


def conflict_fact(c: Conflict) -> str:
    """Who contradicts whom, with the numbers of both sides."""
    names = listed(list(c.promises))
    off = f"({short(c.gap)} mm off)"
    if len(c.promises) == 1:
        return f"{names} cannot hold where its parts are held {off}"
    if c.spacing is not None:
        s = c.spacing
        why = (
            f"their features are {s.here:.6g} mm apart on {s.part} "
            f"and {s.there:.6g} mm apart on {s.other}"
        )
    else:
        left = f"the others leave {c.found:.6g} {c.unit} at best"
        why = f"{c.told} asks {c.asked:.6g} {c.unit}, {left}"
    return f"{names} cannot hold together: {why} {off}"


def conflict_words(c: Conflict) -> str:
    """A contradiction as a colleague would say it, with what would help."""
    ways = [f"a tolerance of {short(1.001 * c.accepting)} mm would accept it"]
    if not c.irreducible:
        ways.insert(0, "the set may be smaller")
    elif len(c.promises) > 1:
        ways.insert(0, "dropping any one of them solves it")
    return "; ".join([conflict_fact(c), *ways])

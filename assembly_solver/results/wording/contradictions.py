"""Contradictions in words: who contradicts whom, with both numbers, and what would help."""

from __future__ import annotations

from math import isclose
from typing import Any

import numpy as np

from ...diagnosis.conflicts import Allowed, Conflict
from ...diagnosis.remedies import Change, Move, Remedy
from .plain import listed, short, tidy


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
        why = f"{_asks(c)}, {_left(c)}"
    return f"{names} cannot hold together: {why} {off}"


def _asks(c: Conflict) -> str:
    """What the one that is told of asks."""
    own = [x for x in c.allowed if x.promise == c.told]
    return _allows(own[0]) if own else f"{c.told} asks {c.asked:.6g} {c.unit}"


def _allows(x: Allowed) -> str:
    side = "most" if x.stop.upper else "least"
    return f"{x.promise} allows {x.stop.value:.6g} {x.unit} at {side}"


def _left(c: Conflict) -> str:
    """What the others leave it: the bound of a limit where it is just that."""
    others = [x for x in c.allowed if x.promise != c.told]
    same = [x for x in others if x.unit == c.unit and isclose(x.stop.value, c.found, abs_tol=1e-6)]
    if same:
        return _allows(same[0])
    at = [f"{x.promise} at its {'max' if x.stop.upper else 'min'}" for x in others]
    where = f" with {listed(at)}" if at else ""
    return f"the others leave {c.found:.6g} {c.unit} at best{where}"


def conflict(c: Conflict, r: Remedy) -> dict[str, Any]:
    """A contradiction as the result object tells it, with what resolves it."""
    fact, ways = conflict_fact(c), _ways(c, r)
    return {
        "mates": list(c.promises),
        "asked": c.asked,
        "found": c.found,
        "unit": c.unit,
        "gap_mm": c.gap,
        "irreducible": c.irreducible,
        "accepting_mm": r.accepting,
        "drop": list(r.drop),
        "change": None if r.change is None else _change(r.change),
        "move": None if r.move is None else _move(r.move),
        "fact": fact,
        "ways": ways,
        "words": "; ".join([fact, *ways]),
    }


def _ways(c: Conflict, r: Remedy) -> list[str]:
    """What would help, the least change first."""
    ways = ["the set may be smaller"] if not c.irreducible else []
    if r.change:
        ways.append(f"{_change(r.change)['words']} solves it")
    if r.move:
        ways.append(f"{_move(r.move)['words']} solves it")
    if len(c.promises) > 1:
        ways.append(_drop_words(c, r))
    ways.append(f"a tolerance of {short(1.001 * r.accepting)} mm would accept it")
    return ways


def _change(change: Change) -> dict[str, Any]:
    """A new value of one mate or driver."""
    what = "" if change.parameter == "value" else f"the {change.parameter} of "
    words = f"changing {what}{change.promise} from {change.before:.9g} to {change.after:.9g}"
    return {
        "mate": change.promise,
        "parameter": change.parameter,
        "from": change.before,
        "to": change.after,
        "unit": change.unit,
        "words": f"{words} {change.unit}",
    }


def _move(move: Move) -> dict[str, Any]:
    """A feature that would have to be elsewhere on its part."""
    way = ", ".join(f"{v:.4g}" for v in tidy(np.array(move.along), 1e-6))
    words = f"moving {move.feature} of {move.part} by {move.by:.6g} mm along ({way})"
    return {
        "feature": f"{move.part}.{move.feature}",
        "by_mm": move.by,
        "along": list(move.along),
        "words": f"{words} in its coordinates",
    }


def _drop_words(c: Conflict, r: Remedy) -> str:
    """Which members can be left out."""
    if len(r.drop) == len(c.promises):
        return "dropping any one of them solves it"
    if r.drop:
        names = listed(list(r.drop)).replace(" and ", " or ")
        return f"dropping {names} solves it, dropping another does not"
    return "dropping one of them is not enough, the rest contradicts itself as well"

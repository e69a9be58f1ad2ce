"""Contradictions and their remedies in words."""

from __future__ import annotations

from dataclasses import replace
from math import degrees, isclose
from typing import Any

import numpy as np

from ...diagnosis.conflicts import Conflict, ReachedLimit
from ...diagnosis.proof.impossible import Impossible, impossible
from ...diagnosis.proof.no_closing import MOST_BOXES, ClosureProof
from ...diagnosis.proof.no_real_pose import NoRealProof
from ...diagnosis.proof.rigid_places import LinearProof
from ...diagnosis.remedies import FeatureMove, Remedy, SenseTurn, ValueChange
from ...diagnosis.subsets import constraint_names, subset
from ...foundations.numerics.rounding import DIGITS
from ...model.assembly import Assembly
from .phrases import apart, constraint_words, count, exactly, listed, numbers, short


def proof_of(c: Conflict, assembly: Assembly) -> Impossible | None:
    """A proof that the constraints of a contradiction hold at no poses, if one is found."""
    every = constraint_names(assembly)
    members = [every.index(name) for name in c.constraints]
    return impossible(subset(assembly, members), MOST_BOXES)


def because(found: Impossible) -> str:
    """What a proof shows, in words."""
    proof = found.proof
    senses = ", whatever sense mates take" if found.senses > 1 else ""
    if isinstance(proof, LinearProof):
        left = (
            f"{short(proof.off)} mm" if proof.angle is None else f"{degrees(proof.angle):.4g} deg"
        )
        return f"{left} are left over whatever the poses are{senses}"
    if isinstance(proof, NoRealProof):
        return f"of all {proof.complex} solutions in complex numbers none is real{senses}"
    if isinstance(proof, ClosureProof):
        told = count(proof.unknowns, "joint coordinate")
        return f"of {proof.boxes} boxes that cover all values of {told} none lets it close{senses}"
    if proof.directions:
        reach, asked = apart(degrees(proof.reach), degrees(proof.asked))
        return f"the directions allow {reach} deg at most, {asked} deg are asked{senses}"
    reach, asked = apart(proof.reach, proof.asked)
    return f"the links reach {reach} mm at most, {asked} mm are asked{senses}"


def conflict_fact(conflict: Conflict, assembly: Assembly, proved: bool) -> str:
    """Which constraints contradict each other, with the values of both sides.

    Args:
        proved: whether that is; else it is said that no solution was found.
    """
    c = _told(conflict, assembly)
    limited = {f"limit {name}": x.words for name, x in assembly.limits.items() if x.words != name}
    given = zip(c.constraints, conflict.constraints, strict=True)
    names = listed([f"{told} ({limited[k]})" if k in limited else told for told, k in given])
    off = f"({short(c.gap)} mm off)"
    if len(c.constraints) == 1:
        why = f" {off}"
    elif c.spacing is not None:
        s = c.spacing
        here, there = apart(s.here, s.there)
        here, there = f"{here} mm apart on {s.part}", f"{there} mm apart on {s.other}"
        why = f": their features are {here} and {there} {off}"
    else:
        why = f": {_values(c)} {off}"
    if c.noise is not None:
        return f"{names} disagree by noise, a tolerance of {c.noise:.4g} mm accepts it{why}"
    where = "where its parts are held" if len(c.constraints) == 1 else "together"
    if proved:
        return f"{names} cannot hold {where}{why}"
    return f"no solution was found that holds {names} {where}{why}"


def _told(c: Conflict, assembly: Assembly) -> Conflict:
    """The contradiction with the names of its constraints in words."""
    limits, stops = (
        tuple(x._replace(constraint=constraint_words(x.constraint, assembly)) for x in found)
        for found in (c.limits, c.stops)
    )
    names = tuple(constraint_words(name, assembly) for name in c.constraints)
    reported = constraint_words(c.reported, assembly)
    return replace(c, constraints=names, reported=reported, limits=limits, stops=stops)


def _told_remedy(r: Remedy, assembly: Assembly) -> Remedy:
    """The remedy with the names of its constraints in words."""
    change, turn = r.change, r.turn
    if change is not None:
        change = change._replace(constraint=constraint_words(change.constraint, assembly))
    if turn is not None:
        turn = turn._replace(mate=constraint_words(turn.mate, assembly))
    drop = tuple(constraint_words(name, assembly) for name in r.drop)
    return replace(r, drop=drop, change=change, turn=turn)


def _values(c: Conflict) -> str:
    """The required value of the reported constraint, and the closest one the others allow."""
    required, actual = apart(c.required, c.actual)
    what = f"{c.reported} asks {required} {c.unit}"
    for x in c.limits:
        if x.constraint == c.reported:
            what = _limit_words(x)
    others = [x for x in (*c.limits, *c.stops) if x.constraint != c.reported]
    for x in others:
        if not c.stops and x.unit == c.unit and isclose(x.bound.value, c.actual, abs_tol=DIGITS):
            return f"{what}, {_limit_words(x)}"
    at = [f"{x.constraint} at its {'max' if x.bound.upper else 'min'}" for x in others]
    where = f" with {listed(at)}" if at else ""
    best = f"{' at best' if c.closest else ''}{', tilted' if c.tilted else ''}"
    return f"{what}, the others leave {actual} {c.unit}{best}{where}"


def _limit_words(x: ReachedLimit) -> str:
    side = "most" if x.bound.upper else "least"
    return f"{x.constraint} allows {x.bound.value:.6g} {x.unit} at {side}"


def conflict_entry(
    c: Conflict, remedy: Remedy | None, proof: Impossible | None, assembly: Assembly
) -> dict[str, Any]:
    """The entry of `conflicts` in the result object: a contradiction, its proof and its remedy,
    if found."""
    r = remedy or Remedy((), None, None, None, None)
    told = None if remedy is None else _told_remedy(remedy, assembly)
    fact, options = conflict_fact(c, assembly, proof is not None), _options(c, told)
    return {
        "mates": list(c.constraints),
        "asked": round(c.required, 12),  # degrees come back from radians
        "found": c.actual,
        "unit": c.unit,
        "gap_mm": c.gap,
        "irreducible": c.irreducible,
        "proved": proof is not None,
        "because": None if proof is None else because(proof),
        "accepting_mm": r.accepting,
        "drop": list(r.drop),
        "change": None if r.change is None else _change(r.change),
        "move": None if r.move is None else _move(r.move),
        "turn": None if r.turn is None else _turn(r.turn),
        "fact": fact,
        "ways": options,
        "words": "; ".join([fact, *options]),
    }


def _options(c: Conflict, r: Remedy | None) -> list[str]:
    """The remedies in words, the smallest change first."""
    out = ["the set may be smaller"] if not c.irreducible else []
    if r is None:
        return out
    if r.change:
        out.append(f"{_change(r.change)['words']} solves it")
    if r.turn:
        out.append(f"{_turn(r.turn)['words']} solves it")
    if r.move:
        out.append(f"{_move(r.move)['words']} solves it")
    if len(c.constraints) > 1:
        out.append(_drop_words(c, r))
    if r.accepting is not None and c.noise is None:  # else the fact tells it
        out.append(f"a tolerance of {r.accepting:.4g} mm would accept it")
    return out


def _change(change: ValueChange) -> dict[str, Any]:
    """The new value of one mate or driver; "about" where people read fewer digits than it has."""
    what = "" if change.parameter == "value" else f"the {change.parameter} of "
    before, after = apart(change.before, change.after)
    after = f"{change.after:.6g}" if exactly(change.after) else f"about {after}"
    words = f"changing {what}{change.constraint} from {before} to {after}"
    return {
        "mate": change.constraint,
        "parameter": change.parameter,
        "from": change.before,
        "to": change.after,
        "unit": change.unit,
        "words": f"{words} {change.unit}",
    }


def _turn(turn: SenseTurn) -> dict[str, Any]:
    """The other sense of a mate."""
    words = f"turning the sense of {turn.mate} from {turn.before} to {turn.after}"
    return {"mate": turn.mate, "from": turn.before, "to": turn.after, "words": words}


def _move(move: FeatureMove) -> dict[str, Any]:
    """The displacement of a feature on its part."""
    direction, by = numbers(np.array(move.along)), f"{move.by:.4g}"
    told = float(by) * np.array([float(v) for v in direction.split(", ")])
    about = "" if np.array_equal(told, move.by * np.array(move.along)) else "about "
    words = f"moving {move.feature} of {move.part} by {about}{by} mm along ({direction})"
    return {
        "feature": f"{move.part}.{move.feature}",
        "by_mm": move.by,
        "along": list(move.along),
        "words": f"{words} in its coordinates",
    }


def _drop_words(c: Conflict, r: Remedy) -> str:
    """Which members can be removed."""
    if len(r.drop) == len(c.constraints):
        return "dropping any one of them solves it"
    if r.drop:
        names = listed(list(r.drop)).replace(" and ", " or ")
        return f"dropping {names} solves it, dropping another does not"
    return "dropping one of them is not enough, the rest contradicts itself as well"

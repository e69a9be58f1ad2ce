"""Measures that equations determine one after the other, whatever the poses are.

Equations of one measure give its value.  An equation of several, as of a gear, a thread or a
coupling, gives that of the last one where all others have theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, remainder
from typing import Any, NamedTuple

from ...equations.system import System
from ...equations.table import EquationTable
from ...foundations.numerics.rounding import ROOT
from ...model.measures.measure import ROTATION

Key = tuple[Any, ...]
"""What tells a measure from another one: its kind, its axes and its markers."""


class Known(NamedTuple):
    """The value of a measure, mm or rad, an angle's up to whole turns.

    Attributes:
        loose: how far it moves for each mm that the equations are off, mm or rad a mm.
    """

    value: float
    loose: float


class Term(NamedTuple):
    """A term of an equation; `number` among all terms of a table, `measure` among its measures."""

    number: int
    measure: int
    key: Key
    coefficient: float


def terms_of(t: EquationTable, e: int) -> list[Term]:
    """The terms of an equation."""
    numbers = range(int(t.first_term[e]), int(t.first_term[e + 1]))
    measures = [int(t.term_measure[n]) for n in numbers]
    return [
        Term(n, m, _key(t, m), float(t.coefficient[n]))
        for n, m in zip(numbers, measures, strict=True)
    ]


def known_measures(system: System) -> tuple[dict[Key, Known], dict[int, Term]]:
    """What mates and drivers determine; and of equations of several measures, by number, the term
    to which they give its value."""
    known, last, t = dict[Key, Known](), dict[int, Term](), system.table
    several = list[tuple[int, list[Term], float]]()
    for k in range(system.mates + system.drivers):
        for e in system.rows([k]).tolist():
            terms = terms_of(t, e)
            arm = float(system.reach[k]) if system.angular[e] else 1.0
            if e in system.taken or not all(x.coefficient for x in terms):
                continue
            if len(terms) > 1:
                several.append((e, terms, arm))
                continue
            (x,) = terms
            at = Known(float(t.target[e]) / x.coefficient, 1.0 / (arm * abs(x.coefficient)))
            known.setdefault(x.key, at)
    again = True
    while again:
        again = False
        for e, terms, arm in several:
            left = [x for x in terms if x.key not in known]
            found = _last(t, e, terms, left[0], known, arm) if len(left) == 1 else None
            if found is not None:
                known[left[0].key], last[e], again = found, left[0], True
    return known, last


def _last(
    t: EquationTable, e: int, terms: list[Term], x: Term, known: Mapping[Key, Known], arm: float
) -> Known | None:
    """The one measure of an equation that is not known yet, from the others."""
    rest, loose, period = float(t.target[e]), 1.0 / arm, float(t.period[e])
    if period and not (x.key[0] == ROTATION and _is_turn(x, period)):
        return None
    for other in terms:
        if other is x:
            continue
        value = _with_turns(t, other, known[other.key].value)
        if value is None:
            return None
        rest -= other.coefficient * value
        loose += abs(other.coefficient) * known[other.key].loose
    return Known(rest / x.coefficient, loose / abs(x.coefficient))


def asked_of(t: EquationTable, e: int, known: Mapping[Key, Known]) -> float | None:
    """The sum that an equation asks for, of angles with the turns of their known values.

    None where an angle is not known, or not which turns it has.
    """
    asked, period, terms = float(t.target[e]), float(t.period[e]), terms_of(t, e)
    for x in terms:
        if x.key[0] != ROTATION:
            continue
        if x.key not in known:
            return None
        if not _is_turn(x, period):
            value = _with_turns(t, x, known[x.key].value)
            if value is None:
                return None
            asked -= x.coefficient * (value - known[x.key].value)
    if not period:
        return asked
    if not all(x.key in known for x in terms):
        return None
    at = sum(x.coefficient * known[x.key].value for x in terms)
    return at + remainder(asked - at, period)


def _with_turns(t: EquationTable, x: Term, value: float) -> float | None:
    """A measure as its equation counts it, an angle within half a turn of its reference; None
    where that is half a turn away."""
    if x.key[0] != ROTATION:
        return value
    away = remainder(value - float(t.reference[x.number]), 2 * pi)
    return None if abs(away) > pi - ROOT else float(t.reference[x.number]) + away


def _is_turn(x: Term, period: float) -> bool:
    """Whether an equation holds for any number of turns of a term."""
    return period > 0.0 and abs(2 * pi * abs(x.coefficient) - period) <= ROOT * period


def _key(t: EquationTable, m: int) -> Key:
    ends = [
        (int(t.marker_body[k]), t.marker_frame[k].tobytes())
        for k in (int(t.marker_a[m]), int(t.marker_b[m]))
    ]
    return (int(t.kind[m]), int(t.axis_i[m]), int(t.axis_j[m]), *ends)

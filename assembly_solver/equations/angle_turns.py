"""Whole turns: which of its many values an angle about an axis has in each equation.

A pose does not tell how often a joint has turned.  An equation of one angle holds at any number of
turns.  In one of several coordinates the turns of a joint with a driver are those of its value, and
they are passed on through the couplings and through loops of joints about parallel axes; other
joints start within half a turn of zero, and the last angle whose turns nothing tells may have any
number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array, Ints
from ..model.measures.measure import ROTATION, compose, measure
from .angle_loops import Coordinate, windings
from .table import Table

Relation = tuple[dict[Coordinate, float], float]
"""Coefficients of coordinates (mm, rad), and what their sum is."""

DETERMINED = 1e-9
"""A coordinate that no motion within the relations changes by more follows from them."""


class Turns(NamedTuple):
    """What is known of coordinates at the solution.

    Attributes:
        taken: targets that were taken from the start, by equation, mm or rad.
        known: coordinates that drivers tell, and what follows from them, mm or rad.
    """

    taken: dict[int, float]
    known: dict[Coordinate, float]


def count_turns(
    table: Table, start: Array, taken: Ints, grounded: NDArray[np.bool_], bounded: bool
) -> Turns:
    """Fill the references and periods of a table; take open targets from the start.

    Args:
        table: `reference`, `period` and the targets of `taken` are written.
        start: poses of the parts, (parts, 12); taken: equations whose target is what they give
            there, every angle within half a turn of zero.
        grounded: which parts stand still; bounded: whether limits ask what is known.
    """
    single = np.diff(table.first_term) == 1
    kind = table.kind[table.term_measure]
    for e in np.flatnonzero(single & (kind[table.first_term[:-1]] == ROTATION)).tolist():
        table.period[e] = 2 * pi * abs(table.coefficient[table.first_term[e]])
    several = np.flatnonzero(~single).tolist()
    if not several and not bounded:
        return Turns({}, {})
    values = {_key(table, k): _value(table, start, k) for e in several for k in _terms(table, e)}
    found: dict[int, float] = {}
    for e in taken.tolist():
        terms, _ = _relation(table, e)
        found[e] = table.target[e] = sum(c * values[k] for k, c in terms.items())
    known = _known(table, start, grounded, single)
    for e in several:
        _settle(table, e, known, values)
    return Turns(found, known)


def told_by_others(table: Table, start: Array, grounded: NDArray[np.bool_], e: int) -> float | None:
    """The angle that an equation holds, rad, with its turns as the other equations tell them.

    None where it is no angle or they tell nothing of it.  Arguments as of `count_turns`.
    """
    single = np.diff(table.first_term) == 1
    key = _key(table, int(table.first_term[e]))
    if not single[e] or key[0] != ROTATION:
        return None
    single[e] = False
    return _known(table, start, grounded, single).get(key)


def _known(
    table: Table, start: Array, grounded: NDArray[np.bool_], single: NDArray[np.bool_]
) -> dict[Coordinate, float]:
    """What equations of one measure tell of coordinates, and what follows from these."""
    terms = table.first_term[:-1][single].tolist()
    known = {
        _key(table, k): float(table.target[e] / table.coefficient[k])
        for e, k in zip(np.flatnonzero(single).tolist(), terms, strict=True)
    }
    several = np.flatnonzero(np.diff(table.first_term) > 1).tolist()
    if several:
        used = [*terms, *(k for e in several for k in _terms(table, e))]
        keys = {_key(table, k): k for k in used}
        angles = {key: _value(table, start, k) for key, k in keys.items() if key[0] == ROTATION}
        relations: list[Relation] = [_relation(table, e) for e in several]
        _follow([*relations, *windings(table, start, grounded, angles)], known)
    return known


def _relation(table: Table, e: int) -> Relation:
    terms = {_key(table, k): float(table.coefficient[k]) for k in _terms(table, e)}
    return terms, float(table.target[e])


def _follow(relations: Sequence[Relation], known: dict[Coordinate, float]) -> None:
    """Add the coordinates that follow from the known ones: one by one, then several at once."""
    left = list(relations)
    while left:
        open_ = [[k for k in terms if k not in known] for terms, _ in left]
        one = next((n for n, keys in enumerate(open_) if len(keys) == 1), None)
        if one is None:
            left = [x for x, keys in zip(left, open_, strict=True) if keys]
            if not left or not _together(left, known):
                return
            continue
        terms, total = left.pop(one)
        last = open_[one][0]
        rest = sum(c * known[k] for k, c in terms.items() if k != last)
        known[last] = (total - rest) / terms[last]


def _together(relations: Sequence[Relation], known: dict[Coordinate, float]) -> bool:
    """Add the coordinates that relations tell only together; whether there are any."""
    column: dict[Coordinate, int] = {}
    for terms, _ in relations:
        for k in terms:
            if k not in known:
                column.setdefault(k, len(column))
    matrix, rest = np.zeros((len(relations), len(column))), np.empty(len(relations))
    for n, (terms, total) in enumerate(relations):
        rest[n] = total - sum(c * known[k] for k, c in terms.items() if k in known)
        for k, c in terms.items():
            if k in column:
                matrix[n, column[k]] = c
    size = np.abs(matrix).max(axis=0)  # mm and rad beside each other
    u, s, v = np.linalg.svd(matrix / size)
    rank = int(np.sum(s > DETERMINED * s[0]))
    free = np.linalg.norm(v[rank:], axis=0)
    value = (v[:rank].T / s[:rank]) @ (u[:, :rank].T @ rest) / size
    found = {k: float(value[n]) for k, n in column.items() if free[n] < DETERMINED}
    known.update(found)
    return bool(found)


def _terms(table: Table, e: int) -> range:
    return range(int(table.first_term[e]), int(table.first_term[e + 1]))


def _key(table: Table, k: int) -> Coordinate:
    n = int(table.term_measure[k])
    columns = (table.kind, table.axis_i, table.axis_j, table.marker_a, table.marker_b)
    kind, i, j, a, b = (int(c[n]) for c in columns)
    return kind, i, j, a, b


def _value(table: Table, start: Array, k: int) -> float:
    """What a term's measure is at the start; an angle within half a turn of zero."""
    n = int(table.term_measure[k])
    frame_a, frame_b, w = np.empty(12), np.empty(12), np.empty(6)
    a, b = int(table.marker_a[n]), int(table.marker_b[n])
    compose(start[table.marker_body[a]], table.marker_frame[a], frame_a)
    compose(start[table.marker_body[b]], table.marker_frame[b], frame_b)
    kinds = (table.kind[n], table.axis_i[n], table.axis_j[n])
    return float(measure(*kinds, table.data, frame_a, frame_b, w))


def _settle(
    table: Table, e: int, known: dict[Coordinate, float], values: dict[Coordinate, float]
) -> None:
    """References of the angles of one equation; one that is not known may turn further."""
    for k in _terms(table, e):
        key = _key(table, k)
        table.reference[k] = known.get(key, values[key])
        if key not in known and key[0] == ROTATION:
            table.period[e] = 2 * pi * abs(table.coefficient[k])

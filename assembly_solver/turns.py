"""Whole turns: which of its many values an angle about an axis has in each equation.

A pose does not tell how often a joint has turned.  An equation of one angle holds at any number of
turns.  In one of several coordinates the turns of a joint with a driver are those of its value, and
they are passed on through the couplings; other joints start within half a turn of zero, and the
last angle whose turns nothing tells may have any number of them.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from .kernel import Table
from .model.measure import ROTATION, compose, measure

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

Coordinate = tuple[int, int, int, int, int]
"""A measure as a key: kind, axes, markers."""


def count_turns(table: Table, start: Array, taken: Ints) -> dict[int, float]:
    """Fill the references and periods of a table; take open targets from the start.

    Args:
        table: `reference`, `period` and the targets of `taken` are written.
        start: poses of the parts, (parts, 12); taken: equations whose target is what they give
            there, every angle within half a turn of zero.

    Returns:
        The targets taken, by equation, mm or rad.
    """
    single = np.diff(table.first_term) == 1
    kind = table.kind[table.term_measure]
    for e in np.flatnonzero(single & (kind[table.first_term[:-1]] == ROTATION)).tolist():
        table.period[e] = 2 * pi * abs(table.coefficient[table.first_term[e]])
    several = np.flatnonzero(~single).tolist()
    if not several:
        return {}
    used = [k for e in several for k in _terms(table, e)]
    values = {k: _value(table, start, k) for k in used}
    keys = {k: _key(table, k) for k in used}
    found = {}
    for e in taken.tolist():
        table.target[e] = sum(table.coefficient[k] * values[k] for k in _terms(table, e))
        found[e] = float(table.target[e])
    known: dict[Coordinate, float] = {}
    for e in np.flatnonzero(single).tolist():
        k = int(table.first_term[e])
        known[_key(table, k)] = table.target[e] / table.coefficient[k]
    left = dict.fromkeys(several)
    while left:
        told = [e for e in left if sum(keys[k] not in known for k in _terms(table, e)) < 2]
        for e in told or [next(iter(left))]:
            _settle(table, e, keys, known, values)
            del left[e]
    return found


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
    table: Table,
    e: int,
    keys: dict[int, Coordinate],
    known: dict[Coordinate, float],
    values: dict[int, float],
) -> None:
    """References of the angles of one equation; its only unknown coordinate follows from it."""
    terms = list(_terms(table, e))
    unknown = [k for k in terms if keys[k] not in known]
    angles = [k for k in unknown if table.kind[table.term_measure[k]] == ROTATION]
    for k in terms:
        table.reference[k] = known.get(keys[k], values[k])
    if not unknown:
        return
    last = angles[-1] if angles else unknown[-1]
    if angles:
        table.period[e] = 2 * pi * abs(table.coefficient[last])
    if len(unknown) == 1:
        rest = sum(table.coefficient[k] * table.reference[k] for k in terms if k != last)
        table.reference[last] = (table.target[e] - rest) / table.coefficient[last]
        known[keys[last]] = float(table.reference[last])

"""Whole turns of the angles about axes, which poses do not determine, for each equation.

An equation of a single angle holds for any number of turns.  In an equation of several coordinates
the turns of a driven joint are those of the driver's value; they determine others through couplings
and through loops of joints about parallel axes.  The last angle with undetermined turns may have
any number of them.  Others start within half a turn of zero, or up to `TURNS` away where the
equation holds at that: what holds stays, whatever turns it was reached with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import product
from math import pi

import numpy as np
from numpy.typing import NDArray

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..model.measures.measure import ROTATION, compose, measure
from .angle_loops import Coordinate, Winding, windings
from .table import EquationTable

TURNS = 2
"""A setting: most whole turns, of all angles of an equation together, by which undetermined ones
start away from half a turn about zero.  A solve takes an angle half a turn away from its start at
most, thus one turn away from what its new pose tells.
"""

Relation = tuple[dict[Coordinate, float], float]
"""Coefficients of coordinates (mm, rad), and the value of the sum."""


def count_turns(
    table: EquationTable,
    start: Array,
    taken: Iterable[int],
    grounded: NDArray[np.bool_],
    limits: EquationTable | None,
    tolerance: float,
) -> dict[int, float]:
    """Set the references and periods of a table, and the targets that are measured at the start.

    Args:
        start: poses of the parts, (parts, 12); grounded: which of them do not move.
        taken: equations whose target is their value there, every angle within half a turn of zero
            but those that add up with others around a loop.
        limits: coordinates of limits, whose references are set where drivers determine them.
        tolerance: of what holds, mm.

    Returns:
        Targets that were measured at the start, by equation, mm or rad.
    """
    single = table.first_term[1:] - table.first_term[:-1] == 1
    kind = table.kind[table.term_measure]
    angles = (single & (kind[table.first_term[:-1]] == ROTATION)).nonzero()[0].tolist()
    for e in angles:
        table.period[e] = 2 * pi * abs(table.coefficient[table.first_term[e]])
    several = (~single).nonzero()[0].tolist()
    if not several and limits is None:
        return {}
    keys = dict.fromkeys(coordinate_of(table, k) for e in several for k in _terms(table, e))
    values = {key: _value(table, start, key) for key in keys}
    limited = [] if limits is None else [coordinate_of(limits, k) for k in limits.term_measure]
    told = {coordinate_of(table, int(table.first_term[e])) for e in angles}
    turning = [k for k in limited if told and k[0] == ROTATION and k not in told]
    loops = _loops(table, start, grounded, turning)
    _add_up(table, start, loops, single, values)
    found: dict[int, float] = {}
    for e in map(int, taken):
        terms, _ = _relation(table, e)
        found[e] = table.target[e] = sum(c * values[k] for k, c in terms.items())
    known = _known(table, loops, single)
    for e in several:
        _settle(table, e, known, values, tolerance)
    if limits is not None:
        limits.reference[:] = [known.get(*at) for at in zip(limited, limits.reference, strict=True)]
    return found


def told_by_others(
    table: EquationTable, start: Array, grounded: NDArray[np.bool_], e: int
) -> float | None:
    """The angle that an equation prescribes, rad, with the turns that other equations determine.

    None where it is no angle or they do not determine it.  Arguments as of `count_turns`.
    """
    single = table.first_term[1:] - table.first_term[:-1] == 1
    key = coordinate_of(table, int(table.first_term[e]))
    if not single[e] or key[0] != ROTATION:
        return None
    single[e] = False
    return _known(table, _loops(table, start, grounded), single).get(key)


def _loops(
    table: EquationTable,
    start: Array,
    grounded: NDArray[np.bool_],
    turning: Collection[Coordinate] = (),
) -> list[Winding]:
    """Loops of the angles of a table and of further ones; none where nothing would use them."""
    several = np.diff(table.first_term) > 1
    if not several.any() and not turning:
        return []
    first = [*(~several).nonzero()[0].tolist(), *several.nonzero()[0].tolist()]
    keys = dict.fromkeys(coordinate_of(table, k) for e in first for k in _terms(table, e))
    return windings(table, start, grounded, keys | dict.fromkeys(turning), bool(turning))


def _add_up(
    table: EquationTable,
    start: Array,
    loops: Sequence[Winding],
    single: NDArray[np.bool_],
    values: dict[Coordinate, float],
) -> None:
    """Give angles at the start, each within half a turn, the turns by which their loops add up.

    Loops are eliminated one by one: each gives them to one angle that no driver determines.
    """
    told = {coordinate_of(table, k) for k in table.first_term[:-1][single].tolist()}
    rows: list[tuple[Coordinate, dict[Coordinate, float], int]] = []
    for signs, total in loops:
        here = {k: values.get(k, _value(table, start, k)) for k in signs}
        off = round((total - sum(sign * here[k] for k, sign in signs.items())) / (2 * pi))
        left = {k: sign for k, sign in signs.items() if k not in told}
        for k, row, more in rows:
            share = left.get(k, 0.0) * row[k]
            off -= round(share * more)
            left |= {other: left.get(other, 0.0) - share * c for other, c in row.items()}
        if pivot := next((k for k, sign in left.items() if sign), None):
            rows.append((pivot, left, off))
    turns = dict.fromkeys(values, 0)
    for k, row, off in reversed(rows):
        rest = sum(c * turns.get(other, 0) for other, c in row.items() if other != k)
        turns[k] = round(row[k] * (off - rest))
    for k in values:
        values[k] += 2 * pi * turns[k]


def _known(
    table: EquationTable, loops: Sequence[Winding], single: NDArray[np.bool_]
) -> dict[Coordinate, float]:
    """Coordinates that equations of one measure determine, and those that follow from them."""
    terms = table.first_term[:-1][single].tolist()
    known = {
        coordinate_of(table, k): float(table.target[e] / table.coefficient[k])
        for e, k in zip(single.nonzero()[0].tolist(), terms, strict=True)
    }
    several = (np.diff(table.first_term) > 1).nonzero()[0].tolist()
    if several or loops:
        _follow([*(_relation(table, e) for e in several), *loops], known)
    return known


def _relation(table: EquationTable, e: int) -> Relation:
    terms = {coordinate_of(table, k): float(table.coefficient[k]) for k in _terms(table, e)}
    return terms, float(table.target[e])


def _follow(relations: Sequence[Relation], known: dict[Coordinate, float]) -> None:
    """Add the coordinates that follow from known ones: one by one, then several at once."""
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
    """Add the coordinates that only several relations together determine; whether there are any."""
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
    size = np.abs(matrix).max(axis=0)  # columns in mm and in rad
    u, s, v = np.linalg.svd(matrix / size)
    rank = int(np.sum(s > AGREEMENT * s[0]))
    free = np.linalg.norm(v[rank:], axis=0)
    value = (v[:rank].T / s[:rank]) @ (u[:, :rank].T @ rest) / size
    found = {k: float(value[n]) for k, n in column.items() if free[n] < AGREEMENT}
    known.update(found)
    return bool(found)


def _terms(table: EquationTable, e: int) -> range:
    return range(int(table.first_term[e]), int(table.first_term[e + 1]))


def coordinate_of(table: EquationTable, k: int) -> Coordinate:
    """The measure of a term."""
    n = int(table.term_measure[k])
    columns = (table.kind, table.axis_i, table.axis_j, table.marker_a, table.marker_b)
    kind, i, j, a, b = (int(c[n]) for c in columns)
    return kind, i, j, a, b


def _value(table: EquationTable, start: Array, key: Coordinate) -> float:
    """Value of a coordinate at the start; an angle within half a turn of zero."""
    kind, i, j, *markers = key
    a, b, w = np.empty(12), np.empty(12), np.empty(6)
    for marker, frame in zip(markers, (a, b), strict=True):
        compose(start[table.marker_body[marker]], table.marker_frame[marker], frame)
    return float(measure(kind, i, j, table.data, a, b, w))


def _settle(
    table: EquationTable,
    e: int,
    known: dict[Coordinate, float],
    values: dict[Coordinate, float],
    tolerance: float,
) -> None:
    """Set the references of the angles of one equation; an unknown one has a period."""
    off, unknown = -float(table.target[e]), list[int]()
    for k in _terms(table, e):
        key = coordinate_of(table, k)
        table.reference[k] = known.get(key, values[key])
        off += float(table.coefficient[k] * table.reference[k])
        if key not in known and key[0] == ROTATION:
            unknown.append(k)
    if unknown:
        *others, last = unknown
        table.period[e] = period = 2 * pi * abs(table.coefficient[last])
        turns = _turns(len(others))
        offs = off + 2 * pi * turns @ table.coefficient[others]
        away = table.weight[e] * np.abs(offs - period * np.round(offs / period))
        table.reference[others] += 2 * pi * turns[np.argmax(away <= tolerance)]  # 0 where none does


@cache
def _turns(angles: int) -> Array:
    """Whole turns of some angles, up to `TURNS` in all, the fewest first."""
    steps = [*np.eye(angles), *-np.eye(angles), np.zeros(angles)]
    sums = {tuple(np.sum(x, axis=0).tolist()) for x in product(steps, repeat=TURNS)}
    found = sorted(sums, key=lambda x: (float(np.abs(x).sum()), x))
    return np.array(found, float).reshape(len(found), angles)

"""Dulmage-Mendelsohn decomposition: over-, well- and under-determined blocks, and solving order.

All sets are reachability in one graph of rows: row r points at the rows that are matched to the
columns of r, that is, to those that determine its unknowns.

Source: Dulmage and Mendelsohn 1958; the alternating-path form of Pothen and Fan 1990.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..jit.decorators import borrowing
from ..jit.lists import on_lists
from ..types import Ints
from .matching import NONE, match
from .strong_components import OPEN, Graph, number_components, reach, turn_round

OVER, WELL, UNDER = 0, 1, 2
"""The coarse sets."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The coarse and the fine decomposition; every index array is sorted.

    Neither the coarse sets nor the blocks, as sets, depend on the matching.

    Attributes:
        column_of_row: the matching, `NONE` where a row has no column.
        set_of_row, set_of_col: `OVER`, `WELL` or `UNDER`.
        block_of_row: the block of each row, negative where it has none; count: how many there are.
    """

    column_of_row: Ints
    set_of_row: Ints
    set_of_col: Ints
    block_of_row: Ints
    count: int

    @property
    def over_rows(self) -> Ints:
        return _in_set(self.set_of_row, OVER)

    @property
    def over_cols(self) -> Ints:
        return _in_set(self.set_of_col, OVER)

    @property
    def well_rows(self) -> Ints:
        return _in_set(self.set_of_row, WELL)

    @property
    def well_cols(self) -> Ints:
        return _in_set(self.set_of_col, WELL)

    @property
    def under_rows(self) -> Ints:
        return _in_set(self.set_of_row, UNDER)

    @property
    def under_cols(self) -> Ints:
        return _in_set(self.set_of_col, UNDER)

    @cached_property
    def blocks(self) -> tuple[tuple[Ints, Ints], ...]:
        """(rows, columns) that split well_rows and well_cols, each square, in solving order: the
        rows of a block use its columns, those of earlier blocks, and over_cols."""
        return tuple((np.array(r, np.int64), np.array(c, np.int64)) for r, c in self.listed())

    def listed(self) -> list[tuple[list[int], list[int]]]:
        """The same as lists."""
        out: list[tuple[list[int], list[int]]] = [([], []) for _ in range(self.count)]
        both = zip(self.block_of_row.tolist(), self.column_of_row.tolist(), strict=True)
        for row, (block, column) in enumerate(both):
            if block >= 0:
                out[block][0].append(row)
                out[block][1].append(column)
        for _, columns in out:
            columns.sort()
        return out

    @property
    def structural_rank(self) -> int:
        return int((self.column_of_row >= 0).sum())


def _in_set(sets: Ints, which: int) -> Ints:
    """The rows or columns of a coarse set."""
    found: Ints = (sets == which).nonzero()[0]
    return found


class _Found(NamedTuple):
    """What is looked for: as in `Decomposition`, and the row of each column."""

    column_of: Ints
    row_of: Ints
    set_of_row: Ints
    set_of_col: Ints
    block_of: Ints


class _Work(NamedTuple):
    """Scratch: the suppliers of each row, (entries,), its users, and (6, rows)."""

    heads: Ints
    user_first: Ints
    users: Ints
    rows: Ints


def decompose(n_rows: int, n_cols: int, row_ptr: ArrayLike, row_cols: ArrayLike) -> Decomposition:
    """Decompose a pattern given by compressed rows: rows are equations, columns unknowns.

    A row without entries is over-determined, a column without entries under-determined.
    """
    ptr, cols = np.asarray(row_ptr, np.int64), np.asarray(row_cols, np.int64)
    of_row, of_col = np.full((3, n_rows), NONE), np.full((2, n_cols), NONE)
    found = _Found(of_row[0], of_col[0], of_row[1], of_col[1], of_row[2])
    own, more = np.empty(len(cols), np.int64), np.empty(n_rows + 1, np.int64)
    work = _Work(own, more, own.copy(), np.empty((6, n_rows), np.int64))
    count = _decompose(ptr, cols, found, work)
    return Decomposition(found.column_of, found.set_of_row, found.set_of_col, found.block_of, count)


@on_lists(2)
def _decompose(ptr: Ints, cols: Ints, found: _Found, work: _Work) -> int:
    """Overwrite what is found, which is `NONE` at first; how many blocks there are."""
    scratch, n = work.rows, len(found.column_of)
    match(ptr, cols, found.column_of, found.row_of, scratch)
    for k in range(len(cols)):
        work.heads[k] = found.row_of[cols[k]]
    suppliers, users = Graph(ptr, work.heads), Graph(work.user_first, work.users)
    turn_round(suppliers, users)
    _coarse_sets(suppliers, users, found, scratch)
    for row in range(n):
        found.block_of[row] = OPEN if found.set_of_row[row] == WELL else OPEN - 1
    return number_components(suppliers, users, found.block_of, scratch)


@borrowing
def _coarse_sets(suppliers: Graph, users: Graph, found: _Found, scratch: Ints) -> None:
    """The sets of rows, by what is reached from those without a column and from those with a column
    that no row determines, and of columns."""
    over, under, queue = scratch[0], scratch[1], scratch[2]
    n, count = len(found.column_of), 0
    for row in range(n):
        over[row] = under[row] = 0
        if found.column_of[row] == NONE:
            over[row], queue[count] = 1, row
            count += 1
    reach(suppliers, over, queue, count)
    count = 0
    for row in range(n):
        for k in range(suppliers.first[row], suppliers.first[row + 1]):
            if suppliers.heads[k] == NONE and under[row] == 0:
                under[row], queue[count] = 1, row
                count += 1
    reach(users, under, queue, count)
    for row in range(n):
        found.set_of_row[row] = OVER if over[row] else UNDER if under[row] else WELL
    for column in range(len(found.row_of)):
        row = found.row_of[column]
        found.set_of_col[column] = UNDER if row == NONE else found.set_of_row[row]

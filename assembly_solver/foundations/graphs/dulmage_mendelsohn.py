"""Dulmage-Mendelsohn decomposition: over-, well- and under-determined blocks, and solving order.

All sets are reachability in one graph of rows: row r points at the rows that are matched to the
columns of r, that is, to those that determine its unknowns.

Source: Dulmage and Mendelsohn 1958; the alternating-path form of Pothen and Fan 1990.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..types import Ints
from .matching import maximum_matching
from .strong_components import reached, strong_components


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The coarse and the fine decomposition; every index array is sorted.

    Neither the coarse sets nor the blocks, as sets, depend on the matching.
    """

    over_rows: Ints
    over_cols: Ints
    well_rows: Ints
    well_cols: Ints
    under_rows: Ints
    under_cols: Ints
    blocks: tuple[tuple[Ints, Ints], ...]
    """(rows, columns) that split well_rows and well_cols, each square, in solving order: the rows
    of a block use its columns, those of earlier blocks, and over_cols."""
    column_of_row: Ints
    """The matching; -1 where a row has no column."""

    @property
    def structural_rank(self) -> int:
        return int((self.column_of_row >= 0).sum())


def decompose(n_rows: int, n_cols: int, row_ptr: ArrayLike, row_cols: ArrayLike) -> Decomposition:
    """Decompose a pattern given by compressed rows: rows are equations, columns unknowns.

    A row without entries is over-determined, a column without entries under-determined.
    """
    ptr = np.asarray(row_ptr, dtype=np.int64)
    cols = np.asarray(row_cols, dtype=np.int64)
    column_of_row = maximum_matching(n_rows, n_cols, ptr, cols)
    matched = np.flatnonzero(column_of_row >= 0)
    row_of_column = np.full(n_cols, -1, dtype=np.int64)
    row_of_column[column_of_row[matched]] = matched

    user = np.repeat(np.arange(n_rows), np.diff(ptr))  # row of each entry
    supplier = row_of_column[cols]  # row that determines the column of each entry
    determined = supplier >= 0
    tail, head = user[determined], supplier[determined]

    over = reached(n_rows, tail, head, column_of_row < 0)
    free = np.zeros(n_rows, dtype=bool)  # rows with a column that no row determines
    free[user[~determined]] = True
    under = reached(n_rows, head, tail, free)
    well = ~(over | under)
    over_col, well_col = np.zeros(n_cols, dtype=bool), np.zeros(n_cols, dtype=bool)
    over_col[column_of_row[over & (column_of_row >= 0)]] = True
    well_col[column_of_row[well]] = True
    inner = well[tail] & well[head] & (tail != head)
    return Decomposition(
        over_rows=np.flatnonzero(over),
        over_cols=np.flatnonzero(over_col),
        well_rows=np.flatnonzero(well),
        well_cols=np.flatnonzero(well_col),
        under_rows=np.flatnonzero(under),
        under_cols=np.flatnonzero(~(over_col | well_col)),
        blocks=_blocks(np.flatnonzero(well), column_of_row, tail[inner], head[inner]),
        column_of_row=column_of_row,
    )


def _blocks(
    rows: Ints, column_of_row: Ints, tail: Ints, head: Ints
) -> tuple[tuple[Ints, Ints], ...]:
    """Strong components of the rows, each after those that determine its unknowns."""
    if len(rows) == 0:
        return ()
    tail, head = np.searchsorted(rows, tail), np.searchsorted(rows, head)
    components = [rows[inside] for inside in strong_components(len(rows), tail, head)]
    return tuple((inside, np.sort(column_of_row[inside])) for inside in components)

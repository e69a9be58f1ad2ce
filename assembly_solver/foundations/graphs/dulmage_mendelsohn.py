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
from .matching import NONE, maximum_matching
from .strong_components import Successors, reached, strong_components


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
    ptr, cols = np.asarray(row_ptr).tolist(), np.asarray(row_cols).tolist()
    matching = maximum_matching(n_rows, n_cols, ptr, cols)
    column_of = matching.tolist()
    row_of = [NONE] * n_cols
    for row, column in enumerate(column_of):
        if column != NONE:
            row_of[column] = row
    # of each row: those that determine its columns, and those whose columns it determines
    suppliers: Successors = [[] for _ in range(n_rows)]
    users: Successors = [[] for _ in range(n_rows)]
    free = []  # rows with a column that no row determines
    for row in range(n_rows):
        found = [row_of[column] for column in cols[ptr[row] : ptr[row + 1]]]
        if NONE in found:
            free.append(row)
            found = [other for other in found if other != NONE]
        suppliers[row] = found
        for other in found:
            users[other].append(row)
    over = reached(suppliers, [row for row in range(n_rows) if column_of[row] == NONE])
    under = reached(users, free)
    over_rows, well_rows = list[int](), list[int]()
    for row in range(n_rows):
        if over[row]:
            over_rows.append(row)
        elif not under[row]:
            well_rows.append(row)
    over_cols = sorted(column_of[row] for row in over_rows if column_of[row] != NONE)
    well_cols = sorted(column_of[row] for row in well_rows)
    return Decomposition(
        over_rows=np.array(over_rows, np.int64),
        over_cols=np.array(over_cols, np.int64),
        well_rows=np.array(well_rows, np.int64),
        well_cols=np.array(well_cols, np.int64),
        under_rows=np.flatnonzero(under),
        under_cols=np.array(sorted({*range(n_cols)}.difference(over_cols, well_cols)), np.int64),
        blocks=_blocks(well_rows, column_of, suppliers),
        column_of_row=matching,
    )


def _blocks(
    rows: list[int], column_of: list[int], suppliers: Successors
) -> tuple[tuple[Ints, Ints], ...]:
    """Strong components of the rows, each after those that determine its unknowns."""
    place = {row: k for k, row in enumerate(rows)}
    inner = [[place[other] for other in suppliers[row] if other in place] for row in rows]
    out = []
    for nodes in strong_components(inner):
        inside = [rows[k] for k in nodes]
        columns = sorted(column_of[row] for row in inside)
        out.append((np.array(inside, np.int64), np.array(columns, np.int64)))
    return tuple(out)

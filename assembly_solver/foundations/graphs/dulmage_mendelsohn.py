"""Dulmage-Mendelsohn decomposition: over-, well- and under-determined blocks, and solving order.

All sets are reachability in one graph of rows: row r points at the rows that are matched to the
columns of r, that is, to those that determine its unknowns.

Source: Dulmage and Mendelsohn 1958; the alternating-path form of Pothen and Fan 1990.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..types import Bools, Ints
from .matching import maximum_matching


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
    """Decompose a pattern given by compressed rows.

    Rows are equations, columns unknowns: more rows than columns is over-determined.  A row
    without entries is over-determined, a column without entries under-determined.
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

    over = _reached(n_rows, tail, head, column_of_row < 0)
    free = np.zeros(n_rows, dtype=bool)  # rows with a column that no row determines
    free[user[~determined]] = True
    under = _reached(n_rows, head, tail, free)
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


def _reached(n: int, tail: Ints, head: Ints, start: Bools) -> Bools:
    """Nodes that can be reached from `start` along the arrows tail -> head, start included."""
    if not start.any():
        return start.copy()
    first = np.flatnonzero(start)
    # one more node, n, with an arrow to every start, makes it a single search
    graph = _graph(n + 1, np.r_[tail, np.full(len(first), n)], np.r_[head, first])
    mark = np.zeros(n + 1, dtype=bool)
    mark[breadth_first_order(graph, n, return_predecessors=False)] = True
    return mark[:n]


def _graph(n: int, tail: Ints, head: Ints) -> csr_array:
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], np.arange(n + 1)).astype(np.int32)
    ones = np.ones(len(tail), dtype=np.int8)
    return csr_array((ones, head[order].astype(np.int32), first), shape=(n, n))


def _blocks(
    rows: Ints, column_of_row: Ints, tail: Ints, head: Ints
) -> tuple[tuple[Ints, Ints], ...]:
    """Strong components of the rows, each after those that determine its unknowns."""
    if len(rows) == 0:
        return ()
    tail, head = np.searchsorted(rows, tail), np.searchsorted(rows, head)
    count, label = connected_components(
        _graph(len(rows), tail, head), directed=True, connection="strong"
    )
    sizes = np.bincount(label, minlength=count)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(sizes)[:-1])
    blocks = []
    for block in _in_order(count, label, label[tail], label[head]):
        inside = rows[members[block]]
        blocks.append((inside, np.sort(column_of_row[inside])))
    return tuple(blocks)


def _in_order(
    count: int, label: NDArray[np.int32], user: NDArray[np.int32], supplier: NDArray[np.int32]
) -> list[int]:
    """Components, suppliers first; of several possible ones the one with the smallest row."""
    across = user != supplier
    pairs = np.unique(user[across].astype(np.int64) * count + supplier[across])
    waits = np.bincount(pairs // count, minlength=count).tolist()
    users: list[list[int]] = [[] for _ in range(count)]
    for pair in pairs.tolist():
        users[pair % count].append(pair // count)
    first = np.unique(label, return_index=True)[1].tolist()  # smallest row of each component
    ready = [(first[c], c) for c in range(count) if waits[c] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, block = heapq.heappop(ready)
        order.append(block)
        for other in users[block]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (first[other], other))
    return order

"""Maximum matching of equations and unknowns; its size is the structural rank of a pattern.

A pattern is given by compressed rows: row i has its entries in the columns
`row_cols[row_ptr[i]:row_ptr[i + 1]]`.

Source: Hopcroft and Karp 1973.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..types import Ints

NONE = -1


def maximum_matching(n_rows: int, n_cols: int, row_ptr: ArrayLike, row_cols: ArrayLike) -> Ints:
    """Column matched to each row, shape (n_rows,); -1 where a row has none.

    The work grows at most as the number of entries times the root of the number of rows.
    """
    found = _Matching(np.asarray(row_ptr).tolist(), np.asarray(row_cols).tolist(), n_rows, n_cols)
    found.begin()
    while found.layers():
        at = found.ptr[:n_rows]
        for row in range(n_rows):
            if found.column_of[row] == NONE:
                found.augment(row, at)
    return np.array(found.column_of, np.int64)


class _Matching:
    """A matching that grows.

    Attributes:
        column_of: of each row; row_of: of each column; `NONE` where there is none.
        layer: of each row, its distance from the nearest row without a column, `NONE` if none.
    """

    def __init__(self, ptr: list[int], cols: list[int], n_rows: int, n_cols: int) -> None:
        self.ptr, self.cols = ptr, cols
        self.column_of, self.row_of = [NONE] * n_rows, [NONE] * n_cols
        self.layer: list[int] = []

    def begin(self) -> None:
        """Match each row to the first free column."""
        for row in range(len(self.column_of)):
            for column in self.cols[self.ptr[row] : self.ptr[row + 1]]:
                if self.row_of[column] == NONE:
                    self.column_of[row], self.row_of[column] = column, row
                    break

    def layers(self) -> bool:
        """Number the rows by alternating paths; whether one leads to a free column."""
        self.layer = [0 if column == NONE else NONE for column in self.column_of]
        queue = [row for row, layer in enumerate(self.layer) if layer == 0]
        leads = False
        for row in queue:
            for column in self.cols[self.ptr[row] : self.ptr[row + 1]]:
                other = self.row_of[column]
                if other == NONE:
                    leads = True
                elif self.layer[other] == NONE:
                    self.layer[other] = self.layer[row] + 1
                    queue.append(other)
        return leads

    def augment(self, root: int, at: list[int]) -> None:
        """Match a row by a shortest alternating path; `at`: next entry to try, by row."""
        path = [root]
        while path:
            row = path[-1]
            if at[row] == self.ptr[row + 1]:
                path.pop()
                if path:
                    at[path[-1]] += 1
                continue
            other = self.row_of[self.cols[at[row]]]
            if other == NONE:
                for each in path:
                    column = self.cols[at[each]]
                    self.column_of[each], self.row_of[column] = column, each
                return
            if self.layer[other] == self.layer[row] + 1:
                path.append(other)
            else:
                at[row] += 1

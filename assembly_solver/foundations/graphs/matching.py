"""Maximum matching of equations and unknowns; its size is the structural rank of a pattern.

A pattern is given by compressed rows: row i has its entries in the columns
`cols[ptr[i]:ptr[i + 1]]`.

Source: Hopcroft and Karp 1973.
"""

from __future__ import annotations

from ..jit.decorators import borrowing
from ..types import Ints

NONE = -1


@borrowing
def match(ptr: Ints, cols: Ints, column_of: Ints, row_of: Ints, scratch: Ints) -> None:
    """Match as many rows with columns as there can be.

    The work grows at most as the number of entries times the root of the number of rows.

    Args:
        column_of: of each row, (rows,), overwritten by its column; row_of: of each column, (cols,),
            by its row; both are `NONE` at first, and stay so where there is none.
        scratch: (3, rows).
    """
    layer, queue, at = scratch[0], scratch[1], scratch[2]
    n = len(column_of)
    for row in range(n):  # the first free column at first
        for k in range(ptr[row], ptr[row + 1]):
            if row_of[cols[k]] == NONE:
                column_of[row], row_of[cols[k]] = cols[k], row
                break
    while _layers(ptr, cols, column_of, row_of, layer, queue):
        for row in range(n):
            at[row] = ptr[row]
        for row in range(n):
            if column_of[row] == NONE:
                _augment(row, ptr, cols, column_of, row_of, layer, queue, at)


@borrowing
def _layers(ptr: Ints, cols: Ints, column_of: Ints, row_of: Ints, layer: Ints, queue: Ints) -> bool:
    """Number the rows by alternating paths from those without a column, `NONE` where none leads.

    Whether one leads to a free column.
    """
    done, count, leads = 0, 0, False
    for row in range(len(column_of)):
        layer[row] = NONE
        if column_of[row] == NONE:
            layer[row], queue[count] = 0, row
            count += 1
    while done < count:
        row = queue[done]
        done += 1
        for k in range(ptr[row], ptr[row + 1]):
            other = row_of[cols[k]]
            if other == NONE:
                leads = True
            elif layer[other] == NONE:
                layer[other], queue[count] = layer[row] + 1, other
                count += 1
    return leads


@borrowing
def _augment(
    root: int,
    ptr: Ints,
    cols: Ints,
    column_of: Ints,
    row_of: Ints,
    layer: Ints,
    path: Ints,
    at: Ints,
) -> None:
    """Match a row by a shortest alternating path; `at`: next entry to try, by row."""
    path[0], n = root, 1
    while n > 0:
        row = path[n - 1]
        if at[row] == ptr[row + 1]:
            n -= 1
            if n > 0:
                at[path[n - 1]] += 1
            continue
        other = row_of[cols[at[row]]]
        if other == NONE:
            for k in range(n):
                column = cols[at[path[k]]]
                column_of[path[k]], row_of[column] = column, path[k]
            return
        if layer[other] == layer[row] + 1:
            path[n] = other
            n += 1
        else:
            at[row] += 1

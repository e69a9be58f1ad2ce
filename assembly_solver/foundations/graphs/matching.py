"""Maximum matching of equations and unknowns; its size is the structural rank of a pattern.

A pattern is given by compressed rows: row i has its entries in the columns
`row_cols[row_ptr[i]:row_ptr[i + 1]]`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from ..types import Ints


def maximum_matching(n_rows: int, n_cols: int, row_ptr: ArrayLike, row_cols: ArrayLike) -> Ints:
    """Column matched to each row, shape (n_rows,); -1 where a row has none."""
    if n_rows == 0 or n_cols == 0:
        return np.full(n_rows, -1, dtype=np.int64)
    cols = np.asarray(row_cols, dtype=np.int32)
    ptr = np.asarray(row_ptr, dtype=np.int32)
    pattern = csr_array((np.ones(len(cols), dtype=np.int8), cols, ptr), shape=(n_rows, n_cols))
    return np.asarray(maximum_bipartite_matching(pattern, perm_type="column"), dtype=np.int64)

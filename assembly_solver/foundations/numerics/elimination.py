"""Gaussian elimination with full pivoting, and the redundant rows of a Jacobian.

Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, sections 4.4 and 4.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array, Ints
from .rounding import RANK


class Elimination(NamedTuple):
    """Forward elimination of A, of shape (m, n); indices count from 0."""

    rows: Ints
    """Row of A at each index of `reduced`, shape (m,)."""
    columns: Ints
    """Column of A at each index of `reduced`, shape (n,)."""
    rank: int
    reduced: Array
    """Shape (m, n): `rank` rows with unit diagonal, [U R] of (4.4.7), then rows of zeros."""

    @property
    def independent(self) -> Ints:
        """Unknowns v that may have any value."""
        return self.columns[self.rank :]

    @property
    def redundant(self) -> Ints:
        """Rows of A that became zero."""
        return self.rows[self.rank :]


def eliminate(matrix: ArrayLike, leading: int = 0, cut: float = RANK) -> Elimination:
    """Forward elimination of A, shape (m, n), to unit upper triangular form.

    Args:
        leading: number of first rows that are not exchanged: only columns are, in them.
        cut: pivots not above `cut` times the largest entry of A are zero.

    Source: section 4.4.1; for `leading`, step 5 of section 4.6.
    """
    a = np.array(matrix, dtype=float)
    m, n = a.shape
    tolerance = cut * float(np.abs(a).max(initial=0.0))
    rows, columns = np.arange(m), np.arange(n)
    k = 0
    while k < min(m, n):
        i, j = _pivot(a, k, k < leading, tolerance)
        if abs(a[i, j]) <= tolerance:
            a[k:] = 0.0
            break
        for array in (a, rows):
            array[[k, i]] = array[[i, k]]
        a[:, [k, j]] = a[:, [j, k]]
        columns[[k, j]] = columns[[j, k]]
        a[k] /= a[k, k]
        a[k + 1 :] -= np.outer(a[k + 1 :, k], a[k])
        a[k + 1 :, k] = 0.0
        k += 1
    return Elimination(rows, columns, k, a)


def _pivot(a: Array, k: int, in_row: bool, tolerance: float) -> tuple[int, int]:
    """Row and column of the pivot of step k: the first of the largest entries, in row k if asked.

    Where that row is zero the pivot is searched in all rows below as well.
    """
    window = np.abs(a[k : k + 1 if in_row else None, k:])
    if window.max() <= tolerance:
        window = np.abs(a[k:, k:])
    i, j = np.unravel_index(int(window.argmax()), window.shape)
    return k + int(i), k + int(j)


class Partition(NamedTuple):
    """Redundant constraints and drivers by an elimination; indices count from 0."""

    kept: Ints
    """Independent constraint rows, sorted."""
    redundant: Ints
    """Constraint rows that follow from those kept, sorted; of a dependent set, any one."""
    suggested: Ints
    """Unknowns suggested to drive, sorted: as many as there are freedoms."""
    redundant_drivers: Ints
    """Driver rows that follow from the constraints and the other drivers, sorted."""
    missing: int
    """Number of drivers missing to determine every unknown."""


def partition(
    constraints: ArrayLike, drivers: ArrayLike | None = None, cut: float = RANK
) -> Partition:
    """Steps 3 to 6 of the elimination of redundant constraints, section 4.6.

    The result holds for the given configuration: at an isolated singular one it has constraints
    that are not redundant elsewhere.

    Args:
        constraints, drivers: their Jacobians at an assembled configuration, (m, n) and (d, n).
    """
    k = np.asarray(constraints, dtype=float)
    d = np.zeros((0, k.shape[1])) if drivers is None else np.asarray(drivers, dtype=float)
    alone = eliminate(k, cut=cut)
    kept = np.sort(alone.rows[: alone.rank])
    both = eliminate(np.vstack([k[kept], d]), leading=len(kept), cut=cut)
    return Partition(
        kept=kept,
        redundant=np.sort(alone.redundant),
        suggested=np.sort(alone.independent),
        redundant_drivers=np.sort(both.redundant) - len(kept),
        missing=k.shape[1] - both.rank,
    )

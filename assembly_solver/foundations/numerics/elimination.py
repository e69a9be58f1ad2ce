"""Gaussian elimination with a choice of pivots, and what it says about redundant equations.

Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, sections 4.4 and 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array, Ints

Pivoting = Literal["none", "rows", "columns", "full"]

PIVOT_CUT = 1e-9
"""Pivot, relative to the largest entry of the matrix, that is taken as zero."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """Forward elimination of A x = b, A of shape (m, n); indices count from 0."""

    rows: Ints
    """Row of A that ended at each place, shape (m,)."""
    columns: Ints
    """Column of A that ended at each place, shape (n,)."""
    rank: int
    reduced: Array
    """Shape (m, n): `rank` rows with unit diagonal, [U R] of (4.4.7), then rows of zeros."""
    rhs: Array
    """Right side in the order of `reduced`, shape (m,)."""
    lower: Array
    """Pivot columns as they stood, shape (m, rank): A[rows][:, columns] = lower @ reduced."""
    tolerance: float
    """Size up to which an entry counts as zero."""

    @property
    def dependent(self) -> Ints:
        """Unknowns u that follow from the others."""
        return self.columns[: self.rank]

    @property
    def independent(self) -> Ints:
        """Unknowns v that may be given any value."""
        return self.columns[self.rank :]

    @property
    def redundant(self) -> Ints:
        """Rows of A that became zero."""
        return self.rows[self.rank :]

    @property
    def consistent(self) -> bool:
        """Whether the right sides of the redundant rows vanish too, (4.4.12)."""
        return bool(np.all(np.abs(self.rhs[self.rank :]) <= self.tolerance))

    @property
    def factors(self) -> tuple[Array, Array]:
        """L with unit diagonal and U of (4.4.13): A[rows][:, columns] = L @ U."""
        pivots = np.diagonal(self.lower)
        return self.lower / pivots, pivots[:, None] * self.reduced[: self.rank]

    def solve(self, free: ArrayLike | None = None) -> Array:
        """x by back substitution, (4.4.9), for values `free` of the independent unknowns (or 0)."""
        x = np.zeros(len(self.columns))
        if free is not None:
            x[self.independent] = free
        for k in range(self.rank - 1, -1, -1):
            after = self.columns[k + 1 :]
            x[self.columns[k]] = self.rhs[k] - self.reduced[k, k + 1 :] @ x[after]
        return x


def eliminate(
    matrix: ArrayLike,
    rhs: ArrayLike | None = None,
    pivoting: Pivoting = "full",
    held: int = 0,
    cut: float = PIVOT_CUT,
) -> Elimination:
    """Forward elimination to unit upper triangular form.

    Args:
        matrix: A, shape (m, n).
        rhs: b, shape (m,); zero where left out.
        pivoting: where the largest entry is looked for: the diagonal place alone, the rows below
            it, the columns to the right of it, or both.  Where that place holds nothing but
            zeros, all of the rest is searched.
        held: so many leading rows keep their places: in them only columns are exchanged.
        cut: pivots not above `cut` times the largest entry of A are zero.

    Source: section 4.4.1; for `held`, step 5 of section 4.6.
    """
    a = np.array(matrix, dtype=float)
    m, n = a.shape
    b = np.zeros(m) if rhs is None else np.array(rhs, dtype=float)
    tolerance = cut * float(np.abs(a).max(initial=0.0))
    rows, columns, lower = np.arange(m), np.arange(n), np.zeros((m, min(m, n)))
    k = 0
    while k < min(m, n):
        i, j = _pivot(a, k, "columns" if k < held else pivoting, tolerance)
        if abs(a[i, j]) <= tolerance:
            a[k:] = 0.0
            break
        for array in (a, b, rows, lower):
            array[[k, i]] = array[[i, k]]
        a[:, [k, j]] = a[:, [j, k]]
        columns[[k, j]] = columns[[j, k]]
        lower[k:, k] = a[k:, k]
        a[k] /= lower[k, k]
        b[k] /= lower[k, k]
        a[k + 1 :] -= np.outer(lower[k + 1 :, k], a[k])
        a[k + 1 :, k] = 0.0
        b[k + 1 :] -= lower[k + 1 :, k] * b[k]
        k += 1
    size = max(tolerance, cut * float(np.abs(rhs).max(initial=0.0)) if rhs is not None else 0.0)
    return Elimination(rows, columns, k, a, b, lower[:, :k], size)


def _pivot(a: Array, k: int, pivoting: Pivoting, tolerance: float) -> tuple[int, int]:
    """Place of the pivot of step k: the first of the largest entries where it may be taken."""
    last_row = k + 1 if pivoting in ("none", "columns") else a.shape[0]
    last_column = k + 1 if pivoting in ("none", "rows") else a.shape[1]
    window = np.abs(a[k:last_row, k:last_column])
    if window.max() <= tolerance:
        window = np.abs(a[k:, k:])
    i, j = np.unravel_index(int(window.argmax()), window.shape)
    return k + int(i), k + int(j)


@dataclass(frozen=True, eq=False)
class Partition:
    """What an elimination of constraints and drivers says about them; indices count from 0."""

    kept: Ints
    """Independent constraint rows, sorted."""
    redundant: Ints
    """Constraint rows that follow from those kept, sorted; any of a dependent set may be named."""
    suggested: Ints
    """Unknowns that are a good choice to drive, sorted: as many as there are freedoms."""
    redundant_drivers: Ints
    """Driver rows that follow from the constraints and the other drivers, sorted."""
    missing: int
    """Drivers that are still needed to determine every unknown."""


def partition(
    constraints: ArrayLike, drivers: ArrayLike | None = None, cut: float = PIVOT_CUT
) -> Partition:
    """Steps 3 to 6 of the elimination of redundant constraints, section 4.6.

    The answer holds at the configuration where the rows were taken: at an isolated singular one
    it names constraints that are needed elsewhere.

    Args:
        constraints: Jacobian of the constraints at an assembled configuration, shape (m, n).
        drivers: Jacobian of the drivers, shape (d, n).
    """
    k = np.asarray(constraints, dtype=float)
    d = np.zeros((0, k.shape[1])) if drivers is None else np.asarray(drivers, dtype=float)
    alone = eliminate(k, cut=cut)
    kept = np.sort(alone.rows[: alone.rank])
    both = eliminate(np.vstack([k[kept], d]), held=len(kept), cut=cut)
    return Partition(
        kept=kept,
        redundant=np.sort(alone.redundant),
        suggested=np.sort(alone.independent),
        redundant_drivers=np.sort(both.redundant) - len(kept),
        missing=k.shape[1] - both.rank,
    )

"""LU factors of small square matrices, compiled.

The library routines cost seconds of compile time, and their call costs as much as six unknowns.
"""

from __future__ import annotations

from ..jit.decorators import borrowing
from ..types import Array, Ints


@borrowing
def factorise(a: Array, n: int, pivots: Ints) -> float:
    """Gaussian elimination with partial pivoting of a[:n, :n] in place; returns the determinant.

    Afterwards the multipliers are below the diagonal, the upper factor on and above it; pivots[k]
    is the row that was exchanged with row k.  Where a column has no pivot 0 is returned, and the
    factors are incomplete.
    """
    determinant = 1.0
    for k in range(n):
        best, size = k, abs(a[k, k])
        for i in range(k + 1, n):
            if abs(a[i, k]) > size:
                best, size = i, abs(a[i, k])
        if not size > 0.0:
            return 0.0
        pivots[k] = best
        if best != k:
            determinant = -determinant
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        determinant *= a[k, k]
        out = 1.0 / a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k]
            if factor != 0.0:
                factor *= out
                a[i, k] = factor
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
    return determinant


@borrowing
def solve_factored(a: Array, n: int, pivots: Ints, x: Array) -> None:
    """x[:n] <- A^-1 x[:n] by the factors of `factorise`."""
    for k in range(n):
        if pivots[k] != k:
            x[k], x[pivots[k]] = x[pivots[k]], x[k]
    for i in range(n):
        left = x[i]
        for k in range(i):
            left -= a[i, k] * x[k]
        x[i] = left
    for i in range(n - 1, -1, -1):
        left = x[i]
        for k in range(i + 1, n):
            left -= a[i, k] * x[k]
        x[i] = left / a[i, i]


@borrowing
def least_pivot(a: Array, n: int) -> float:
    """Ratio of the smallest to the largest pivot of `factorise` in magnitude; 0 where all are 0."""
    least, largest = abs(a[0, 0]), abs(a[0, 0])
    for k in range(1, n):
        least, largest = min(least, abs(a[k, k])), max(largest, abs(a[k, k]))
    return least / largest if largest > 0.0 else 0.0

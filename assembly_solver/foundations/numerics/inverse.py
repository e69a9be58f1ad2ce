"""Inverse of a small square matrix, compiled."""

from __future__ import annotations

import numpy as np

from ..jit.decorators import borrowing
from ..types import Array


@borrowing
def invert(a: Array, n: int, inverse: Array) -> float:
    """Inverse of a square matrix by Gauss-Jordan elimination with row exchanges.

    Both are stored row by row, shape (n * n,); `a` is overwritten.  Returns the smallest pivot over
    the largest, with the sign of the determinant; 0 for a singular matrix, without an inverse.
    """
    for i in range(n * n):
        inverse[i] = a[i]
    sign, least, largest = 1.0, np.inf, 0.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(inverse[i * n + k]) > abs(inverse[best * n + k]):
                best = i
        pivot = inverse[best * n + k]
        if not abs(pivot) > 0.0:
            return 0.0
        a[k] = best  # reuse of `a` for the exchanges
        if best != k:
            sign = -sign
            for j in range(n):
                p, q = k * n + j, best * n + j
                inverse[p], inverse[q] = inverse[q], inverse[p]
        if pivot < 0.0:
            sign = -sign
        least, largest = min(least, abs(pivot)), max(largest, abs(pivot))
        inverse[k * n + k] = 1.0
        for j in range(n):
            inverse[k * n + j] /= pivot
        for i in range(n):
            factor = inverse[i * n + k]
            if i != k and factor != 0.0:
                inverse[i * n + k] = 0.0
                for j in range(n):
                    inverse[i * n + j] -= factor * inverse[k * n + j]
    for k in range(n - 1, -1, -1):  # exchanged rows of the matrix are columns of its inverse
        best = int(a[k])
        if best != k:
            for i in range(n):
                p, q = i * n + k, i * n + best
                inverse[p], inverse[q] = inverse[q], inverse[p]
    return sign * least / largest if n else 1.0

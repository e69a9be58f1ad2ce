"""The inverse of a small square matrix, with its smallest pivot; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import borrowing

Array = NDArray[np.float64]


@borrowing
def invert(a: Array, n: int, inverse: Array) -> float:
    """Inverse of a square matrix by Gauss-Jordan elimination with row exchanges.

    Args:
        a: n rows of n numbers one behind the other, overwritten; inverse: the same, filled.

    Returns:
        The smallest pivot over the largest, with the sign of the determinant; 0 where it is
        singular, and the inverse has no meaning.
    """
    for i in range(n * n):
        inverse[i] = 0.0
    for i in range(n):
        inverse[i * n + i] = 1.0
    sign, least, largest = 1.0, np.inf, 0.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > abs(a[best * n + k]):
                best = i
        pivot = a[best * n + k]
        if not abs(pivot) > 0.0:
            return 0.0
        if best != k:
            sign = -sign
            for j in range(n):
                p, q = k * n + j, best * n + j
                a[p], a[q] = a[q], a[p]
                inverse[p], inverse[q] = inverse[q], inverse[p]
        if pivot < 0.0:
            sign = -sign
        least, largest = min(least, abs(pivot)), max(largest, abs(pivot))
        scale = 1.0 / pivot
        for j in range(n):
            a[k * n + j] *= scale
            inverse[k * n + j] *= scale
        for i in range(n):
            factor = a[i * n + k]
            if i != k and factor != 0.0:
                for j in range(n):
                    a[i * n + j] -= factor * a[k * n + j]
                    inverse[i * n + j] -= factor * inverse[k * n + j]
    return sign * least / largest if n else 1.0

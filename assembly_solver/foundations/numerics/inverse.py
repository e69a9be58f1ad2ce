"""Inverses of small square matrices: of one, compiled, and of many at once, in arrays."""

from __future__ import annotations

import numpy as np

from ..jit.lists import on_lists
from ..types import Array, Ints


@on_lists(2, 3)
def invert(a: Array, n: int, inverse: Array, exchanged: Ints) -> float:
    """Inverse of the first n rows and columns by Gauss-Jordan elimination with row exchanges.

    `inverse`, shape (n, n) or larger, and `exchanged`, (n,), are overwritten.  Returns the smallest
    pivot over the largest, with the sign of the determinant; 0 for a singular matrix, without an
    inverse.
    """
    for i in range(n):
        for j in range(n):
            inverse[i][j] = a[i][j]
    sign, least, largest = 1.0, np.inf, 0.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(inverse[i][k]) > abs(inverse[best][k]):
                best = i
        pivot = inverse[best][k]
        if not abs(pivot) > 0.0:
            return 0.0
        exchanged[k] = best
        own, other = inverse[k], inverse[best]
        if best != k:
            sign = -sign
            for j in range(n):
                own[j], other[j] = other[j], own[j]
        if pivot < 0.0:
            sign = -sign
        least, largest = min(least, abs(pivot)), max(largest, abs(pivot))
        own[k] = 1.0
        for j in range(n):
            own[j] /= pivot
        for i in range(n):
            row = inverse[i]
            factor = row[k]
            if i != k and factor != 0.0:
                row[k] = 0.0
                for j in range(n):
                    row[j] -= factor * own[j]
    for k in range(n - 1, -1, -1):  # exchanged rows of the matrix are columns of its inverse
        best = exchanged[k]
        if best != k:
            for i in range(n):
                row = inverse[i]
                row[k], row[best] = row[best], row[k]
    return sign * least / largest if n else 1.0


def invert_all(a: Array) -> tuple[Array, Array]:
    """`invert` of many matrices, (count, n, n), at once: inverses, and what it returns, (count,).

    Where a matrix is singular, its inverse is arbitrary.
    """
    count, n = a.shape[:2]
    if count == 1:
        alone, pivot = _invert_alone(a[0])
        return alone[None], np.array([pivot])
    h, which, signs = a.copy(), np.arange(count), np.ones(count)
    exchanged, pivots = np.empty((n, count), np.int64), np.ones((n, count))
    for k in range(n):
        best = exchanged[k] = k + np.abs(h[:, k:, k]).argmax(axis=1)
        own = h[which, best]
        pivots[k] = own[:, k]
        signs *= np.where(best != k, -1.0, 1.0) * np.sign(pivots[k])
        h[which, best] = h[:, k]
        own[:, k] = 1.0
        own /= np.where(pivots[k] == 0.0, 1.0, pivots[k])[:, None]
        factor = h[:, :, k].copy()
        factor[:, k] = h[:, :, k] = 0.0
        h -= factor[:, :, None] * own[:, None]
        h[:, k] = own
    for k in range(n - 1, -1, -1):
        column = h[which, :, exchanged[k]]
        h[which, :, exchanged[k]] = h[:, :, k]
        h[:, :, k] = column
    sizes = np.abs(pivots)
    return h, signs * sizes.min(axis=0, initial=np.inf) / sizes.max(
        axis=0, initial=0.0
    ) if n else signs


def _invert_alone(a: Array) -> tuple[Array, float]:
    """The same of one matrix: rows in which an unknown does not occur stay as they are."""
    n, h = len(a), a.copy()
    exchanged, pivots = list[int](), list[float]()
    for k in range(n):
        best = k + int(np.abs(h[k:, k]).argmax())
        own = h[best].copy()
        pivot = float(own[k])
        if pivot == 0.0:
            return h, 0.0
        h[best] = h[k]
        own[k] = 1.0
        own /= pivot
        factor = h[:, k].copy()
        factor[k] = h[:, k] = 0.0
        if np.count_nonzero(factor) > n // 2:
            h -= factor[:, None] * own
        else:
            rows = factor.nonzero()[0]
            h[rows] -= factor[rows, None] * own
        h[k] = own
        exchanged.append(best)
        pivots.append(-pivot if best != k else pivot)
    for k in range(n - 1, -1, -1):
        if (best := exchanged[k]) != k:
            h[:, [k, best]] = h[:, [best, k]]
    sizes, sign = np.abs(pivots), np.sign(pivots).prod()
    return h, float(sign * sizes.min() / sizes.max()) if n else 1.0

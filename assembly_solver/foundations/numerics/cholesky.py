"""Normal equations of some tens of unknowns: products and Cholesky factors, compiled.

On a busy machine the threads of numpy's routines wait longer than they compute at this size.
"""

from __future__ import annotations

from math import sqrt

from ..jit.decorators import borrowing
from ..types import Array


@borrowing
def cholesky(a: Array) -> bool:
    """Lower Cholesky factor of a matrix, shape (n, n), in place; False where it is not definite."""
    n = len(a)
    for k in range(n):
        own = a[k]
        s = own[k]
        for j in range(k):
            s -= own[j] * own[j]
        if not s > 0.0:
            return False
        s = sqrt(s)
        own[k] = s
        for i in range(k + 1, n):
            row = a[i]
            v = row[k]
            for j in range(k):
                v -= row[j] * own[j]
            row[k] = v / s
    return True


@borrowing
def solve_cholesky(factor: Array, x: Array) -> None:
    """x <- A^-1 x, shape (n,), by the factor of `cholesky`."""
    n = len(x)
    for i in range(n):
        for k in range(i):
            x[i] -= factor[i, k] * x[k]
        x[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= factor[i, i]
        for k in range(i):
            x[k] -= factor[i, k] * x[i]


@borrowing
def gram(a: Array, out: Array) -> None:
    """A^T A for a sparse A of shape (m, n), into `out` of shape (n, n)."""
    m, n = a.shape
    for i in range(n):
        for k in range(n):
            out[i, k] = 0.0
    for r in range(m):
        for i in range(n):
            v = a[r, i]
            if v != 0.0:
                for k in range(n):
                    out[i, k] += v * a[r, k]

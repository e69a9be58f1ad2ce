"""Dense linear algebra of rank-deficient matrices: inverse, null spaces, independent rows.

The functions that run inside iterations are compiled: the library routines cost seconds of compile
time.  The others use numpy.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..jit.decorators import apart, borrowing, compiled
from ..jit.lists import on_lists
from ..types import Array
from .rounding import RANK, ROOT, ROUNDING

OFF_SHARE = 4.0
"""Multiple of the largest residual over the characteristic length that widens the cut: where
equations hold to a tolerance only, rows that are dependent at the exact pose are nearly so.

Source: docs/theory/mobility.md, 2.
"""

LARGEST_CUT = 1e-3
"""A setting: largest cut, however large the residuals are."""


@on_lists(0, 1, 2)
def _factorise(
    a: Array, tau: Array, order: NDArray[np.int64], pivot: bool, cut: float, work: Array
) -> int:
    """Householder QR of `a`, shape (m, n), in place; returns the rank.

    Afterwards the original a[:, order] is Q R: R is on and above the diagonal, the vectors of the
    reflections below it (their first entry, 1, is not stored), their factors in `tau`, shape
    (min(m, n),).  With `pivot` columns are exchanged so that the longest remaining one comes next.
    A pivot not above `cut` times the largest one ends the factorisation.  `work`: scratch, (2, n).
    """
    m, n = len(a), len(order)
    length2, sums = work[0], work[1]
    for j in range(n):
        order[j] = j
        length2[j] = 0.0
    for i in range(m):
        row = a[i]
        for j in range(n):
            length2[j] += row[j] * row[j]
    largest = 0.0
    for k in range(min(m, n)):
        if pivot:
            _bring_longest(a, k, length2, order)
        size2 = 0.0
        for i in range(k, m):
            size2 += a[i][k] * a[i][k]
        size = sqrt(size2)
        largest = max(largest, size)
        if not (size > cut * largest and size > 0.0):  # also where it is NaN
            return k
        head = a[k][k]
        beta = -size if head >= 0.0 else size
        tau[k] = (beta - head) / beta
        a[k][k] = beta
        for i in range(k + 1, m):
            a[i][k] /= head - beta
        _sweep(a, k, tau[k], length2, sums)
    return int(min(m, n))


@borrowing
def _bring_longest(a: Array, k: int, length2: Array, order: NDArray[np.int64]) -> None:
    """Exchange column k with the longest of the columns from k on."""
    best = k
    for j in range(k + 1, len(order)):
        if length2[j] > length2[best]:
            best = j
    if best != k:
        for i in range(len(a)):
            row = a[i]
            row[k], row[best] = row[best], row[k]
        length2[best] = length2[k]
        order[k], order[best] = order[best], order[k]


@borrowing
def _sweep(a: Array, k: int, tau: float, length2: Array, sums: Array) -> None:
    """Apply reflection k to the columns after it, along rows.

    The squared lengths below row k are summed again, not downdated: small pivots stay accurate.
    """
    m, n, top = len(a), len(sums), a[k]
    for j in range(k + 1, n):
        sums[j] = top[j]
    for i in range(k + 1, m):
        v, row = a[i][k], a[i]
        for j in range(k + 1, n):
            sums[j] += v * row[j]
    for j in range(k + 1, n):
        sums[j] *= tau
        top[j] -= sums[j]
        length2[j] = 0.0
    for i in range(k + 1, m):
        v, row = a[i][k], a[i]
        for j in range(k + 1, n):
            row[j] -= v * sums[j]
            length2[j] += row[j] * row[j]


@on_lists(3)
def _reflect(a: Array, tau: Array, rank: int, x: Array, unit: bool, sums: Array) -> None:
    """x <- Q x in place, Q the first `rank` reflections stored in `a` by `_factorise`.

    With `unit` x is columns of the identity: reflection k then does not change those before k.
    `sums`: scratch, one for each column of x.
    """
    m, n = len(x), len(sums)
    for k in range(rank - 1, -1, -1):
        start, top = k if unit else 0, x[k]
        for j in range(start, n):
            sums[j] = top[j]
        for i in range(k + 1, m):
            v, row = a[i][k], x[i]
            for j in range(start, n):
                sums[j] += v * row[j]
        for j in range(start, n):
            sums[j] *= tau[k]
            top[j] -= sums[j]
        for i in range(k + 1, m):
            v, row = a[i][k], x[i]
            for j in range(start, n):
                row[j] -= v * sums[j]


@on_lists(2)
def _solve_triangle(r: Array, n: int, y: Array, transposed: bool) -> None:
    """y[:n] <- R^-1 y[:n] or, `transposed`, R^-T y[:n]; R is the upper triangle of r[:n, :n]."""
    for step in range(n):
        k = step if transposed else n - 1 - step
        first, last = (0, k) if transposed else (k + 1, n)
        row = y[k]
        for j in range(first, last):
            factor, other = r[j][k] if transposed else r[k][j], y[j]
            for i in range(len(row)):
                row[i] -= factor * other[i]
        scale = 1.0 / r[k][k]
        for i in range(len(row)):
            row[i] *= scale


@compiled
def _solve_trapezoid(r: Array, rank: int, y: Array) -> None:
    """y <- R^+ y in place, R the first `rank` rows of `r`; only those rows of y are read.

    R^T = Z S with S square and upper, so R^+ = Z S^-T.
    """
    n = len(y)
    w = np.zeros((n, rank))
    for k in range(rank):
        for j in range(k, n):
            w[j, k] = r[k, j]
    tau = np.empty(rank)
    order = np.empty(rank, np.int64)
    _factorise(w, tau, order, False, 0.0, np.empty((2, rank)))
    _solve_triangle(w, rank, y, True)
    _reflect(w, tau, rank, y, False, np.empty(y.shape[1]))


@apart
@compiled
def pseudo_inverse(a: Array, inverse: Array, cut: float) -> int:
    """Moore-Penrose inverse (n, m) of `a`, (m, n), into `inverse`; returns the numerical rank.

    By QR with column exchange, a[:, order] = Q R; a pivot not above `cut` times the largest counts
    as zero.  With full column rank the inverse is R^-1 Q^T, in the original row order.  Otherwise
    the rows of R are factorised again, R^T = Z S (complete orthogonal decomposition), and it is
    Z S^-T Q^T.  A wide matrix is transposed first, so that full row rank needs one factorisation.

    Source: Ding and others, equations (5) to (7); Golub and Van Loan, Matrix Computations.
    """
    wide = a.shape[0] < a.shape[1]
    m, n = max(a.shape[0], a.shape[1]), min(a.shape[0], a.shape[1])
    w = np.empty((m, n))
    for i in range(m):
        for j in range(n):
            w[i, j] = a[j, i] if wide else a[i, j]
    tau = np.empty(n)
    order = np.empty(n, np.int64)
    rank = _factorise(w, tau, order, True, cut, np.empty((2, n)))
    q = np.zeros((m, rank))
    for k in range(rank):
        q[k, k] = 1.0
    _reflect(w, tau, rank, q, True, np.empty(rank))
    y = np.zeros((n, m))
    for i in range(m):
        for k in range(rank):
            y[k, i] = q[i, k]
    if rank == n:
        _solve_triangle(w, n, y, False)
    else:
        _solve_trapezoid(w, rank, y)
    for k in range(n):
        for i in range(m):
            if wide:
                inverse[i, order[k]] = y[k, i]
            else:
                inverse[order[k], i] = y[k, i]
    return rank


@compiled
def pivoted_rank(a: Array, cut: float) -> int:
    """Rank of `a`, shape (m, n), by the same factorisation; `a` is overwritten."""
    tau = np.empty(min(a.shape[0], a.shape[1]))
    order = np.empty(a.shape[1], np.int64)
    return _factorise(a, tau, order, True, cut, np.empty((2, len(order))))


def pivot_rows(matrix: Array, cut: float) -> tuple[NDArray[np.int64], int]:
    """Rows in the order of elimination, the longest remainder next, and the rank.

    A row is independent where its remainder is longer than `cut` times the longest row.
    """
    a = np.ascontiguousarray(matrix.T)
    order = np.empty(a.shape[1], np.int64)
    rank = _factorise(a, np.empty(min(a.shape)), order, True, cut, np.empty((2, len(order))))
    return order, rank


class Rank(NamedTuple):
    """A numerical rank and its singular values."""

    rank: int
    gap: float
    """First neglected singular value over the last one counted, 0 where either is missing.  The
    rank is clear where this is near rounding, and arbitrary near 1."""
    singular_values: Array


def rank_cut(off: float, least: float = ROOT) -> float:
    """Share of the largest singular value that counts as none.

    Equations hold to `off`, relative to the characteristic length.
    """
    return min(max(least, OFF_SHARE * off), LARGEST_CUT)


def rank_of(matrix: ArrayLike, cut: float = RANK) -> Rank:
    """Rank of `matrix`, shape (m, n): singular values above `cut` times the largest."""
    a = np.asarray(matrix, dtype=float)
    values = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros(0)
    rank = _count(values, cut)
    gap = float(values[rank] / values[rank - 1]) if 0 < rank < len(values) else 0.0
    return Rank(rank, gap, values)


def null_space(matrix: ArrayLike, cut: float = RANK) -> Array:
    """Orthonormal columns x with matrix @ x = 0, shape (n, n - rank)."""
    a = np.asarray(matrix, dtype=float)
    if a.size == 0:
        return np.eye(a.shape[1])
    _, values, right = np.linalg.svd(a)
    return right[_count(values, cut) :].T.copy()


def left_null_space(matrix: ArrayLike, cut: float = RANK) -> Array:
    """Orthonormal columns y with y @ matrix = 0, shape (m, m - rank)."""
    return null_space(np.asarray(matrix, dtype=float).T, cut)


def without(columns: Array, combinations: Array) -> Array:
    """Orthonormal columns (m, n) less k combinations, orthonormal rows (k, n): (m, n - k).

    Each is reflected onto one column, which is left out.
    """
    vectors, rest = np.array(columns.T, order="C"), combinations.copy()
    kept = np.ones(len(vectors), bool)
    for k, row in enumerate(rest):
        own = np.flatnonzero(np.abs(row) > ROUNDING)  # few, of what is local
        normal, n = row[own], int(np.argmax(np.abs(row[own])))
        normal[n] += np.copysign(1.0, normal[n])
        across = normal * (2.0 / (normal @ normal))
        vectors[own] -= np.outer(normal, across @ vectors[own])
        rest[k + 1 :, own] -= np.outer(rest[k + 1 :, own] @ across, normal)
        kept[own[n]] = False
    left: Array = vectors[kept].T
    return left


def independent_rows(matrix: ArrayLike) -> NDArray[np.int64]:
    """Rows that form a basis of the row space, in the order of selection.

    A row is selected when its component outside the span of those selected before is longer than
    `RANK` times the longest row.
    """
    a = np.asarray(matrix, dtype=float)
    m, n = a.shape
    limit = RANK * max((float(np.linalg.norm(row)) for row in a), default=0.0)
    basis = np.empty((min(m, n), n))
    selected: list[int] = []
    for i in range(m):
        if len(selected) == n:
            break
        span = basis[: len(selected)]
        rest = a[i] - span.T @ (span @ a[i])
        rest -= span.T @ (span @ rest)  # twice: against rounding of a long row
        size = float(np.linalg.norm(rest))
        if size > limit:
            basis[len(selected)] = rest / size
            selected.append(i)
    return np.array(selected, dtype=np.int64)


def _count(values: Array, cut: float) -> int:
    return int((values > cut * values[0]).sum()) if len(values) else 0

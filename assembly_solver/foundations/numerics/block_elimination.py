"""Rank and null space of a large sparse matrix whose columns come in blocks of equal width.

Blocks are eliminated one by one, that with the fewest neighbours next.  All rows that read a block
are rotated so that as few as the rank of their entries there still read it; the others go on to the
neighbours (multifrontal QR).  Rotations keep the singular values of what remains, so the work grows
with the size of the matrix where its graph is narrow, as that of a linkage is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from ..types import Array, Ints
from .linear import Rank
from .rounding import TINY

CLEAR = 10.0
"""Ratio to the cut from which a singular value is clearly above or below it."""

POWER_STEPS = 12
"""Steps of the power iterations that estimate the extreme singular values."""


class RowGroup(NamedTuple):
    """Rows that read some blocks: their entries there, (rows, blocks * width)."""

    blocks: tuple[int, ...]
    matrix: Array


class Pivot(NamedTuple):
    """An eliminated block: `sizes` * (`right` @ x_own) + `beside` @ x_others = right-hand side.

    Attributes:
        own, others: columns; sizes: singular values, (rank,); right: (rank, width).
        free: directions of the block that no row reads, (width - rank, width).
    """

    own: slice
    others: Ints
    sizes: Array
    right: Array
    beside: Array
    free: Array


class BlockElimination:
    """The elimination of a matrix, given by its groups of rows.

    A value is zero where it is at most `cut` times the largest singular value.  What `check` raises
    interrupts it; it is called block by block.

    Attributes:
        rank: as of `rank_of`, with three singular values: the largest, the smallest that counts
            (both estimated by power iteration, from within), the largest that was neglected.
        clear: whether no value is near the cut; else a dense decomposition may decide otherwise.

    Source: multifrontal QR: T. A. Davis, Direct Methods for Sparse Linear Systems, chapter 5.
    """

    def __init__(
        self,
        groups: Sequence[RowGroup],
        count: int,
        width: int,
        cut: float,
        check: Callable[[], object] = lambda: None,
    ) -> None:
        self._check = check
        self._groups, self._count, self._width = groups, count, width
        self._pivots: list[Pivot] = []
        self._largest = largest_value(groups, count * width, width, check)
        self._limit = cut * self._largest
        self._dropped, self._least = 0.0, np.inf
        self._eliminate()
        self.basis = self._null_space()
        smallest = self._smallest_value()
        number = sum(len(p.sizes) for p in self._pivots)
        values = np.array([self._largest, smallest, self._dropped])
        gap = self._dropped / smallest if number else 0.0
        self.rank = Rank(number, float(gap), values)
        kept = min(smallest, self._least)
        self.clear = kept > CLEAR * self._limit and CLEAR * self._dropped < self._limit

    # ------------------------------------------------------------------ elimination
    def _eliminate(self) -> None:
        fronts: dict[int, list[RowGroup]] = {b: [] for b in range(self._count)}
        for group in self._groups:
            for b in group.blocks:
                fronts[b].append(group)
        queue = [(_neighbours(b, fronts[b]), b) for b in fronts]
        heapify(queue)
        while queue:
            degree, b = heappop(queue)
            if b not in fronts or degree != _neighbours(b, fronts[b]):
                continue  # done, or entered again since
            self._check()
            others = sorted({o for g in fronts[b] for o in g.blocks} - {b})
            rest = self._pivot(b, others, fronts[b])
            gone = {id(g) for g in fronts.pop(b)}
            front = [RowGroup(tuple(others), rest)] if len(rest) else []
            for o in others:
                fronts[o] = [g for g in fronts[o] if id(g) not in gone] + front
                heappush(queue, (_neighbours(o, fronts[o]), o))

    def _pivot(self, b: int, others: list[int], groups: list[RowGroup]) -> Array:
        """Eliminate a block; the rows that remain on the others."""
        w = self._width
        place = {o: n * w for n, o in enumerate([b, *others])}
        whole = np.zeros((sum(len(g.matrix) for g in groups), w * len(place)))
        at = 0
        for g in groups:
            n = len(g.matrix)
            for k, o in enumerate(g.blocks):
                column = place[o]
                whole[at : at + n, column : column + w] = g.matrix[:, k * w : (k + 1) * w]
            at += n
        left, sizes, right = np.linalg.svd(whole[:, :w])
        rank = int((sizes > self._limit).sum())
        self._dropped = max(self._dropped, float(sizes[rank:].max(initial=0.0)))
        self._least = min(self._least, float(sizes[:rank].min(initial=np.inf)))
        turned = left.T @ whole[:, w:]
        own, columns = slice(b * w, b * w + w), columns_of(others, w)
        pivot = Pivot(own, columns, sizes[:rank], right[:rank], turned[:rank], right[rank:])
        self._pivots.append(pivot)
        rest = turned[rank:]
        if len(rest) > rest.shape[1]:
            shorter: Array = np.linalg.qr(rest)[1]
            return shorter
        return rest

    # ------------------------------------------------------------------ null space, extreme values
    def _null_space(self) -> Array:
        """Orthonormal columns that the matrix maps to zero, (columns, columns - rank)."""
        free = sum(len(p.free) for p in self._pivots)
        out = np.zeros((self._count * self._width, free))
        at = 0
        for p in reversed(self._pivots):
            out[p.own] = p.right.T @ (-(p.beside @ out[p.others]) / p.sizes[:, None])
            out[p.own, at : at + len(p.free)] += p.free.T
            at += len(p.free)
        basis: Array = np.linalg.qr(out / np.abs(out).max(axis=0, initial=TINY))[0]
        return basis

    def _smallest_value(self) -> float:
        """The smallest singular value that is not zero, by power iteration of the inverse."""
        if not any(len(p.sizes) for p in self._pivots):
            return np.inf
        x, size = np.random.default_rng(1).normal(size=self._count * self._width), 0.0
        for _ in range(POWER_STEPS):
            self._check()
            x = self._across(x)
            x /= max(float(np.linalg.norm(x)), TINY)
            x = self._across(self._inverse(self._inverse_transposed(x.copy())))
            size = float(np.linalg.norm(x))
        return float(1 / np.sqrt(max(size, TINY)))

    def _across(self, x: Array) -> Array:
        """What of a vector is across the null space."""
        out: Array = x - self.basis @ (self.basis.T @ x)
        return out

    def _inverse(self, given: list[Array]) -> Array:
        """A solution for right-hand sides of the pivots, in their order."""
        x = np.zeros(self._count * self._width)
        for p, side in zip(reversed(self._pivots), reversed(given), strict=True):
            x[p.own] = p.right.T @ ((side - p.beside @ x[p.others]) / p.sizes)
        return x

    def _inverse_transposed(self, x: Array) -> list[Array]:
        """Factors of the pivots whose combination is `x`, which is overwritten."""
        out = []
        for p in self._pivots:
            y = (p.right @ x[p.own]) / p.sizes
            x[p.others] -= p.beside.T @ y
            out.append(y)
        return out


def _neighbours(b: int, groups: list[RowGroup]) -> int:
    """How many other blocks the rows read that read a block."""
    return len({o for g in groups for o in g.blocks} - {b})


def columns_of(blocks: Sequence[int], width: int) -> Ints:
    """Columns of some blocks."""
    at = np.array(blocks, np.int64)
    return (at[:, None] * width + np.arange(width)).ravel()


def largest_value(
    groups: Sequence[RowGroup], columns: int, width: int, check: Callable[[], object] = lambda: None
) -> float:
    """The largest singular value of a matrix of so many columns, by power iteration."""
    x, size = np.random.default_rng(0).normal(size=columns), 0.0
    at = [(columns_of(g.blocks, width), g.matrix) for g in groups]
    for _ in range(POWER_STEPS):
        check()
        x /= max(float(np.linalg.norm(x)), TINY)
        y = np.zeros(len(x))
        for own, matrix in at:
            y[own] += matrix.T @ (matrix @ x[own])
        x, size = y, float(np.linalg.norm(y))
    return float(np.sqrt(size))

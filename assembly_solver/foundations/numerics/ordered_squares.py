"""Least squares in an order of importance, of sparse matrices with columns in blocks.

Of all x with the least |A0 x - b0| those with the least |A1 x|, of these those with the least
|A2 x|, and so on.  Blocks are eliminated one by one, that with the fewest neighbours next: the rows
of the first matrix that read a block fix as much of it as their rank there, given the blocks beside
it; what they leave is fixed by the next matrix.  Rotations keep the squares of what remains, which
goes on to the neighbours: the work grows with the blocks where their graph is narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from ..types import Array, Ints
from .block_elimination import CLEAR, RowGroup, columns_of, largest_value
from .rounding import TINY


class SidedRows(NamedTuple):
    """Rows that read some blocks: their entries there, (rows, blocks * width), and right-hand
    sides, (rows, sides)."""

    blocks: tuple[int, ...]
    matrix: Array
    side: Array


class FixedBlock(NamedTuple):
    """An eliminated block: x_own = `shift` + `beside` @ x_others.

    Attributes:
        own: its number; others: columns; shift: (width, sides); beside: (width, others).
        free, first_beside: directions that no row of the first matrix reads, (width, freedoms), and
            what these rows alone leave as `beside`.
    """

    own: int
    others: Ints
    shift: Array
    beside: Array
    free: Array
    first_beside: Array


class OrderedSquares:
    """The least squares of some matrices in their order.

    Args:
        levels: the rows of each matrix; count, width: of the blocks.
        cuts: for each matrix, the singular value that counts as zero, over the largest one.

    Attributes:
        rank: of the first matrix; clear: whether none of its values is near the cut.
        widest: the most blocks that a block was eliminated beside.

    Source: multifrontal QR: T. A. Davis, Direct Methods for Sparse Linear Systems, chapter 5;
    the order: A. Bjorck, Numerical Methods for Least Squares Problems, 5.1.
    """

    def __init__(
        self, levels: Sequence[Sequence[SidedRows]], count: int, width: int, cuts: Sequence[float]
    ) -> None:
        self._width, self._count = width, count
        sizes = [
            largest_value([RowGroup(*r[:2]) for r in rows], count * width, width) for rows in levels
        ]
        self._limits = [cut * size for cut, size in zip(cuts, sizes, strict=True)]
        self._sides = next((r.side.shape[1] for rows in levels for r in rows), 0)
        self._blocks: list[FixedBlock] = []
        self.rank, self.clear, self.widest = 0, True, 0
        self._eliminate(levels)

    def _eliminate(self, levels: Sequence[Sequence[SidedRows]]) -> None:
        fronts: dict[int, list[list[SidedRows]]] = {
            b: [[] for _ in levels] for b in range(self._count)
        }
        for level, rows in enumerate(levels):
            for group in rows:
                for b in group.blocks:
                    fronts[b][level].append(group)
        queue = [(len(_beside(b, fronts[b])), b) for b in fronts]
        heapify(queue)
        while queue:
            degree, b = heappop(queue)
            if b not in fronts or degree != len(others := _beside(b, fronts[b])):
                continue  # done, or entered again since
            self.widest = max(self.widest, degree)
            known = fronts.pop(b)
            rest = self._fix(b, others, known)
            gone = {id(g) for rows in known for g in rows}
            for o in others:
                for level, left in enumerate(rest):
                    kept = [g for g in fronts[o][level] if id(g) not in gone]
                    fronts[o][level] = [*kept, left] if len(left.matrix) else kept
                heappush(queue, (len(_beside(o, fronts[o])), o))

    def _fix(self, b: int, others: list[int], known: list[list[SidedRows]]) -> list[SidedRows]:
        """Eliminate a block; what remains of each matrix on the others."""
        w = self._width
        columns = columns_of(others, w)
        left = np.eye(w)  # the directions that nothing fixes yet
        shift, beside = np.zeros((w, self._sides)), np.zeros((w, len(columns)))
        free, first_beside = left, beside
        rest = []
        for level, groups in enumerate(known):
            own, other, side = self._gathered(b, others, groups)
            turned, sizes, right = np.linalg.svd(own @ left)
            rank = int((sizes > self._limits[level]).sum())
            other, side = turned.T @ (other + own @ beside), turned.T @ (side - own @ shift)
            step = (left @ right[:rank].T) / sizes[:rank]
            shift, beside = shift + step @ side[:rank], beside - step @ other[:rank]
            left = left @ right[rank:].T
            if level == 0:
                self._count_rank(rank, sizes)
                free, first_beside = left, beside
            rest.append(self._shortened(level, tuple(others), other[rank:], side[rank:]))
        self._blocks.append(FixedBlock(b, columns, shift, beside, free, first_beside))
        return rest

    def _shortened(
        self, level: int, blocks: tuple[int, ...], matrix: Array, side: Array
    ) -> SidedRows:
        """Rows with the same squares but for what no x changes: no more than columns."""
        if len(matrix) > matrix.shape[1]:
            turned, matrix = np.linalg.qr(matrix)
            side = turned.T @ side
        read = np.linalg.norm(matrix, axis=1) > self._limits[level]
        return SidedRows(blocks, matrix[read], side[read])

    def _count_rank(self, rank: int, sizes: Array) -> None:
        self.rank += rank
        limit = self._limits[0]
        near = (sizes > limit / CLEAR) & (sizes < limit * CLEAR)
        self.clear = self.clear and not near.any()

    def _gathered(
        self, b: int, others: list[int], groups: list[SidedRows]
    ) -> tuple[Array, Array, Array]:
        """The rows of some groups: their entries in a block and in the others, and their sides."""
        w = self._width
        place = {o: n * w for n, o in enumerate([b, *others])}
        whole = np.zeros((sum(len(g.matrix) for g in groups), w * len(place)))
        side = np.zeros((len(whole), self._sides))
        at = 0
        for g in groups:
            n = len(g.matrix)
            side[at : at + n] = g.side
            for k, o in enumerate(g.blocks):
                whole[at : at + n, place[o] : place[o] + w] = g.matrix[:, k * w : (k + 1) * w]
            at += n
        return whole[:, :w], whole[:, w:], side

    def solution(self) -> Array:
        """x for each right-hand side, (columns, sides); 0 where no matrix reads."""
        out = np.zeros((self._count * self._width, self._sides))
        for k in reversed(self._blocks):
            first = k.own * self._width
            out[first : first + self._width] = k.shift + k.beside @ out[k.others]
        return out

    def null_space(self) -> Array:
        """Independent columns that the first matrix maps to zero, (columns, columns - rank)."""
        freedoms = self._count * self._width - self.rank
        out, at = np.zeros((self._count * self._width, freedoms)), 0
        for k in reversed(self._blocks):
            own = slice(k.own * self._width, (k.own + 1) * self._width)
            out[own] = k.first_beside @ out[k.others]
            out[own, at : at + k.free.shape[1]] += k.free
            at += k.free.shape[1]
        sized: Array = out / np.abs(out).max(axis=0, initial=TINY)
        return sized


def _beside(b: int, front: list[list[SidedRows]]) -> list[int]:
    """The other blocks that the rows read which read a block, in order."""
    return sorted({o for rows in front for g in rows for o in g.blocks} - {b})

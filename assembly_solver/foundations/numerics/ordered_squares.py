"""Least squares in an order of importance, of sparse matrices with columns in blocks.

Of all x with the least |A0 x - b| those with the least |A1 x|, of these those with the least
|A2 x|, and so on.  Blocks are eliminated one by one, that with the fewest neighbours next: the rows
of the first matrix that read a block fix as much of it as their rank there, given the blocks beside
it; what they leave is fixed by the next matrix.  Rotations keep the squares of what remains, which
goes on to the neighbours: the work grows with the blocks where their graph is narrow.

What each elimination does with right-hand sides is kept, so that they are solved for later, each
by work that grows with the blocks as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from ..types import Array, Ints
from .block_elimination import CLEAR, RowGroup, columns_of, largest_value
from .rounding import ROUNDING, TINY

ZERO = -1
"""The number of an entry that is always 0."""


class NumberedRows(NamedTuple):
    """Rows that read some blocks: their entries there, (rows, blocks * width), and the numbers of
    their right-hand sides, `ZERO` of those that have none."""

    blocks: tuple[int, ...]
    matrix: Array
    numbers: Ints


class FixedBlock(NamedTuple):
    """An eliminated block: x_own = `shift` @ sides + `beside` @ x_others.

    Attributes:
        own: its number; others: columns.
        sides: numbers of the right-hand sides that it reads; shift: (width, sides).
        made: numbers of those that it leaves to other blocks; left: these of `sides`.
        beside: (width, others).
        free, first_beside: directions that no row of the first matrix reads, (width, freedoms), and
            what these rows alone leave as `beside`.
    """

    own: int
    others: Ints
    sides: Ints
    shift: Array
    made: Ints
    left: Array
    beside: Array
    free: Array
    first_beside: Array


class Sums(NamedTuple):
    """Sums that follow each other: number n is that of `factor[k]` times entry `number[k]`, for k
    from `first[n]` to `first[n + 1]`.

    Entries are what is given, then the sums; `place` tells which sum each of the results is.
    """

    first: Ints
    number: Ints
    factor: Array
    place: Ints


class OrderedSquares:
    """The least squares of some matrices in their order.

    Args:
        levels: the rows of each matrix; count, width: of the blocks.
        cuts: for each matrix, the singular value that counts as zero, over the largest one.
        given: number of right-hand sides that rows read.

    Attributes:
        rank: of the first matrix; clear: whether none of its values is near the cut.
        widest: the most blocks that a block was eliminated beside.

    Source: multifrontal QR: T. A. Davis, Direct Methods for Sparse Linear Systems, chapter 5;
    the order: A. Bjorck, Numerical Methods for Least Squares Problems, 5.1.
    """

    def __init__(
        self,
        levels: Sequence[Sequence[NumberedRows]],
        count: int,
        width: int,
        cuts: Sequence[float],
        given: int,
    ) -> None:
        self._width, self._count, self._given, self._made = width, count, given, given
        sizes = [
            largest_value([RowGroup(*r[:2]) for r in rows], count * width, width) for rows in levels
        ]
        self._limits = [cut * size for cut, size in zip(cuts, sizes, strict=True)]
        self._blocks: list[FixedBlock] = []
        self.rank, self.clear, self.widest = 0, True, 0
        self._eliminate(levels)

    def _eliminate(self, levels: Sequence[Sequence[NumberedRows]]) -> None:
        fronts: dict[int, list[list[NumberedRows]]] = {
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

    def _fix(
        self, b: int, others: list[int], known: list[list[NumberedRows]]
    ) -> list[NumberedRows]:
        """Eliminate a block; what remains of each matrix on the others."""
        w, columns = self._width, columns_of(others, self._width)
        numbers = np.concatenate([np.empty(0, np.int64), *(g.numbers for gs in known for g in gs)])
        sides = numbers[numbers != ZERO]
        left = np.eye(w)  # the directions that nothing fixes yet
        shift, beside = np.zeros((w, len(sides))), np.zeros((w, len(columns)))
        free, first_beside = left, beside
        rest, leaving, at = [], [np.empty((0, len(sides)))], 0
        for level, groups in enumerate(known):
            own, other, side = self._gathered(b, others, groups, len(sides), at)
            at += int(side.sum())
            turned, sizes, right = np.linalg.svd(own @ left)
            rank = int((sizes > self._limits[level]).sum())
            other, side = turned.T @ (other + own @ beside), turned.T @ (side - own @ shift)
            step = (left @ right[:rank].T) / sizes[:rank]
            shift, beside = shift + step @ side[:rank], beside - step @ other[:rank]
            left = left @ right[rank:].T
            if level == 0:
                self._count_rank(rank, sizes)
                free, first_beside = left, beside
            matrix, side = self._shortened(level, other[rank:], side[rank:])
            rest.append(NumberedRows(tuple(others), matrix, self._new_numbers(side)))
            leaving.append(side[rest[-1].numbers != ZERO])
        made = np.concatenate([np.empty(0, np.int64), *(r.numbers for r in rest)])
        known_sides = np.concatenate(leaving)
        self._blocks.append(
            FixedBlock(
                b,
                columns,
                sides,
                shift,
                made[made != ZERO],
                known_sides,
                beside,
                free,
                first_beside,
            )
        )
        return rest

    def _new_numbers(self, side: Array) -> Ints:
        """Numbers of new right-hand sides, given by others; `ZERO` where these do not count."""
        counts = np.any(side != 0.0, axis=1)
        out = np.where(counts, self._made + np.cumsum(counts) - 1, ZERO)
        self._made += int(counts.sum())
        return out

    def _shortened(self, level: int, matrix: Array, side: Array) -> tuple[Array, Array]:
        """Rows with the same squares but for what no x changes: no more than columns."""
        if len(matrix) > matrix.shape[1]:
            turned, matrix = np.linalg.qr(matrix)
            side = turned.T @ side
        read = np.linalg.norm(matrix, axis=1) > self._limits[level]
        return matrix[read], side[read]

    def _count_rank(self, rank: int, sizes: Array) -> None:
        self.rank += rank
        limit = self._limits[0]
        near = (sizes > limit / CLEAR) & (sizes < limit * CLEAR)
        self.clear = self.clear and not near.any()

    def _gathered(
        self, b: int, others: list[int], groups: list[NumberedRows], sides: int, first: int
    ) -> tuple[Array, Array, Array]:
        """The rows of some groups: their entries in a block and in the others, and which of the
        right-hand sides, `first` and on, is theirs."""
        w = self._width
        place = {o: n * w for n, o in enumerate([b, *others])}
        whole = np.zeros((sum(len(g.matrix) for g in groups), w * len(place)))
        side = np.zeros((len(whole), sides))
        at = 0
        for g in groups:
            n = len(g.matrix)
            for k, o in enumerate(g.blocks):
                whole[at : at + n, place[o] : place[o] + w] = g.matrix[:, k * w : (k + 1) * w]
            at += n
        numbered = np.flatnonzero(np.concatenate([np.empty(0), *(g.numbers for g in groups)]) >= 0)
        side[numbered, first + np.arange(len(numbered))] = 1.0
        return whole[:, :w], whole[:, w:], side

    def solution(self, sides: Array) -> Array:
        """x for right-hand sides, (given, k): (columns, k); 0 where no matrix reads."""
        whole = np.zeros((self._made, sides.shape[1]))
        whole[: self._given] = sides
        for k in self._blocks:
            whole[k.made] = k.left @ whole[k.sides]
        out = np.zeros((self._count * self._width, sides.shape[1]))
        for k in reversed(self._blocks):
            first = k.own * self._width
            out[first : first + self._width] = k.shift @ whole[k.sides] + k.beside @ out[k.others]
        return out

    def sums(self) -> Sums:
        """`solution` as sums of the right-hand sides."""
        rows: list[tuple[Ints, Array]] = []
        for k in self._blocks:
            rows += [(k.sides, factors) for factors in k.left]
        place: Ints = np.zeros(self._count * self._width, np.int64)
        for k in reversed(self._blocks):
            first = k.own * self._width
            numbers = np.concatenate([k.sides, self._given + place[k.others]])
            place[first : first + self._width] = len(rows) + np.arange(self._width)
            rows += [(numbers, f) for f in np.concatenate([k.shift, k.beside], axis=1)]
        return sums_of(rows, place)

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


def sums_of(rows: Sequence[tuple[Ints, Array]], place: Ints) -> Sums:
    """Sums given by the numbers and factors of each, without what rounding leaves of a 0."""
    kept = [np.abs(f) > ROUNDING * np.abs(f).max(initial=0.0) for _, f in rows]
    first = np.cumsum([0, *(int(k.sum()) for k in kept)])
    numbers = [numbers[k] for (numbers, _), k in zip(rows, kept, strict=True)]
    factors = [factors[k] for (_, factors), k in zip(rows, kept, strict=True)]
    return Sums(
        first,
        np.concatenate([np.empty(0, np.int64), *numbers]),
        np.concatenate([np.empty(0), *factors]),
        place,
    )


def _beside(b: int, front: list[list[NumberedRows]]) -> list[int]:
    """The other blocks that the rows read which read a block, in order."""
    return sorted({o for rows in front for g in rows for o in g.blocks} - {b})

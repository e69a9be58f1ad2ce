"""Cholesky factor of a block matrix over bodies, in the order of least degree.

There is one small dense block per body and one per pair of bodies that share an equation: the cost
of a tree is linear in its bodies, that of a loop little more.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import borrowing, sized
from ..foundations.numerics.cholesky import cholesky
from ..foundations.types import Array, Ints
from .table import PLANE, SPACE


class EliminationPattern(NamedTuple):
    """Sparsity of the Cholesky factor, with bodies in the order of elimination.

    Column k has the blocks first[k] .. first[k + 1], whose rows are `row`, ascending.  The products
    of column k are subtracted from target[first_target[k]] .. : a block, or -1 - k on the diagonal.

    Attributes:
        bodies: in the order of elimination; position: of each body in it, -1 for fixed bodies.
    """

    bodies: Ints
    position: Ints
    first: Ints
    row: Ints
    first_target: Ints
    target: Ints


def pattern(bodies: Ints, links: Ints, total: int) -> EliminationPattern:
    """Elimination order by least degree, and the fill.

    Args:
        bodies: those that move; links: pairs of bodies that share an equation, shape (k, 2).
        total: number of all bodies.
    """
    near: dict[int, set[int]] = {b: set() for b in bodies.tolist()}
    for a, b in links.tolist():
        if a in near and b in near and a != b:
            near[a].add(b)
            near[b].add(a)
    order, columns = _eliminate(near)
    place = dict(zip(order, range(len(order)), strict=True))
    rows = [sorted([place[b] for b in c]) for c in columns]
    first = [0, *accumulate(map(len, rows))]
    block = [
        dict(zip(below, range(k, k + len(below)), strict=True))
        for k, below in zip(first, rows, strict=False)
    ]
    target = [
        -1 - i if i == j else block[j][i] for below in rows for i in below for j in below if j <= i
    ]
    first_target = [0, *accumulate(len(below) * (len(below) + 1) // 2 for below in rows)]
    row = [*chain.from_iterable(rows)]
    position = np.full(total, -1, np.int64)
    position[order] = np.arange(len(order))
    arrays = (np.array(x, np.int64) for x in (order, position, first, row, first_target, target))
    return EliminationPattern(*arrays)


def _eliminate(near: dict[int, set[int]]) -> tuple[list[int], list[set[int]]]:
    """Bodies in the order of least degree, and the neighbours of each when it is eliminated."""
    waiting = [(len(n), b) for b, n in near.items()]
    heapify(waiting)
    order, columns = list[int](), list[set[int]]()
    while near:
        degree, body = heappop(waiting)
        if body not in near or len(near[body]) != degree:  # it had this degree before
            continue
        below = near.pop(body)
        order.append(body)
        columns.append(below)
        for b in below:
            own = near[b]
            own.update(below)
            own.difference_update((b, body))
            heappush(waiting, (len(own), b))
    return order, columns


Factorise = Callable[[EliminationPattern, Array, Array], bool]
Substitute = Callable[[EliminationPattern, Array, Array, Array], None]


def _factoriser(c: int) -> Factorise:
    """`factorise` for blocks of c unknowns: loops of known length are unrolled."""

    def factorise_blocks(p: EliminationPattern, diagonal: Array, block: Array) -> bool:
        for k in range(len(p.bodies)):
            if not cholesky(diagonal[k]):
                return False
            d = diagonal[k]
            for n in range(p.first[k], p.first[k + 1]):
                b = block[n]
                for i in range(c):
                    own = b[i]
                    for j in range(c):
                        v, row = own[j], d[j]
                        for s in range(j):
                            v -= own[s] * row[s]
                        own[j] = v / row[j]
            product = p.first_target[k]
            for n in range(p.first[k], p.first[k + 1]):
                x = block[n]
                for m in range(p.first[k], n + 1):
                    y = block[m]
                    goal = p.target[product]
                    product += 1
                    out = diagonal[-1 - goal] if goal < 0 else block[goal]
                    for i in range(c):
                        of_x, own = x[i], out[i]
                        for j in range(c):
                            v, of_y = 0.0, y[j]
                            for s in range(c):
                                v += of_x[s] * of_y[s]
                            own[j] -= v
        return True

    return sized(factorise_blocks, c)


def _substituter(c: int) -> Substitute:
    """`substitute` for blocks of c unknowns."""

    def substitute_blocks(p: EliminationPattern, diagonal: Array, block: Array, x: Array) -> None:
        for k in range(len(p.bodies)):
            d, own = diagonal[k], x[k]
            for i in range(c):
                for j in range(i):
                    own[i] -= d[i][j] * own[j]
                own[i] /= d[i][i]
            for n in range(p.first[k], p.first[k + 1]):
                b, other = block[n], x[p.row[n]]
                for i in range(c):
                    row = b[i]
                    for j in range(c):
                        other[i] -= row[j] * own[j]
        for k in range(len(p.bodies) - 1, -1, -1):
            d, own = diagonal[k], x[k]
            for n in range(p.first[k], p.first[k + 1]):
                b, other = block[n], x[p.row[n]]
                for i in range(c):
                    row = b[i]
                    for j in range(c):
                        own[j] -= row[j] * other[i]
            for i in range(c - 1, -1, -1):
                for j in range(i + 1, c):
                    own[i] -= d[j][i] * own[j]
                own[i] /= d[i][i]

    return sized(substitute_blocks, c)


_factorise_plane, _factorise_space = (_factoriser(len(u)) for u in (PLANE, SPACE))
_substitute_plane, _substitute_space = (_substituter(len(u)) for u in (PLANE, SPACE))


@borrowing
def factorise(p: EliminationPattern, diagonal: Array, block: Array) -> bool:
    """Cholesky factor of a block matrix in place; False where it is not positive definite."""
    if len(diagonal) > 0 and len(diagonal[0]) == 3:
        return _factorise_plane(p, diagonal, block)
    return _factorise_space(p, diagonal, block)


@borrowing
def substitute(p: EliminationPattern, diagonal: Array, block: Array, x: Array) -> None:
    """x <- A^-1 x by the factor of `factorise`; x has shape (bodies, c)."""
    if len(diagonal) > 0 and len(diagonal[0]) == 3:
        _substitute_plane(p, diagonal, block, x)
    else:
        _substitute_space(p, diagonal, block, x)

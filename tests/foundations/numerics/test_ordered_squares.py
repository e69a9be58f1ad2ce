"""Least squares in an order of importance: as by null spaces of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.foundations.numerics.linear import null_space
from assembly_solver.foundations.numerics.ordered_squares import (
    ZERO,
    NumberedRows,
    OrderedSquares,
    Sums,
)

pytestmark = pytest.mark.quick

CUT = 1e-8


def ring(rng: np.random.Generator, blocks: int) -> list[NumberedRows]:
    """Rows between neighbours in a ring, three of rank two each, with right-hand sides."""
    out = []
    for k in range(blocks):
        two = rng.normal(size=(3, 2)) @ rng.normal(size=(2, 6))
        out.append(NumberedRows((k, (k + 1) % blocks), two, 3 * k + np.arange(3)))
    return out


def whole(rows: list[NumberedRows], count: int) -> NDArray[np.float64]:
    matrix = np.zeros((sum(len(r.matrix) for r in rows), 3 * count))
    at = 0
    for r in rows:
        for n, b in enumerate(r.blocks):
            matrix[at : at + len(r.matrix), 3 * b : 3 * b + 3] = r.matrix[:, 3 * n : 3 * n + 3]
        at += len(r.matrix)
    return matrix


def summed(sums: Sums, sides: NDArray[np.float64]) -> NDArray[np.float64]:
    """What sums come to, of (sides, k)."""
    known = list(sides)
    for n in range(len(sums.first) - 1):
        own = slice(sums.first[n], sums.first[n + 1])
        known.append(sums.factor[own] @ np.array(known)[sums.number[own]])
    return np.array(known)[len(sides) + sums.place]


@pytest.mark.parametrize("blocks", [3, 8])
def test_the_second_matrix_chooses_among_the_least_squares_of_the_first(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    first, sides = ring(rng, blocks), rng.normal(size=(3 * blocks, 2))
    none = np.full(3, ZERO)
    second = [NumberedRows((k,), rng.normal(size=(2, 3)), none[:2]) for k in range(blocks)]
    last = [NumberedRows((k,), np.eye(3), none) for k in range(blocks)]
    found = OrderedSquares([first, second, last], blocks, 3, [CUT] * 3, len(sides))
    a, b = whole(first, blocks), whole(second, blocks)
    x = np.linalg.pinv(a) @ sides
    free = null_space(a)
    x -= free @ (np.linalg.pinv(b @ free) @ (b @ x))
    assert found.rank == np.linalg.matrix_rank(a) == 2 * blocks
    assert found.clear and found.widest == 2
    np.testing.assert_allclose(found.solution(sides), x, atol=1e-12 * np.abs(x).max())
    np.testing.assert_allclose(summed(found.sums(), sides), x, atol=1e-11 * np.abs(x).max())
    null = found.null_space()
    assert null.shape == free.shape and np.linalg.matrix_rank(null) == blocks
    assert np.abs(a @ null).max() < 1e-12


def test_sums_of_a_ring_grow_with_its_blocks() -> None:
    """As many for each block more, where an inverse has a column more for each row."""
    sizes = []
    for blocks in (20, 40, 80):
        rows = ring(np.random.default_rng(blocks), blocks)
        sizes.append(len(OrderedSquares([rows], blocks, 3, [CUT], 3 * blocks).sums().factor))
    assert sizes[2] - sizes[1] == pytest.approx(2 * (sizes[1] - sizes[0]), rel=0.1)
    assert sizes[2] < 40 * 3 * 80


def test_dependent_rows_that_disagree_are_of_least_squares() -> None:
    """Three rows of one number, in a block whose other two numbers nothing reads."""
    row = NumberedRows((0,), np.array([[1.0, 0, 0]] * 3), np.arange(3))
    found = OrderedSquares([[row]], 1, 3, [CUT], 3)
    assert found.rank == 1
    x = found.solution(np.array([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(x, [[3.0], [0.0], [0.0]], atol=1e-15)

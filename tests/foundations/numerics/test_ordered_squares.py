"""Least squares in an order of importance: as by null spaces of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.foundations.numerics.linear import null_space
from assembly_solver.foundations.numerics.ordered_squares import OrderedSquares, SidedRows

pytestmark = pytest.mark.quick

CUT = 1e-8


def ring(rng: np.random.Generator, blocks: int) -> list[SidedRows]:
    """Rows between neighbours in a ring, three of rank two each, with two right-hand sides."""
    out = []
    for k in range(blocks):
        two = rng.normal(size=(3, 2)) @ rng.normal(size=(2, 6))
        out.append(SidedRows((k, (k + 1) % blocks), two, rng.normal(size=(3, 2))))
    return out


def whole(rows: list[SidedRows], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    matrix = np.zeros((sum(len(r.matrix) for r in rows), 3 * count))
    at = 0
    for r in rows:
        for n, b in enumerate(r.blocks):
            matrix[at : at + len(r.matrix), 3 * b : 3 * b + 3] = r.matrix[:, 3 * n : 3 * n + 3]
        at += len(r.matrix)
    return matrix, np.concatenate([r.side for r in rows])


@pytest.mark.parametrize("blocks", [3, 8])
def test_the_second_matrix_chooses_among_the_least_squares_of_the_first(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    first = ring(rng, blocks)
    second = [SidedRows((k,), rng.normal(size=(2, 3)), np.zeros((2, 2))) for k in range(blocks)]
    last = [SidedRows((k,), np.eye(3), np.zeros((3, 2))) for k in range(blocks)]
    found = OrderedSquares([first, second, last], blocks, 3, [CUT] * 3)
    a, side = whole(first, blocks)
    b, _ = whole(second, blocks)
    x = np.linalg.pinv(a) @ side
    free = null_space(a)
    x -= free @ (np.linalg.pinv(b @ free) @ (b @ x))
    assert found.rank == np.linalg.matrix_rank(a) == 2 * blocks
    assert found.clear and found.widest == 2
    np.testing.assert_allclose(found.solution(), x, atol=1e-12 * np.abs(x).max())
    null = found.null_space()
    assert null.shape == free.shape and np.linalg.matrix_rank(null) == blocks
    assert np.abs(a @ null).max() < 1e-12


def test_dependent_rows_that_disagree_are_of_least_squares() -> None:
    """Three rows of one number, in a block whose other two numbers nothing reads."""
    row = SidedRows((0,), np.array([[1.0, 0, 0]] * 3), np.array([[1.0], [2.0], [6.0]]))
    found = OrderedSquares([[row]], 1, 3, [CUT])
    assert found.rank == 1
    np.testing.assert_allclose(found.solution(), [[3.0], [0.0], [0.0]], atol=1e-15)

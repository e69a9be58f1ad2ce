"""The inverse of a small matrix, and what its pivots tell."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.numerics.inverse import invert, invert_all

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("n", [1, 2, 6, 9, 20])
def test_it_is_the_inverse_and_tells_the_sign_of_the_determinant(n: int) -> None:
    for seed in range(10):
        matrix = np.random.default_rng(seed).normal(size=(n, n))
        inverse = np.empty((n, n))
        pivot = invert(matrix, n, inverse, np.empty(n, np.int64))
        product = inverse @ matrix
        # rounding times the condition of such matrices, which is below 1e4
        np.testing.assert_allclose(product, np.eye(n), atol=1e-10)
        assert np.sign(pivot) == np.sign(np.linalg.det(matrix))
        assert 0.0 < abs(pivot) <= 1.0


def test_a_singular_matrix_has_the_pivot_zero() -> None:
    matrix = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert invert(matrix, 2, np.empty((2, 2)), np.empty(2, np.int64)) == 0.0


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("n", [1, 2, 6, 9, 30])
def test_many_inverses_are_those_of_each(n: int, count: int) -> None:
    matrices = np.random.default_rng(n).normal(size=(20, n, n))
    matrices[:10] = np.round(matrices[:10], 1)  # equal entries, some of them zero
    matrices[5:15][np.random.default_rng(n).uniform(size=(10, n, n)) > 0.5 + 1.0 / n] = 0.0
    found = [invert_all(matrices[k : k + count]) for k in range(0, 20, count)]
    inverses, pivots = (np.concatenate(x) for x in zip(*found, strict=True))
    for matrix, inverse, pivot in zip(matrices, inverses, pivots, strict=True):
        own = np.empty((n, n))
        assert invert(matrix, n, own, np.empty(n, np.int64)) == pivot
        if pivot:
            np.testing.assert_array_equal(inverse, own)


def test_one_that_is_singular_has_the_pivot_zero() -> None:
    assert invert_all(np.array([[[1.0, 2.0], [2.0, 4.0]]]))[1].tolist() == [0.0]


def test_a_singular_one_of_many_has_the_pivot_zero() -> None:
    inverses, pivots = invert_all(np.array([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]]))
    assert pivots.tolist() == [0.0, 0.5]
    np.testing.assert_array_equal(inverses[1], [[0.5, 0.0], [0.0, 0.25]])

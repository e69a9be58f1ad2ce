"""Triangular factors against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.numerics.lu import factorise, solve_factored

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("n", [1, 2, 6, 26])
@pytest.mark.parametrize("seed", range(3))
def test_solution_and_determinant_are_those_of_numpy(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, n)), rng.normal(size=n)
    room, x, pivots = np.full((n + 1, n + 2), 9.0), np.append(b, 5.0), np.empty(n, np.int64)
    room[:n, :n] = a
    found = factorise(room, n, pivots)
    solve_factored(room, n, pivots, x)
    assert found == pytest.approx(np.linalg.det(a), rel=1e-10)
    np.testing.assert_allclose(x[:n], np.linalg.solve(a, b), rtol=1e-9)
    assert x[n] == 5.0 and (room[n] == 9.0).all()  # what stands beside is left


def test_a_matrix_without_a_pivot_has_determinant_nought() -> None:
    assert factorise(np.array([[1.0, 2.0], [2.0, 4.0]]), 2, np.empty(2, np.int64)) == 0.0
    assert factorise(np.array([[np.nan]]), 1, np.empty(1, np.int64)) == 0.0


def test_rows_are_exchanged_for_the_largest_pivot() -> None:
    a, pivots = np.array([[0.0, 2.0], [5.0, 1.0]]), np.empty(2, np.int64)
    x = np.array([4.0, 7.0])
    assert factorise(a, 2, pivots) == -10.0
    solve_factored(a, 2, pivots, x)
    assert x.tolist() == [1.0, 2.0]

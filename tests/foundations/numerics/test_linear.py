import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from assembly_solver.foundations.numerics.cholesky import cholesky, gram, solve_cholesky
from assembly_solver.foundations.numerics.linear import (
    independent_rows,
    left_null_space,
    null_space,
    pivoted_rank,
    pseudo_inverse,
    rank_of,
    without,
)

CUT = 1e-10


def matrix_of_rank(rows, columns, rank, seed):
    """Random directions, singular values between 0.1 and 10."""
    rng = np.random.default_rng(seed)
    left = np.linalg.qr(rng.normal(size=(rows, rank)))[0]
    right = np.linalg.qr(rng.normal(size=(columns, rank)))[0]
    return left * 10 ** rng.uniform(-1, 1, rank) @ right.T


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rank = draw(st.integers(0, min(rows, columns)))
    return matrix_of_rank(rows, columns, rank, draw(st.integers(0, 10**6))), rank


def inverse_of(a, cut=CUT):
    inverse = np.full(a.shape[::-1], np.nan)
    rank = pseudo_inverse(a, inverse, cut)
    return inverse, rank


@settings(deadline=None, max_examples=150)
@given(matrices())
def test_pseudo_inverse_and_rank_agree_with_the_singular_values(case):
    a, rank = case
    before = a.copy()
    inverse, found = inverse_of(a)
    assert found == rank
    # condition at most 100: rounding 1e-16 grows to about 1e-12 of an inverse no larger than 10
    np.testing.assert_allclose(inverse, np.linalg.pinv(a, rcond=CUT), atol=1e-11)
    np.testing.assert_array_equal(a, before)


@settings(deadline=None, max_examples=100)
@given(matrices())
def test_pseudo_inverse_meets_the_four_penrose_conditions(case):
    a, _ = case
    h, _ = inverse_of(a)
    np.testing.assert_allclose(a @ h @ a, a, atol=1e-11)
    np.testing.assert_allclose(h @ a @ h, h, atol=1e-11)
    np.testing.assert_allclose(a @ h, (a @ h).T, atol=1e-11)
    np.testing.assert_allclose(h @ a, (h @ a).T, atol=1e-11)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 4)])
def test_empty_and_zero_matrices_have_rank_zero_and_a_zero_inverse(shape):
    inverse, rank = inverse_of(np.zeros(shape))
    assert rank == 0
    np.testing.assert_array_equal(inverse, np.zeros(shape[::-1]))
    assert pivoted_rank(np.zeros(shape), CUT) == 0


def test_the_cut_decides_what_counts_as_dependent():
    a = np.diag([5.0, 1.0, 1e-8])
    assert inverse_of(a, 1e-9)[1] == 3
    inverse, rank = inverse_of(a, 1e-7)
    assert rank == 2
    np.testing.assert_allclose(inverse, np.diag([0.2, 1.0, 0.0]), atol=1e-15)


def test_a_large_square_matrix_is_inverted_to_rounding():
    a = matrix_of_rank(40, 40, 40, seed=3)
    np.testing.assert_allclose(inverse_of(a)[0] @ a, np.eye(40), atol=1e-12)


def test_normal_equations_by_a_factor_give_the_least_squares():
    a = matrix_of_rank(40, 12, 12, 3)
    a[::3, ::2] = 0.0
    b = np.arange(40.0)
    normal, x = np.full((12, 12), np.nan), a.T @ b
    gram(a, normal)
    np.testing.assert_allclose(normal, a.T @ a, atol=1e-13 * np.abs(normal).max())
    assert cholesky(normal)
    solve_cholesky(normal, x)
    expected = np.linalg.lstsq(a, b)[0]
    np.testing.assert_allclose(x, expected, rtol=1e-9)  # condition below 1e3, squared


def test_a_matrix_that_is_not_definite_has_no_factor():
    assert not cholesky(np.diag([1.0, 0.0]))
    assert not cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_a_matrix_of_nan_has_no_rank():
    assert inverse_of(np.full((3, 3), np.nan))[1] == 0


@settings(deadline=None, max_examples=100)
@given(matrices())
def test_pivoted_rank_is_the_rank(case):
    a, rank = case
    assert pivoted_rank(a.copy(), CUT) == rank


@settings(deadline=None, max_examples=100)
@given(matrices())
def test_null_spaces_are_orthonormal_and_complete(case):
    a, rank = case
    right, left = null_space(a), left_null_space(a)
    assert right.shape == (a.shape[1], a.shape[1] - rank)
    assert left.shape == (a.shape[0], a.shape[0] - rank)
    np.testing.assert_allclose(a @ right, 0.0, atol=1e-12)
    np.testing.assert_allclose(left.T @ a, 0.0, atol=1e-12)
    np.testing.assert_allclose(right.T @ right, np.eye(right.shape[1]), atol=1e-12)


def test_no_equations_leave_every_motion_free():
    np.testing.assert_array_equal(null_space(np.zeros((0, 3))), np.eye(3))
    assert rank_of(np.zeros((0, 3))).rank == 0


def test_rank_tells_its_gap():
    clear = rank_of(np.diag([4.0, 2.0, 1e-12]))
    assert clear.rank == 2
    assert clear.gap == pytest.approx(5e-13)
    assert rank_of(np.eye(3)).gap == 0.0
    assert rank_of(np.diag([4.0, 2.0, 1e-3]), cut=1e-2).gap == pytest.approx(5e-4)


@settings(deadline=None, max_examples=100)
@given(matrices())
def test_independent_rows_are_a_basis_of_the_row_space(case):
    a, rank = case
    rows = independent_rows(a)
    assert len(rows) == rank
    assert rank_of(a[rows]).rank == rank
    assert list(rows) == sorted(rows)


def test_independent_rows_are_the_first_that_are():
    a = np.array([[1.0, 0, 0], [2.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0]])
    assert independent_rows(a).tolist() == [0, 2]


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_what_is_left_without_combinations_is_orthonormal_and_across_them(n, k, seed):
    k, rng = min(n, k), np.random.default_rng(seed)
    columns = np.linalg.qr(rng.normal(size=(12, n)))[0]
    combinations = np.linalg.qr(rng.normal(size=(n, k)))[0].T
    rest = without(columns, combinations)
    assert rest.shape == (12, n - k)
    np.testing.assert_allclose(rest.T @ rest, np.eye(n - k), atol=1e-13)
    np.testing.assert_allclose(rest.T @ columns @ combinations.T, 0.0, atol=1e-13)
    np.testing.assert_allclose(columns @ (columns.T @ rest), rest, atol=1e-13)

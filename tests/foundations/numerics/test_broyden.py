"""The update of the inverse: unit numbers, the identities behind it, and where it holds."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from assembly_solver.foundations.numerics.broyden import (
    HALVE,
    RECOMPUTE,
    REJECT,
    UPDATE,
    actual_reduction,
    judge,
    update_inverse,
)

seeds = st.integers(0, 10**6)
some = settings(deadline=None, max_examples=60)


def updated(inverse, step, change):
    after = inverse.copy()
    alpha = update_inverse(after, step, change, np.empty((2, max(inverse.shape))))
    return after, alpha


def updated_jacobian(jacobian, step, change, alpha):
    """Equation (12)."""
    return jacobian + alpha * np.outer(change - jacobian @ step, step) / (step @ step)


def matrix(rng, m, n, rank):
    """Singular values between 0.5 and 2, so that rounding stays below 1e-12 after an update."""
    left = np.linalg.qr(rng.normal(size=(m, rank)))[0]
    right = np.linalg.qr(rng.normal(size=(n, rank)))[0]
    return left * rng.uniform(0.5, 2, rank) @ right.T


def sigma(inverse, step, change, alpha):
    return alpha * step @ inverse @ change + (1 - alpha) * step @ step


@pytest.mark.parametrize(
    ("change", "alpha", "jacobian", "inverse"),
    [
        ([-0.9, -1.7], 1.0, [[1.95, 0.85], [0.85, 2.55]], [[0.6, -0.2], [-0.2, 0.458823529412]]),
        (
            [0.3, -0.12],
            0.8,
            [[1.48, -0.56], [0.248, 0.744]],
            [[0.6, 0.451612903226], [-0.2, 1.193548387097]],
        ),
    ],
)
def test_unit_numbers_of_the_update(change, alpha, jacobian, inverse):
    j = np.array([[2.0, 1], [1, 3]])
    h = np.linalg.inv(j)
    step = -h @ [1, 2]
    np.testing.assert_allclose(step, [-0.2, -0.6], rtol=1e-14)
    after, used = updated(h, step, np.array(change))
    assert used == alpha
    np.testing.assert_allclose(updated_jacobian(j, step, change, alpha), jacobian, rtol=1e-13)
    np.testing.assert_allclose(after, inverse, rtol=1e-11)


@some
@given(seeds, st.integers(1, 7))
def test_the_determinant_changes_by_sigma_over_d_and_never_below_a_tenth(seed, n):
    rng = np.random.default_rng(seed)
    j = matrix(rng, n, n, n)
    h, step, change = np.linalg.inv(j), rng.normal(size=n), rng.normal(size=n)
    _, alpha = updated(h, step, change)
    ratio = np.linalg.det(updated_jacobian(j, step, change, alpha)) / np.linalg.det(j)
    expected = sigma(h, step, change, alpha) / (step @ step)
    assert ratio == pytest.approx(expected, rel=1e-9, abs=1e-10)
    assert abs(ratio) >= 0.1 * (1 - 1e-9)
    if alpha == 0.8:
        assert 0.12 < ratio < 0.28


@some
@given(seeds, st.integers(1, 7))
def test_the_updated_inverse_inverts_the_updated_jacobian(seed, n):
    rng = np.random.default_rng(seed)
    j = matrix(rng, n, n, n)
    step, change = rng.normal(size=n), rng.normal(size=n)
    after, alpha = updated(np.linalg.inv(j), step, change)
    scale = 1 + np.linalg.norm(after) * np.linalg.norm(change)
    j_after = updated_jacobian(j, step, change, alpha)
    np.testing.assert_allclose(after @ j_after, np.eye(n), atol=1e-11 * scale)


@some
@given(seeds, st.integers(1, 6))
def test_the_secant_equation_is_met_as_far_as_alpha_goes(seed, n):
    rng = np.random.default_rng(seed)
    j = matrix(rng, n, n, n)
    step, change = rng.normal(size=n), rng.normal(size=n)
    _, alpha = updated(np.linalg.inv(j), step, change)
    reached = updated_jacobian(j, step, change, alpha) @ step
    np.testing.assert_allclose(reached, j @ step + alpha * (change - j @ step), atol=1e-12)


@some
@given(seeds, st.integers(1, 6))
def test_the_distance_to_the_mean_jacobian_falls_by_the_known_amount(seed, n):
    rng = np.random.default_rng(seed)
    j, mean = matrix(rng, n, n, n), matrix(rng, n, n, n)
    step = rng.normal(size=n)
    change = mean @ step  # equation (17)
    _, alpha = updated(np.linalg.inv(j), step, change)
    after = updated_jacobian(j, step, change, alpha)
    d = step @ step
    lost = alpha * (2 - alpha) * np.linalg.norm((j - mean) @ step) ** 2 / d
    np.testing.assert_allclose(
        after - mean, (j - mean) @ (np.eye(n) - alpha * np.outer(step, step) / d), atol=1e-12
    )
    assert np.linalg.norm(after - mean) ** 2 == pytest.approx(
        np.linalg.norm(j - mean) ** 2 - lost, rel=1e-10, abs=1e-12
    )


@some
@given(seeds, st.integers(1, 6))
def test_an_error_of_the_inverse_is_removed_along_the_step(seed, n):
    rng = np.random.default_rng(seed)
    j = matrix(rng, n, n, n)
    h = np.linalg.inv(j) + 1e-3 * rng.normal(size=(n, n))
    step = rng.normal(size=n)
    change = j @ step + 0.1 * rng.normal(size=n)
    after, alpha = updated(h, step, change)
    if alpha == 1.0:
        error = after @ updated_jacobian(j, step, change, 1.0) - np.eye(n)
        scale = 1 + np.linalg.norm(after)
        np.testing.assert_allclose(error @ step, 0.0, atol=1e-11 * scale)


@some
@given(seeds, st.integers(1, 5), st.integers(0, 3))
def test_with_full_row_rank_the_inverse_stays_the_pseudo_inverse(seed, m, extra):
    rng = np.random.default_rng(seed)
    j = matrix(rng, m, m + extra, m)
    h = np.linalg.pinv(j)
    for _ in range(5):
        step = -h @ rng.normal(size=m)
        change = j @ step + 0.1 * np.linalg.norm(step) * rng.normal(size=m)
        h, alpha = updated(h, step, change)
        j = updated_jacobian(j, step, change, alpha)
    condition = np.linalg.norm(h) * np.linalg.norm(j)
    np.testing.assert_allclose(h, np.linalg.pinv(j), atol=1e-14 * condition**3)


@some
@given(seeds)
def test_a_step_outside_the_row_space_leaves_a_right_inverse_only(seed):
    rng = np.random.default_rng(seed)
    j = matrix(rng, 3, 5, 3)
    step = rng.normal(size=5)
    change = j @ step + 0.3 * rng.normal(size=3)
    h, alpha = updated(np.linalg.pinv(j), step, change)
    j = updated_jacobian(j, step, change, alpha)
    scale = 1 + np.linalg.norm(h) * np.linalg.norm(j)
    np.testing.assert_allclose(j @ h, np.eye(3), atol=1e-12 * scale)
    assert np.linalg.norm(h @ j - (h @ j).T) > 1e-6


@some
@given(seeds, st.booleans())
def test_with_dependent_rows_it_is_the_pseudo_inverse_only_where_the_change_is_consistent(
    seed, consistent
):
    rng = np.random.default_rng(seed)
    j = matrix(rng, 4, 5, 3)
    h = np.linalg.pinv(j, rcond=1e-10)
    across = np.eye(4) - j @ h
    step = -h @ rng.normal(size=4)
    change = j @ step + 0.1 * np.linalg.norm(step) * rng.normal(size=4)
    if consistent:
        change -= across @ change
    after, alpha = updated(h, step, change)
    j_after = updated_jacobian(j, step, change, alpha)
    scale = 1 + np.linalg.norm(after) * np.linalg.norm(j_after)
    np.testing.assert_allclose(after @ j_after, h @ j, atol=1e-12 * scale)
    excess = alpha / sigma(h, step, change, alpha) * np.outer(across @ change, step @ h)
    np.testing.assert_allclose(j_after @ after, j @ h + excess, atol=1e-12 * scale)
    distance = np.linalg.norm(after - np.linalg.pinv(j_after, rcond=1e-8))
    assert (distance < 1e-10 * scale**2) == consistent


@some
@given(seeds, st.integers(1, 4))
def test_the_rank_never_rises(seed, rank):
    rng = np.random.default_rng(seed)
    j = matrix(rng, 5, 5, rank)
    h = np.linalg.pinv(j, rcond=1e-10)
    step = -h @ rng.normal(size=5)
    after, alpha = updated(h, step, rng.normal(size=5))
    j_after = updated_jacobian(j, step, rng.normal(size=5), alpha)
    assert np.linalg.matrix_rank(after, tol=1e-8 * np.linalg.norm(after)) <= rank
    assert np.linalg.matrix_rank(j_after, tol=1e-8 * np.linalg.norm(j_after)) <= rank


def test_a_step_of_length_zero_changes_nothing():
    h = np.eye(3)
    after, alpha = updated(h, np.zeros(3), np.ones(3))
    assert alpha == 0.0
    np.testing.assert_array_equal(after, h)


def test_reduction_compares_squares_and_is_minus_one_uphill():
    assert actual_reduction(2.0, 1.0) == 0.75
    assert actual_reduction(1.0, 1.0) == -1.0
    assert actual_reduction(1.0, np.nan) == -1.0


@pytest.mark.parametrize(
    ("after", "fresh", "verdict"),
    [
        (0.5, False, UPDATE),
        (np.sqrt(0.9) - 1e-9, True, UPDATE),
        (np.sqrt(0.9) + 1e-9, True, RECOMPUTE),
        (0.99, False, RECOMPUTE),
        (1.0, False, REJECT),
        (np.nan, False, REJECT),
        (1.5, True, HALVE),
        (np.inf, True, HALVE),
    ],
)
def test_the_guard_judges_a_step(after, fresh, verdict):
    assert judge(1.0, after, 0.1, fresh) == verdict

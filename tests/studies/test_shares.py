"""Who contributes what: indices of functions whose variances have closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import qmc

from assembly_solver.studies.shares import linear_indices, shapley_shares, sobol_indices

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]
A, B = 7.0, 0.1
GROUPS = [np.array([k]) for k in range(3)]


def ishigami(x: Array) -> Array:
    """sin x1 + A sin^2 x2 + B x3^4 sin x1, of x uniform in -pi to pi."""
    return np.asarray(np.sin(x[:, 0]) * (1 + B * x[:, 2] ** 4) + A * np.sin(x[:, 1]) ** 2)


def variances() -> tuple[float, float, float]:
    """Of x1 alone, of x2 alone, and of x1 with x3: by E x^4 = pi^4/5, E x^8 = pi^8/9."""
    alone = 0.5 * (1 + B * np.pi**4 / 5) ** 2
    return alone, A * A / 8, B * B * np.pi**8 * (1 / 18 - 1 / 50)


def two_samples(power: int) -> tuple[Array, Array]:
    u = qmc.Sobol(6, scramble=True, rng=np.random.default_rng(4)).random_base2(power)
    return np.pi * (2 * u[:, :3] - 1), np.pi * (2 * u[:, 3:] - 1)


def test_the_indices_of_ishigamis_function_are_those_of_its_variances() -> None:
    one, two, both = variances()
    whole = one + two + both
    found = sobol_indices(lambda x: ishigami(x)[:, None], *two_samples(14), GROUPS)
    assert found.first[:, 0] == pytest.approx([one / whole, two / whole, 0.0], abs=3e-3)
    exact = [(one + both) / whole, two / whole, both / whole]
    assert found.total[:, 0] == pytest.approx(exact, abs=3e-3)
    assert 3e-3 < found.error[0] < 3e-2


def test_what_acts_together_is_shared_in_halves_by_shapley() -> None:
    one, two, both = variances()
    parts = shapley_shares(ishigami, *two_samples(15), GROUPS, np.random.default_rng(1))
    exact = [one + both / 2, two, both / 2]
    assert parts == pytest.approx(exact, rel=0.05)


def test_variables_of_one_group_are_exchanged_together() -> None:
    groups = [np.array([0, 2]), np.array([1])]
    one, two, both = variances()
    found = sobol_indices(lambda x: ishigami(x)[:, None], *two_samples(14), groups)
    share = two / (one + two + both)
    assert found.first[:, 0] == pytest.approx([1 - share, share], abs=3e-3)
    assert found.total[:, 0] == pytest.approx([1 - share, share], abs=3e-3)


def test_samples_that_do_not_close_are_left_out_and_what_is_constant_has_no_shares() -> None:
    def half(x: Array) -> Array:
        return np.stack([np.where(x[:, 0] > 2.5, np.nan, x[:, 1]), np.ones(len(x))], axis=1)

    found = sobol_indices(half, *two_samples(12), GROUPS)
    assert found.first[:, 0] == pytest.approx([0, 1, 0], abs=1e-2)
    assert found.total[:, 0] == pytest.approx([0, 1, 0], abs=1e-2)
    assert found.first[:, 1].tolist() == found.total[:, 1].tolist() == [0, 0, 0]
    nothing = sobol_indices(lambda x: np.full((len(x), 1), np.nan), *two_samples(4), GROUPS)
    assert nothing.total.shape == (3, 1) and nothing.error.shape == (1,)
    assert np.isnan([*nothing.first, *nothing.total, nothing.error]).all()


def test_the_shares_of_a_linear_model_are_as_near_as_its_rest_says() -> None:
    """f = 2 x + y + 0.1 x y with x and y of variance 1: the rest has 0.01 of 5.01."""
    x, y = np.random.default_rng(3).normal(size=(2, 200000))
    linear = np.array([[4.0], [1.0]])
    told = 2.0 * x + y
    found = linear_indices(linear, (told + 0.1 * x * y)[:, None], told[:, None])
    assert found.first[:, 0].tolist() == found.total[:, 0].tolist() == [0.8, 0.2]
    rest = 0.01 / 5.01
    assert found.error[0] == pytest.approx(2.0 * np.sqrt(rest) + rest, rel=0.02)
    exact = np.array([[4.0, 1.0], [4.01, 1.01]]) / 5.01  # first, total
    assert np.abs(exact - [0.8, 0.2]).max() < found.error[0]
    assert linear_indices(linear, np.empty((0, 1)), np.empty((0, 1))).error[0] == np.inf

"""The 15 x 17 system of the excavator, and what updated inverses save on it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import ding


def test_the_known_configuration_closes_with_the_known_cylinder_lengths() -> None:
    x = ding.closed()
    value, slope = ding.equations(x)
    assert np.abs(value).max() < 2e-12  # m: the headings are known to 12 digits
    assert slope.shape == (15, 17)
    assert np.linalg.matrix_rank(slope) == 15
    lengths = [ding.separation(x, eye, foot)[0] for eye, foot, _ in ding.SLIDERS]
    np.testing.assert_allclose(lengths, (1.075, 1.265), atol=2e-12)


@pytest.mark.parametrize("problem", [ding.FREE, ding.driven(1.1, 1.3)], ids=["free", "driven"])
def test_jacobian_is_the_slope_of_the_residual(problem: ding.ResidualProblem) -> None:
    x = ding.closed() + 0.1 * np.random.default_rng(0).standard_normal(ding.VARIABLES)
    h = 1e-6
    steps = h * np.eye(ding.VARIABLES)
    columns = [(problem.residual(x + e) - problem.residual(x - e)) / (2 * h) for e in steps]
    # central differences: truncation h^2, rounding 1e-16 / h
    np.testing.assert_allclose(problem.jacobian(x), np.transpose(columns), atol=2e-9)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-10])
def test_updates_save_two_thirds_of_the_exact_inverses_on_random_starts(tolerance: float) -> None:
    ours, classic = ding.random_starts(tolerance, True), ding.random_starts(tolerance, False)
    assert (ours.failed, classic.failed) == (0, 0)
    assert ours.updates > ours.inverses
    assert ours.inverses <= ding.MOST_EXACT * classic.inverses


def test_updates_halve_the_exact_inverses_of_a_driven_sweep() -> None:
    ours, classic = ding.driven_sweep(1e-5, True), ding.driven_sweep(1e-5, False)
    assert (ours.failed, classic.failed) == (0, 0)
    assert ours.updates > ours.inverses
    assert 2 * ours.inverses <= classic.inverses


def test_the_import_position_is_left_by_one_perturbation() -> None:
    ours = ding.zero_start(1e-10, True)
    assert (ours.failed, ours.perturbations) == (0, 1)
    assert ours.inverses < ding.zero_start(1e-10, False).inverses

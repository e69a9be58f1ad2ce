"""Assembly by minimisation: numbers checked with an independent minimiser."""

import numpy as np
import pytest
from textbook_systems import braced_parallelogram, four_bar, slider_crank

from assembly_solver.foundations.numerics.newton import RootOutcome
from assembly_solver.foundations.numerics.penalty import WEIGHTS, assemble

pytestmark = pytest.mark.quick


def test_at_a_regular_solution_the_residual_falls_as_one_over_the_weight():
    residual, jacobian = slider_crank(0.0)
    found = assemble(residual, jacobian, [2.0])
    assert found.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(found.path[:2, 0], [1.793700526, 1.720679517], atol=2e-9)
    assert found.path[-1, 0] == pytest.approx(1.707106783, abs=2e-9)
    assert abs(residual(found.path[-1])[0]) == pytest.approx(2.07e-9, rel=1e-2)
    sizes = [abs(residual(q)[0]) for q in found.path]
    assert sizes[6] / sizes[5] == pytest.approx(0.1, rel=1e-3)


def test_at_a_singular_solution_the_error_falls_slowly_and_newton_finishes():
    found = assemble(*slider_crank(np.pi / 4), [1.0], tolerance=1e-10)
    assert found.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(found.path[-2:, 0], [0.709546549, 0.708240924], atol=2e-9)
    errors = found.path[-2:, 0] - np.sqrt(0.5)
    assert errors[1] / errors[0] == pytest.approx(10 ** (-1 / 3), abs=0.005)
    assert found.x[0] == pytest.approx(np.sqrt(0.5), abs=1e-5)  # root of a residual of 1e-10


def test_what_cannot_be_assembled_is_shown_at_its_closest():
    found = assemble(*slider_crank(3 * np.pi / 8), [1.0])
    assert found.outcome is RootOutcome.STALLED
    assert found.x[0] == pytest.approx(0.382683432, abs=1e-6)
    assert found.root.residual == pytest.approx(0.353553391, abs=1e-9)


def test_the_nearest_configuration_of_a_four_bar():
    start = np.array([np.pi / 3, 5, 4, 0.2, 0.9])
    found = assemble(*four_bar(), start, tolerance=1e-12)
    assert found.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(
        found.path[0], [1.037436209, 4.984213325, 3.995922317, 0.185415146, 0.859054673], atol=2e-9
    )
    np.testing.assert_allclose(
        found.x,
        [1.038710727156, 4.979713211904, 3.990345179758, 0.182118985446, 0.856591741710],
        atol=2e-9,  # the last weight leaves a part of 1e-8 of the distance 0.05
    )
    assert np.linalg.norm(found.x - start) == pytest.approx(0.052733320365, abs=1e-11)


def test_the_nearest_configuration_of_a_parallelogram_with_a_redundant_bar():
    found = assemble(*braced_parallelogram(), [1, 1.6, 0.8, 0.1, 1.1], tolerance=1e-12)
    assert found.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(
        found.x,
        [1.0091288413, 1.5325982444, 0.8463681882, 0, 1.0091288413],
        atol=1e-6,  # along the solutions rounding is weighed like the distance: by processor
    )


def test_each_weight_leaves_its_minimiser():
    found = assemble(*four_bar(), [1, 5, 4, 0.2, 0.9])
    assert found.path.shape == (len(WEIGHTS), 5)
    residual, jacobian = four_bar()
    for weight, q in zip(WEIGHTS, found.path, strict=True):
        gradient = 2 * (q - [1, 5, 4, 0.2, 0.9]) + 2 * weight * residual(q) @ jacobian(q)
        assert np.linalg.norm(gradient) < 1e-9 * max(1.0, weight**0.5)

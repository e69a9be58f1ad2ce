import numpy as np
import pytest
from textbook_systems import DEAD_ANGLE, DEAD_POINT, Recorder, rocker_driven, squared_distances

from assembly_solver.foundations.numerics.perturbation import deficiency, perturb

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("start", [0.0, 0.5, -3.0])
def test_amounts_are_tried_in_the_published_order_and_scaled_by_the_unknown(start):
    jacobian = Recorder(lambda x: np.zeros((1, 1)))
    found = perturb(jacobian, np.array([start]), target=0)
    sizes = [1e-5, 1e-4, 1e-3, *(k * 1e-3 for k in (2, 4, 8, 16, 32, 64, 128))]
    expected = [sign * size for size in sizes for sign in (1, -1)]
    tried = (np.array(jacobian.visited[1:])[:, 0] - start) / max(1.0, abs(start))
    np.testing.assert_allclose(tried, expected, rtol=1e-9)
    assert not found.reached
    assert found.x[0] == start
    assert found.trials == 21


def test_every_unknown_is_tried_before_the_next_amount():
    jacobian = Recorder(lambda x: np.zeros((1, 3)))
    perturb(jacobian, np.zeros(3), target=0)
    np.testing.assert_array_equal(jacobian.visited[1:4], 1e-5 * np.eye(3))
    np.testing.assert_array_equal(jacobian.visited[4:7], -1e-5 * np.eye(3))


def test_coincident_points_are_separated_by_the_first_try():
    _, jacobian = squared_distances(pairs=1, length=1.0, dimension=3)
    found = perturb(jacobian, np.zeros(6), target=0)
    assert found.reached
    assert found.kept == ((0, 1e-5),)
    assert found.trials == 2


def test_two_coincident_pairs_are_separated_one_after_the_other():
    _, jacobian = squared_distances(pairs=2, length=1.0, dimension=2)
    assert deficiency(jacobian(np.zeros(8))) == 2
    found = perturb(jacobian, np.zeros(8), target=0)
    assert found.reached
    assert found.kept == ((0, 1e-5), (4, 1e-5))
    np.testing.assert_array_equal(found.x, [1e-5, 0, 0, 0, 1e-5, 0, 0, 0])


def test_a_dead_point_is_left_by_one_change():
    _, jacobian = rocker_driven(DEAD_ANGLE)
    assert deficiency(jacobian(DEAD_POINT)) == 1
    assert len(perturb(jacobian, DEAD_POINT, target=0).kept) == 1


def test_a_redundancy_that_holds_everywhere_fails_and_restores_the_point():
    found = perturb(lambda x: np.array([[x[0], 1.0], [x[0], 1.0]]), np.ones(2), target=0)
    assert not found.reached
    assert found.kept == ()
    np.testing.assert_array_equal(found.x, [1, 1])


def test_a_regular_point_is_left_alone_and_the_target_may_be_a_known_deficiency():
    start = np.ones(2)
    found = perturb(lambda x: np.array([[x[0], 1.0], [x[0], 1.0]]), start, target=1)
    assert found.reached
    assert found.trials == 1
    np.testing.assert_array_equal(found.x, start)


def test_trials_are_capped():
    jacobian = Recorder(lambda x: np.zeros((1, 3)))
    assert perturb(jacobian, np.zeros(3), target=0, trials=7).trials == 7
    assert len(jacobian.visited) == 7


def test_rounding_errors_have_no_rank():
    assert deficiency(np.full((2, 3), 1e-16)) == 2
    assert deficiency(np.array([[1e-5, 0.0], [0.0, 1e-14]])) == 1
    assert deficiency(np.zeros((0, 3))) == 0

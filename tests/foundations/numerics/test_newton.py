import numpy as np
import pytest
from textbook_systems import (
    DEAD_ANGLE,
    DEAD_POINT,
    FIVE_BAR_START,
    Recorder,
    five_bar,
    four_bar,
    rocker_driven,
    slider_crank,
    squared_distances,
)

from assembly_solver.foundations.numerics.linear import null_space
from assembly_solver.foundations.numerics.newton import RootOutcome, solve

pytestmark = pytest.mark.quick


def classical_path(system, start, steps):
    """Points visited by full Newton steps, shape (steps + 1, n)."""
    residual = Recorder(system[0])
    solve(residual, system[1], start, tolerance=0.0, iterations=steps, update=False)
    return np.array(residual.visited)


def test_haug_table_4_3_1_converges_quadratically():
    path = classical_path(slider_crank(0.0), [2.0], 3)[:, 0]
    residual, jacobian = slider_crank(0.0)
    np.testing.assert_allclose(path, [2, 1.75, 1.708333, 1.707108], atol=5e-7)
    values = [residual([q])[0] for q in path]
    np.testing.assert_allclose(values, [0.5, 0.0625, 0.001736, 0.000002], atol=6e-7)
    slopes = [jacobian([q])[0, 0] for q in path]
    np.testing.assert_allclose(slopes, [2, 1.5, 1.416667, 1.414216], atol=5e-7)
    steps = np.divide(values, slopes)
    np.testing.assert_allclose(steps, [0.25, 0.041667, 0.001225, 0.000001], atol=5e-7)
    errors = path - (2 + np.sqrt(2)) / 2
    np.testing.assert_allclose(errors, [0.292893, 0.042893, 0.001227, 0.000001], atol=6e-7)
    # 1 / slope tends to 1 / sqrt(2), where the book prints 0.06
    np.testing.assert_allclose(errors[1:] / errors[:-1] ** 2, [0.5, 0.667, 0.706], atol=6e-4)


def test_haug_table_4_3_2_converges_linearly_to_the_singular_solution():
    path = classical_path(slider_crank(np.pi / 4), [1.0], 20)[:, 0]
    half = np.sqrt(2) / 2
    # the residual is formed with rounding 1e-16, which the slope 2 (q - half) divides
    np.testing.assert_allclose(path, half + (1 - half) * 0.5 ** np.arange(21), atol=1e-8)
    np.testing.assert_allclose(path[[1, 5, 10]], [0.853553, 0.716260, 0.707393], atol=5e-7)


def test_haug_table_4_3_3_meanders_where_there_is_no_solution():
    path = classical_path(slider_crank(3 * np.pi / 8), [1.0], 15)[:, 0]
    early = [1, 0.404979, -7.535093, -3.553878, -1.540691, -0.487094, 0.151038, 1.029996, 0.433247]
    late = [-3.088173, -1.301813, -0.354622, 0.253792, 1.689749, 0.900969, 0.300747]
    np.testing.assert_allclose(path[:9], early, atol=2e-6)
    np.testing.assert_allclose(path[9:], late, atol=2e-4)  # the map is chaotic


def test_where_there_is_no_solution_the_damped_iteration_stalls_at_the_nearest_point():
    root = solve(*slider_crank(3 * np.pi / 8), [1.0])
    assert root.outcome is not RootOutcome.SOLVED
    assert root.residual >= np.sin(3 * np.pi / 8) ** 2 - 0.5 - 1e-12  # least value there is


def test_haug_problem_4_5_1_diverges_by_powers_of_minus_two():
    system = (lambda q: np.cbrt(q - 1), lambda q: np.array([np.cbrt(q - 1) ** -2 / 3]))
    path = classical_path(system, [2.0], 5)[:, 0]
    np.testing.assert_allclose(path, [2, -1, 5, -7, 17, -31], rtol=1e-12)


def test_haug_problem_4_5_2_cycles():
    system = (lambda q: q**3 - 4 * q + 4, lambda q: np.array([3 * q**2 - 4]))
    path = classical_path(system, [1.5], 6)[:, 0]
    np.testing.assert_allclose(path, [1.5, 1, 2, 1.5, 1, 2, 1.5], atol=1e-9)
    root = solve(*system, [-1.5], tolerance=1e-12)
    assert root.x[0] == pytest.approx(-2.382975767906, abs=1e-12)


def test_haug_problem_4_5_3_converges_quadratically():
    system = four_bar(crank_angle=np.pi / 3)
    exact = [1.047197551197, 4.949489742783, 4.012289773726, 0.183761866144, 0.863435685052]
    path = classical_path(system, [np.pi / 3, 5, 4, 0.2, 0.9], 3)
    errors = np.linalg.norm(path - exact, axis=1)
    np.testing.assert_allclose(errors[:3], [6.559688e-2, 2.876815e-3, 1.381611e-6], rtol=1e-4)
    assert errors[3] < 2e-12
    np.testing.assert_allclose(errors[1:3] / errors[:2] ** 2, [0.67, 0.17], atol=5e-3)
    printed = [np.pi / 3, 4.94949, 4.01222, 0.18376, 0.86344]
    assert np.linalg.norm(path[3] - printed) == pytest.approx(7e-5, abs=1e-6)


def test_haug_problem_4_5_3_has_another_assembly_mode():
    other = [np.pi / 3, 0.05051, 1.183863, -2.278157, -2.957831]
    root = solve(*four_bar(crank_angle=np.pi / 3), np.add(other, 0.02), tolerance=1e-12)
    np.testing.assert_allclose(root.x, other, atol=1e-6)


@pytest.mark.parametrize(("length", "updates", "classical"), [(1.0, 4, 21), (10.0, 3, 24)])
def test_coincident_points_separate(length, updates, classical):
    system = squared_distances(pairs=1, length=length, dimension=3)
    root = solve(*system, np.zeros(6), tolerance=1e-10, perturb_to=0)
    half = length / 2
    assert root.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(root.x, [half + 5e-6, 0, 0, 5e-6 - half, 0, 0], atol=1e-9 * length)
    assert root.counts.perturbations == 1
    assert (root.counts.inverses, root.counts.updates) == (2, updates)
    plain = solve(*system, np.zeros(6), tolerance=1e-10, perturb_to=0, update=False)
    assert plain.outcome is RootOutcome.SOLVED
    assert plain.counts.iterations == plain.counts.inverses == classical


def test_with_the_unsquared_distance_one_step_separates_them():
    def residual(x):
        return np.array([np.linalg.norm(x[:3] - x[3:]) - 1.0])

    def jacobian(x):
        gap = x[:3] - x[3:]
        size = np.linalg.norm(gap)
        n = gap / size if size > 0 else gap
        return np.array([[*n, *-n]])

    root = solve(residual, jacobian, np.zeros(6), tolerance=1e-10, perturb_to=0)
    assert root.counts.iterations == 1
    np.testing.assert_allclose(root.x, [0.500005, 0, 0, -0.499995, 0, 0], atol=1e-12)


def test_coincident_points_without_perturbation_stall():
    root = solve(*squared_distances(1, 1.0, 3), np.zeros(6))
    assert root.outcome is RootOutcome.STALLED
    assert root.residual == 1.0


def test_beyond_a_dead_point_the_solution_is_found():
    system = rocker_driven(DEAD_ANGLE + 0.05)
    root = solve(*system, DEAD_POINT, tolerance=1e-10, perturb_to=0)
    assert root.outcome is RootOutcome.SOLVED
    np.testing.assert_allclose(
        root.x, [0.950116667484, 0.311894722895, 2.737410167231, 2.721372248368], atol=1e-9
    )
    assert root.counts.perturbations == 1
    assert root.counts.updates > root.counts.inverses


def test_where_a_dead_point_cannot_be_passed_the_iteration_says_so():
    root = solve(*rocker_driven(DEAD_ANGLE - 0.05), DEAD_POINT, perturb_to=0)
    assert root.outcome is RootOutcome.STALLED
    assert root.residual == pytest.approx(0.135, abs=5e-4)


@pytest.mark.parametrize(
    ("update", "inverses", "updates", "expected"),
    [
        (
            True,
            2,
            7,
            [-0.141324705067, 1.995000583393, 2.685329885189, 3, 5.491334227303, 1.938708507507],
        ),
        (
            False,
            5,
            0,
            [-0.124121751807, 1.996144731909, 2.702939372528, 3, 5.507375806114, 1.934572250233],
        ),
    ],
)
def test_an_under_constrained_five_bar_closes_by_updates_and_by_newton_elsewhere(
    update, inverses, updates, expected
):
    root = solve(*five_bar(), FIVE_BAR_START, tolerance=1e-12, update=update)
    assert root.outcome is RootOutcome.SOLVED
    assert root.residual < 1e-12
    assert (root.counts.inverses, root.counts.updates) == (inverses, updates)
    np.testing.assert_allclose(root.x, expected, atol=1e-10)


def test_updated_iterates_stay_in_the_row_space_of_the_last_exact_jacobian():
    residual, jacobian = five_bar()
    start = solve(residual, jacobian, FIVE_BAR_START, tolerance=1e-12).x + 0.01
    root = solve(residual, jacobian, start, tolerance=1e-12)
    assert root.counts.inverses == 1
    assert root.counts.updates >= 2
    free = null_space(jacobian(start))[:, 0]
    assert abs(free @ (root.x - start)) < 1e-13


def test_a_solved_start_costs_nothing_and_is_not_touched():
    start = np.array([(2 + np.sqrt(2)) / 2])
    root = solve(*slider_crank(0.0), start)
    assert root.outcome is RootOutcome.SOLVED
    assert root.counts.inverses == root.counts.iterations == 0
    assert root.x is not start


def test_too_few_iterations_are_reported():
    assert solve(*slider_crank(0.0), [50.0], iterations=1).outcome is RootOutcome.EXHAUSTED


def test_a_residual_that_is_no_number_is_not_a_solution():
    root = solve(lambda x: np.array([np.nan]), lambda x: np.ones((1, 1)), [0.0])
    assert root.outcome is RootOutcome.STALLED


def test_eta_sets_how_good_a_step_must_be_for_an_update():
    strict = solve(*five_bar(), FIVE_BAR_START, tolerance=1e-12, eta=0.999999)
    loose = solve(*five_bar(), FIVE_BAR_START, tolerance=1e-12, eta=1e-3)
    assert strict.outcome is loose.outcome is RootOutcome.SOLVED
    assert strict.counts.inverses > loose.counts.inverses

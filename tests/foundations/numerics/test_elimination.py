"""Examples and problems of Haug, sections 4.4 and 4.6."""

import numpy as np
import pytest
from textbook_systems import braced_parallelogram

from assembly_solver.foundations.numerics.elimination import eliminate, partition
from assembly_solver.foundations.numerics.linear import left_null_space, rank_of
from assembly_solver.foundations.numerics.newton import RootOutcome, solve

pytestmark = pytest.mark.quick

EXAMPLE_4 = [[1, 0, 2, 1, 4], [1, 1, 2, 0, 3], [3, 1, 6, 2, 11]]
PHI1, X2, Y2, PHI2, PHI3 = range(5)


def test_example_4_4_3_with_full_pivoting():
    done = eliminate([[2, -1, 1], [-1, 0, 2], [1, 4, -2]])
    assert (done.rows + 1).tolist() == [3, 1, 2]
    assert (done.columns + 1).tolist() == [2, 1, 3]
    np.testing.assert_allclose(
        done.reduced, [[1, 0.25, -0.5], [0, 1, 2 / 9], [0, 0, 1]], atol=1e-15
    )


def test_problem_4_4_5_full_pivoting_partitions_otherwise():
    done = eliminate(EXAMPLE_4)
    assert (done.columns + 1).tolist() == [5, 2, 3, 4, 1]
    np.testing.assert_allclose(
        done.reduced,
        [[1, 1 / 11, 6 / 11, 2 / 11, 3 / 11], [0, 1, 0.5, -0.75, 0.25], [0, 0, 0, 0, 0]],
        atol=1e-15,
    )


def test_the_rows_that_are_left_span_those_of_the_matrix():
    a = np.random.default_rng(5).normal(size=(6, 9))
    a[4] = a[0] - 2 * a[3]
    done = eliminate(a)
    assert done.rank == 5 and done.redundant[0] in (0, 3, 4)
    back = np.empty_like(done.reduced)
    back[:, done.columns] = done.reduced
    assert rank_of(np.vstack([a, back])).rank == 5


def parallelogram_at(angle):
    q = np.array([angle, 1 + np.cos(angle), np.sin(angle), 0, angle])
    return braced_parallelogram()[1](q)


def test_example_4_6_1_at_60_degrees_gives_the_printed_matrix():
    jacobian = parallelogram_at(np.pi / 3)
    done = eliminate(jacobian[:4])  # as printed: the last row is not pivoted on
    assert (done.rows + 1).tolist() == [1, 2, 4, 3]
    assert done.columns.tolist() == [X2, Y2, PHI2, PHI1, PHI3]
    s = np.sqrt(3) / 2
    printed = [[1, 0, 0, s, 0], [0, 1, -1, -0.5, 0], [0, 0, 1, 0.5, -0.5], [0, 0, 0, 1, -1]]
    np.testing.assert_allclose(done.reduced, printed, atol=1e-15)


def test_example_4_6_1_any_one_of_the_five_constraints_may_be_dropped():
    jacobian = parallelogram_at(np.pi / 3)
    assert rank_of(jacobian).rank == 4
    for row in range(5):
        assert rank_of(np.delete(jacobian, row, axis=0)).rank == 4
    null = left_null_space(jacobian)[:, 0]
    root3 = np.sqrt(3)
    np.testing.assert_allclose(null / null[0], [1, root3, -2, -2 * root3, 1], rtol=1e-12)


def test_example_4_6_1_stretched_out_reduces_with_full_pivoting():
    done = eliminate(parallelogram_at(0.0))
    assert done.rank == 3
    assert (done.rows[:3] + 1).tolist() == [5, 2, 4]
    assert done.columns.tolist() == [X2, PHI1, Y2, PHI2, PHI3]
    np.testing.assert_allclose(
        done.reduced, [[1, 0, 0, 0, 0], [0, 1, -1, 1, 0], [0, 0, 1, 0, -1], [0] * 5, [0] * 5]
    )


def test_example_4_6_1_stretched_out_is_an_isolated_singularity():
    residual, jacobian = braced_parallelogram()

    def whole(rest):
        return np.array([1e-3, *rest, 1e-3])  # both cranks held a little away

    beside = solve(
        lambda rest: residual(whole(rest)),
        lambda rest: jacobian(whole(rest))[:, [X2, Y2, PHI2]],
        [2.0, 0.0, 0.0],
        tolerance=1e-13,
    )
    assert beside.outcome is RootOutcome.SOLVED
    rank = rank_of(jacobian(whole(beside.x)))
    assert rank.rank == 4  # one more than at the singular point: one redundancy, not two
    np.testing.assert_allclose(
        rank.singular_values, [2.44949, 1.902113, 1.175571, 0.001449, 0], atol=1e-6
    )


@pytest.mark.parametrize(
    ("driven", "redundant", "missing"), [(PHI1, 0, 0), (PHI3, 0, 0), (X2, 0, 0), (PHI2, 1, 1)]
)
def test_example_4_6_1_a_driver_on_the_coupler_angle_is_redundant(driven, redundant, missing):
    found = partition(parallelogram_at(np.pi / 3), np.eye(5)[[driven]])
    assert len(found.kept) == 4
    assert len(found.redundant) == len(found.suggested) == 1
    assert len(found.redundant_drivers) == redundant
    assert found.missing == missing


def test_a_second_driver_of_one_freedom_is_the_redundant_one():
    found = partition(parallelogram_at(np.pi / 3), np.eye(5)[[PHI2, PHI1]])
    assert found.redundant_drivers.tolist() == [0]
    assert found.missing == 0


def test_without_drivers_one_driver_is_missing_and_the_suggested_unknown_will_do():
    jacobian = parallelogram_at(np.pi / 3)
    found = partition(jacobian)
    assert found.missing == 1
    assert partition(jacobian, np.eye(5)[found.suggested]).missing == 0


@pytest.mark.parametrize("seed", range(5))
def test_problem_4_6_1_has_one_redundant_constraint_and_two_freedoms_everywhere(seed):
    _, _, p1, _, _, p2 = np.random.default_rng(seed).uniform(-3, 3, 6)
    jacobian = np.array(
        [
            [1, 0, np.sin(p1), 0, 0, 0],
            [0, 1, -np.cos(p1), 0, 0, 0],
            [0, 0, np.sin(p1), 1, 0, np.sin(p2)],
            [-1, 0, 0, 1, 0, np.sin(p2)],
            [0, 0, 0, 0, 1, 0],
        ]
    )
    found = partition(jacobian)
    assert len(found.redundant) == 1
    assert found.redundant[0] in (0, 2, 3)  # row 4 is row 3 less row 1
    assert found.missing == 2

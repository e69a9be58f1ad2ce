import numpy as np
import pytest

from assembly_solver.foundations.graphs.matching import maximum_matching

pytestmark = pytest.mark.quick


def compressed(rows):
    return np.cumsum([0, *map(len, rows)]), [c for row in rows for c in row]


def test_a_matching_gives_each_row_a_column_of_its_own():
    rows = [[0, 1], [0], [1, 2]]
    column = maximum_matching(3, 3, *compressed(rows))
    assert column.tolist() == [1, 0, 2]


def test_a_row_too_many_stays_without_a_column():
    column = maximum_matching(3, 2, *compressed([[0, 1], [0], [1]]))
    assert sorted(column.tolist()) == [-1, 0, 1]


@pytest.mark.parametrize(
    ("rows", "columns", "rank"),
    [
        ([[0, 1, 2, 3, 4, 5]], 6, 1),  # one distance between two points
        ([[0, 1], [0, 1, 2, 3], [2, 3], [2, 3]], 4, 4),  # four-bar with its rocker driven
        ([[0], [0], [0, 1, 2]], 3, 2),
        ([[], [0]], 2, 1),
        ([], 3, 0),
        ([[], []], 0, 0),
    ],
)
def test_structural_rank_of_small_patterns(rows, columns, rank):
    assert (maximum_matching(len(rows), columns, *compressed(rows)) >= 0).sum() == rank

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from assembly_solver.foundations.graphs.dulmage_mendelsohn import decompose
from assembly_solver.foundations.graphs.strong_components import strong_components

pytestmark = pytest.mark.quick


def compressed(rows):
    return np.cumsum([0, *map(len, rows)]), [c for row in rows for c in row]


def maximum_matching(rows, columns, ptr, cols):
    return decompose(rows, columns, ptr, cols).column_of_row


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


def patterns(count):
    """Random patterns of up to 13 rows and columns, from empty ones to half full ones."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield rng.random(rng.integers(1, 14, 2)) < 0.5 * rng.random()


def test_a_matching_is_as_large_as_that_of_scipy():
    for pattern in patterns(300):
        rows, cols = np.nonzero(pattern)
        ptr = np.searchsorted(rows, np.arange(len(pattern) + 1))
        found = maximum_matching(*pattern.shape, ptr, cols)
        matched = np.flatnonzero(found >= 0)
        assert pattern[matched, found[matched]].all()
        assert len({*found[matched]}) == len(matched)
        assert len(matched) == (maximum_bipartite_matching(csr_array(pattern)) >= 0).sum()


def test_strong_components_are_those_of_scipy():
    for pattern in patterns(300):
        square = pattern[: min(pattern.shape), : min(pattern.shape)]
        tail, head = np.nonzero(square)
        found = strong_components([np.flatnonzero(row).tolist() for row in square])
        count, label = connected_components(csr_array(square), connection="strong")
        assert len(found) == count
        assert all(len({*label[nodes]}) == 1 for nodes in found)
        place = {node: k for k, nodes in enumerate(found) for node in nodes}
        assert all(place[int(a)] >= place[int(b)] for a, b in zip(tail, head, strict=True))

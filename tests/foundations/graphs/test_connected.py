"""Connected components: the same as scipy finds, numbered by their first nodes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from assembly_solver.foundations.graphs.connected import MANY, connected

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("most", [200, 4 * MANY])
@pytest.mark.parametrize("seed", range(20))
def test_components_are_those_that_scipy_finds(seed: int, most: int) -> None:
    draw = np.random.default_rng(seed)
    n, links = int(draw.integers(1, most)), int(draw.integers(0, most))
    a, b = draw.integers(0, n, (2, links))
    count, label = connected(n, a, b)
    theirs, same = connected_components(coo_array((np.ones(links), (a, b)), (n, n)), False)
    assert count == theirs
    assert np.array_equal(label, same)


def test_a_long_chain_in_random_order_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(5000)
    assert connected(5000, order[:-1], order[1:]) == (1, pytest.approx(np.zeros(5000)))

"""Where a condition ends, to adjacent numbers."""

from __future__ import annotations

import math

import pytest

from assembly_solver.foundations.numerics.bisection import edge


@pytest.mark.parametrize("divisions", [2, 3, 64])
@pytest.mark.parametrize(("inside", "outside"), [(0.0, 3.0), (3.0, 0.0), (1.4142, 1.4143)])
def test_the_edge_lies_between_adjacent_numbers(
    inside: float, outside: float, divisions: int
) -> None:
    up = inside < outside
    last, first = edge(lambda x: (x * x < 2.0) == up, inside, outside, divisions)
    assert first == math.nextafter(last, outside)
    assert last == (1.414213562373095 if up else 1.4142135623730951)
    assert first == (1.4142135623730951 if up else 1.414213562373095)

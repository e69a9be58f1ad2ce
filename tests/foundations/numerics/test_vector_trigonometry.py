"""Cosines and sines of rows against those of the system's library."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.foundations.numerics.vector_trigonometry import LARGEST, cosines_and_sines

pytestmark = pytest.mark.quick


def both(angles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosines and sines."""
    rows = np.zeros((3, len(angles)))
    rows[0] = angles
    cosines_and_sines(rows, 0, 1, 2, len(angles))
    return rows[1], rows[2]


@pytest.mark.parametrize("span", [1e-9, 1.0, 10.0, 1e3, LARGEST])
def test_a_row_is_off_by_less_than_a_unit_and_a_half_in_the_last_place(span: float) -> None:
    x = np.random.default_rng(7).uniform(-span, span, 20_000)
    for found, exact in zip(both(x), (np.cos(x), np.sin(x)), strict=True):
        np.testing.assert_allclose(found, exact, rtol=3.3e-16, atol=1e-16)


def test_multiples_of_a_quarter_turn_keep_what_rounding_left() -> None:
    """cos(pi/2) is 6.1e-17 and not 0: the angle is not quite a quarter turn."""
    x = np.arange(-4000, 4001) * (math.pi / 2)
    cosine, sine = both(x)
    np.testing.assert_allclose(cosine, np.cos(x), rtol=3.3e-16)
    np.testing.assert_allclose(sine, np.sin(x), rtol=3.3e-16)
    assert cosine[4001] == math.cos(math.pi / 2) == 6.123233995736766e-17


def test_what_is_no_angle_has_no_sine_and_leaves_the_others() -> None:
    cosine, sine = both(np.array([0.5, math.nan, math.inf, -math.inf, 3e8]))
    assert np.isnan(cosine).tolist() == np.isnan(sine).tolist() == [False, True, True, True, False]
    assert cosine[0] == math.cos(0.5) and sine[4] == math.sin(3e8)


def test_nothing_beside_the_count_is_written() -> None:
    rows = np.full((3, 4), 7.0)
    cosines_and_sines(rows, 0, 1, 2, 2)
    assert (rows[:, 2:] == 7.0).all() and (rows[0] == 7.0).all()

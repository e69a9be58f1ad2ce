"""The search of extremes, on functions whose extremes are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.studies.deviations import Spread
from assembly_solver.studies.worst_case import Extreme, Searched, search_extreme

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]


def intervals(count: int) -> list[Spread]:
    return [Spread(f"t{k}", k, 1, 0.0, 1.0, "uniform", 3.0) for k in range(count)]


def searched(
    f: Callable[[Array], Array], slopes: Callable[[Array], Array], away: Array, sign: float
) -> Extreme:
    """The extreme of f(samples), between -1 and 1 in each variable."""
    known = np.array([slopes(np.zeros(len(away))), slopes(away)])
    of = Searched(f, lambda x: (float(f(x[None])[0]), slopes(x)), known)
    return search_extreme(of, intervals(len(away)), sign)


@pytest.mark.parametrize("count", [3, 300])
def test_a_corner_that_the_slopes_confirm_is_the_extreme_without_a_search(count: int) -> None:
    by = np.where(np.arange(count) % 2 == 0, 1.0, -2.0)
    found = searched(lambda x: x @ by, lambda x: by, np.full(count, 0.3), 1.0)
    assert found.value == np.abs(by).sum() and found.tried == 1
    assert found.deviations.tolist() == np.sign(by).tolist()


def test_slopes_lead_from_the_corner_of_the_linear_model_to_the_true_one() -> None:
    """f = x (1 - 4 y) + y / 2: linearly most at (1, 1), where it falls by y; most at (1, -1)."""
    f = lambda v: v[:, 0] * (1.0 - 4.0 * v[:, 1]) + 0.5 * v[:, 1]  # noqa: E731
    slopes = lambda v: np.array([1.0 - 4.0 * v[1], -4.0 * v[0] + 0.5])  # noqa: E731
    found = searched(f, slopes, np.array([0.3, 0.4]), 1.0)
    assert found.value == 4.5 and found.deviations.tolist() == [1.0, -1.0]


def test_what_bends_is_searched_between_its_bounds_and_nothing_else() -> None:
    """f = x - y^2: linearly y does nothing; most 1 at y = 0, least -2 at either end of y."""
    f = lambda v: v[:, 0] - v[:, 1] ** 2  # noqa: E731
    slopes = lambda v: np.array([1.0, -2.0 * v[1]])  # noqa: E731
    most, least = (searched(f, slopes, np.array([0.3, 0.4]), sign) for sign in (1.0, -1.0))
    assert (most.value, least.value) == (1.0, -2.0)
    assert most.deviations.tolist() == [1.0, 0.0] and abs(least.deviations[1]) == 1.0
    assert least.tried <= 1 + 2 * 6  # itself and five places of y, until none helps


@pytest.mark.parametrize("kink", [-0.95, -0.3, 0.0, 0.123456789, 0.99])
def test_a_kink_between_the_bounds_is_found(kink: float) -> None:
    """f = |x - kink| has its least value 0 there, as a distance of two points that meet."""
    f = lambda v: np.abs(v[:, 0] - kink) + 0.1 * v[:, 1]  # noqa: E731
    slopes = lambda v: np.array([np.sign(v[0] - kink), 0.1])  # noqa: E731
    least = searched(f, slopes, np.array([np.copysign(1.0, kink), 0.4]), -1.0)
    assert least.value == pytest.approx(-0.1, abs=2e-8)  # halves down to 1.5e-8
    assert least.deviations == pytest.approx([kink, -1.0], abs=2e-8)


def test_a_round_extreme_in_a_disc_is_found() -> None:
    """f = (x - 0.3)^2 + (y - 0.1)^2 over the unit disc: least 0 within it."""
    f = lambda v: (v[:, 0] - 0.3) ** 2 + (v[:, 1] - 0.1) ** 2  # noqa: E731
    slopes = lambda v: np.array([2 * v[0] - 0.6, 2 * v[1] - 0.2])  # noqa: E731
    known = np.array([slopes(np.zeros(2)), slopes(np.array([0.9, 0.0]))])
    of = Searched(f, lambda x: (float(f(x[None])[0]), slopes(x)), known)
    least = search_extreme(of, [Spread("t", 0, 2, 0.0, 1.0, "uniform", 3.0)], -1.0)
    assert least.value == pytest.approx(0.0, abs=1e-9)  # what gains less than 4e-11 ends the search


def test_where_slopes_are_unknown_every_tolerance_is_searched() -> None:
    nothing = np.full(2, np.nan)
    of = Searched(
        lambda x: x @ [1.0, 3.0], lambda x: (np.nan, nothing), np.array([nothing, nothing])
    )
    of = of._replace(known=np.array([[1.0, 0.0], nothing]))
    found = search_extreme(of, intervals(2), 1.0)
    assert found.value == 4.0 and found.deviations.tolist() == [1.0, 1.0]

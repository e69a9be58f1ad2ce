"""Integrals of laws from 0, against their antiderivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.errors import BadExpression, NotFinite
from assembly_solver.model.laws.expression import Expression
from assembly_solver.model.laws.law import law_of

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

TIMES = np.array([-1.0, 0.0, 0.3, 2.0, 7.5, 40.0])
CLOSE = 1e-12
"""Share of the largest value: rounding of some hundred sums."""

KNOWN: Mapping[str, Callable[[Array], Array]] = {
    "t^2": lambda t: t**3 / 3,
    "sin(3*t)": lambda t: (1 - np.cos(3 * t)) / 3,
    "if(t < 1, 1, 2)": lambda t: np.where(t < 1, t, 2 * t - 1),
    "abs(t - 1/3)": lambda t: np.sign(t - 1 / 3) * (t - 1 / 3) ** 2 / 2 + 1 / 18,
    "if(abs(t - 1.7) < 0.01, 50, 0)": lambda t: 50 * np.clip(t - 1.69, 0.0, 0.02),
    "exp(-t)*cos(50*t)": lambda t: (np.exp(-t) * (50 * np.sin(50 * t) - np.cos(50 * t)) + 1) / 2501,
}


@pytest.mark.parametrize("rate", KNOWN)
def test_an_integral_is_the_antiderivative_that_is_0_at_0(rate: str) -> None:
    found = Expression.parse(f"2*integral({rate}) + 1", ["t"]).jet(TIMES)
    expected, inner = KNOWN[rate](TIMES), Expression.parse(rate, ["t"]).jet(TIMES)
    np.testing.assert_allclose(
        found.value, 2 * expected + 1, rtol=0, atol=CLOSE * max(1.0, np.abs(expected).max())
    )
    np.testing.assert_array_equal(found.rate, 2 * inner.value)
    np.testing.assert_array_equal(found.acc, 2 * inner.rate)


def test_a_parameter_stands_in_an_integral() -> None:
    law = law_of("integral(rate*t)", "law", {"rate": 6.0})
    assert [float(v) for v in law.at(2.0)] == [12.0, 12.0, 6.0]


def test_a_pole_has_no_integral() -> None:
    with pytest.raises(NotFinite, match=r"has no finite value at t = 2 s"):
        law_of("integral(1/(t - 1)^2)", "law").at(2.0)


def test_an_integral_is_of_a_law_and_in_no_other() -> None:
    for text, said in (
        ("integral(2)", "column 1: integral is of a function of t, for laws"),
        ("integral", "column 1: 'integral' is a function: integral(...)"),
    ):
        with pytest.raises(BadExpression) as caught:
            Expression.parse(text, ["L"])
        assert str(caught.value).endswith(said)
    with pytest.raises(BadExpression, match="integral stands in another one"):
        Expression.parse("integral(t + integral(t))", ["t"])

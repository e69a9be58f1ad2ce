"""Taylor models against the functions that they enclose, sampled densely over their cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assembly_solver.foundations.numerics.rounding import EPSILON
from assembly_solver.foundations.numerics.taylor_models import TaylorModel

T = np.linspace(-1.0, 1.0, 201)

Function = Callable[..., object]


def line(middle: np.ndarray, half: np.ndarray) -> TaylorModel:
    """x = middle + half t."""
    none = np.zeros(len(middle))
    return TaylorModel(middle, half, none, half, none)


FUNCTIONS: dict[str, Function] = {
    "product": lambda x: x * x * x,
    "sum": lambda x: (x * x).plus(-2.0) + x.times(3.0),
    "reciprocal": lambda x: (x * x).plus(1.0).reciprocal(),
    "complex": lambda x: (x.times(1j).plus(0.5) * x.plus(2.0 - 1j)).reciprocal().square_size(),
    "root": lambda x: (x * x).plus(0.3).root(np.zeros(len(x.value), bool)),
    "quotient": lambda x: x * (x * x).plus(2.0).root(np.zeros(len(x.value), bool)).reciprocal(),
}
"""By name, of a model; the same of long doubles where `_Exact` stands in its place."""


class _Exact:
    """A number in the place of a model, in long double."""

    def __init__(self, value: object) -> None:
        self.value = np.asarray(value, np.clongdouble)

    def __add__(self, other: _Exact) -> _Exact:
        return _Exact(self.value + other.value)

    def __mul__(self, other: _Exact) -> _Exact:
        return _Exact(self.value * other.value)

    def times(self, z: complex) -> _Exact:
        return _Exact(self.value * np.clongdouble(z))

    def plus(self, z: complex) -> _Exact:
        return _Exact(self.value + np.clongdouble(z))

    def reciprocal(self) -> _Exact:
        return _Exact(1 / self.value)

    def root(self, touching: object) -> _Exact:
        return _Exact(np.sqrt(self.value))

    def square_size(self) -> _Exact:
        return _Exact(self.value.real**2 + self.value.imag**2)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("width", [1.0, 1e-2, 1e-6, 0.0])
def test_values_and_rates_are_enclosed(name: str, width: float) -> None:
    rng = np.random.default_rng(1)
    middle = rng.uniform(-2.0, 2.0, 50)
    half = width * rng.uniform(0.1, 0.3, 50)
    model = FUNCTIONS[name](line(middle, half))
    wide = np.longdouble(1) * middle + np.longdouble(1) * half * T[:, None].astype(np.longdouble)
    exact = FUNCTIONS[name](_Exact(wide)).value
    off = np.abs(exact - (model.value + model.slope * T[:, None]))
    assert np.all(off <= model.error)
    if width < 1.0:  # no wider than the second order asks for, and the rounding of ten operations
        scale = 1.0 + np.abs(exact).max(axis=0)
        assert np.all(model.error <= (40.0 * half**2 + 400.0 * EPSILON) * scale)
    if width > 1e-3:
        rates = np.diff(exact, axis=0) / (T[1] - T[0])  # mean rates are rates somewhere between
        assert np.all(np.abs(rates - model.rate) <= model.spread * (1.0 + 1e-9) + 1e-13)


def test_what_may_be_zero_has_no_reciprocal_and_what_may_be_negative_no_root() -> None:
    x = line(np.array([0.05, 0.5]), np.array([0.1, 0.1]))
    assert np.isnan(x.reciprocal().reach).tolist() == [True, False]
    no = np.zeros(2, bool)
    assert np.isnan(x.root(no).reach).tolist() == [True, False]


def test_a_root_that_touches_zero_encloses_all_its_values_and_no_rate() -> None:
    x = line(np.array([0.0]), np.array([1e-12])).root(np.array([True]))
    assert x.value[0] - x.error[0] <= 0.0 and x.value[0] + x.error[0] >= 1e-6
    assert np.isnan(x.spread[0])

"""Numbers that vary: a nominal value, with derivatives or with many values, through any formula.

A model whose numbers are of this type is built as one of plain numbers is; what it is built of then
says how it follows them, exactly and for all values at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import taylor
from .taylor import Jet


class Varied(float):
    """A float that is its nominal value, and a jet: its values, and derivatives by variables.

    Arithmetic with other numbers, and the functions of this module, carry the jet along.
    Comparisons are those of the nominal value, as are conversions with `float`.

    Example:
        >>> x = Varied(2.0, Jet(np.array([2.0, 3.0]), np.ones(2), np.zeros(2)))
        >>> (1 + x * x).jet.value.tolist(), (1 + x * x).jet.rate.tolist()
        ([5.0, 10.0], [4.0, 6.0])
    """

    jet: Jet

    def __new__(cls, nominal: float, jet: Jet) -> Varied:
        out = super().__new__(cls, nominal)
        out.jet = jet
        return out

    def __reduce__(self) -> Any:
        return Varied, (float(self), self.jet)

    def __add__(self, other: float) -> Varied:
        return self._with(other, float.__add__, taylor.add)

    __radd__ = __add__

    def __sub__(self, other: float) -> Varied:
        return self._with(other, float.__sub__, taylor.subtract)

    def __rsub__(self, other: float) -> Varied:
        return -self + other

    def __mul__(self, other: float) -> Varied:
        return self._with(other, float.__mul__, taylor.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> Varied:
        return self._with(other, float.__truediv__, taylor.divide)

    def __rtruediv__(self, other: float) -> Varied:
        return Varied(float(other), jet_of(other, self.jet)) / self

    def __pow__(self, other: float, modulo: None = None) -> Varied:
        return self._with(other, float.__pow__, taylor.power)

    def __neg__(self) -> Varied:
        return Varied(-float(self), taylor.negative(self.jet))

    def __pos__(self) -> Varied:
        return self

    def __abs__(self) -> Varied:
        return Varied(abs(float(self)), taylor.absolute(self.jet))

    def _with(
        self, other: float, plain: Callable[[float, float], float], run: Callable[[Jet, Jet], Jet]
    ) -> Varied:
        return Varied(plain(self, float(other)), run(self.jet, jet_of(other, self.jet)))


def jet_of(value: float, like: Jet) -> Jet:
    """The jet of a number, that of a constant where it does not vary; arrays as those of `like`."""
    return value.jet if isinstance(value, Varied) else taylor.constant(value, like.value)


def as_float(value: Any) -> float:
    """A number as a float; one that varies stays as it is."""
    return value if isinstance(value, Varied) else float(value)


def _function(
    plain: Callable[[float], float], run: Callable[[Jet], Jet]
) -> Callable[[float], float]:
    """A function of one number that carries its jet along."""

    def apply(x: float) -> float:
        if isinstance(x, Varied):
            with np.errstate(all="ignore"):
                return Varied(plain(x), run(x.jet))
        return plain(x)

    return apply


sqrt = _function(math.sqrt, taylor.square_root)
sin = _function(math.sin, taylor.sine)
cos = _function(math.cos, taylor.cosine)
radians = _function(math.radians, taylor.to_radians)
degrees = _function(math.degrees, taylor.to_degrees)


def hypot(x: float, y: float, z: float) -> float:
    """Length of a vector."""
    if any(isinstance(v, Varied) for v in (x, y, z)):
        return sqrt(x * x + y * y + z * z)
    return math.hypot(x, y, z)


def rates_of(value: float, count: int) -> Any:
    """Derivatives of a number by so many variables, (count,); 0 of a plain one."""
    return value.jet.rate if isinstance(value, Varied) else np.zeros(count)


def values_of(value: float, count: int) -> Any:
    """The values of a number in so many cases, (count,); one value of a plain one."""
    return value.jet.value if isinstance(value, Varied) else np.full(count, float(value))

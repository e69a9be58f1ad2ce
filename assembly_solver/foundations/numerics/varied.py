"""Numbers that vary: a nominal value, with derivatives or with many values, through any formula.

A model whose numbers are of this type is built as one of plain numbers is; what it is built of then
says how it follows them, exactly and for all values at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import taylor
from .taylor import Jet


class Varied(float):
    """A float that is its nominal value, and a jet: its values, and derivatives by variables.

    Arithmetic with other numbers, and the functions of this module, carry the jet along.
    Comparisons are those of the nominal value, as are conversions with `float`; `departed`, where
    there is one, notes the cases in which a comparison comes out otherwise: what was built by it
    is not theirs.

    Examples:
        >>> x = Varied(2.0, Jet(np.array([2.0, 3.0]), np.ones(2), np.zeros(2)))
        >>> (1 + x * x).jet.value.tolist(), (1 + x * x).jet.rate.tolist()
        ([5.0, 10.0], [4.0, 6.0])
    """

    jet: Jet
    departed: NDArray[np.bool_] | None

    def __new__(cls, nominal: float, jet: Jet, departed: NDArray[np.bool_] | None = None) -> Varied:
        out = super().__new__(cls, nominal)
        out.jet, out.departed = jet, departed
        return out

    def __reduce__(self) -> Any:
        return Varied, (float(self), self.jet, self.departed)

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __eq__(self, other: object) -> bool:
        return self._compared(other, float.__eq__, np.equal)

    def __ne__(self, other: object) -> bool:
        return self._compared(other, float.__ne__, np.not_equal)

    def __lt__(self, other: float) -> bool:
        return self._compared(other, float.__lt__, np.less)

    def __le__(self, other: float) -> bool:
        return self._compared(other, float.__le__, np.less_equal)

    def __gt__(self, other: float) -> bool:
        return self._compared(other, float.__gt__, np.greater)

    def __ge__(self, other: float) -> bool:
        return self._compared(other, float.__ge__, np.greater_equal)

    def __bool__(self) -> bool:
        return self != 0.0

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
        return Varied(float(other), jet_of(other, self.jet), self.departed) / self

    def __pow__(self, other: float, modulo: None = None) -> Varied:
        return self._with(other, float.__pow__, taylor.power)

    def __neg__(self) -> Varied:
        return Varied(-float(self), taylor.negative(self.jet), self.departed)

    def __pos__(self) -> Varied:
        return self

    def __abs__(self) -> Varied:
        return Varied(abs(float(self)), taylor.absolute(self.jet), self.departed)

    def _with(
        self, other: float, plain: Callable[[float, float], float], run: Callable[[Jet, Jet], Jet]
    ) -> Varied:
        departed = self.departed
        if departed is None and isinstance(other, Varied):
            departed = other.departed
        return Varied(plain(self, float(other)), run(self.jet, jet_of(other, self.jet)), departed)

    def _compared(self, other: Any, plain: Callable[..., bool], each: Callable[..., Any]) -> bool:
        """The outcome for the nominal value; cases in which it is another one are noted."""
        out = plain(self, other)
        if self.departed is not None and isinstance(other, (int, float)):
            self.departed |= each(self.jet.value, jet_of(other, self.jet).value) != out
        return out


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
                return Varied(plain(x), run(x.jet), x.departed)
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

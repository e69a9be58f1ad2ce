"""Values with their first and second derivative with respect to time: Taylor arithmetic.

A *jet* is three arrays of one shape: a value and its derivatives.  Every rule is exact, without
difference quotients.  Where a function is undefined its jet is not finite.

Source: the chain, product and quotient rule to second order; Griewank and Walther, Evaluating
Derivatives, calls this the propagation of truncated Taylor series.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..types import Array


class Jet(NamedTuple):
    """A value with its first and second derivative by time, arrays of one shape."""

    value: Array
    rate: Array
    acc: Array


def constant(value: float, like: Array) -> Jet:
    """A constant, as arrays of the shape of `like`."""
    return _constant_jet(np.full_like(like, value))


def time(t: Array) -> Jet:
    """The jet of time, s."""
    return Jet(t, np.ones_like(t), np.zeros_like(t))


# ---------------------------------------------------------------------------------- arithmetic
def add(u: Jet, v: Jet) -> Jet:
    return Jet(u.value + v.value, u.rate + v.rate, u.acc + v.acc)


def subtract(u: Jet, v: Jet) -> Jet:
    return Jet(u.value - v.value, u.rate - v.rate, u.acc - v.acc)


def negative(u: Jet) -> Jet:
    return Jet(-u.value, -u.rate, -u.acc)


def multiply(u: Jet, v: Jet) -> Jet:
    return Jet(
        u.value * v.value,
        u.rate * v.value + u.value * v.rate,
        u.acc * v.value + 2.0 * u.rate * v.rate + u.value * v.acc,
    )


def divide(u: Jet, v: Jet) -> Jet:
    quotient = u.value / v.value
    rate = (u.rate - quotient * v.rate) / v.value
    return Jet(quotient, rate, (u.acc - 2.0 * rate * v.rate - quotient * v.acc) / v.value)


def power(u: Jet, v: Jet) -> Jet:
    """u to the v: by the power rule where the exponent is constant, else as exp(v log u)."""
    n, x = v.value, u.value
    value = x**n
    first = np.where(n == 0.0, 0.0, n * x ** (n - 1.0))
    second = np.where((n == 0.0) | (n == 1.0), 0.0, n * (n - 1.0) * x ** (n - 2.0))
    plain = _chain(u, value, first, second)
    at_rest = (v.rate == 0.0) & (v.acc == 0.0)
    if at_rest.all():
        return plain
    exponent = multiply(v, _chain(u, np.log(x), 1.0 / x, -1.0 / x**2))
    return _where(at_rest, plain, _chain(exponent, value, value, value))


def remainder(u: Jet, v: Jet) -> Jet:
    """u modulo v, with the sign of v."""
    whole = np.floor(u.value / v.value)
    return Jet(np.mod(u.value, v.value), u.rate - whole * v.rate, u.acc - whole * v.acc)


def _chain(u: Jet, value: Array, first: Array, second: Array) -> Jet:
    """f(u) from f, f' and f'' at u; a constant u has rate 0, even where f' is infinite."""
    at_rest = (u.rate == 0.0) & (u.acc == 0.0)
    return Jet(
        value,
        np.where(at_rest, 0.0, first * u.rate),
        np.where(at_rest, 0.0, np.where(u.rate == 0.0, 0.0, second * u.rate**2) + first * u.acc),
    )


def _where(condition: Array | NDArray[np.bool_], u: Jet, v: Jet) -> Jet:
    return Jet(*(np.where(condition, a, b) for a, b in zip(u, v, strict=True)))


# --------------------------------------------------------------------------------- comparisons
def compared(how: Callable[[Array, Array], NDArray[np.bool_]]) -> Callable[[Jet, Jet], Jet]:
    """A comparison as a number: 1 where true, else 0."""
    return lambda u, v: _constant_jet(how(u.value, v.value).astype(float))


both = compared(lambda u, v: (u != 0.0) & (v != 0.0))
either = compared(lambda u, v: (u != 0.0) | (v != 0.0))


def opposite(u: Jet) -> Jet:
    return _constant_jet((u.value == 0.0).astype(float))


def choose(condition: Jet, u: Jet, v: Jet) -> Jet:
    """u where the condition is not 0, else v."""
    return _where(condition.value != 0.0, u, v)


def least(u: Jet, v: Jet) -> Jet:
    return _where(u.value <= v.value, u, v)


def greatest(u: Jet, v: Jet) -> Jet:
    return _where(u.value >= v.value, u, v)


def _constant_jet(value: Array) -> Jet:
    return Jet(value, np.zeros_like(value), np.zeros_like(value))


def piecewise_constant(how: Callable[[Array], Array]) -> Callable[[Jet], Jet]:
    """A piecewise constant function."""
    return lambda u: _constant_jet(how(u.value) + 0.0)


# ----------------------------------------------------------------------------------- functions
def sine(u: Jet) -> Jet:
    s, c = np.sin(u.value), np.cos(u.value)
    return _chain(u, s, c, -s)


def cosine(u: Jet) -> Jet:
    s, c = np.sin(u.value), np.cos(u.value)
    return _chain(u, c, -s, -c)


def tangent(u: Jet) -> Jet:
    f = np.tan(u.value)
    return _chain(u, f, 1.0 + f**2, 2.0 * f * (1.0 + f**2))


def arc_sine(u: Jet) -> Jet:
    r = 1.0 - u.value**2
    return _chain(u, np.arcsin(u.value), r**-0.5, u.value * r**-1.5)


def arc_cosine(u: Jet) -> Jet:
    r = 1.0 - u.value**2
    return _chain(u, np.arccos(u.value), -(r**-0.5), -u.value * r**-1.5)


def arc_tangent(u: Jet) -> Jet:
    r = 1.0 / (1.0 + u.value**2)
    return _chain(u, np.arctan(u.value), r, -2.0 * u.value * r**2)


def arc_tangent_2(y: Jet, x: Jet) -> Jet:
    """The polar angle of the point (x, y), -pi to pi."""
    r2 = x.value**2 + y.value**2
    rate = (x.value * y.rate - y.value * x.rate) / r2
    r2_rate = 2.0 * (x.value * x.rate + y.value * y.rate)
    acc = (x.value * y.acc - y.value * x.acc - r2_rate * rate) / r2
    at_rest = (x.rate == 0.0) & (x.acc == 0.0) & (y.rate == 0.0) & (y.acc == 0.0)
    value = np.arctan2(y.value, x.value)
    return Jet(value, np.where(at_rest, 0.0, rate), np.where(at_rest, 0.0, acc))


def hyperbolic_sine(u: Jet) -> Jet:
    f = np.sinh(u.value)
    return _chain(u, f, np.cosh(u.value), f)


def hyperbolic_cosine(u: Jet) -> Jet:
    f = np.cosh(u.value)
    return _chain(u, f, np.sinh(u.value), f)


def hyperbolic_tangent(u: Jet) -> Jet:
    f = np.tanh(u.value)
    return _chain(u, f, 1.0 - f**2, -2.0 * f * (1.0 - f**2))


def square_root(u: Jet) -> Jet:
    f = np.sqrt(u.value)
    return _chain(u, f, 0.5 / f, -0.25 / (f * u.value))


def exponential(u: Jet) -> Jet:
    f = np.exp(u.value)
    return _chain(u, f, f, f)


def logarithm(u: Jet) -> Jet:
    return _chain(u, np.log(u.value), 1.0 / u.value, -1.0 / u.value**2)


def logarithm_10(u: Jet) -> Jet:
    return scaled(logarithm(u), 1.0 / log(10.0))


def absolute(u: Jet) -> Jet:
    return _chain(u, np.abs(u.value), np.sign(u.value), np.zeros_like(u.value))


def hypotenuse(u: Jet, v: Jet) -> Jet:
    """Length of the vector (u, v)."""
    return square_root(add(multiply(u, u), multiply(v, v)))


# --------------------------------------------------------------------------- degrees, and steps
def scaled(u: Jet, factor: float) -> Jet:
    return Jet(u.value * factor, u.rate * factor, u.acc * factor)


def to_degrees(u: Jet) -> Jet:
    return scaled(u, 180.0 / pi)


def to_radians(u: Jet) -> Jet:
    return scaled(u, pi / 180.0)


def sine_of_degrees(u: Jet) -> Jet:
    """Exact at whole right angles: 0, 1, 0, -1."""
    s, c = _circle(u.value)
    return _chain(to_radians(u), s, c, -s)


def cosine_of_degrees(u: Jet) -> Jet:
    """Exact at whole right angles: 1, 0, -1, 0."""
    s, c = _circle(u.value)
    return _chain(to_radians(u), c, -s, -c)


def tangent_of_degrees(u: Jet) -> Jet:
    return divide(sine_of_degrees(u), cosine_of_degrees(u))


def _circle(angle: Array) -> tuple[Array, Array]:
    """Sine and cosine of degrees, computed from the nearest right angle."""
    quarters = np.round(angle / 90.0)
    rest = np.radians(angle - 90.0 * quarters)
    s, c = np.sin(rest), np.cos(rest)
    q = np.mod(quarters, 4.0)
    sines = np.where(q == 0, s, np.where(q == 1, c, np.where(q == 2, -s, -c)))
    cosines = np.where(q == 0, c, np.where(q == 1, -s, np.where(q == 2, -c, s)))
    return sines + 0.0, cosines + 0.0  # no minus zero


def step(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> Jet:
    """h0 up to x0, h1 from x1 on, a cubic in between: the rate is continuous."""
    s = _share(x, x0, x1)
    three = subtract(constant(3.0, s.value), scaled(s, 2.0))
    return add(h0, multiply(subtract(h1, h0), multiply(multiply(s, s), three)))


def step5(x: Jet, x0: Jet, h0: Jet, x1: Jet, h1: Jet) -> Jet:
    """h0 up to x0, h1 from x1 on, a quintic in between: the second derivative is continuous."""
    s = _share(x, x0, x1)
    square = multiply(s, s)
    inner = add(constant(10.0, s.value), subtract(scaled(square, 6.0), scaled(s, 15.0)))
    return add(h0, multiply(subtract(h1, h0), multiply(multiply(square, s), inner)))


def _share(x: Jet, x0: Jet, x1: Jet) -> Jet:
    """(x - x0) / (x1 - x0), clipped to 0 to 1."""
    s = divide(subtract(x, x0), subtract(x1, x0))
    s = _where(s.value < 0.0, constant(0.0, s.value), s)
    return _where(s.value > 1.0, constant(1.0, s.value), s)

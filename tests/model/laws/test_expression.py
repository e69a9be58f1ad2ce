"""Expressions: values, exact derivatives in t, and what is said of one that cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, degrees, e, exp, log, pi, sin, sqrt, tan

import numpy as np
import pytest

from assembly_solver.errors import BadExpression
from assembly_solver.model.laws.arithmetic import plainly
from assembly_solver.model.laws.expression import FUNCTIONS, Expression

EPS = float(np.finfo(float).eps)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=L/2 + 3", 63.0),
        ("2**3**2", 512.0),  # to the right, as in Python
        ("-2**2", -4.0),  # a power binds more tightly than a sign before it
        ("2**-1", 0.5),
        ("2^10", 1024.0),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("2*-3 + +1", -5.0),
        ("7 % 4 + -7 % 4", 4.0),
        ("1.5e2 + .5", 150.5),
        ("1 + 1 == 2 and not 3 < 2", 1.0),
        ("1 >= 2 or 1 != 1", 0.0),
        ("if(L > 100, L, 100)", 120.0),
        ("if(L > 200, 1/0, 5)", 5.0),  # what is not chosen may have no value
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("cosd(90) + sind(180) + tand(0)", 0.0),  # exactly: degrees are what parts are drawn in
        ("sind(90) - cosd(180) + cosd(360)", 3.0),
        ("hypot(3, 4) + sign(-2) + floor(1.5) + ceil(1.5) + round(1.4)", 8.0),
        ("degrees(pi) + radians(180)/pi", 181.0),
        ("step(5, 0, 10, 2, 20) + step5(-1, 0, 10, 2, 20)", 30.0),
        ("step(1, 0, 10, 2, 20)", 15.0),
        ("log(e) + log10(1000)", 4.0),
    ],
)
def test_a_formula_has_the_value_of_arithmetic(text: str, value: float) -> None:
    assert Expression.parse(text, ["L"]).evaluate({"L": 120.0}) == pytest.approx(value, abs=4 * EPS)


CLOSED: dict[str, tuple[Callable[[float], float], ...]] = {
    "sin(2*t)": (lambda t: sin(2 * t), lambda t: 2 * cos(2 * t), lambda t: -4 * sin(2 * t)),
    "exp(-t)*cos(3*t)": (
        lambda t: exp(-t) * cos(3 * t),
        lambda t: exp(-t) * (-cos(3 * t) - 3 * sin(3 * t)),
        lambda t: exp(-t) * (6 * sin(3 * t) - 8 * cos(3 * t)),
    ),
    "t**3 - 4*t": (lambda t: t**3 - 4 * t, lambda t: 3 * t**2 - 4, lambda t: 6 * t),
    "1/(1 + t**2)": (
        lambda t: 1 / (1 + t**2),
        lambda t: -2 * t / (1 + t**2) ** 2,
        lambda t: (6 * t**2 - 2) / (1 + t**2) ** 3,
    ),
    "tan(t/2)": (
        lambda t: tan(t / 2),
        lambda t: 0.5 / cos(t / 2) ** 2,
        lambda t: 0.5 * tan(t / 2) / cos(t / 2) ** 2,
    ),
    "t**t": (
        lambda t: t**t,
        lambda t: t**t * (log(t) + 1),
        lambda t: t**t * ((log(t) + 1) ** 2 + 1 / t),
    ),
    "2**t": (lambda t: 2**t, lambda t: log(2) * 2**t, lambda t: log(2) ** 2 * 2**t),
    "sqrt(t)": (sqrt, lambda t: 0.5 / sqrt(t), lambda t: -0.25 / t**1.5),
    "atan2(sin(t), cos(t))": (lambda t: t, lambda t: 1.0, lambda t: 0.0),
    "atan2d(sin(t*t), cos(t*t))": (
        lambda t: degrees(t * t),
        lambda t: degrees(2 * t),
        lambda t: degrees(2),
    ),
    "360*t % 90": (lambda t: 360 * t % 90, lambda t: 360.0, lambda t: 0.0),
    "if(t < 1, t**2, 2*t - 1)": (
        lambda t: t**2 if t < 1 else 2 * t - 1,
        lambda t: 2 * t if t < 1 else 2.0,
        lambda t: 2.0 if t < 1 else 0.0,
    ),
}


@pytest.mark.parametrize("text", CLOSED)
def test_derivatives_in_t_are_those_of_the_closed_form(text: str) -> None:
    times = np.array([0.11, 0.37, 0.52, 0.93, 1.41])
    found = Expression.parse(text, ["t"]).jet(times)
    for array, closed in zip(found, CLOSED[text], strict=True):
        # some dozen roundings, in numbers of at most 1e3
        exact = [closed(t) for t in times.tolist()]
        np.testing.assert_allclose(array, exact, rtol=1e-13, atol=1e-12)


ARGUMENTS = {
    "atan2": "sin(t), 2 + t",
    "atan2d": "sin(t), 2 + t",
    "hypot": "t, 3 + t*t",
    "min": "t, t*t",
    "max": "t, t*t",
    "if": "t < 0.5, t*t, t**3",
    "step": "t, 0, 1, 2, 5",
    "step5": "t, 0, 1, 2, 5",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_agrees_with_differences_of_its_values(name: str) -> None:
    expression = Expression.parse(f"{name}({ARGUMENTS.get(name, '0.2 + 0.7*t')})", ["t"])
    h, at = 1e-3, np.array([0.21, 0.4, 0.77])
    v = [expression.jet(at + k * h).value for k in (-2, -1, 0, 1, 2)]
    found = expression.jet(at)
    rate = (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / (12 * h)
    acc = (-v[0] + 16 * v[1] - 30 * v[2] + 16 * v[3] - v[4]) / (12 * h * h)
    size = np.abs(v[2]).max() + 1
    # five points: error h^4 times a fifth or sixth derivative, and rounding by h or h^2
    np.testing.assert_allclose(found.rate, rate, atol=1e-9 * size)
    np.testing.assert_allclose(found.acc, acc, atol=1e-7 * size)


def test_what_stands_still_has_no_rate_where_the_slope_is_infinite() -> None:
    found = Expression.parse("sqrt(0) + asin(1) + t**2", ["t"]).jet(np.array([0.0, 1.0]))
    assert found.rate.tolist() == [0.0, 2.0]
    assert found.acc.tolist() == [2.0, 2.0]


def test_a_thousand_terms_are_no_deeper_than_two() -> None:
    assert Expression.parse("+".join(["1"] * 5000)).evaluate() == 5000.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "column 1: it ends where a number, a name or '(' is needed"),
        ("1 +", "column 4: it ends where"),
        ("(1", "column 3: the parenthesis of column 1 is not closed"),
        ("1)", "column 2: an operator is missing before ')'"),
        ("2t", "column 2: an operator is missing before 't'"),
        ("Lx + 1", "column 1: no name 'Lx'; did you mean 'L'?"),
        ("1 + cosinus(2)", "column 5: no function 'cosinus'; did you mean 'sin' or 'cos'?"),
        ("sin", "column 1: 'sin' is a function: sin(...)"),
        ("atan2(1)", "column 1: atan2 takes 2 numbers, here are 1"),
        ("max(1)", "column 1: max takes 2 or more numbers, here are 1"),
        ("1 < 2 < 3", "column 7: comparisons are joined by 'and'"),
        ("L.real", "column 2: '.' has no meaning here"),
        ("__import__('os')", "has no meaning here"),
        ("1e999", "column 1: 1e999 is too large"),
        ("-" * 2000 + "1", "column 61: this is nested more than 60 deep"),
        ("(" * 100 + "1" + ")" * 100, "this is nested more than 60 deep"),
    ],
)
def test_a_formula_that_cannot_be_read_says_where_and_what_was_possible(
    text: str, says: str
) -> None:
    with pytest.raises(BadExpression) as caught:
        Expression.parse(text, ["L", "t"], "parameters.M")
    message = str(caught.value)
    assert message.startswith("parameters.M: ")
    assert says in message
    assert "\n" not in message
    assert len(message) < 300


def test_the_names_that_a_formula_uses_are_told_once() -> None:
    expression = Expression.parse("=b*a + pi*a + sin(e)", ["a", "b"])
    assert expression.names == ("b", "a")
    value = expression.evaluate({"a": 2.0, "b": 3.0})
    assert value == pytest.approx(6 + 2 * pi + sin(e), rel=1e-15)


@pytest.mark.parametrize(
    "text", ["L", "-L/3 + 0.1*w", "(L - w)/(L + w)*2.5e-3", "1e308*L", "--w - 7"]
)
def test_arithmetic_alone_is_that_of_jets_to_the_bit(text: str) -> None:
    found = Expression.parse(text, ["L", "w"])
    values = {"L": 119.9, "w": 1.0 / 3.0}
    plain = plainly(found.instructions, values)
    assert plain is not None
    assert plain == float(found.jet(np.zeros(()), values).value)


def test_a_quotient_by_zero_and_what_is_no_arithmetic_are_left_to_jets() -> None:
    for text in ("1/(L - 2)", "L**2", "sin(L)", "if(L > 1, 2, 3)"):
        assert plainly(Expression.parse(text, ["L"]).instructions, {"L": 2.0}) is None
    assert Expression.parse("1/(L - 2)", ["L"]).evaluate({"L": 2.0}) == np.inf

"""Laws of drivers: their values and exact derivatives, their spans, and their form in a file."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import Any

import numpy as np
import pytest

from assembly_solver.errors import AssemblySolverError, BadValue, NotFinite
from assembly_solver.model.laws.law import Ramp, law_of

pytestmark = pytest.mark.quick

SPECS: list[Any] = [
    12.5,
    {"ramp": [10, 70]},
    {"ramp": [10, 70], "times": [1, 3]},
    {"sine": {"amplitude": 30, "period": 2}},
    {"sine": {"amplitude": 30, "frequency": 0.5, "phase": 90, "mean": 5}},
    {"table": [[0, 0], [1, 2.5], [2, 4]]},
    {"table": [[-1, 0], [1, 2.5]], "monotone": True},
    "30*sin(2*pi*t)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_a_law_is_written_as_it_was_read(spec: Any) -> None:
    law = law_of(spec, "law")
    assert law.to_file() == spec
    assert law_of(law.to_file(), "law") == law
    assert law_of(law, "law") is law


@pytest.mark.parametrize("spec", SPECS)
def test_a_law_gives_three_arrays_of_the_shape_of_its_times(spec: Any) -> None:
    law = law_of(spec, "law")
    assert [a.shape for a in law.at(np.full((2, 3), 0.5))] == [(2, 3)] * 3
    assert [a.shape for a in law.at(0.5)] == [()] * 3


def test_a_ramp_takes_the_time_of_the_sweep_and_rests_before_and_after() -> None:
    value, rate, acc = law_of({"ramp": [10, 70]}, "law").over((1.0, 3.0)).at([0, 1, 2, 3, 4])
    assert value.tolist() == [10, 10, 40, 70, 70]
    assert rate.tolist() == [0, 30, 30, 30, 0]
    assert acc.tolist() == [0] * 5
    own = law_of({"ramp": [10, 70], "times": [1, 3]}, "law")
    assert own.over((0.0, 10.0)) is own
    with pytest.raises(BadValue, match="a ramp takes some time"):
        law_of({"ramp": [10, 70]}, "law").over((1.0, 1.0))


def test_a_sine_counts_its_phase_in_degrees_and_its_period_in_seconds() -> None:
    t = np.linspace(0, 3, 7)
    spec = {"sine": {"amplitude": 30, "period": 1.5, "phase": 60, "mean": 5}}
    angle = 2 * pi * t / 1.5 + pi / 3
    value, rate, acc = law_of(spec, "law").at(t)
    spin = 2 * pi / 1.5
    np.testing.assert_allclose(value, 5 + 30 * np.sin(angle), atol=1e-13)
    np.testing.assert_allclose(rate, 30 * spin * np.cos(angle), atol=1e-12)
    np.testing.assert_allclose(acc, -30 * spin**2 * np.sin(angle), atol=1e-11)


@pytest.mark.parametrize(
    ("times", "powers"),
    [([0, 2], 1), ([0, 1, 4], 2), ([0, 0.5, 2, 3], 3), ([-1, 0, 0.2, 2, 2.1, 5], 3)],
)
def test_a_spline_through_points_of_a_cubic_is_that_cubic(times: list[float], powers: int) -> None:
    """Not-a-knot: as many points as a polynomial needs give it back."""
    cubic = np.polynomial.Polynomial([3.0, -2.0, 0.7, -0.3][: powers + 1])
    law = law_of({"table": [[x, float(cubic(x))] for x in times]}, "law")
    t = np.linspace(times[0], times[-1], 41)
    for found, exact in zip(law.at(t), (cubic, cubic.deriv(), cubic.deriv(2)), strict=True):
        np.testing.assert_allclose(found, exact(t), atol=1e-11)


def test_a_spline_is_smooth_at_its_points_and_passes_through_them() -> None:
    rng = np.random.default_rng(7)
    times, values = np.cumsum(rng.uniform(0.2, 2, 12)), rng.uniform(-5, 5, 12)
    for monotone in (False, True):
        spec = {"table": np.stack([times, values], 1).tolist(), "monotone": monotone}
        law = law_of(spec, "law")
        np.testing.assert_allclose(law.at(times)[0], values, atol=1e-11)
        before, after = law.at(np.nextafter(times[1:-1], -9)), law.at(times[1:-1])
        for one, two in zip(before, after, strict=True):  # values, rates, second derivatives
            np.testing.assert_allclose(one, two, atol=1e-10)


def test_the_error_of_a_spline_shrinks_with_the_fourth_power_of_the_spacing() -> None:
    t, off = np.linspace(0, 3, 301), []
    for count in (31, 61):
        points = [[x, float(np.sin(x))] for x in np.linspace(0, 3, count).tolist()]
        value, _, acc = law_of({"table": points}, "law").at(t)
        off.append((np.abs(value - np.sin(t)).max(), np.abs(acc + np.sin(t)).max()))
    assert 12 < off[0][0] / off[1][0] < 24  # 2^4 = 16, at the ends a little more
    assert 3 < off[0][1] / off[1][1] < 5  # 2^2 = 4
    assert off[1][0] < 1e-7


def test_a_monotone_table_never_leaves_the_values_of_its_neighbouring_points() -> None:
    dwell = [[0, 0], [1, 0], [1.1, 90], [2, 90], [3, 30], [3.5, 29], [4, 0]]
    law = law_of({"table": dwell, "monotone": True}, "law")
    for (t0, v0), (t1, v1) in pairwise(dwell):
        value, _, _ = law.at(np.linspace(t0, t1, 200))
        assert min(v0, v1) - 1e-12 <= value.min() <= value.max() <= max(v0, v1) + 1e-12
        assert (np.diff(value) * (v1 - v0) >= -1e-9).all()
    assert [float(x) for x in law.at(0.0)[1:]] == [0.0, 0.0]  # at rest at the ends
    spline = law_of({"table": dwell}, "law").at(np.linspace(0, 4, 400))[0]
    assert spline.max() > 95  # what "monotone" is for


@pytest.mark.parametrize("spec", [{"table": [[0, 0], [1, 3]]}, {"table": [[0, 1], [1, 0], [2, 4]]}])
def test_a_table_says_nothing_outside_its_times(spec: Any) -> None:
    law = law_of(spec, "drivers.motor.law")
    last = spec["table"][-1][0]
    assert law.span == (0, last)
    with pytest.raises(BadValue, match=f"drivers.motor.law: .* its table, 0 to {last} s"):
        law.at([0.5, last + 0.5])


def test_times_that_rounding_put_outside_belong_to_the_law() -> None:
    late = 3 * 0.1  # later than 0.3
    assert late > 0.3
    for spec in ({"table": [[0, 0], [0.3, 3]]}, {"ramp": [0, 3], "times": [0, 0.3]}):
        value, rate, _ = law_of(spec, "law").at([late])
        assert (value[0], rate[0]) == (pytest.approx(3), pytest.approx(10))


def test_a_law_is_held_by_solve_at_0_or_at_the_nearest_time_of_its_table() -> None:
    assert law_of("3 + t", "law").start == 0
    assert law_of({"table": [[2, 0], [3, 1]]}, "law").start == 2
    assert law_of({"table": [[-2, 0], [-1, 1]]}, "law").start == -1
    assert law_of({"table": [[-2, 0], [1, 1]]}, "law").start == 0


def test_a_formula_may_use_parameters_and_knows_only_those_that_it_uses() -> None:
    law = law_of("L*cos(pi*t)", "law", {"L": 40.0, "M": 1.0})
    value, rate, acc = law.at([0.0, 0.5])
    np.testing.assert_allclose(value, [40, 0], atol=1e-14)
    np.testing.assert_allclose(rate, [0, -40 * pi], atol=1e-13)
    np.testing.assert_allclose(acc, [-40 * pi**2, 0], atol=1e-12)
    assert law == law_of("L*cos(pi*t)", "law", {"L": 40.0})
    assert law != law_of("L*cos(pi*t)", "law", {"L": 41.0})


def test_a_law_without_a_finite_value_says_when() -> None:
    law = law_of("sqrt(2 - t)", "drivers.motor.law")
    with pytest.raises(NotFinite, match=r"law: 'sqrt\(2 - t\)' has no finite value at t = 2.5 s"):
        law.at([1.0, 2.5])
    with pytest.raises(NotFinite, match="has no finite rate at t = 2 s"):
        law.at([1.0, 2.0])


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (None, 'law: None is not possible here, it must be a number, "ramp", "sine", "table", or'),
        (True, "law: True is not possible here"),
        (float("inf"), "law: inf is not possible here"),
        ("30*sinus(t)", "law: '30*sinus(t)', column 4: no function 'sinus'; did you mean 'sin"),
        ("L", "law: 'L', column 1: no name 'L'; known: e, pi, t"),
        ("1/t", "law: '1/t' has no finite value at t = 0 s"),
        ({}, "law: no law ''; known: ramp, sine, table"),
        ({"rampe": [0, 1]}, "law: no law 'rampe'; did you mean 'ramp'?"),
        ({"ramp": [0]}, "law.ramp: [0] is not possible here, it must be two numbers, from and to"),
        ({"ramp": [0, 1], "time": [0, 1]}, "law: no key 'time'; did you mean 'times'?"),
        ({"ramp": [0, 1], "times": [1, 1]}, "law.times: [1, 1] is not possible here"),
        ({"ramp": [0, 1], "table": [[0, 1], [1, 2]]}, "law: 'ramp' and 'table' exclude each other"),
        ({"sine": 3}, "law.sine: 3 is not possible here, it must be an object with an amplitude"),
        ({"sine": {"period": 1}}, "law.sine: a sine needs 'amplitude'"),
        ({"sine": {"amplitude": 1}}, "law.sine: a sine without a frequency needs 'period'"),
        ({"sine": {"amplitude": 1, "period": 1, "frequency": 1}}, "law.sine: 'period' and 'freq"),
        ({"sine": {"amplitude": 1, "period": 0}}, "law.sine.period: 0 is not possible here"),
        ({"sine": {"amplitude": 1, "periode": 1}}, "law.sine: no key 'periode'; did you mean 'per"),
        ({"table": [[0, 1]]}, "law.table: [[0, 1]] is not possible here, it must be two or more"),
        ({"table": [[0, 1], [0, 2]]}, "law.table[1]: 0.0 is not possible here, it must be a time"),
        ({"table": [[0, 1], [1]]}, "law.table[1]: [1] is not possible here, it must be a time and"),
        ({"table": [[0, 1], [1, 2]], "monotone": 1}, "law.monotone: 1 is not possible here"),
        ({"table": [[0, 0], [1e-320, 1e9], [1, 2]]}, "it must be times that are farther apart"),
    ],
)
def test_a_law_that_cannot_be_meant_is_refused_with_its_place(spec: Any, says: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        law_of(spec, "law")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_ramp_that_is_not_told_a_time_takes_the_first_second() -> None:
    law = law_of({"ramp": [0, 90]}, "law")
    assert isinstance(law, Ramp)
    assert [float(x) for x in law.at(0.5)] == [45.0, 90.0, 0.0]

"""Numbers to many digits with bounds of their errors, against closed forms to more digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from assembly_solver.foundations.numerics.fixed_balls import BITS, FixedBall, Undecided, fixed_turn

LEAST = 1e-36
"""What errors are below after a few operations; 2^-160 is 7e-49, a turn loses 2^30 of it."""


def holds(found: FixedBall, exact: mpmath.mpc) -> None:
    """An enclosure is narrow and contains a number that is known to 80 digits."""
    with mpmath.workdps(80):
        unit = mpmath.mpf(2) ** -BITS
        off = abs(mpmath.mpc(found.re * unit, found.im * unit) - exact)
        assert off <= found.error * unit < LEAST


@pytest.mark.parametrize("angle", [0.0, 1.0, -3.75, 6.5, 25.0])
def test_a_turn_is_enclosed(angle: float) -> None:
    with mpmath.workdps(80):
        holds(fixed_turn(FixedBall.of(angle)), mpmath.expj(mpmath.mpf(angle)))


@pytest.mark.parametrize("seed", range(5))
def test_every_operation_encloses_what_it_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (complex(*rng.uniform(-300, 300, 2)) for _ in range(2))
    one, two = FixedBall.of(a), FixedBall.of(b)
    with mpmath.workdps(80):
        x, y = mpmath.mpmathify(a), mpmath.mpmathify(b)
        holds(one + two - one * two, x + y - x * y)
        holds(one.times(b).plus(a).conjugate(), mpmath.conj(x * y + x))
        holds(one * two.reciprocal(), x / y)
        holds(one.square_size().root(np.zeros(1, bool)).signed(-np.ones(1)), -abs(x))
        holds(one.real + one.imag.times(1j), x)


def test_a_sign_is_told_where_double_precision_has_none() -> None:
    """The double 0.1 is 3602879701896397 / 2^55, ten times of which are 1 + 2^-54."""
    near = (FixedBall.of(0.1) * FixedBall.of(10.0)).plus(-1.0)
    assert 0.1 * 10.0 - 1.0 == 0.0
    assert (near.sign, (-near).sign, (near - near).sign) == (1, -1, 0)
    assert float(near) == pytest.approx(2.0**-54, rel=1e-12)


def test_what_may_be_zero_has_no_reciprocal_and_no_root() -> None:
    none = FixedBall.of(math.pi) - FixedBall.of(math.pi) * FixedBall.of(1.0)
    for function in (none.reciprocal, lambda: none.root(np.zeros(1, bool))):
        with pytest.raises(Undecided):
            function()

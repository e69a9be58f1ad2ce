"""The oracles themselves: the rules of differentiation against differences."""

from __future__ import annotations

from collections.abc import Callable

import jets as j
import numpy as np
import pytest
from jets import Jet

pytestmark = pytest.mark.quick

STEP = 1e-4


def crank_tip(t: Jet) -> Jet:
    return j.polar(40.0, 2.0 * t * t + 0.3)


OTHER = j.vector(100.0, 5.0, 0.0)

FORMULAS: dict[str, Callable[[Jet], Jet]] = {
    "quotient": lambda t: (1.0 + t) / (2.0 - t * t),
    "root": lambda t: j.sqrt(2.0 + j.sin(t)),
    "angle": lambda t: j.atan2(j.sin(3.0 * t), 2.0 + j.cos(t)),
    "circles": lambda t: j.meet(crank_tip(t), 90.0, OTHER + 0.0 * t.column(), 70.0, 1)[1],
    "vectors": lambda t: j.norm(j.cross(crank_tip(t), j.unit(j.vector(t, 1.0, 2.0 * t)))),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_derivatives_of_an_oracle_are_those_of_its_values(name: str) -> None:
    """Central differences: their error is of the size of the step squared."""
    t = np.array([0.1, 0.4, 0.9, 1.3])
    f = FORMULAS[name]
    here = f(Jet(t, 1.0, 0.0))
    before, after = (f(Jet(t + h, 1.0, 0.0)).value for h in (-STEP, STEP))
    np.testing.assert_allclose(here.rate, (after - before) / (2 * STEP), rtol=1e-5, atol=1e-5)
    second = (after - 2 * here.value + before) / STEP**2
    np.testing.assert_allclose(here.acc, second, rtol=1e-4, atol=1e-4)


def test_circles_meet_on_the_side_that_was_asked_for() -> None:
    left = j.meet(j.vector(0.0, 0.0, 0.0), 3.0, j.vector(5.0, 0.0, 0.0), 4.0, 1)
    np.testing.assert_allclose(left.value, [1.8, 2.4, 0], atol=1e-15)  # the 3-4-5 triangle


def test_the_spin_of_turning_axes_is_the_rate_of_their_turn() -> None:
    turn = Jet(np.array([0.2, 1.0]), np.array([3.0, 3.0]), np.array([-2.0, 5.0]))
    z = j.vector(0.0 * turn, 0.0 * turn, 1.0)
    axes = (j.polar(1.0, turn), j.polar(1.0, turn + np.pi / 2), z)
    spin, spin_rate = j.spin_of(axes)
    np.testing.assert_allclose(spin, [[0, 0, 3], [0, 0, 3]], atol=1e-15)
    np.testing.assert_allclose(spin_rate, [[0, 0, -2], [0, 0, 5]], atol=1e-14)

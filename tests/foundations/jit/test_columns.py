"""Loops over columns: the same numbers one by one in machine code and all at once interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.jit.columns import FEW
from assembly_solver.foundations.jit.decorators import ACTIVE
from assembly_solver.foundations.numerics.vector_trigonometry import cosines_and_sines
from assembly_solver.linkages.plan import closed_forms as forms

A, B, TO, OTHER = 6, 8, 10, 12
"""Rows of x of points."""


def rows(n: int) -> np.ndarray:
    """Points and radii; circles that meet, touch, and are apart."""
    w = np.random.default_rng(n).uniform(-2.0, 2.0, (14, n))
    w[[forms.RADIUS, forms.OTHER_RADIUS]] = np.abs(w[[forms.RADIUS, forms.OTHER_RADIUS]])
    w[A : A + 2, 0] = w[B : B + 2, 0]
    w[forms.RADIUS, -1] = np.hypot(*(w[A : A + 2, -1] - w[B : B + 2, -1]))
    w[forms.OTHER_RADIUS, -1] = 0.0
    return w


@pytest.mark.skipif(not ACTIVE, reason="numba is not installed, or ASSEMBLY_SOLVER_JIT is 0")
@pytest.mark.parametrize("n", [1, FEW, FEW + 1, 256])
@pytest.mark.parametrize(
    ("form", "operands"),
    [
        (forms.circles, (TO, A, B, 1.0)),
        (forms.line_circle, (TO, A, B, OTHER, 0.25, -1.0)),
        (forms.lines, (TO, A, B, 0.25, OTHER, A, -0.5)),
        (forms.slides, (TO, OTHER, A, B, 1.0, np.array([0.3, 0.1, 0.2, 0.3, 0.4]))),
        (forms.within, (TO, A, B, OTHER, 0.1, 0.9)),
        (cosines_and_sines, (A, TO, OTHER)),
    ],
)
def test_both_forms_of_a_loop_write_the_same_numbers(form, operands, n: int) -> None:
    machine, at_once = rows(n), rows(n)
    form(machine, *operands, n)
    with np.errstate(all="ignore"):
        form.py_func(at_once, *operands, n)
    assert not np.array_equal(machine, rows(n), equal_nan=True)
    assert machine.tobytes() == at_once.tobytes()

"""The equations of a linkage at one point to many digits, the numbers of its program as they are.

What double precision leaves of them is of its rounding, which would be most of the width of an
enclosure.
"""

from __future__ import annotations

import numpy as np

from ...foundations.numerics.fixed_balls import FixedBall, fixed_turn
from ...foundations.types import Complexes
from .bilinear_forms import BilinearForms
from .form_polynomials import Coefficients


def exact_values(family: BilinearForms, x: Complexes, kernel: Complexes, s: float) -> Complexes:
    """The equations at a point and an input, and their derivatives along a vector.

    Args:
        x, kernel: (2n,) each, as is `s` taken for exact.

    Returns:
        (4n,), each rounded once.
    """
    at = {k: _power(family, s, k) for form in family.exact for k in form}
    a, b = (_row(v, 1.0) for v in x.reshape(2, -1))
    da, db = (_row(v, 0.0) for v in kernel.reshape(2, -1))
    values, rates = list[complex](), list[complex]()
    for form, scale in zip(family.exact, family.scales.tolist(), strict=True):
        matrix = sum(c * at[k] for k, c in form.items()) * (1.0 / scale)
        values.append(complex(a @ matrix @ b))
        rates.append(complex(da @ matrix @ b + a @ matrix @ db))
    return np.array(values + rates)


def _power(family: BilinearForms, s: float, k: int) -> FixedBall:
    """A power of e^{i s}, or of s."""
    one = FixedBall.of(s)
    if family.turns:
        return fixed_turn(one * float(k))
    out = FixedBall.of(1.0)
    for _ in range(k):
        out = out * one
    return out


def _row(v: Complexes, first: float) -> Coefficients:
    return np.array([FixedBall.of(z) for z in (first, *v.tolist())])

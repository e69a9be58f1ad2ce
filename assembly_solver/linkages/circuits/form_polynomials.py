"""Polynomials in the input, of rows and of numbers, in double precision or in balls; scaling.

Source: as of `bilinear_forms`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundations.numerics.fixed_balls import FixedBall, fixed_turn
from ...foundations.numerics.taylor_models import Numbers
from ...foundations.types import Array, Complexes, Ints

Coefficients = NDArray[Any]
"""Complex numbers, or objects that are `FixedBall`."""

Polynomial = dict[int, Coefficients]
"""Coefficients by the power of e^{i input}, or of the input over the size."""

Number = Callable[[complex], Any]
"""What makes a number of either kind of a double."""


def summed(one: Polynomial, two: Polynomial) -> Polynomial:
    out = dict(one)
    for k, c in two.items():
        out[k] = out[k] + c if k in out else c
    return out


def scaled(f: Polynomial, factor: complex) -> Polynomial:
    return {k: factor * c for k, c in f.items()}


def multiplied(share: Polynomial, row: Polynomial) -> Polynomial:
    """The product of a number, (1,) for each power, and a row."""
    out: Polynomial = {}
    for k, a in share.items():
        for m, b in row.items():
            out[k + m] = out.get(k + m, 0.0) + a * b
    return out


def of_number(z: Any) -> Polynomial:
    """A number that does not change."""
    return {0: np.array([z])}


def power_of_two(x: float) -> float:
    """One near a number: by it scaling is exact."""
    return float(2.0 ** round(log2(x)))


def turn(angle: Any) -> Any:
    """e^{i angle}, of a complex number or of a ball."""
    return fixed_turn(angle) if isinstance(angle, FixedBall) else np.exp(1j * angle)


def powers_at(s: Numbers, powers: Ints, turns: bool) -> tuple[Numbers, Numbers]:
    """The powers of e^{i s}, or of s, and their derivatives, (m, powers) each."""
    if turns:
        value = np.exp(1j * np.multiply.outer(s, powers))
        return value, 1j * powers * value
    one = s.astype(complex)
    return np.power.outer(one, powers), powers * np.power.outer(one, np.maximum(powers - 1, 0))


def powers_known(k: Ints, turns: bool, most: float) -> Array:
    """To how many EPSILON of their size powers k and their derivatives are known, (powers,).

    The angle s k is off by half an EPSILON of itself, its sine and cosine by half a one each, what
    they are multiplied with by one more.  A power of s is made of k products at most, each off by
    the root of 5 halves.

    Args:
        most: largest |s|.
    """
    return 2.0 + (0.5 * most if turns else 1.2) * k.astype(np.float64)


def off_by(forms: Complexes, powers: Ints, exact: list[Polynomial], scales: Array) -> Array:
    """How far coefficients in double precision are from those in balls, over the scales.

    By more than rounding of their own size: differences of points near each other are of theirs.

    Args:
        forms, powers, scales: as of `BilinearForms`; exact: for each form.
    """
    out = np.zeros(forms.shape)
    for e, (form, scale) in enumerate(zip(exact, scales.tolist(), strict=True)):
        for power, c in form.items():
            at = int(np.searchsorted(powers, power)), e
            for k, z in np.ndenumerate(forms[at]):
                out[at][k] = abs(complex(c[k] * (1.0 / scale) - FixedBall.of(complex(z))))
    return out

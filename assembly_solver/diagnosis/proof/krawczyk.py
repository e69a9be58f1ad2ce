"""One solution, and no other, in a box: the test of Krawczyk in the largest norm.

With A a matrix near the inverse of the Jacobian, x a point and X the box of radius r about it:
where every row of I - A J(X) sums to at most q < 1 in magnitude, and |A f(x)| < (1 - q) r, f has
exactly one root in X, and that is within |A f(x)| / (1 - q) of x.  f has to be continuous there:
where it may jump, as an angle by a turn, its value over X is no number.

Source: R. Krawczyk, Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken,
Computing 4, 1969; R. E. Moore, R. B. Kearfott and M. J. Cloud, Introduction to Interval Analysis,
SIAM 2009, chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from ...foundations.types import Array
from .balls import PRECISION, column, matrix_of, middle, upper

Square = Callable[[arb_mat], tuple[arb_mat, arb_mat]]
"""Equations, (n, 1), and their Jacobian, (n, n), over a box of n unknowns, (n, 1)."""

STEPS = 60
"""Most steps of the refinement, which has one matrix for all: each gains some digits."""

RADII = [2.0**-k for k in range(2, 50, 2)]
"""Radii of boxes that are tried, over the characteristic length, the largest first."""


class OneRoot(NamedTuple):
    """A root and where it is the only one.

    Attributes:
        enclosure: a box of it, (n, 1); radius: of the box about its middle with no other root, in
            the unit of the unknowns.
    """

    enclosure: arb_mat
    radius: float


def refined(square: Square, n: int, length: float) -> tuple[arb_mat, arb_mat] | None:
    """A root near 0 as far as the precision goes, (n, 1), and the matrix A; None where none is.

    Args:
        length: the size of what is solved, in the unit of the unknowns.
    """
    x = arb_mat(n, 1)
    f, jacobian = square(x)
    near = inverse_of(middle(jacobian))
    if near is None:
        return None
    inverse = matrix_of(near)
    before = np.inf
    for _ in range(STEPS):
        step = inverse * f
        x = (x - step).mid()
        size = _largest(step)
        if size <= length * 2.0 ** (20 - PRECISION):
            return x, inverse
        if not size <= length or size > before:
            return None
        before = size
        f, _ = square(x)
    return None


def inverse_of(matrix: Array) -> Array | None:
    """The inverse of a matrix to rounding; None where there is none."""
    if not np.isfinite(matrix).all():
        return None
    try:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        return None


def one_root(square: Square, n: int, length: float) -> OneRoot | None:
    """The root near 0 with the largest of the boxes in which it is shown to be the only one.

    None where no box is found.
    """
    near = refined(square, n, length)
    if near is None:
        return None
    x, inverse = near
    step = _largest(inverse * square(x)[0])
    for share in RADII:
        radius = share * length
        box = column(v + arb(0, radius) for v in x.entries())
        f, jacobian = square(box)
        if not all(v.is_finite() for v in f.entries()):
            continue
        q = _row_sums(identity(n) - inverse * jacobian)
        if q < 1.0:
            enclosed = upper(arb(step) / (1 - arb(q)))
            if enclosed < radius:
                return OneRoot(column(v + arb(0, enclosed) for v in x.entries()), radius)
    return None


def identity(n: int) -> arb_mat:
    """The matrix with ones on its diagonal, (n, n)."""
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def _largest(vector: arb_mat) -> float:
    """An upper bound of the magnitudes."""
    return max(map(upper, vector.entries()), default=0.0)


def _row_sums(matrix: arb_mat) -> float:
    """An upper bound of the largest sum of magnitudes of a row."""
    sums = (sum((v.abs_upper() for v in row), arb(0)) for row in matrix.tolist())
    return max(map(upper, sums), default=0.0)

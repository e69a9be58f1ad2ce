"""Cosine and sine of a row of angles, compiled to vector instructions."""

from __future__ import annotations

from math import cos, factorial, inf, nan, sin

from ..jit.columns import columns, count, where
from ..jit.decorators import borrowing
from ..types import Array

LARGEST = 1e6
"""Angle, rad, up to which quarter turns are subtracted exactly."""

QUARTER_HEAD = float.fromhex("0x1.921fb54400000p+0")
QUARTER_MIDDLE = float.fromhex("0x1.0b4611a600000p-34")
QUARTER_TAIL = float.fromhex("0x1.3198a2e037073p-69")
"""A quarter turn in three pieces: the first two have 33 bits, so whole multiples are exact."""

TO_INTEGER = 1.5 * 2.0**52
"""Adding and subtracting it rounds a number to the nearest integer."""

S3, S5, S7, S9 = (-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0)
S11, S13, S15, S17 = (
    -1.0 / factorial(11),
    1.0 / factorial(13),
    -1.0 / factorial(15),
    1.0 / factorial(17),
)
C4, C6, C8, C10 = (1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / factorial(10))
C12, C14, C16 = (1.0 / factorial(12), -1.0 / factorial(14), 1.0 / factorial(16))
"""Taylor coefficients: up to an eighth of a turn the remainder is below 1e-17."""


@borrowing
def cosines_and_sines(rows: Array, angle: int, cosine: int, sine: int, n: int) -> None:
    """Cosine and sine of the first n numbers of a row of angles, rad, into two other rows.

    The error is below 1e-16 plus half a unit in the last place; NaN where an angle is not finite.

    Args:
        rows: shape (any, at least n); `angle`, `cosine`, `sine` are indices of its rows.
    """
    near = 0
    for s in columns(n):
        near += count(abs(rows[angle, s]) <= LARGEST)
    if near == n:
        _reduced(rows, angle, cosine, sine, n)
        return
    for s in range(n):
        x = rows[angle, s]
        rows[cosine, s] = cos(x) if abs(x) < inf else nan
        rows[sine, s] = sin(x) if abs(x) < inf else nan


@borrowing
def _reduced(rows: Array, angle: int, cosine: int, sine: int, n: int) -> None:
    """The same for angles of at most `LARGEST`."""
    for s in columns(n):
        x = rows[angle, s]
        turns = (x * 0.6366197723675814 + TO_INTEGER) - TO_INTEGER
        head = x - turns * QUARTER_HEAD
        middle = turns * QUARTER_MIDDLE
        y = head - middle
        low = ((head - y) - middle) - turns * QUARTER_TAIL
        z = y * y
        odd = S9 + z * (S11 + z * (S13 + z * (S15 + z * S17)))
        odd = z * (S3 + z * (S5 + z * (S7 + z * odd)))
        up = y + (y * odd + low * (1.0 - 0.5 * z))
        even = C10 + z * (C12 + z * (C14 + z * C16))
        even = z * z * (C4 + z * (C6 + z * (C8 + z * even)))
        half = 0.5 * z
        whole = 1.0 - half
        along = whole + (((1.0 - whole) - half) + (even - y * low))
        quarter = turns - 4.0 * ((turns * 0.25 - 0.375 + TO_INTEGER) - TO_INTEGER)
        swapped = abs(quarter - 2.0) == 1.0
        c = where(swapped, up, along)
        d = where(swapped, along, up)
        rows[cosine, s] = where(abs(quarter - 1.5) < 1.0, -c, c)
        rows[sine, s] = where(quarter > 1.5, -d, d)

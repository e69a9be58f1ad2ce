"""What is prescribed at a time between two states; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import borrowing
from ..kernel import copy
from .arrays import Chain, Given

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@borrowing
def ask(c: Chain, g: Given, s: int, part: float, asked: Array) -> None:
    """Set targets, and their derivatives in `asked`, a part of the way from state s - 1 to s.

    Between two states a polynomial of degree five leads from the values and derivatives of the one
    to those of the other; markers that move go by the straight way.
    """
    h = g.t[s] - g.t[s - 1] if s > 0 else 1.0
    x = part
    for d in range(len(c.driven)):
        e, end = c.driven[d], g.targets[s, d]
        value, rate, acc = end[0], end[1], end[2]
        if part < 1.0:
            old = g.targets[s - 1, d]
            value, rate, acc = _between(
                old[0], old[1] * h, old[2] * h * h, end[0], end[1] * h, end[2] * h * h, x
            )
            rate, acc = rate / h, acc / (h * h)
        c.table.target[e] = value
        asked[e, 0], asked[e, 1] = rate, acc
    for q in range(len(c.moving)):
        frame = c.table.marker_frame[c.moving[q]]
        copy(g.frames[s, q], frame)
        if part < 1.0:
            for r in range(12):
                frame[r] = (1.0 - x) * g.frames[s - 1, q, r] + x * frame[r]
            _straighten(frame)


@borrowing
def _between(
    a: float, da: float, dda: float, b: float, db: float, ddb: float, x: float
) -> tuple[float, float, float]:
    """The polynomial of degree five with these values and derivatives at 0 and 1, and its own."""
    p, q, r = b - a - da - 0.5 * dda, db - da - dda, ddb - dda
    c = 10.0 * p - 4.0 * q + 0.5 * r
    d = -15.0 * p + 7.0 * q - r
    e = 6.0 * p - 3.0 * q + 0.5 * r
    value = a + x * (da + x * (0.5 * dda + x * (c + x * (d + x * e))))
    first = da + x * (dda + x * (3.0 * c + x * (4.0 * d + x * 5.0 * e)))
    return value, first, dda + x * (6.0 * c + x * (12.0 * d + x * 20.0 * e))


@borrowing
def _straighten(frame: Array) -> None:
    """Make the axes of a frame orthonormal again."""
    for k in range(3, 9, 3):
        if k == 6:
            along = frame[3] * frame[6] + frame[4] * frame[7] + frame[5] * frame[8]
            for r in range(3):
                frame[6 + r] -= along * frame[3 + r]
        size = np.sqrt(frame[k] ** 2 + frame[k + 1] ** 2 + frame[k + 2] ** 2)
        for r in range(3):
            frame[k + r] /= size
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        frame[9 + r] = frame[3 + x] * frame[6 + y] - frame[3 + y] * frame[6 + x]

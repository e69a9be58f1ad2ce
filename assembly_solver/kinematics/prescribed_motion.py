"""Prescribed targets and marker motions at a time between two states; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..equations.table import copy
from ..foundations.jit.decorators import borrowing
from ..foundations.types import Array
from .chain_arrays import Chain, PrescribedValues, Scratch


def quintic(a: Any, da: Any, dda: Any, b: Any, db: Any, ddb: Any, x: Any) -> tuple[Any, Any, Any]:
    """Polynomial of degree five with given values, first and second derivatives at 0 and at 1.

    Args:
        a, da, dda: at 0; b, db, ddb: at 1; x: argument.  Numbers or arrays.

    Returns:
        Value, first and second derivative at x.
    """
    p, q, r = b - a - da - 0.5 * dda, db - da - dda, ddb - dda
    c = 10.0 * p - 4.0 * q + 0.5 * r
    d = -15.0 * p + 7.0 * q - r
    e = 6.0 * p - 3.0 * q + 0.5 * r
    value = a + x * (da + x * (0.5 * dda + x * (c + x * (d + x * e))))
    first = da + x * (dda + x * (3.0 * c + x * (4.0 * d + x * 5.0 * e)))
    return value, first, dda + x * (6.0 * c + x * (12.0 * d + x * 20.0 * e))


_quintic = borrowing(quintic)
"""The same for numbers, for compiled callers."""


@borrowing
def prescribe(c: Chain, g: PrescribedValues, s: int, part: float, w: Scratch) -> None:
    """Set targets and moving markers at `part` of the interval from state s - 1 to s.

    Targets, and the twelve numbers of a moving frame, are interpolated by polynomials of degree
    five through values and two derivatives at both states.

    Args:
        part: 0 to 1; at 1 only state s is read.
        w: `target_rates` and `moving` (marker twists) are written.
    """
    h = g.t[s] - g.t[s - 1] if s > 0 else 1.0
    x = part
    for d in range(len(c.driven)):
        e, end = c.driven[d], g.targets[s, d]
        value, rate, acc = end[0], end[1], end[2]
        if part < 1.0:
            old = g.targets[s - 1, d]
            value, rate, acc = _quintic(
                old[0], old[1] * h, old[2] * h * h, end[0], end[1] * h, end[2] * h * h, x
            )
            rate, acc = rate / h, acc / (h * h)
        c.table.target[e] = value
        w.target_rates[e, 0], w.target_rates[e, 1] = rate, acc
    for q in range(len(c.moving)):
        frame = c.table.marker_frame[c.moving[q]]
        copy(g.frames[s, q], frame)
        copy(g.twists[s, q], w.moving[q])
        if part < 1.0:
            _frame_derivatives(g.frames[s - 1, q], g.twists[s - 1, q], w.before)
            _frame_derivatives(frame, w.moving[q], w.after)
            _interpolate_frame(w.before, w.after, x, h)
            for r in range(12):
                frame[r] = w.before[r]
            orthonormalise(frame)
            _frame_twist(w.before, w.moving[q])


@borrowing
def _frame_derivatives(frame: Array, twist: Array, out: Array) -> None:
    """A frame and the first and second derivatives of its twelve numbers, (36,).

    Args:
        twist: (12,), spatial twist (v, spin) and its derivative: point p has the velocity
            v + spin x p.
    """
    for k in range(12):
        out[k] = frame[k]
    for k in range(0, 12, 3):
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            linear = twist[r] if k == 0 else 0.0
            out[12 + k + r] = linear + twist[3 + x] * frame[k + y] - twist[3 + y] * frame[k + x]
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            linear = twist[6 + r] if k == 0 else 0.0
            linear += twist[9 + x] * frame[k + y] - twist[9 + y] * frame[k + x]
            linear += twist[3 + x] * out[12 + k + y] - twist[3 + y] * out[12 + k + x]
            out[24 + k + r] = linear


@borrowing
def _interpolate_frame(a: Array, b: Array, x: float, h: float) -> None:
    """Interpolate two frames with derivatives, (36,) each, h seconds apart; to a."""
    for k in range(12):
        value, rate, acc = _quintic(
            a[k], a[12 + k] * h, a[24 + k] * h * h, b[k], b[12 + k] * h, b[24 + k] * h * h, x
        )
        a[k], a[12 + k], a[24 + k] = value, rate / h, acc / (h * h)


@borrowing
def _frame_twist(f: Array, out: Array) -> None:
    """Spatial twist and its derivative, (12,), of a frame with derivatives, (36,).

    The spin is half the sum of axis x its rate, each perpendicular to the axis.
    """
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        out[3 + r] = out[9 + r] = 0.0
        for k in range(3, 12, 3):
            out[3 + r] += 0.5 * (f[k + x] * f[12 + k + y] - f[k + y] * f[12 + k + x])
            out[9 + r] += 0.5 * (f[k + x] * f[24 + k + y] - f[k + y] * f[24 + k + x])
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        out[r] = f[12 + r] - (out[3 + x] * f[y] - out[3 + y] * f[x])
        out[6 + r] = f[24 + r] - (out[9 + x] * f[y] - out[9 + y] * f[x])
        out[6 + r] -= out[3 + x] * f[12 + y] - out[3 + y] * f[12 + x]


@borrowing
def orthonormalise(frame: Array) -> None:
    """Orthonormalise the axes of a frame, (12,); the first keeps its direction."""
    for k in range(3, 9, 3):
        if k == 6:
            along = frame[3] * frame[6] + frame[4] * frame[7] + frame[5] * frame[8]
            for r in range(3):
                frame[6 + r] -= along * frame[3 + r]
        x, y, z = frame[k], frame[k + 1], frame[k + 2]
        size = np.sqrt(x * x + y * y + z * z)
        for r in range(3):
            frame[k + r] /= size
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        frame[9 + r] = frame[3 + x] * frame[6 + y] - frame[3 + y] * frame[6 + x]

"""Measures over a motion: value, first and second time derivative; compiled."""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import borrowing, compiled
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose, measure
from ..model.measures.rates import wrench_rate
from .world_motion import MotionArrays


@borrowing
def _spatial(frame: Array, speed: Array, acceleration: Array, v: Array, a: Array) -> None:
    """Spatial twist v and its derivative a, (6,) each, from the motion of a part's origin."""
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        v[3 + r], a[3 + r] = speed[3 + r], acceleration[3 + r]
        v[r] = speed[r] - (speed[3 + x] * frame[y] - speed[3 + y] * frame[x])
        a[r] = acceleration[r] - (acceleration[3 + x] * frame[y] - acceleration[3 + y] * frame[x])
        a[r] -= speed[3 + x] * speed[y] - speed[3 + y] * speed[x]


class MeasureOnParts(NamedTuple):
    """A measure between markers on two parts.

    Attributes:
        kind, i, j, data: of the measure, as in an `EquationTable`.
        parts: (2,), numbers; markers: (2, 12), part coordinates, mm.
    """

    kind: int
    i: int
    j: int
    data: Array
    parts: Ints
    markers: Array


@compiled
def read_along(m: MeasureOnParts, motion: MotionArrays, out: Array) -> None:
    """A measure with its first and second time derivative in every state.

    Args:
        motion: of all parts, world; out: (states, 3), written; mm or rad, s.
    """
    kind, i, j, data, parts, markers = m.kind, m.i, m.j, m.data, m.parts, m.markers
    frames, speeds, accelerations = motion.frames, motion.twists, motion.accelerations
    a, b, w, dw = np.empty(12), np.empty(12), np.empty(6), np.empty(6)
    va, aa, vb, ab = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for s in range(len(frames)):
        compose(frames[s, parts[0]], markers[0], a)
        compose(frames[s, parts[1]], markers[1], b)
        _spatial(frames[s, parts[0]], speeds[s, parts[0]], accelerations[s, parts[0]], va, aa)
        _spatial(frames[s, parts[1]], speeds[s, parts[1]], accelerations[s, parts[1]], vb, ab)
        out[s, 0] = measure(kind, i, j, data, a, b, w)
        wrench_rate(kind, i, j, data, a, b, va, vb, w, dw)
        out[s, 1] = out[s, 2] = 0.0
        for r in range(6):
            out[s, 1] += w[r] * (vb[r] - va[r])
            out[s, 2] += w[r] * (ab[r] - aa[r]) + dw[r] * (vb[r] - va[r])


def count_turns(values: Array, rates: Array, changes: Array, t: Array) -> Array:
    """Continuous angles, (states,), rad: each is closest to the prediction from the last.

    Args:
        values, rates, changes: (states,), rad, rad/s, rad/s2; t: (states,), s.
    """
    h = np.diff(t)
    step = h * (rates[:-1] + 0.5 * h * changes[:-1])
    miss = np.diff(values) - step
    turns = -np.round(miss / (2 * pi))
    out = values.copy()
    out[1:] += 2 * pi * np.cumsum(turns)
    return out

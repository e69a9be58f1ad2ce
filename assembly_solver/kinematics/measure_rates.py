"""Measures over a motion: value, first and second time derivative."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array
from ..model.measures.many import Frames, measures
from ..model.measures.many_rates import KINDS, wrench_rates
from ..model.measures.measure import Measure, measure
from ..model.measures.rates import wrench_rate
from .world_motion import MotionArrays, of_origins


def read_along(found: Measure, parts: Sequence[int], motion: MotionArrays) -> Array:
    """A measure and its first two time derivatives in every state, (states, 3); mm or rad, s.

    Args:
        parts: the numbers of those of its markers; motion: of all parts, world.
    """
    ends = [of_origins(motion, part) for part in parts]
    (p, va, aa), (q, vb, ab) = ends
    a = compose_all(p, np.array(found.a.frame))
    b = compose_all(q, np.array(found.b.frame))
    data = np.array(found.data, float)
    if found.kind in KINDS:
        return _read_at_once(found, data, (a, b), (va, vb), (aa, ab))
    out, work = np.empty((len(p), 3)), np.empty((2, 6))
    _read(found.kind, found.i, found.j, data, a, b, va, vb, aa, ab, work, out)
    return out


def _read_at_once(
    found: Measure,
    data: Array,
    ends: tuple[Array, Array],
    twists: tuple[Array, Array],
    changes: tuple[Array, Array],
) -> Array:
    """The same in arrays; arguments as of `_read`, of a and b."""
    vectors = np.stack(ends, axis=1).reshape(-1, 8, 3).transpose(2, 0, 1)
    a, b = (Frames(vectors, np.array([first])) for first in (0, 4))
    i, j = np.array([found.i]), np.array([found.j])
    value, *wrench = measures(found.kind, i, j, data, a, b)
    ta, tb = ((v.T[:3, :, None], v.T[3:, :, None]) for v in twists)
    rates = wrench_rates(found.kind, i, (a, b), (ta, tb), (wrench[0], wrench[1]))
    w, dw = (np.concatenate(pair)[:, :, 0].T for pair in (wrench, rates))
    (va, vb), (aa, ab) = twists, changes
    first, second = w * (vb - va), w * (ab - aa) + dw * (vb - va)
    return np.column_stack([value[:, 0], first.sum(axis=1), second.sum(axis=1)])


# Twelve arguments: those of `wrench_rate`, of every state.
@on_lists(11)
def _read(
    kind: int,
    i: int,
    j: int,
    data: Array,
    a: Array,
    b: Array,
    va: Array,
    vb: Array,
    aa: Array,
    ab: Array,
    work: Array,
    out: Array,
) -> None:
    """Write value and derivatives in every state, (states, 3), to `out`.

    Args:
        a, b: (states, 12), world frames of the markers; va, vb, aa, ab: (states, 6), spatial twists
            of their parts and the derivatives; work: (2, 6), scratch.
    """
    w, dw = work[0], work[1]
    for s in range(len(out)):
        value = measure(kind, i, j, data, a[s], b[s], w)
        wrench_rate(kind, i, j, data, a[s], b[s], va[s], vb[s], w, dw)
        first = second = 0.0
        for r in range(6):
            first += w[r] * (vb[s][r] - va[s][r])
            second += w[r] * (ab[s][r] - aa[s][r]) + dw[r] * (vb[s][r] - va[s][r])
        out[s][0], out[s][1], out[s][2] = value, first, second


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

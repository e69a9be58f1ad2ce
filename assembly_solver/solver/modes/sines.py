"""The sines whose signs name assembly modes, from flat arrays.

What each is taken of: see `orientation`.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...equations.table import world_point
from ...foundations.jit.decorators import borrowing, compiled, unlocked
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array, Ints

TURN, SIDE, UNDEFINED = range(3)
"""Of the rotation from one arm to another about a normal; of an arm along a slide; 0."""


class SignTable(NamedTuple):
    """What signs are taken of.

    Attributes:
        kind: TURN, SIDE or UNDEFINED, shape (signs,).
        body: of the ends of arm one (to, from), of arm two, of the normal and of the slide; -1 for
            none; shape (signs, 6).
        own: those points, mm, and unit directions, in body coordinates, shape (signs, 6, 3).
    """

    kind: Ints
    body: Ints
    own: Array


@borrowing
def _inner(a: Array, b: Array) -> float:
    out: float = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return out


@borrowing
def _arm(t: SignTable, k: int, end: int, poses: Array, n: Array, v: Array, other: Array) -> float:
    """An arm in the world, mm, projected across the unit vector n; the square of its length.

    That is 0 of an arm along n: which way the rest of it goes is rounding.
    """
    world_point(poses[t.body[k, end]], t.own[k, end], v)
    world_point(poses[t.body[k, end + 1]], t.own[k, end + 1], other)
    along = 0.0
    for r in range(3):
        v[r] -= other[r]
        along += v[r] * n[r]
    for r in range(3):
        v[r] -= along * n[r]
    across = _inner(v, v)
    return across if across > DIGITS * DIGITS * along * along else 0.0


@borrowing
def _direction(t: SignTable, k: int, n: int, poses: Array, out: Array) -> None:
    """A direction in the world; zero where there is none."""
    body, own = t.body[k, n], t.own[k, n]
    for r in range(3):
        out[r] = 0.0
        if body >= 0:
            pose = poses[body]
            out[r] = pose[3 + r] * own[0] + pose[6 + r] * own[1] + pose[9 + r] * own[2]


@compiled
def sines(t: SignTable, poses: Array, out: Array) -> None:
    """The sines at poses (bodies, 12), between -1 and 1, into `out`; 0 for arms of no length."""
    a, b, n, u = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(len(t.kind)):
        out[k] = 0.0
        if t.kind[k] == UNDEFINED:
            continue
        _direction(t, k, 4, poses, n)
        squared, rise = _arm(t, k, 0, poses, n, a, u), 0.0
        if t.kind[k] == SIDE:
            _direction(t, k, 5, poses, u)
            rise = _inner(a, u)
        else:
            squared *= _arm(t, k, 2, poses, n, b, u)
            for r in range(3):
                i, j = (r + 1) % 3, (r + 2) % 3
                rise += (a[i] * b[j] - a[j] * b[i]) * n[r]
        if squared > 0.0:
            out[k] = rise / sqrt(squared)


@borrowing
def largest_turn(before: Array, after: Array) -> float:
    """Cosine of the largest rotation of a body between two sets of poses, 1 where there is none."""
    least = 3.0
    for k in range(len(before)):
        trace = 0.0
        for i in range(3, 12):
            trace += before[k, i] * after[k, i]
        least = min(least, trace)
    return 0.5 * (least - 1.0)


@compiled
def reversed_signs(
    t: SignTable, before: Array, after: Array, dead: float, clear: float
) -> NDArray[np.bool_]:
    """Which sines larger than `dead` are no longer on their side.

    Nor is one that is less than half of what it was, or of `clear` where it was more: on the way to
    the other side a motion would end between both.
    """
    one, other = np.empty(len(t.kind)), np.empty(len(t.kind))
    sines(t, before, one)
    sines(t, after, other)
    out = np.empty(len(t.kind), np.bool_)
    for k in range(len(one)):
        size = abs(one[k])
        out[k] = size > dead and one[k] * other[k] < 0.5 * size * min(size, clear)
    return out


@unlocked
@compiled
def crossed(
    t: SignTable,
    points: Array,
    marker: Ints,
    shifts: Array,
    before: Array,
    poses: Array,
    out: NDArray[np.bool_],
) -> None:
    """Of which copies of an assembly a sine is 0, or not on its side, into `out`.

    Args:
        t: its points are overwritten; points: those of the assembly itself, (signs, 6, 3), mm.
        marker: number of the marker that each of the first points is at, or -1, (signs, 4).
        shifts: of these markers in each copy, (copies, markers, 3), mm; before: sines, (signs,).
        poses: of the bodies in each copy, (copies, bodies, 12).
    """
    found = np.empty(len(before))
    for s in range(len(poses)):
        for k in range(len(before)):
            for n in range(marker.shape[1]):
                if marker[k, n] >= 0:
                    for r in range(3):
                        t.own[k, n, r] = points[k, n, r] + shifts[s, marker[k, n], r]
        sines(t, poses[s], found)
        out[s] = False
        for k in range(len(before)):
            out[s] = out[s] or (before[k] != 0.0 and before[k] * found[k] <= 0.0)

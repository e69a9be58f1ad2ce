"""Bodies of which two features nearly agree, so that their nominal markers are others.

Hardly any body has such features, and every one is asked: in machine code all pairs of its markers
are compared one by one, interpreted those of all bodies at once.

Source: docs/theory/nominal.md.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import borrowing, borrowing_in_form
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Bools, Ints

COMPOSED = 16 * ROUNDING
"""Differences that compositions of poses leave, relative to the size of what is compared."""

FEW = 64
"""Rows of a group up to which all pairs are compared at once; above it a tree finds them."""

PARALLEL = 0.999999
"""Cosine from which directions are compared by their difference."""

LARGEST_SLOPE = 1e-3
"""A setting: largest angle within which directions agree, rad, however short their body is."""


class MarkedBodies(NamedTuple):
    """Markers of bodies that are made of parts.

    Attributes:
        body, part: of each marker, (markers,); frames: in body coordinates, (markers, 12), mm.
        relative: pose of each part in its body, (parts, 12).
        order: the markers, those of a body after those of the one before; first: where those of
            each body begin there, and the last ones end, (bodies + 1,).
        length: least reach of a body, mm; tolerance: mm.
    """

    body: Ints
    part: Ints
    frames: Array
    relative: Array
    order: Ints
    first: Ints
    length: float
    tolerance: float

    @classmethod
    def of(
        cls, part: Ints, frames: Array, of_part: Ints, relative: Array, *lengths: float
    ) -> MarkedBodies:
        """The same from the body of each part; lengths: as `length` and `tolerance`."""
        body = of_part[part]
        order, first = np.argsort(body, kind="stable"), np.zeros(int(of_part.max()) + 2, np.int64)
        np.cumsum(np.bincount(body, minlength=len(first) - 1), out=first[1:])
        return cls(body, part, frames, relative, order, first, *lengths)


def _all_at_once(m: MarkedBodies, size: float, reach: Array, slope: Array, out: Bools) -> None:
    """`find_inexact` by arrays of all pairs of markers."""
    reach[:] = _reaches(m)
    np.clip(m.tolerance / reach, ROUNDING, LARGEST_SLOPE, out=slope)
    same, rounding = np.full(len(slope), m.tolerance), COMPOSED * size
    count, body = np.diff(m.first), m.body
    np.greater(count, FEW, out=out)
    axes, points = m.frames[:, 3:].reshape(-1, 3, 3), m.frames[:, :3]

    def near(of: Ints, off: Array, limit: Array, least: float) -> None:
        hit = (off > least) & (off <= limit.max(initial=0.0))
        if hit.any():  # hardly ever
            bodies = of[np.nonzero(hit)[0]]
            out[bodies[off[hit] <= limit[bodies]]] = True

    def cosines(of: Ints, one: Array, two: Array) -> Array:
        """Those of all axes, (rows, 9); a body is inexact where one is small."""
        found: Array = np.matmul(one, two.transpose(0, 2, 1)).reshape(-1, 9)
        near(of, np.abs(found), slope, COMPOSED)
        return found

    cosines(body, axes, m.relative[m.part, 3:].reshape(-1, 3, 3))
    ordered = m.order[~out[body[m.order]]]
    a, b = (ordered[k] for k in pairs_of_groups(np.where(out, 0, count)))
    every = cosines(body[a], axes[a], axes[b])
    if out[body].all():
        return
    # cosines tell nothing of small angles between directions
    along, axis = np.nonzero(np.abs(every) > PARALLEL)
    u, v = axes[a[along], axis // 3], axes[b[along], axis % 3]
    of, v = body[a[along]], np.sign(every[along, axis])[:, None] * v
    near(of, np.sqrt(squares(u - v)), slope, COMPOSED)
    lines = axis == 8  # common lines and planes of parallel z axes
    of, u = of[lines], u[lines]
    step = points[a] - points[b]
    beside = step[along[lines]]
    height = np.einsum("ij,ij->i", beside, u)
    near(of, np.abs(height), same, rounding)
    near(of, np.sqrt(squares(beside - height[:, None] * u)), same, rounding)
    near(body[a], np.sqrt(squares(step)), same, rounding)


def _reaches(m: MarkedBodies) -> Array:
    """Extent of the points of each body, mm, (bodies,), at least `length`."""
    n, points = len(m.first) - 1, m.frames[:, :3]
    low, high = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
    np.minimum.at(low, m.body, points)
    np.maximum.at(high, m.body, points)
    out: Array = np.maximum(np.linalg.norm(np.maximum(high - low, 0.0), axis=1), m.length)
    return out


def squares(rows: Array) -> Array:
    """The squared length of each row, (n, k)."""
    out: Array = np.einsum("ij,ij->i", rows, rows)
    return out


def pairs_of_groups(count: Ints) -> tuple[Ints, Ints]:
    """All pairs of rows of one group, of rows in the order of their groups, `count` in each."""
    later = np.repeat(np.cumsum(count), count) - np.arange(count.sum()) - 1
    a = np.repeat(np.arange(len(later)), later)
    return a, a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(later) - later, later)


@partial(borrowing_in_form, interpreted=_all_at_once)
def find_inexact(m: MarkedBodies, size: float, reach: Array, slope: Array, out: Bools) -> None:
    """Bodies of which two features nearly agree; those with many markers always count.

    Args:
        size: what rounding is relative to, mm.
        reach: overwritten by the extent of each body, at least `length`, mm, (bodies,).
        slope: overwritten by the angle within which its directions agree, rad, (bodies,).
        out: overwritten by whether it has such features, (bodies,).
    """
    for b in range(len(m.first) - 1):
        reach[b] = _extent(m, b)
        slope[b] = min(max(m.tolerance / reach[b], ROUNDING), LARGEST_SLOPE)
        many = m.first[b + 1] - m.first[b] > FEW
        out[b] = many or _nearly_agree(m, b, slope[b], COMPOSED * size)


@borrowing
def _extent(m: MarkedBodies, b: int) -> float:
    """The extent of the points of a body, mm, at least `length`: its mates reach farther."""
    total = 0.0
    for k in range(3):
        low = high = m.frames[m.order[m.first[b]], k] if m.first[b] < m.first[b + 1] else 0.0
        for n in range(m.first[b], m.first[b + 1]):
            low, high = min(low, m.frames[m.order[n], k]), max(high, m.frames[m.order[n], k])
        total += (high - low) * (high - low)
    return max(sqrt(total), m.length)


@borrowing
def _nearly_agree(m: MarkedBodies, b: int, slope: float, rounding: float) -> bool:
    """Whether two of the markers of a body, or one and an axis of its part, nearly agree."""
    for i in range(m.first[b], m.first[b + 1]):
        x = m.order[i]
        if _nearly_across(m.frames[x], m.relative[m.part[x]], slope):
            return True
        for j in range(i + 1, m.first[b + 1]):
            y = m.order[j]
            if _nearly_across(m.frames[x], m.frames[y], slope):
                return True
            if _nearly_one(m.frames[x], m.frames[y], slope, m.tolerance, rounding):
                return True
    return False


@borrowing
def _nearly_across(one: Array, two: Array, slope: float) -> bool:
    """Whether axes of two frames are nearly at right angles."""
    for v in range(3, 12, 3):
        for w in range(3, 12, 3):
            cosine = abs(one[v] * two[w] + one[v + 1] * two[w + 1] + one[v + 2] * two[w + 2])
            if COMPOSED < cosine <= slope:
                return True
    return False


@borrowing
def _nearly_one(one: Array, two: Array, slope: float, tolerance: float, rounding: float) -> bool:
    """Whether two frames nearly share an axis, a point, a line along z or a plane across it."""
    for v in range(3, 12, 3):
        for w in range(3, 12, 3):
            cosine = one[v] * two[w] + one[v + 1] * two[w + 1] + one[v + 2] * two[w + 2]
            if abs(cosine) > PARALLEL:  # it tells nothing of small angles
                sign, off = 1.0 if cosine > 0.0 else -1.0, 0.0
                for k in range(3):
                    apart = one[v + k] - sign * two[w + k]
                    off += apart * apart
                if COMPOSED < sqrt(off) <= slope:
                    return True
                if v == w == 9 and _nearly_in_line(one, two, tolerance, rounding):
                    return True
    off = 0.0
    for k in range(3):
        apart = one[k] - two[k]
        off += apart * apart
    return rounding < sqrt(off) <= tolerance


@borrowing
def _nearly_in_line(one: Array, two: Array, tolerance: float, rounding: float) -> bool:
    """Whether the points of two frames with one z are nearly on a line along or a plane across."""
    height, off = 0.0, 0.0
    for k in range(3):
        height += (one[k] - two[k]) * one[9 + k]
    for k in range(3):
        apart = one[k] - two[k] - height * one[9 + k]
        off += apart * apart
    return rounding < abs(height) <= tolerance or rounding < sqrt(off) <= tolerance

"""Pairs whose equations are those of a lower pair, recognised by their measures and directions.

Mates that keep a direction n parallel leave a spin about n and translations.  A point on a line
along n removes the translations across it, a height along n the last one; an angle about n, or a
second such line, removes the spin.  A distance of points of the line is a height, on the side where
they start.  Several of a kind that agree are one.  Coincident points, and frames with the same
axes, are pairs as well.  Nothing has to be closed for these: the joint's frame on each body is read
from its markers.

Source: the Lie subgroups of displacements that keep a direction, docs/theory/decomposition.md, 2.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from ..equations.closed_form import unbind
from ..equations.table import EquationTable, copy, evaluated_equation, largest_residual
from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.jit.decorators import borrowing, compiled
from ..foundations.numerics.rounding import EPSILON, FOURTH
from ..foundations.types import Array, Bools, Ints
from ..model.measures.measure import DISPLACEMENT, ROTATION, SEPARATION, TILT, TURN, compose
from .pairs import Pairs

AGREE = 64 * EPSILON
"""Differences up to which directions, and places relative to their size, are one.  Features that
agree within the tolerance are made equal before, see `nominal`; others are left to the analysis."""

TILTS, TURNS, ACROSS, HEIGHT, ANGLE, APART, OTHER = 3, 28, 96, 128, 256, 512, 1024
"""Bits of the measures between two markers: both tilts, three turns, the displacements across z and
along z, the angle about z, the separation of their points; anything else."""

POINT = ACROSS | HEIGHT

SECOND = 2
"""The spin is removed by a second line; 1: by an angle."""


class _MarkerGroup(NamedTuple):
    """The equations of a pair between the same two markers.

    Attributes:
        bits: of its measures, (1,).
        value: target of the height or the separation, mm, and of the angle, rad, (2,).
        one, two: the markers on the first and the second body, (12,), mm.
    """

    bits: Ints
    value: Array
    one: Array
    two: Array


class _KeptDirection(NamedTuple):
    """What the groups of a pair leave, about a direction.

    Attributes:
        has: whether there is a line, a height; how the spin is removed, 0 where it is free; (3,).
        z, point, way: on both bodies, (2, 3): the direction; a point of the line, else of the
            height, mm; directions across z that coincide where the spin is removed.
        rise: of points of the second body above those of the first by their heights, mm, (1,).
        arm: scratch, (2, 3).
    """

    has: Ints
    z: Array
    point: Array
    way: Array
    rise: Array
    arm: Array


@compiled
def recognise(t: EquationTable, start: Array, p: Pairs, flat: bool, known: Bools) -> None:
    """Fill in the pairs that are recognised, and which these are: (pairs,).

    The markers of the table are in body coordinates; `start` are poses of the bodies, (bodies, 12).
    Flat pairs have equations in a plane alone, in which their bodies move.
    """
    g = _MarkerGroup(np.empty(1, np.int64), np.empty(2), np.empty(12), np.empty(12))
    two = (2, 3)
    has = np.empty(3, np.int64)
    j = _KeptDirection(has, np.empty(two), np.empty(two), np.empty(two), np.empty(1), np.empty(two))
    poses, found = start.copy(), evaluated_equation()
    for n in range(len(p.kind)):
        known[n] = _recognise_one(t, start, p, n, flat, g, j)
        if known[n]:
            a, b = p.bodies[n, 0], p.bodies[n, 1]
            unbind(p.frame_a[n], p.frame_b[n], p.relative[n])
            compose(poses[a], p.relative[n], poses[b])
            rows = p.rows[p.first_row[n] : p.first_row[n + 1]]
            p.gap[n] = largest_residual(t, poses, rows, found)
            copy(start[b], poses[b])


@borrowing
def _recognise_one(
    t: EquationTable, start: Array, p: Pairs, n: int, flat: bool, g: _MarkerGroup, j: _KeptDirection
) -> bool:
    """Whether a pair is recognised; its kind, rank and frames are filled in."""
    first, last, tilted, apart, groups, size = p.first_row[n], p.first_row[n + 1], -1, -1, 0, 0.0
    r = first
    while r < last:
        begin, groups = r, groups + 1
        r = _read(t, p, n, r, g)
        if g.bits[0] & APART:
            if apart >= 0 or g.bits[0] != APART:
                return False
            apart = begin
        if g.bits[0] & OTHER:
            return False
        # what is across z and in the plane, is in the plane across the normal
        if tilted < 0 and g.bits[0] & (ACROSS if flat else TILTS):
            tilted = begin
        for k in range(3):
            size = max(size, abs(g.one[k]), abs(g.two[k]))
    if groups == 0:
        return False
    if tilted < 0:
        return groups == 1 and not flat and _single(p, n, g)
    _read(t, p, n, tilted, g)
    for k in range(3):
        j.has[k] = 0
        j.z[0, k], j.z[1, k] = g.one[9 + k], g.two[9 + k]
    r = first
    while r < last:
        begin = r
        r = _read(t, p, n, r, g)
        a = t.marker_a[t.term_measure[t.first_term[p.rows[begin]]]]
        forward = t.marker_body[a] == p.bodies[n, 0]
        if begin != apart and not _joined(g, j, forward, AGREE * size, FOURTH * size):
            return False
    if apart >= 0:
        _read(t, p, n, apart, g)
        if not _separated(g, j, start[p.bodies[n, 0]], start[p.bodies[n, 1]], AGREE * size):
            return False
    return _finished(p, n, flat, j)


@borrowing
def _read(t: EquationTable, p: Pairs, n: int, r: int, g: _MarkerGroup) -> int:
    """Read the group that begins with row r of a pair; returns the row behind it."""
    m = t.term_measure[t.first_term[p.rows[r]]]
    a, b, bits, last = t.marker_a[m], t.marker_b[m], 0, p.first_row[n + 1]
    forward = t.marker_body[a] == p.bodies[n, 0]
    for k in range(12):
        g.one[k] = t.marker_frame[a if forward else b, k]
        g.two[k] = t.marker_frame[b if forward else a, k]
    g.value[0] = g.value[1] = 0.0
    while r < last:
        e = p.rows[r]
        term = t.first_term[e]
        m = t.term_measure[term]
        if t.marker_a[m] != a or t.marker_b[m] != b:
            break
        bit = _bit(t.kind[m], t.axis_i[m])
        plain = t.first_term[e + 1] == term + 1 and t.coefficient[term] == 1.0
        if bit & (HEIGHT | APART | ANGLE):
            g.value[1 if bit == ANGLE else 0] = t.target[e]
        elif t.target[e] != 0.0:
            plain = False
        if not plain or bits & bit:
            bit = OTHER
        bits |= bit
        r += 1
    for whole in (TILTS, TURNS, ACROSS):
        if bits & whole and bits & whole != whole:
            bits |= OTHER
    if bits == POINT and g.value[0] != 0.0:  # the way of z then counts
        bits |= OTHER
    g.bits[0] = bits
    return r


@borrowing
def _bit(kind: int, i: int) -> int:
    """The bit of a measure."""
    if kind == TILT and i < 2:
        return 1 << i
    if kind == TURN:
        return 4 << i
    if kind == DISPLACEMENT:
        return 32 << i
    if kind == SEPARATION:
        return APART
    return ANGLE if kind == ROTATION else OTHER


@borrowing
def _single(p: Pairs, n: int, g: _MarkerGroup) -> bool:
    """Whether the one group of a pair is a ball, a slide or rigid, which is filled in."""
    bits = g.bits[0]
    if bits == POINT:
        p.kind[n], p.rank[n] = SPHERICAL, 3
    elif bits == TURNS | POINT and g.value[0] == 0.0:
        p.kind[n], p.rank[n] = FIXED, 6
    elif bits == TURNS | ACROSS:
        p.kind[n], p.rank[n] = PRISMATIC, 5
    else:
        return False
    for k in range(12):
        p.frame_a[n, k], p.frame_b[n, k] = g.one[k], g.two[k]
    return True


@borrowing
def _joined(g: _MarkerGroup, j: _KeptDirection, forward: bool, near: float, far: float) -> bool:
    """Add a group to the joint; False where it does not fit.

    Args:
        forward: whether marker a is on the first body; near, far: distances up to which places are
            one, and from which the direction between two lines is clear, mm.
    """
    bits = g.bits[0]
    if bits & TURNS:
        return False
    one, two = _way(g.one, j.z[0]), _way(g.two, j.z[1])
    measured = one if forward else two
    if bits & (TILTS | ANGLE):
        if one * two <= 0:
            return False
    elif measured == 0 and bits != POINT:
        return False
    if bits & HEIGHT:
        value = 0.0 if bits == POINT else g.value[0] * (measured if forward else -measured)
        if not _raised(g, j, value, near):
            return False
    if bits & ACROSS and not _lined(g, j, near, far):
        return False
    if bits & ANGLE:
        if j.has[2]:
            return False
        j.has[2] = 1
        c, s = cos(g.value[1]), sin(g.value[1])
        for k in range(3):
            j.way[0, k] = c * g.one[3 + k] + s * g.one[6 + k] if forward else g.one[3 + k]
            j.way[1, k] = g.two[3 + k] if forward else c * g.two[3 + k] + s * g.two[6 + k]
    return True


@borrowing
def _way(marker: Array, z: Array) -> int:
    """1 or -1 where z of a marker is along a direction or opposed to it, else 0."""
    cosine, off = _dot(marker[9:], z), 0.0
    for k in range(3):
        off = max(off, abs(marker[9 + k] - cosine * z[k]))
    if off > AGREE:
        return 0
    return 1 if cosine > 0.0 else -1


@borrowing
def _dot(a: Array, b: Array) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@borrowing
def _raised(g: _MarkerGroup, j: _KeptDirection, value: float, near: float) -> bool:
    """Add the height of a group; whether it agrees with the one there is."""
    rise = value + _dot(g.one, j.z[0]) - _dot(g.two, j.z[1])
    if j.has[1]:
        return bool(abs(rise - j.rise[0]) <= near)
    j.has[1], j.rise[0] = 1, rise
    if not j.has[0]:
        for k in range(3):
            j.point[0, k], j.point[1, k] = g.one[k], g.two[k]
    return True


@borrowing
def _lined(g: _MarkerGroup, j: _KeptDirection, near: float, far: float) -> bool:
    """Add the line of a group; whether it agrees with the one there is, or removes the spin."""
    if not j.has[0]:
        j.has[0] = 1
        for k in range(3):
            j.point[0, k], j.point[1, k] = g.one[k], g.two[k]
        return True
    long = _arm(g.one, j, 0), _arm(g.two, j, 1)
    if max(long) <= near:
        return True
    if not j.has[2]:
        if min(long) <= far or abs(long[0] - long[1]) > near:
            return False
        j.has[2] = SECOND
        for k in range(3):
            j.way[0, k], j.way[1, k] = j.arm[0, k] / long[0], j.arm[1, k] / long[1]
        return True
    if j.has[2] != SECOND:
        return False
    # a line beside the plane of the first two is left to the analysis
    along = _dot(j.arm[0], j.way[0])
    if abs(along - _dot(j.arm[1], j.way[1])) > near:
        return False
    for b in range(2):
        for k in range(3):
            if abs(j.arm[b, k] - along * j.way[b, k]) > near:
                return False
    return True


@borrowing
def _separated(g: _MarkerGroup, j: _KeptDirection, one: Array, two: Array, near: float) -> bool:
    """Add the separation of two points of the line as a height; False where it is none.

    One and two are the poses of the bodies at the start, which tell on which side it is.
    """
    if not j.has[0] or j.has[1] or g.value[0] <= near:
        return False
    if _arm(g.one, j, 0) > near or _arm(g.two, j, 1) > near:
        return False
    side = same = 0.0
    for k in range(3):
        z, other, step = 0.0, 0.0, two[k] - one[k]
        for v in range(3):
            z += one[3 + 3 * v + k] * j.z[0, v]
            other += two[3 + 3 * v + k] * j.z[1, v]
            step += two[3 + 3 * v + k] * g.two[v] - one[3 + 3 * v + k] * g.one[v]
        side += z * step
        same += z * other
    if same <= 0.0 or abs(side) <= near:
        return False
    return _raised(g, j, g.value[0] if side > 0.0 else -g.value[0], near)


@borrowing
def _arm(marker: Array, j: _KeptDirection, body: int) -> float:
    """Distance of a line from that of the joint on a body, mm; the way there is written."""
    arm, z, total = j.arm[body], j.z[body], 0.0
    for k in range(3):
        arm[k] = marker[k] - j.point[body, k]
    along = _dot(arm, z)
    for k in range(3):
        arm[k] -= along * z[k]
        total += arm[k] * arm[k]
    return sqrt(total)


@borrowing
def _finished(p: Pairs, n: int, flat: bool, j: _KeptDirection) -> bool:
    """Fill in a pair about a direction; False where it has no line and only one of the others."""
    line, level, spin = j.has[0] > 0, j.has[1] > 0, j.has[2] > 0
    if line:
        if level or flat:
            kind, rank = (FIXED, 6) if spin else (REVOLUTE, 5)
        else:
            kind, rank = (PRISMATIC, 5) if spin else (CYLINDRICAL, 4)
    elif level and not spin:
        kind, rank = PLANAR, 3
    else:
        return False
    p.kind[n], p.rank[n] = kind, rank - 3 if flat else rank
    lift = 0.0
    if level:
        lift = j.rise[0] + _dot(j.point[1], j.z[1]) - _dot(j.point[0], j.z[0])
    for k in range(3):
        j.point[0, k] += lift * j.z[0, k]
    for body in range(2):
        if not spin:
            _any_way(j.z[body], j.way[body])
        _frame(j.point[body], j.z[body], j.way[body], p.frame_a[n] if body == 0 else p.frame_b[n])
    return True


@borrowing
def _any_way(z: Array, out: Array) -> None:
    """A direction that is not along z, reproducible."""
    least = 0
    for k in range(3):
        out[k] = 0.0
        if abs(z[k]) < abs(z[least]):
            least = k
    out[least] = 1.0


@borrowing
def _frame(point: Array, z: Array, way: Array, out: Array) -> None:
    """The frame at a point with this z, and x along a way as far as that is across z."""
    along, total = _dot(way, z), 0.0
    for k in range(3):
        out[k], out[9 + k] = point[k], z[k]
        out[3 + k] = way[k] - along * z[k]
        total += out[3 + k] * out[3 + k]
    for k in range(3):
        out[3 + k] /= sqrt(total)
    out[6] = z[1] * out[5] - z[2] * out[4]
    out[7] = z[2] * out[3] - z[0] * out[5]
    out[8] = z[0] * out[4] - z[1] * out[3]

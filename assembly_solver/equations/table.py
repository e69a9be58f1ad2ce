"""The equations of an assembly as flat arrays, with compiled residuals, Jacobian and moves.

The unknowns of a body are a small twist in a `TwistBasis`.  `slot[body, k]`, shape (bodies, 6), is
the column of unknown k of a body, or -1 where that unknown is fixed: a fixed body has no columns, a
body in a plane has three.  Poses are rows of 12 numbers, origin (mm) and the axes x, y, z.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled, inlined, spread
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from ..model.measures.measure import ROTATION, WIDEST, compose, measure

SPACE = np.arange(6)
PLANE = np.array([0, 1, 5])
"""The unknowns of a body in space and in a plane, as indices into its twist."""

for _unknowns in (SPACE, PLANE):  # a constant in compiled code is read-only: one type for both
    _unknowns.flags.writeable = False

SOLVED = 0
STALLED = 1
SINGULAR = 2
EXHAUSTED = 3
"""How the iteration of a block ended."""

ONE_OF = 16
"""A setting: equations of a table of which one is evaluated in the time in which all are copied."""

INVERSES, UPDATES, PERTURBATIONS, ITERATIONS, BLOCKS = range(5)
"""Indices into the array of counts."""


class EquationTable(NamedTuple):
    """All equations of an assembly as flat arrays.

    Equation e is sum over its terms of coefficient * measure - target, times its weight (1 for
    lengths, the characteristic length for angles): mm throughout.  An angle about an axis is known
    up to whole turns: each term takes the value within half a turn of its reference, and the sum is
    reduced by multiples of the period where the turns of one joint are undetermined.
    """

    marker_body: Ints
    kind: Ints
    axis_i: Ints
    axis_j: Ints
    marker_a: Ints
    marker_b: Ints
    first_term: Ints
    """Terms of equation e are first_term[e] .. first_term[e + 1]."""
    term_measure: Ints
    coefficient: Array
    reference: Array
    """For each term, rad; used by angles about an axis only."""
    target: Array
    period: Array
    """For each equation, in the unit of its target; 0 where every turn counts."""
    data: Array
    """Shape parameters that measures read; axis_j of such a measure is the index of its first."""
    marker_frame: Array
    """(markers, 12) in body coordinates.  This and the weights follow from where features are."""
    weight: Array


class TwistBasis(NamedTuple):
    """Coordinates of a small twist of a body, all in mm.

    Three translations of the body's centre along `axes`, then three rotations about `axes`, in rad
    times `length`.

    Attributes:
        axes: orthonormal directions in the world as rows, shape (3, 3).
        centre: of each body, in body coordinates, shape (bodies, 3), mm.
        length: the characteristic length, mm.
    """

    axes: Array
    centre: Array
    length: float


class EvaluatedEquation(NamedTuple):
    """What the last equation left.

    Attributes:
        bodies, wrenches: those that it depends on and its derivative as a wrench on each (force and
            moment about the world origin, mm), shapes (WIDEST,) and (WIDEST, 6).
        a, b, wrench: of its last measure: frames in the world and the wrench on b.
        markers: those of a and b, shape (2,): the equations of a mate follow each other.
        middle, slope: scratch for the derivatives by the unknowns of a body, (3,) and (6,).
        position, slopes: the same for all bodies of an equation, (WIDEST,) and (WIDEST, 6).
    """

    bodies: Ints
    wrenches: Array
    a: Array
    b: Array
    wrench: Array
    markers: Ints
    middle: Array
    slope: Array
    position: Ints
    slopes: Array


@compiled
def evaluated_equation() -> EvaluatedEquation:
    """Arrays for the equations at poses that are not evaluated yet."""
    return EvaluatedEquation(
        np.empty(WIDEST, np.int64),
        np.empty((WIDEST, 6)),
        np.empty(12),
        np.empty(12),
        np.empty(6),
        np.full(2, -1),
        np.empty(3),
        np.empty(6),
        np.empty(WIDEST, np.int64),
        np.empty((WIDEST, 6)),
    )


def are_many(t: EquationTable, poses: Array, rows: Ints, *_: Any) -> bool:
    """Whether to evaluate these equations takes longer than to copy the table and the poses."""
    return ONE_OF * len(rows) >= len(t.target)


@borrowing
def at_new_poses(found: EvaluatedEquation) -> None:
    """Forget the frames of the markers: the poses changed."""
    found.markers[0] = found.markers[1] = -1


@inlined
@borrowing
def equation(t: EquationTable, poses: Array, e: int, found: EvaluatedEquation) -> tuple[float, int]:
    """Residual of equation e, mm, and the number of bodies that it depends on.

    Args:
        poses: of all bodies, shape (bodies, 12), those of the last call or `at_new_poses`.
        found: overwritten.
    """
    bodies, wrenches, w = found.bodies, found.wrenches, found.wrench
    value = -t.target[e]
    count = 0
    for k in range(t.first_term[e], t.first_term[e + 1]):
        n = t.term_measure[k]
        ma, mb = t.marker_a[n], t.marker_b[n]
        if ma != found.markers[0]:
            compose(poses[t.marker_body[ma]], t.marker_frame[ma], found.a)
            found.markers[0] = ma
        if mb != found.markers[1]:
            compose(poses[t.marker_body[mb]], t.marker_frame[mb], found.b)
            found.markers[1] = mb
        c = t.coefficient[k]
        read = measure(t.kind[n], t.axis_i[n], t.axis_j[n], t.data, found.a, found.b, w)
        if t.kind[n] == ROTATION:
            read -= 2.0 * pi * np.floor((read - t.reference[k] + pi) / (2.0 * pi))
        value += c * read
        for end in range(2):
            sign = (-c if end == 0 else c) * t.weight[e]
            body = t.marker_body[ma if end == 0 else mb]
            index = count
            for j in range(count):
                if bodies[j] == body:
                    index = j
            wrench = wrenches[index]
            if index == count:
                bodies[index] = body
                count += 1
                for r in range(6):
                    wrench[r] = 0.0
            for r in range(6):
                wrench[r] += sign * w[r]
    if t.period[e] > 0.0:
        value -= t.period[e] * np.floor(value / t.period[e] + 0.5)
    return value * t.weight[e], count


@on_lists(3, 4, where=are_many)
def _residuals(
    t: EquationTable, poses: Array, rows: Ints, out: Array, found: EvaluatedEquation
) -> float:
    """`residuals`; functions that create arrays count references at every call."""
    worst = 0.0
    for r in range(len(rows)):
        out[r], _ = equation(t, poses, rows[r], found)
        worst = max(worst, abs(out[r]))
    return worst


@on_lists(3, where=are_many)
def largest_residual(t: EquationTable, poses: Array, rows: Ints, found: EvaluatedEquation) -> float:
    """The largest magnitude of the residuals of the equations `rows`, mm."""
    worst = 0.0
    at_new_poses(found)
    for row in rows:
        f, _ = equation(t, poses, row, found)
        worst = max(worst, abs(f))
    return worst


@spread
@apart
@compiled
def residuals(t: EquationTable, poses: Array, rows: Ints, out: Array) -> float:
    """Residuals of the equations `rows`, mm, into `out`; returns the largest magnitude."""
    return _residuals(t, poses, rows, out, evaluated_equation())


@on_lists(4)
def gradient(wrench: Array, centre: Array, axes: Array, length: float, out: Array) -> None:
    """The six derivatives of an equation by the unknowns of a body, from the wrench on the body.

    The wrench is about the world origin; `centre` is the body's, in the world, mm.
    """
    f0, f1, f2 = wrench[0], wrench[1], wrench[2]
    m0 = wrench[3] - (centre[1] * f2 - centre[2] * f1)
    m1 = wrench[4] - (centre[2] * f0 - centre[0] * f2)
    m2 = wrench[5] - (centre[0] * f1 - centre[1] * f0)
    for k in range(3):
        x, y, z = axes[k][0], axes[k][1], axes[k][2]
        out[k] = x * f0 + y * f1 + z * f2
        out[3 + k] = (x * m0 + y * m1 + z * m2) / length


@on_lists(2)
def world_point(pose: Array, p: Array, out: Array) -> None:
    """World coordinates of a point p in body coordinates, mm."""
    for r in range(3):
        out[r] = pose[r] + pose[3 + r] * p[0] + pose[6 + r] * p[1] + pose[9 + r] * p[2]


@on_lists(5, 6, where=are_many)
def _jacobian(
    t: EquationTable,
    poses: Array,
    rows: Ints,
    slot: Ints,
    basis: TwistBasis,
    out: Array,
    found: EvaluatedEquation,
) -> None:
    for r in range(len(rows)):
        row = out[r]
        for j in range(len(row)):
            row[j] = 0.0
        _, count = equation(t, poses, rows[r], found)
        for n in range(count):
            body = found.bodies[n]
            world_point(poses[body], basis.centre[body], found.middle)
            gradient(found.wrenches[n], found.middle, basis.axes, basis.length, found.slope)
            columns = slot[body]
            for k in range(6):
                if columns[k] >= 0:
                    row[columns[k]] += found.slope[k]


@apart
@compiled
def jacobian(
    t: EquationTable, poses: Array, rows: Ints, slot: Ints, basis: TwistBasis, out: Array
) -> None:
    """Dense Jacobian of the equations `rows` by the columns in `slot`; `out` is overwritten."""
    _jacobian(t, poses, rows, slot, basis, out, evaluated_equation())


@borrowing
def _rotation(
    x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Rotation matrix of a rotation vector, rad, row by row."""
    n = sqrt(x * x + y * y + z * z)
    if n < ROUNDING:
        s, k = 1.0, 0.5
    else:
        s, k = sin(n) / n, (1.0 - cos(n)) / (n * n)
    return (
        1.0 - k * (y * y + z * z),
        k * x * y - s * z,
        k * x * z + s * y,
        k * x * y + s * z,
        1.0 - k * (x * x + z * z),
        k * y * z - s * x,
        k * x * z - s * y,
        k * y * z + s * x,
        1.0 - k * (x * x + y * y),
    )


@borrowing
def rotation_matrix(x: float, y: float, z: float, out: Array) -> None:
    """Rotation matrix, shape (3, 3), of a rotation vector, rad."""
    q = _rotation(x, y, z)
    for k in range(9):
        out[k // 3, k % 3] = q[k]


@borrowing
def copy(source: Array, target: Array) -> None:
    """Copy a vector; numba's assignment of rows compiles slowly."""
    for k in range(len(source)):
        target[k] = source[k]


@borrowing
def clear(rows: Array) -> None:
    """Set a matrix to zero."""
    for row in rows:
        for k in range(len(row)):
            row[k] = 0.0


@on_lists(0)
def displace(pose: Array, step: Array, axes: Array, centre: Array, length: float) -> None:
    """Move one pose in place by a twist `step`, shape (6,), mm, in the basis of this body."""
    d0, d1, d2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        along, about = step[k], step[3 + k] / length
        x, y, z = axes[k][0], axes[k][1], axes[k][2]
        d0, d1, d2 = d0 + along * x, d1 + along * y, d2 + along * z
        w0, w1, w2 = w0 + about * x, w1 + about * y, w2 + about * z
    q = _rotation(w0, w1, w2)
    c0, c1, c2 = centre[0], centre[1], centre[2]
    c0, c1, c2 = (
        pose[0] + pose[3] * c0 + pose[6] * c1 + pose[9] * c2,
        pose[1] + pose[4] * c0 + pose[7] * c1 + pose[10] * c2,
        pose[2] + pose[5] * c0 + pose[8] * c1 + pose[11] * c2,
    )
    pose[0], pose[1], pose[2] = pose[0] - c0, pose[1] - c1, pose[2] - c2
    for k in range(0, 12, 3):
        x, y, z = pose[k], pose[k + 1], pose[k + 2]
        pose[k] = q[0] * x + q[1] * y + q[2] * z
        pose[k + 1] = q[3] * x + q[4] * y + q[5] * z
        pose[k + 2] = q[6] * x + q[7] * y + q[8] * z
    pose[0], pose[1], pose[2] = pose[0] + c0 + d0, pose[1] + c1 + d1, pose[2] + c2 + d2


@apart
@compiled
def move(
    poses: Array,
    bodies: Ints,
    slot: Ints,
    step: Array,
    factor: float,
    basis: TwistBasis,
    out: Array,
) -> None:
    """Poses of `bodies` after `factor` times a step; other rows of `out` are not written."""
    axes, centre, length = basis.axes, basis.centre, basis.length
    twist = np.empty(6)
    for n in range(len(bodies)):
        body = bodies[n]
        for k in range(6):
            twist[k] = factor * step[slot[body, k]] if slot[body, k] >= 0 else 0.0
        copy(poses[body], out[body])
        displace(out[body], twist, axes, centre[body], length)


@on_lists()
def norm(f: Array) -> float:
    """Euclidean norm."""
    total = 0.0
    for v in f:
        total += v * v
    return sqrt(total)

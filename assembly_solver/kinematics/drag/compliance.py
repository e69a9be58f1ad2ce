"""How a mechanism gives way to a pull: the linear problem behind one step of dragging.

Bodies answer like parts that lie on a table: each resists being moved, each joint resists a little
more being moved in, and the joints hold.  What motions cost is one sparse matrix, factorised once;
its answers to unit pulls on one body tell how all the others move with it.

Source: damped least squares as in inverse kinematics, Nakamura and Hanafusa 1986; how far the body
gives way is the Schur complement of the same matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...equations.sparse_block import Pattern, normal_matrix, substitute
from ...equations.table import SPACE, Table, world_point
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.linear import pseudo_inverse
from ...foundations.types import Array
from ...model.measures.measure import compose
from .affected import Moving

STAY = 1e-12
"""What a motion of a body costs beside what a motion against a joint costs."""

FRICTION = 1e-11
"""What a motion in a joint costs: what hangs on a body follows it, more or less."""

TWIST = 0.1
"""Weight of the orientation (rad times the characteristic length) beside the point (mm)."""

FIRM = 1e5
"""Give of the dragged body in a direction up to which the joints hold it there: less than what a
free motion of a large mechanism gives, more than the elasticity that joints seem to have here."""

NULL = 1e-7
"""Square of a pivot below which a direction counts as free, in mechanisms of a few bodies."""

SHARED = 1e2
"""The same for large ones, where many bodies resist a motion: friction, times this, a body."""


@borrowing
def between(frame: Array, centre: Array, length: float, sign: float, out: Array) -> None:
    """Motion of a body along and about the axes of a frame by its six unknowns, (6, 6)."""
    x, y, z = frame[0] - centre[0], frame[1] - centre[1], frame[2] - centre[2]
    for k in range(3):
        e0, e1, e2 = frame[3 + 3 * k], frame[4 + 3 * k], frame[5 + 3 * k]
        out[k, 0], out[k, 1], out[k, 2] = sign * e0, sign * e1, sign * e2
        out[k, 3] = sign * (y * e2 - z * e1) / length
        out[k, 4] = sign * (z * e0 - x * e2) / length
        out[k, 5] = sign * (x * e1 - y * e0) / length
        for r in range(3):
            out[3 + k, r] = 0.0
        out[3 + k, 3], out[3 + k, 4], out[3 + k, 5] = sign * e0, sign * e1, sign * e2


@borrowing
def _add_pair(
    p: Pattern,
    a: int,
    b: int,
    leaves: NDArray[np.bool_],
    ra: Array,
    rb: Array,
    diagonal: Array,
    block: Array,
) -> None:
    """Add what a joint between two bodies makes of their motions."""
    u, v = p.position[a], p.position[b]
    place = -1
    if u >= 0 and v >= 0:
        low, high = min(u, v), max(u, v)
        place = p.first[low]
        while p.row[place] != high:
            place += 1
    for r in range(6):
        weight = FRICTION if leaves[r] else 1.0
        for i in range(6):
            for j in range(6):
                if u >= 0:
                    diagonal[u, i, j] += weight * ra[r, i] * ra[r, j]
                if v >= 0:
                    diagonal[v, i, j] += weight * rb[r, i] * rb[r, j]
                if place >= 0:
                    if u > v:
                        block[place, i, j] += weight * ra[r, i] * rb[r, j]
                    else:
                        block[place, i, j] += weight * rb[r, i] * ra[r, j]


@compiled
def stiffness(
    t: Table,
    poses: Array,
    m: Moving,
    axes: Array,
    centre: Array,
    length: float,
    diagonal: Array,
    block: Array,
) -> None:
    """What motions of the bodies cost: joints, single equations, friction and staying put."""
    p = m.pattern
    slope = np.empty((len(p.bodies), 6))
    normal_matrix(t, poses, m.rows, p, SPACE, axes, centre, length, diagonal, block, slope)
    frame, c = np.empty(12), np.empty(3)
    ra, rb = np.empty((6, 6)), np.empty((6, 6))
    for n in range(len(m.pair)):
        a, b = m.pair[n, 0], m.pair[n, 1]
        compose(poses[a], m.frame[n], frame)
        world_point(poses[a], centre[a], c)
        between(frame, c, length, -1.0, ra)
        world_point(poses[b], centre[b], c)
        between(frame, c, length, 1.0, rb)
        _add_pair(p, a, b, m.leaves[n], ra, rb, diagonal, block)
    for k in range(len(p.bodies)):
        for i in range(6):
            diagonal[k, i, i] += STAY


@borrowing
def pivots(m: Moving, diagonal: Array) -> tuple[float, float, int]:
    """Free directions of the bodies in loops by the factor, the weakest other pivot, its body."""
    p, free, weakest, which = m.pattern, 0.0, 1.0, -1
    null = max(NULL, SHARED * FRICTION * len(p.bodies))
    for k in range(len(p.bodies)):
        if m.looped[p.bodies[k]]:
            for i in range(6):
                pivot = diagonal[k, i, i] * diagonal[k, i, i]
                if pivot < null:
                    free += 1.0
                elif pivot < weakest:
                    weakest, which = pivot, p.bodies[k]
    return free, weakest, which


@compiled
def answers(
    p: Pattern,
    poses: Array,
    body: int,
    grip: Array,
    centre: Array,
    length: float,
    diagonal: Array,
    block: Array,
    out: Array,
    h: Array,
) -> None:
    """Motions of all bodies under unit pulls on the grip, then on the axes, of the dragged one.

    out: (pulls, bodies, 6), pulls 3 or 6; h: (pulls, pulls), the pulls that move the grip and
    the axes by so much; directions in which they do not give way get none.
    """
    own, m = p.position[body], len(out)
    at, c, a = np.empty(3), np.empty(3), np.zeros((6, 6))
    world_point(poses[body], grip, at)
    world_point(poses[body], centre[body], c)
    for i in range(6):
        a[i, i] = 1.0
    for i in range(3):  # the grip's motion by a turn about the centre
        n, s = (i + 1) % 3, (i + 2) % 3
        a[i, 3 + n] = (at[s] - c[s]) / length
        a[i, 3 + s] = -(at[n] - c[n]) / length
    give, most = np.empty((m, m)), FIRM
    for j in range(m):
        for k in range(len(p.bodies)):
            for i in range(6):
                out[j, k, i] = 0.0
        for i in range(6):
            out[j, own, i] = a[j, i] * (1.0 if j < 3 else TWIST)
        substitute(p, diagonal, block, out[j])
        for i in range(m):
            give[i, j] = 0.0
            for q in range(6):
                give[i, j] += a[i, q] * (1.0 if i < 3 else TWIST) * out[j, own, q]
        most = max(most, give[j, j])
    pseudo_inverse(give, h, FIRM / most)


@borrowing
def pull(answers: Array, h: Array, e: Array, y: Array, x: Array) -> None:
    """Motions x (bodies, 6) that bring the dragged body nearer to the request; y is scratch."""
    m = len(h)
    for i in range(m):
        y[i] = 0.0
        for j in range(m):
            y[i] += h[i, j] * e[j] * (1.0 if j < 3 else TWIST)
    for n in range(len(x)):
        for i in range(6):
            x[n, i] = 0.0
            for j in range(m):
                x[n, i] += answers[j, n, i] * y[j]

"""Speeds and accelerations of a chain at one state: block after block, by one inverse each.

Source: Haug, Computer Aided Kinematics and Dynamics, equations (4.2.2) and (4.2.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import borrowing
from ..kernel import equation, gradient, world_point
from ..model.measure import compose, measure
from ..model.rates import wrench_rate
from ..numerics.linear import invert
from .arrays import Chain, Given, Now, Scratch

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@borrowing
def spatial(c: Chain, n: Now, body: int, p: Array) -> None:
    """Spatial twist of a body and, in 6 to 11, the part of its derivative that speeds make.

    The velocity at the origin of the root is v - spin x p, p the body's centre; its derivative is
    v' - spin' x p - spin x v.  `p` is scratch of 3 numbers.
    """
    out, q, a = n.twist[body], n.speed[body], c.axes
    world_point(n.poses[body], c.centre[body], p)
    for r in range(3):
        out[6 + r] = q[0] * a[0, r] + q[1] * a[1, r] + q[2] * a[2, r]
        out[3 + r] = (q[3] * a[0, r] + q[4] * a[1, r] + q[5] * a[2, r]) / c.length
    for r in range(3):
        x, y = (r + 1) % 3, (r + 2) % 3
        out[r] = out[6 + r] - (out[3 + x] * p[y] - out[3 + y] * p[x])
    u, v, w = out[6], out[7], out[8]
    out[6] = -(out[4] * w - out[5] * v)
    out[7] = -(out[5] * u - out[3] * w)
    out[8] = -(out[3] * v - out[4] * u)


@borrowing
def _add_moving(
    c: Chain, poses: Array, g: Given, s: int, marker: int, u: Array, twist: Array
) -> None:
    """Add to the motion of a marker's body that of the marker on it.

    With V the body's and U the marker's own spatial twist, both along the root's axes, theirs
    together is V + U and its derivative V' + U' + [V, U], U' as seen on the body.  `u` is scratch
    of 12 numbers.
    """
    for q in range(len(c.moving)):
        if c.moving[q] != marker:
            continue
        pose = poses[c.table.marker_body[marker]]
        for r in range(12):
            u[r] = 0.0
        for half in range(2):  # from the body's coordinates to the root's
            for r in range(3):
                for i in range(3):
                    u[6 * half + r] += pose[3 + 3 * i + r] * g.twists[s, q, 6 * half + i]
                    u[6 * half + 3 + r] += pose[3 + 3 * i + r] * g.twists[s, q, 6 * half + 3 + i]
            for r in range(3):
                x, y = (r + 1) % 3, (r + 2) % 3
                at = 6 * half + 3
                u[6 * half + r] -= u[at + x] * pose[y] - u[at + y] * pose[x]
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            u[9 + r] += twist[3 + x] * u[3 + y] - twist[3 + y] * u[3 + x]
            u[6 + r] += twist[3 + x] * u[y] - twist[3 + y] * u[x]
            u[6 + r] += twist[x] * u[3 + y] - twist[y] * u[3 + x]
        for r in range(12):
            twist[r] += u[r]


@borrowing
def _bent(c: Chain, n: Now, g: Given, s: int, e: int, w: Scratch) -> float:
    """What speeds alone make of the second time derivative of an equation, mm/s2."""
    t, total = c.table, 0.0
    for k in range(t.first_term[e], t.first_term[e + 1]):
        q = t.term_measure[k]
        ma, mb = t.marker_a[q], t.marker_b[q]
        va, vb = n.twist[t.marker_body[ma]], n.twist[t.marker_body[mb]]
        if len(c.moving):
            for r in range(12):
                w.va[r], w.vb[r] = va[r], vb[r]
            va, vb = w.va, w.vb
            _add_moving(c, n.poses, g, s, ma, w.a, va)
            _add_moving(c, n.poses, g, s, mb, w.a, vb)
        compose(n.poses[t.marker_body[ma]], t.marker_frame[ma], w.a)
        compose(n.poses[t.marker_body[mb]], t.marker_frame[mb], w.b)
        measure(t.kind[q], t.axis_i[q], t.axis_j[q], t.data, w.a, w.b, w.wrench)
        wrench_rate(
            t.kind[q], t.axis_i[q], t.axis_j[q], t.data, w.a, w.b, va, vb, w.wrench, w.own
        )
        part = 0.0
        for r in range(6):
            part += w.wrench[r] * (vb[6 + r] - va[6 + r]) + w.own[r] * (vb[r] - va[r])
        total += t.coefficient[k] * part
    return float(total * t.weight[e])


@borrowing
def _drift(c: Chain, n: Now, g: Given, s: int, e: int, w: Scratch) -> float:
    """What markers that move on their bodies make of the first derivative of an equation, mm/s."""
    t, total = c.table, 0.0
    for k in range(t.first_term[e], t.first_term[e + 1]):
        q = t.term_measure[k]
        ma, mb = t.marker_a[q], t.marker_b[q]
        for r in range(12):
            w.va[r] = w.vb[r] = 0.0
        _add_moving(c, n.poses, g, s, ma, w.a, w.va)
        _add_moving(c, n.poses, g, s, mb, w.a, w.vb)
        compose(n.poses[t.marker_body[ma]], t.marker_frame[ma], w.a)
        compose(n.poses[t.marker_body[mb]], t.marker_frame[mb], w.b)
        measure(t.kind[q], t.axis_i[q], t.axis_j[q], t.data, w.a, w.b, w.wrench)
        for r in range(6):
            total += t.coefficient[k] * w.wrench[r] * (w.vb[r] - w.va[r])
    return float(total * t.weight[e])


@borrowing
def rates(
    c: Chain, n: Now, g: Given, s: int, asked: Array, w: Scratch, pivots: Array
) -> float:
    """Speeds and their changes of all unknowns, block after block; the smallest pivot.

    Args:
        n: poses that hold; the rest is written, the inverses included.
        s: state whose moving markers count; asked: first and second derivative of the target of
            each equation, (equations, 2), in the unit of the target.
        pivots: (blocks,), written.
    """
    t, least = c.table, 1.0
    for k in range(len(c.first) - 1):
        low, high = c.first[k], c.first[k + 1]
        m = high - low
        j = w.matrix[: m * m].reshape(m, m)
        for r in range(m):
            e = c.rows[low + r]
            speed, change = asked[e, 0] * t.weight[e], asked[e, 1] * t.weight[e]
            if len(c.moving):
                speed -= _drift(c, n, g, s, e, w)
            for i in range(m):
                j[r, i] = 0.0
            _, count = equation(t, n.poses, e, w.bodies, w.wrenches, w.a, w.b, w.wrench)
            for q in range(count):
                body = w.bodies[q]
                world_point(n.poses[body], c.centre[body], w.point)
                gradient(w.wrenches[q], w.point, c.axes, c.length, w.own)
                for i in range(6):
                    col = c.slot[body, i]
                    if low <= col < high:
                        j[r, col - low] += w.own[i]
                    elif 0 <= col < low:
                        speed -= w.own[i] * n.speed[body, i]
                        change -= w.own[i] * n.change[body, i]
            w.f[low + r], w.trial[low + r] = speed, change
        h = n.inverse[c.first_inverse[k] : c.first_inverse[k + 1]].reshape(m, m)
        pivots[k] = invert(j, h)
        least = min(least, abs(pivots[k]))
        _fill(c, k, h, w.f, n.speed)
        for q in range(c.first_mover[k], c.first_mover[k + 1]):
            spatial(c, n, c.movers[q], w.point)
        for r in range(low, high):
            w.trial[r] -= _bent(c, n, g, s, c.rows[r], w)
        _fill(c, k, h, w.trial, n.change)
    return least


@borrowing
def _fill(c: Chain, k: int, h: Array, right: Array, out: Array) -> None:
    """Write H times a right side to the unknowns of a block."""
    low, high = c.first[k], c.first[k + 1]
    for q in range(c.first_mover[k], c.first_mover[k + 1]):
        body = c.movers[q]
        for i in range(6):
            s = c.slot[body, i]
            if low <= s < high:
                total = 0.0
                for r in range(low, high):
                    total += h[s - low, r - low] * right[r]
                out[body, i] = total

"""Time derivatives of an equation from the motion of bodies and markers; compiled.

Source: Haug, Computer Aided Kinematics and Dynamics, equations (4.2.2) and (4.2.3).
"""

from __future__ import annotations

from math import pi

import numpy as np

from ..equations.table import EquationTable, world_point
from ..foundations.jit.decorators import borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array
from ..model.measures.measure import compose, measure
from ..model.measures.rates import wrench_rate
from .chain_arrays import Chain, ChainState, Scratch
from .world_motion import to_outer_frame


@borrowing
def measured(t: EquationTable, q: int, poses: Array, a: Array, b: Array, w: Array) -> float:
    """Measure q at poses (bodies, 12); its markers in the world go to a and b, its wrench to w."""
    ma, mb = t.marker_a[q], t.marker_b[q]
    compose(poses[t.marker_body[ma]], t.marker_frame[ma], a)
    compose(poses[t.marker_body[mb]], t.marker_frame[mb], b)
    return measure(t.kind[q], t.axis_i[q], t.axis_j[q], t.data, a, b, w)


@borrowing
def refer_to(t: EquationTable, k: int, poses: Array, a: Array, b: Array, w: Array) -> None:
    """Set the reference angle of term k to its value at poses, counting turns; a, b, w: scratch."""
    found = measured(t, t.term_measure[k], poses, a, b, w)
    t.reference[k] = found - 2 * pi * np.floor((found - t.reference[k] + pi) / (2 * pi))


@on_lists(5, 6)
def spatial(
    pose: Array, centre: Array, q: Array, a: Array, length: float, p: Array, out: Array
) -> None:
    """Spatial twist of a body and, in 6 to 8, the velocity-dependent part of its derivative.

    The velocity at the origin of the root is v - spin x p, p the body's centre; its derivative is
    v' - spin' x p - spin x v.

    Args:
        pose, centre: of the body; q: (6,), rates of its unknowns, mm/s; a: (3, 3), their axes.
        p: centre, written; out: (12,), 0 to 8 written.
    """
    world_point(pose, centre, p)
    for r in range(3):
        e, f, g = a[0][r], a[1][r], a[2][r]
        out[6 + r] = q[0] * e + q[1] * f + q[2] * g
        out[3 + r] = (q[3] * e + q[4] * f + q[5] * g) / length
    u, v, w = out[6], out[7], out[8]
    x, y, z = out[3], out[4], out[5]
    out[0] = u - (y * p[2] - z * p[1])
    out[1] = v - (z * p[0] - x * p[2])
    out[2] = w - (x * p[1] - y * p[0])
    out[6] = -(y * w - z * v)
    out[7] = -(z * u - x * w)
    out[8] = -(x * v - y * u)


@borrowing
def velocity_terms(
    t: EquationTable, q: int, poses: Array, va: Array, vb: Array, s: Scratch
) -> float:
    """Velocity-dependent part of the second time derivative of a measure.

    Args:
        q: number of the measure; va, vb: (12,), spatial twists of its two markers, and the
            velocity-dependent parts of their derivatives.
        s: `a`, `b`, `wrench` and `own` are written.
    """
    a, b, w, dw = s.a, s.b, s.wrench, s.own
    measured(t, q, poses, a, b, w)
    wrench_rate(t.kind[q], t.axis_i[q], t.axis_j[q], t.data, a, b, va, vb, w, dw)
    total = 0.0
    for r in range(6):
        total += w[r] * (vb[6 + r] - va[6 + r]) + dw[r] * (vb[r] - va[r])
    return total


@borrowing
def add_moving(c: Chain, poses: Array, own: Array, marker: int, u: Array, twist: Array) -> None:
    """Add the motion of a marker on its body to that of the body.

    With V the spatial twist of the body and U that of the marker on it, both along the axes of the
    root, the sum is V + U and its derivative V' + U' + [V, U], U' relative to the body.  `own`:
    twists (moving markers, 12) in body coordinates; `u`: (12,), scratch; `twist`: (12,).
    """
    for q in range(len(c.moving)):
        if c.moving[q] != marker:
            continue
        pose = poses[c.table.marker_body[marker]]
        to_outer_frame(pose, own[q], u, 0)
        to_outer_frame(pose, own[q], u, 6)
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            u[9 + r] += twist[3 + x] * u[3 + y] - twist[3 + y] * u[3 + x]
            u[6 + r] += twist[3 + x] * u[y] - twist[3 + y] * u[x]
            u[6 + r] += twist[x] * u[3 + y] - twist[y] * u[3 + x]
        for r in range(12):
            twist[r] += u[r]


@borrowing
def drift(c: Chain, n: ChainState, e: int, w: Scratch) -> float:
    """Rate of the residual of equation e due to moving markers, mm/s."""
    t, total = c.table, 0.0
    for k in range(t.first_term[e], t.first_term[e + 1]):
        q = t.term_measure[k]
        ma, mb = t.marker_a[q], t.marker_b[q]
        for r in range(12):
            w.va[r] = w.vb[r] = 0.0
        add_moving(c, n.poses, w.moving, ma, w.a, w.va)
        add_moving(c, n.poses, w.moving, mb, w.a, w.vb)
        measured(t, q, n.poses, w.a, w.b, w.wrench)
        for r in range(6):
            total += t.coefficient[k] * w.wrench[r] * (w.vb[r] - w.va[r])
    return float(total * t.weight[e])

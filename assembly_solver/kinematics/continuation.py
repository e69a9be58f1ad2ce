"""A kinematic chain followed along its driven motion: the compiled loop over states.

From state to state the last velocities and accelerations predict, the inverse of the last state
corrects with guarded rank-one updates, and the inverse at the new state gives its velocities and
accelerations.  A step whose correction or whose change of velocity is not small beside what was
predicted is taken in halves: so nothing jumps to another branch.

Source: Haug, Computer Aided Kinematics and Dynamics, section 4.2, equations (4.2.1) to (4.2.3).
"""

from __future__ import annotations

from math import pi

import numpy as np

from ..equations.table import copy, displace, equation
from ..foundations.jit.decorators import apart, borrowing
from ..foundations.types import Array
from ..model.measures.measure import compose, measure
from .block_closure import close
from .chain_arrays import Chain, Given, Now, Scratch, Track
from .equation_rates import spatial
from .prescribed_motion import ask

STRAY = 0.1
"""Largest correction of a step, as a share of the step."""

BEND = 0.3
"""Largest change of the velocity that was not predicted, as a share of it."""

SLACK = 0.01
"""Correction, or way of a speed not predicted, that is small in any case: a share of the reach of
features, times the smallest pivot: near a singular pose other branches are as near."""

SHORTEST = 2.0**-24
"""Smallest part of a step."""

SINGULAR = 1e-4
"""Smallest pivot, relative to the largest, at which rates are taken from a state by itself."""

ARRIVED, STUCK, AT_SINGULAR = range(3)
"""What became of a march: it came to its last state; no step leads on; a state is singular."""


@borrowing
def _predict(c: Chain, n: Now, higher: Array, h: float, w: Scratch, out: Array) -> float:
    """Poses after h seconds by rates and two more derivatives; the largest motion, mm."""
    own, far = w.own, 0.0
    for body in c.bodies:
        for i in range(6):
            bend = n.change[body, i] / 2 + h * (
                higher[0, body, i] / 6 + h * higher[1, body, i] / 24
            )
            own[i] = h * (n.speed[body, i] + h * bend)
            far = max(far, abs(own[i]))
        copy(n.poses[body], out[body])
        displace(out[body], own, c.axes, c.centre[body], c.length)
    return far


@borrowing
def _smooth(c: Chain, n: Now, after: Now, h: float, slack: float) -> bool:
    """Whether speeds after a step are about what the changes before it told."""
    largest, off = 0.0, 0.0
    for body in c.bodies:
        for i in range(6):
            largest = max(largest, abs(n.speed[body, i]), abs(after.speed[body, i]))
            told = n.speed[body, i] + h * n.change[body, i]
            back = after.speed[body, i] - h * after.change[body, i]
            miss = min(abs(after.speed[body, i] - told), abs(n.speed[body, i] - back))
            if not miss <= off:
                off = miss
    return bool(off * h <= BEND * largest * h + slack)


@borrowing
def settle(c: Chain, poses: Array, w: Scratch) -> None:
    """After a step: count turns from here on."""
    t, a, b = c.table, w.a, w.b
    for k in c.turns:
        q = t.term_measure[k]
        compose(poses[t.marker_body[t.marker_a[q]]], t.marker_frame[t.marker_a[q]], a)
        compose(poses[t.marker_body[t.marker_b[q]]], t.marker_frame[t.marker_b[q]], b)
        found = measure(t.kind[q], t.axis_i[q], t.axis_j[q], t.data, a, b, w.wrench)
        t.reference[k] = found - 2 * pi * np.floor((found - t.reference[k] + pi) / (2 * pi))


@apart
@borrowing
def step(
    c: Chain,
    n: Now,
    after: Now,
    kept: Array,
    higher: Array,
    g: Given,
    s: int,
    part: float,
    h: float,
    fine: float,
    stop: float,
    w: Scratch,
) -> tuple[int, float]:
    """One step of h seconds, to a part of the way from state s - 1 to s; `n` is left as it is.

    Args:
        after: written: where it leads; kept: poses like those of n, scratch.
        higher: (2, bodies, 6), third and fourth derivatives, for the prediction.
        fine, stop: residuals to come to and to hold, mm.

    Returns:
        ARRIVED, AT_SINGULAR where it closes but its rates are lost in rounding, else STUCK; and the
        largest residual of the blocks, mm.  `w.pivots` has the pivots there.
    """
    ask(c, g, s, part, w)
    way = _predict(c, n, higher, h, w, after.poses)
    residual, far = close(c, after, kept, w, fine, stop)
    least = least_pivot(w)
    slack = SLACK * least * c.length
    if not (residual <= stop and far <= STRAY * way + slack):
        return STUCK, residual
    if not least >= SINGULAR:
        return AT_SINGULAR, residual
    return ARRIVED if _smooth(c, n, after, h, slack) else STUCK, residual


@borrowing
def least_pivot(w: Scratch) -> float:
    """The smallest pivot of all blocks, in size."""
    least = 1.0
    for p in w.pivots:
        least = min(least, abs(p))
    return least


@borrowing
def enter(c: Chain, n: Now, kept: Array, g: Given, s: int, stop: float, w: Scratch) -> float:
    """Rates at poses that hold at state s; the smallest pivot."""
    ask(c, g, s, 1.0, w)
    settle(c, n.poses, w)
    close(c, n, kept, w, stop, np.inf)
    return least_pivot(w)


@apart
@borrowing
def write(c: Chain, n: Now, s: int, residual: float, w: Scratch, out: Track) -> None:
    """Write a state that holds: spatial twists with the whole of their derivatives."""
    worst = residual
    for e in c.checked:
        left, _ = equation(c.table, n.poses, e, w.bodies, w.wrenches, w.a, w.b, w.wrench)
        worst = max(worst, abs(left))
    out.off[s] = worst
    copy(w.pivots, out.pivots[s])
    a = c.axes
    for q in range(len(c.bodies)):
        body = c.bodies[q]
        copy(n.poses[body], out.poses[s, q])
        spatial(n.poses[body], c.centre[body], n.speed[body], a, c.length, w.point, n.twist[body])
        change, found, p = n.change[body], out.changes[s, q], w.point
        for r in range(3):
            found[3 + r] = change[3] * a[0, r] + change[4] * a[1, r] + change[5] * a[2, r]
            found[3 + r] /= c.length
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            found[r] = change[0] * a[0, r] + change[1] * a[1, r] + change[2] * a[2, r]
            found[r] += n.twist[body, 6 + r] - (found[3 + x] * p[y] - found[3 + y] * p[x])
        for r in range(6):
            out.twists[s, q, r] = n.twist[body, r]


@apart
@borrowing
def take(c: Chain, n: Now, after: Now, w: Scratch) -> None:
    """Go to where a step leads."""
    for body in c.bodies:
        copy(after.speed[body], n.speed[body])
        copy(after.change[body], n.change[body])
        copy(after.poses[body], n.poses[body])
    settle(c, n.poses, w)


@borrowing
def _bend(c: Chain, n: Now, after: Now, h: float, higher: Array) -> None:
    """Third and fourth derivatives after a step of h seconds, from the rates at its two ends."""
    for body in c.bodies:
        for i in range(6):
            v, a = after.speed[body, i], after.change[body, i]
            gained = a - n.change[body, i]
            rest = n.speed[body, i] - v + h * a
            jerk = (6.0 * rest - 2.0 * h * gained) / (h * h)
            higher[0, body, i] = jerk
            higher[1, body, i] = 2.0 * (h * jerk - gained) / (h * h)


@borrowing
def march(
    c: Chain,
    n: Now,
    after: Now,
    kept: Array,
    higher: Array,
    g: Given,
    first: int,
    begin: float,
    last: int,
    fine: float,
    stop: float,
    w: Scratch,
    out: Track,
    trace: Array,
) -> tuple[int, int, float]:
    """Follow a chain from where it is to state `last`.

    Args:
        n: where it is, with rates: `begin` of the way from state first to the next; overwritten.
        after, kept, higher: a point, poses and two further derivatives like those of n, scratch.
        g: what is prescribed; fine, stop: residuals to come to and to hold, mm.
        out: the states after `first` that are reached are written.
        trace: (2, 1 + blocks): time and pivots at the last two points; written.

    Returns:
        ARRIVED, or STUCK or AT_SINGULAR with the state before and the part of the way from there.
    """
    done, part = begin, 1.0 - begin
    _forget(c, higher)
    for s in range(first + 1, last + 1):
        whole, count, residual = g.t[s] - g.t[s - 1], 0, 0.0
        while done < 1.0:
            count += 1
            end = done + part if done + part < 1.0 else 1.0
            h = (end - done) * whole
            status, residual = step(c, n, after, kept, higher, g, s, end, h, fine, stop, w)
            if status != ARRIVED:
                _forget(c, higher)
                part *= 0.5
                if part < SHORTEST:
                    return status, s - 1, done
                continue
            _bend(c, n, after, h, higher)
            take(c, n, after, w)
            done = end
            part = min(2.0 * part, 1.0 - done)
            copy(trace[1], trace[0])
            trace[1, 0] = g.t[s - 1] + done * whole
            copy(w.pivots, trace[1, 1:])
        write(c, n, s, residual, w, out)
        out.substeps[s] = count
        done, part = 0.0, 1.0
    return ARRIVED, last, 0.0


@borrowing
def _forget(c: Chain, higher: Array) -> None:
    """No third and fourth derivatives."""
    for d in range(2):
        for body in c.bodies:
            for i in range(6):
                higher[d, body, i] = 0.0

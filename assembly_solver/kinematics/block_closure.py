"""Closing the blocks of a chain by Newton's method, and computing their rates; compiled.

The inverse at the predicted point closes a block, with guarded rank-one updates where one step is
not enough; the same inverse gives the rates, refined with the Jacobian at the solution.

Source: Haug, Computer Aided Kinematics and Dynamics, equations (4.2.1) to (4.2.3);
docs/theory/motion.md, 4; the update is that of docs/theory/updates.md, 2.
"""

from __future__ import annotations

import numpy as np

from ..equations.table import at_new_poses, copy, displace, equation, gradient, world_point
from ..foundations.jit.decorators import apart, borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.broyden import update_inverse
from ..foundations.numerics.inverse import invert
from ..foundations.types import Array
from .chain_arrays import (
    ALLOWANCE,
    CORRECTIONS,
    GOOD,
    REFINED,
    REFINEMENTS,
    Chain,
    ChainState,
    Scratch,
    Tolerances,
)
from .equation_rates import add_moving, drift, spatial, velocity_terms
from .many_states import close_alone, fits_lists


@borrowing
def _evaluate(c: Chain, k: int, n: ChainState, w: Scratch) -> float:
    """Residuals of a block to `w.f`, its Jacobian to `w.matrix`; the largest residual, mm.

    Contributions of earlier blocks to its rate equations are written to `w.pulled`.
    """
    low, high = c.first[k], c.first[k + 1]
    worst, own = 0.0, w.own
    at_new_poses(w.found)
    for r in range(low, high):
        row = w.matrix[r - low]
        for i in range(high - low):
            row[i] = 0.0
        w.f[r], count = equation(c.table, n.poses, c.rows[r], w.found)
        speed, change = 0.0, 0.0
        for q in range(count):
            body = w.found.bodies[q]
            if body == c.root:
                continue
            columns = c.slot[body]
            world_point(n.poses[body], c.centre[body], w.point)
            gradient(w.found.wrenches[q], w.point, c.axes, c.length, own)
            for i in range(6):
                col = columns[i]
                if low <= col < high:
                    row[col - low] += own[i]
                elif 0 <= col < low:
                    speed += own[i] * n.speed[body][i]
                    change += own[i] * n.change[body][i]
        w.pulled[0][r], w.pulled[1][r] = speed, change
        if not abs(w.f[r]) <= worst:  # true for NaN too
            worst = abs(w.f[r])
    return worst


@borrowing
def _move_bodies(c: Chain, k: int, n: ChainState, w: Scratch, kept: Array) -> float:
    """Move the bodies of a block by `w.step`, poses saved to `kept`; the largest motion, mm."""
    low, high, largest = c.first[k], c.first[k + 1], 0.0
    for q in range(c.first_mover[k], c.first_mover[k + 1]):
        body = c.movers[q]
        copy(n.poses[body], kept[body])
        for i in range(6):
            s = c.slot[body][i]
            w.own[i] = w.step[s] if low <= s < high else 0.0
            largest = max(largest, abs(w.own[i]))
        displace(n.poses[body], w.own, c.axes, c.centre[body], c.length)
    return largest


@borrowing
def _multiply(h: Array, m: int, right: Array, low: int, out: Array) -> None:
    """out = H right, both from index `low` on, H (m, m)."""
    for i in range(m):
        total, row = 0.0, h[i]
        for r in range(m):
            total += row[r] * right[low + r]
        out[low + i] = total


@borrowing
def _close(
    c: Chain,
    k: int,
    n: ChainState,
    kept: Array,
    w: Scratch,
    tolerances: Tolerances,
    farthest: float,
) -> tuple[float, float]:
    """Close one block from a predicted point: residual, and sum of the corrections, mm.

    Residuals are reduced to `fine`, or as far below `closed` as rounding allows; above `closed` the
    block is not closed.  The pivot is that of the solution where a correction may have changed its
    sign.
    """
    low, high = c.first[k], c.first[k + 1]
    m = high - low
    h = w.inverse
    worst = _evaluate(c, k, n, w)
    n.pivots[k] = invert(w.matrix, m, h, w.exchanges)
    far, exact = 0.0, True
    for _ in range(CORRECTIONS):
        if worst <= tolerances.fine:
            break
        _multiply(h, m, w.f, low, w.step)
        for i in range(low, high):
            w.step[i] = -w.step[i]
            w.trial[i] = w.f[i]
        moved = _move_bodies(c, k, n, w, kept)
        after = _evaluate(c, k, n, w)
        if not after < worst:
            if worst <= tolerances.closed and after <= tolerances.closed:
                worst = after
                break
            for q in range(c.first_mover[k], c.first_mover[k + 1]):
                copy(kept[c.movers[q]], n.poses[c.movers[q]])
            if exact:
                break
            _evaluate(c, k, n, w)
            n.pivots[k], exact = invert(w.matrix, m, h, w.exchanges), True
            continue
        far += moved
        if far > farthest:
            return np.inf, far
        good, worst, exact = after <= GOOD * worst, after, False
        if worst > tolerances.fine and good:
            for r in range(low, high):
                w.trial[r] = w.f[r] - w.trial[r]
            update_inverse(h, w.step[low:high], w.trial[low:high], w.pair)
        elif worst > tolerances.closed:
            n.pivots[k], exact = invert(w.matrix, m, h, w.exchanges), True
    if not exact and far > ALLOWANCE * abs(n.pivots[k]) * c.length:
        n.pivots[k] = invert(w.matrix, m, h, w.exchanges)
    return worst, far


@borrowing
def _solve(c: Chain, k: int, n: ChainState, w: Scratch, right: Array, out: Array) -> None:
    """Solve with the last Jacobian of the block by its inverse, refined by residuals."""
    low, high = c.first[k], c.first[k + 1]
    m, top = high - low, 0.0
    h = w.inverse
    for r in range(low, high):
        top = max(top, abs(right[r]))
    _multiply(h, m, right, low, w.step)
    for trial in range(REFINEMENTS + 1):
        left = 0.0
        for r in range(m):
            rest, row = right[low + r], w.matrix[r]
            for i in range(m):
                rest -= row[i] * w.step[low + i]
            w.trial[low + r] = rest
            left = max(left, abs(rest))
        if left <= REFINED * top or trial == REFINEMENTS:
            break
        if trial == REFINEMENTS - 1:
            invert(w.matrix, m, h, w.exchanges)
        _multiply(h, m, w.trial, low, w.f)
        for i in range(low, high):
            w.step[i] += w.f[i]
    for q in range(c.first_mover[k], c.first_mover[k + 1]):
        body = c.movers[q]
        for i in range(6):
            s = c.slot[body][i]
            if low <= s < high:
                out[body][i] = w.step[s]


@borrowing
def _rate(c: Chain, k: int, n: ChainState, w: Scratch) -> None:
    """Rates and accelerations of the unknowns of the block evaluated last."""
    low, high = c.first[k], c.first[k + 1]
    weight = c.table.weight
    for r in range(low, high):
        e = c.rows[r]
        w.right[r] = w.target_rates[e][0] * weight[e] - w.pulled[0][r]
        if len(c.moving):
            w.right[r] -= drift(c, n, e, w)
    _solve(c, k, n, w, w.right, n.speed)
    for q in range(c.first_mover[k], c.first_mover[k + 1]):
        body = c.movers[q]
        spatial(
            n.poses[body], c.centre[body], n.speed[body], c.axes, c.length, w.point, n.twist[body]
        )
    for r in range(low, high):
        e, total = c.rows[r], 0.0
        for x in range(c.table.first_term[e], c.table.first_term[e + 1]):
            q = c.table.term_measure[x]
            ma, mb = c.table.marker_a[q], c.table.marker_b[q]
            va, vb = n.twist[c.table.marker_body[ma]], n.twist[c.table.marker_body[mb]]
            if len(c.moving):
                copy(va, w.va)
                copy(vb, w.vb)
                va, vb = w.va, w.vb
                add_moving(c, n.poses, w.moving, ma, w.a, va)
                add_moving(c, n.poses, w.moving, mb, w.a, vb)
            total += c.table.coefficient[x] * velocity_terms(c.table, q, n.poses, va, vb, w)
        w.right[r] = (w.target_rates[e][1] - total) * weight[e] - w.pulled[1][r]
    _solve(c, k, n, w, w.right, n.change)


@apart
@on_lists(1, 3, where=fits_lists, in_arrays=close_alone)
def close(
    c: Chain, n: ChainState, kept: Array, w: Scratch, tolerances: Tolerances, farthest: float
) -> tuple[float, float]:
    """Close all blocks in order and compute their rates.

    Args:
        n: predicted poses; overwritten, with rates; kept: scratch poses.
        farthest: correction of a block, mm, beyond which it is given up.

    Returns:
        The largest residual, infinite where a block did not close, and the largest correction, mm.
    """
    worst, far = 0.0, 0.0
    for k in range(len(c.first) - 1):
        left, moved = _close(c, k, n, kept, w, tolerances, farthest)
        far = max(far, moved)
        if not left <= tolerances.closed:
            return np.inf, far
        worst = max(worst, left)
        _rate(c, k, n, w)
    return worst, far

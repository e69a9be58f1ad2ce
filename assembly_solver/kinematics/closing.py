"""Closing the blocks of a chain from a predicted point: guarded updates of an inverse; compiled.

Source: the update and its guard are those of `numerics.update`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import borrowing
from ..kernel import copy, displace, equation, gradient, world_point
from ..numerics.linear import invert
from ..numerics.update import update_inverse
from .arrays import Chain, Scratch

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CORRECTIONS = 12
"""Corrections after which a block counts as not closing."""

GOOD = 0.3
"""Reduction of a residual by which a correction has to go on for its inverse to be kept."""


@borrowing
def off(c: Chain, poses: Array, low: int, high: int, w: Scratch, out: Array) -> float:
    """Residuals of some rows of a chain, mm; the largest in size."""
    worst = 0.0
    for r in range(low, high):
        out[r], _ = equation(
            c.table, poses, c.rows[r], w.bodies, w.wrenches, w.a, w.b, w.wrench
        )
        if not abs(out[r]) <= worst:  # also where it is not a number
            worst = abs(out[r])
    return worst


@borrowing
def move_block(c: Chain, k: int, w: Scratch, source: Array, out: Array) -> float:
    """Poses of the bodies of a block after a step of its columns; its largest part, mm."""
    low, high, largest = c.first[k], c.first[k + 1], 0.0
    for n in range(c.first_mover[k], c.first_mover[k + 1]):
        body = c.movers[n]
        for r in range(6):
            s = c.slot[body, r]
            w.own[r] = w.step[s] if low <= s < high else 0.0
            largest = max(largest, abs(w.own[r]))
        copy(source[body], out[body])
        displace(out[body], w.own, c.axes, c.centre[body], c.length)
    return largest


@borrowing
def block_jacobian(c: Chain, k: int, poses: Array, w: Scratch, j: Array) -> None:
    """Derivatives of the rows of a block by its own columns."""
    low, m = c.first[k], c.first[k + 1] - c.first[k]
    for r in range(m):
        for s in range(m):
            j[r, s] = 0.0
        _, count = equation(
            c.table, poses, c.rows[low + r], w.bodies, w.wrenches, w.a, w.b, w.wrench
        )
        for n in range(count):
            body = w.bodies[n]
            world_point(poses[body], c.centre[body], w.point)
            gradient(w.wrenches[n], w.point, c.axes, c.length, w.own)
            for i in range(6):
                s = c.slot[body, i] - low
                if 0 <= s < m:
                    j[r, s] += w.own[i]


@borrowing
def _correct(
    c: Chain, k: int, poses: Array, moved: Array, inverse: Array, w: Scratch, fine: float,
    stop: float,
) -> tuple[float, float]:  # fmt: skip
    """Close one block from a predicted point: residual, and the size of what was corrected, mm.

    `moved` is scratch like `poses`.  Residuals go down to `fine`, or as far as rounding lets them
    below `stop`; one that stays above says that the block did not close.
    """
    low, high = c.first[k], c.first[k + 1]
    m = high - low
    h = inverse[c.first_inverse[k] : c.first_inverse[k + 1]].reshape(m, m)
    worst = off(c, poses, low, high, w, w.f)
    far, exact = 0.0, False
    for _ in range(CORRECTIONS):
        if worst <= fine:
            break
        for i in range(m):
            total = 0.0
            for r in range(m):
                total -= h[i, r] * w.f[low + r]
            w.step[low + i] = total
        way = move_block(c, k, w, poses, moved)
        after = off(c, moved, low, high, w, w.trial)
        better = after < worst
        if not better and (worst <= stop or exact):
            break
        good = after <= GOOD * worst
        if better:
            far += way
            for n in range(c.first_mover[k], c.first_mover[k + 1]):
                copy(moved[c.movers[n]], poses[c.movers[n]])
            for r in range(low, high):
                w.f[r], w.trial[r] = w.trial[r], w.trial[r] - w.f[r]
            worst = after
        if good and worst > fine:
            exact = False
            update_inverse(h, w.step[low:high], w.trial[low:high], w.pair)
        elif worst > stop:
            exact = True
            j = w.matrix[: m * m].reshape(m, m)
            block_jacobian(c, k, poses, w, j)
            invert(j, h)
    return worst, far


@borrowing
def close(
    c: Chain, poses: Array, moved: Array, inverse: Array, w: Scratch, fine: float, stop: float
) -> tuple[float, float]:
    """Close all blocks in their order: the largest residual, and the largest correction, mm."""
    worst, far = 0.0, 0.0
    for k in range(len(c.first) - 1):
        left, way = _correct(c, k, poses, moved, inverse, w, fine, stop)
        far = max(far, way)
        if not left <= stop:
            return np.inf, far
        worst = max(worst, left)
    return worst, far

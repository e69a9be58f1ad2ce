"""Large blocks: damped Gauss-Newton steps by a Cholesky factor over bodies.

The normal matrix of a component has one small dense block a body and one for each two bodies that
share an equation.  Bodies are eliminated in the order of least degree, so a tree costs as much as
it has bodies and a loop little more.  The damping (Levenberg-Marquardt) is also assembly by
minimisation: from far away the step is a descent of the squared residual, near a consistent
solution it becomes a Gauss-Newton step, and directions that no equation touches stay at rest.

Source: Haug, section 4.3 (assembly by minimisation); Nielsen 1999 for the rule of the damping.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import compiled
from .kernel import (
    EXHAUSTED,
    INVERSES,
    ITERATIONS,
    SOLVED,
    STALLED,
    Table,
    copy,
    displace,
    equation,
    gradient,
    residuals,
    world_point,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_DAMPING = 1e-13
"""Damping relative to the largest trace of a block: keeps pivots of free directions positive."""

FREE_DAMPING = 1e-6
"""Damping for each relative residual: rounding must not move free directions, and the steps near
a solution stay quadratic because this falls with the residual."""


class Pattern(NamedTuple):
    """Where the factor of a component has blocks, with bodies in the order of elimination.

    Column k holds the blocks first[k] .. first[k + 1], whose rows are `row`, ascending.  The
    products of column k go to target[first_target[k]] .. : block number, or -1 - k on the diagonal.
    """

    bodies: Ints
    position: Ints
    first: Ints
    row: Ints
    first_target: Ints
    target: Ints


def pattern(bodies: Ints, links: NDArray[np.int64], total: int) -> Pattern:
    """Order the bodies by least degree and find the fill.

    Args:
        bodies: those that move; links: pairs of bodies that share an equation, shape (k, 2).
        total: how many bodies there are in all.
    """
    moving = {int(b) for b in bodies}
    near: dict[int, set[int]] = {b: set() for b in sorted(moving)}
    for a, b in np.asarray(links).tolist():
        if a in moving and b in moving and a != b:
            near[a].add(b)
            near[b].add(a)
    order, columns = _eliminate(near)
    position = np.full(total, -1, np.int64)
    position[order] = np.arange(len(order))
    first, first_target = [0], [0]
    row: list[int] = []
    target: list[int] = []
    place: dict[tuple[int, int], int] = {}
    sorted_columns = [sorted(int(position[b]) for b in c) for c in columns]
    for k, below in enumerate(sorted_columns):
        for i in below:
            place[i, k] = len(row)
            row.append(i)
        first.append(len(row))
    for below in sorted_columns:
        for u, i in enumerate(below):
            for j in below[: u + 1]:
                target.append(-1 - i if i == j else place[i, j])
        first_target.append(len(target))
    return Pattern(
        np.array(order, np.int64),
        position,
        np.array(first, np.int64),
        np.array(row, np.int64),
        np.array(first_target, np.int64),
        np.array(target, np.int64),
    )


def _eliminate(near: dict[int, set[int]]) -> tuple[list[int], list[set[int]]]:
    """Bodies by least degree at their turn, and the neighbours that each still has then."""
    by_degree: dict[int, set[int]] = {}
    for b, n in near.items():
        by_degree.setdefault(len(n), set()).add(b)
    order: list[int] = []
    columns: list[set[int]] = []
    while near:
        least = min(d for d, s in by_degree.items() if s)
        body = min(by_degree[least])
        by_degree[least].discard(body)
        below = near.pop(body)
        order.append(body)
        columns.append(below)
        for b in below:
            by_degree[len(near[b])].discard(b)
            near[b] |= below
            near[b] -= {b, body}
            by_degree.setdefault(len(near[b]), set()).add(b)
    return order, columns


@compiled
def _cholesky(a: Array) -> bool:
    """Lower Cholesky factor of a small matrix in place; False where it is not definite."""
    n = len(a)
    for k in range(n):
        s = a[k, k]
        for j in range(k):
            s -= a[k, j] * a[k, j]
        if not s > 0.0:
            return False
        s = sqrt(s)
        a[k, k] = s
        for i in range(k + 1, n):
            v = a[i, k]
            for j in range(k):
                v -= a[i, j] * a[k, j]
            a[i, k] = v / s
    return True


@compiled
def _factorise(p: Pattern, diagonal: Array, block: Array) -> bool:
    """Cholesky factor of the whole matrix in place."""
    c = diagonal.shape[1]
    for k in range(len(p.bodies)):
        if not _cholesky(diagonal[k]):
            return False
        d = diagonal[k]
        for n in range(p.first[k], p.first[k + 1]):
            b = block[n]
            for i in range(c):
                for j in range(c):
                    v = b[i, j]
                    for s in range(j):
                        v -= b[i, s] * d[j, s]
                    b[i, j] = v / d[j, j]
        place = p.first_target[k]
        for n in range(p.first[k], p.first[k + 1]):
            x = block[n]
            for m in range(p.first[k], n + 1):
                y = block[m]
                goal = p.target[place]
                place += 1
                out = diagonal[-1 - goal] if goal < 0 else block[goal]
                for i in range(c):
                    for j in range(c):
                        v = 0.0
                        for s in range(c):
                            v += x[i, s] * y[j, s]
                        out[i, j] -= v
    return True


@compiled
def _substitute(p: Pattern, diagonal: Array, block: Array, x: Array) -> None:
    """x <- A^-1 x by the factor."""
    c = diagonal.shape[1]
    for k in range(len(p.bodies)):
        d = diagonal[k]
        for i in range(c):
            for j in range(i):
                x[k, i] -= d[i, j] * x[k, j]
            x[k, i] /= d[i, i]
        for n in range(p.first[k], p.first[k + 1]):
            for i in range(c):
                for j in range(c):
                    x[p.row[n], i] -= block[n, i, j] * x[k, j]
    for k in range(len(p.bodies) - 1, -1, -1):
        d = diagonal[k]
        for n in range(p.first[k], p.first[k + 1]):
            for i in range(c):
                for j in range(c):
                    x[k, j] -= block[n, i, j] * x[p.row[n], i]
        for i in range(c - 1, -1, -1):
            for j in range(i + 1, c):
                x[k, i] -= d[j, i] * x[k, j]
            x[k, i] /= d[i, i]


@compiled
def _normal(
    t: Table,
    poses: Array,
    rows: Ints,
    p: Pattern,
    local: Ints,
    axes: Array,
    centre: Array,
    length: float,
    diagonal: Array,
    block: Array,
    slope: Array,
) -> None:
    """Blocks of J^T J and the slope -J^T f at these poses."""
    c = len(local)
    diagonal[:] = 0.0
    block[:] = 0.0
    slope[:] = 0.0
    bodies, wrenches = np.empty(8, np.int64), np.empty((8, 6))
    a, b, w, g = np.empty(12), np.empty(12), np.empty(6), np.empty(6)
    at = np.empty(3)
    rowed = np.empty((8, c))
    for r in range(len(rows)):
        f, count = equation(t, poses, rows[r], bodies, wrenches, a, b, w)
        for n in range(count):
            u = p.position[bodies[n]]
            if u < 0:
                continue
            world_point(poses[bodies[n]], centre[bodies[n]], at)
            gradient(wrenches[n], at, axes, length, g)
            for i in range(c):
                rowed[n, i] = g[local[i]]
            for i in range(c):
                slope[u, i] -= rowed[n, i] * f
                for j in range(c):
                    diagonal[u, i, j] += rowed[n, i] * rowed[n, j]
            for m in range(n):
                v = p.position[bodies[m]]
                if v < 0:
                    continue
                high, low = (n, m) if u > v else (m, n)
                hp, lp = max(u, v), min(u, v)
                place = p.first[lp]
                while p.row[place] != hp:
                    place += 1
                for i in range(c):
                    for j in range(c):
                        block[place, i, j] += rowed[high, i] * rowed[low, j]


@compiled
def solve_sparse(
    t: Table,
    poses: Array,
    rows: Ints,
    p: Pattern,
    local: Ints,
    axes: Array,
    centre: Array,
    length: float,
    tolerance: float,
    iterations: int,
    counts: Ints,
) -> int:
    """Solve a component by damped Gauss-Newton steps; poses are overwritten with the best point.

    Args:
        rows: equations; p: pattern of the bodies that move.
        local: which of the six unknowns every body has: all, or three in a plane.
        tolerance: largest residual that counts as zero, mm.

    Returns:
        SOLVED, STALLED (a stationary point of the squared residual) or EXHAUSTED.
    """
    n, c = len(p.bodies), len(local)
    f = np.empty(len(rows))
    worst = residuals(t, poses, rows, f)
    if worst <= tolerance:
        return SOLVED
    square = np.sum(f * f)
    diagonal, d = np.empty((n, c, c)), np.empty((n, c, c))
    block, b = np.empty((len(p.row), c, c)), np.empty((len(p.row), c, c))
    slope, x = np.empty((n, c)), np.empty((n, c))
    moved = np.empty((len(poses), 12))
    for body in range(len(poses)):
        copy(poses[body], moved[body])
    own = np.zeros(6)
    damping, growth = -1.0, 2.0
    again = True
    largest = 0.0
    small = 0
    for _ in range(iterations):
        counts[ITERATIONS] += 1
        if again:
            _normal(t, poses, rows, p, local, axes, centre, length, diagonal, block, slope)
            largest = 0.0
            for k in range(n):
                trace = 0.0  # the same however the axes stand, unlike a single entry
                for i in range(c):
                    trace += diagonal[k, i, i]
                largest = max(largest, trace)
            if largest == 0.0:
                return STALLED
            if damping < 0.0:
                damping = 1e-4 * largest
            least = (LEAST_DAMPING + FREE_DAMPING * sqrt(square) / length) * largest
            damping = max(damping, least)
        d[:] = diagonal
        b[:] = block
        x[:] = slope
        for k in range(n):
            for i in range(c):
                d[k, i, i] += damping
        counts[INVERSES] += 1
        if not _factorise(p, d, b):
            damping = max(10.0 * damping, 1e-12 * largest)
            again = False
            continue
        _substitute(p, d, b, x)
        promised = 0.0
        for k in range(n):
            for i in range(c):
                own[local[i]] = x[k, i]
                promised += x[k, i] * (damping * x[k, i] + slope[k, i])
            body = p.bodies[k]
            copy(poses[body], moved[body])
            displace(moved[body], own, axes, centre[body], length)
        trial = residuals(t, moved, rows, f)
        after = np.sum(f * f)
        if trial <= tolerance:
            for body in p.bodies:
                copy(moved[body], poses[body])
            return SOLVED
        gain = (square - after) / promised if promised > 0.0 else -1.0
        if gain > 1e-3 and after < square:
            small = small + 1 if square - after < 1e-9 * square else 0
            for body in p.bodies:
                copy(moved[body], poses[body])
            square = after
            factor = 1.0 - (2.0 * gain - 1.0) ** 3
            damping *= max(0.02, factor)
            growth = 2.0
            again = True
            if small > 4:
                return STALLED
        else:
            damping = max(damping * growth, 1e-12 * largest)
            growth *= 2.0
            again = False
            if damping > 1e12 * largest:
                return STALLED
    return EXHAUSTED

"""Solution of a large block: damped Gauss-Newton steps by a sparse Cholesky factor over bodies.

The normal matrix has one small dense block per body and one per pair of bodies that share an
equation.  Bodies are eliminated in the order of least degree: the cost of a tree is linear in its
bodies, that of a loop little more.  With Levenberg-Marquardt damping the step is a descent of the
squared residual far away and a Gauss-Newton step near a consistent solution; directions that no
equation depends on do not move.

Source: Haug, section 4.3 (assembly by minimisation); Nielsen 1999 for the damping rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.numerics.cholesky import cholesky
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from ..model.measures.measure import WIDEST
from .table import (
    EXHAUSTED,
    INVERSES,
    ITERATIONS,
    SOLVED,
    STALLED,
    EquationTable,
    TwistBasis,
    copy,
    displace,
    equation,
    gradient,
    norm,
    residuals,
    world_point,
)

LEAST_DAMPING = ROUNDING / 8.0
"""Damping, relative to the largest trace of a block, that keeps the pivots positive."""

IDLE = 5e-10
"""A setting: relative decrease of the residual that counts as none; five in a row terminate the
descent."""

LEAST_GAIN = 1e-3
"""A setting: the least part of the predicted decrease with which a step is taken."""

FRESH = (-1e-4, 2.0, 0.0)
"""A setting: first state of a descent: minus the damping over the largest trace, growth, idle."""

FREE_DAMPING = 1e-6
"""A setting: damping for each relative residual: rounding must not move free directions, and the
steps near a solution stay quadratic because this falls with the residual."""


class EliminationPattern(NamedTuple):
    """Sparsity of the Cholesky factor, with bodies in the order of elimination.

    Column k has the blocks first[k] .. first[k + 1], whose rows are `row`, ascending.  The products
    of column k are subtracted from target[first_target[k]] .. : a block, or -1 - k on the diagonal.

    Attributes:
        bodies: in the order of elimination; position: of each body in it, -1 for fixed bodies.
    """

    bodies: Ints
    position: Ints
    first: Ints
    row: Ints
    first_target: Ints
    target: Ints


def pattern(bodies: Ints, links: Ints, total: int) -> EliminationPattern:
    """Elimination order by least degree, and the fill.

    Args:
        bodies: those that move; links: pairs of bodies that share an equation, shape (k, 2).
        total: number of all bodies.
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
    row, target = list[int](), list[int]()
    block: dict[tuple[int, int], int] = {}
    sorted_columns = [sorted(int(position[b]) for b in c) for c in columns]
    for k, below in enumerate(sorted_columns):
        for i in below:
            block[i, k] = len(row)
            row.append(i)
        first.append(len(row))
    for below in sorted_columns:
        for u, i in enumerate(below):
            for j in below[: u + 1]:
                target.append(-1 - i if i == j else block[i, j])
        first_target.append(len(target))
    arrays = (np.array(x, np.int64) for x in (order, position, first, row, first_target, target))
    return EliminationPattern(*arrays)


def _eliminate(near: dict[int, set[int]]) -> tuple[list[int], list[set[int]]]:
    """Bodies in the order of least degree, and the neighbours of each when it is eliminated."""
    by_degree: dict[int, set[int]] = {}
    for b, n in near.items():
        by_degree.setdefault(len(n), set()).add(b)
    order, columns = list[int](), list[set[int]]()
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


class NormalEquations(NamedTuple):
    """J^T J by blocks of c unknowns, and the slope -J^T f, in the order of elimination.

    Attributes:
        diagonal: shape (bodies, c, c); block: off the diagonal, shape (blocks, c, c).
        slope: shape (bodies, c).
    """

    diagonal: Array
    block: Array
    slope: Array


class SparseBlock(NamedTuple):
    """Equations that are solved together, and their unknowns.

    Attributes:
        rows: the equations; pattern: of the bodies that move.
        unknowns: SPACE or PLANE, those of every body; basis: their meaning.
    """

    rows: Ints
    pattern: EliminationPattern
    unknowns: Ints
    basis: TwistBasis


@borrowing
def factorise(p: EliminationPattern, diagonal: Array, block: Array) -> bool:
    """Cholesky factor of a block matrix in place; False where it is not positive definite."""
    c = diagonal.shape[1]
    for k in range(len(p.bodies)):
        if not cholesky(diagonal[k]):
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
        product = p.first_target[k]
        for n in range(p.first[k], p.first[k + 1]):
            x = block[n]
            for m in range(p.first[k], n + 1):
                y = block[m]
                goal = p.target[product]
                product += 1
                out = diagonal[-1 - goal] if goal < 0 else block[goal]
                for i in range(c):
                    for j in range(c):
                        v = 0.0
                        for s in range(c):
                            v += x[i, s] * y[j, s]
                        out[i, j] -= v
    return True


@borrowing
def substitute(p: EliminationPattern, diagonal: Array, block: Array, x: Array) -> None:
    """x <- A^-1 x by the factor of `factorise`; x has shape (bodies, c)."""
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
def normal_matrix(
    t: EquationTable, poses: Array, sparse: SparseBlock, normal: NormalEquations
) -> float:
    """Normal equations at poses of shape (all bodies, 12), into `normal`; the largest residual."""
    rows, p, unknowns, c = sparse.rows, sparse.pattern, sparse.unknowns, len(sparse.unknowns)
    axes, centre, length = sparse.basis.axes, sparse.basis.centre, sparse.basis.length
    diagonal, block, slope = normal.diagonal, normal.block, normal.slope
    diagonal[:] = 0.0
    block[:] = 0.0
    slope[:] = 0.0
    bodies, wrenches = np.empty(WIDEST, np.int64), np.empty((WIDEST, 6))
    a, b, w, g = np.empty(12), np.empty(12), np.empty(6), np.empty(6)
    at = np.empty(3)
    derivative, worst = np.empty((WIDEST, c)), 0.0
    for r in range(len(rows)):
        f, count = equation(t, poses, rows[r], bodies, wrenches, a, b, w)
        worst = max(worst, abs(f))
        for n in range(count):
            u = p.position[bodies[n]]
            if u < 0:
                continue
            world_point(poses[bodies[n]], centre[bodies[n]], at)
            gradient(wrenches[n], at, axes, length, g)
            for i in range(c):
                derivative[n, i] = g[unknowns[i]]
            for i in range(c):
                slope[u, i] -= derivative[n, i] * f
                for j in range(c):
                    diagonal[u, i, j] += derivative[n, i] * derivative[n, j]
            for m in range(n):
                v = p.position[bodies[m]]
                if v < 0:
                    continue
                high, low = (n, m) if u > v else (m, n)
                hp, lp = max(u, v), min(u, v)
                entry = p.first[lp]
                while p.row[entry] != hp:
                    entry += 1
                for i in range(c):
                    for j in range(c):
                        block[entry, i, j] += derivative[high, i] * derivative[low, j]
    return worst


@borrowing
def damped_step(
    p: EliminationPattern, normal: NormalEquations, damping: float, d: Array, b: Array, x: Array
) -> float:
    """x = (J^T J + damping)^-1 slope; the predicted reduction, or -1 without a factor.

    `d` and `b` are scratch of the shapes of `diagonal` and `block`.
    """
    diagonal, block, slope = normal.diagonal, normal.block, normal.slope
    n, c = x.shape
    for k in range(n):
        for i in range(c):
            x[k, i] = slope[k, i]
            for j in range(c):
                d[k, i, j] = diagonal[k, i, j]
            d[k, i, i] += damping
    for k in range(len(block)):
        for i in range(c):
            for j in range(c):
                b[k, i, j] = block[k, i, j]
    if not factorise(p, d, b):
        return -1.0
    substitute(p, d, b, x)
    predicted = 0.0
    for k in range(n):
        for i in range(c):
            predicted += x[k, i] * (damping * x[k, i] + slope[k, i])
    return predicted


@compiled
def move_bodies(poses: Array, sparse: SparseBlock, x: Array, moved: Array) -> None:
    """Poses after a step x of every body of the pattern, into `moved`."""
    bodies, unknowns = sparse.pattern.bodies, sparse.unknowns
    axes, centre, length = sparse.basis.axes, sparse.basis.centre, sparse.basis.length
    twist = np.zeros(6)
    for k in range(len(bodies)):
        for i in range(len(unknowns)):
            twist[unknowns[i]] = x[k, i]
        body = bodies[k]
        copy(poses[body], moved[body])
        displace(moved[body], twist, axes, centre[body], length)


@borrowing
def largest_trace(diagonal: Array) -> float:
    """The largest trace of a block: independent of the axes, unlike a single entry."""
    largest = 0.0
    for k in range(len(diagonal)):
        trace = 0.0
        for i in range(diagonal.shape[1]):
            trace += diagonal[k, i, i]
        largest = max(largest, trace)
    return largest


@apart
@compiled
# Long: one loop; every step of it reads and writes most of the state.
def solve_sparse(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    tolerance: float,
    iterations: int,
    state: Array,
    counts: Ints,
) -> int:
    """Solve a block by damped Gauss-Newton steps.

    Args:
        poses: start, shape (all bodies, 12); overwritten with the best point found.
        tolerance: largest residual that counts as zero, mm.
        state: damping, growth and idle steps, `FRESH` at first; overwritten, so that an EXHAUSTED
            descent continues with the result of an uninterrupted one.
        counts: ITERATIONS and INVERSES are increased.

    Returns:
        SOLVED, STALLED (a stationary point of the squared residual) or EXHAUSTED.
    """
    rows, p = sparse.rows, sparse.pattern
    n, c, links = len(p.bodies), len(sparse.unknowns), len(p.row)
    f = np.empty(len(rows))
    if residuals(t, poses, rows, f) <= tolerance:
        return SOLVED
    normal = NormalEquations(np.empty((n, c, c)), np.empty((links, c, c)), np.empty((n, c)))
    d, b, x = np.empty((n, c, c)), np.empty((links, c, c)), np.empty((n, c))
    moved = poses.copy()
    before, damping, growth, largest, idle = norm(f), state[0], state[1], 0.0, state[2]
    again = True
    for _ in range(iterations):
        counts[ITERATIONS] += 1
        counts[INVERSES] += 1
        if again:
            normal_matrix(t, poses, sparse, normal)
            largest = largest_trace(normal.diagonal)
            least = (LEAST_DAMPING + FREE_DAMPING * before / sparse.basis.length) * largest
            damping = max(damping, least) if damping >= 0.0 else -damping * largest
        predicted = damped_step(p, normal, damping, d, b, x)
        move_bodies(poses, sparse, x, moved)
        worst = residuals(t, moved, rows, f)
        after = norm(f)
        gain = (before * before - after * after) / predicted if predicted > 0.0 else -1.0
        again = worst <= tolerance or (gain > LEAST_GAIN and after < before)
        if again:
            for body in p.bodies:
                copy(moved[body], poses[body])
            if worst <= tolerance:
                return SOLVED
            idle = idle + 1.0 if before - after < IDLE * before else 0.0
            before, growth = after, 2.0
            damping *= max(0.02, 1.0 - (2.0 * gain - 1.0) ** 3)
        else:
            damping = max(damping * growth, ROUNDING * largest)
            growth *= 2.0
        if idle > 4 or not damping <= 1e12 * largest:
            return STALLED
    state[0], state[1], state[2] = damping, growth, idle
    return EXHAUSTED

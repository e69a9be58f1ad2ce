"""Solution of a large block: damped Gauss-Newton steps by a sparse Cholesky factor over bodies.

The normal matrix has one small dense block per body and one per pair of bodies that share an
equation.  Bodies are eliminated in the order of least degree: the cost of a tree is linear in its
bodies, that of a loop little more.  With Levenberg-Marquardt damping the step is a descent of the
squared residual far away and a Gauss-Newton step near a consistent solution; directions that no
equation depends on do not move.

Source: Haug, section 4.3 (assembly by minimisation); Nielsen 1999 for the damping rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled, sized, spread
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from .dense_block import STATIONARY
from .elimination import EliminationPattern, factorise, substitute
from .table import (
    EXHAUSTED,
    INVERSES,
    ITERATIONS,
    PLANE,
    SOLVED,
    SPACE,
    STALLED,
    EquationTable,
    EvaluatedEquation,
    TwistBasis,
    are_many,
    at_new_poses,
    clear,
    copy,
    displace,
    equation,
    evaluated_equation,
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


class NormalEquations(NamedTuple):
    """J^T J by blocks of c unknowns, and the slope -J^T f, in the order of elimination.

    Attributes:
        diagonal: shape (bodies, c, c), lower triangles; block: off it, shape (blocks, c, c).
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


def _accumulator(c: int) -> Callable[..., None]:
    """`_add_products` for blocks of c unknowns."""

    def add_products(
        p: EliminationPattern,
        f: float,
        at: Ints,
        count: int,
        derivative: Array,
        normal: NormalEquations,
    ) -> None:
        for n in range(count):
            u, own = at[n], derivative[n]
            if u < 0:
                continue
            diagonal, slope = normal.diagonal[u], normal.slope[u]
            for i in range(c):
                of_i, row = own[i], diagonal[i]
                slope[i] -= of_i * f
                for j in range(i + 1):
                    row[j] += of_i * own[j]
            for m in range(n):
                v = at[m]
                if v < 0:
                    continue
                high, low = (own, derivative[m]) if u > v else (derivative[m], own)
                entry, last = p.first[min(u, v)], max(u, v)
                while p.row[entry] != last:
                    entry += 1
                block = normal.block[entry]
                for i in range(c):
                    of_i, row = high[i], block[i]
                    for j in range(c):
                        row[j] += of_i * low[j]

    return sized(add_products, c)


_add_products_plane, _add_products_space = (_accumulator(len(u)) for u in (PLANE, SPACE))


def _are_many(t: EquationTable, poses: Array, sparse: SparseBlock, *_: Any) -> bool:
    return are_many(t, poses, sparse.rows)


@on_lists(3, 4, where=_are_many)
def write_normal_matrix(
    t: EquationTable,
    poses: Array,
    sparse: SparseBlock,
    normal: NormalEquations,
    found: EvaluatedEquation,
) -> float:
    """Normal equations at poses of shape (all bodies, 12), into `normal`; the largest residual.

    Of the blocks on the diagonal only the lower triangles are written.
    """
    p, unknowns, basis, worst = sparse.pattern, sparse.unknowns, sparse.basis, 0.0
    at, derivative = found.position, found.slopes
    clear(normal.slope)
    for matrix in normal.diagonal:
        clear(matrix)
    for matrix in normal.block:
        clear(matrix)
    at_new_poses(found)
    for r in range(len(sparse.rows)):
        f, count = equation(t, poses, sparse.rows[r], found)
        worst = max(worst, abs(f))
        for n in range(count):
            body = found.bodies[n]
            at[n] = p.position[body]
            if at[n] < 0:
                continue
            world_point(poses[body], basis.centre[body], found.middle)
            gradient(found.wrenches[n], found.middle, basis.axes, basis.length, found.slope)
            own = derivative[n]
            for i in range(len(unknowns)):
                own[i] = found.slope[unknowns[i]]
        if len(unknowns) == 3:
            _add_products_plane(p, f, at, count, derivative, normal)
        else:
            _add_products_space(p, f, at, count, derivative, normal)
    return worst


@compiled
def normal_matrix(
    t: EquationTable, poses: Array, sparse: SparseBlock, normal: NormalEquations
) -> float:
    """The same; functions that create arrays count references to them at every call."""
    return write_normal_matrix(t, poses, sparse, normal, evaluated_equation())


@on_lists(3, 4, 5)
def damped_step(
    p: EliminationPattern, normal: NormalEquations, damping: float, d: Array, b: Array, x: Array
) -> float:
    """x = (J^T J + damping)^-1 slope; the predicted reduction, or -1 without a factor.

    `d` and `b` are scratch of the shapes of `diagonal` and `block`.
    """
    diagonal, block, slope = normal.diagonal, normal.block, normal.slope
    for k in range(len(x)):
        copy(slope[k], x[k])
        for i in range(len(x[k])):
            copy(diagonal[k][i], d[k][i])
            d[k][i][i] += damping
    for k in range(len(block)):
        for i in range(len(block[k])):
            copy(block[k][i], b[k][i])
    if not factorise(p, d, b):
        return -1.0
    substitute(p, d, b, x)
    predicted = 0.0
    for k in range(len(x)):
        step, down = x[k], slope[k]
        for i in range(len(step)):
            predicted += step[i] * (damping * step[i] + down[i])
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


@spread
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
            over = 2.0 * gain - 1.0
            damping *= max(0.02, 1.0 - over * over * over)
        else:
            if 0.0 <= predicted <= STATIONARY * before * before:
                return STALLED  # a shorter step would reduce the residual by less
            damping = max(damping * growth, ROUNDING * largest)
            growth *= 2.0
        if idle > 4 or not damping <= 1e12 * largest:
            return STALLED
    state[0], state[1], state[2] = damping, growth, idle
    return EXHAUSTED


@apart
@compiled
def solve_each(
    t: EquationTable,
    poses: Array,
    weights: Array,
    sparse: SparseBlock,
    tolerance: float,
    iterations: int,
    state: Array,
    status: Ints,
    norms: Array,
) -> None:
    """`solve_sparse` from many starts, one after the other.

    Args:
        t: its weights are overwritten; poses: of each start, shape (starts, all bodies, 12).
        weights: of the equations for each start, shape (starts, equations).
        state: of each descent, shape (starts, 3).
        status: of each descent; only those that are EXHAUSTED go on; overwritten.
        norms: of the residuals, mm, shape (2, starts), before and after; overwritten for those.
    """
    f, counts = np.empty(len(sparse.rows)), np.zeros(5, np.int64)
    for k in range(len(poses)):
        if status[k] != EXHAUSTED:
            continue
        copy(weights[k], t.weight)
        residuals(t, poses[k], sparse.rows, f)
        norms[0, k] = norm(f)
        status[k] = solve_sparse(t, poses[k], sparse, tolerance, iterations, state[k], counts)
        residuals(t, poses[k], sparse.rows, f)
        norms[1, k] = norm(f)

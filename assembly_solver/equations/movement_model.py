"""The quadratic model of the movement on the constraints, and its step in a trust region.

The Hessian is that of the Lagrangian, by differences of its slope; the step lessens the model by
conjugate gradients in the null space of the equations.

Sources: docs/theory/least_movement.md, 4; T. Steihaug, The conjugate gradient method and trust
regions in large scale optimization, SIAM Journal on Numerical Analysis 20 (1983), 626-637.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.jit.decorators import borrowing, compiled
from ..foundations.numerics.anderson import inner_product
from ..foundations.numerics.rounding import FAINT, FOURTH
from ..foundations.types import Array
from .closed_form import Cloud
from .elimination import substitute
from .movement import (
    MovementSettings,
    MovementWork,
    factorised,
    step_of_two_solves,
    weighted_movement,
)
from .sparse_block import SparseBlock, write_normal_matrix
from .table import EquationTable, at_new_poses, copy, displace, equation, gradient, world_point

FIRST = 0.5
"""Share of the step without curvature that is trusted at first."""

DIRECTIONS = 60
"""Most conjugate directions of one step."""

INEXACT, EXACT = 0.1, FOURTH
"""Parts of the slope that a step may leave, and below which differences are noise: less is left
near the end, where steps converge faster."""

CLEAR = FOURTH
"""Negative curvature, relative to that of the movement without constraints, at which no descent
ends: smaller ones may be those of features that are a little off."""


class ModelWork(NamedTuple):
    """Arrays of the model of n bodies with c unknowns and r equations.

    Attributes:
        multiplier: of the equations, mm, (r,).
        slope: half the slope of the Lagrangian, (n, c).
        residue, direction, step: of the conjugate gradients, (n, c).
        near: h, g and trial are arrays of its own, for half the slope of the Lagrangian nearby.
        region: its radius, mm, the root of a squared movement; 0 at first, (1,).
    """

    multiplier: Array
    slope: Array
    residue: Array
    direction: Array
    step: Array
    near: MovementWork
    region: Array


class ModelStep(NamedTuple):
    """What the quadratic model says of its step.

    Attributes:
        fall: half of that of the squared movement, mm^2.
        slope: square of the step without curvature, mm^2; length: that of this step.
        over: whether it goes along a direction of clearly negative curvature.
    """

    fall: float
    slope: float
    length: float
    over: bool


@compiled
def model_work(rows: int, w: MovementWork, near: Array) -> ModelWork:
    """Arrays for the model of so many equations; `near` is that of poses nearby."""
    nearby = MovementWork(
        w.normal, np.empty_like(w.h), np.empty_like(w.g), w.x, near, w.memory, w.found, w.curvature
    )
    slope, residue = np.empty_like(w.g), np.empty_like(w.g)
    direction, step = np.empty_like(w.g), np.empty_like(w.g)
    return ModelWork(np.empty(rows), slope, residue, direction, step, nearby, np.zeros(1))


@borrowing
def _write_multipliers(
    t: EquationTable, sparse: SparseBlock, mu: float, w: MovementWork, out: Array
) -> None:
    """The multipliers at `w.trial`: the first solve, whose step is `w.x`, leaves mu times those."""
    p, unknowns, basis, found = sparse.pattern, sparse.unknowns, sparse.basis, w.found
    at_new_poses(found)
    for r in range(len(sparse.rows)):
        left, count = equation(t, w.trial, sparse.rows[r], found)
        for n in range(count):
            body = found.bodies[n]
            k = p.position[body]
            if k < 0:
                continue
            world_point(w.trial[body], basis.centre[body], found.middle)
            gradient(found.wrenches[n], found.middle, basis.axes, basis.length, found.slope)
            for i in range(len(unknowns)):
                left += w.x[k, i] * found.slope[unknowns[i]]
        out[r] = left / mu


@borrowing
def _lagrangian_slope(
    t: EquationTable, sparse: SparseBlock, c: Cloud, multiplier: Array, w: MovementWork
) -> None:
    """Half the slope of the Lagrangian at `w.trial`, into `w.g`."""
    p, unknowns, basis, found = sparse.pattern, sparse.unknowns, sparse.basis, w.found
    weighted_movement(sparse, c, 1.0, w)
    at_new_poses(found)
    for r in range(len(sparse.rows)):
        _, count = equation(t, w.trial, sparse.rows[r], found)
        for n in range(count):
            body = found.bodies[n]
            k = p.position[body]
            if k < 0:
                continue
            world_point(w.trial[body], basis.centre[body], found.middle)
            gradient(found.wrenches[n], found.middle, basis.axes, basis.length, found.slope)
            for i in range(len(unknowns)):
                w.g[k, i] += multiplier[r] * found.slope[unknowns[i]]


@borrowing
def _move_near(sparse: SparseBlock, w: MovementWork, x: Array, factor: float, to: Array) -> None:
    """Poses after a multiple of a step from `w.trial`, into `to`."""
    unknowns, bodies, basis, twist = sparse.unknowns, sparse.pattern.bodies, sparse.basis, w.found.b
    for k in range(len(x)):
        for i in range(6):
            twist[i] = 0.0
        for i in range(len(unknowns)):
            twist[unknowns[i]] = factor * x[k, i]
        copy(w.trial[bodies[k]], to[bodies[k]])
        displace(to[bodies[k]], twist, basis.axes, basis.centre[bodies[k]], basis.length)


@borrowing
def _down(sparse: SparseBlock, mu: float, slope: Array, w: MovementWork) -> None:
    """The step along a slope in the null space, in the metric of the features, into `w.x`."""
    for k in range(len(slope)):
        for i in range(slope.shape[1]):
            w.x[k, i] = mu * slope[k, i]
            w.normal.slope[k, i] = 0.0
    step_of_two_solves(sparse.pattern, w)


@borrowing
def _add(a: Array, factor: float, x: Array) -> None:
    """a += factor x."""
    for k in range(len(a)):
        for i in range(a.shape[1]):
            a[k, i] += factor * x[k, i]


@borrowing
def _next_direction(direction: Array, factor: float, w: MovementWork) -> None:
    """The next direction: the step down, and a share of the direction before."""
    for k in range(len(direction)):
        for i in range(direction.shape[1]):
            direction[k, i] = factor * direction[k, i] - w.x[k, i]


@borrowing
def _curvature(
    t: EquationTable, sparse: SparseBlock, c: Cloud, m: ModelWork, w: MovementWork
) -> float:
    """Curvature along the direction; that by all unknowns into `m.near.g`."""
    d, g = m.direction, m.near.g
    size = FAINT * sparse.basis.length / sqrt(inner_product(d, d))
    _move_near(sparse, w, d, size, m.near.trial)
    _lagrangian_slope(t, sparse, c, m.multiplier, m.near)
    for k in range(len(d)):
        for i in range(d.shape[1]):
            g[k, i] = (g[k, i] - m.slope[k, i]) / size
    return inner_product(d, g)


@borrowing
# Long: one loop; the products that each round needs are those of the round before.
def model_step(
    t: EquationTable,
    sparse: SparseBlock,
    c: Cloud,
    mu: float,
    now: float,
    m: ModelWork,
    w: MovementWork,
) -> ModelStep:
    """Write the step into `m.step`."""
    for k in range(len(m.step)):
        for i in range(m.step.shape[1]):
            m.step[k, i], m.direction[k, i] = 0.0, 0.0
            m.residue[k, i] = m.slope[k, i]
    _down(sparse, mu, m.residue, w)
    _next_direction(m.direction, 0.0, w)
    first = squared = size = max(inner_product(m.residue, w.x), 0.0)
    if m.region[0] == 0.0:
        m.region[0] = FIRST * sqrt(first)
    wide, along, length, fall = m.region[0] * m.region[0], 0.0, 0.0, 0.0
    left = sqrt(first / now) if now > 0.0 else INEXACT
    left = max(EXACT, min(INEXACT, left))
    ending = left * left * first
    for _ in range(DIRECTIONS):
        if not squared > ending:
            break
        curvature = _curvature(t, sparse, c, m, w)
        share = squared / curvature if curvature > FAINT * size else np.inf
        if length + share * (2.0 * along + share * size) >= wide:
            share = (sqrt(along * along + size * (wide - length)) - along) / size
            _add(m.step, share, m.direction)
            fall += share * (squared - 0.5 * share * curvature)
            return ModelStep(fall, first, wide, curvature < -CLEAR * size)
        _add(m.step, share, m.direction)
        _add(m.residue, share, m.near.g)
        fall += 0.5 * share * squared
        length += share * (2.0 * along + share * size)
        _down(sparse, mu, m.residue, w)
        before, squared = squared, max(inner_product(m.residue, w.x), 0.0)
        factor = squared / before
        along = factor * (along + share * size)
        size = squared + factor * factor * size
        _next_direction(m.direction, factor, w)
    return ModelStep(fall, first, length, False)


@borrowing
def write_model(
    t: EquationTable,
    sparse: SparseBlock,
    c: Cloud,
    settings: MovementSettings,
    m: ModelWork,
    w: MovementWork,
) -> float:
    """The factor, the multipliers and the slope at `w.trial`; mu, 0 without a factor."""
    worst = write_normal_matrix(t, w.trial, sparse, w.normal, w.found)
    mu = factorised(sparse, c, settings.weight, worst, w)
    if mu > 0.0:
        for k in range(len(w.x)):
            for i in range(w.x.shape[1]):
                w.x[k, i] = w.normal.slope[k, i] - w.g[k, i]
        substitute(sparse.pattern, w.normal.diagonal, w.normal.block, w.x)
        _write_multipliers(t, sparse, mu, w, m.multiplier)
        for body in sparse.pattern.bodies:
            copy(w.trial[body], m.near.trial[body])
        _lagrangian_slope(t, sparse, c, m.multiplier, m.near)
        for k in range(len(w.x)):
            copy(m.near.g[k], m.slope[k])
    return mu

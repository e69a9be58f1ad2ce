"""The linear motion of a drag towards a target that is out of reach.

A Gauss-Newton step overshoots, or creeps, where a distance remains: how the way curves counts then.
This is Newton's step for the distance: the pull is a soft spring from the grip to its target, and
the joints that bear the rest of it add to the stiffness (`load_stiffness`).

Source: docs/theory/motion.md, 9.
"""

from __future__ import annotations

from math import sqrt, tan

import numpy as np

from ...equations.elimination import factorise, substitute
from ...equations.sparse_block import NormalEquations
from ...foundations.jit.decorators import compiled
from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array
from .affected import DragSystem
from .at_once import solved_at_once, stiffness_at_once
from .compliance import FRICTION, MOST_AT_ONCE, STAY, TWIST, Response, assemble
from .load_stiffness import add_load_stiffness, load_stiffness_at_once

SPRING = 1e-7
"""Stiffness of the pull, relative to that of a joint: far from it, and from that of a freedom."""

REACHED = 0.05
"""Share of an error that may remain for a target to count as one within reach."""


@compiled
def _rest(s: DragSystem, body: int, response: Response, e: Array, x: Array, rest: Array) -> float:
    """The error that a motion leaves, (pulls,), to `rest`; the share of it that this is."""
    own, before, after = s.moving.pattern.position[body], 0.0, 0.0
    for i in range(len(rest)):
        f = e[i] * (1.0 if i < 3 else TWIST)
        rest[i] = f
        for j in range(6):
            rest[i] -= response.rows[i, j] * x[own, j]
        before += f * f
        after += rest[i] * rest[i]
    return sqrt(after / before) if before > 0.0 else 0.0


@compiled
def _pull_stiffness(s: DragSystem, rest: Array, rows: Array, e: Array, out: Array) -> None:
    """Second derivatives of half the squared error by the unknowns of the body, (6, 6)."""
    length, m = s.basis.length, len(rest)
    arm, t = np.empty(3), np.empty(3)
    for i in range(3):
        u, v = (i + 1) % 3, (i + 2) % 3
        arm[v], t[i] = length * rows[i, 3 + u], e[3 + i] / length
    for i in range(6):
        for j in range(6):
            out[i, j] = 0.0
            for k in range(m):
                out[i, j] += rows[k, i] * rows[k, j]
    along = rest[0] * arm[0] + rest[1] * arm[1] + rest[2] * arm[2]
    angle = sqrt(t[0] ** 2 + t[1] ** 2 + t[2] ** 2)
    less = 0.0  # axes away from theirs by an angle: less stiff about those across its axis
    if m > 3 and angle > FAINT:
        less = TWIST**2 * (1.0 - 0.5 * angle / tan(0.5 * angle)) / angle**2
    for i in range(3):
        out[3 + i, 3 + i] += along / length**2 - less * angle**2
        for j in range(3):
            both = rest[i] * arm[j] + rest[j] * arm[i]
            out[3 + i, 3 + j] += less * t[i] * t[j] - 0.5 * both / length**2


@compiled
def _wanted(s: DragSystem, body: int, response: Response, x: Array, out: Array) -> None:
    """The spring's force for the motion that x would make of the grip, on all bodies, to `out`."""
    own, rows = s.moving.pattern.position[body], response.rows
    out[:] = 0.0
    for k in range(len(response.motions)):
        way = 0.0
        for j in range(6):
            way += rows[k, j] * x[own, j]
        for j in range(6):
            out[own, j] += SPRING * rows[k, j] * way


def _newton(s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array) -> bool:
    """Newton's step for the distance of a target out of reach.

    Args:
        response: at these poses, (bodies, 12), world; e: error of the grip and axes, (6,).
        x: linear motion towards the target by `pull`, (bodies, 6), mm; overwritten, unless the
            target is within reach or the distance has no minimum in these directions.

    Returns:
        Whether the target is out of reach.
    """
    p, m = s.moving.pattern, len(response.motions)
    rest, load, pull = np.empty(m), np.zeros_like(x), np.empty((6, 6))
    if _rest(s, body, response, e, x, rest) < REACHED:
        return False
    for k in range(m):
        for n in range(len(x)):
            for i in range(6):
                load[n, i] += rest[k] * response.motions[k, n, i]
    blocks = np.empty((len(p.row), 6, 6))
    matrix = NormalEquations(np.empty((len(x), 6, 6)), blocks, np.empty((len(x), 6)))
    assemble(s, poses, matrix)
    add_load_stiffness(s, poses, load, SPRING, matrix)
    _pull_stiffness(s, rest, response.rows, e, pull)
    for i in range(6):
        for j in range(6):
            matrix.diagonal[p.position[body], i, j] += SPRING * pull[i, j]
    if factorise(p, matrix.diagonal, matrix.block):
        _wanted(s, body, response, x, load)
        x[:] = load
        substitute(p, matrix.diagonal, matrix.block, x)
    return True


def _newton_at_once(
    s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array
) -> bool:
    n, own, m = len(x), s.moving.pattern.position[body], len(response.motions)
    if n > MOST_AT_ONCE:
        return _newton(s, poses, body, response, e, x)
    rest, force, pull = np.empty(m), np.empty_like(x), np.empty((6, 6))
    if _rest(s, body, response, e, x, rest) < REACHED:
        return False
    _pull_stiffness(s, rest, response.rows, e, pull)
    added = load_stiffness_at_once(s, poses, np.tensordot(rest, response.motions, 1))
    added[6 * own : 6 * own + 6, 6 * own : 6 * own + 6] += pull
    matrix = stiffness_at_once(s, poses, (FRICTION, STAY)) + SPRING * added
    try:
        low = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return True
    _wanted(s, body, response, x, force)
    x[:] = solved_at_once(low, force.ravel()).reshape(n, 6)
    return True


newton = compiled(_newton, _newton_at_once)

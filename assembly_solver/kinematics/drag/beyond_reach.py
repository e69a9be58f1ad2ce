"""The linear motion of a drag towards a target that is out of reach.

A Gauss-Newton step overshoots, or creeps, where a distance remains: how the way curves counts then.
This is Newton's step for the distance: the pull is a soft spring from the grip to its target, and
the joints that bear the rest of it add to the stiffness (`load_stiffness`).

Source: docs/theory/motion.md, 9.
"""

from __future__ import annotations

from math import sqrt, tan

import numpy as np

from ...equations.elimination import EliminationPattern, factorise, substitute
from ...equations.sparse_block import NormalEquations
from ...foundations.jit.decorators import compiled
from ...foundations.numerics.rounding import FAINT, TINY
from ...foundations.types import Array
from .affected import DragSystem
from .at_once import factorised_at_once, solved_at_once, stiffness_at_once
from .compliance import FRICTION, MOST_AT_ONCE, SPRING, STAY, TWIST, Response, assemble
from .load_stiffness import add_load_stiffness, load_stiffness_at_once

FAR = 10.0
"""Times an error from which a motion by which it is reached is one in a direction that hardly moves
the grip: it is no linear one."""

TURNS = 24
"""Rounds of the iteration for a motion along which the distance falls to second order."""

REACHABLE, BEYOND, BENT = range(3)
"""Whether a target is within reach or not, or the distance has no minimum nearby that way."""

REACHED = 0.05
"""Share of an error that may remain for a target to count as one within reach."""


@compiled
def _is_reached(response: Response, own: int, e: Array, x: Array, way: Array) -> bool:
    """Whether linear motions x, none of them far, lead to the target.

    Args:
        own: position of the body; way: the motion of grip and axes by x, (pulls,), written.
    """
    before, after, size = 0.0, 0.0, 0.0
    for i in range(len(way)):
        way[i] = 0.0
        for j in range(6):
            way[i] += response.rows[i, j] * x[own, j]
        f = e[i] * (1.0 if i < 3 else TWIST)
        before += f * f
        after += (f - way[i]) ** 2
    for n in range(len(x)):
        for i in range(6):
            size = max(size, abs(x[n, i]))
    return after <= REACHED**2 * before and size <= FAR * sqrt(before)


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
def _add_bending(
    s: DragSystem, poses: Array, own: int, response: Response, e: Array, matrix: NormalEquations
) -> None:
    """Add how the way of the grip curves under the pull that a soft spring leaves to a matrix."""
    m = len(response.motions)
    rest, load, pull = np.zeros(m), np.zeros(response.motions.shape[1:]), np.empty((6, 6))
    for i in range(m):
        for j in range(m):
            rest[i] += response.left[i, j] * e[j] * (1.0 if j < 3 else TWIST)
        load += rest[i] * response.motions[i]
    add_load_stiffness(s, poses, load, SPRING, matrix)
    _pull_stiffness(s, rest, response.rows, e, pull)
    for i in range(6):
        for j in range(6):
            matrix.diagonal[own, i, j] += SPRING * pull[i, j]


@compiled
def _softly(response: Response, way: Array, x: Array) -> None:
    """The motions by which a soft spring makes a motion of the grip, to x."""
    x[:] = 0.0
    for k in range(len(way)):
        force = 0.0
        for j in range(len(way)):
            force += SPRING * response.left[k, j] * way[j]
        x += force * response.motions[k]


def _newton(s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array) -> int:
    """Newton's step for the distance of a target out of reach.

    Where the distance has no minimum that way it is the step of a soft spring, which is damped.

    Args:
        response: at these poses, (bodies, 12), world; e: error of the grip and axes, (6,).
        x: linear motion towards the target by `pull`, (bodies, 6), mm; overwritten, unless the
            target is within reach.

    Returns:
        `REACHABLE`, `BEYOND` or `BENT`.
    """
    p, m, own = s.moving.pattern, len(response.motions), s.moving.pattern.position[body]
    way = np.empty(m)
    if _is_reached(response, own, e, x, way):
        return REACHABLE
    blocks = np.empty((len(p.row), 6, 6))
    matrix = NormalEquations(np.empty((len(x), 6, 6)), blocks, np.empty((len(x), 6)))
    assemble(s, poses, matrix)
    _add_bending(s, poses, own, response, e, matrix)
    if not factorise(p, matrix.diagonal, matrix.block):
        _softly(response, way, x)
        return BENT
    x[:] = 0.0
    for k in range(m):
        for j in range(6):
            x[own, j] += SPRING * response.rows[k, j] * way[k]
    substitute(p, matrix.diagonal, matrix.block, x)
    return BEYOND


def _bending_at_once(s: DragSystem, poses: Array, own: int, response: Response, e: Array) -> Array:
    """What `_add_bending` adds, as one matrix."""
    m, pull = len(response.motions), np.empty((6, 6))
    rest = response.left @ (e * np.where(np.arange(6) < 3, 1.0, TWIST))[:m]
    _pull_stiffness(s, rest, response.rows, e, pull)
    added = load_stiffness_at_once(s, poses, np.tensordot(rest, response.motions, 1))
    added[6 * own : 6 * own + 6, 6 * own : 6 * own + 6] += pull
    return SPRING * added


def _newton_at_once(
    s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array
) -> int:
    n, own, m = len(x), s.moving.pattern.position[body], len(response.motions)
    if n > MOST_AT_ONCE:
        return _newton(s, poses, body, response, e, x)
    way = np.empty(m)
    if _is_reached(response, own, e, x, way):
        return REACHABLE
    bending = _bending_at_once(s, poses, own, response, e)
    try:
        low = factorised_at_once(stiffness_at_once(s, poses, (FRICTION, STAY)) + bending)
    except np.linalg.LinAlgError:
        _softly(response, way, x)
        return BENT
    x[:] = 0.0
    x[own] = SPRING * (way @ response.rows[:m])
    x[:] = solved_at_once(low, x.ravel()).reshape(n, 6)
    return BEYOND


newton = compiled(_newton, _newton_at_once)


@compiled
def _generic(poses: Array, body: int, x: Array) -> None:
    """The same force and torque on every body, along no axis of a body, to x."""
    for i in range(3):
        for n in range(len(x)):
            x[n, i] = x[n, 3 + i] = 0.0
            for k in range(3):
                share = poses[body, 3 + 3 * k + i] / sqrt(2.0 + k)
                x[n, i] += share
                x[n, 3 + i] += share


@compiled
def _reaching(poses: Array, body: int, e: Array, curvature: float, x: Array) -> bool:
    """Scale motions by whose square the distance falls to where it is 0; whether it falls.

    Of both ways it is the one in which all bodies together go along the first axis of the dragged
    one that they go along or about: the same in any order of parts.

    Args:
        curvature: second derivative of half the squared error, times `SPRING`, mm^2.
    """
    total, away = np.zeros(6), 0.0
    for i in range(3):
        away += e[i] ** 2 + (TWIST * e[3 + i]) ** 2
        for n in range(len(x)):
            for k in range(3):
                total[k] += poses[body, 3 + 3 * k + i] * x[n, i]
                total[3 + k] += poses[body, 3 + 3 * k + i] * x[n, 3 + i]
    if not curvature < 0.0:
        return False
    first = 0
    while abs(total[first]) < 0.5 * np.abs(total).max():
        first += 1
    size = sqrt(2.0 * away * SPRING / -curvature)
    x *= size if total[first] > 0.0 else -size
    return True


@compiled
def _product(p: EliminationPattern, a: NormalEquations, x: Array, out: Array) -> float:
    """The product of a matrix and motions x, to out; returns that with x as well."""
    out[:] = 0.0
    for k in range(len(x)):
        for i in range(6):
            for j in range(6):
                out[k, i] += a.diagonal[k, i, j] * x[k, j]
        for n in range(p.first[k], p.first[k + 1]):
            for i in range(6):
                for j in range(6):
                    out[p.row[n], i] += a.block[n, i, j] * x[k, j]
                    out[k, j] += a.block[n, i, j] * x[p.row[n], i]
    return float((out * x).sum())


def _falling(
    s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array
) -> bool:
    """A motion along which a stationary distance falls, as far as the target by its curvature.

    Of dead points, and straight opposite of a target: either way along it is as good, to second
    order.

    Args:
        response: at these poses, (bodies, 12), world; e: error of the grip and axes, (6,).
        x: (bodies, 6), mm, written.

    Returns:
        Whether there is one.

    Source: power iteration, shifted by the size of its last step, for the motion whose curvature is
    the most negative against its stiffness.
    """
    p, n, own = s.moving.pattern, len(x), s.moving.pattern.position[body]
    firm = NormalEquations(np.empty((n, 6, 6)), np.empty((len(p.row), 6, 6)), np.empty((n, 6)))
    bent = NormalEquations(np.zeros((n, 6, 6)), np.zeros((len(p.row), 6, 6)), firm.slope)
    assemble(s, poses, firm)
    _add_bending(s, poses, own, response, e, bent)
    if not factorise(p, firm.diagonal, firm.block):
        return False
    y = np.empty_like(x)
    _generic(poses, body, x)
    substitute(p, firm.diagonal, firm.block, x)
    for _ in range(TURNS):
        x /= max(sqrt((x * x).sum()), TINY)
        _product(p, bent, x, y)
        substitute(p, firm.diagonal, firm.block, y)
        x *= sqrt((y * y).sum())
        x -= y
    return _reaching(poses, body, e, _product(p, bent, x, y), x)


def _falling_at_once(
    s: DragSystem, poses: Array, body: int, response: Response, e: Array, x: Array
) -> bool:
    n, own = len(x), s.moving.pattern.position[body]
    if n > MOST_AT_ONCE:
        return _falling(s, poses, body, response, e, x)
    bent = _bending_at_once(s, poses, own, response, e)
    try:
        low = factorised_at_once(stiffness_at_once(s, poses, (FRICTION, STAY)))
    except np.linalg.LinAlgError:
        return False
    _generic(poses, body, x)
    y, turn = solved_at_once(low, x.ravel()), solved_at_once(low, bent)
    for _ in range(TURNS):
        y /= max(float(np.linalg.norm(y)), TINY)
        change = turn @ y
        y = np.linalg.norm(change) * y - change
    x[:] = y.reshape(n, 6)
    return _reaching(poses, body, e, float(y @ bent @ y), x)


falling = compiled(_falling, _falling_at_once)

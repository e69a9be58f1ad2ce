"""Compliance of a mechanism under a force on one body: the linear problem of one drag step.

Every body resists motion, every joint resists motion in its free directions slightly more, and
in all others it is stiff.  The stiffness is one sparse matrix, factorised once; its solutions for
unit forces on one body are the motions of all bodies.

Source: damped least squares as in inverse kinematics, Nakamura and Hanafusa 1986; the compliance of
the dragged body is the inverse of the Schur complement of the same matrix.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...equations.elimination import EliminationPattern, factorise, substitute
from ...equations.sparse_block import NormalEquations, SparseBlock, normal_matrix
from ...equations.table import SPACE, world_point
from ...foundations.geometry.pose import placed_points
from ...foundations.jit.decorators import borrowing, borrowing_in_form, compiled
from ...foundations.numerics.linear import pseudo_inverse
from ...foundations.types import Array
from ...model.measures.measure import compose
from .affected import AffectedBodies, DragSystem
from .at_once import factorised_at_once, solved_at_once, stiffness_at_once

STAY = 1e-12
"""A setting: stiffness against motion of a body, relative to that of a joint."""

FRICTION = 1e-11
"""A setting: stiffness of a freedom of a joint, on the same scale: attached bodies tend to move
along."""

TWIST = 0.1
"""Weight of the orientation (rad times the characteristic length) relative to the point (mm)."""

FIRM = 1e5
"""Compliance of the dragged body up to which a direction is constrained: less than that of a free
motion of a large mechanism, more than the apparent elasticity of joints."""

NULL = 1e-7
"""A setting: square of a pivot below which a direction is free, in mechanisms of few bodies."""

SHARED = 1e2
"""The same for large mechanisms: this times `FRICTION`, per body."""

SPRING = 1e-7
"""A setting: stiffness of a pull towards a target out of reach, relative to that of a joint: far
from it, and from that of a freedom."""

MOST_AT_ONCE = 200
"""Most bodies of which, interpreted, one matrix is factorised: of more the blocks take less."""


class JointRows(NamedTuple):
    """Derivatives, (6, 6), of motion along and about joint axes by the unknowns of each body."""

    a: Array
    b: Array


class Response(NamedTuple):
    """Response to unit forces (pulls) on the dragged body.

    Attributes:
        motions: of all bodies under each pull, (pulls, bodies, 6), pulls 3 or 6.
        pulls: (pulls, pulls), pseudo-inverse of the compliance of grip and axes.
        left: (pulls, pulls), share of an error that a soft spring, `SPRING`, leaves.
        rows: (6, 6), derivatives of grip and axes by the unknowns of the body.
    """

    motions: Array
    pulls: Array
    left: Array
    rows: Array


@borrowing
def joint_rows(frame: Array, centre: Array, length: float, sign: float, out: Array) -> None:
    """Derivatives of the motion of a body along and about axes of a frame by its unknowns.

    Args:
        frame: (12,), world; centre: (3,), world, mm; sign: +1 or -1; out: (6, 6), written.
    """
    x, y, z = frame[0] - centre[0], frame[1] - centre[1], frame[2] - centre[2]
    for k in range(3):
        e0, e1, e2 = frame[3 + 3 * k], frame[4 + 3 * k], frame[5 + 3 * k]
        out[k, 0], out[k, 1], out[k, 2] = sign * e0, sign * e1, sign * e2
        out[k, 3] = sign * (y * e2 - z * e1) / length
        out[k, 4] = sign * (z * e0 - x * e2) / length
        out[k, 5] = sign * (x * e1 - y * e0) / length
        for r in range(3):
            out[3 + k, r] = 0.0
        out[3 + k, 3], out[3 + k, 4], out[3 + k, 5] = sign * e0, sign * e1, sign * e2


@borrowing
def entry_of(p: EliminationPattern, u: int, v: int) -> int:
    """The number of the block of two bodies, by their positions."""
    entry, last = p.first[min(u, v)], max(u, v)
    while p.row[entry] != last:
        entry += 1
    return int(entry)


@borrowing
def _add_pair(
    p: EliminationPattern,
    a: int,
    b: int,
    leaves: NDArray[np.bool_],
    joint: JointRows,
    matrix: NormalEquations,
) -> None:
    """Add the stiffness of the joint between bodies a and b; `joint` has the rows of both."""
    ra, rb, diagonal, block = joint.a, joint.b, matrix.diagonal, matrix.block
    u, v = p.position[a], p.position[b]
    entry = entry_of(p, u, v) if u >= 0 and v >= 0 else -1
    for r in range(6):
        weight = FRICTION if leaves[r] else 1.0
        for i in range(6):
            for j in range(6):
                if u >= 0:
                    diagonal[u, i, j] += weight * ra[r, i] * ra[r, j]
                if v >= 0:
                    diagonal[v, i, j] += weight * rb[r, i] * rb[r, j]
                if entry >= 0:
                    if u > v:
                        block[entry, i, j] += weight * ra[r, i] * rb[r, j]
                    else:
                        block[entry, i, j] += weight * rb[r, i] * ra[r, j]


@compiled
def assemble(s: DragSystem, poses: Array, matrix: NormalEquations) -> None:
    """Assemble the stiffness of joints, single equations, freedoms of joints, and bodies.

    Args:
        poses: (bodies, 12), world; matrix: overwritten.
    """
    m, p, centre, length = s.moving, s.moving.pattern, s.basis.centre, s.basis.length
    normal_matrix(s.table, poses, SparseBlock(m.rows, p, SPACE, s.basis), matrix)
    frame, c = np.empty(12), np.empty(3)
    joint = JointRows(np.empty((6, 6)), np.empty((6, 6)))
    for n in range(len(m.pair)):
        a, b = m.pair[n, 0], m.pair[n, 1]
        compose(poses[a], m.frame[n], frame)
        world_point(poses[a], centre[a], c)
        joint_rows(frame, c, length, -1.0, joint.a)
        world_point(poses[b], centre[b], c)
        joint_rows(frame, c, length, 1.0, joint.b)
        _add_pair(p, a, b, m.leaves[n], joint, matrix)
    for k in range(len(p.bodies)):
        for i in range(6):
            matrix.diagonal[k, i, i] += STAY


@borrowing
def pivots(m: AffectedBodies, diagonal: Array) -> tuple[float, float, int]:
    """Number of free directions of bodies in loops, the smallest other pivot squared, its body.

    Args:
        diagonal: blocks of the factor, (bodies, 6, 6).

    Returns:
        The body is -1 where every pivot is free.
    """
    p, free, weakest, which = m.pattern, 0.0, 1.0, -1
    null = max(NULL, SHARED * FRICTION * len(p.bodies))
    for k in range(len(p.bodies)):
        if m.looped[p.bodies[k]]:
            for i in range(6):
                pivot = diagonal[k, i, i] * diagonal[k, i, i]
                if pivot < null:
                    free += 1.0
                elif pivot < weakest:
                    weakest, which = pivot, p.bodies[k]
    return free, weakest, which


@compiled
def _grip_rows(s: DragSystem, poses: Array, body: int, grip: Array, out: Array) -> None:
    """Derivatives of the grip and, by `TWIST`, of the axes by the unknowns of the body, (6, 6)."""
    at, c, length = np.empty(3), np.empty(3), s.basis.length
    world_point(poses[body], grip, at)
    world_point(poses[body], s.basis.centre[body], c)
    for i in range(3):
        u, v = (i + 1) % 3, (i + 2) % 3
        for j in range(6):
            out[i, j] = 1.0 if i == j else 0.0
            out[3 + i, j] = TWIST if 3 + i == j else 0.0
        out[i, 3 + u] = (at[v] - c[v]) / length
        out[i, 3 + v] = -(at[u] - c[u]) / length


@compiled
def _unit_responses(s: DragSystem, body: int, factor: NormalEquations, response: Response) -> None:
    """Motions of all bodies under unit forces, then torques, at the grip of the dragged body.

    Args:
        factor: from `factorise`.
        response: with its rows; written, without pulls in directions in which the body is
            constrained.
    """
    p, out, h, a = s.moving.pattern, response.motions, response.pulls, response.rows
    own, m = p.position[body], len(out)
    give, most = np.empty((m, m)), FIRM
    for j in range(m):
        for k in range(len(p.bodies)):
            for i in range(6):
                out[j, k, i] = 0.0
        for i in range(6):
            out[j, own, i] = a[j, i]
        substitute(p, factor.diagonal, factor.block, out[j])
        for i in range(m):
            give[i, j] = 0.0
            for q in range(6):
                give[i, j] += a[i, q] * out[j, own, q]
        most = max(most, give[j, j])
    pseudo_inverse(give, h, FIRM / most)
    for i in range(m):
        for j in range(m):
            give[i, j] = SPRING * give[i, j] + (1.0 if i == j else 0.0)
    pseudo_inverse(give, response.left, 0.0)


def _responses(
    s: DragSystem, poses: Array, body: int, grip: Array, response: Response
) -> tuple[bool, float, float, int]:
    """`_unit_responses` at poses, and `pivots`; at first False where factorisation fails."""
    n, blocks = len(s.moving.pattern.bodies), len(s.moving.pattern.row)
    matrix = NormalEquations(np.empty((n, 6, 6)), np.empty((blocks, 6, 6)), np.empty((n, 6)))
    assemble(s, poses, matrix)
    if not factorise(s.moving.pattern, matrix.diagonal, matrix.block):
        return False, 0.0, 1.0, -1
    free, weakest, which = pivots(s.moving, matrix.diagonal)
    _grip_rows(s, poses, body, grip, response.rows)
    _unit_responses(s, body, matrix, response)
    return True, free, weakest, which


def _responses_at_once(
    s: DragSystem, poses: Array, body: int, grip: Array, response: Response
) -> tuple[bool, float, float, int]:
    p, n, pulls = s.moving.pattern, len(s.moving.pattern.bodies), len(response.motions)
    if n > MOST_AT_ONCE:
        return _responses(s, poses, body, grip, response)
    try:
        low = factorised_at_once(stiffness_at_once(s, poses, (FRICTION, STAY)))
    except np.linalg.LinAlgError:
        return False, 0.0, 1.0, -1
    at, middle = placed_points(poses[[body, body]], np.stack([grip, s.basis.centre[body]]))
    a, own, force = response.rows, p.position[body], np.zeros((n, 6, pulls))
    a[:] = np.eye(6)
    a[:3, 3:] = np.cross(at - middle, np.eye(3)) / s.basis.length
    a[3:] *= TWIST
    force[own] = a[:pulls].T
    motions = solved_at_once(low, force.reshape(6 * n, pulls)).reshape(n, 6, pulls)
    response.motions[:] = motions.transpose(2, 0, 1)
    give = a[:pulls] @ motions[own]
    pseudo_inverse(give, response.pulls, FIRM / max(FIRM, float(give.diagonal().max())))
    response.left[:] = np.linalg.inv(SPRING * give + np.eye(pulls))
    blocks = low.reshape(n, 6, n, 6)[np.arange(n), :, np.arange(n)]
    return True, *pivots(s.moving, blocks)


responses = compiled(_responses, _responses_at_once)


def _pull_at_once(response: Response, e: Array, y: Array, x: Array) -> None:
    y[:] = response.pulls @ (e * np.where(np.arange(6) < 3, 1.0, TWIST))[: len(y)]
    x[:] = np.tensordot(y, response.motions, 1)


@partial(borrowing_in_form, interpreted=_pull_at_once)
def pull(response: Response, e: Array, y: Array, x: Array) -> None:
    """Motions x (bodies, 6), mm, that reduce the error e (6,) of the body; y is scratch."""
    h = response.pulls
    m = len(h)
    for i in range(m):
        y[i] = 0.0
        for j in range(m):
            y[i] += h[i, j] * e[j] * (1.0 if j < 3 else TWIST)
    for n in range(len(x)):
        for i in range(6):
            x[n, i] = 0.0
            for j in range(m):
                x[n, i] += response.motions[j, n, i] * y[j]

"""What the forces in joints add to the stiffness of a mechanism.

Where a pull does not reach its target, joints bear it.  As they turn, their forces turn with them:
the second derivative of the distance from the target along the motions that the mates leave is its
square along them and this.

Source: the geometric stiffness of structures under load; docs/theory/motion.md, 9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...equations.elimination import EliminationPattern
from ...equations.sparse_block import NormalEquations
from ...equations.table import world_point
from ...foundations.geometry.pose import compose_all, placed_points
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array
from ...model.measures.measure import compose
from .affected import DragSystem
from .at_once import joints_at_once
from .compliance import entry_of, joint_rows


class _JointLoad(NamedTuple):
    """Scratch of a joint: frame (12,), centres (2, 3), arms (2, 3), rows (2, 6, 6), the force and
    the torque in it, (2, 3), and its blocks, (3, 6, 6): of b, of a, and of both.
    """

    frame: Array
    centre: Array
    arm: Array
    rows: Array
    load: Array
    block: Array


@borrowing
def _load(s: DragSystem, n: int, motion: Array, room: _JointLoad) -> None:
    """Force and torque of joint n on its first body, whose axes of the second turn, to `room`."""
    m, frame, load = s.moving, room.frame, room.load
    for i in range(3):
        load[0, i] = load[1, i] = 0.0
    for k in range(6):
        if m.leaves[n, k]:
            continue
        c = 0.0
        for end in range(2):
            at = m.pattern.position[m.pair[n, end]]
            if at >= 0:
                for j in range(6):
                    c += room.rows[end, k, j] * motion[at, j]
        for i in range(3):
            if k < 3:
                load[0, i] -= c * frame[3 + 3 * k + i]
            else:
                load[1, i] -= s.basis.length * c * frame[3 * k - 6 + i]


@borrowing
def _turning(room: _JointLoad, length: float) -> None:
    """Second derivatives of the work of a joint's force and torque, to `room.block`."""
    f, t, a, b, out = room.load[0], room.load[1], room.arm[0], room.arm[1], room.block
    fa = f[0] * a[0] + f[1] * a[1] + f[2] * a[2]
    fb = f[0] * b[0] + f[1] * b[1] + f[2] * b[2]
    out[:] = 0.0
    for i in range(3):
        u, v = (i + 1) % 3, (i + 2) % 3
        for block, sign in ((0, -1.0), (2, 1.0)):
            out[block, 3 + i, u], out[block, 3 + i, v] = -sign * f[v] / length, sign * f[u] / length
        out[2, 3 + i, 3 + u] -= 0.5 * t[v] / length**2
        out[2, 3 + i, 3 + v] += 0.5 * t[u] / length**2
        for j in range(3):
            out[0, j, 3 + i] = out[0, 3 + i, j]
            one = 1.0 if i == j else 0.0
            both_b, both_a = b[i] * f[j] + b[j] * f[i], a[i] * f[j] + a[j] * f[i]
            out[0, 3 + i, 3 + j] = (0.5 * both_b - one * fb) / length**2
            out[1, 3 + i, 3 + j] = (0.5 * both_a - one * fa) / length**2
            out[2, 3 + i, 3 + j] += (one * fa - a[i] * f[j]) / length**2


@borrowing
def _add_blocks(
    p: EliminationPattern, a: int, b: int, share: float, room: _JointLoad, m: NormalEquations
) -> None:
    """Add a share of `room.block` to the matrix, where bodies a and b of the joint move."""
    u, v, block = p.position[a], p.position[b], room.block
    for i in range(6):
        for j in range(6):
            if v >= 0:
                m.diagonal[v, i, j] += share * block[0, i, j]
            if u >= 0:
                m.diagonal[u, i, j] += share * block[1, i, j]
    if u >= 0 and v >= 0:
        entry = entry_of(p, u, v)
        for i in range(6):
            for j in range(6):
                row, column = (i, j) if v > u else (j, i)
                m.block[entry, row, column] += share * block[2, i, j]


@compiled
def add_load_stiffness(
    s: DragSystem, poses: Array, motion: Array, share: float, matrix: NormalEquations
) -> None:
    """Add a share of what the forces in all lower pairs add, where a motion strains these.

    Args:
        poses: (bodies, 12), world; motion: of the bodies that move, (bodies, 6), mm.
        matrix: from `compliance.assemble`, added to.
    """
    m, length = s.moving, s.basis.length
    room = _JointLoad(
        np.empty(12),
        np.empty((2, 3)),
        np.empty((2, 3)),
        np.empty((2, 6, 6)),
        np.empty((2, 3)),
        np.empty((3, 6, 6)),
    )
    for n in range(len(m.pair)):
        compose(poses[m.pair[n, 0]], m.frame[n], room.frame)
        for end in range(2):
            body, centre = m.pair[n, end], room.centre[end]
            world_point(poses[body], s.basis.centre[body], centre)
            joint_rows(room.frame, centre, length, 2.0 * end - 1.0, room.rows[end])
            for i in range(3):
                room.arm[end, i] = room.frame[i] - centre[i]
        _load(s, n, motion, room)
        _turning(room, length)
        _add_blocks(m.pattern, m.pair[n, 0], m.pair[n, 1], share, room, matrix)


def load_stiffness_at_once(s: DragSystem, poses: Array, motion: Array) -> Array:
    """The same as one matrix, (6 bodies, 6 bodies), in the order of elimination."""
    m, n, length = s.moving, len(s.moving.pattern.bodies), s.basis.length
    a, b = np.where(m.pattern.position < 0, n, m.pattern.position)[m.pair].T
    frames, centre = compose_all(poses[m.pair[:, 0]], m.frame), placed_points(poses, s.basis.centre)
    moved = np.concatenate([motion, np.zeros((1, 6))])[..., None]
    rows = joints_at_once(m, poses, s.basis, 0.0)
    strain = (rows[0] @ moved[a] + rows[1] @ moved[b])[..., 0]
    axes = frames[:, 3:].reshape(-1, 3, 3)
    force = -(strain[:, :3, None] * axes).sum(axis=1)
    torque = -length * (strain[:, 3:, None] * axes).sum(axis=1)
    arm_a, arm_b = (frames[:, :3] - centre[m.pair[:, end]] for end in range(2))
    out, f = np.zeros((n + 1, n + 1, 6, 6)), _across(force) / length
    both = np.zeros((len(force), 6, 6))
    both[:, 3:, :3] = f
    both[:, 3:, 3:] = (0.5 * _across(torque) - _sides(arm_a, force)) / length**2
    np.add.at(out, (b, a), both)
    np.add.at(out, (a, b), both.swapaxes(1, 2))
    own = np.zeros_like(both)
    own[:, 3:, :3], own[:, :3, 3:] = -f, f
    own[:, 3:, 3:] = _even(_sides(arm_b, force)) / length**2
    np.add.at(out, (b, b), own)
    np.add.at(out[..., 3:, 3:], (a, a), _even(_sides(arm_a, force)) / length**2)
    matrix: Array = out[:n, :n].swapaxes(1, 2).reshape(6 * n, 6 * n)
    return matrix


def _across(v: Array) -> Array:
    """Matrices of the vector product of vectors, (n, 3), with another."""
    return np.cross(v[:, None], -np.eye(3))


def _sides(a: Array, f: Array) -> Array:
    """a f^T - (a . f) 1 of vectors, (n, 3)."""
    out: Array = a[:, :, None] * f[:, None] - (a * f).sum(axis=1)[:, None, None] * np.eye(3)
    return out


def _even(m: Array) -> Array:
    """The symmetric part of matrices."""
    return 0.5 * (m + m.swapaxes(1, 2))

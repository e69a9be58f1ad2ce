"""A share of a linear drag step, with all mates closed; compiled.

Bodies in lower pairs move in their joints, so that these hold exactly; other components are
closed by a least-norm motion.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...equations.closed_form import relative, unbind
from ...equations.elimination import EliminationPattern
from ...equations.sparse_block import SparseBlock, solve_sparse
from ...equations.table import SPACE, EquationTable, copy, displace, residuals, world_point
from ...foundations.geometry.pose import placed_points
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ...model.measures.measure import ROTATION, compose
from ..equation_rates import refer_to
from ..prescribed_motion import orthonormalise
from .affected import ComponentArrays, DragSystem
from .at_once import BodyEquations, closed_at_once
from .compliance import joint_rows

CLOSINGS = 30
"""Most iterations to close a component."""


@borrowing
def length_of_three(e: Array, first: int) -> float:
    """Norm of three numbers, from index `first`."""
    return sqrt(e[first] ** 2 + e[first + 1] ** 2 + e[first + 2] ** 2)


@borrowing
def _keep_to_joint(leaves: NDArray[np.bool_], seen: Array) -> None:
    """Project the pose of a joint's second frame in its first on the joint's freedoms."""
    for k in range(3):
        if not leaves[k]:
            seen[k] = 0.0
    if not leaves[3]:  # at most the rotation about z is free
        c, s = seen[3], seen[4]
        size = sqrt(c * c + s * s)
        if not leaves[5]:
            c, s, size = 1.0, 0.0, 1.0
        for k in range(3, 12):
            seen[k] = 0.0
        seen[3], seen[4], seen[6], seen[7], seen[11] = c / size, s / size, -s / size, c / size, 1.0
        return
    orthonormalise(seen)


class _Room(NamedTuple):
    """Scratch: three frames (3, 12), the rows of a joint (6, 6), a point (3,), a twist (6,)."""

    frames: Array
    rows: Array
    at: Array
    twist: Array


class Trial(NamedTuple):
    """A trial step.

    Attributes:
        x: the linear step, (moving bodies, 6), mm.
        before, poses: reference poses of motions, and trial poses, (bodies, 12), world.
        error: (6,), of the grip and the axes, mm; counts: of the solver.
    """

    x: Array
    before: Array
    poses: Array
    error: Array
    counts: Ints


@borrowing
def _joint_motion(s: DragSystem, n: int, poses: Array, x: Array, share: float, room: _Room) -> None:
    """Twist of the body of component n in its joint for a share of a step, to `room.twist`.

    `room.frames` has the joint frames of parent and child at `poses`, and the second relative to
    the first.  The twist is along the axes of the first.
    """
    c, p = s.moving.closing, s.moving.pattern
    joint, back = room.frames[0], room.frames[1]
    rows, at, twist = room.rows, room.at, room.twist
    for r in range(3):  # the motion of the child's frame along the parent's axes
        joint[r] = back[r]
        twist[r] = twist[3 + r] = 0.0
    for side in range(2):
        body = c.step[n, 1 + side]
        k = p.position[body]
        if k >= 0:
            world_point(poses[body], s.basis.centre[body], at)
            joint_rows(joint, at, s.basis.length, 1.0 if side == 1 else -1.0, rows)
            for i in range(6):
                for j in range(6):
                    twist[i] += share * rows[i, j] * x[k, j]
    for i in range(6):
        if not c.leaves[n, i]:
            twist[i] = 0.0


@borrowing
def _move_in_joint(
    s: DragSystem, n: int, poses: Array, share: float, trial: Trial, room: _Room
) -> None:
    """Move the body of component n with its parent and, by its step, in the joint."""
    c = s.moving.closing
    parent, child = c.step[n, 1], c.step[n, 2]
    joint, back, seen = room.frames[0], room.frames[1], room.frames[2]
    compose(poses[parent], c.at[n], joint)
    compose(poses[child], c.own[n], back)
    relative(joint, back, seen)
    _joint_motion(s, n, poses, trial.x, share, room)
    for i in range(3):
        room.at[i] = 0.0
    displace(seen, room.twist, s.basis.axes, room.at, s.basis.length)
    _keep_to_joint(c.leaves[n], seen)
    compose(trial.poses[parent], c.at[n], joint)
    compose(joint, seen, back)
    unbind(back, c.own[n], trial.poses[child])


@compiled
def _pattern_of(c: ComponentArrays, n: int) -> EliminationPattern:
    """The sparse pattern of component n."""
    low, high = c.first_body[n], c.first_body[n + 1]
    return EliminationPattern(
        c.bodies[low:high],
        c.position,
        c.first[low + n : high + n + 1],
        c.row[c.first_block[n] : c.first_block[n + 1]],
        c.first_target[low + n : high + n + 1],
        c.target[c.first_goal[n] : c.first_goal[n + 1]],
    )


def _close_at_once(s: DragSystem, n: int, rows: Ints, tolerance: float, trial: Trial) -> float:
    c = s.moving.closing
    bodies = c.bodies[c.first_body[n] : c.first_body[n + 1]]
    of = BodyEquations(s.table, rows, bodies, s.basis)
    poses, residual = closed_at_once(of, trial.poses, tolerance, CLOSINGS)
    trial.poses[bodies] = poses[bodies]
    return residual


@partial(compiled, interpreted=_close_at_once)
def _close(s: DragSystem, n: int, rows: Ints, tolerance: float, trial: Trial) -> float:
    """Close component n by a least-norm motion of its bodies, its root at rest.

    Returns the largest residual left, mm.
    """
    c = s.moving.closing
    root = c.step[n, 1]
    position = c.position[root]
    c.position[root] = -1
    block = SparseBlock(rows, _pattern_of(c, n), SPACE, s.basis)
    state = np.array([0.0, 2.0, 0.0])
    solve_sparse(s.table, trial.poses, block, tolerance, CLOSINGS, state, trial.counts)
    c.position[root] = position
    return float(residuals(s.table, trial.poses, rows, np.empty(len(rows))))


@compiled
def advance(
    s: DragSystem, poses: Array, share: float, tolerance: float, check: bool, trial: Trial
) -> float:
    """Apply a share of a step and close every component, outward; the largest residual, mm.

    Bodies in lower pairs move in these, checked only with `check`; others are
    displaced, then closed.  `poses`: (bodies, 12), world.
    """
    c, p = s.moving.closing, s.moving.pattern
    f, y, worst = np.empty(len(c.rows)), np.empty(6), 0.0
    room = _Room(np.empty((3, 12)), np.empty((6, 6)), np.empty(3), np.empty(6))
    for k in range(len(p.bodies)):
        body = p.bodies[k]
        for i in range(6):
            y[i] = share * trial.x[k, i]
        copy(poses[body], trial.poses[body])
        displace(trial.poses[body], y, s.basis.axes, s.basis.centre[body], s.basis.length)
    for n in range(len(c.step)):
        rows = c.rows[c.first_row[n] : c.first_row[n + 1]]
        residual = 0.0
        if c.step[n, 0] == 1:
            _move_in_joint(s, n, poses, share, trial, room)
            if check:
                residual = residuals(s.table, trial.poses, rows, f)
        if c.step[n, 0] == 0 or residual > tolerance:
            residual = _close(s, n, rows, tolerance, trial)
        worst = max(worst, residual)
    return worst


def _largest_motion_at_once(s: DragSystem, trial: Trial) -> float:
    bodies = s.moving.pattern.bodies
    before, after = trial.before[bodies], trial.poses[bodies]
    shift = placed_points(after, s.basis.centre[bodies])
    shift -= placed_points(before, s.basis.centre[bodies])
    twisted = np.sqrt(0.5) * np.linalg.norm(after[:, 3:] - before[:, 3:], axis=1)
    return float((np.linalg.norm(shift, axis=1) + s.moving.reach[bodies] * twisted).max())


@partial(compiled, interpreted=_largest_motion_at_once)
def largest_motion(s: DragSystem, trial: Trial) -> float:
    """Bound on the largest motion of any body since `trial.before`, mm, by its reach."""
    largest, centre, reach = 0.0, s.basis.centre, s.moving.reach
    c, d = np.empty(3), np.empty(3)
    for body in s.moving.pattern.bodies:
        world_point(trial.before[body], centre[body], c)
        world_point(trial.poses[body], centre[body], d)
        for r in range(3):
            d[r] -= c[r]
        twisted = 0.0
        for k in range(3, 12):
            twisted += (trial.poses[body, k] - trial.before[body, k]) ** 2
        largest = max(largest, length_of_three(d, 0) + reach[body] * sqrt(0.5 * twisted))
    return largest


@compiled
def _count_turns(t: EquationTable, rows: Ints, poses: Array) -> None:
    """Update the reference angles of equations of several terms, counting turns."""
    a, b, w = np.empty(12), np.empty(12), np.empty(6)
    for e in rows:
        if t.first_term[e + 1] - t.first_term[e] < 2:
            continue
        for k in range(t.first_term[e], t.first_term[e + 1]):
            if t.kind[t.term_measure[k]] == ROTATION:
                refer_to(t, k, poses, a, b, w)


@compiled
def accept(s: DragSystem, trial: Trial, poses: Array) -> None:
    """Copy the trial poses to `poses`."""
    for body in s.moving.pattern.bodies:
        copy(trial.poses[body], poses[body])
    _count_turns(s.table, s.moving.closing.rows, poses)

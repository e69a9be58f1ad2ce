"""Copies of a system that differ in some of their numbers, each followed from common poses.

The numbers of a copy go from those of the system to its own in steps, each closed by Newton's
method from the poses of the step before; a step whose corrections do not shrink by half each time,
or that comes to a dead point, is halved.  So a copy ends on the branch on which it began, or
nowhere.  Of the equations as many independent ones are iterated as there are unknowns; in the end
all of them hold.
"""

from __future__ import annotations

from typing import NamedTuple

from ..foundations.jit.decorators import borrowing, unlocked
from ..foundations.numerics.lu import factorise, solve_factored
from ..foundations.types import Array, Ints
from .shared_iteration import (
    CLOSED,
    UNKNOWN,
    OwnNumbers,
    SharedEnds,
    all_residuals,
    put_numbers,
    within_limits,
)
from .table import (
    EquationTable,
    EvaluatedEquation,
    TwistBasis,
    at_new_poses,
    copy,
    displace,
    equation,
    gradient,
    world_point,
)

ITERATIONS = 12
"""Most corrections of a step: halved each time, they are then small."""

SHORTEST = 2.0**-6
"""Share of the way below which a step is given up."""


class FollowedSystem(NamedTuple):
    """What all copies share.

    The equations of the table are those of the system, then those of its limits, which are to be
    between `low` and `high`, then what is measured.

    Attributes:
        frames: (bodies, 12), mm; moving: the bodies that move; slot: their columns, (bodies, 6),
            -1 where an unknown is held; basis: of the unknowns.
        rows: independent equations, as many as unknowns; orientation: sign of the determinant of
            their Jacobian at the frames.
        goal: residuals, and corrections, that count as zero, mm; farthest: largest first
            correction of a step, mm.
    """

    frames: Array
    moving: Ints
    slot: Ints
    basis: TwistBasis
    rows: Ints
    orientation: float
    low: Array
    high: Array
    goal: float
    farthest: float


class FollowingArrays(NamedTuple):
    """Scratch of a call.

    Attributes:
        found: the last equation; off: residuals, (equations,); poses: of a step, (bodies, 12).
        matrix, pivots, step: of a correction, (unknowns, unknowns), (unknowns,), (unknowns,).
        twist: of a body, (6,), mm.
    """

    found: EvaluatedEquation
    off: Array
    poses: Array
    matrix: Array
    pivots: Ints
    step: Array
    twist: Array


@unlocked
@borrowing
def follow_copies(
    t: EquationTable,
    plain: OwnNumbers,
    own: OwnNumbers,
    of: FollowedSystem,
    ends: SharedEnds,
    w: FollowingArrays,
) -> None:
    """Follow the copies of a table to their own numbers, which overwrite those of the table.

    Args:
        plain: the same numbers of the system, as one copy.
        ends: the state of each is CLOSED or UNKNOWN.
    """
    for s in range(len(ends.state)):
        poses = ends.poses[s]
        for body in range(len(of.frames)):
            copy(of.frames[body], poses[body])
        ends.state[s] = UNKNOWN
        if not _followed(t, plain, own, of, s, poses, w):
            continue
        at_new_poses(w.found)
        worst = all_residuals(t, poses, w.found, w.off)
        if abs(w.off[worst]) <= of.goal and within_limits(
            t, poses, of.low, of.high, len(w.off), w.found
        ):
            ends.state[s] = CLOSED
        before = len(w.off) + len(of.low)
        for n in range(len(ends.values[s])):
            ends.values[s][n], _ = equation(t, poses, before + n, w.found)


@borrowing
def _followed(
    t: EquationTable,
    plain: OwnNumbers,
    own: OwnNumbers,
    of: FollowedSystem,
    s: int,
    poses: Array,
    w: FollowingArrays,
) -> bool:
    """Whether copy s came to its own numbers; the poses are where it came to."""
    done, ahead = 0.0, 1.0
    while done < 1.0:
        share = min(done + ahead, 1.0)
        if share < 1.0:
            _put_between(t, plain, own, s, share)
        else:
            put_numbers(t, own, s)
        for body in range(len(poses)):
            copy(poses[body], w.poses[body])
        if _corrected(t, of, w):
            for body in range(len(poses)):
                copy(w.poses[body], poses[body])
            done, ahead = share, 2.0 * ahead
        else:
            ahead *= 0.5
            if ahead < SHORTEST:
                return False
    return True


@borrowing
def _put_between(
    t: EquationTable, plain: OwnNumbers, own: OwnNumbers, s: int, share: float
) -> None:
    """Give a table numbers between those of the system and those of copy s."""
    for k in range(len(own.equations)):
        a, b = plain.target[0][k], own.target[s][k]
        t.target[own.equations[k]] = a + share * (b - a)
    for k in range(len(own.terms)):
        a, b = plain.coefficient[0][k], own.coefficient[s][k]
        t.coefficient[own.terms[k]] = a + share * (b - a)
    for k in range(len(own.markers)):
        for r in range(12):
            a, b = plain.frame[0][k][r], own.frame[s][k][r]
            t.marker_frame[own.markers[k]][r] = a + share * (b - a)


@borrowing
def _corrected(t: EquationTable, of: FollowedSystem, w: FollowingArrays) -> bool:
    """Whether Newton's method closes the rows near the poses of a step, which are overwritten."""
    n, most = len(of.rows), of.farthest
    for _ in range(ITERATIONS):
        _linearise(t, of, w)
        determinant = factorise(w.matrix, n, w.pivots)
        if not determinant * of.orientation > 0.0:  # a dead point is here or between
            return False
        solve_factored(w.matrix, n, w.pivots, w.step)
        size = 0.0
        for k in range(n):
            if not abs(w.step[k]) <= size:  # what is no number is the largest
                size = abs(w.step[k])
        if not size <= most:
            return False
        _move(of, w)
        if size <= of.goal:
            return True
        most = 0.5 * size
    return False


@borrowing
def _linearise(t: EquationTable, of: FollowedSystem, w: FollowingArrays) -> None:
    """The Jacobian of the rows into the matrix, what makes up for their residuals into the step."""
    found, basis = w.found, of.basis
    at_new_poses(found)
    for r in range(len(of.rows)):
        row = w.matrix[r]
        for k in range(len(row)):
            row[k] = 0.0
        f, count = equation(t, w.poses, of.rows[r], found)
        w.step[r] = -f
        for n in range(count):
            body = found.bodies[n]
            columns = of.slot[body]
            world_point(w.poses[body], basis.centre[body], found.middle)
            gradient(found.wrenches[n], found.middle, basis.axes, basis.length, found.slope)
            for k in range(6):
                if columns[k] >= 0:
                    row[columns[k]] += found.slope[k]


@borrowing
def _move(of: FollowedSystem, w: FollowingArrays) -> None:
    """Move the poses of a step by the correction."""
    for body in of.moving:
        for k in range(6):
            w.twist[k] = w.step[of.slot[body, k]] if of.slot[body, k] >= 0 else 0.0
        displace(w.poses[body], w.twist, of.basis.axes, of.basis.centre[body], of.basis.length)

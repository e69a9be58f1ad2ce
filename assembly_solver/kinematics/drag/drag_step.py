"""One step of dragging a body: the compiled loop.

A step moves a body towards a requested pose, or one of its points towards a requested position.
`compliance` gives the linear motion of all bodies.  After every linear step the mates are closed:
bodies in lower pairs move in their joints, so that these hold exactly, and loops are closed by a
least-norm motion.  A step that moves any body too far, or that cannot be closed, is shortened, so
that no body jumps to another assembly mode.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...equations.table import BLOCKS, INVERSES, world_point
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ...model.measures.measure import turn
from .affected import DragSystem
from .compliance import TWIST, Response, pull, responses
from .trial_step import Trial, accept, advance, largest_motion, length_of_three

LIMIT = 10.0
"""Largest motion of any part, as a multiple of the requested motion."""

SWING = 0.2
"""Largest rotation of a body in a linear step, rad, for linearisation to apply."""

ROUNDS = 30
"""Most linear steps for one request."""

STALE = 0.2
"""Share of the error remaining after a step above which the matrix is factorised again."""

ARRIVED = 1e-5
"""A setting: step or error, relative to the first step, at which iteration ends."""

IDLE = 1e-3
"""A setting: step, relative to the first one, below which steps no longer reduce a large error."""

LOOSE = 1e-4
"""A setting: residual to which mates are closed between linear steps, as a share of the error."""

HALVINGS = 6
"""Most times that a step is shortened."""


class Request(NamedTuple):
    """Requested position of a point of a body, or pose of the body.

    Attributes:
        body: its number; grip: the point, (3,), body coordinates, mm.
        goal: frame, (12,), world: its origin is the target of the grip.
        oriented: whether the target of the body's axes is that of `goal`.
    """

    body: int
    grip: Array
    goal: Array
    oriented: bool


AWAY, TURNED, ASKED, MOVED, RESIDUAL, FREE, WEAKEST, WHICH, LIMITED = range(9)
"""Indices in the report of a step: error of the grip (mm) and of the axes (rad), requested motion
(mm), largest motion of a part (mm), largest residual (mm), number of free directions, smallest
other pivot and its body, and whether the step was shortened by `LIMIT`."""


@compiled
def _error(poses: Array, r: Request, length: float, out: Array) -> None:
    """Error of the grip (mm) and of the axes (rad times the length), (6,)."""
    at, w = np.empty(3), np.empty(6)
    world_point(poses[r.body], r.grip, at)
    for k in range(3):
        out[k] = r.goal[k] - at[k]
        out[3 + k] = 0.0
    if r.oriented:
        for i in range(3):
            v = length * turn(poses[r.body], r.goal, i, w)
            for k in range(3):
                out[3 + k] += v * poses[r.body, 3 + 3 * i + k]


@borrowing
def _badness(e: Array) -> float:
    """Norm of an error (6,), mm: the axes are weighted by `TWIST`."""
    return sqrt(length_of_three(e, 0) ** 2 + (TWIST * length_of_three(e, 3)) ** 2)


@borrowing
def _share(x: Array, length: float) -> float:
    """Largest share of a step, up to 1, in which no body rotates by more than `SWING`."""
    swing = SWING
    for n in range(len(x)):
        swing = max(swing, length_of_three(x[n], 3) / length)
    return SWING / swing


@borrowing
def _report(e: Array, length: float, report: Array) -> None:
    """Write an error to a report."""
    report[AWAY], report[TURNED] = length_of_three(e, 0), length_of_three(e, 3) / length


@compiled
def _step(
    s: DragSystem, poses: Array, r: Request, careful: bool, report: Array, trial: Trial
) -> tuple[bool, bool]:
    """Take the largest share of a linear step that closes, reduces the error, and meets LIMIT.

    Args:
        careful: shorten a step that closes but does not reduce the error.
        trial: its poses and error are written.

    Returns:
        Whether a step was taken, and whether it was not shortened.
    """
    e = trial.error
    at, whole, limit = _badness(e), True, LIMIT * report[ASKED]
    share, loose = _share(trial.x, s.basis.length), max(s.tolerance, LOOSE * at)
    for _ in range(HALVINGS):
        residual = advance(s, poses, share, loose, False, trial)
        moved = largest_motion(s, trial)
        _error(trial.poses, r, s.basis.length, e)
        fits = residual <= 2.0 * loose and moved <= limit
        if fits and _badness(e) < at:
            _report(e, s.basis.length, report)
            report[MOVED] = moved
            return True, whole
        if fits and not careful:
            break
        whole = False
        if moved > limit and residual <= 2.0 * loose:
            report[LIMITED] = 1.0
            share *= min(0.5, 0.9 * (limit - report[MOVED]) / (moved - report[MOVED]))
        else:
            share *= 0.5
    return False, False


@compiled
def _iterate(s: DragSystem, poses: Array, r: Request, report: Array, trial: Trial) -> None:
    """Linear steps until the request is reached or no step reduces the error."""
    n, pulls, k = len(trial.x), 6 if r.oriented else 3, s.moving.pattern.position[r.body]
    response, y = Response(np.empty((pulls, n, 6)), np.empty((pulls, pulls))), np.empty(pulls)
    x, e, first, stale = trial.x, trial.error, 0.0, True
    for _ in range(ROUNDS):
        trial.counts[BLOCKS] += 1
        if stale:
            trial.counts[INVERSES] += 1
            found, free, weakest, which = responses(s, poses, r.body, r.grip, response)
            if not found:
                break
            report[FREE], report[WEAKEST], report[WHICH] = free, weakest, which
        pull(response, e, y, x)
        at, size = _badness(e), length_of_three(x[k], 0) + length_of_three(x[k], 3)
        first = max(first, size)
        if size <= ARRIVED * first or (size <= IDLE * first and size < 0.5 * at):
            break
        stepped, whole = _step(s, poses, r, at > IDLE * first, report, trial)
        if not stepped:
            break
        accept(s, trial, poses)
        stale = not whole or _badness(e) > STALE * at
        if _badness(e) <= ARRIVED * first:
            break


@compiled
def drag(s: DragSystem, poses: Array, r: Request, report: Array, counts: Ints) -> None:
    """Move a body as near to a request as its joints and `LIMIT` allow.

    Args:
        poses: (bodies, 12), world, with the mates closed; overwritten.
        report: (9,), written; counts: of the solver, (5,), added to.
    """
    n, length = len(s.moving.pattern.bodies), s.basis.length
    trial = Trial(np.zeros((n, 6)), poses.copy(), poses.copy(), np.empty(6), counts)
    _error(poses, r, length, trial.error)
    _report(trial.error, length, report)
    report[ASKED] = report[AWAY] + s.moving.reach[r.body] * report[TURNED]
    report[MOVED], report[LIMITED] = 0.0, 0.0
    _iterate(s, poses, r, report, trial)
    report[RESIDUAL] = advance(s, poses, 0.0, s.tolerance, True, trial)
    moved = largest_motion(s, trial)
    if report[MOVED] > 0.0 or moved > s.tolerance:  # else the poses stay bitwise unchanged
        accept(s, trial, poses)
        _error(poses, r, length, trial.error)
        _report(trial.error, length, report)
        report[MOVED] = moved

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
from .beyond_reach import BENT, BEYOND, REACHABLE, falling, newton
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

SETTLED = 1e3
"""Times the tolerance of the mates by which a distance, or a coordinate, does not change yet."""

LAST = 1e4
"""Steps up to this times the tolerance of the mates are the last ones, and no first ones: repeating
a request moves nothing, though near a singular pose rounding changes a step by as much."""

LOOSE = 1e-4
"""A setting: residual to which mates are closed behind a linear step, as a share of its square
over the length: of the distance by which it misses."""

CLOSE = 0.8
"""Share of `LIMIT` from which a step ends there."""

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


AWAY, TURNED, ASKED, MOVED, RESIDUAL, FREE, WEAKEST, WHICH, LIMITED, LAGS = range(10)
"""Indices in the report of a step: error of the grip (mm) and of the axes (rad), requested motion
(mm), largest motion of a part (mm), largest residual (mm), number of free directions, smallest
other pivot and its body, whether the step was shortened by `LIMIT`, and whether it ended before it
was as near as it gets."""


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
def _share(x: Array, length: float, most: float) -> float:
    """Largest share of a step, up to one, in which no body rotates by more than `SWING`."""
    swing = SWING / max(most, 1.0)
    for n in range(len(x)):
        swing = max(swing, length_of_three(x[n], 3) / length)
    return SWING / swing


@borrowing
def _report(e: Array, length: float, report: Array) -> None:
    """Write an error to a report."""
    report[AWAY], report[TURNED] = length_of_three(e, 0), length_of_three(e, 3) / length


@borrowing
def _largest(x: Array) -> float:
    """Largest entry of a linear step, mm."""
    most = 0.0
    for n in range(len(x)):
        for i in range(6):
            most = max(most, abs(x[n, i]))
    return most


@compiled
def _step(s: DragSystem, poses: Array, r: Request, way: int, report: Array, trial: Trial) -> bool:
    """Take the largest share of a linear step that closes, reduces the error, and meets LIMIT.

    Args:
        way: of the linear step.  Mates are closed loosely on the way to a target within reach: near
            a least distance that is not 0 what they are off by changes it more than a step does.
        trial: its poses and error are written.

    Returns:
        Whether a step was taken.
    """
    e, size, length = trial.error, _largest(trial.x), s.basis.length
    most, limit = _badness(e) + SETTLED * s.tolerance, LIMIT * report[ASKED]
    share = _share(trial.x, length, _badness(e) / size if way == BENT else 1.0)
    for _ in range(HALVINGS):
        trial.counts[BLOCKS] += 1
        loose = s.tolerance
        if way == REACHABLE:
            loose = max(loose, LOOSE * share * size * min(1.0, share * size / length))
        residual = advance(s, poses, share, loose, False, trial)
        moved = largest_motion(s, trial)
        _error(trial.poses, r, length, e)
        closes = residual <= 2.0 * loose
        if closes and moved <= limit and _badness(e) <= most:
            _report(e, length, report)
            report[MOVED] = moved
            return True
        if closes and moved > limit > report[MOVED]:
            report[LIMITED] = 1.0
            share *= min(0.5, 0.9 * (limit - report[MOVED]) / (moved - report[MOVED]))
        else:
            share = min(0.5 * share, 1.0)
    return False


@compiled
def _step_aside(
    s: DragSystem, poses: Array, r: Request, response: Response, report: Array, trial: Trial
) -> bool:
    """A step either way from where the distance is stationary and no least one, if nearer."""
    e = trial.error.copy()
    if falling(s, poses, r.body, response, e, trial.x):
        for _ in range(2):
            stepped = _step(s, poses, r, BEYOND, report, trial)
            if stepped and _badness(trial.error) < _badness(e) - SETTLED * s.tolerance:
                return True
            trial.error[:] = e
            trial.x[:] = -trial.x
    return False


@compiled
def _iterate(
    s: DragSystem, poses: Array, r: Request, work: int, report: Array, trial: Trial
) -> None:
    """Linear steps until no step reduces the error, or so many steps were tried."""
    pulls = 6 if r.oriented else 3
    square = np.empty((2, pulls, pulls))
    motions = np.empty((pulls, len(trial.x), 6))
    response = Response(motions, square[0], square[1], np.empty((6, 6)))
    x, e, y, stale = trial.x, trial.error, np.empty(pulls), True
    report[LAGS] = 1.0
    for n in range(ROUNDS):
        if n > 0 and trial.counts[BLOCKS] >= work:
            break
        if stale:
            trial.counts[INVERSES] += 1
            found, free, weakest, which = responses(s, poses, r.body, r.grip, response)
            if not found:
                break
            report[FREE], report[WEAKEST], report[WHICH] = free, weakest, which
        pull(response, e, y, x)
        way, at = newton(s, poses, r.body, response, e, x), _badness(e)
        last = _largest(x) <= LAST * s.tolerance
        if last and way == BENT:
            last = not _step_aside(s, poses, r, response, report, trial)
            if last:
                report[LAGS] = 0.0
                break
        elif last and n == 0:
            report[LAGS] = 0.0
            break
        elif not _step(s, poses, r, way, report, trial):
            break
        accept(s, trial, poses)
        stale = way != REACHABLE or _badness(e) > STALE * at
        if last or (report[LIMITED] > 0.0 and report[MOVED] > CLOSE * LIMIT * report[ASKED]):
            report[LAGS] = 0.0
            break


@compiled
def first_motion(s: DragSystem, poses: Array, r: Request, x: Array) -> bool:
    """The linear motion of the bodies that move towards a request, (bodies, 6), mm, to x."""
    n, pulls, e = len(x), 6 if r.oriented else 3, np.empty(6)
    square = np.empty((2, pulls, pulls))
    response = Response(np.empty((pulls, n, 6)), square[0], square[1], np.empty((6, 6)))
    _error(poses, r, s.basis.length, e)
    if not responses(s, poses, r.body, r.grip, response)[0]:
        return False
    pull(response, e, np.empty(pulls), x)
    return True


@compiled
def drag(
    s: DragSystem, before: Array, poses: Array, r: Request, work: int, report: Array, counts: Ints
) -> None:
    """Move a body as near to a request as its joints and `LIMIT` allow.

    Args:
        before: poses from which motions count, (bodies, 12), world.
        poses: where to begin, with the mates nearly closed; overwritten.
        work: steps that are tried, behind which no linear step is begun but the first.
        report: (10,), written; counts: of the solver, (5,), with the steps tried as blocks.
    """
    n, length = len(s.moving.pattern.bodies), s.basis.length
    trial = Trial(np.zeros((n, 6)), before, poses.copy(), np.empty(6), counts)
    _error(before, r, length, trial.error)
    _report(trial.error, length, report)
    report[ASKED] = report[AWAY] + s.moving.reach[r.body] * report[TURNED]
    report[MOVED] = report[RESIDUAL] = report[LIMITED] = report[LAGS] = 0.0
    if largest_motion(s, trial) > 0.0:
        _settle(s, poses, r, report, trial)
    if report[RESIDUAL] <= LOOSE * length:
        _iterate(s, poses, r, work, report, trial)
        trial.x[:] = 0.0
        _settle(s, poses, r, report, trial)


@compiled
def _settle(s: DragSystem, poses: Array, r: Request, report: Array, trial: Trial) -> None:
    """Close the mates where the bodies are; poses that do not move stay bitwise unchanged."""
    report[RESIDUAL] = advance(s, poses, 0.0, s.tolerance, True, trial)
    moved = largest_motion(s, trial)
    if report[MOVED] > 0.0 or moved > s.tolerance:
        accept(s, trial, poses)
        _error(poses, r, s.basis.length, trial.error)
        _report(trial.error, s.basis.length, report)
        report[MOVED] = moved

"""One step of dragging a body: the compiled loop.

A step asks a body to come to a pose, or one of its points to a place.  `compliance` tells which way
all bodies go; after every linear step the mates are closed: what hangs in a lower pair moves in it,
so that it never leaves it, and loops are closed by the least motion.  Nothing jumps and nothing
turns over: a step that moves any body too far, or that cannot be closed, is taken shorter.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...equations.closed_form import relative, unbind
from ...equations.sparse_block import Pattern, factorise, solve_sparse
from ...equations.table import (
    BLOCKS,
    INVERSES,
    SPACE,
    Table,
    copy,
    displace,
    residuals,
    world_point,
)
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ...model.measures.measure import ROTATION, compose, measure, turn
from .affected import Closing, Moving
from .compliance import TWIST, answers, between, pivots, pull, stiffness

LIMIT = 10.0
"""Times the requested step that no part may move more."""

SWING = 0.2
"""Largest angle of a body in one linear step, rad: further ahead the joints curve away."""

ROUNDS = 30
"""Linear steps after which a request is left as it is."""

STALE = 0.2
"""Share of the way that must be left after a step for the factor to be made anew."""

ARRIVED = 1e-5
"""Share of the way that may be left of it."""

IDLE = 1e-3
"""Share of the first step below which a further one brings nothing to a body that lags."""

LOOSE = 1e-4
"""Share of the way still to go to which the mates are closed between the steps."""

HALVINGS = 6
"""Times that a step which jumps or does not close is shortened."""

CLOSINGS = 30
"""Iterations in which a component must close."""


class Request(NamedTuple):
    """What is asked of a body: `grip` (its coordinates) to `goal` (world), and its axes to those
    of the frame `goal` where `oriented`; goal: (12,)."""

    body: int
    grip: Array
    goal: Array
    oriented: bool


AWAY, TURNED, ASKED, MOVED, RESIDUAL, FREE, WEAKEST, WHICH, LIMITED = range(9)
"""Places in the report of a step: how far the grip and the axes are from the request (mm, rad),
how far they were, the largest motion of a part (mm), the largest residual (mm), free directions,
the weakest of the others and its body, and whether a step was cut short."""


@compiled
def _error(poses: Array, r: Request, length: float, out: Array) -> None:
    """What the grip (mm) and the axes (rad times the length) are away from the request."""
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
def _size(e: Array, first: int) -> float:
    """Length of the three numbers from `first` on."""
    return sqrt(e[first] ** 2 + e[first + 1] ** 2 + e[first + 2] ** 2)


@borrowing
def _badness(e: Array) -> float:
    """How far away a request is as a whole: the point counts more than the axes."""
    return sqrt(_size(e, 0) ** 2 + (TWIST * _size(e, 3)) ** 2)


@borrowing
def _share(x: Array, length: float) -> float:
    """The part of a step in which no body turns too far to be linear."""
    swing = SWING
    for n in range(len(x)):
        swing = max(swing, _size(x[n], 3) / length)
    return SWING / swing


@borrowing
def _keep_to_joint(leaves: NDArray[np.bool_], seen: Array) -> None:
    """Clear from a joint's frame on the child, seen from that on the parent, what is rounding."""
    for k in range(3):
        if not leaves[k]:
            seen[k] = 0.0
    if not leaves[3]:  # at most the turn about z is free
        c, s = seen[3], seen[4]
        size = sqrt(c * c + s * s)
        if not leaves[5]:
            c, s, size = 1.0, 0.0, 1.0
        for k in range(3, 12):
            seen[k] = 0.0
        seen[3], seen[4], seen[6], seen[7], seen[11] = c / size, s / size, -s / size, c / size, 1.0
        return
    for k in range(3, 9, 3):
        if k == 6:
            along = seen[3] * seen[6] + seen[4] * seen[7] + seen[5] * seen[8]
            for r in range(3):
                seen[6 + r] -= along * seen[3 + r]
        size = sqrt(seen[k] ** 2 + seen[k + 1] ** 2 + seen[k + 2] ** 2)
        for r in range(3):
            seen[k + r] /= size
    seen[9] = seen[4] * seen[8] - seen[5] * seen[7]
    seen[10] = seen[5] * seen[6] - seen[3] * seen[8]
    seen[11] = seen[3] * seen[7] - seen[4] * seen[6]


class _Room(NamedTuple):
    """Scratch: three frames (3, 12), the motions of a pair (6, 6), a point (3,), a twist (6,)."""

    frames: Array
    rows: Array
    at: Array
    twist: Array


@borrowing
def _ride(
    m: Moving,
    n: int,
    poses: Array,
    x: Array,
    share: float,
    axes: Array,
    centre: Array,
    length: float,
    trial: Array,
    room: _Room,
) -> None:
    """Put the body of component n on its parent in `trial`, moved in its joint by its step."""
    c, p = m.closing, m.pattern
    parent, child = c.step[n, 1], c.step[n, 2]
    joint, back, seen = room.frames[0], room.frames[1], room.frames[2]
    rows, at, twist = room.rows, room.at, room.twist
    compose(poses[parent], c.at[n], joint)
    compose(poses[child], c.own[n], back)
    relative(joint, back, seen)
    for r in range(3):  # the motion in the joint, of the child's own frame along the parent's axes
        joint[r] = back[r]
        twist[r] = twist[3 + r] = 0.0
    for side in range(2):
        body = child if side == 1 else parent
        k = p.position[body]
        if k >= 0:
            world_point(poses[body], centre[body], at)
            between(joint, at, length, 1.0 if side == 1 else -1.0, rows)
            for i in range(6):
                for j in range(6):
                    twist[i] += share * rows[i, j] * x[k, j]
    for i in range(6):
        if not c.leaves[n, i]:
            twist[i] = 0.0
        if i < 3:
            at[i] = 0.0
    displace(seen, twist, axes, at, length)
    _keep_to_joint(c.leaves[n], seen)
    compose(trial[parent], c.at[n], joint)
    compose(joint, seen, back)
    unbind(back, c.own[n], trial[child])


@compiled
def _pattern_of(c: Closing, n: int) -> Pattern:
    """The sparse pattern of component n."""
    low, high = c.first_body[n], c.first_body[n + 1]
    return Pattern(
        c.bodies[low:high],
        c.position,
        c.first[low + n : high + n + 1],
        c.row[c.first_block[n] : c.first_block[n + 1]],
        c.first_target[low + n : high + n + 1],
        c.target[c.first_goal[n] : c.first_goal[n + 1]],
    )


@compiled
def _advance(
    t: Table,
    m: Moving,
    poses: Array,
    x: Array,
    share: float,
    axes: Array,
    centre: Array,
    length: float,
    stop: float,
    check: bool,
    counts: Ints,
    trial: Array,
) -> float:
    """Poses after a share of a step, every component closed outward; the largest residual.

    Bodies in lower pairs move in them; others are displaced, and closed by the least motion.
    Without `check` a lower pair is taken to hold.
    """
    c, p = m.closing, m.pattern
    f, own, worst = np.empty(len(c.rows)), np.empty(6), 0.0
    room = _Room(np.empty((3, 12)), np.empty((6, 6)), np.empty(3), np.empty(6))
    for k in range(len(p.bodies)):
        body = p.bodies[k]
        for i in range(6):
            own[i] = share * x[k, i]
        copy(poses[body], trial[body])
        displace(trial[body], own, axes, centre[body], length)
    for n in range(len(c.step)):
        rows = c.rows[c.first_row[n] : c.first_row[n + 1]]
        left = 0.0
        if c.step[n, 0] == 1:
            _ride(m, n, poses, x, share, axes, centre, length, trial, room)
            if check:
                left = residuals(t, trial, rows, f)
        if c.step[n, 0] == 0 or left > stop:
            root = c.step[n, 1]
            kept = c.position[root]
            c.position[root] = -1
            own_pattern = _pattern_of(c, n)
            solve_sparse(
                t,
                trial,
                rows,
                own_pattern,
                SPACE,
                axes,
                centre,
                length,
                stop,
                CLOSINGS,
                np.array([0.0, 2.0, 0.0]),
                counts,
            )
            c.position[root] = kept
            left = residuals(t, trial, rows, f)
        worst = max(worst, left)
    return worst


@compiled
def _largest_motion(p: Pattern, before: Array, poses: Array, centre: Array, reach: Array) -> float:
    """The largest motion of any body since `before`: of its centre, and of its reach, mm."""
    largest = 0.0
    c, d = np.empty(3), np.empty(3)
    for body in p.bodies:
        world_point(before[body], centre[body], c)
        world_point(poses[body], centre[body], d)
        for r in range(3):
            d[r] -= c[r]
        twisted = 0.0
        for k in range(3, 12):
            twisted += (poses[body, k] - before[body, k]) ** 2
        largest = max(largest, _size(d, 0) + reach[body] * sqrt(0.5 * twisted))
    return largest


@compiled
def _follow_turns(t: Table, rows: Ints, poses: Array) -> None:
    """Count the turns of angles in equations of several: each stays near to where it was."""
    a, b, w = np.empty(12), np.empty(12), np.empty(6)
    for e in rows:
        if t.first_term[e + 1] - t.first_term[e] < 2:
            continue
        for k in range(t.first_term[e], t.first_term[e + 1]):
            n = t.term_measure[k]
            if t.kind[n] == ROTATION:
                compose(poses[t.marker_body[t.marker_a[n]]], t.marker_frame[t.marker_a[n]], a)
                compose(poses[t.marker_body[t.marker_b[n]]], t.marker_frame[t.marker_b[n]], b)
                found = measure(t.kind[n], t.axis_i[n], t.axis_j[n], t.data, a, b, w)
                whole = np.floor((found - t.reference[k] + pi) / (2.0 * pi))
                t.reference[k] = found - 2.0 * pi * whole


@compiled
def _accept(t: Table, m: Moving, trial: Array, poses: Array) -> None:
    """Go to the poses of a trial."""
    for body in m.pattern.bodies:
        copy(trial[body], poses[body])
    _follow_turns(t, m.closing.rows, poses)


@compiled
def _factor(
    t: Table,
    m: Moving,
    poses: Array,
    r: Request,
    axes: Array,
    centre: Array,
    length: float,
    each: Array,
    h: Array,
    report: Array,
) -> bool:
    """Answers of all bodies to unit pulls on the dragged one; False where there are none."""
    n = len(m.pattern.bodies)
    diagonal, block = np.empty((n, 6, 6)), np.empty((len(m.pattern.row), 6, 6))
    stiffness(t, poses, m, axes, centre, length, diagonal, block)
    if not factorise(m.pattern, diagonal, block):
        return False
    report[FREE], report[WEAKEST], report[WHICH] = pivots(m, diagonal)
    answers(m.pattern, poses, r.body, r.grip, centre, length, diagonal, block, each, h)
    return True


@compiled
def _step(
    t: Table,
    m: Moving,
    before: Array,
    poses: Array,
    r: Request,
    x: Array,
    axes: Array,
    centre: Array,
    length: float,
    stop: float,
    careful: bool,
    report: Array,
    counts: Ints,
    trial: Array,
    e: Array,
) -> tuple[bool, bool]:
    """Take as much of a linear step as leads nearer, closes, and moves no body too far.

    Args:
        before: poses from which motions are counted; x: the step, (bodies, 6).
        careful: shorten a step that closes and does not lead nearer.
        trial: poses, written; e: what the grip and the axes are away there.

    Returns:
        Whether a step was taken, and whether it was the whole one.
    """
    at, whole, limit = _badness(e), True, LIMIT * report[ASKED]
    share, loose = _share(x, length), max(stop, LOOSE * at)
    for _ in range(HALVINGS):
        left = _advance(t, m, poses, x, share, axes, centre, length, loose, False, counts, trial)
        moved = _largest_motion(m.pattern, before, trial, centre, m.reach)
        _error(trial, r, length, e)
        fits = left <= 2.0 * loose and moved <= limit
        if fits and _badness(e) < at:
            report[MOVED], report[AWAY], report[TURNED] = moved, _size(e, 0), _size(e, 3) / length
            return True, whole
        if fits and not careful:
            break
        whole = False
        if moved > limit and left <= 2.0 * loose:
            report[LIMITED] = 1.0
            share *= min(0.5, 0.9 * (limit - report[MOVED]) / (moved - report[MOVED]))
        else:
            share *= 0.5
    return False, False


@compiled
def drag(
    t: Table,
    poses: Array,
    m: Moving,
    r: Request,
    centre: Array,
    length: float,
    stop: float,
    report: Array,
    counts: Ints,
) -> None:
    """Bring a body as near to a request as its joints and the limit of motion let it.

    Args:
        t: equations; the references of their angles are written.
        poses: (bodies, 12), with the mates closed; overwritten.
        stop: residual at which closing ends, mm.
        report: (9,), written; counts: of the solver.
    """
    n, pulls, k = len(m.pattern.bodies), 6 if r.oriented else 3, m.pattern.position[r.body]
    each, h, y = np.empty((pulls, n, 6)), np.empty((pulls, pulls)), np.empty(pulls)
    x, e, axes = np.zeros((n, 6)), np.empty(6), np.eye(3)
    before, trial = poses.copy(), poses.copy()
    _error(poses, r, length, e)
    report[AWAY], report[TURNED] = _size(e, 0), _size(e, 3) / length
    report[ASKED] = report[AWAY] + m.reach[r.body] * report[TURNED]
    report[MOVED], report[LIMITED], first, stale = 0.0, 0.0, 0.0, True
    for _ in range(ROUNDS):
        counts[BLOCKS] += 1
        if stale:
            counts[INVERSES] += 1
            if not _factor(t, m, poses, r, axes, centre, length, each, h, report):
                break
        pull(each, h, e, y, x)
        at, way = _badness(e), _size(x[k], 0) + _size(x[k], 3)
        first = max(first, way)
        if way <= ARRIVED * first or (way <= IDLE * first and way < 0.5 * at):
            break
        taken, whole = _step(
            t,
            m,
            before,
            poses,
            r,
            x,
            axes,
            centre,
            length,
            stop,
            at > IDLE * first,
            report,
            counts,
            trial,
            e,
        )
        if not taken:
            break
        _accept(t, m, trial, poses)
        stale = not whole or _badness(e) > STALE * at
        if _badness(e) <= ARRIVED * first:
            break
    report[RESIDUAL] = _advance(
        t, m, poses, x, 0.0, axes, centre, length, stop, True, counts, trial
    )
    moved = _largest_motion(m.pattern, before, trial, centre, m.reach)
    if report[MOVED] > 0.0 or moved > stop:  # what holds and is not dragged stays bit for bit
        _accept(t, m, trial, poses)
        _error(poses, r, length, e)
        report[MOVED], report[AWAY], report[TURNED] = moved, _size(e, 0), _size(e, 3) / length

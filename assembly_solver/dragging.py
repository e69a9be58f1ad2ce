"""One step of dragging a body: the compiled loop.

A step asks a body to come to a pose, or one of its points to a place.  Bodies answer like parts
that lie on a table: each resists being moved, each joint resists a little more being moved in, and
the joints hold.  That is a least-squares problem whose matrix is factorised once; its answer to
six unit pulls on the dragged body tells which way to go.  After every such step the mates are
closed exactly, body by body and loop by loop, by the least motion.  Nothing jumps: a step that
moves any body too far, or that cannot be closed, is taken shorter.

Source: damped least squares as in inverse kinematics, Nakamura and Hanafusa 1986; the compliance
of the dragged body is the Schur complement of the same matrix.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import compiled
from .kernel import BLOCKS, INVERSES, SPACE, Table, copy, displace, residuals, world_point
from .model.measure import compose, turn
from .numerics.linear import pseudo_inverse
from .placing import relative, unbind
from .sparse import Pattern, factorise, normal_matrix, solve_sparse, substitute
from .structure.moving import Closing, Moving

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

STAY = 1e-12
"""What a motion of a body costs beside what a motion against a joint costs."""

FRICTION = 1e-11
"""What a motion in a joint costs: what hangs on a body follows it, more or less."""

TWIST = 0.1
"""Weight of the orientation (rad times the characteristic length) beside the point (mm)."""

FIRM = 1e-4
"""How easily a dragged body moves in a direction, relative to the easiest, for it to count."""

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

NULL = 1e-7
"""Square of a pivot below which a direction counts as free."""

WEAK = 1e-4
"""Square of a pivot below which it is nearly free: a singular pose is near."""




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
def _between(frame: Array, centre: Array, length: float, sign: float, out: Array) -> None:
    """Motion of a body along and about the axes of a frame by its six unknowns, (6, 6)."""
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


@compiled
def _add_pair(
    p: Pattern, a: int, b: int, leaves: NDArray[np.bool_], ra: Array, rb: Array, diagonal: Array,
    block: Array,
) -> None:  # fmt: skip
    """Add what a joint between two bodies makes of their motions."""
    u, v = p.position[a], p.position[b]
    place = -1
    if u >= 0 and v >= 0:
        low, high = min(u, v), max(u, v)
        place = p.first[low]
        while p.row[place] != high:
            place += 1
    for r in range(6):
        weight = FRICTION if leaves[r] else 1.0
        for i in range(6):
            for j in range(6):
                if u >= 0:
                    diagonal[u, i, j] += weight * ra[r, i] * ra[r, j]
                if v >= 0:
                    diagonal[v, i, j] += weight * rb[r, i] * rb[r, j]
                if place >= 0:
                    if u > v:
                        block[place, i, j] += weight * ra[r, i] * rb[r, j]
                    else:
                        block[place, i, j] += weight * rb[r, i] * ra[r, j]


@compiled
def _stiffness(
    t: Table, poses: Array, m: Moving, axes: Array, centre: Array, length: float, diagonal: Array,
    block: Array, scratch: Array,
) -> None:  # fmt: skip
    """What motions of the bodies cost: joints, single equations, friction and staying put."""
    p = m.pattern
    normal_matrix(
        t, poses, m.rows, p, SPACE, axes, centre, length, diagonal, block, scratch
    )
    frame, c = np.empty(12), np.empty(3)
    ra, rb = np.empty((6, 6)), np.empty((6, 6))
    for n in range(len(m.pair)):
        a, b = m.pair[n, 0], m.pair[n, 1]
        compose(poses[a], m.frame[n], frame)
        world_point(poses[a], centre[a], c)
        _between(frame, c, length, -1.0, ra)
        world_point(poses[b], centre[b], c)
        _between(frame, c, length, 1.0, rb)
        _add_pair(p, a, b, m.leaves[n], ra, rb, diagonal, block)
    for k in range(len(p.bodies)):
        for i in range(6):
            diagonal[k, i, i] += STAY


@compiled
def _weakest(p: Pattern, diagonal: Array, report: Array) -> None:
    """Report by the pivots of the factor how many directions are free, and the next weakest."""
    free, weakest, which = 0.0, 1.0, -1.0
    for k in range(len(p.bodies)):
        for i in range(6):
            pivot = diagonal[k, i, i] * diagonal[k, i, i]
            if pivot < NULL:
                free += 1.0
            elif pivot < weakest:
                weakest, which = pivot, float(p.bodies[k])
    report[FREE], report[WEAKEST], report[WHICH] = free, weakest, which


@compiled
def _answers(
    p: Pattern, poses: Array, r: Request, centre: Array, length: float, diagonal: Array,
    block: Array, out: Array, h: Array,
) -> None:  # fmt: skip
    """Motions of all bodies under unit pulls on the grip, then on the axes, of the dragged one.

    out: (pulls, bodies, 6), pulls 3 or 6; h: (pulls, pulls), the pulls that move the grip and
    the axes by so much; directions in which they do not give way get none.
    """
    k, m = p.position[r.body], len(out)
    at, c, a = np.empty(3), np.empty(3), np.zeros((6, 6))
    world_point(poses[r.body], r.grip, at)
    world_point(poses[r.body], centre[r.body], c)
    for i in range(6):
        a[i, i] = 1.0
    for i in range(3):  # the grip's motion by a turn about the centre
        n, s = (i + 1) % 3, (i + 2) % 3
        a[i, 3 + n] = (at[s] - c[s]) / length
        a[i, 3 + s] = -(at[n] - c[n]) / length
    give = np.empty((m, m))
    for j in range(m):
        for body in range(len(p.bodies)):
            for i in range(6):
                out[j, body, i] = 0.0
        for i in range(6):
            out[j, k, i] = a[j, i] * (1.0 if j < 3 else TWIST)
        substitute(p, diagonal, block, out[j])
        for i in range(m):
            give[i, j] = 0.0
            for q in range(6):
                give[i, j] += a[i, q] * (1.0 if i < 3 else TWIST) * out[j, k, q]
    pseudo_inverse(give, h, FIRM)


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


@compiled
def _size(e: Array, first: int) -> float:
    """Length of the three numbers from `first` on."""
    return sqrt(e[first] ** 2 + e[first + 1] ** 2 + e[first + 2] ** 2)


@compiled
def _badness(e: Array) -> float:
    """How far away a request is as a whole: the point counts more than the axes."""
    return sqrt(_size(e, 0) ** 2 + (TWIST * _size(e, 3)) ** 2)


@compiled
def _pull(answers: Array, h: Array, e: Array, y: Array, x: Array) -> None:
    """Motions x (bodies, 6) that bring the dragged body nearer to the request; y is scratch."""
    m = len(h)
    for i in range(m):
        y[i] = 0.0
        for j in range(m):
            y[i] += h[i, j] * e[j] * (1.0 if j < 3 else TWIST)
    for n in range(len(x)):
        for i in range(6):
            x[n, i] = 0.0
            for j in range(m):
                x[n, i] += answers[j, n, i] * y[j]


@compiled
def _share(x: Array, length: float) -> float:
    """The part of a step in which no body turns too far to be linear."""
    swing = SWING
    for n in range(len(x)):
        swing = max(swing, _size(x[n], 3) / length)
    return SWING / swing


@compiled
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


@compiled
def _ride(
    m: Moving, n: int, poses: Array, x: Array, share: float, axes: Array, centre: Array,
    length: float, trial: Array,
) -> None:  # fmt: skip
    """Put the body of component n on its parent in `trial`, moved in its joint by its step."""
    c, p = m.closing, m.pattern
    parent, child = c.step[n, 1], c.step[n, 2]
    joint, back, seen = np.empty(12), np.empty(12), np.empty(12)
    compose(poses[parent], c.at[n], joint)
    compose(poses[child], c.own[n], back)
    relative(joint, back, seen)
    rows, at, twist = np.empty((6, 6)), np.empty(3), np.zeros(6)
    for r in range(3):  # the motion in the joint, of the child's own frame along the parent's axes
        joint[r] = back[r]
    for side in range(2):
        body = child if side == 1 else parent
        k = p.position[body]
        if k >= 0:
            world_point(poses[body], centre[body], at)
            _between(joint, at, length, 1.0 if side == 1 else -1.0, rows)
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
    t: Table, m: Moving, poses: Array, x: Array, share: float, axes: Array, centre: Array,
    length: float, stop: float, check: bool, counts: Ints, trial: Array,
) -> float:  # fmt: skip
    """Poses after a share of a step, every component closed outward; the largest residual.

    Bodies in lower pairs move in them; others are displaced, and closed by the least motion.
    Without `check` a lower pair is taken to hold.
    """
    c, p = m.closing, m.pattern
    f, own, worst = np.empty(len(c.rows)), np.empty(6), 0.0
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
            _ride(m, n, poses, x, share, axes, centre, length, trial)
        if check or c.step[n, 0] == 0:
            left = residuals(t, trial, rows, f)
        if left > stop:
            root = c.step[n, 1]
            kept = c.position[root]
            c.position[root] = -1
            own_pattern = _pattern_of(c, n)
            solve_sparse(
                t, trial, rows, own_pattern, SPACE, axes, centre, length, stop, CLOSINGS, 0.0,
                counts,
            )  # fmt: skip
            c.position[root] = kept
            left = residuals(t, trial, rows, f)
        worst = max(worst, left)
    return worst


@compiled
def _largest_motion(
    p: Pattern, before: Array, poses: Array, centre: Array, reach: Array
) -> float:
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
def drag(
    t: Table, poses: Array, m: Moving, r: Request, centre: Array, length: float, stop: float,
    accept: float, report: Array, counts: Ints,
) -> None:  # fmt: skip
    """Bring a body as near to a request as its joints and the limit of motion let it.

    Args:
        t: equations; poses: (bodies, 12), with the mates closed; overwritten.
        stop: residual at which closing ends; accept: at which a component holds, mm.
        report: (9,), written; counts: of the solver.
    """
    p, n, pulls = m.pattern, len(m.pattern.bodies), 6 if r.oriented else 3
    diagonal, block = np.empty((n, 6, 6)), np.empty((len(p.row), 6, 6))
    answers, h, y = np.empty((pulls, n, 6)), np.empty((pulls, pulls)), np.empty(pulls)
    x, e = np.empty((n, 6)), np.empty(6)
    before, trial, axes = poses.copy(), poses.copy(), np.eye(3)
    _error(poses, r, length, e)
    report[AWAY], report[TURNED] = _size(e, 0), _size(e, 3) / length
    report[ASKED] = report[AWAY] + m.reach[r.body] * report[TURNED]
    report[MOVED], report[LIMITED] = 0.0, 0.0
    limit, at, stale, first = LIMIT * report[ASKED], _badness(e), True, 0.0
    near = ARRIVED * at + stop
    k = p.position[r.body]
    for _ in range(ROUNDS):
        counts[BLOCKS] += 1
        if stale:
            counts[INVERSES] += 1
            _stiffness(t, poses, m, axes, centre, length, diagonal, block, x)
            if not factorise(p, diagonal, block):
                break
            _weakest(p, diagonal, report)
            _answers(p, poses, r, centre, length, diagonal, block, answers, h)
        _pull(answers, h, e, y, x)
        way = _size(x[k], 0) + _size(x[k], 3)
        first = max(first, way)
        if way <= ARRIVED * first or (way <= IDLE * first and way < 0.5 * at):
            break
        share, taken, now, stale = _share(x, length), False, at, False
        for _ in range(HALVINGS):
            loose = max(stop, LOOSE * at)
            left = _advance(
                t, m, poses, x, share, axes, centre, length, loose, False, counts, trial
            )
            moved = _largest_motion(p, before, trial, centre, m.reach)
            _error(trial, r, length, e)
            now = _badness(e)
            taken = left <= 2.0 * loose and moved <= limit and now < at
            if taken:
                break
            if left <= 2.0 * loose and moved <= limit and at <= IDLE * first:
                break
            stale = True
            if left <= 2.0 * loose and moved > limit:
                report[LIMITED] = 1.0
                share *= min(0.5, 0.9 * (limit - report[MOVED]) / (moved - report[MOVED]))
            else:
                share *= 0.5
        if not taken:
            break
        for body in p.bodies:
            copy(trial[body], poses[body])
        report[MOVED], report[AWAY], report[TURNED] = moved, _size(e, 0), _size(e, 3) / length
        stale = stale or now > STALE * at
        at = now
        if at <= near:
            break
    if report[MOVED] > 0.0:
        report[RESIDUAL] = _advance(
            t, m, poses, x, 0.0, axes, centre, length, stop, True, counts, trial
        )
        for body in p.bodies:
            copy(trial[body], poses[body])

"""Least movement of bodies on joints that form no loop: Newton's method in their joint coordinates.

A body moves with the one that it is joined to, and on its joint.  From the ends of the tree inward
the quadratic model of the movement is reduced to the twist of the body before, as the inertia of
articulated bodies is: the cost is linear in the bodies.

Source: docs/theory/least_movement.md, 5.
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.jit.decorators import apart, borrowing, compiled, inlined, spread
from ..foundations.numerics.rounding import FAINT, ROOT
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose, rotation_vector
from .closed_form import Cloud, PositioningJoint, place
from .movement import FAILED, LEAST, LEAST_RADIUS, LESS, LONGEST, NO_GAIN, squared_movement
from .table import copy, displace, world_point

FREEDOMS = {
    FIXED: (),
    REVOLUTE: ((3, 2),),
    PRISMATIC: ((0, 2),),
    CYLINDRICAL: ((0, 2), (3, 2)),
    SPHERICAL: ((3, 0), (3, 1), (3, 2)),
    PLANAR: ((0, 0), (0, 1), (3, 2)),
}
"""Freedoms of the pairs: 0 for a translation or 3 for a rotation, and the axis of the joint."""

LAST = (ROOT * ROOT, ROOT)
"""Squares of a step, relative to the movement, that is the last one: of Gauss and Newton, of Newton
with all curvature, which leaves the square of it."""

STEPS = 30
"""Most steps; four or five are usual for parts that are off by 20 degrees."""

SADDLE = FAINT
"""Negative curvature, relative to the least one, that is not rounding."""


class JointTree(NamedTuple):
    """Bodies on lower pairs, each behind the one that it is joined to.

    Attributes:
        body, parent: of each joint, as numbers of all bodies.
        before: the joint that moves the parent, -1 where the parent stays.
        ends: joints that move no parent of another.
        kind: of the pair, one of `FREEDOMS`.
        at, own: frame of the joint in coordinates of the parent and of the body, (joints, 12).
        first, offset, axis: freedoms of joint k are first[k] .. first[k + 1], as in `FREEDOMS`.
        length: characteristic length, mm.
    """

    body: Ints
    parent: Ints
    before: Ints
    ends: Ints
    kind: Ints
    at: Array
    own: Array
    first: Ints
    offset: Ints
    axis: Ints
    length: float


class TreeModel(NamedTuple):
    """The quadratic model of the movement, and its step.

    A twist of a body is the translation of its joint's origin, mm, then the rotation, rad.

    Attributes:
        inertia, pull: curvature and half the slope of the movement by the twist of a body, its
            joint and all behind it at their best, (joints, 6, 6) and (joints, 6).
        force: sum of the displacements of the features on it and behind it, (joints, 3), mm.
        spread: sum of the products of their arms and displacements, (joints, 3, 3), mm^2.
        frame: of the joint on the body, in the world, (joints, 12).
        gap: twist that closes the joint, (joints, 6), in the first step.
        coupling, pivot, slope: of each freedom with the twist before it, with itself, and half the
            slope by it, shapes (freedoms, 6), (freedoms,) and (freedoms,).
        twist: the step, (joints, 6).
        joint, other, moved, axes: scratch, (12,), (12,), (6,); the unit matrix.
    """

    inertia: Array
    pull: Array
    force: Array
    spread: Array
    frame: Array
    gap: Array
    coupling: Array
    pivot: Array
    slope: Array
    twist: Array
    joint: Array
    other: Array
    moved: Array
    axes: Array


@compiled
def _tree_model(t: JointTree) -> TreeModel:
    """Arrays for the model of a tree."""
    n, freedoms = len(t.body), len(t.axis)
    return TreeModel(
        np.empty((n, 6, 6)),
        np.empty((n, 6)),
        np.empty((n, 3)),
        np.empty((n, 3, 3)),
        np.empty((n, 12)),
        np.empty((n, 6)),
        np.empty((freedoms, 6)),
        np.empty(freedoms),
        np.empty(freedoms),
        np.empty((n, 6)),
        np.empty(12),
        np.empty(12),
        np.empty(6),
        np.eye(3),
    )


@inlined
@borrowing
def _gap(t: JointTree, poses: Array, k: int, a: Array, out: Array, b: Array) -> None:
    """Twist that closes joint k, but for what the joint leaves free; its frames are written."""
    compose(poses[t.parent[k]], t.at[k], a)
    compose(poses[t.body[k]], t.own[k], b)
    for r in range(3):
        out[r], out[3 + r] = a[r] - b[r], 0.0
    if t.kind[k] in (FIXED, PRISMATIC):
        x, y, z, _ = rotation_vector(b, a)
        for r in range(3):
            out[3 + r] = x * b[3 + r] + y * b[6 + r] + z * b[9 + r]
    elif t.kind[k] != SPHERICAL:
        _add_cross(b, 9, a, 9, out, 3)
        sine = sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5])
        if sine > 0.0:
            angle = atan2(sine, a[9] * b[9] + a[10] * b[10] + a[11] * b[11])
            for r in range(3, 6):
                out[r] *= angle / sine
    for f in range(t.first[k], t.first[k + 1]):
        if t.offset[f] == 0:
            u = 3 + 3 * t.axis[f]
            slid = out[0] * a[u] + out[1] * a[u + 1] + out[2] * a[u + 2]
            for r in range(3):
                out[r] -= slid * a[u + r]


@borrowing
def _add_cross(a: Array, i: int, b: Array, j: int, out: Array, k: int) -> None:
    """Add the cross product of vectors that begin at a[i] and b[j] to that at out[k]."""
    x = a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1]
    y = a[i + 2] * b[j] - a[i] * b[j + 2]
    z = a[i] * b[j + 1] - a[i + 1] * b[j]
    out[k] += x
    out[k + 1] += y
    out[k + 2] += z


@inlined
@borrowing
def _add_features(t: JointTree, poses: Array, c: Cloud, m: TreeModel, k: int, p: Array) -> None:
    """Add the features of a body to its part of the model; p is scratch of 6 numbers."""
    body, a, e, force = t.body[k], m.inertia[k], m.spread[k], m.force[k]
    for q in range(c.first[body], c.first[body + 1]):
        world_point(poses[body], c.own[q], p)
        for r in range(3):
            p[3 + r] = p[r] - c.start[q, r]
            p[r] -= m.frame[k, r]
        x, y, z = p[0], p[1], p[2]
        for r in range(3):
            force[r] += p[3 + r]
            m.pull[k, r] += p[3 + r]
            for i in range(3):
                e[i, r] += p[i] * p[3 + r]
            a[r, r] += 1.0
        _add_cross(p, 0, p, 3, m.pull[k], 3)
        a[0, 4], a[0, 5] = a[0, 4] + z, a[0, 5] - y
        a[1, 5], a[1, 3] = a[1, 5] + x, a[1, 3] - z
        a[2, 3], a[2, 4] = a[2, 3] + y, a[2, 4] - x
        a[3, 3] += y * y + z * z
        a[4, 4] += x * x + z * z
        a[5, 5] += x * x + y * y
        a[3, 4] -= x * y
        a[3, 5] -= x * z
        a[4, 5] -= y * z
    for i in range(6):
        for j in range(i):
            a[i, j] = a[j, i]


@inlined
@borrowing
def _reduce(t: JointTree, m: TreeModel, k: int, curved: bool, least: float) -> bool:
    """Put the freedoms of a joint at their best; False where they rise, with all curvature."""
    a, p, e, frame, force = m.inertia[k], m.pull[k], m.spread[k], m.frame[k], m.force[k]
    for f in range(t.first[k], t.first[k + 1]):
        o, v, u = t.offset[f], 3 + 3 * t.axis[f], m.coupling[f]
        pivot, slope = 0.0, 0.0
        for r in range(6):
            u[r] = a[r, o] * frame[v] + a[r, o + 1] * frame[v + 1] + a[r, o + 2] * frame[v + 2]
        if curved and o == 3:
            trace = e[0, 0] + e[1, 1] + e[2, 2]
            for r in range(3):
                u[3 + r] -= trace * frame[v + r]
                for i in range(3):
                    u[3 + r] += e[r, i] * frame[v + i]
        elif curved:
            _add_cross(frame, v, force, 0, u, 3)
        for r in range(3):
            pivot += frame[v + r] * u[o + r]
            slope += frame[v + r] * p[o + r]
        smallest = least * t.length * t.length if o == 3 else least
        if pivot < -SADDLE * smallest:
            return False
        pivot = max(pivot, smallest)
        m.pivot[f], m.slope[f] = pivot, slope
        for i in range(6):
            share = u[i] / pivot
            p[i] -= share * slope
            for j in range(6):
                a[i, j] -= share * u[j]
    return True


@inlined
@borrowing
def _hand_on(m: TreeModel, k: int, before: int, arm: Array) -> None:
    """Add what is reduced to the twist of a body to the model of the body before."""
    a, p = m.inertia[k], m.pull[k]
    for r in range(3):
        arm[r] = m.frame[k, r] - m.frame[before, r]
    for i in range(6):
        _add_cross(arm, 0, a[i], 0, a[i], 3)
    for j in range(6):
        x, y, z = a[0, j], a[1, j], a[2, j]
        a[3, j] += arm[1] * z - arm[2] * y
        a[4, j] += arm[2] * x - arm[0] * z
        a[5, j] += arm[0] * y - arm[1] * x
    _add_cross(arm, 0, p, 0, p, 3)
    for i in range(6):
        m.pull[before, i] += p[i]
        for j in range(6):
            m.inertia[before, i, j] += a[i, j]
    for i in range(3):
        m.force[before, i] += m.force[k, i]
        for j in range(3):
            m.spread[before, i, j] += m.spread[k, i, j] + arm[i] * m.force[k, j]


@borrowing
def _reduced(
    t: JointTree, poses: Array, c: Cloud, m: TreeModel, curved: bool, opened: bool
) -> bool:
    """Write the model at some poses; False where it is curved and has no minimum.

    Where joints are open the step closes them.
    """
    m.inertia[:] = 0.0
    m.pull[:] = 0.0
    m.force[:] = 0.0
    m.spread[:] = 0.0
    scratch = m.joint
    for k in range(len(t.body)):
        if opened:
            _gap(t, poses, k, scratch, m.gap[k], m.frame[k])
        else:
            compose(poses[t.body[k]], t.own[k], m.frame[k])
    for k in range(len(t.body) - 1, -1, -1):
        _add_features(t, poses, c, m, k, scratch)
        count = c.first[t.body[k] + 1] - c.first[t.body[k]]
        if not _reduce(t, m, k, curved, LEAST_RADIUS * max(1, count)):
            return False
        if opened:
            for i in range(6):
                for j in range(6):
                    m.pull[k, i] += m.inertia[k, i, j] * m.gap[k, j]
        if t.before[k] >= 0:
            _hand_on(m, k, t.before[k], scratch)
    return True


@borrowing
def _step(t: JointTree, c: Cloud, m: TreeModel) -> float:
    """Write the twists of the step; about the sum of squared displacements by it, mm^2."""
    out, arm = 0.0, m.joint
    for k in range(len(t.body)):
        x, before = m.twist[k], t.before[k]
        copy(m.gap[k], x)
        if before >= 0:
            for r in range(3):
                arm[r] = m.frame[k, r] - m.frame[before, r]
            for r in range(6):
                x[r] += m.twist[before, r]
            _add_cross(m.twist[before], 3, arm, 0, x, 0)
        for f in range(t.first[k + 1] - 1, t.first[k] - 1, -1):
            by = m.slope[f]
            for r in range(6):
                by += m.coupling[f, r] * x[r]
            for r in range(3):
                x[t.offset[f] + r] -= by / m.pivot[f] * m.frame[k, 3 + 3 * t.axis[f] + r]
        squared = 0.0
        for r in range(3):
            squared += x[r] * x[r] + (t.length * x[3 + r]) ** 2
        out += (c.first[t.body[k] + 1] - c.first[t.body[k]]) * squared
    return out


@borrowing
def _move_tree(t: JointTree, m: TreeModel, share: float, longest: float, poses: Array) -> None:
    """Move bodies by a share of the step, rotations up to `longest`, and close the joints."""
    gap, most = m.moved, 0.0
    for k in range(len(t.body)):
        x, y, z = m.twist[k, 3], m.twist[k, 4], m.twist[k, 5]
        most = max(most, share * sqrt(x * x + y * y + z * z))
    factor = share * (longest / most if most > longest else 1.0)
    for k in range(len(t.body)):
        pose, own = poses[t.body[k]], t.own[k]
        for r in range(6):
            gap[r] = factor * m.twist[k, r]
        displace(pose, gap, m.axes, own, 1.0)
        _gap(t, poses, k, m.joint, gap, m.other)
        displace(pose, gap, m.axes, own, 1.0)


@borrowing
def _lessen(t: JointTree, best: Array, trial: Array, c: Cloud, m: TreeModel) -> None:
    """The steps of `lessen_tree_movement` from `best` on; `trial` is scratch of its shape."""
    now, newton, share = np.inf, False, 1.0
    for n in range(STEPS):
        curved = newton and _reduced(t, best, c, m, True, False)
        if not curved:
            _reduced(t, best, c, m, False, n == 0)
        squared = _step(t, c, m)
        m.gap[:] = 0.0
        for body in t.body:
            copy(best[body], trial[body])
        _move_tree(t, m, share, LONGEST if n else np.inf, trial)
        moved = squared_movement(trial, t.body, c, m.joint)
        if moved < now:
            for body in t.body:
                copy(trial[body], best[body])
            ended = squared <= (LAST[1] if curved else LAST[0]) * moved
            now, newton, share = moved, True, min(1.0, 2.0 * share)
            if ended:
                break
        elif curved:
            newton = False
        else:
            share *= 0.25
            if squared * share * share <= LAST[0] * now:
                break


@spread
@apart
@compiled
def lessen_tree_movement(t: JointTree, poses: Array, begin: Array, start: Array, c: Cloud) -> int:
    """Move the bodies of a tree, their joints closed, to where they moved least.

    At the ends a rotation that moves no feature is the one nearest to the start.

    Args:
        poses: (all bodies, 12), overwritten where that is less movement than there.
        begin: from which the steps begin, those or others nearby; joints may be open there.
        start: where the bodies started.

    Returns:
        LESS, LEAST where there is nothing to gain, or FAILED where the steps lead elsewhere.
    """
    best, point = begin.copy(), np.empty(3)
    _lessen(t, best, begin.copy(), c, _tree_model(t))
    for k in t.ends:
        pair = PositioningJoint(t.parent[k], t.body[k], t.kind[k], t.at[k], t.own[k])
        place(best, start, pair, c, t.length)
    now = squared_movement(best, t.body, c, point)
    most = squared_movement(poses, t.body, c, point)
    if abs(now - most) <= NO_GAIN * most:
        return LEAST
    if not now < most:
        return FAILED
    for body in t.body:
        copy(best[body], poses[body])
    return LESS

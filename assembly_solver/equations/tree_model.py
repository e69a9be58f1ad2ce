"""The quadratic model of how far bodies on joints that form no loop moved, by joint coordinates.

From the ends of the tree inward it is reduced to the twist of the body before, as the inertia of
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
from ..foundations.jit.decorators import borrowing, compiled, inlined
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose, rotation_vector
from .closed_form import Cloud
from .movement import LEAST_RADIUS
from .table import world_point

FREEDOMS = {
    FIXED: (),
    REVOLUTE: ((3, 2),),
    PRISMATIC: ((0, 2),),
    CYLINDRICAL: ((0, 2), (3, 2)),
    SPHERICAL: ((3, 0), (3, 1), (3, 2)),
    PLANAR: ((0, 0), (0, 1), (3, 2)),
}
"""Freedoms of the pairs: 0 for a translation or 3 for a rotation, and the axis of the joint."""

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
        place: of each joint where in the next four its body is until that is handed on: as many
            places as there are such bodies at once, two in a chain, so that they stay at hand.
        inertia, pull: curvature and half the slope of the movement by the twist of a body, its
            joint and all behind it at their best, (places, 6, 6) and (places, 6).
        force: sum of the displacements of the features on it and behind it, (places, 3), mm.
        spread: sum of the products of their arms and displacements, (places, 3, 3), mm^2.
        frame: of the joint on the body, in the world, (joints, 12).
        gap: twist that closes the joint, (joints, 6), in the first step.
        coupling, pivot, slope: of each freedom with the twist before it, with itself, and half the
            slope by it, shapes (freedoms, 6), (freedoms,) and (freedoms,).
        twist: the step, (joints, 6).
        joint, other, moved, axes: scratch, (12,), (12,), (6,); the unit matrix.
    """

    place: Ints
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
def _places(t: JointTree) -> Ints:
    """As of `TreeModel`: a body has that of the first one behind it, which it hands over."""
    n = len(t.body)
    out, free = np.full(n, -1), np.empty(n, np.int64)
    left, places = 0, 0
    for k in range(n - 1, -1, -1):
        if out[k] < 0 and left:
            left -= 1
            out[k] = free[left]
        elif out[k] < 0:
            out[k] = places
            places += 1
        if t.before[k] >= 0 and out[t.before[k]] < 0:
            out[t.before[k]] = out[k]
        else:
            free[left] = out[k]
            left += 1
    return out


@compiled
def tree_model(t: JointTree) -> TreeModel:
    """Arrays for the model of a tree."""
    n, freedoms, place = len(t.body), len(t.axis), _places(t)
    places = place.max() + 1
    return TreeModel(
        place,
        np.empty((places, 6, 6)),
        np.empty((places, 6)),
        np.empty((places, 3)),
        np.empty((places, 3, 3)),
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
def joint_gap(t: JointTree, poses: Array, k: int, a: Array, out: Array, b: Array) -> None:
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
        add_cross(b, 9, a, 9, out, 3)
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
def add_cross(a: Array, i: int, b: Array, j: int, out: Array, k: int) -> None:
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
    body, s = t.body[k], m.place[k]
    a, pull, e, force = m.inertia[s], m.pull[s], m.spread[s], m.force[s]
    for q in range(c.first[body], c.first[body + 1]):
        world_point(poses[body], c.own[q], p)
        for r in range(3):
            p[3 + r] = p[r] - c.start[q, r]
            p[r] -= m.frame[k, r]
        x, y, z = p[0], p[1], p[2]
        for r in range(3):
            force[r] += p[3 + r]
            pull[r] += p[3 + r]
            for i in range(3):
                e[i, r] += p[i] * p[3 + r]
            a[r, r] += 1.0
        add_cross(p, 0, p, 3, pull, 3)
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
    s, frame = m.place[k], m.frame[k]
    a, p, e, force = m.inertia[s], m.pull[s], m.spread[s], m.force[s]
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
            add_cross(frame, v, force, 0, u, 3)
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
    s, into = m.place[k], m.place[before]
    a, p, e, force = m.inertia[s], m.pull[s], m.spread[s], m.force[s]
    for r in range(3):
        arm[r] = m.frame[k, r] - m.frame[before, r]
    for i in range(6):
        add_cross(arm, 0, a[i], 0, a[i], 3)
    for j in range(6):
        x, y, z = a[0, j], a[1, j], a[2, j]
        a[3, j] += arm[1] * z - arm[2] * y
        a[4, j] += arm[2] * x - arm[0] * z
        a[5, j] += arm[0] * y - arm[1] * x
    add_cross(arm, 0, p, 0, p, 3)
    for i in range(3):
        for j in range(3):
            e[i, j] += arm[i] * force[j]
    if into == s:
        return
    for i in range(6):
        m.pull[into, i] += p[i]
        for j in range(6):
            m.inertia[into, i, j] += a[i, j]
    for i in range(3):
        m.force[into, i] += force[i]
        for j in range(3):
            m.spread[into, i, j] += e[i, j]
    _clear(m, s)


@inlined
@borrowing
def _clear(m: TreeModel, place: int) -> None:
    """Make a place ready for another body."""
    m.inertia[place] = 0.0
    m.pull[place] = 0.0
    m.force[place] = 0.0
    m.spread[place] = 0.0


@borrowing
def reduced(t: JointTree, poses: Array, c: Cloud, m: TreeModel, curved: bool, opened: bool) -> bool:
    """Write the model at some poses; False where it is curved and has no minimum.

    Where joints are open the step closes them.
    """
    for s in range(len(m.force)):
        _clear(m, s)
    scratch = m.joint
    for k in range(len(t.body)):
        if opened:
            joint_gap(t, poses, k, scratch, m.gap[k], m.frame[k])
        else:
            compose(poses[t.body[k]], t.own[k], m.frame[k])
    for k in range(len(t.body) - 1, -1, -1):
        _add_features(t, poses, c, m, k, scratch)
        count = c.first[t.body[k] + 1] - c.first[t.body[k]]
        if not _reduce(t, m, k, curved, LEAST_RADIUS * max(1, count)):
            return False
        s = m.place[k]
        if opened:
            for i in range(6):
                for j in range(6):
                    m.pull[s, i] += m.inertia[s, i, j] * m.gap[k, j]
        if t.before[k] >= 0:
            _hand_on(m, k, t.before[k], scratch)
        else:
            _clear(m, s)
    return True

"""Least movement of bodies on joints that form no loop: Newton's method in their joint coordinates.

A body moves with the one that it is joined to, and on its joint.

Source: docs/theory/least_movement.md, 5.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..foundations.jit.decorators import apart, borrowing, compiled, spread
from ..foundations.numerics.rounding import ROOT
from ..foundations.types import Array
from .closed_form import Cloud, PositioningJoint, place
from .movement import FAILED, LEAST, LESS, LONGEST, NO_GAIN, squared_movement
from .table import copy, displace, world_point
from .tree_model import JointTree, TreeModel, add_cross, joint_gap, reduced, tree_model

LAST = (ROOT * ROOT, ROOT)
"""Squares of a step, relative to the movement, that is the last one: of Gauss and Newton, of Newton
with all curvature, which leaves the square of it."""

STEPS = 30
"""Most steps; four or five are usual for parts that are off by 20 degrees."""


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
            add_cross(m.twist[before], 3, arm, 0, x, 0)
        for f in range(t.first[k + 1] - 1, t.first[k] - 1, -1):
            by = m.slope[f]
            for r in range(6):
                by += m.coupling[f, r] * x[r]
            for r in range(3):
                x[t.offset[f] + r] -= by / m.pivot[f] * m.frame[k, 3 + 3 * t.axis[f] + r]
        squared = 0.0
        for r in range(3):
            turned = t.length * x[3 + r]
            squared += x[r] * x[r] + turned * turned
        out += (c.first[t.body[k] + 1] - c.first[t.body[k]]) * squared
    return out


@borrowing
def _move_tree(
    t: JointTree, m: TreeModel, share: float, longest: float, poses: Array, c: Cloud, out: Array
) -> float:
    """Bodies moved by a share of the step, rotations up to `longest`, their joints closed, and how
    far they are from the start then, mm^2, as `squared_movement` tells: in one pass over them."""
    gap, most, total = m.moved, 0.0, 0.0
    for k in range(len(t.body)):
        x, y, z = m.twist[k, 3], m.twist[k, 4], m.twist[k, 5]
        most = max(most, share * sqrt(x * x + y * y + z * z))
    factor = share * (longest / most if most > longest else 1.0)
    for k in range(len(t.body)):
        body, own = t.body[k], t.own[k]
        pose = out[body]
        copy(poses[body], pose)
        for r in range(6):
            gap[r] = factor * m.twist[k, r]
        displace(pose, gap, m.axes, own, 1.0)
        joint_gap(t, out, k, m.joint, gap, m.other)
        displace(pose, gap, m.axes, own, 1.0)
        for q in range(c.first[body], c.first[body + 1]):
            world_point(pose, c.own[q], m.joint)
            for r in range(3):
                off = m.joint[r] - c.start[q, r]
                total += off * off
    return total


@borrowing
def _lessen(t: JointTree, poses: Array, trial: Array, c: Cloud, m: TreeModel) -> None:
    """The steps of `lessen_tree_movement` from `poses` on; `trial` is a copy of them."""
    now, newton, share, best, exchanged = np.inf, False, 1.0, poses, False
    for n in range(STEPS):
        curved = newton and reduced(t, best, c, m, True, False)
        if not curved:
            reduced(t, best, c, m, False, n == 0)
        squared = _step(t, c, m)
        if n == 0:
            m.gap[:] = 0.0
        moved = _move_tree(t, m, share, LONGEST if n else np.inf, best, c, trial)
        if moved < now:
            best, trial, exchanged = trial, best, not exchanged
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
    if exchanged:
        for body in t.body:
            copy(best[body], poses[body])


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
    _lessen(t, best, begin.copy(), c, tree_model(t))
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

"""Closed-form pose of a body on a lower pair, and alignment of bodies that move in parallel planes.

A body on a joint with a positioned body gets the pose that the joint allows and at which the sum of
squared displacements of its mate features is least (docs/theory/planar.md, 4. Lifting, for planes).
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.nearest_motion import nearest_motion
from ..foundations.jit.decorators import apart, borrowing, compiled
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose
from .table import rotation_matrix, world_point


class Cloud(NamedTuple):
    """Mate features of the bodies: body k has points first[k] .. first[k + 1].

    Attributes:
        own: body coordinates, shape (points, 3), mm.
        start: world coordinates at the start, from which displacements are measured.
    """

    first: Ints
    own: Array
    start: Array


class PositioningJoint(NamedTuple):
    """A lower pair by which the pose of a body follows from that of another.

    Attributes:
        parent: the body whose pose is known; child: the other.
        kind: of the pair, as in `foundations.geometry.nearest_motion`.
        at, own: frame of the joint in parent and in child coordinates, shape (12,).
    """

    parent: int
    child: int
    kind: int
    at: Array
    own: Array


@borrowing
def _turn(pose: Array, v: Array, out: Array) -> None:
    """World coordinates of a vector in body coordinates."""
    for r in range(3):
        out[r] = 0.0
        for k in range(3):
            out[r] += pose[3 + 3 * k + r] * v[k]


@borrowing
def _square_to(n: Array, out: Array) -> float:
    """A direction square to the unit vector n, of the length that is returned."""
    k = 0
    for r in range(1, 3):
        if abs(n[r]) < abs(n[k]):
            k = r
    for r in range(3):
        out[r] = (1.0 if r == k else 0.0) - n[k] * n[r]
    return sqrt(1.0 - n[k] * n[k])


@borrowing
def _into(frame: Array, p: Array, out: Array) -> None:
    """Coordinates of a world point in a frame."""
    for s in range(3):
        out[s] = 0.0
        for r in range(3):
            out[s] += frame[3 + 3 * s + r] * (p[r] - frame[r])


@borrowing
def relative(frame: Array, other: Array, out: Array) -> None:
    """Frame `other` in coordinates of `frame`: out = frame^-1 other, shape (12,)."""
    _into(frame, other[:3], out)
    for k in range(1, 4):
        for s in range(3):
            v = 0.0
            for r in range(3):
                v += frame[3 + 3 * s + r] * other[3 * k + r]
            out[3 * k + s] = v


@borrowing
def unbind(frame: Array, own: Array, out: Array) -> None:
    """Pose of a body at which its frame `own` (body coordinates) is the world frame `frame`."""
    for k in range(1, 4):  # columns of R = F O^T
        for r in range(3):
            v = 0.0
            for s in range(1, 4):
                v += frame[3 * s + r] * own[3 * s + k - 1]
            out[3 * k + r] = v
    for r in range(3):
        out[r] = frame[r]
        for k in range(3):
            out[r] -= out[3 + 3 * k + r] * own[k]


@apart
@compiled
def place(poses: Array, start: Array, pair: PositioningJoint, c: Cloud, length: float) -> None:
    """Move a body to the pose nearest to its start that its joint with its parent allows.

    Args:
        poses: shape (bodies, 12); the child's row is overwritten.
        start: poses that decide between equally near poses.
        length: the characteristic length, mm.
    """
    child, own = pair.child, pair.own
    low, high = c.first[child], c.first[child + 1]
    joint, back, motion, first = np.empty(12), np.empty(12), np.empty(12), np.empty(12)
    compose(poses[pair.parent], pair.at, joint)
    compose(start[child], own, back)
    relative(joint, back, first)
    x, y = np.empty((high - low, 3)), np.empty((high - low, 3))
    for k in range(low, high):
        _into(own, c.own[k], x[k - low])
        _into(joint, c.start[k], y[k - low])
    nearest_motion(pair.kind, x, y, first, length, motion)
    compose(joint, motion, back)
    unbind(back, own, poses[child])


@compiled
def upright(pose: Array, normal: Array, n: Array, centre: Array) -> None:
    """Rotate a body about its centre by the smallest rotation that takes its `normal` to n.

    `normal` and `centre` are in body coordinates, n is a unit vector in the world.
    """
    a, v, c = np.empty(3), np.empty(3), np.empty(3)
    _turn(pose, normal, a)
    v[0] = a[1] * n[2] - a[2] * n[1]
    v[1] = a[2] * n[0] - a[0] * n[2]
    v[2] = a[0] * n[1] - a[1] * n[0]
    sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    cosine = a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
    if sine == 0.0 and cosine > 0.0:
        return
    if sine < ROUNDING and cosine < 0.0:  # half a turn: about any axis square to n
        _square_to(n, v)
        sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    angle = atan2(sine, cosine)
    q = np.empty((3, 3))
    rotation_matrix(v[0] / sine * angle, v[1] / sine * angle, v[2] / sine * angle, q)
    world_point(pose, centre, c)
    old = pose.copy()
    for k in range(1, 4):
        for r in range(3):
            pose[3 * k + r] = (
                q[r, 0] * old[3 * k] + q[r, 1] * old[3 * k + 1] + q[r, 2] * old[3 * k + 2]
            )
    for r in range(3):
        pose[r] = c[r]
        for k in range(3):
            pose[r] -= pose[3 + 3 * k + r] * centre[k]


class PlanarComponent(NamedTuple):
    """A component whose bodies move in parallel planes.

    Attributes:
        bodies: the root first.
        normal: the common normal in the coordinates of each body, shape (bodies, 3).
        height: of each body's origin along it, relative to its group, mm.
        group: of each body; heights are related within a group only, and 0 is the root's.
        groups: how many groups there are.
    """

    bodies: Ints
    normal: Array
    height: Array
    group: Ints
    groups: int


@compiled
def plane_axes(poses: Array, root: int, normal: Array, out: Array) -> None:
    """World directions of a plane as rows of `out`: two in the plane, then the normal.

    `normal` is in coordinates of the body `root`.
    """
    n = out[2]
    _turn(poses[root], normal, n)
    size = _square_to(n, out[0])
    for r in range(3):
        out[0, r] /= size
    out[1, 0] = n[1] * out[0, 2] - n[2] * out[0, 1]
    out[1, 1] = n[2] * out[0, 0] - n[0] * out[0, 2]
    out[1, 2] = n[0] * out[0, 1] - n[1] * out[0, 0]


@apart
@compiled
def align(poses: Array, flat: PlanarComponent, centre: Array, c: Cloud, axes: Array) -> None:
    """Rotate the bodies of a planar component into its planes and move them to their heights.

    The root is not moved.  A group of bodies whose height is free keeps the mean height of its
    features.  `centre` is of all bodies, in body coordinates; `axes` are those of `plane_axes`.

    Source: docs/theory/planar.md, 3. The heights and 4. Lifting.
    """
    root = flat.bodies[0]
    plane_axes(poses, root, flat.normal[0], axes)
    n = axes[2]
    shift, weight = np.zeros(flat.groups), np.zeros(flat.groups)
    at = 0.0
    for r in range(3):
        at += n[r] * poses[root, r]
    for k in range(1, len(flat.bodies)):
        b = flat.bodies[k]
        upright(poses[b], flat.normal[k], n, centre[b])
        for q in range(c.first[b], c.first[b + 1]):
            v = -flat.height[k]
            for r in range(3):
                v += n[r] * c.start[q, r] - flat.normal[k, r] * c.own[q, r]
            shift[flat.group[k]] += v
            weight[flat.group[k]] += 1.0
    for g in range(flat.groups):
        if weight[g] > 0.0:
            shift[g] /= weight[g]
    shift[0] = at
    for k in range(1, len(flat.bodies)):
        b = flat.bodies[k]
        off = shift[flat.group[k]] + flat.height[k]
        for r in range(3):
            off -= n[r] * poses[b, r]
        for r in range(3):
            poses[b, r] += off * n[r]


@compiled
def place_in_plane(
    poses: Array, start: Array, pair: PositioningJoint, c: Cloud, length: float, n: Array
) -> None:
    """`place` in a planar component with unit normal n: the child keeps its height."""
    child = pair.child
    height = 0.0
    for r in range(3):
        height += n[r] * poses[child, r]
    place(poses, start, pair, c, length)
    for r in range(3):
        height -= n[r] * poses[child, r]
    for r in range(3):
        poses[child, r] += height * n[r]

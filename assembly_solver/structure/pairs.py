"""All mates between two bodies as one pair, with the joint that they amount to.

The pair is closed on its own, one body held, and the null space of its rows there is read as
screws: a hinge is one rotation, a slider one translation, a ball three rotations about a point.
What a null space says holds only at one pose; so the residuals are tried again at finite motions
along the joint, and a pair that fails there is `general`.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.nearest import (
    CYLINDRICAL,
    FIXED,
    FREE,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..jit import compiled
from ..kernel import (
    RANK_CUT,
    SOLVED,
    Table,
    displace,
    jacobian,
    residuals,
    solve_dense,
    turned,
    world_point,
)
from ..model.measure import compose
from ..numerics.linear import pseudo_inverse

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

KIND_NAMES = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "spherical",
    "planar",
    "free",
    "general",
)
"""Names of the kinds in geometry.nearest, by number."""

SAME = 1e-6
"""Sine or relative offset below which two screws are taken as parallel or as on one line."""


class Pairs(NamedTuple):
    """Pairs of bodies and what holds between them; one row each.

    `frame_a` and `frame_b` are the joint's frame in the coordinates of a and of b, z its axis;
    `relative` is the pose of b in a where the pair was closed; `gap` the largest residual there.
    """

    bodies: Ints
    first_row: Ints
    """Equations of pair p are rows[first_row[p]] .. rows[first_row[p + 1]]."""
    rows: Ints
    kind: Ints
    rank: Ints
    gap: Array
    frame_a: Array
    frame_b: Array
    relative: Array


@compiled
def invert(pose: Array, out: Array) -> None:
    """The inverse of a rigid motion given by 12 numbers."""
    for r in range(3):
        out[r] = -(
            pose[3 + 3 * r] * pose[0] + pose[4 + 3 * r] * pose[1] + pose[5 + 3 * r] * pose[2]
        )
        for s in range(3):
            out[3 + 3 * s + r] = pose[3 + 3 * r + s]


@compiled
def _basis(j: Array, inverse: Array, rank: int, out: Array) -> None:
    """Orthonormal columns that span the null space of j (m, 6): from the projector I - J+ J."""
    p = np.eye(6)
    for i in range(6):
        for k in range(6):
            for r in range(j.shape[0]):
                p[i, k] -= inverse[i, r] * j[r, k]
    for n in range(6 - rank):
        best, size = 0, -1.0
        for k in range(6):
            s = 0.0
            for i in range(6):
                s += p[i, k] * p[i, k]
            if s > size:
                best, size = k, s
        for i in range(6):
            out[i, n] = p[i, best] / sqrt(size)
        for k in range(6):
            along = 0.0
            for i in range(6):
                along += out[i, n] * p[i, k]
            for i in range(6):
                p[i, k] -= along * out[i, n]


@compiled
def _turn_basis(basis: Array, count: int, axes: Array) -> None:
    """Null vectors along `axes` to null vectors along the world's axes."""
    old = np.empty(3)
    for n in range(count):
        for part in range(2):
            for r in range(3):
                old[r] = basis[3 * part + r, n]
            for r in range(3):
                basis[3 * part + r, n] = 0.0
                for k in range(3):
                    basis[3 * part + r, n] += old[k] * axes[k, r]


@compiled
def _spin_first(basis: Array, count: int) -> int:
    """Recombine null vectors so that the first have independent rotations, the rest none."""
    spins = 0
    for _ in range(min(3, count)):
        best, size = -1, 1e-7
        for k in range(spins, count):
            s = sqrt(basis[3, k] ** 2 + basis[4, k] ** 2 + basis[5, k] ** 2)
            if s > size:
                best, size = k, s
        if best < 0:
            break
        for i in range(6):
            found = basis[i, best] / size
            basis[i, best] = basis[i, spins]
            basis[i, spins] = found
        for k in range(count):
            if k == spins:
                continue
            along = 0.0
            for i in range(3, 6):
                along += basis[i, k] * basis[i, spins]
            if k > spins:
                for i in range(6):
                    basis[i, k] -= along * basis[i, spins]
        spins += 1
    return spins


@compiled
def _joint(basis: Array, count: int, centre: Array, length: float, out: Array) -> int:
    """The lower pair with these free twists; its point and axis go to out[0:3], out[9:12]."""
    spins = _spin_first(basis, count)
    slides = count - spins
    v, w = basis[:3], basis[3:]
    for r in range(3):
        out[r] = centre[r]
        out[9 + r] = 1.0 if r == 2 else 0.0
    if count == 0:
        return FIXED
    if spins == 0 and slides == 1:
        for r in range(3):
            out[9 + r] = v[r, 0]
        return PRISMATIC
    if spins == 1:
        u = w[:, 0].copy()
        x = v[:, 0].copy()
        for k in range(1, count):
            t = v[:, k] / sqrt(np.sum(v[:, k] ** 2))
            x -= np.sum(t * x) * t
        if slides == 1 and abs(abs(np.sum(v[:, 1] * u)) - sqrt(np.sum(v[:, 1] ** 2))) > SAME:
            return GENERAL
        if slides == 2 and abs(np.sum(v[:, 1] * u)) + abs(np.sum(v[:, 2] * u)) > SAME:
            return GENERAL
        if slides == 3 or (slides != 1 and abs(np.sum(x * u)) > SAME):
            return GENERAL
        if slides != 2:  # foot of the axis: centre + u x v / |w|^2, v per mm of turned arc
            out[0] += length * (u[1] * x[2] - u[2] * x[1])
            out[1] += length * (u[2] * x[0] - u[0] * x[2])
            out[2] += length * (u[0] * x[1] - u[1] * x[0])
        for r in range(3):
            out[9 + r] = u[r]
        return (REVOLUTE, CYLINDRICAL, PLANAR)[slides]
    if spins == 3 and slides == 0:
        return _ball(v, w, length, out)
    if count == 6:
        return FREE
    return GENERAL


@compiled
def _ball(v: Array, w: Array, length: float, out: Array) -> int:
    """Three rotations about one point q: v_k = -w_k x (q - centre) for each."""
    a, b = np.zeros((9, 3)), np.zeros(9)
    for k in range(3):
        x, y, z = w[0, k], w[1, k], w[2, k]
        a[3 * k, 1], a[3 * k, 2] = z, -y
        a[3 * k + 1, 0], a[3 * k + 1, 2] = -z, x
        a[3 * k + 2, 0], a[3 * k + 2, 1] = y, -x
        for r in range(3):
            b[3 * k + r] = v[r, k]
    inverse = np.empty((3, 9))
    pseudo_inverse(a, inverse, RANK_CUT)
    miss = 0.0
    q = np.zeros(3)
    for r in range(3):
        for k in range(9):
            q[r] += inverse[r, k] * b[k]
    for k in range(9):
        e = b[k]
        for r in range(3):
            e -= a[k, r] * q[r]
        miss = max(miss, abs(e))
    if miss > SAME:
        return GENERAL
    for r in range(3):
        out[r] += length * q[r]
    return SPHERICAL


@compiled
def _complete(frame: Array) -> None:
    """Fill x and y of a frame from its z."""
    z = frame[9:12]
    k = 0
    for r in range(1, 3):
        if abs(z[r]) < abs(z[k]):
            k = r
    x = np.zeros(3)
    x[k] = 1.0
    along = z[k]
    size = sqrt(1.0 - along * along)
    for r in range(3):
        frame[3 + r] = (x[r] - along * z[r]) / size
    frame[6] = z[1] * frame[5] - z[2] * frame[4]
    frame[7] = z[2] * frame[3] - z[0] * frame[5]
    frame[8] = z[0] * frame[4] - z[1] * frame[3]


@compiled
def _is_finite(
    t: Table, poses: Array, b: int, rows: Ints, kind: int, joint: Array, length: float
) -> bool:
    """Whether the rows still hold after finite motions along the joint."""
    if kind == FIXED or kind == GENERAL or kind == FREE:
        return True
    kept = poses[b].copy()
    f = np.empty(len(rows))
    limit = residuals(t, poses, rows, f) + 1e-8 * length
    axes = np.empty((3, 3))
    for k in range(3):
        for r in range(3):
            axes[k, r] = joint[3 + 3 * k + r]
    origin = np.empty(3)
    back = np.empty(12)
    invert(kept, back)
    for r in range(3):
        origin[r] = back[r]
    world_point(back, joint[:3], origin)
    holds = True
    for trial in range(2):
        s = 1.0 if trial == 0 else -1.7
        step = np.zeros(6)
        if kind != PRISMATIC:
            step[5] = 1.1 * s * length
        if kind == PRISMATIC or kind == CYLINDRICAL:
            step[2] = 0.4 * s * length
        if kind == SPHERICAL:
            step[3], step[4] = 0.7 * length, -0.9 * s * length
        if kind == PLANAR:
            step[0], step[1] = 0.3 * length, -0.5 * s * length
        displace(poses[b], step, axes, origin, length)
        if residuals(t, poses, rows, f) > limit:
            holds = False
        poses[b] = kept
    return holds


@compiled
def _close(
    t: Table,
    poses: Array,
    b: int,
    rows: Ints,
    slot: Ints,
    axes: Array,
    flat: bool,
    centre: Array,
    length: float,
    tolerance: float,
) -> float:
    """Move body b so that the rows hold; from other orientations where the start does not do.

    Returns the largest residual at the best point found, where the body is left.
    """
    counts = np.zeros(5, np.int64)
    bodies = np.array([b])
    start, best = poses[b].copy(), poses[b].copy()
    f = np.empty(len(rows))
    least = 1e300
    q = np.empty((3, 3))
    c = np.empty(3)
    world_point(start, centre[b], c)
    for trial in range(11):
        poses[b] = start
        if trial > 0:  # half turns, then quarter turns, about the axes of the body
            k = (trial - 1) % 3
            angle = 3.1 if trial <= 3 else (1.6 if trial <= 6 else -1.6)
            if trial == 10:
                angle = 2.1
            s = 0.02  # a little off, to leave the ridges of symmetry
            if flat:
                angle *= 0.3 * trial
                turned(angle * axes[2, 0], angle * axes[2, 1], angle * axes[2, 2], q)
            else:
                turned(angle * (k == 0) + s, angle * (k == 1) + s, angle * (k == 2) - s, q)
            old = poses[b].copy()
            for n in range(1, 4):
                for r in range(3):
                    poses[b, 3 * n + r] = (
                        q[r, 0] * old[3 * n] + q[r, 1] * old[3 * n + 1] + q[r, 2] * old[3 * n + 2]
                    )
            for r in range(3):
                poses[b, r] = c[r]
                for n in range(3):
                    poses[b, r] -= poses[b, 3 + 3 * n + r] * centre[b, n]
        status = solve_dense(
            t, poses, rows, bodies, slot, axes, centre, length, tolerance, 2.0, 0, 60, counts
        )
        worst = residuals(t, poses, rows, f)
        if worst < least:
            least = worst
            best[:] = poses[b]
        if status == SOLVED:
            break
    poses[b] = best
    return least


@compiled
def analyse_pairs(
    t: Table,
    start: Array,
    p: Pairs,
    which: Ints,
    axes: Array,
    flat: bool,
    centre: Array,
    length: float,
    tolerance: float,
) -> None:
    """Close every pair in `which` on its own and fill its kind, rank, gap and frames.

    With `flat` body b moves in the plane of the first two `axes` only.
    """
    poses = start.copy()
    slot = np.full((len(start), 6), -1, np.int64)
    extra = 3 if flat else 0
    back = np.empty(12)
    c = np.empty(3)
    for n in which:
        a, b = p.bodies[n, 0], p.bodies[n, 1]
        rows = p.rows[p.first_row[n] : p.first_row[n + 1]]
        for k in range(6):
            slot[b, k] = k
        if flat:
            slot[b, 2], slot[b, 3], slot[b, 4], slot[b, 5] = -1, -1, -1, 2
        p.gap[n] = _close(t, poses, b, rows, slot, axes, flat, centre, length, tolerance)
        j, inverse = np.zeros((len(rows) + extra, 6)), np.empty((6, len(rows) + extra))
        for k in range(6):
            slot[b, k] = k
        jacobian(t, poses, rows, slot, axes, centre, length, j[: len(rows)])
        for k in range(extra):  # the three unknowns that a plane does not have
            for i in range(len(rows)):
                j[i, 2 + k] = 0.0
            j[len(rows) + k, 2 + k] = 1.0
        rank = pseudo_inverse(j, inverse, 1e-9)
        basis = np.empty((6, 6))
        _basis(j, inverse, rank, basis)
        joint = np.empty(12)
        _turn_basis(basis, 6 - rank, axes)
        world_point(poses[b], centre[b], c)
        kind = _joint(basis, 6 - rank, c, length, joint)
        _complete(joint)
        if not _is_finite(t, poses, b, rows, kind, joint, length):
            kind = GENERAL
        p.kind[n], p.rank[n] = kind, rank - extra
        invert(poses[a], back)
        compose(back, joint, p.frame_a[n])
        compose(back, poses[b], p.relative[n])
        invert(poses[b], back)
        compose(back, joint, p.frame_b[n])
        poses[b] = start[b]
        for k in range(6):
            slot[b, k] = -1

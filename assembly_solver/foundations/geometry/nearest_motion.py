"""Least-squares motion of a lower pair that takes points to their targets, in closed form.

Both point sets are in the frame of the pair, z its axis.  Where the points do not determine a
rotation (they are on the axis, say) it is the one nearest to the start.

Source: rotation about an axis by two moments; about a point by Horn 1987 (unit quaternion of the
largest eigenvalue).
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from ..jit.decorators import apart, compiled
from ..numerics.rounding import EPSILON, RANK
from ..types import Array, Ints

FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, SPHERICAL, PLANAR, FREE, GENERAL = range(8)
"""Lower pairs; FREE is none, GENERAL a constraint without closed form here."""

TIE = 1e-9
"""A setting: weight of the start rotation relative to the points.

Rounding of the moments is 1e-16 of them: an undetermined rotation is accurate to 1e-7, and a
determined one is shifted by 1e-9 of the rotation from the start.
"""

ON_AXIS = RANK / 8.0
"""Distance from an axis, relative to the characteristic length, that counts as zero."""


DIAGONAL = (EPSILON / 256.0) ** 2
"""Sum of the squares off the diagonal, relative to those on it, that changes no eigenvector."""


@compiled
def _eigenvector(n: Array, out: Array) -> None:
    """Unit eigenvector of the largest eigenvalue of a symmetric (4, 4) matrix, by Jacobi sweeps."""
    v = np.zeros((4, 4))
    for k in range(4):
        v[k, k] = 1.0
    for _ in range(30):
        off, size = 0.0, 0.0
        for p in range(4):
            size += n[p, p] * n[p, p]
            for q in range(p + 1, 4):
                off += n[p, q] * n[p, q]
        if off <= DIAGONAL * size:
            break
        for p in range(3):
            for q in range(p + 1, 4):
                if n[p, q] * n[p, q] <= DIAGONAL / 64.0 * size:
                    continue
                h = (n[q, q] - n[p, p]) / (2.0 * n[p, q])
                t = 1.0 / (abs(h) + hypot(h, 1.0))
                if h < 0.0:
                    t = -t
                c = 1.0 / sqrt(t * t + 1.0)
                s = t * c
                for k in range(4):
                    a, b = n[k, p], n[k, q]
                    n[k, p], n[k, q] = c * a - s * b, s * a + c * b
                for k in range(4):
                    a, b = n[p, k], n[q, k]
                    n[p, k], n[q, k] = c * a - s * b, s * a + c * b
                for k in range(4):
                    a, b = v[k, p], v[k, q]
                    v[k, p], v[k, q] = c * a - s * b, s * a + c * b
    best = 0
    for k in range(1, 4):
        if n[k, k] > n[best, best]:
            best = k
    for k in range(4):
        out[k] = v[k, best]


@compiled
def _best_rotation(h: Array, out: Array) -> None:
    """Rotation R (3, 3) that maximises trace(R^T h)."""
    n = np.empty((4, 4))
    n[0, 0] = h[0, 0] + h[1, 1] + h[2, 2]
    n[0, 1] = n[1, 0] = h[2, 1] - h[1, 2]
    n[0, 2] = n[2, 0] = h[0, 2] - h[2, 0]
    n[0, 3] = n[3, 0] = h[1, 0] - h[0, 1]
    n[1, 1] = h[0, 0] - h[1, 1] - h[2, 2]
    n[1, 2] = n[2, 1] = h[0, 1] + h[1, 0]
    n[1, 3] = n[3, 1] = h[0, 2] + h[2, 0]
    n[2, 2] = h[1, 1] - h[0, 0] - h[2, 2]
    n[2, 3] = n[3, 2] = h[1, 2] + h[2, 1]
    n[3, 3] = h[2, 2] - h[0, 0] - h[1, 1]
    q = np.empty(4)
    _eigenvector(n, q)
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1 - 2 * (y * y + z * z)
    out[0, 1] = 2 * (x * y - z * w)
    out[0, 2] = 2 * (x * z + y * w)
    out[1, 0] = 2 * (x * y + z * w)
    out[1, 1] = 1 - 2 * (x * x + z * z)
    out[1, 2] = 2 * (y * z - x * w)
    out[2, 0] = 2 * (x * z - y * w)
    out[2, 1] = 2 * (y * z + x * w)
    out[2, 2] = 1 - 2 * (x * x + y * y)


@compiled
def _means(kind: int, x: Array, y: Array, mx: Array, my: Array) -> None:
    """Means of both point sets along the directions in which the pair slides, else 0."""
    for r in range(3):
        mx[r] = my[r] = 0.0
        slides = kind in (PLANAR, FREE) or (r == 2 and kind in (PRISMATIC, CYLINDRICAL))
        for k in range(len(x) if slides else 0):
            mx[r] += x[k, r] / len(x)
            my[r] += y[k, r] / len(x)


@compiled
def _moments(
    kind: int, x: Array, y: Array, mx: Array, my: Array, start: Array, scale: float, h: Array
) -> None:
    """Sum of y x^T about the means, of points off the axis (or centre), and the start term."""
    about_axis = kind not in (SPHERICAL, FREE)
    size = scale * scale
    for r in range(3):
        for s in range(3):
            h[r, s] = 0.0
    for k in range(len(x)):
        arm2 = 0.0
        for r in range(2 if about_axis else 3):
            arm = x[k, r] - mx[r]
            arm2 += arm * arm
        if arm2 <= ON_AXIS * ON_AXIS * scale * scale:
            continue
        for r in range(3):
            away = y[k, r] - my[r]
            size += away * away
            for s in range(3):
                h[r, s] += away * (x[k, s] - mx[s])
    for r in range(3):
        for s in range(3):
            h[r, s] += TIE * size * start[3 + 3 * s + r]


@apart
@compiled
def nearest_motion(kind: int, x: Array, y: Array, start: Array, scale: float, out: Array) -> None:
    """Motion of a lower pair that takes points x nearest to targets y.

    Args:
        x, y: shape (points, 3), mm; scale: the characteristic length, mm.
        start: (12,) the motion of the pair at the start, used where the points do not determine it.
        out: (12,) overwritten with the motion: origin, mm, then the images of x, y, z.
    """
    mx, my, r3 = np.empty(3), np.empty(3), np.zeros((3, 3))
    _means(kind, x, y, mx, my)
    for k in range(3):
        r3[k, k] = 1.0
    if kind not in (FIXED, PRISMATIC):
        h = np.empty((3, 3))
        _moments(kind, x, y, mx, my, start, scale, h)
        if kind in (SPHERICAL, FREE):
            _best_rotation(h, r3)
        else:
            angle = atan2(h[1, 0] - h[0, 1], h[0, 0] + h[1, 1])
            r3[0, 0] = r3[1, 1] = cos(angle)
            r3[1, 0] = sin(angle)
            r3[0, 1] = -r3[1, 0]
    for r in range(3):
        out[r] = my[r]
        for s in range(3):
            out[r] -= r3[r, s] * mx[s]
            out[3 + 3 * s + r] = r3[r, s]
    if kind == PLANAR:
        out[2] = 0.0
    if len(x) == 0:  # without points translations stay as at the start
        for r in range(3):
            if kind == FREE or (r < 2 and kind == PLANAR):
                out[r] = start[r]
        if kind in (PRISMATIC, CYLINDRICAL):
            out[2] = start[2]


@compiled
def nearest_motions(
    first: Ints, x: Array, y: Array, some: Ints, start: Array, scale: float, out: Array
) -> None:
    """The motions in space of some bodies, each by its points, into their rows of `out`.

    Args:
        first: points of body k are first[k] .. first[k + 1]; x, y, scale: as of `nearest_motion`.
        some: numbers of the bodies; start, out: the motions of each, (bodies, 12).
    """
    for body in some:
        low, high = first[body], first[body + 1]
        nearest_motion(FREE, x[low:high], y[low:high], start[body], scale, out[body])

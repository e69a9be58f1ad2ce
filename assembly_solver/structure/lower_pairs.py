"""Which lower pair a null space of twists is: one rotation a hinge, one translation a slider.

Null vectors have six numbers: the velocity of the body's centre, mm, and its rotation times the
characteristic length, mm, both along the world's axes.
"""

from __future__ import annotations

from math import sqrt

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

Array = NDArray[np.float64]

SAME = 1e-6
"""Sine or relative offset below which two screws are taken as parallel or as on one line."""


@compiled
def null_basis(j: Array, inverse: Array, rank: int, out: Array) -> None:
    """Orthonormal columns that span the null space of j (m, 6): from the projector I - J+ J."""
    p = np.empty((6, 6))
    for i in range(6):
        for k in range(6):
            p[i, k] = 1.0 if i == k else 0.0
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
def turn_basis(basis: Array, count: int, axes: Array) -> None:
    """Null vectors along `axes` to null vectors along the world's axes."""
    old = np.empty(3)
    for n in range(count):
        for half in range(2):
            for r in range(3):
                old[r] = basis[3 * half + r, n]
            for r in range(3):
                basis[3 * half + r, n] = 0.0
                for k in range(3):
                    basis[3 * half + r, n] += old[k] * axes[k, r]


@compiled
def _product(basis: Array, i: int, k: int, j: int, n: int) -> float:
    """Scalar product of three numbers of column k from row i with those of column n from row j."""
    return float(
        basis[i, k] * basis[j, n]
        + basis[i + 1, k] * basis[j + 1, n]
        + basis[i + 2, k] * basis[j + 2, n]
    )


@compiled
def _spin_first(basis: Array, count: int) -> int:
    """Recombine null vectors so that the first have independent rotations, the rest none.

    Rotations come out as orthogonal unit vectors, and so do slides.
    """
    spins = 0
    for _ in range(min(3, count)):
        best, size = -1, 1e-7
        for k in range(spins, count):
            s = sqrt(_product(basis, 3, k, 3, k))
            if s > size:
                best, size = k, s
        if best < 0:
            break
        for i in range(6):
            found = basis[i, best] / size
            basis[i, best] = basis[i, spins]
            basis[i, spins] = found
        for k in range(spins + 1, count):
            along = _product(basis, 3, k, 3, spins)
            for i in range(6):
                basis[i, k] -= along * basis[i, spins]
        spins += 1
    for k in range(spins, count):
        for n in range(spins, k):
            along = _product(basis, 0, k, 0, n)
            for i in range(6):
                basis[i, k] -= along * basis[i, n]
        size = sqrt(_product(basis, 0, k, 0, k))
        for i in range(6):
            basis[i, k] /= size
    return spins


@compiled
def lower_pair(basis: Array, count: int, centre: Array, length: float, out: Array) -> int:
    """The lower pair with these free twists; its point and axis go to out[0:3], out[9:12].

    Args:
        basis: (6, 6), the first `count` columns are null vectors; changed.
        centre: of the body, in the world; length: the characteristic length.
    """
    spins = _spin_first(basis, count)
    slides = count - spins
    for r in range(3):
        out[r] = centre[r]
        out[9 + r] = 1.0 if r == 2 else 0.0
    if count == 0:
        return FIXED
    if count == 6:
        return FREE
    if spins == 0 and slides == 1:
        for r in range(3):
            out[9 + r] = basis[r, 0]
        return PRISMATIC
    if spins == 1 and slides < 3:
        return _about_one_axis(basis, slides, length, out)
    if spins == 3 and slides == 0:
        return _about_one_point(basis, length, out)
    return GENERAL


@compiled
def _about_one_axis(basis: Array, slides: int, length: float, out: Array) -> int:
    """Revolute, cylindrical or planar: one rotation, with the slides along or across its axis."""
    for k in range(1, slides + 1):
        across = _product(basis, 0, k, 3, 0)
        wanted = 1.0 if slides == 1 else 0.0
        if abs(abs(across) - wanted) > SAME:
            return GENERAL
    for k in range(1, slides + 1):  # what the rotation moves besides the slides
        along = _product(basis, 0, 0, 0, k)
        for r in range(3):
            basis[r, 0] -= along * basis[r, k]
    if abs(_product(basis, 0, 0, 3, 0)) > SAME:
        return GENERAL
    if slides != 2:  # foot of the axis: centre + u x v, v being per mm of turned arc
        for r in range(3):
            p, q = (r + 1) % 3, (r + 2) % 3
            out[r] += length * (basis[3 + p, 0] * basis[q, 0] - basis[3 + q, 0] * basis[p, 0])
    for r in range(3):
        out[9 + r] = basis[3 + r, 0]
    if slides == 0:
        return REVOLUTE
    return CYLINDRICAL if slides == 1 else PLANAR


@compiled
def _about_one_point(basis: Array, length: float, out: Array) -> int:
    """Spherical: the rotations w_k move the centre by w_k x (centre - q) for one point q.

    With orthonormal w_k, sum of w_k x v_k = 2 (q - centre); the misfit tells whether q exists.
    """
    q = np.zeros(3)
    for k in range(3):
        for r in range(3):
            s, t = (r + 1) % 3, (r + 2) % 3
            q[r] += 0.5 * (basis[3 + s, k] * basis[t, k] - basis[3 + t, k] * basis[s, k])
    for k in range(3):
        for r in range(3):
            s, t = (r + 1) % 3, (r + 2) % 3
            moved = q[s] * basis[3 + t, k] - q[t] * basis[3 + s, k]
            if abs(basis[r, k] - moved) > SAME:
                return GENERAL
    for r in range(3):
        out[r] += length * q[r]
    return SPHERICAL


@compiled
def complete(frame: Array) -> None:
    """Fill x and y of a frame from its z."""
    k = 0
    for r in range(1, 3):
        if abs(frame[9 + r]) < abs(frame[9 + k]):
            k = r
    along = frame[9 + k]
    size = sqrt(1.0 - along * along)
    for r in range(3):
        frame[3 + r] = ((1.0 if r == k else 0.0) - along * frame[9 + r]) / size
    for r in range(3):
        p, q = (r + 1) % 3, (r + 2) % 3
        frame[6 + r] = frame[9 + p] * frame[3 + q] - frame[9 + q] * frame[3 + p]

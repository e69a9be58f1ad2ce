"""Bodies held by distances of six pairs of points as systems of quadrics.

With Study's parameters e, g of a pose (dual quaternion e + eps g; N = e . e, e . g = 0) the
distance L of the point a of the body and the point b becomes, times N,

    4 g.g + (a.a + b.b - L^2) N - 4 Re(g a e*) + 4 Re(b g e*) + 2 Re(b e a e*) = 0,

a quadric in the eight unknowns; with the Study quadric there are seven.

Source: C. W. Wampler, Forward displacement analysis of general six-in-parallel SPS (Stewart)
platform manipulators using soma coordinates, Mechanism and Machine Theory 31 (1996) 331.
"""

from __future__ import annotations

import numpy as np

from ...foundations.types import Array, Complexes

CONJUGATE = np.diag([1.0, -1.0, -1.0, -1.0])


def distance_forms(parameters: Complexes) -> Complexes:
    """The quadrics of distances.

    Args:
        parameters: for each distance the point of the body, the other point and the square of the
            distance, (k, 7).

    Returns:
        Symmetric matrices, (k, 8, 8).
    """
    out = np.zeros((len(parameters), 8, 8), complex)
    for q, p in zip(out, parameters, strict=True):
        a, b = p[:3], p[3:6]
        right, left = _times(a), _before(b)
        q[4:, 4:] = 4.0 * np.eye(4)
        both = left @ right
        q[:4, :4] = (a @ a + b @ b - p[6]) * np.eye(4) + both + both.T
        q[:4, 4:] = 2.0 * (left - right)
        q[4:, :4] = q[:4, 4:].T
    return out


def forms(parameters: Complexes) -> Complexes:
    """The quadrics of six distances (6, 7) and that of Study, (7, 8, 8): that of the first
    distance, those of the others less the first, and the Study quadric."""
    out = np.zeros((7, 8, 8), complex)
    out[:6] = distance_forms(parameters)
    out[6, :4, 4:] = out[6, 4:, :4] = 0.5 * np.eye(4)
    # without g.g, which all distances have, equations stay apart where a pose is far away
    out[1:6] -= out[0]
    return out


def _before(v: Complexes) -> Complexes:
    """The matrix of q -> v q for a vector v as a quaternion."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, -z, y], [y, z, 0, -x], [z, -y, x, 0]])


def _times(v: Complexes) -> Complexes:
    """The matrix of q -> q v for a vector v as a quaternion."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]])


def pose_of(point: Array) -> tuple[Array, Array]:
    """The rotation (3, 3) and the translation (3,) of real parameters e, g, (8,)."""
    e, g = point[:4], point[4:]
    n = float(e @ e)
    back: Array = CONJUGATE @ e
    columns = [_product(_product(e, u), back)[1:] / n for u in np.eye(4)[1:]]
    return np.stack(columns, axis=1), 2.0 * _product(g, back)[1:] / n


def _product(p: Array, q: Array) -> Array:
    out: Array = p[0] * q + np.real(_before(p[1:].astype(complex))) @ q
    return out

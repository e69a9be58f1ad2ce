"""Bodies held by distances of six pairs of points as systems of quadrics.

With Study's parameters e, g of a pose (dual quaternion e + eps g; N = e . e, e . g = 0) the
distance L of the point a of the body and the point b becomes, times N,

    4 g.g + (a.a + b.b - L^2) N - 4 Re(g a e*) + 4 Re(b g e*) + 2 Re(b e a e*) = 0,

a quadric in the eight unknowns; with the Study quadric there are seven.  A plane is a sphere whose
centre is infinitely far: with homogeneous coordinates a0, a, a2 of the point (1, a, a.a) and b0, b,
b2 of the sphere (1, b, b.b - L^2), or of the plane n.x = c (0, n, 2 c), it is

    4 a0 b0 g.g + (a2 b0 + a0 b2) N - 4 b0 Re(g a e*) + 4 a0 Re(b g e*) + 2 Re(b e a e*) = 0,

and so it is where the body carries the plane, (0, n, 2 c) in its coordinates, and b is a point.

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
    return _contact_forms(as_contacts(parameters))


def as_contacts(parameters: Complexes) -> Complexes:
    """Distances (k, 7) as points on spheres, (k, 10): a0, a, a2 and b0, b, b2."""
    a, b, square = parameters[:, :3], parameters[:, 3:6], parameters[:, 6]
    one = np.ones(len(parameters), complex)
    return np.column_stack(
        [one, a, np.sum(a * a, axis=1), one, b, np.sum(b * b, axis=1) - square]
    ).astype(complex)


def _contact_forms(contacts: Complexes) -> Complexes:
    """The quadrics of points on spheres and planes, (k, 10) to (k, 8, 8)."""
    out = np.zeros((len(contacts), 8, 8), complex)
    for q, p in zip(out, contacts, strict=True):
        (a0, a2), (b0, b2) = p[[0, 4]], p[[5, 9]]
        right, left = _times(p[1:4]), _before(p[6:9])
        q[4:, 4:] = 4.0 * a0 * b0 * np.eye(4)
        both = left @ right
        q[:4, :4] = (a2 * b0 + a0 * b2) * np.eye(4) + both + both.T
        q[:4, 4:] = 2.0 * (a0 * left - b0 * right)
        q[4:, :4] = q[:4, 4:].T
    return out


def forms(contacts: Complexes, flat: int = 0) -> Complexes:
    """The quadrics of six points on spheres and planes (6, 10) and that of Study, (7, 8, 8): that
    of the first, those of other spheres less the first, and the Study quadric.

    Args:
        flat: how many, the last ones, become planes where the path that they are of ends.
    """
    out = np.zeros((7, 8, 8), complex)
    out[:6] = _contact_forms(contacts)
    out[6, :4, 4:] = out[6, 4:, :4] = 0.5 * np.eye(4)
    # without g.g, which all distances have, equations stay apart where a pose is far away
    out[1 : 6 - flat] -= out[0]
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

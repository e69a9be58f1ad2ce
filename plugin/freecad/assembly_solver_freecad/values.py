"""Present distance and angle of two features: the initial values of a mate."""

from __future__ import annotations

from math import atan2, degrees

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.freecad import AGREEMENT

Array = NDArray[np.float64]


def distance_between(a: asm.Feature, b: asm.Feature) -> float:
    """The present value of a distance mate of two features in one frame, mm.

    From a plane it is signed along the normal; between skew axes it is the shortest distance.
    """
    gap = _origin(b) - _origin(a)
    if isinstance(a, asm.Plane):
        return float(gap @ _z(a))
    if isinstance(b, asm.Plane):
        return float(-gap @ _z(b))
    lines = [f for f in (a, b) if isinstance(f, asm.Axis)]
    if not lines:
        return float(np.linalg.norm(gap))
    if len(lines) == 2:
        normal = np.cross(_z(a), _z(b))
        sine = float(np.linalg.norm(normal))
        if sine > AGREEMENT:
            return abs(float(gap @ normal)) / sine
    return float(np.linalg.norm(np.cross(gap, _z(lines[0]))))


def angle_between(a: asm.Feature, b: asm.Feature, about: asm.Feature | None = None) -> float:
    """The angle between two directions, degrees; signed about an axis if one is given."""
    one, two = _z(a), _z(b)
    if about is None:
        return degrees(atan2(float(np.linalg.norm(np.cross(one, two))), float(one @ two)))
    n = _z(about)
    one, two = (v - (v @ n) * n for v in (one, two))
    return degrees(atan2(float(np.cross(one, two) @ n), float(one @ two)))


def _origin(feature: asm.Feature) -> Array:
    return np.array(feature.frame[:3])


def _z(feature: asm.Feature) -> Array:
    return np.array(feature.frame[9:])

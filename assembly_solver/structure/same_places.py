"""Whether features that moved on their bodies share points, lines and planes as before."""

from __future__ import annotations

from math import sqrt

from ..foundations.jit.decorators import borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array, Ints
from .inexact import COMPOSED, PARALLEL


@on_lists()
def same_places(
    markers: Ints, by: Array, body: Ints, frames: Array, length: float, tolerance: float
) -> bool:
    """Whether moved markers share points, lines and planes with the same markers as before.

    And whether they are exactly there, or farther away than the tolerance.  Markers that moved
    alike are as far apart as they were.

    Args:
        markers: those that moved; by: how far each of all did, mm, (all, 3).
        body: of each of all, (all,); frames: on it before, (all, 12); length: characteristic, mm.
    """
    size = length
    for n in range(len(body)):
        for k in range(3):
            size = max(size, abs(frames[n][k] + by[n][k]))
    for m in markers:
        for n in range(len(body)):
            if body[n] != body[m]:
                continue
            x, y, z = by[m][0] - by[n][0], by[m][1] - by[n][1], by[m][2] - by[n][2]
            if (x != 0.0 or y != 0.0 or z != 0.0) and not _stays(
                frames[m], frames[n], x, y, z, COMPOSED * size, tolerance
            ):
                return False
    return True


@borrowing
def _stays(
    one: Array, two: Array, x: float, y: float, z: float, exact: float, tolerance: float
) -> bool:
    """Whether two markers of which one moves by x, y, z share what they did, and exactly."""
    u, v, w = one[0] - two[0], one[1] - two[1], one[2] - two[2]
    away, height, aside = _off(u, v, w, two)
    new_away, new_height, new_aside = _off(u + x, v + y, w + z, two)
    if not _alike(away, new_away, exact, tolerance):
        return False
    if abs(one[9] * two[9] + one[10] * two[10] + one[11] * two[11]) <= PARALLEL:
        return True
    planes = _alike(height, new_height, exact, tolerance)
    return planes and _alike(aside, new_aside, exact, tolerance)


@borrowing
def _off(x: float, y: float, z: float, frame: Array) -> tuple[float, float, float]:
    """Distances of a point beside a marker from its origin, and from its plane and line, mm."""
    height = x * frame[9] + y * frame[10] + z * frame[11]
    u, v, w = x - height * frame[9], y - height * frame[10], z - height * frame[11]
    return sqrt(x * x + y * y + z * z), abs(height), sqrt(u * u + v * v + w * w)


@borrowing
def _alike(before: float, after: float, exact: float, tolerance: float) -> bool:
    """Whether distances are both farther than the tolerance, or both nearer and the new one 0."""
    near = after <= tolerance
    return (before <= tolerance) == near and not (near and after > exact)

"""Geometric marks of the elements of a shape, by which they are identified if names shift.

FreeCAD before 1.0 renumbers the faces, edges and vertices of a shape with every change: when a
hole is removed, the next one gets its name.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.freecad import DIGITS

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

NONE: Triple = (0.0, 0.0, 0.0)
AXES = ("cylinder", "hole", "line")
CENTRED = ("circle", "cone", "sphere", "torus")


class ElementMark(NamedTuple):
    """The plane of a face, the axis of a hole, ..., in the coordinates of the object; mm.

    Attributes:
        kind: as in a pick; direction: of the normal or the axis, or zeros; radius: mm, or 0.
        place: foot of the plane or the axis below the origin, or the centre.
        centre: of the element itself, to distinguish faces on one plane or axis.
        counts: of the faces, edges and vertices of its shape.
    """

    kind: str
    direction: Triple
    place: Triple
    radius: float
    centre: Triple
    counts: tuple[int, ...]

    def text(self) -> str:
        """The mark as a line that `mark_in` reads; numbers are exact."""
        return json.dumps(self)

    def same(self, other: ElementMark) -> bool:
        """Whether both are on the same plane, axis, circle, ..."""
        one, two = np.array(self.direction), np.array(other.direction)
        if self.kind != "plane" and one @ two < 0.0:  # an axis has two ends, a face one outside
            two = -two
        off = (
            _length(one - two),
            _length(np.subtract(self.place, other.place)),
            abs(self.radius - other.radius),
        )
        return self.kind == other.kind and max(off) < DIGITS  # mm, and sine of the angle

    def apart(self, other: ElementMark) -> float:
        """Distance between the centres of the elements, mm."""
        return _length(np.subtract(self.centre, other.centre))


def mark_in(text: str) -> ElementMark:
    """The mark in a line written by `ElementMark.text`."""
    kind, direction, place, radius, centre, counts = json.loads(text)
    return ElementMark(kind, tuple(direction), tuple(place), radius, tuple(centre), tuple(counts))


def mark_of(pick: asm.Pick, within: asm.Pose, counts: tuple[int, ...]) -> ElementMark:
    """The mark of a picked element.

    Args:
        within: pose of the object in the part whose coordinates the pick is in.
    """
    turn, base = within.rotation, np.array(within.position)
    numbers = np.array(pick.feature.frame)
    at, z = turn.T @ (numbers[:3] - base), turn.T @ numbers[9:]
    centre = turn.T @ (np.array(pick.centre) - base)
    if pick.kind == "plane":
        place = (z @ at) * z
    elif pick.kind in AXES:
        place = at - (z @ at) * z
    else:
        place = at if pick.kind in CENTRED else centre
    whole = pick.kind == "plane" or pick.kind in (*AXES, *CENTRED)
    direction = _triple(z) if whole and pick.kind != "sphere" else NONE
    size = pick.radius if whole else pick.size
    return ElementMark(pick.kind, direction, _triple(place), float(size), _triple(centre), counts)


def _triple(v: Array) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))


def _length(v: Array) -> float:
    return float(np.linalg.norm(v))

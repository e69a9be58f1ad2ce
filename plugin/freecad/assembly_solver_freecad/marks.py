"""What carries an element of a shape: how it is known again where names have shifted.

FreeCAD before 1.0 counts the faces, edges and vertices of a shape anew with every change of it: a
hole that is taken away gives its name to the next one.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

CLOSE = 1e-6
"""mm, and sines of angles, below which two carriers are one."""

NONE: Triple = (0.0, 0.0, 0.0)
AXES = ("cylinder", "hole", "line")
CENTRED = ("circle", "cone", "sphere", "torus")


class Mark(NamedTuple):
    """The plane of a face, the axis of a hole, ..., in the coordinates of the object; mm.

    Attributes:
        kind: as of a pick; direction: of the normal or the axis, or zeros; radius: or 0.
        place: foot of the plane or the axis below the origin, or the centre.
        centre: of the element itself, which tells pieces of one plane or axis apart.
        counts: of the faces, edges and vertices of its shape.
    """

    kind: str
    direction: Triple
    place: Triple
    radius: float
    centre: Triple
    counts: tuple[int, ...]

    def text(self) -> str:
        """One line, which `mark_in` reads; every number reads back as it is."""
        return json.dumps(self)

    def same(self, other: Mark) -> bool:
        """Whether it is the same plane, axis, circle, ... that carries both."""
        one, two = np.array(self.direction), np.array(other.direction)
        if self.kind != "plane" and one @ two < 0.0:  # an axis has two ends, a face one outside
            two = -two
        off = (
            _length(one - two),
            _length(np.subtract(self.place, other.place)),
            abs(self.radius - other.radius),
        )
        return self.kind == other.kind and max(off) < CLOSE

    def apart(self, other: Mark) -> float:
        """How far the two elements are from each other, mm."""
        return _length(np.subtract(self.centre, other.centre))


def mark_in(text: str) -> Mark:
    """The mark that a line holds."""
    kind, direction, place, radius, centre, counts = json.loads(text)
    return Mark(kind, tuple(direction), tuple(place), radius, tuple(centre), tuple(counts))


def mark_of(pick: asm.Pick, within: asm.Pose, counts: tuple[int, ...]) -> Mark:
    """The mark of what was picked.

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
    return Mark(pick.kind, direction, _triple(place), float(size), _triple(centre), counts)


def _triple(v: Array) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))


def _length(v: Array) -> float:
    return float(np.linalg.norm(v))

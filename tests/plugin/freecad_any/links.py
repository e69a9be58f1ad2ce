"""A document with a four-bar of plates: frame 200, crank 80, rocker 150 and bar 200 mm."""

from __future__ import annotations

from typing import Any

import FreeCAD
import Part
from FreeCAD import Placement, Rotation, Vector

PLATES = (
    ("frame", 200.0, (0, 0, 0)),
    ("crank", 80.0, (0, 0, 10)),
    ("rocker", 150.0, (200, 0, 10)),
    ("bar", 200.0, (60, 60, 20)),
)
"""Labels, distances of the two holes, and where the first one is before a solve."""

PINS = (
    ("motor", ("frame", 0), ("crank", 0)),
    ("pivot", ("frame", 1), ("rocker", 0)),
    ("knee", ("crank", 1), ("bar", 0)),
    ("elbow", ("rocker", 1), ("bar", 1)),
)
"""Labels of the mates, with the plates and the numbers of their holes."""


def made(name: str) -> Any:
    """The document with its mates; nothing is solved yet."""
    import assembly_solver_freecad as asf

    document = FreeCAD.newDocument(name)
    document.UndoMode = 1
    plates = {label: _plate(document, label, length, at) for label, length, at in PLATES}
    document.recompute()
    for label, *ends in PINS:
        asf.mate([(plates[part], _hole(plates[part], k)) for part, k in ends], "revolute", label)
    asf.ground(plates["frame"])
    return document


def _plate(document: Any, label: str, length: float, at: tuple[int, int, int]) -> Any:
    shape = Part.makeBox(length + 20, 20, 10, Vector(-10, -10, 0))
    for x in (0.0, length):
        shape = shape.cut(Part.makeCylinder(4, 10, Vector(x, 0, 0)))
    found = document.addObject("Part::Feature", label)
    found.Shape, found.Placement = shape, Placement(Vector(*at), Rotation())
    return found


def _hole(plate: Any, number: int) -> str:
    """The face of a hole, from left to right."""
    round_ = [
        (face.BoundBox.XMin, f"Face{k}")
        for k, face in enumerate(plate.Shape.Faces, 1)
        if face.Surface.TypeId == "Part::GeomCylinder"
    ]
    return sorted(round_)[number][1]

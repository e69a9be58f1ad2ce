"""A document with solids to mate, and what their elements are off by, measured from the shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import FreeCAD
import Part
import pytest
from FreeCAD import Placement, Rotation, Vector

AWAY = Placement(Vector(31, -12, 17), Rotation(Vector(1, 2, 3), 25))


class Shop:
    """Solids as Part::Feature by label: "block" with a bore of 5 mm, "pin" of 4 mm, "ball", ..."""

    def __init__(self) -> None:
        self.document = FreeCAD.newDocument("Shop")
        self.document.UndoMode = 1
        bore = Part.makeCylinder(5, 30, Vector(10, 10, 0))
        self.block = self.add("block", Part.makeBox(20, 20, 30).cut(bore), Placement())
        self.pin = self.add("pin", Part.makeCylinder(4, 40))
        self.box = self.add("box", Part.makeBox(10, 12, 14))
        self.slab = self.add("slab", Part.makeBox(60, 8, 90))
        self.ball = self.add("ball", Part.makeSphere(3))
        self.ring = self.add("ring", Part.makeTorus(12, 2))
        self.tip = self.add("tip", Part.makeCone(0, 6, 9))
        bent = Part.BSplineCurve()
        bent.interpolate([Vector(*p) for p in ((0, 0, 0), (20, 9, 4), (45, -6, 9), (70, 5, -3))])
        self.rail = self.add("rail", bent.toShape(), Placement())
        flat = Part.BSplineCurve()
        flat.interpolate([Vector(*p) for p in ((0, 0, 0), (20, 9, 0), (45, -6, 0), (70, 5, 0))])
        self.cam = self.add("cam", flat.toShape(), Placement())
        self.document.recompute()

    def add(self, label: str, shape: Any, placement: Any = AWAY) -> Any:
        found = self.document.addObject("Part::Feature", label)
        found.Shape, found.Placement = shape, placement
        return found

    def element(self, words: str) -> tuple[Any, str]:
        """An element by words: "block bore", "box Face6", "pin Vertex1"."""
        label, name = words.split()
        return getattr(self, label), BORE if name == "bore" else name

    def pick(self, *words: str) -> list[tuple[Any, str]]:
        return [self.element(w) for w in words]

    def shape(self, words: str) -> Any:
        """The element where it is now."""
        found, name = self.element(words)
        return found.getSubObject(name)


BORE = "Face7"
"""The bore of the block: a box has six faces before it."""


@pytest.fixture
def shop() -> Iterator[Shop]:
    made = Shop()
    assert type(made.block.Shape.getElement(BORE).Surface).__name__ == "Cylinder"
    yield made
    for name in [*FreeCAD.listDocuments()]:
        FreeCAD.closeDocument(name)


def numbers(placement: Any) -> tuple[float, ...]:
    """A placement as seven numbers, bit for bit."""
    return (*placement.Base, *placement.Rotation.Q)


def all_numbers(document: Any) -> dict[str, tuple[float, ...]]:
    """All placements of a document, bit for bit."""
    found = [o for o in document.Objects if hasattr(o, "Placement")]
    return {o.Label: numbers(o.Placement) for o in found}


def normal(face: Any) -> Any:
    """The normal of a face out of the material, in its middle."""
    low, high, left, right = face.ParameterRange
    return face.normalAt(0.5 * (low + high), 0.5 * (left + right))


def place(shape: Any) -> Any:
    """A point of a plane, an axis, a sphere; a vertex itself."""
    if shape.ShapeType == "Vertex":
        return shape.Point
    if shape.ShapeType == "Edge":
        return shape.CenterOfMass
    carrier = shape.Surface
    return getattr(carrier, "Apex", None) or getattr(carrier, "Center", None) or shape.CenterOfMass


def direction(shape: Any) -> Any:
    """Out of a plane, along an axis or an edge."""
    if shape.ShapeType == "Edge":
        way = shape.valueAt(shape.LastParameter) - shape.valueAt(shape.FirstParameter)
        return way.normalize()
    return shape.Surface.Axis if hasattr(shape.Surface, "Center") else normal(shape)


def height(plane: Any, other: Any) -> float:
    """How far over a plane something is, mm."""
    return float((place(other) - place(plane)).dot(normal(plane)))


def aside(axis: Any, other: Any) -> float:
    """How far from an axis a point, or the point of another axis, is, mm."""
    return float((place(other) - place(axis)).cross(direction(axis)).Length)


def cosine(one: Any, two: Any) -> float:
    """Of the angle between two directions."""
    return float(direction(one).dot(direction(two)))


def gap(one: Any, two: Any) -> float:
    """Between two points, mm."""
    return float((place(two) - place(one)).Length)

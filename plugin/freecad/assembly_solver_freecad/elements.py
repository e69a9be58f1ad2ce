"""Faces, edges and vertices of FreeCAD: their kinds, and the features they can be read as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from math import degrees
from typing import Any

import FreeCAD

import assembly_solver as asm
from assembly_solver.freecad import (
    CONFUSION,
    OTHER,
    REVOLVED,
    Course,
    Element,
    NotUnderstood,
    Piece,
    followed,
)

Triple = tuple[float, float, float]

KINDS: Mapping[str, str] = {
    "Plane": "plane",
    "Cylinder": "cylinder",
    "Cone": "cone",
    "Sphere": "sphere",
    "Toroid": "torus",
    "SurfaceOfRevolution": REVOLVED,
    "Line": "line",
    "LineSegment": "line",
    "Circle": "circle",
    "ArcOfCircle": "circle",
}
"""Kinds of elements by the surfaces and curves of FreeCAD's modeller."""


def element_of(shape: Any) -> Element:
    """Kind, radius (subtracted in distances) and frame of a face, an edge or a vertex."""
    if shape.ShapeType == "Vertex":
        return Element("vertex", 0.0, asm.Frame(_numbers(shape.Point)).frame)
    carrier = carrier_of(shape)
    kind = KINDS.get(_name(carrier), OTHER)
    if kind == OTHER:
        return Element(OTHER, 0.0)
    radius = float(carrier.Radius) if kind in _ROUND else 0.0
    return Element(kind, radius, _frame(kind, carrier).frame)


def flat_of(face: Any) -> Element | None:
    """A free-form face as the plane that it lies in, z along its normal; None if not planar."""
    if face.findPlane(CONFUSION) is None:
        return None
    u, v = _middle(face)
    along, across = face.Surface.tangent(u, v)
    frame = asm.Frame(_numbers(face.valueAt(u, v)), _numbers(along.cross(across)), _numbers(along))
    return Element("plane", 0.0, frame.frame)


_ROUND = ("cylinder", "sphere", "circle")


def _frame(kind: str, carrier: Any) -> asm.Frame:
    """The frame of a surface or curve; z is its axis, regardless of the orientation of a face."""
    if kind in ("line", REVOLVED):
        return asm.Frame(_numbers(carrier.Location), _numbers(carrier.Direction))
    at = carrier.Position if kind == "plane" else carrier.Center
    return asm.Frame(_numbers(at), _numbers(carrier.Axis), _x_of(carrier))


def carrier_of(shape: Any) -> Any:
    """The surface of a face or the curve of an edge; None where FreeCAD has no type for it."""
    try:
        return shape.Surface if shape.ShapeType == "Face" else shape.Curve
    except (TypeError, AttributeError):  # an undefined curve; a shape that is neither
        return None


def _name(carrier: Any) -> str:
    return "" if carrier is None else type(carrier).__name__


def pick(shape: Any, frame: Any) -> asm.Pick:
    """A face, an edge or a vertex with the features that it can be read as.

    Args:
        shape, frame: the element and its placement, in the frame of the resulting features.

    Raises:
        NotUnderstood: it is none of these.
    """
    if shape.ShapeType not in ("Face", "Edge", "Vertex"):
        raise NotUnderstood(f"a {shape.ShapeType.lower()} cannot be mated; choose a face of it")
    if shape.ShapeType == "Vertex":  # the copy of one is elsewhere in FreeCAD 1.0
        at = _numbers(frame.inverse().multVec(shape.Point))
        return Piece(at, 0.0).other("vertex")
    own = shape.copy()
    own.Placement = frame.inverse().multiply(own.Placement)
    carrier = carrier_of(own)
    if own.ShapeType == "Face":
        return _face(own, carrier, Piece(_numbers(own.CenterOfMass), own.Area))
    return _edge(own, carrier, Piece(_numbers(own.CenterOfMass), own.Length))


def _numbers(vector: Any) -> Triple:
    return (float(vector.x), float(vector.y), float(vector.z))


def _x_of(carrier: Any) -> Triple:
    """The x axis of a curve: the long axis of an ellipse."""
    return _numbers(carrier.Rotation.multVec(FreeCAD.Vector(1, 0, 0)))


# ------------------------------------------------------------------------------------- faces
def _face(face: Any, surface: Any, piece: Piece) -> asm.Pick:
    name = _name(surface)
    kind = KINDS.get(name, OTHER)
    if kind in ("cylinder", "cone", "torus"):
        return _round(face, surface, kind, piece)
    if kind == "sphere":
        return piece.sphere(_numbers(surface.Center), surface.Radius)
    plane = surface if kind == "plane" else face.findPlane(CONFUSION)
    if plane is not None:
        return piece.plane(_numbers(face.normalAt(*_middle(face))))
    words = f"{name.removeprefix('SurfaceOf').removesuffix('Surface').lower()} surface".strip()
    if name == "SurfaceOfRevolution":
        return piece.turned(words, _numbers(surface.Location), _numbers(surface.Direction))
    return piece.other(words)


def _round(face: Any, surface: Any, kind: str, piece: Piece) -> asm.Pick:
    """The pick of an element with an axis."""
    z = _numbers(surface.Axis)
    if kind == "cone":
        return piece.cone(_numbers(surface.Apex), z, degrees(abs(surface.SemiAngle)))
    at = _numbers(surface.Center)
    if kind == "torus":
        return piece.torus(at, z, surface.MajorRadius, surface.MinorRadius)
    u, v = _middle(face)
    out = face.valueAt(u, v) - surface.Center
    hole = face.normalAt(u, v).dot(out - surface.Axis * out.dot(surface.Axis)) < 0.0
    return piece.cylinder(hole, at, z, surface.Radius, face.ParameterRange[2:])


def _middle(face: Any) -> tuple[float, float]:
    """The parameters of the centre of a face."""
    first, last, low, high = face.ParameterRange
    return 0.5 * (first + last), 0.5 * (low + high)


# ------------------------------------------------------------------------------------- edges
def _edge(edge: Any, curve: Any, piece: Piece) -> asm.Pick:
    name = _name(curve)
    kind = KINDS.get(name, OTHER)
    follow = partial(_along, edge, kind == "line")
    if kind == "line":
        way = edge.valueAt(edge.LastParameter) - edge.valueAt(edge.FirstParameter)
        half = 0.5 * piece.size
        return piece.line(piece.centre, _numbers(way), (-half, half), follow)
    if kind == "circle":
        at, z = _numbers(curve.Center), _numbers(curve.Axis)
        return piece.circle(at, z, curve.Radius, follow)
    if name in ("Ellipse", "ArcOfEllipse"):
        return piece.ellipse(_numbers(curve.Center), _numbers(curve.Axis), _x_of(curve), follow)
    plane = edge.findPlane(CONFUSION)
    normal = None if plane is None else _numbers(plane.Axis)
    words = f"{name.removesuffix('Curve').lower()} curve".strip()
    return piece.course(words, follow(), normal)


def _along(edge: Any, straight: bool) -> tuple[asm.Curve, ...]:
    """The curve along an edge; nothing where it could not be followed closely."""
    return followed([Course(straight, partial(_points, edge))])


def _points(edge: Any, shares: Iterable[float]) -> list[Triple]:
    """Points of an edge at fractions of its length."""
    first, last = edge.FirstParameter, edge.LastParameter
    return [_numbers(edge.valueAt(first + (last - first) * float(k))) for k in shares]

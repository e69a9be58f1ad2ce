"""What a face, an edge or a vertex of FreeCAD is: its kind, and the features it can be read as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import degrees
from typing import Any

import FreeCAD

import assembly_solver as asm
from assembly_solver.freecad import (
    OTHER,
    Course,
    Element,
    NotUnderstood,
    along,
    beside_axis,
    followed,
    plane_at,
)

Triple = tuple[float, float, float]

KINDS: Mapping[str, str] = {
    "Plane": "plane",
    "Cylinder": "cylinder",
    "Cone": "cone",
    "Sphere": "sphere",
    "Toroid": "torus",
    "Line": "line",
    "LineSegment": "line",
    "Circle": "circle",
    "ArcOfCircle": "circle",
}
"""Kinds of elements by the surfaces and curves of FreeCAD's modeller."""


def element_of(shape: Any) -> Element:
    """A face, an edge or a vertex: kind, the radius that counts in a distance from it, frame."""
    if shape.ShapeType == "Vertex":
        return Element("vertex", 0.0, asm.Frame(_numbers(shape.Point)).frame)
    carrier = _carrier(shape)
    kind = KINDS.get(type(carrier).__name__, OTHER)
    if kind == OTHER:
        return Element(OTHER, 0.0)
    radius = float(carrier.Radius) if kind in _ROUND else 0.0
    return Element(kind, radius, _frame(kind, carrier).frame)


_ROUND = ("cylinder", "sphere", "circle")


def _frame(kind: str, carrier: Any) -> asm.Frame:
    """The frame of a surface or curve; z is its axis, whichever way a face is turned."""
    if kind == "line":
        return asm.Frame(_numbers(carrier.Location), _numbers(carrier.Direction))
    at = carrier.Position if kind == "plane" else carrier.Center
    return asm.Frame(_numbers(at), _numbers(carrier.Axis), _x_of(carrier))


def _carrier(shape: Any) -> Any:
    """The surface of a face or the curve of an edge; None where the modeller has no name for it."""
    try:
        return shape.Surface if shape.ShapeType == "Face" else shape.Curve
    except (TypeError, AttributeError):  # an undefined curve; a shape that is neither
        return None


def pick(shape: Any, frame: Any) -> asm.Pick:
    """A face, an edge or a vertex with the features that it can be read as.

    Args:
        shape: where it is; frame: placement in the same coordinates that the features are told in.

    Raises:
        NotUnderstood: it is none of these.
    """
    if shape.ShapeType not in ("Face", "Edge", "Vertex"):
        raise NotUnderstood(f"a {shape.ShapeType.lower()} cannot be mated; choose a face of it")
    if shape.ShapeType == "Vertex":  # the copy of one is elsewhere in FreeCAD 1.0
        at = _numbers(frame.inverse().multVec(shape.Point))
        return asm.Pick("vertex", asm.Point(at), (), at, 0.0)
    own = shape.copy()
    own.Placement = frame.inverse().multiply(own.Placement)
    carrier = _carrier(own)
    kind = KINDS.get(type(carrier).__name__, OTHER)
    if kind in _PICKS:
        return _PICKS[kind](own, carrier)
    if own.ShapeType == "Edge":
        return _curve(own, carrier)
    centre = _numbers(own.CenterOfMass)
    return asm.Pick(
        f"{type(carrier).__name__} surface", asm.Point(centre), (), centre, own.Area
    )


def _numbers(vector: Any) -> Triple:
    return (float(vector.x), float(vector.y), float(vector.z))


def _x_of(carrier: Any) -> Triple:
    """The x axis of a surface or a circle: the zero of angles about its axis."""
    return _numbers(carrier.Rotation.multVec(FreeCAD.Vector(1, 0, 0)))


def _plane(face: Any, plane: Any) -> asm.Pick:
    """A planar face; its normal points out of the material."""
    centre = _numbers(face.CenterOfMass)
    first, last, low, high = face.ParameterRange
    normal = _numbers(face.normalAt(0.5 * (first + last), 0.5 * (low + high)))
    frame = asm.Frame(centre, normal, _x_of(plane)).frame
    feature, others = plane_at(frame, centre)
    return asm.Pick("plane", feature, others, centre, face.Area)


def _cylinder(face: Any, cylinder: Any) -> asm.Pick:
    """A cylinder or a hole; the point of its axis is in the middle of the face's length."""
    centre = _numbers(face.CenterOfMass)
    axis = asm.Axis(
        _numbers(cylinder.Center), _numbers(cylinder.Axis), _x_of(cylinder), cylinder.Radius
    )
    first, last, low, high = face.ParameterRange
    u, v = 0.5 * (first + last), 0.5 * (low + high)
    out = face.valueAt(u, v) - cylinder.Center
    hole = face.normalAt(u, v).dot(out - cylinder.Axis * out.dot(cylinder.Axis)) < 0.0
    word = "hole" if hole else "cylinder"
    return along(asm.Pick(word, axis, (), centre, face.Area, cylinder.Radius), low, high)


def _cone(face: Any, cone: Any) -> asm.Pick:
    """A cone: its axis leads from the apex to where the face is."""
    into = cone.Axis if (face.CenterOfMass - cone.Apex).dot(cone.Axis) > 0 else -cone.Axis
    half = degrees(abs(cone.SemiAngle))
    feature = asm.Cone(_numbers(cone.Apex), _numbers(into), _x_of(cone), angle=half)
    return asm.Pick(
        "cone", feature, beside_axis(feature), _numbers(face.CenterOfMass), face.Area
    )


def _sphere(face: Any, sphere: Any) -> asm.Pick:
    at = _numbers(sphere.Center)
    feature = asm.Sphere(at, radius=sphere.Radius)
    return asm.Pick(
        "sphere", feature, (), _numbers(face.CenterOfMass), face.Area, sphere.Radius
    )


def _torus(face: Any, torus: Any) -> asm.Pick:
    """A torus; one without a hole in its middle is read as its axis only."""
    at, z, x = _numbers(torus.Center), _numbers(torus.Axis), _x_of(torus)
    radius, tube = torus.MajorRadius, torus.MinorRadius
    feature = (
        asm.Torus(at, z, x, radius=radius, tube=tube) if tube < radius else asm.Axis(at, z, x)
    )
    return asm.Pick(
        "torus", feature, beside_axis(feature), _numbers(face.CenterOfMass), face.Area, radius
    )


def _line(edge: Any, line: Any) -> asm.Pick:
    """A straight edge; the point of its axis is its middle."""
    middle = _numbers(edge.CenterOfMass)
    direction = edge.valueAt(edge.LastParameter) - edge.valueAt(edge.FirstParameter)
    axis = asm.Axis(middle, _numbers(direction))
    half = 0.5 * edge.Length
    pick = asm.Pick("line", axis, (), middle, edge.Length, follow=partial(_along, edge, True))
    return along(pick, -half, half)


def _circle(edge: Any, circle: Any) -> asm.Pick:
    """A circle: its axis, or its plane, its centre, a frame there."""
    at, z, x = _numbers(circle.Center), _numbers(circle.Axis), _x_of(circle)
    axis = asm.Axis(at, z, x)
    others = (*beside_axis(axis), asm.Plane(at, z, x))
    centre, follow = _numbers(edge.CenterOfMass), partial(_along, edge, False)
    return asm.Pick(
        "circle", axis, others, centre, edge.Length, circle.Radius, follow=follow
    )


def _curve(edge: Any, carrier: Any) -> asm.Pick:
    """Any other edge: the curve along it; the plane that it lies in, or else its middle."""
    centre = _numbers(edge.CenterOfMass)
    readings: list[asm.Feature] = [*_along(edge, False)]
    plane = edge.findPlane()
    if plane is not None:
        frame = asm.Frame(centre, _numbers(plane.Axis), _x_of(plane)).frame
        flat, others = plane_at(frame, centre)
        readings += [flat, *others]
    else:
        readings.append(asm.Point(centre))
    word = f"{type(carrier).__name__} curve"
    return asm.Pick(word, readings[0], tuple(readings[1:]), centre, edge.Length)


def _along(edge: Any, straight: bool) -> tuple[asm.Curve, ...]:
    """The curve along an edge; nothing where it could not be followed closely."""
    return followed([Course(straight, partial(_points, edge))])


def _points(edge: Any, shares: Iterable[float]) -> list[Triple]:
    """Points of an edge at shares of its way."""
    first, last = edge.FirstParameter, edge.LastParameter
    return [_numbers(edge.valueAt(first + (last - first) * float(k))) for k in shares]


_PICKS: Mapping[str, Callable[[Any, Any], asm.Pick]] = {
    "plane": _plane,
    "cylinder": _cylinder,
    "cone": _cone,
    "sphere": _sphere,
    "torus": _torus,
    "line": _line,
    "circle": _circle,
}

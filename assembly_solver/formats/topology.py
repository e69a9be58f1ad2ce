"""Faces, edges, wires and vertices of the modeller's shapes, read as features.

Shapes are those of Open CASCADE as `OCP` has them; `OCP` comes with cadquery and is loaded only
here and only when used.  All numbers are in the coordinates of the shape that is given, mm.
"""

from __future__ import annotations

from functools import partial
from math import degrees
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.pose import Triple, triple
from ..model.curve import Curve
from ..model.feature import Axis, Cone, Feature, Frame, Plane, Point, Sphere, Torus
from .following import Course, followed
from .picks import Pick, along, beside_axis, plane_at

Array = NDArray[np.float64]

FLAT = 1e-7
"""What a face or an edge may be off a plane and still be planar, mm."""

SMALL = 1e-14
"""Components below it are rounding of directions."""


def shape_pick(shape: Any) -> Pick:
    """What a shape of the modeller is (a `TopoDS_Shape`)."""
    from OCP.TopAbs import TopAbs_ShapeEnum as Kind
    from OCP.TopoDS import TopoDS

    kind = shape.ShapeType()
    if kind == Kind.TopAbs_FACE:
        return _face(TopoDS.Face_s(shape))
    if kind == Kind.TopAbs_EDGE:
        return _edge(TopoDS.Edge_s(shape))
    if kind == Kind.TopAbs_WIRE:
        return _wire(TopoDS.Wire_s(shape))
    if kind == Kind.TopAbs_VERTEX:
        from OCP.BRep import BRep_Tool

        at = _spot(BRep_Tool.Pnt_s(TopoDS.Vertex_s(shape)))
        return Pick("vertex", Point(at), (), at, 0.0)
    centre, size = _middle(shape, "solid")
    return Pick(kind.name.removeprefix("TopAbs_").lower(), Point(centre), (), centre, size)


# ----------------------------------------------------------------------------------------- faces
def _face(face: Any) -> Pick:
    from OCP.BRepAdaptor import BRepAdaptor_Surface
    from OCP.GeomAbs import GeomAbs_SurfaceType as Kind

    surface = BRepAdaptor_Surface(face)
    kind = surface.GetType()
    if kind == Kind.GeomAbs_Plane:
        return _planar(face, surface.Plane())
    if kind == Kind.GeomAbs_Cylinder:
        return _cylinder(face, surface)
    centre, size = _middle(face, "face")
    if kind == Kind.GeomAbs_Cone:
        return _cone(surface.Cone(), centre, size)
    if kind == Kind.GeomAbs_Sphere:
        ball = surface.Sphere()
        at = _spot(ball.Location())
        return Pick("sphere", Sphere(at, radius=ball.Radius()), (), centre, size, ball.Radius())
    if kind == Kind.GeomAbs_Torus:
        return _torus(surface.Torus(), centre, size)
    plane = _plane_of(face)
    if plane is not None:
        return _planar(face, plane)
    words = kind.name.removeprefix("GeomAbs_").lower().replace("surfaceof", "")
    words = words.removesuffix("surface") + " surface"
    if kind == Kind.GeomAbs_SurfaceOfRevolution:
        turned = surface.AxeOfRevolution()
        axis = Axis(_spot(turned.Location()), _upward(turned.Direction())[0])
        return Pick(words, axis, beside_axis(axis), centre, size)
    return Pick(words, Point(centre), (), centre, size)


def _planar(face: Any, plane: Any) -> Pick:
    """A planar face: its normal points out of the material, x is that of its surface."""
    from OCP.BRepGProp import BRepGProp_Face
    from OCP.BRepTools import BRepTools
    from OCP.gp import gp_Pnt, gp_Vec

    bounds = BRepTools.UVBounds_s(face)
    endless = any(abs(b) > 1e90 for b in bounds)
    centre, size = (_spot(plane.Location()), 0.0) if endless else _middle(face, "face")
    normal = gp_Vec()
    u, v = (0.0, 0.0) if endless else (0.5 * (bounds[0] + bounds[1]), 0.5 * (bounds[2] + bounds[3]))
    BRepGProp_Face(face).Normal(u, v, gp_Pnt(), normal)
    frame = Frame(centre, _direction(normal), _direction(plane.XAxis().Direction())).frame
    feature, others = plane_at(frame, centre)
    return Pick("plane", feature, others, centre, size)


def _cylinder(face: Any, surface: Any) -> Pick:
    """A cylinder or a hole; the point of its axis is in the middle of the face's length."""
    from OCP.TopAbs import TopAbs_Orientation

    found = surface.Cylinder()
    position = found.Position()
    reversed_ = face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
    kind = "hole" if reversed_ == position.Direct() else "cylinder"
    z, way = _upward(position.Direction())
    axis = Axis(_spot(found.Location()), z, _direction(position.XDirection()), found.Radius())
    centre, size = _middle(face, "face")
    pick = Pick(kind, axis, (), centre, size, found.Radius())
    return along(pick, *sorted((way * surface.FirstVParameter(), way * surface.LastVParameter())))


def _cone(found: Any, centre: Triple, size: float) -> Pick:
    """A cone: its axis leads from the apex to where the face is."""
    apex, z = np.array(_spot(found.Apex())), np.array(_direction(found.Axis().Direction()))
    into = z if (np.array(centre) - apex) @ z > 0 else -z
    half = degrees(abs(found.SemiAngle()))
    x = _direction(found.Position().XDirection())
    cone = Cone(triple(apex), triple(into), x, angle=half)
    return Pick("cone", cone, beside_axis(cone), centre, size)


def _torus(found: Any, centre: Triple, size: float) -> Pick:
    """A torus; one without a hole in its middle is read as its axis only."""
    at, z = _spot(found.Location()), _upward(found.Axis().Direction())[0]
    x = _direction(found.XAxis().Direction())
    radius, tube = found.MajorRadius(), found.MinorRadius()
    feature = Torus(at, z, x, radius=radius, tube=tube) if tube < radius else Axis(at, z, x)
    return Pick("torus", feature, beside_axis(feature), centre, size, radius)


def _plane_of(shape: Any) -> Any:
    """The plane that a face, an edge or a wire lies in; None where it lies in none."""
    from OCP.BRepLib import BRepLib_FindSurface

    found = BRepLib_FindSurface(shape, FLAT, True)
    if not found.Found():
        return None
    from OCP.GeomAdaptor import GeomAdaptor_Surface

    surface = GeomAdaptor_Surface(found.Surface())
    return surface.Plane().Transformed(found.Location().Transformation())


# ----------------------------------------------------------------------------------------- edges
def _edge(edge: Any) -> Pick:
    from OCP.BRepAdaptor import BRepAdaptor_Curve
    from OCP.GeomAbs import GeomAbs_CurveType as Kind

    curve = BRepAdaptor_Curve(edge)
    kind = curve.GetType()
    centre, size = _middle(edge, "edge")
    if kind == Kind.GeomAbs_Line:
        line = curve.Line()
        z, way = _upward(line.Direction())
        ends = sorted((way * curve.FirstParameter(), way * curve.LastParameter()))
        axis, follow = Axis(_spot(line.Location()), z), partial(_followed, [curve])
        return along(Pick("line", axis, (), centre, size, follow=follow), *ends)
    if kind in (Kind.GeomAbs_Circle, Kind.GeomAbs_Ellipse):
        round_ = kind == Kind.GeomAbs_Circle
        found = curve.Circle() if round_ else curve.Ellipse()
        z, x = _upward(found.Axis().Direction())[0], _direction(found.XAxis().Direction())
        axis = Axis(_spot(found.Location()), z, x)
        radius, word = (found.Radius(), "circle") if round_ else (0.0, "ellipse")
        others = (*beside_axis(axis), Plane(axis.point, z, x))
        follow = partial(_followed, [curve])
        return Pick(word, axis, others, centre, size, radius, follow=follow)
    words = kind.name.removeprefix("GeomAbs_").lower().replace("curve", "") + " curve"
    return _course(words, edge, [curve], centre, size)


def _wire(wire: Any) -> Pick:
    """A wire: as its edge where it has but one, else the curve along its edges."""
    from OCP.BRepAdaptor import BRepAdaptor_Curve
    from OCP.BRepTools import BRepTools_WireExplorer

    edges, way = [], BRepTools_WireExplorer(wire)
    while way.More():
        edges.append(way.Current())
        way.Next()
    if len(edges) == 1:
        return _edge(edges[0])
    centre, size = _middle(wire, "edge")
    return _course("wire", wire, [_turned(BRepAdaptor_Curve(e), e) for e in edges], centre, size)


def _turned(curve: Any, edge: Any) -> Any:
    """The curve of an edge in the sense in which the wire goes along it."""
    from OCP.TopAbs import TopAbs_Orientation

    return (curve, True) if edge.Orientation() == TopAbs_Orientation.TopAbs_REVERSED else curve


def _course(kind: str, shape: Any, curves: list[Any], centre: Triple, size: float) -> Pick:
    """An edge or a wire without an axis of its own: a curve, and a plane where it lies in one."""
    readings: list[Feature] = list(_followed(curves))
    plane = _plane_of(shape)
    if plane is not None:
        position = plane.Position()
        z, x = _direction(position.Direction()), _direction(position.XDirection())
        flat, others = plane_at(Frame(centre, z, x).frame, centre)
        readings += [flat, *others]
    else:
        readings.append(Point(centre))
    return Pick(kind, readings[0], tuple(readings[1:]), centre, size)


def _followed(curves: list[Any]) -> tuple[Curve, ...]:
    """A curve along edges, one after the other; nothing where it would not follow."""
    return followed([Course(_straight(curve), partial(_points, curve)) for curve in curves])


def _straight(curve: Any) -> bool:
    from OCP.GeomAbs import GeomAbs_CurveType

    bare = curve[0] if isinstance(curve, tuple) else curve
    return bool(bare.GetType() == GeomAbs_CurveType.GeomAbs_Line)


def _points(curve: Any, shares: Array) -> list[Triple]:
    """Points of an edge at shares of its way."""
    bare, back = curve if isinstance(curve, tuple) else (curve, False)
    first, last = bare.FirstParameter(), bare.LastParameter()
    places = last + (first - last) * shares if back else first + (last - first) * shares
    return [_spot(bare.Value(float(u))) for u in places]


# --------------------------------------------------------------------------------------- numbers
def _middle(shape: Any, what: str) -> tuple[Triple, float]:
    """Centre of mass and size: of a solid its volume, of a face its area, of an edge its length."""
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    measures = {
        "solid": BRepGProp.VolumeProperties_s,
        "face": BRepGProp.SurfaceProperties_s,
        "edge": BRepGProp.LinearProperties_s,
    }
    for name in list(measures)[list(measures).index(what) :]:  # a shell has an area, no volume
        found = GProp_GProps()
        measures[name](shape, found)
        if abs(found.Mass()) > SMALL:
            return _spot(found.CentreOfMass()), abs(float(found.Mass()))
    return _spot(found.CentreOfMass()), 0.0


def _spot(point: Any) -> Triple:
    return (point.X() + 0.0, point.Y() + 0.0, point.Z() + 0.0)


def _direction(vector: Any) -> Triple:
    """A unit vector, without the rounding of its small components."""
    v = np.array([vector.X(), vector.Y(), vector.Z()])
    v[np.abs(v) < SMALL * np.linalg.norm(v)] = 0.0
    return triple(v / np.linalg.norm(v))


def _upward(vector: Any) -> tuple[Triple, float]:
    """The direction of an axis, which has no sense of its own: with its largest component positive.

    Angles about it then have a sign that does not depend on how a hole was modelled.  The number
    is -1 where it was turned.
    """
    v = np.array(_direction(vector))
    large = np.flatnonzero(np.abs(v) > np.abs(v).max() - 1e-9)  # of equal ones the first
    way = 1.0 if v[large[0]] > 0.0 else -1.0
    return triple(way * v + 0.0), way

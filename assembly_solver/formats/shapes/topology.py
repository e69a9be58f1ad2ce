"""Faces, edges, wires and vertices of the modeller's shapes, read as features.

Shapes are Open CASCADE's, through `OCP`, which is installed with cadquery and loaded only when
used.  All numbers are in the coordinates of the shape, mm.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import degrees
from typing import Any

from ...foundations.geometry.pose import Triple
from ...foundations.numerics.rounding import CONFUSION, EPSILON
from ...foundations.types import Array
from ...model.curve import Curve
from .edge_curves import Course, followed
from .pick_kinds import Piece
from .picks import Pick

NOTHING = 64.0 * EPSILON
"""Volume, area or length that counts as 0: mm3, mm2 or mm."""


def shape_pick(shape: Any) -> Pick:
    """The pick of a shape of the modeller (a `TopoDS_Shape`)."""
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

        at = _coordinates(BRep_Tool.Pnt_s(TopoDS.Vertex_s(shape)))
        return Piece(at, 0.0).other("vertex")
    return _middle(shape, "solid").other(kind.name.removeprefix("TopAbs_").lower())


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
    piece = _middle(face, "face")
    if kind == Kind.GeomAbs_Cone:
        cone = surface.Cone()
        half = degrees(abs(cone.SemiAngle()))
        return piece.cone(_coordinates(cone.Apex()), _coordinates(cone.Axis().Direction()), half)
    if kind == Kind.GeomAbs_Sphere:
        ball = surface.Sphere()
        return piece.sphere(_coordinates(ball.Location()), ball.Radius())
    if kind == Kind.GeomAbs_Torus:
        ring = surface.Torus()
        at, z = _coordinates(ring.Location()), _coordinates(ring.Axis().Direction())
        return piece.torus(at, z, ring.MajorRadius(), ring.MinorRadius())
    plane = _plane_of(face)
    if plane is not None:
        return _planar(face, plane)
    words = kind.name.removeprefix("GeomAbs_").lower().replace("surfaceof", "")
    words = words.removesuffix("surface") + " surface"
    if kind == Kind.GeomAbs_SurfaceOfRevolution:
        axis = surface.AxeOfRevolution()
        return piece.turned(words, _coordinates(axis.Location()), _coordinates(axis.Direction()))
    return piece.other(words)


def _planar(face: Any, plane: Any) -> Pick:
    from OCP.BRepGProp import BRepGProp_Face
    from OCP.BRepTools import BRepTools
    from OCP.gp import gp_Pnt, gp_Vec

    bounds = BRepTools.UVBounds_s(face)
    endless = any(abs(b) > 1e90 for b in bounds)
    piece = Piece(_coordinates(plane.Location()), 0.0) if endless else _middle(face, "face")
    normal = gp_Vec()
    u, v = (0.0, 0.0) if endless else (0.5 * (bounds[0] + bounds[1]), 0.5 * (bounds[2] + bounds[3]))
    BRepGProp_Face(face).Normal(u, v, gp_Pnt(), normal)
    return piece.plane(_coordinates(normal))


def _cylinder(face: Any, surface: Any) -> Pick:
    from OCP.TopAbs import TopAbs_Orientation

    found = surface.Cylinder()
    position = found.Position()
    hole = (face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED) == position.Direct()
    z = _coordinates(position.Direction())
    ends = surface.FirstVParameter(), surface.LastVParameter()
    at, piece = _coordinates(found.Location()), _middle(face, "face")
    return piece.cylinder(hole, at, z, found.Radius(), ends)


def _plane_of(shape: Any) -> Any:
    """The plane of a face, an edge or a wire; None where it is not planar."""
    from OCP.BRepLib import BRepLib_FindSurface

    found = BRepLib_FindSurface(shape, CONFUSION, True)
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
    piece, follow = _middle(edge, "edge"), partial(_followed, [curve], [False])
    if kind == Kind.GeomAbs_Line:
        line, ends = curve.Line(), (curve.FirstParameter(), curve.LastParameter())
        at, z = _coordinates(line.Location()), _coordinates(line.Direction())
        return piece.line(at, z, ends, follow)
    if kind in (Kind.GeomAbs_Circle, Kind.GeomAbs_Ellipse):
        found = curve.Circle() if kind == Kind.GeomAbs_Circle else curve.Ellipse()
        at, z = _coordinates(found.Location()), _coordinates(found.Axis().Direction())
        if kind == Kind.GeomAbs_Circle:
            return piece.circle(at, z, found.Radius(), follow)
        return piece.ellipse(at, z, _coordinates(found.XAxis().Direction()), follow)
    words = kind.name.removeprefix("GeomAbs_").lower().replace("curve", "") + " curve"
    return piece.course(words, follow(), _normal(edge))


def _wire(wire: Any) -> Pick:
    """A wire: its edge where it has one only, else the curve along its edges."""
    from OCP.BRepAdaptor import BRepAdaptor_Curve
    from OCP.BRepTools import BRepTools_WireExplorer
    from OCP.TopAbs import TopAbs_Orientation

    edges, explorer = [], BRepTools_WireExplorer(wire)
    while explorer.More():
        edges.append(explorer.Current())
        explorer.Next()
    if len(edges) == 1:
        return _edge(edges[0])
    reverse = [e.Orientation() == TopAbs_Orientation.TopAbs_REVERSED for e in edges]
    curves = _followed(map(BRepAdaptor_Curve, edges), reverse)
    return _middle(wire, "edge").course("wire", curves, _normal(wire))


def _normal(shape: Any) -> Triple | None:
    """The normal of the plane of an edge or a wire; None where it is not planar."""
    plane = _plane_of(shape)
    return None if plane is None else _coordinates(plane.Position().Direction())


def _followed(curves: Iterable[Any], reverse: Iterable[bool]) -> tuple[Curve, ...]:
    """A curve along consecutive edges; with True for one that it runs along in reverse."""
    from OCP.GeomAbs import GeomAbs_CurveType

    line = GeomAbs_CurveType.GeomAbs_Line
    pairs = zip(curves, reverse, strict=True)
    return followed([Course(bool(c.GetType() == line), partial(_points, c, r)) for c, r in pairs])


def _points(curve: Any, reverse: bool, shares: Array) -> list[Triple]:
    """Points of an edge at fractions of its parameter."""
    first, last = curve.FirstParameter(), curve.LastParameter()
    if reverse:
        first, last = last, first
    return [_coordinates(curve.Value(float(u))) for u in first + (last - first) * shares]


# --------------------------------------------------------------------------------------- numbers
def _middle(shape: Any, what: str) -> Piece:
    """Centre of mass, and the volume of a solid, the area of a face or the length of an edge."""
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
        if abs(found.Mass()) > NOTHING:
            return Piece(_coordinates(found.CentreOfMass()), abs(float(found.Mass())))
    return Piece(_coordinates(found.CentreOfMass()), 0.0)


def _coordinates(point: Any) -> Triple:
    return (point.X() + 0.0, point.Y() + 0.0, point.Z() + 0.0)

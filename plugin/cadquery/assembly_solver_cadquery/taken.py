"""Features of shapes as CadQuery's constraints use them: centre, normal, tangent of an edge.

Vertices, straight edges and planar faces are read directly, several times faster than by CadQuery's
general method, with the same results.
"""

from __future__ import annotations

from typing import Any

import cadquery as cq
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepGProp import BRepGProp
from OCP.Geom import Geom_Plane, Geom_RectangularTrimmedSurface
from OCP.GeomAbs import GeomAbs_CurveType
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_Orientation
from OCP.TopoDS import TopoDS_Shape

import assembly_solver as asm

Triple = tuple[float, float, float]

FAR = 1e90
"""Size of a face, mm, from which it counts as infinite."""

REVERSED = TopAbs_Orientation.TopAbs_REVERSED
LINE = GeomAbs_CurveType.GeomAbs_Line


def typed(shape: Any) -> Any:
    """A shape whose kernel's shape has its type again, which a copy or a pickle loses."""
    return cq.Shape.cast(shape.wrapped) if type(shape.wrapped) is TopoDS_Shape else shape


class ConstraintShape:
    """One shape in a constraint."""

    def __init__(self, shape: Any) -> None:
        shape = typed(shape)
        self.shape = shape  # attributes depend on the kind of shape, which CadQuery has checked
        self.face = isinstance(shape, cq.Face)
        self.flat = _place_of(shape.wrapped) if self.face else None
        self.line: Any = None
        if not self.face and isinstance(shape, cq.Edge):
            curve = BRepAdaptor_Curve(shape.wrapped)
            self.line = curve if curve.GetType() == LINE else None

    @property
    def directed(self) -> str:
        """The feature below that gives its direction."""
        if self.line is not None:
            return "edge"
        return "plane" if self.face or self.shape.geomType() == "CIRCLE" else "edge"

    def point(self) -> asm.Feature:
        return asm.Point(self._centre())

    def axis(self) -> asm.Feature:
        return asm.Axis(
            self._centre(), self._normal() if self.directed == "plane" else self._tangent()
        )

    def plane(self) -> asm.Feature:
        """The plane through its centre; of a planar face through any point of it."""
        at = _numbers(self.flat.Location()) if self.flat is not None else self._centre()
        return asm.Plane(at, self._normal())

    def edge(self) -> asm.Feature:
        return asm.Axis(self._centre(), self._tangent())

    def _centre(self) -> Triple:
        """Its centre of mass; of an infinite plane the origin."""
        if self.line is not None:
            middle = 0.5 * (self.line.FirstParameter() + self.line.LastParameter())
            return _numbers(self.line.Value(middle))
        if isinstance(self.shape, cq.Vertex):
            return _numbers(BRep_Tool.Pnt_s(self.shape.wrapped))
        if not self.face:
            at: Triple = self.shape.Center().toTuple()
            return at
        if abs(BRepAdaptor_Surface(self.shape.wrapped).LastUParameter()) > FAR:
            return asm.pick(self.shape).centre
        found = GProp_GProps()
        BRepGProp.SurfaceProperties_s(self.shape.wrapped, found)
        return _numbers(found.CentreOfMass())

    def _normal(self) -> Triple:
        """The normal of a face at its centre, or of the plane of an edge or a wire."""
        if self.flat is None:
            found: Triple = (self.shape.normalAt() if self.face else self.shape.normal()).toTuple()
            return found
        inward = self.shape.wrapped.Orientation() == REVERSED
        x, y, z = _numbers(self.flat.Direction())
        return (-x, -y, -z) if inward == self.flat.Direct() else (x, y, z)

    def _tangent(self) -> Triple:
        """The tangent of an edge or a wire at its centre."""
        if self.line is not None:
            return _numbers(self.line.Line().Direction())
        found: Triple = self.shape.tangentAt().toTuple()
        return found


def _place_of(face: Any) -> Any:
    """The position of the plane of a face (`gp_Ax3`); None where it is not planar."""
    surface = BRep_Tool.Surface_s(face)
    if isinstance(surface, Geom_RectangularTrimmedSurface):
        surface = surface.BasisSurface()
    return surface.Position() if isinstance(surface, Geom_Plane) else None


def _numbers(of: Any) -> Triple:
    return (of.X(), of.Y(), of.Z())

"""CadQuery: `Assembly.solve` minimises the squares of all constraints (casadi with ipopt).

coaxial = Axis + PointOnLine, coplanar = Axis + PointInPlane, coincident = Point, distance = Point
with a parameter.  Features are real edges, faces and vertices; every part is a box, because the
program scales its problem by the bounding box of the assembly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import BenchmarkCase, CaseFeature, Poses, Reference, Tie
from .base import peer

HALF_EDGE = 10.0  # mm; an edge is centred on its feature's point, a face is as wide as an edge


class CadQuery:
    """The solver of CadQuery's assemblies."""

    def __init__(self) -> None:
        self.cq = peer("cadquery", "cadquery")
        self.gp = peer("OCP.gp", "cadquery")

    def prepare(self, case: BenchmarkCase) -> None:
        """Nothing is left out for this peer."""

    def build(self, case: BenchmarkCase) -> Any:
        """An assembly of boxes with all constraints."""
        model = self.cq.Assembly(name="case")
        for i, (name, body) in enumerate(case.parts.items()):
            low = np.subtract(body.middle, np.divide(body.box, 2))
            box = self.cq.Solid.makeBox(*body.box, self.cq.Vector(*low))
            model.add(box, name=name, loc=self._location(case.guess, i))
        model.constrain(case.ground, "Fixed")
        shapes: dict[tuple[Reference, str], Any] = {}
        for tie in case.mates:
            self._constrain(model, case, tie, shapes)
        return model, case

    def _location(self, poses: Poses, i: int) -> Any:
        w, x, y, z = poses.quaternion[i].tolist()
        out = self.gp.gp_Trsf()
        out.SetRotation(self.gp.gp_Quaternion(x, y, z, w))
        out.SetTranslationPart(self.gp.gp_Vec(*poses.position[i].tolist()))
        return self.cq.Location(out)

    def _constrain(self, model: Any, case: BenchmarkCase, tie: Tie, shapes: dict[Any, Any]) -> None:
        def shape(reference: Reference, what: str) -> Any:
            key = (reference, what)
            if key not in shapes:
                shapes[key] = self._shape(case.feature(reference), what)
            return shapes[key]

        def add(what_a: str, what_b: str, kind: str, *parameter: float) -> None:
            ends = tie.a[0], shape(tie.a, what_a), tie.b[0], shape(tie.b, what_b)
            model.constrain(*ends, kind, *parameter)

        between = 0.0 if tie.sense > 0 else 180.0
        if tie.kind == "coaxial":
            add("edge", "edge", "Axis", between)
            add("vertex", "edge", "PointOnLine")
        elif tie.kind == "coplanar":
            add("face", "face", "Axis", between)
            add("vertex", "face", "PointInPlane")
        else:
            add("vertex", "vertex", "Point", tie.value)

    def _shape(self, feature: CaseFeature, what: str) -> Any:
        if what == "vertex":
            return self.cq.Vertex.makeVertex(*feature.point)
        spot, direction = self.cq.Vector(*feature.point), self.cq.Vector(feature.direction)
        if what == "edge":
            reach = direction * HALF_EDGE
            return self.cq.Edge.makeLine(spot - reach, spot + reach)
        return self.cq.Face.makePlane(HALF_EDGE, HALF_EDGE, spot, direction)

    def solve(self, model: Any) -> str:
        """The solve call; the outcome is only in a private attribute."""
        model[0].solve()
        return str(model[0]._solve_result["return_status"])

    def poses(self, model: Any) -> Poses:
        """Locations of the parts."""
        assembly, case = model
        frames = [assembly.objects[name].loc.wrapped.Transformation() for name in case.parts]
        places = [f.TranslationPart() for f in frames]
        turns = [f.GetRotation() for f in frames]
        return Poses(
            np.array([(v.X(), v.Y(), v.Z()) for v in places]),
            np.array([(q.W(), q.X(), q.Y(), q.Z()) for q in turns]),
        )

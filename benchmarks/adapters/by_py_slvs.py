"""SolveSpace through `py-slvs`, modelled as FreeCAD's Assembly3 does.

A part has 7 parameters, its features are constants transformed with it: coaxial =
Parallel + PointOnLine, coplanar = Parallel + PointInPlane, coincident = PointsCoincident.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import BenchmarkCase, Poses, Reference, Tie
from .base import across, peer
from .equations import Atom, plan

HELD, MOVING = 2, 1  # groups: constants, and what is solved
WORDS = ("okay", "inconsistent", "did not converge", "too many unknowns", "not begun", "redundant")


class PySlvs:
    """SolveSpace's engine as Assembly3 uses it, with all or only the independent equations."""

    def __init__(self, mode: str) -> None:
        self.slvs = peer("py_slvs.slvs", "py-slvs")
        self.mode = mode

    def prepare(self, case: BenchmarkCase) -> None:
        """Choose the equations: a user's work by hand in the mode `minimal`."""
        self.plan = plan(case, self.mode)

    def build(self, case: BenchmarkCase) -> Any:
        """A system with the parts' parameters and all constraints."""
        sheet = _PySlvsSystem(self.slvs, case)
        for tie, atoms in self.plan:
            for atom in atoms:
                sheet.constrain(tie, atom)
        return sheet

    def solve(self, model: Any) -> str:
        """The solve call, without the search for failed constraints and free parameters."""
        code = model.system.solve(group=MOVING, reportFailed=False, findFreeParams=False)
        return WORDS[code] if code < len(WORDS) else f"code {code}"

    def poses(self, model: Any) -> Poses:
        """Values of the parts' parameters."""
        read = model.system.getParam
        table = np.array([[read(h).val for h in handles] for handles in model.handles.values()])
        return Poses(table[:, :3], table[:, 3:])


class _PySlvsSystem:
    """One system under construction: parameters of the parts, their features made once."""

    def __init__(self, slvs: Any, case: BenchmarkCase) -> None:
        self.slvs, self.case = slvs, case
        self.system = slvs.System()
        self.system.GroupHandle = HELD
        self.handles: dict[str, list[int]] = {}
        self.made: dict[Reference, dict[str, int]] = {}
        starts = np.hstack([case.guess.position, case.guess.quaternion]).tolist()
        for name, values in zip(case.parts, starts, strict=True):
            group = self._group(name)
            self.handles[name] = [self.system.addParamV(v, group=group) for v in values]
            self.system.addNormal3d(*self.handles[name][3:], group=group)  # holds |q| = 1

    def _group(self, name: str) -> int:
        return HELD if name == self.case.ground else MOVING

    def _point(self, name: str, at: Any) -> int:
        fixed = self.system.addPoint3dV(*map(float, at), group=HELD)
        out: int = self.system.addTransform(fixed, *self.handles[name], group=self._group(name))
        return out

    def _line(self, reference: Reference, direction: Any) -> int:
        """A line from a feature's point along a direction of its part."""
        name, spot = reference[0], self.case.feature(reference).point
        ends = self._feature(reference)["point"], self._point(name, np.add(spot, direction))
        out: int = self.system.addLineSegment(*ends, group=self._group(name))
        return out

    def _feature(self, reference: Reference) -> dict[str, int]:
        if reference in self.made:
            return self.made[reference]
        name, feature = reference[0], self.case.feature(reference)
        out = self.made[reference] = {"point": self._point(name, feature.point)}
        if feature.direction is not None:
            out["line"] = self._line(reference, feature.direction)
        if feature.kind == "plane":
            first, second = across(np.array(feature.direction))
            turned = self.slvs.makeQuaternion(*first.tolist(), *second.tolist())
            normal = self.system.addNormal3dV(*turned, group=HELD)
            group = self._group(name)
            moved = self.system.addTransform(normal, *self.handles[name], group=group)
            out["plane"] = self.system.addWorkplane(out["point"], moved, group=group)
        return out

    def constrain(self, tie: Tie, atom: Atom) -> None:
        """Add one constraint of a mate."""
        a, b, system = self._feature(tie.a), self._feature(tie.b), self.system
        if atom.kind == "parallel":
            system.addParallel(a["line"], b["line"], group=MOVING)
        elif atom.kind == "on_line":
            system.addPointOnLine(a["point"], b["line"], group=MOVING)
        elif atom.kind == "in_plane":
            system.addPointInPlane(a["point"], b["plane"], group=MOVING)
        elif atom.kind == "points":
            system.addPointsCoincident(a["point"], b["point"], group=MOVING)
        elif atom.kind == "apart":
            system.addPointsDistance(tie.value, a["point"], b["point"], group=MOVING)
        elif atom.kind == "perpendicular":
            system.addPerpendicular(a["line"], self._line(tie.b, atom.u), group=MOVING)
        else:
            along = self._line(tie.b, atom.u)
            system.addPointsProjectDistance(0.0, a["point"], b["point"], along, group=MOVING)

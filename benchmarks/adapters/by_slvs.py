"""SolveSpace through `slvs`, the official library, which has no rigid body.

A part is two workplanes through one free origin: one on a free quaternion (the part's x and y), one
on a second quaternion (x and z) that three Perpendicular constraints tie to the first.  A feature's
point (x, y, z) is the point (0, z) of a workplane like the second, whose origin is the point (x, y)
of the first: exact, and without further unknowns (11 unknowns and 5 equations a part).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..case import BenchmarkCase, Poses, Reference, Tie
from .base import peer
from .equations import Atom, plan

HELD, MOVING = 1, 2  # groups: constants, and what is solved


class Slvs:
    """SolveSpace's library with all or only the independent equations."""

    def __init__(self, mode: str) -> None:
        self.slvs = peer("slvs", "slvs")
        self.mode = mode

    def prepare(self, case: BenchmarkCase) -> None:
        """Choose the equations: a user's work by hand in the mode `minimal`."""
        self.plan = plan(case, self.mode)

    def build(self, case: BenchmarkCase) -> Any:
        """The library's one sketch with all constraints."""
        sheet = _SlvsSketch(self.slvs, case)
        for tie, atoms in self.plan:
            for atom in atoms:
                sheet.constrain(tie, atom)
        return sheet

    def solve(self, model: Any) -> str:
        """The solve call, without the search for failed constraints."""
        answer = self.slvs.solve_sketch(MOVING, False)
        return str(self.slvs.ResultFlag(answer["result"]).name).lower()

    def poses(self, model: Any) -> Poses:
        """Values of the origins and of the first quaternions."""
        read = self.slvs.get_param_value
        table = np.array([[read(h) for h in handles] for handles in model.handles.values()])
        return Poses(table[:, :3], table[:, 3:])


class _SlvsSketch:
    """The sketch under construction."""

    def __init__(self, slvs: Any, case: BenchmarkCase) -> None:
        self.slvs, self.case = slvs, case
        slvs.clear_sketch()
        self.handles: dict[str, list[int]] = {}
        self.planes: dict[str, tuple[Any, Any]] = {}  # first workplane, second normal
        self.made: dict[Reference, dict[str, Any]] = {}
        for i, name in enumerate(case.parts):
            self._body(i, name)

    def _group(self, name: str) -> int:
        return HELD if name == self.case.ground else MOVING

    def _body(self, i: int, name: str) -> None:
        slvs, group = self.slvs, self._group(name)
        origin = slvs.add_point_3d(group, *self.case.guess.position[i].tolist())
        flat = slvs.add_normal_3d(group, *self.case.guess.quaternion[i].tolist())
        x, _, z = self.case.guess.rotation[i].T.tolist()
        upright = slvs.add_normal_3d(group, *slvs.make_quaternion(*x, *z))
        floor = slvs.add_workplane(group, origin, flat)
        if group == MOVING:
            self._tie(floor, slvs.add_workplane(group, origin, upright))
        self.handles[name] = [*origin["param"][:3], *flat["param"][:4]]
        self.planes[name] = floor, upright

    def _tie(self, floor: Any, wall: Any) -> None:
        """The wall's u is the floor's u, and its v is across the floor."""
        (fu, fv), (wu, wv) = self._edges(floor), self._edges(wall)
        for one, other in ((wu, fv), (wv, fu), (wv, fv)):
            self._add("PERPENDICULAR", 0.0, None, None, one, other)

    def _edges(self, workplane: Any) -> list[Any]:
        """Lines of length 1 along a workplane's u and v."""
        ends = [self.slvs.add_point_2d(HELD, u, v, workplane) for u, v in ((0, 0), (1, 0), (0, 1))]
        return [self.slvs.add_line_2d(MOVING, ends[0], end, workplane) for end in ends[1:]]

    def _add(
        self, kind: str, value: float, p: Any, q: Any, one: Any = None, other: Any = None
    ) -> None:
        none = self.slvs.E_NONE
        ends = [none if end is None else end for end in (p, q, one, other)]
        constraint = getattr(self.slvs.ConstraintType, kind)
        self.slvs.add_constraint(MOVING, constraint, self.slvs.E_FREE_IN_3D, value, *ends)

    def _point(self, name: str, at: Any) -> tuple[Any, Any]:
        """A point of a part, and the workplane that it lies in."""
        x, y, z = map(float, at)
        floor, upright = self.planes[name]
        foot = self.slvs.add_point_2d(HELD, x, y, floor)
        wall = self.slvs.add_workplane(self._group(name), foot, upright)
        return self.slvs.add_point_2d(HELD, 0.0, z, wall), wall

    def _line(self, reference: Reference, direction: Any) -> Any:
        """A line from a feature's point along a direction of its part."""
        name, spot = reference[0], self.case.feature(reference).point
        end, _ = self._point(name, np.add(spot, direction))
        start = self._feature(reference)
        return self.slvs.add_line_2d(self._group(name), start["point"], end, start["wall"])

    def _feature(self, reference: Reference) -> dict[str, Any]:
        if reference in self.made:
            return self.made[reference]
        name, feature = reference[0], self.case.feature(reference)
        spot, wall = self._point(name, feature.point)
        out = self.made[reference] = {"point": spot, "wall": wall}
        if feature.direction is not None:
            out["line"] = self._line(reference, feature.direction)
        return out

    def constrain(self, tie: Tie, atom: Atom) -> None:
        """Add one constraint of a mate."""
        a, b = self._feature(tie.a), self._feature(tie.b)
        p, q = a["point"], b["point"]
        if atom.kind == "parallel":
            self._add("PARALLEL", 0.0, None, None, a["line"], b["line"])
        elif atom.kind == "on_line":
            self._add("PT_ON_LINE", 0.0, p, None, b["line"])
        elif atom.kind == "in_plane":
            self._add("PROJ_PT_DISTANCE", 0.0, p, q, b["line"])
        elif atom.kind == "points":
            self._add("POINTS_COINCIDENT", 0.0, p, q)
        elif atom.kind == "apart":
            self._add("PT_PT_DISTANCE", tie.value, p, q)
        elif atom.kind == "perpendicular":
            self._add("PERPENDICULAR", 0.0, None, None, a["line"], self._line(tie.b, atom.u))
        else:
            self._add("PROJ_PT_DISTANCE", 0.0, p, q, self._line(tie.b, atom.u))

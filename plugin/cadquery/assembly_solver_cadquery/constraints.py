"""CadQuery's own constraints as mates of the engine.

Axis is parallel or angle, Point coincident or distance, Plane both at once (a revolute where the
normals are parallel), PointInPlane and PointOnLine as named; Fixed grounds its part.  FixedPoint,
FixedAxis and FixedRotation are mates with a part "world".  Points, directions and lines are read as
in CadQuery: centres, normals and tangents at the centre.  Parameters are in mm and degrees; that of
PointOnLine is the distance from the line in mm, while CadQuery 2.8 uses the square of its ratio to
the bounding box.
"""

from __future__ import annotations

from math import degrees
from typing import Any

import cadquery as cq
from OCP.gp import gp_Extrinsic_XYZ, gp_Quaternion

import assembly_solver as asm

from .naming import QueryNames
from .places import STILL, Standing, free_name, pose_of, unknown
from .taken import ConstraintShape

FLAT = 1e-9
"""A setting: largest difference from 0 or 180 degrees at which an angle is a sense."""

WORLD = "world"


def add_constraints(
    assy: cq.Assembly, parts: list[Standing], out: asm.Assembly, queries: bool = False
) -> None:
    """Add all constraints of an assembly, the parts that they refer to, and what CadQuery holds.

    Args:
        queries: name the mates by queries, as "Plane lid@faces@>Y - box@faces@<Y", which takes time
            to find, instead of by parts.
    """
    if assy.constraints:
        Adding(assy, parts, out, QueryNames(assy) if queries else None).all()


def entities(assy: cq.Assembly) -> list[str]:
    """The parts that constraints name, in CadQuery's order."""
    return list(dict.fromkeys(name for c in assy.constraints for name in c.objects))


class Adding:
    """The conversion of the constraints of one assembly into mates of another."""

    def __init__(
        self,
        assy: cq.Assembly,
        parts: list[Standing],
        out: asm.Assembly,
        queries: QueryNames | None = None,
    ) -> None:
        self.assy, self.out, self.queries = assy, out, queries
        self.poses = {name: pose for name, pose, _ in parts}
        self.roots = {name for name, _, root in parts if root}
        self.features: dict[str, dict[str, asm.Feature]] = {}
        self.taken: dict[int, ConstraintShape] = {}
        self.names: dict[tuple[str, str, int, int], str] = {}
        self.mates: list[tuple[str, tuple[str, str], tuple[str, str], Any, dict[str, Any]]] = []
        self.fixed: set[str] = set()
        self.world = WORLD
        while self.world in self.poses:
            self.world += "'"

    def all(self) -> None:
        """Read the constraints, then add parts with all features, then the mates."""
        for constraint in self.assy.constraints:
            getattr(self, f"_{constraint.kind}")(constraint)
        for name in (*entities(self.assy), *self.features):
            if name == self.world:
                self._add_world()
            elif name not in self.poses:
                raise unknown("part of a constraint", name, list(self.poses))
            elif name not in self.out.parts:
                held = name in self.roots or name in self.fixed
                features = self.features.get(name)
                self.out.add(name, features=features, pose=self.poses[name], grounded=held)
            else:
                self._extend(name)
        for kind, a, b, constraint, parameters in self.mates:
            name = free_name(self._title(constraint, a, b), self.out.held)
            self.out.mate(kind, a, b, name=name, **parameters)
        self._hold_first()

    def _hold_first(self) -> None:
        """Ground the part that CadQuery fixes where nothing is.

        It is the first part of a binary constraint that no unary constraint refers to, if any."""
        if any(part.grounded for name, part in self.out.parts.items() if name != self.world):
            return
        placed = {c.objects[0] for c in self.assy.constraints if len(c.objects) == 1}
        firsts = (n for c in self.assy.constraints for n in c.objects[:1] if n not in placed)
        first = next(firsts, None)
        if first is not None:
            self.out.ground(first)

    def _extend(self, name: str) -> None:
        """Add the features that constraints need to a part."""
        new = self.features.get(name, {})
        new = {k: f for k, f in new.items() if k not in self.out.parts[name].features}
        if new:
            self.out.add_features(name, new)
        if name in self.fixed and not self.out.parts[name].grounded:
            self.out.ground(name)

    def _add_world(self) -> None:
        """Add the part "world", the frame of unary constraints, at its pose from the root."""
        root = any(name in self.roots for name in entities(self.assy))
        pose = pose_of(self.assy.loc).inverse() if root else STILL
        if self.world not in self.out.parts:
            features = self.features[self.world]
            self.out.add(self.world, features=features, pose=pose, grounded=True)

    def _title(self, constraint: Any, a: tuple[str, str], b: tuple[str, str]) -> str:
        """A constraint by its kind and its two ends."""
        ends = [a[0], b[0]]
        if self.queries is not None:
            for k in range(len(constraint.objects)):
                at = ends.index(constraint.objects[k])
                ends[at] = self.queries.query(constraint, k)
        return f"{constraint.kind} {ends[0]} - {ends[1]}"

    # ------------------------------------------------------------------ features
    def _end(self, constraint: Any, k: int, role: str) -> tuple[str, str]:
        """A reference to one end of a constraint as a feature of its part."""
        part, shape, place = constraint.objects[k], constraint.args[k], constraint.sublocs[k]
        inner = None if place.wrapped.IsIdentity() else place
        key = (part, role, id(shape), id(inner))
        name = self.names.get(key)
        if name is None:
            feature = getattr(self._taken(shape), role)()
            feature = feature.moved(pose_of(inner).frame.tolist()) if inner else feature
            name = self.names[key] = self._named(part, role, feature)
        return part, name

    def _taken(self, shape: cq.Shape) -> ConstraintShape:
        found = self.taken.get(id(shape))
        if found is None:
            found = self.taken[id(shape)] = ConstraintShape(shape)
        return found

    def _named(self, part: str, role: str, feature: asm.Feature) -> str:
        known = self.features.setdefault(part, {})
        name = f"{role} {len(known) + 1}"
        known[name] = feature
        return name

    def _in_world(self, role: str, feature: asm.Feature) -> tuple[str, str]:
        return self.world, self._named(self.world, role, feature)

    def _mate(
        self, kind: str, a: tuple[str, str], b: tuple[str, str], constraint: Any, **parameters: Any
    ) -> None:
        self.mates.append((kind, a, b, constraint, parameters))

    # ------------------------------------------------------------------ one for each kind
    def _Axis(self, c: Any) -> None:  # noqa: N802  (CadQuery's word)
        self._inclined(c, degrees(c.param) if c.param is not None else 180.0)

    def _inclined(self, c: Any, angle: float) -> None:
        """Two directions at an angle, degrees, of any size and sign."""
        a, b = (self._end(c, k, self._taken(c.args[k]).directed) for k in (0, 1))
        angle = abs((angle + 180.0) % 360.0 - 180.0)
        if min(angle, 180.0 - angle) < FLAT:
            sense = "aligned" if angle < 90.0 else "opposed"
            self._mate("parallel", a, b, c, sense=sense)
        else:
            self._mate("angle", a, b, c, value=angle)

    def _Point(self, c: Any) -> None:  # noqa: N802
        a, b = self._end(c, 0, "point"), self._end(c, 1, "point")
        if c.param:
            self._mate("distance", a, b, c, value=abs(float(c.param)))
        else:
            self._mate("coincident", a, b, c)

    def _Plane(self, c: Any) -> None:  # noqa: N802
        """Coincident centres, and normals at an angle, by default 180 degrees (face to face)."""
        angle = 180.0 if c.param is None else float(c.param)
        flat = abs((angle + 180.0) % 360.0 - 180.0)
        if min(flat, 180.0 - flat) < FLAT:
            a, b = self._end(c, 0, "axis"), self._end(c, 1, "axis")
            sense = "aligned" if flat < 90.0 else "opposed"
            self._mate("revolute", a, b, c, sense=sense)
            return
        self._inclined(c, angle)
        self._mate("coincident", self._end(c, 0, "point"), self._end(c, 1, "point"), c)

    def _PointInPlane(self, c: Any) -> None:  # noqa: N802
        a, b = self._end(c, 0, "point"), self._end(c, 1, "plane")
        self._mate("point_in_plane", a, b, c, offset=float(c.param or 0.0))

    def _PointOnLine(self, c: Any) -> None:  # noqa: N802
        a, b = self._end(c, 0, "point"), self._end(c, 1, "edge")
        if c.param:
            self._mate("distance", a, b, c, value=abs(float(c.param)))
        else:
            self._mate("point_on_line", a, b, c)

    def _Fixed(self, c: Any) -> None:  # noqa: N802
        self.fixed.add(c.objects[0])

    def _FixedPoint(self, c: Any) -> None:  # noqa: N802
        world = self._in_world("point", asm.Point(c.param))
        self._mate("coincident", self._end(c, 0, "point"), world, c)

    def _FixedAxis(self, c: Any) -> None:  # noqa: N802
        world = self._in_world("axis", asm.Axis((0.0, 0.0, 0.0), c.param))
        end = self._end(c, 0, self._taken(c.args[0]).directed)
        self._mate("parallel", end, world, c, sense="aligned")

    def _FixedRotation(self, c: Any) -> None:  # noqa: N802
        """Two axes of the part parallel to those of the rotated frame, which fixes the third."""
        q = gp_Quaternion()
        q.SetEulerAngles(gp_Extrinsic_XYZ, *c.param)
        turned = asm.Pose((0.0, 0.0, 0.0), (q.W(), q.X(), q.Y(), q.Z()))
        for name, k in (("x", 0), ("z", 2)):
            way = asm.Axis((0.0, 0.0, 0.0), tuple(turned.rotation[:, k].tolist()))
            world = self._in_world("axis", way)
            self._mate("parallel", (c.objects[0], name), world, c, sense="aligned")

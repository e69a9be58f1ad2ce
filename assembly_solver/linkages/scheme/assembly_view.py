"""An assembly as a planar linkage, and the poses of its parts from the points of one.

Included is what the drivers move in parallel planes; all else is rigid with the part it rests on.

Source: MotionGen, section 2, for the scheme; docs/theory/planar.md, 1 to 4, for planar components.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...equations.table import EquationTable
from ...errors import NoLinkage
from ...foundations.geometry.nearest_motion import GENERAL, PLANAR
from ...foundations.numerics.distinct import distinct
from ...foundations.types import Array, Ints
from ...model.assembly import Assembly
from ...structure.plan import Plan
from ...structure.planar import project
from ...structure.poses import body_poses
from ...structure.steps import Component
from .actuators import actuator, in_plane, slots
from .extraction import SchemeBuilder
from .limits import EndStop, end_stops
from .link_motions import LinkMotions
from .plane import MotionPlane
from .plane_joints import RIGID, PlaneJoint, PlaneJointReader
from .scheme import Scheme

NOTHING_MOVES = "its drivers move nothing in a plane"


@dataclass(frozen=True, eq=False)
class LinkageView:
    """The planar linkage of an assembly.

    Attributes:
        scheme: the linkage, its actuators in the order of the drivers.
        plane: of its motion; frames: (parts, 12), mm, where the parts start.
        parts: names; link: number of the link that each part moves with, 0 for the ground.
        end_stops: limits that are not bounds of a slot.
        locked: drivers that move nothing in this plane, and joints that nothing moves.
    """

    scheme: Scheme
    plane: MotionPlane
    frames: Array
    parts: tuple[str, ...]
    link: Ints
    end_stops: tuple[EndStop, ...]
    locked: tuple[str, ...]

    def placed(self, places: Array) -> Array:
        """Frames of the parts, (states, parts, 12), from points (points, 2, states), mm, or NaN."""
        out = np.tile(self.frames, (places.shape[2], 1, 1))
        motions = LinkMotions(self.scheme, places)
        for link in distinct(self.link[self.link > 0]).tolist():
            own = np.flatnonzero(self.link == link)
            i, _ = motions.far_points(link)
            to, turn = motions.complex_points[i], motions.rotation(link)
            out[:, own] = self.plane.moved(self.frames[own], self.scheme.start[i], to, turn)
        lost = ~np.isfinite(places).all(axis=(0, 1))
        out[lost] = np.nan
        return out


def view(assembly: Assembly, plan: Plan, frames: Array, drivers: tuple[str, ...]) -> LinkageView:
    """The planar linkage of an assembly.

    Args:
        assembly: with its drivers at values.
        frames: of the parts, (parts, 12), mm, at which mates and drivers hold.
        drivers: names of those that are inputs; the others keep their values.

    Raises:
        NoLinkage: where drivers move nothing in a plane, or where a mate or a driver cannot be
            represented by points; the mate or the driver is named.
    """
    selection = _PlanarSelection(assembly, plan, frames, drivers)
    builder = SchemeBuilder(assembly, plan, frames, selection.reader, selection.representative)
    for joint in sorted(selection.joints, key=lambda m: m.mate):
        builder.add_joint(joint)
    builder.enter()
    inputs = [name for name in drivers if name in selection.inputs]
    actuators = tuple(actuator(assembly.drivers[name], builder) for name in inputs)
    scheme = builder.scheme(slots(builder), actuators)
    own = builder.number
    link = [own.get(selection.representative[b], 0) for b in plan.bodies.of_part.tolist()]
    locked = (*(name for name in drivers if name not in selection.inputs), *selection.still)
    return LinkageView(
        scheme,
        selection.reader.plane,
        frames,
        plan.system.parts,
        np.array(link, np.int64),
        end_stops(builder, inputs),
        locked,
    )


class _PlanarSelection:
    """The components that move in one plane, and what is rigid there.

    Attributes:
        inputs: names of the drivers that move these; still: joints that nothing moves.
        representative: for each body the one that represents its rigid link, 0 for the ground.
    """

    def __init__(
        self, assembly: Assembly, plan: Plan, frames: Array, drivers: tuple[str, ...]
    ) -> None:
        self.assembly, self.plan, self.drivers = assembly, plan, drivers
        self.poses = body_poses(plan, frames)
        self.representative = list(range(plan.bodies.count))
        self.components, table = _with_planar_branches(plan)
        self.reader = PlaneJointReader(plan, table, self.poses, self._plane(table))
        self.inputs = {
            name
            for c in self._moving_components(self.reader)
            for name in self._drivers_of(c)
            if assembly.drivers[name].unit != "s"
            and in_plane(assembly.drivers[name], frames, plan.system.parts, self.reader.plane)
        }
        if not self.inputs:
            raise NoLinkage(assembly.name, NOTHING_MOVES)
        self.joints: list[PlaneJoint] = []
        self.still: list[str] = []
        moving = {id(c) for c in self._moving_components(self.reader)}
        for c in self.components:
            if id(c) in moving or self._can_be_told(c):
                self._add_joints(c)
                continue
            self._merge_bodies(c.root, *c.bodies)
            if not self._drivers_of(c):
                self.still.append(plan.system.constraints[c.constraints[0]])

    def _can_be_told(self, c: Component) -> bool:
        """Whether joints tell of a loop without freedoms: there may be other ways to close it."""
        rows = sum(map(len, (c.independent or {}).values()))
        if not c.loop or rows < c.columns or not self._moves_in_plane(c, self.reader):
            return False
        try:
            return bool([*self.reader.read(c)])
        except NoLinkage:
            return False

    def _add_joints(self, component: Component) -> None:
        for joint in self.reader.read(component):
            if joint.kind == RIGID:
                self._merge_bodies(*joint.bodies)
            else:
                self.joints.append(joint)

    def _merge_bodies(self, *bodies: int) -> None:
        """Make bodies one link, represented by the least of them."""
        old = {self.representative[b] for b in bodies}
        self.representative = [min(old) if b in old else b for b in self.representative]

    # ---------------------------------------------------------------- choosing the plane
    def _drivers_of(self, component: Component) -> list[str]:
        system = self.plan.system
        end = system.mates + system.drivers
        names = [system.constraints[k] for k in component.constraints if system.mates <= k < end]
        return [name for name in names if name in self.drivers]

    def _plane(self, table: EquationTable) -> MotionPlane:
        """The plane in which most drivers move something."""
        planes = [MotionPlane.across(n) for n in self._normals()]
        if not planes:
            if not self.drivers:
                raise NoLinkage(self.assembly.name, "it has no driver", "a linkage needs one")
            raise NoLinkage(self.assembly.name, NOTHING_MOVES)
        readers = [PlaneJointReader(self.plan, table, self.poses, plane) for plane in planes]
        return max(readers, key=self._count).plane

    def _normals(self) -> Iterator[Array]:
        """Normals of the planes of driven components; of a slide alone, one perpendicular to it."""
        pairs = self.plan.bodies.pairs
        for c in self.components:
            if not self._drivers_of(c):
                continue
            rotation = self.poses[c.root, 3:].reshape(3, 3)
            if c.projection is not None:
                yield c.projection.flat.normal[0] @ rotation
            elif not c.loop:
                (p,) = c.pairs
                root = int(pairs.bodies[p, 0])
                axes = pairs.frame_a[p, 3:].reshape(3, 3) @ self.poses[root, 3:].reshape(3, 3)
                yield axes[2]
                best = max(np.eye(3)[[2, 1, 0]], key=lambda n: -abs(round(float(n @ axes[2]), 9)))
                across = best - (best @ axes[2]) * axes[2]
                yield across / np.linalg.norm(across)

    def _count(self, reader: PlaneJointReader) -> int:
        return sum(len(self._drivers_of(c)) for c in self._moving_components(reader))

    def _moving_components(self, reader: PlaneJointReader) -> list[Component]:
        """The driven components that move in the plane of a reader."""
        return [
            c for c in self.components if self._drivers_of(c) and self._moves_in_plane(c, reader)
        ]

    def _moves_in_plane(self, c: Component, reader: PlaneJointReader) -> bool:
        if c.projection is not None:
            normal = c.projection.flat.normal[0] @ self.poses[c.root, 3:].reshape(3, 3)
            return reader.plane.along(normal)
        return not c.loop and bool(reader.branch_kind(c.pairs[0]))


def _with_planar_branches(plan: Plan) -> tuple[list[Component], EquationTable]:
    """The components, and the equations, with planar branches treated like loops.

    Branches that are one lower pair are unchanged: their joint is known.
    """
    components, frames = [], plan.table.marker_frame.copy()
    bodies = plan.bodies
    for c in plan.components:
        kinds = {int(bodies.pairs.kind[p]) for p in c.pairs}
        if not c.loop and kinds <= {GENERAL, PLANAR}:
            of = plan.system.constraint_of_equation[c.rows]
            found = project(bodies.table, c.root, list(c.bodies), c.rows, of)
            c = replace(c, projection=found)
            for marker, frame in found.frames.items() if found is not None else ():
                frames[marker] = frame
        components.append(c)
    return components, plan.table._replace(marker_frame=frames)

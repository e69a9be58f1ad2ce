"""An assembly seen as a planar linkage, and the poses of its parts from the points of one.

What the drivers move in parallel planes is seen; all else stays where it stands on what carries it.
The points are those where links meet, at the poses at which the assembly is solved.

Source: MotionGen, section 2, for the scheme; docs/theory/planar.md, 1 to 4, for what is flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...equations.table import Table
from ...errors import NoLinkage
from ...foundations.geometry.nearest_motion import GENERAL, PLANAR
from ...foundations.types import Array, Ints
from ...model.assembly import Assembly
from ...structure.plan import Plan
from ...structure.planar import project
from ...structure.poses import body_poses
from ...structure.steps import Component
from .actuators import actuator, in_plane, slots
from .extraction import Gathering
from .limits import Stop, stops
from .link_motions import Motions
from .plane import Plane
from .plane_joints import RIGID, Meeting, Reader
from .scheme import Scheme

STILL = "its drivers move nothing in a plane"


@dataclass(frozen=True, eq=False)
class View:
    """What was seen.

    Attributes:
        scheme: the linkage, its actuators in the order of the drivers.
        plane: where; frames: (parts, 12), mm, where the parts start.
        parts: names; link: number of the link that each part moves with, 0 for what stays.
        stops: limits that no slot has.
        held: drivers that move nothing in this plane, and joints that nothing moves: they stay.
    """

    scheme: Scheme
    plane: Plane
    frames: Array
    parts: tuple[str, ...]
    link: Ints
    stops: tuple[Stop, ...]
    held: tuple[str, ...]

    def placed(self, places: Array) -> Array:
        """Frames of the parts, (states, parts, 12), mm, from points (points, 2, states)."""
        out, motions = np.tile(self.frames, (places.shape[2], 1, 1)), Motions(self.scheme, places)
        for link in np.unique(self.link[self.link > 0]).tolist():
            own = np.flatnonzero(self.link == link)
            i, _ = motions.far_points(link)
            to, turn = motions.seen[i], motions.turn(link)
            out[:, own] = self.plane.moved(self.frames[own], self.scheme.start[i], to, turn)
        lost = ~np.isfinite(places).all(axis=(0, 1))
        out[lost] = np.nan
        return out


def view(assembly: Assembly, plan: Plan, frames: Array, drivers: tuple[str, ...]) -> View:
    """See an assembly as a planar linkage.

    Args:
        assembly: with its drivers at values; plan: of it.
        frames: of the parts, (parts, 12), mm, at which mates and drivers hold.
        drivers: names of those that are inputs; the others stay where they are.

    Raises:
        NoLinkage: where drivers move nothing in a plane, or where a mate or a driver cannot be
            told in points; the mate or the driver is named.
    """
    seen = _Sight(assembly, plan, frames, drivers)
    gathering = Gathering(assembly, plan, frames, seen.reader, seen.leader)
    for meeting in sorted(seen.meetings, key=lambda m: m.mate):
        gathering.meet(meeting)
    gathering.enter()
    inputs = [name for name in drivers if name in seen.inputs]
    actuators = tuple(actuator(assembly.drivers[name], gathering) for name in inputs)
    scheme = gathering.scheme(slots(gathering), actuators)
    own = gathering.number
    link = [own.get(seen.leader[b], 0) for b in plan.bodies.of_part.tolist()]
    held = (*(name for name in drivers if name not in seen.inputs), *seen.still)
    return View(
        scheme,
        seen.reader.plane,
        frames,
        plan.system.parts,
        np.array(link, np.int64),
        stops(gathering, inputs),
        held,
    )


class _Sight:
    """Which components move in one plane, and what is rigid there.

    Attributes:
        reader: with the plane; meetings: of what is seen; inputs: drivers that move it.
        leader: for each body the one of its rigid link that stands for it, 0 for the ground.
        still: joints of branches that nothing moves.
    """

    def __init__(
        self, assembly: Assembly, plan: Plan, frames: Array, drivers: tuple[str, ...]
    ) -> None:
        self.assembly, self.plan, self.drivers = assembly, plan, drivers
        self.poses = body_poses(plan, frames)
        self.leader = list(range(plan.bodies.count))
        self.components, table = _flattened(plan)
        self.reader = Reader(plan, table, self.poses, self._plane(table))
        self.inputs = {
            name
            for c in self._seen(self.reader)
            for name in self._own_drivers(c)
            if assembly.drivers[name].unit != "s"
            and in_plane(assembly.drivers[name], frames, plan.system.parts, self.reader.plane)
        }
        if not self.inputs:
            raise NoLinkage(assembly.name, STILL)
        self.meetings: list[Meeting] = []
        self.still: list[str] = []
        seen = {id(c) for c in self._seen(self.reader)}
        for c in self.components:
            if id(c) in seen:
                self._take(c)
                continue
            self._glue(c.root, *c.bodies)
            if not c.loop and not self._own_drivers(c):
                self.still.append(plan.system.promises[c.promises[0]])

    def _take(self, component: Component) -> None:
        for meeting in self.reader.read(component):
            if meeting.kind == RIGID:
                self._glue(*meeting.bodies)
            else:
                self.meetings.append(meeting)

    def _glue(self, *bodies: int) -> None:
        """Make bodies one link; the least of them stands for it."""
        old = {self.leader[b] for b in bodies}
        self.leader = [min(old) if b in old else b for b in self.leader]

    # ---------------------------------------------------------------- choosing the plane
    def _own_drivers(self, component: Component) -> list[str]:
        system = self.plan.system
        end = system.mates + system.drivers
        names = [system.promises[k] for k in component.promises if system.mates <= k < end]
        return [name for name in names if name in self.drivers]

    def _plane(self, table: Table) -> Plane:
        """The plane in which most drivers move something."""
        planes = [Plane.across(n) for n in self._normals()]
        if not planes:
            if not self.drivers:
                raise NoLinkage(self.assembly.name, "it has no driver", "a linkage needs one")
            raise NoLinkage(self.assembly.name, STILL)
        readers = [Reader(self.plan, table, self.poses, plane) for plane in planes]
        return max(readers, key=self._count).plane

    def _normals(self) -> Iterator[Array]:
        """Normals of what is driven; of a slide alone, one across it."""
        pairs = self.plan.bodies.pairs
        for c in self.components:
            if not self._own_drivers(c):
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

    def _count(self, reader: Reader) -> int:
        return sum(len(self._own_drivers(c)) for c in self._seen(reader))

    def _seen(self, reader: Reader) -> list[Component]:
        """The driven components that move in the plane of a reader."""
        return [c for c in self.components if self._own_drivers(c) and self._flat(c, reader)]

    def _flat(self, c: Component, reader: Reader) -> bool:
        if c.projection is not None:
            normal = c.projection.flat.normal[0] @ self.poses[c.root, 3:].reshape(3, 3)
            return reader.plane.along(normal)
        return not c.loop and bool(reader.branch_kind(c.pairs[0]))


def _flattened(plan: Plan) -> tuple[list[Component], Table]:
    """The components, and the equations, with branches in planes told like loops.

    Branches that are one lower pair stay what they are: their joint says it all.
    """
    components, frames = [], plan.table.marker_frame.copy()
    bodies, first = plan.bodies, plan.system.first_equation
    for c in plan.components:
        kinds = {int(bodies.pairs.kind[p]) for p in c.pairs}
        if not c.loop and kinds <= {GENERAL, PLANAR}:
            rows = [list(range(first[k], first[k + 1])) for k in c.promises]
            found = project(bodies.table, c.root, list(c.bodies), rows)
            c = replace(c, projection=found)
            for marker, frame in found.frames.items() if found is not None else ():
                frames[marker] = frame
        components.append(c)
    return components, plan.table._replace(marker_frame=frames)

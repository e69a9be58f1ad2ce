"""Transmission angles: the acute angle between the two links of a dyad at their common joint.

Moving bodies are decomposed into dyads, from the frame and the driven links outward, so that the
outer joints of each dyad are positioned before it.  At 0 degrees both links are collinear: the
dyad transmits no force, and the driver has a dead point.  A driven cylinder counts as a link
between its pins, and so does a driven slide between two links that move; a sliding follower counts
as a link perpendicular to its slide: the angle is then 90 degrees less the pressure angle.  A pin
in a slot presses across the slot as such a follower does.

Source: H. Alt's transmission angle (1932), as in any text on linkages; for a four-bar that its
crank drives it is that between coupler and follower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...equations.closed_form import PlanarComponent
from ...foundations.types import Array
from ...model.measures.measure import DISPLACEMENT
from ...structure.dyads import AssurGroup, Dyad, DyadLink, placement_stages
from ...structure.joints import JointTable, Pin, joints_of
from ...structure.plan import Plan
from .joint_names import member_name, pin_name


@dataclass(frozen=True)
class PartVector:
    """A point, mm, or a direction on a part: its number, and the vector in its coordinates."""

    part: int
    own: tuple[float, float, float]

    def point(self, frames: Array) -> Array:
        """The point in the world, (states, 3), mm, from frames (states, parts, 12)."""
        out: Array = frames[:, self.part, :3] + self.direction(frames)
        return out

    def direction(self, frames: Array) -> Array:
        """The vector along world axes, (states, 3), from frames (states, parts, 12)."""
        axes = frames[:, self.part, 3:].reshape(-1, 3, 3)
        out: Array = np.einsum("nkr,k->nr", axes, np.array(self.own))
        return out


@dataclass(frozen=True)
class Transmission:
    """The inner joint of a dyad, with its transmission angle.

    Attributes:
        joint: name of its mate; links: names of the two links.
        at: its position; outer: outer joints of the two links, None for one that slides.
        slide: the direction of that slide; normal: of the plane of the dyad.
    """

    joint: str
    links: tuple[str, str]
    at: PartVector
    outer: tuple[PartVector | None, PartVector | None]
    slide: PartVector | None
    normal: PartVector

    def angles(self, frames: Array) -> Array:
        """The angle, (states,), degrees from 0 to 90, from frames (states, parts, 12)."""
        n = self.normal.direction(frames)
        at = self.at.point(frames)
        lines = []
        for outer in self.outer:
            if outer is None:
                assert self.slide is not None
                lines.append(np.cross(n, self.slide.direction(frames)))
            else:
                lines.append(outer.point(frames) - at)
        one, two = (line - np.sum(line * n, axis=1)[:, None] * n for line in lines)
        along = np.abs(np.sum(one * two, axis=1))
        across = np.linalg.norm(np.cross(one, two), axis=1)
        out: Array = np.degrees(np.arctan2(across, along))
        return out


def transmissions(plan: Plan, poses: Array) -> tuple[list[Transmission], list[str]]:
    """All joints with a transmission angle, and messages why others have none.

    Args:
        plan: with locked drivers; poses: of the bodies, (bodies, 12), world, solved.
    """
    finder = _TransmissionFinder(plan)
    found: list[Transmission] = []
    notes: list[str] = []
    for stage in placement_stages(plan, poses):
        if isinstance(stage, AssurGroup) and not stage.alone:
            if (single := finder.in_slot(stage) or finder.on_ram(stage)) is not None:
                found.append(single)
                continue
            names = ", ".join(finder.name(b) for b in stage.bodies[:4])
            notes.append(f"no transmission angle for {names}: they do not move dyad by dyad")
        if isinstance(stage, Dyad):
            joint = finder.transmission(stage)
            if isinstance(joint, str):
                notes.append(joint)
            elif joint is not None:
                found.append(joint)
    return found, notes


class _TransmissionFinder:
    """Transmissions of the dyads of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.joints = joints_of(plan)

    def name(self, member: int) -> str:
        """A body's first part; for a link without a body its driver or mate."""
        return member_name(self.plan, self.joints, member)

    def part_vector(self, body: int, vector: Array, direction: bool = False) -> PartVector:
        """A body's point (mm) or direction, (3,), in coordinates of its first part."""
        part = int(np.argmax(self.plan.bodies.of_part == body))
        f = self.plan.bodies.relative[part]
        x, y, z = (f[3:].reshape(3, 3) @ (vector if direction else vector - f[:3])).tolist()
        return PartVector(part, (x, y, z))

    def transmission(self, dyad: Dyad) -> Transmission | str | None:
        """The inner joint of a dyad; else a message why it has no angle, or None."""
        one, two = dyad.limbs
        if one.inner_slide is not None:  # links sliding along each other, as barrel and rod
            return None
        names = (self.name(one.link), self.name(two.link))
        if self._oblique(one) or self._oblique(two):
            return f"no transmission angle for {' and '.join(names)}: they move in space"
        inner = next(limb for limb in (one, two) if limb.link >= 0 and limb.inner is not None)
        assert inner.inner is not None
        joints, pin = self._pin(inner.link, inner.inner)
        name = pin_name(self.plan, joints, pin, [limb.link for limb in (one, two)])
        slide = next((limb for limb in (one, two) if limb.slide is not None), None)
        outer = [
            None if limb.slide is not None else self.part_vector(limb.outer, limb.at)
            for limb in (one, two)
        ]
        slide_direction = None
        if slide is not None and slide.slide is not None:
            slide_direction = self.part_vector(slide.outer, slide.slide, direction=True)
        body, normal = dyad.normal
        return Transmission(
            name,
            names,
            self.part_vector(inner.link, inner.inner),
            (outer[0], outer[1]),
            slide_direction,
            self.part_vector(body, normal, direction=True),
        )

    def in_slot(self, group: AssurGroup) -> Transmission | None:
        """Of one link on a hinge, with a pin in a slot to another body, whichever has the slot;
        None where a group is something else."""
        component, body = group.joints.component, group.bodies[0]
        pairs = self.plan.bodies.pairs
        own = [p for p in component.pairs if body in pairs.bodies[p]]
        hinges = [pin for pin in group.joints.pins if body in pin.at]
        if component.projection is None or (len(group.bodies), len(own), len(hinges)) != (1, 2, 1):
            return None
        base = next((b for b in hinges[0].at if b in group.placed), None)
        other = [p for p in own if base not in pairs.bodies[p]]
        rows = [e for p in other for e in self._across(p, component.projection.flat)]
        if base is None or len(rows) != 1:  # a slot is one equation in the plane
            return None
        (e, across, normal), t = rows[0], self.plan.bodies.table
        n = int(t.term_measure[t.first_term[e]])
        slotted, pinned = (int(t.marker_body[k]) for k in (t.marker_a[n], t.marker_b[n]))
        system = self.plan.system
        return Transmission(
            system.constraints[int(np.searchsorted(system.first_equation, e, side="right")) - 1],
            (self.name(body), self.name(pinned if slotted == body else slotted)),
            self.part_vector(pinned, t.marker_frame[t.marker_b[n], :3]),
            (self.part_vector(base, hinges[0].at[base]), None),
            self.part_vector(slotted, np.cross(across, normal), direction=True),
            self.part_vector(slotted, normal, direction=True),
        )

    def on_ram(self, group: AssurGroup) -> Transmission | None:
        """Of a link on a hinge with a pin to a driven slide that is on a hinge, too; None where a
        group is something else."""
        joints, bodies, pairs = group.joints, set(group.bodies), self.plan.bodies.pairs
        slides = [slide.members for slide in joints.slides]
        ram = next(
            (set(r) for r in joints.driven_pairs if set(r) in slides and bodies > {*r}), None
        )
        if ram is None or len(bodies) != 3 or joints.component.projection is None:
            return None
        (link,) = bodies - ram
        ends = [set(pairs.bodies[p].tolist()) for p in joints.component.pairs]
        own = [e for e in ends if e & bodies and e <= bodies | group.placed]
        inner = [pin for pin in joints.pins if link in pin.at and len(ram & set(pin.at)) == 1]
        outer = [
            [
                self.part_vector(base, pin.at[base])
                for pin in joints.pins
                if limb & set(pin.at)
                for base in sorted(group.placed & set(pin.at))[:1]
            ]
            for limb in (ram, {link})
        ]
        if (len(own), len(inner), *map(len, outer)) != (4, 1, 1, 1):
            return None
        (rod,) = ram & set(inner[0].at)
        return Transmission(
            pin_name(self.plan, joints, inner[0], [rod, link]),
            (self.name(rod), self.name(link)),
            self.part_vector(link, inner[0].at[link]),
            (outer[0][0], outer[1][0]),
            None,
            self.part_vector(
                joints.component.root, joints.component.projection.flat.normal[0], direction=True
            ),
        )

    def _across(self, p: int, flat: PlanarComponent) -> Iterator[tuple[int, Array, Array]]:
        """The equations of a pair that keep a point on a line of the plane: number, direction
        across the line and normal of the plane, both on the body of the line."""
        t = self.plan.bodies.table
        normals = dict(zip(flat.bodies.tolist(), flat.normal, strict=True))
        for e in self.plan.bodies.pairs.rows_of(p).tolist():
            n = int(t.term_measure[t.first_term[e]])
            single = t.first_term[e + 1] - t.first_term[e] == 1
            if single and int(t.kind[n]) == DISPLACEMENT:
                normal = normals[int(t.marker_body[t.marker_a[n]])]
                k = 3 + 3 * int(t.axis_i[n])
                across = t.marker_frame[t.marker_a[n], k : k + 3]
                if abs(float(across @ normal)) < 0.5:  # along or across it
                    yield e, across, normal

    def _oblique(self, limb: DyadLink) -> bool:
        """Whether a limb is a spatial link."""
        one = limb.link
        joints = next(j for j in self.joints if one in j.component.bodies or one in j.lengths)
        return limb.length is not None and not joints.planar

    def _pin(self, body: int, point: Array) -> tuple[JointTable, Pin]:
        """The pin at a point of a body."""
        every = [(j, p) for j in self.joints for p in j.pins if body in p.at]
        return min(every, key=lambda found: float(np.abs(found[1].at[body] - point).max()))

"""Transmission angles: the acute angle between the two links of a dyad at their common joint.

What a driver moves is taken apart into dyads, from the frame and the driven links outward, so that
for each dyad its outer joints are placed and its two links follow.  At 0 degrees both lie in line:
the dyad can pass no force on, and the driver has a dead point there.  A driven cylinder counts as a
link between its pins.  A follower that slides counts as a link across its slide: the angle is then
90 degrees less the pressure angle.

Source: H. Alt's transmission angle (1932), as in any text on linkages; for a four-bar that its
crank drives it is that between coupler and follower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.types import Array
from ...structure.dyads import Dyad, Group, Limb, take_apart
from ...structure.joints import Joints, Pin, joints_of
from ...structure.plan import Plan
from .joint_names import member_name, pin_name


@dataclass(frozen=True)
class Spot:
    """A point, or a direction, on a part: its number and the vector in its coordinates."""

    part: int
    own: tuple[float, float, float]

    def point(self, frames: Array) -> Array:
        """Where it is, (states, 3), mm, from frames (states, parts, 12)."""
        out: Array = frames[:, self.part, :3] + self.way(frames)
        return out

    def way(self, frames: Array) -> Array:
        """The direction in the world, (states, 3)."""
        axes = frames[:, self.part, 3:].reshape(-1, 3, 3)
        out: Array = np.einsum("nkr,k->nr", axes, np.array(self.own))
        return out


@dataclass(frozen=True)
class Meeting:
    """Where the two links of a dyad meet.

    Attributes:
        joint: name of the mate there; links: names of the two links.
        at: the joint; outer: the outer joints of the two links, None for one that slides;
        slide: the direction of that slide; normal: of the plane of the dyad.
    """

    joint: str
    links: tuple[str, str]
    at: Spot
    outer: tuple[Spot | None, Spot | None]
    slide: Spot | None
    normal: Spot

    def angles(self, frames: Array) -> Array:
        """The transmission angle, (states,), degrees from 0 to 90."""
        n = self.normal.way(frames)
        at = self.at.point(frames)
        lines = []
        for outer in self.outer:
            if outer is None:
                assert self.slide is not None
                lines.append(np.cross(n, self.slide.way(frames)))
            else:
                lines.append(outer.point(frames) - at)
        one, two = (line - np.sum(line * n, axis=1)[:, None] * n for line in lines)
        along = np.abs(np.sum(one * two, axis=1))
        across = np.linalg.norm(np.cross(one, two), axis=1)
        out: Array = np.degrees(np.arctan2(across, along))
        return out


def meetings(plan: Plan, poses: Array) -> tuple[list[Meeting], list[str]]:
    """Every joint that has a transmission angle, and why others have none, in words.

    Args:
        plan: of the assembly with its drivers held; poses: of the bodies, solved.
    """
    reader = _Reader(plan)
    found: list[Meeting] = []
    notes: list[str] = []
    for stage in take_apart(plan, poses):
        if isinstance(stage, Group) and not stage.alone:
            names = ", ".join(reader.name(b) for b in stage.bodies[:4])
            notes.append(f"no transmission angle for {names}: they do not move dyad by dyad")
        if isinstance(stage, Dyad):
            meeting = reader.meeting(stage)
            if isinstance(meeting, str):
                notes.append(meeting)
            elif meeting is not None:
                found.append(meeting)
    return found, notes


class _Reader:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.joints = joints_of(plan)
        self.moving = {b for c in plan.components for b in c.bodies}

    def part(self, body: int) -> int:
        """The part whose frame stands for a body: the first."""
        return int(np.argmax(self.plan.bodies.of_part == body))

    def name(self, member: int) -> str:
        """A body by its first part; a bare link by the driver or the mate that makes it."""
        return member_name(self.plan, self.joints, member)

    def spot(self, body: int, vector: Array, way: bool = False) -> Spot:
        """A point or direction of a body on its first part."""
        part = self.part(body)
        f = self.plan.bodies.relative[part]
        own = f[3:].reshape(3, 3) @ (vector if way else vector - f[:3])
        return Spot(part, (float(own[0]), float(own[1]), float(own[2])))

    def meeting(self, dyad: Dyad) -> Meeting | str | None:
        """The meeting of a dyad; in words why it has none; None where that says nothing."""
        one, two = dyad.limbs
        if one.way is not None:  # two links that slide along each other, as barrel and rod
            return None
        names = (self.name(one.link), self.name(two.link))
        if self._oblique(one) or self._oblique(two):
            return f"no transmission angle for {' and '.join(names)}: they move in space"
        inner = next(limb for limb in (one, two) if limb.link >= 0 and limb.inner is not None)
        assert inner.inner is not None
        joints, pin = self._pin(inner.link, inner.inner)
        name = pin_name(self.plan, joints, pin, [limb.link for limb in (one, two)])
        slide = next((limb for limb in (one, two) if limb.slide is not None), None)
        outer = [None if limb.slide is not None else self._outer(limb) for limb in (one, two)]
        way = None
        if slide is not None and slide.slide is not None:
            way = self.spot(slide.outer, slide.slide, way=True)
        body, normal = dyad.normal
        return Meeting(
            name,
            names,
            self.spot(inner.link, inner.inner),
            (outer[0], outer[1]),
            way,
            self.spot(body, normal, way=True),
        )

    def _outer(self, limb: Limb) -> Spot:
        return self.spot(limb.outer, limb.at)

    def _oblique(self, limb: Limb) -> bool:
        """Whether a limb is a link between balls in space."""
        joints = next(j for j in self.joints if self._has(j, limb.link))
        return limb.length is not None and not joints.flat

    @staticmethod
    def _has(joints: Joints, member: int) -> bool:
        return member in joints.component.bodies or member in joints.lengths

    def _pin(self, body: int, point: Array) -> tuple[Joints, Pin]:
        """The pin at a point of a body."""
        every = [(j, p) for j in self.joints for p in j.pins if body in p.at]
        return min(every, key=lambda found: float(np.abs(found[1].at[body] - point).max()))

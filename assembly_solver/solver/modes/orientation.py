"""Orientation signs: on which side of its pivots a link is; they distinguish assembly modes.

The sign of a dyad is that of (outer pivot 1 -> outer pivot 2) x (outer 1 -> inner) about the normal
of its plane.  Outer pivot 1 is the one farther from the fixed parts.  Where an outer joint is a
slide, it is the sign of the other link along the slide; where the inner one is, that of the
stroke: of (outer 2 -> outer 1) along the slide.  The normal is directed along +z of the part that
it is fixed in (along +y where it is normal to z, else +x), and so are slides.

A group has such a sign at each joint inside it, of the two links there: each is the vector from
the mean of its joints with placed parts, else of those inside the group.  In space the normal is
the axis of a hinge of one of them; a platform has for each leg the sign of the side on which the
leg's foot is.  A sign of 0 is a dead point, where two modes join.

A body that closes on either side of another one has the sign of that side: of a point that
distances hold, along the slide that they fix, or of the turn about the axis, from its parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...equations.closed_form import Cloud
from ...foundations.geometry.plane_closed_forms import DEAD
from ...foundations.types import Array
from ...foundations.watch import Watch
from ...structure.body_frames import BodyFrames
from ...structure.clusters import Bodies
from ...structure.dyads import AssurGroup, Dyad, DyadLink, FoldedBody, PlacementStage
from ...structure.joints import JointTable, Pin, Slide
from .sines import SIDE, TURN, UNDEFINED, SignTable, sines

OnBody = tuple[int, Array]
"""A point or direction in the coordinates of a body."""


def point_at(poses: Array, body: int, point: Array) -> Array:
    """Points of a body in the world, mm, shape (..., 3); `poses` has shape (bodies, 12)."""
    out: Array = poses[body, :3] + point @ poses[body, 3:].reshape(3, 3)
    return out


def direction_at(poses: Array, body: int, direction: Array) -> Array:
    """A direction on a body in the world."""
    out: Array = direction @ poses[body, 3:].reshape(3, 3)
    return out


def features_at(poses: Array, body: int, cloud: Cloud) -> Array:
    """The mate features of a body in the world, mm, shape (features, 3)."""
    return point_at(poses, body, cloud.own[cloud.first[body] : cloud.first[body + 1]])


class Sign(NamedTuple):
    """What a sign of a mode is taken of; `normal` and `slide` are directions on bodies.

    Attributes:
        kind: TURN: of the rotation from arm one to arm two about the normal; SIDE: of arm one along
            the slide; UNDEFINED.
        one, two: arms: the points that each goes to and comes from.
        normal: of the plane on which the arms are projected; None: they are not.
    """

    kind: int
    one: tuple[OnBody, OnBody] | None = None
    two: tuple[OnBody, OnBody] | None = None
    normal: OnBody | None = None
    slide: OnBody | None = None


class StageSigns:
    """The signs of stages at any poses of the bodies; what they are taken of is found once."""

    def __init__(self, frames: BodyFrames, watch: Watch) -> None:
        self.frames, self.watch = frames, watch
        self._known: dict[PlacementStage, SignTable] = {}

    def of(self, stage: PlacementStage, poses: Array) -> str:
        """The signs of one stage."""
        if stage not in self._known:
            self._known[stage] = self.table([stage])
        return signs_of(sines_at(self._known[stage], poses))

    def table(self, stages: list[PlacementStage]) -> SignTable:
        """The signs of some stages, in order."""
        every = [sign for stage in stages for sign in self._signs(stage)]
        table = SignTable(
            np.array([sign.kind for sign in every], np.int64),
            np.full((len(every), 6), -1),
            np.zeros((len(every), 6, 3)),
        )
        for k, sign in enumerate(every):
            nothing = (None, None)
            spots = [*(sign.one or nothing), *(sign.two or nothing), sign.normal, sign.slide]
            for n, spot in enumerate(spots):
                if spot is not None:
                    table.body[k, n], table.own[k, n] = spot
        return table

    def _signs(self, stage: PlacementStage) -> list[Sign]:
        self.watch.check()
        if isinstance(stage, Dyad):
            return [_dyad(stage)]
        if isinstance(stage, FoldedBody):
            f = stage.fold
            turns = f.two is not None
            return [Sign(TURN, f.one, f.two, f.way) if turns else Sign(SIDE, f.one, slide=f.way)]
        if isinstance(stage, AssurGroup) and not stage.alone:
            return [end.sign for end in joint_signs_of(stage, self.frames)]
        return []


def on_parts(table: SignTable, bodies: Bodies) -> SignTable:
    """The same taken of the first parts of the bodies, in their coordinates."""
    first = np.zeros(bodies.count, np.int64)
    first[bodies.of_part[bodies.first_parts]] = np.arange(len(bodies.first_parts))
    body = np.where(table.body < 0, 0, table.body)
    frames = bodies.in_first_parts[first[body]]
    own = np.einsum("snk,snkr->snr", table.own, frames[..., 3:].reshape(*body.shape, 3, 3))
    own[:, :4] += frames[:, :4, :3]
    parts = np.where(table.body < 0, -1, bodies.first_parts[first[body]])
    return SignTable(table.kind, parts, own)


def sines_at(table: SignTable, poses: Array) -> Array:
    """Sines whose signs name a mode, each between -1 and 1, at poses of what the table names."""
    out = np.empty(len(table.kind))
    sines(table, poses, out)
    return out


def signs_of(values: Array, clear: float = DEAD) -> str:
    """Sines as a string of +, - and 0; 0 where the size is `clear` or less."""
    return "".join("0" if abs(s) <= clear else "+" if s > 0 else "-" for s in values.tolist())


def _dyad(dyad: Dyad) -> Sign:
    one, two = dyad.limbs
    if one.inner_slide is not None:  # the outer pivots as points of the links
        assert one.outer_on_link is not None and two.outer_on_link is not None
        stroke = (one.link, one.outer_on_link), (two.link, two.outer_on_link)
        return Sign(SIDE, stroke, None, dyad.normal, (one.link, one.inner_slide))
    arms = _arm(one, two), _arm(two, one)
    for limb, arm in ((one, arms[1]), (two, arms[0])):
        if limb.slide is not None:
            return Sign(SIDE, arm, None, dyad.normal, (limb.outer, limb.slide))
    return Sign(TURN, *arms, dyad.normal)


def _arm(limb: DyadLink, other: DyadLink) -> tuple[OnBody, OnBody]:
    """From the outer to the inner joint of a link, by the pose of the link where it is a body."""
    if limb.link >= 0:
        assert limb.outer_on_link is not None and limb.inner is not None
        return (limb.link, limb.inner), (limb.link, limb.outer_on_link)
    assert other.inner is not None
    return (other.link, other.inner), (limb.outer, limb.at)


# ---------------------------------------------------------------------------------- groups
class _LinkAtJoint(NamedTuple):
    """One link at a joint: the joint and the mean of its other joints, (body, point) each.

    Where its only other joint is a slide, `rail` is a body and the slide's direction on it.
    """

    near: OnBody
    middle: OnBody | None
    rail: OnBody | None = None

    @property
    def arm(self) -> tuple[OnBody, OnBody] | None:
        """From the mean of the other joints to this one."""
        return None if self.middle is None else (self.near, self.middle)


class JointSign(NamedTuple):
    """The sign at a joint between two links of a group."""

    one: _LinkAtJoint
    two: _LinkAtJoint
    normal: OnBody | None
    platform: bool = False
    """Whether the normal is that of the joints of the first link: then the sign is the side of it
    on which the second link is."""

    @property
    def sign(self) -> Sign:
        """What the sign is taken of."""
        a, b = self.one.arm, self.two.arm
        for arm, end in ((b, self.one), (a, self.two)):
            if end.rail is not None and arm is not None:
                return Sign(SIDE, arm, slide=end.rail)
        if self.normal is None or b is None:
            return Sign(UNDEFINED)
        if self.platform:
            return Sign(SIDE, b, slide=self.normal)
        return Sign(UNDEFINED) if a is None else Sign(TURN, a, b, self.normal)


def joint_signs_of(group: AssurGroup, frames: BodyFrames) -> list[JointSign]:
    """The signs of a group at the joints inside it, in their order."""
    joints, rank = group.joints, frames.rank
    inside = set(group.bodies) | set(joints.lengths)
    platform = None if joints.planar else _platform(joints, group.bodies[0], frames)
    if platform is not None:
        return _legs(group, platform, frames)
    found: list[tuple[tuple[float, ...], JointSign]] = []
    for joint in joints.pins:
        bodies = sorted(set(joint.at) & inside, key=lambda b: rank[b])
        if len(bodies) < len(joint.at):
            continue  # at a placed body: no sign
        links = [*bodies, *sorted(joint.bare, reverse=True)]
        for k, other in enumerate(links[1:]):
            sign = _joint_sign(group, joint, links[0], other, frames)
            if sign is not None:
                location = frames.location(links[0], joint.at[links[0]])
                found.append(((rank[links[0]], *location, k), sign))
    return [sign for _, sign in sorted(found, key=lambda f: f[0])]


def _joint_sign(
    group: AssurGroup, joint: Pin, one: int, two: int, frames: BodyFrames
) -> JointSign | None:
    joints = group.joints
    first, second = (_link_at_joint(group, joint, link, one, frames) for link in (one, two))
    if any(end.middle is None and end.rail is None for end in (first, second)):
        return None
    if first.middle is None and second.middle is None:  # two slides: their lines meet once
        return None
    projection = joints.component.projection
    if projection is not None:
        root = joints.component.root
        return JointSign(first, second, (root, frames.upward(root, projection.flat.normal[0])))
    axis = _axis(joints, joint, (one, two), frames)
    return JointSign(first, second, axis) if axis is not None else None


def _link_at_joint(
    group: AssurGroup, joint: Pin, link: int, body: int, frames: BodyFrames
) -> _LinkAtJoint:
    """One link at a joint; of a bare link the joint is a point of the body."""
    joints = group.joints
    if link < 0:
        far = [p for p in joints.pins if link in p.bare and p is not joint]
        at = [(b, p.at[b]) for p in far for b in sorted(p.at, key=lambda b: frames.rank[b])]
        return _LinkAtJoint((body, joint.at[body]), at[0] if at else None)
    others = [o for o in joints.touching(link) if o is not joint]
    near = (link, joint.at[link])
    pins = [o for o in others if isinstance(o, Pin)]
    for known in (set(group.placed), set(group.bodies) - {link}, set(joints.component.bodies)):
        points = [o.at[link] for o in pins if known & set(o.at)]
        if points:
            return _LinkAtJoint(near, (link, _mean_point(near, points, frames)))
    for o in others:
        if isinstance(o, Slide):
            base = min((b for b in o.at if b != link), key=lambda b: frames.rank[b])
            return _LinkAtJoint(near, None, (base, frames.upward(base, o.direction[base])))
    return _LinkAtJoint(near, None)


def _mean_point(near: tuple[int, Array], points: list[Array], frames: BodyFrames) -> Array:
    """The mean of some points; where that is the joint itself (crossed bars), the first of them."""
    middle: Array = np.mean(points, axis=0)
    if float(np.abs(middle - near[1]).max()) > frames.plan.system.same_place:
        return middle
    return min(points, key=lambda p: frames.location(near[0], p))


def _axis(
    joints: JointTable, joint: Pin, links: tuple[int, int], frames: BodyFrames
) -> OnBody | None:
    """The axis of the joint itself or of another hinge of one of its links, on that link."""
    for link in links:
        for pin in (joint, *(p for p in joints.pins if link in p.at)):
            if link in pin.axis:
                return link, frames.upward(link, pin.axis[link])
    return None


def _legs(group: AssurGroup, normal: Array, frames: BodyFrames) -> list[JointSign]:
    """The signs of a platform: on which side of it the foot of each leg is."""
    hub, joints = group.bodies[0], group.joints
    feet: dict[tuple[float, ...], tuple[Array, _LinkAtJoint]] = {}
    for pin in joints.pins:
        for link in pin.bare if hub in pin.at else ():
            end = _link_at_joint(group, pin, link, hub, frames)
            if end.middle is not None and end.middle[0] in group.placed:
                feet[frames.location(hub, pin.at[hub])] = pin.at[hub], end
    for body, at in joints.neighbours.get(hub, []):
        foot = _foot(group, body)
        if foot is not None:
            feet[frames.location(hub, at)] = at, _LinkAtJoint((hub, at), foot)
    return [
        JointSign(_LinkAtJoint((hub, at), None), end, (hub, normal), True)
        for _, (at, end) in sorted(feet.items(), key=lambda f: f[0])
    ]


def _foot(group: AssurGroup, first: int) -> OnBody | None:
    """The joint, on the leg, between the leg that begins with a body and a placed body."""
    hub, inside = group.bodies[0], set(group.bodies)
    visited, queue = {hub, first}, [first] if first in inside else []
    for link in queue:
        for other, at in group.joints.neighbours.get(link, []):
            if other in group.placed:
                return link, at
            if other in inside and other not in visited:
                visited.add(other)
                queue.append(other)
    return None


def _platform(joints: JointTable, link: int, frames: BodyFrames) -> Array | None:
    """Normal of the plane through the joints of a link; None for a bar."""
    points = np.array([p.at[link] for p in joints.pins if link in p.at])
    if len(points) < 3:
        return None
    _, sizes, right = np.linalg.svd(points - points.mean(axis=0))
    return None if sizes[1] < DEAD * sizes[0] else frames.upward(link, right[2])

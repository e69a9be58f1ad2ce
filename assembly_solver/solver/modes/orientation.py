"""Orientation signs: on which side of its pivots a link lies; they tell assembly modes apart.

The sign of a dyad is that of (outer pivot 1 -> outer pivot 2) x (outer 1 -> inner) about the normal
of its plane.  Outer pivot 1 is the one farther from the held parts.  Where an outer joint is a
slide, it is the sign of the other link along the slide; where the inner one is, that of the
stroke: of (outer 2 -> outer 1) along the slide.  The normal points up along the z of the part that
it is fixed in (along its y where it lies across z, else its x), and so do slides.

A group has such a sign at each joint inside it, of the two links as seen from there: from the
middle of their joints with placed parts, else of those inside the group.  In space the normal is
the axis of a hinge of one of them; a platform has the side of it on which the foot of each leg
lies.  A sign of 0 is a dead point, where two modes join.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.geometry.plane_closed_forms import DEAD
from ...foundations.types import Array
from ...structure.dyads import Dyad, Frames, Group, Limb, Stage
from ...structure.joints import SAME, Joints, Pin, Slide
from ...structure.lower_pairs import cross


def point_at(poses: Array, body: int, point: Array) -> Array:
    """A point of a body in the world."""
    out: Array = poses[body, :3] + point @ poses[body, 3:].reshape(3, 3)
    return out


def way_at(poses: Array, body: int, way: Array) -> Array:
    """A direction on a body in the world."""
    out: Array = way @ poses[body, 3:].reshape(3, 3)
    return out


def sines_of(stage: Stage, poses: Array, frames: Frames) -> list[float]:
    """What the signs of a stage are taken from, each between -1 and 1; none where it has none."""
    if isinstance(stage, Dyad):
        return _dyad(stage, poses)
    if isinstance(stage, Group) and not stage.alone:
        return [turn.sine(poses) for turn in turns_of(stage, frames)]
    return []


def signs_of(sines: list[float], clear: float = DEAD) -> str:
    """Sines as signs; 0 where one is not clear of zero."""
    return "".join("0" if abs(s) <= clear else "+" if s > 0 else "-" for s in sines)


def _sine(numerator: float, scale: float) -> float:
    return numerator / scale if scale > 0.0 else 0.0


def _dyad(dyad: Dyad, poses: Array) -> list[float]:
    n = way_at(poses, *dyad.normal)
    one, two = dyad.limbs
    if one.way is not None:  # the outer pivots as the links have them
        assert one.own is not None and two.own is not None
        stroke = point_at(poses, one.link, one.own) - point_at(poses, two.link, two.own)
        stroke = stroke - (stroke @ n) * n
        u = way_at(poses, one.link, one.way)
        return [_sine(float(stroke @ u), float(np.linalg.norm(stroke)))]
    arms = [_across(_arm(limb, other, poses), n) for limb, other in ((one, two), (two, one))]
    for limb, arm in ((one, arms[1]), (two, arms[0])):
        if limb.slide is not None:
            u = way_at(poses, limb.outer, limb.slide)
            return [_sine(float(arm @ u), float(np.linalg.norm(arm)))]
    scale = float(np.linalg.norm(arms[0]) * np.linalg.norm(arms[1]))
    return [_sine(float(cross(arms[0], arms[1]) @ n), scale)]


def _arm(limb: Limb, other: Limb, poses: Array) -> Array:
    """From the outer to the inner joint of a link, as it lies itself."""
    if limb.link >= 0:
        assert limb.own is not None and limb.inner is not None
        return way_at(poses, limb.link, limb.inner - limb.own)
    assert other.inner is not None
    return point_at(poses, other.link, other.inner) - point_at(poses, limb.outer, limb.at)


def _across(v: Array, n: Array) -> Array:
    out: Array = v - (v @ n) * n
    return out


# ---------------------------------------------------------------------------------- groups
@dataclass(frozen=True, eq=False)
class _End:
    """One link at a joint: the joint and the middle of its others, (body, point) each.

    Where it has no other joint but a slide, that slide's direction on the body `rail`.
    """

    near: tuple[int, Array]
    middle: tuple[int, Array] | None
    rail: tuple[int, Array] | None = None

    def arm(self, poses: Array) -> Array | None:
        if self.middle is None:
            return None
        return point_at(poses, *self.near) - point_at(poses, *self.middle)


@dataclass(frozen=True, eq=False)
class Turn:
    """The sign at a joint between two links of a group."""

    one: _End
    two: _End
    normal: tuple[int, Array] | None
    platform: bool = False
    """Whether the normal is that of the joints of the first link: the other's side of it counts."""

    def sine(self, poses: Array) -> float:
        a, b = self.one.arm(poses), self.two.arm(poses)
        for arm, end in ((b, self.one), (a, self.two)):
            if end.rail is not None and arm is not None:
                u = way_at(poses, *end.rail)
                return _sine(float(arm @ u), float(np.linalg.norm(arm)))
        if self.normal is None or b is None:
            return 0.0
        n = way_at(poses, *self.normal)
        if self.platform:
            return _sine(float(b @ n), float(np.linalg.norm(b)))
        if a is None:
            return 0.0
        a, b = _across(a, n), _across(b, n)
        scale = float(np.linalg.norm(a) * np.linalg.norm(b))
        return _sine(float(cross(a, b) @ n), scale)


def turns_of(group: Group, frames: Frames) -> list[Turn]:
    """The turns of a group at the joints inside it, in their order."""
    joints, rank = group.joints, frames.rank
    inside = set(group.bodies) | set(joints.lengths)
    platform = None if joints.flat else _platform(joints, group.bodies[0], frames)
    if platform is not None:
        return _legs(group, platform, frames)
    found: list[tuple[tuple[float, ...], Turn]] = []
    for joint in joints.pins:
        bodies = sorted(set(joint.at) & inside, key=lambda b: rank[b])
        if len(bodies) < len(joint.at):
            continue  # its place is known: no turn there
        links = [*bodies, *sorted(joint.bare, reverse=True)]
        for k, other in enumerate(links[1:]):
            turn = _turn(group, joint, links[0], other, frames)
            if turn is not None:
                seat = frames.seat(links[0], joint.at[links[0]])
                found.append(((rank[links[0]], *seat, k), turn))
    return [turn for _, turn in sorted(found, key=lambda f: f[0])]


def _turn(group: Group, joint: Pin, one: int, two: int, frames: Frames) -> Turn | None:
    joints = group.joints
    first, second = (_end(group, joint, link, one, frames) for link in (one, two))
    if any(end.middle is None and end.rail is None for end in (first, second)):
        return None
    if first.middle is None and second.middle is None:  # two slides: their lines meet once
        return None
    projection = joints.component.projection
    if projection is not None:
        root = joints.component.root
        return Turn(first, second, (root, frames.upward(root, projection.flat.normal[0])))
    axis = _axis(joints, joint, (one, two), frames)
    return Turn(first, second, axis) if axis is not None else None


def _end(group: Group, joint: Pin, link: int, body: int, frames: Frames) -> _End:
    """One link at a joint; a bare link reads the joint on the body."""
    joints = group.joints
    if link < 0:
        far = [p for p in joints.pins if link in p.bare and p is not joint]
        at = [(b, p.at[b]) for p in far for b in sorted(p.at, key=lambda b: frames.rank[b])]
        return _End((body, joint.at[body]), at[0] if at else None)
    others = [o for o in joints.touching(link) if o is not joint]
    near = (link, joint.at[link])
    pins = [o for o in others if isinstance(o, Pin)]
    for known in (set(group.placed), set(group.bodies) - {link}, set(joints.component.bodies)):
        points = [o.at[link] for o in pins if known & set(o.at)]
        if points:
            return _End(near, (link, _middle(near, points, frames)))
    for o in others:
        if isinstance(o, Slide):
            base = min((b for b in o.at if b != link), key=lambda b: frames.rank[b])
            return _End(near, None, (base, frames.upward(base, o.way[base])))
    return _End(near, None)


def _middle(near: tuple[int, Array], points: list[Array], frames: Frames) -> Array:
    """Amid some points; the first of them where that is the joint itself, as on crossed bars."""
    middle: Array = np.mean(points, axis=0)
    size = max(float(np.abs(p - near[1]).max()) for p in points)
    if float(np.abs(middle - near[1]).max()) > SAME * size:
        return middle
    return min(points, key=lambda p: frames.seat(near[0], p))


def _axis(
    joints: Joints, joint: Pin, links: tuple[int, int], frames: Frames
) -> tuple[int, Array] | None:
    """The axis of the joint itself or of another hinge of one of its links, on that link."""
    for link in links:
        for pin in (joint, *(p for p in joints.pins if link in p.at)):
            if link in pin.axis:
                return link, frames.upward(link, pin.axis[link])
    return None


def _legs(group: Group, normal: Array, frames: Frames) -> list[Turn]:
    """The signs of a platform: on which side of it the foot of each leg lies."""
    hub, joints = group.bodies[0], group.joints
    feet: dict[tuple[float, ...], tuple[Array, _End]] = {}
    for pin in joints.pins:
        for link in pin.bare if hub in pin.at else ():
            end = _end(group, pin, link, hub, frames)
            if end.middle is not None and end.middle[0] in group.placed:
                feet[frames.seat(hub, pin.at[hub])] = pin.at[hub], end
    for body, at in joints.ties.get(hub, []):
        foot = _foot(group, body)
        if foot is not None:
            feet[frames.seat(hub, at)] = at, _End((hub, at), foot)
    return [
        Turn(_End((hub, at), None), end, (hub, normal), True)
        for _, (at, end) in sorted(feet.items(), key=lambda f: f[0])
    ]


def _foot(group: Group, first: int) -> tuple[int, Array] | None:
    """Where the leg that begins with a body stands on what is placed, on the leg itself."""
    hub, inside = group.bodies[0], set(group.bodies)
    seen, queue = {hub, first}, [first] if first in inside else []
    for link in queue:
        for other, at in group.joints.ties.get(link, []):
            if other in group.placed:
                return link, at
            if other in inside and other not in seen:
                seen.add(other)
                queue.append(other)
    return None


def _platform(joints: Joints, link: int, frames: Frames) -> Array | None:
    """Normal of the plane through the joints of a link; None for a bar."""
    points = np.array([p.at[link] for p in joints.pins if link in p.at])
    if len(points) < 3:
        return None
    _, sizes, right = np.linalg.svd(points - points.mean(axis=0))
    if sizes[1] < DEAD * sizes[0]:
        return None
    return frames.upward(link, right[2])

"""Slots as revolute joints: a slot becomes an arc so large that it is straight within an error.

The slot is removed.  Its link gets a far joint on the perpendicular bisector of its ends, and the
sliding link a long link to that joint.  A constraining joint, with one link to the slot's first end
and one to the sliding point, keeps a distance to the ends.  What remains has revolute joints and
links only, so that arcs and groups of arcs solve every planar linkage.

The error is that of one slot.  Links that transmit a slot's error may deviate more.

Where the ends are too near to the start, or to its limits, as those of a slide of two parts may be,
the slot gets new ends: beyond its limits, or, without any, as far as the linkage reaches.

Source: MotionGen, section 3, equations (13) to (21); docs/theory/dyads.md, 2.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ...errors import BadValue, SlotOutOfReach
from ...foundations.numerics.rounding import AGREEMENT
from ..scheme.scheme import LINEAR, SPAN, Actuator, Scheme, SchemeLink, SchemeSlot

ERROR = 1e-3
"""A setting: allowed deviation of a slot replaced by links to a far joint, mm."""

LEAST_ERROR = 1e-8
"""A setting, for it is told in round numbers: share of a slot's length below which an error is lost
in the rounding of its far joint, near `ROOT`."""


def reinterpreted(scheme: Scheme, error: float = ERROR, offset: float = 0.05) -> Scheme:
    """The linkage with far and constraining joints in place of its slots.

    The points keep their numbers; far joints and constraining joints come after them.  A linear
    actuator along a slot becomes the distance of its two points.

    Args:
        error: how far a slot's arc may be from straight between its ends, mm.
        offset: how near to an end of its slot a joint may come, as a share of the slot's length;
            limits that are narrower count instead.

    Raises:
        BadValue: the error is not positive or too small for the length of a slot, or the offset not
            above 0 and below 0.5.
        SlotOutOfReach: a joint starts beyond the limits of its slot.

    Not represented: a joint that passes over its slot's first end within one step stands as far
    from it as before.  The exact slots, which are the rule, represent it.
    """
    if not (np.isfinite(error) and error > 0):
        raise BadValue("error of re-interpreted slots", error, "a length above 0 mm")
    if not 0 < offset < 0.5:
        raise BadValue("offset of re-interpreted slots", offset, "a share above 0 and below 0.5")
    extended = _ExtendedScheme(scheme, offset)
    for slot in scheme.slots:
        extended.replace(slot, error)
    return replace(
        scheme,
        points=tuple(extended.points),
        at=np.array([(p.real, p.imag) for p in extended.at]).reshape(-1, 2),
        links=tuple(map(SchemeLink, extended.names, map(tuple, extended.links))),
        slots=(),
        actuators=tuple(map(extended.spanning, scheme.actuators)),
    )


def far_distance(length: float, error: float) -> float:
    """How far the far joint lies from the middle of a slot, mm, by (18): d^2 / 8 e.

    The term e^2 of (17) is neglected, which makes it e / 2 more than the root of (16) is.  A joint
    that starts in the middle leaves the slot at the ends by e (1 + 4 e^2 / d^2), others by less.
    """
    return length**2 / (8 * error)


class _SlotRange(NamedTuple):
    """Distance of a joint in a slot from the slot's first end, and its range, mm."""

    position: float
    near: float
    farthest: float
    extend: bool
    """Whether the ends of the slot are too near for that range."""


def _reach(scheme: Scheme, slot: SchemeSlot, offset: float) -> _SlotRange:
    """Range by its limits, or those of a joint rigidly beside it; otherwise by the slot's ends."""
    length, position = _measured(scheme, slot)
    low, high = [-inf], [inf]
    for other in scheme.slots:
        shared = set(scheme.links_at[slot.point]).intersection(scheme.links_at[other.point])
        if (other.link, other.ends) == (slot.link, slot.ends) and shared:
            ahead = position - _measured(scheme, other)[1]
            low += [other.low + ahead] if other.low is not None else []
            high += [other.high + ahead] if other.high is not None else []
    least, most, same = max(low), min(high), AGREEMENT * length
    if not least - same <= position <= most + same:
        names = scheme.points[slot.point], scheme.points[slot.ends[0]]
        raise SlotOutOfReach(slot.name, *names, position, least, most)
    near, farthest = max(least, offset * length), min(most, (1 - offset) * length)
    ends = (least == -inf or least >= -same) and (most == inf or most <= length + same)
    if ends and near <= position <= farthest:
        return _SlotRange(position, near, farthest, False)
    near = min(position, least if least > -inf else position - scheme.size)
    farthest = max(position, most if most < inf else position + scheme.size)
    return _SlotRange(position, near, farthest, True)


def _measured(scheme: Scheme, slot: SchemeSlot) -> tuple[float, float]:
    """Length of a slot, and distance of its joint from its first end at the start, mm."""
    first, last, joint = (scheme.start[point] for point in (*slot.ends, slot.point))
    length = abs(last - first)
    return length, ((joint - first) * (last - first).conjugate()).real / length


class _Rail(NamedTuple):
    """The line of a slot as it is re-interpreted."""

    ends: tuple[int, int]
    start: float
    """Distance of its first end from that of the slot, mm."""
    far: int


class _ExtendedScheme:
    def __init__(self, scheme: Scheme, offset: float) -> None:
        self.scheme, self.offset = scheme, offset
        self.points, self.at = list(scheme.points), list(scheme.start)
        self.links = [list(link.points) for link in scheme.links]
        self.names = [link.name for link in scheme.links]
        self.rails: dict[tuple[int, tuple[int, int]], _Rail] = {}

    def replace(self, slot: SchemeSlot, error: float) -> None:
        """Rows {q, far}, {end, c}, {q, c} for one joint q in a slot: (20)."""
        _, near, farthest, _ = _reach(self.scheme, slot, self.offset)
        name = self.points[slot.point]
        rail = self._rail(slot, error)
        where = f"{slot.name} {name}"
        reach = near - rail.start, farthest - rail.start
        arms = (reach[1] + reach[0]) / 2, (reach[1] - reach[0]) / 2  # (19): of the end, of q
        at = _elbow(self.at[rail.ends[0]], self.at[slot.point], *arms)
        elbow = self._point(f"{where} constraining joint", at)
        self._link(f"{where} long link", slot.point, rail.far)
        self._link(f"{where} constraining link 1", rail.ends[0], elbow)
        self._link(f"{where} constraining link 2", slot.point, elbow)

    def spanning(self, actuator: Actuator) -> Actuator:
        """A displacement along a slot as a distance of two points: its dynamic link."""
        if actuator.kind != LINEAR:
            return actuator
        p, q, r = actuator.points
        for (_, ends), rail in self.rails.items():
            if {p, r} == {*ends} and p not in rail.ends:
                own = rail.ends[ends.index(p)]
                ahead = (self.at[own] - self.at[p]) / (self.at[r] - self.at[p])
                less = ahead.real * abs(self.at[r] - self.at[p])
                offset = actuator.offset - less
                return replace(actuator, kind=SPAN, points=(own, q, -1), offset=offset)
        return replace(actuator, kind=SPAN, points=(p, q, -1))

    def _rail(self, slot: SchemeSlot, error: float) -> _Rail:
        """The line of a slot with its far joint, (13) and (14); one for all joints in it."""
        key = slot.link, slot.ends
        if key not in self.rails:
            ends, start = self._ends(slot)
            span = self.at[ends[1]] - self.at[ends[0]]
            if error < LEAST_ERROR * abs(span):
                least = LEAST_ERROR * abs(span)
                wanted = f"{least:.3g} mm or more for a slot of {abs(span):.6g} mm"
                raise BadValue(f"error of re-interpreted slot {slot.name!r}", error, wanted)
            normal = 1j * span / abs(span) * far_distance(abs(span), error)
            middle = (self.at[ends[0]] + self.at[ends[1]]) / 2
            far = self._point(f"{slot.name} far joint", middle + normal, slot.link)
            self.rails[key] = _Rail(ends, start, far)
        return self.rails[key]

    def _ends(self, slot: SchemeSlot) -> tuple[tuple[int, int], float]:
        """The ends of a slot, or new ones where joints may pass them; distance of the first, mm."""
        each = [
            _reach(self.scheme, other, self.offset)
            for other in self.scheme.slots
            if (other.link, other.ends) == (slot.link, slot.ends)
        ]
        if not any(reach.extend for reach in each):
            return slot.ends, 0.0
        near, farthest = min(r.near for r in each), max(r.farthest for r in each)
        margin = self.offset / (1 - 2 * self.offset) * (farthest - near)
        first, last = (self.at[end] for end in slot.ends)
        along = (last - first) / abs(last - first)
        new_ends = (
            self._point(f"{slot.name} {name} end", first + position * along, slot.link)
            for name, position in (("first", near - margin), ("last", farthest + margin))
        )
        return (next(new_ends), next(new_ends)), near - margin

    def _point(self, name: str, at: complex, link: int | None = None) -> int:
        self.points.append(name)
        self.at.append(at)
        if link is not None:
            self.links[link].append(len(self.points) - 1)
        return len(self.points) - 1

    def _link(self, name: str, *points: int) -> None:
        self.names.append(name)
        self.links.append(list(points))


def _elbow(end: complex, joint: complex, from_end: float, to_joint: float) -> complex:
    """Where the constraining joint starts: left of the line from the slot's end to the joint.

    Either side does; this is the side of the far joint.
    """
    position = abs(joint - end)
    foot = (position**2 + (from_end - to_joint) * (from_end + to_joint)) / (2 * position)
    normal = sqrt(max(0.0, (from_end - foot) * (from_end + foot)))
    return end + (joint - end) / position * complex(foot, normal)

"""Slots as revolute joints: a slot is read as an arc so large that it is straight but for an error.

The slot goes.  Its link gets a far joint on the perpendicular bisector of its ends, and what slid
in it a long link to that joint.  A constraining joint, with one link to the slot's first end and
one to what slides, lets it come no nearer to the ends than asked.  What is left has revolute joints
and links only, so that arcs and groups of arcs solve every planar linkage.

The error is that of one slot.  Links that carry a slot's error on may deviate more.

A slide of two parts is not drawn with ends: its line is known by two points of it, and what slides
may start anywhere on it.  Where the ends are too near to where it starts, or to its limits, the
slot gets ends of its own, beyond its limits, or, without any, as far to both sides as the linkage
reaches.

Source: MotionGen, section 3, equations (13) to (21); docs/theory/dyads.md, 2.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ...errors import BadValue, SlotOutOfReach
from ..scheme.scheme import LINEAR, SPAN, Actuator, Link, Scheme, Slot

SAME = 1e-9
"""Share of a slot's length below which a limit is at its end."""

FINEST = 1e-8
"""Share of a slot's length below which an error drowns in the rounding of a far joint's place: that
is 1e-16 of (length^2 / 8 error)."""


def reinterpreted(scheme: Scheme, error: float = 1e-3, offset: float = 0.05) -> Scheme:
    """The linkage with far and constraining joints in place of its slots.

    The points keep their numbers; far joints and constraining joints come after them.  A linear
    actuator along a slot becomes the distance of its two points.

    Args:
        scheme: with slots or without.
        error: how far a slot's arc may be from straight between its ends, mm.
        offset: how near to an end of its slot a joint may come, as a share of the slot's length;
            limits that are narrower count instead.

    Raises:
        BadValue: the error is not positive or too small for the length of a slot, or the offset not
            above 0 and below 0.5.
        SlotOutOfReach: a joint starts beyond the limits of its slot.

    Not told by the re-interpreted linkage: a joint that passes over its slot's first end within one
    step stands as far from it as before.  The exact slots, which are the rule, tell it.
    """
    if not (np.isfinite(error) and error > 0):
        raise BadValue("error of re-interpreted slots", error, "a length above 0 mm")
    if not 0 < offset < 0.5:
        raise BadValue("offset of re-interpreted slots", offset, "a share above 0 and below 0.5")
    grown = _Growing(scheme, offset)
    for slot in scheme.slots:
        grown.replace(slot, error)
    return replace(
        scheme,
        points=tuple(grown.points),
        at=np.array([(p.real, p.imag) for p in grown.at]).reshape(-1, 2),
        links=tuple(map(Link, grown.names, map(tuple, grown.links))),
        slots=(),
        actuators=tuple(map(grown.spanning, scheme.actuators)),
    )


def far_distance(length: float, error: float) -> float:
    """How far the far joint lies from the middle of a slot, mm, by (18): d^2 / 8 e.

    The term e^2 of (17) is left out, which makes it e / 2 more than the root of (16) is.  A joint
    that starts in the middle leaves the slot at the ends by e (1 + 4 e^2 / d^2), others by less.
    """
    return length**2 / (8 * error)


class _Reach(NamedTuple):
    """How far a joint in a slot is, and may be, from the slot's first end, mm."""

    way: float
    near: float
    farthest: float
    beyond: bool
    """Whether the ends of the slot are too near for that."""


def _reach(scheme: Scheme, slot: Slot, offset: float) -> _Reach:
    """By its limits, or those of a joint that a link holds beside it; else by the slot's ends."""
    length, way = _measured(scheme, slot)
    low, high = [-inf], [inf]
    for other in scheme.slots:
        shared = set(scheme.links_at[slot.point]).intersection(scheme.links_at[other.point])
        if (other.link, other.ends) == (slot.link, slot.ends) and shared:
            ahead = way - _measured(scheme, other)[1]
            low += [other.low + ahead] if other.low is not None else []
            high += [other.high + ahead] if other.high is not None else []
    least, most, same = max(low), min(high), SAME * length
    if not least - same <= way <= most + same:
        names = scheme.points[slot.point], scheme.points[slot.ends[0]]
        raise SlotOutOfReach(slot.name, *names, way, least, most)
    near, farthest = max(least, offset * length), min(most, (1 - offset) * length)
    ends = (least == -inf or least >= -same) and (most == inf or most <= length + same)
    if ends and near <= way <= farthest:
        return _Reach(way, near, farthest, False)
    near = min(way, least if least > -inf else way - scheme.size)
    farthest = max(way, most if most < inf else way + scheme.size)
    return _Reach(way, near, farthest, True)


def _measured(scheme: Scheme, slot: Slot) -> tuple[float, float]:
    """Length of a slot, and how far from its first end its joint starts, mm."""
    first, last, joint = (scheme.start[point] for point in (*slot.ends, slot.point))
    length = abs(last - first)
    return length, ((joint - first) * (last - first).conjugate()).real / length


class _Rail(NamedTuple):
    """The line of a slot as it is re-interpreted."""

    ends: tuple[int, int]
    start: float
    """Way of its first end from that of the slot, mm."""
    far: int


class _Growing:
    """Points and links while slots are replaced."""

    def __init__(self, scheme: Scheme, offset: float) -> None:
        self.scheme, self.offset = scheme, offset
        self.points, self.at = list(scheme.points), list(scheme.start)
        self.links = [list(link.points) for link in scheme.links]
        self.names = [link.name for link in scheme.links]
        self.rails: dict[tuple[int, tuple[int, int]], _Rail] = {}

    def replace(self, slot: Slot, error: float) -> None:
        """Rows {q, far}, {end, c}, {q, c} for one joint q in a slot: (20)."""
        _, near, farthest, _ = _reach(self.scheme, slot, self.offset)
        name = self.points[slot.point]
        rail = self._rail(slot, error)
        where = f"{slot.name} {name}"
        reach = near - rail.start, farthest - rail.start
        arms = (reach[1] + reach[0]) / 2, (reach[1] - reach[0]) / 2  # (19): of the end, of q
        elbow = self._point(
            f"{where} constraining joint", _elbow(self.at[rail.ends[0]], self.at[slot.point], *arms)
        )
        self._link(f"{where} long link", slot.point, rail.far)
        self._link(f"{where} constraining link 1", rail.ends[0], elbow)
        self._link(f"{where} constraining link 2", slot.point, elbow)

    def spanning(self, actuator: Actuator) -> Actuator:
        """A way along a slot as the distance that it is without the slot: its dynamic link."""
        if actuator.kind != LINEAR:
            return actuator
        p, q, r = actuator.points
        for (_, ends), rail in self.rails.items():
            if {p, r} == {*ends} and p not in rail.ends:
                own = rail.ends[ends.index(p)]
                ahead = (self.at[own] - self.at[p]) / (self.at[r] - self.at[p])
                less = ahead.real * abs(self.at[r] - self.at[p])
                return replace(
                    actuator, kind=SPAN, points=(own, q, -1), offset=actuator.offset - less
                )
        return replace(actuator, kind=SPAN, points=(p, q, -1))

    def _rail(self, slot: Slot, error: float) -> _Rail:
        """The line of a slot with its far joint, (13) and (14); one for all joints in it."""
        key = slot.link, slot.ends
        if key not in self.rails:
            ends, start = self._ends(slot)
            span = self.at[ends[1]] - self.at[ends[0]]
            if error < FINEST * abs(span):
                wanted = f"{FINEST * abs(span):.3g} mm or more for a slot of {abs(span):.6g} mm"
                raise BadValue(f"error of re-interpreted slot {slot.name!r}", error, wanted)
            aside = 1j * span / abs(span) * far_distance(abs(span), error)
            middle = (self.at[ends[0]] + self.at[ends[1]]) / 2
            far = self._point(f"{slot.name} far joint", middle + aside, slot.link)
            self.rails[key] = _Rail(ends, start, far)
        return self.rails[key]

    def _ends(self, slot: Slot) -> tuple[tuple[int, int], float]:
        """The ends of a slot, or new ones where joints may go beyond; the way of the first."""
        each = [
            _reach(self.scheme, other, self.offset)
            for other in self.scheme.slots
            if (other.link, other.ends) == (slot.link, slot.ends)
        ]
        if not any(reach.beyond for reach in each):
            return slot.ends, 0.0
        near, farthest = min(r.near for r in each), max(r.farthest for r in each)
        margin = self.offset / (1 - 2 * self.offset) * (farthest - near)
        first, last = (self.at[end] for end in slot.ends)
        along = (last - first) / abs(last - first)
        made = (
            self._point(f"{slot.name} {name} end", first + way * along, slot.link)
            for name, way in (("first", near - margin), ("last", farthest + margin))
        )
        return (next(made), next(made)), near - margin

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
    """Where the constraining joint starts: left of the way from the slot's end to what slides.

    Either side does; this is the side of the far joint.
    """
    way = abs(joint - end)
    foot = (way**2 + (from_end - to_joint) * (from_end + to_joint)) / (2 * way)
    aside = sqrt(max(0.0, (from_end - foot) * (from_end + foot)))
    return end + (joint - end) / way * complex(foot, aside)

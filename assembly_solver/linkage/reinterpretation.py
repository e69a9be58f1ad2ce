"""Slots as revolute joints: a slot is read as an arc so large that it is straight but for an error.

The slot goes.  Its link gets a far joint on the perpendicular bisector of its ends, and what slid
in it a long link to that joint.  A constraining joint, with one link to the slot's first end and
one to what slides, lets it come no nearer to the ends than asked.  What is left has revolute joints
and links only, so that arcs and groups of arcs solve every planar linkage.

The error is that of one slot.  Links that carry a slot's error on may deviate more.

Source: MotionGen, section 3, equations (13) to (21); MATHEMATICS D.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from ..errors import BadValue, SlotOutOfReach
from .scheme import LINEAR, SPAN, Actuator, Link, Scheme, Slot


def reinterpreted(scheme: Scheme, error: float = 1e-3, offset: float = 0.05) -> Scheme:
    """The linkage with far and constraining joints in place of its slots.

    The points keep their numbers; far joints and constraining joints come after them.  A linear
    actuator along a slot becomes the distance of its two points.

    Args:
        scheme: with slots or without.
        error: how far a slot's arc may be from straight between its ends, mm.
        offset: how near to an end of its slot a joint may come, as a share of the slot's length;
            limits of the slot that are narrower count instead.

    Raises:
        BadValue: the error is not positive, or the offset not from 0 to below 0.5.
        SlotOutOfReach: a joint starts beyond the ends of its slot, or nearer to them than asked.

    Not told by the re-interpreted linkage: a joint that passes over its slot's first end within one
    step stands as far from it as before.  The exact slots, which are the rule, tell it.
    """
    if not (np.isfinite(error) and error > 0):
        raise BadValue("error of re-interpreted slots", error, "a length above 0 mm")
    if not 0 <= offset < 0.5:
        raise BadValue("offset of re-interpreted slots", offset, "a share of 0 to below 0.5")
    grown = _Growing(
        list(scheme.points),
        list(scheme.start),
        [list(link.points) for link in scheme.links],
        [link.name for link in scheme.links],
    )
    for slot in scheme.slots:
        grown.replace(slot, error, offset)
    return replace(
        scheme,
        points=tuple(grown.points),
        at=np.array([(p.real, p.imag) for p in grown.at]).reshape(-1, 2),
        links=tuple(map(Link, grown.names, map(tuple, grown.links))),
        slots=(),
        actuators=tuple(map(_spanning, scheme.actuators)),
    )


def far_distance(length: float, error: float) -> float:
    """How far the far joint lies from the middle of a slot, mm, by (18): d^2 / 8 e.

    The term e^2 of (17) is left out, which makes it e / 2 more than the root of (16) is.  A joint
    that starts in the middle leaves the slot at the ends by e (1 + 4 e^2 / d^2), others by less.
    """
    return length**2 / (8 * error)


def _spanning(actuator: Actuator) -> Actuator:
    """A way along a slot as the distance it is where the slot is gone: its dynamic link."""
    if actuator.kind != LINEAR:
        return actuator
    return replace(actuator, kind=SPAN, points=(*actuator.points[:2], -1))


@dataclass(eq=False)
class _Growing:
    """Points and links while slots are replaced; a far joint for each pair of ends of a link."""

    points: list[str]
    at: list[complex]
    links: list[list[int]]
    names: list[str]
    far: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def replace(self, slot: Slot, error: float, offset: float) -> None:
        """Rows {q, far}, {end, c}, {q, c} for one joint q in a slot: (20)."""
        first, last = slot.ends
        length = abs(self.at[last] - self.at[first])
        near, farthest = offset * length, (1 - offset) * length
        near = near if slot.low is None else max(near, slot.low)
        farthest = farthest if slot.high is None else min(farthest, slot.high)
        along = (self.at[last] - self.at[first]) / length
        way = ((self.at[slot.point] - self.at[first]) * along.conjugate()).real
        name = self.points[slot.point]
        if not (near <= way <= farthest and way > 0):
            raise SlotOutOfReach(slot.name, name, self.points[first], way, near, farthest)
        where = slot.name if slot.name == name else f"{slot.name} {name}"
        far = self._far_joint(slot, error)
        arms = (near + farthest) / 2, (farthest - near) / 2  # (19): one from the end, one from q
        elbow = self._point(
            f"{where} constraining joint", _elbow(self.at[first], along, way, *arms)
        )
        self._link(f"{where} long link", slot.point, far)
        self._link(f"{where} constraining link 1", first, elbow)
        self._link(f"{where} constraining link 2", slot.point, elbow)

    def _far_joint(self, slot: Slot, error: float) -> int:
        """The far joint of a slot, a point of its link: (13), (14)."""
        first, last = slot.ends
        key = slot.link, first, last
        if key not in self.far:
            span = self.at[last] - self.at[first]
            aside = 1j * span / abs(span) * far_distance(abs(span), error)
            middle = (self.at[first] + self.at[last]) / 2
            self.far[key] = self._point(f"{slot.name} far joint", middle + aside)
            self.links[slot.link].append(self.far[key])
        return self.far[key]

    def _point(self, name: str, at: complex) -> int:
        self.points.append(name)
        self.at.append(at)
        return len(self.points) - 1

    def _link(self, name: str, *points: int) -> None:
        self.names.append(name)
        self.links.append(list(points))


def _elbow(end: complex, along: complex, way: float, from_end: float, to_joint: float) -> complex:
    """Where the constraining joint starts: left of the way from the slot's end to what slides.

    Either side does; this is the side of the far joint.
    """
    foot = (way**2 + (from_end - to_joint) * (from_end + to_joint)) / (2 * way)
    return end + along * (foot + 1j * sqrt(max(0.0, (from_end - foot) * (from_end + foot))))

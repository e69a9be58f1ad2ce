"""Drivers as actuators of a linkage: angles at pins, displacements in slots, distances."""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from math import degrees, radians
from typing import NamedTuple

import numpy as np

from ...errors import NoLinkage
from ...foundations.geometry.pose import compose_all
from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Array
from ...model.building.drawing import PinDriver
from ...model.drivers.driver import Driver
from ...model.drivers.quantity import Quantity
from ...model.measures.measure import DISPLACEMENT, INCLINATION, RADIUS, ROTATION, SEPARATION, read
from .extraction import SchemeBuilder, SlotLine
from .plane import MotionPlane
from .scheme import LINEAR, ROTARY, SPAN, Actuator, SchemeSlot


class PlanarQuantity(NamedTuple):
    """A quantity in the plane of motion.

    Attributes:
        links: representative bodies of its two ends; ends: their positions, mm.
        rise: height of the second end over the first, mm.
        direction: unit, of a displacement, else None; sense: +1 or -1, in which an angle grows.
        value: at the start, mm or degrees.
    """

    links: tuple[int, int]
    ends: tuple[complex, complex]
    rise: float
    direction: complex | None
    sense: float
    value: float


def _ends(quantity: Quantity, frames: Array, parts: Sequence[str]) -> tuple[Array, Array]:
    """The two markers of a quantity in the world, 12 numbers each."""
    found = quantity.measure
    one, two = (
        compose_all(frames[parts.index(m.part)][None], np.array([m.frame]))[0]
        for m in (found.a, found.b)
    )
    return one, two


def in_plane(quantity: Quantity, frames: Array, parts: Sequence[str], plane: MotionPlane) -> bool:
    """Whether a quantity is one of motion within a plane; frames of the parts, (parts, 12), mm."""
    found = quantity.measure
    one, two = _ends(quantity, frames, parts)
    i, j = 3 + 3 * found.i, 3 + 3 * found.j
    if found.kind in (ROTATION, RADIUS):
        return plane.along(one[9:12])
    if found.kind == INCLINATION:
        return plane.contains(one[i : i + 3]) and plane.contains(two[j : j + 3])
    return found.kind == SEPARATION or (
        found.kind == DISPLACEMENT and plane.contains(one[i : i + 3])
    )


def planar_quantity(quantity: Quantity, g: SchemeBuilder) -> PlanarQuantity:
    """A quantity in the plane of a scheme under construction."""
    found, parts = quantity.measure, g.plan.system.parts
    one, two = _ends(quantity, g.frames, parts)
    numbers = [parts.index(m.part) for m in (found.a, found.b)]
    value = read(found, g.frames[numbers[0]], g.frames[numbers[1]])
    i, j = 3 + 3 * found.i, 3 + 3 * found.j
    direction, sense = None, 0.0
    if found.kind == ROTATION:
        sense = 1.0 if one[9:12] @ g.plane.normal > 0 else -1.0
    elif found.kind == INCLINATION:
        turn = g.plane.to_plane(two[j : j + 3]) * g.plane.to_plane(one[i : i + 3]).conjugate()
        sense = float(np.sign(turn.imag)) if abs(turn.imag) > FAINT else 0.0
    elif found.kind == DISPLACEMENT and g.plane.contains(one[i : i + 3]):
        direction = g.plane.to_plane(one[i : i + 3])
    of_part = g.plan.bodies.of_part
    links = (g.representative[int(of_part[numbers[0]])], g.representative[int(of_part[numbers[1]])])
    ends = (g.plane.to_plane(one[:3]), g.plane.to_plane(two[:3]))
    rise = float((two[:3] - one[:3]) @ g.plane.normal)
    return PlanarQuantity(
        links, ends, rise, direction, sense, degrees(value) if quantity.unit == "deg" else value
    )


def actuator(driver: Driver, g: SchemeBuilder) -> Actuator:
    """A driver that moves something in the plane as an actuator.

    Raises:
        NoLinkage: where it is not an angle at a pin, a displacement in a slot or a distance in the
            plane, or its ends are not level, or are on one link.
    """
    s = planar_quantity(driver, g)
    if s.links[0] == s.links[1]:
        one, two = driver.measure.a.part, driver.measure.b.part
        raise _cannot(driver, f"{one} and {two} are one link, which it cannot move")
    kind = driver.measure.kind
    if kind in (ROTATION, INCLINATION):
        return _rotary(driver, s, g)
    if kind == DISPLACEMENT:
        return _linear(driver, s, g)
    level = max(AGREEMENT * g.points.reach, g.plan.system.tolerance)
    if kind == SEPARATION and abs(s.rise) > level:
        reason = f"its ends are not level, {abs(s.rise):.6g} mm apart across the plane"
        raise _cannot(driver, reason)
    assert driver.ends is not None
    p, q = (
        g.points.add(link, at, [str(feature)])
        for link, at, feature in zip(s.links, s.ends, driver.ends, strict=True)
    )
    return Actuator(driver.name, SPAN, (p, q, -1))


def _rotary(driver: Driver, s: PlanarQuantity, g: SchemeBuilder) -> Actuator:
    """An angle at the pin that its two links share, between their farthest points."""
    one, two = s.links
    shared = g.points.on_links(one, two)
    if not shared:
        reason = f"{g.link_name(one)} and {g.link_name(two)} share no pin that it could turn at"
        raise _cannot(driver, reason)
    if s.sense == 0.0:
        raise _cannot(driver, 'it stands where it may open to either side; give it an "about"')
    j = shared[0]
    rays = driver.rays if isinstance(driver, PinDriver) else (None, None)
    i, k = (_ray(link, j, to, g) for link, to in zip(s.links, rays, strict=True))
    at, now = g.points.at, s.value
    if driver.value is not None:  # counted in turns, as the driver has it
        now += 360.0 * round((driver.value - now) / 360.0)
    factor = s.sense * radians(1.0)
    offset = phase((at[k] - at[j]) / (at[i] - at[j])) - factor * now
    return Actuator(driver.name, ROTARY, (i, j, k), factor, offset)


def _ray(link: int, point: int, to: str | None, g: SchemeBuilder) -> int:
    """The point of a link on a ray from one of its points: as drawn, or the farthest."""
    named = [k for k in g.points.on_links(link) if g.points.names[k] == to]
    return named[0] if named else g.points.farthest(link, point)


def _linear(driver: Driver, s: PlanarQuantity, g: SchemeBuilder) -> Actuator:
    for slot_line in g.slot_lines:
        found = _slot_law(s, slot_line, g)
        if found is not None:
            p, r = slot_line.ends
            return Actuator(driver.name, LINEAR, (p, slot_line.point, r), *found)
    one, two = (g.link_name(link) for link in s.links)
    raise _cannot(driver, f"{one} and {two} share no slot or slide that it could move along")


def _cannot(driver: Driver, problem: str) -> NoLinkage:
    return NoLinkage(f"driver {driver.name!r} ({driver.words})", problem)


def _slot_law(
    s: PlanarQuantity, slot_line: SlotLine, g: SchemeBuilder
) -> tuple[float, float] | None:
    """Factor and offset of a position in a slot by a displacement; None if it is not that."""
    at = g.points.at
    p, r = (at[k] for k in slot_line.ends)
    unit = (r - p) / abs(r - p)
    if s.direction is None or abs((s.direction * unit.conjugate()).imag) > AGREEMENT:
        return None
    if not slot_line.slides and abs(s.ends[1] - at[slot_line.point]) > g.near:
        return None
    factor = 1.0 if (s.direction * unit.conjugate()).real > 0 else -1.0
    if slot_line.slides and s.links == (slot_line.other, slot_line.slotted):
        factor = -factor
    elif s.links != (slot_line.slotted, slot_line.other):
        return None
    now = ((at[slot_line.point] - p) * unit.conjugate()).real
    return factor, now - factor * s.value


def moves_in_slot(s: PlanarQuantity, g: SchemeBuilder) -> bool:
    """Whether a quantity is the position of a point in a slot."""
    return any(_slot_law(s, slot_line, g) is not None for slot_line in g.slot_lines)


def slots(g: SchemeBuilder) -> tuple[SchemeSlot, ...]:
    """The slots of a linkage with the bounds of the assembly's limits.

    Of a slide only the first of its two points has them.
    """
    out = []
    known: set[tuple[str, int]] = set()
    for slot_line in g.slot_lines:
        key = (slot_line.name, slot_line.other)
        low, high = (None, None) if key in known else _bounds(slot_line, g)
        known.add(key)
        slotted = g.number[slot_line.slotted]
        out.append(SchemeSlot(slot_line.name, slot_line.point, slot_line.ends, slotted, low, high))
    return tuple(out)


def _bounds(slot_line: SlotLine, g: SchemeBuilder) -> tuple[float | None, float | None]:
    """Least and largest position of a point in a slot by the limits, mm."""
    low: list[float] = []
    high: list[float] = []
    for limit in g.assembly.limits.values():
        found = _slot_law(planar_quantity(limit, g), slot_line, g)
        if found is None:
            continue
        factor, offset = found
        least, most = (limit.min, limit.max) if factor > 0 else (limit.max, limit.min)
        low += [factor * least + offset] if least is not None else []
        high += [factor * most + offset] if most is not None else []
    return max(low, default=None), min(high, default=None)

"""Drivers and limits as a linkage has them: angles at pins, ways in slots, distances."""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from math import degrees, radians
from typing import NamedTuple

import numpy as np

from ...errors import NoLinkage
from ...foundations.geometry.pose import compose_all
from ...foundations.types import Array
from ...model.building.drawing import PinDriver
from ...model.drivers.driver import Driver
from ...model.drivers.quantity import Quantity
from ...model.measures.measure import DISPLACEMENT, INCLINATION, RADIUS, ROTATION, SEPARATION, read
from .extraction import Gathering, Groove
from .plane import Plane
from .point_merging import SAME
from .scheme import LINEAR, ROTARY, SPAN, Actuator, Slot

TELLS = 1e-6
"""Sine of an unsigned angle from which its side is known."""

LEVEL = 1e-9
"""Difference of heights, relative to the reach of features, below which two points are level."""


class Sighting(NamedTuple):
    """A quantity as it is seen in the plane.

    Attributes:
        links: of its two ends; ends: where they are; rise: of the second over the first, mm.
        way: of a displacement, else None; sense: +1 or -1 by which way an angle grows.
        value: now, mm or degrees.
    """

    links: tuple[int, int]
    ends: tuple[complex, complex]
    rise: float
    way: complex | None
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


def in_plane(quantity: Quantity, frames: Array, parts: Sequence[str], plane: Plane) -> bool:
    """Whether a quantity is one of motion within a plane.

    Args:
        frames: of the parts, (parts, 12); parts: their names.
    """
    found = quantity.measure
    one, two = _ends(quantity, frames, parts)
    i, j = 3 + 3 * found.i, 3 + 3 * found.j
    if found.kind == ROTATION:
        return plane.along(one[9:12])
    if found.kind == INCLINATION:
        return plane.holds(one[i : i + 3]) and plane.holds(two[j : j + 3])
    if found.kind == DISPLACEMENT:
        return plane.holds(one[i : i + 3])
    return found.kind == SEPARATION or (found.kind == RADIUS and plane.along(one[9:12]))


def sighted(quantity: Quantity, g: Gathering) -> Sighting:
    """A quantity as it is seen."""
    found, parts = quantity.measure, g.plan.system.parts
    one, two = _ends(quantity, g.frames, parts)
    numbers = [parts.index(m.part) for m in (found.a, found.b)]
    value = read(found, g.frames[numbers[0]], g.frames[numbers[1]])
    i, j = 3 + 3 * found.i, 3 + 3 * found.j
    way, sense = None, 0.0
    if found.kind == ROTATION:
        sense = 1.0 if one[9:12] @ g.plane.normal > 0 else -1.0
    elif found.kind == INCLINATION:
        turn = g.plane.see(two[j : j + 3]) * g.plane.see(one[i : i + 3]).conjugate()
        sense = float(np.sign(turn.imag)) if abs(turn.imag) > TELLS else 0.0
    elif found.kind == DISPLACEMENT and g.plane.holds(one[i : i + 3]):
        way = g.plane.see(one[i : i + 3])
    of_part = g.plan.bodies.of_part
    links = (g.leader[int(of_part[numbers[0]])], g.leader[int(of_part[numbers[1]])])
    ends = (g.plane.see(one[:3]), g.plane.see(two[:3]))
    rise = float((two[:3] - one[:3]) @ g.plane.normal)
    return Sighting(
        links, ends, rise, way, sense, degrees(value) if quantity.unit == "deg" else value
    )


def actuator(driver: Driver, g: Gathering) -> Actuator:
    """A driver that moves something in the plane as an actuator.

    Raises:
        NoLinkage: where it is not an angle at a pin, a way in a slot or a distance in the plane.
    """
    s = sighted(driver, g)
    if s.links[0] == s.links[1]:
        one, two = driver.measure.a.part, driver.measure.b.part
        raise _cannot(driver, f"{one} and {two} are one link, which it cannot move")
    kind = driver.measure.kind
    if kind in (ROTATION, INCLINATION):
        return _rotary(driver, s, g)
    if kind == DISPLACEMENT:
        return _linear(driver, s, g)
    if kind == SEPARATION and abs(s.rise) > LEVEL * g.places.reach:
        told = f"its ends are not level, {abs(s.rise):.6g} mm apart across the plane"
        raise _cannot(driver, told)
    p, q = (
        g.places.put(link, at, [_named(g, driver, k)])
        for k, (link, at) in enumerate(zip(s.links, s.ends, strict=True))
    )
    return Actuator(driver.name, SPAN, (p, q, -1))


def _named(g: Gathering, driver: Driver, k: int) -> str:
    """An end of a driver of two features."""
    assert driver.ends is not None
    return str(driver.ends[k])


def _rotary(driver: Driver, s: Sighting, g: Gathering) -> Actuator:
    """An angle at the pin that its two links share, between their farthest points."""
    one, two = s.links
    shared = g.places.of(one, two)
    if not shared:
        told = f"{g.link_name(one)} and {g.link_name(two)} share no pin that it could turn at"
        raise _cannot(driver, told)
    if s.sense == 0.0:
        raise _cannot(driver, 'it stands where it may open to either side; give it an "about"')
    j = shared[0]
    rays = driver.rays if isinstance(driver, PinDriver) else (None, None)
    i, k = (_ray(link, j, to, g) for link, to in zip(s.links, rays, strict=True))
    at = g.places.at
    now = s.value
    if driver.value is not None:  # counted in turns, as the driver has it
        now += 360.0 * round((driver.value - now) / 360.0)
    factor = s.sense * radians(1.0)
    offset = phase((at[k] - at[j]) / (at[i] - at[j])) - factor * now
    return Actuator(driver.name, ROTARY, (i, j, k), factor, offset)


def _ray(link: int, point: int, to: str | None, g: Gathering) -> int:
    """The point of a link that a ray from one of its points goes to: as drawn, or the farthest."""
    named = [k for k in g.places.of(link) if g.places.names[k] == to]
    return named[0] if named else g.places.farthest(link, point)


def _linear(driver: Driver, s: Sighting, g: Gathering) -> Actuator:
    """A way along a slot or a slide."""
    for groove in g.grooves:
        found = _along(s, groove, g)
        if found is not None:
            p, r = groove.ends
            return Actuator(driver.name, LINEAR, (p, groove.point, r), *found)
    one, two = (g.link_name(link) for link in s.links)
    raise _cannot(driver, f"{one} and {two} share no slot or slide that it could move along")


def _cannot(driver: Driver, problem: str) -> NoLinkage:
    return NoLinkage(f"driver {driver.name!r} ({driver.words})", problem)


def _along(s: Sighting, groove: Groove, g: Gathering) -> tuple[float, float] | None:
    """The way of a point in a slot as factor x a displacement + offset; None if it is not that."""
    at = g.places.at
    p, r = (at[k] for k in groove.ends)
    unit = (r - p) / abs(r - p)
    if s.way is None or abs((s.way * unit.conjugate()).imag) > SAME:
        return None
    if not groove.slides and abs(s.ends[1] - at[groove.point]) > g.near:
        return None
    factor = 1.0 if (s.way * unit.conjugate()).real > 0 else -1.0
    if groove.slides and s.links == (groove.other, groove.slotted):
        factor = -factor
    elif s.links != (groove.slotted, groove.other):
        return None
    now = ((at[groove.point] - p) * unit.conjugate()).real
    return factor, now - factor * s.value


def in_slot(s: Sighting, g: Gathering) -> bool:
    """Whether a quantity is the way of a point in a slot."""
    return any(_along(s, groove, g) is not None for groove in g.grooves)


def slots(g: Gathering) -> tuple[Slot, ...]:
    """The slots of a linkage with the bounds that limits give them.

    Of a slide the first of its two points has them.
    """
    out = []
    known: set[tuple[str, int]] = set()
    for groove in g.grooves:
        key = (groove.name, groove.other)
        low, high = (None, None) if key in known else _bounds(groove, g)
        known.add(key)
        slotted = g.number[groove.slotted]
        out.append(Slot(groove.name, groove.point, groove.ends, slotted, low, high))
    return tuple(out)


def _bounds(groove: Groove, g: Gathering) -> tuple[float | None, float | None]:
    """Least and largest way of a point in a slot that limits leave, mm."""
    low: float | None = None
    high: float | None = None
    for limit in g.assembly.limits.values():
        found = _along(sighted(limit, g), groove, g)
        if found is None:
            continue
        factor, offset = found
        least, most = (limit.min, limit.max) if factor > 0 else (limit.max, limit.min)
        if least is not None:
            bound = factor * least + offset
            low = bound if low is None else max(low, bound)
        if most is not None:
            bound = factor * most + offset
            high = bound if high is None else min(high, bound)
    return low, high

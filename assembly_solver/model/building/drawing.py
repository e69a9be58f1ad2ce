"""Linkages as drawings: pins in the plane z = 0, links through them, slots between two of them.

The links of a drawing are ordinary parts that start as drawn, its pins and slots ordinary mates.
The drawing stores what was drawn and which entries it became, so that a file can have both the
drawing and later changes of these entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import BadValue, UnknownName
from ..drivers.driver import Driver
from ..drivers.limit import Limit
from ..feature import Axis, Frame
from ..mate import Mate

PlanePoint = tuple[float, float]
"""A point of the drawing: x and y, mm."""

Rays = tuple[str | None, str | None]
"""The pins that the rays of an angle point to on two links; None: the default ray."""


@dataclass(frozen=True)
class DrawnLink:
    """A link: its pins in order, and whether it was drawn as grounded."""

    pins: tuple[str, ...]
    grounded: bool = False


@dataclass(frozen=True)
class DrawnSlot:
    """A straight slot: from one pin of a link to another one.

    Attributes:
        ends: the two pins; pins: those of other links that slide in it; link: the link with it.
        stops: whether its ends limit the travel of the pins.
    """

    ends: tuple[str, str]
    pins: tuple[str, ...]
    link: str
    stops: bool = True


@dataclass(frozen=True)
class Drawing:
    """What was drawn, by name, in the order in which it was drawn.

    Attributes:
        pins: x and y, mm; a pin of a single link is a coupler point.
        links, slots: as drawn; mates, limits: the entries that pins and slots became.
    """

    pins: Mapping[str, PlanePoint] = field(default_factory=dict)
    links: Mapping[str, DrawnLink] = field(default_factory=dict)
    slots: Mapping[str, DrawnSlot] = field(default_factory=dict)
    mates: Mapping[str, Mate] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.pins)

    def __repr__(self) -> str:
        counts = f"{len(self.pins)} pins, {len(self.links)} links, {len(self.slots)} slots"
        return f"Drawing({counts})"

    def links_at(self, pin: str) -> tuple[str, ...]:
        """The links at a pin, in the order in which they were drawn."""
        return tuple(name for name, link in self.links.items() if pin in link.pins)

    def slots_with(self, pin: str) -> tuple[str, ...]:
        """The slots that a pin slides in."""
        return tuple(name for name, slot in self.slots.items() if pin in slot.pins)

    def holders(self, ends: tuple[str, str]) -> tuple[str, ...]:
        """The links that contain both of two pins."""
        return tuple(n for n, link in self.links.items() if set(ends) <= set(link.pins))

    def known(self, pin: Any, place: str) -> str:
        """The name of a pin.  Raises UnknownName: it was not drawn."""
        if not isinstance(pin, str) or pin not in self.pins:
            raise UnknownName("pin", str(pin), self.pins, place)
        return pin

    def pairs(self, pin: str, rays: Rays = (None, None)) -> list[tuple[str, str]]:
        """Pairs of links at a pin that contain the pins of their rays; grounded links first."""
        at = sorted(self.links_at(pin), key=lambda name: not self.links[name].grounded)
        one, two = ([x for x in at if to in (None, *self.links[x].pins)] for to in rays)
        return [(a, b) for a in one for b in two if a != b]

    def turned(self, pin: str, rays: Rays = (None, None)) -> tuple[str, str] | None:
        """The two links that a driver at a pin rotates by default; None if not just one pair."""
        found = self.pairs(pin, rays)
        several = len({frozenset(pair) for pair in found}) > 1
        return found[0] if found and not several else None

    def ray(self, link: str, pin: str) -> str | None:
        """The pin to which the default ray of a link at a pin points: its first one elsewhere.

        None, for the x axis of the drawing, on a grounded link and where there is no such pin.
        """
        drawn, here = self.links[link], self.pins[pin]
        away = (name for name in drawn.pins if self.pins[name] != here)
        return None if drawn.grounded else next(away, None)

    def axis(self, pin: str) -> Axis:
        """The feature of a pin on each of its links."""
        return Axis((*self.pins[pin], 0.0), (0.0, 0.0, 1.0))

    def ray_axis(self, pin: str, to: str | None, place: str) -> Axis:
        """The feature of a ray, from a pin to another one or along x; its x is in the
        drawing.  Raises BadValue: both pins are at one point."""
        at, on = self.pins[pin], (1.0, 0.0)
        if to is not None:
            on = (self.pins[to][0] - at[0], self.pins[to][1] - at[1])
        if on == (0.0, 0.0):
            raise BadValue(place, to, f"a pin at another place than {pin!r}")
        return Axis((*at, 0.0), (*on, 0.0), x=(-on[1], on[0], 0.0))

    def slot_frame(self, ends: tuple[str, str]) -> Frame:
        """The feature of a slot on its link: origin at its first end, x along it."""
        (x, y), (x2, y2) = (self.pins[end] for end in ends)
        return Frame((x, y, 0.0), x=(x2 - x, y2 - y, 0.0))


@dataclass(frozen=True, kw_only=True)
class PinDriver(Driver):
    """A driver at a pin of the drawing: of the angle of two links, or of the pin in its slot.

    Attributes:
        pin: the pin; slot: the slot along which it moves; None for an angle.
        links: the two links; the angle is measured from the first to the second.
        rays: the pins that the rays on them point to; None for the x axis of the drawing.
    """

    pin: str
    slot: str | None = None
    links: tuple[str, str] | None = None
    rays: Rays = (None, None)

    @property
    def words(self) -> str:
        return f"{self.kind} at {self.pin}"

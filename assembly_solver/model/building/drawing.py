"""Linkages as drawings: pins in the plane z = 0, links through them, slots between two of them.

A drawing is an entrance: its links are ordinary parts that start as drawn, its pins and slots
ordinary mates.  What it remembers is what was drawn, so that a file can tell that again, and what
came of it, so that a file can tell what was changed since.
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

Spot = tuple[float, float]
"""A place on the drawing: x and y, mm."""

Rays = tuple[str | None, str | None]
"""The pins towards which an angle counts on two links; None: as usual."""


@dataclass(frozen=True)
class DrawnLink:
    """A link: its pins in their order, and whether it was drawn as grounded."""

    pins: tuple[str, ...]
    grounded: bool = False


@dataclass(frozen=True)
class DrawnSlot:
    """A straight slot: from one pin of a link to another one.

    Attributes:
        ends: the two pins; pins: those of other links that slide in it; link: that which has it.
        stops: whether its ends stop the pins.
    """

    ends: tuple[str, str]
    pins: tuple[str, ...]
    link: str
    stops: bool = True


@dataclass(frozen=True)
class Drawing:
    """What was drawn, by name, in the order in which it was drawn.

    Attributes:
        pins: where they were drawn, mm; those of one link only are points to follow.
        mates, limits: what the pins and slots were entered as.
    """

    pins: Mapping[str, Spot] = field(default_factory=dict)
    links: Mapping[str, DrawnLink] = field(default_factory=dict)
    slots: Mapping[str, DrawnSlot] = field(default_factory=dict)
    mates: Mapping[str, Mate] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything was drawn."""
        return bool(self.pins)

    def __repr__(self) -> str:
        counts = f"{len(self.pins)} pins, {len(self.links)} links, {len(self.slots)} slots"
        return f"Drawing({counts})"

    def links_at(self, pin: str) -> tuple[str, ...]:
        """The links that a pin joins, in the order in which they were drawn."""
        return tuple(name for name, link in self.links.items() if pin in link.pins)

    def slots_with(self, pin: str) -> tuple[str, ...]:
        """The slots that a pin slides in."""
        return tuple(name for name, slot in self.slots.items() if pin in slot.pins)

    def holders(self, ends: tuple[str, str]) -> tuple[str, ...]:
        """The links that have both of two pins."""
        return tuple(n for n, link in self.links.items() if set(ends) <= set(link.pins))

    def known(self, pin: Any, place: str) -> str:
        """The name of a pin, or the error that says which there are."""
        if not isinstance(pin, str) or pin not in self.pins:
            raise UnknownName("pin", str(pin), self.pins, place)
        return pin

    def pairs(self, pin: str, rays: Rays = (None, None)) -> list[tuple[str, str]]:
        """Two links at a pin, of which each has the pin of its ray; grounded ones come first."""
        at = sorted(self.links_at(pin), key=lambda name: not self.links[name].grounded)
        one, two = ([x for x in at if to in (None, *self.links[x].pins)] for to in rays)
        return [(a, b) for a in one for b in two if a != b]

    def turned(self, pin: str, rays: Rays = (None, None)) -> tuple[str, str] | None:
        """The two links whose angle a driver at a pin drives if nothing says which.

        None where that may be several, or where there are none.
        """
        found = self.pairs(pin, rays)
        several = len({frozenset(pair) for pair in found}) > 1
        return found[0] if found and not several else None

    def ray(self, link: str, pin: str) -> str | None:
        """The pin towards which the angle of a link at one of its pins counts if nothing says.

        It is the link's first pin elsewhere; None, for the x of the drawing, on a grounded link
        and where there is none.
        """
        drawn, here = self.links[link], self.pins[pin]
        away = (name for name in drawn.pins if self.pins[name] != here)
        return None if drawn.grounded else next(away, None)

    def axis(self, pin: str) -> Axis:
        """The feature of a pin on each of its links."""
        return Axis((*self.pins[pin], 0.0), (0.0, 0.0, 1.0))

    def ray_axis(self, pin: str, to: str | None, place: str) -> Axis:
        """The feature of a ray: from a pin to another one, or along x; the drawing is its yz."""
        at, on = self.pins[pin], (1.0, 0.0)
        if to is not None:
            on = (self.pins[to][0] - at[0], self.pins[to][1] - at[1])
        if on == (0.0, 0.0):
            raise BadValue(place, to, f"a pin at another place than {pin!r}")
        return Axis((*at, 0.0), (*on, 0.0), x=(-on[1], on[0], 0.0))

    def slot_frame(self, ends: tuple[str, str]) -> Frame:
        """The feature of a slot on its link: at its first end, x along it."""
        (x, y), (x2, y2) = (self.pins[end] for end in ends)
        return Frame((x, y, 0.0), x=(x2 - x, y2 - y, 0.0))


@dataclass(frozen=True, kw_only=True)
class PinDriver(Driver):
    """A driver told at a pin of the drawing: it turns two links, or slides the pin in its slot.

    Attributes:
        pin: where it is; slot: the slot along which it moves the pin; None where it turns links.
        links: the two links, in the order in which the angle counts from the one to the other.
        rays: the pins towards which it counts on each of them; None for the x of the drawing.
    """

    pin: str
    slot: str | None = None
    links: tuple[str, str] | None = None
    rays: Rays = (None, None)

    @property
    def words(self) -> str:
        return f"{self.kind} at {self.pin}"

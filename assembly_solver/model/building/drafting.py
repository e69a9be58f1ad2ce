"""Drawing a linkage into an assembly: pins, links, slots, and drivers at the pins."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from math import hypot
from typing import Any

from ...errors import (
    AssemblySolverError,
    BadValue,
    Contradiction,
    DuplicateName,
    MissingKey,
    UnknownName,
)
from ...foundations.geometry.pose import numbers
from ..drivers.driver import Driver, checked_range
from ..drivers.limit import Limit
from ..feature import Feature
from ..mate import Mate
from ..part import Part
from ..references import check_name
from .drawing import Drawing, DrawnLink, DrawnSlot, PinDriver, Rays, Spot
from .driving import Two
from .roster import ReferenceLike
from .subassemblies import Composing

Names = str | Sequence[str]
"""Names of pins: in one text with blanks between them, or in a list."""

PLACE = "linkage"
"""Where files have drawings, for errors."""


class Drafting(Composing):
    """The drawing of an assembly."""

    def __init__(self) -> None:
        super().__init__()
        self._drawing = Drawing()

    @property
    def drawing(self) -> Drawing:
        """What was drawn; nothing in an assembly without a drawing."""
        return self._drawing

    def pins(
        self, at: Mapping[str, Sequence[float]] | None = None, /, **more: Sequence[float]
    ) -> None:
        """Draw pins: x and y by name, mm; they do nothing until links have them.

        Example:
            >>> m = Assembly("crank")
            >>> m.pins({"A'": (-40, 0)}, A=(0, 0), B=(0, 30))
        """
        new: dict[str, Spot] = {}
        for name, spot in [*(at or {}).items(), *more.items()]:
            place = f"{PLACE}.pins.{name}"
            check_name(name, place)
            self._check_free(name, new, place)
            x, y = numbers(spot, 2, place)
            new[name] = (x, y)
        self._drawing = replace(self._drawing, pins=_with(self._drawing.pins, new))
        self.revision += 1

    def link(self, name: str, pins: Names, *, grounded: bool = False, **given: Any) -> Part:
        """Draw a link through pins: a part, hinged to the first link that has the same pin.

        The mate of a pin has its name; from the third link on that of the link follows.

        Args:
            pins: as "B C P"; names with blanks need a list.
            given: whatever else `add` gives a part: features, geometry, mass, colour, a pose.
        """
        place = f"{PLACE}.links.{name}"
        drawing, names = self._drawing, self._named(pins, f"{place}.pins")
        features: dict[str, Feature] = {pin: drawing.axis(pin) for pin in names}
        for key, feature in dict(given.pop("features", None) or {}).items():
            if key in features:
                raise DuplicateName("feature", f"{name}.{key}", place)
            features[key] = feature
        before = self._state()
        try:
            part = self.add(name, features=features, grounded=grounded, **given)
            mates = [
                self.mate(
                    "revolute",
                    (there[0], pin),
                    (name, pin),
                    place=place,
                    name=pin if len(there) == 1 else f"{pin} {name}",
                )
                for pin, there in ((pin, drawing.links_at(pin)) for pin in names)
                if there
            ]
        except AssemblySolverError:
            self._restore(before)
            raise
        links = _with(drawing.links, {name: DrawnLink(names, part.grounded)})
        self._drawing = replace(drawing, links=links, mates=_with(drawing.mates, _by_name(mates)))
        return part

    def slot(
        self, name: str, ends: Names, pins: Names, *, link: str | None = None, stops: bool = True
    ) -> tuple[Mate, ...]:
        """Draw a straight slot of a link, in which pins of other links slide.

        Its mate has its name; where several pins slide in it, theirs follow.  Two pins of one
        link make that a slide.  Positions along it count from its first end.

        Args:
            ends: two pins of the link that has it; link: which one, where several have both.
            stops: whether the ends stop the pins.
        """
        place = f"{PLACE}.slots.{name}"
        check_name(name, place)
        self._check_free(name, (), place)
        drawn = self._slot(ends, pins, link, stops, place)
        drawing, before = self._drawing, self._state()
        way = hypot(*(b - a for a, b in zip(*(drawing.pins[e] for e in drawn.ends), strict=True)))
        mates, limits, ref = [], [], (drawn.link, f"slot {name}")
        try:
            self._derive(*ref, drawing.slot_frame(drawn.ends), place)
            for pin in drawn.pins:
                own = next(x for x in drawing.links_at(pin) if x != drawn.link)
                full = name if len(drawn.pins) == 1 else f"{name} {pin}"
                mates.append(self.mate("pin_slot", ref, (own, pin), name=full, place=place))
                if drawn.stops:
                    limits.append(self.limit(full, "length", min=0.0, max=way, place=place))
        except AssemblySolverError:
            self._restore(before)
            raise
        self._drawing = replace(
            drawing,
            slots=_with(drawing.slots, {name: drawn}),
            mates=_with(drawing.mates, _by_name(mates)),
            limits=_with(drawing.limits, _by_name(limits)),
        )
        return tuple(mates)

    def _slot(
        self, ends: Names, pins: Names, link: str | None, stops: bool, place: str
    ) -> DrawnSlot:
        """A slot with its pins looked up, and the link that has it."""
        drawing, where = self._drawing, f"{place}.ends"
        found = self._named(ends, where)
        if len(found) != 2 or drawing.pins[found[0]] == drawing.pins[found[1]]:
            raise BadValue(where, ends, "two pins at different places")
        both = (found[0], found[1])
        holders = drawing.holders(both)
        if link is not None and link not in drawing.links:
            raise UnknownName("link", str(link), drawing.links, f"{place}.link")
        if not holders or (link is not None and link not in holders):
            raise BadValue(where, ends, f"two pins of {'one link' if link is None else link}")
        if link is None and len(holders) > 1:
            raise MissingKey(place, f"a slot between two pins of {' and '.join(holders)}", "link")
        if not isinstance(stops, bool):
            raise BadValue(f"{place}.stops", stops, "true or false")
        drawn = DrawnSlot(both, self._named(pins, f"{place}.pins"), link or holders[0], stops)
        for pin in drawn.pins:
            at = drawing.links_at(pin)
            if not at or drawn.link in at:
                raise BadValue(f"{place}.pins", pin, f"a pin of links other than {drawn.link!r}")
        return drawn

    # ---------------------------------------------------------------- drivers
    def drive(
        self,
        name: str,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        *,
        at: str | None = None,
        separation: Two | None = None,
        distance: Two | None = None,
        angle: Two | tuple[float, float] | None = None,
        length: tuple[float, float] | None = None,
        about: ReferenceLike | None = None,
        links: tuple[str, str] | None = None,
        rays: Rays | None = None,
        slot: str | None = None,
        value: float | None = None,
        range: tuple[float, float] | None = None,
        law: Any = None,
        place: str = "",
    ) -> Driver:
        """Add a driver: of a joint coordinate, of a measure between two features, or at a pin.

        At a pin of the drawing it drives the angle of two links, or the way of the pin along its
        slot from the first end, mm.  The angle counts from a ray on the first link to one on the
        second: from the x of the drawing on a grounded link, else from the pin to the link's
        first other pin; so a crank that is drawn at 60 degrees on a frame has 60.

        Args:
            separation, distance, angle: two features, one of these instead of a joint: how far
                their origins are apart, or what the mate of that name asks a value of; the angle
                with its sign where `about` names an axis of one of the two parts.
            at: a pin; then `angle` is the range of the angle, or `length` that of the way, and
                links, rays: the two links, and on each the pin that its ray goes to (None: as
                above), where the pin joins more than two links or the rays are others;
                slot: the slot, where the pin slides in several.
            value: what it is held at; law: what it does over time (see `law_of`); or neither.
            range: smallest and largest value that makes sense.
        """
        place = place or f"drivers.{name}"
        features: dict[str, Any] = {"joint": joint, "coordinate": coordinate, "about": about}
        features |= {"separation": separation, "distance": distance, "range": range}
        drawn: dict[str, Any] = {"length": length, "links": links, "rays": rays, "slot": slot}
        if at is None:
            needs = [key for key, given in drawn.items() if given is not None]
            if needs:
                raise MissingKey(place, f"a driver with {needs[0]!r}", "at")
            features |= {"angle": angle, "value": value, "law": law}
            return super().drive(name, **features, place=place)
        for key, given in features.items():
            if given is not None:
                raise Contradiction(place, "at", key)
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        made = self._pin_driver(name, at, drawn | {"angle": angle}, place)
        self._drivers[name] = made.held(value, law, self._parameters, place)
        self.revision += 1
        return self._drivers[name]

    def _pin_driver(self, name: str, at: str, told: Mapping[str, Any], place: str) -> PinDriver:
        """A driver at a pin that has no value yet."""
        pin = self._drawing.known(at, f"{place}.at")
        turning = [key for key in ("angle", "links", "rays") if told[key] is not None]
        sliding = [key for key in ("length", "slot") if told[key] is not None]
        if turning and sliding:
            raise Contradiction(place, turning[0], sliding[0])
        if not turning and not sliding:
            joins, slides = len(self._drawing.links_at(pin)) > 1, self._drawing.slots_with(pin)
            if joins and slides:
                raise MissingKey(place, f"a driver at {pin!r}, which turns and slides,", "angle")
            if not joins and not slides:
                raise BadValue(f"{place}.at", pin, "a pin of two links, or one in a slot")
            turning = ["angle"] if joins else []
        key = "angle" if turning else "length"
        limits = checked_range(told[key], f"{place}.{key}")
        if turning:
            return self._turning(name, pin, told["links"], told["rays"], limits, place)
        return self._sliding(name, pin, told["slot"], limits, place)

    def _turning(
        self, name: str, pin: str, links: Any, rays: Any, limits: Spot | None, place: str
    ) -> PinDriver:
        """A driver of the angle of two links at a pin."""
        drawing, where = self._drawing, f"{place}.rays"
        given = self._two(rays, "pins, or null for the usual ray", where)
        for to in given:
            if to is not None:
                drawing.known(to, where)
        pair = self._links(pin, links, given, place)
        towards, refs = [], []
        for link, asked in zip(pair, given, strict=True):
            to = drawing.ray(link, pin) if asked is None else asked
            if to is not None and to not in drawing.links[link].pins:
                raise BadValue(where, to, f"a pin of {link!r}")
            ray = f"{pin} along x" if to is None else f"{pin} -> {to}"
            self._derive(link, ray, drawing.ray_axis(pin, to, where), where)
            refs.append((link, ray))
            towards.append(to)
        told = {"angle": refs, "about": (pair[0], pin)}
        found = self._looked_up("a driver", told, place)
        both = (towards[0], towards[1])
        return PinDriver(name=name, pin=pin, range=limits, links=pair, rays=both, **found)

    def _links(self, pin: str, links: Any, rays: Rays, place: str) -> tuple[str, str]:
        """The two links that a driver at a pin turns: as given, or those that have the rays."""
        drawing, at, where = self._drawing, self._drawing.links_at(pin), f"{place}.links"
        if links is not None:
            a, b = self._two(links, f"links at {pin!r}", where)
            for link in (a, b):
                if link not in at:
                    raise UnknownName("link", str(link), at, where, repr(pin))
            if a == b:
                raise BadValue(where, links, "two different links")
            return a, b
        if len(at) < 2:
            raise BadValue(f"{place}.at", pin, "a pin that joins two links, for an angle")
        if not drawing.pairs(pin, rays):
            raise BadValue(f"{place}.rays", rays, f"pins of two links at {pin!r}")
        usual = drawing.turned(pin, rays)
        if usual is None:
            what = f"a driver at {pin!r}, which joins {', '.join(at)},"
            raise MissingKey(place, what, "links")
        return usual

    def _sliding(
        self, name: str, pin: str, slot: Any, limits: Spot | None, place: str
    ) -> PinDriver:
        """A driver of the way of a pin along its slot."""
        slots, where = self._drawing.slots_with(pin), f"{place}.slot"
        if not slots:
            raise BadValue(f"{place}.at", pin, "a pin in a slot, for a length")
        if slot is not None and slot not in slots:
            raise UnknownName("slot", str(slot), slots, where, repr(pin))
        if slot is None and len(slots) > 1:
            raise MissingKey(place, f"a driver at {pin!r}, in {', '.join(slots)},", "slot")
        own = slots[0] if slot is None else str(slot)
        pins = self._drawing.slots[own].pins
        told = {"joint": own if len(pins) == 1 else f"{own} {pin}", "coordinate": "length"}
        found = self._looked_up("a driver", told, place)
        return PinDriver(name=name, pin=pin, range=limits, slot=own, **found)

    # ---------------------------------------------------------------- looking up
    def _named(self, names: Names, place: str) -> tuple[str, ...]:
        """Pins by their names, each once."""
        told = names.split() if isinstance(names, str) else names
        if not isinstance(told, (list, tuple)) or not told:
            raise BadValue(place, names, 'names of pins, as "B C" or ["B", "C"]')
        found = tuple(self._drawing.known(name, place) for name in told)
        if len(set(found)) < len(found):
            raise BadValue(place, names, "names of pins, each once")
        return found

    @staticmethod
    def _two(value: Any, wanted: str, place: str) -> tuple[Any, Any]:
        """Two names, or none."""
        if value is None:
            return None, None
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise BadValue(place, value, f"two {wanted}")
        return value[0], value[1]

    def _check_free(self, name: str, more: Container[str], place: str) -> None:
        """Raise where a pin or a slot has the name: both are mates, and features of links."""
        if name in self._drawing.pins or name in more:
            raise DuplicateName("pin", name, place)
        if name in self._drawing.slots:
            raise DuplicateName("slot", name, place)

    def _derive(self, link: str, name: str, feature: Feature, place: str) -> None:
        """Give a link a feature that follows from the drawing, where it has not got it."""
        part = self._parts[link]
        if name in part.features or part.derived.get(name, feature) != feature:
            raise DuplicateName("feature", f"{link}.{name}", place)
        self._parts[link] = replace(part, derived={**part.derived, name: feature})


def _with(known: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**known, **more}


def _by_name(entries: Sequence[Mate] | Sequence[Limit]) -> dict[str, Any]:
    return {entry.name: entry for entry in entries}

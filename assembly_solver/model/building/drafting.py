"""Editing of the drawing of a planar linkage: pins, links, slots, and drivers at pins."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot
from typing import Any

from ...errors import (
    BadValue,
    Contradiction,
    DuplicateName,
    MissingKey,
    UnknownName,
    first_names,
    shown,
)
from ...foundations.geometry.pose import numbers
from ..drivers.driver import Driver, checked_range
from ..feature import Feature
from ..mate import Mate
from ..numbers import several, true_or_false
from ..part import Part
from ..references import check_name
from .drawing import Drawing, DrawnLink, DrawnSlot, PinDriver, PlanePoint, Rays
from .driving import FeaturePair
from .roster import ReferenceLike
from .subassemblies import SubAssemblyEditing

Names = str | Sequence[str]
"""Names of pins: one text with blanks between them, or a list."""

PLACE = "linkage"
"""The key of drawings in files, for errors."""


class DrawingEditing(SubAssemblyEditing):
    """The drawing of an assembly: a planar linkage in the plane z = 0 of the world."""

    def __init__(self) -> None:
        super().__init__()
        self._drawing = Drawing()

    @property
    def drawing(self) -> Drawing:
        """What was drawn; empty without a drawing."""
        return self._drawing

    def pins(
        self, at: Mapping[str, Sequence[float]] | None = None, /, **more: Sequence[float]
    ) -> None:
        """Draw pins; they have no effect until links contain them.

        Args:
            at, more: x and y in the plane of the drawing by name, mm; `at` for names that are no
                Python identifiers.

        Raises DuplicateName: a pin or a slot has the name; BadValue: an empty name, or coordinates
        that are not two finite numbers.

        Examples:
            >>> m = Assembly("crank")
            >>> m.pins({"A'": (-40, 0)}, A=(0, 0), B=(0, 30))
        """
        new: dict[str, PlanePoint] = {}
        for name, spot in [*(at or {}).items(), *more.items()]:
            place = f"{PLACE}.pins.{name}"
            check_name(name, place)
            self._check_free(name, new, place)
            x, y = numbers(spot, 2, place)
            new[name] = (x, y)
        self._drawing = replace(self._drawing, pins={**self._drawing.pins, **new})
        self.revision += 1

    def link(self, name: str, pins: Names, *, grounded: bool = False, **given: Any) -> Part:
        """Draw a link through pins: a part with a revolute joint to the first link of each pin.

        The joint of a pin has the name of the pin; from the third link on the name of the link is
        appended.

        Args:
            pins: as "B C P"; names with blanks need a list.
            given: further arguments of `add`: features, geometry, mass, colour, pose, notes.

        Raises UnknownName: a pin that was not drawn; DuplicateName: a part, feature or mate has the
        name; BadValue: pins that are no names, or named twice.  Nothing is added then.

        Examples:
            >>> m = Assembly("crank")
            >>> m.pins(A=(0, 0), B=(0, 30))
            >>> _ = m.link("ground", "A", grounded=True)
            >>> m.link("crank", "A B").name
            'crank'
        """
        place = f"{PLACE}.links.{name}"
        drawing, names = self._drawing, self._named(pins, f"{place}.pins")
        features: dict[str, Feature] = {pin: drawing.axis(pin) for pin in names}
        for key, feature in dict(given.pop("features", None) or {}).items():
            if key in features:
                raise DuplicateName("feature", f"{name}.{key}", place)
            features[key] = feature
        with self._all_or_nothing():
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
        links = {**drawing.links, name: DrawnLink(names, part.grounded)}
        joints = {**drawing.mates, **{mate.name: mate for mate in mates}}
        self._drawing = replace(drawing, links=links, mates=joints)
        self._order_drawn()
        return part

    def slot(
        self, name: str, ends: Names, pins: Names, *, link: str | None = None, stops: bool = True
    ) -> tuple[Mate, ...]:
        """Draw a straight slot of a link, in which pins of other links slide.

        Each pin gets a pin-slot mate with the name of the slot; with several pins their names are
        appended.  Two pins of one link make that link a slider.  "length" is counted from the
        first end, mm.

        Args:
            ends: two pins of the link with the slot.
            pins: of other links, which slide in it.
            link: the link with the slot, where several contain both ends.
            stops: whether the ends limit the travel of the pins.

        Raises:
            UnknownName: a pin or link that was not drawn; DuplicateName: a pin, slot, mate or
                limit has the name; MissingKey: several links contain both ends.
            BadValue: ends at one point or of no common link; pins of no other link.
        """
        place = f"{PLACE}.slots.{name}"
        check_name(name, place)
        self._check_free(name, (), place)
        drawn = self._slot(ends, pins, link, stops, place)
        drawing = self._drawing
        ends_at = (drawing.pins[end] for end in drawn.ends)
        length = hypot(*(b - a for a, b in zip(*ends_at, strict=True)))
        mates, limits, ref = {}, {}, (drawn.link, f"slot {name}")
        with self._all_or_nothing():
            self._derive(*ref, drawing.slot_frame(drawn.ends), place)
            for pin in drawn.pins:
                slider = next(x for x in drawing.links_at(pin) if x != drawn.link)
                full = name if len(drawn.pins) == 1 else f"{name} {pin}"
                mates[full] = self.mate("pin_slot", ref, (slider, pin), name=full, place=place)
                if drawn.stops:
                    stop = self.limit(full, "length", min=0.0, max=length, place=place)
                    limits[stop.name] = stop
        self._drawing = replace(
            drawing,
            slots={**drawing.slots, name: drawn},
            mates={**drawing.mates, **mates},
            limits={**drawing.limits, **limits},
        )
        self._order_drawn()
        return tuple(mates.values())

    def _order_drawn(self) -> None:
        """Order all entries as in a file that is read, unless links and their pins are all."""
        drawing = self._drawing
        others = len(self._held) > len(drawing.mates) or len(self._parts) > len(drawing.links)
        if others or drawing.slots:
            parts = sorted(self._parts, key=lambda name: name not in drawing.links)
            self._roster = {name: self._roster[name] for name in parts}
            self._order_entries()

    def _drawn(self) -> tuple[Iterable[str], Iterable[str]]:
        drawing = self._drawing
        known = [n for n in drawing.mates if n in self._held and self._is_entered(n)]
        pins_first = sorted(known, key=lambda name: drawing.mates[name].kind == "pin_slot")
        return pins_first, drawing.limits

    def _is_entered(self, name: str) -> bool:
        return self._drawing.mates.get(name) == self._held[name].mate or super()._is_entered(name)

    def _slot(
        self, ends: Names, pins: Names, link: str | None, stops: bool, place: str
    ) -> DrawnSlot:
        """The slot with its names resolved, and the link that has it."""
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
        true_or_false(stops, f"{place}.stops")
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
        separation: FeaturePair | None = None,
        distance: FeaturePair | None = None,
        angle: FeaturePair | tuple[float, float] | None = None,
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

        At a pin of the drawing it drives the angle between two links, or the distance of the pin
        from the first end of its slot.  The angle is measured from a ray on the first link to a
        ray on the second: the x axis of the drawing on a grounded link, else the ray from the pin
        to the link's first other pin.  So a crank drawn at 60 degrees on a frame has 60.

        Args:
            name: unique among the drivers.
            joint, coordinate: a mate, and "angle" or "length" where it has both.
            separation, distance, angle: two features, one of these instead of a joint: the
                distance of their origins, or the quantity of the mate of that name.
            about: an axis on one of the two parts; gives the angle a sign.
            at: a pin; then `angle` or `length` is the range of the driver instead.
            links, rays: at a pin of more than two links, or for other rays: the two links, and on
                each the pin that its ray points to (None: as above).
            slot: the slot, where the pin slides in several.
            value: prescribed value, mm or degrees; None leaves the quantity free.
            law: value over time, instead of `value`: see `law_of`.
            range: smallest and largest useful value, mm or degrees.

        Raises DuplicateName, UnknownName, MissingKey, Contradiction, SelfMate, BadValue: as the
        arguments; BadExpression, NotFinite: as the law.

        Examples:
            >>> m = Assembly("crank")
            >>> m.pins(A=(0, 0), B=(0, 30))
            >>> _ = m.link("ground", "A", grounded=True), m.link("crank", "A B")
            >>> m.drive("turn", at="A", value=90).unit
            'deg'
        """
        place = place or f"drivers.{name}"
        features: dict[str, Any] = {"joint": joint, "coordinate": coordinate, "about": about}
        features |= {"separation": separation, "distance": distance}
        drawn: dict[str, Any] = {"length": length, "links": links, "rays": rays, "slot": slot}
        if at is None:
            needs = [key for key, given in drawn.items() if given is not None]
            if needs:
                raise MissingKey(place, f"a driver with {needs[0]!r}", "at")
            return self._drive(name, features | {"angle": angle}, range, value, law, place)
        for key, given in (features | {"range": range}).items():
            if given is not None:
                raise Contradiction(place, "at", key)
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        driver = self._pin_driver(name, at, drawn | {"angle": angle}, place)
        return self._put_in_order("drivers", driver.held(value, law, self._parameters, place))

    def _pin_driver(self, name: str, at: str, given: Mapping[str, Any], place: str) -> PinDriver:
        """A driver at a pin, without a value."""
        pin = self._drawing.known(at, f"{place}.at")
        turning = [key for key in ("angle", "links", "rays") if given[key] is not None]
        sliding = [key for key in ("length", "slot") if given[key] is not None]
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
        limits = checked_range(given[key], f"{place}.{key}")
        if turning:
            return self._turning(name, pin, given["links"], given["rays"], limits, place)
        return self._sliding(name, pin, given["slot"], limits, place)

    def _turning(
        self, name: str, pin: str, links: Any, rays: Any, limits: PlanePoint | None, place: str
    ) -> PinDriver:
        """A driver of the angle between two links at a pin."""
        drawing, where = self._drawing, f"{place}.rays"
        given = self._two(rays, "pins, or null for the usual ray", where)
        for to in given:
            if to is not None:
                drawing.known(to, where)
        pair = self._links(pin, links, given, place)
        towards, refs = [], []
        for link, target in zip(pair, given, strict=True):
            to = drawing.ray(link, pin) if target is None else target
            if to is not None and to not in drawing.links[link].pins:
                raise BadValue(where, to, f"a pin of {link!r}")
            ray = f"{pin} along x" if to is None else f"{pin} -> {to}"
            self._derive(link, ray, drawing.ray_axis(pin, to, where), where)
            refs.append((link, ray))
            towards.append(to)
        named = {"angle": refs, "about": (pair[0], pin)}
        fields = self._resolve_quantity("a driver", named, place)
        both = (towards[0], towards[1])
        return PinDriver(name=name, pin=pin, range=limits, links=pair, rays=both, **fields)

    def _links(self, pin: str, links: Any, rays: Rays, place: str) -> tuple[str, str]:
        """The two links that a driver at a pin rotates: as given, or those that have the rays."""
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
            what = f"a driver at {shown(pin)!r}, which joins {first_names(at)},"
            raise MissingKey(place, what, "links")
        return usual

    def _sliding(
        self, name: str, pin: str, slot: Any, limits: PlanePoint | None, place: str
    ) -> PinDriver:
        """A driver of the position of a pin along its slot."""
        slots, where = self._drawing.slots_with(pin), f"{place}.slot"
        if not slots:
            raise BadValue(f"{place}.at", pin, "a pin in a slot, for a length")
        if slot is not None and slot not in slots:
            raise UnknownName("slot", str(slot), slots, where, repr(pin))
        if slot is None and len(slots) > 1:
            raise MissingKey(place, f"a driver at {shown(pin)!r}, in {first_names(slots)},", "slot")
        chosen = slots[0] if slot is None else str(slot)
        pins = self._drawing.slots[chosen].pins
        joint = chosen if len(pins) == 1 else f"{chosen} {pin}"
        named = {"joint": joint, "coordinate": "length"}
        fields = self._resolve_quantity("a driver", named, place)
        return PinDriver(name=name, pin=pin, range=limits, slot=chosen, **fields)

    # ---------------------------------------------------------------- names
    def _named(self, names: Names, place: str) -> tuple[str, ...]:
        """The names of pins, each once."""
        listed = names.split() if isinstance(names, str) else names
        if not isinstance(listed, (list, tuple)) or not listed:
            raise BadValue(place, names, 'names of pins, as "B C" or ["B", "C"]')
        found = tuple(self._drawing.known(name, place) for name in listed)
        if len(set(found)) < len(found):
            raise BadValue(place, names, "names of pins, each once")
        return found

    @staticmethod
    def _two(value: Any, wanted: str, place: str) -> tuple[Any, Any]:
        """Two names; None twice for None."""
        one, two = (None, None) if value is None else several(value, 2, place, f"two {wanted}")
        return one, two

    def _check_free(self, name: str, more: Container[str], place: str) -> None:
        """Raise where a pin or a slot has the name: both are mates, and features of links."""
        if name in self._drawing.pins or name in more:
            raise DuplicateName("pin", name, place)
        if name in self._drawing.slots:
            raise DuplicateName("slot", name, place)

    def _derive(self, link: str, name: str, feature: Feature, place: str) -> None:
        """Add a feature implied by the drawing to a link, unless it has it."""
        part = self._parts[link]
        if name in part.features or part.derived.get(name, feature) != feature:
            raise DuplicateName("feature", f"{link}.{name}", place)
        self._parts[link] = replace(part, derived={**part.derived, name: feature})

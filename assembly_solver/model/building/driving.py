"""What drives an assembly and what stops it: drivers and cylinders, limits, parameters of laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import BadValue, DuplicateName, MissingKey, SelfMate, UnknownName
from ...foundations.geometry.pose import Pose, plain
from ..drivers.cylinder import Cylinder
from ..drivers.driver import Driver, checked_range
from ..drivers.guide import AXES, Guide, base_of, checked_order, laws_of
from ..drivers.limit import Limit
from ..drivers.quantity import Quantity, looked_up
from ..feature import OWN_FEATURES
from ..laws.expression import CONSTANTS, FUNCTIONS, TIME, WORDS, is_name
from ..mate import Held, Mate, together
from ..measures.measure import Marker
from ..numbers import finite
from ..references import check_name, end_of, new_name
from .roster import ReferenceLike, Roster

OWN_FRAME = OWN_FEATURES["origin"].frame
"""The frame of a part itself."""

Two = tuple[ReferenceLike, ReferenceLike]
Path = tuple[str | int, ...]
"""A place in a file: the keys that lead there."""


class Shown(NamedTuple):
    """A formula of a file: what is given, and what is written for it in numbers."""

    given: Any
    value: Any


class Driving(Roster):
    """The drivers, cylinders, limits and parameters of an assembly.

    Attributes:
        formulas: what its file has in the place of numbers, by place, kept for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[str, Held] = {}
        self._drivers: dict[str, Driver] = {}
        self._limits: dict[str, Limit] = {}
        self._cylinders: dict[str, Cylinder] = {}
        self._parameters: dict[str, float] = {}
        self.formulas: dict[Path, Shown] = {}

    @property
    def drivers(self) -> Mapping[str, Driver]:
        """Drivers by name; those of cylinders among them."""
        return MappingProxyType(self._drivers)

    @property
    def limits(self) -> Mapping[str, Limit]:
        """Limits by name, in the order they were added; those that mates have among them."""
        return MappingProxyType(self._limits)

    @property
    def cylinders(self) -> Mapping[str, Cylinder]:
        """Cylinders by name; each has a driver and a limit of that name."""
        return MappingProxyType(self._cylinders)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Numbers by the names that formulas have for them."""
        return MappingProxyType(self._parameters)

    def parameter(self, name: str, value: float) -> float:
        """Give a number a name that laws of drivers may use; it does not change any more."""
        check_parameter(name, f"parameters.{name}")
        if name in self._parameters:
            raise DuplicateName("parameter", name)
        self._parameters[name] = finite(value, f"parameters.{name}")
        self.revision += 1
        return self._parameters[name]

    # ---------------------------------------------------------------- drivers
    def drive(
        self,
        name: str,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        *,
        separation: Two | None = None,
        distance: Two | None = None,
        angle: Two | None = None,
        about: ReferenceLike | None = None,
        value: float | None = None,
        range: tuple[float, float] | None = None,
        law: Any = None,
        place: str = "",
    ) -> Driver:
        """Add a driver of a joint coordinate, or of a measure between two features.

        Args:
            separation, distance, angle: two features, one of these instead of a joint: how far
                their origins are apart, or what the mate of that name asks a value of; the angle
                with its sign where `about` names an axis of one of the two parts.
            value: what it is held at; law: what it does over time (see `law_of`); or neither.
            range: smallest and largest value that makes sense.
        """
        place = place or f"drivers.{name}"
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        told: dict[str, Any] = {"joint": joint, "coordinate": coordinate, "about": about}
        told |= {"separation": separation, "distance": distance, "angle": angle}
        found = self._looked_up("a driver", told, place)
        made = Driver(name=name, range=checked_range(range, f"{place}.range"), **found)
        self._drivers[name] = made.held(value, law, self._parameters, place)
        self.revision += 1
        return self._drivers[name]

    def guide(
        self,
        name: str,
        part: str,
        *,
        feature: str | None = None,
        position: Sequence[Any] = (0.0, 0.0, 0.0),
        angles: Sequence[Any] = (0.0, 0.0, 0.0),
        order: str = AXES,
        relative_to: ReferenceLike | None = None,
        value: float | None = 0.0,
        place: str = "",
    ) -> Guide:
        """Add a driver that prescribes the frame of a part over time.

        Args:
            feature: the frame on the part that is meant; the part's own if not given.
            position: of its origin, mm; angles: degrees; each three laws (see `law_of`).
            order: axes of the three turns, each about the axis that those before it gave.
            relative_to: the feature in whose frame all this is told; the world if not given.
            value: the time at which `solve` holds it, s; None leaves the part free.
        """
        place = place or f"drivers.{name}"
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        known = self.part(part, f"{place}.part")
        frame = OWN_FRAME if feature is None else known.feature(feature, f"{place}.feature").frame
        own = Marker(part, frame)
        ref = None
        if relative_to is not None:
            ref = self.reference(relative_to, f"{place}.relative_to")
        base = self._world(place) if ref is None else end_of(ref, self._parts).marker
        if base.part == part:
            raise SelfMate(name, part, place, "motion")
        made = Guide(
            name=name,
            part=part,
            feature=feature,
            relative_to=ref,
            base=base,
            own=own,
            position=laws_of(position, f"{place}.position", self._parameters),
            angles=laws_of(angles, f"{place}.angles", self._parameters),
            order=checked_order(order, f"{place}.order"),
            equation=together(base, own)[0],
        )
        made = replace(made, value=made.checked(value, f"{place}.value"))
        self._drivers[name] = made
        self.revision += 1
        return made

    def _world(self, place: str) -> Marker:
        """The world as a frame of the first part that is grounded."""
        for part in self._parts.values():
            if part.grounded:
                return base_of(part.name, part.pose, Pose())
        raise MissingKey(place, "a motion where no part is grounded", "relative_to")

    def move(self, poses: Mapping[str, Pose]) -> None:
        """Set the start poses of some parts; what is guided in the world stays there."""
        super().move(poses)
        for name, guide in self._drivers.items():
            if isinstance(guide, Guide) and guide.relative_to is None and guide.base.part in poses:
                part = self._parts[guide.base.part]
                if part.grounded:
                    base = base_of(part.name, part.pose, guide.world)
                    self._drivers[name] = replace(guide, base=base)

    def coordinate(self, joint: str, coordinate: str | None = None) -> Quantity:
        """A joint coordinate by its mate; which one may be left out where it has but one."""
        found = self._looked_up("a coordinate", {"joint": joint, "coordinate": coordinate}, "")
        return Quantity(name=joint, **found)

    def _looked_up(self, what: str, told: Mapping[str, Any], place: str) -> dict[str, Any]:
        known = (*self._drivers.values(), *self._limits.values())
        return looked_up(self._held, self._parts, self.reference, what, told, known, place)

    def set_driver(self, name: str, value: float | None, place: str = "") -> None:
        """Give a driver another value (mm or degrees) instead of its law; None lets it go.

        The value of a guide is the time at which it holds its part, s.
        """
        if name not in self._drivers:
            raise UnknownName("driver", name, self._drivers, place)
        driver = self._drivers[name]
        value = driver.checked(value, place or f"drivers.{name}.value")
        self._drivers[name] = replace(driver, value=value, law=None)
        self.revision += 1

    def remove_driver(self, name: str) -> None:
        """Remove a driver; that of a cylinder goes with it."""
        if name in self._cylinders:
            raise BadValue(f"drivers.{name}", name, "removed with its cylinder")
        self._remove("driver", self._drivers, name)

    # ---------------------------------------------------------------- cylinders
    def cylinder(
        self,
        name: str,
        *,
        pins: Two,
        closed: float,
        stroke: float,
        bore: float | None = None,
        rod: float | None = None,
        pressure: float | None = None,
        value: float | None = None,
        law: Any = None,
        place: str = "",
    ) -> Cylinder:
        """Add a cylinder between two pins: a driver of their separation, and its stroke as a limit.

        Args:
            closed: length from pin to pin when it is drawn in, mm; stroke: mm.
            bore, rod: diameters, mm; pressure: MPa: with them it has a force.
            value, law: of its driver: the length from pin to pin, mm.
        """
        place = place or f"cylinders.{name}"
        check_name(name, place)
        for known, what in ((self._drivers, "driver"), (self._limits, "limit")):
            if name in known:
                raise DuplicateName(what, name, place)
        where = f"{place}.pins"
        found = self._looked_up("a cylinder", {"separation": pins}, where)
        pair = found["separation"]
        made = Cylinder(
            name=name,
            pins=pair,
            closed=closed,
            stroke=stroke,
            bore=bore,
            rod=rod,
            pressure=pressure,
        )
        made.check(place)
        driver = Driver(name=name, range=made.range, **found)
        self._drivers[name] = driver.held(value, law, self._parameters, place)
        low, high = made.range
        self._limits[name] = Limit(name=name, min=low, max=high, implied=True, **found)
        self._cylinders[name] = made
        self.revision += 1
        return made

    def remove_cylinder(self, name: str) -> None:
        """Remove a cylinder with its driver and its limit."""
        self._remove("cylinder", self._cylinders, name)
        del self._drivers[name]
        self._limits.pop(name, None)

    # ---------------------------------------------------------------- limits
    def limit(
        self,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        *,
        separation: Two | None = None,
        distance: Two | None = None,
        angle: Two | None = None,
        about: ReferenceLike | None = None,
        min: float | None = None,
        max: float | None = None,
        name: str | None = None,
        implied: bool = False,
        place: str = "",
    ) -> Limit:
        """Bound a joint coordinate or a measure between two features, mm or degrees.

        Args:
            separation, distance, angle, about: as of a driver.
            name: made from what it bounds, if not given.
            implied: whether the mate itself says so; then no file has it.
        """
        place = place or (f"limits.{name}" if name else "limits")
        told: dict[str, Any] = {"joint": joint, "coordinate": coordinate, "about": about}
        told |= {"separation": separation, "distance": distance, "angle": angle}
        found = self._looked_up("a limit", told, place)
        made = Limit(name=name or "", min=plain(min), max=plain(max), implied=implied, **found)
        made.check(place)
        name = new_name("limit", name, made.words, self._limits, place)
        self._limits[name] = replace(made, name=name)
        self.revision += 1
        return self._limits[name]

    def remove_limit(self, name: str) -> None:
        """Remove a limit."""
        self._remove("limit", self._limits, name)


def check_parameter(name: str, place: str) -> None:
    """Raise where a name cannot stand in a formula, or means something else there."""
    taken = name in CONSTANTS or name in FUNCTIONS or name in WORDS or name == TIME
    if not isinstance(name, str) or not is_name(name) or taken:
        wanted = "a name of letters, digits and _ that means nothing else in a formula"
        raise BadValue(place, name, wanted)

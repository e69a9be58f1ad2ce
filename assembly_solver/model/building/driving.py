"""Editing of drivers, guides, cylinders, limits and the parameters of laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import BadValue, DuplicateName, MissingKey, SelfMate, UnknownName
from ...foundations.altered import altered
from ...foundations.geometry.pose import Pose, plain
from ..drivers.cylinder import SIZES, Cylinder
from ..drivers.driver import Driver, checked_range
from ..drivers.guide import AXES, Guide, base_of, checked_order, laws_of
from ..drivers.limit import Limit
from ..drivers.quantity import NAMING, Quantity, QuantityEntries, resolve_quantity
from ..feature import OWN_FEATURES
from ..laws.expression import CONSTANTS, FUNCTIONS, TIME, WORDS, is_name
from ..mate import Mate, ResolvedMate, together
from ..measures.measure import Marker
from ..numbers import finite
from ..references import check_name, end_of, new_name, resolve_mate
from .moves import NONE, UNMOVED, EditedEntries, Moves
from .roster import PartEditing, ReferenceLike

OWN_FRAME = OWN_FEATURES["origin"].frame
"""The coordinate system of a part as a frame on it."""

FeaturePair = Sequence[ReferenceLike]
FilePlace = tuple[str | int, ...]
"""A position in a file: keys and indices from its root."""


class FormulaEntry(NamedTuple):
    """A formula of a file: its text as given, and the number written in its place."""

    given: Any
    value: Any


class DriverEditing(PartEditing):
    """The drivers, cylinders, limits and parameters of an assembly.

    Attributes:
        formulas: the formulas that its file has instead of numbers, by position, for writing it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._resolved: dict[str, ResolvedMate] = {}
        self._stale: dict[str, None] = {}
        """Names of mates with features that moved since they were resolved; see `_held`."""
        self._drivers: dict[str, Driver] = {}
        self._limits: dict[str, Limit] = {}
        self._cylinders: dict[str, Cylinder] = {}
        self._parameters: dict[str, float] = {}
        self.formulas: dict[FilePlace, FormulaEntry] = {}
        self.moves = UNMOVED

    def _recent(self) -> Moves:
        """The moves up to now."""
        if self.moves.now != self.revision:
            self.moves = Moves(self.revision)
        return self.moves

    def _edited_entries(self) -> EditedEntries:
        """What entries have become by moves up to now."""
        m = self.moves
        entries = (
            m.features.copy() if m.features else NONE,
            m.users,
            m.mates.copy() if m.mates else NONE,
            m.drivers.copy() if m.drivers else NONE,
            self._parameters.copy() if self._parameters else NONE,
            self.formulas.copy() if self.formulas else NONE,
        )
        return tuple.__new__(EditedEntries, entries)

    def _take_entries(self, edited: EditedEntries) -> None:
        """Take what entries of the assembly of which this is a copy have become by moves."""
        self._unplaced.update(edited.features)
        for ref in edited.features:
            users = edited.users[ref]
            assert users is not None  # mates alone: else it would not only move
            self._stale.update(users.mates)
        self._resolved.update(edited.mates)
        self._drivers.update(edited.drivers)
        self._parameters, self.formulas = edited.parameters.copy(), edited.formulas.copy()

    @property
    def _held(self) -> dict[str, ResolvedMate]:
        """Resolved mates by name, to be edited.

        Those with features that only moved are resolved when they are read: nothing can fail in it,
        and a solve with the plan as it was reads none.
        """
        if self._stale:
            for name in self._stale:
                mate = self._resolved[name].mate
                self._resolved[name] = resolve_mate(mate, self._parts, f"mates.{name}")
            self._stale = {}
        return self._resolved

    @property
    def held(self) -> Mapping[str, ResolvedMate]:
        """Resolved mates, with their ends and equations, by name."""
        return MappingProxyType(self._held)

    @property
    def drivers(self) -> Mapping[str, Driver]:
        """Drivers by name, including guides and the drivers of cylinders."""
        return MappingProxyType(self._drivers)

    @property
    def limits(self) -> Mapping[str, Limit]:
        """Limits by name, in the order they were added, including those that mates imply."""
        return MappingProxyType(self._limits)

    @property
    def cylinders(self) -> Mapping[str, Cylinder]:
        """Cylinders by name; each has a driver and a limit of that name."""
        return MappingProxyType(self._cylinders)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The named numbers that laws may use, by name."""
        return MappingProxyType(self._parameters)

    def parameter(self, name: str, value: float) -> float:
        """Define a named number for laws of drivers; it cannot be changed afterwards.

        Raises DuplicateName: the name is taken; BadValue: it is reserved in formulas, or the value
        is not finite.
        """
        check_parameter(name, f"parameters.{name}")
        if name in self._parameters:
            raise DuplicateName("parameter", name)
        return self._put(self._parameters, name, finite(value, f"parameters.{name}"))

    def _is_out_of_place(self, sort: str, entry: Any, before: Any) -> bool:
        if before is None:
            return False
        if sort == "drivers":  # those of cylinders are last
            return before.name in self._cylinders and entry.name not in self._cylinders
        return sort == "limits" and entry.implied and not before.implied

    # ---------------------------------------------------------------- drivers
    def _drive(
        self, name: str, named: Mapping[str, Any], range: Any, value: Any, law: Any, place: str
    ) -> Driver:
        """Add a driver of the quantity that `named` names, by the keys of `NAMING`."""
        check_name(name, place)
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        fields = self._resolve_quantity("a driver", named, place)
        driver = Driver(name=name, range=checked_range(range, f"{place}.range"), **fields)
        return self._put_in_order("drivers", driver.held(value, law, self._parameters, place))

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
            name: unique among the drivers.
            part: the guided part; feature: the guided frame on it, the part's coordinate system by
                default.
            position: of the origin of that frame, mm: three laws (see `law_of`).
            angles: degrees: three laws; order: axes of the three rotations, as "xyz": each about
                an axis of the frame that the rotations before it gave.
            relative_to: the feature in whose frame position and angles are; the world by default.
            value: the time at which `solve` prescribes the frame, s; None leaves the part free.

        Raises MissingKey: no `relative_to`, and no part is grounded; SelfMate: it is on the part;
        DuplicateName, UnknownName, BadValue, BadExpression, NotFinite: as the arguments.
        """
        place = place or f"drivers.{name}"
        check_name(name, place)
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        known = self.part(part, f"{place}.part")
        frame = OWN_FRAME if feature is None else known.feature(feature, f"{place}.feature").frame
        guided, ref = Marker(part, frame), None
        if relative_to is not None:
            ref = self.reference(relative_to, f"{place}.relative_to")
        base = self._world(place) if ref is None else end_of(ref, self._parts).marker
        if base.part == part:
            raise SelfMate(name, part, place, "motion")
        guide = Guide(
            name=name,
            part=part,
            feature=feature,
            relative_to=ref,
            base=base,
            own=guided,
            position=laws_of(position, f"{place}.position", self._parameters),
            angles=laws_of(angles, f"{place}.angles", self._parameters),
            order=checked_order(order, f"{place}.order"),
            equation=together(base, guided)[0],
        )
        value = guide.checked(value, f"{place}.value")
        return self._put_in_order("drivers", replace(guide, value=value))

    def _world(self, place: str) -> Marker:
        """The world as a frame on the first grounded part."""
        for part in self._parts.values():
            if part.grounded:
                return base_of(part.name, part.pose, Pose())
        raise MissingKey(place, "a motion where no part is grounded", "relative_to")

    def move(self, poses: Mapping[str, Pose]) -> None:
        """Set the start poses (in the world) of some parts; guides in the world stay there.  Raises
        UnknownName: a part that does not exist; nothing is moved then."""
        super().move(poses)
        for name, guide in self._drivers.items():
            if isinstance(guide, Guide) and guide.relative_to is None and guide.base.part in poses:
                part = self._parts[guide.base.part]
                if part.grounded:
                    base = base_of(part.name, part.pose, guide.world)
                    self._drivers[name] = replace(guide, base=base)

    def coordinate(self, joint: str, coordinate: str | None = None) -> Quantity:
        """A joint coordinate by the name of its mate.

        Args:
            coordinate: "angle" or "length"; may be None where the joint has only one.

        Raises UnknownName: no such joint or coordinate; MissingKey: it has two coordinates.
        """
        named = {"joint": joint, "coordinate": coordinate}
        return Quantity(name=joint, **self._resolve_quantity("a coordinate", named, ""))

    def _quantity_entries(self) -> QuantityEntries:
        return QuantityEntries(self._held, self._parts, self.reference)

    def _resolve_quantity(self, what: str, named: Mapping[str, Any], place: str) -> dict[str, Any]:
        return resolve_quantity(self._quantity_entries(), what, named, place)

    def set_driver(self, name: str, value: float | None, place: str = "") -> None:
        """Prescribe another value of a driver instead of its law; None leaves it free.

        Args:
            value: mm or degrees; of a guide the time at which it prescribes the frame, s.

        Raises UnknownName: no such driver; BadValue: a value that the quantity cannot have.
        """
        if name not in self._drivers:
            raise UnknownName("driver", name, self._drivers, place)
        driver = self._drivers[name]
        value = driver.checked(value, place or f"drivers.{name}.value")
        moves = self._recent()
        self._drivers[name] = put = altered(driver, value=value, law=None)
        vars(self)["revision"] = now = self.revision + 1
        if value is not None and driver.value is not None and type(driver) is Driver:
            moves.drivers[name] = put
            moves.now = now

    def remove_driver(self, name: str) -> None:
        """Remove a driver, with the checks that name it.

        Raises UnknownName: no such driver; BadValue: that of a cylinder, which is removed with it.
        """
        if name in self._cylinders:
            raise BadValue(f"drivers.{name}", name, "removed with its cylinder")
        self._remove("driver", self._drivers, name)
        self._drop_stale()

    # ---------------------------------------------------------------- cylinders
    def cylinder(
        self,
        name: str,
        *,
        pins: FeaturePair,
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
            name: also that of its driver and its limit.
            pins: two features on two parts; the cylinder acts between their origins.
            closed: shortest length from pin to pin, mm; stroke: mm.
            bore, rod: diameters, mm; pressure: MPa; needed for its force.
            value, law: of its driver: the length from pin to pin, mm.

        Raises:
            DuplicateName: a driver or limit has the name.
            UnknownName, SelfMate, BadValue, Contradiction, BadExpression, NotFinite: as the
                arguments.
        """
        place = place or f"cylinders.{name}"
        check_name(name, place)
        for known, what in ((self._drivers, "driver"), (self._limits, "limit")):
            if name in known:
                raise DuplicateName(what, name, place)
        where = f"{place}.pins"
        fields = self._resolve_quantity("a cylinder", {"separation": pins}, where)
        sizes: Any = dict(zip(SIZES, (closed, stroke, bore, rod, pressure), strict=True))
        made = Cylinder(name=name, pins=fields["separation"], **sizes)
        made.check(place)
        driver = Driver(name=name, range=made.range, **fields)
        driver = driver.held(value, law, self._parameters, place)
        low, high = made.range
        self._put(self._cylinders, name, made)
        self._put_in_order("drivers", driver)
        self._put_in_order("limits", Limit(name=name, min=low, max=high, implied=True, **fields))
        return made

    def remove_cylinder(self, name: str) -> None:
        """Remove a cylinder with its driver and its limit, and the checks that name it.

        Raises UnknownName: no such cylinder.
        """
        self._remove("cylinder", self._cylinders, name)
        del self._drivers[name]
        self._limits.pop(name, None)
        self._drop_stale()

    def _drop_stale(self) -> None:
        """Remove checks, measures and tolerances of what no longer exists: see their editing."""

    # ---------------------------------------------------------------- limits
    def limit(
        self,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        *,
        separation: FeaturePair | None = None,
        distance: FeaturePair | None = None,
        angle: FeaturePair | None = None,
        about: ReferenceLike | None = None,
        min: float | None = None,
        max: float | None = None,
        name: str | None = None,
        implied: bool = False,
        place: str = "",
    ) -> Limit:
        """Bound a joint coordinate or a measure between two features.

        Args:
            joint, coordinate, separation, distance, angle, about: as in `drive`.
            min, max: bounds, mm or degrees; at least one.
            name: derived from the bounded quantity by default.
            implied: whether it follows from a mate; such limits are not written to files.

        Raises MissingKey: without a bound or a quantity; BadValue: invalid bounds; DuplicateName,
        UnknownName, Contradiction, SelfMate: as the arguments.
        """
        place = place or (f"limits.{name}" if name else "limits")
        given = (joint, coordinate, separation, distance, angle, about)
        fields = self._resolve_quantity("a limit", dict(zip(NAMING, given, strict=True)), place)
        made = Limit(name=name or "", min=plain(min), max=plain(max), implied=implied, **fields)
        made.check(place)
        known = self._limits
        name = new_name("limit", name, made.words, known, place)
        made = replace(made, name=name)
        return self._put_in_order("limits", made) if not implied else self._put(known, name, made)

    def remove_limit(self, name: str) -> None:
        """Remove a limit.  One that a mate implies is back where the mate is changed or read from a
        file, one of a cylinder where it is read.  Raises UnknownName: no such limit."""
        self._remove("limit", self._limits, name)


def check_parameter(name: str, place: str) -> None:
    """Raise BadValue where a name is invalid in formulas, or reserved there."""
    taken = name in CONSTANTS or name in FUNCTIONS or name in WORDS or name == TIME
    if not isinstance(name, str) or not is_name(name) or taken:
        wanted = "a name of letters, digits and _ that means nothing else in a formula"
        raise BadValue(place, name, wanted)

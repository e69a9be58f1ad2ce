"""The assembly: parts with features, mates between them, drivers.  The only model.

Every name is resolved and every feature type checked when it is entered, so that what is inside is
always meaningful.  `revision` counts the edits; what is derived from an assembly is kept per
revision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import (
    AssemblySolverError,
    BadValue,
    Contradiction,
    DuplicateName,
    MissingKey,
    SelfMate,
    UnknownName,
)
from ..geometry.pose import Pose
from . import contacts, joints, mates, relations  # noqa: F401  (defining the kinds fills the registry)
from . import measure as m
from .composing import Composing
from .couplings import Coupling, coupled, joints_of
from .driver import Driver, checked_range, checked_value
from .ends import end_of, hold
from .feature import Frame
from .mate import (
    Held,
    Mate,
    Reference,
    check_parameters,
    finite,
    holds,
    kind_named,
)
from .measure import Measure
from .roster import ReferenceLike, Roster

TOLERANCE = 1e-6
"""What a mate may be off and still hold, mm."""


class Assembly(Composing, Roster):
    """Parts, mates and drivers by name.

    Attributes:
        name, folder: its name, and where relative files start; file: where it was read from.
        notes: keys of the file that say nothing to the solver ("note", "x-..."), kept for it.
        notes_at: the same inside an entry, by its place: `("mates", "hinge axis")`.
        checks: as in the file, for `check`.

    Example:
        >>> a = Assembly("hinge")
        >>> _ = a.add("frame", grounded=True, features={"pin": Axis((0, 0, 0), "z")})
        >>> _ = a.add("door", features={"pin": Axis((0, 0, 5), "z")})
        >>> hinge = a.mate("revolute", "frame.pin", "door.pin")
    """

    def __init__(
        self, name: str = "assembly", *, tolerance: float = TOLERANCE, folder: Path | None = None
    ) -> None:
        super().__init__()
        self.name = name
        self.folder = folder or Path()
        self.file: Path | None = None
        self.notes: dict[str, Any] = {}
        self.notes_at: dict[tuple[str, ...], dict[str, Any]] = {}
        self.checks: list[dict[str, Any]] = []
        self._tolerance = TOLERANCE
        self._held: dict[str, Held] = {}
        self._drivers: dict[str, Driver] = {}
        self.tolerance = tolerance

    @property
    def held(self) -> Mapping[str, Held]:
        """Mates with their ends and equations, by name."""
        return MappingProxyType(self._held)

    @property
    def mates(self) -> dict[str, Mate]:
        """Mates by name, in the order they were added."""
        return {name: h.mate for name, h in self._held.items()}

    @property
    def drivers(self) -> Mapping[str, Driver]:
        """Drivers by name."""
        return MappingProxyType(self._drivers)

    @property
    def tolerance(self) -> float:
        """What a mate may be off and still hold, mm."""
        return self._tolerance

    @tolerance.setter
    def tolerance(self, value: float) -> None:
        if finite(value, "tolerance", "a length above 0") <= 0:
            raise BadValue("tolerance", value, "a length above 0")
        self._tolerance = float(value)
        self.revision += 1

    def copy(self) -> Assembly:
        """An assembly with the same content that can be edited on its own."""
        other = Assembly(self.name, tolerance=self._tolerance, folder=self.folder)
        other.notes = dict(self.notes)
        other.notes_at = {place: dict(notes) for place, notes in self.notes_at.items()}
        other.checks, other.file = list(self.checks), self.file
        other._parts = dict(self._parts)
        other._held = dict(self._held)
        other._drivers = dict(self._drivers)
        other._groups, other._seeds = dict(self._groups), dict(self._seeds)
        return other

    # ---------------------------------------------------------------- mates
    def mate(
        self,
        kind: str | type[Mate],
        a: ReferenceLike | None = None,
        b: ReferenceLike | None = None,
        *,
        name: str | None = None,
        parts: tuple[str, str] | None = None,
        at: Frame | None = None,
        place: str = "",
        **parameters: Any,
    ) -> Mate:
        """Add a mate: its kind, features a and b, and its parameters (mm, degrees).

        A joint may be placed once: `parts` names two parts and `at` is a frame in assembly
        coordinates at the start poses, which becomes a feature of both.  A coupling takes the
        names of joints instead of a and b.
        """
        cls = kind_named(kind, place)
        place = place or (f"mates.{name}" if name else cls.kind)
        if issubclass(cls, Coupling):
            if a is not None or b is not None:
                parameters["joints"] = tuple(j for j in (a, b) if j is not None)
            check_parameters(cls, parameters, place)
            return self._couple(cls, name, parameters, place)
        check_parameters(cls, parameters, place)
        before = self._state() if at is not None else None
        try:
            if at is not None or parts is not None:
                if a is not None or b is not None:
                    raise Contradiction(place, "a, b", "parts, at")
                a, b = self._placed(cls, parts, at, name, place)
            if a is None or b is None:
                raise MissingKey(place, cls.kind, "a" if a is None else "b")
            made = self._made(cls, a, b, name, parameters, place)
            self._held[made.name] = hold(made, self._parts, place)
            self._repeat(made, place)
        except AssemblySolverError:
            self._restore(before)  # without the features that `at` gave
            raise
        self.revision += 1
        return made

    def _couple(
        self, cls: type[Coupling], name: str | None, parameters: dict[str, Any], place: str
    ) -> Mate:
        """Add a coupling of joints that are there."""
        names = joints_of(parameters.pop("joints"), self._held, f"{place}.joints")
        name = self._name(name, f"{cls.kind} {' - '.join(names)}", place)
        self._held[name] = coupled(cls, name, names, parameters, self._held, place)
        self._repeat(self._held[name].mate, place)
        self.revision += 1
        return self._held[name].mate

    def _name(self, name: str | None, otherwise: str, place: str) -> str:
        """The name of a mate: as given, which must be new, or one made for it."""
        if name is None:
            return self._fresh(otherwise)
        if name in self._held:
            raise DuplicateName("mate", name, place)
        return name

    def _made(
        self, cls: type[Mate], a: ReferenceLike, b: ReferenceLike, name: str | None,
        parameters: dict[str, Any], place: str,
    ) -> Mate:  # fmt: skip
        """The mate with its names looked up and its parameters checked."""
        ref_a, ref_b = self.reference(a, f"{place}.a"), self.reference(b, f"{place}.b")
        for key in cls.takes_more:
            if parameters.get(key) is not None:
                parameters[key] = self.reference(parameters[key], f"{place}.{key}")
        name = self._name(name, f"{cls.kind} {ref_a} - {ref_b}", place)
        made = cls(a=ref_a, b=ref_b, name=name, **parameters)
        made.check(place)
        return made

    def _placed(
        self, cls: type[Mate], parts: tuple[str, str] | None, at: Frame | None,
        name: str | None, place: str,
    ) -> tuple[Reference, Reference]:  # fmt: skip
        """References to a frame that both parts get as a feature."""
        if at is None or parts is None or len(parts) != 2:
            raise BadValue(place, parts, 'a joint with two "parts" and one frame "at"')
        feature = name or f"{cls.kind} {parts[0]} - {parts[1]}"
        refs = []
        for p, placed in zip(parts, (at, cls.frame_on_second(at)), strict=True):
            part = self.part(p, f"{place}.parts")
            local = part.pose.inverse() @ Pose.from_frame(placed.frame)
            x, z = local.rotation[:, 0], local.rotation[:, 2]
            own = Frame(local.position, tuple(z), tuple(x))
            self.add_features(p, {feature: own}, place)
            refs.append(Reference(p, feature))
        return refs[0], refs[1]

    def _fresh(self, name: str) -> str:
        made, count = name, 2
        while made in self._held:
            made, count = f"{name} ({count})", count + 1
        return made

    def remove(self, name: str, *, alone: bool = False) -> None:
        """Remove a mate, with the drivers and couplings of its coordinates unless `alone`.

        What stays without its joint still reads the same features.  What patterns repeat of the
        mate goes with it unless `alone`.
        """
        if name not in self._held:
            raise UnknownName("mate", name, self._held)
        del self._held[name]
        if not alone:
            for repeat in self._forget(name):
                if repeat in self._held:
                    self.remove(repeat)
            for driver in [d.name for d in self._drivers.values() if d.joint == name]:
                del self._drivers[driver]
            for other in [h.mate for h in self._held.values()]:
                if isinstance(other, Coupling) and name in other.joints:
                    del self._held[other.name]
        self.revision += 1

    # ---------------------------------------------------------------- drivers
    def drive(
        self,
        name: str,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        *,
        separation: tuple[ReferenceLike, ReferenceLike] | None = None,
        value: float | None = None,
        range: tuple[float, float] | None = None,
        law: Any = None,
        place: str = "",
    ) -> Driver:
        """Add a driver of a joint coordinate or of the separation of two features."""
        place = place or f"drivers.{name}"
        if name in self._drivers:
            raise DuplicateName("driver", name, place)
        if joint is not None and separation is not None:
            raise Contradiction(place, "joint", "separation")
        if joint is None and separation is None:
            raise MissingKey(place, "a driver", "joint")
        if separation is not None and coordinate is not None:
            raise Contradiction(place, "separation", "coordinate")
        if value is not None and law is not None:
            raise Contradiction(place, "value", "law")
        made = Driver(
            name=name,
            range=checked_range(range, f"{place}.range"),
            law=law,
            **(
                self._separation(name, separation, place)
                if separation is not None
                else self._coordinate(joint, coordinate, place)
            ),
        )
        made = replace(made, value=checked_value(made, value, f"{place}.value"))
        self._drivers[name] = made
        self.revision += 1
        return made

    def _separation(
        self, name: str, separation: tuple[ReferenceLike, ReferenceLike], place: str
    ) -> dict[str, Any]:
        """What makes a driver of the separation of two features."""
        refs = tuple(self.reference(r, f"{place}.separation") for r in separation)
        if len(refs) != 2:
            raise BadValue(f"{place}.separation", separation, "two features")
        if refs[0].part == refs[1].part:
            raise SelfMate(name, refs[0].part, place)
        a, b = (end_of(r, self._parts).marker for r in refs)
        return {"separation": refs, "equation": holds(Measure(m.SEPARATION, 0, 0, a, b))}

    def _coordinate(
        self, joint: str | Mate | None, coordinate: str | None, place: str
    ) -> dict[str, Any]:
        """What makes a driver of a joint coordinate."""
        name = joint.name if isinstance(joint, Mate) else str(joint)
        if name not in self._held:
            raise UnknownName("joint", name, self._held, place)
        held = self._held[name]
        known = () if isinstance(held.mate, Coupling) else held.mate.coordinates
        if coordinate is None and len(known) == 1:
            coordinate = known[0]
        if coordinate not in known:
            raise UnknownName("coordinate", str(coordinate), known, place, repr(name))
        found = held.mate.coordinate(str(coordinate), held.a, held.b)
        return {"joint": name, "coordinate": coordinate, "equation": holds(found)}

    def set_driver(self, name: str, value: float | None, place: str = "") -> None:
        """Give a driver another value (mm or degrees); None lets it go."""
        if name not in self._drivers:
            raise UnknownName("driver", name, self._drivers, place)
        driver = self._drivers[name]
        value = checked_value(driver, value, place or f"drivers.{name}.value")
        self._drivers[name] = replace(driver, value=value)
        self.revision += 1

    def __repr__(self) -> str:
        return f"Assembly({self.name!r}: {len(self._parts)} parts, {len(self._held)} mates)"

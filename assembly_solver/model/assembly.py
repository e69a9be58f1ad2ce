"""The assembly: parts with features, mates, drivers, limits, loads.  The only model.

Every name is resolved and every feature type checked when it is entered, so that what is inside is
always meaningful.  `revision` counts the edits; what is derived from an assembly is kept per
revision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from math import radians
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import AssemblySolverError, BadValue, Contradiction, MissingKey, UnknownName
from ..foundations.geometry.pose import Pose, plain
from .building.drafting import Drafting
from .building.roster import ReferenceLike
from .checks import Checking
from .feature import Frame
from .load import Loading
from .mate import MATES as MATES
from .mate import Equation, Held, Mate, Reference, check_parameters, kind_named
from .mates import basic, contacts, joints, relations  # noqa: F401  (defining the kinds fills the registry)
from .mates.couplings import Coupling, coupled, joints_of
from .measures.measure import IS_ANGLE
from .numbers import finite
from .references import hold, new_name, parts_named

TOLERANCE = 1e-6
"""What a mate may be off and still hold, mm."""


class Assembly(Drafting, Checking, Loading):
    """Parts, mates, drivers, limits and loads by name.

    Attributes:
        name, folder: its name, and where relative files start; file: where it was read from.
        notes: keys of the file that say nothing to the solver ("note", "x-..."), kept for it.
        notes_at: the same inside an entry, by its place: `("mates", "hinge axis")`.

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
        self._tolerance = TOLERANCE
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
        other._checks, other.file = dict(self._checks), self.file
        other._parts = dict(self._parts)
        other._held = dict(self._held)
        other._drivers, other._limits = dict(self._drivers), dict(self._limits)
        other._cylinders, other._parameters = dict(self._cylinders), dict(self._parameters)
        other.formulas = dict(self.formulas)
        other._groups, other._seeds = dict(self._groups), dict(self._seeds)
        other._loads, other._gravity = dict(self._loads), self._gravity
        other._springs, other._drawing = dict(self._springs), self._drawing
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
        parameters = {key: plain(value) for key, value in parameters.items()}
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
        self._imply(self._held[made.name], place)
        self.revision += 1
        return made

    def _couple(
        self, cls: type[Coupling], name: str | None, parameters: dict[str, Any], place: str
    ) -> Mate:
        """Add a coupling of joints that are there."""
        names = joints_of(parameters.pop("joints"), self._held, f"{place}.joints")
        name = new_name("mate", name, f"{cls.kind} {' - '.join(names)}", self._held, place)
        self._held[name] = coupled(cls, name, names, parameters, self._held, place)
        self._repeat(self._held[name].mate, place)
        self.revision += 1
        return self._held[name].mate

    def _made(
        self,
        cls: type[Mate],
        a: ReferenceLike,
        b: ReferenceLike,
        name: str | None,
        parameters: dict[str, Any],
        place: str,
    ) -> Mate:
        """The mate with its names looked up and its parameters checked."""
        ref_a, ref_b = self.reference(a, f"{place}.a"), self.reference(b, f"{place}.b")
        for key in cls.takes_more:
            if parameters.get(key) is not None:
                parameters[key] = self.reference(parameters[key], f"{place}.{key}")
        otherwise = f"{cls.kind} {ref_a} - {ref_b}" if name is None else ""
        name = new_name("mate", name, otherwise, self._held, place)
        made = cls(a=ref_a, b=ref_b, name=name, **parameters)
        made.check(place)
        return made

    def _placed(
        self,
        cls: type[Mate],
        parts: tuple[str, str] | None,
        at: Frame | None,
        name: str | None,
        place: str,
    ) -> tuple[Reference, Reference]:
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

    def change(self, name: str, **parameters: Any) -> Mate:
        """Give a mate other parameters; it keeps its features and its place among the mates."""
        if name not in self._held:
            raise UnknownName("mate", name, self._held)
        old, place = self._held[name].mate, f"mates.{name}"
        parameters = {**old.parameters(), **{k: plain(v) for k, v in parameters.items()}}
        check_parameters(type(old), parameters, place)
        for key in old.takes_more:
            if parameters.get(key) is not None:
                parameters[key] = self.reference(parameters[key], f"{place}.{key}")
        if isinstance(old, Coupling):
            names = joints_of(parameters.pop("joints"), self._held, f"{place}.joints")
            held = coupled(type(old), name, names, parameters, self._held, place)
        else:
            made = type(old)(a=old.a, b=old.b, name=name, **parameters)
            made.check(place)
            held = hold(made, self._parts, place)
        for repeat in self._forget(name):
            self.remove(repeat, alone=True)
        self._held[name] = held
        self._imply(held, place)
        self._repeat(held.mate, place)
        self.revision += 1
        return held.mate

    def keep_constants(self, values: Mapping[str, float]) -> None:
        """Give mates whose constant is that of the start a value for it, mm or degrees."""
        for name, value in values.items():
            held = self._held[name]
            mate = replace(held.mate, constant=value)  # type: ignore[call-arg]
            equations = tuple(
                e if e.target is not None else e._replace(target=_internal(e, value))
                for e in held.equations
            )
            self._held[name] = held._replace(mate=mate, equations=equations)
            self.revision += 1

    def remove(self, name: str, *, alone: bool = False) -> None:
        """Remove a mate, with the drivers, limits and couplings of its coordinates unless `alone`.

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
            self._drivers = {k: d for k, d in self._drivers.items() if d.joint != name}
            self._limits = {k: limit for k, limit in self._limits.items() if limit.joint != name}
            for other in [h.mate for h in self._held.values()]:
                if isinstance(other, Coupling) and name in other.joints:
                    del self._held[other.name]
            self._drop_checks()
        self.revision += 1

    def remove_part(self, name: str) -> None:
        """Remove a part, with the mates, drivers, limits, loads and springs that name it.

        Raises:
            BadValue: it belongs to a drawing, a flexible sub-assembly or a pattern.
        """
        self.part(name)
        grouped = name in self._seeds or any(name in g.parts for g in self._groups.values())
        if grouped or name in self._drawing.links:
            wanted = "a part of no drawing, flexible sub-assembly or pattern"
            raise BadValue(f"parts.{name}", name, wanted)
        everything: tuple[tuple[Mapping[str, Any], Callable[[str], None]], ...] = (
            (self.mates, self.remove),
            (self._cylinders, self.remove_cylinder),
            (self._drivers, self.remove_driver),
            (self._limits, self.remove_limit),
            (self._loads, self.remove_load),
            (self._springs, self.remove_spring),
        )
        for known, remove in everything:
            for entry in list(known.values()):
                if name in parts_named(entry):
                    with suppress(UnknownName):  # it went with a mate before it
                        remove(entry.name)
        del self._parts[name]
        self._drop_checks()
        self.revision += 1

    def remove_driver(self, name: str) -> None:
        """Remove a driver, with the checks that name it."""
        super().remove_driver(name)
        self._drop_checks()

    def remove_cylinder(self, name: str) -> None:
        """Remove a cylinder with its driver and its limit, and the checks that name it."""
        super().remove_cylinder(name)
        self._drop_checks()

    def __repr__(self) -> str:
        return f"Assembly({self.name!r}: {len(self._parts)} parts, {len(self._held)} mates)"


def _internal(equation: Equation, value: float) -> float:
    """A constant in mm or rad: the first term tells whether it is an angle."""
    return radians(value) if IS_ANGLE[equation.terms[0][1].kind] else value

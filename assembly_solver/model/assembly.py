"""The assembly: parts with features, mates, drivers, limits, loads.  The only model.

Every name is resolved and every feature type checked when an entry is added, so that the content
is always valid.  `revision` counts the edits; derived results are cached per revision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import BadValue, Contradiction, MissingKey, UnknownName, nearest_names
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import Pose, plain
from .building.groups import Pattern
from .building.moves import UNMOVED, EditedEntries
from .building.roster import ReferenceLike
from .contact import ContactPairs, checked_contact
from .feature import Frame
from .mate import (
    MATES as MATES,
    Mate,
    NamedKind as NamedKind,
    Reference,
    check_parameters,
    kind_named as kind_named,
)
from .mates import basic, contacts, joints, relations  # noqa: F401  (defining the kinds fills the registry)
from .mates.couplings import Coupling, coupled, joints_of
from .numbers import positive, true_or_false
from .parameters import ParameterEditing
from .references import new_name, parts_named, resolve_mate, resolved_between

TOLERANCE = 1e-4
"""A setting: largest residual of a mate that holds where the assembly says nothing else, mm."""

FORMER_TOLERANCE = 1e-6
"""A setting: the same while files of this format were first written, mm: files without a tolerance
are told where that makes a difference."""


@with_checked_calls
class Assembly(ParameterEditing):
    """Parts, mates, drivers, limits and loads by name.

    Attributes:
        name: its name; folder: the base of relative file names; file: the file it was read from.
        floating: whether parts that nothing connects to a grounded part are free, and all their
            freedoms counted; by default one part of each such group is held.
        tolerance_assumed: whether the file that it was read from states no tolerance.
        notes: keys of the file that the solver ignores ("note", "x-..."), preserved.
        notes_at: such keys inside an entry, by its position: `("mates", "hinge axis")`.

    Examples:
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
        self._floating = False
        self._contact: ContactPairs | None = None
        self._tolerance = TOLERANCE
        self.tolerance = tolerance
        self.tolerance_assumed = False

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse new attributes once it is made: a misspelt one would pass without effect."""
        known = self.__dict__
        if name in known:  # what is checked when it is set has another name there
            if name == "name" and not isinstance(value, str):
                raise BadValue("name", value, "a text")
            known[name] = value
            return
        if "tolerance_assumed" in known and not hasattr(type(self), name):
            public = [k for k in known.keys() | dir(type(self)) if not k.startswith("_")]
            raise AttributeError(f"an assembly has no {name!r}; {nearest_names(name, public)}")
        super().__setattr__(name, value)

    @property
    def mates(self) -> Mapping[str, Mate]:
        """Mates by name, in the order they were added."""
        return MappingProxyType({name: h.mate for name, h in self._held.items()})

    @property
    def floating(self) -> bool:
        """Whether what is not connected to the ground is free; setting it raises BadValue."""
        return self._floating

    @floating.setter
    def floating(self, value: bool) -> None:
        self._floating = true_or_false(value, "floating")
        self.revision += 1

    @property
    def tolerance(self) -> float:
        """Largest residual of a mate that holds, mm; setting it raises BadValue if not above 0."""
        return self._tolerance

    @tolerance.setter
    def tolerance(self, value: float) -> None:
        self._tolerance = positive(value, "tolerance")
        self.tolerance_assumed = False
        self.revision += 1

    @property
    def contact(self) -> ContactPairs | None:
        """The pairs of parts that sweeps and checks watch for contact; None where it says nothing.

        Setting it takes a `ContactPairs`, its fields in a mapping, or None, and raises BadValue,
        UnknownName or SelfMate for invalid ones.
        """
        return None if self._contact is None else self._contact.among(self._parts)

    @contact.setter
    def contact(self, value: ContactPairs | Mapping[str, Any] | None) -> None:
        self._contact = None if value is None else checked_contact(value, self._parts)
        self.revision += 1

    def copy(self, edited: EditedEntries | None = None) -> Assembly:
        """An independent copy: dictionaries are copied by entry, the frozen entries shared.

        Args:
            edited: what entries became later by moves, which the copy has instead.
        """
        other = object.__new__(Assembly)
        known = self.__dict__.copy()
        for key, value in self.__dict__.items():
            if value.__class__ is dict:
                known[key] = value.copy()
        known["revision"], known["moves"], known["kept"] = 0, UNMOVED, None
        object.__setattr__(other, "__dict__", known)
        if self.notes_at:
            known["notes_at"] = {place: dict(notes) for place, notes in self.notes_at.items()}
        if edited is not None:
            other._take_entries(edited)
        return other

    def held_still(self) -> Assembly:
        """Itself, or where it is `floating` a copy in which a part of each such group is held.

        For what is computed with all coordinates held that nothing drives.
        """
        if not self.floating:
            return self
        other = self.copy()
        other.floating = False
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
        """Add a mate.

        Instead of `a` and `b` a joint may have `parts`, two parts, and `at`, a frame in world
        coordinates at the start poses that becomes a feature of both.  A coupling has `joints`
        instead.

        Args:
            kind: a key of `MATES`, as "revolute", a word of another program for it, as "hinge"
                (see `model.synonyms`), or a class of mates.
            a, b: features, as "part.feature" or ("part", "feature").
            name: unique among the mates; derived from the kind and the features by default.
            parameters: the fields of the kind, mm and degrees.

        Raises:
            UnknownName: no such kind, parameter, part, feature or joint; AmbiguousKind: a kind of
                two meanings, as "axis".
            FeatureTypeError: a feature of a type that the kind does not take.
            SelfMate: both features are on one part; DuplicateName: the name is taken.
            MissingKey, Contradiction, BadValue: missing, conflicting or invalid parameters.
                Nothing is added then.

        Examples:
            >>> m = Assembly("hinge")
            >>> _ = m.add("frame", grounded=True, features={"pin": Axis((0, 0, 0), "z")})
            >>> _ = m.add("door", features={"pin": Axis((0, 0, 5), "z")})
            >>> m.mate("distance", "frame.origin", "door.origin", value=10.0).name
            'distance frame.origin - door.origin'
        """
        named = kind_named(kind, f"{place}.kind" if place else "")
        cls = named.cls
        parameters = {key: plain(value) for key, value in parameters.items()}
        parameters = named.with_implied(kind, parameters, place)
        place = place or (f"mates.{name}" if name else cls.kind)
        if issubclass(cls, Coupling):
            if a is not None or b is not None:
                parameters["joints"] = tuple(j for j in (a, b) if j is not None)
            check_parameters(cls, parameters, place)
            return self._couple(cls, name, parameters, place)
        check_parameters(cls, parameters, place)
        # with `at` features are added, which an error removes
        with self._all_or_nothing() if at is not None else nullcontext():
            if at is not None or parts is not None:
                if a is not None or b is not None:
                    raise Contradiction(place, "a, b", "parts, at")
                a, b = self._placed(cls, parts, at, name, place)
            if a is None or b is None:
                raise MissingKey(place, cls.kind, "a" if a is None else "b")
            mate = self._checked_mate(cls, (a, b), name, parameters, place)
            self._held[mate.name] = resolve_mate(mate, self._parts, place)
            self._repeat(mate, place)
        self._imply([mate.name], place)
        if self._is_entered(mate.name):  # it was removed, and is back
            self._order_entries()
        self.revision += 1
        return mate

    def _couple(
        self, cls: type[Coupling], name: str | None, parameters: dict[str, Any], place: str
    ) -> Mate:
        """Add a coupling of existing joints."""
        names = joints_of(parameters.pop("joints"), self._held, f"{place}.joints")
        name = new_name("mate", name, f"{cls.kind} {' - '.join(names)}", self._held, place)
        self._held[name] = coupled(cls, name, names, parameters, self._held, place)
        self._repeat(self._held[name].mate, place)
        self.revision += 1
        return self._held[name].mate

    def _checked_mate(
        self,
        cls: type[Mate],
        ends: tuple[ReferenceLike, ReferenceLike],
        name: str | None,
        parameters: dict[str, Any],
        place: str,
    ) -> Mate:
        """The mate with its names resolved and its parameters checked."""
        a, b = (self.reference(end, f"{place}.{k}") for end, k in zip(ends, "ab", strict=True))
        self._resolve_more(cls, parameters, place)
        name = new_name("mate", name, f"{cls.kind} {a} - {b}", self._held, place)
        mate = cls(a=a, b=b, name=name, **parameters)
        mate.check(place)
        return mate

    def _resolve_more(self, cls: type[Mate], parameters: dict[str, Any], place: str) -> None:
        """Replace parameters that name further features by references."""
        for key in cls.takes_more:
            if parameters.get(key) is not None:
                parameters[key] = self.reference(parameters[key], f"{place}.{key}")

    def _placed(
        self,
        cls: type[Mate],
        parts: tuple[str, str] | None,
        at: Frame | None,
        name: str | None,
        place: str,
    ) -> tuple[Reference, Reference]:
        """References to a frame that becomes a feature of both parts."""
        if at is None or parts is None or len(parts) != 2:
            raise BadValue(place, parts, 'a joint with two "parts" and one frame "at"')
        feature = name or f"{cls.kind} {parts[0]} - {parts[1]}"
        refs = []
        for p, placed in zip(parts, (at, cls.frame_on_second(at)), strict=True):
            part = self.part(p, f"{place}.parts")
            local = part.pose.inverse() @ Pose.from_frame(placed.frame)
            x, z = local.rotation[:, 0], local.rotation[:, 2]
            frame = Frame(local.position, tuple(z), tuple(x))
            self.add_features(p, {feature: frame}, place)
            refs.append(Reference(p, feature))
        return refs[0], refs[1]

    def change(self, name: str, **parameters: Any) -> Mate:
        """Change parameters of a mate; it keeps its features and its position among the mates, but
        for one of a sub-assembly or a drawing, which stands behind those that are as in its file.

        Raises UnknownName: no such mate, parameter, feature or joint; FeatureTypeError, BadValue:
        invalid parameters.  Nothing is changed then.
        """
        if name not in self._held:
            raise UnknownName("mate", name, self._held)
        found, place = self._held[name], f"mates.{name}"
        old, kind = found.mate, type(found.mate)
        parameters = {**old.parameters(), **{k: plain(v) for k, v in parameters.items()}}
        check_parameters(kind, parameters, place)
        self._resolve_more(kind, parameters, place)
        if isinstance(old, Coupling):
            names = joints_of(parameters.pop("joints"), self._held, f"{place}.joints")
            changed = coupled(type(old), name, names, parameters, self._held, place)
        else:
            mate = kind(a=old.a, b=old.b, name=name, **parameters)
            mate.check(place)
            if kind.takes_more or kind.placed is not Mate.placed:
                changed = resolve_mate(mate, self._parts, place)
            else:  # its ends are those that it has
                changed = resolved_between(mate, found.a, found.b, place)
        moves = self._recent()
        entered, alone = self._is_entered(name), self._is_alone(name, moves)
        with nullcontext() if alone else self._all_or_nothing():
            self._held[name] = changed
            stays = self._is_entered(name) == entered
            if alone and stays:
                moves.mates[name] = changed
                self.revision = moves.now = self.revision + 1
                return changed.mate
            self._coordinates_again(frozenset(), {name})
            self._imply([name], place)
            self._repeat(changed.mate, place)
            if not stays:
                self._order_entries()
        self.revision += 1
        return changed.mate

    def remove(self, name: str, *, alone: bool = False) -> None:
        """Remove a mate.

        Args:
            alone: keep the drivers, limits and couplings of its coordinates, which still refer to
                the same features, and its repeats in patterns; files are written without these.

        Raises UnknownName: no such mate.
        """
        if name not in self._held:
            raise UnknownName("mate", name, self._held)
        del self._held[name]
        if not alone:
            self._remove_about(name)
        else:
            self._drop_formulas()
        self.revision += 1

    def _remove_about(self, name: str) -> None:
        """Remove what is about a mate that is gone."""
        repeats = self._forget(name)
        for repeat in repeats:
            del self._held[repeat]
        gone = {name, *repeats}
        self._drivers = {k: d for k, d in self._drivers.items() if d.joint not in gone}
        self._limits = {k: limit for k, limit in self._limits.items() if limit.joint not in gone}
        for other in [h.mate for h in self._held.values()]:
            if isinstance(other, Coupling) and not gone.isdisjoint(other.joints):
                del self._held[other.name]
        self._drop_stale()

    def as_written(self) -> Assembly:
        """Itself, or where mates were removed `alone` a copy without what is about them."""
        quantities = (*self._drivers.values(), *self._limits.values(), *self._measures.values())
        about = {q.joint for q in quantities}
        about |= {t.mate or t.joint for t in self._tolerances.values()}
        about |= {j for m in self.mates.values() if isinstance(m, Coupling) for j in m.joints}
        about |= {m for g in self._groups.values() if isinstance(g, Pattern) for m in g.repeats}
        gone = sorted(n for n in about if n is not None and n not in self._held)
        if not gone:
            return self
        other = self.copy()
        for name in gone:
            other._remove_about(name)
        return other

    def remove_part(self, name: str) -> None:
        """Remove a part, with the mates, drivers, limits, loads and springs that name it.

        Raises UnknownName: no such part; BadValue: it belongs to a drawing, a flexible sub-assembly
        or a pattern.
        """
        self.part(name)
        self._must_be_alone(name)
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
                    with suppress(UnknownName):  # already removed with a mate
                        remove(entry.name)
        del self._parts[name]
        self._drop_stale()
        self.revision += 1

    def __repr__(self) -> str:
        return f"Assembly({self.name!r}: {len(self._parts)} parts, {len(self._held)} mates)"

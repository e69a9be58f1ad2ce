"""Checks: the requirements that an assembly must meet; the registry of their kinds.

A kind of check is one class with `kind` and fields, each of a role that says which values it may
have.  Defining the class enters it in `checks.CHECKS`, from which the file format, the schema and
the tests are derived.  Checks are evaluated in `checking`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

from ..errors import BadValue, DuplicateName, MissingKey, SelfMate, UnknownName, kind_words
from .drivers.driver import checked_range
from .entries import NamedEntries
from .feature import unit
from .grashof import CLASSES
from .mate import Reference
from .mates.couplings import Coupling
from .numbers import finite, not_negative, several
from .tolerances.named_measure import NamedMeasure


class KnownNames(NamedEntries, Protocol):
    """The entries of an assembly that a check may name."""

    @property
    def measures(self) -> Mapping[str, NamedMeasure]: ...
    def reference(self, value: Any, place: str = "") -> Reference: ...


class Role(NamedTuple):
    """The kind of value of a field: `clean` returns a checked value or raises."""

    name: str
    words: str
    clean: Callable[[Any, KnownNames, str], Any]


def _one_of(what: str, value: Any, known: Iterable[str], place: str) -> str:
    if value not in tuple(known):  # a file may have an unhashable value there
        raise UnknownName(what, str(value), known, place)
    return str(value)


def _driver(value: Any, known: KnownNames, place: str) -> str:
    return _one_of("driver", value, known.drivers, place)


def _joint(value: Any, known: KnownNames, place: str) -> str:
    names = [n for n, h in known.held.items() if not isinstance(h.mate, Coupling)]
    return _one_of("joint", value, names, place)


def _measure(value: Any, known: KnownNames, place: str) -> str:
    return _one_of("measure", value, known.measures, place)


def _coordinate(value: Any, known: KnownNames, place: str) -> str:
    return _one_of("coordinate", value, ("angle", "length"), place)


def _feature(value: Any, known: KnownNames, place: str) -> Reference:
    return known.reference(value, place)


def _parts(value: Any, known: KnownNames, place: str) -> tuple[str, str]:
    for name in several(value, 2, place, "two names of parts"):
        _one_of("part", name, known.parts, place)
    if value[0] == value[1]:
        raise SelfMate(f"{value[0]} - {value[1]}", value[0], place, "check")
    return str(value[0]), str(value[1])


def _number(value: Any, known: KnownNames, place: str) -> float:
    return finite(value, place)


def _size(value: Any, known: KnownNames, place: str) -> float:
    return not_negative(value, place)


def _count(value: Any, known: KnownNames, place: str, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadValue(place, value, f"a whole number of at least {least}")
    return value


def _samples(value: Any, known: KnownNames, place: str) -> int:
    return _count(value, known, place, 2)


def _share(value: Any, known: KnownNames, place: str) -> float:
    if not 0.0 <= finite(value, place) <= 1.0:
        raise BadValue(place, value, "a number from 0 to 1")
    return finite(value, place)


def _interval(value: Any, known: KnownNames, place: str) -> tuple[float, float]:
    found = checked_range(value, place)
    if found is None:
        raise BadValue(place, value, "two numbers, smallest first")
    return found


def _position(value: Any, known: KnownNames, place: str) -> tuple[float, ...]:
    return tuple(finite(v, place) for v in several(value, 3, place, "a list of 3 numbers"))


def _direction(value: Any, known: KnownNames, place: str) -> tuple[float, ...]:
    found = value if isinstance(value, str) else _position(value, known, place)
    return tuple(unit(found, place))


def _grashof(value: Any, known: KnownNames, place: str) -> str:
    return _one_of("class", value, CLASSES, place)


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        r.name: r
        for r in (
            Role("driver", "name of a driver", _driver),
            Role("joint", "name of a joint", _joint),
            Role("measure", "name of a measure", _measure),
            Role("coordinate", "angle or length", _coordinate),
            Role("feature", "part.feature", _feature),
            Role("parts", "two parts", _parts),
            Role("number", "a number", _number),
            Role("size", "a number of at least 0", _size),
            Role("count", "a whole number", _count),
            Role("samples", "a whole number of at least 2", _samples),
            Role("share", "a number from 0 to 1", _share),
            Role("interval", "two numbers, smallest first", _interval),
            Role("position", "three numbers, mm", _position),
            Role("direction", "three numbers, or as -x", _direction),
            Role("class", "a class of four-bar loops", _grashof),
        )
    }
)


SUBJECTS = ("driver", "joint", "measure", "feature", "parts")
"""Roles of the fields that a check is about."""


def takes(role: str, words: str, default: Any = None) -> Any:
    """A field of a check: the name of its role in `ROLES`, and its meaning in words."""
    return field(default=default, metadata={"role": ROLES[role], "words": words})


@dataclass(frozen=True, kw_only=True)
class Check:
    """A requirement on an assembly.  Subclass it to add a kind: see `checks.py`."""

    name: str = ""

    kind: ClassVar[str] = ""
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of fields of each of which at least one is required."""
    one_of: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of fields of each of which at most one is allowed."""

    def __init_subclass__(cls) -> None:
        if cls.kind and "kind" in cls.__dict__:
            if cls.kind in REGISTRY:
                raise DuplicateName("check kind", cls.kind)
            REGISTRY[cls.kind] = cls

    @classmethod
    def fields(cls) -> tuple[Field[Any], ...]:
        """Its fields except the name, in the order of the file."""
        return tuple(f for f in fields(cls) if f.name != "name")

    def parameters(self) -> dict[str, Any]:
        """The fields that differ from their defaults."""
        values = ((f, getattr(self, f.name)) for f in self.fields())
        return {f.name: value for f, value in values if value != f.default}

    @property
    def title(self) -> str:
        """Its default name: the kind and its subjects."""
        given = ((f.metadata["role"].name, getattr(self, f.name)) for f in self.fields())
        subjects = [
            " - ".join(value) if role == "parts" else str(value)
            for role, value in given
            if value is not None and role in SUBJECTS
        ]
        return ": ".join([kind_words(self.kind), *subjects[:2]])

    def check(self, known: KnownNames, place: str) -> None:
        """Raise where the fields contradict each other.  Raises BadValue, MissingKey, UnknownName;
        `place` is named in their messages."""
        given = self.parameters()
        low, high = given.get("min"), given.get("max")
        if low is not None and high is not None and low > high:
            raise BadValue(f"{place}.max", high, f"at least {low:g}, the min")
        if "coordinate" in self.__dataclass_fields__:
            self._check_coordinate(known, place)

    def _check_coordinate(self, known: KnownNames, place: str) -> None:
        """Raise where the joint has no such coordinate, or has two and none is named."""
        joint, coordinate = getattr(self, "joint", None), getattr(self, "coordinate", None)
        if joint is None:
            return
        has = known.held[joint].mate.coordinates
        if coordinate is None and len(has) > 1:
            raise MissingKey(place, f"joint {joint!r} with {' and '.join(has)}", "coordinate")
        if not has:
            raise BadValue(f"{place}.joint", joint, "a joint with an angle or a length")
        if coordinate not in (None, *has):
            raise UnknownName("coordinate", str(coordinate), has, place, repr(joint))


REGISTRY: dict[str, type[Check]] = {}
"""The kinds that are defined so far."""

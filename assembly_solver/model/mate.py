"""Mates: named constraints between two features, each a few equations between measures.

A mate kind is one class with `kind`, `takes`, `removes` and `equations`.  Defining it enters it in
`MATES`, from which the file format, the schema, the command line and the tests are derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

from ..errors import (
    AmbiguousKind,
    BadValue,
    Contradiction,
    DuplicateName,
    FeatureTypeError,
    MissingKey,
    UnknownName,
    kind_words,
)
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from .equation_set import Equation as Equation, EquationForm, EquationSet
from .feature import Axis, Feature, Frame, Plane, Point
from .measures import measure as m
from .measures.measure import Marker, Measure, read
from .synonyms import SYNONYMS, meaning, meanings, said_here

Sense = Literal["aligned", "opposed", "nearest"]
SENSES: tuple[Sense, ...] = ("aligned", "opposed", "nearest")
SENSE_SIGNS = {"aligned": 1, "opposed": -1}
SQUARE_COSINE = -FAINT
"""Least cosine of an aligned nearest sense; includes right angles in six digits."""

POINTS = (Point, Frame)
AXES = (Axis, Frame)
PLANES = (Plane, Frame)
DIRECTIONS = (Axis, Plane, Frame)
FRAMES = (Frame, Axis)
MOST_KINDS = 6
"""Kinds that a refusal names."""

COMMON_FIELDS = ("a", "b", "name")
"""The fields of every mate; the others are the parameters of its kind."""


class Reference(NamedTuple):
    """A feature by the names of its part and of itself."""

    part: str
    feature: str

    def __str__(self) -> str:
        return f"{self.part}.{self.feature}"


def holds(measure: Measure, target: float = 0.0) -> Equation:
    """The equation measure = target, mm or rad."""
    return Equation(((1.0, measure),), target)


def parallel(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """z of b along z of a, in the same sense: the swing between them vanishes (2 equations)."""
    return (holds(Measure(m.TILT, 0, 0, a, b)), holds(Measure(m.TILT, 1, 0, a, b)))


def on_axis(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Origin of b on the z axis of a (2 equations)."""
    return (holds(Measure(m.DISPLACEMENT, 0, 0, a, b)), holds(Measure(m.DISPLACEMENT, 1, 0, a, b)))


def in_plane(a: Marker, b: Marker, height: float = 0.0) -> tuple[Equation, ...]:
    """Origin of b at this height above the xy plane of a, mm (1 equation)."""
    return (holds(Measure(m.DISPLACEMENT, 2, 0, a, b), height),)


def together(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Origins of a and b coincide (3 equations)."""
    return on_axis(a, b) + in_plane(a, b)


def unturned(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Frames a and b have the same axes; the identity is the only root (3 equations)."""
    return tuple(holds(Measure(m.TURN, i, 0, a, b)) for i in range(3))


def inclined(a: Marker, b: Marker, angle: float) -> tuple[Equation, ...]:
    """Angle between z of a and z of b, rad, 0 to pi (1 equation)."""
    return (holds(Measure(m.INCLINATION, 2, 2, a, b), angle),)


class End(NamedTuple):
    """One end of a mate; `more`: the ends of its further references, by parameter name."""

    marker: Marker
    feature: Feature
    more: Mapping[str, End] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Mate:
    """A constraint between two features.  Subclass it to add a kind: see `mates.basic`."""

    a: Reference
    b: Reference
    name: str

    kind: ClassVar[str] = ""
    takes: ClassVar[tuple[tuple[tuple[type[Feature], ...], tuple[type[Feature], ...]], ...]] = ()
    """The pairs of feature types that the kind accepts."""
    takes_more: ClassVar[Mapping[str, tuple[type[Feature], ...]]] = MappingProxyType({})
    """Parameters that are references to further features, and their types."""
    touches: ClassVar[bool] = False
    """Whether it is between the surfaces themselves, not between their centres or axes."""
    by_markers: ClassVar[bool] = False
    """Whether its equations depend on its parameters, on its two features by their types alone, and
    on the markers of these, which they are between; a class that inherits from another one states
    it again."""
    removes: ClassVar[int | None] = None
    """Freedoms removed between two free parts; None where that depends on the features."""
    coordinates: ClassVar[tuple[str, ...]] = ()
    """Coordinates that a driver or a limit can name: "angle" and "length" of b along z of a."""

    def __init_subclass__(cls) -> None:
        if cls.kind and "kind" in cls.__dict__:
            if cls.kind in _REGISTRY:
                raise DuplicateName("mate kind", cls.kind)
            _REGISTRY[cls.kind] = cls

    @classmethod
    @cache
    def parameter_names(cls) -> tuple[str, ...]:
        """The parameters of this kind, in the order of the file."""
        return tuple(f.name for f in fields(cls) if f.name not in COMMON_FIELDS)

    @classmethod
    @cache
    def required_parameters(cls) -> tuple[str, ...]:
        """The parameters that have no default."""
        required = (f.name for f in fields(cls) if f.default is MISSING)
        return tuple(name for name in required if name not in COMMON_FIELDS)

    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        defaults = self._defaults()
        return {n: value for n, default in defaults if (value := getattr(self, n)) != default}

    @classmethod
    @cache
    def _defaults(cls) -> tuple[tuple[str, Any], ...]:
        """The parameters of this kind with their defaults, `MISSING` where there is none."""
        return tuple((f.name, f.default) for f in fields(cls) if f.name not in COMMON_FIELDS)

    def check(self, place: str) -> None:
        """Raise an error of `errors` where a parameter is invalid."""

    def check_ends(self, a: End, b: End, place: str) -> None:
        """Raise an error of `errors` where the parameters do not fit these features."""

    def placed(self, a: End, b: End) -> tuple[End, End]:
        """The ends with the markers of the equations; by default those of the features."""
        return a, b

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        """The constraint as independent equations between the markers, mm and rad."""
        raise NotImplementedError

    def chosen_by(self, a: End, b: End, form: EquationForm) -> Measure | None:
        """The measure whose sign at the start decides the nearest sense; None without a choice.

        Args:
            form: of the equations.
        """
        return None

    def coordinate(self, name: str, a: End, b: End) -> Measure:
        """The measure of a joint coordinate, mm or rad."""
        if name == "angle":
            return Measure(m.ROTATION, 0, 0, a.marker, b.marker)
        return Measure(m.DISPLACEMENT, 2, 0, a.marker, b.marker)

    def bounds(self, a: End, b: End) -> Mapping[str, tuple[float, float]]:
        """Limits of coordinates that follow from the mate, (min, max), mm or degrees."""
        return {}

    def distance_apart(self, a: End, b: End, frame_a: Array, frame_b: Array) -> float | None:
        """How far the features are from holding, mm, where the equations measure something else.

        Args:
            frame_a, frame_b: world frames of the parts, (12,).
        """
        return None

    @classmethod
    def frame_on_second(cls, at: Frame) -> Frame:
        """The feature of the second part for a joint given by one frame."""
        return at

    def __str__(self) -> str:
        return self.name


_REGISTRY: dict[str, type[Mate]] = {}
MATES: Mapping[str, type[Mate]] = MappingProxyType(_REGISTRY)
"""Every mate and joint kind by its name in files."""


class NamedKind(NamedTuple):
    """A mate kind as it was named; `implied`: parameters that follow from the word."""

    cls: type[Mate]
    implied: Mapping[str, str] = MappingProxyType({})

    def with_implied(self, word: object, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The given parameters with the implied ones; Contradiction: they disagree."""
        for key, value in self.implied.items():
            if given.get(key, value) != value:
                raise Contradiction(place, f"kind {word!r}", f"{key} {given[key]!r}")
        return {**given, **self.implied}


def kind_named(kind: str | type[Mate], place: str = "") -> NamedKind:
    """The kind that a word names, one of another program included (see `synonyms`).

    Args:
        kind: a key of `MATES`, a synonym, or a class; place: position in a file, for errors.

    Examples:
        >>> kind_named("Slider Joint").cls.kind, dict(kind_named("flush").implied)
        ('prismatic', {'sense': 'aligned'})

    Raises UnknownName: no such kind; AmbiguousKind: a word for two different kinds.
    """
    if isinstance(kind, type) and issubclass(kind, Mate) and kind.kind:
        return NamedKind(kind)
    if isinstance(kind, str):
        if kind in MATES:
            return NamedKind(MATES[kind])
        found = meaning(kind, MATES)
        if found is not None:
            return NamedKind(MATES[found[0]], found[1])
        if meanings(kind):
            raise AmbiguousKind(kind, meanings(kind), place)
    raise UnknownName("mate kind", str(kind), (*MATES, *SYNONYMS), place)


@dataclass(frozen=True, kw_only=True)
class SensedMate(Mate):
    """A mate of two directions that may point the same way or opposite ways."""

    sense: Sense = "nearest"

    def check(self, place: str) -> None:
        if not isinstance(self.sense, str) or self.sense not in SENSES:
            raise BadValue(f"{place}.sense", self.sense, "aligned, opposed or nearest")

    def chosen_by(self, a: End, b: End, form: EquationForm) -> Measure | None:
        if self.sense == "nearest":
            return Measure(m.COSINE, 2, 2, a.marker, b.marker)
        return None


class ResolvedMate(NamedTuple):
    """A mate with its ends, equations, and the measure that decides its sense."""

    mate: Mate
    a: End
    b: End
    written: EquationSet
    chosen_by: Measure | None

    @property
    def equations(self) -> tuple[Equation, ...]:
        """Its equations, one by one."""
        return self.written.equations

    def features(self) -> list[tuple[Reference, Feature]]:
        """Its features by reference, those of further references last."""
        mate = self.mate
        out = [(mate.a, self.a.feature), (mate.b, self.b.feature)]
        if mate.takes_more:
            more = {**self.a.more, **self.b.more}
            out += [(getattr(mate, name), end.feature) for name, end in more.items()]
        return out


def measured(held: Mapping[str, ResolvedMate]) -> frozenset[str]:
    """The mates of some by name of which a target is what the start poses tell."""
    return frozenset(n for n, found in held.items() if None in found.written.form.target)


def required_sense(mate: Mate) -> int:
    """The prescribed sense: +1 aligned, -1 opposed, 0 none or the nearest."""
    return SENSE_SIGNS.get(getattr(mate, "sense", ""), 0)


def resolved_sense(found: ResolvedMate, a: Array, b: Array) -> int:
    """The sense, +1 aligned, -1 opposed, 0 none, at world frames of its parts, shape (12,)."""
    required = required_sense(found.mate)
    if required or found.chosen_by is None:
        return required
    return 1 if read(found.chosen_by, a, b) >= SQUARE_COSINE else -1


def check_types(mate: Mate, a: Feature, b: Feature, place: str) -> None:
    """Raise FeatureTypeError where the kind does not accept these two features."""
    for one, two in mate.takes:
        if isinstance(a, one) and isinstance(b, two):
            return
    fits = [t for t in mate.takes if isinstance(a, t[0])]
    if not fits:
        wanted = sorted({c.__name__ for t in mate.takes for c in t[0]})
        end, given, feature = f"{place}.a", mate.a, a
    else:
        wanted = sorted({c.__name__ for t in fits for c in t[1]})
        end, given, feature = f"{place}.b", mate.b, b
    other = _kinds_between(a, b)
    raise FeatureTypeError(mate.kind, end, str(given), type(feature).__name__, wanted, other)


def _kinds_between(a: Feature, b: Feature) -> str:
    """The first mates of the registry, which has the basic ones first, that two features take."""
    fit = [
        kind_words(kind)
        for kind, cls in MATES.items()
        if any(isinstance(a, one) and isinstance(b, two) for one, two in cls.takes)
    ]
    if not fit:
        return ""
    told = ", ".join(fit[:MOST_KINDS]) + (", ..." if len(fit) > MOST_KINDS else "")
    return f"; {type(a).__name__} and {type(b).__name__} are taken by {told}"


def check_more(mate: Mate, name: str, feature: Feature, place: str) -> None:
    """Raise FeatureTypeError where a further feature of a mate has the wrong type."""
    takes = mate.takes_more[name]
    if not isinstance(feature, takes):
        wanted = sorted(c.__name__ for c in takes)
        given = str(getattr(mate, name))
        raise FeatureTypeError(mate.kind, f"{place}.{name}", given, type(feature).__name__, wanted)


def check_parameters(cls: type[Mate], parameters: Mapping[str, Any], place: str) -> None:
    """Raise UnknownName or MissingKey where a parameter is unknown or missing."""
    names = cls.parameter_names()
    for key in parameters:
        if key not in names:
            known, hint = (*names, "name", "a", "b"), said_here(key, names)
            raise UnknownName("parameter", key, known, place, cls.kind, hint)
    for key in cls.required_parameters():
        if parameters.get(key) is None:
            raise MissingKey(place, cls.kind, key)

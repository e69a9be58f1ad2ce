"""Mates: named promises, each a handful of measures that must take given values.

A mate kind is one class with `kind`, `takes`, `removes` and `equations`; defining it enters it in
the registry `MATES`, which feeds the file format, the schema, the command line and the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

from ..errors import BadValue, DuplicateName, FeatureTypeError, MissingKey, UnknownName
from ..foundations.types import Array
from .feature import Axis, Feature, Frame, Plane, Point
from .measures import measure as m
from .measures.measure import Marker, Measure, read

Sense = Literal["aligned", "opposed", "nearest"]
SENSES: tuple[Sense, ...] = ("aligned", "opposed", "nearest")
ASKED = {"aligned": 1, "opposed": -1}
SQUARE_COSINE = -1e-9
"""A nearest sense is aligned from this cosine on: at a right angle, aligned."""

POINTS = (Point, Frame)
AXES = (Axis, Frame)
PLANES = (Plane, Frame)
DIRECTIONS = (Axis, Plane, Frame)
FRAMES = (Frame, Axis)


class Reference(NamedTuple):
    """A feature by name: the part's and the feature's."""

    part: str
    feature: str

    def __str__(self) -> str:
        return f"{self.part}.{self.feature}"


class Equation(NamedTuple):
    """sum of coefficient * measure = target; target in mm or rad.

    A target of None is what the sum is at the start pose.
    """

    terms: tuple[tuple[float, Measure], ...]
    target: float | None = 0.0


def holds(measure: Measure, target: float = 0.0) -> Equation:
    """The equation that one measure takes one value."""
    return Equation(((1.0, measure),), target)


def parallel(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """z of b along z of a, with this sense: the swing between them vanishes (2 equations)."""
    return (holds(Measure(m.TILT, 0, 0, a, b)), holds(Measure(m.TILT, 1, 0, a, b)))


def on_axis(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Origin of b on the z axis of a (2 equations)."""
    return (holds(Measure(m.DISPLACEMENT, 0, 0, a, b)), holds(Measure(m.DISPLACEMENT, 1, 0, a, b)))


def in_plane(a: Marker, b: Marker, height: float = 0.0) -> tuple[Equation, ...]:
    """Origin of b at this height over the xy plane of a (1 equation)."""
    return (holds(Measure(m.DISPLACEMENT, 2, 0, a, b), height),)


def together(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Origins of a and b coincide (3 equations)."""
    return on_axis(a, b) + in_plane(a, b)


def unturned(a: Marker, b: Marker) -> tuple[Equation, ...]:
    """Frames a and b have the same axes; the identity is the only root (3 equations)."""
    return tuple(holds(Measure(m.TURN, i, 0, a, b)) for i in range(3))


def inclined(a: Marker, b: Marker, angle: float) -> tuple[Equation, ...]:
    """z of a and z of b enclose this angle, rad (1 equation)."""
    return (holds(Measure(m.INCLINATION, 2, 2, a, b), angle),)


class End(NamedTuple):
    """One end of a mate: its marker and feature.

    `more` has the ends of the mate's further references, by the name of the parameter.
    """

    marker: Marker
    feature: Feature
    more: Mapping[str, End] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Mate:
    """A promise between two features.  Subclass it to add a kind: see `mates.py`.

    Attributes:
        a, b: the features; name: unique in its assembly.
    """

    a: Reference
    b: Reference
    name: str

    kind: ClassVar[str] = ""
    takes: ClassVar[tuple[tuple[tuple[type[Feature], ...], tuple[type[Feature], ...]], ...]] = ()
    """The pairs of feature types that the kind has a meaning for."""
    takes_more: ClassVar[Mapping[str, tuple[type[Feature], ...]]] = MappingProxyType({})
    """Parameters that are references to further features, and the types that they may have."""
    touches: ClassVar[bool] = False
    """Whether it is between surfaces themselves, for which no centre or axis stands."""
    removes: ClassVar[int | None] = None
    """Freedoms that it removes between two free parts; None where that depends on the features."""
    coordinates: ClassVar[tuple[str, ...]] = ()
    """What a driver or a limit can name: "angle" and "length" of b relative to a along z of a."""

    def __init_subclass__(cls) -> None:
        if cls.kind and "kind" in cls.__dict__:
            if cls.kind in _REGISTRY:
                raise DuplicateName("mate kind", cls.kind)
            _REGISTRY[cls.kind] = cls

    @classmethod
    @cache
    def parameter_names(cls) -> tuple[str, ...]:
        """The parameters of this kind, in the order of the file."""
        own = {"a", "b", "name"}
        return tuple(f.name for f in fields(cls) if f.name not in own)

    @classmethod
    @cache
    def required_parameters(cls) -> tuple[str, ...]:
        """The parameters that have no default."""
        own = {"a", "b", "name"}
        return tuple(f.name for f in fields(cls) if f.name not in own and f.default is MISSING)

    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name not in {"a", "b", "name"} and getattr(self, f.name) != f.default
        }

    def check(self, place: str) -> None:
        """Raise where a parameter has no meaning."""

    def check_ends(self, a: End, b: End, place: str) -> None:
        """Raise where these features and the parameters do not go together."""

    def placed(self, a: End, b: End) -> tuple[End, End]:
        """The ends with the markers that the equations are about: those of the features."""
        return a, b

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        """The promise as independent equations between the markers."""
        raise NotImplementedError

    def chosen_by(self, a: End, b: End) -> Measure | None:
        """The measure whose sign at the start tells the nearest sense; None: nothing to choose."""
        return None

    def coordinate(self, name: str, a: End, b: End) -> Measure:
        """The measure behind a joint coordinate."""
        if name == "angle":
            return Measure(m.ROTATION, 0, 0, a.marker, b.marker)
        return Measure(m.DISPLACEMENT, 2, 0, a.marker, b.marker)

    def bounds(self, a: End, b: End) -> Mapping[str, tuple[float, float]]:
        """The ends that the features give to coordinates, mm or degrees."""
        return {}

    @classmethod
    def frame_on_second(cls, at: Frame) -> Frame:
        """The feature of the second part where a joint is placed once."""
        return at

    def __str__(self) -> str:
        return self.name


_REGISTRY: dict[str, type[Mate]] = {}
MATES: Mapping[str, type[Mate]] = MappingProxyType(_REGISTRY)
"""Every mate and joint kind by its name in files."""


def kind_named(kind: str | type[Mate], place: str) -> type[Mate]:
    """A mate kind by its name, or itself."""
    if isinstance(kind, type) and issubclass(kind, Mate) and kind.kind:
        return kind
    if kind not in MATES:
        raise UnknownName("mate kind", str(kind), MATES, place)
    return MATES[str(kind)]


@dataclass(frozen=True, kw_only=True)
class SensedMate(Mate):
    """A mate of two directions that may point the same way or opposite ways."""

    sense: Sense = "nearest"

    def check(self, place: str) -> None:
        if self.sense not in SENSES:
            raise BadValue(f"{place}.sense", self.sense, "aligned, opposed or nearest")

    def chosen_by(self, a: End, b: End) -> Measure | None:
        if self.sense == "nearest":
            return Measure(m.COSINE, 2, 2, a.marker, b.marker)
        return None


class Held(NamedTuple):
    """A mate with its ends looked up and its equations written."""

    mate: Mate
    a: End
    b: End
    equations: tuple[Equation, ...]
    chosen_by: Measure | None


def sense_asked(held: Held) -> int:
    """+1 aligned, -1 opposed, 0 none or the nearest."""
    return ASKED.get(getattr(held.mate, "sense", ""), 0)


def sense_taken(held: Held, a: Array, b: Array) -> int:
    """+1 aligned, -1 opposed, 0 none: as asked, or the nearest where the parts have frames a, b."""
    asked = sense_asked(held)
    if asked or held.chosen_by is None:
        return asked
    return 1 if read(held.chosen_by, a, b) >= SQUARE_COSINE else -1


def check_types(mate: Mate, a: Feature, b: Feature, place: str) -> None:
    """Raise where a kind has no meaning for these two features."""
    for one, two in mate.takes:
        if isinstance(a, one) and isinstance(b, two):
            return
    fits = [t for t in mate.takes if isinstance(a, t[0])]
    if not fits:
        wanted = sorted({c.__name__ for t in mate.takes for c in t[0]})
        raise FeatureTypeError(mate.kind, f"{place}.a", str(mate.a), type(a).__name__, wanted)
    wanted = sorted({c.__name__ for t in fits for c in t[1]})
    raise FeatureTypeError(mate.kind, f"{place}.b", str(mate.b), type(b).__name__, wanted)


def check_more(mate: Mate, name: str, feature: Feature, place: str) -> None:
    """Raise where a further feature of a mate is of the wrong type."""
    takes = mate.takes_more[name]
    if not isinstance(feature, takes):
        wanted = sorted(c.__name__ for c in takes)
        given = str(getattr(mate, name))
        raise FeatureTypeError(mate.kind, f"{place}.{name}", given, type(feature).__name__, wanted)


def check_parameters(cls: type[Mate], parameters: Mapping[str, Any], place: str) -> None:
    """Raise where a parameter is unknown or missing."""
    for key in parameters:
        if key not in cls.parameter_names():
            known = (*cls.parameter_names(), "name", "a", "b")
            raise UnknownName("parameter", key, known, place, cls.kind)
    for key in cls.required_parameters():
        if key not in parameters:
            raise MissingKey(place, cls.kind, key)

"""Tolerances: what a dimension, a feature or a joint may be off, mm or degrees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ...errors import BadValue, Contradiction, FeatureTypeError, MissingKey, UnknownName
from ..entries import NamedEntries
from ..feature import Axis, Feature, Frame, Plane, Point
from ..mate import Mate, Reference, ResolvedMate
from ..measures.measure import IS_ANGLE
from ..numbers import is_number, not_negative, positive

DISTRIBUTIONS = ("normal", "uniform", "triangular")
SIGMA = 3.0
"""A setting: standard deviations between the middle and a bound where the file says nothing."""

SUBJECTS = ("parameter", "driver", "mate", "feature", "joint")
"""The keys that name what a tolerance is of."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "parameter": ("plus", "minus", "distribution", "sigma"),
    "driver": ("plus", "minus", "distribution", "sigma"),
    "mate": ("value", "plus", "minus", "distribution", "sigma"),
    "feature": ("position", "angle", "distribution", "sigma"),
    "joint": ("radial", "length"),
}
"""The keys that go with each of them."""

ZONES: Mapping[str, tuple[type[Feature], ...]] = {
    "position": (Point, Axis, Frame),
    "angle": (Axis, Plane, Frame),
}
"""Types of features that may be off their position, or their direction."""

PLAYING = ("revolute", "cylindrical", "coaxial", "screw")
"""Kinds of mates with a pin in a hole, which may have play."""


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """What one dimension may be off its nominal value.

    Attributes:
        parameter, driver, joint: names; mate: a name, with `value`, a number that it takes; one of
            these, or `feature`.
        plus, minus: the bounds about the nominal value, mm or degrees, at least 0.
        position: diameter, mm, of the zone of a point (a ball), or of an axis (a disc across it);
            angle: half-angle, degrees, of the cone of a direction.
        radial: play of a joint: the radius of the disc in which its pin may stand, mm; with
            `length`, mm, at both ends of so long a hole, so that the pin may also tilt.
        distribution: "normal" with the bounds at `sigma` standard deviations and the mean in the
            middle, "uniform" or "triangular"; of a zone that of its coordinates: for a normal one
            each has its radius at `sigma`, the others are those of a disc, a ball or a cone.
    """

    name: str
    parameter: str | None = None
    driver: str | None = None
    mate: str | None = None
    value: str | None = None
    feature: Reference | None = None
    joint: str | None = None
    plus: float = 0.0
    minus: float = 0.0
    position: float | None = None
    angle: float | None = None
    radial: float | None = None
    length: float | None = None
    distribution: str = "normal"
    sigma: float = SIGMA

    @property
    def subject(self) -> str:
        """Which of `SUBJECTS` it is of."""
        return next(key for key in SUBJECTS if getattr(self, key) is not None)

    def parameters(self) -> dict[str, Any]:
        """The fields besides the name that differ from their defaults."""
        values = ((f, getattr(self, f.name)) for f in fields(self) if f.name != "name")
        return {f.name: value for f, value in values if value != f.default}


TOLERANCE_KEYS = tuple(f.name for f in fields(Tolerance) if f.name != "name")
"""The keys of an entry."""


class TolerancedNames(NamedTuple):
    """What a tolerance may name: the entries of an assembly, and its parameters."""

    entries: NamedEntries
    parameters: Mapping[str, float]
    reference: Any


def make_tolerance(
    name: str, given: Mapping[str, Any], known: TolerancedNames, place: str
) -> Tolerance:
    """A tolerance with its names resolved and its values checked.

    Args:
        given: by `TOLERANCE_KEYS`; None or absent where not given.

    Raises UnknownName, MissingKey, Contradiction, BadValue, FeatureTypeError.
    """
    for key in given:
        if key not in TOLERANCE_KEYS:
            raise UnknownName("parameter", key, TOLERANCE_KEYS, place, "a tolerance")
    own = {key: value for key, value in given.items() if value is not None}
    subjects = [key for key in SUBJECTS if key in own]
    if len(subjects) > 1:
        raise Contradiction(place, *subjects[:2])
    if not subjects:
        raise MissingKey(place, "a tolerance", "parameter, driver, mate, feature or joint")
    for key in own:
        if key != subjects[0] and key not in KEYS[subjects[0]]:
            raise Contradiction(place, subjects[0], key)
    _check_numbers(own, place)
    if subjects[0] == "feature":
        own["feature"] = _zone(own, known, place)
    elif subjects[0] == "joint":
        _check_play(own, known.entries, place)
    else:
        _check_dimension(subjects[0], own, known, place)
    return Tolerance(name=name, **own)


def _check_numbers(own: dict[str, Any], place: str) -> None:
    """Check the numbers of a tolerance, and make floats of them."""
    for key in ("plus", "minus", "position", "angle", "radial"):
        if key in own:
            own[key] = not_negative(own[key], f"{place}.{key}")
    for key in ("sigma", "length"):
        if key in own:
            own[key] = positive(own[key], f"{place}.{key}", "a number above 0")
    kind = own.get("distribution", "normal")
    if kind not in DISTRIBUTIONS:
        raise BadValue(f"{place}.distribution", kind, ", ".join(DISTRIBUTIONS))
    if "sigma" in own and kind != "normal":
        raise Contradiction(place, f"distribution {kind!r}", "sigma")


def _zone(own: Mapping[str, Any], known: TolerancedNames, place: str) -> Reference:
    """The feature of a zone or a cone, of a type that it fits."""
    ref: Reference = known.reference(own["feature"], f"{place}.feature")
    keys = [key for key in ZONES if key in own]
    if not keys:
        raise MissingKey(place, "a tolerance of a feature", "position or angle")
    feature = known.entries.parts[ref.part].feature(ref.feature)
    for key in keys:
        if not isinstance(feature, ZONES[key]):
            names = [kind.__name__ for kind in ZONES[key]]
            kind = type(feature).__name__
            raise FeatureTypeError(f"tolerance of {key}", place, str(ref), kind, names)
    return ref


def _check_play(own: Mapping[str, Any], entries: NamedEntries, place: str) -> None:
    joints = [n for n, h in entries.held.items() if h.mate.kind in PLAYING]
    if own["joint"] not in joints:
        raise UnknownName("joint with a pin", str(own["joint"]), joints, f"{place}.joint")
    if "radial" not in own:
        raise MissingKey(place, "play of a joint", "radial")


def _check_dimension(
    subject: str, own: Mapping[str, Any], known: TolerancedNames, place: str
) -> None:
    """Raise where a dimension does not exist, or has no bounds."""
    names: Mapping[str, Mapping[str, Any]] = {
        "parameter": known.parameters,
        "driver": known.entries.drivers,
        "mate": known.entries.held,
    }
    name = own[subject]
    if not isinstance(name, str) or name not in names[subject]:
        raise UnknownName(subject, str(name), names[subject], f"{place}.{subject}")
    if subject == "driver" and known.entries.drivers[name].value is None:
        raise BadValue(f"{place}.driver", name, "a driver with a value")
    if subject == "mate":
        numbers = numbers_of(known.entries.held[name].mate)
        if "value" not in own:
            raise MissingKey(place, "a tolerance of a mate", "value")
        if own["value"] not in numbers:
            raise UnknownName("number", str(own["value"]), numbers, f"{place}.value", name)
    if "plus" not in own and "minus" not in own:
        raise MissingKey(place, f"a tolerance of a {subject}", "plus or minus")


def numbers_of(mate: Mate) -> list[str]:
    """The parameters of a mate that are a number, mm, degrees or a ratio."""
    names = mate.parameter_names()
    return [name for name in names if is_number(getattr(mate, name))]


def mate_unit(found: ResolvedMate, value: str) -> str:
    """The unit of a number of a mate: "deg", "mm", or "" for a ratio."""
    if value == "ratio":
        return ""
    asked = found.equations[-1].terms[0][1]  # a relation of angles alone is in degrees
    return "deg" if value in ("value", "constant") and IS_ANGLE[asked.kind] else "mm"

"""Quantities: scalars of an assembly, what drivers drive and limits bound.

A joint coordinate, the separation of two points, or the distance or the angle of two features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, radians
from typing import Any

from ...errors import BadValue, Contradiction, MissingKey, SelfMate, UnknownName
from ..mate import Equation, Held, Mate, Reference, holds, on_axis, parallel, together
from ..mates.basic import FLAT_ANGLE, Angle, Distance
from ..mates.couplings import Coupling
from ..measures import measure as m
from ..measures.measure import IS_ANGLE, Measure, opposed
from ..numbers import finite
from ..part import Part
from ..references import end_of, hold

MEASURES = ("separation", "distance", "angle")
"""What may be told of two features, by key."""

NAMING = ("joint", "coordinate", *MEASURES, "about")
"""The keys that say what a quantity is."""

RANGES: Mapping[int, tuple[float, float, str]] = {
    m.SEPARATION: (0.0, inf, "a length of at least 0"),
    m.RADIUS: (0.0, inf, "a length of at least 0"),
    m.INCLINATION: (0.0, 180.0, 'an angle of 0 to 180 degrees (or "about")'),
}
"""What values measures can have that have not all of them, mm or degrees."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One scalar of an assembly that can be given a value.  Degrees and mm.

    Attributes:
        name: unique among its like in its assembly.
        joint, coordinate: the mate's name and "angle" or "length"; or
        separation: two features whose origins are so far apart; or
        distance, angle: two features that have it as in the mates of these names; of axes or
            planes it is the distance of b's origin, as other mates keep them parallel.
        about: the axis about which the angle is told.
        equation: the measure with target 0, made when the quantity is entered.
    """

    name: str
    joint: str | None = None
    coordinate: str | None = None
    separation: tuple[Reference, Reference] | None = None
    distance: tuple[Reference, Reference] | None = None
    angle: tuple[Reference, Reference] | None = None
    about: Reference | None = None
    equation: Equation = field(repr=False)

    @property
    def words(self) -> str:
        """What it is, in the user's names."""
        if self.ends is not None:
            return "{} {} - {}".format(self.kind, *self.ends)
        return f"{self.joint} {self.coordinate}"

    @property
    def ends(self) -> tuple[Reference, Reference] | None:
        """The two features that it is between; None for a coordinate of a joint."""
        return self.separation or self.distance or self.angle

    @property
    def kind(self) -> str:
        """What it is, in a word."""
        return self.coordinate or next(key for key in MEASURES if getattr(self, key) is not None)

    @property
    def unit(self) -> str:
        """Unit of its values."""
        return "deg" if IS_ANGLE[self.measure.kind] else "mm"

    @property
    def measure(self) -> Measure:
        """What reads it, mm or rad."""
        ((_, found),) = self.equation.terms
        return found

    @property
    def range_of_values(self) -> tuple[float, float]:
        """Least and largest value that it can have, mm or degrees."""
        low, high, _ = RANGES.get(self.measure.kind, (-inf, inf, ""))
        return low, high

    def named(self) -> dict[str, Any]:
        """What it is as in a file, references as pairs of part and feature."""
        out: dict[str, Any] = {}
        for key in NAMING:
            value = getattr(self, key)
            if isinstance(value, Reference):
                out[key] = list(value)
            elif value is not None:
                out[key] = value if isinstance(value, str) else [list(ref) for ref in value]
        return out

    def at(self, value: float) -> tuple[Equation, ...]:
        """What imposes a value (degrees, mm), in mm and rad.

        Where the measure has no slope, at the ends of what it can be, it is a mate: points
        coincide, a point lies on an axis, directions are parallel.
        """
        found = self.measure
        if found.kind == m.SEPARATION and value == 0.0:
            return together(found.a, found.b)
        if found.kind == m.RADIUS and value == 0.0:
            return on_axis(found.a, found.b)
        if found.kind == m.INCLINATION and min(value, 180.0 - value) < FLAT_ANGLE:
            return parallel(found.a, found.b if value < 90.0 else opposed(found.b))
        return (holds(found, radians(value) if self.unit == "deg" else value),)

    def checked(self, value: float | None, place: str) -> float | None:
        """A value, or the error that says what a quantity of this kind can take."""
        if value is None:
            return None
        any_number = f"a finite number ({self.unit})"
        low, high, wanted = RANGES.get(self.measure.kind, (-inf, inf, any_number))
        if not low <= finite(value, place, wanted) <= high:
            raise BadValue(place, value, wanted)
        return float(value)


def looked_up(
    held: Mapping[str, Held],
    parts: Mapping[str, Part],
    reference: Callable[[Any, str], Reference],
    what: str,
    told: Mapping[str, Any],
    known: Iterable[Quantity],
    place: str,
) -> dict[str, Any]:
    """The fields of a quantity but its name, from the words that a user names it with.

    Args:
        held: the mates; parts: the parts; reference: looks up a feature.
        what: who asks, for errors: "a driver".
        told: what was given of `NAMING`, with None for what was not.
        known: the quantities that are there: one that reads the same has the same equation.
    """
    ways = [key for key in ("joint", *MEASURES) if told.get(key) is not None]
    if len(ways) > 1:
        raise Contradiction(place, *ways[:2])
    if not ways:
        raise MissingKey(place, what, "joint")
    for key, only in (("coordinate", "joint"), ("about", "angle")):
        if told.get(key) is not None and ways[0] != only:
            raise Contradiction(place, ways[0], key)
    if ways[0] == "joint":
        return _coordinate(held, told["joint"], told.get("coordinate"), place)
    where = f"{place}.{ways[0]}"
    given = told[ways[0]]
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise BadValue(where, given, "two features")
    a, b = (reference(r, where) for r in given)
    if a.part == b.part:
        raise SelfMate(f"{a} - {b}", a.part, place, ways[0])
    fields: dict[str, Any] = {ways[0]: (a, b)}
    if told.get("about") is not None:
        fields["about"] = reference(told["about"], f"{place}.about")
    for q in known:
        if all(getattr(q, key) == fields.get(key) for key in (*MEASURES, "about")):
            return fields | {"equation": q.equation}
    return fields | {"equation": holds(_measure(fields, parts, where))}


def _measure(fields: Mapping[str, Any], parts: Mapping[str, Part], place: str) -> Measure:
    """What reads the separation, the distance or the angle of two features."""
    ((key, (a, b)), *_) = fields.items()
    if key == "separation":
        return Measure(m.SEPARATION, 0, 0, end_of(a, parts).marker, end_of(b, parts).marker)
    if key == "distance":
        apart = hold(Distance(a=a, b=b, name=f"{a} - {b}", value=1.0), parts, place)
        return apart.equations[-1].terms[0][1]
    turned = hold(
        Angle(a=a, b=b, name=f"{a} - {b}", value=90.0, about=fields.get("about")), parts, place
    )
    ((_, found),), target = turned.equations[0]
    assert target is not None
    if target > 0:
        return found
    return found._replace(a=opposed(found.a))  # the axis is on b: turned about, so is the sign


def _coordinate(
    held: Mapping[str, Held], joint: str | Mate, coordinate: str | None, place: str
) -> dict[str, Any]:
    name = joint.name if isinstance(joint, Mate) else str(joint)
    if name not in held:
        raise UnknownName("joint", name, _moving(held), place)
    found = held[name]
    known = _coordinates(found)
    if coordinate is None and not known:
        raise UnknownName("joint that turns or slides", name, _moving(held), place)
    if coordinate is None and len(known) > 1:
        raise MissingKey(place, f"{name!r}, which has {' and '.join(known)},", "coordinate")
    coordinate = known[0] if coordinate is None else coordinate
    if coordinate not in known:
        raise UnknownName("coordinate", coordinate, known, place, repr(name))
    measure = found.mate.coordinate(coordinate, found.a, found.b)
    return {"joint": name, "coordinate": coordinate, "equation": holds(measure)}


def _coordinates(held: Held) -> tuple[str, ...]:
    """What a mate measures of two parts: nothing where it couples others."""
    return () if isinstance(held.mate, Coupling) else held.mate.coordinates


def _moving(held: Mapping[str, Held]) -> list[str]:
    """The names of the mates that have a coordinate."""
    return [name for name, found in held.items() if _coordinates(found)]

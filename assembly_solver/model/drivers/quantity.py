"""Quantities: the scalars of an assembly that drivers prescribe and limits bound.

A joint coordinate, the separation of two points, or the distance or the angle of two features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from ...errors import BadValue, Contradiction, MissingKey, SelfMate, UnknownName
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.numerics.varied import radians
from ..mate import Equation, Mate, Reference, ResolvedMate, holds, on_axis, parallel, together
from ..mates.basic import Angle, Distance
from ..mates.couplings import coordinates_of, with_coordinates
from ..measures import measure as m
from ..measures.measure import IS_ANGLE, Measure, opposed
from ..numbers import finite, several
from ..part import Part
from ..references import end_of, resolve_mate

MEASURES = ("separation", "distance", "angle")
"""The quantities between two features, by key."""

NAMING = ("joint", "coordinate", *MEASURES, "about")
"""The keys that name a quantity."""

RANGES: Mapping[int, tuple[float, float, str]] = {
    m.SEPARATION: (0.0, inf, "a length of at least 0"),
    m.RADIUS: (0.0, inf, "a length of at least 0"),
    m.INCLINATION: (0.0, 180.0, 'an angle of 0 to 180 degrees (or "about")'),
}
"""Ranges of the measures with bounded values, mm or degrees, and the words for them."""
ANY_LENGTH, ANY_ANGLE = ((-inf, inf, f"a finite number ({unit})") for unit in ("mm", "deg"))


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One scalar of an assembly, mm or degrees.

    Attributes:
        joint, coordinate: the mate's name and "angle" or "length"; or
        separation: two features, for the distance of their origins; or
        distance, angle: two features, for the quantity of the mate of that name; the distance of
            axes or planes is that of b's origin, as other mates keep them parallel.
        about: the axis that gives the angle a sign.
        equation: the measure with target 0.
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
        """The quantity in the user's names, as "separation arm.pin - base.pin"."""
        if self.ends is not None:
            return "{} {} - {}".format(self.kind, *self.ends)
        return f"{self.joint} {self.coordinate}"

    @property
    def ends(self) -> tuple[Reference, Reference] | None:
        """The two features; None for a coordinate of a joint."""
        return self.separation or self.distance or self.angle

    @property
    def kind(self) -> str:
        """Its kind: "angle", "length", "separation" or "distance"."""
        return self.coordinate or next(key for key in MEASURES if getattr(self, key) is not None)

    @property
    def unit(self) -> str:
        """Unit of its values: "deg" or "mm"."""
        return "deg" if IS_ANGLE[self.measure.kind] else "mm"

    @property
    def measure(self) -> Measure:
        """Its measure, mm or rad."""
        ((_, found),) = self.equation.terms
        return found

    @property
    def range_of_values(self) -> tuple[float, float]:
        """Least and largest possible value, mm or degrees; infinite where there is none."""
        low, high, _ = RANGES.get(self.measure.kind, (-inf, inf, ""))
        return low, high

    def named(self) -> dict[str, Any]:
        """The keys of `NAMING` as in a file, references as pairs of part and feature."""
        out: dict[str, Any] = {}
        for key in NAMING:
            value = getattr(self, key)
            if isinstance(value, Reference):
                out[key] = list(value)
            elif value is not None:
                out[key] = value if isinstance(value, str) else [list(ref) for ref in value]
        return out

    def at(self, value: float) -> tuple[Equation, ...]:
        """The equations that prescribe a value (mm or degrees), in mm and rad.

        At the ends of its range a measure has no gradient; there they are those of a mate:
        coincident points, a point on an axis, parallel directions.
        """
        found = self.measure
        if found.kind == m.SEPARATION and value == 0.0:
            return together(found.a, found.b)
        if found.kind == m.RADIUS and value == 0.0:
            return on_axis(found.a, found.b)
        if found.kind == m.INCLINATION and min(value, 180.0 - value) < AGREEMENT:
            return parallel(found.a, found.b if value < 90.0 else opposed(found.b))
        return (holds(found, radians(value) if IS_ANGLE[found.kind] else value),)

    def checked(self, value: float | None, place: str) -> float | None:
        """The value as a float, mm or degrees; None for None.  Raises BadValue: not finite, or
        outside the possible range of the quantity."""
        if value is None:
            return None
        kind = self.measure.kind
        low, high, wanted = RANGES.get(kind) or (ANY_ANGLE if IS_ANGLE[kind] else ANY_LENGTH)
        number = finite(value, place, wanted)
        if not low <= number <= high:
            raise BadValue(place, value, wanted)
        return number


class QuantityEntries(NamedTuple):
    """The entries of an assembly that the name of a quantity refers to.

    Attributes:
        mates, parts: by name; reference: looks up a feature, as `Assembly.reference`.
    """

    mates: Mapping[str, ResolvedMate]
    parts: Mapping[str, Part]
    reference: Callable[[Any, str], Reference]


def resolve_quantity(
    entries: QuantityEntries, what: str, named: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """The fields of a quantity except its name, from the keys that name it.

    Args:
        what: the kind of entry, for errors: "a driver".
        named: values by the keys of `NAMING`; None or absent where not given.

    Raises UnknownName, MissingKey, Contradiction, SelfMate, BadValue.
    """
    keys = [key for key in ("joint", *MEASURES) if named.get(key) is not None]
    if len(keys) > 1:
        raise Contradiction(place, *keys[:2])
    if not keys:
        raise MissingKey(place, what, "joint")
    for key, only in (("coordinate", "joint"), ("about", "angle")):
        if named.get(key) is not None and keys[0] != only:
            raise Contradiction(place, keys[0], key)
    if keys[0] == "joint":
        return _coordinate(entries.mates, named["joint"], named.get("coordinate"), place)
    where = f"{place}.{keys[0]}"
    pair = several(named[keys[0]], 2, where, "two features")
    a, b = (entries.reference(r, where) for r in pair)
    if a.part == b.part:
        raise SelfMate(f"{a} - {b}", a.part, place, keys[0])
    fields: dict[str, Any] = {keys[0]: (a, b)}
    if named.get("about") is not None:
        fields["about"] = entries.reference(named["about"], f"{place}.about")
    return fields | {"equation": holds(_measure(fields, entries.parts, where))}


def _measure(fields: Mapping[str, Any], parts: Mapping[str, Part], place: str) -> Measure:
    """The measure of the separation, the distance or the angle of two features."""
    ((key, (a, b)), *_) = fields.items()
    if key == "separation":
        return Measure(m.SEPARATION, 0, 0, end_of(a, parts).marker, end_of(b, parts).marker)
    if key == "distance":
        distance = resolve_mate(Distance(a=a, b=b, name=f"{a} - {b}", value=1.0), parts, place)
        return distance.equations[-1].terms[0][1]
    angle = resolve_mate(
        Angle(a=a, b=b, name=f"{a} - {b}", value=90.0, about=fields.get("about")), parts, place
    )
    ((_, found),), target = angle.equations[0]
    assert target is not None
    if target > 0:
        return found
    return found._replace(a=opposed(found.a))  # the axis is on b: reversing it reverses the sign


def _coordinate(
    mates: Mapping[str, ResolvedMate], joint: str | Mate, coordinate: str | None, place: str
) -> dict[str, Any]:
    name = joint.name if isinstance(joint, Mate) else str(joint)
    if name not in mates:
        raise UnknownName("joint", name, with_coordinates(mates), place)
    found = mates[name]
    known = coordinates_of(found)
    if coordinate is None and not known:
        raise UnknownName("joint that turns or slides", name, with_coordinates(mates), place)
    if coordinate is None and len(known) > 1:
        raise MissingKey(place, f"{name!r}, which has {' and '.join(known)},", "coordinate")
    coordinate = known[0] if coordinate is None else coordinate
    if coordinate not in known:
        raise UnknownName("coordinate", coordinate, known, place, repr(name))
    measure = found.mate.coordinate(coordinate, found.a, found.b)
    return {"joint": name, "coordinate": coordinate, "equation": holds(measure)}

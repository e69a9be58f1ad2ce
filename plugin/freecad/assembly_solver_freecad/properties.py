"""The properties of a mate in the document: its kind, elements and parameters.

Each parameter is a property with a name and a type, so that the user edits it as any other;
properties that the present kind does not use are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

import assembly_solver as asm

from .choosing import COUPLINGS, TURNED, choice_of
from .document import Asked
from .mate_elements import chosen_of

VALUES, LIMITS = "Mate", "Limits"
"""Headings in the list of properties."""


class MateProperty(NamedTuple):
    """A property: its name, its type in FreeCAD, and its description."""

    name: str
    type: str
    words: str
    choices: tuple[str, ...] = ()


_SENSES = ("nearest", "aligned", "opposed")
_ENTRIES: Mapping[str, MateProperty] = {
    "sense": MateProperty(
        *("Sense", "App::PropertyEnumeration"),
        "Whether the directions point the same way, opposite ways, or as is nearest",
        _SENSES,
    ),
    "offset": MateProperty(
        "Offset", "App::PropertyDistance", "How far apart, along the normal of the first"
    ),
    "distance": MateProperty("Distance", "App::PropertyDistance", "How far apart"),
    "angle": MateProperty("Angle", "App::PropertyAngle", "The angle between the directions"),
    "side": MateProperty(
        "Side",
        "App::PropertyEnumeration",
        "Which side the one is of the other",
        ("outside", "inside"),
    ),
    "skew": MateProperty("Skew", "App::PropertyBool", "The axes lie across each other"),
    "surfaces": MateProperty("Surfaces", "App::PropertyBool", "Measured between the surfaces"),
    "pitch": MateProperty("Pitch", "App::PropertyDistance", "Way along the axis per turn"),
    "length": MateProperty("SlotLength", "App::PropertyLength", "Way of the pin; 0 for no ends"),
    "ratio": MateProperty(
        "Ratio", "App::PropertyFloat", "Turns of the second for one of the first"
    ),
    "radii": MateProperty("Radii", "App::PropertyFloatList", "Of the two pulleys, mm"),
    "crossed": MateProperty("Crossed", "App::PropertyBool", "The second turns the other way round"),
    "radius": MateProperty("PitchRadius", "App::PropertyDistance", "Of the pinion"),
    "coordinates": MateProperty(
        "Coordinates", "App::PropertyStringList", "What counts of each joint: angle or length"
    ),
    "coefficients": MateProperty(
        "Coefficients", "App::PropertyFloatList", "Of mm and degrees; their sum stays as it is"
    ),
}
"""Properties by parameter; a `value` is named after the kind."""

_NOT_SHOWN = ("joints", "constant", "teeth", "internal")
"""Parameters without a property: constants follow from the poses, teeth from their ratio."""


def entries(kind: str) -> Iterator[tuple[str, MateProperty]]:
    """The parameters of a kind that are properties, each with its property."""
    cls = asm.MATES[kind]
    names = [*cls.parameter_names(), *(["sense"] if kind in TURNED else [])]
    for name in names:
        if name not in cls.takes_more and name not in _NOT_SHOWN:
            yield name, _entry(kind, name)


def property_of_value(kind: str) -> str:
    """The property with the distance or angle of a kind; "" where it has none."""
    cls = asm.MATES[kind]
    told = [name for name in ("value", "offset") if name in cls.parameter_names()]
    return _entry(kind, told[0]).name if told and not cls.coordinates else ""


def _entry(kind: str, name: str) -> MateProperty:
    """The property of a parameter."""
    return _ENTRIES[kind if name == "value" else name]


class Bound(NamedTuple):
    """The properties of one limit of a coordinate, named as those of FreeCAD's joints."""

    coordinate: str
    end: str

    @property
    def value(self) -> str:
        """Name of the property with the bound."""
        return f"{self.coordinate.capitalize()}{self.end.capitalize()}"

    @property
    def on(self) -> str:
        """Name of the property that activates the limit."""
        return f"Enable{self.value}"


def bounds(kind: str) -> list[Bound]:
    """The bounds that the coordinates of a kind can have."""
    return [Bound(c, end) for c in asm.MATES[kind].coordinates for end in ("min", "max")]


# ------------------------------------------------------------------------------------ writing
def begin(mate: Any) -> None:
    """Set the initial parameters of a mate whose kind was changed, measured at the present poses.

    A mate between joints has the parameters of all kinds since it was made.
    """
    kind = str(mate.MateKind)
    if kind not in COUPLINGS:
        plain = {f.name: f.default for f in fields(asm.MATES[kind]) if f.default is not MISSING}
        with suppress(asm.AssemblySolverError):  # of its elements: told when the mate is read
            plain |= choice_of(kind, chosen_of(mate)).parameters
        write(mate, kind, {"sense": "nearest", **plain})
    suit(mate)


def write(mate: Any, kind: str, parameters: Mapping[str, Any]) -> None:
    """Set the parameters of a mate, and add missing properties of its kind."""
    for name, entry in entries(kind):
        new = not hasattr(mate, entry.name)
        if new:
            mate.addProperty(entry.type, entry.name, VALUES, entry.words)
        if new and entry.choices:
            setattr(mate, entry.name, list(entry.choices))
        if parameters.get(name) is not None:
            setattr(mate, entry.name, parameters[name])


def suit(mate: Any) -> None:
    """Add the limits of a mate's coordinates, and hide properties that its kind does not use."""
    kind = str(mate.MateKind)
    wanted = {entry.name for _, entry in entries(kind)} | {"MateKind", "Suppressed"}
    for bound in bounds(kind):
        wanted |= {bound.value, bound.on}
        if not hasattr(mate, bound.value):
            type_ = "Angle" if bound.coordinate == "angle" else "Distance"
            words = f"The {bound.coordinate} is at {_ENDS[bound.end]} this"
            mate.addProperty(f"App::Property{type_}", bound.value, LIMITS, words)
            mate.addProperty("App::PropertyBool", bound.on, LIMITS, f"Whether {bound.value} counts")
    for name in mate.PropertiesList:
        if mate.getGroupOfProperty(name) in (VALUES, LIMITS):
            mate.setEditorMode(name, 0 if name in wanted else 2)


_ENDS = {"min": "least", "max": "most"}


# ------------------------------------------------------------------------------------ reading
def parameters_of(mate: Any, asked: Asked | None = None) -> dict[str, Any]:
    """The parameters of a mate, mm and degrees, without neutral ones.

    Args:
        asked: a property, and the value that replaces it.
    """
    out = {}
    for name, entry in entries(str(mate.MateKind)):
        found = getattr(mate, entry.name, None)
        value = getattr(found, "Value", found)
        if asked is not None and asked.key == entry.name:
            value = asked.value
        nothing = value is None or value is False or (name == "length" and value == 0.0)
        if not nothing and value not in ("nearest", "outside"):
            out[name] = value
    return out


def limits_of(mate: Any) -> dict[str, dict[str, Any]]:
    """The active limits, `min` and `max` by coordinate; mm and degrees."""
    out: dict[str, dict[str, Any]] = {}
    for bound in bounds(str(mate.MateKind)):
        if getattr(mate, bound.on, False):
            out.setdefault(bound.coordinate, {})[bound.end] = getattr(mate, bound.value).Value
    return out

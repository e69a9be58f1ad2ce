"""Features and mates for the script of a page: what can be pointed at and measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import kind_words
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.building.groups import references
from ...model.feature import Axis, Feature, Frame, Plane
from ...model.mates.couplings import Coupling
from .packing import packed
from .scene_facts import JointCoordinate

LETTERS = ((Plane, "plane"), (Axis, "axis"), (Frame, "frame"))
"""What a feature is measured as; all others are points."""

UNITS = {"angle": "deg", "length": "mm"}


def feature_lists(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """The features of each part: names, what they are, and origin and z in the part, mm."""
    names = {name: dict.fromkeys(part.feature_names()) for name, part in assembly.parts.items()}
    for held in assembly.held.values():
        for ref in references(held.mate).values():
            names[ref.part][ref.feature] = None
    return {part: _features(assembly, part, list(own)) for part, own in names.items()}


def _features(assembly: Assembly, part: str, names: list[str]) -> dict[str, Any]:
    features = [assembly.parts[part].feature(name) for name in names]
    return {
        "names": names,
        "kinds": [_kind(feature) for feature in features],
        "frames": packed([(*f.frame[:3], *f.frame[9:]) for f in features], "<f4"),
    }


def _kind(feature: Feature) -> str:
    return next((word for kind, word in LETTERS if isinstance(feature, kind)), "point")


def mate_entries(
    assembly: Assembly,
    features: Mapping[str, dict[str, Any]],
    values: Mapping[JointCoordinate, float],
) -> list[dict[str, Any]]:
    """The mates in their order: name, kind, ends as numbers of part and feature, coordinates.

    A coupling has no ends; `of` are the numbers of the mates that it couples.
    """
    parts = {name: k for k, name in enumerate(assembly.parts)}
    mates = {name: k for k, name in enumerate(assembly.mates)}
    return [
        {
            "name": name,
            "kind": kind_words(mate.kind),
            "ends": [
                [parts[ref.part], features[ref.part]["names"].index(ref.feature)]
                for ref in references(mate).values()
            ],
            "of": [mates[j] for j in mate.joints] if isinstance(mate, Coupling) else [],
            "coordinates": [
                {"name": c, "unit": UNITS[c], "value": values.get((name, c))}
                for c in (() if isinstance(mate, Coupling) else mate.coordinates)
            ],
        }
        for name, mate in assembly.mates.items()
    ]


def curve_entries(
    assembly: Assembly, curves: Mapping[JointCoordinate, Array]
) -> list[dict[str, Any]]:
    """Joint coordinates over the states of a motion: number of the mate, name, values."""
    mates = {name: k for k, name in enumerate(assembly.mates)}
    return [
        {"mate": mates[mate], "name": coordinate, "values": packed(values, "<f4")}
        for (mate, coordinate), values in curves.items()
    ]

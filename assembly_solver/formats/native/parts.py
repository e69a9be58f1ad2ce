"""Parts in the native format: poses, masses and features, read and written."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import BadValue, Contradiction, FormatError, MissingKey
from ...foundations.geometry.pose import Pose
from ...model.assembly import Assembly
from ...model.building.driving import FormulaEntry
from ...model.curve import Curve
from ...model.feature import Axis, Cone, Feature, Frame, Plane, Point, Sphere, Torus
from ...model.mass import Mass
from ...model.mate import Reference
from ...model.numbers import finite, true_or_false
from ...model.part import Part
from ..shapes.picks import TYPES as READINGS
from . import entry_keys, validation
from .parameters import plain

COLOUR = "x-colour"
SELECT, AS = "select", "as"
SELECT_KEYS = (SELECT, AS)
"""Keys of a feature that is picked in the part's geometry: the selector, and the reading."""

FEATURES: Mapping[str, type[Feature]] = {
    "point": Point,
    "axis": Axis,
    "plane": Plane,
    "frame": Frame,
    "sphere": Sphere,
    "cone": Cone,
    "torus": Torus,
    "curve": Curve,
}
POSITIONS = ("point", "origin")
"""Fields of features that are positions; fields in none of these tables are directions."""
LENGTHS = ("radius", "tube")
ANGLES = ("angle",)
FLAGS = ("closed", "smooth")
NO_INERTIA = (0.0, 0.0, 0.0)
PLACES = ("points",)
"""Fields that are lists of positions."""


# ------------------------------------------------------------------------------------------ reading
def part_of(
    assembly: Assembly, name: str, entry: Any, known: Collection[str] = entry_keys.PART
) -> dict[str, Any]:
    """Arguments of `Assembly.add` from the entry of a part; `known`: keys, for errors."""
    place = f"parts.{name}"
    own, notes = validation.split(entry, known, place)
    for key in own:
        if key not in entry_keys.PART:
            raise FormatError(place, f"a part with {key!r} needs 'assembly' or 'pattern'")
    geometry = (
        validation.file_name(own["geometry"], f"{place}.geometry") if "geometry" in own else None
    )
    return {
        "features": features_of(assembly, own.get("features", {}), ("parts", name), geometry),
        "pose": pose_of(assembly, own.get("pose", {}), ("parts", name, "pose")),
        "grounded": true_or_false(own.get("grounded", False), f"{place}.grounded"),
        "geometry": geometry,
        "colour": colour_of(notes, place),
        "mass": mass_of(assembly, own, ("parts", name)),
        "notes": notes,
    }


def colour_of(notes: dict[str, Any], place: str) -> str | None:
    """The colour, removed from the notes."""
    return validation.text(notes.pop(COLOUR), f"{place}.{COLOUR}") if COLOUR in notes else None


def mass_of(assembly: Assembly, entry: Mapping[str, Any], path: tuple[str, ...]) -> Mass | None:
    """The mass in the entry at `path`; None where it has none."""
    if "mass" not in entry:
        return None
    path = (*path, "mass")
    place = ".".join(path)
    own, notes = validation.split(entry["mass"], entry_keys.MASS, place)
    store_notes(assembly, path, notes)
    for key in ("kg", "centre"):
        if key not in own:
            raise MissingKey(place, "a mass", key)
    x, y, z = validation.numbers(own["centre"], 3, f"{place}.centre")
    with validation.inside(place):
        return Mass(own["kg"], (x, y, z), own.get("inertia", NO_INERTIA))


def features_of(
    assembly: Assembly, given: Any, path: tuple[str, ...], geometry: str | Path | None = None
) -> dict[str, Feature]:
    """The features of the entry at `path`; `geometry` is the file for those by a selector."""
    path = (*path, "features")
    out = {}
    for key, value in validation.members(given, ".".join(path)):
        if isinstance(value, dict) and SELECT in value:
            out[key] = _selected(assembly, value, (*path, key), geometry)
        else:
            out[key] = _feature(assembly, value, (*path, key))
    return out


def pose_of(assembly: Assembly, entry: Any, path: tuple[str, ...]) -> Pose:
    """The pose at `path`."""
    place = ".".join(path)
    own, notes = validation.split(entry, entry_keys.POSE, place)
    store_notes(assembly, path, notes)
    x, y, z = validation.numbers(own.get("position", [0, 0, 0]), 3, f"{place}.position")
    if "axis" not in own and "angle" not in own:
        quaternion = own.get("quaternion_wxyz", [1, 0, 0, 0])
        qw, qx, qy, qz = validation.numbers(quaternion, 4, f"{place}.quaternion_wxyz")
        with validation.inside(place):
            return Pose((x, y, z), (qw, qx, qy, qz))
    for key, other in (("axis", "angle"), ("angle", "axis")):
        if "quaternion_wxyz" in own and key in own:
            raise Contradiction(place, repr("quaternion_wxyz"), repr(key))
        if key not in own:
            raise MissingKey(place, f"a pose with {other!r}", key)
    axis = validation.direction(own["axis"], f"{place}.axis")
    return Pose.from_axis((x, y, z), axis, finite(own["angle"], f"{place}.angle"))


def _feature(assembly: Assembly, entry: Any, path: tuple[str, ...]) -> Feature:
    place = ".".join(path)
    own, notes = validation.split(entry, FEATURES, place)
    store_notes(assembly, path, notes)
    types = list(own)
    if not types:
        raise FormatError(place, f"a feature is one of {validation.listed((*FEATURES, SELECT))}")
    if len(types) > 1:
        raise Contradiction(place, repr(types[0]), repr(types[1]))
    kind = types[0]
    if kind == "point":
        x, y, z = validation.numbers(own[kind], 3, f"{place}.{kind}")
        return Point((x, y, z))
    values, notes = validation.split(own[kind], feature_fields(kind), f"{place}.{kind}")
    store_notes(assembly, (*path, kind), notes)
    return _made(kind, values, f"{place}.{kind}")


def _selected(
    assembly: Assembly, entry: dict[str, Any], path: tuple[str, ...], geometry: str | Path | None
) -> Feature:
    """A feature that is picked in the part's geometry; the entry is stored for the writer."""
    from ..shapes.selecting import pick_in_file  # reads shapes, which few files ask for

    place = ".".join(path)
    own, _ = validation.split(entry, SELECT_KEYS, place)
    select = validation.text(own[SELECT], f"{place}.{SELECT}")
    if geometry is None:
        raise MissingKey(place, f"a part with a feature by {SELECT!r}", "geometry")
    part = path[1] if path[2] == "features" else f"{path[1]}.{path[3]}"
    found = pick_in_file(assembly.folder / geometry, select, part, f"{place}.{SELECT}")
    made: Feature | None = found.feature
    if AS in own:
        word = own[AS]
        if not isinstance(word, str) or word not in READINGS:
            raise BadValue(f"{place}.{AS}", word, f"one of {validation.listed(READINGS)}")
        made = found.reading(READINGS[word])
    if made is None:
        known = {key for key, kind in READINGS.items() if found.reading(kind) is not None}
        wanted = f"one of {validation.listed(sorted(known))}: it is a {found.words}"
        raise BadValue(f"{place}.{AS}", own[AS], wanted)
    assembly.formulas[path] = FormulaEntry(entry, plain(_feature_tree(assembly, made, path)))
    return made


@cache
def feature_fields(kind: str) -> Mapping[str, Field[Any]]:
    """The fields of a feature type in a file, by key."""
    return {f.name: f for f in fields(FEATURES[kind]) if f.init}


def _made(kind: str, values: dict[str, Any], place: str) -> Feature:
    """The feature with these values, each of which is validated."""
    for key, found in feature_fields(kind).items():
        if found.default is MISSING and key not in values:
            raise MissingKey(place, f"{kind!r}", key)
    for key, value in values.items():
        where = f"{place}.{key}"
        if key in LENGTHS or key in ANGLES:
            wanted = "an angle in degrees" if key in ANGLES else "a length of at least 0"
            finite(value, where, wanted)
        elif key in FLAGS:
            true_or_false(value, where)
        elif key in PLACES:
            for number, point in enumerate(validation.items(value, where)):
                validation.numbers(point, 3, f"{where}[{number}]")
        elif key in POSITIONS:
            validation.numbers(value, 3, where)
        else:
            validation.direction(value, where)
    with validation.inside(place):
        return FEATURES[kind](**values)


def frame(entry: Any, place: str) -> Frame:
    values, _ = validation.split(entry, feature_fields("frame"), place)
    made = _made("frame", values, place)
    assert isinstance(made, Frame)
    return made


def store_notes(assembly: Assembly, path: tuple[str, ...], notes: dict[str, Any]) -> None:
    """Store the notes of the entry at `path`, if there are any."""
    if notes:
        assembly.notes_at[path] = notes


# ------------------------------------------------------------------------------------------ writing
def with_notes(own: dict[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with its notes: the note first, the other keys last."""
    first = {key: value for key, value in notes.items() if not key.startswith("x-")}
    return first | own | {key: value for key, value in notes.items() if key.startswith("x-")}


def part_tree(assembly: Assembly, part: Part, folder: Path | None) -> dict[str, Any]:
    """The entry of a part, or of a rigid sub-assembly."""
    own: dict[str, Any] = {}
    if part.inner:
        own["assembly"] = file_tree(assembly, part.file, folder, f"parts.{part.name}")
    if part.grounded:
        own["grounded"] = True
    own |= pose_tree(assembly, part.pose, ("parts", part.name, "pose"))
    own |= features_tree(assembly, part.features, ("parts", part.name))
    own |= mass_tree(assembly, part.mass, ("parts", part.name))
    if part.geometry is not None:
        own["geometry"] = _moved(part.geometry, assembly.folder, folder)
    if part.colour is not None:
        own[COLOUR] = part.colour
    return with_notes(own, part.notes)


def pose_tree(
    assembly: Assembly, pose: Pose, path: tuple[str, ...], always: bool = False
) -> dict[str, Any]:
    """The key of a pose with its value; empty for the default, unless `always`."""
    notes = assembly.notes_at.get(path, {})
    if pose == Pose() and not notes and not always:
        return {}
    values = {key: list(getattr(pose, key)) for key in ("position", "quaternion_wxyz")}
    return {"pose": with_notes(values, notes)}


def mass_tree(assembly: Assembly, mass: Mass | None, path: tuple[str, ...]) -> dict[str, Any]:
    """The key of a mass with its value; empty where there is none."""
    if mass is None:
        return {}
    own: dict[str, Any] = {"kg": mass.kg, "centre": mass.centre}
    own |= {"inertia": mass.inertia} if mass.inertia != NO_INERTIA else {}
    return {"mass": with_notes(own, assembly.notes_at.get((*path, "mass"), {}))}


def features_tree(
    assembly: Assembly, features: Mapping[str, Feature], path: tuple[str, ...]
) -> dict[str, Any]:
    """The key of features with their entries; empty where there is none."""
    path = (*path, "features")
    found = {key: _feature_tree(assembly, f, (*path, key)) for key, f in features.items()}
    return {"features": found} if found else {}


def file_tree(assembly: Assembly, file: Path | None, folder: Path | None, place: str) -> str:
    """The path of the file of a sub-assembly relative to a folder."""
    if file is None:
        raise FormatError(place, "no file holds this sub-assembly: write it, and name the file")
    return _moved(file, assembly.folder, folder)


def _moved(geometry: Path, old: Path, new: Path | None) -> str:
    """The path of a file that was relative to a folder, relative to a new one."""
    if new is None or geometry.is_absolute() or new.resolve() == old.resolve():
        return geometry.as_posix()
    try:
        return Path(os.path.relpath((old / geometry).resolve(), new.resolve())).as_posix()
    except ValueError:  # another drive: there is no relative path
        return (old / geometry).resolve().as_posix()


def _feature_tree(assembly: Assembly, feature: Feature, path: tuple[str, ...]) -> dict[str, Any]:
    kind = next(key for key, cls in FEATURES.items() if type(feature) is cls)
    values = {key: getattr(feature, key) for key in feature_fields(kind)}
    given = {k: v for k, v in values.items() if v is not None and v is not False}
    inner = with_notes(given, assembly.notes_at.get((*path, kind), {}))
    own = {kind: given["point"] if kind == "point" else inner}
    return with_notes(own, assembly.notes_at.get(path, {}))


def reference_tree(assembly: Assembly, reference: Reference) -> str | list[str]:
    """ "part.feature" where that is read back as this feature, otherwise the pair."""
    text = str(reference)
    return text if assembly.reference(text) == reference else list(reference)

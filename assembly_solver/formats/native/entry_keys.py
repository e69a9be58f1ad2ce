"""Entries of the native format: the keys of each entry with the JSON Schema of its value.

The readers accept these keys, and the schema lists them.  Keys that begin with "x-", "note" and
"$schema" are accepted in every entry.
"""

from __future__ import annotations

from typing import Any

from ...model.building.positions import MODE
from ...model.drivers.cylinder import SIZES
from ...model.tolerances.tolerance import DISTRIBUTIONS

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}
LEAST: Schema = {"type": "number", "minimum": 0}
TEXT: Schema = {"type": "string", "minLength": 1}
FLAG: Schema = {"type": "boolean"}


def ref(name: str) -> Schema:
    """A reference to a definition of the schema."""
    return {"$ref": f"#/$defs/{name}"}


def array(items: Schema, count: int | None = None) -> Schema:
    """A list of values, of `count` if that is given."""
    own: Schema = {"type": "array", "items": items}
    return own if count is None else own | {"minItems": count, "maxItems": count}


def numbers(count: int) -> Schema:
    """A list of so many numbers."""
    return array(NUMBER, count)


def named(of: Schema) -> Schema:
    """An object with an entry for each name."""
    return {"type": "object", "additionalProperties": of, "propertyNames": {"minLength": 1}}


def entry(properties: Schema, *required: str) -> Schema:
    """An object with these keys, and the ones that are accepted everywhere."""
    return {
        "type": "object",
        "properties": {"$schema": {}, "note": {}} | properties,
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
        "required": list(required),
    }


def bare(properties: Schema, *required: str) -> Schema:
    """An object with these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": list(required),
    }


RANGE = numbers(2)
TEXTS = array(TEXT)
TWO_TEXTS = array(TEXT, 2)
TWO_REFERENCES = array(ref("reference"), 2)
NAMES: Schema = TEXTS | {"minItems": 1}
FEATURE_ENTRIES = named(ref("feature"))
LAWS = array(ref("law"), 3)
FILE: Schema = TEXT | {"description": "NAME.assembly.json, from the folder of this file"}

# ------------------------------------------------------------------------------------------ parts
POSE: Schema = {
    "position": ref("position"),
    "quaternion_wxyz": numbers(4),
    "axis": ref("direction"),
    "angle": {"type": "number", "description": "degrees"},
}
MASS: Schema = {
    "kg": POSITIVE,
    "centre": ref("position"),
    "inertia": {
        "description": "kg mm2 about the centre along the part's axes: xx, yy, zz, or the tensor",
        "anyOf": [numbers(3), array(numbers(3), 3)],
    },
}
PART: Schema = {
    "grounded": FLAG,
    "pose": ref("pose"),
    "features": FEATURE_ENTRIES,
    "geometry": TEXT,
    "mass": ref("mass"),
}
CHANGES: Schema = {key: value for key, value in PART.items() if key != "geometry"}
"""What an entry for several parts may change in one of them."""

SUB_ASSEMBLY: Schema = {"assembly": FILE, "rigid": FLAG, "grounded": FLAG, "pose": ref("pose")}
RIGID: Schema = SUB_ASSEMBLY | {
    "rigid": {"const": True},
    "features": FEATURE_ENTRIES,
    "mass": ref("mass"),
}
GROUP: Schema = {"parts": named(ref("changes")), "without": TEXTS}
VALUES = named({"type": ["number", "null"], "description": "mm or degrees; null lets go"})
FLEXIBLE: Schema = SUB_ASSEMBLY | {"rigid": {"const": False}} | GROUP | {"drivers": VALUES}
SEED: Schema = {"of": TEXT, "poses": {"type": "array", "items": ref("pose"), "minItems": 1}}
PATTERN: Schema = {"pattern": entry(SEED, "of", "poses")} | GROUP

# --------------------------------------------------------------------------------------- drawings
LINK: Schema = {"pins": NAMES, "grounded": FLAG}
SLOT: Schema = {
    "ends": NAMES | {"minItems": 2, "maxItems": 2},
    "pins": NAMES,
    "link": TEXT,
    "stops": FLAG | {"description": "whether its ends stop the pins; they do by default"},
}
LINKAGE: Schema = {
    "pins": named(numbers(2) | {"description": "x and y, mm"}),
    "links": named(entry(LINK, "pins")),
    "slots": named(entry(SLOT, "ends", "pins")),
    "without": TEXTS,
}
PIN: Schema = {"at": TEXT, "value": NUMBER, "law": ref("law")}
TURN: Schema = {
    "angle": RANGE,
    "links": TWO_TEXTS,
    "rays": TWO_TEXTS
    | {
        "items": {"type": ["string", "null"]},
        "description": "pins towards which the angle counts on the two links; null: as usual",
    },
}
SLIDE: Schema = {"length": RANGE, "slot": TEXT}
PIN_DRIVER = PIN | TURN | SLIDE

# --------------------------------------------------------------------------------- tolerances
DEVIATION: Schema = {
    "plus": LEAST | {"description": "how far above the nominal value, mm or degrees"},
    "minus": LEAST | {"description": "how far below it"},
}
SPREAD: Schema = {
    "distribution": {"enum": list(DISTRIBUTIONS)},
    "sigma": POSITIVE | {"description": "standard deviations from the middle to a bound"},
}
ZONE: Schema = {
    "feature": ref("reference"),
    "position": LEAST | {"description": "diameter of the zone of a point or an axis, mm"},
    "angle": LEAST | {"description": "half-angle of the cone of a direction, degrees"},
}
PLAY: Schema = {
    "joint": TEXT,
    "radial": LEAST | {"description": "radius in which the pin may stand, mm"},
    "length": POSITIVE | {"description": "of the hole, mm: the pin may then tilt in it"},
}

# ------------------------------------------------------------------------------ drivers and loads
DRIVER: Schema = {"range": RANGE, "value": NUMBER, "law": ref("law")}
"""The keys besides those of the quantity."""

POSITION: Schema = entry(
    {MODE: {"anyOf": [TEXT, NUMBER], "description": "a text: the assembly mode"}}
) | named(NUMBER | {"description": "of a driver or a joint, mm or degrees"})

GUIDE: Schema = {
    "part": TEXT,
    "feature": TEXT | {"description": "the frame on it that is meant"},
    "relative_to": ref("reference"),
    "position": LAWS,
    "angles": LAWS | {"description": "degrees"},
    "order": {
        "type": "string",
        "pattern": "^[xyz]{3}$",
        "description": "axes of the three turns, each about the axis that those before it gave",
    },
    "value": NUMBER | {"description": "the time at which solve holds it, s"},
    "held": FLAG,
}
CYLINDER: Schema = (
    {"pins": TWO_REFERENCES}
    | dict.fromkeys(SIZES, POSITIVE)
    | {"pressure": POSITIVE | {"description": "MPa"}, "value": NUMBER, "law": ref("law")}
)
SPRING_NUMBERS: Schema = {
    "stiffness": LEAST | {"description": "N/mm"},
    "length": LEAST | {"description": "of the free spring, mm"},
    "force": NUMBER | {"description": "at that length, N; below 0 it pushes"},
}
SPRING: Schema = {"name": TEXT, "a": ref("reference"), "b": ref("reference")} | SPRING_NUMBERS
LOAD: Schema = {
    "name": TEXT,
    "at": ref("reference"),
    "force": numbers(3) | {"description": "N"},
    "torque": numbers(3) | {"description": "N mm"},
    "axes": TEXT | {"description": "part whose axes both turn with; the world's if left out"},
}

# ------------------------------------------------------------------------------------ contact
CONTACT: Schema = {
    "pairs": {"anyOf": [{"const": "all"}, array(TWO_TEXTS)]},
    "except": array(TWO_TEXTS),
    "gap": LEAST | {"description": "distance that counts as contact, mm"},
}

"""The JSON Schema (draft 2020-12) of the native format, made from the registry of mate kinds.

What a schema cannot say (names that must exist, feature types that fit) is the reader's business.
"""

from __future__ import annotations

from dataclasses import MISSING
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ...model.check import CHECKS, Check, Role
from ...model.drivers.cylinder import SIZES
from ...model.drivers.quantity import MEASURES
from ...model.feature import NAMED_DIRECTIONS
from ...model.grashof import CLASSES
from ...model.laws.expression import FUNCTIONS
from ...model.laws.law import Sine
from ...model.mate import MATES, Mate, Reference
from ...model.mates.couplings import Coupling
from ..shapes.picks import TYPES as READINGS
from .aliases import ALIASES
from .assembly_json import FORMAT
from .parts import ANGLES, AS, FEATURES, FLAGS, LENGTHS, PLACES, POSITIONS, SELECT, feature_fields
from .schema_pieces import FLAG, NUMBER, RANGE, TEXT, Schema, bare, entry, named, numbers, ref

DRAFT = "https://json-schema.org/draft/2020-12/schema"

FORMULA = '"=L/2 + 3": parameters, + - * / % ** and functions; sin takes radians, sind degrees'
FILE: Schema = TEXT | {"description": "NAME.assembly.json, from the folder of this file"}


def schema() -> Schema:
    """The schema of a whole file."""
    properties = {
        "format": {"const": FORMAT},
        "name": TEXT,
        "tolerance": {"type": "number", "exclusiveMinimum": 0, "description": "mm"},
        "linkage": _linkage(),
        "parts": named(ref("part")),
        "mates": {"type": "array", "items": ref("mate")},
        "parameters": named(NUMBER),
        "drivers": named(ref("driver")),
        "cylinders": named(ref("cylinder")),
        "limits": {"type": "array", "items": ref("limit")},
        "gravity_m_s2": numbers(3) | {"description": "world axes, m/s2, as [0, 0, -9.81]"},
        "loads": {"type": "array", "items": ref("load")},
        "springs": {"type": "array", "items": ref("spring")},
        "checks": {"type": "array", "items": ref("check")},
    }
    head = {"$schema": DRAFT, "title": "Assembly; lengths in mm, angles in degrees"}
    made: Schema = head | entry(properties, "format") | {"$defs": _definitions()}
    made["anyOf"] = [{"required": ["parts"]}, {"required": ["linkage"]}]
    found: Schema = _with_formulas(made)
    return found


def _definitions() -> Schema:
    pair = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
    return {
        "position": numbers(3),
        "direction": {"anyOf": [numbers(3), {"enum": list(NAMED_DIRECTIONS)}]},
        "reference": {
            "description": '"part.feature" or ["part", "feature"]',
            "anyOf": [TEXT, pair],
        },
        "pose": _pose(),
        **{kind: _feature_type(kind) for kind in FEATURES},
        "feature": {"oneOf": [*(entry({k: ref(k)}, k) for k in FEATURES), _selected()]},
        "part": {"anyOf": [_part(), _rigid(), _flexible(), _pattern()]},
        "changes": entry(
            {
                "grounded": FLAG,
                "pose": ref("pose"),
                "features": named(ref("feature")),
                "mass": ref("mass"),
            }
        ),
        "mate": {"anyOf": [_mate(cls) for cls in MATES.values()]},
        "driver": _driver(),
        "cylinder": _cylinder(),
        "law": _law(),
        "formula": {"type": "string", "pattern": "^=", "description": FORMULA},
        "limit": _limit(),
        "load": _load(),
        "spring": _spring(),
        "mass": _mass(),
        "check": {"anyOf": [_check(cls) for cls in CHECKS.values()]},
    }


def _pose() -> Schema:
    angle = {"type": "number", "description": "degrees"}
    quaternion = {"position": ref("position"), "quaternion_wxyz": numbers(4)}
    turned = {"position": ref("position"), "axis": ref("direction"), "angle": angle}
    return {"anyOf": [entry(quaternion), entry(turned, "axis", "angle")]}


def _part() -> Schema:
    return entry(
        {
            "grounded": FLAG,
            "pose": ref("pose"),
            "features": named(ref("feature")),
            "geometry": TEXT,
            "mass": ref("mass"),
        }
    )


def _rigid() -> Schema:
    own = {"assembly": FILE, "rigid": {"const": True}, "grounded": FLAG, "pose": ref("pose")}
    more = {"features": named(ref("feature")), "mass": ref("mass")}
    return entry(own | more, "assembly")


def _flexible() -> Schema:
    own = {"assembly": FILE, "rigid": {"const": False}, "grounded": FLAG, "pose": ref("pose")}
    values = named({"type": ["number", "null"], "description": "mm or degrees; null lets go"})
    return entry(own | _changed() | {"drivers": values}, "assembly", "rigid")


def _pattern() -> Schema:
    poses = {"type": "array", "items": ref("pose"), "minItems": 1}
    return entry(
        {"pattern": entry({"of": TEXT, "poses": poses}, "of", "poses")} | _changed(), "pattern"
    )


def _changed() -> Schema:
    """What tells what became of the parts that an entry stands for."""
    return {"parts": named(ref("changes")), "without": {"type": "array", "items": TEXT}}


def _mass() -> Schema:
    kg = {"type": "number", "exclusiveMinimum": 0}
    rows = {"type": "array", "items": numbers(3), "minItems": 3, "maxItems": 3}
    inertia = {
        "description": "kg mm2 about the centre along the part's axes: xx, yy, zz, or the tensor",
        "anyOf": [numbers(3), rows],
    }
    return entry({"kg": kg, "centre": ref("position"), "inertia": inertia}, "kg", "centre")


def _spring() -> Schema:
    least = {"type": "number", "minimum": 0}
    own = {
        "name": TEXT,
        "a": ref("reference"),
        "b": ref("reference"),
        "stiffness": least | {"description": "N/mm"},
        "length": least | {"description": "of the free spring, mm"},
        "force": NUMBER | {"description": "at that length, N; below 0 it pushes"},
    }
    made = entry(own, "a", "b")
    return made | {"anyOf": [{"required": ["stiffness"]}, {"required": ["force"]}]}


def _load() -> Schema:
    own = {
        "name": TEXT,
        "at": ref("reference"),
        "force": numbers(3) | {"description": "N"},
        "torque": numbers(3) | {"description": "N mm"},
        "axes": TEXT | {"description": "part whose axes both turn with; the world's if left out"},
    }
    made = entry(own, "at")
    return made | {"anyOf": [{"required": ["force"]}, {"required": ["torque"]}]}


def _feature_type(kind: str) -> Schema:
    if kind == "point":
        return ref("position")
    found = feature_fields(kind)
    required = [key for key, f in found.items() if f.default is MISSING]
    return entry({key: _feature_field(kind, key) for key in found}, *required)


def _selected() -> Schema:
    """A feature that is picked in the part's geometry."""
    words = "what is picked in the geometry, as faces@%CYLINDER@radius=4"
    return entry({SELECT: TEXT | {"description": words}, AS: {"enum": list(READINGS)}}, SELECT)


def _feature_field(kind: str, key: str) -> Schema:
    if key in LENGTHS:
        least = "minimum" if kind == "axis" else "exclusiveMinimum"
        return {"type": "number", least: 0, "description": "mm"}
    if key in ANGLES:
        limits = {"exclusiveMinimum": 0, "exclusiveMaximum": 90}
        return {"type": "number", **limits, "description": "degrees"}
    if key in FLAGS:
        return {"type": "boolean"}
    if key in PLACES:
        return {"type": "array", "items": ref("position"), "minItems": 2}
    return ref("position" if key in POSITIONS else "direction")


def _mate(cls: type[Mate]) -> Schema:
    words = [cls.kind, *(word for word, (kind, _) in ALIASES.items() if kind == cls.kind)]
    hints = get_type_hints(cls)
    names = cls.parameter_names()
    own: Schema = {"name": TEXT, "kind": {"enum": words}}
    own |= {key: _parameter(hints[key]) for key in names}
    required = ("kind", *cls.required_parameters())
    if issubclass(cls, Coupling):
        made = entry(own, *required)
    else:
        ends = {"a": ref("reference"), "b": ref("reference"), "at": ref("frame")}
        once = {"parts": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}}
        made = entry(own | ends | once, *required)
        made["oneOf"] = [{"required": ["a", "b"]}, {"required": ["parts", "at"]}]
    if cls.__doc__:
        made["description"] = cls.__doc__.strip().splitlines()[0]
    return made


def _parameter(hint: Any) -> Schema:
    """The schema of a parameter from its type."""
    plain = {float: NUMBER, int: {"type": "integer"}, bool: {"type": "boolean"}, str: TEXT}
    if hint in plain:
        return plain[hint]
    if hint is Reference:
        return ref("reference")
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_parameter(h) for h in get_args(hint) if h is not NoneType]}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _parameter(get_args(hint)[0])}
    raise TypeError(f"no schema is known for a parameter of type {hint}")


def _measured(more: Schema) -> Schema:
    """An entry about a joint's coordinate, or a measure between two features."""
    joint = {"joint": TEXT, "coordinate": {"enum": ["angle", "length"]}}
    made = [entry(joint | more, "joint")]
    for key in MEASURES:
        about = {"about": ref("reference")} if key == "angle" else {}
        made.append(entry({key: _pair()} | about | more, key))
    return {"anyOf": made}


def _pair() -> Schema:
    """Two features."""
    return {"type": "array", "items": ref("reference"), "minItems": 2, "maxItems": 2}


def _limit() -> Schema:
    made = _measured({"name": TEXT, "min": NUMBER, "max": NUMBER})
    return made | {"allOf": [{"anyOf": [{"required": ["min"]}, {"required": ["max"]}]}]}


def _driver() -> Schema:
    made = _measured({"range": RANGE, "value": NUMBER, "law": ref("law")})
    made["not"] = {"required": ["value", "law"]}
    made["anyOf"] += [_guide(), *_pin_drivers()]
    return made


def _pin_drivers() -> list[Schema]:
    """Drivers at a pin of a drawing: the angle of two links there, or the way along a slot."""
    two = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
    towards = two | {"items": {"type": ["string", "null"]}}
    words = "pins towards which the angle counts on the two links; null: as usual"
    held = {"at": TEXT, "value": NUMBER, "law": ref("law")}
    turn = {"angle": RANGE, "links": two, "rays": towards | {"description": words}}
    return [entry(held | turn, "at"), entry(held | {"length": RANGE, "slot": TEXT}, "at")]


def _linkage() -> Schema:
    """A linkage as a drawing."""
    names = {"type": "array", "items": TEXT, "minItems": 1}
    link = {"pins": names, "grounded": FLAG}
    slot = {"ends": names | {"minItems": 2, "maxItems": 2}, "pins": names, "link": TEXT}
    slot["stops"] = FLAG | {"description": "whether its ends stop the pins; they do by default"}
    own = {
        "pins": named(numbers(2) | {"description": "x and y, mm"}),
        "links": named(entry(link, "pins")),
        "slots": named(entry(slot, "ends", "pins")),
        "without": {"type": "array", "items": TEXT},
    }
    return entry(own)


def _guide() -> Schema:
    """A prescribed motion of a part."""
    laws = {"type": "array", "items": ref("law"), "minItems": 3, "maxItems": 3}
    words = "axes of the three turns, each about the axis that those before it gave"
    own = {
        "part": TEXT,
        "feature": TEXT | {"description": "the frame on it that is meant"},
        "relative_to": ref("reference"),
        "position": laws,
        "angles": laws | {"description": "degrees"},
        "order": {"type": "string", "pattern": "^[xyz]{3}$", "description": words},
        "value": NUMBER | {"description": "the time at which solve holds it, s"},
        "held": FLAG,
    }
    return entry(own, "part")


def _check(cls: type[Check]) -> Schema:
    own: Schema = {"name": TEXT, "kind": {"const": cls.kind}}
    for f in cls.fields():
        own[f.name] = _role(f.metadata["role"]) | {"description": f.metadata["words"]}
    alone = [group[0] for group in cls.needs if len(group) == 1]
    made = entry(own, "kind", *alone)
    several = [group for group in cls.needs if len(group) > 1]
    if several:
        made["allOf"] = [{"anyOf": [{"required": [k]} for k in group]} for group in several]
    if cls.one_of:
        made["not"] = {"anyOf": [{"required": list(group)} for group in cls.one_of]}
    if cls.__doc__:
        made["description"] = cls.__doc__.strip().splitlines()[0]
    return made


def _role(role: Role) -> Schema:
    """The schema of a field of a check by what it may hold."""
    known: dict[str, Schema] = {
        "coordinate": {"enum": ["angle", "length"]},
        "feature": ref("reference"),
        "parts": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2},
        "number": NUMBER,
        "size": NUMBER | {"minimum": 0},
        "count": {"type": "integer", "minimum": 0},
        "interval": RANGE,
        "position": ref("position"),
        "direction": ref("direction"),
        "class": {"enum": list(CLASSES)},
    }
    return known.get(role.name, TEXT)


def _cylinder() -> Schema:
    sizes = {key: {"type": "number", "exclusiveMinimum": 0} for key in SIZES}
    sizes["pressure"] |= {"description": "MPa"}
    own = {"pins": _pair()} | sizes | {"value": NUMBER, "law": ref("law")}
    made = entry(own, "pins", "closed", "stroke")
    made["not"] = {"required": ["value", "law"]}
    return made


def _law() -> Schema:
    """A law over time: without notes of its own, as the driver has them."""
    table = {"type": "array", "items": numbers(2), "minItems": 2}
    sine: Schema = {key: NUMBER for key in Sine.KEYS}
    for key, words in (("period", "s"), ("frequency", "1/s"), ("phase", "degrees")):
        sine[key] = NUMBER | {"description": words}
    rate = {"oneOf": [{"required": ["period"]}, {"required": ["frequency"]}]}
    text = f"an expression in t (s) with parameters, pi, e and {', '.join(FUNCTIONS)}"
    return {
        "anyOf": [
            NUMBER,
            TEXT | {"description": text},
            bare({"ramp": RANGE, "times": RANGE}, "ramp"),
            bare({"sine": bare(sine, "amplitude") | rate}, "sine"),
            bare({"table": table, "monotone": FLAG}, "table"),
        ]
    }


def _with_formulas(made: Any) -> Any:
    """Every number may be a formula of parameters instead."""
    if isinstance(made, list):
        return [_with_formulas(value) for value in made]
    if not isinstance(made, dict):
        return made
    if made.get("type") in ("number", "integer", ["number", "null"]):
        return {"anyOf": [made, ref("formula")]}
    return {key: _with_formulas(value) for key, value in made.items()}

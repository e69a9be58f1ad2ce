"""The JSON Schema (draft 2020-12) of the native format, made from the registry of mate kinds.

What a schema cannot express (names that must exist, feature types that fit) the reader checks.
"""

from __future__ import annotations

from dataclasses import MISSING
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ...model.check import Check, Role
from ...model.checks import CHECKS
from ...model.drivers.quantity import MEASURES
from ...model.feature import NAMED_DIRECTIONS
from ...model.grashof import CLASSES
from ...model.laws.expression import FUNCTIONS
from ...model.laws.law import Sine
from ...model.mate import MATES, Mate, Reference
from ...model.mates.couplings import Coupling
from ...model.synonyms import SYNONYMS, folded, spellings
from ..shapes.picks import TYPES as READINGS
from . import entry_keys
from .assembly_json import FORMAT
from .entry_keys import (
    FLAG,
    NUMBER,
    POSE,
    POSITIVE,
    RANGE,
    TEXT,
    TWO_REFERENCES,
    TWO_TEXTS,
    Schema,
    array,
    bare,
    entry,
    named,
    numbers,
    ref,
)
from .parts import ANGLES, AS, FEATURES, FLAGS, LENGTHS, PLACES, POSITIONS, SELECT, feature_fields

DRAFT = "https://json-schema.org/draft/2020-12/schema"

COORDINATE: Schema = {"enum": ["angle", "length"]}
NOT_BOTH: Schema = {"not": {"required": ["value", "law"]}}
SELECTED = "what is picked in the geometry, as faces@%CYLINDER@radius=4"
FORMULA = '"=L/2 + 3": parameters, + - * / % ** and functions; sin takes radians, sind degrees'


def schema() -> Schema:
    """The schema of a whole file."""
    properties = {
        "format": {"const": FORMAT},
        "name": TEXT,
        "tolerance": POSITIVE | {"description": "mm"},
        "floating": FLAG | {"description": "what nothing connects to a grounded part is free"},
        "linkage": entry(entry_keys.LINKAGE),
        "parts": named(ref("part")),
        "mates": array(ref("mate")),
        "parameters": named(NUMBER),
        "drivers": named(ref("driver")),
        "cylinders": named(ref("cylinder")),
        "limits": array(ref("limit")),
        "positions": named(entry_keys.POSITION),
        "gravity_m_s2": numbers(3) | {"description": "world axes, m/s2, as [0, 0, -9.81]"},
        "loads": array(ref("load")),
        "springs": array(ref("spring")),
        "measures": named(ref("measure")),
        "tolerances": named(ref("tolerance")),
        "contact": entry(entry_keys.CONTACT) | {"description": "what sweeps watch for contact"},
        "checks": array(ref("check")),
    }
    head = {"$schema": DRAFT, "title": "Assembly; lengths in mm, angles in degrees"}
    made: Schema = head | entry(properties, "format") | {"$defs": _definitions()}
    made["anyOf"] = [{"required": ["parts"]}, {"required": ["linkage"]}]
    found: Schema = _with_formulas(made)
    return found


def _definitions() -> Schema:
    selected = {SELECT: TEXT | {"description": SELECTED}, AS: {"enum": list(READINGS)}}
    drivers = [
        *_quantities(entry_keys.DRIVER),
        entry(entry_keys.GUIDE, "part"),
        entry(entry_keys.PIN | entry_keys.TURN, "at"),
        entry(entry_keys.PIN | entry_keys.SLIDE, "at"),
    ]
    bounds = {"name": TEXT, "min": NUMBER, "max": NUMBER}
    return {
        "position": numbers(3),
        "direction": {"anyOf": [numbers(3), {"enum": list(NAMED_DIRECTIONS)}]},
        "reference": {
            "description": '"part.feature" or ["part", "feature"]',
            "anyOf": [TEXT, TWO_TEXTS],
        },
        "pose": _pose(),
        **{kind: _feature_type(kind) for kind in FEATURES},
        "feature": {"oneOf": [*(entry({k: ref(k)}, k) for k in FEATURES), entry(selected, SELECT)]},
        "part": {
            "anyOf": [
                entry(entry_keys.PART),
                entry(entry_keys.RIGID, "assembly"),
                entry(entry_keys.FLEXIBLE, "assembly", "rigid"),
                entry(entry_keys.PATTERN, "pattern"),
            ]
        },
        "changes": entry(entry_keys.CHANGES),
        "mate": {"anyOf": [_mate(cls) for cls in MATES.values()]},
        "driver": {"anyOf": drivers} | NOT_BOTH,
        "cylinder": entry(entry_keys.CYLINDER, "pins", "closed", "stroke") | NOT_BOTH,
        "law": _law(),
        "formula": {"type": "string", "pattern": "^=", "description": FORMULA},
        "limit": {"anyOf": _quantities(bounds), "allOf": [_any_of("min", "max")]},
        "load": entry(entry_keys.LOAD, "at") | _any_of("force", "torque"),
        "spring": entry(entry_keys.SPRING, "a", "b") | _any_of("stiffness", "force"),
        "measure": {"anyOf": _measures()},
        "tolerance": {"anyOf": _tolerances()},
        "mass": entry(entry_keys.MASS, "kg", "centre"),
        "check": {"anyOf": [_check(cls) for cls in CHECKS.values()]},
    }


def _pose() -> Schema:
    """A position with a quaternion, or with an axis and an angle."""
    quaternion = {key: POSE[key] for key in ("position", "quaternion_wxyz")}
    rotated = {key: POSE[key] for key in ("position", "axis", "angle")}
    return {"anyOf": [entry(quaternion), entry(rotated, "axis", "angle")]}


def _feature_type(kind: str) -> Schema:
    if kind == "point":
        return ref("position")
    found = feature_fields(kind)
    required = [key for key, f in found.items() if f.default is MISSING]
    return entry({key: _feature_field(kind, key) for key in found}, *required)


def _feature_field(kind: str, key: str) -> Schema:
    if key in LENGTHS:
        least = "minimum" if kind == "axis" else "exclusiveMinimum"
        return {"type": "number", least: 0, "description": "mm"}
    if key in ANGLES:
        limits = {"exclusiveMinimum": 0, "exclusiveMaximum": 90}
        return {"type": "number", **limits, "description": "degrees"}
    if key in FLAGS:
        return FLAG
    if key in PLACES:
        return {"type": "array", "items": ref("position"), "minItems": 2}
    return ref("position" if key in POSITIONS else "direction")


def _mate(cls: type[Mate]) -> Schema:
    words = [cls.kind, *(word for word, (kind, _) in SYNONYMS.items() if kind == cls.kind)]
    hints = get_type_hints(cls)
    names = cls.parameter_names()
    spelt = {"type": "string", "pattern": spellings([*dict.fromkeys(map(folded, words))])}
    own: Schema = {"name": TEXT, "kind": {"anyOf": [{"enum": words}, spelt]}}
    own |= {key: _parameter(hints[key]) for key in names}
    required = ("kind", *cls.required_parameters())
    if issubclass(cls, Coupling):
        made = entry(own, *required)
    else:
        ends = {"a": ref("reference"), "b": ref("reference"), "at": ref("frame")}
        made = entry(own | ends | {"parts": TWO_TEXTS}, *required)
        made["oneOf"] = [{"required": ["a", "b"]}, {"required": ["parts", "at"]}]
    if cls.__doc__:
        made["description"] = cls.__doc__.strip().splitlines()[0]
    return made


def _parameter(hint: Any) -> Schema:
    """The schema of a parameter from its type."""
    plain = {float: NUMBER, int: {"type": "integer"}, bool: FLAG, str: TEXT}
    if hint in plain:
        return plain[hint]
    if hint is Reference:
        return ref("reference")
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_parameter(h) for h in get_args(hint) if h is not NoneType]}
    if get_origin(hint) is tuple:
        return array(_parameter(get_args(hint)[0]))
    raise TypeError(f"no schema is known for a parameter of type {hint}")


def _quantities(more: Schema) -> list[Schema]:
    """Entries with these keys about a joint's coordinate, or a measure between two features."""
    joint = {"joint": TEXT, "coordinate": COORDINATE}
    made = [entry(joint | more, "joint")]
    for key in MEASURES:
        about = {"about": ref("reference")} if key == "angle" else {}
        made.append(entry({key: TWO_REFERENCES} | about | more, key))
    return made


def _measures() -> list[Schema]:
    """What a measure may be of: a quantity, or a point along a direction."""
    bounds = {"min": NUMBER, "max": NUMBER}
    point = {"point": ref("reference"), "along": ref("direction")} | bounds
    return [*_quantities(bounds), entry(point, "point", "along")]


def _tolerances() -> list[Schema]:
    """What a tolerance may be of: a dimension, a feature, the play of a joint."""
    more = entry_keys.DEVIATION | entry_keys.SPREAD
    mate = {"mate": TEXT, "value": TEXT}
    dimensions = [entry({"parameter": TEXT} | more, "parameter")]
    dimensions += [entry({"driver": TEXT} | more, "driver"), entry(mate | more, *mate)]
    zone = entry(entry_keys.ZONE | entry_keys.SPREAD, "feature") | _any_of("position", "angle")
    bounded = [own | _any_of("plus", "minus") for own in dimensions]
    return [*bounded, zone, entry(entry_keys.PLAY, "joint", "radial")]


def _any_of(*keys: str) -> Schema:
    """At least one of these keys is required."""
    return {"anyOf": [{"required": [key]} for key in keys]}


def _check(cls: type[Check]) -> Schema:
    own: Schema = {"name": TEXT, "kind": {"const": cls.kind}}
    for f in cls.fields():
        own[f.name] = _role(f.metadata["role"]) | {"description": f.metadata["words"]}
    alone = [group[0] for group in cls.needs if len(group) == 1]
    made = entry(own, "kind", *alone)
    several = [group for group in cls.needs if len(group) > 1]
    if several:
        made["allOf"] = [_any_of(*group) for group in several]
    if cls.one_of:
        made["not"] = {"anyOf": [{"required": list(group)} for group in cls.one_of]}
    if cls.__doc__:
        made["description"] = cls.__doc__.strip().splitlines()[0]
    return made


def _role(role: Role) -> Schema:
    """The schema of a field of a check by what it may hold."""
    known: dict[str, Schema] = {
        "coordinate": COORDINATE,
        "feature": ref("reference"),
        "parts": TWO_TEXTS,
        "number": NUMBER,
        "size": NUMBER | {"minimum": 0},
        "count": {"type": "integer", "minimum": 0},
        "samples": {"type": "integer", "minimum": 2},
        "share": NUMBER | {"minimum": 0, "maximum": 1},
        "interval": RANGE,
        "position": ref("position"),
        "direction": ref("direction"),
        "class": {"enum": list(CLASSES)},
    }
    return known.get(role.name, TEXT)


def _law() -> Schema:
    """A law over time; notes are on its driver."""
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
    """The schema with a formula of parameters allowed for every number."""
    if isinstance(made, list):
        return [_with_formulas(value) for value in made]
    if not isinstance(made, dict):
        return made
    if made.get("type") in ("number", "integer", ["number", "null"]):
        return {"anyOf": [made, ref("formula")]}
    return {key: _with_formulas(value) for key, value in made.items()}

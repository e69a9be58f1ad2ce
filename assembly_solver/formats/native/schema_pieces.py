"""What the schema of the native format is put together from."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string", "minLength": 1}
FLAG: Schema = {"type": "boolean"}
RANGE: Schema = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def numbers(count: int) -> Schema:
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count}


def named(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of, "propertyNames": {"minLength": 1}}


def entry(properties: Schema, *required: str) -> Schema:
    """An object with these keys, and the ones that pass everywhere."""
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

"""Strict JSON: text that two readers could interpret differently is refused.

Reading refuses repeated keys, numbers that are not finite and text that is not Unicode; writing
keeps the order of keys, puts a list of plain values on one line and gives every number one
spelling, so that text which was written is the same bytes when it is read and written again.
"""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any, NoReturn

from ...errors import BadValue, DuplicateName, FormatError

TOP = "top level"
"""Place of errors outside of all entries."""

DEEPEST = 100
"""Most lists and objects within each other: what is read can be written, too."""

_WHOLE = 1e16
"""Below it a whole number is written without a point: every such float is an exact integer."""

_LARGEST = sys.float_info.max


_TOO_DEEP = f"this is nested too deeply, more than {DEEPEST} times"


class _RepeatedKey(dict[str, Any]):
    """An object in which a key occurred twice."""

    key: str


def parse(text: str) -> Any:
    """The tree of a JSON text: dict, list, str, int, float, bool, None.

    Raises:
        FormatError: not JSON; with line and column.
        DuplicateName, BadValue: a repeated key, a number that is not finite; with the place.
    """
    try:
        tree = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise FormatError(where, f"this is not JSON: {error.msg}") from None
    except RecursionError:
        raise FormatError(TOP, _TOO_DEEP) from None
    except ValueError:
        raise FormatError(TOP, "a number has too many digits") from None
    _inspect(tree, "", 0)
    return tree


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    repeated = _RepeatedKey(found)
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _inspect(tree: Any, place: str, depth: int) -> None:
    """Raise at the first value in the tree that is not valid."""
    if depth > DEEPEST:
        raise FormatError(TOP, _TOO_DEEP)
    if isinstance(tree, dict):
        if isinstance(tree, _RepeatedKey):
            raise DuplicateName("key", tree.key, place or TOP)
        for key, value in tree.items():
            inner = f"{place}.{key}" if place else key
            if not key.isascii():
                _inspect(key, inner, depth)
            _inspect(value, inner, depth + 1)
    elif isinstance(tree, list):
        for k, value in enumerate(tree):
            if not (type(value) is float and -_LARGEST <= value <= _LARGEST):  # most are
                _inspect(value, f"{place}[{k}]", depth + 1)
    elif isinstance(tree, (int, float)) and not abs(tree) <= _LARGEST:  # false for NaN as well
        raise BadValue(place, tree, "a finite number")
    elif isinstance(tree, str) and not _is_text(tree):
        raise FormatError(ascii(place)[1:-1], "half a surrogate pair is not text")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def dump(tree: Any, indent: str = "") -> str:
    """The text of a tree; BadValue where strict JSON cannot hold a value."""
    inner = indent + "  "
    if isinstance(tree, dict) and tree:
        rows = [f"{_plain(str(key))}: {dump(value, inner)}" for key, value in tree.items()]
        return _block("{", rows, "}", indent)
    if isinstance(tree, dict):
        return "{}"
    if not isinstance(tree, (list, tuple)):
        return _plain(tree)
    if any(isinstance(value, (dict, list, tuple)) for value in tree):
        return _block("[", [dump(value, inner) for value in tree], "]", indent)
    return "[" + ", ".join(_plain(value) for value in tree) + "]"


def _block(first: str, rows: list[str], last: str, indent: str) -> str:
    return f"{first}\n" + ",\n".join(f"{indent}  {row}" for row in rows) + f"\n{indent}{last}"


def _plain(value: Any) -> str:
    """A string, number, true, false or null."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if _is_text(value) else _refuse(ascii(value))
    if isinstance(value, int):
        return int.__repr__(value)
    if not isinstance(value, float) or not isfinite(value):
        _refuse(value)
    if value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))  # 100.0 -> 100, and -0.0 -> 0
    return float.__repr__(value)  # the shortest text that reads back as the same number


def _refuse(value: object) -> NoReturn:
    raise BadValue("", value, "text, a finite number, true, false, null, list or object")

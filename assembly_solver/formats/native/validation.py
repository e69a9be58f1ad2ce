"""Validation of JSON values: each function returns the value, or raises an error with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import BadValue, UnknownName
from ...foundations.geometry.pose import Triple
from ...model.feature import unit
from ...model.numbers import is_number
from .strict_json import TOP


def is_note(key: str) -> bool:
    """Whether a key is accepted although the format does not define it."""
    return key in ("$schema", "note") or key.startswith("x-")


def split(entry: Any, known: Collection[str], place: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """An object's known keys and its notes, as two objects; an error at any other key."""
    if not isinstance(entry, dict):
        raise BadValue(place, entry, "an object with " + listed(known))
    for key, value in entry.items():
        if key not in known and not is_note(key):
            raise UnknownName("key", key, known, place)
        if value is None and key in known:
            raise BadValue(f"{place}.{key}".removeprefix(f"{TOP}."), None, "left out or a value")
    own = {key: value for key, value in entry.items() if key in known}
    return own, {key: value for key, value in entry.items() if key not in known}


def listed(names: Iterable[str]) -> str:
    """Names as a phrase: 'a', 'b'."""
    return ", ".join(repr(name) for name in names)


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Prefix the place to errors raised inside, whose messages begin with a key."""
    try:
        yield
    except BadValue as error:
        error.args = (f"{place}.{error}",)
        raise


@contextmanager
def renamed(name: str, key: str) -> Iterator[None]:
    """Replace a name by the key of the file at the start of the message of errors raised inside."""
    try:
        yield
    except BadValue as error:
        error.args = (str(error).replace(name, key, 1),)
        raise


def members(value: Any, place: str) -> Iterable[tuple[str, Any]]:
    """Names and entries of an object."""
    if not isinstance(value, dict):
        raise BadValue(place, value, "an object with an entry for each name")
    if "" in value:
        raise BadValue(place, "", "a name that is not empty")
    return value.items()


def items(value: Any, place: str) -> list[Any]:
    """The entries of a list."""
    if not isinstance(value, list):
        raise BadValue(place, value, "a list")
    return value


def entries(top: Mapping[str, Any], key: str) -> Iterator[tuple[Any, str]]:
    """The entries of the list under a key, each with its place; none where there is no list."""
    for number, value in enumerate(items(top.get(key, []), key)):
        yield value, f"{key}[{number}]"


def place_of(entry: Mapping[str, Any], place: str) -> str:
    """The place of an entry of a list by its name, if it has one: mates.pin for mates[3]."""
    if "name" not in entry:
        return place
    return f"{place.partition('[')[0]}.{text(entry['name'], f'{place}.name')}"


def references(value: Any, place: str) -> None:
    """Raise unless the value is a list of references to features."""
    for number, end in enumerate(items(value, place)):
        reference(end, f"{place}[{number}]")


def text(value: Any, place: str) -> str:
    """Text that is not empty."""
    if not isinstance(value, str) or not value:
        raise BadValue(place, value, "text that is not empty")
    return value


def file_name(value: Any, place: str) -> str:
    """The path of a file."""
    if "\0" in text(value, place):
        raise BadValue(place, value, "a path, which has no NUL in it")
    return str(value)


def numbers(value: Any, count: int, place: str) -> tuple[float, ...]:
    """So many numbers, from a list of them."""
    if not isinstance(value, list) or len(value) != count or not all(map(is_number, value)):
        raise BadValue(place, value, f"a list of {count} numbers")
    return tuple(float(v) for v in value)


def direction(value: Any, place: str) -> Triple:
    """A unit vector from three numbers, or from a name such as "-x"."""
    return unit(value if isinstance(value, str) else numbers(value, 3, place), place)


def reference(value: Any, place: str) -> None:
    """Raise unless the value has the form of a reference to a feature."""
    if not isinstance(value, str):
        pair(value, place, '"part.feature" or ["part", "feature"]')


def pair(value: Any, place: str, wanted: str = "two names of parts") -> tuple[str, str]:
    """Two texts, from a list of them."""
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(v, str) for v in value):
        raise BadValue(place, value, wanted)
    return (value[0], value[1])

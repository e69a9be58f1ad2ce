"""What the formulas of a file tell with some values of its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..foundations.numerics.varied import Varied
from .building.driving import FilePlace
from .feature import PLACED, POSITIONS, Feature
from .laws.expression import Expression
from .mate import Mate
from .numbers import finite


def texts_in(value: Any) -> Iterator[str]:
    """The texts in a value of a file."""
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, (Mapping, list, tuple)):
        for entry in inner:
            yield from texts_in(entry)


def number_of(text: str, values: Mapping[str, float], place: str) -> float:
    """The number that a formula gives with values of the parameters."""
    return finite(formula(text, tuple(values), place).evaluate(values), place)


@lru_cache
def formula(text: str, names: tuple[str, ...], place: str) -> Expression:
    """A formula of parameters of these names at a place of a file."""
    return Expression.parse(text, names, place)


def names_in(given: Any) -> frozenset[str]:
    """The words of the formulas in a value of a file, those of parameters among them."""
    if isinstance(given, str):
        return _words(given)
    return frozenset[str]().union(*map(_words, texts_in(given)))


@lru_cache
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def reader(values: Mapping[str, float]) -> Callable[[str, str], float]:
    """The number of a formula at a place; the same formula is read once."""
    known: dict[str, float] = {}

    def number(text: str, place: str) -> float:
        if text not in known:
            known[text] = number_of(text, values, place)
        return known[text]

    return number


def evaluated(given: Any, number: Callable[[str, str], float], place: str) -> Any:
    """What a file has at a place, with numbers for formulas."""
    if isinstance(given, str) and given.startswith("="):
        return as_written(number(given, place))
    if isinstance(given, Mapping):
        return {key: evaluated(entry, number, place) for key, entry in given.items()}
    if isinstance(given, (list, tuple)):
        return [evaluated(entry, number, place) for entry in given]
    return given


def as_written(value: float) -> float:
    """The number that is written in place of a formula: 20 teeth, not 20.0."""
    return int(value) if value.is_integer() and not isinstance(value, Varied) else value


def varies(value: Any) -> bool:
    """Whether there is a number in what a file has at a place that varies."""
    if isinstance(value, (float, int, str)):
        return isinstance(value, Varied)
    inner = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, (Mapping, list)) and any(map(varies, inner))


def with_number(feature: Feature, path: FilePlace, value: Any) -> Feature:
    """A feature with a value at a path in its entry of a file: its type, a field, an index."""
    named = field_of(path)
    key = str(named[0])
    if len(named) > 1:
        value = _replaced(getattr(feature, key), named[1:], value)
    if key in POSITIONS and type(feature) in PLACED:
        return feature.placed_at(value)
    if isinstance(value, list):
        value = tuple(value)
    return replace(feature, **{key: value})


def field_of(path: FilePlace) -> FilePlace:
    """A path in the entry of a feature without its type: a field, an index."""
    return path[1:] if len(path) > 1 and isinstance(path[1], str) else path  # a point has none


def put_number(given: dict[str, Any], mate: Mate, path: FilePlace, value: Any) -> None:
    """Enter a parameter of a mate, or a number of one."""
    key = str(path[0])
    if len(path) > 1:
        value = _replaced(given.get(key, getattr(mate, key)), path[1:], value)
    given[key] = value


def _replaced(values: Any, path: FilePlace, value: Any) -> Any:
    """Numbers with another one at a path of indices."""
    out, index = list(values), int(path[0])
    out[index] = value if len(path) == 1 else _replaced(out[index], path[1:], value)
    return tuple(out)

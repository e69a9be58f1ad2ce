"""Parameters of a file: any number may be a formula of them, as "=L/2 + 3".

Reading replaces the formulas by numbers before anything else is read.  Writing restores a formula
where the number is still the value of the formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from ...errors import BadValue, FormatError, NotFinite
from ...model.building.driving import FilePlace, FormulaEntry, check_parameter
from ...model.drivers.quantity import MEASURES
from ...model.laws.expression import Expression
from ...model.mate import MATES
from ...model.numbers import finite
from . import validation
from .strict_json import TOP

PARAMETERS = "parameters"
TEXTS = (
    *("format", "name", "kind", "a", "b", "about", "at", "joint", "joints", "coordinate"),
    *("coordinates", "driver", "part", "feature", "parts", "relative_to", "of", "without"),
    *("geometry", "assembly", "separation", "distance", "pins", "axes", "sense", "side", "order"),
    *("law", "select", "as", "links", "link", "ends", "rays", "slot"),
    *("parameter", "mate", "distribution", "pairs", "except"),
)
"""Keys of names and references: their text is never a formula; further references of mates too."""
MOTIONS = ("position", "angles")
"""Keys of drivers that hold laws, which are formulas of time."""
NAMED = (
    *(("parts",), ("features",), ("drivers",), ("cylinders",), ("positions",), ("measures",)),
    ("tolerances",),
)
"""Keys of objects with an entry for each name."""
PINS = ("linkage", "pins")
"""Path of the pins of a drawing, whose keys are names."""
GIVEN_ONCE = "at"
"""The frame of a joint that is given once: it becomes features, in numbers."""

NUMBERS = (float, int)
"""Types of most values of a list; they stay as they are."""

MISSING = object()


class Resolved(NamedTuple):
    """A file in numbers: its tree, its parameters, and the formulas by their path."""

    tree: Any
    values: dict[str, float]
    found: dict[FilePlace, str]


# -------------------------------------------------------------------------------------- reading
def resolved(tree: Any, settings: Mapping[str, float]) -> Resolved:
    """The tree of a file with a number for every formula; settings replace its parameters."""
    if not isinstance(tree, dict):
        return Resolved(tree, {}, {})
    found: dict[FilePlace, str] = {}
    values = _values(tree.get(PARAMETERS, {}), settings, found)
    rest = {key: value for key, value in tree.items() if key != PARAMETERS}
    try:
        return Resolved(_numbers(rest, (), values, found), values, found)
    except RecursionError:
        raise FormatError(TOP, "this is nested too deeply") from None


def _values(
    entries: Any, settings: Mapping[str, float], found: dict[FilePlace, str]
) -> dict[str, float]:
    """Every parameter's value, in the order of the file."""
    given = dict(validation.members(entries, PARAMETERS))
    values: dict[str, float] = {}
    formulas: dict[str, Expression] = {}
    for name, entry in given.items():
        place = f"{PARAMETERS}.{name}"
        check_parameter(name, place)
        if name in settings:
            values[name] = finite(settings[name], place)
        elif _is_formula(entry):
            formulas[name] = Expression.parse(entry, given, place)
            found[PARAMETERS, name] = entry
        else:
            values[name] = finite(entry, place, 'a number, or a formula as "=L/2"')
    order = TopologicalSorter({name: f.names for name, f in formulas.items()})
    try:
        for name in order.static_order():
            if name in formulas:
                values[name] = _value(formulas[name], values, f"{PARAMETERS}.{name}")
    except CycleError as error:
        loop = list(reversed(error.args[1]))
        raise FormatError(
            f"{PARAMETERS}.{loop[0]}", f"it depends on itself: {' -> '.join(loop)}"
        ) from None
    return {name: values[name] for name in given}


def _value(formula: Expression, values: Mapping[str, float], place: str) -> float:
    found = formula.evaluate(values)
    try:
        return finite(found, place)
    except BadValue:
        raise NotFinite(place, formula.text, "value") from None


def _is_formula(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")


def _numbers(
    tree: Any, path: FilePlace, values: Mapping[str, float], found: dict[FilePlace, str]
) -> Any:
    """The tree with numbers for formulas, each of which is stored in `found` by its path."""
    if isinstance(tree, dict):
        pinned = "at" in tree  # then "angle" is the range of a driver, not two features
        return {k: _inner(v, (*path, k), values, found, pinned) for k, v in tree.items()}
    if isinstance(tree, list):
        return [
            v if type(v) in NUMBERS else _numbers(v, (*path, k), values, found)
            for k, v in enumerate(tree)
        ]
    if not _is_formula(tree):
        return tree
    place = path_text(path)
    found[path] = tree
    value = _value(Expression.parse(tree, values, place), values, place)
    return int(value) if value.is_integer() else value  # 20 teeth, not 20.0


def _inner(
    value: Any,
    path: FilePlace,
    values: Mapping[str, float],
    found: dict[FilePlace, str],
    pinned: bool,
) -> Any:
    """The value of a key; a note or a name stays as it is."""
    key, first = str(path[-1]), path[0]
    named = path[-2:-1] in NAMED
    named = named or path[:-1] == PINS or (first == "positions" and not validation.is_note(key))
    if named or isinstance(value, dict):  # the key is a name given by the user
        keep = not named and validation.is_note(key)
    else:
        listed = isinstance(value, list)
        keep = validation.is_note(key) or key in TEXTS or (key == "angle" and listed and not pinned)
        keep = keep or (first == "drivers" and key in MOTIONS)
        keep = keep or (first == "measures" and key == "point")
        keep = keep or (first == "mates" and any(key in cls.takes_more for cls in MATES.values()))
    return value if keep else _numbers(value, path, values, found)


def path_text(path: FilePlace) -> str:
    """A path as text for errors: parts.rod.features.pin, mates[3].value."""
    out = ""
    for key in path:
        out += f"[{key}]" if isinstance(key, int) else f".{key}" if out else key
    return out


# -------------------------------------------------------------------------------------- writing
def formulas_to_restore(
    original: Any, read: Resolved, written: Any
) -> dict[FilePlace, FormulaEntry]:
    """Formulas that the writer restores, by path, each with its value in the written tree.

    Args:
        original: the file's tree with its formulas; read: the same in numbers, as is `written`.
    """
    out: dict[FilePlace, FormulaEntry] = {}
    numbers = read.tree | {PARAMETERS: read.values}
    for path in read.found:
        if path[0] == "mates" and GIVEN_ONCE in path[2:3]:
            continue
        unit = _unit(original, numbers, path, written)
        out[_named(unit, written)] = FormulaEntry(_at(original, unit), plain(_at(written, unit)))
    return out


def _unit(original: Any, numbers: Any, path: FilePlace, written: Any) -> FilePlace:
    """The path of what is replaced as a whole: a number, or a value that is written differently."""
    for k in range(2, len(path)):
        inside = _at(original, path[:k])
        if isinstance(inside, dict) and "axis" in inside and "angle" in inside:
            return path[:k]  # a pose by axis and angle: written as a quaternion
    for k in range(1, len(path)):
        if _at(written, path[:k]) is MISSING:
            return path[:k]  # the writer omits a value that is the default
    whole = path[:-1]
    if isinstance(path[-1], int) and plain(_at(written, whole)) != _at(numbers, whole):
        return whole  # a direction: written as a unit vector
    return path


def with_formulas(tree: Any, formulas: Mapping[FilePlace, FormulaEntry]) -> Any:
    """The tree of a file with the formulas whose values have not changed."""
    out = plain(tree)
    for path, formula in formulas.items():
        indexed = _indexed(path, out)
        if indexed is None:
            continue
        holder = _at(out, indexed[:-1])
        if holder is not MISSING and _at(out, indexed) == formula.value:
            holder[indexed[-1]] = formula.given
    return out


def plain(tree: Any) -> Any:
    """A copy with lists for tuples."""
    if isinstance(tree, Mapping):
        return {key: plain(value) for key, value in tree.items()}
    return [plain(value) for value in tree] if isinstance(tree, (list, tuple)) else tree


def _at(tree: Any, path: FilePlace) -> Any:
    """The value at a path; MISSING where there is none."""
    for key in path:
        keyed = isinstance(tree, Mapping) and key in tree
        listed = isinstance(tree, (list, tuple)) and isinstance(key, int) and key < len(tree)
        if not keyed and not listed:
            return MISSING
        tree = tree[key]
    return tree


LISTS = ("mates", "limits", "loads", "springs", "checks")
"""Lists of entries with names: an entry is found by its name when others are added or removed."""


def _named(path: FilePlace, tree: Any) -> FilePlace:
    """The path with the name of an entry for its index."""
    if path[0] in LISTS and len(path) > 1:
        return (path[0], _names(tree, path[0])[int(path[1])], *path[2:])
    return path


def _indexed(path: FilePlace, tree: Any) -> FilePlace | None:
    """The path with the index of an entry for its name; None where the entry was removed."""
    if path[0] in LISTS and len(path) > 1:
        names = _names(tree, path[0])
        return (path[0], names.index(str(path[1])), *path[2:]) if path[1] in names else None
    return path


def _names(tree: Any, key: str | int) -> list[str]:
    return [_name(entry) for entry in tree.get(key, ())]


def _name(entry: Mapping[str, Any]) -> str:
    """The name of an entry; one that is written without is a limit, which its quantity names."""
    if entry.get("name"):
        return str(entry["name"])
    kind = next((key for key in MEASURES if key in entry), None)
    if kind is None:
        return f"{entry.get('joint')} {entry.get('coordinate')}"
    ends = (end if isinstance(end, str) else ".".join(end) for end in entry[kind])
    return "{} {} - {}".format(kind, *ends)

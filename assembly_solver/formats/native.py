"""The project's own file, NAME.assembly.json: a strict reader and a byte-stable writer.

Every key, name and type is checked at this door, and an error begins with the place that it is
about, as in `parts.door.features.pin`.  Keys that say nothing to the solver ("$schema", "note",
and those that begin with "x-") pass, and are written again where they stood.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import (
    BadValue,
    Contradiction,
    FormatError,
    MissingFile,
    MissingKey,
    NotYet,
    UnknownName,
)
from ..model.assembly import TOLERANCE, Assembly
from ..model.check import Check, check_kind
from ..model.couplings import Coupling
from ..model.driver import Driver
from ..model.limit import Limit
from ..model.mate import MATES, Mate, Reference
from ..model.quantity import Quantity
from . import door, strict_json
from . import read as read_any
from .aliases import ALIASES
from .groups import Reading, Settle, add_parts, check_patterns, parts_tree, told
from .loads import LOADING_KEYS, add_loads, loads_tree
from .parts import frame, keep, noted, reference_tree
from .strict_json import TOP

SUFFIX = ".assembly.json"
FORMAT = "assembly-solver/1"

KEYS = (
    "format", "name", "tolerance", "parts", "mates", "drivers", "limits", *LOADING_KEYS, "checks",
)  # fmt: skip
MATE_KEYS = ("name", "kind", "a", "b", "parts", "at")
COUPLING_KEYS = ("name", "kind")
QUANTITY_KEYS = ("joint", "coordinate", "separation")
DRIVER_KEYS = (*QUANTITY_KEYS, "range", "value", "law")
CHECK_KEYS = ("name", "kind")
LIMIT_KEYS = ("name", *QUANTITY_KEYS, "min", "max")


# -------------------------------------------------------------------------------------- reading
def read(source: str | Path, settle: Settle | None = None) -> Assembly:
    """The assembly in a file; "-" reads standard input, whose folder is the working directory.

    Args:
        settle: what is done to a sub-assembly before it is taken as one rigid part.
    """
    if str(source) == "-":
        text = _decoded(sys.stdin.buffer.read())
        return read_text(text, "assembly", Path(), Reading(_read_file, settle))
    path = Path(source)
    return _read_file(path, Reading(_read_file, settle, (path.resolve(),)))


def _read_file(path: Path, reading: Reading) -> Assembly:
    """The assembly in a file, which may be of another format where another one includes it."""
    if not path.name.lower().endswith(SUFFIX):
        return read_any(path)
    if not path.is_file():
        raise MissingFile(str(path), ())
    name = path.name.removesuffix(SUFFIX)
    assembly = read_text(_decoded(path.read_bytes()), name, path.parent, reading)
    assembly.file = path
    return assembly


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start + 1}", "this is not UTF-8 text") from None


def read_text(
    text: str,
    name: str = "assembly",
    folder: Path | None = None,
    reading: Reading | None = None,
) -> Assembly:
    """The assembly in a text; `name` is its name if it gives none, `folder` where its files are."""
    top, notes = door.split(strict_json.parse(text), KEYS, TOP)
    for key in ("format", "parts"):
        if key not in top:
            raise MissingKey(TOP, "an assembly", key)
    if top["format"] != FORMAT:
        raise BadValue("format", top["format"], f'"{FORMAT}"')
    assembly = Assembly(door.text(top.get("name", name), "name"), folder=folder)
    assembly.tolerance = top.get("tolerance", TOLERANCE)
    assembly.notes.update(notes)
    add_parts(assembly, top["parts"], reading or Reading(_read_file))
    for number, entry in enumerate(door.items(top.get("mates", []), "mates")):
        _add_mate(assembly, entry, f"mates[{number}]")
    for key, entry in door.members(top.get("drivers", {}), "drivers"):
        _add_driver(assembly, key, entry)
    for number, entry in enumerate(door.items(top.get("limits", []), "limits")):
        _add_limit(assembly, entry, f"limits[{number}]")
    check_patterns(assembly)
    add_loads(assembly, top)
    for number, entry in enumerate(door.items(top.get("checks", []), "checks")):
        _add_check(assembly, entry, f"checks[{number}]")
    return assembly


def _add_mate(assembly: Assembly, entry: Any, place: str) -> None:
    if not isinstance(entry, dict):
        raise BadValue(place, entry, "an object with a kind and two features")
    if "name" in entry:
        place = f"mates.{door.text(entry['name'], f'{place}.name')}"
    kind, implied = _kind(entry, place)
    names = MATES[kind].parameter_names()
    own, notes = door.split(entry, (*mate_keys(MATES[kind]), *names), place)
    for key, value in implied.items():
        if own.get(key, value) != value:
            raise Contradiction(place, f"kind {entry['kind']!r}", f"{key} {own[key]!r}")
    for key in ("a", "b", *MATES[kind].takes_more):
        if key in own:
            door.reference(own[key], f"{place}.{key}")
    parts, at = own.get("parts"), own.get("at")
    mate = assembly.mate(
        kind,
        own.get("a"),
        own.get("b"),
        name=own.get("name"),
        parts=door.pair(parts, f"{place}.parts") if parts is not None else None,
        at=frame(at, f"{place}.at") if at is not None else None,
        place=place,
        **implied,
        **{key: own[key] for key in names if key in own and key not in implied},
    )
    keep(assembly, ("mates", mate.name), notes)


def mate_keys(cls: type[Mate]) -> tuple[str, ...]:
    """What an entry of a kind takes besides its parameters; a coupling has no features."""
    return COUPLING_KEYS if issubclass(cls, Coupling) else MATE_KEYS


def _kind(entry: Mapping[str, Any], place: str) -> tuple[str, Mapping[str, Any]]:
    """The registered kind of a mate, and the parameters that its word implies."""
    if "kind" not in entry:
        raise MissingKey(place, "a mate", "kind")
    kind = entry["kind"]
    if isinstance(kind, str) and kind in MATES:
        return kind, {}
    if isinstance(kind, str) and kind in ALIASES:
        return ALIASES[kind]
    raise UnknownName("mate kind", str(kind), (*MATES, *ALIASES), f"{place}.kind")


def _add_driver(assembly: Assembly, name: str, entry: Any) -> None:
    place = f"drivers.{name}"
    own, notes = door.split(entry, DRIVER_KEYS, place)
    if "value" in own and "law" in own:
        raise Contradiction(place, "'value'", "'law'")
    value = own.get("value", own.get("law"))
    if "law" in own and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise NotYet("a law other than a number", f"{place}.law")
    assembly.drive(name, **_quantity(own, place), value=value, range=own.get("range"), place=place)
    keep(assembly, ("drivers", name), notes)


def _quantity(own: Mapping[str, Any], place: str) -> dict[str, Any]:
    """What a driver or a limit is about."""
    for key in ("joint", "coordinate"):
        if key in own:
            door.text(own[key], f"{place}.{key}")
    for number, end in enumerate(door.items(own.get("separation", []), f"{place}.separation")):
        door.reference(end, f"{place}.separation[{number}]")
    return {key: own.get(key) for key in QUANTITY_KEYS}


def _add_limit(assembly: Assembly, entry: Any, place: str) -> None:
    own, notes = door.split(entry, LIMIT_KEYS, place)
    if "name" in own:
        place = f"limits.{door.text(own['name'], f'{place}.name')}"
    bounds: dict[str, Any] = {key: own.get(key) for key in ("name", "min", "max")}
    made = assembly.limit(**_quantity(own, place), **bounds, place=place)
    keep(assembly, ("limits", made.name), notes)


def _add_check(assembly: Assembly, entry: Any, place: str) -> None:
    if not isinstance(entry, dict):
        raise BadValue(place, entry, "an object with a kind")
    if "kind" not in entry:
        raise MissingKey(place, "a check", "kind")
    if "name" in entry:
        place = f"checks.{door.text(entry['name'], f'{place}.name')}"
    names = [f.name for f in check_kind(entry["kind"], place).fields()]
    own, notes = door.split(entry, (*CHECK_KEYS, *names), place)
    given = {key: own[key] for key in names if key in own}
    made = assembly.check(own["kind"], name=own.get("name"), place=place, **given)
    keep(assembly, ("checks", made.name), notes)


# -------------------------------------------------------------------------------------- writing
def write(assembly: Assembly, path: str | Path, folder: Path | None = None) -> None:
    """Write the file.

    Args:
        assembly: what to write.
        path: the file; it is written in place, `formats.write` writes beside and renames.
        folder: where the file will stand, if not where it is written now.
    """
    path = Path(path)
    path.write_text(dump(assembly, folder or path.parent), encoding="utf-8", newline="\n")


def dump(assembly: Assembly, folder: Path | None = None) -> str:
    """The text of the file; relative geometry files start at `folder`, if one is given."""
    notes = dict(assembly.notes)
    tree: dict[str, Any] = {key: notes.pop(key) for key in ("$schema",) if key in notes}
    tree |= {"format": FORMAT, "name": assembly.name}
    tree |= {key: notes.pop(key) for key in ("note",) if key in notes}
    if assembly.tolerance != TOLERANCE:
        tree["tolerance"] = assembly.tolerance
    tree["parts"] = parts_tree(assembly, folder)
    told_mates, told_drivers, told_limits = told(assembly)
    mates = [m for m in assembly.mates.values() if m.name not in told_mates]
    tree["mates"] = [_mate_tree(assembly, m) for m in mates]
    drivers = [d for d in assembly.drivers.values() if d.name not in told_drivers]
    if drivers:
        tree["drivers"] = {d.name: _driver_tree(assembly, d) for d in drivers}
    limits = [x for x in assembly.limits.values() if not x.implied and x.name not in told_limits]
    if limits:
        tree["limits"] = [_limit_tree(assembly, x) for x in limits]
    tree |= loads_tree(assembly)
    if assembly.checks:
        tree["checks"] = [_check_tree(assembly, x) for x in assembly.checks.values()]
    return strict_json.dump(tree | notes) + "\n"


def _mate_tree(assembly: Assembly, mate: Mate) -> dict[str, Any]:
    own: dict[str, Any] = {"name": mate.name, "kind": mate.kind}
    if not isinstance(mate, Coupling):
        own |= {"a": reference_tree(assembly, mate.a), "b": reference_tree(assembly, mate.b)}
    for key, value in mate.parameters().items():
        own[key] = reference_tree(assembly, value) if isinstance(value, Reference) else value
    return noted(own, assembly.notes_at.get(("mates", mate.name), {}))


def _quantity_tree(assembly: Assembly, quantity: Quantity) -> dict[str, Any]:
    if quantity.separation is not None:
        return {"separation": [reference_tree(assembly, ref) for ref in quantity.separation]}
    return {"joint": quantity.joint, "coordinate": quantity.coordinate}


def _driver_tree(assembly: Assembly, driver: Driver) -> dict[str, Any]:
    own = _quantity_tree(assembly, driver)
    own |= {"range": driver.range} if driver.range is not None else {}
    own |= {"value": driver.value} if driver.value is not None else {}
    own |= {"law": driver.law} if driver.law is not None else {}
    return noted(own, assembly.notes_at.get(("drivers", driver.name), {}))


def _limit_tree(assembly: Assembly, limit: Limit) -> dict[str, Any]:
    own: dict[str, Any] = {"name": limit.name} if limit.name != limit.words else {}
    own |= _quantity_tree(assembly, limit)
    own |= {"min": limit.min} if limit.min is not None else {}
    own |= {"max": limit.max} if limit.max is not None else {}
    return noted(own, assembly.notes_at.get(("limits", limit.name), {}))


def _check_tree(assembly: Assembly, check: Check) -> dict[str, Any]:
    own: dict[str, Any] = {"name": check.name} if check.name != check.title else {}
    own["kind"] = check.kind
    for key, value in check.parameters().items():
        own[key] = reference_tree(assembly, value) if isinstance(value, Reference) else value
    return noted(own, assembly.notes_at.get(("checks", check.name), {}))

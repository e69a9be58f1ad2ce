"""The native format, NAME.assembly.json: a strict reader and a byte-stable writer.

Every key, name and type is validated, and an error begins with the place that it is about, as in
`parts.door.features.pin`.  Keys without a meaning to the solver ("$schema", "note", and those that
begin with "x-") are accepted, and written again where they stood.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...errors import BadValue, FormatError, MissingFile, MissingKey
from ...model.assembly import TOLERANCE, Assembly
from ...model.check import Check
from ...model.contact import ContactPairs, checked_contact
from ...model.mate import Mate, Reference, kind_named
from ...model.mates.couplings import Coupling
from .. import read as read_any
from . import strict_json, validation
from .drawings import LINKAGE, add_drawing, drawing_tree
from .drivers import DRIVING_KEYS, add_drivers, drivers_tree
from .groups import Reading, Settle, add_parts, check_patterns, names_in_groups, parts_tree
from .loads import LOADING_KEYS, add_loads, loads_tree
from .parameters import PARAMETERS, formulas_to_restore, resolved, with_formulas
from .parts import frame, reference_tree, store_notes, with_notes
from .strict_json import TOP
from .tolerances import STUDY_KEYS, add_tolerances, tolerances_tree

SUFFIX = ".assembly.json"
FORMAT = "assembly-solver/1"

KEYS = (
    *("format", "name", "tolerance", "floating", PARAMETERS, LINKAGE, "parts", "mates"),
    *(*DRIVING_KEYS, *LOADING_KEYS, *STUDY_KEYS, "contact", "checks"),
)
CONTACT_KEYS = ("pairs", "except", "gap")
CHECK_KEYS = COUPLING_KEYS = ("name", "kind")
MATE_KEYS = (*COUPLING_KEYS, "a", "b", "parts", "at")


# -------------------------------------------------------------------------------------- reading
def read(
    source: str | Path,
    settle: Settle | None = None,
    settings: Mapping[str, float] = MappingProxyType({}),
) -> Assembly:
    """The assembly in a file, as of `formats.read`; "-" is read in the working directory."""
    if str(source) == "-":
        if sys.stdin is None:
            raise FormatError("-", "standard input is closed")
        text = _decoded(sys.stdin.buffer.read())
        reading = Reading(_read_file, settle, settings=settings)
        return read_text(text, "assembly", Path(), reading)
    path = Path(source)
    return _read_file(path, Reading(_read_file, settle, (path.resolve(),), settings=settings))


def _read_file(path: Path, reading: Reading) -> Assembly:
    """The assembly in a file; an included file may be of another format."""
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
    text: str, name: str = "assembly", folder: Path | None = None, reading: Reading | None = None
) -> Assembly:
    """The assembly in a text.

    Args:
        name: of the assembly if the text has none; folder: of the files that it names.
        reading: the call of the reader that this is part of.
    """
    try:
        return _read_text(text, name, folder, reading or Reading(_read_file))
    except BadValue as error:
        raise error.in_json() from None


def _read_text(text: str, name: str, folder: Path | None, reading: Reading) -> Assembly:
    original = strict_json.parse(text)
    found = resolved(original, reading.settings)
    top, notes = validation.split(found.tree, KEYS, TOP)
    for key, other in (("format", "format"), ("parts", LINKAGE)):
        if key not in top and other not in top:
            raise MissingKey(TOP, "an assembly", key)
    if top["format"] != FORMAT:
        raise BadValue("format", top["format"], f'"{FORMAT}"')
    assembly = Assembly(validation.text(top.get("name", name), "name"), folder=folder)
    assembly.tolerance = top.get("tolerance", TOLERANCE)
    assembly.tolerance_assumed = "tolerance" not in top
    assembly.floating = top.get("floating", False)
    assembly.notes.update(notes)
    for key, value in found.values.items():
        assembly.parameter(key, value)
    parts = top.get("parts", {})
    if LINKAGE in top:
        add_drawing(assembly, top[LINKAGE], parts)
    add_parts(assembly, parts, reading)
    for entry, place in validation.entries(top, "mates"):
        _add_mate(assembly, entry, place)
    add_drivers(assembly, top)
    check_patterns(assembly)
    add_loads(assembly, top)
    add_tolerances(assembly, top)
    if "contact" in top:
        _add_contact(assembly, top["contact"])
    for entry, place in validation.entries(top, "checks"):
        _add_check(assembly, entry, place)
    if found.found:
        assembly.formulas |= formulas_to_restore(original, found, _tree(assembly, None))
    return assembly


def _add_mate(assembly: Assembly, entry: Any, place: str) -> None:
    if not isinstance(entry, dict):
        raise BadValue(place, entry, "an object with a kind and two features")
    place = validation.place_of(entry, place)
    if "kind" not in entry:
        raise MissingKey(place, "a mate", "kind")
    cls = kind_named(validation.text(entry["kind"], f"{place}.kind"), f"{place}.kind").cls
    names = cls.parameter_names()
    known = COUPLING_KEYS if issubclass(cls, Coupling) else MATE_KEYS
    own, notes = validation.split(entry, (*known, *names), place)
    for key in ("a", "b", *cls.takes_more):
        if key in own:
            validation.reference(own[key], f"{place}.{key}")
    parts, at = own.get("parts"), own.get("at")
    mate = assembly.mate(
        own["kind"],
        own.get("a"),
        own.get("b"),
        name=own.get("name"),
        parts=validation.pair(parts, f"{place}.parts") if parts is not None else None,
        at=frame(at, f"{place}.at") if at is not None else None,
        place=place,
        **{key: own[key] for key in names if key in own},
    )
    store_notes(assembly, ("mates", mate.name), notes)


def _add_contact(assembly: Assembly, entry: Any) -> None:
    own, notes = validation.split(entry, CONTACT_KEYS, "contact")
    assembly.contact = checked_contact(own, assembly.parts, exclude="except")
    store_notes(assembly, ("contact",), notes)


def _add_check(assembly: Assembly, entry: Any, place: str) -> None:
    if not isinstance(entry, dict):
        raise BadValue(place, entry, "an object with a kind")
    if "kind" not in entry:
        raise MissingKey(place, "a check", "kind")
    place = validation.place_of(entry, place)
    from ...model.checks import check_kind  # twenty classes, which few files ask for

    kind = validation.text(entry["kind"], f"{place}.kind")
    names = [f.name for f in check_kind(kind, place).fields()]
    own, notes = validation.split(entry, (*CHECK_KEYS, *names), place)
    given = {key: own[key] for key in names if key in own}
    made = assembly.check(own["kind"], name=own.get("name"), place=place, **given)
    store_notes(assembly, ("checks", made.name), notes)


# -------------------------------------------------------------------------------------- writing
def write(assembly: Assembly, path: str | Path, folder: Path | None = None) -> None:
    """Write the file in place; `folder`: of the final file, if it is not that of `path`."""
    path = Path(path)
    path.write_text(dump(assembly, folder or path.parent), encoding="utf-8", newline="\n")


def dump(assembly: Assembly, folder: Path | None = None) -> str:
    """The text of the file; paths of geometry files are relative to `folder`, if one is given."""
    assembly = assembly.as_written()
    return strict_json.dump(with_formulas(_tree(assembly, folder), assembly.formulas)) + "\n"


def _tree(assembly: Assembly, folder: Path | None) -> dict[str, Any]:
    """The tree of the file, with numbers for formulas."""
    notes = dict(assembly.notes)
    tree: dict[str, Any] = {key: notes.pop(key) for key in ("$schema",) if key in notes}
    tree |= {"format": FORMAT, "name": assembly.name}
    tree |= {key: notes.pop(key) for key in ("note",) if key in notes}
    if not assembly.tolerance_assumed:
        tree["tolerance"] = assembly.tolerance
    if assembly.floating:
        tree["floating"] = True
    if assembly.parameters:
        tree[PARAMETERS] = dict(assembly.parameters)
    drawn, told_mates = drawing_tree(assembly), names_in_groups(assembly)[0]
    mates = [m for m in assembly.mates.values() if m.name not in told_mates]
    own: dict[str, Any] = {"parts": parts_tree(assembly, folder)}
    own["mates"] = [_mate_tree(assembly, m) for m in mates]
    tree |= drawn | {key: entries for key, entries in own.items() if entries or not drawn}
    tree |= drivers_tree(assembly)
    tree |= loads_tree(assembly) | tolerances_tree(assembly)
    if assembly.contact is not None:
        tree["contact"] = _contact_tree(assembly, assembly.contact)
    if assembly.checks:
        tree["checks"] = [_check_tree(assembly, x) for x in assembly.checks.values()]
    return tree | notes


def _mate_tree(assembly: Assembly, mate: Mate) -> dict[str, Any]:
    own: dict[str, Any] = {"name": mate.name, "kind": mate.kind}
    if not isinstance(mate, Coupling):
        own |= {"a": reference_tree(assembly, mate.a), "b": reference_tree(assembly, mate.b)}
    for key, value in mate.parameters().items():
        own[key] = reference_tree(assembly, value) if isinstance(value, Reference) else value
    return with_notes(own, assembly.notes_at.get(("mates", mate.name), {}))


def _check_tree(assembly: Assembly, check: Check) -> dict[str, Any]:
    own: dict[str, Any] = {"name": check.name} if check.name != check.title else {}
    own["kind"] = check.kind
    for key, value in check.parameters().items():
        own[key] = reference_tree(assembly, value) if isinstance(value, Reference) else value
    return with_notes(own, assembly.notes_at.get(("checks", check.name), {}))


def _contact_tree(assembly: Assembly, contact: ContactPairs) -> dict[str, Any]:
    pairs, gap = contact.pairs, contact.gap
    own: dict[str, Any] = {"pairs": pairs if isinstance(pairs, str) else [list(p) for p in pairs]}
    own |= {"except": [list(p) for p in contact.exclude]} if contact.exclude else {}
    own |= {"gap": gap} if gap > 0.0 else {}
    return with_notes(own, assembly.notes_at.get(("contact",), {}))

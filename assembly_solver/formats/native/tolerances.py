"""Measures and tolerances in the native format: mm, degrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.assembly import Assembly
from ...model.drivers.quantity import MEASURES
from ...model.mate import Reference
from ...model.tolerances.named_measure import MEASURING, NamedMeasure
from ...model.tolerances.tolerance import TOLERANCE_KEYS, Tolerance
from . import validation
from .parts import reference_tree, store_notes, with_notes

STUDY_KEYS = ("measures", "tolerances")
MEASURE_KEYS = (*MEASURING, "min", "max")
ONE_FEATURE = ("about", "point", "feature")
"""Keys of a reference to a feature."""


# -------------------------------------------------------------------------------------- reading
def add_tolerances(assembly: Assembly, top: Mapping[str, Any]) -> None:
    """Add the measures and the tolerances of a file."""
    for name, entry in validation.members(top.get("measures", {}), "measures"):
        place = f"measures.{name}"
        own = _entry(assembly, ("measures", name), entry, MEASURE_KEYS)
        if isinstance(own.get("along"), list):
            own["along"] = validation.direction(own["along"], f"{place}.along")
        assembly.measure(name, **own, place=place)
    for name, entry in validation.members(top.get("tolerances", {}), "tolerances"):
        own = _entry(assembly, ("tolerances", name), entry, TOLERANCE_KEYS)
        assembly.tolerate(name, **own, place=f"tolerances.{name}")


def _entry(
    assembly: Assembly, path: tuple[str, str], entry: Any, known: tuple[str, ...]
) -> dict[str, Any]:
    """The known keys of an entry, references checked by form; its notes are stored."""
    place = ".".join(path)
    own, notes = validation.split(entry, known, place)
    for key, value in own.items():
        where = f"{place}.{key}"
        if key in ONE_FEATURE:
            validation.reference(value, where)
        elif key in ("joint", "coordinate", "parameter", "driver", "mate"):
            validation.text(value, where)
        elif key in MEASURES and path[0] == "measures":
            validation.references(value, where)
    store_notes(assembly, path, notes)
    return own


# -------------------------------------------------------------------------------------- writing
def tolerances_tree(assembly: Assembly) -> dict[str, Any]:
    """The keys of measures and tolerances with their values; no key for none."""
    inside, more = set[str](), set[str]()
    for group in assembly.groups.values():
        told = group.as_entered(assembly)
        inside.update(told["measures"])
        more.update(told["tolerances"])
    measures = {
        name: _measure_tree(assembly, m)
        for name, m in assembly.measures.items()
        if name not in inside
    }
    tolerances = {
        name: _tolerance_tree(assembly, t)
        for name, t in assembly.tolerances.items()
        if name not in more
    }
    found = {"measures": measures, "tolerances": tolerances}
    return {key: value for key, value in found.items() if value}


def _measure_tree(assembly: Assembly, measure: NamedMeasure) -> dict[str, Any]:
    given = ((key, getattr(measure, key)) for key in MEASURE_KEYS)
    own = {key: _shown(assembly, value) for key, value in given if value is not None}
    return with_notes(own, assembly.notes_at.get(("measures", measure.name), {}))


def _tolerance_tree(assembly: Assembly, tolerance: Tolerance) -> dict[str, Any]:
    own = {key: _shown(assembly, value) for key, value in tolerance.parameters().items()}
    return with_notes(own, assembly.notes_at.get(("tolerances", tolerance.name), {}))


def _shown(assembly: Assembly, value: Any) -> Any:
    """A value as a file has it, references as "part.feature"."""
    if isinstance(value, Reference):
        return reference_tree(assembly, value)
    if isinstance(value, tuple) and isinstance(value[0], Reference):
        return [reference_tree(assembly, ref) for ref in value]
    return value

"""Loads, springs and gravity in the native format: N, N mm, N/mm; gravity in m/s2."""

from __future__ import annotations

from typing import Any

from ...errors import MissingKey
from ...model.assembly import Assembly
from ...model.load import NOTHING, Load, Spring
from . import entry_keys, validation
from .parts import reference_tree, store_notes, with_notes

GRAVITY = "gravity_m_s2"
LOADING_KEYS = (GRAVITY, "loads", "springs")


def add_loads(assembly: Assembly, top: dict[str, Any]) -> None:
    """Add the gravity, the loads and the springs of a file."""
    if GRAVITY in top:
        given = validation.numbers(top[GRAVITY], 3, GRAVITY)
        with validation.renamed("gravity", GRAVITY):
            assembly.gravity = given
    for entry, place in validation.entries(top, "loads"):
        _add_load(assembly, entry, place)
    for entry, place in validation.entries(top, "springs"):
        _add_spring(assembly, entry, place)


def _add_spring(assembly: Assembly, entry: Any, place: str) -> None:
    own, notes = validation.split(entry, entry_keys.SPRING, place)
    place = validation.place_of(own, place)
    for key in ("a", "b"):
        if key not in own:
            raise MissingKey(place, "a spring", key)
        validation.reference(own[key], f"{place}.{key}")
    numbers = {key: own[key] for key in entry_keys.SPRING_NUMBERS if key in own}
    made = assembly.spring(own["a"], own["b"], **numbers, name=own.get("name"), place=place)
    store_notes(assembly, ("springs", made.name), notes)


def _add_load(assembly: Assembly, entry: Any, place: str) -> None:
    own, notes = validation.split(entry, entry_keys.LOAD, place)
    place = validation.place_of(own, place)
    if "at" not in own:
        raise MissingKey(place, "a load", "at")
    validation.reference(own["at"], f"{place}.at")
    vectors = {
        k: validation.numbers(own[k], 3, f"{place}.{k}") for k in ("force", "torque") if k in own
    }
    axes = validation.text(own["axes"], f"{place}.axes") if "axes" in own else None
    made = assembly.load(own["at"], **vectors, axes=axes, name=own.get("name"), place=place)
    store_notes(assembly, ("loads", made.name), notes)


def loads_tree(assembly: Assembly) -> dict[str, Any]:
    """The keys of gravity, loads and springs with their values; no key for none."""
    out: dict[str, Any] = {}
    if assembly.gravity != NOTHING:
        out[GRAVITY] = assembly.gravity
    if assembly.loads:
        out["loads"] = [_load_tree(assembly, load) for load in assembly.loads.values()]
    if assembly.springs:
        out["springs"] = [_spring_tree(assembly, x) for x in assembly.springs.values()]
    return out


def _spring_tree(assembly: Assembly, spring: Spring) -> dict[str, Any]:
    a, b = (reference_tree(assembly, end) for end in spring.ends)
    own: dict[str, Any] = {"name": spring.name, "a": a, "b": b}
    own |= {k: getattr(spring, k) for k in entry_keys.SPRING_NUMBERS if getattr(spring, k) != 0.0}
    return with_notes(own, assembly.notes_at.get(("springs", spring.name), {}))


def _load_tree(assembly: Assembly, load: Load) -> dict[str, Any]:
    own: dict[str, Any] = {"name": load.name, "at": reference_tree(assembly, load.at)}
    own |= {"force": load.force} if load.force != NOTHING or load.torque == NOTHING else {}
    own |= {"torque": load.torque} if load.torque != NOTHING else {}
    own |= {"axes": load.axes} if load.axes is not None else {}
    return with_notes(own, assembly.notes_at.get(("loads", load.name), {}))

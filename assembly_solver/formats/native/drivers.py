"""Drivers, cylinders, limits and positions in the native format: mm, degrees, MPa, s."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import BadValue, Contradiction, MissingKey
from ...model.assembly import Assembly
from ...model.building.drawing import PinDriver
from ...model.building.positions import MODE, Position
from ...model.drivers.driver import Driver
from ...model.drivers.guide import AXES, Guide
from ...model.drivers.limit import Limit
from ...model.drivers.quantity import MEASURES, NAMING, Quantity
from ...model.mate import Reference
from ...model.numbers import true_or_false
from . import entry_keys, validation
from .drawings import add_pin_driver, pin_driver_tree
from .groups import names_in_groups
from .parts import reference_tree, store_notes, with_notes

DRIVING_KEYS = ("drivers", "cylinders", "limits", "positions")
DRIVER_KEYS = (*NAMING, *entry_keys.DRIVER)
LIMIT_KEYS = ("name", *NAMING, "min", "max")


# -------------------------------------------------------------------------------------- reading
def add_drivers(assembly: Assembly, top: Mapping[str, Any]) -> None:
    """Add the drivers, cylinders, limits and positions of a file."""
    for name, entry in validation.members(top.get("drivers", {}), "drivers"):
        _add_driver(assembly, name, entry)
    for name, entry in validation.members(top.get("cylinders", {}), "cylinders"):
        _add_cylinder(assembly, name, entry)
    for entry, place in validation.entries(top, "limits"):
        _add_limit(assembly, entry, place)
    for name, entry in validation.members(top.get("positions", {}), "positions"):
        _add_position(assembly, name, entry)


def _add_driver(assembly: Assembly, name: str, entry: Any) -> None:
    place = f"drivers.{name}"
    if isinstance(entry, dict) and "part" in entry:
        _add_guide(assembly, name, entry)
        return
    if isinstance(entry, dict) and "at" in entry:
        add_pin_driver(assembly, name, entry)
        return
    own, notes = validation.split(entry, DRIVER_KEYS, place)
    how = {key: own.get(key) for key in entry_keys.DRIVER}
    assembly.drive(name, **_quantity(own, place), **how, place=place)
    store_notes(assembly, ("drivers", name), notes)


def _add_guide(assembly: Assembly, name: str, entry: dict[str, Any]) -> None:
    place = f"drivers.{name}"
    own, notes = validation.split(entry, entry_keys.GUIDE, place)
    if "relative_to" in own:
        validation.reference(own["relative_to"], f"{place}.relative_to")
    for key in ("part", "feature"):
        validation.text(own.get(key, "-"), f"{place}.{key}")
    if not true_or_false(own.pop("held", True), f"{place}.held"):
        if "value" in own:
            raise Contradiction(place, "'held'", "'value'")
        own["value"] = None
    assembly.guide(name, **own, place=place)
    store_notes(assembly, ("drivers", name), notes)


def _quantity(own: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The quantity of a driver or a limit."""
    for key in ("joint", "coordinate"):
        if key in own:
            validation.text(own[key], f"{place}.{key}")
    for key in MEASURES:
        validation.references(own.get(key, []), f"{place}.{key}")
    if "about" in own:
        validation.reference(own["about"], f"{place}.about")
    return {key: own.get(key) for key in NAMING}


def _add_cylinder(assembly: Assembly, name: str, entry: Any) -> None:
    place = f"cylinders.{name}"
    own, notes = validation.split(entry, entry_keys.CYLINDER, place)
    for key in ("pins", "closed", "stroke"):
        if key not in own:
            raise MissingKey(place, "a cylinder", key)
    validation.references(own["pins"], f"{place}.pins")
    assembly.cylinder(name, **own, place=place)
    store_notes(assembly, ("cylinders", name), notes)


def _add_limit(assembly: Assembly, entry: Any, place: str) -> None:
    own, notes = validation.split(entry, LIMIT_KEYS, place)
    place = validation.place_of(own, place)
    bounds: dict[str, Any] = {key: own.get(key) for key in ("name", "min", "max")}
    made = assembly.limit(**_quantity(own, place), **bounds, place=place)
    store_notes(assembly, ("limits", made.name), notes)


def _add_position(assembly: Assembly, name: str, entry: Any) -> None:
    """Add a position: a text under "mode" is an assembly mode, a number the value of a driver."""
    place = f"positions.{name}"
    known = [key for key, _ in validation.members(entry, place) if not validation.is_note(key)]
    values, notes = validation.split(entry, known, place)
    mode = values.pop(MODE) if isinstance(values.get(MODE), str) else None
    assembly.position(name, values, mode=mode, place=place)
    store_notes(assembly, ("positions", name), notes)


# -------------------------------------------------------------------------------------- writing
def drivers_tree(assembly: Assembly) -> dict[str, Any]:
    """The keys of drivers, cylinders, limits and positions with their values; no key for none."""
    _, told_drivers, told_limits = names_in_groups(assembly)
    own = [d for d in assembly.drivers.values() if d.name not in told_drivers]
    drivers, cylinders = {}, {}
    for driver in own:
        if driver.name in assembly.cylinders:
            cylinders[driver.name] = _cylinder_tree(assembly, driver)
        else:
            drivers[driver.name] = _driver_tree(assembly, driver)
    limits = [
        _limit_tree(assembly, limit)
        for limit in assembly.limits.values()
        if not limit.implied and limit.name not in told_limits
    ]
    positions = {name: _position_tree(assembly, p) for name, p in assembly.positions.items()}
    found = {"drivers": drivers, "cylinders": cylinders, "limits": limits, "positions": positions}
    return {key: value for key, value in found.items() if value}


def _quantity_tree(assembly: Assembly, quantity: Quantity) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key in NAMING:
        value = getattr(quantity, key)
        if isinstance(value, Reference):
            out[key] = reference_tree(assembly, value)
        elif isinstance(value, tuple):
            out[key] = [reference_tree(assembly, ref) for ref in value]
        elif value is not None:
            out[key] = value
    return out


def _held_tree(driver: Driver) -> dict[str, Any]:
    if driver.law is not None:
        return {"law": driver.law.to_file()}
    return {} if driver.value is None else {"value": driver.value}


def _driver_tree(assembly: Assembly, driver: Driver) -> dict[str, Any]:
    if isinstance(driver, Guide):
        own = _guide_tree(assembly, driver)
    elif isinstance(driver, PinDriver):
        own = pin_driver_tree(assembly, driver) | _held_tree(driver)
    else:
        own = _quantity_tree(assembly, driver)
        own |= {"range": driver.range} if driver.range is not None else {}
        own |= _held_tree(driver)
    return with_notes(own, assembly.notes_at.get(("drivers", driver.name), {}))


def _guide_tree(assembly: Assembly, guide: Guide) -> dict[str, Any]:
    own: dict[str, Any] = {"part": guide.part}
    own |= {"feature": guide.feature} if guide.feature is not None else {}
    if guide.relative_to is not None:
        own["relative_to"] = reference_tree(assembly, guide.relative_to)
    own |= {key: [law.to_file() for law in getattr(guide, key)] for key in ("position", "angles")}
    own |= {"order": guide.order} if guide.order != AXES else {}
    if guide.value is None:
        return own | {"held": False}
    return own | ({"value": guide.value} if guide.value != 0.0 else {})


def _cylinder_tree(assembly: Assembly, driver: Driver) -> dict[str, Any]:
    cylinder = assembly.cylinders[driver.name]
    own: dict[str, Any] = {"pins": [reference_tree(assembly, ref) for ref in cylinder.pins]}
    own |= cylinder.sizes | _held_tree(driver)
    return with_notes(own, assembly.notes_at.get(("cylinders", driver.name), {}))


def _limit_tree(assembly: Assembly, limit: Limit) -> dict[str, Any]:
    own: dict[str, Any] = {"name": limit.name} if limit.name != limit.words else {}
    own |= _quantity_tree(assembly, limit)
    own |= {"min": limit.min} if limit.min is not None else {}
    own |= {"max": limit.max} if limit.max is not None else {}
    return with_notes(own, assembly.notes_at.get(("limits", limit.name), {}))


def _position_tree(assembly: Assembly, position: Position) -> dict[str, Any]:
    own: dict[str, Any] = dict(position.values)
    for key in own:
        if validation.is_note(key):
            raise BadValue(f"positions.{position.name}.{key}", key, "another name: this is a note")
    own |= {MODE: position.mode} if position.mode is not None else {}
    return with_notes(own, assembly.notes_at.get(("positions", position.name), {}))

"""Drawings of linkages in the native format: pins, links and slots, and drivers at pins.

The key "linkage" holds the drawing.  Anything else of a link, and its pose where that is not as
drawn, is under "parts" by the link's name; "without" names the mates and limits of the drawing that
were removed or replaced.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import DuplicateName, MissingKey, UnknownName
from ...model.assembly import Assembly
from ...model.building.drawing import DrawnLink, DrawnSlot, PinDriver
from ...model.building.groups import left_out_name
from ...model.numbers import true_or_false
from ...model.part import Part
from . import entry_keys, validation
from .parts import part_of, part_tree, store_notes, with_notes

LINKAGE = "linkage"


# ---------------------------------------------------------------------------------------- reading
def add_drawing(assembly: Assembly, entry: Any, parts: Any) -> None:
    """Add a drawing; the entries of parts have what links have besides what is drawn."""
    own, notes = validation.split(entry, entry_keys.LINKAGE, LINKAGE)
    store_notes(assembly, (LINKAGE,), notes)
    more = dict(validation.members(parts, "parts"))
    pins = dict(validation.members(own.get("pins", {}), f"{LINKAGE}.pins"))
    assembly.pins({n: validation.numbers(at, 2, f"{LINKAGE}.pins.{n}") for n, at in pins.items()})
    for name, link in validation.members(own.get("links", {}), f"{LINKAGE}.links"):
        _add_link(assembly, name, link, more.get(name, {}))
    for name, slot in validation.members(own.get("slots", {}), f"{LINKAGE}.slots"):
        _add_slot(assembly, name, slot)
    place = f"{LINKAGE}.without"
    for name in validation.items(own.get("without", []), place):
        _remove(assembly, validation.text(name, place), place)


def _add_link(assembly: Assembly, name: str, entry: Any, more: Any) -> None:
    place = f"{LINKAGE}.links.{name}"
    own, notes = validation.split(entry, entry_keys.LINK, place)
    store_notes(assembly, (LINKAGE, "links", name), notes)
    if "pins" not in own:
        raise MissingKey(place, "a link", "pins")
    if isinstance(more, dict) and ("assembly" in more or "pattern" in more):
        raise DuplicateName("link", name, f"parts.{name}")
    given = part_of(assembly, name, more)
    now = given.pop("grounded")
    drawn = true_or_false(own.get("grounded", False), f"{place}.grounded")
    assembly.link(name, validation.items(own["pins"], f"{place}.pins"), grounded=drawn, **given)
    if "grounded" in more:
        assembly.ground(name, now)


def _add_slot(assembly: Assembly, name: str, entry: Any) -> None:
    place = f"{LINKAGE}.slots.{name}"
    own, notes = validation.split(entry, entry_keys.SLOT, place)
    store_notes(assembly, (LINKAGE, "slots", name), notes)
    for key in ("ends", "pins"):
        if key not in own:
            raise MissingKey(place, "a slot", key)
        validation.items(own[key], f"{place}.{key}")
    true_or_false(own.get("stops", True), f"{place}.stops")
    if own.get("link") is not None:
        validation.text(own["link"], f"{place}.link")
    assembly.slot(name, **own)


def _remove(assembly: Assembly, name: str, place: str) -> None:
    """Remove a mate or a limit that the drawing made."""
    drawing = assembly.drawing
    limits = {left_out_name("limits", limit, drawing.mates): limit for limit in drawing.limits}
    if name in drawing.mates:
        assembly.remove(name)
    elif name in limits:
        assembly.remove_limit(limits[name])
    else:
        raise UnknownName("mate", name, (*drawing.mates, *limits), place)


def add_pin_driver(assembly: Assembly, name: str, entry: dict[str, Any]) -> None:
    """Add a driver at a pin."""
    place = f"drivers.{name}"
    own, notes = validation.split(entry, entry_keys.PIN_DRIVER, place)
    validation.text(own["at"], f"{place}.at")
    assembly.drive(name, **own, place=place)
    store_notes(assembly, ("drivers", name), notes)


# ---------------------------------------------------------------------------------------- writing
def drawing_tree(assembly: Assembly) -> dict[str, Any]:
    """The key of the drawing with its value; empty where nothing was drawn."""
    drawing = assembly.drawing
    if not drawing:
        return {}
    links = {name: _link_tree(assembly, name, link) for name, link in drawing.links.items()}
    slots = {name: _slot_tree(assembly, name, slot) for name, slot in drawing.slots.items()}
    own = {"pins": drawing.pins, "links": links, "slots": slots, "without": _gone(assembly)}
    given = {key: value for key, value in own.items() if value}
    return {LINKAGE: with_notes(given, assembly.notes_at.get((LINKAGE,), {}))}


def _link_tree(assembly: Assembly, name: str, link: DrawnLink) -> dict[str, Any]:
    own: dict[str, Any] = {"pins": link.pins}
    own |= {"grounded": True} if link.grounded else {}
    return with_notes(own, assembly.notes_at.get((LINKAGE, "links", name), {}))


def _slot_tree(assembly: Assembly, name: str, slot: DrawnSlot) -> dict[str, Any]:
    own: dict[str, Any] = {"ends": slot.ends, "pins": slot.pins}
    own |= {"link": slot.link} if len(assembly.drawing.holders(slot.ends)) > 1 else {}
    own |= {} if slot.stops else {"stops": False}
    return with_notes(own, assembly.notes_at.get((LINKAGE, "slots", name), {}))


def names_in_drawing(assembly: Assembly) -> tuple[set[str], set[str]]:
    """Names of the mates and limits that are as drawn: they have no entry of their own."""
    drawing, held, limits = assembly.drawing, assembly.held, assembly.limits
    mates = {n for n, mate in drawing.mates.items() if n in held and held[n].mate == mate}
    stops = drawing.limits.items()
    return mates, {n for n, x in stops if limits.get(n) == x and x.joint in mates}


def _gone(assembly: Assembly) -> list[str]:
    """Removed or replaced mates of the drawing, and such limits of the remaining mates."""
    drawing = assembly.drawing
    mates, limits = names_in_drawing(assembly)
    loose = [n for n, x in drawing.limits.items() if n not in limits and x.joint in mates]
    gone = [name for name in drawing.mates if name not in mates]
    return gone + [left_out_name("limits", name, drawing.mates) for name in loose]


def link_tree(assembly: Assembly, part: Part, folder: Path | None) -> dict[str, Any]:
    """The entry of a part with what a link has besides what is drawn."""
    drawn = assembly.drawing.links[part.name]
    own = {key: f for key, f in part.features.items() if key not in drawn.pins}
    bare = replace(part, features=own, grounded=False, notes={})
    tree = {"grounded": part.grounded} if part.grounded != drawn.grounded else {}
    return with_notes(tree | part_tree(assembly, bare, folder), part.notes)


def pin_driver_tree(assembly: Assembly, driver: PinDriver) -> dict[str, Any]:
    """The quantity of a driver at a pin, without what is at its default."""
    drawing, pin = assembly.drawing, driver.pin
    own: dict[str, Any] = {"at": pin}
    if driver.slot is not None:
        own |= {"length": driver.range} if driver.range is not None else {}
        several = len(drawing.slots_with(pin)) > 1
        return own | ({"slot": driver.slot} if several or driver.range is None else {})
    assert driver.links is not None
    own |= {"angle": driver.range} if driver.range is not None else {}
    rays = (drawing.ray(driver.links[0], pin), drawing.ray(driver.links[1], pin))
    usual = driver.rays == rays
    named = drawing.turned(pin, (None, None) if usual else driver.rays) != driver.links
    if named or (usual and driver.range is None):
        own["links"] = driver.links
    return own if usual else own | {"rays": driver.rays}

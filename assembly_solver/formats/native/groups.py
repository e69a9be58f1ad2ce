"""Sub-assemblies and patterns in the native format: entries that stand for several parts.

Such an entry also has the changes made to its parts: under "parts" poses (of a sub-assembly in its
frame), features and grounding that differ, under "drivers" changed values, under "without" mates,
drivers, limits, measures and tolerances that were removed or replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...errors import (
    AssemblySolverError,
    Contradiction,
    FormatError,
    MissingFile,
    MissingKey,
    UnknownName,
    first_names,
)
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.rounding import AGREEMENT
from ...model.assembly import Assembly
from ...model.building.groups import Group, Pattern, SubAssembly, left_out_name
from ...model.numbers import true_or_false
from ...model.part import Part
from .. import LEFT_OUT, readable
from . import entry_keys, validation
from .drawings import link_tree, names_in_drawing
from .parts import (
    COLOUR,
    colour_of,
    features_of,
    features_tree,
    file_tree,
    mass_of,
    mass_tree,
    part_of,
    part_tree,
    pose_of,
    pose_tree,
    store_notes,
    with_notes,
)

ALL_KEYS = (*entry_keys.PART, "assembly", "rigid", "parts", "drivers", "without", "pattern")
"""All keys that an entry of "parts" can have."""

Settle = Callable[[Assembly], Assembly]
"""Returns the assembly at poses where its mates hold, or unchanged where there are none."""


class Reading:
    """One call of the reader, with the files that it includes.

    Args:
        chain: the files that include each other, down to this one.
        known: assemblies that were read, by file and whether rigid.
        settings: values for parameters of this file, not of the files that it includes.
    """

    def __init__(
        self,
        read: Callable[[Path, Reading], Assembly],
        settle: Settle | None = None,
        chain: tuple[Path, ...] = (),
        known: dict[tuple[Path, bool], Assembly] | None = None,
        settings: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self._read, self._settle, self.chain = read, settle, chain
        self._known = {} if known is None else known

    def included(self, name: str, folder: Path, rigid: bool, place: str) -> Assembly:
        """The assembly in a file that another one includes, read once.

        Args:
            name: path of the file from `folder`; rigid: whether its mates must hold.

        Raises:
            FormatError: the file includes itself, is missing or not valid, or has skipped mates.
        """
        path = folder / name
        where = path.resolve()
        if where in self.chain:
            loop = " -> ".join(p.name for p in (*self.chain[self.chain.index(where) :], where))
            raise FormatError(place, f"{name} is part of itself: {loop}")
        if (where, False) not in self._known:
            inner = Reading(self._read, self._settle, (*self.chain, where), self._known)
            try:
                self._known[where, False] = self._read(path, inner)
            except MissingFile:
                near = path.parent.iterdir() if path.parent.is_dir() else ()
                known = [p.name for p in near if p.name.endswith(tuple(readable()))]
                raise FormatError(place, str(MissingFile(name, known))) from None
            except AssemblySolverError as error:
                raise FormatError(f"{place}: {name}", str(error)) from None
            left_out = self._known[where, False].notes.get(LEFT_OUT)
            if left_out:  # as a part of another assembly it would be wrong without a message
                names = first_names([*left_out])
                raise FormatError(f"{place}: {name}", f"no mate stands for {names}")
        if rigid and (where, True) not in self._known:
            found = self._known[where, False]
            self._known[where, True] = self._settle(found) if self._settle is not None else found
        return self._known[where, rigid]


# ---------------------------------------------------------------------------------------- reading
def add_parts(assembly: Assembly, given: Any, reading: Reading) -> None:
    """Add parts, sub-assemblies and patterns, a pattern after its seed; links were added before."""
    waiting: list[tuple[str, dict[str, Any]]] = []
    for name, entry in validation.members(given, "parts"):
        if name in assembly.drawing.links:
            continue
        if isinstance(entry, dict) and "pattern" in entry:
            _check_keys(entry, entry_keys.PATTERN, f"parts.{name}")
            waiting.append((name, entry))
        elif isinstance(entry, dict) and "assembly" in entry:
            _add_assembly(assembly, name, entry, reading)
        elif isinstance(entry, dict) and "rigid" in entry:
            raise MissingKey(f"parts.{name}", "a part with 'rigid'", "assembly")
        else:
            assembly.add(name, **part_of(assembly, name, entry, ALL_KEYS))
        for seeded in [w for w in waiting if _seed(w[1]) in assembly.parts]:
            waiting.remove(seeded)
            _add_pattern(assembly, *seeded)
    for seeded in waiting:
        _add_pattern(assembly, *seeded)


def _check_keys(entry: dict[str, Any], known: Collection[str], place: str) -> None:
    """Raise at a key that belongs to another type of entry."""
    for key in entry:
        if key in ALL_KEYS and key not in known:
            raise Contradiction(place, repr(next(iter(known))), repr(key))


def _seed(entry: dict[str, Any]) -> Any:
    """The name of a pattern's seed; None where it has none."""
    pattern = entry["pattern"]
    of = pattern.get("of") if isinstance(pattern, dict) else None
    return of if isinstance(of, str) else None


def _add_assembly(assembly: Assembly, name: str, entry: dict[str, Any], reading: Reading) -> None:
    place = f"parts.{name}"
    rigid = true_or_false(entry.get("rigid", True), f"{place}.rigid")
    own, notes = validation.split(entry, ALL_KEYS, place)
    known = entry_keys.RIGID if rigid else entry_keys.FLEXIBLE
    _check_keys(own, known, place)
    file = validation.file_name(own["assembly"], f"{place}.assembly")
    other = reading.included(file, assembly.folder, rigid, f"{place}.assembly")
    without = f"{place}.without"
    assembly.add_assembly(
        name,
        other,
        rigid=rigid,
        pose=pose_of(assembly, own.get("pose", {}), ("parts", name, "pose")),
        grounded=true_or_false(own.get("grounded", False), f"{place}.grounded"),
        features=features_of(assembly, own.get("features", {}), ("parts", name)),
        colour=colour_of(notes, place),
        notes=notes,
        file=file,
        without=[
            validation.text(w, without) for w in validation.items(own.get("without", []), without)
        ],
    )
    mass = mass_of(assembly, own, ("parts", name))
    if mass is not None:
        assembly.set_mass(name, mass)
    if not rigid:
        group = assembly.groups[name]
        assembly.move_inside(name, _changed(assembly, group, own.get("parts", {}), f"{name}."))
        for key, value in validation.members(own.get("drivers", {}), f"{place}.drivers"):
            assembly.set_driver(f"{name}.{key}", value, f"{place}.drivers.{key}")


def _add_pattern(assembly: Assembly, name: str, entry: dict[str, Any]) -> None:
    place = f"parts.{name}"
    own, notes = validation.split(entry, entry_keys.PATTERN, place)
    pattern, more = validation.split(own["pattern"], entry_keys.SEED, f"{place}.pattern")
    store_notes(assembly, ("parts", name, "pattern"), more)
    for key in ("of", "poses"):
        if key not in pattern:
            raise MissingKey(f"{place}.pattern", "a pattern", key)
    poses = validation.items(pattern["poses"], f"{place}.pattern.poses")
    without = validation.items(own.get("without", []), f"{place}.without")
    assembly.add_pattern(
        name,
        validation.text(pattern["of"], f"{place}.pattern.of"),
        [
            pose_of(assembly, pose, ("parts", name, "pattern", f"poses[{k}]"))
            for k, pose in enumerate(poses)
        ],
        notes=notes,
        without=[validation.text(w, f"{place}.without") for w in without],
    )
    assembly.move(_changed(assembly, assembly.groups[name], own.get("parts", {}), ""))


def _changed(assembly: Assembly, group: Group, given: Any, prefix: str) -> dict[str, Pose]:
    """Apply changed features, masses and grounding to a group's parts; returns changed poses."""
    poses = {}
    for key, entry in validation.members(given, f"parts.{group.name}.parts"):
        path = ("parts", group.name, "parts", key)
        name, place = f"{prefix}{key}", ".".join(path)
        if name not in group.parts:
            known = [part.removeprefix(prefix) for part in group.parts]
            raise UnknownName("part", key, known, f"parts.{group.name}.parts")
        own, notes = validation.split(entry, entry_keys.CHANGES, place)
        store_notes(assembly, path, notes)
        if "pose" in own:
            poses[key] = pose_of(assembly, own["pose"], (*path, "pose"))
        if "grounded" in own:
            assembly.ground(name, true_or_false(own["grounded"], f"{place}.grounded"))
        if "features" in own:
            found = features_of(assembly, own["features"], path, assembly.parts[name].geometry)
            assembly.add_features(name, found, place)
        mass = mass_of(assembly, own, path)
        if mass is not None:
            assembly.set_mass(name, mass)
    return poses


def check_patterns(assembly: Assembly) -> None:
    """Raise where a pattern skips a mate that it does not repeat; called when all mates exist."""
    for group in assembly.groups.values():
        if isinstance(group, Pattern):
            known = [name for names in group.repeats.values() for name in names]
            for name in group.without:
                if name not in known:
                    raise UnknownName("mate", name, known, f"parts.{group.name}.without")


# ---------------------------------------------------------------------------------------- writing
def parts_tree(assembly: Assembly, folder: Path | None) -> dict[str, Any]:
    """The entries of parts, sub-assemblies and patterns, in the order of their first parts."""
    owner = {part: group for group in assembly.groups.values() for part in group.parts}
    out: dict[str, Any] = {}
    for part in assembly.parts.values():
        group = owner.get(part.name)
        if part.name in assembly.drawing.links:
            more = link_tree(assembly, part, folder)
            out |= {part.name: more} if more else {}
        elif group is None:
            out[part.name] = part_tree(assembly, part, folder)
        elif group.name not in out:
            out[group.name] = _group_tree(assembly, group, folder)
    return out


def names_in_groups(assembly: Assembly) -> tuple[set[str], set[str], set[str]]:
    """Names of the mates, drivers and limits of groups and of the drawing: they have no entry."""
    (mates, bounds), drivers = names_in_drawing(assembly), set[str]()
    for group in assembly.groups.values():
        told = group.as_entered(assembly)
        mates.update(told["mates"])
        drivers.update(told["drivers"])
        bounds.update(told["limits"])
    return mates, drivers, bounds


def _group_tree(assembly: Assembly, group: Group, folder: Path | None) -> dict[str, Any]:
    place = f"parts.{group.name}"
    own: dict[str, Any] = {}
    if isinstance(group, SubAssembly):
        own |= {"assembly": file_tree(assembly, group.file, folder, place), "rigid": False}
        own |= {"grounded": True} if group.grounded else {}
        own |= pose_tree(assembly, group.pose, ("parts", group.name, "pose"))
        prefix = group.inside("")
    elif isinstance(group, Pattern):
        at = ("parts", group.name, "pattern")
        poses = [
            pose_tree(assembly, pose, (*at, f"poses[{k}]"), always=True)["pose"]
            for k, pose in enumerate(group.poses)
        ]
        pattern = with_notes({"of": group.of, "poses": poses}, assembly.notes_at.get(at, {}))
        own, prefix = {"pattern": pattern}, ""
    parts = {
        name.removeprefix(prefix): changes
        for name, changes in _changes(assembly, group, prefix).items()
        if changes
    }
    own |= {"parts": parts} if parts else {}
    own |= _other_values(assembly, group, prefix)
    without = [*group.without, *_gone(assembly, group, prefix)]
    own |= {"without": without} if without else {}
    if isinstance(group, SubAssembly) and group.colour is not None:
        own[COLOUR] = group.colour
    return with_notes(own, group.notes)


def _changes(assembly: Assembly, group: Group, prefix: str) -> dict[str, dict[str, Any]]:
    """The differences of each part from the definition of the group."""
    out = {}
    expected = _expected(assembly, group)
    for name, then in group.parts.items():
        now = assembly.parts[name]
        changes: dict[str, Any] = {}
        path = ("parts", group.name, "parts", name.removeprefix(prefix))
        if now.grounded != expected[name].grounded:
            changes["grounded"] = now.grounded
        if not _is_near(now.pose, expected[name].pose, isinstance(group, Pattern)):
            pose = group.relative(now) if isinstance(group, SubAssembly) else now.pose
            changes |= pose_tree(assembly, pose, (*path, "pose"), always=True)
        new = {key: f for key, f in now.features.items() if key not in then.features}
        changes |= features_tree(assembly, new, path)
        if now.mass != expected[name].mass:
            changes |= mass_tree(assembly, now.mass, path)
        out[name] = with_notes(changes, assembly.notes_at.get(path, {}))
    return out


def _expected(assembly: Assembly, group: Group) -> Mapping[str, Part]:
    """The parts as the entry alone gives them."""
    if not isinstance(group, Pattern):
        return group.parts
    seed = assembly.parts[group.of]
    starts = group.starts(assembly.parts)
    return {
        name: Part(name, pose=p, grounded=seed.grounded, mass=seed.mass)
        for name, p in zip(group.parts, starts, strict=True)
    }


def _is_near(one: Pose, two: Pose, rounded: bool) -> bool:
    if not rounded or one == two:
        return one == two
    return bool(np.abs(one.frame - two.frame).max() <= AGREEMENT)


def _other_values(assembly: Assembly, group: Group, prefix: str) -> dict[str, Any]:
    """Values of drivers that differ from those of the entry."""
    pairs = [(assembly.drivers[n], group.drivers[n]) for n in group.as_entered(assembly)["drivers"]]
    values = {
        now.name.removeprefix(prefix): now.value
        for now, then in pairs
        if (now.value, now.law) != (then.value, then.law)
    }
    return {"drivers": values} if values else {}


def _gone(assembly: Assembly, group: Group, prefix: str) -> list[str]:
    """What of a group was removed or replaced, by the names that "without" has."""
    mates = [name.removeprefix(prefix) for name in group.mates]
    return [
        left_out_name(sort, name.removeprefix(prefix), mates)
        for sort, name in group.left_out(assembly)
    ]

"""Editing of the parts of an assembly, and references to their features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from ...errors import BadValue, DuplicateName, UnknownName
from ...foundations.geometry.pose import Pose
from ..feature import Feature
from ..mass import Mass
from ..mate import Reference
from ..part import Part
from ..references import check_name, split
from .groups import Group, Pattern
from .moves import Moved

ReferenceLike = str | tuple[str, str] | list[str] | Reference


Entry = TypeVar("Entry")


class PartEditing:
    """The parts of an assembly; `revision` counts the edits.

    The argument `place` of a method is a position in a file, for error messages.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.kept: Any = None
        """What solves of it share, at the revision that this names: none of copies and of pickles.

        It is there from the beginning: another thread may be copying the attributes.
        """
        self._roster: dict[str, Part] = {}
        self._unplaced: dict[Reference, Moved] = {}
        """Features that only moved and are not on their parts yet; see `_parts`."""
        self._groups: dict[str, Group] = {}
        self._seeds: dict[str, tuple[str, ...]] = {}
        """Names of the patterns of each part that is a seed."""

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"kept": None}

    @property
    def _parts(self) -> dict[str, Part]:
        """Parts by name, to be edited.

        Features that only moved are put on them when they are read: a solve with the plan as it
        was reads none.
        """
        if self._unplaced:
            by_part: dict[str, dict[str, Feature]] = {}
            for (part, name), new in self._unplaced.items():
                old = self._roster[part].features[name]
                moved = new if isinstance(new, Feature) else old.placed_at(new)
                by_part.setdefault(part, {})[name] = moved
            for part, own in by_part.items():
                self._roster[part] = self._roster[part].with_features(own)
            self._unplaced = {}
        return self._roster

    @property
    def parts(self) -> Mapping[str, Part]:
        """Parts by name, in the order they were added."""
        return MappingProxyType(self._parts)

    @property
    def groups(self) -> Mapping[str, Group]:
        """Flexible sub-assemblies and patterns by name."""
        return MappingProxyType(self._groups)

    def add(
        self,
        name: str,
        *,
        features: Mapping[str, Feature] | None = None,
        pose: Pose | None = None,
        grounded: bool = False,
        geometry: str | Path | None = None,
        colour: str | None = None,
        mass: Mass | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> Part:
        """Add a part.

        Args:
            name: unique among the parts, sub-assemblies and patterns.
            features: by name, in part coordinates.
            pose: in the world, where the part starts; the identity by default.
            grounded: whether the part cannot move.
            geometry: file with its solid, relative to the folder of the assembly.
            colour: "#rrggbb"; mass: in part coordinates; notes: keys kept for the file.

        Raises DuplicateName: the name is taken; BadValue: it is empty, or something is no feature
        or no mass.

        Examples:
            >>> m = Assembly("hinge")
            >>> m.add("frame", grounded=True, features={"pin": Axis((0, 0, 0), "z")}).name
            'frame'
        """
        known, kept, start = dict(features or {}), dict(notes or {}), pose or Pose()
        file = Path(geometry) if geometry is not None else None
        return self._enter(Part(name, known, start, bool(grounded), file, colour, kept, mass=mass))

    def _enter(self, part: Part) -> Part:
        self._check_name(part.name)
        if part.mass is not None and not isinstance(part.mass, Mass):
            raise BadValue(f"parts.{part.name}.mass", part.mass, "a mass, as Mass(kg, centre)")
        for key, feature in part.features.items():
            if not isinstance(feature, Feature):
                place = f"parts.{part.name}.features.{key}"
                raise BadValue(place, feature, "a feature, as Axis(...)")
        return self._put(self._parts, part.name, part)

    def _check_name(self, name: str) -> None:
        check_name(name, "part")
        if name in self._parts or name in self._groups:
            raise DuplicateName("part", name)

    def _put(self, known: dict[str, Any], name: str, entry: Entry) -> Entry:
        """Enter or replace an entry by name."""
        known[name] = entry
        self.revision += 1
        return entry

    def _put_in_order(self, sort: str, entry: Entry) -> Entry:
        """Enter one of the drivers, limits, measures or tolerances where a file that is read has
        it."""
        known: dict[str, Any] = getattr(self, f"_{sort}")
        made: Any = entry
        before = next(reversed(known.values()), None)
        self._put(known, made.name, made)
        if self._is_out_of_place(sort, made, before):
            self._order_entries()
        return entry

    def _is_out_of_place(self, sort: str, entry: Any, before: Any) -> bool:
        """Whether the last entry may not stand behind the one before it where a file is read."""
        raise NotImplementedError

    def _order_entries(self) -> None:
        """Order all entries as in a file that is read: see `SubAssemblyEditing`."""

    def _alter(self, name: str, **new: Any) -> None:
        """Change fields of a part, and of the instances of its patterns."""
        self.part(name)
        for each in (name, *(part for pattern in self._patterns(name) for part in pattern.parts)):
            self._put(self._parts, each, replace(self._parts[each], **new))

    def _remove(self, what: str, known: dict[str, Any], name: str) -> None:
        """Remove an entry by name; `what` is its kind, for the error."""
        if name not in known:
            raise UnknownName(what, name, known)
        del known[name]
        self.revision += 1

    def part(self, name: str, place: str = "") -> Part:
        """A part by name.  Raises UnknownName: no such part; `place` is named in the message."""
        if name not in self._parts:
            raise UnknownName("part", name, self._parts, place)
        return self._parts[name]

    def _patterns(self, seed: str) -> list[Pattern]:
        """The patterns of a part."""
        found = (self._groups[name] for name in self._seeds.get(seed, ()))
        return [p for p in found if isinstance(p, Pattern)]

    def add_features(self, name: str, features: Mapping[str, Feature], place: str = "") -> None:
        """Add features, in part coordinates, to a part, and to the instances of its patterns.

        Raises UnknownName: no such part; DuplicateName: it or an instance has a feature of the
        name; BadValue: something is no feature.
        """
        part, patterns = self.part(name, place), self._patterns(name)
        same = {n: self._parts[n] for pattern in patterns for n in pattern.parts}
        for key, feature in features.items():
            for own in (part, *same.values()):
                if key in own.features or key in own.derived:
                    raise DuplicateName("feature", f"{own.name}.{key}", place)
            if not isinstance(feature, Feature):
                raise BadValue(place or key, feature, "a feature, as Axis(...)")
        for pattern in patterns:  # as entered: a file does not have them once more
            parts = {n: p.with_features(features) for n, p in pattern.parts.items()}
            self._groups[pattern.name] = replace(pattern, parts=parts)
        for own in (part, *same.values()):
            self._put(self._parts, own.name, own.with_features(features))

    def pose(self, name: str) -> Pose:
        """The start pose of a part, in the world.  Raises UnknownName: no such part."""
        return self.part(name).pose

    def move(self, poses: Mapping[str, Pose]) -> None:
        """Set the start poses of some parts."""
        for name in poses:
            self.part(name)
        for name, pose in poses.items():
            self._parts[name] = replace(self._parts[name], pose=pose)
        self.revision += 1

    def ground(self, name: str, grounded: bool = True) -> None:
        """Ground a part at its start pose, or free it.  Raises UnknownName: no such part."""
        self._put(self._parts, name, replace(self.part(name), grounded=grounded))

    def set_geometry(self, name: str, geometry: str | Path | None) -> None:
        """Set the file with the solid of a part, relative to the folder of the assembly; or
        None; instances of a pattern follow.  Raises UnknownName: no such part."""
        file = Path(geometry) if geometry is not None else None
        self._alter(name, geometry=file)

    def set_colour(self, name: str, colour: str | None) -> None:
        """Set the colour of a part, "#rrggbb", or None for the default; instances of a pattern
        follow.

        Raises UnknownName: no such part.
        """
        self._alter(name, colour=colour)

    def reference(self, value: ReferenceLike, place: str = "") -> Reference:
        """A reference from "part.feature" or ("part", "feature").

        Where names have dots, the longest part name that has the feature is taken.

        Raises UnknownName: no such part or feature; BadValue: neither of the two forms.
        """
        if isinstance(value, str):
            ref = split(value, self._parts, place)
        elif isinstance(value, (tuple, list)) and len(value) == 2:
            ref = Reference(str(value[0]), str(value[1]))
        else:
            raise BadValue(place, value, '"part.feature" or ["part", "feature"]')
        self.part(ref.part, place).feature(ref.feature, place)
        return ref

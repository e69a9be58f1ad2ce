"""Editing of sub-assemblies: assemblies in assemblies, rigid or flexible."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import BadValue, DoesNotStand, DuplicateName, UnknownName
from ...foundations.geometry.pose import Pose
from ..drivers.driver import Driver
from ..drivers.guide import Guide
from ..feature import OWN_FEATURES, Feature
from ..part import Part
from ..tolerances.named_measure import NamedMeasure
from ..tolerances.tolerance import Tolerance
from .groups import (
    OF_MATES,
    IncludedAssembly,
    Pattern,
    SubAssembly,
    flexible,
    included,
    left_out_name,
    origin_of,
)
from .patterns import PatternEditing
from .standing import worst_misfit


class SubAssemblyEditing(PatternEditing):
    """The sub-assemblies of an assembly."""

    folder: Path

    def add_assembly(
        self,
        name: str,
        other: IncludedAssembly,
        *,
        rigid: bool = True,
        pose: Pose | None = None,
        grounded: bool = False,
        features: Mapping[str, Feature] | None = None,
        colour: str | None = None,
        notes: Mapping[str, Any] | None = None,
        file: str | Path | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Add another assembly in its present state: as one rigid part, or flexible.

        Rigid, it is one part at `pose` with the features of its parts as "inner.feature"; its mates
        must hold at its poses.  Flexible, its parts, mates, drivers and limits are added under
        "name.inner"; its grounded parts are fixed to each other, and with `grounded` to the world.
        Its tolerance, checks, loads, springs, gravity and parameters are not included, nor what its
        tolerances say of parameters; its measures and other tolerances are, if it is flexible.

        Args:
            name: unique among the parts, sub-assemblies and patterns.
            pose: of its coordinate system in this assembly; the identity by default.
            grounded: whether the part, or the grounded parts of a flexible one, are grounded.
            features: more features of a rigid one, in its coordinates; notes: keys kept.
            colour: of a rigid one, or of the parts of a flexible one that have none.
            file: its file, relative to this assembly's folder; by default the one it was read from.
            without: names in it of mates and limits of a flexible one to exclude, and drivers,
                measures and tolerances as "driver lift".

        Raises:
            DoesNotStand: a mate of a rigid one does not hold at its poses.
            DuplicateName: the name is taken; UnknownName: `without` names none of it.
            BadValue: an empty assembly, this assembly, features of a flexible one, or `grounded`
                for one without grounded parts.
        """
        place = f"parts.{name}"
        self._check_name(name)
        if file is None and other.file is not None:
            file = os.path.relpath(other.file, self.folder)
        path = Path(file) if file is not None else None
        title = str(path or other.name)
        extra, where, kept = dict(features or {}), pose or Pose(), dict(notes or {})
        if not other.parts or id(other) == id(self):
            raise BadValue(place, title, "another assembly, with a part")
        if rigid:
            part = Part(name, extra, where, grounded, None, colour, kept, file=path)
            self._enter_rigid(part, other, place, title)
            return
        if extra:
            raise BadValue(f"{place}.features", list(extra), "left out of a flexible assembly")
        looks: Any = {"grounded": grounded, "colour": colour, "notes": kept}
        sub = SubAssembly(
            name=name, parts={}, file=path, pose=where, without=tuple(without), **looks
        )
        if grounded and not any(p.grounded for p in other.parts.values()):
            raise BadValue(place, title, "an assembly with a grounded part")
        with self._all_or_nothing():
            self._enter_content(sub, other, place)
            self._order_entries()

    def _enter_rigid(self, part: Part, other: IncludedAssembly, place: str, title: str) -> None:
        """Enter a rigid sub-assembly, if its constraints hold and no feature name is ambiguous."""
        part = replace(part, inner=included(other.parts, other.folder))
        constraints = (other.held.values(), other.drivers.values(), other.limits.values())
        worst = worst_misfit(other.parts, *constraints)
        if worst is not None and not worst.off <= other.tolerance:
            raise DoesNotStand(place, title, *worst)
        for key in part.features:
            if key not in OWN_FEATURES and replace(part, features={}).find(key) is not None:
                raise DuplicateName("feature", f"{part.name}.{key}", f"{place}.features.{key}")
        self._enter(part)

    def _enter_content(self, sub: SubAssembly, other: IncludedAssembly, place: str) -> None:
        """Enter the parts of a flexible sub-assembly, its mates, drivers and limits."""
        parts = flexible(sub, included(other.parts, other.folder))
        given = [sub.mate_entry(h.mate) for h in other.held.values()]
        given += self._ground_mates(sub, other)
        known = {
            left_out_name(sort, name, other.held): (sort, sub.inside(name))
            for sort in OF_MATES
            for name in getattr(other, sort)
        }
        known |= {e["name"].removeprefix(sub.inside("")): ("mates", e["name"]) for e in given}
        for name in sub.without:
            if name not in known:
                raise UnknownName("entry", name, known, f"{place}.without")
        excluded = {known[name] for name in sub.without}
        for part in parts.values():
            self._enter(part)
        made = [self.mate(**e, place=place) for e in given if ("mates", e["name"]) not in excluded]
        drivers = self._include_drivers(sub, other, excluded, place)
        limits = {}
        for x in other.limits.values():
            about = sub.about(x)
            if not x.implied and not _is_excluded("limits", about, excluded):
                limits[about["name"]] = self.limit(**about, min=x.min, max=x.max, place=place)
        mates = {mate.name: mate for mate in made}
        cylinders = {name: x for name, x in self._cylinders.items() if name in drivers}
        told: dict[str, Any] = {"drivers": drivers, "cylinders": cylinders, "limits": limits}
        entered = replace(sub, parts=parts, mates=mates, **told)
        self._groups[sub.name] = self._include_measured(entered, other, excluded, place)

    def _order_entries(self) -> None:
        """Order mates, drivers, limits, measures and tolerances as in a file that is read: first
        those of the drawing and of sub-assemblies that are as they were entered, with the mates
        that repeat them; drivers of cylinders last, and limits that are implied before others."""
        groups, (drawn, drawn_limits) = self._groups.values(), self._drawn()
        subs = [g.as_entered(self) for g in groups if isinstance(g, SubAssembly)]
        repeats: dict[str, list[str]] = {}  # as they were entered, by their mate
        for group in groups:
            for mate, names in group.repeats.items() if isinstance(group, Pattern) else ():
                if mate in self._held:
                    told = [n for n in names if n in self._held and self._is_entered(n)]
                    repeats.setdefault(mate, []).extend(told)
        later = {name for names in repeats.values() for name in names}
        first = (*drawn, *(name for told in subs for name in told["mates"]))
        order = dict.fromkeys(name for name in (*first, *self._held) if name not in later)
        known = self._resolved
        every = (name for mate in order for name in (mate, *repeats.get(mate, ())))
        self._resolved = {name: known[name] for name in every}
        self._order_told(subs, drawn_limits)

    def _order_told(
        self, subs: Sequence[Mapping[str, list[str]]], drawn_limits: Iterable[str]
    ) -> None:
        """Order drivers, limits, measures and tolerances: what sub-assemblies have stands first."""
        for sort in OF_MATES:
            known: dict[str, Any] = getattr(self, f"_{sort}")
            first = dict.fromkeys(name for told in subs for name in told[sort])
            last = self._cylinders if sort == "drivers" else {}
            order = first | dict.fromkeys(sorted(known, key=lambda name: name in last))
            setattr(self, f"_{sort}", {name: known[name] for name in order})
        self._cylinders = {n: self._cylinders[n] for n in self._drivers if n in self._cylinders}
        implied: dict[str, list[str]] = {}
        for name, limit in self._limits.items():
            if limit.implied:  # by a mate, or a cylinder of its name
                implied.setdefault(limit.joint or name, []).append(name)
        limits = dict.fromkeys(n for n in drawn_limits if n in self._limits)
        for told in subs:
            for joint in (*told["mates"], *told["drivers"]):
                limits |= dict.fromkeys(implied.get(joint, ()))
            limits |= dict.fromkeys(told["limits"])
        for joint in (*self._held, *self._cylinders):
            limits |= dict.fromkeys(implied.get(joint, ()))
        self._limits = {n: self._limits[n] for n in limits | dict.fromkeys(self._limits)}

    def _drawn(self) -> tuple[Iterable[str], Iterable[str]]:
        """Names of the mates and limits of a drawing, in the order in which a file has them."""
        return (), ()

    def _is_out_of_place(self, sort: str, entry: Any, before: Any) -> bool:
        subs = (g for g in self._groups.values() if isinstance(g, SubAssembly))
        again = any(entry.name in (*getattr(sub, sort), *sub.cylinders) for sub in subs)
        return again or super()._is_out_of_place(sort, entry, before)

    def _include_drivers(
        self,
        sub: SubAssembly,
        other: IncludedAssembly,
        excluded: Collection[tuple[str, str]],
        place: str,
    ) -> dict[str, Driver]:
        """Enter the drivers and cylinders of a flexible sub-assembly."""
        out: dict[str, Driver] = {}
        for d in other.drivers.values():
            about = sub.about(d)
            if _is_excluded("drivers", about, excluded):
                continue
            name = about["name"]
            driven = {"law": d.law} if d.law is not None else {"value": d.value}
            if isinstance(d, Guide):
                self._put(self._drivers, name, sub.guide(d))
            elif d.name in other.cylinders:
                sizes = other.cylinders[d.name].sizes
                self.cylinder(name, pins=about["separation"], **sizes, **driven, place=place)
            else:
                self._drive(name, about, d.range, d.value if d.law is None else None, d.law, place)
            out[name] = self._drivers[name]
        return out

    def _include_measured(
        self,
        sub: SubAssembly,
        other: IncludedAssembly,
        excluded: Collection[tuple[str, str]],
        place: str,
    ) -> SubAssembly:
        """Enter the measures and the tolerances of a flexible sub-assembly, which it then has."""
        measures: dict[str, NamedMeasure] = {}
        tolerances: dict[str, Tolerance] = {}
        for x in other.measures.values():
            entry = sub.measure_entry(x)
            if not _is_excluded("measures", entry, excluded):
                measures[entry["name"]] = self.measure(**entry, place=place)
        for t in other.tolerances.values():
            given = sub.tolerance_entry(t)
            gone = _is_excluded("tolerances", {"name": sub.inside(t.name), **given}, excluded)
            gone = gone or (t.driver is not None and given["driver"] not in self._drivers)
            if t.parameter is None and not gone:
                made = self.tolerate(sub.inside(t.name), place=place, **given)
                tolerances[made.name] = made
        return replace(sub, measures=measures, tolerances=tolerances)

    def move_inside(self, name: str, poses: Mapping[str, Pose]) -> None:
        """Set start poses of parts of a flexible sub-assembly, in it, by their names in it.

        Raises UnknownName: no such flexible sub-assembly or part.
        """
        sub = self._groups.get(name)
        if not isinstance(sub, SubAssembly):
            known = [n for n, g in self._groups.items() if isinstance(g, SubAssembly)]
            raise UnknownName("flexible sub-assembly", name, known)
        moved = {sub.inside(inner): (pose, sub.pose @ pose) for inner, pose in poses.items()}
        self.move({part: pose for part, (_, pose) in moved.items()})
        self._groups[name] = replace(sub, told={**sub.told, **moved})

    @staticmethod
    def _ground_mates(sub: SubAssembly, other: IncludedAssembly) -> list[dict[str, Any]]:
        """The mates that fix its grounded parts to the first of them, unless they are grounded."""
        fixed = [p for p in other.parts.values() if p.grounded and not sub.grounded]
        return [
            {
                "kind": "fixed",
                "name": sub.inside(f"{fixed[0].name} and {part.name} grounded"),
                "a": (sub.inside(fixed[0].name), "origin"),
                "b": (sub.inside(part.name), origin_of(fixed[0])),
            }
            for part in fixed[1:]
        ]


def _is_excluded(
    sort: str, entry: Mapping[str, Any], excluded: Collection[tuple[str, str]]
) -> bool:
    """Whether an entry, or the mate that it is about, is of what is excluded, by sort and name."""
    about = [("mates", entry.get(key)) for key in ("joint", "mate")]
    return any(named in excluded for named in ((sort, entry["name"]), *about))

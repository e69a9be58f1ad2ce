"""Assemblies in assemblies, and patterns: entries that stand for several parts and their mates."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import AssemblySolverError, BadValue, DoesNotStand, DuplicateName, UnknownName
from ...foundations.geometry.pose import Pose
from ..drivers.cylinder import Cylinder
from ..drivers.driver import Driver
from ..drivers.guide import Guide
from ..drivers.limit import Limit
from ..feature import OWN_FEATURES, Feature
from ..mate import Held, Mate
from ..mates.couplings import Coupling, coupled
from ..part import Part
from ..references import hold
from .driving import Driving
from .groups import (
    Group,
    Pattern,
    SubAssembly,
    Whole,
    flexible,
    included,
    instances,
    limit_name,
    origin_of,
    references,
    repeated,
)
from .standing import worst_misfit


class State(NamedTuple):
    """What an edit may have to bring back."""

    parts: dict[str, Part]
    held: dict[str, Held]
    drivers: dict[str, Driver]
    limits: dict[str, Limit]
    cylinders: dict[str, Cylinder]
    groups: dict[str, Group]
    seeds: dict[str, tuple[str, ...]]


class Composing(Driving):
    """Sub-assemblies and patterns of an assembly."""

    folder: Path

    def mate(self, *args: Any, **given: Any) -> Mate:
        """Add a mate: an assembly knows how."""
        raise NotImplementedError

    def _state(self) -> State:
        entered = (self._parts, self._held, self._drivers, self._limits, self._cylinders)
        return State(*(dict(d) for d in (*entered, self._groups, self._seeds)))  # type: ignore[arg-type]

    def _restore(self, state: State | None) -> None:
        if state is not None:
            (self._parts, self._held, self._drivers, self._limits, self._cylinders) = state[:5]
            (self._groups, self._seeds) = state[5:]

    def _imply(self, held: Held, place: str) -> None:
        """Enter the limits that a mate has by itself, in place of those that it had."""
        mate, known = held.mate, self._limits.items()
        if any(x.implied and x.joint == mate.name for x in self._limits.values()):
            self._limits = {k: x for k, x in known if not x.implied or x.joint != mate.name}
        for coordinate, (low, high) in mate.bounds(held.a, held.b).items():
            self.limit(mate, coordinate, min=low, max=high, implied=True, place=place)

    # ---------------------------------------------------------------- sub-assemblies
    def add_assembly(
        self,
        name: str,
        other: Whole,
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
        """Add another assembly as it is now: as one rigid part, or flexible.

        Rigid, it is one part at `pose` with the features of its parts as "inner.feature", and its
        mates must hold at its poses.  Flexible, its parts, mates, drivers and limits enter under
        "name.inner"; those of its parts that are grounded are fixed to each other, and to the
        world with `grounded`.  Its tolerance, checks, loads, springs and gravity stay its own.

        Args:
            features: more features of a rigid one, in its frame.
            colour: of a rigid one, or of the parts of a flexible one that have none.
            file: where it is written, from this assembly's folder; where it was read by default.
            without: mates and limits of a flexible one that are left out, by their names in it.
        """
        place = f"parts.{name}"
        self._check_name(name)
        path = Path(file) if file is not None else self._path_to(other)
        told = str(path or other.name)
        own, where, kept = dict(features or {}), pose or Pose(), dict(notes or {})
        if not other.parts or id(other) == id(self):
            raise BadValue(place, told, "another assembly, with a part")
        if rigid:
            inner = included(other.parts, other.folder)
            made = Part(name, own, where, grounded, None, colour, kept, inner, path)
            self._check_rigid(made, other, place, told)
            self._enter(made)
            return
        if own:
            raise BadValue(f"{place}.features", list(own), "left out of a flexible assembly")
        if grounded and not any(p.grounded for p in other.parts.values()):
            raise BadValue(place, told, "an assembly with a grounded part")
        sub = SubAssembly(
            name=name,
            parts={},
            notes=kept,
            file=path,
            pose=where,
            grounded=grounded,
            colour=colour,
            without=tuple(without),
        )
        before = self._state()
        try:
            self._include(sub, other, place)
        except AssemblySolverError:
            self._restore(before)
            raise

    @staticmethod
    def _check_rigid(part: Part, other: Whole, place: str, told: str) -> None:
        """Raise where its mates do not hold, or where a feature would have two meanings."""
        promises = (other.held.values(), other.drivers.values(), other.limits.values())
        worst = worst_misfit(other.parts, *promises)
        if worst is not None and not worst.off <= other.tolerance:
            raise DoesNotStand(place, told, *worst)
        for key in part.features:
            if key not in OWN_FEATURES and replace(part, features={}).find(key) is not None:
                raise DuplicateName("feature", f"{part.name}.{key}", f"{place}.features.{key}")

    def _path_to(self, other: Whole) -> Path | None:
        return Path(os.path.relpath(other.file, self.folder)) if other.file is not None else None

    def _include(self, sub: SubAssembly, other: Whole, place: str) -> None:
        """Enter the parts of a flexible sub-assembly, its mates, drivers and limits."""
        parts = flexible(sub, included(other.parts, other.folder))
        given = [sub.given(h.mate) for h in other.held.values()] + self._ground_mates(sub, other)
        left_out = {sub.inside(name) for name in sub.without}
        known = {entry["name"] for entry in given}
        told = {x: limit_name(x, other.held) for x in other.limits}
        for name in sub.without:
            if sub.inside(name) not in known and name not in told.values():
                raise UnknownName("mate", name, other.held, f"{place}.without")
        for part in parts.values():
            self._enter(part)
        made = [self.mate(**e, place=place) for e in given if e["name"] not in left_out]
        drivers = self._include_drivers(sub, other, left_out, place)
        limits = {}
        for x in other.limits.values():
            about = sub.about(x)
            gone = told[x.name] in sub.without or about["joint"] in left_out
            if not x.implied and not gone:
                limits[about["name"]] = self.limit(**about, min=x.min, max=x.max, place=place)
        mates = {mate.name: mate for mate in made}
        entered = replace(sub, parts=parts, mates=mates, drivers=drivers, limits=limits)
        self._groups[sub.name] = entered

    def _include_drivers(
        self, sub: SubAssembly, other: Whole, left_out: Collection[str], place: str
    ) -> dict[str, Driver]:
        """Enter the drivers and cylinders of a flexible sub-assembly."""
        out: dict[str, Driver] = {}
        for d in other.drivers.values():
            about = sub.about(d)
            if about["joint"] in left_out:
                continue
            name = about["name"]
            held = {"law": d.law} if d.law is not None else {"value": d.value}
            if isinstance(d, Guide):
                self._drivers[name] = sub.guide(d)
            elif d.name in other.cylinders:
                sizes = other.cylinders[d.name].sizes
                self.cylinder(name, pins=about["separation"], **sizes, **held, place=place)
            else:
                self.drive(**about, **held, range=d.range, place=place)
            out[name] = self._drivers[name]
        return out

    def move_inside(self, name: str, poses: Mapping[str, Pose]) -> None:
        """Set start poses of parts of a flexible sub-assembly, told in its frame."""
        sub = self._groups.get(name)
        if not isinstance(sub, SubAssembly):
            known = [n for n, g in self._groups.items() if isinstance(g, SubAssembly)]
            raise UnknownName("flexible sub-assembly", name, known)
        told = {sub.inside(inner): (pose, sub.pose @ pose) for inner, pose in poses.items()}
        self.move({part: pose for part, (_, pose) in told.items()})
        self._groups[name] = replace(sub, told={**sub.told, **told})

    @staticmethod
    def _ground_mates(sub: SubAssembly, other: Whole) -> list[dict[str, Any]]:
        """What keeps the grounded parts together: they are fixed to the first of them."""
        still = [p for p in other.parts.values() if p.grounded and not sub.grounded]
        return [
            {
                "kind": "fixed",
                "name": sub.inside(f"{still[0].name} and {part.name} grounded"),
                "a": (sub.inside(still[0].name), "origin"),
                "b": (sub.inside(part.name), origin_of(still[0])),
            }
            for part in still[1:]
        ]

    # ---------------------------------------------------------------- patterns
    def add_pattern(
        self,
        name: str,
        of: str,
        poses: Sequence[Pose],
        *,
        notes: Mapping[str, Any] | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Repeat a part and its mates: instances "name[1]", "name[2]", ...

        Each pose is a displacement in the frame of the part that a mate joins the seed to: the
        mate "seat" is repeated as "seat[1]" with that part's feature displaced.  A mate of two
        seeds whose patterns have the same poses joins their instances pair by pair.  Couplings of
        repeated joints are repeated, drivers and limits are not.  Instances start where the seed
        starts, displaced in the frame of the part of its first mate.  Mates that the seed gets or
        loses later are repeated or removed as well.

        Args:
            of: the seed; without: names of repeated mates that are left out.
        """
        place = f"parts.{name}.pattern"
        self._check_name(name)
        seed = self.part(of, f"{place}.of")
        for group in self._groups.values():
            if isinstance(group, Pattern) and of in group.parts:
                raise BadValue(f"{place}.of", of, f"a part that is no instance, as {group.of!r}")
        if not poses:
            raise BadValue(f"{place}.poses", list(poses), "one pose or more")
        before = self._state()
        try:
            parts = instances(seed, name, poses)
            for part in parts.values():
                self._enter(part)
            self._groups[name] = Pattern(
                name=name,
                parts=parts,
                notes=dict(notes or {}),
                of=of,
                poses=tuple(poses),
                without=tuple(without),
            )
            self._seeds[of] = (*self._seeds.get(of, ()), name)
            for mate in [h.mate for h in self._held.values()]:
                if of in {r.part for r in references(mate).values()}:
                    for repeat in self._forget(mate.name):
                        del self._held[repeat]
                    self._repeat(mate, place)
        except AssemblySolverError:
            self._restore(before)
            raise

    def _patterns(self, part: str) -> list[Pattern]:
        """The patterns of a part."""
        found = (self._groups[name] for name in self._seeds.get(part, ()))
        return [p for p in found if isinstance(p, Pattern)]

    def _repeat(self, mate: Mate, place: str) -> None:
        """Repeat a mate that was entered for the patterns of what it joins; or take it back."""
        if not self._seeds:
            return
        before = self._state() if self._is_repeated(mate) else None
        try:
            if isinstance(mate, Coupling):
                self._repeat_coupling(mate, place)
            else:
                self._repeat_mate(mate, place)
        except AssemblySolverError:
            self._restore(before)
            del self._held[mate.name]
            raise

    def _is_repeated(self, mate: Mate) -> bool:
        if isinstance(mate, Coupling):
            return True
        return any(r.part in self._seeds for r in references(mate).values())

    def _repeat_mate(self, mate: Mate, place: str) -> None:
        """Repeat a mate for the instances of the patterns of the parts that it joins."""
        joined = dict.fromkeys(r.part for r in references(mate).values())
        seeds = [part for part in joined if part in self._seeds]
        partners = self._partners(mate, seeds, place) if len(seeds) > 1 else {}
        for pattern in self._patterns(seeds[0]) if seeds else ():
            others = [part for part in joined if part != pattern.of]
            if any(part in pattern.parts for part in others):
                continue
            partner = partners.get(pattern.name)
            self._follow(pattern, partner.base if partner is not None else others[0])
            first = self._seeds[pattern.of][0] == pattern.name
            mates, derived = repeated(mate, pattern, partner, self._parts, first)
            for part, features in derived.items():
                known = self._parts[part]
                self._parts[part] = replace(known, derived={**known.derived, **features})
            made = [(m.name, partial(hold, m, self._parts, place)) for m in mates]
            self._enter_repeats(mate, pattern.name, made, place)

    def _partners(self, mate: Mate, seeds: list[str], place: str) -> dict[str, Pattern]:
        """Patterns of the second seed by those of the first that have the same poses."""
        one, two = (self._patterns(part) for part in seeds[:2])
        found = {p.name: q for p in one for q in two if q.poses == p.poses}
        if len(seeds) > 2 or len(found) < len(one) or len(found) < len(two):
            names = [p.name for p in chain(one, two)]
            wanted = "a mate of parts whose patterns have the same poses"
            raise BadValue(place, f"{mate.name} ({', '.join(names)})", wanted)
        return found

    def _repeat_coupling(self, mate: Coupling, place: str) -> None:
        """Repeat a coupling for the patterns that repeat some of its joints."""
        given = {k: v for k, v in mate.parameters().items() if k != "joints"}
        for pattern in [g for g in self._groups.values() if isinstance(g, Pattern)]:
            if not set(mate.joints) & pattern.repeats.keys():
                continue
            made = []
            for k in range(len(pattern.poses)):
                name, known = f"{mate.name}[{k + 1}]", pattern.repeats
                joints = tuple(known[j][k] if j in known else j for j in mate.joints)
                how = partial(coupled, type(mate), name, joints, given, self._held, place)
                made.append((name, how))
            self._enter_repeats(mate, pattern.name, made, place)

    def _enter_repeats(
        self, mate: Mate, pattern: str, made: Sequence[tuple[str, Callable[[], Held]]], place: str
    ) -> None:
        """Enter what repeats a mate, by name, and note it in the pattern."""
        group = self._groups[pattern]
        assert isinstance(group, Pattern)
        entered = {}
        for name, how in made:
            if name in self._held:
                raise DuplicateName("mate", name, place)
            if name not in group.without:
                self._held[name] = how()
                self._imply(self._held[name], place)
                entered[name] = self._held[name].mate
        self._groups[pattern] = replace(
            group,
            mates={**group.mates, **entered},
            repeats={**group.repeats, mate.name: tuple(name for name, _ in made)},
        )

    def _follow(self, pattern: Pattern, base: str | None) -> None:
        """Once the base of a pattern is known, its instances start displaced in its frame."""
        if pattern.base is not None or base is None:
            return
        based = replace(pattern, base=base)
        parts = dict(pattern.parts)
        for (name, old), pose in zip(pattern.parts.items(), based.starts(self._parts), strict=True):
            parts[name] = replace(old, pose=pose)
            if self._parts[name].pose == old.pose:
                self._parts[name] = replace(self._parts[name], pose=pose)
        self._groups[pattern.name] = replace(based, parts=parts)

    def _forget(self, mate: str) -> list[str]:
        """Take what repeats a mate out of the patterns, and tell the names."""
        out: list[str] = []
        for group in list(self._groups.values()):
            if isinstance(group, Pattern) and mate in group.repeats:
                gone = group.repeats[mate]
                out += [name for name in gone if name in self._held]
                self._groups[group.name] = replace(
                    group,
                    repeats={k: v for k, v in group.repeats.items() if k != mate},
                    mates={k: v for k, v in group.mates.items() if k not in gone},
                )
        return out

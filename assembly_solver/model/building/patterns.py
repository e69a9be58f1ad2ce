"""Editing of patterns: repeated parts with their mates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from ...errors import AssemblySolverError, BadValue, DuplicateName, first_names
from ...foundations.geometry.pose import Pose, frames_of
from ..drivers.limit import Limit
from ..feature import Feature
from ..mate import Mate, Reference, ResolvedMate
from ..mates.couplings import Coupling, coupled
from ..references import references_in, resolve_mate
from .groups import Pattern, displaced, instances, references, repeated
from .tolerating import ToleranceEditing

RESTORED = (
    "_roster",
    "_unplaced",
    "_resolved",
    "_stale",
    "_drivers",
    "_limits",
    "_cylinders",
    "_groups",
    "_seeds",
    "_measures",
    "_tolerances",
    "_positions",
    "_loads",
    "_springs",
)
"""The fields that a failed edit restores."""


REFERRING = ("_drivers", "_limits", "_cylinders", "_measures", "_tolerances", "_loads", "_springs")
"""The fields of entries, besides mates, that may refer to features."""


class PatternEditing(ToleranceEditing):
    """The patterns of an assembly; undoing of failed edits."""

    def mate(self, *args: Any, **given: Any) -> Mate:
        """Add a mate: defined by `Assembly`."""
        raise NotImplementedError

    def _is_entered(self, name: str) -> bool:
        """Whether a mate is one of a sub-assembly, a pattern or the drawing, as it was entered."""
        return any(g.mates.get(name) == self._held[name].mate for g in self._groups.values())

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """An edit that leaves nothing behind where it fails."""
        before = {key: dict(getattr(self, key)) for key in RESTORED}
        try:
            yield
        except AssemblySolverError:
            vars(self).update(before)
            raise

    def _imply(self, names: Iterable[str], place: str = "") -> None:
        """Enter the limits that mates imply, instead of those that they implied before."""
        mates, made = dict.fromkeys(names), list[Limit]()
        for old in [k for k, x in self._limits.items() if x.implied and x.joint in mates]:
            del self._limits[old]
        before = next(reversed(self._limits.values()), None)
        for name in mates:
            found = self._held[name]
            bounds = found.mate.bounds(found.a, found.b).items()
            for coordinate, (low, high) in bounds:
                where = place or f"mates.{name}"
                given: Any = {"min": low, "max": high, "implied": True, "place": where}
                made.append(self.limit(name, coordinate, **given))
        if made and before is not None:
            behind = before.implied and before.joint and next(reversed(self._held)) in mates
            if not behind:
                self._order_entries()

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

        Each pose is a displacement in the coordinates of the part that a mate joins the seed to:
        the mate "seat" is repeated as "seat[1]" with that part's feature displaced.  A mate of two
        seeds whose patterns have the same poses joins their instances pair by pair.  Couplings of
        repeated joints are repeated, drivers and limits are not.  Instances start at the pose of
        the seed, displaced in the coordinates of the part of its first mate.  Later changes of the
        seed's mates are repeated as well.

        Args:
            name: unique among the parts, sub-assemblies and patterns.
            of: the seed; poses: displacements, one for each instance.
            notes: keys kept for the file; without: names of repeated mates to exclude.

        Raises DuplicateName: the name is taken; UnknownName: no such seed. BadValue: no poses; the
        seed is an instance; a mate joins seeds with other poses.
        """
        place = f"parts.{name}.pattern"
        self._check_name(name)
        seed = self.part(of, f"{place}.of")
        for group in self._groups.values():
            if isinstance(group, Pattern) and of in group.parts:
                raise BadValue(f"{place}.of", of, f"a part that is no instance, as {group.of!r}")
        if not poses:
            raise BadValue(f"{place}.poses", list(poses), "one pose or more")
        parts = instances(seed, name, poses)
        kept, told = dict(notes or {}), tuple(without)
        with self._all_or_nothing():
            for part in parts.values():
                self._enter(part)
            self._groups[name] = Pattern(
                name=name, parts=parts, notes=kept, of=of, poses=tuple(poses), without=told
            )
            self._seeds[of] = (*self._seeds.get(of, ()), name)
            again = {n for g in self._groups.values() if isinstance(g, Pattern) for n in g.mates}
            for mate in [h.mate for h in self._held.values()]:
                if mate.name in again and self._is_entered(mate.name):
                    continue  # its mate is repeated again
                if of in {r.part for r in references(mate).values()}:
                    self._repeat(mate, place)

    def _repeat(self, mate: Mate, place: str) -> None:
        """Repeat a mate for the patterns of the parts it joins, anew where it was; on an error
        remove it."""
        joined = {r.part for r in references(mate).values()} if self._seeds else set()
        if not self._seeds or not (isinstance(mate, Coupling) or joined & self._seeds.keys()):
            return
        try:
            with self._all_or_nothing():
                before = self._repeats_of(mate.name)
                old = self._forget(mate.name, again=True)
                for repeat in old:
                    del self._held[repeat]
                if isinstance(mate, Coupling):
                    self._repeat_coupling(mate, place)
                else:
                    self._repeat_mate(mate, place)
                for name in before.keys() - self._repeats_of(mate.name).keys():
                    group = self._groups[name]  # a pattern of its other part repeats it now
                    without = tuple(n for n in group.without if n not in before[name])
                    self._groups[name] = replace(group, without=without)
                if old:
                    self._drop_displaced()
        except AssemblySolverError:
            del self._held[mate.name]
            raise

    def _repeats_of(self, mate: str) -> dict[str, tuple[str, ...]]:
        """Names of the repeats of a mate by pattern."""
        patterns = (g for g in self._groups.values() if isinstance(g, Pattern))
        return {g.name: g.repeats[mate] for g in patterns if mate in g.repeats}

    def _repeat_mate(self, mate: Mate, place: str) -> None:
        """Repeat a mate for the instances of the patterns of the parts that it joins."""
        joined = dict.fromkeys(r.part for r in references(mate).values())
        seeds = [part for part in joined if part in self._seeds]
        partners = self._partners(mate, seeds, place) if len(seeds) > 1 else {}
        for pattern in self._patterns(seeds[0]):
            others = [part for part in joined if part != pattern.of]
            if any(part in pattern.parts for part in others):
                continue
            partner = partners.get(pattern.name)
            self._set_base(pattern, partner.base if partner is not None else others[0])
            first = self._seeds[pattern.of][0] == pattern.name
            mates, derived = repeated(mate, pattern, partner, self._parts, first)
            for part, features in derived.items():
                known = self._parts[part]
                self._parts[part] = replace(known, derived={**known.derived, **features})
            repeats = [(m.name, partial(resolve_mate, m, self._parts, place)) for m in mates]
            self._enter_repeats(mate, pattern.name, repeats, place)

    def _partners(self, mate: Mate, seeds: list[str], place: str) -> dict[str, Pattern]:
        """Patterns of the second seed by those of the first with the same poses."""
        one, two = (self._patterns(part) for part in seeds[:2])
        found = {p.name: q for p in one for q in two if q.poses == p.poses}
        if len(seeds) > 2 or len(found) < len(one) or len(found) < len(two):
            names = [p.name for p in chain(one, two)]
            wanted = "a mate of parts whose patterns have the same poses"
            raise BadValue(place, f"{mate.name} ({first_names(names)})", wanted)
        return found

    def _repeat_coupling(self, mate: Coupling, place: str) -> None:
        """Repeat a coupling for the patterns that repeat some of its joints."""
        given = {k: v for k, v in mate.parameters().items() if k != "joints"}
        for pattern in [g for g in self._groups.values() if isinstance(g, Pattern)]:
            if not set(mate.joints) & pattern.repeats.keys():
                continue
            repeats = []
            for k in range(len(pattern.poses)):
                name, known = f"{mate.name}[{k + 1}]", pattern.repeats
                joints = tuple(known[j][k] if j in known else j for j in mate.joints)
                resolve = partial(coupled, type(mate), name, joints, given, self._held, place)
                repeats.append((name, resolve))
            self._enter_repeats(mate, pattern.name, repeats, place)

    def _enter_repeats(
        self,
        mate: Mate,
        pattern: str,
        repeats: Sequence[tuple[str, Callable[[], ResolvedMate]]],
        place: str,
    ) -> None:
        """Enter the repeats of a mate, by name, and store them in the pattern."""
        group = self._groups[pattern]
        assert isinstance(group, Pattern)
        entered = {}
        for name, resolve in repeats:
            if name in group.without:
                continue
            if name in self._held:
                raise DuplicateName("mate", name, place)
            self._held[name] = resolve()
            entered[name] = self._held[name].mate
        self._put_after(mate.name, entered)
        self._groups[pattern] = replace(
            group,
            mates={**group.mates, **entered},
            repeats={**group.repeats, mate.name: tuple(name for name, _ in repeats)},
        )
        self._imply(entered, place)

    def _put_after(self, mate: str, repeats: Collection[str]) -> None:
        """Order mates as in a file that is read: new repeats follow their mate and earlier ones."""
        patterns = [g for g in self._groups.values() if isinstance(g, Pattern)]
        before = {mate, *(n for g in patterns for n in g.repeats.get(mate, ()) if n in g.mates)}
        if next(islice(reversed(self._held), len(repeats), None)) in before:
            return  # as where a file is read
        names = [name for name in self._held if name not in repeats]
        last = max(k for k, name in enumerate(names) if name in before) + 1
        order = (*names[:last], *repeats, *names[last:])
        self._resolved = {name: self._resolved[name] for name in order}

    def _displace_again(self, features: Mapping[Reference, Feature]) -> dict[Reference, Feature]:
        """Displace changed features anew where patterns repeat their mates; the displaced ones."""
        out: dict[Reference, Feature] = {}
        for group in self._groups.values():
            poses = group.poses if isinstance(group, Pattern) else ()
            for k, motion in enumerate(frames_of(poses).tolist(), 1):
                for ref, feature in features.items():
                    made, part = displaced(ref, group.name, k), self._parts[ref.part]
                    if made.feature in part.derived:
                        out[made] = feature.moved(motion)
                        derived = {**part.derived, made.feature: out[made]}
                        self._parts[ref.part] = replace(part, derived=derived)
        return out

    def _set_base(self, pattern: Pattern, base: str | None) -> None:
        """Set the base of a pattern once, and displace its instances in its coordinates."""
        if pattern.base is not None or base is None:
            return
        based = replace(pattern, base=base)
        parts = dict(pattern.parts)
        for (name, old), pose in zip(pattern.parts.items(), based.starts(self._parts), strict=True):
            parts[name] = replace(old, pose=pose)
            if self._parts[name].pose == old.pose:
                self._parts[name] = replace(self._parts[name], pose=pose)
        self._groups[pattern.name] = replace(based, parts=parts)

    def _drop_stale(self) -> None:
        super()._drop_stale()
        self._drop_displaced()
        for pattern in [g for g in self._groups.values() if isinstance(g, Pattern)]:
            base = self._base_of(pattern)
            if base != pattern.base:  # its instances stay where they are
                self._groups[pattern.name] = replace(pattern, base=base)

    def _drop_displaced(self) -> None:
        """Remove displaced features of mates that are no longer repeated; what else refers to one
        keeps it as a feature of its part."""
        patterns = [g for g in self._groups.values() if isinstance(g, Pattern)]
        ends = {f"@{name}" for pattern in patterns for name in pattern.parts}
        derived = [Reference(p.name, key) for p in self._parts.values() for key in p.derived]
        made = [r for r in derived if any(r.feature[k:] in ends for k in _ats(r.feature))]
        needed = {
            displaced(ref, pattern.name, k)
            for pattern in patterns
            for mate in (pattern.repeats.keys() & self._held.keys() if made else ())
            for ref in references(self._held[mate].mate).values()
            if ref.part not in self._seeds  # instances are joined by their own features
            for k in range(1, len(pattern.poses) + 1)
        }
        gone = [ref for ref in made if ref not in needed]
        stores: Any = (vars(self)[key] for key in REFERRING) if gone else ()
        mates = [h.mate for h in self._held.values()] if gone else []
        used = references_in((*mates, *(x for store in stores for x in store.values())))
        for ref in gone:
            part = self._parts[ref.part]
            own = {ref.feature: part.derived[ref.feature]} if ref in used else {}
            left = {key: f for key, f in part.derived.items() if key != ref.feature}
            self._parts[part.name] = replace(part.with_features(own), derived=left)

    def _base_of(self, pattern: Pattern) -> str | None:
        """The base as it is read from a file: of the first mate of the seed that is repeated."""
        for name, held in self._held.items():
            if name in pattern.repeats and not isinstance(held.mate, Coupling):
                joined = dict.fromkeys(r.part for r in references(held.mate).values())
                seeds = [part for part in joined if part in self._seeds]
                if len(seeds) > 1:
                    base = self._partners(held.mate, seeds, "")[pattern.name].base
                else:
                    base = next(part for part in joined if part != pattern.of)
                if base is not None:
                    return base
        return None

    def _forget(self, mate: str, *, again: bool = False) -> list[str]:
        """Remove the repeats of a mate from the patterns; the names of those that go.

        Args:
            again: whether it is repeated again: what was removed or changed of them stays as it is,
                and the entry of the pattern is without it, as in a file that is read.
        """
        out: list[str] = []
        for group in list(self._groups.values()):
            if isinstance(group, Pattern) and mate in group.repeats:
                names, without = group.repeats[mate], group.without
                known = [n for n in names if n in self._held]
                if again:
                    known = [n for n in known if n in group.mates and self._is_entered(n)]
                    without += tuple(n for n in names if n in group.mates and n not in known)
                else:
                    without = tuple(n for n in without if n not in names)
                out += known
                self._groups[group.name] = replace(
                    group,
                    repeats={k: v for k, v in group.repeats.items() if k != mate},
                    mates={k: v for k, v in group.mates.items() if k not in names},
                    without=without,
                )
        return out


def _ats(name: str) -> list[int]:
    """Where "@" stands in a name."""
    return [k for k, letter in enumerate(name) if letter == "@"]

"""What refers to features and to mates: whether an edit of them is an edit of nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from .building.checking import CheckEditing
from .building.drafting import DrawingEditing
from .building.driving import FilePlace
from .building.groups import Pattern, SubAssembly, references
from .building.moves import FeatureUsers, Moves
from .drivers.guide import Guide
from .load import LoadEditing
from .mate import Mate, Reference
from .mates.couplings import Coupling
from .part import Part
from .references import parts_named, references_in


class ReferringEntries(DrawingEditing, CheckEditing, LoadEditing):
    """The entries of an assembly, searched for what refers to a feature or a mate."""

    def _users(self, refs: Collection[Reference], moves: Moves) -> list[FeatureUsers | None]:
        """The mates that refer to each of some features, as in `Moves.users`."""
        known = moves.users
        try:
            return [known[ref] for ref in refs]
        except KeyError:
            known |= self._users_of(ref for ref in refs if ref not in known)
            return [known[ref] for ref in refs]

    def _users_of(self, refs: Iterable[Reference]) -> dict[tuple[str, str], FeatureUsers | None]:
        """The mates that refer to each feature; None as in `Moves.users`."""
        users: dict[Reference, dict[str, None]] = {ref: {} for ref in refs}
        joints = set[str | None]()  # those that imply limits included, and those that are repeated
        joints |= {k for g in self._groups.values() if isinstance(g, Pattern) for k in g.repeats}
        for name, h in self._held.items():
            for ref in references(h.mate).values():
                if ref in users:
                    users[ref][name] = None
            joints |= set(h.mate.joints) if isinstance(h.mate, Coupling) else set()
            joints |= {name} if type(h.mate).bounds is not Mate.bounds else set()
        entries = (*self._drivers.values(), *self._limits.values(), *self._measures.values())
        guides = [q for q in entries if isinstance(q, Guide)]
        quantities = [q for q in entries if not isinstance(q, Guide)]
        guided = {part for q in guides for part in parts_named(q)}
        joints |= {q.joint for q in quantities}
        others = {ref for q in quantities for ref in (*(q.ends or ()), q.about)}
        others |= {x.point for x in self._measures.values()}
        others |= {load.at for load in self._loads.values()}
        others |= {end for spring in self._springs.values() for end in spring.ends}
        single = not (self._groups or self._seeds or self._drawing.links)
        found: dict[tuple[str, str], FeatureUsers | None] = {}
        for ref, names in users.items():
            free = ref not in others and ref.part not in guided
            kinds = (type(self._held[name].mate) for name in names)
            alone = free and joints.isdisjoint(names)
            if not alone:
                found[ref] = None
                continue
            same, feature = all(map(_by_markers, kinds)), self.part(ref.part).features[ref.feature]
            own = FeatureUsers(ref, names, same, single, type(feature), feature.frame[3:])
            found[ref] = own
        return found

    def _is_alone(self, name: str, moves: Moves) -> bool:
        """Whether nothing refers to a mate, and it implies nothing: as `Moves.alone`."""
        if name not in moves.alone:
            mates = [h.mate for h in self._held.values()]
            quantities = (*self._drivers.values(), *self._limits.values(), *self._measures.values())
            moves.alone[name] = not (
                self._seeds
                or any(q.joint == name for q in quantities)
                or any(isinstance(m, Coupling) and name in m.joints for m in mates)
                or type(self._held[name].mate).bounds is not Mate.bounds
            )
        return moves.alone[name]

    def remove_unused_features(self) -> None:
        """Remove features to which nothing refers, as those of mates that were removed: a part
        reaches as far as its features do.  Those of a drawing, and of the file of a flexible
        sub-assembly, stay.

        Examples:
            >>> from assembly_solver import Assembly, Point
            >>> a = Assembly("rod")
            >>> _ = a.add("rod", features={"end": Point((30, 0, 0)), "tip": Point((31, 0, 0))})
            >>> _ = a.load("rod.end", force=(0, 0, -9))
            >>> a.remove_unused_features()
            >>> list(a.parts["rod"].features)
            ['end']
        """
        used, gone, groups = self._used_features(), set[FilePlace](), self._groups.values()
        subs = [g for g in groups if isinstance(g, SubAssembly)]
        given = {name: part.features for sub in subs for name, part in sub.parts.items()}
        repeated = {name for g in groups if isinstance(g, Pattern) for name in g.parts}
        for part in [p for p in self._parts.values() if p.name not in repeated]:
            patterns = self._patterns(part.name)  # the instances have the features of their seed
            alike = [part.name, *(name for pattern in patterns for name in pattern.parts)]
            unused = {
                key
                for key in part.features.keys() - given.get(part.name, {}).keys()
                if used.isdisjoint(Reference(name, key) for name in alike)
            }
            if not unused or part.name in self._drawing.links:
                continue
            gone |= {("parts", part.name, "features", key) for key in unused}
            for pattern in patterns:
                parts = {name: _without(p, unused) for name, p in pattern.parts.items()}
                self._groups[pattern.name] = replace(pattern, parts=parts)
            for name in alike:
                self._put(self._parts, name, _without(self._parts[name], unused))
        self.formulas = {p: f for p, f in self.formulas.items() if p[:4] not in gone}

    def _used_features(self) -> set[Reference]:
        """The features that entries refer to."""
        entries: list[Any] = [h.mate for h in self._held.values()]
        stores: tuple[Mapping[str, Any], ...]
        stores = (self._drivers, self._limits, self._cylinders, self._measures, self._tolerances)
        for store in (*stores, self._loads, self._springs, self._checks):
            entries += store.values()
        guides = [q for q in self._drivers.values() if isinstance(q, Guide)]
        guided = {Reference(q.part, q.feature) for q in guides if q.feature is not None}
        return guided.union(*map(references_in, entries))


def _without(part: Part, features: Collection[str]) -> Part:
    """A part without some of its features."""
    return replace(part, features={k: f for k, f in part.features.items() if k not in features})


def _by_markers(kind: type[Mate]) -> bool:
    """Whether mates of a kind read of their features where these are, and nothing else."""
    return bool(vars(kind).get("by_markers"))

"""Dimensions: features that change after mates were made with them, and constants of couplings."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from math import radians
from typing import Any

from ..errors import BadValue, UnknownName
from ..foundations.geometry.pose import triple
from .building.groups import SubAssembly
from .building.moves import Moves
from .drivers.guide import Guide
from .drivers.quantity import Quantity
from .equation_set import equation_set
from .feature import Feature, Frame
from .mate import Equation, Mate, Reference, together
from .mates.couplings import Coupling, coupled
from .measures.measure import IS_ANGLE
from .numbers import finite
from .references import end_of, resolve_mate
from .referring import ReferringEntries
from .tolerances.named_measure import resolve_measure


class DimensionEditing(ReferringEntries):
    """Features that are changed: what was resolved with them is resolved again."""

    def change(self, name: str, **parameters: Any) -> Mate:
        """Change parameters of a mate: defined by `Assembly`."""
        raise NotImplementedError

    def set_feature(self, part: str, name: str, feature: Feature) -> None:
        """Replace a feature of a part; mates, drivers, limits and loads with it follow.

        Args:
            feature: in part coordinates, of a type that its mates take.

        Raises UnknownName: no such part or feature; FeatureTypeError: a mate does not take it;
        BadValue: no feature, or the part belongs to a drawing, a flexible sub-assembly or a
        pattern.  Nothing is changed then.

        Examples:
            >>> from assembly_solver import Assembly, Point
            >>> a = Assembly("rod")
            >>> _ = a.add("rod", features={"end": Point((30, 0, 0))})
            >>> a.set_feature("rod", "end", Point((31, 0, 0)))
            >>> a.parts["rod"].features["end"].point
            (31.0, 0.0, 0.0)
        """
        moves = self.moves if self.moves.now == self.revision else self._recent()
        own = moves.users.get((part, name))
        if own is not None and own.by_markers and own.single and own.moved(feature):
            # one of many edits that move it, all of them alike
            self._unplaced[own.ref] = moves.features[own.ref] = feature
            self._stale.update(own.mates)
            self.__dict__["revision"] = moves.now = self.revision + 1
            return
        self.set_features({(part, name): feature})

    def set_features(self, features: Mapping[Any, Feature], *, included: bool = False) -> None:
        """`set_feature` for features of any parts: what refers to them follows once, all of it.

        Args:
            features: by (part, name).
            included: whether the parts may be of flexible sub-assemblies, whose files do not
                follow.

        Raises what `set_feature` does.  Nothing is changed then.

        Examples:
            >>> from assembly_solver import Assembly, Point
            >>> a = Assembly("rod")
            >>> _ = a.add("rod", features={"foot": Point((0, 0, 0)), "end": Point((30, 0, 0))})
            >>> moved = {("rod", "foot"): Point((1, 0, 0)), ("rod", "end"): Point((31, 0, 0))}
            >>> a.set_features(moved)
            >>> a.parts["rod"].features["foot"].point
            (1.0, 0.0, 0.0)
        """
        named = {}
        for (part, name), feature in features.items():
            known = self.part(part).features
            if name not in known:
                raise UnknownName("feature", name, known, "", f"part {part!r}")
            if not isinstance(feature, Feature):
                raise BadValue(f"parts.{part}.features.{name}", feature, "a feature, as Axis(...)")
            self._must_be_alone(part, included)
            named[Reference(part, name)] = feature
        if not self._moved(named):
            with self._all_or_nothing():
                self._set_features(named)

    def _moved(self, features: Mapping[Reference, Feature]) -> bool:
        """Replace features where that does nothing but move what mates refer to.

        Whether it is so; nothing is done otherwise.
        """
        moves = self._recent()
        stale: dict[str, None] = {}
        for own, feature in zip(self._users(features, moves), features.values(), strict=True):
            if own is None or not (own.by_markers and own.moved(feature)):
                return False
            stale.update(own.mates)
        self._unplaced.update(features)
        self._stale.update(stale)
        moves.features.update(features)
        self.revision = moves.now = self.revision + 1
        return True

    def _set_features(self, features: Mapping[Reference, Feature]) -> None:
        """Replace features, which parts have, and resolve what refers to them once."""
        moves = self._recent()
        users = self._users(features, moves)
        self._unplaced.update(features)
        self.revision += 1
        if None in users:
            moved = {**features, **self._displace_again(features)}
            self._resolve_again(moved.keys())
            for ref, feature in moved.items():
                self._load_again(ref, triple(feature.frame[:3]))
            return
        for name in dict.fromkeys(name for own in users if own is not None for name in own.mates):
            self._held[name] = resolve_mate(self._held[name].mate, self._parts, f"mates.{name}")
        for own, feature in zip(users, features.values(), strict=True):
            assert own is not None
            known = own._replace(kind=type(feature), axes=feature.frame[3:])
            moves.users[own.ref] = known
        now = self.revision
        self.moves = Moves(now, now, users=moves.users, alone=moves.alone)

    def _must_be_alone(self, part: str, included: bool = False) -> None:
        """Raise BadValue where a part belongs to a drawing, a sub-assembly or a pattern."""
        if not (self._groups or self._seeds or self._drawing.links):
            return
        groups = [g for g in self._groups.values() if part in g.parts]
        grouped = part in self._seeds or any(
            not (included and isinstance(g, SubAssembly)) for g in groups
        )
        if grouped or part in self._drawing.links:
            wanted = "a part of no drawing, flexible sub-assembly or pattern"
            raise BadValue(f"parts.{part}", part, wanted)

    def _resolve_again(self, refs: Set[Reference]) -> None:
        """Resolve what refers to some features: mates, their couplings, drivers and limits."""
        changed = dict[str, None]()
        for name, found in self._held.items():
            mate = found.mate
            if isinstance(mate, Coupling):
                continue
            more = (getattr(mate, key) in refs for key in mate.takes_more)
            if mate.a in refs or mate.b in refs or any(more):
                self._held[name] = resolve_mate(mate, self._parts, f"mates.{name}")
                changed[name] = None
        self._coordinates_again(refs, changed.keys())
        self._imply(changed)

    def _coordinates_again(self, refs: Set[Reference], changed: Set[str]) -> None:
        """Resolve what refers to the coordinates of changed mates; couplings join these."""
        for name, found in self._held.items():
            mate = found.mate
            if isinstance(mate, Coupling) and not changed.isdisjoint(mate.joints):
                own = {k: v for k, v in mate.parameters().items() if k != "joints"}
                place = f"mates.{name}"
                self._held[name] = coupled(type(mate), name, mate.joints, own, self._held, place)
        self._measure_again(refs, changed)

    def _measure_again(self, refs: Set[Reference], changed: Set[str]) -> None:
        """Resolve the quantities of features, and of the coordinates of changed mates."""

        def stale(q: Quantity) -> bool:
            return q.joint in changed or not refs.isdisjoint((*(q.ends or ()), q.about))

        stores: tuple[dict[str, Any], ...] = (self._drivers, self._limits)
        for entries in stores:
            for name, q in entries.items():
                if isinstance(q, Guide):
                    entries[name] = self._guided_again(q, refs)
                elif stale(q):
                    found = self._resolve_quantity("a quantity", q.named(), name)
                    entries[name] = replace(q, equation=found["equation"])
        for name, x in self._measures.items():
            if stale(x) or x.point in refs:
                again = resolve_measure(self._quantity_entries(), x.named(), name)
                self._measures[name] = replace(x, equation=again["equation"])

    def _guided_again(self, guide: Guide, refs: Set[Reference]) -> Guide:
        """A guide with the present place of features, which it may guide or be relative to."""
        own, base, guided = guide.own, guide.base, Reference(guide.part, guide.feature or "")
        if guided in refs:
            own = end_of(guided, self._parts).marker
        if guide.relative_to is not None and guide.relative_to in refs:
            base = end_of(guide.relative_to, self._parts).marker
        if own is guide.own and base is guide.base:
            return guide
        return replace(guide, own=own, base=base, equation=together(base, own)[0])

    def _load_again(self, ref: Reference, at: Any) -> None:
        """Move loads and springs to the present place of a feature, mm."""
        for name, load in self._loads.items():
            if load.at == ref:
                self._loads[name] = replace(load, point=at)
        for name, spring in self._springs.items():
            if ref in spring.ends:
                one, two = (
                    at if end == ref else old
                    for end, old in zip(spring.ends, spring.points, strict=True)
                )
                self._springs[name] = replace(spring, points=(one, two))

    def keep_constants(self, values: Mapping[str, float]) -> None:
        """Set the constants, mm or degrees by mate, that are those of the start pose."""
        known = [n for n, held in self._held.items() if hasattr(held.mate, "constant")]
        for name, value in values.items():
            if name not in known:
                raise UnknownName("mate with a constant", name, known)
            finite(value, f"mates.{name}.constant")
        for name, value in values.items():
            found = self._held[name]
            mate = replace(found.mate, constant=value)  # type: ignore[call-arg]
            equations = tuple(
                e if e.target is not None else e._replace(target=_internal(e, value))
                for e in found.equations
            )
            self._held[name] = found._replace(mate=mate, written=equation_set(equations))
            self.revision += 1
        if values and self._groups:
            self._order_entries()

    def place_hole(self, joint: str, hole: Frame) -> None:
        """Set the hole of a joint elsewhere on its first part, as its play allows, for this mate
        alone: its feature and the coordinates of the joint stay.

        Raises UnknownName: no such joint.
        """
        if joint not in self._held:
            raise UnknownName("joint", joint, self._held)
        found = self._held[joint]
        a = found.a._replace(marker=found.a.marker._replace(frame=hole.frame))
        self._held[joint] = found._replace(written=equation_set(found.mate.equations(a, found.b)))
        self.revision += 1


def _internal(equation: Equation, value: float) -> float:
    """A constant in mm or rad; it is an angle if the first term is one."""
    return radians(value) if IS_ANGLE[equation.terms[0][1].kind] else value

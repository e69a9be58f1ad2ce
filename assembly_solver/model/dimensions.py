"""Dimensions: features and parameters that change after mates were made with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

from ..errors import AssemblySolverError, BadValue, Contradiction, UnknownName
from ..foundations.geometry.pose import triple
from ..foundations.numerics.varied import Varied
from .building.drafting import DrawingEditing
from .building.driving import FilePlace, FormulaEntry
from .building.groups import SubAssembly
from .drivers.guide import Guide
from .drivers.quantity import Quantity, QuantityEntries, resolve_quantity
from .feature import Feature, Frame
from .laws.expression import Expression
from .load import LoadEditing
from .mate import Mate, Reference, together
from .mates.couplings import Coupling, coupled
from .numbers import finite
from .references import end_of, resolve_mate
from .tolerances.named_measure import resolve_measure
from .tolerances.tolerance import make_tolerance

BOUNDED = ("limits", "measures", "tolerances")
"""Keys of entries whose bounds follow a parameter."""


class DimensionEditing(DrawingEditing, LoadEditing):
    """Features and parameters that are changed: what was resolved with them is resolved again."""

    def change(self, name: str, **parameters: Any) -> Mate:
        """Change parameters of a mate: defined by `Assembly`."""
        raise NotImplementedError

    def set_feature(
        self, part: str, name: str, feature: Feature, *, included: bool = False
    ) -> None:
        """Replace a feature of a part; mates, drivers, limits and loads with it follow.

        Args:
            feature: in part coordinates, of a type that its mates take.
            included: whether the part may be of a flexible sub-assembly, whose file does not
                follow.

        Raises UnknownName: no such part or feature; FeatureTypeError: a mate does not take it;
        BadValue: no feature, or the part belongs to a drawing, a flexible sub-assembly or a
        pattern.  Nothing is changed then.

        Example:
            >>> from assembly_solver import Assembly, Point
            >>> a = Assembly("rod")
            >>> _ = a.add("rod", features={"end": Point((30, 0, 0))})
            >>> a.set_feature("rod", "end", Point((31, 0, 0)))
            >>> a.parts["rod"].features["end"].point
            (31.0, 0.0, 0.0)
        """
        if name not in self.part(part).features:
            raise UnknownName("feature", name, self.part(part).features, "", f"part {part!r}")
        if not isinstance(feature, Feature):
            raise BadValue(f"parts.{part}.features.{name}", feature, "a feature, as Axis(...)")
        with self._all_or_nothing():
            self._set_features(part, {name: feature}, included)

    def _set_features(
        self, part: str, features: Mapping[str, Feature], included: bool = False
    ) -> None:
        """Replace features of a part, which has them, and resolve what refers to them once."""
        self._must_be_alone(part, included)
        known = self._parts[part]
        self._parts[part] = replace(known, features={**known.features, **features})
        self._resolve_again({Reference(part, name) for name in features})
        for name, feature in features.items():
            self._load_again(Reference(part, name), triple(feature.frame[:3]))
        self.revision += 1

    def _must_be_alone(self, part: str, included: bool = False) -> None:
        """Raise BadValue where a part belongs to a drawing, a sub-assembly or a pattern."""
        groups = [g for g in self._groups.values() if part in g.parts]
        grouped = part in self._seeds or any(
            not (included and isinstance(g, SubAssembly)) for g in groups
        )
        if grouped or part in self._drawing.links:
            wanted = "a part of no drawing, flexible sub-assembly or pattern"
            raise BadValue(f"parts.{part}", part, wanted)

    def _resolve_again(self, refs: Set[Reference]) -> None:
        """Resolve what refers to some features: mates, their couplings, drivers and limits."""
        changed = set()
        for name, found in self._held.items():
            mate = found.mate
            if isinstance(mate, Coupling):
                continue
            more = (getattr(mate, key) in refs for key in mate.takes_more)
            if mate.a in refs or mate.b in refs or any(more):
                self._held[name] = resolve_mate(mate, self._parts, f"mates.{name}")
                changed.add(name)
        self._coordinates_again(refs, changed)
        for name in changed:
            self._imply(self._held[name], f"mates.{name}")

    def _coordinates_again(self, refs: Set[Reference], changed: set[str]) -> None:
        """Resolve what refers to the coordinates of changed mates; couplings join these."""
        for name, found in self._held.items():
            mate = found.mate
            if isinstance(mate, Coupling) and not changed.isdisjoint(mate.joints):
                own = {k: v for k, v in mate.parameters().items() if k != "joints"}
                place = f"mates.{name}"
                self._held[name] = coupled(type(mate), name, mate.joints, own, self._held, place)
        self._measure_again(refs, changed)

    def _measure_again(self, refs: Set[Reference], changed: set[str]) -> None:
        """Resolve the quantities of features, and of the coordinates of changed mates.

        Those of one quantity share its measure, as when they were entered.
        """

        def stale(q: Quantity) -> bool:
            return q.joint in changed or not refs.isdisjoint((*(q.ends or ()), q.about))

        known = [q for q in (*self._drivers.values(), *self._limits.values()) if not stale(q)]
        stores: tuple[dict[str, Any], ...] = (self._drivers, self._limits)
        for entries in stores:
            for name, q in entries.items():
                if isinstance(q, Guide):
                    entries[name] = self._guided_again(q, refs)
                elif stale(q):
                    sources = QuantityEntries(self._held, self._parts, self.reference, known)
                    found = resolve_quantity(sources, "a quantity", q.named(), name)
                    entries[name] = replace(q, equation=found["equation"])
                    known.append(entries[name])
        for name, x in self._measures.items():
            if stale(x) or x.point in refs:
                again = resolve_measure(self._measured_entries(), x.named(), name)
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

    def place_hole(self, joint: str, hole: Frame) -> None:
        """Set the hole of a joint elsewhere on its first part, as its play allows, for this mate
        alone: its feature and the coordinates of the joint stay.

        Raises UnknownName: no such joint.
        """
        if joint not in self._held:
            raise UnknownName("joint", joint, self._held)
        found = self._held[joint]
        a = found.a._replace(marker=found.a.marker._replace(frame=hole.frame))
        self._held[joint] = found._replace(equations=found.mate.equations(a, found.b))
        self.revision += 1

    # ---------------------------------------------------------------- parameters
    def set(self, name: str, value: float) -> None:
        """Give a parameter or a driver another value, as `read(path, set={name: value})` does.

        The formulas of the file follow, as "=L/2 + 3": those of features, mates, drivers and
        limits, and laws.  All else stays as it is, start poses and edits included.

        Raises UnknownName: no such parameter or driver; Contradiction: both have the name;
        BadValue: not finite, or formulas of other entries use it, which only reading replaces.
        Nothing is changed then.
        """
        drives = name in self._drivers
        if drives and name in self._parameters:
            raise Contradiction("set", f"parameter {name!r}", f"driver {name!r}")
        if drives:
            self.set_driver(name, value)
            return
        if name not in self._parameters:
            raise UnknownName("driver or parameter", name, (*self._drivers, *self._parameters))
        values = self._dependent(name, finite(value, f"parameters.{name}"))
        kept: dict[str, Any] = {"formulas": self.formulas, "_parameters": self._parameters}
        kept |= {"_loads": dict(self._loads), "_springs": dict(self._springs)}
        with self._all_or_nothing():
            try:
                self._follow(name, values)
            except AssemblySolverError:
                vars(self).update(kept)
                raise
        self.revision += 1

    def _dependent(self, name: str, value: float) -> dict[str, float]:
        """All parameters, those included that are formulas of one with a new value."""
        values = {**self._parameters, name: value}
        formulas = [(p[1], f) for p, f in self.formulas.items() if p[0] == "parameters"]
        for _ in formulas:  # as many rounds as the longest chain of them
            for other, formula in formulas:
                if other != name:
                    values[str(other)] = _number(formula.given, values, f"parameters.{other}")
        return values

    def _follow(self, name: str, values: dict[str, float]) -> None:
        """Set what formulas tell with the new values of the parameters."""
        now, before = _reader(values), _reader(self._parameters)
        old = self._parameters
        self.formulas = {p: f for p, f in self.formulas.items() if p != ("parameters", name)}
        self._parameters = values
        features: dict[str, dict[str, Feature]] = {}
        mates: dict[str, dict[str, Any]] = {}
        for path, formula in list(self.formulas.items()):
            place = ".".join(map(str, path))
            new = _evaluated(formula.given, now, place)
            if not _varies(new) and new == _evaluated(formula.given, before, place):
                continue
            self.formulas[path] = FormulaEntry(formula.given, new)
            if path[0] == "parts" and path[2:3] == ("features",):
                part, feature = str(path[1]), str(path[3])
                own = features.setdefault(part, {})
                known = own.get(feature) or self.part(part).features[feature]
                own[feature] = _with_number(known, path[4:], new)
            elif path[0] == "mates":
                _put(
                    mates.setdefault(str(path[1]), {}), self._held[str(path[1])].mate, path[2:], new
                )
            elif path[0] == "drivers" and path[2:] == ("value",):
                self.set_driver(str(path[1]), new)
            elif path[0] in BOUNDED and len(path) == 3:
                self._bound_again(path, float(new), place)
            elif path[0] != "parameters":
                wanted = "a parameter that the file does not use in "
                raise BadValue(f"parameters.{name}", values[name], f"{wanted}{place}")
        changed = frozenset(k for k, v in values.items() if _varies(v) or old[k] != v)
        self._laws_again(changed, values)
        for part, made in features.items():
            self._set_features(part, made)
        for mate, given in mates.items():
            self.change(mate, **given)

    def _bound_again(self, path: FilePlace, value: float, place: str) -> None:
        """Give a limit, a measure or a tolerance another bound."""
        name, bound = str(path[1]), {str(path[2]): value}
        if path[0] == "tolerances":
            given = self._tolerances[name].parameters() | bound
            again = make_tolerance(name, given, self._tolerated_names(), place)
            self._tolerances[name] = again
            return
        store: dict[str, Any] = self._limits if path[0] == "limits" else self._measures
        changed = replace(store[name], **bound)
        changed.check(place)
        store[name] = changed

    def _laws_again(self, changed: frozenset[str], values: Mapping[str, float]) -> None:
        """Read the laws again that use changed parameters."""
        for name, driver in self._drivers.items():
            laws = (
                (*driver.position, *driver.angles) if isinstance(driver, Guide) else (driver.law,)
            )
            told = [t for law in laws if law is not None for t in _texts(law.to_file())]
            if changed.isdisjoint(t for text in told for t in re.findall(r"\w+", text)):
                continue
            if isinstance(driver, Guide) or driver.law is None:
                wanted = f"a parameter that the motion {name!r} does not use"
                raise BadValue("set", sorted(changed)[0], wanted)
            place = f"drivers.{name}"
            self._drivers[name] = driver.held(None, driver.law.to_file(), values, place)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value of a file."""
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, (Mapping, list, tuple)):
        for entry in inner:
            yield from _texts(entry)


def _number(text: str, values: Mapping[str, float], place: str) -> float:
    return finite(Expression.parse(text, values, place).evaluate(values), place)


def _reader(values: Mapping[str, float]) -> Callable[[str, str], float]:
    """The number of a formula at a place; the same formula is read once."""
    known: dict[str, float] = {}

    def number(text: str, place: str) -> float:
        if text not in known:
            known[text] = _number(text, values, place)
        return known[text]

    return number


def _evaluated(given: Any, number: Callable[[str, str], float], place: str) -> Any:
    """What a file has at a place, with numbers for formulas."""
    if isinstance(given, str) and given.startswith("="):
        value = number(given, place)
        whole = value.is_integer() and not _varies(value)
        return int(value) if whole else value  # 20 teeth, not 20.0
    if isinstance(given, Mapping):
        return {key: _evaluated(entry, number, place) for key, entry in given.items()}
    if isinstance(given, (list, tuple)):
        return [_evaluated(entry, number, place) for entry in given]
    return given


def _varies(value: Any) -> bool:
    """Whether there is a number in what a file has at a place that varies."""
    if isinstance(value, Mapping):
        return any(map(_varies, value.values()))
    return isinstance(value, Varied) or (isinstance(value, list) and any(map(_varies, value)))


def _with_number(feature: Feature, path: FilePlace, value: Any) -> Feature:
    """A feature with a value at a path in its entry of a file: its type, a field, an index."""
    named = (
        path[1:] if len(path) > 1 and isinstance(path[1], str) else path
    )  # a point has no fields
    key = str(named[0])
    if len(named) > 1:
        value = _replaced(getattr(feature, key), named[1:], value)
    if isinstance(value, list):
        value = tuple(value)
    return replace(feature, **{key: value})


def _put(given: dict[str, Any], mate: Mate, path: FilePlace, value: Any) -> None:
    """Enter a parameter of a mate, or a number of one."""
    key = str(path[0])
    if len(path) > 1:
        value = _replaced(given.get(key, getattr(mate, key)), path[1:], value)
    given[key] = value


def _replaced(values: Any, path: FilePlace, value: Any) -> Any:
    """Numbers with another one at a path of indices."""
    out, index = list(values), int(path[0])
    out[index] = value if len(path) == 1 else _replaced(out[index], path[1:], value)
    return tuple(out)

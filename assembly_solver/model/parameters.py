"""Parameters: numbers of a file, which its formulas use; these follow where one changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..errors import BadValue, Contradiction, UnknownName
from ..foundations.geometry.pose import FARTHEST
from .building.driving import FilePlace, FormulaEntry
from .building.moves import FormulaPlaces, Moves, Placing
from .dimensions import DimensionEditing
from .drivers.guide import Guide
from .feature import PLACED, POSITIONS, Feature
from .formulas import (
    evaluated,
    field_of,
    formula as formula_of,
    names_in,
    number_of,
    put_number,
    reader,
    varies,
    with_number,
)
from .laws.arithmetic import plainly
from .laws.law import Law
from .mate import Reference
from .numbers import finite
from .tolerances.tolerance import make_tolerance

BOUNDED = ("limits", "measures", "tolerances", "positions")
"""Keys of entries whose bounds or values follow a parameter."""

STORED = ("drivers", "cylinders", "loads", "springs", "checks", *BOUNDED)
"""Keys of entries with names, besides parts and mates, that may have formulas."""


class FormulaResults(NamedTuple):
    """What formulas tell with other values of the parameters.

    Attributes:
        formulas: all of them; features, drivers, bounds: those that are others, and their values.
        mates: parameters of mates, by mate; laws: those of drivers that use a parameter, by driver.
    """

    formulas: dict[FilePlace, FormulaEntry]
    features: dict[Reference, Feature]
    drivers: dict[str, float]
    mates: dict[str, dict[str, Any]]
    bounds: dict[FilePlace, float]
    laws: dict[str, Law]


class ParameterEditing(DimensionEditing):
    """Parameters that are changed: the numbers that formulas tell follow."""

    def set(self, name: str, value: float) -> None:
        """Give a parameter or a driver another value, as `read(path, set={name: value})` does.

        The formulas of the file follow, as "=L/2 + 3": those of features, mates, drivers and
        limits, and laws.  All else stays as it is, start poses and edits included.

        Raises UnknownName: no such parameter or driver; Contradiction: both have the name;
        BadValue: not finite, or formulas of other entries use it, which only reading replaces.
        Nothing is changed then.
        """
        moves = self.moves if self.moves.now == self.revision else self._recent()
        if name in moves.placing and self._followed(name, value, moves):
            return
        drives = name in self._drivers
        if drives and name in self._parameters:
            raise Contradiction("set", f"parameter {name!r}", f"driver {name!r}")
        if drives:
            self.set_driver(name, value)
            return
        if name not in self._parameters:
            raise UnknownName("driver or parameter", name, (*self._drivers, *self._parameters))
        values = self._dependent(name, finite(value, f"parameters.{name}"))
        told = self._told(name, values)
        more = told.drivers or told.mates or told.bounds or told.laws
        if more or not self._moved(told.features):
            with self._all_or_nothing():
                self._take(told, values)
        self.formulas.pop(("parameters", name), None)
        self.formulas |= told.formulas
        self._parameters = values
        self.revision += 1
        if not (told.bounds or told.laws) and self.moves.now == self.revision - 1:
            self.moves.now = self.revision
            if told.features:
                self._note_placing(name)

    def _remove(self, what: str, known: dict[str, Any], name: str) -> None:
        super()._remove(what, known, name)
        self._drop_formulas()

    def _drop_stale(self) -> None:
        super()._drop_stale()
        self._drop_formulas()

    def _drop_formulas(self) -> None:
        """Remove the formulas of entries that are gone: others may have their names later."""
        if not self.formulas:
            return
        stores: dict[str | int, Any] = {key: getattr(self, f"_{key}") for key in STORED}
        stores |= {"mates": self._held, "parts": self._parts.keys() | self._groups.keys()}
        gone = {p for p in self.formulas if p[0] in stores and p[1] not in stores[p[0]]}
        if gone:
            self.formulas = {p: f for p, f in self.formulas.items() if p not in gone}

    def _note_placing(self, name: str) -> None:
        """Note the formulas of a parameter where all are coordinates of features that only move."""
        places, mates = dict[str, FormulaPlaces](), dict[str, None]()
        names = tuple(self._parameters)
        if self._groups or self._seeds or self._drawing.links:
            return
        for path, formula in self.formulas.items():
            if name not in names_in(formula.given):
                continue
            if path[0] != "parts" or path[2:3] != ("features",):
                return
            own, inner = self.moves.users.get((str(path[1]), str(path[3]))), field_of(path[4:])
            if own is None or not own.by_markers or len(inner) != 2 or inner[0] not in POSITIONS:
                return
            if type(self._parts[own.ref.part].features[own.ref.feature]) not in PLACED:
                return
            if formula.given not in places:
                read = formula_of(formula.given, names, ".".join(map(str, path)))
                places[formula.given] = FormulaPlaces(formula.given, read.instructions, [])
            places[formula.given].ends.append((path, own.ref, int(inner[1])))
            mates.update(own.mates)
        self.moves.placing[name] = Placing([*places.values()], mates)

    def _followed(self, name: str, value: Any, moves: Moves) -> bool:
        """Set a parameter that does nothing but move features; whether it could be done so."""
        if type(value) not in (float, int) or not -FARTHEST <= value <= FARTHEST:
            return False
        places, mates = moves.placing[name]
        values = {**self._parameters, name: float(value)}
        told: list[float] = []
        for place in places:
            number = plainly(place.instructions, values)
            if number is None or not -FARTHEST <= number <= FARTHEST:
                return False  # it is refused, or more than arithmetic
            told.append(number)
        formulas, features = self.formulas, moves.features
        for (text, _, ends), number in zip(places, told, strict=True):
            if number == formulas[ends[0][0]].value:
                continue  # it follows no change: what was edited since stays
            entry = tuple.__new__(FormulaEntry, (text, number))
            for path, ref, axis in ends:
                formulas[path] = entry
                known: Any = features.get(ref) or self._parts[ref[0]].features[ref[1]]
                at = [*(known if known.__class__ is tuple else known.frame[:3])]
                at[axis] = number
                moved = tuple(at)
                self._unplaced[ref] = features[ref] = moved  # to read parts may have emptied it
        self._stale.update(mates)
        self._parameters[name] = values[name]
        self.__dict__["revision"] = moves.now = self.revision + 1
        return True

    def _dependent(self, name: str, value: float) -> dict[str, float]:
        """All parameters, those included that are formulas of one with a new value."""
        values = {**self._parameters, name: value}
        formulas = [(p[1], f) for p, f in self.formulas.items() if p[0] == "parameters"]
        for _ in formulas:  # as many rounds as the longest chain of them
            for other, formula in formulas:
                if other != name:
                    values[str(other)] = number_of(formula.given, values, f"parameters.{other}")
        return values

    def _told(self, name: str, values: dict[str, float]) -> FormulaResults:
        """What formulas tell with the new values of the parameters, of which one was given."""
        now, before = reader(values), reader(self._parameters)
        old = self._parameters
        changed = frozenset(k for k, v in values.items() if varies(v) or old[k] != v)
        formulas = {p: f for p, f in self.formulas.items() if p != ("parameters", name)}
        told = FormulaResults(formulas, {}, {}, {}, {}, self._laws_with(changed))
        for path, formula in self.formulas.items():
            if path not in formulas or changed.isdisjoint(names_in(formula.given)):
                continue
            place = ".".join(map(str, path))
            new = evaluated(formula.given, now, place)
            if not varies(new) and new == evaluated(formula.given, before, place):
                continue  # it follows no change: what was edited since stays
            formulas[path] = FormulaEntry(formula.given, new)
            if path[0] == "parts" and path[2:3] == ("features",):
                ref = Reference(str(path[1]), str(path[3]))
                known = told.features.get(ref) or self.part(ref.part).features[ref.feature]
                told.features[ref] = with_number(known, path[4:], new)
                self._must_be_alone(ref.part)
            elif path[0] == "mates":
                own_mate = self._held[str(path[1])].mate
                put_number(told.mates.setdefault(own_mate.name, {}), own_mate, path[2:], new)
            elif path[0] == "drivers" and path[2:] == ("value",):
                told.drivers[str(path[1])] = new
            elif path[0] in BOUNDED and len(path) == 3:
                told.bounds[path] = float(new)
            elif path[0] != "parameters":
                wanted = "a parameter that the file does not use in "
                raise BadValue(f"parameters.{name}", values[name], f"{wanted}{place}")
        return told

    def _take(self, told: FormulaResults, values: Mapping[str, float]) -> None:
        """Set what formulas tell with these values of the parameters."""
        for name, value in told.drivers.items():
            self.set_driver(name, value)
        for path, bound in told.bounds.items():
            self._bound_again(path, bound, ".".join(map(str, path)))
        for name, law in told.laws.items():
            driver, place = self._drivers[name], f"drivers.{name}"
            self._drivers[name] = driver.held(None, law.to_file(), values, place)
        if told.features and not self._moved(told.features):
            self._set_features(told.features)
        for mate, given in told.mates.items():
            self.change(mate, **given)

    def _bound_again(self, path: FilePlace, value: float, place: str) -> None:
        """Give a limit, a measure or a tolerance another bound, or a position another value."""
        name, bound = str(path[1]), {str(path[2]): value}
        if path[0] == "positions":
            order, position = list(self._positions), self._positions.pop(name)
            self.position(name, {**position.values, **bound}, mode=position.mode)
            self._positions = {k: self._positions[k] for k in order}
            return
        if path[0] == "tolerances":
            given = self._tolerances[name].parameters() | bound
            again = make_tolerance(name, given, self._tolerated_names(), place)
            self._tolerances[name] = again
            return
        store: dict[str, Any] = self._limits if path[0] == "limits" else self._measures
        changed = replace(store[name], **bound)
        changed.check(place)
        store[name] = changed

    def _laws_with(self, changed: frozenset[str]) -> dict[str, Law]:
        """The laws of drivers that use changed parameters, by driver."""
        out = {}
        for name, driver in self._drivers.items():
            if isinstance(driver, Guide):
                used = [law.to_file() for law in (*driver.position, *driver.angles)]
                if not changed.isdisjoint(names_in(used)):
                    wanted = f"a parameter that the motion {name!r} does not use"
                    raise BadValue("set", sorted(changed)[0], wanted)
            elif driver.law is not None and changed & names_in(driver.law.to_file()):
                out[name] = driver.law
        return out

"""Remedies of a contradiction: remove a constraint, change one value, or move one feature.

Each proposed remedy is verified: the change is made and everything solved again, without the
members of other contradictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from math import floor, log10, pi, radians
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.residuals import all_residuals, residual_of, worst_off
from ..equations.system import System
from ..errors import AssemblySolverError
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.rounding import FAINT, RANK, ROUNDING
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.drivers.limit import Limit
from ..model.mate import Reference
from ..solver.active_set import bound_violations
from ..structure.incidence import markers_of
from .closest_poses import at_rest, closest_poses, with_light_rows
from .conflicts import Conflict
from .constraint_values import (
    ConstraintValue,
    is_allowed,
    rates_of_targets,
    rounded_values,
    with_parameter,
)
from .least_largest import accepting_tolerance
from .other_starts import disturbed
from .subset_solver import RESTARTS, SubsetSolver, is_solved
from .subsets import constraint_names, constraint_numbers, subset

ITERATIONS = 8
"""Most descents, each with the value computed from the one before."""

OTHER_SENSE = {"aligned": "opposed", "opposed": "aligned"}

TAKEN_SENSE = {1: "aligned", -1: "opposed"}

UPSIDE_DOWN = pi / 4
"""Turn by which a mate is off, rad, from which the other sense may suit it better."""

CLEARLY = (0.1, 1.0)
"""Shares of the tolerance to which a new value has to hold: clearly if possible."""


class ValueChange(NamedTuple):
    """A value with which everything holds; mm or degrees."""

    constraint: str
    parameter: str
    before: float
    after: float
    unit: str


class FeatureMove(NamedTuple):
    """The displacement of a feature: distance, mm, and unit direction in part coordinates."""

    part: str
    feature: str
    by: float
    along: tuple[float, float, float]


class SenseTurn(NamedTuple):
    """The other sense of a mate: its name, "aligned" or "opposed" as it is, and as it has to be."""

    mate: str
    before: str
    after: str


@dataclass(frozen=True)
class Remedy:
    """What resolves a contradiction.

    Attributes:
        drop: the members that can each be removed alone so that all others hold.
        change: the smallest change of one value; move: of one feature, if no value suffices.
        turn: the sense of one mate that the user gave, and that is to be the other one.
        accepting: a tolerance at which all hold, mm; None where only a large one would do.
    """

    drop: tuple[str, ...]
    change: ValueChange | None
    move: FeatureMove | None
    turn: SenseTurn | None
    accepting: float | None


def remedy_of(subsets: SubsetSolver, conflict: Conflict, conflicts: Sequence[Conflict]) -> Remedy:
    """The remedy of one of some disjoint contradictions, which were found with the same solver.

    Raises:
        Stopped: the watch of the solver interrupted it.
    """
    number = {name: k for k, name in enumerate(constraint_names(subsets.assembly))}
    members = [number[name] for name in conflict.constraints]
    others = {number[name] for c in conflicts if c is not conflict for name in c.constraints}
    required = [k for k in number.values() if k not in others]
    return _RemedySearch(subsets, required, members, conflict).remedy()


class _RemedySearch:
    """Finds the remedy of one contradiction; `required` and contradictory `members` are numbers."""

    def __init__(
        self, subsets: SubsetSolver, required: list[int], members: list[int], conflict: Conflict
    ) -> None:
        self.subsets, self.conflict = subsets, conflict
        self.required, self.members = required, members
        self.assembly = subsets.assembly
        self.names = constraint_names(self.assembly)
        reached = (*conflict.limits, *conflict.stops)
        self.system = subsets.system(required, tuple(x.bound for x in reached))
        self.index = {required[k]: n for n, k in enumerate(constraint_numbers(self.system))}
        self.unlimited = subsets.system(required) if reached else self.system

    def remedy(self) -> Remedy:
        """Members that can be removed, and the change of a value or of a feature of one of them."""
        rests = {k: self.subsets.solved([n for n in self.required if n != k]) for k in self.members}
        drop = [k for k, (_, holds) in rests.items() if holds]
        starts = {k: rests[k][0].parts for k in drop if k in self.index}
        change = self._change(starts)
        turn = self._turn(starts)
        move = self._move(drop) if change is None else None
        accepting = accepting_tolerance(self.subsets, self.required)
        return Remedy(tuple(self.names[k] for k in drop), change, move, turn, accepting)

    # ------------------------------------------------------------------ a sense
    def _turn(self, starts: dict[int, Array]) -> SenseTurn | None:
        """The first mate, the least trusted one, with whose other sense everything is solved.

        Tried where a mate looks the other way at the poses at which it is left out.  A nearest
        sense counts as the one that was taken.
        """
        mates = list(self.assembly.held.values())
        for k in reversed([k for k in starts if k < len(mates)]):
            before = TAKEN_SENSE.get(int(self.system.sense[self.index[k]]))
            turned_by = residual_of(self.system, starts[k]).turns[self.index[k]]
            if before is None or turned_by < UPSIDE_DOWN:
                continue
            turned = subset(self.assembly, self.required)
            try:
                turned.change(self.names[k], sense=OTHER_SENSE[before])
            except AssemblySolverError:
                continue
            if is_solved(turned, self.subsets.watch):
                return SenseTurn(self.names[k], before, OTHER_SENSE[before])
        return None

    # ------------------------------------------------------------------ a value
    def _change(self, starts: dict[int, Array]) -> ValueChange | None:
        """The smallest change of a value given by the user, else of a default value."""
        values = [v for k in starts for v in self._values(k)]
        for given in (True, False):
            found = [
                (size, v, after)
                for v in values
                if v.given == given
                for size, after in self._resolved(v, starts[v.constraint])
            ]
            while found:
                least = min(size for size, _, _ in found)
                best = [f for f in found if f[0] <= (1 + FAINT) * least][-1]
                _, v, after = best
                if is_solved(self._changed(v, after), self.subsets.watch, thorough=True):
                    name = self.names[v.constraint]
                    return ValueChange(name, v.parameter, v.value, after, v.unit)
                found.remove(best)
        return None

    def _values(self, k: int) -> Iterator[ConstraintValue]:
        """The values that the equations of a constraint depend on."""
        mates = list(self.assembly.held.values())
        if k >= len(mates):
            quantity, parameter, value = self._quantity(k)
            if len(quantity.at(value)) == 1:
                rate = pi / 180 if quantity.unit == "deg" else 1.0
                yield ConstraintValue(k, parameter, value, quantity.unit, np.array([rate]), True)
            return
        mate = mates[k].mate
        for f in fields(mate):
            rates = rates_of_targets(mates[k], f.name)
            if rates is not None:
                unit = "deg" if self.system.angular[self._rows(k)][rates != 0].any() else "mm"
                given = f.name in mate.parameters() or f.name == "value"
                value = float(getattr(mate, f.name))
                yield ConstraintValue(k, f.name, value, unit, rates, given)

    def _quantity(self, k: int) -> tuple[Driver | Limit, str, float]:
        """The driver or the limit of a constraint, the name of its value, and the value."""
        for x in self.conflict.limits:
            if x.constraint == self.names[k]:
                limit = self.assembly.limits[x.bound.limit]
                return limit, "max" if x.bound.upper else "min", x.bound.value
        drivers = [d for d in self.assembly.drivers.values() if d.value is not None]
        driver = drivers[k - len(self.assembly.held)]
        assert driver.value is not None
        return driver, "value", driver.value

    def _rows(self, k: int) -> NDArray[np.int64]:
        return self.system.rows([self.index[k]])

    def _resolved(self, v: ConstraintValue, start: Array) -> Iterator[tuple[float, float]]:
        """The size of the change, mm, and the closest value with which everything holds, if any."""
        after, parts = self._nearest_value(v, start)
        reach = float(self.system.reach[self.index[v.constraint]])
        unit = radians(1.0) * reach if v.unit == "deg" else 1.0
        for share, rounded in product(CLEARLY, rounded_values(after, v.value)):
            size = unit * abs(rounded - v.value)
            valid = size > self.system.tolerance and self._allowed(v, rounded)
            if valid and self._holds_with(v, rounded, parts, share):
                yield size, rounded
                return

    def _nearest_value(self, v: ConstraintValue, start: Array) -> tuple[float, Array]:
        """The value with which everything holds that is nearest to the present one, and the
        poses there."""
        rows = self._rows(v.constraint)
        if np.all(v.rates != 0):
            k = self.index[v.constraint]
            parts = closest_poses(self.subsets, self.required, self.system, k).parts
            return self._actual(v, v.value, parts), parts
        light = replace(self.system, table=with_light_rows(self.system, rows[v.rates != 0]))
        descent = self.subsets.closure(light, attempts=1)  # downhill
        after, parts = v.value, start
        for _ in range(ITERATIONS):
            parts = descent.from_(parts, self._with(light, v, after).table.target)
            before, after = after, self._actual(v, after, parts)
            if abs(after - before) < ROUNDING * max(1.0, abs(after)):
                break
        parts = at_rest(self.system, parts, rows[v.rates != 0])
        return self._actual(v, v.value, parts), parts

    def _holds_with(self, v: ConstraintValue, value: float, start: Array, share: float) -> bool:
        """Whether all holds with a value; limits are bounds, or equations where that fails."""
        systems = [self.system]
        if self.index[v.constraint] < self.unlimited.mates + self.unlimited.drivers:
            systems = list({id(s): s for s in (self.unlimited, self.system)}.values())
        tried = (self._with(replace(s, start=start), v, value) for s in systems)
        return any(self._holds(system, v.constraint, share) for system in tried)

    def _holds(self, system: System, changed: int, share: float = 1.0) -> bool:
        """Whether a system holds near its start to a share of the tolerance, within all limits but
        a changed one."""
        starts = [system.start]  # which may be singular, as of a stretched chain
        if self.subsets.descends(system):  # all at once
            starts += [disturbed(system, k) for k in range(RESTARTS)]
        ends = self.subsets.closure(system, attempts=1).all_from(np.stack(starts))
        return any(self._off(system, p, changed) <= share * system.tolerance for p in ends)

    def _off(self, system: System, parts: Array, changed: int) -> float:
        """What is off at some poses, mm, but for a limit that is changed."""
        out = np.abs(bound_violations(system, parts))
        if self.index[changed] >= system.mates + system.drivers and system.bounds is not None:
            out[system.bounds.names.index(self.names[changed].removeprefix("limit "))] = 0.0
        return max(worst_off(system, parts), float(out.max(initial=0.0)))

    def _changed(self, v: ConstraintValue, value: float) -> Assembly:
        """The required constraints with another value of one."""
        changed = self.assembly.copy()
        if v.constraint < len(self.assembly.held):
            changed.change(self.names[v.constraint], **{v.parameter: value})
            return subset(changed, self.required)
        quantity = self._quantity(v.constraint)[0]
        if isinstance(quantity, Driver):
            changed.set_driver(quantity.name, value)
            return subset(changed, self.required)
        for name, x in self.assembly.limits.items():  # all: their order numbers them
            bounds: dict[str, Any] = {"min": x.min, "max": x.max}
            if x is quantity:
                bounds[v.parameter] = value
            changed.remove_limit(name)  # its joint may be a mate that is not required
            changed.limit(**x.named(), **bounds, name=name, implied=x.implied)
        return subset(changed, self.required)

    def _with(self, system: System, v: ConstraintValue, value: float) -> System:
        """The system with another value of a constraint."""
        target = system.table.target.copy()
        target[self._rows(v.constraint)] += v.rates * (value - v.value)
        return replace(system, table=system.table._replace(target=target))

    def _actual(self, v: ConstraintValue, required: float, parts: Array) -> float:
        """The actual value of a constraint at some poses, from the residual at the required one."""
        rows = self._rows(v.constraint)
        off = all_residuals(self._with(self.system, v, required), parts)[rows]
        off /= self.system.table.weight[rows]
        return required + float(v.rates @ off / (v.rates @ v.rates))

    def _allowed(self, v: ConstraintValue, value: float) -> bool:
        """Whether a value is valid for a constraint."""
        mates = list(self.assembly.held.values())
        if v.constraint >= len(mates):
            return is_allowed(self._quantity(v.constraint)[0], v.parameter, value)
        h = mates[v.constraint]
        try:
            with_parameter(h, v.parameter, value).check_ends(h.a, h.b, "")
        except AssemblySolverError:
            return False
        return True

    # ------------------------------------------------------------------ a feature
    def _move(self, drop: list[int]) -> FeatureMove | None:
        """The displacement of a feature that no other mate uses with which everything holds."""
        mates = list(self.assembly.held.values())
        used = [ref for h in mates for ref in (h.mate.a, h.mate.b)]
        for q in (*self.assembly.drivers.values(), *self.assembly.limits.values()):
            used += q.ends or ()
        for k in reversed([k for k in drop if k < len(mates)]):
            movable = [ref for ref in (mates[k].mate.b, mates[k].mate.a) if used.count(ref) == 1]
            if not movable:
                continue
            parts = closest_poses(
                self.subsets, self.required, self.system, self.index[k], brief=True
            ).parts
            for ref in sorted(movable, key=self._coincide):
                shift = self._shift(k, ref.part, parts)
                if shift is not None:
                    by = float(np.linalg.norm(shift))
                    x, y, z = (float(s) / by for s in shift)
                    return FeatureMove(ref.part, ref.feature, by, (x, y, z))
        return None

    def _coincide(self, ref: Reference) -> bool:
        """Whether the contradictory features of the part of a feature coincide."""
        s = self.conflict.spacing
        distance = {s.part: s.here, s.other: s.there} if s is not None else {}
        return distance.get(ref.part, 1.0) <= self.system.tolerance

    def _shift(self, k: int, part: str, parts: Array) -> Array | None:
        """The shift of a mate's feature on a part, mm, in part coordinates, (3,).

        None where angles are off, or where not everything holds with it.
        """
        t, rows = self.system.table, self._rows(k)
        off = all_residuals(self.system, parts)[rows][self.system.angular[rows]]
        if np.abs(off).max(initial=0.0) > self.system.tolerance:
            return None
        body = self.system.parts.index(part)
        markers = distinct(np.concatenate([markers_of(t, e) for e in rows]))
        markers = markers[t.marker_body[markers] == body]

        def at(shift: Array) -> System:
            frames = t.marker_frame.copy()
            frames[markers, :3] += shift
            return replace(self.system, table=t._replace(marker_frame=frames), start=parts)

        shift = np.zeros(3)
        for _ in range(3):
            f = all_residuals(at(shift), parts)[rows]
            moved = [all_residuals(at(shift + e), parts)[rows] for e in np.eye(3)]
            slope = np.stack(moved, axis=1) - f[:, None]
            shift = shift - np.linalg.lstsq(slope, f, rcond=RANK)[0]
        if np.linalg.norm(shift) <= self.system.tolerance:
            return None
        least = float(np.linalg.norm(shift))
        rounded = np.round(shift, 3 - floor(log10(least)))
        return next((s for s in (rounded, shift) if self._holds(at(s), k)), None)

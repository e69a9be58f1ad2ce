"""What would resolve a contradiction: a mate left out, one value changed, one feature moved.

Nothing is proposed that was not tried: each change is made and everything solved again, but for
the members of other contradictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, floor, pi, radians
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.residuals import all_residuals, worst_off
from ..equations.system import System
from ..errors import AssemblySolverError
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.drivers.driver import Driver
from ..model.drivers.limit import Limit
from ..model.mate import Held, Reference
from ..solver.active_set import beyond, off_of
from ..solver.solver import solve
from ..structure.incidence import markers_of
from ..structure.plan import make_plan
from ..structure.replan import retargeted
from .conflicts import Conflict, Trial, numbers_of, promise_names, yielding

DESCENTS = 8
"""Times that a value is read off and taken for the next descent."""

DIGITS = (3, 6, 9, 12)
"""Decimals to which a new value is rounded: the fewest that do."""

SAME = 1e-6
"""Relative difference below which two changes count as equally large: the later mate gives way."""


class Change(NamedTuple):
    """A value with which everything holds; mm or degrees."""

    promise: str
    parameter: str
    before: float
    after: float
    unit: str


class Move(NamedTuple):
    """A feature of a part that would have to be elsewhere: by so many mm, in part coordinates."""

    part: str
    feature: str
    by: float
    along: tuple[float, float, float]


@dataclass(frozen=True)
class Remedy:
    """What resolves a contradiction.

    Attributes:
        drop: members each of which alone can be left out so that all others hold.
        change: the smallest change of one value; move: of one feature where no value does.
        accepting: the tolerance at which all hold, mm.
    """

    drop: tuple[str, ...]
    change: Change | None
    move: Move | None
    accepting: float


class _Value(NamedTuple):
    """A value of a promise: how fast the targets of its equations grow with it."""

    promise: int
    parameter: str
    value: float
    unit: str
    rates: Array
    given: bool


def remedies(trial: Trial, conflicts: Sequence[Conflict]) -> list[Remedy]:
    """What resolves each of some disjoint contradictions, which were found by the same trial."""
    trial.watch = Watch()
    number = {name: k for k, name in enumerate(promise_names(trial.assembly))}
    members = [[number[name] for name in c.promises] for c in conflicts]
    out = []
    for conflict, own in zip(conflicts, members, strict=True):
        others = {k for found in members for k in found} - set(own)
        everything = [k for k in number.values() if k not in others]
        out.append(_Search(trial, everything, own, conflict).remedy())
    return out


class _Search:
    """Finds what resolves one contradiction.

    Args:
        everything: numbers of the promises that are to hold; own: of those that contradict.
    """

    def __init__(
        self, trial: Trial, everything: list[int], own: list[int], conflict: Conflict
    ) -> None:
        self.trial, self.everything, self.own, self.conflict = trial, everything, own, conflict
        self.assembly = trial.assembly
        self.names = promise_names(self.assembly)
        self.system = trial.system(everything, tuple(x.stop for x in conflict.allowed))
        self.place = {everything[k]: n for n, k in enumerate(numbers_of(self.system))}

    def remedy(self) -> Remedy:
        """Members to leave out, then what a change of one of these would be."""
        rests = {
            k: self.trial.solved([n for n in self.everything if n != k], brief=True)
            for k in self.own
        }
        drop = [k for k, (_, holds) in rests.items() if holds]
        starts = {k: rests[k][0].parts for k in drop if k in self.place}
        change = self._change(starts)
        move = self._move(drop) if change is None else None
        best = self.trial.solved(self.everything)[0]
        off = off_of(best.plan.system, best.parts)
        accepting = max(off, self.conflict.accepting)
        return Remedy(tuple(self.names[k] for k in drop), change, move, accepting)

    # ------------------------------------------------------------------ a value
    def _change(self, starts: dict[int, Array]) -> Change | None:
        """The smallest change of a value that was given, else of one that was left at its usual."""
        values = [v for k in starts for v in self._values(k)]
        for given in (True, False):
            found = [
                (size, v, after)
                for v in values
                if v.given == given
                for size, after in self._resolved(v, starts[v.promise])
            ]
            if found:
                least = min(size for size, _, _ in found)
                _, v, after = [f for f in found if f[0] <= (1 + SAME) * least][-1]
                return Change(self.names[v.promise], v.parameter, v.value, after, v.unit)
        return None

    def _values(self, k: int) -> Iterator[_Value]:
        """The values of a promise that its equations ask for."""
        held = list(self.assembly.held.values())
        if k >= len(held):
            quantity, parameter, value = self._quantity(k)
            if len(quantity.at(value)) == 1:
                rate = pi / 180 if quantity.unit == "deg" else 1.0
                yield _Value(k, parameter, value, quantity.unit, np.array([rate]), True)
            return
        for f in fields(held[k].mate):
            value = getattr(held[k].mate, f.name)
            rates = _rates(held[k], f.name)
            if rates is not None:
                angle = self.system.angular[self._rows(k)][rates != 0].any()
                given = f.name in held[k].mate.parameters() or f.name == "value"
                yield _Value(k, f.name, float(value), "deg" if angle else "mm", rates, given)

    def _quantity(self, k: int) -> tuple[Driver | Limit, str, float]:
        """The driver or the limit behind a promise, with the name of its value and the value."""
        for x in self.conflict.allowed:
            if x.promise == self.names[k]:
                limit = self.assembly.limits[x.stop.limit]
                return limit, "max" if x.stop.upper else "min", x.stop.value
        drivers = [d for d in self.assembly.drivers.values() if d.value is not None]
        driver = drivers[k - len(self.assembly.held)]
        assert driver.value is not None
        return driver, "value", driver.value

    def _rows(self, k: int) -> NDArray[np.int64]:
        return self.system.rows([self.place[k]])

    def _resolved(self, v: _Value, start: Array) -> Iterator[tuple[float, float]]:
        """The nearest value with which everything holds, and how large the change is, mm."""
        rows = self._rows(v.promise)
        table = yielding(self.system, rows[v.rates != 0])
        after, parts = v.value, start
        plan = make_plan(replace(self.system, table=table, start=start))
        for _ in range(DESCENTS):
            light = self._with(replace(plan.system, table=table, start=parts), v, after)
            asked = dict(zip(rows.tolist(), light.table.target[rows].tolist(), strict=True))
            plan = retargeted(plan, parts, asked) or make_plan(light)
            parts = solve(plan, thorough=False).parts
            before, after = after, self._found(v, after, parts)
            if abs(after - before) < 1e-12 * max(1.0, abs(after)):
                break
        unit = radians(1.0) * self.system.length if v.unit == "deg" else 1.0
        for rounded in _rounded(after, v.value):
            if rounded != v.value and self._allowed(v, rounded):
                system = self._with(replace(self.system, start=parts), v, rounded)
                if self._holds(system, v.promise):
                    yield unit * abs(rounded - v.value), rounded
                    return

    def _holds(self, system: System, changed: int) -> bool:
        """Whether a system that starts where it should hold does, and all limits with it.

        A limit that was changed is not looked at.
        """
        parts = solve(make_plan(system), thorough=False).parts
        out = np.abs(beyond(system, parts))
        if self.place[changed] >= system.mates + system.drivers and system.bounds is not None:
            out[system.bounds.names.index(self.names[changed].removeprefix("limit "))] = 0.0
        return max(worst_off(system, parts), float(out.max(initial=0.0))) <= system.tolerance

    def _with(self, system: System, v: _Value, value: float) -> System:
        """A system that asks another value."""
        target = system.table.target.copy()
        target[self._rows(v.promise)] += v.rates * (value - v.value)
        return replace(system, table=system.table._replace(target=target))

    def _found(self, v: _Value, asked: float, parts: Array) -> float:
        """The value that a promise has at some poses; what is off is read in the asked one."""
        rows = self._rows(v.promise)
        off = all_residuals(self._with(self.system, v, asked), parts)[rows]
        off /= self.system.table.weight[rows]
        return asked + float(v.rates @ off / (v.rates @ v.rates))

    def _allowed(self, v: _Value, value: float) -> bool:
        """Whether a promise may have a value."""
        held = list(self.assembly.held.values())
        if v.promise >= len(held):
            return _fits(self._quantity(v.promise)[0], v.parameter, value)
        h = held[v.promise]
        new: dict[str, Any] = {v.parameter: value}
        try:
            mate = replace(h.mate, **new)
            mate.check("")
            mate.check_ends(h.a, h.b, "")
        except AssemblySolverError:
            return False
        return True

    # ------------------------------------------------------------------ a feature
    def _move(self, drop: list[int]) -> Move | None:
        """A feature that no other mate uses, where everything holds if it is put elsewhere."""
        held = list(self.assembly.held.values())
        used = [ref for h in held for ref in (h.mate.a, h.mate.b)]
        for k in reversed([k for k in drop if k < len(held)]):
            own = [ref for ref in (held[k].mate.b, held[k].mate.a) if used.count(ref) == 1]
            if not own:
                continue
            parts = self.trial.nearest(self.everything, self.system, self.place[k])
            for ref in sorted(own, key=self._in_line):
                shift = self._shift(k, ref.part, parts)
                if shift is not None:
                    by = float(np.linalg.norm(shift))
                    x, y, z = (float(s) / by for s in shift)
                    return Move(ref.part, ref.feature, by, (x, y, z))
        return None

    def _in_line(self, ref: Reference) -> bool:
        """Whether the part of a feature has the contradicting ones on one line or in one plane."""
        s = self.conflict.spacing
        apart = {s.part: s.here, s.other: s.there} if s is not None else {}
        return apart.get(ref.part, 1.0) <= self.system.tolerance

    def _shift(self, k: int, part: str, parts: Array) -> Array | None:
        """By what the end of a mate on a part is to be shifted, in part coordinates; tried."""
        t, rows = self.system.table, self._rows(k)
        if (
            np.abs(all_residuals(self.system, parts)[rows][self.system.angular[rows]]).max(
                initial=0.0
            )
            > self.system.tolerance
        ):
            return None
        body = self.system.parts.index(part)
        markers = np.unique(np.concatenate([markers_of(t, e) for e in rows]))
        markers = markers[t.marker_body[markers] == body]

        def at(shift: Array) -> System:
            frames = t.marker_frame.copy()
            frames[markers, :3] += shift
            return replace(self.system, table=t._replace(marker_frame=frames), start=parts)

        shift = np.zeros(3)
        for _ in range(3):
            f = all_residuals(at(shift), parts)[rows]
            slope = np.stack(
                [all_residuals(at(shift + e), parts)[rows] - f for e in np.eye(3)], axis=1
            )
            shift = shift - np.linalg.lstsq(slope, f, rcond=1e-9)[0]
        system = at(shift)
        return shift if self._holds(system, k) and np.any(shift) else None


def _fits(quantity: Driver | Limit, parameter: str, value: float) -> bool:
    """Whether a driver or a limit may have a value."""
    least, most = quantity.range_of_values
    if not least < value < most:
        return False
    if isinstance(quantity, Driver):
        return quantity.range is None or quantity.range[0] <= value <= quantity.range[1]
    low, high = (value, quantity.max) if parameter == "min" else (quantity.min, value)
    return low is None or high is None or low <= high


def _rounded(value: float, before: float) -> Iterator[float]:
    """A value with few decimals, then with more: the nearest, and the next one further away."""
    away = ceil if value > before else floor
    for digits in DIGITS:
        yield round(value, digits)
        yield away(value * 10**digits) / 10**digits


def _rates(held: Held, parameter: str) -> Array | None:
    """How fast the targets of a mate's equations grow with a parameter; None where they do not."""
    value = getattr(held.mate, parameter)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not held.mate.takes:
        return None
    step = 1e-3 * max(1.0, abs(value))
    for sign in (1.0, -1.0):
        new: dict[str, Any] = {parameter: value + sign * step}
        try:
            other = replace(held.mate, **new)
            other.check("")
            equations = other.equations(held.a, held.b)
        except AssemblySolverError:
            continue
        same = len(equations) == len(held.equations) and all(
            x.terms == y.terms for x, y in zip(equations, held.equations, strict=True)
        )
        targets = [(x.target, y.target) for x, y in zip(equations, held.equations, strict=False)]
        if same and all(x is not None and y is not None for x, y in targets):
            rates = np.array([(x - y) / (sign * step) for x, y in targets])  # type: ignore[operator]
            return rates if rates.any() else None
    return None

"""The public call `optimise`: dimensions with which measures have the values that are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import Contradiction, MissingKey, Unsolved
from ..foundations.numerics.rounding import FAINT, ROOT
from ..foundations.types import Array
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from ..model.numbers import finite
from ..results.wording.phrases import count, listed, short
from .designs import range_of, scrambled_sobol, values_of
from .fitted_measures import FittedMeasures
from .variants import nominal_assembly
from .varied_names import check_range, put, value_of

STARTS = 16
"""Starts of the search, the present values first: a power of two, as Sobol points are even then."""

SOLVES = 60
"""Most steps of the search from a start."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Values of dimensions, and how near they bring measures to their targets.

    Attributes:
        assembly: with these values, at its solved poses.
        values, before: by name, mm or degrees; None of a driver that had no value.
        ranges: by name; units: of the targets, by name.
        targets, found: what was asked, and what the measures are, mm or degrees.
        tolerance: by what a measure may be off its target, mm or degrees.
        starts: from how many the search went; solves: variants that were solved.
        at_limits: the limits at a bound of which the assembly is, in words.
    """

    assembly: Assembly
    values: dict[str, float]
    before: dict[str, float | None]
    ranges: dict[str, tuple[float, float]]
    units: dict[str, str]
    targets: dict[str, float]
    found: dict[str, float]
    tolerance: float
    starts: int
    solves: int
    at_limits: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether every measure is within the tolerance of its target."""
        return all(abs(x - self.targets[name]) <= self.tolerance for name, x in self.found.items())

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The values that are at an end of their range."""
        return tuple(name for name, value in self.values.items() if value in self.ranges[name])

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        if self.met:
            told = [f"{name} = {value:.8g}" for name, value in self.values.items()]
            return f"{count(len(self.targets), 'target')} met: {listed(told)}"
        off = {name: x - self.targets[name] for name, x in self.found.items()}
        worst = max(off, key=lambda name: abs(off[name]))
        words = (
            f"not met: the best values of {count(self.starts, 'start')} leave {worst} "
            f"{short(abs(off[worst]))} {self.units[worst]} {'above' if off[worst] > 0 else 'below'}"
            f" its target"
        )
        ends = self.at_ends
        at = f"{listed(list(ends))} {'is' if len(ends) == 1 else 'are'} at the end of the range"
        return "; ".join((words, *([at] if ends else []), *self.at_limits))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as of `optimise --json`."""
        return {
            "outcome": "met" if self.met else "not_met",
            "sentence": self.sentence,
            "values": {
                name: {"value": x, "before": self.before[name], "range": list(self.ranges[name])}
                for name, x in self.values.items()
            },
            "at_ends": list(self.at_ends),
            "at_limits": list(self.at_limits),
            "measures": {
                name: {"target": self.targets[name], "found": x, "unit": self.units[name]}
                for name, x in self.found.items()
            },
            "tolerance": self.tolerance,
            "starts": self.starts,
            "solves": self.solves,
        }

    def __str__(self) -> str:
        return self.sentence


def optimise(
    assembly: Assembly,
    vary: Mapping[str, Any],
    fit: Mapping[str, float],
    *,
    over: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Optimum:
    """Dimensions of an assembly with which measures have the values that are asked.

    A search by a trust region within the ranges, with exact derivatives of the measures.  It begins
    at the present values, and where these lead to no values that meet all targets, at others
    spread over the ranges; then the sum of the squared differences, in mm and degrees, is the
    least of all starts.  Variants in another assembly mode are not taken, nor those that do not
    close from the present poses.  Where the present values meet the targets they stay.

    Args:
        assembly: not changed.
        vary: ranges (A, B), or in words "A:B", by name of a parameter, a driver with a value or a
            number of a mate, "MATE.value"; mm or degrees.
        fit: target by name of a measure, mm or degrees; with `over` by "MEASURE@VALUE",
            "MEASURE.least", "MEASURE.largest", "MEASURE.range" or "MEASURE.mean".
        over: a driver with values, as {"crank": "0:360:73"}: the variants are driven through them.
        progress: called as `progress(done, total, words)`, in starts.

    Raises:
        UnknownName, MissingKey, BadValue, Contradiction: the call is wrong; Unsolved: the assembly
            has no solution, or no variant closes of those at which the search begins.

    Examples:
        >>> import assembly_solver as asm
        >>> a = asm.Assembly("press")
        >>> _ = a.add("bed", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
        >>> faces = {"foot": asm.Plane((0, 0, 5), "z"), "tip": asm.Point((0, 0, 25))}
        >>> _ = a.add("ram", features=faces)
        >>> _ = a.mate("coplanar", "bed.top", "ram.foot", name="stroke", offset=3, sense="aligned")
        >>> _ = a.measure("height", distance=("bed.top", "ram.tip"))
        >>> asm.optimise(a, {"stroke.offset": (0, 9)}, {"height": 27}).sentence
        '1 target met: stroke.offset = 7'

    Source: Branch, Coleman, Li, A subspace, interior, and conjugate gradient method for large-scale
    bound-constrained minimization problems, SIAM J. Sci. Comput. 21 (1999), as in scipy.
    """
    if not vary:
        raise MissingKey("", "an optimisation", "vary NAME=A:B")
    if not fit:
        raise MissingKey("", "an optimisation", "fit NAME=TARGET")
    ranges = {name: range_of(given, f"vary {name}") for name, given in vary.items()}
    driven = {name: values_of(given, f"over {name}") for name, given in (over or {}).items()}
    for name in driven.keys() & ranges.keys():
        raise Contradiction("", f"vary {name}", f"over {name}")
    for name, ends in ranges.items():
        check_range(assembly, name, ends)
    targets = {name: finite(value, f"fit {name}") for name, value in fit.items()}
    nominal = nominal_assembly(assembly, list(assembly.measures))
    measures = FittedMeasures(nominal, tuple(ranges), targets, driven)
    before = {name: value_of(nominal, name) for name in ranges}
    search = _Search(measures, np.array(list(ranges.values())), nominal.tolerance)
    values = search.best_of(_starts(before, ranges), progress)
    found = measures.at(values)
    if found is None:
        words = f"none of {STARTS} variants within the ranges closes in the present assembly mode"
        raise Unsolved(words, "not_converged")
    for name, value in zip(ranges, values.tolist(), strict=True):
        put(nominal, name, value)
    nominal.move(found.poses)
    return Optimum(
        nominal,
        dict(zip(ranges, values.tolist(), strict=True)),
        before,
        ranges,
        measures.units,
        targets,
        dict(zip(targets, found.numbers.tolist(), strict=True)),
        nominal.tolerance,
        search.begun,
        measures.solves,
        found.at_limits(nominal.tolerance),
    )


def _starts(before: Mapping[str, float | None], ranges: Mapping[str, tuple[float, float]]) -> Array:
    """Values at which searches begin, (starts, names): the present ones, as far as ranges allow."""
    low, high = np.array(list(ranges.values())).T
    present = [np.nan if value is None else value for value in before.values()]
    middle = np.where(np.isnan(present), 0.5 * (low + high), present)
    spread = scrambled_sobol(len(ranges), np.random.default_rng(0)).random(STARTS)
    out: Array = low + (high - low) * np.asarray(spread)
    out[0] = np.clip(middle, low, high)
    return out


class _Search:
    """Searches from several starts.

    Attributes:
        begun: how many starts there were.
    """

    def __init__(self, measures: FittedMeasures, ranges: Array, tolerance: float) -> None:
        self.measures, self.tolerance, self.begun = measures, tolerance, 0
        self.low, self.high = ranges.T

    def best_of(self, starts: Array, progress: Progress | None) -> Array:
        """The values, (names,), of the first start that leads to all targets, or the best ones."""
        best, least = np.asarray(starts[0]), np.inf
        for n, start in enumerate(starts):
            if progress is not None:
                progress(n, len(starts), "searching from start")
            self.begun = n + 1
            values = self._from(start)
            off = self._off(values)
            squares = float(off @ off)
            if squares < least:
                best, least = values, squares
            if np.abs(off).max() <= self.tolerance:
                return values
        return best

    def _off(self, values: Array) -> Array:
        """Differences from the targets, (targets,); infinite where the variant does not close."""
        found = self.measures.at(values)
        return np.full(len(self.measures.targets), np.inf) if found is None else found.off

    def _from(self, start: Array) -> Array:
        """Where the search from a start ends, within the ranges."""
        from scipy.optimize import least_squares  # takes as long as all other imports

        off, width = self._off(start), self.high - self.low
        if not np.isfinite(off).all() or np.abs(off).max() <= self.tolerance:
            return start

        def differences(share: Array) -> Array:
            return self._off(self.low + width * share)

        def rates(share: Array) -> Array:
            found = self.measures.at(self.low + width * share)
            assert found is not None  # asked for only where the differences are finite
            slopes: Array = found.rates * width
            return slopes

        found = least_squares(
            differences,
            (start - self.low) / width,
            jac=rates,
            bounds=(0.0, 1.0),
            ftol=ROOT,
            xtol=FAINT,
            gtol=ROOT,
            max_nfev=SOLVES,
        )
        return self._to_ends(self.low + width * found.x)

    def _to_ends(self, values: Array) -> Array:
        """The values, with those next to an end of their range at it, if that is no worse."""
        near = FAINT * (self.high - self.low)
        ends: Array = np.where(values - self.low < near, self.low, values)
        ends = np.where(self.high - ends < near, self.high, ends)
        before, after = self._off(values), self._off(ends)
        return ends if np.linalg.norm(after) <= np.linalg.norm(before) else values

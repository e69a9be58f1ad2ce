"""Measures of the variants of an assembly that are to have target values, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import AssemblySolverError, BadValue, UnknownName
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.numbers import finite
from ..verbs.solving import solve
from ..verbs.sweeping import sweep
from .sensitivities import sensitivities
from .variants import know_nominal_signs, mode_of, variant_of

OF_ALL = ("least", "largest", "range", "mean")
"""What may be asked of a measure over all states of a motion."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The measures of a variant.

    Attributes:
        assembly: the variant, at its solved poses.
        numbers, off: what is asked for, and its differences from the targets, (targets,).
        rates: derivatives by the values that vary, (targets, names), mm or degrees.
    """

    assembly: Assembly
    numbers: Array
    off: Array
    rates: Array


def target_of(value: Any, place: str) -> float:
    """A target, mm or degrees; raises BadValue."""
    return finite(value, place)


def measure_of(assembly: Assembly, name: str, over: Mapping[str, list[float]]) -> str:
    """The measure of a name that is asked for; raises UnknownName or BadValue."""
    measure, _ = _parted(assembly, name, over)
    return measure


def _parted(
    assembly: Assembly, name: str, over: Mapping[str, list[float]]
) -> tuple[str, str | int]:
    """The measure, and what of it: the number of a state, or one of `OF_ALL`, or "" without any."""
    if not over:
        if name not in assembly.measures:
            raise UnknownName("measure", name, assembly.measures, "fit")
        return name, ""
    measure, dot, of_all = name.rpartition(".")
    if dot and measure in assembly.measures and of_all in OF_ALL:
        return measure, of_all
    measure, _, value = name.rpartition("@")
    driven = next(iter(over.values()))
    wanted = "MEASURE@VALUE, a value of the driver, or MEASURE." + ", .".join(OF_ALL)
    if measure not in assembly.measures:
        known = [f"{known}@{driven[0]:g}" for known in assembly.measures]
        raise UnknownName("measure", name, known, "fit")
    try:
        return measure, driven.index(float(value))
    except ValueError:
        raise BadValue(f"fit {name}", value, wanted) from None


class FittedMeasures:
    """The measures of variants, each solved from the nominal solved poses, and its derivatives.

    Args:
        nominal: as of `nominal_assembly`; names: of the values that vary.
        targets: by name; over: values of a driver through which each variant is driven, or empty.

    Attributes:
        units: of the targets, by name; solves: variants that were solved.
    """

    def __init__(
        self,
        nominal: Assembly,
        names: tuple[str, ...],
        targets: Mapping[str, float],
        over: Mapping[str, list[float]],
    ) -> None:
        self.targets, self.names, self.over, self.solves = targets, names, over, 0
        self._parts = [_parted(nominal, name, over) for name in targets]
        self.units = {
            name: nominal.measures[measure].unit
            for name, (measure, _) in zip(targets, self._parts, strict=True)
        }
        self._measures = list(dict.fromkeys(measure for measure, _ in self._parts))
        self._nominal = nominal
        know_nominal_signs(nominal)
        self._mode = mode_of(solve(nominal))
        self._last: tuple[bytes, Fitted | None] | None = None

    def at(self, values: Array) -> Fitted | None:
        """The measures of the variant with some values, (names,), mm or degrees.

        None where it is refused, does not close in the mode of the nominal assembly, is not driven
        through all values, or stands at a dead point.
        """
        key = values.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._solved(values)
        return self._last[1]

    def _solved(self, values: Array) -> Fitted | None:
        self.solves += 1
        try:
            variant = variant_of(self._nominal, self.names, values.tolist())
        except AssemblySolverError:
            return None
        solution = solve(variant)
        if not solution or mode_of(solution) != self._mode:
            return None
        solution.apply()
        if self.over:
            motion = sweep(variant, self.over)
            if not motion.valid.all():
                return None
            along = sensitivities(motion, self._measures, self.names)
            found, rates = along.nominal, along.values
        else:
            here = sensitivities(solution, self._measures, self.names)
            found, rates = here.nominal[None], here.values[None]
        out = self._asked(variant, found, rates)
        return out if np.isfinite(out.rates).all() else None

    def _asked(self, variant: Assembly, found: Array, rates: Array) -> Fitted:
        """What is asked for, of measures (states, measures) with derivatives by the names.

        The derivative of an extreme over the states is that of the measure in its state.  Of an
        angle in one state the number is that next to the target, whole turns apart.
        """
        count = len(self.targets)
        numbers, slopes = np.empty(count), np.empty((count, len(self.names)))
        asked = zip(self._parts, self.targets.items(), strict=True)
        for n, ((measure, part), (name, target)) in enumerate(asked):
            k = self._measures.index(measure)
            weight = _weights(found[:, k], part)
            numbers[n], slopes[n] = weight @ found[:, k], weight @ rates[:, k]
            if self.units[name] == "deg" and part not in OF_ALL:
                numbers[n] -= 360.0 * round((numbers[n] - target) / 360.0)
        return Fitted(variant, numbers, numbers - np.array(list(self.targets.values())), slopes)


def _weights(own: Array, part: str | int) -> Array:
    """Of the states of a measure, so that their sum is what is asked."""
    out = np.zeros(len(own))
    if part == "mean":
        return out + 1.0 / len(own)
    if isinstance(part, int):
        out[part] = 1.0
        return out
    if part in ("largest", "range", ""):
        out[np.argmax(own)] += 1.0
    if part in ("least", "range"):
        out[np.argmin(own)] += -1.0 if part == "range" else 1.0
    return out

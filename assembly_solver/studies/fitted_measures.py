"""Measures of the variants of an assembly that are to have target values, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import AssemblySolverError, BadValue, UnknownName
from ..foundations.geometry.pose import Pose
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..results.motion import Motion
from ..results.solution import Solution
from ..verbs.solving import solve, solve_nearby
from ..verbs.sweeping import sweep
from .sensitivities import sensitivities
from .variants import know_nominal_signs, mode_of, variant_of

OF_ALL = ("least", "largest", "range", "mean")
"""What may be asked of a measure over all states of a motion."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The measures of a variant.

    Attributes:
        poses: of its parts, in the world.
        numbers, off: what is asked for, and its differences from the targets, (targets,).
    """

    poses: Mapping[str, Pose]
    numbers: Array
    off: Array
    _weights: Array
    _at: Solution | Motion
    _asked: tuple[tuple[str, ...], tuple[str, ...]]

    def at_limits(self, tolerance: float) -> tuple[str, ...]:
        """The limits at a bound of which a variant at rest is, within mm or degrees, in words."""
        limits = self._at.limits if isinstance(self._at, Solution) else []
        bounds = [(x, side, getattr(x.limit, side)) for x in limits for side in ("min", "max")]
        return tuple(
            f"{x.limit.name} is at its {side} of {bound:g} {x.limit.unit}"
            for x, side, bound in bounds
            if bound is not None and abs(x.value - bound) <= tolerance
        )

    @cached_property
    def rates(self) -> Array:
        """Derivatives by the values that vary, (targets, names), mm or degrees; 0 at a dead point.

        That of an extreme over the states is that of the measure in its state.
        """
        measures, names = self._asked
        found = sensitivities(self._at, measures, names).values
        states = found if isinstance(self._at, Motion) else found[None]
        out: Array = np.einsum("tsm,smn->tn", self._weights, np.nan_to_num(states))
        return out


def _parted(
    assembly: Assembly, name: str, over: Mapping[str, list[float]]
) -> tuple[str, str | int]:
    """The measure, and what of it: the number of a state, or one of `OF_ALL`.

    Raises UnknownName: no such measure; BadValue: not so over a motion.
    """
    if not over:
        if name not in assembly.measures:
            raise UnknownName("measure", name, assembly.measures, "fit")
        return name, 0
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
        self._nominal = nominal.copy()
        for tolerance in list(nominal.tolerances):  # whose names may be those of parameters
            self._nominal.remove_tolerance(tolerance)
        know_nominal_signs(self._nominal)
        self._mode = mode_of(solve(self._nominal))
        self._last: tuple[bytes, Fitted | None] | None = None

    def at(self, values: Array) -> Fitted | None:
        """The measures of the variant with some values, (names,), mm or degrees.

        None where it is refused, does not close in the mode of the nominal assembly, or is not
        driven through all values.
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
        solution = solve_nearby(variant)
        if not solution or mode_of(solution) != self._mode:
            return None
        if not self.over:
            return self._asked(variant, solution, solution.poses, solution.frames[None])
        solution.apply()
        motion = sweep(variant, self.over)
        if not motion.valid.all():
            return None
        return self._asked(variant, motion, solution.poses, motion.frames)

    def _asked(
        self, variant: Assembly, at: Solution | Motion, poses: Mapping[str, Pose], frames: Array
    ) -> Fitted:
        """What is asked for in some states, (states, parts, 12).

        Of an angle in one state the number is that next to the target, whole turns apart.
        """
        measures, targets = self._measures, np.array(list(self.targets.values()))
        weights, numbers = np.zeros((len(targets), len(frames), len(measures))), 0.0 * targets
        read = [np.array([variant.measures[m].value(variant, x) for x in frames]) for m in measures]
        for n, (measure, part) in enumerate(self._parts):
            k, is_angle = measures.index(measure), variant.measures[measure].unit == "deg"
            own = np.unwrap(read[k], period=360.0) if is_angle else read[k]
            weights[n, :, k] = _weights(own, part)
            numbers[n] = weights[n, :, k] @ own
            if is_angle and isinstance(part, int):
                numbers[n] -= 360.0 * round((numbers[n] - targets[n]) / 360.0)
        asked = tuple(measures), self.names
        return Fitted(poses, numbers, numbers - targets, weights, at, asked)


def _weights(own: Array, part: str | int) -> Array:
    """Of the states of a measure, so that their sum is what is asked."""
    out = np.zeros(len(own))
    if part == "mean":
        return out + 1.0 / len(own)
    if isinstance(part, int):
        out[part] = 1.0
        return out
    if part in ("largest", "range"):
        out[np.argmax(own)] += 1.0
    if part in ("least", "range"):
        out[np.argmin(own)] += -1.0 if part == "range" else 1.0
    return out

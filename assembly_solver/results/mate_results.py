"""Residual of each mate and driver, and value of each limit, in the user's names, mm, degrees."""

from __future__ import annotations

from math import degrees
from typing import Any, NamedTuple

import numpy as np

from ..equations.system import System
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.limit import Limit
from ..model.mate import ResolvedMate
from ..solver.active_set import coordinates
from ..solver.modes.choice import ReachedPoses
from ..solver.outcome import SENSE_NAMES, MateResult
from .wording.phrases import coordinate, short


def mate_results(assembly: Assembly, reached: ReachedPoses) -> list[MateResult]:
    """Every mate of an assembly, then every driver with a value, at the poses reached."""
    system, off, turns = reached.system, reached.each, reached.residuals.turns
    lengths = reached.residuals.lengths.copy()
    for k, mate in enumerate(assembly.held.values()):
        if lengths[k] > system.convergence_tolerance:
            off_by = _distance(mate, system, reached.frames)
            lengths[k] = lengths[k] if off_by is None else off_by
    return [
        MateResult(
            name,
            system.kinds[k],
            bool(off[k] <= system.tolerance),
            float(lengths[k]),
            degrees(turns[k]),
            SENSE_NAMES[int(system.sense[k])],
        )
        for k, name in enumerate(system.constraints[: system.mates + system.drivers])
    ]


def _distance(mate: ResolvedMate, system: System, frames: Array) -> float | None:
    a, b = (frames[system.parts.index(end.marker.part)] for end in (mate.a, mate.b))
    return mate.mate.distance_apart(mate.a, mate.b, a, b)


class LimitResult(NamedTuple):
    """One limit at the solved poses.

    Attributes:
        limit: as defined; value: of its coordinate, mm or degrees.
        beyond_mm: violation of the bounds, mm, angles times the characteristic length.
        holds: whether that is within the tolerance.
        bound: "min" or "max" if the coordinate is there, blocked or undriven, else None.
        stopped: whether the limit was active in the solve.
    """

    limit: Limit
    value: float
    beyond_mm: float
    holds: bool
    bound: str | None
    stopped: bool

    @property
    def words(self) -> str:
        """The value and the bound that is reached, in words."""
        what, unit = self.limit.words, self.limit.unit
        if self.limit.name != what:
            what = f"{self.limit.name}: {what}"
        if self.holds and self.bound is not None:
            stands = "stopped" if self.stopped else "stands"
            return f"{what} {stands} at its {self.bound} of {self._asked(self.bound):g} {unit}"
        if self.holds:
            return f"{what} is {coordinate(self.value)} {unit}"
        side = "max" if self.limit.max is not None and self.value > self.limit.max else "min"
        return (
            f"{what} is {coordinate(self.value)} {unit}, beyond its {side} of "
            f"{self._asked(side):g} {unit} ({short(self.beyond_mm)} mm off)"
        )

    def _asked(self, bound: str) -> float:
        return self.limit.bound(bound == "max")

    def _what(self) -> dict[str, Any]:
        return {"name": self.limit.name, **self.limit.named()}

    def to_dict(self) -> dict[str, Any]:
        """The entry of `limits` in the result object."""
        limit = self.limit
        bounds = {k: v for k, v in (("min", limit.min), ("max", limit.max)) if v is not None}
        return {
            **self._what(),
            **bounds,
            "value": self.value,
            "unit": limit.unit,
            "holds": self.holds,
            "residual_mm": self.beyond_mm,
            "words": self.words,
        }

    def reached(self) -> dict[str, Any]:
        """The entry of `limits_reached` in the result object."""
        assert self.bound is not None
        return {
            **self._what(),
            "bound": self.bound,
            "value": self._asked(self.bound),
            "unit": self.limit.unit,
            "words": self.words,
        }


def limit_results(
    assembly: Assembly, system: System, parts: Array, out: Array
) -> list[LimitResult]:
    """Every limit of an assembly.

    Args:
        parts: poses, (parts, 12), mm; out: violation of each limit, mm, signed.
    """
    b = system.bounds
    if b is None:
        return []
    value = coordinates(b, parts)
    scale = np.where(b.angular, system.length, 1.0)
    stops = {stop.limit: stop.upper for stop in system.active_limits}
    driven = {d.equation for d in assembly.drivers.values() if d.value is not None}
    results = []
    for k, limit in enumerate(assembly.limits.values()):
        upper = stops.get(limit.name)
        if upper is None and limit.equation not in driven:
            gaps = np.abs(np.array([value[k] - b.low[k], b.high[k] - value[k]])) * scale[k]
            if gaps.min() <= system.tolerance:
                upper = bool(np.argmin(gaps))
        bound = None if upper is None else ("max" if upper else "min")
        shown = degrees(value[k]) if b.angular[k] else float(value[k])
        off = abs(float(out[k]))
        results.append(
            LimitResult(limit, shown, off, off <= system.tolerance, bound, limit.name in stops)
        )
    return results

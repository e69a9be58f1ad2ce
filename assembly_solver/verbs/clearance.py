"""How far two parts are apart over a motion, and where they come nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BadValue
from ..foundations.numerics.rounding import ROOT
from ..foundations.types import Array
from ..kinematics.contact.geometry import PartClearance
from ..results.motion import Motion
from ..results.wording.phrases import listed, short
from .run_paths import RunPath, run_paths
from .sweep_events import main_driver

GOLDEN = 0.5 * (5.0**0.5 - 1.0)
"""The larger part of a length in the golden section."""


@dataclass(frozen=True, eq=False)
class ClearanceCurve:
    """The distance of two parts over a motion.

    Attributes:
        parts: their names; values: their distance in each state, (states,), mm, 0 where they touch
            or overlap, NaN where the state is not valid.
        least_mm: the smallest distance, between the states as well, next to the smallest of them.
        at: the values of the moving drivers there, mm or degrees; t: the time, s.
        where: the place in words.
    """

    parts: tuple[str, str]
    values: Array
    least_mm: float
    at: dict[str, float]
    t: float
    where: str

    @property
    def words(self) -> str:
        """The smallest distance in a sentence."""
        return (
            f"{listed(list(self.parts))} come as near as {short(self.least_mm)} mm at {self.where}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        values = [None if np.isnan(x) else float(x) for x in self.values]
        return {
            "parts": list(self.parts), "least_mm": self.least_mm, "at": self.at, "t": self.t,
            "sentence": self.words, "values": values,
        }  # fmt: skip


def clearance(motion: Motion, a: str, b: str) -> ClearanceCurve:
    """The distance of two parts with geometry over a motion.

    Args:
        motion: of `sweep`; a, b: names of parts.

    Raises:
        UnknownName, NoShape: no such part, or one without geometry.
        BadValue: the motion has no valid state.
        FormatError, MissingExtra: as of `sweep(contact=)`.
    """
    for name in (a, b):
        motion.assembly.part(name)
    between = PartClearance(motion.assembly, (a, b), "clearance")
    values = between.along(motion.frames)
    followed = motion.followed
    paths = [] if followed is None else list(run_paths(motion, followed))
    if not paths:
        raise BadValue("clearance", motion.sentence, "a motion with valid states")
    found = [(n, *_least(path, between)) for n, path in enumerate(paths)]
    n, least, t = min(found, key=lambda x: x[1])
    run = paths[n].found.schedule.runs[paths[n].n]
    lead, value, where = main_driver(motion, run, t)
    where = f"{lead} {value:.6g} {motion.assembly.drivers[lead].unit}" if lead else where
    time = np.array([t])
    at = {name: float(law(time)[0][0]) for name, law in run.laws.items()}
    return ClearanceCurve((a, b), values, least, at, t, where)


def _least(path: RunPath, between: PartClearance) -> tuple[float, float]:
    """The smallest distance along a run, mm, and its time, s."""
    values = between.along(path.frames)
    k = int(np.argmin(values))
    best = float(values[k]), float(path.t[k])
    for n in (k - 1, k):
        if best[0] > 0.0 and 0 <= n < len(path.t) - 1:
            ends = float(path.t[n]), float(path.t[n + 1])

            def distance(t: float, n: int = n) -> float:
                return float(between.along(path.at(n, t)[None])[0])

            best = min(best, _smallest(distance, *ends))
    return best


def _smallest(of: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The smallest value of a function between two places and where, by the golden section.

    Source: J. Kiefer, Sequential minimax search for a maximum, Proc. AMS 4 (1953) 502.
    """
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    values = [of(t) for t in inner]
    end = ROOT * (high - low)
    while high - low > end:
        if values[0] <= values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - GOLDEN * (high - low)
            values[0] = of(inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + GOLDEN * (high - low)
            values[1] = of(inner[1])
    return min(zip(values, inner, strict=True))

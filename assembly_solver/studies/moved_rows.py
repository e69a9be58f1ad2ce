"""Measures of a variant over a motion: each variant is driven through the same values of a driver.

A variant is solved as where nothing moves, and swept from there: on one branch, and never on from
another variant.  Of a row whose motion does not reach every value only the numbers of the motion
are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import BadValue, UnknownName
from ..foundations.geometry.pose import poses_of
from ..foundations.types import Array
from ..kinematics.loops.transmission_angle import transmissions
from ..kinematics.singularities import DEAD_POINT
from ..model.assembly import Assembly
from ..model.tolerances.named_measure import NamedMeasure
from ..results.motion import Motion
from ..results.solution import Solution
from ..verbs.kept_plans import plan_of
from ..verbs.sweeping import sweep
from .designs import values_of

STATISTICS = ("least", "largest", "mean", "range", "least_at", "largest_at")
"""What is told of a measure over a motion: its extremes, its mean over the states, their distance,
and the values of the driver at which the extremes are."""

CURVE = "curve"
"""The measure in every state, a column each."""

MOTION = "motion"
DEAD, REACHED = f"{MOTION}.dead_points", f"{MOTION}.reached"
ANGLES = tuple(f"{MOTION}.transmission_{end}" for end in ("least", "largest"))
"""What is told of a motion itself: dead points met, the last value reached, and extremes of all
transmission angles."""

OF_MOTIONS = (DEAD, REACHED, *ANGLES)


@dataclass(frozen=True)
class Travel:
    """What every variant goes through: values of a driver, mm or degrees, and what is told of it.

    Attributes:
        driver: its name; values: in the order of the motion, at least 2.
        columns: what is told, each "MEASURE.STATISTIC", "MEASURE@VALUE" or one of `OF_MOTIONS`.
    """

    driver: str
    values: tuple[float, ...]
    columns: tuple[str, ...] = ()

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of a state by its value in words."""
        return {f"{value:.10g}": n for n, value in enumerate(self.values)}


def make_travel(
    assembly: Assembly, over: Mapping[str, Any], asked: Sequence[str], more: Sequence[str]
) -> Travel:
    """The motion of the variants of an assembly, and the columns of what is asked of it.

    Args:
        over: one driver with its values, as those of a grid.
        asked: names of measures, all statistics of each but the curve, or what `Travel.columns`
            has, or "MEASURE.curve"; nothing for all measures, and then `more`.

    Raises:
        BadValue: not one driver of a joint or separation, or less than two values;
        UnknownName: no such driver, measure or statistic.
    """
    if not isinstance(over, Mapping) or len(over) != 1:
        raise BadValue("over", over, "one driver with its values, as crank=0:360:73")
    ((driver, given),) = over.items()
    if driver not in assembly.drivers:
        raise UnknownName("driver", driver, assembly.drivers, "over")
    if assembly.drivers[driver].unit == "s":
        raise BadValue(f"over {driver}", driver, "a driver of a joint or a separation")
    values = tuple(values_of(given, f"over {driver}"))
    if len(values) < 2:
        raise BadValue(f"over {driver}", given, "two values or more, as A:B:N")
    names = asked or [*assembly.measures, *more]
    columns = [c for name in names for c in _columns(assembly, name, values)]
    return Travel(driver, values, tuple(dict.fromkeys(columns)))


def _columns(assembly: Assembly, name: str, values: Sequence[float]) -> list[str]:
    """The columns of one thing that is asked; raises UnknownName, BadValue."""
    if name in OF_MOTIONS:
        return [name]
    if name in assembly.measures:
        return [f"{name}.{which}" for which in STATISTICS[:4]]
    measure, _, which = name.rpartition(".")
    if measure in assembly.measures:
        if which == CURVE:
            return [f"{measure}@{value:.10g}" for value in values]
        if which not in STATISTICS:
            raise UnknownName("statistic", which, (*STATISTICS, CURVE), f"measure {name}")
        return [name]
    measure, _, which = name.rpartition("@")
    if measure not in assembly.measures:
        raise UnknownName("measure", name, (*assembly.measures, *OF_MOTIONS))
    known = [f"{value:.10g}" for value in values]
    if which not in known:
        raise BadValue(f"measure {name}", which, f"a value of the motion, as {known[0]}")
    return [name]


def base_of(column: str) -> str:
    """The measure that a column is of; empty of one that is of the motion itself."""
    if column in OF_MOTIONS:
        return ""
    measure, _, which = column.rpartition(".")
    return measure if which in STATISTICS else column.rpartition("@")[0]


class Moved:
    """The motion of one variant.

    Args:
        variant: not changed; solution: of it.
    """

    def __init__(self, variant: Assembly, solution: Solution, travel: Travel) -> None:
        self.travel, self.start = travel, variant.copy()
        self.start.move(solution.poses)
        self.motion: Motion = sweep(self.start, {travel.driver: np.array(travel.values)})

    @property
    def reason(self) -> str:
        """Why it does not reach every value, without numbers, so that rows compare; or empty."""
        motion, stopped = self.motion, self.motion.stopped
        if motion.valid.all():
            return ""
        if stopped is not None:
            return f"motion: {stopped.kind}" + f" at {stopped.joint}" * bool(stopped.joint)
        return f"motion: {motion.failed or motion.halted or next(filter(None, motion.reasons))}"

    def numbers(self) -> list[float]:
        """What the columns tell, mm or degrees; NaN of what is not known."""
        curves = {n: self._curve(self.start.measures[n]) for n in self._bases()}
        own = self._of_motion()
        return [
            own[c] if c in own else float(told(c, curves[base_of(c)], self.travel))
            for c in self.travel.columns
        ]

    def _bases(self) -> Iterator[str]:
        yield from dict.fromkeys(filter(None, map(base_of, self.travel.columns)))

    def _curve(self, measure: NamedMeasure) -> Array:
        """A measure in all states; NaN in each where one is not valid."""
        if not self.motion.valid.all():
            return np.full(len(self.travel.values), np.nan)
        if measure.point is None:
            return self.motion.quantity(measure).value
        out: Array = self.motion.point(measure.point).position @ np.array(measure.along)
        return out

    def _of_motion(self) -> dict[str, float]:
        """What is told of the motion itself, also where it stops."""
        met = Counter(event.kind for event in self.motion.events)
        valid = np.flatnonzero(self.motion.valid)
        last = self.travel.values[valid[-1]] if len(valid) else np.nan
        if self.motion.stopped is not None:
            last = self.motion.stopped.value
        out = {DEAD: float(met[DEAD_POINT]), REACHED: float(last)}
        if set(ANGLES) & set(self.travel.columns):
            out |= zip(ANGLES, self._angles(), strict=True)
        return out

    def _angles(self) -> tuple[float, float]:
        """The least and the largest transmission angle over the states that are reached."""
        valid = np.flatnonzero(self.motion.valid)
        if not len(valid):
            return np.nan, np.nan
        here, frames = self.start.copy(), self.motion.frames[valid]
        here.set_driver(self.travel.driver, self.travel.values[valid[0]])
        here.move(dict(zip(self.motion.parts, poses_of(frames[0]), strict=True)))
        plan = plan_of(here)
        joints, _ = transmissions(plan, plan.bodies.start)
        angles = np.array([joint.angles(frames) for joint in joints])
        return (float(angles.min()), float(angles.max())) if len(angles) else (np.nan, np.nan)


def told(column: str, curves: Array, travel: Travel) -> Array:
    """What a column tells of curves, (..., states); NaN of a statistic where a state is NaN."""
    measure, _, which = column.rpartition(".")
    if which not in STATISTICS or not measure:
        out: Array = curves[..., travel.places[column.rpartition("@")[2]]]
        return out
    if which == "mean":
        return np.asarray(curves.mean(axis=-1))
    if which == "range":
        return np.asarray(curves.max(axis=-1) - curves.min(axis=-1))
    if which in ("least", "largest"):
        return np.asarray(curves.min(axis=-1) if which == "least" else curves.max(axis=-1))
    at = (np.argmin if which == "least_at" else np.argmax)(curves, axis=-1)
    return np.where(np.isfinite(curves).all(axis=-1), np.array(travel.values)[at], np.nan)

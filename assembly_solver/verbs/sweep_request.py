"""The schedule of a sweep from its arguments: values of drivers, or laws over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadValue, Contradiction, MissingKey, UnknownName
from ..foundations.types import Array
from ..kinematics.schedule import Schedule, first_jump, grid as combined, timed, together
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.laws.law import Law
from ..model.mate import Mate
from ..model.numbers import finite

Values = Sequence[float] | NDArray[Any]

STEPS = 100
"""Default number of steps."""

SPEED = 1.0
"""Default speed of a driver that is swept by value, mm or degrees a second."""

MOST_STEPS = 1_000_000
"""Most steps of a sweep, also of all its drivers in a grid: more would take all memory."""


def over_time(
    given: Assembly, time: tuple[float, float] | None, steps: int | None, speed: float, grid: bool
) -> Schedule:
    """The schedule of all drivers with laws over a span of time, s."""
    for option, chosen in (("speed", speed != SPEED), ("grid", grid)):
        if chosen:  # laws have their own speed, and go together
            raise Contradiction("sweep", "time", option)
    laws = {n: d.law for n, d in given.drivers.items() if d.law is not None}
    guides = {n: d for n, d in given.drivers.items() if isinstance(d, Guide)}
    if not laws and not guides:
        raise MissingKey("sweep", "a sweep without a driver that has a law", "driver")
    if time is None:
        raise MissingKey("sweep", "a sweep of laws", "time")
    first, last = (finite(v, "sweep.time") for v in time)
    if not first < last:
        raise BadValue("sweep.time", time, "two times, the earlier one first")
    t, span = np.linspace(first, last, _steps(steps) + 1), (first, last)
    span_laws = {n: law.over(span) for n, law in laws.items()}
    spatial = [x for g in guides.values() for x in (*g.over(span).position, *g.over(span).angles)]
    turning = [n for n in laws if given.drivers[n].unit == "deg"]
    by_name = {n: law.at for n, law in span_laws.items()}
    schedule = timed(by_name, t, turning, [x.at for x in spatial])
    for law in (*span_laws.values(), *spatial):
        _without_jumps(law, np.sort(schedule.t))
    return replace(schedule, values={**schedule.values, **dict.fromkeys(guides, schedule.t)})


def _without_jumps(law: Law, t: Array) -> None:
    """Raise `BadValue` where a law jumps."""
    found = first_jump(law.at, t)
    if found is not None:
        when, before, after = found
        wanted = (
            f"a law without jumps: at t = {when:.6g} s it goes from {before:.6g} to {after:.6g} "
            "at once; step(t, begin, from, end, to) takes its time"
        )
        raise BadValue(law.place, law.words, wanted)


def _steps(steps: int | None) -> int:
    if steps is None:
        return STEPS
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
        raise BadValue("sweep.steps", steps, "a whole number of at least 1")
    if steps > MOST_STEPS:
        raise BadValue("sweep.steps", steps, f"at most {MOST_STEPS}")
    return int(steps)


def over_values(
    given: Assembly,
    driver: str | Mate | Mapping[str, Values] | None,
    joint_values: Mapping[str, Values],
    steps: int | None,
    speed: float,
    grid: bool,
) -> Schedule:
    """The schedule of drivers through their values, together or in all combinations.

    Args:
        joint_values: the given ones of `angle`, `length` and `separation`, mm or degrees; the rest
            as for `sweep`.
    """
    values = _requested(given, driver, joint_values, steps)
    if not finite(speed, "sweep.speed") > 0.0:
        raise BadValue("sweep.speed", speed, "a number above 0")
    turning = [name for name in values if given.drivers[name].unit == "deg"]
    if grid:
        states = prod(map(len, values.values()))
        if states > MOST_STEPS + 1:
            raise BadValue("sweep.grid", states, f"at most {MOST_STEPS + 1} states")
        return combined(values, float(speed), turning)
    (first, values_of_first), *others = values.items()
    for name, more in others:
        if len(more) != len(values_of_first):
            wanted = f"as many values as {first!r} has, which is {len(values_of_first)}, or a grid"
            raise BadValue(f"sweep.{name}", f"{len(more)} values", wanted)
    return together(values, float(speed), turning)


def _requested(
    given: Assembly,
    driver: str | Mate | Mapping[str, Values] | None,
    joint_values: Mapping[str, Values],
    steps: int | None,
) -> dict[str, Array]:
    if driver is None:
        raise MissingKey("sweep", "a sweep", "driver")
    coordinate, values = next(iter(joint_values.items()), (None, None))
    if isinstance(driver, Mapping):
        if coordinate:
            raise Contradiction("sweep", coordinate, "driver")
        requested: dict[str, Values | None] = dict(driver)
    else:
        if len(joint_values) > 1:
            raise Contradiction("sweep", *list(joint_values)[:2])
        requested = {_named(given, driver, coordinate): values}
    if not requested:
        raise MissingKey("sweep", "a sweep", "driver")
    told = {name: _values(given, name, v) for name, v in requested.items()}
    if steps is not None and all(len(v) != 2 for v in told.values()):
        raise BadValue("sweep.steps", steps, "left out where each state has a value of its own")
    return {
        name: np.linspace(v[0], v[1], _steps(steps) + 1) if len(v) == 2 else v
        for name, v in told.items()
    }


def _named(given: Assembly, driver: str | Mate, coordinate: str | None) -> str:
    """The name of a driver; a missing driver of a mate's coordinate is added."""
    if isinstance(driver, str) and driver in given.drivers:
        kind = given.drivers[driver].kind
        if coordinate not in (None, kind):
            raise UnknownName("coordinate", str(coordinate), (kind,), "sweep", repr(driver))
        return driver
    mate = driver.name if isinstance(driver, Mate) else driver
    if mate not in given.mates:
        joints = [name for name, made in given.mates.items() if made.takes and made.coordinates]
        raise UnknownName("driver", str(mate), (*given.drivers, *joints), "sweep")
    for name, d in given.drivers.items():
        if d.joint == mate and coordinate in (None, d.coordinate):
            return name
    name = f"{mate} {coordinate}" if coordinate else mate
    given.drive(name, mate, coordinate, place="sweep")
    return name


def _values(given: Assembly, name: str, values: Values | None) -> Array:
    """The values of a driver: as given, or the ends of its range."""
    if name not in given.drivers:
        raise UnknownName("driver", name, given.drivers, "sweep")
    d, place = given.drivers[name], f"sweep.{name}"
    if values is None:
        values = d.range
    if values is None:
        raise MissingKey(place, f"driver {name!r} without a range", "values")
    try:
        out = np.array(values, float).ravel()
    except (TypeError, ValueError, OverflowError):
        raise BadValue(place, values, "numbers") from None
    if len(out) == 0:
        raise BadValue(place, values, "one number or more")
    for v in out.tolist():
        d.checked(v, place)
    return out

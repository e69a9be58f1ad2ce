"""What a sweep is asked to lead an assembly through: values of drivers, or laws over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadValue, Contradiction, MissingKey, UnknownName
from ..foundations.types import Array
from ..kinematics.schedule import Schedule, jump, paired, timed
from ..kinematics.schedule import grid as combined
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.laws.law import Law
from ..model.mate import Mate
from ..model.numbers import finite

Values = Sequence[float] | NDArray[Any]

STEPS = 100
"""Steps of a sweep that does not say how many."""


def over_time(given: Assembly, time: tuple[float, float] | None, steps: int | None) -> Schedule:
    """Every driver that has a law, over a span of time."""
    laws = {n: d.law for n, d in given.drivers.items() if d.law is not None}
    guides = {n: d for n, d in given.drivers.items() if isinstance(d, Guide)}
    if not laws and not guides:
        raise MissingKey("sweep", "a sweep without a driver that has a law", "driver")
    if time is None:
        raise MissingKey("sweep", "a sweep of laws", "time")
    first, last = (finite(v, "sweep.time") for v in time)
    if not first < last:
        raise BadValue("sweep.time", time, "two times, the earlier one first")
    t = np.linspace(first, last, _steps(steps) + 1)
    span = (first, last)
    led = {n: law.over(span) for n, law in laws.items()}
    spatial = [x for g in guides.values() for x in (*g.over(span).position, *g.over(span).angles)]
    turning = [n for n in laws if given.drivers[n].unit == "deg"]
    own = timed({n: law.at for n, law in led.items()}, t, turning, [x.at for x in spatial])
    for law in (*led.values(), *spatial):
        _without_jumps(law, np.sort(own.t))
    return replace(own, values={**own.values, **dict.fromkeys(guides, own.t)})


def _without_jumps(law: Law, t: Array) -> None:
    """Raise where a law goes from one value to another in no time: nothing can follow it."""
    found = jump(law.at, t)
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
    return int(steps)


def over_values(
    given: Assembly,
    driver: str | Mate | Mapping[str, Values] | None,
    told: Mapping[str, Values],
    steps: int | None,
    speed: float,
    grid: bool,
) -> Schedule:
    """Drivers through their values, together or in all combinations.

    Args:
        driver, steps, speed (mm or degrees a second), grid: as of `sweep`.
        told: those of its `angle`, `length` and `separation` that are given.
    """
    values = _asked(given, driver, told, steps)
    if not finite(speed, "sweep.speed") > 0.0:
        raise BadValue("sweep.speed", speed, "a number above 0")
    turning = [name for name in values if given.drivers[name].unit == "deg"]
    if grid:
        return combined(values, float(speed), turning)
    (first, own), *others = values.items()
    for name, more in others:
        if len(more) != len(own):
            wanted = f"as many values as {first!r} has, which is {len(own)}, or a grid"
            raise BadValue(f"sweep.{name}", f"{len(more)} values", wanted)
    return paired(values, float(speed), turning)


def _asked(
    given: Assembly,
    driver: str | Mate | Mapping[str, Values] | None,
    told: Mapping[str, Values],
    steps: int | None,
) -> dict[str, Array]:
    """Values by the names of drivers; a driver of a mate's coordinate is added where it is none."""
    if driver is None:
        raise MissingKey("sweep", "a sweep", "driver")
    if isinstance(driver, Mapping):
        if told:
            raise Contradiction("sweep", next(iter(told)), "driver")
        asked: dict[str, Values | None] = dict(driver)
    else:
        if len(told) > 1:
            raise Contradiction("sweep", *list(told)[:2])
        name = _named(given, driver, next(iter(told), None))
        asked = {name: next(iter(told.values()), None)}
    if not asked:
        raise MissingKey("sweep", "a sweep", "driver")
    return {name: _values(given, name, v, steps) for name, v in asked.items()}


def _named(given: Assembly, driver: str | Mate, coordinate: str | None) -> str:
    """The name of a driver; one of a mate's coordinate is added where there is none."""
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


def _values(given: Assembly, name: str, values: Values | None, steps: int | None) -> Array:
    """The values of a driver: as given, from one to another, or over its range."""
    if name not in given.drivers:
        raise UnknownName("driver", name, given.drivers, "sweep")
    d, place = given.drivers[name], f"sweep.{name}"
    if values is None:
        values = d.range
    if values is None:
        raise MissingKey(place, f"driver {name!r} without a range", "values")
    try:
        out = np.array(values, float).ravel()
    except (TypeError, ValueError):
        raise BadValue(place, values, "numbers") from None
    if len(out) == 0:
        raise BadValue(place, values, "one number or more")
    for v in out.tolist():
        d.checked(v, place)
    return np.linspace(out[0], out[1], _steps(steps) + 1) if len(out) == 2 else out

"""What one driver meets on its way: its curves, the paths of points, and the words for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from ..diagnosis.drivers import judge
from ..diagnosis.freedoms import Diagnosis
from ..foundations.types import Array, Bools
from ..foundations.watch import Watch
from ..kinematics.loops.transmission_angle import Meeting, meetings
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.checks import AlongTheWay, PointStays
from ..model.mate import Reference
from ..results.wording.plain import listed
from ..verbs.solving import plan_of
from .circuits import Led, led_by
from .curves import Loaded, Wanted, acts, of_forces, of_loads, of_meetings, path_curves, wanted_by
from .driver_sweeps import Way, refined, slack, way_of
from .findings import Curve, DriverStudy, PointPath
from .reach import FULL_TURN, Reach, dead_points, reach_of


class Ground(NamedTuple):
    """What every driver starts from.

    Attributes:
        given: the assembly at its solved poses, with those drivers held that stay while another
            one goes.
        values: of each driver there, mm or degrees; diagnosis: of the mates there.
    """

    given: Assembly
    values: Mapping[str, float]
    diagnosis: Diagnosis

    def driving(self, driver: str) -> Assembly:
        """The same with a driver held where it stands, and let go what it drives as well."""
        out = self.given.copy()
        out.set_driver(driver, self.values[driver])
        held = [n for n, d in out.drivers.items() if d.value is not None]
        for repeated in judge(self.diagnosis, out, held).repeated:
            same = {repeated.driver, *repeated.by}
            for other in same - {driver} if driver in same else ():
                out.set_driver(other, None)
        return out


@dataclass(frozen=True, eq=False)
class Study:
    """One driver, worked out.

    Attributes:
        way: through everything that is asked of it; window: its range, or all of that way.
        reach: how far it could go; told: the answer; values: of its curves, by kind and name.
    """

    way: Way
    window: tuple[float, float]
    reach: Reach
    told: DriverStudy
    values: dict[tuple[str, str], Array] = field(default_factory=dict)

    def part(self, check: AlongTheWay) -> tuple[float, float]:
        """The part of the way that a check looks at, mm or degrees."""
        return check.over or self.window

    def seen(self, check: AlongTheWay) -> Bools:
        """Which states of the way lie in that part, (n,)."""
        low, high = self.part(check)
        near = slack(low, high)
        out: Bools = (self.way.at >= low - near) & (self.way.at <= high + near)
        return out

    def partly(self, check: AlongTheWay) -> str:
        """How much of that part was seen, in words; "" where the driver goes through all of it."""
        (low, high), (begin, end) = self.part(check), self.way.covered
        near = slack(low, high)
        if begin <= low + near and end >= high - near:
            return ""
        return f"seen only from {max(begin, low):.6g} to {min(end, high):.6g} {self.way.unit}"


def concerns(check: Check, driver: str) -> bool:
    """Whether a check looks at the way of this driver."""
    named = getattr(check, "driver", None)
    return named is None or named == driver


def study_of(ground: Ground, driver: str, checks: Iterable[Check], watch: Watch) -> Study:
    """Follow a driver through its range, and as far as it could go."""
    given, own = ground.driving(driver), [c for c in checks if concerns(c, driver)]
    plan = plan_of(given)
    met, notes = meetings(plan, plan.bodies.start)
    reach = reach_of(given, driver, met, watch)
    window = _window(given, driver, reach)
    asked = _asked(window, own)
    parts = [check.over for check in own if isinstance(check, AlongTheWay) and check.over]
    ends = [end for part in parts for end in part]
    way = way_of(given, driver, asked, watch, more=ends)
    loaded = Loaded()
    wanted = {w.key: w for w in _wanted(given, met, driver, own, loaded)}
    if len(way.at) > 1:
        way = refined(way, given, _smooth(wanted.values(), own, parts), watch, ends)
    wanted |= {w.key: w for w in of_forces(given, loaded, way)}
    values = {key: w.read(way) for key, w in wanted.items()}
    curves = tuple(
        Curve(w.kind, w.name, w.unit, driver, way.at, np.where(np.isfinite(y), y, np.nan))
        for w, y in zip(wanted.values(), values.values(), strict=True)
    )
    paths = tuple(PointPath(str(p), (driver,), way.point(p)[0]) for p in points(given, own))
    notes += [*_held(way), *(loaded.words(way) if acts(given) else ())]
    led = led_by(given, driver, points(given, own))
    notes += [led.words] if led.words else []
    told = _told(given, way, reach, window, curves, paths, notes, led)
    return Study(way, window, reach, told, values)


def _wanted(
    given: Assembly, met: list[Meeting], driver: str, checks: list[Check], loaded: Loaded
) -> Iterable[Wanted]:
    """The curves of a driver; what checks ask for stands where it would stand unasked."""
    yield from of_meetings(met)
    yield from of_loads(given, driver)
    for check in checks:
        found = wanted_by(check, given, driver, loaded)
        if found is not None:
            yield found


def _smooth(
    wanted: Iterable[Wanted], checks: Iterable[Check], parts: Iterable[tuple[float, float]]
) -> Callable[[Way], list[Array]]:
    """The curves whose extremes are sought, on the whole way and on each part that is looked at."""
    chosen = [w for w in wanted if w.smooth]
    paths = [c for c in checks if isinstance(c, PointStays)]
    spans = sorted({(-inf, inf), *parts})

    def read(way: Way) -> list[Array]:
        curves = [w.read(way) for w in chosen] + [y for c in paths for y in path_curves(c, way)]
        inside = [(low <= way.at) & (way.at <= high) for low, high in spans]
        return [np.where(part, y, np.nan) for y in curves for part in inside]

    return read


def _window(given: Assembly, driver: str, reach: Reach) -> tuple[float, float]:
    """The range of a driver; where it has none, a full turn or as far as it can go."""
    d = given.drivers[driver]
    assert d.value is not None
    if d.range is not None:
        return d.range
    if d.unit == "deg" and not (isfinite(reach.low) or isfinite(reach.high)):
        return d.value, d.value + FULL_TURN
    low = reach.low if isfinite(reach.low) else d.value
    return low, reach.high if isfinite(reach.high) else d.value


def _asked(window: tuple[float, float], checks: list[Check]) -> tuple[float, float]:
    """The window, and all parts of the way that checks name."""
    low, high = window
    for check in checks:
        if getattr(check, "driver", None) is None:
            continue
        part = getattr(check, "over", None) or (
            getattr(check, "covers", None) if check.kind == "range" else None
        )
        if part is not None:
            low, high = min(low, part[0]), max(high, part[1])
    return low, high


def points(given: Assembly, checks: Iterable[Check]) -> list[Reference]:
    """The points that checks and loads name, each once."""
    named = [getattr(c, "point", None) for c in checks]
    found = [*(p for p in named if p is not None), *(load.at for load in given.loads.values())]
    return list(dict.fromkeys(found))


def _held(way: Way) -> list[str]:
    held = way.up.held or way.down.held
    return [f"not driven, so held: {listed(list(held))}"] if held else []


def _told(
    given: Assembly,
    way: Way,
    reach: Reach,
    window: tuple[float, float],
    curves: tuple[Curve, ...],
    paths: tuple[PointPath, ...],
    notes: list[str],
    led: Led,
) -> DriverStudy:
    worst = int(np.argmax(way.residual)) if len(way.at) else 0
    low, high = way.covered
    covered = (max(low, window[0]), min(high, window[1]))
    d = given.drivers[way.driver]
    limits = tuple(e.words for e in way.events if e.kind == "limit")
    passed = tuple(e.value for e in way.events if e.kind == "change point")
    return DriverStudy(
        driver=way.driver,
        unit=way.unit,
        start=way.start,
        range=d.range,
        covered=covered,
        reach=(reach.low, reach.high),
        ends=reach.ends,
        dead_points=dead_points(reach, d.range),
        limits=limits,
        residual=float(way.residual[worst]) if len(way.at) else float("nan"),
        residual_at=float(way.at[worst]) if len(way.at) else way.start,
        branch_changes=passed,
        curves=curves,
        paths=paths,
        notes=tuple(notes),
        sentence=_sentence(way, window, covered, reach, curves),
        circuits=led.circuits,
        coupler_curves=led.coupler_curves,
    )


def _sentence(
    way: Way,
    window: tuple[float, float],
    covered: tuple[float, float],
    reach: Reach,
    curves: tuple[Curve, ...],
) -> str:
    """What a driver can do, in a sentence."""
    unit = way.unit
    asked = f"{window[0]:.6g} to {window[1]:.6g} {unit}"
    words = [f"{way.driver} goes through {asked}"]
    if covered != window:
        gets = f"{covered[0]:.10g} to {covered[1]:.10g} {unit}"
        words = [f"{way.driver} gets through {gets} of {asked}"]
    ends = [e for e in reach.ends if e.kind]
    if not ends:
        words.append("nothing ends its way")
    words += [e.words for e in ends]
    angles = [c for c in curves if c.kind == "transmission angle"]
    if angles:
        least = min(angles, key=lambda c: c.least[0])
        value, at = least.least
        words.append(
            f"smallest transmission angle {value:.4g} deg at {least.name} "
            f"({way.driver} = {at:.6g} {unit})"
        )
    return "; ".join(words)

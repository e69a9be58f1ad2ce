"""The study of one driver: its sweep, curves, point paths, contacts, and their description."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from ..diagnosis.drivers import diagnose_drivers
from ..diagnosis.freedoms import Diagnosis
from ..errors import BadValue
from ..foundations.types import Array, Bools
from ..foundations.watch import Watch
from ..kinematics.loops.transmission_angle import Transmission, transmissions
from ..kinematics.schedule import MOST_TURNS
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.checks import AlongTheWay, Clearance, NoContact, PointStays
from ..model.contact import ContactPairs
from ..model.mate import Reference
from ..results.motion import Motion
from ..results.wording.phrases import listed
from ..verbs.kept_plans import lend_plan, plan_of
from .circuits import circuits_of
from .curves import (
    CurveRequest,
    SweepForces,
    acts,
    curve_of_check,
    of_forces,
    of_loads,
    of_transmissions,
    path_curves,
)
from .driver_sweeps import DriverSweep, refined, sweep_driver, value_tolerance, watched
from .extreme_poses import extreme_poses
from .findings import DriverCurve, DriverStudy, PointPath
from .reach import FULL_TURN, Reach, dead_points, reach_of

CONTACT_STEPS = 60
"""Steps of a motion that is watched for contact or clearance, between two values of the driver."""


class Ground(NamedTuple):
    """The common start of all sweeps.

    Attributes:
        given: the assembly at its solved poses, with the drivers locked that keep their values
            while another one moves.
        values: of each driver there, mm or degrees; diagnosis: of the mates there.
    """

    given: Assembly
    values: Mapping[str, float]
    diagnosis: Diagnosis

    def driving(self, driver: str) -> Assembly:
        """A copy with a driver locked at its value, and drivers redundant with it released."""
        out = self.given.copy()
        plan_of(self.given)
        lend_plan(self.given, out)  # most often nothing changes
        out.set_driver(driver, self.values[driver])
        held = [n for n, d in out.drivers.items() if d.value is not None]
        for repeated in diagnose_drivers(self.diagnosis, out, held).repeated:
            same = {repeated.driver, *repeated.by}
            for other in same - {driver} if driver in same else ():
                out.set_driver(other, None)
        return out


@dataclass(frozen=True, eq=False)
class Study:
    """The results of one driver.

    Attributes:
        sweep: through all requested values; window: the range, else a turn or the reach.
        reach, record: of the driver; values: of its curves, (n,), by kind and name.
        watched: motions that were watched for contact, by check.
    """

    sweep: DriverSweep
    window: tuple[float, float]
    reach: Reach
    record: DriverStudy
    values: dict[tuple[str, str], Array] = field(default_factory=dict)
    watched: Mapping[str, tuple[Motion, ...]] = field(default_factory=dict)

    def part(self, check: AlongTheWay) -> tuple[float, float]:
        """The range that a check covers, mm or degrees."""
        return check.over or self.window

    def states_in(self, check: AlongTheWay) -> Bools:
        """Which states lie in that range, (n,)."""
        low, high = self.part(check)
        near = value_tolerance(low, high)
        out: Bools = (self.sweep.at >= low - near) & (self.sweep.at <= high + near)
        return out

    def coverage_note(self, check: AlongTheWay) -> str:
        """A note on how much of that range was reached; "" if all of it."""
        (low, high), (begin, end) = self.part(check), self.sweep.covered
        near = value_tolerance(low, high)
        if begin <= low + near and end >= high - near:
            return ""
        return f"seen only from {max(begin, low):.6g} to {min(end, high):.6g} {self.sweep.unit}"


def concerns(check: Check, driver: str) -> bool:
    """Whether a check is about this driver."""
    named = getattr(check, "driver", None)
    return named is None or named == driver


def study_of(ground: Ground, driver: str, checks: Iterable[Check], watch: Watch) -> Study:
    """Sweep a driver through its range and its reach, and compute all curves."""
    given, own = ground.driving(driver), [c for c in checks if concerns(c, driver)]
    plan = plan_of(given)
    joints, notes = transmissions(plan, plan.bodies.start)
    reach = reach_of(given, driver, joints, watch)
    window = _window(given, driver, reach)
    parts = [check.over for check in own if isinstance(check, AlongTheWay) and check.over]
    ends = [end for part in parts for end in part]
    sweep = sweep_driver(
        given, driver, _requested(window, own, given.drivers[driver].unit), watch, more=ends
    )
    sweep_forces = SweepForces()
    requests = {w.key: w for w in _curve_requests(given, joints, driver, own, sweep_forces)}
    if len(sweep.at) > 1:
        if nearest := [*_nearest_places(given, sweep, window, own, watch)]:
            ends += nearest
            sweep = sweep_driver(given, driver, sweep.asked, watch, more=ends, known=sweep)
        sweep = refined(sweep, given, _smooth(requests.values(), own, parts), watch, ends)
    requests |= {w.key: w for w in of_forces(given, sweep_forces, sweep)}
    values = {key: w.read(sweep) for key, w in requests.items()}
    curves = tuple(
        DriverCurve(w.kind, w.name, w.unit, driver, sweep.at, np.where(np.isfinite(y), y, np.nan))
        for w, y in zip(requests.values(), values.values(), strict=True)
    )
    circuits = circuits_of(given, driver, points(given, own), watch)
    notes += [*_locked_note(sweep), *(sweep_forces.words(sweep) if acts(given) else ())]
    notes += [circuits.words] if circuits.words else []
    record = replace(
        _driver_study(given, sweep, reach, window, curves),
        paths=tuple(PointPath(str(p), (driver,), sweep.point(p)[0]) for p in points(given, own)),
        notes=tuple(notes),
        circuits=circuits.circuits,
        coupler_curves=circuits.coupler_curves,
    )
    watched = watched_motions(given, sweep, own, watch)
    return Study(sweep, window, reach, record, values, watched)


def _curve_requests(
    given: Assembly,
    joints: list[Transmission],
    driver: str,
    checks: list[Check],
    sweep_forces: SweepForces,
) -> Iterable[CurveRequest]:
    """The curves of a driver: those always computed first, then those of checks."""
    yield from of_transmissions(joints)
    yield from of_loads(given, driver)
    for check in checks:
        found = curve_of_check(check, given, driver, sweep_forces)
        if found is not None:
            yield found


def _smooth(
    requests: Iterable[CurveRequest], checks: Iterable[Check], parts: Iterable[tuple[float, float]]
) -> Callable[[DriverSweep], list[Array]]:
    """The curves to refine at extremes, over the sweep and over each range of a check."""
    chosen = [w for w in requests if w.smooth]
    paths = [c for c in checks if isinstance(c, PointStays)]
    spans = sorted({(-inf, inf), *parts})

    def read(sweep: DriverSweep) -> list[Array]:
        curves = [w.read(sweep) for w in chosen] + [y for c in paths for y in path_curves(c, sweep)]
        inside = [(low <= sweep.at) & (sweep.at <= high) for low, high in spans]
        return [np.where(part, y, np.nan) for y in curves for part in inside]

    return read


def _nearest_places(
    given: Assembly,
    sweep: DriverSweep,
    window: tuple[float, float],
    checks: Iterable[Check],
    watch: Watch,
) -> Iterator[float]:
    """Where the parts of each check of clearance come nearest, also between states.

    On the ways up and down, for a motion that begins at a dead point leads nowhere.
    """
    for check in checks:
        if isinstance(check, Clearance):
            low, high = check.over or window
            low, high = max(low, sweep.covered[0]), min(high, sweep.covered[1])
            near, begin = value_tolerance(low, high), min(max(sweep.start, low), high)
            ends = [v for v in (low, high) if high - low > near and abs(v - begin) > near]
            how = {"steps": CONTACT_STEPS, "clearance": (check.parts,)}
            for end in ends:
                way = watched(watch, given, {sweep.driver: np.array([begin, end])}, **how)
                yield from (found.at[sweep.driver] for found in way.clearances)


def _window(given: Assembly, driver: str, reach: Reach) -> tuple[float, float]:
    """The range of a driver; without one, a full turn or as far as it can move."""
    d = given.drivers[driver]
    assert d.value is not None
    if d.range is not None:
        return d.range
    if d.unit == "deg" and not (isfinite(reach.low) or isfinite(reach.high)):
        return d.value, d.value + FULL_TURN
    low = reach.low if isfinite(reach.low) else d.value
    return low, reach.high if isfinite(reach.high) else d.value


def _requested(window: tuple[float, float], checks: list[Check], unit: str) -> tuple[float, float]:
    """The window, extended to all ranges that checks name.

    Raises BadValue: a range of more turns than a sweep takes.
    """
    low, high = window
    for check in checks:
        if getattr(check, "driver", None) is None:
            continue
        part = getattr(check, "over", None) or (
            getattr(check, "covers", None) if check.kind == "range" else None
        )
        if part is None:
            continue
        turns = (part[1] - part[0]) / FULL_TURN
        if unit == "deg" and turns > MOST_TURNS:
            key = "covers" if check.kind == "range" else "over"
            told = f"{turns:.6g} turns"
            raise BadValue(f"check {check.name!r}, {key}", told, f"at most {MOST_TURNS} turns")
        low, high = min(low, part[0]), max(high, part[1])
    return low, high


def watched_motions(
    given: Assembly, sweep: DriverSweep, checks: Iterable[Check], watch: Watch
) -> Mapping[str, tuple[Motion, ...]]:
    """The motions from the present value of a driver to where it stops, by check of contact."""
    out = {}
    for check in checks:
        if isinstance(check, NoContact):
            own = given.copy()
            if check.parts is not None:
                settings = own.contact or ContactPairs()
                own.contact = ContactPairs((check.parts,), gap=settings.gap)
            near, driver, begin = value_tolerance(*sweep.covered), sweep.driver, sweep.start
            ends = [v for v in sweep.covered if abs(v - begin) > near]
            ways = [{driver: np.array([begin, v])} for v in ends]
            out[check.name] = tuple(
                watched(watch, own, way, steps=CONTACT_STEPS, contact="tell") for way in ways
            )
    return out


def points(given: Assembly, checks: Iterable[Check]) -> list[Reference]:
    """The points that checks and loads name, each once."""
    named = [getattr(c, "point", None) for c in checks]
    found = [*(p for p in named if p is not None), *(load.at for load in given.loads.values())]
    return list(dict.fromkeys(found))


def _locked_note(sweep: DriverSweep) -> list[str]:
    held = sweep.up.held or sweep.down.held
    return [f"not driven, so held: {listed(list(held))}"] if held else []


def _driver_study(
    given: Assembly,
    sweep: DriverSweep,
    reach: Reach,
    window: tuple[float, float],
    curves: tuple[DriverCurve, ...],
) -> DriverStudy:
    """The record of a sweep, without paths, notes and circuits."""
    worst = int(np.argmax(sweep.residual)) if len(sweep.at) else 0
    low, high = sweep.covered
    covered = (max(low, window[0]), min(high, window[1]))
    d = given.drivers[sweep.driver]
    limits = tuple(e.words for e in sweep.events if e.kind == "limit")
    passed = tuple(e.value for e in sweep.events if e.kind == "change point")
    return DriverStudy(
        driver=sweep.driver,
        unit=sweep.unit,
        start=sweep.start,
        range=d.range,
        covered=covered,
        reach=(reach.low, reach.high),
        ends=reach.ends,
        dead_points=dead_points(reach, d.range),
        limits=limits,
        residual=float(sweep.residual[worst]) if len(sweep.at) else float("nan"),
        residual_at=float(sweep.at[worst]) if len(sweep.at) else sweep.start,
        branch_changes=passed,
        curves=curves,
        paths=(),
        notes=(),
        sentence=_sentence(sweep, window, covered, reach, curves),
        poses=extreme_poses(given, sweep, covered),
    )


def _sentence(
    sweep: DriverSweep,
    window: tuple[float, float],
    covered: tuple[float, float],
    reach: Reach,
    curves: tuple[DriverCurve, ...],
) -> str:
    """The motion of a driver, in words."""
    unit = sweep.unit
    asked = f"{window[0]:.6g} to {window[1]:.6g} {unit}"
    words = [f"{sweep.driver} goes through {asked}"]
    if window[0] == window[1]:
        words = [f"{sweep.driver} cannot move from {window[0]:.6g} {unit}"]
    elif covered != window:
        gets = f"{covered[0]:.10g} to {covered[1]:.10g} {unit}"
        words = [f"{sweep.driver} gets through {gets} of {asked}"]
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
            f"({sweep.driver} = {at:.6g} {unit})"
        )
    return "; ".join(words)

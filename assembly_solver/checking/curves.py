"""Curves over the sweep of a driver: those always computed, and those of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from ..foundations.types import Array
from ..kinematics.contact.part_clearance import PartClearance
from ..kinematics.loops.transmission_angle import Transmission
from ..model import checks as c
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.mate import Reference
from ..results.forces import Forces
from ..verbs.forces import forces
from .driver_sweeps import DriverSweep

UNITS = {("mm", "mm"): "", ("deg", "mm"): "N/N mm", ("mm", "deg"): "N mm/N", ("deg", "deg"): ""}
"""Output over input, by the units of driver and output."""


@dataclass(frozen=True)
class Output:
    """A point or joint coordinate, and its mechanical advantage over a driver.

    By virtual work without friction and weight, force times displacement is equal at driver and
    output: the mechanical advantage is the driver's displacement per unit of the output's.

    Attributes:
        point: the force there, along `direction` (world) or its path; or
        joint, coordinate: the force or torque of that.
    """

    point: Reference | None = None
    direction: tuple[float, ...] | None = None
    joint: str | None = None
    coordinate: str | None = None

    @property
    def words(self) -> str:
        """Name."""
        if self.point is not None:
            along = ", ".join(f"{v:.4g}" for v in self.direction or ())
            return f"{self.point} along ({along})" if along else str(self.point)
        return f"{self.joint} {self.coordinate}" if self.coordinate else str(self.joint)

    def unit(self, given: Assembly) -> str:
        """Unit: mm or deg."""
        if self.joint is None:
            return "mm"
        mate = given.mates[self.joint]
        return "deg" if (self.coordinate or mate.coordinates[0]) == "angle" else "mm"

    def advantage(self, sweep: DriverSweep) -> Array:
        """Size of the mechanical advantage, (n,), in `UNITS`; inf if the output rests."""
        if self.joint is not None:
            speed = sweep.joint(self.joint, self.coordinate)[1]
        else:
            assert self.point is not None
            velocity = sweep.point(self.point)[1]
            speed = np.linalg.norm(velocity, axis=1)
            if self.direction is not None:
                speed = velocity @ np.array(self.direction)
        with np.errstate(divide="ignore"):
            out: Array = 1.0 / np.abs(speed)
        return out


PINS = 5
"""Number of joints with a curve of their force: those of largest force."""


class CurveRequest(NamedTuple):
    """A curve to be computed from a sweep.

    Attributes:
        kind, name, unit: see `findings.DriverCurve`; read: its values, (n,).
        smooth: whether states are added at its extremes.
    """

    kind: str
    name: str
    unit: str
    read: Callable[[DriverSweep], Array]
    smooth: bool = True

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


class SweepForces:
    """The forces over a sweep, cached."""

    def __init__(self) -> None:
        self._known: tuple[DriverSweep, Forces, Forces] | None = None

    def on(self, sweep: DriverSweep) -> tuple[Forces, Forces]:
        """Forces, down and up."""
        if self._known is None or self._known[0] is not sweep:
            self._known = sweep, forces(sweep.down), forces(sweep.up)
        return self._known[1:]

    def driver(self, name: str, sweep: DriverSweep) -> Array:
        """Force of a driver, (n,), N or N mm, or NaN; positive towards larger values."""
        return self._of(sweep, lambda f: f.drivers[name].value if name in f.drivers else None)

    def pin(self, name: str, sweep: DriverSweep) -> Array:
        """Size of the force in a joint, (n,), N, or NaN."""
        return self._of(sweep, lambda f: f.reactions[name].pin if name in f.reactions else None)

    def _of(self, sweep: DriverSweep, read: Callable[[Forces], Array | None]) -> Array:
        by = {}
        for motion, found in zip((sweep.down, sweep.up), self.on(sweep), strict=True):
            values = read(found)
            by[id(motion)] = np.full(len(motion.t), np.nan) if values is None else values
        return sweep.of(lambda m: by[id(m)])

    def pins(self, sweep: DriverSweep) -> list[str]:
        """The joints with the largest forces, largest first."""
        peak: dict[str, float] = {}
        for found in self.on(sweep):
            for name, reaction in found.reactions.items():
                if np.isfinite(reaction.pin).any():
                    most = float(np.nanmax(reaction.pin))
                    peak[name] = max(most, peak.get(name, 0.0))
        order = sorted(peak, key=lambda n: (-round(peak[n], 6), n))
        return [n for n in order if peak[n] > 0.0][:PINS]

    def words(self, sweep: DriverSweep) -> list[str]:
        """Notes: not in equilibrium, not determined, without mass."""
        told: dict[object, str] = {}
        for found in self.on(sweep):
            for x in found.loose:
                told.setdefault(x.parts, f"not in equilibrium: {x.words}")
            for shared in found.shared:
                told.setdefault(shared.names, shared.words)
            if found.massless:
                told["massless"] = f"without a mass: {', '.join(found.massless[:6])}"
        return list(told.values())


def of_transmissions(joints: list[Transmission]) -> Iterator[CurveRequest]:
    """The transmission angles, each with a unique name."""
    named: set[str] = set()
    for m in joints:
        name = m.joint if m.joint not in named else f"{m.joint} ({' - '.join(m.links)})"
        named.add(name)
        yield CurveRequest("transmission angle", name, "deg", partial(_transmission_angle, m))


def _transmission_angle(joint: Transmission, sweep: DriverSweep) -> Array:
    return joint.angles(sweep.frames)


def of_loads(given: Assembly, driver: str) -> Iterator[CurveRequest]:
    """The mechanical advantage at each point where a load force acts."""
    for load in given.loads.values():
        if any(load.force):
            direction = tuple((np.array(load.force) / np.linalg.norm(load.force)).tolist())
            along = direction if load.axes is None else None
            yield _advantage(given, driver, Output(load.at, along))


def of_forces(
    given: Assembly, sweep_forces: SweepForces, sweep: DriverSweep
) -> Iterator[CurveRequest]:
    """The forces of the drivers and in the most loaded pins, if any load acts."""
    if not acts(given):
        return
    for name, d in given.drivers.items():
        yield _driver_force(sweep_forces, name, d.unit)
    for name in sweep_forces.pins(sweep):
        yield _pin_force(sweep_forces, name)


def acts(given: Assembly) -> bool:
    """Whether an assembly has a load, a spring or a weight."""
    weighed = any(given.gravity) and any(p.whole_mass is not None for p in given.parts.values())
    return bool(given.loads) or bool(given.springs) or weighed


def _driver_force(sweep_forces: SweepForces, name: str, unit: str) -> CurveRequest:
    shown = "N mm" if unit == "deg" else "N"
    return CurveRequest("force", name, shown, partial(sweep_forces.driver, name), smooth=False)


def _pin_force(sweep_forces: SweepForces, name: str) -> CurveRequest:
    read = partial(sweep_forces.pin, name)
    return CurveRequest("force", f"{name} (pin)", "N", read, smooth=False)


def _advantage(given: Assembly, driver: str, output: Output) -> CurveRequest:
    unit = UNITS[given.drivers[driver].unit, output.unit(given)]
    return CurveRequest("mechanical advantage", output.words, unit, output.advantage)


def curve_of_check(
    check: Check, given: Assembly, driver: str, sweep_forces: SweepForces
) -> CurveRequest | None:
    """The curve that a check compares over the sweep of a driver; None where there is none.

    None for a transmission angle too: those are always computed.
    """
    if isinstance(check, c.MechanicalAdvantage):
        output = Output(check.point, check.direction, check.joint, check.coordinate)
        return _advantage(given, driver, output)
    if isinstance(check, c.OutputForce):
        push = given.cylinders[driver].push or 0.0
        output = Output(check.point, check.direction)
        return CurveRequest(
            "output force", output.words, "N", lambda sweep: push * output.advantage(sweep)
        )
    if isinstance(check, c.Force):
        if check.joint is not None:
            return _pin_force(sweep_forces, check.joint)
        name = check.of or driver
        return _driver_force(sweep_forces, name, given.drivers[name].unit)
    if isinstance(check, c.Coordinate):
        return _coordinate(given, str(check.joint), check.coordinate)
    if isinstance(check, c.Speed):
        assert check.point is not None
        read = partial(_speed, check.point, check.speed)
        return CurveRequest("speed", str(check.point), "mm/s", read)
    if isinstance(check, c.Clearance):
        return _clearance(given, check)
    return None


def path_curves(check: c.PointStays, sweep: DriverSweep) -> Iterator[Array]:
    """Bounded coordinates of a point, (n,), mm; squared distance from the target, (n,), mm^2."""
    assert check.point is not None
    at, _ = sweep.point(check.point)
    for axis, bounds in enumerate((check.x, check.y, check.z)):
        if bounds is not None:
            yield at[:, axis]
    if check.reaches is not None:
        yield np.sum((at - np.array(check.reaches)) ** 2, axis=1)


def _coordinate(given: Assembly, joint: str, coordinate: str | None) -> CurveRequest:
    unit = Output(joint=joint, coordinate=coordinate).unit(given)
    name = f"{joint} {coordinate or given.mates[joint].coordinates[0]}"
    return CurveRequest(
        "coordinate", name, unit, lambda sweep: sweep.joint(joint, coordinate)[0].value
    )


def _speed(point: Reference, speed: float, sweep: DriverSweep) -> Array:
    """The speed of a point, (n,), mm/s, at a speed of the driver."""
    velocity = sweep.of(lambda m: m.point(point).velocity)
    out: Array = np.linalg.norm(velocity, axis=1) * speed / np.abs(sweep.rate)
    return out


def _clearance(given: Assembly, check: c.Clearance) -> CurveRequest:
    assert check.parts is not None
    between = PartClearance(given, check.parts, f"checks.{check.name}.parts")
    name = " - ".join(check.parts)
    return CurveRequest(
        "clearance", name, "mm", lambda sweep: between.along(sweep.frames), smooth=False
    )

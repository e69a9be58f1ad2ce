"""Curves along the way of a driver: those that are always told, and those that checks ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ..foundations.types import Array
from ..kinematics.loops.transmission_angle import Meeting
from ..model import checks as c
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.mate import Reference
from ..results.forces import Forces
from ..verbs.solving import forces
from .clearance import Clearance
from .driver_sweeps import Way
from .outputs import UNITS, Output

PINS = 5
"""Joints whose reactions are drawn unasked: those that carry most."""


class Wanted(NamedTuple):
    """A curve to be: what it is, and how it is read off a way.

    Attributes:
        kind, name, unit: see `findings.Curve`; read: its values, (n,).
        smooth: whether states are added where it is extreme.
    """

    kind: str
    name: str
    unit: str
    read: Callable[[Way], Array]
    smooth: bool = True

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


class Loaded:
    """The forces along a way, worked out once."""

    def __init__(self) -> None:
        self._known: tuple[Way, Forces, Forces] | None = None

    def on(self, way: Way) -> tuple[Forces, Forces]:
        """On its way down and up."""
        if self._known is None or self._known[0] is not way:
            self._known = way, forces(way.down), forces(way.up)
        return self._known[1:]

    def driver(self, name: str, way: Way) -> Array:
        """The force of a driver, (n,), N or N mm; positive where its coordinate would grow."""
        return self._of(way, lambda f: f.drivers[name].value if name in f.drivers else None)

    def pin(self, name: str, way: Way) -> Array:
        """The size of the force in a joint, (n,), N."""
        return self._of(way, lambda f: f.reactions[name].pin if name in f.reactions else None)

    def _of(self, way: Way, read: Callable[[Forces], Array | None]) -> Array:
        by = {}
        for motion, found in zip((way.down, way.up), self.on(way), strict=True):
            values = read(found)
            by[id(motion)] = np.full(len(motion.t), np.nan) if values is None else values
        return way.of(lambda m: by[id(m)])

    def pins(self, way: Way) -> list[str]:
        """The joints that carry most, by the largest force in each."""
        peak: dict[str, float] = {}
        for found in self.on(way):
            for name, reaction in found.reactions.items():
                if np.isfinite(reaction.pin).any():
                    most = float(np.nanmax(reaction.pin))
                    peak[name] = max(most, peak.get(name, 0.0))
        order = sorted(peak, key=lambda n: (-round(peak[n], 6), n))
        return [n for n in order if peak[n] > 0.0][:PINS]

    def words(self, way: Way) -> list[str]:
        """What is not in equilibrium, not determined, or has no mass."""
        told: dict[object, str] = {}
        for found in self.on(way):
            for x in found.loose:
                told.setdefault(x.parts, f"not in equilibrium: {x.words}")
            for shared in found.shared:
                told.setdefault(shared.names, shared.words)
            if found.massless:
                told["massless"] = f"without a mass: {', '.join(found.massless[:6])}"
        return list(told.values())


def of_meetings(meetings: list[Meeting]) -> Iterator[Wanted]:
    """The transmission angles; one name for each."""
    taken: set[str] = set()
    for m in meetings:
        name = m.joint if m.joint not in taken else f"{m.joint} ({' - '.join(m.links)})"
        taken.add(name)
        yield Wanted("transmission angle", name, "deg", lambda way, m=m: m.angles(way.frames))  # type: ignore[misc]


def of_loads(given: Assembly, driver: str) -> Iterator[Wanted]:
    """Where a load acts is an output: the load over the driver's force by virtual work."""
    for load in given.loads.values():
        if any(load.force):
            direction = tuple(float(v) for v in np.array(load.force) / np.linalg.norm(load.force))
            along = direction if load.axes is None else None
            yield _advantage(given, driver, Output(load.at, along))


def of_forces(given: Assembly, loaded: Loaded, way: Way) -> Iterator[Wanted]:
    """The forces of the drivers, and in the pins that carry most, if anything acts."""
    if not acts(given):
        return
    for name, d in given.drivers.items():
        yield _driver_force(loaded, name, d.unit)
    for name in loaded.pins(way):
        yield _pin_force(loaded, name)


def acts(given: Assembly) -> bool:
    """Whether an assembly has a load, a spring or a weight."""
    weighed = any(given.gravity) and any(p.whole_mass is not None for p in given.parts.values())
    return bool(given.loads) or bool(given.springs) or weighed


def _driver_force(loaded: Loaded, name: str, unit: str) -> Wanted:
    shown = "N mm" if unit == "deg" else "N"
    return Wanted("force", name, shown, partial(loaded.driver, name), smooth=False)


def _pin_force(loaded: Loaded, name: str) -> Wanted:
    return Wanted("force", f"{name} (pin)", "N", partial(loaded.pin, name), smooth=False)


def _advantage(given: Assembly, driver: str, output: Output) -> Wanted:
    unit = UNITS[given.drivers[driver].unit, output.unit(given)]
    return Wanted("mechanical advantage", output.words, unit, output.advantage)


def wanted_by(check: Check, given: Assembly, driver: str, loaded: Loaded) -> Wanted | None:
    """The curve that a check looks at on the way of a driver; None where it looks at another thing.

    A transmission angle is among those that are always there.
    """
    if isinstance(check, c.MechanicalAdvantage):
        output = Output(check.point, check.direction, check.joint, check.coordinate)
        return _advantage(given, driver, output)
    if isinstance(check, c.OutputForce):
        push = given.cylinders[driver].push or 0.0
        output = Output(check.point, check.direction)
        return Wanted("output force", output.words, "N", lambda way: push * output.advantage(way))
    if isinstance(check, c.Force):
        if check.joint is not None:
            return _pin_force(loaded, check.joint)
        name = check.of or driver
        return _driver_force(loaded, name, given.drivers[name].unit)
    if isinstance(check, c.Coordinate):
        return _coordinate(given, str(check.joint), check.coordinate)
    if isinstance(check, c.Speed):
        assert check.point is not None
        read = partial(_speed, check.point, check.speed)
        return Wanted("speed", str(check.point), "mm/s", read)
    if isinstance(check, c.Clearance):
        return _clearance(given, check)
    return None


def path_curves(check: c.PointStays, way: Way) -> Iterator[Array]:
    """Along a way what a check of a point bounds, mm, and its squared distance from a place."""
    assert check.point is not None
    at, _ = way.point(check.point)
    for axis, bounds in enumerate((check.x, check.y, check.z)):
        if bounds is not None:
            yield at[:, axis]
    if check.reaches is not None:
        yield np.sum((at - np.array(check.reaches)) ** 2, axis=1)


def _coordinate(given: Assembly, joint: str, coordinate: str | None) -> Wanted:
    unit = Output(joint=joint, coordinate=coordinate).unit(given)
    name = f"{joint} {coordinate or given.mates[joint].coordinates[0]}"
    return Wanted("coordinate", name, unit, lambda way: way.joint(joint, coordinate)[0].value)


def _speed(point: Reference, speed: float, way: Way) -> Array:
    """The speed of a point where the driver goes at a speed, mm/s."""
    velocity = way.of(lambda m: m.point(point).velocity)
    out: Array = np.linalg.norm(velocity, axis=1) * speed / np.abs(way.rate)
    return out


def _clearance(given: Assembly, check: c.Clearance) -> Wanted:
    assert check.parts is not None
    between = Clearance(given, check.parts, f"checks.{check.name}.parts")
    name = " - ".join(check.parts)
    return Wanted("clearance", name, "mm", lambda way: between.along(way.frames), smooth=False)

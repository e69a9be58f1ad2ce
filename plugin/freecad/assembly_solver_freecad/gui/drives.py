"""The drives of an assembly: its drivers, and the coordinates of its joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import assembly_solver as asm

from ..verbs import all_held

TURN = 180.0
"""Slider range of an angle without limits to either side, degrees."""

ROOM = 0.25
"""Slider range of a length without limits to either side, relative to the assembly's size."""


@dataclass(frozen=True)
class Drive:
    """A driver or joint coordinate that a slider moves.

    Attributes:
        name: as it is shown; joint, coordinate: of the assembly; driver: its name, or "".
        unit: "deg" or "mm"; value: present one; low, high: range of the slider.
        proposed: whether it is a driver, or would remove a free motion.
    """

    name: str
    joint: str
    coordinate: str
    driver: str
    unit: str
    value: float
    low: float
    high: float
    proposed: bool


def drives(solution: asm.Solution) -> tuple[Drive, ...]:
    """The drives of a solved assembly, the proposed ones first."""
    if not solution:
        return ()
    given = solution.given
    own = [_driver(solution, d) for d in given.drivers.values() if d.unit != "s"]
    taken = {(d.joint, d.coordinate) for d in given.drivers.values()}
    stops = [m["removed_by"].get("driver") or {} for m in solution.free_motions]
    wanted = {(s.get("joint"), s.get("coordinate")) for s in stops}
    joints = [
        _joint(solution, name, coordinate, (name, coordinate) in wanted)
        for name, mate in given.mates.items()
        if mate.takes
        for coordinate in mate.coordinates
        if (name, coordinate) not in taken
    ]
    found = [*own, *joints]
    return tuple(sorted(found, key=lambda d: not d.proposed))


def driven(
    assembly: asm.Assembly,
    drive: Drive,
    value: float | None,
    ends: tuple[float, float] | None = None,
) -> str:
    """Add or set the driver of a drive, with or without a value; returns its name.

    Args:
        ends: the range of a new driver.

    Raises:
        NotHeld: there are joints that could not be read, and would be violated.
    """
    all_held(assembly)
    if not drive.driver:
        assembly.drive(drive.name, drive.joint, drive.coordinate, value=value, range=ends)
        return drive.name
    assembly.set_driver(drive.driver, value)
    return drive.driver


def _driver(solution: asm.Solution, driver: asm.Driver) -> Drive:
    value = driver.value if driver.value is not None else asm.reading(solution, driver)
    low, high = driver.range or _around(solution, driver.unit, value)
    joint, coordinate = driver.joint or "", driver.coordinate or ""
    return Drive(driver.name, joint, coordinate, driver.name, driver.unit, value, low, high, True)


def _joint(solution: asm.Solution, name: str, coordinate: str, proposed: bool) -> Drive:
    quantity = solution.given.coordinate(name, coordinate)
    value = asm.reading(solution, quantity)
    several = len(solution.given.mates[name].coordinates) > 1
    shown = f"{name} {coordinate}" if several else name
    low, high = _around(solution, quantity.unit, value)
    out = Drive(shown, name, coordinate, "", quantity.unit, value, low, high, proposed)
    for limit in solution.limits:
        if (limit.limit.joint, limit.limit.coordinate) == (name, coordinate):
            out = _limited(out, limit)
    return out


def _limited(drive: Drive, found: Any) -> Drive:
    """The drive between the bounds of a limit, in the turn of the limit."""
    low, high = found.limit.min, found.limit.max
    return replace(
        drive,
        value=found.value,
        low=found.value + (drive.low - drive.value) if low is None else low,
        high=found.value + (drive.high - drive.value) if high is None else high,
    )


def _around(solution: asm.Solution, unit: str, value: float) -> tuple[float, float]:
    """The range of a coordinate without limits."""
    if unit == "deg":
        return min(-TURN, value), max(TURN, value)
    room = ROOM * solution.plan.system.length
    return value - room, value + room

"""Named positions: where an assembly stands, and bringing it to a stored one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..model.assembly import Assembly
from ..model.building.positions import Position
from ..results.readings import reading
from ..results.solution import Solution
from .solving import solve

NONE: Mapping[str, float] = MappingProxyType({})


def standing(assembly: Assembly, name: str = "", **limits: Any) -> Position:
    """Where an assembly stands, as a position: one value for each way in which it moves.

    Args:
        assembly: not changed; it is solved first.
        name: of the position; `a.position(name, found.values, mode=found.mode)` stores it.
        limits: as of `solve`.

    Returns:
        The values of all drivers that hold it, and of a joint for each motion that is still free,
        by the name of its driver or as "hinge.angle"; and the mode, if its loops have one.  A
        motion that no joint measures is not told.

    Raises:
        Unsolved: the mates contradict each other.
    """
    solution = solve(assembly, **limits).require()
    held = assembly.copy()
    names = [d.name for d in assembly.drivers.values() if d.value is not None or d.law is not None]
    loose = [m["removed_by"] for m in solution.free_motions]
    stops = [by["driver"] for by in loose if by["driver"] and not by["drivers"]]
    names += [held.driver_of(f"{s['joint']}.{s['coordinate']}").name for s in stops]
    values = {n: _value(solution, held, n) for n in dict.fromkeys(names)}
    for driver, value in values.items():
        held.set_driver(driver, value)
    return Position(name, values, solve(held, **limits).require().mode or None)


def _value(solution: Solution, assembly: Assembly, name: str) -> float:
    """The value of a driver: the one that it has, or as the solution reads it."""
    driver = assembly.drivers[name]
    return float(reading(solution, driver) if driver.value is None else driver.value)


def bring_to(
    assembly: Assembly,
    name: str,
    values: Mapping[str, float] = NONE,
    tolerance: float | None = None,
    place: str = "",
) -> Solution:
    """Bring an assembly to one of its positions: drivers get its values, parts the solved poses.

    Where they cannot have these the parts stay, and the solution says why.

    Args:
        values: of drivers that have others than those of the position; tolerance: as of `solve`.

    Raises:
        UnknownName: no such position; UnknownMode: its loops do not close so there.
    """
    mode = assembly.take_position(name, place).mode
    for driver, value in values.items():
        assembly.set_driver(driver, value)
    solution = solve(assembly, mode=mode, tolerance=tolerance)
    if solution:
        assembly.move(solution.poses)
        assembly.keep_constants({n: c["value"] for n, c in solution.constants.items()})
    return solution

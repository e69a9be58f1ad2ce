"""Some of the mates, drivers and limits of an assembly, by number."""

from __future__ import annotations

from collections.abc import Sequence

from ..equations.system import System
from ..model.assembly import Assembly


def constraint_names(assembly: Assembly) -> tuple[str, ...]:
    """Mates, drivers with a value, limits; drivers with the name of a mate have a prefix."""
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    unique = (f"driver {name}" if name in assembly.held else name for name in drivers)
    return (*assembly.held, *unique, *(f"limit {name}" for name in assembly.limits))


def constraint_numbers(system: System) -> list[int]:
    """Number of each constraint of a system among all mates, drivers with a value and limits."""
    first = system.mates + system.drivers
    names = system.bounds.names if system.bounds is not None else ()
    return [*range(first), *(first + names.index(active.limit) for active in system.active_limits)]


def subset(assembly: Assembly, constraints: Sequence[int]) -> Assembly:
    """A copy with only some of the mates, drivers with a value and limits, by number."""
    other, keep = assembly.copy(), set(constraints)
    mates = list(assembly.held)
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    for k, name in enumerate(assembly.limits, len(mates) + len(drivers)):
        if k not in keep:
            other.remove_limit(name)
    for k, name in enumerate(mates):
        if k not in keep:
            other.remove(name, alone=True)
    for k, name in enumerate(drivers, len(mates)):
        if k not in keep:
            other.set_driver(name, None)
    return other


def mates_only(assembly: Assembly) -> Assembly:
    """A copy without limits, its drivers without values."""
    return subset(assembly, range(len(assembly.held)))

"""The names that a study may vary: parameters, drivers, and numbers of mates, `MATE.FIELD`."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import AssemblySolverError, UnknownName
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.tolerances.tolerance import numbers_of


def put(assembly: Assembly, name: str, value: float) -> None:
    """Give a parameter, a driver or a number of a mate, `MATE.FIELD`, a value, mm or degrees.

    Raises UnknownName: there is none of that name; BadValue: it cannot have the value.
    """
    if name in assembly.drivers or name in assembly.parameters:
        assembly.set(name, value)
        return
    mate, number = _mate_and_number(assembly, name)
    assembly.change(mate, **{number: value})


def value_of(assembly: Assembly, name: str) -> float | None:
    """The value that a name has, mm or degrees; None of a driver that is free or a motion."""
    if name in assembly.parameters:
        return assembly.parameters[name]
    if name in assembly.drivers:
        driver = assembly.drivers[name]
        held = not isinstance(driver, Guide) and driver.law is None
        return driver.value if held else None
    mate, number = _mate_and_number(assembly, name)
    return float(getattr(assembly.held[mate].mate, number))


def _mate_and_number(assembly: Assembly, name: str) -> tuple[str, str]:
    mate, _, number = name.rpartition(".")
    if mate in assembly.mates and number in numbers_of(assembly.mates[mate]):
        return mate, number
    of_mates = [f"{n}.{k}" for n, own in assembly.mates.items() for k in numbers_of(own)]
    known = (*assembly.parameters, *assembly.drivers, *of_mates)
    raise UnknownName("parameter, driver or MATE.FIELD", name, known)


def check_names(assembly: Assembly, names: Iterable[str]) -> None:
    """Raise UnknownName where there is nothing of a name that could vary."""
    for name in names:
        value_of(assembly, name)


def check_range(assembly: Assembly, name: str, ends: tuple[float, float]) -> None:
    """Raise where a name cannot vary: it is unknown, or neither end of its range is possible."""
    problems = []
    for value in ends:
        try:
            put(assembly.copy(), name, value)
        except AssemblySolverError as problem:
            problems.append(problem)
    if len(problems) == 2:
        raise problems[0]

"""Redundant and missing drivers in words."""

from __future__ import annotations

from typing import Any

from ...diagnosis.drivers import DriverDiagnosis, RedundantDriver, Suggestion, diagnose_drivers
from ...diagnosis.freedoms import Diagnosis
from ...model.assembly import Assembly
from .phrases import be, count, listed


def driver_entry(d: Diagnosis, assembly: Assembly) -> dict[str, Any] | None:
    """The entry `drivers` of the result object, about the drivers that have a value.

    None where no driver has a value.
    """
    driven = [x.name for x in assembly.drivers.values() if x.value is not None]
    if not driven:
        return None
    found = diagnose_drivers(d, assembly, driven)
    return {
        "names": list(found.names),
        "repeated": [
            {"driver": r.driver, "by": list(r.by), "words": _repeated(r)} for r in found.repeated
        ],
        "missing": found.missing,
        "suggested": [s._asdict() | {"words": _suggestion(s)} for s in found.suggested],
        "dead": list(found.dead),
        "singular": found.singular,
        "words": driver_lines(found),
    }


def driver_lines(found: DriverDiagnosis) -> list[str]:
    """What is wrong with a set of drivers, a line each; none for a complete set."""
    lines = [_repeated(r) for r in found.repeated]
    dead = "is at a dead point here: it moves nothing at first"
    lines += [f"driver {name} {dead}" for name in found.dead]
    if found.missing:
        lines.append(_missing(found))
    if lines and found.singular:
        lines.append("this pose is singular: what drivers determine is told as it is near by")
    return lines


def _repeated(r: RedundantDriver) -> str:
    if not r.by:
        return f"driver {r.driver} drives what the mates already hold"
    drivers = f"driver{'' if len(r.by) == 1 else 's'} {listed(list(r.by))}"
    return f"driver {r.driver} repeats what {drivers} and the mates already tell"


def _suggestion(s: Suggestion) -> str:
    return f"driver {s.driver}" if s.driver is not None else f"{s.joint} {s.coordinate}"


def _missing(found: DriverDiagnosis) -> str:
    fact = f"{count(found.missing, 'driver')} {be(found.missing)} missing"
    if not found.suggested:
        return f"{fact}; no joint coordinate would do"
    suggestions = listed([_suggestion(s) for s in found.suggested])
    short = found.missing - len(found.suggested)
    rest = f" for {len(found.suggested)} of them" if short else ""
    return f"{fact}: {suggestions} would do{rest}"

"""Checks that a range of a driver lies on the branch, or the circuit, of the start position."""

from __future__ import annotations

from collections.abc import Iterable

from ..linkages.circuits.circuit import Branch, gap
from ..model import checks as c
from .circuits import NONE
from .findings import DriverPosition, DriverStudy, Finding
from .verdicts import ComparedValue, finding, missing


def circuit_findings(check: c.OnBranch | c.OnCircuit, record: DriverStudy) -> Finding:
    """The finding of whether a range lies on the branch or the circuit of the start."""
    name, unit = record.driver, record.unit
    subject = f"{check.kind} of {name}"
    covers = check.covers or record.range
    if covers is None:
        return missing(check, subject, f"{name} has no range, and the check no covers", name)
    start = next((x for x in record.circuits if x.start), None)
    if start is None:
        why = next((n for n in record.notes if n.startswith(NONE)), NONE)
        return missing(check, subject, why, name)
    on = [b for b in start.branches if b.start] if isinstance(check, c.OnBranch) else start.branches
    low, high = covers
    left = gap(on, low, high, unit == "deg")
    span = f"{low:.6g} to {high:.6g} {unit}"
    asked = f"{span} on the {check.kind} of the start"
    ends = {"low": low, "high": high, "driver": name}
    if left is None:
        words = f"{span} of {name} lies on the {check.kind} of the start"
        return finding(check, True, ComparedValue(subject, high - low, unit), asked, words, **ends)
    joint, why = _at(on, left, unit == "deg")
    words = f"{name} leaves the {check.kind} of the start at {left:.10g} {unit}: {why}"
    found, place = ComparedValue(subject, left, unit), DriverPosition(name, left, unit)
    return finding(check, False, found, asked, words, **ends, place=place, element=joint)


def _at(branches: Iterable[Branch], value: float, turns: bool) -> tuple[str, str]:
    """The branch end nearest to a value: its joint and a sentence."""
    ends = [end for b in branches for end in b.ends]

    def apart(place: float) -> float:
        off = abs(place - value)
        return abs(off - 360.0 * round(off / 360.0)) if turns else off

    near = min(ends, key=lambda end: apart(end.value))
    return near.joint, near.words

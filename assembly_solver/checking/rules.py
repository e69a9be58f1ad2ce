"""The findings of each check: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ..model import checks as c
from ..model.assembly import Assembly
from ..model.check import CHECKS, Check
from ..results.solution import Solution
from .branches import circuit_findings
from .clearance import PartClearance
from .curves import SweepForces, acts, curve_of_check
from .driver_study import Study, concerns
from .driver_sweeps import value_tolerance
from .findings import Finding, FourBar, PointPath
from .paths import path_findings
from .verdicts import ComparedValue, along, asked_words, compared, missing, shown


@dataclass(frozen=True, eq=False)
class Case:
    """The results to check.

    Attributes:
        given: the assembly at its solved poses; solution: of these poses.
        studies: by driver; loops: of four links; envelope: paths of points over a grid.
        stopped: why the check ended early, in words; "" where it did not.
    """

    given: Assembly
    solution: Solution
    studies: dict[str, Study]
    loops: tuple[FourBar, ...]
    envelope: tuple[PointPath, ...]
    stopped: str = ""


def findings_of(case: Case) -> tuple[Finding, ...]:
    """Findings of the assembly, of every driver range, then of every check."""
    out = [
        Finding(
            "assembly",
            "solve",
            not case.solution.left_out,
            "assembly",
            "every mate holds",
            case.solution.residual,
            "mm",
            case.solution.sentence,
        )
    ]
    checks = case.given.checks.values()
    asked = {x.driver for x in checks if isinstance(x, c.Range)}
    for name, study in case.studies.items():
        if case.given.drivers[name].range is not None and name not in asked:
            own = c.Range(name=name, driver=name, covers=case.given.drivers[name].range)
            out.append(_covers(own, study))
    for check in checks:
        out += _findings_of_check(check, case)
    return tuple(out)


def unsolved(assembly: Assembly, why: str) -> tuple[Finding, ...]:
    """The findings of an assembly that is not solved: no check passes."""
    first = Finding(
        "assembly", "solve", False, "assembly", "every mate holds", float("nan"), "mm", why
    )
    rest = (
        missing(x, x.title, "not looked at, as the assembly does not hold")
        for x in assembly.checks.values()
    )
    return (first, *rest)


def _findings_of_check(check: Check, case: Case) -> list[Finding]:
    found = list(RULES[check.kind](check, case))
    if found:
        return found
    why = case.stopped or "no driver to look along"
    return [missing(check, check.title, f"not looked at: {why}")]


def _studies(check: Check, case: Case) -> Iterator[Study]:
    """The studies that a check concerns."""
    for name, study in case.studies.items():
        if concerns(check, name):
            yield study


# ---------------------------------------------------------------------- assembly
def _dof(check: c.Dof, case: Case) -> Iterator[Finding]:
    found = float(case.solution.dof or 0)
    low, high = _bounds(check.equals, check.min, check.max)
    yield compared(check, ComparedValue("degrees of freedom", found, "", "are"), low, high)


def _redundant(check: c.Redundant, case: Case) -> Iterator[Finding]:
    found = float(case.solution.redundant_equations or 0)
    low, high = _bounds(check.equals, None, check.max)
    names = [n for group in case.solution.redundant for n in group["mates"]]
    named = ", ".join(names[:6])
    quantity = ComparedValue("redundant equations", found, "", "are")
    yield compared(check, quantity, low, high, element=named)


def _bounds(
    equals: float | None, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    return (equals, equals) if equals is not None else (low, high)


def _grashof(check: c.Grashof, case: Case) -> Iterator[Finding]:
    loops = [x for x in case.loops if check.joint is None or check.joint in x.joints]
    for loop in loops:
        subject = f"loop {', '.join(loop.joints)}"
        good = loop.kind == check.equals
        yield Finding(
            check.name,
            check.kind,
            good,
            subject,
            f"{check.equals}",
            loop.margin,
            "mm",
            f"{subject} is a {loop.kind}" + ("" if good else f", not a {check.equals}"),
            element=loop.joints[0],
        )
    if not loops:
        yield missing(check, check.title, "there is no such loop of four links")


# ---------------------------------------------------------------------- driver sweeps
def _range(check: c.Range, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        yield _covers(check, study)


def _covers(check: c.Range, study: Study) -> Finding:
    """Whether a driver covers a range in one continuous motion, and what blocks it."""
    assert check.covers is not None
    sweep, (low, high) = study.sweep, check.covers
    begin, end = sweep.covered
    asked = f"{low:.6g} to {high:.6g} {sweep.unit}"
    good = Finding(
        check.name,
        check.kind,
        True,
        f"way of {sweep.driver}",
        asked,
        high - low,
        sweep.unit,
        f"{sweep.driver} goes through {asked}",
        low,
        high,
        sweep.driver,
    )
    short = ((begin - low, begin, 0), (high - end, end, 1))
    bad = [
        (at, *_blocking(study, side)) for by, at, side in short if by > value_tolerance(low, high)
    ]
    if not bad:
        return good
    at, element, _ = bad[0]
    gets = f"{max(begin, low):.10g} to {min(end, high):.10g} {sweep.unit}"
    words = f"{sweep.driver} gets only through {gets} of {asked}: {'; '.join(b[2] for b in bad)}"
    return replace(
        good, passes=False, found=at, words=words, place=sweep.place(at), element=element
    )


def _blocking(study: Study, side: int) -> tuple[str, str]:
    """The joint that ends a sweep at its lower or upper side, and a sentence."""
    stop = (study.sweep.up if side else study.sweep.down).stopped
    return (stop.joint, stop.words) if stop is not None else ("", "it came no further")


def _dead_points(check: c.DeadPoints, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        sweep = study.sweep
        own = case.given.drivers[sweep.driver].range
        low, high = check.none_in or own or (study.reach.low, study.reach.high)
        near = value_tolerance(low, high)
        found = [d for d in study.record.dead_points if low - near <= d.value <= high + near]
        inside = f" in {low:.6g} to {high:.6g} {sweep.unit}" if isfinite(high - low) else ""
        subject = f"dead points of {sweep.driver}{inside}"
        place = sweep.place(found[0].value) if found else None
        element = found[0].element if found else ""
        aside = "; ".join(d.words for d in found)
        number = ComparedValue(subject, float(len(found)), "", "are")
        finding = compared(check, number, None, float(check.max), element=element, aside=aside)
        yield replace(finding, driver=sweep.driver, place=place)


def _branch_changes(check: c.BranchChanges, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        low, high = study.part(check)
        found = [v for v in study.record.branch_changes if low <= v <= high]
        subject = f"change points on the way of {study.sweep.driver}"
        aside = ", ".join(study.sweep.place(v).words for v in found)
        number = ComparedValue(subject, float(len(found)), "", "are")
        finding = compared(check, number, None, float(check.max), aside=aside)
        place = study.sweep.place(found[0]) if found else None
        yield replace(finding, driver=study.sweep.driver, place=place)


def _circuits(check: c.OnBranch | c.OnCircuit, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        yield circuit_findings(check, study.record)


def _limits(check: c.Limits, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        sweep, (low, high) = study.sweep, study.part(check)
        near = value_tolerance(low, high)
        met = [e for e in sweep.events if e.kind == "limit" and low - near < e.value < high + near]
        subject = f"limits on the way of {sweep.driver}"
        words = "; ".join(e.words for e in met) or f"no limit stops {sweep.driver}"
        yield Finding(
            check.name,
            check.kind,
            not met,
            subject,
            "none reached",
            float(len(met)),
            "",
            words,
            driver=sweep.driver,
            place=sweep.place(met[0].value) if met else None,
            element=met[0].joint if met else "",
        )


def _residual(check: c.Residual, case: Case) -> Iterator[Finding]:
    residual = ComparedValue("residual", case.solution.residual, "mm")
    yield compared(check, residual, None, check.max)
    for study in _studies(check, case):
        subject = f"residual on the way of {study.sweep.driver}"
        residual = ComparedValue(subject, study.sweep.residual, "mm")
        yield along(check, study, residual, None, check.max)


def _transmission_angle(check: c.TransmissionAngle, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        found = {
            name: y for (kind, name), y in study.values.items() if kind == "transmission angle"
        }
        if check.at is not None:
            names = [n for n in found if n == check.at or n.startswith(f"{check.at} (")]
            found = {n: found[n] for n in names}
        findings = [
            along(
                check,
                study,
                ComparedValue(f"transmission angle at {n}", y, "deg"),
                check.min,
                None,
                n,
            )
            for n, y in found.items()
        ]
        if findings:
            yield min(findings, key=lambda f: (f.passes, f.found))
        else:
            at, where = ("there", f" at {check.at}") if check.at else ("at a joint", "")
            why = "; ".join(study.record.notes) or f"no two links of a dyad meet {at}"
            yield missing(check, f"transmission angle{where}", why, study.sweep.driver)


def _curve(check: Any, case: Case) -> Iterator[Finding]:
    """A check of one curve between two bounds."""
    for study in _studies(check, case):
        request = curve_of_check(check, case.given, study.sweep.driver, SweepForces())
        assert request is not None
        values = study.values[request.key]
        at = "at" if request.kind == "mechanical advantage" else "of"
        subject = f"{request.kind} {at} {request.name}"
        low, high = getattr(check, "min", None), getattr(check, "max", None)
        quantity = ComparedValue(subject, values, request.unit)
        yield along(check, study, quantity, low, high, request.name)


def _force(check: c.Force, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        request = curve_of_check(check, case.given, study.sweep.driver, SweepForces())
        assert request is not None
        low = high = check.max
        if high is None:
            cylinder = case.given.cylinders.get(check.of or study.sweep.driver)
            if cylinder is None or cylinder.push is None:
                continue
            high, low = cylinder.push, cylinder.pull or cylinder.push
        subject = f"force in {check.joint}" if check.joint else f"force of {request.name}"
        if not acts(case.given):
            why = "no load, spring or weight acts, so there is no force to look at"
            yield missing(check, subject, why, study.sweep.driver)
            continue
        values = study.values[request.key]
        lowest = None if check.joint else -low if low is not None else None
        quantity = ComparedValue(subject, values, request.unit)
        yield along(check, study, quantity, lowest, high, check.joint or "")


def _coordinate(check: c.Coordinate, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        request = curve_of_check(check, case.given, study.sweep.driver, SweepForces())
        assert request is not None
        y, subject = study.values[request.key], request.name
        if check.min is not None or check.max is not None:
            quantity = ComparedValue(subject, y, request.unit)
            yield along(check, study, quantity, check.min, check.max, str(check.joint))
        if check.covers is not None:
            low, high = check.covers
            y, near = y[study.states_in(check)], value_tolerance(low, high)
            reached = (float(np.min(y)), float(np.max(y))) if len(y) else (np.nan, np.nan)
            good = bool(reached[0] <= low + near and reached[1] >= high - near)
            asked = asked_words(low, high, request.unit)
            least, most = (0.0 if abs(v) < near else v for v in reached)
            gets = f"{least:.6g} to {shown(most, request.unit)}"
            words = f"{subject} goes from {gets}"
            yield Finding(
                check.name,
                check.kind,
                good,
                subject,
                f"covers {asked}",
                reached[0] if reached[0] > low + near else reached[1],
                request.unit,
                words + ("" if good else f", not all of {asked}"),
                low,
                high,
                study.sweep.driver,
            )


def _point(check: c.PointStays, case: Case) -> Iterator[Finding]:
    assert check.point is not None
    for study in _studies(check, case):
        lacks = check.over is not None and bool(study.coverage_note(check))
        for finding in path_findings(check, str(check.point), study):
            yield replace(finding, passes=finding.passes and not lacks)
    for path in case.envelope if check.driver is None else ():
        if path.name == str(check.point):
            yield from path_findings(check, path.name, path)


def _clearance(check: c.Clearance, case: Case) -> Iterator[Finding]:
    if case.studies:
        yield from _curve(check, case)
    elif not case.stopped:
        assert check.parts is not None
        between = PartClearance(case.given, check.parts, f"checks.{check.name}.parts")
        gap = float(between.along(case.solution.frames[None])[0])
        subject = f"clearance of {' - '.join(check.parts)}"
        yield compared(check, ComparedValue(subject, gap, "mm"), check.min, None)


RULES: dict[str, Callable[[Any, Case], Iterator[Finding]]] = {
    "dof": _dof,
    "redundant": _redundant,
    "grashof": _grashof,
    "range": _range,
    "dead_points": _dead_points,
    "branch_changes": _branch_changes,
    "branch": _circuits,
    "circuit": _circuits,
    "limits": _limits,
    "residual": _residual,
    "transmission_angle": _transmission_angle,
    "mechanical_advantage": _curve,
    "output_force": _curve,
    "force": _force,
    "coordinate": _coordinate,
    "point": _point,
    "speed": _curve,
    "clearance": _clearance,
}
"""Functions by the kind of check; they yield no findings where no driver is concerned."""

assert set(RULES) == set(CHECKS)

"""The findings of each check: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ..foundations.types import Array
from ..kinematics.contact.part_clearance import PartClearance
from ..model import checks as c
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.checks import CHECKS
from ..results.contacts import joined
from ..results.motion import ContactEvent
from ..results.solution import Solution
from ..results.wording.phrases import count
from .branches import circuit_findings
from .curves import CurveRequest, SweepForces, acts, curve_of_check
from .driver_study import Study, concerns
from .driver_sweeps import value_tolerance
from .findings import Finding, FourBar, PointPath
from .paths import path_findings
from .spreads import Analyses, tolerance_findings
from .verdicts import ComparedValue, along, asked_words, compared, finding, missing, shown


@dataclass(frozen=True, eq=False)
class Case:
    """The results to check.

    Attributes:
        given: the assembly at its solved poses; solution: of these poses.
        studies: by driver; loops: of four links; envelope: paths of points over a grid.
        tolerances: what tolerances do to the measures that checks name.
        stopped: why the check ended early, in words; "" where it did not.
    """

    given: Assembly
    solution: Solution
    studies: dict[str, Study]
    loops: tuple[FourBar, ...]
    envelope: tuple[PointPath, ...]
    tolerances: Analyses
    stopped: str = ""


def findings_of(case: Case) -> tuple[Finding, ...]:
    """Findings of the assembly, of every driver range, then of every check."""
    solution, checks = case.solution, case.given.checks.values()
    out = [_of_assembly(not solution.left_out, solution.residual, solution.sentence)]
    asked = {x.driver for x in checks if isinstance(x, c.Range)}
    for name, study in case.studies.items():
        own = case.given.drivers[name].range
        if own is not None and name not in asked:
            out.append(_covers(c.Range(name=name, driver=name, covers=own), study))
    why = f"not looked at: {case.stopped or 'no driver to look along'}"
    for check in checks:
        out += list(RULES[check.kind](check, case)) or [missing(check, check.title, why)]
    return tuple(out)


def unsolved(assembly: Assembly, why: str) -> tuple[Finding, ...]:
    """The findings of an assembly that is not solved: no check passes."""
    idle = "not looked at, as the assembly does not hold"
    rest = (missing(x, x.title, idle) for x in assembly.checks.values())
    return (_of_assembly(False, float("nan"), why), *rest)


def _of_assembly(holds: bool, off: float, words: str) -> Finding:
    return Finding("assembly", "solve", holds, "assembly", "every mate holds", off, "mm", words)


def _studies(check: Check, case: Case) -> list[Study]:
    """The studies that a check concerns."""
    return [study for name, study in case.studies.items() if concerns(check, name)]


def _curves(check: Check, case: Case) -> Iterator[tuple[Study, CurveRequest, Array]]:
    """Those studies, each with the curve that the check compares, and its values, (n,)."""
    for study in _studies(check, case):
        request = curve_of_check(check, case.given, study.sweep.driver, SweepForces())
        assert request is not None
        yield study, request, study.values[request.key]


# ---------------------------------------------------------------------- assembly
def _dof(check: c.Dof, case: Case) -> Iterator[Finding]:
    found = float(case.solution.diagnosis.dof)
    low, high = _bounds(check.equals, check.min, check.max)
    yield compared(check, ComparedValue("degrees of freedom", found, "", "are"), low, high)


def _redundant(check: c.Redundant, case: Case) -> Iterator[Finding]:
    found = float(case.solution.diagnosis.redundant_equations)
    low, high = _bounds(check.equals, None, check.max)
    names = [n for group in case.solution.redundant for n in group["mates"]]
    named = ", ".join(names[:6])
    quantity = ComparedValue("redundant equations", found, "", "are")
    yield compared(check, quantity, low, high, element=named)


def _modes(check: c.ModeCount, case: Case) -> Iterator[Finding]:
    modes = case.solution.modes
    found = max(len(modes.all), 1)  # without loops parts stand in one way
    low, high = _bounds(check.equals, check.min, check.max)
    if high is not None and found <= high and not modes.complete:
        why = f"{count(found, 'assembly mode')} found, others are not excluded"
        yield missing(check, check.title, why)
        return
    yield compared(check, ComparedValue("assembly modes", float(found), "", "are"), low, high)


def _bounds(
    equals: float | None, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    return (equals, equals) if equals is not None else (low, high)


def _grashof(check: c.Grashof, case: Case) -> Iterator[Finding]:
    loops = [x for x in case.loops if check.joint is None or check.joint in x.joints]
    for loop in loops:
        margin = ComparedValue(f"loop {', '.join(loop.joints)}", loop.margin, "mm")
        good, asked = loop.kind == check.equals, f"{check.equals}"
        words = f"{margin.subject} is a {loop.kind}" + ("" if good else f", not a {asked}")
        yield finding(check, good, margin, asked, words, element=loop.joints[0])
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
    way = ComparedValue(f"way of {sweep.driver}", high - low, sweep.unit)
    ends = {"low": low, "high": high, "driver": sweep.driver}
    short = ((begin - low, begin, sweep.down), (high - end, end, sweep.up))
    bad = [(at, side.stopped) for by, at, side in short if by > value_tolerance(low, high)]
    if not bad:
        return finding(check, True, way, asked, f"{sweep.driver} goes through {asked}", **ends)
    why = "; ".join(stop.words if stop is not None else "it came no further" for _, stop in bad)
    gets = f"{max(begin, low):.10g} to {min(end, high):.10g} {sweep.unit}"
    words = f"{sweep.driver} gets only through {gets} of {asked}: {why}"
    at, stop = bad[0]
    ends |= {"place": sweep.place(at), "element": stop.joint if stop is not None else ""}
    return finding(check, False, way._replace(value=at), asked, words, **ends)


def _dead_points(check: c.DeadPoints, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        sweep = study.sweep
        own = case.given.drivers[sweep.driver].range
        low, high = check.none_in or own or (study.reach.low, study.reach.high)
        near = value_tolerance(low, high)
        found = [d for d in study.record.dead_points if low - near <= d.value <= high + near]
        inside = f" in {low:.6g} to {high:.6g} {sweep.unit}" if isfinite(high - low) else ""
        subject = f"dead points of {sweep.driver}{inside}"
        element = found[0].element if found else ""
        aside = "; ".join(d.words for d in found)
        yield _counted(check, study, subject, [d.value for d in found], aside, element)


def _branch_changes(check: c.BranchChanges, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        low, high = study.part(check)
        found = [v for v in study.record.branch_changes if low <= v <= high]
        subject = f"change points on the way of {study.sweep.driver}"
        aside = ", ".join(study.sweep.place(v).words for v in found)
        yield _counted(check, study, subject, found, aside)


def _counted(
    check: c.DeadPoints | c.BranchChanges,
    study: Study,
    subject: str,
    places: list[float],
    aside: str,
    element: str = "",
) -> Finding:
    """How many special positions of a driver there are; `places` are their values."""
    number = ComparedValue(subject, float(len(places)), "", "are")
    found = compared(check, number, None, float(check.max), element=element, aside=aside)
    place = study.sweep.place(places[0]) if places else None
    return replace(found, driver=study.sweep.driver, place=place)


def _circuits(check: c.OnBranch | c.OnCircuit, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        yield circuit_findings(check, study.record)


def _limits(check: c.Limits, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        sweep, (low, high) = study.sweep, study.part(check)
        near = value_tolerance(low, high)
        met = [e for e in sweep.events if e.kind == "limit" and low - near < e.value < high + near]
        number = ComparedValue(f"limits on the way of {sweep.driver}", float(len(met)), "")
        words = "; ".join(e.words for e in met) or f"no limit stops {sweep.driver}"
        place = sweep.place(met[0].value) if met else None
        where = {"driver": sweep.driver, "place": place, "element": met[0].joint if met else ""}
        yield finding(check, not met, number, "none reached", words, **where)


def _residual(check: c.Residual, case: Case) -> Iterator[Finding]:
    residual = ComparedValue("residual", case.solution.residual, "mm")
    yield compared(check, residual, None, check.max)
    for study in _studies(check, case):
        subject = f"residual on the way of {study.sweep.driver}"
        residual = ComparedValue(subject, study.sweep.residual, "mm")
        yield along(check, study, residual, None, check.max)


def _transmission_angle(check: c.TransmissionAngle, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        findings = []
        for (kind, name), y in study.values.items():
            asked = check.at is None or name == check.at or name.startswith(f"{check.at} (")
            if kind == "transmission angle" and asked:
                angle = ComparedValue(f"transmission angle at {name}", y, "deg")
                findings.append(along(check, study, angle, check.min, None, name))
        if findings:
            yield min(findings, key=lambda f: (f.passes, f.found))
        else:
            at, where = ("there", f" at {check.at}") if check.at else ("at a joint", "")
            why = "; ".join(study.record.notes) or f"no two links of a dyad meet {at}"
            yield missing(check, f"transmission angle{where}", why, study.sweep.driver)


def _curve(check: Any, case: Case) -> Iterator[Finding]:
    """A check of one curve between two bounds."""
    for study, request, values in _curves(check, case):
        at = "at" if request.kind == "mechanical advantage" else "of"
        subject = f"{request.kind} {at} {request.name}"
        low, high = getattr(check, "min", None), getattr(check, "max", None)
        quantity = ComparedValue(subject, values, request.unit)
        yield along(check, study, quantity, low, high, request.name)


def _force(check: c.Force, case: Case) -> Iterator[Finding]:
    for study, request, values in _curves(check, case):
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
        lowest = None if check.joint else -low if low is not None else None
        quantity = ComparedValue(subject, values, request.unit)
        yield along(check, study, quantity, lowest, high, check.joint or "")


def _coordinate(check: c.Coordinate, case: Case) -> Iterator[Finding]:
    for study, request, y in _curves(check, case):
        subject, unit = request.name, request.unit
        if check.min is not None or check.max is not None:
            quantity = ComparedValue(subject, y, unit)
            yield along(check, study, quantity, check.min, check.max, str(check.joint))
        if check.covers is not None:
            low, high = check.covers
            y, near = y[study.states_in(check)], value_tolerance(low, high)
            reached = (float(np.min(y)), float(np.max(y))) if len(y) else (np.nan, np.nan)
            good = bool(reached[0] <= low + near and reached[1] >= high - near)
            asked = asked_words(low, high, unit)
            least, most = (0.0 if abs(v) < near else v for v in reached)
            words = f"{subject} goes from {least:.6g} to {shown(most, unit)}"
            words += "" if good else f", not all of {asked}"
            farthest = reached[0] if reached[0] > low + near else reached[1]
            end = ComparedValue(subject, farthest, unit)
            ends = {"low": low, "high": high, "driver": study.sweep.driver, "over": check.over}
            yield finding(check, good, end, f"covers {asked}", words, **ends)


def _point(check: c.PointStays, case: Case) -> Iterator[Finding]:
    assert check.point is not None
    for study in _studies(check, case):
        lacks = check.over is not None and bool(study.coverage_note(check))
        for found in path_findings(check, str(check.point), study):
            yield replace(found, passes=found.passes and not lacks)
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


def _contact(check: c.NoContact, case: Case) -> Iterator[Finding]:
    for study in _studies(check, case):
        motions, sweep, (low, high) = study.watched[check.name], study.sweep, study.part(check)
        near = value_tolerance(low, high)
        events = [e for m in motions for e in m.events if isinstance(e, ContactEvent)]
        events.sort(key=lambda e: abs(e.value - sweep.start))
        met = [e for e in events if low - near <= e.value <= high + near]
        told = [e.words for e in met] or [f"none there; {e.words}" for e in events[:1]]
        seen = joined(m.contacts for m in motions if m.contacts is not None)
        lacks = study.coverage_note(check)
        told = told or [seen.words if seen else f"{sweep.driver} does not move"]
        words = "; ".join([*told, *filter(None, [lacks])])
        number = ComparedValue(f"contacts on the way of {sweep.driver}", float(len(met)), "")
        place = sweep.place(met[0].value) if met else None
        where = {"driver": sweep.driver, "place": place, "element": met[0].joint if met else ""}
        good = not met and not (check.over is not None and lacks)
        yield finding(check, good, number, "none", words, **where)


def _tolerance(check: c.ToleranceMet, case: Case) -> Iterator[Finding]:
    yield from tolerance_findings(check, case.tolerances)


RULES: dict[str, Callable[[Any, Case], Iterator[Finding]]] = {
    "dof": _dof,
    "redundant": _redundant,
    "modes": _modes,
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
    "contact": _contact,
    "tolerance": _tolerance,
}
"""Functions by the kind of check; they yield no findings where no driver is concerned."""

assert set(RULES) == set(CHECKS)

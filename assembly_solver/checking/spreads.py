"""What tolerances do to the measures that checks name, and the findings about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..errors import AssemblySolverError
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..model.checks import ToleranceMet
from ..results.solution import Solution
from ..results.wording.phrases import count
from .findings import Finding
from .verdicts import ComparedValue, compared, missing

if TYPE_CHECKING:
    from ..studies.tolerance import ToleranceAnalysis

Analyses: TypeAlias = "Mapping[tuple[int, int], ToleranceAnalysis | str]"
"""Tolerance analyses by samples and seed, or why there is none."""


def analyses_of(assembly: Assembly, solution: Solution, watch: Watch) -> Analyses:
    """The tolerance analyses that the checks of an assembly ask for, each once."""
    out: dict[tuple[int, int], ToleranceAnalysis | str] = {}
    for check in assembly.checks.values():
        if isinstance(check, ToleranceMet) and (check.samples, check.seed) not in out:
            from ..studies.tolerance import tolerance

            try:
                found: ToleranceAnalysis | str = tolerance(
                    solution, samples=check.samples, seed=check.seed, progress=watch.tell
                )
            except AssemblySolverError as error:  # at a dead point, without tolerances
                found = str(error)
            out[check.samples, check.seed] = found
    return out


def tolerance_findings(check: ToleranceMet, analyses: Analyses) -> Iterator[Finding]:
    """The share of the samples that meet the bounds, and the capability of the process.

    A sample that does not close, or only in another mode, does not meet them, and leaves the
    capability unknown.
    """
    found = analyses.get((check.samples, check.seed))
    if found is None:
        return
    if isinstance(found, str):
        yield missing(check, check.title, found)
        return
    assert check.measure is not None
    sampled, others = found.measures[check.measure].sampled, found.samples - len(found.values)
    aside = f"{count(others, 'sample')} did not close, or in another mode" if others else ""
    if check.meets is not None:
        share = (sampled["meets"] or 0.0) * len(found.values) / found.samples
        error = sampled.get("meets_error", 0.0)
        words = "; ".join(filter(None, [f"+- {error:.2g} by {found.samples} samples", aside]))
        quantity = ComparedValue(f"share that meets {check.measure}", share, "")
        yield compared(check, quantity, check.meets, None, element=check.measure, aside=words)
    if check.cpk is not None:
        quantity = ComparedValue(f"Cpk of {check.measure}", sampled.get("cpk", float("nan")), "")
        cpk = compared(check, quantity, check.cpk, None, element=check.measure, aside=aside)
        yield replace(cpk, passes=cpk.passes and not others)
